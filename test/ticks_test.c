// The measures of ticks.h, on cases that are known: gaps of rigid links, depth, energy that rises.
#include "ticks.h"

static Scene scene;

static int startWithBody(plIntegrator integrator)
{
    const plWorldDef def = plDefaultWorldDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    scene = (Scene){.rate = 1000};
    createScene(&scene, &def);
    body.integrator = integrator;
    body.inertia = diagonal(0.01, 0.02, 0.025);
    return addBodyOf(&scene, body);
}

static void place(int body, plVec3 x, plQuat q)
{
    const double list[7] = {x.x, x.y, x.z, q.w, q.x, q.y, q.z}, none[6] = {0};
    checkOk(scene.world, plWorld_SetState(scene.world, scene.ids[body], list, none));
}

static plLinkDef rigidLink(int body)
{
    plLinkDef def = plDefaultLinkDef();
    def.a.mechanism = scene.ids[body];
    def.stiffness = def.turnStiffness = INFINITY;
    return def;
}

// The gap of a link to the ground, when its body has moved.
static double gapAfter(plLinkDef def, int body, plVec3 x, plQuat q)
{
    place(body, plVec(0, 0, 0), (plQuat){1, 0, 0, 0});
    const int index = scene.linkCount;
    addLinkOf(&scene, def);
    place(body, x, q);
    return gapOfLink(scene.world, &scene.links[index]);
}

static void gapsOfLinksAreThoseOfTheirMotion(void** unused)
{
    (void)unused;
    const int body = startWithBody(pl_integratorMidpoint);
    const plVec3 o = plVec(0, 0, 0), z = plVec(0, 0, 1), x = plVec(1, 0, 0);
    const plQuat still = {1, 0, 0, 0}, aboutZ = plExp(plVec(0, 0, 0.5)),
                 aboutX = plExp(plVec(0.3, 0, 0));
    const plQuat off = plExp(plVec(0, 0.02, 0));
    plLinkDef ball = rigidLink(body), slide = ball, rod = ball, fixed = ball, hinge, universal;
    slide.slide = x;
    rod.b.point = plVec(-0.1, 0, 0);
    rod.distance = 0.1;
    fixed.turns = true;
    hinge = fixed;
    hinge.hinge = z;
    universal = hinge;
    universal.cross = x;
    checkNear("ball", gapAfter(ball, body, plVec(3e-3, 0, 4e-3), aboutZ), 5e-3, 1e-15);
    checkNear("slide", gapAfter(slide, body, plVec(7e-3, 3e-3, 4e-3), aboutZ), 5e-3, 1e-15);
    checkNear("distance", gapAfter(rod, body, plVec(2e-3, 0, 0), aboutZ), 2e-3, 1e-15);
    checkNear("fixed", gapAfter(fixed, body, o, aboutX), 0.3, 1e-15);
    checkNear("hinge, about it", gapAfter(hinge, body, o, aboutZ), 0, 1e-15);
    checkNear("hinge, across it", gapAfter(hinge, body, o, off), 0.02, 1e-15);
    checkNear("universal, about both", gapAfter(universal, body, o, plQuatMul(aboutZ, aboutX)), 0,
              1e-15);
    checkNear("universal, across both", gapAfter(universal, body, o, off), 0.02, 1e-15);
    checkNear("closed", gapAfter(fixed, body, o, still), 0, 1e-15);
    plWorld_Destroy(scene.world);
}

static void depthIsThatOfTheDeepestPair(void** unused)
{
    (void)unused;
    const int body = startWithBody(pl_integratorMidpoint);
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    box.shape.half = plVec(0.1, 0.2, 0.3);
    box.mechanism = scene.ids[body];
    addShapeOf(&scene, box);
    addWallAt(&scene, plVec(0, 0, 1), plVec(0, 0, 0));
    addWallAt(&scene, plVec(1, 0, 0), plVec(-0.5, 0, 0));
    const uint64_t before = stateHash(scene.world);
    place(body, plVec(0, 0, 0.31), (plQuat){1, 0, 0, 0});
    checkNear("apart", depthOf(scene.world, NULL), 0, 0);
    assert_true(stateHash(scene.world) != before);
    place(body, plVec(-0.42, 0, 0.29), (plQuat){1, 0, 0, 0});
    checkNear("in both walls", depthOf(scene.world, NULL), 0.02, 1e-15);
    plWorld_Destroy(scene.world);
}

// Explicit Euler gains energy in every tick, the passive midpoint in none.
static double riseOf(plIntegrator integrator)
{
    plLinkDef spring = plDefaultLinkDef();
    const int body = startWithBody(integrator);
    spring.a.mechanism = scene.ids[body];
    spring.b.point = plVec(0.1, 0, 0);
    spring.stiffness = 1e4;
    addLinkOf(&scene, spring);
    Watch watch = watchOf(scene.world, 0);
    for (int i = 0; i < 100; ++i) {
        watchStep(scene.world, 1e-3, &watch);
        watchBooks(scene.world, &watch);
    }
    checkAtMost("kinetic energy of the ledger", watch.books, 1e-15);
    plWorld_Destroy(scene.world);
    return watch.rise;
}

static void energyThatRisesIsSeen(void** unused)
{
    (void)unused;
    const double explicit = riseOf(pl_integratorExplicit), midpoint = riseOf(pl_integratorMidpoint);
    print_message("rise in a tick: explicit %.2g, midpoint %.2g of the scale\n", explicit,
                  midpoint);
    assert_true(explicit > 1e-4);
    checkAtMost("midpoint", midpoint, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gapsOfLinksAreThoseOfTheirMotion),
        cmocka_unit_test(depthIsThatOfTheDeepestPair),
        cmocka_unit_test(energyThatRisesIsSeen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
