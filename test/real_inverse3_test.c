// Haply Inverse3, by a service that is emulated over plain sockets.
#define _GNU_SOURCE

#include "emulate_inverse.h"
#include "reals.h"

static Inverse service, other;
static char text[256], otherText[256];

static void put(plVec3 p)
{
    service.p[0] = p.x;
    service.p[1] = p.y;
    service.p[2] = p.z;
}
static plVec3 felt(void) { return vec(service.force[0], service.force[1], service.force[2]); }
static plVec3 inWorld(plVec3 a) { return a; } // right, forward, up
static void fallSilent(bool silent) { service.silent = silent; }
static void lie(bool lies) { service.lies = lies; }
static void hangUp(bool lost)
{
    service.refuses = lost;
    if (lost) inverseCut(&service);
}

// Forces are written with six digits behind the point.
static const Emulator emulator = {.text = text,
                                  .middle = {0, 0.1, 0.2},
                                  .put = put,
                                  .felt = felt,
                                  .inWorld = inWorld,
                                  .ways = {{hangUp, true}, {fallSilent, true}, {lie, true}},
                                  .precision = 2e-6,
                                  .limit = 5};

static int reset(void** state)
{
    (void)state;
    if (!inverseStart(&service) || !inverseStart(&other)) return 1;
    snprintf(text, sizeof text, "inverse3:ws://127.0.0.1:%d", service.port);
    snprintf(otherText, sizeof otherText, "inverse3:ws://localhost:%d/,id=049D", other.port);
    return 0;
}

static int end(void** state)
{
    (void)state;
    inverseEnd(&service);
    inverseEnd(&other);
    return 0;
}

static void itIsFeltAndLetGo(void** state) { checkFelt(*state); }

// A round is a message and its answer: about a thousand of them in a second.
static void itSpeaksAThousandTimesInASecond(void** state)
{
    (void)state;
    plReal* r = openReal(text);
    waitForState(r, true);
    const unsigned long before = service.messages;
    const double begin = clockNow();
    ticks(r, vec(0, 0, 0), 500);
    const double rate = (double)(service.messages - before) / (clockNow() - begin);
    print_message("%.0f messages in a second\n", rate);
    assert_true(rate < 1100); // how many more are late is this machine's affair
    plReal_Close(r);
}

// Services up to 3.4 know the force by another name: that is found out.
static void aServiceThatKnowsTheOldNameIsFelt(void** state)
{
    (void)state;
    service.oldOnly = true;
    checkFelt(*state);
    assert_true(service.messages > service.forces);
}

static void theGripTurnsAndHasButtons(void** state)
{
    (void)state;
    put(vec(0, 0.1, 0.2));
    plReal* r = openReal(otherText);
    plReal_Close(r);
    service.grip = true;
    char centred[300];
    snprintf(centred, sizeof centred, "%s,centre=0:0.1:0.2", text);
    r = openReal(centred);
    waitForState(r, true);
    const plSample s = waitForPlace(r, vec(0, 0, 0), 1e-6);
    checkNear("w", s.pose.q.w, sqrt(0.5), 1e-9);
    checkNear("z", s.pose.q.z, sqrt(0.5), 1e-9);
    assert_int_equal(s.buttons, 5);
    plReal_Close(r);
}

static plVec3 otherFelt(void) { return vec(other.force[0], other.force[1], other.force[2]); }

static void twoAtOnceHaveTheirOwnForces(void** state)
{
    (void)state;
    checkTwo(openReal(text), openReal(otherText), felt, otherFelt, 1e-5);
}

static void aDeviceThatComesLateIsAskedFor(void** state)
{
    (void)state;
    service.late = true;
    plReal* r = openReal(text);
    assert_int_equal(service.asks, 1);
    waitForState(r, true);
    plReal_Close(r);
}

static void whatIsWrongIsSaid(void** state)
{
    (void)state;
    char line[300];
    expectRefused("inverse3:ws://127.0.0.1:1", "nobody listens at ws://127.0.0.1:1");
    expectRefused("inverse3:http://x", "an address is ws://HOST:PORT");
    snprintf(line, sizeof line, "%s,id=0000", text);
    expectRefused(line, "knows of no Inverse3 0000");
    service.empty = true;
    expectRefused(text, "knows of no Inverse3");
    service.empty = false;
    service.uncalibrated = true;
    expectRefused(text, "not calibrated");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        REAL_TEST(itIsFoundAndMoved, reset, end),
        REAL_TEST(itIsFeltAndLetGo, reset, end),
        REAL_TEST(itsForceEasesIn, reset, end),
        REAL_TEST(itsForceStaysWithinItsLimit, reset, end),
        REAL_TEST(itIsLostAndFoundAgain, reset, end),
        REAL_TEST(whenNobodyAsksTheForceGoes, reset, end),
        REAL_TEST(itSpeaksAThousandTimesInASecond, reset, end),
        REAL_TEST(aServiceThatKnowsTheOldNameIsFelt, reset, end),
        REAL_TEST(theGripTurnsAndHasButtons, reset, end),
        REAL_TEST(twoAtOnceHaveTheirOwnForces, reset, end),
        REAL_TEST(aDeviceThatComesLateIsAskedFor, reset, end),
        REAL_TEST(whatIsWrongIsSaid, reset, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
