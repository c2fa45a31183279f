// Points that sculpted surfaces guide: against closed forms, and where there are none, by their energy.
#include "jointeds.h"
#include "palp/nurbs.h"

#include <string.h>

static const plVec3 down = {0, 0, -9.81};

static void load(plStatus status, const plShapeError* error)
{
    if (status != pl_statusOk) fail_msg("%s", error->message);
}

static plShapeDef surfaceOf(const plPatches* patches)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    def.patches = patches->patches;
    def.patchCount = patches->count;
    def.inward = patches->inward;
    return def;
}

/// A body with a point on a guide that stands on the ground.
static plJointedBodyDef bead(plVec3 place, plVec3 velocity)
{
    plJointedBodyDef body = plDefaultJointedBodyDef();
    body.name = "bead";
    body.mass = 0.05;
    body.inertia = plDiagonal3(2e-5, 3e-5, 4e-5);
    body.pose.p = place;
    body.velocity = velocity;
    return body;
}

static plJointDef guide(plGuide kind, double radius, const plShapeDef* surface)
{
    plJointDef joint = plDefaultJointDef();
    joint.name = "guide";
    joint.kind = pl_constraintGuide;
    joint.guide = kind;
    joint.radius = radius;
    joint.surface = surface;
    return joint;
}

typedef struct {
    double apart, open, rate, drift;
} Run;

/// Both joints for some seconds: how far the bodies are ever apart, and what the second one keeps.
static Run compare(const plJointedBodyDef* body, const plJointDef joints[2], double seconds)
{
    plWorld* w[2] = {makeWorld(down, 2), makeWorld(down, 2)};
    plMechanismId id[2];
    Run run = {0};
    for (int i = 0; i < 2; ++i) id[i] = addJointed(w[i], "bead", body, 1, &joints[i], 1);
    const double E0 = energyOf(w[1]);
    for (int k = 0; k < (int)(1000 * seconds); ++k) {
        for (int i = 0; i < 2; ++i) plWorld_Step(w[i], 1e-3);
        const Course a = stateOf(w[0], id[0]), b = stateOf(w[1], id[1]);
        for (int i = 0; i < 7; ++i) run.apart = fmax(run.apart, fabs(a.q[i] - b.q[i]));
        run.open = fmax(run.open, jointError(w[1], id[1]));
        run.rate = fmax(run.rate, jointRate(w[1], id[1]));
        run.drift = fmax(run.drift, fabs(energyOf(w[1]) - E0));
    }
    assert_int_equal(plWorld_Report(w[1]).trouble, 0);
    for (int i = 0; i < 2; ++i) plWorld_Destroy(w[i]);
    return run;
}

static void checkRun(const char* what, Run run)
{
    print_message("%s: apart %.1e m, |c| %.1e, |c'| %.1e, dE %.1e J\n", what, run.apart, run.open,
                  run.rate, run.drift);
    // Equal distances, gradients and second derivatives to round-off, of an orbit that is not chaotic.
    checkAtMost("apart", run.apart, 1e-10);
    checkAtMost("|c|", run.open, 1e-12);
    checkAtMost("|c'|", run.rate, 1e-11);
    checkAtMost("dE", run.drift, 1e-7);
}

// The point is off the centre of mass, so that the body turns as well.
static void patchesOfASphereAreTheSphere(void** state)
{
    (void)state;
    plPatches patches;
    plShapeError error = {0};
    load(plPatches_Sphere(0.3, NULL, &patches, &error), &error);
    plShapeDef surface = surfaceOf(&patches);
    const plVec3 way = {0.2, 0.1, -0.2};
    plJointDef joints[2] = {guide(pl_guideSphere, 0.3, NULL), guide(pl_guidePatches, 0, &surface)};
    plJointedBodyDef body = bead(plScale(0.3 / plNorm(way), way), plVec(-0.4, 0.8, 0));
    for (int i = 0; i < 2; ++i) joints[i].frameA.p = plVec(0.02, 0.01, 0.03);
    body.pose.p = plSub(body.pose.p, joints[0].frameA.p);
    body.spin = plVec(3, -1, 2);
    checkRun("sphere", compare(&body, joints, 2));
    // Turned, the surface has its poles elsewhere and its seams too.
    surface.frame.q = plRotor(plVec(0.6, 0.8, 0), 1.1);
    checkRun("turned sphere", compare(&body, joints, 2));
    plPatches_Free(&patches);
}

// A plane orbit through both poles, where the patches have no metric. There the second derivative is
// that of a place besides, so a few parts in 1e5 of v^2/r are missing for a moment.
static void pointGoesThroughPoles(void** state)
{
    (void)state;
    plPatches patches;
    plShapeError error = {0};
    load(plPatches_Sphere(0.3, NULL, &patches, &error), &error);
    const plShapeDef surface = surfaceOf(&patches);
    const plJointDef joints[2] = {guide(pl_guideSphere, 0.3, NULL),
                                  guide(pl_guidePatches, 0, &surface)};
    const plJointedBodyDef body = bead(plVec(0.3, 0, 0), plVec(0, 0, -3));
    checkRun("poles", compare(&body, joints, 2));
    plPatches_Free(&patches);
}

static void patchesOfACylinderAreTheCylinder(void** state)
{
    (void)state;
    plPatches patches;
    plShapeError error = {0};
    load(plPatches_Cylinder(0.2, 4, NULL, &patches, &error), &error);
    const plShapeDef surface = surfaceOf(&patches);
    plJointDef joints[2] = {guide(pl_guideCylinder, 0.2, NULL),
                            guide(pl_guidePatches, 0, &surface)};
    for (int i = 0; i < 2; ++i) joints[i].frameB.q = plRotor(plVec(0, 1, 0), 0.5 * PL_PI - 0.1);
    const plMat3 R = plRotation(joints[0].frameB.q);
    const plVec3 at = plMul(&R, plVec(0.12, 0.16, -0.5));
    const plJointedBodyDef body = bead(at, plMul(&R, plVec(-0.8, 0.6, 0.4)));
    checkRun("cylinder", compare(&body, joints, 2));
    plPatches_Free(&patches);
}

// In a meridian plane the point goes round the tube: a pendulum of the tube's radius.
static void meridianOfATorusIsAPendulum(void** state)
{
    (void)state;
    plPatches patches;
    plShapeError error = {0};
    load(plPatches_Torus(0.3, 0.1, NULL, &patches, &error), &error);
    const plShapeDef surface = surfaceOf(&patches);
    plJointDef joints[2] = {guide(pl_guideSphere, 0.1, NULL), guide(pl_guidePatches, 0, &surface)};
    joints[0].frameB.p = plVec(0.3, 0, 0);
    const plJointedBodyDef body = bead(plVec(0.4, 0, 0), plVec(0, 0, 0));
    checkRun("torus", compare(&body, joints, 2));
    // From the horizontal: T = 4 sqrt(l/g) K(1/sqrt 2)
    plWorld* w = makeWorld(down, 2);
    const plMechanismId id = addJointed(w, "bead", &body, 1, &joints[1], 1);
    const double period = 4 * sqrt(0.1 / 9.81) * 1.8540746773013719;
    const double T = period / 4 / 160;
    for (int k = 0; k < 160; ++k) plWorld_Step(w, T); // a quarter: straight below the tube's middle
    const plVec3 p = plGet3(stateOf(w, id).q);
    print_message("torus: %.1e m beside the lowest place after a quarter of %.6f s\n", p.x - 0.3,
                  period);
    // 160 steps of a method of order four: measured, and 16 times less with half the step
    checkNear("below", p.x, 0.3, 1e-9);
    checkNear("depth", p.z, -0.1, 1e-12);
    plWorld_Destroy(w);
    plPatches_Free(&patches);
}

static void shortestWayRoundATorusIsItsEquator(void** state)
{
    (void)state;
    plPatches patches;
    plShapeError error = {0};
    load(plPatches_Torus(0.3, 0.1, NULL, &patches, &error), &error);
    const plShapeDef surface = surfaceOf(&patches);
    const plJointDef joint = guide(pl_guidePatches, 0, &surface);
    const plJointedBodyDef body = bead(plVec(0.4, 0, 0), plVec(0, 1, 0));
    plWorld* w = makeWorld(plVec(0, 0, 0), 2);
    const plMechanismId id = addJointed(w, "bead", &body, 1, &joint, 1);
    for (int k = 0; k < 3000; ++k) plWorld_Step(w, 1e-3);
    double force[6];
    const plVec3 p = plGet3(stateOf(w, id).q);
    const double angle = 3 / 0.4; // of 1 m/s for 3 s
    checkOk(w, plWorld_JointForce(w, id, 0, force));
    print_message("equator: %.1e m beside, holds %.9f N\n",
                  plNorm(plSub(p, plVec(0.4 * cos(angle), 0.4 * sin(angle), 0))),
                  plNorm(plGet3(force)));
    checkNear("x", p.x, 0.4 * cos(angle), 1e-9);
    checkNear("y", p.y, 0.4 * sin(angle), 1e-9);
    checkNear("m v^2/r", plNorm(plGet3(force)), 0.05 / 0.4, 1e-9);
    plWorld_Destroy(w);
    plPatches_Free(&patches);
}

static void loadTeapot(plPatches* pot)
{
    plShapeError error = {0};
    load(plPatches_Load("scenes/teapot.bpt", 0.02, NULL, pot, &error), &error);
}

/// About where the body is widest; it is put onto it.
static plMechanismId addTeapotBead(plWorld* w, const plPatches* pot, plVec3 velocity)
{
    const plShapeDef surface = surfaceOf(pot);
    const plJointDef joint = guide(pl_guidePatches, 0, &surface);
    const plJointedBodyDef body = bead(plVec(0.0282, 0.0283, 0.018), velocity);
    return addJointed(w, "bead", &body, 1, &joint, 1);
}

typedef struct {
    double open, rate, drift, residual, lo, hi, turns;
} Slide;

static Slide slideFor(plVec3 gravity, plVec3 velocity, double seconds, double T)
{
    plPatches pot;
    plWorld* w = makeWorld(gravity, 2);
    Slide s = {.lo = 1, .hi = -1};
    loadTeapot(&pot);
    const plMechanismId id = addTeapotBead(w, &pot, velocity);
    const double E0 = energyOf(w);
    plVec3 last = plGet3(stateOf(w, id).q);
    for (int k = 0; k < (int)(seconds / T + 0.5); ++k) {
        plWorld_Step(w, T);
        const plVec3 p = plGet3(stateOf(w, id).q);
        s.open = fmax(s.open, jointError(w, id));
        s.rate = fmax(s.rate, jointRate(w, id));
        s.drift = fmax(s.drift, fabs(energyOf(w) - E0));
        s.lo = fmin(s.lo, p.z), s.hi = fmax(s.hi, p.z);
        s.turns += atan2(last.x * p.y - last.y * p.x, last.x * p.x + last.y * p.y) / (2 * PL_PI);
        last = p;
    }
    s.residual = plWorld_Ledger(w).worst;
    assert_int_equal(plWorld_Report(w).trouble, 0);
    print_message("T %.2e s: z %.4f to %.4f m, %.1f turns, |c| %.1e, |c'| %.1e, dE %.1e J of "
                  "%.1e\n",
                  T, s.lo, s.hi, s.turns, s.open, s.rate, s.drift,
                  0.5 * 0.05 * plDot(velocity, velocity));
    plWorld_Destroy(w);
    plPatches_Free(&pot);
    return s;
}

// Round and round over the seams between the four quarters, and between the upper and the lower body.
static void beadSlidesOnTheBodyOfTheTeapotAndKeepsItsEnergy(void** state)
{
    (void)state;
    const Slide slides[2] = {slideFor(plVec(0, 0, -1), plVec(-0.15, 0.15, 0), 10, 1e-3),
                             slideFor(plVec(0, 0, 0), plVec(-0.15, 0.15, 0.05), 10, 1e-3)};
    for (int i = 0; i < 2; ++i) {
        checkAtMost("|c|", slides[i].open, 1e-12);
        checkAtMost("|c'|", slides[i].rate, 1e-11);
        checkAtMost("dE", slides[i].drift, 1e-8);
        checkAtMost("residual", slides[i].residual, 1e-14);
        assert_true(fabs(slides[i].turns) > 5);
    }
    assert_true(slides[1].lo < 0.017 && slides[1].hi > 0.019); // the seam is at 0.018
}

// At the foot of the body the radius of curvature jumps from 3 mm to that of the bottom: the step that
// goes over it is no longer one of order four. What is lost or won there falls with the step.
static void jumpOfCurvatureCostsOrderAndNoMore(void** state)
{
    (void)state;
    const plVec3 velocity = {-0.15, 0.15, 0.1};
    const Slide coarse = slideFor(plVec(0, 0, -1), velocity, 10, 1e-3);
    const Slide fine = slideFor(plVec(0, 0, -1), velocity, 10, 1.25e-4);
    assert_true(coarse.lo < 0.003); // it was on the bottom
    checkAtMost("|c|", fmax(coarse.open, fine.open), 1e-12);
    checkAtMost("residual", coarse.residual, 1e-14); // the account knows of it
    checkAtMost("dE", coarse.drift, 2e-5);
    checkAtMost("dE of an eighth of the step", fine.drift, coarse.drift / 16);
}

static void savedBeadGoesOnToTheLastBit(void** state)
{
    (void)state;
    plPatches pot;
    loadTeapot(&pot);
    plWorld* w = makeWorld(plVec(0, 0, -1), 2);
    const plMechanismId id = addTeapotBead(w, &pot, plVec(-0.15, 0.15, 0.1));
    const size_t size = plWorld_SnapshotSize(w);
    void* saved = malloc(size);
    assert_non_null(saved);
    for (int k = 0; k < 300; ++k) plWorld_Step(w, 1e-3);
    plWorld_Save(w, saved);
    for (int k = 0; k < 500; ++k) plWorld_Step(w, 1e-3);
    const uint64_t hash = plWorld_Hash(w);
    double error, rate;
    checkOk(w, plWorld_Restore(w, saved, size));
    for (int k = 0; k < 500; ++k) {
        plWorld_Step(w, 1e-3);
        plWorld_JointError(w, id, &error, &rate); // asking changes nothing
    }
    assert_true(plWorld_Hash(w) == hash);
    free(saved);
    plWorld_Destroy(w);
    plPatches_Free(&pot);
}

// A flat sheet ends; what slides over its edge goes on in its plane.
static void pastAnOpenEdgeTheSurfaceGoesOnStraight(void** state)
{
    (void)state;
    const double knots[4] = {0, 0, 1, 1};
    const plVec3 corners[4] = {{-0.1, -0.1, 0}, {-0.1, 0.1, 0}, {0.1, -0.1, 0}, {0.1, 0.1, 0}};
    const plPatchDef sheet = {.degreeU = 1,
                              .degreeV = 1,
                              .countU = 2,
                              .countV = 2,
                              .knotsU = knots,
                              .knotsV = knots,
                              .points = corners};
    plShapeDef surface = plDefaultShapeDef(pl_shapeNurbs);
    surface.patches = &sheet;
    surface.patchCount = 1;
    const plJointDef joint = guide(pl_guidePatches, 0, &surface);
    const plJointedBodyDef body = bead(plVec(0, 0.02, 0), plVec(0.3, 0.1, 0));
    plWorld* w = makeWorld(down, 2);
    const plMechanismId id = addJointed(w, "bead", &body, 1, &joint, 1);
    for (int k = 0; k < 1000; ++k) plWorld_Step(w, 1e-3);
    const plVec3 p = plGet3(stateOf(w, id).q);
    checkNear("x", p.x, 0.3, 1e-12);
    checkNear("y", p.y, 0.12, 1e-12);
    checkNear("z", p.z, 0, 1e-12);
    plWorld_Destroy(w);
}

static void badGuidesAreRefusedWithASentence(void** state)
{
    (void)state;
    plPatches patches;
    plShapeError error = {0};
    load(plPatches_Sphere(0.3, NULL, &patches, &error), &error);
    plShapeDef surface = surfaceOf(&patches);
    plWorld* w = makeWorld(down, 2);
    plJointedBodyDef body = bead(plVec(0.3, 0, 0), plVec(0, 0, 0));
    plJointDef joint = guide(pl_guidePatches, 0, NULL);
    plJointedDef d = plDefaultJointedDef();
    plMechanismId id;
    d.name = "bad", d.bodies = &body, d.bodyCount = 1, d.joints = &joint, d.jointCount = 1;
    assert_int_equal(plWorld_AddJointed(w, &d, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "surface"));
    joint.surface = &surface;
    body.pose.p.x = 0.28; // two hundredths of 1 m, and the surface has 1.04 m from corner to corner
    assert_int_equal(plWorld_AddJointed(w, &d, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "apart"));
    body.pose.p.x = 0.3;
    surface.patchCount = 0;
    assert_int_equal(plWorld_AddJointed(w, &d, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "patches"));
    surface.patchCount = patches.count;
    body.pose.p.x = 0.295; // near enough: it is put onto the surface
    checkOk(w, plWorld_AddJointed(w, &d, &id));
    checkNear("x", stateOf(w, id).q[0], 0.3, 1e-14);
    plWorld_Destroy(w);
    plPatches_Free(&patches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patchesOfASphereAreTheSphere),
        cmocka_unit_test(pointGoesThroughPoles),
        cmocka_unit_test(patchesOfACylinderAreTheCylinder),
        cmocka_unit_test(meridianOfATorusIsAPendulum),
        cmocka_unit_test(shortestWayRoundATorusIsItsEquator),
        cmocka_unit_test(beadSlidesOnTheBodyOfTheTeapotAndKeepsItsEnergy),
        cmocka_unit_test(jumpOfCurvatureCostsOrderAndNoMore),
        cmocka_unit_test(savedBeadGoesOnToTheLastBit),
        cmocka_unit_test(pastAnOpenEdgeTheSurfaceGoesOnStraight),
        cmocka_unit_test(badGuidesAreRefusedWithASentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
