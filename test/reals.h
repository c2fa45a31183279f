// What every driver of a real device has to do, shown on an emulator of its device. For one file per
// program.
#ifndef PL_TEST_REALS_H
#define PL_TEST_REALS_H

#include "clock.h"
#include "palp/palp.h"
#include "worlds.h"

#include <stdatomic.h>
#include <string.h>

enum { manyTicks = 5000, mostWays = 5 };

/// An emulated device, in its own axes.
typedef struct {
    const char* text; ///< as on a command line
    plVec3 middle;
    void (*put)(plVec3 p);
    plVec3 (*felt)(void);      ///< force at the handle now [N]
    plVec3 (*inWorld)(plVec3); ///< of a vector, by hand
    struct {
        void (*go)(bool); ///< away, and back
        bool hears;       ///< what is written while it is away
    } ways[mostWays];     ///< of being lost, up to the first that is none
    bool flat;
    double precision; ///< of a force on the wire [N]
    double limit;     ///< [N]
} Emulator;

static inline plVec3 vec(double x, double y, double z) { return (plVec3){x, y, z}; }

static inline plVec3 minus(plVec3 a, plVec3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline plVec3 plus(plVec3 a, plVec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline double norm(plVec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

static inline plRealDef defOf(const char* text)
{
    plRealDef def;
    const char* wrong = plRealDef_Parse(text, &def);
    if (wrong) fail_msg("%s: %s", text, wrong);
    def.privileges = false;
    return def;
}

static inline plReal* openReal(const char* text)
{
    const plRealDef def = defOf(text);
    char message[plRealText];
    plReal* r;
    if (plReal_Open(&def, &r, message, sizeof message) != pl_statusOk) fail_msg("%s", message);
    return r;
}

/// One sentence that says why it cannot be opened, with `part` in it.
static inline void expectRefused(const char* text, const char* part)
{
    const plRealDef def = defOf(text);
    char message[plRealText];
    plReal* r;
    if (plReal_Open(&def, &r, message, sizeof message) == pl_statusOk) {
        plReal_Close(r);
        fail_msg("%s was opened", text);
    }
    print_message("%s: %s\n", text, message);
    if (!strstr(message, part)) fail_msg("\"%s\" is not in \"%s\"", part, message);
    assert_null(r);
}

static inline void waitForState(plReal* r, bool works)
{
    for (int i = 0; i < 5000; ++i) {
        if (plReal_State(r).works == works) return;
        rest(1e-3);
    }
    fail_msg("it %s: %s", works ? "does not work" : "still works", plReal_State(r).text);
}

/// Ticks as a world makes them: a sample, then a write. The last sample.
static inline plSample ticks(plReal* r, plVec3 force, int count)
{
    const plDeviceCalls calls = plReal_Calls(r);
    const plWrench f = {force, {0, 0, 0}};
    plSample s = {.pose = {.q = {1, 0, 0, 0}}};
    for (int i = 0; i < count; ++i) {
        s = (plSample){.pose = {.q = {1, 0, 0, 0}}};
        calls.sample(calls.self, 1e-3 * i, &s);
        calls.write(calls.self, &f, 1e-3);
        rest(1e-3);
    }
    return s;
}

static inline void checkVector(const char* what, plVec3 actual, plVec3 expected, double tolerance)
{
    if (norm(minus(actual, expected)) <= tolerance) return;
    fail_msg("%s: %g %g %g, expected %g %g %g within %g", what, actual.x, actual.y, actual.z,
             expected.x, expected.y, expected.z, tolerance);
}

/// Ticks until the force at the handle is as expected. A busy machine may make a device lost for a while.
static inline void waitForForce(plReal* r, const Emulator* e, plVec3 force, plVec3 expected)
{
    for (int i = 0; i < manyTicks; ++i) {
        ticks(r, force, 1);
        if (norm(minus(e->inWorld(e->felt()), expected)) <= e->precision) return;
    }
    checkVector("force", e->inWorld(e->felt()), expected, e->precision);
}

/// The sample that tells of a place, or the last one.
static inline plSample waitForPlace(plReal* r, plVec3 place, double tolerance)
{
    plSample s = {0};
    for (int i = 0; i < manyTicks; ++i) {
        s = ticks(r, vec(0, 0, 0), 1);
        if (s.flags == 0 && norm(minus(s.pose.p, place)) <= tolerance) return s;
    }
    return s;
}

/// A device has been told before it is closed; it obeys when this machine lets it.
static inline void waitForNothing(plVec3 (*felt)(void))
{
    for (int i = 0; i < 2000 && norm(felt()) > 0; ++i) rest(1e-3);
    checkVector("force of one that is closed", felt(), vec(0, 0, 0), 0);
}

// --- what is shown; the state of a test is its emulator

static inline void itIsFoundAndMoved(void** state)
{
    const Emulator* e = *state;
    const plPose start = {{0.1, 0.2, 0.3}, {1, 0, 0, 0}};
    const plVec3 way = vec(0.01, 0.02, e->flat ? 0 : -0.015);
    e->put(e->middle);
    plReal* r = openReal(e->text);
    waitForState(r, true);
    plReal_Place(r, start, false);
    plSample s = waitForPlace(r, start.p, 1e-6); // floats on a wire
    checkVector("start", s.pose.p, start.p, 1e-6);
    e->put(plus(e->middle, way));
    s = waitForPlace(r, plus(start.p, e->inWorld(way)), 1e-6);
    assert_int_equal(s.flags, 0);
    checkVector("moved", s.pose.p, plus(start.p, e->inWorld(way)), 1e-6);
    print_message("%s: %s, up to %g N\n", e->text, plReal_State(r).text, plReal_State(r).limit);
    plReal_Close(r);
}

static inline void checkFelt(const Emulator* e)
{
    const plVec3 force = vec(0.5, -0.3, e->flat ? 0 : 0.8);
    e->put(e->middle);
    plReal* r = openReal(e->text);
    waitForState(r, true);
    waitForForce(r, e, force, force);
    plReal_Close(r);
    waitForNothing(e->felt);
}

// The force comes from nothing in 200 ms, in steps of 16 ms at most where a round comes late.
static inline void itsForceEasesIn(void** state)
{
    const Emulator* e = *state;
    const plVec3 force = vec(0.6, 0, 0);
    e->put(e->middle);
    plReal* r = openReal(e->text);
    waitForState(r, true);
    const double begin = clockNow();
    double worst = -1;
    for (int i = 0; i < 150; ++i) {
        ticks(r, force, 1);
        const double most = 0.6 * fmin(1, (clockNow() - begin + 17e-3) / 0.2);
        worst = fmax(worst, norm(e->felt()) - most);
    }
    checkAtMost("force beyond its ease", worst, e->precision);
    plReal_Close(r);
}

static inline void itsForceStaysWithinItsLimit(void** state)
{
    const Emulator* e = *state;
    e->put(e->middle);
    plReal* r = openReal(e->text);
    waitForState(r, true);
    int cuts = 0;
    for (int i = 0; i < 300; ++i) {
        const plSample s = ticks(r, vec(1e3, 0, 0), 1);
        checkAtMost("force", norm(e->felt()), e->limit + e->precision);
        cuts += (s.flags & pl_sampleCut) != 0;
    }
    assert_true(cuts > 100); // all but those while it is eased, or this machine is late
    const plVec3 most = e->inWorld(e->felt());
    print_message("1000 N become %.3f N\n", most.x);
    assert_true(most.x > 0.5 * e->limit && fabs(most.y) < 0.01 * most.x);
    ticks(r, vec(NAN, 0, 0), 30);
    checkVector("force that is no number", e->felt(), vec(0, 0, 0), e->precision);
    plReal_Close(r);
}

// Lost: the pose is told to be lost, and there is no force at a device that still hears. Found again: it
// comes back slowly.
static inline void checkLostAndFound(const Emulator* e, void (*lose)(bool), bool hears)
{
    const plVec3 force = vec(0.5, 0, 0);
    e->put(e->middle);
    plReal* r = openReal(e->text);
    waitForState(r, true);
    waitForForce(r, e, force, force);
    lose(true);
    waitForState(r, false);
    plSample s = ticks(r, force, 60);
    assert_true(s.flags & pl_sampleLost);
    print_message("lost: %s\n", plReal_State(r).text);
    if (hears) checkVector("force while it is lost", e->felt(), vec(0, 0, 0), 0);
    lose(false);
    waitForState(r, true);
    const double first = norm(e->felt());
    checkAtMost("force when it is found", first, 0.1 * 0.5); // 20 ms of its ease
    s = ticks(r, force, 1);
    waitForForce(r, e, force, force);
    assert_true(plReal_State(r).losses >= 1);
    plReal_Close(r);
}

static inline void itIsLostAndFoundAgain(void** state)
{
    const Emulator* e = *state;
    assert_non_null(e->ways[0].go);
    for (int i = 0; i < mostWays && e->ways[i].go; ++i)
        checkLostAndFound(e, e->ways[i].go, e->ways[i].hears);
}

// The world stops asking: no force within 20 ms of when the next write was due. A busy machine is late now
// and then, so the least of some tries is judged, and all of them are told.
static inline void whenNobodyAsksTheForceGoes(void** state)
{
    const Emulator* e = *state;
    enum { tries = 5, most = 200 };
    const plVec3 force = vec(0.5, 0, 0);
    double least = 1;
    int done = 0;
    e->put(e->middle);
    plReal* r = openReal(e->text);
    waitForState(r, true);
    for (int i = 0; i < most && done < tries; ++i) {
        const plDeviceCalls calls = plReal_Calls(r);
        const plWrench f = {force, {0, 0, 0}};
        waitForForce(r, e, force, force);
        const uint64_t losses = plReal_State(r).losses;
        calls.write(calls.self, &f, 1e-3);
        const double begin = clockNow() + 1e-3;
        while (norm(e->felt()) > e->precision && clockNow() < begin + 1) rest(2e-4);
        const double gone = clockNow() - begin;
        if (plReal_State(r).losses != losses)
            continue; // it was lost, which takes a force away, too
        print_message("nobody asks: no force after %.1f ms\n", 1e3 * gone);
        if (gone < 3e-3) continue; // 3 ms of patience, unless the write before was late
        ++done;
        least = fmin(least, gone);
        assert_true(gone < 0.2); // it is gone in any case
    }
    assert_int_equal(done, tries);
    checkAtMost("until there is no force [s]", least, 0.0205); // 20 ms, and two looks
    plReal_Close(r);
}

// Each has its own force. The emulators tell of the first and the second device.
static inline void checkTwo(plReal* a, plReal* b, plVec3 (*first)(void), plVec3 (*second)(void),
                            double tolerance)
{
    const plVec3 f = vec(0.5, 0, 0), g = vec(0, -0.7, 0);
    waitForState(a, true);
    waitForState(b, true);
    for (int i = 0; i < manyTicks; ++i) {
        ticks(a, f, 1);
        ticks(b, g, 1);
        if (norm(minus(first(), f)) + norm(minus(second(), g)) <= tolerance) break;
    }
    checkVector("first", first(), f, tolerance);
    checkVector("second", second(), g, tolerance);
    plReal_Close(a);
    waitForNothing(first);
    ticks(b, g, 10);
    plReal_Close(b);
    waitForNothing(second);
}

#define REAL_TEST(test, setup, teardown)                                                           \
    cmocka_unit_test_prestate_setup_teardown(test, setup, teardown, (void*)&emulator)

#endif
