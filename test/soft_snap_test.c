// The clip on a rigid pipe, pushed on and pulled off in balance: forces against the reference.
//                                                                           (signorini spec 6.1)
#include "softs.h"

static plSnap snap;
static plSnapWay way;

static Snap travel(const plSnapPath* path)
{
    plSnap_Travel(&snap, path, &way);
    const Snap s = snapOf(&way);
    print_message("mu %.1f: push %.4f N at %.2f mm, in %.4f at %.2f, pull %.4f at %.2f; work %.4f "
                  "and %.4f mJ; %d problems, %d steps of Newton, at most %d contacts\n",
                  path->mu, s.push, s.pushAt, s.in, s.inAt, s.pull, s.pullAt, 1e3 * s.down,
                  1e3 * s.up, s.solves, s.iterations, s.contacts);
    return s;
}

/// Numbers of the spec; 0: not told. Its bars are 0.5 % and 0.05 mm; here all its digits are asked.
/// What is lost at mu 0.2 is asked to 1e-3: at the turn the force changes its sign within one step,
/// and the sum over the places falls short of 72.2 mJ by 0.055; by 0.020 with half the step.
typedef struct {
    double mu, push, pushAt, in, inAt, pull, pullAt;
    double lost, lostDigit; // work of the cycle [mJ]
} Row;

static const Row table[] = {
    {0, 5.1259, 6.75, 5.349, 1.5, 5.349, 0, 0, 1e-4},
    {0.1, 7.2455, 6.45, 3.406, 0, 7.655, 0, 0, 0},
    {0.2, 9.5899, 6.20, 1.877, 0.85, 10.2727, 1.95, 72.2, 0.072},
    {0.4, 14.731, 5.90, 0.174, 0, 16.284, 0, 0, 0},
    {0.6, 20.236, 0, 0, 0, 23.210, 0, 0, 0},
    {0.8, 25.974, 5.70, -1.38, 0.15, 31.103, 2.30, 298, 0.5},
};

static void checkRow(const Row* row, const Snap* s)
{
    const double place = 1e-9; // [mm]: it is the same step of the way
    checkNear("push", s->push, row->push, 6e-4);
    checkNear("pull", s->pull, row->pull, 6e-4);
    if (row->in != 0) checkNear("in", s->in, row->in, row->in < 0 ? 6e-3 : 6e-4);
    if (row->in == 0) assert_true(s->in < 0); // it must be pushed all the way
    if (row->pushAt > 0) checkNear("place of push", s->pushAt, row->pushAt, place);
    if (row->inAt > 0) checkNear("place of in", s->inAt, row->inAt, place);
    if (row->pullAt > 0) checkNear("place of pull", s->pullAt, row->pullAt, place);
    if (row->lostDigit > 0) checkNear("lost", 1e3 * (s->down + s->up), row->lost, row->lostDigit);
}

static void forcesAreThoseOfTheTable(void** state)
{
    (void)state;
    openBaseClip(&snap);
    assert_int_equal(snap.soft.nodeCount, 393);
    assert_int_equal(snap.count, 87);
    for (int i = 0; i < PL_COUNT(table); ++i) {
        const plSnapPath path = plDefaultSnapPath(table[i].mu);
        const Snap s = travel(&path);
        checkRow(&table[i], &s);
        assert_int_equal(s.failed, 0);
        checkNear("first contact", s.first, 8.55, 1e-9); // at 8.58, between two places
        checkAtMost("force across", s.sideways, 1e-6);
        checkAtMost("depth in the pipe", s.depth, 1e-9);
        checkNear("end", way.places[way.count - 1].force.y, 0, 0);
    }
    plSnap_Close(&snap);
}

// What is stored at the lowest place, and nothing else, is what the way in took.
static void withoutFrictionTheWayBackReturnsTheWork(void** state)
{
    (void)state;
    openBaseClip(&snap);
    const plSnapPath path = plDefaultSnapPath(0);
    const Snap s = travel(&path);
    double worst = 0;
    for (int k = 0; k < way.lowest; ++k) {
        const plSnapPlace *a = &way.places[k], *b = &way.places[way.count - 1 - k];
        worst = fmax(worst, fabs(a->force.y - b->force.y));
    }
    print_message("mu 0: pushed %.4f mJ, stored %.4f mJ, cycle %.2e mJ; in against out %.1e N\n",
                  1e3 * s.area, 1e3 * s.down, 1e3 * (s.down + s.up), worst);
    checkNear("stored [mJ]", 1e3 * s.down, 0.4768, 1.5e-4);
    checkAtMost("cycle", fabs(s.down + s.up), 1e-3 * s.area);
    checkAtMost("in against out", worst, 1e-3);
    plSnap_Close(&snap);
}

/// Energy of the clip as it is, f u/2 [J].
static double storedEnergy(void)
{
    double stored = 0;
    for (int i = 0; i < snap.count; ++i) {
        const plVec3 rest = plAdd(plVec(0, snap.place.y, 0), snap.soft.points[snap.node[i]]);
        stored += plDot(plGet3(&snap.f[3 * i]), plSub(plGet3(&snap.x[3 * i]), rest)) / 2;
    }
    return stored;
}

// The hand's work is a sum over the places (trapezoids): its error falls with the square of a step.
static void whatIsStoredIsTheWork(void** state)
{
    (void)state;
    double worst[2] = {0};
    openBaseClip(&snap);
    for (int i = 0; i < 2; ++i) {
        const double step = i ? 0.025e-3 : 0.05e-3;
        double work = 0, before = 0;
        plSnap_Start(&snap, 9e-3);
        for (int k = 1; 9e-3 - k * step > 1e-3; ++k) {
            plSnap_Move(&snap, 0, 9e-3 - k * step, 3);
            work += step * (before + snap.place.force.y) / 2;
            before = snap.place.force.y;
            worst[i] = fmax(worst[i], fabs(work - storedEnergy()));
        }
    }
    print_message("stored and worked differ by %.2e and %.2e mJ at most, of 15\n", 1e3 * worst[0],
                  1e3 * worst[1]);
    checkAtMost("stored against worked [mJ]", 1e3 * worst[1], 5e-4);
    checkNear("a half of the step", worst[0] / worst[1], 4, 0.5);
    plSnap_Close(&snap);
}

// Few candidates are in a problem, and those that its answer violates are added: as if all were.
static void allCandidatesAtOnceGiveTheSameForces(void** state)
{
    (void)state;
    static plSnap all;
    const double places[] = {8, 6.2, 3, 0.5, 0.15, 0.1, 1, 2};
    openBaseClip(&snap), openBaseClip(&all);
    all.near = 1;
    plSnap_Start(&snap, 9e-3), plSnap_Start(&all, 9e-3);
    for (int k = 0; k < PL_COUNT(places); ++k) {
        plSnap_Move(&snap, 0.2, 1e-3 * places[k], 2);
        plSnap_Move(&all, 0.2, 1e-3 * places[k], 2);
        assert_int_equal(all.place.contacts, 87);
        double worst = 0, size = 0;
        for (int i = 0; i < 3 * snap.count; ++i) {
            worst = fmax(worst, fabs(snap.f[i] - all.f[i]));
            size = fmax(size, fabs(all.f[i]));
        }
        print_message("y %.2f mm: %d contacts for 87, %d push, forces differ by %.1e\n", places[k],
                      snap.place.contacts, snap.place.active, worst / size);
        checkAtMost("forces", worst / size, 1e-6);
    }
    plSnap_Close(&snap), plSnap_Close(&all);
}

// At places that all of them pass: the largest of samples depends on where the samples are.
static void shorterStepsChangeTheForcesLittle(void** state)
{
    (void)state;
    double push[3], pull[3];
    openBaseClip(&snap);
    for (int i = 0; i < 3; ++i) {
        plSnapPath path = plDefaultSnapPath(0.2);
        path.top = 9.05e-3, path.step = 0.1e-3 / (1 << i);
        travel(&path);
        const plSnapPlace* in = &way.places[28 << i];
        const plSnapPlace* out = &way.places[way.lowest + (18 << i)];
        checkNear("place in", in->y, 6.25e-3, 1e-12);
        checkNear("place out", out->y, 1.95e-3, 1e-12);
        push[i] = in->force.y, pull[i] = -out->force.y;
    }
    for (int i = 0; i < 2; ++i) {
        print_message("steps of %.3f mm against 0.025: push %.1e, pull %.1e\n", 0.1 / (1 << i),
                      push[i] / push[2] - 1, pull[i] / pull[2] - 1);
        checkRatio("push", push[i], push[2], 1e-4);
        checkRatio("pull", pull[i], pull[2], 1e-4);
    }
    plSnap_Close(&snap);
}

// Bending of linear tetrahedra is too stiff: forces fall with layers, places stay.
static void finerMeshesPushLess(void** state)
{
    (void)state;
    static const struct {
        int radial, depth;
        double push, pull; // 0: not told
    } meshes[] = {
        {1, 1, 15.64, 17.05}, {2, 1, 9.59, 10.27}, {3, 1, 0, 0}, {4, 1, 0, 0}, {2, 5, 0, 0}};
    double before = 1e3;
    for (int i = 0; i < sized(2, PL_COUNT(meshes)); ++i) {
        plClipDef def = plDefaultClipDef();
        def.radialCells = meshes[i].radial, def.depthCells = meshes[i].depth;
        openClip(&snap, &def);
        print_message("%d tetrahedra, %d candidates, ", snap.soft.tetCount, snap.count);
        const plSnapPath path = plDefaultSnapPath(0.2);
        const Snap s = travel(&path);
        assert_int_equal(s.failed, 0);
        if (meshes[i].push > 0) {
            checkNear("push", s.push, meshes[i].push, 6e-3);
            checkNear("pull", s.pull, meshes[i].pull, 6e-3);
        }
        if (meshes[i].depth == 1) {
            assert_true(s.push < before);
            checkNear("place of push", s.pushAt, 6.2, 0.15);
            before = s.push;
        }
        plSnap_Close(&snap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forcesAreThoseOfTheTable),
        cmocka_unit_test(withoutFrictionTheWayBackReturnsTheWork),
        cmocka_unit_test(whatIsStoredIsTheWork),
        cmocka_unit_test(allCandidatesAtOnceGiveTheSameForces),
        cmocka_unit_test(shorterStepsChangeTheForcesLittle),
        cmocka_unit_test(finerMeshesPushLess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
