// Long lives: a restless hand takes hold of things, drags them about and lets go, for a million steps of
// every scene and a hundred million of the first one that a newcomer opens. Without a name the sample of
// the gallery, briefly; with the name of a scene that one, and a number of steps may follow.
#define _POSIX_C_SOURCE 200809L

#include "base/base.h"
#include "counting.h"
#include "gallery.h"
#include "touched.h"

#define FIRST_SCENE "box.json"

/// The hand, and what it met.
typedef struct {
    Touched t;
    plRng rng;
    plSite site;
    plVec3 start, size, rate; ///< of its way: start + size sin(rate time) [m, rad/s]
    double left, since;       ///< until it thinks of something else, since it began to [s]
    bool holds;
    double limit, force, moved, residual;
    long takings, stopped, grabs;
} Soak;

static plVec3 anyVector(plRng* rng, double size)
{
    return (plVec3){plRng_Uniform(rng, -size, size), plRng_Uniform(rng, -size, size),
                    plRng_Uniform(rng, -size, size)};
}

/// A part of any mechanism that can move; where none can, none.
static plSite anySite(Soak* s)
{
    const plWorld* w = s->t.world;
    for (int i = 0; i < 20; ++i) {
        const plMechanismId id =
            plWorld_Mechanism(w, (int)plRng_Uniform(&s->rng, 0, plWorld_MechanismCount(w)));
        if (canMove(w, id)) return lastPart(w, id);
    }
    return (plSite){.part = 0};
}

static void grabSomething(Soak* s)
{
    s->site = anySite(s);
    if (s->site.mechanism.index1 == 0) return;
    s->start = placeOf(&s->t, s->site);
    s->size = anyVector(&s->rng, 0.03);
    s->rate = anyVector(&s->rng, 20);
    // what may not be grabbed, a part of the hand's own device for example, is left alone
    s->holds = plWorld_Grab(s->t.world, s->t.pointer.coupling, s->site) == pl_statusOk;
    s->grabs += s->holds;
}

static void letGoOfIt(Soak* s)
{
    checkOk(s->t.world, plWorld_Release(s->t.world, s->t.pointer.coupling));
    checkOk(s->t.world, plWorld_LetGo(s->t.world, s->t.pointer.device));
    s->holds = false;
}

static void think(Soak* s)
{
    if (s->holds) {
        letGoOfIt(s);
    } else {
        grabSomething(s);
    }
    s->since = 0;
    s->left = plRng_Uniform(&s->rng, 0.05, 0.7);
}

static void moveHand(Soak* s)
{
    const plVec3 a = s->size, w = s->rate;
    const double t = s->since;
    const plVec3 way = {a.x * sin(w.x * t), a.y * sin(w.y * t), a.z * sin(w.z * t)};
    const plPose want = {plAdd(s->start, way), {1, 0, 0, 0}};
    checkOk(s->t.world, plWorld_Hold(s->t.world, s->t.pointer.device, want));
}

/// What has flowed: the scale of a residual, which only adds up.
static double movedBy(const plAccount* a)
{
    return a->kinetic + fabs(a->potential) + fabs(a->applied) + fabs(a->rows) + fabs(a->dissipated);
}

static void checkStep(Soak* s, const char* path, long step)
{
    plWrench f;
    const plAccount a = plWorld_Ledger(s->t.world);
    const int trouble = plWorld_Report(s->t.world).trouble;
    plWorld_DeviceForce(s->t.world, s->t.pointer.device, &f);
    s->force = fmax(s->force, largest(f.force));
    s->moved = fmax(s->moved, movedBy(&a));
    s->residual = fmax(s->residual, fabs(a.residual));
    s->stopped += (trouble & pl_troubleStopped) != 0;
    if ((trouble & (pl_troubleNotFinite | pl_troubleDevice)) || !isfinite(s->force) ||
        !isfinite(a.kinetic + a.potential) || s->force > s->limit * (1 + 1e-12)) {
        fail_msg("%s: step %ld: trouble %d, force %g of %g N, %g J", path, step, trouble, s->force,
                 s->limit, a.kinetic + a.potential);
    }
}

static void soak(const char* path, long steps)
{
    plDeviceDef def;
    Soak s = {.t = touch(path), .rng = plRng_Seed(17)};
    checkOk(s.t.world, plWorld_DeviceDef(s.t.world, s.t.pointer.device, &def));
    s.limit = def.forceLimit.x;
    startCounting();
    const long before = atomic_load(&takings);
    for (long i = 0; i < steps; ++i) {
        if ((s.left -= s.t.T) <= 0) think(&s);
        if (s.holds) moveHand(&s);
        plWorld_Step(s.t.world, s.t.T);
        s.since += s.t.T;
        checkStep(&s, path, i);
        if (steps >= 1000000 && (i + 1) % (steps / 10) == 0) print_message("%ld steps\n", i + 1);
    }
    s.takings = atomic_load(&takings) - before;
    print_message(
        "%-24s %ld steps, grabbed %ld times, at most %.3g of %.3g N, %ld stopped, residual "
        "%.1e of %.3g J\n",
        strrchr(path, '/') + 1, steps, s.grabs, s.force, s.limit, s.stopped, s.residual, s.moved);
    assert_int_equal(s.takings, 0);
    checkAtMost("residual", s.residual, 1e-9 * s.moved + 1e-12);
    checkAtMost("stopped", (double)s.stopped, 1e-3 * (double)steps);
    letGo(&s.t);
}

static const char* only; // the one scene that was asked for
static long wanted;      // steps; 0: as many as it should have
static int soaked;

static void soakOne(const char* path)
{
    const char* name = strrchr(path, '/') + 1;
    if (only && strcmp(only, name) != 0) return;
    const bool first = strcmp(name, FIRST_SCENE) == 0;
    const bool slow = strstr(name, "pile") || strstr(name, "arch") || strstr(name, "soft");
    const long full = first ? 100000000 : 1000000, brief = slow ? 20 : 1500;
    soak(path, wanted > 0 ? wanted : only ? full : brief);
    ++soaked;
}

static void everySceneLivesLong(void** state)
{
    (void)state;
    everyScene(!only, soakOne);
    assert_true(only ? soaked == 1 : soaked >= 6);
}

int main(int argc, char** argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everySceneLivesLong)};
    only = argc > 1 ? argv[1] : NULL;
    wanted = argc > 2 ? atol(argv[2]) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
