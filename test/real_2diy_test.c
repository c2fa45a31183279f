// Haply 2diy, on a pseudo-terminal.
#define _GNU_SOURCE

#include "emulate_2diy.h"
#include "reals.h"

#include <sys/stat.h>
#include <sys/wait.h>

static Board board, other;
static char text[256], otherText[256];

static void put(plVec3 p)
{
    board.x = p.x;
    board.y = p.y;
}

static plVec3 feltOn(const Board* b)
{
    double F[2];
    boardForce(b, F);
    return vec(F[0], F[1], 0);
}
static plVec3 felt(void) { return feltOn(&board); }
// its base is away from the person: y comes nearer, x goes left
static plVec3 inWorld(plVec3 a) { return vec(-a.x, -a.y, a.z); }
static void fallSilent(bool silent) { board.silent = silent; }
static void lie(bool lies) { board.lies = lies; }

// A float has 24 bits: angles of 100 degrees and torques of 0.1 N m are right to 1e-7 of themselves.
static const Emulator emulator = {.text = text,
                                  .middle = {0.019, 0.1, 0},
                                  .put = put,
                                  .felt = felt,
                                  .inWorld = inWorld,
                                  .ways = {{fallSilent, true}, {lie, true}},
                                  .flat = true,
                                  .precision = 1e-5,
                                  .limit = 5};

static int reset(void** state)
{
    (void)state;
    if (!boardStart(&board) || !boardStart(&other)) return 1;
    snprintf(text, sizeof text, "2diy:%s", board.path);
    snprintf(otherText, sizeof otherText, "2diy:%s,id=7", other.path);
    return 0;
}

static int end(void** state)
{
    (void)state;
    boardEnd(&board);
    boardEnd(&other);
    return 0;
}

static void itIsFoundSetUpAndMoved(void** state)
{
    itIsFoundAndMoved(state);
    assert_int_equal(board.nonsense, 0);
    checkNear("offset of encoder 1", board.offset[0], 168, 0);
    checkNear("offset of encoder 2", board.offset[1], 12, 0);
}

static void itIsFeltAndLetGo(void** state)
{
    checkFelt(*state);
    for (int i = 0; i < 1000 && board.setUp; ++i) rest(1e-3);
    assert_false(board.setUp); // the last word was a reset
}

static double largestTorque(void)
{
    const double a = board.tau[0], b = board.tau[1];
    return fmax(fabs(a), fabs(b));
}

// Torques are scaled together: the force keeps its direction everywhere within reach.
static void itsTorquesStayWithinTheirLimitAndForcesKeepTheirDirection(void** state)
{
    (void)state;
    plReal* r = openReal(text);
    waitForState(r, true);
    double worst = 0, least = 1e9;
    for (int i = 0; i < 16; ++i) {
        const double a = 2 * M_PI * i / 16;
        board.x = 0.019 + 0.025 * cos(a);
        board.y = 0.095 + 0.025 * sin(a);
        rest(0.01); // the board tells the new place before torques are for it
        for (int k = 0; k < manyTicks; ++k) {
            ticks(r, vec(100 * cos(3 * a), 100 * sin(3 * a), 0), 10);
            if (largestTorque() > 0.122) break;
        }
        const plVec3 F = inWorld(felt());
        const double size = norm(F);
        checkAtMost("torque", largestTorque(), 0.1231);
        worst = fmax(worst, hypot(F.x / size - cos(3 * a), F.y / size - sin(3 * a)));
        least = fmin(least, size);
    }
    print_message("direction within %.1e, at least %.2f N\n", worst, least);
    checkAtMost("direction", worst, 1e-5);
    assert_true(least > 0.5);
    plReal_Close(r);
}

/// No faster than a hand, under a force.
static void lead(plReal* r, double y, plVec3 force)
{
    const double way = y - board.y;
    for (int i = 0; i < 30; ++i) {
        board.y = board.y + way / 30;
        ticks(r, force, 1);
    }
    board.y = y;
    ticks(r, force, 30);
}

// Beyond the border of what is reached a force has no torques: they go to nothing, and come back, at a rate of
// the largest in 5 ms; so they do when the force turns round, and on closing.
static void itsTorquesMakeNoLeap(void** state)
{
    (void)state;
    const double most = 0.123 / 5e-3 * (1 + 1e-6);
    plReal* r = openReal(text);
    waitForState(r, true);
    int done = 0;
    for (int i = 0; i < 30 && done < 3; ++i) {
        const uint64_t losses = plReal_State(r).losses;
        lead(r, 0.1, vec(0, 5, 0));
        ticks(r, vec(0, 5, 0), 250);
        const double before = largestTorque();
        ticks(r, vec(0, -5, 0), 30);
        lead(r, 0.15885, vec(0, -5, 0)); // rods and inner rods are almost in line
        checkNear("torque beyond the border", largestTorque(), 0, 0);
        if (plReal_State(r).losses != losses) continue; // the board of a busy machine answers late
        assert_true(before > 0.05);
        ++done;
    }
    assert_int_equal(done, 3);
    lead(r, 0.1, vec(0, 5, 0));
    plReal_Close(r);
    waitForNothing(felt);
    print_message("torques changed by %.1f N m/s at most, of %.1f\n", board.rate, most);
    checkAtMost("change of a torque [N m/s]", board.rate, most);
}

static int byValue(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// 0.2 m/s, from positions alone. A machine that is busy between a place and its time errs to both sides:
// so the middle of all that were told is judged.
static void itsVelocityIsThatOfTheHandle(void** state)
{
    enum { most = 150 };
    double v[most];
    int count = 0;
    (void)state;
    board.y = 0.08;
    plReal* r = openReal(text);
    waitForState(r, true);
    board.speed = 0.2;
    ticks(r, vec(0, 0, 0), 40); // the low-pass has 5 ms
    while (count < most && board.y < 0.13) {
        const plSample s = ticks(r, vec(0, 0, 0), 1);
        if (s.flags == 0) v[count++] = s.velocity.y;
    }
    board.speed = 0;
    assert_true(count > 0);
    qsort(v, (size_t)count, sizeof *v, byValue);
    print_message("velocity %.4f m/s, %.4f .. %.4f, of %d\n", v[count / 2], v[0], v[count - 1],
                  count);
    // A place that is 1 ms older than its time is off by 1/6 of what the low-pass lets through.
    checkNear("velocity", v[count / 2], -0.2, 0.2 / 6 + 0.01);
    plReal_Close(r);
}

static plVec3 first(void) { return inWorld(feltOn(&board)); }
static plVec3 second(void) { return inWorld(feltOn(&other)); }

static void twoBoardsAtOnceHaveTheirOwnForces(void** state)
{
    (void)state;
    checkTwo(openReal(text), openReal(otherText), first, second, 1e-5);
}

// As somebody who is nobody: in a process of its own.
static void whoMayNotOpenItIsToldSo(void** state)
{
    int status = 0;
    (void)state;
    assert_int_equal(chmod(board.path, 0600), 0);
    const pid_t child = fork();
    if (child == 0) {
        char why[plRealText] = "";
        const plRealDef def = defOf(text);
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
        const bool found = plReal_Find(&def, why, sizeof why);
        _exit(!found && strstr(why, "may not be opened") && strstr(why, "dialout") ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (geteuid() != 0) return; // who owns it is not refused
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void whatIsWrongIsSaid(void** state)
{
    (void)state;
    expectRefused("2diy:/dev/nothing-like-this", "there is no /dev/nothing-like-this");
    expectRefused("2diy:/dev/null", "is no serial line");
    board.silent = true;
    expectRefused(text, "nobody answers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        REAL_TEST(itIsFoundSetUpAndMoved, reset, end),
        REAL_TEST(itIsFeltAndLetGo, reset, end),
        REAL_TEST(itsForceEasesIn, reset, end),
        REAL_TEST(itsTorquesStayWithinTheirLimitAndForcesKeepTheirDirection, reset, end),
        REAL_TEST(itsTorquesMakeNoLeap, reset, end),
        REAL_TEST(itIsLostAndFoundAgain, reset, end),
        REAL_TEST(whenNobodyAsksTheForceGoes, reset, end),
        REAL_TEST(itsVelocityIsThatOfTheHandle, reset, end),
        REAL_TEST(twoBoardsAtOnceHaveTheirOwnForces, reset, end),
        REAL_TEST(whoMayNotOpenItIsToldSo, reset, end),
        REAL_TEST(whatIsWrongIsSaid, reset, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
