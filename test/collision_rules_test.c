// Rules of the law `impulse` beyond equality and complementarity, in worlds: Poisson's for contacts of
// different restitution, collisions with friction, and collisions of all that touches.
#include "collisions.h"

static const double T = 1e-6; // what comes after the collision changes nothing

static plWorldDef strikeDef(void)
{
    plWorldDef def = plDefaultWorldDef();
    def.gravity = (plVec3){0};
    def.contact.law = pl_lawImpulse;
    def.contact.surface.stiffness = 0;
    def.contact.surface.damping = 0;
    return def;
}

// --- a ball that strikes the floor

typedef struct {
    double e, mu, down, along, spin; ///< speed down, along x, spin about y
} Strike;

// A solid ball: what is pressed on it at its foot moves its centre by 2/7 of what the foot slips.
static void expectBall(const Strike* s, const double v[6])
{
    const double r = 0.05, p = (1 + s->e) * s->down, slip = s->along - r * s->spin;
    const double stick = fabs(slip) * 2 / 7, rub = fmin(s->mu * p, stick);
    const double gain = slip > 0 ? -rub : rub;
    checkNear("up", v[2], s->e * s->down, 1e-9);
    checkNear("along", v[0], s->along + gain, 1e-8);
    checkNear("spin", v[4], s->spin - 2.5 / r * gain, 1e-6);
}

static void strikeBall(const Strike* s, bool held)
{
    const double r = 0.05, mass = 0.3;
    plWorldDef def = strikeDef();
    plAssemblyDef ball = plDefaultAssemblyDef();
    plMechanismId id;
    double v[6];
    def.contact.surface.restitution = s->e;
    def.contact.surface.friction = s->mu;
    def.contact.collisionFriction = true;
    def.contact.heldPulses = held;
    plWorld* w = create(&def);
    ball.name = "ball";
    ball.mass = mass;
    ball.inertia = diagonal(0.4 * mass * r * r, 0.4 * mass * r * r, 0.4 * mass * r * r);
    ball.pose.p = plVec(0, 0, r - 1e-9);
    ball.velocity = plVec(s->along, 0, -s->down);
    ball.spin = plVec(0, s->spin, 0);
    checkOk(w, plWorld_AddAssembly(w, &ball, &id));
    addPlane(w, plVec(0, 0, 0), plVec(0, 0, 1));
    addBall(w, id, 0, plVec(0, 0, 0), r);
    const double before = plWorld_Ledger(w).kinetic;
    plWorld_Step(w, T);
    checkOk(w, plWorld_State(w, id, NULL, v));
    expectBall(s, v);
    const plAccount a = plWorld_Ledger(w);
    checkAtMost("energy", a.kinetic, before * (1 + 1e-12));
    checkNear("dissipated", plWorld_ContactLedger(w).dissipated, before - a.kinetic, 1e-9 * before);
    plWorld_Destroy(w);
}

static void ballsSlipOrStickByCoulomb(void** state)
{
    const Strike cases[] = {{0, 0.1, 1, 2, 0},   {0.5, 0.1, 1, 2, 0},  {1, 0.2, 0.7, 0, 40},
                            {0, 0.5, 1, 0.5, 0}, {0.3, 0.9, 1, -1, 5}, {0.5, 0, 1, 1, 30},
                            {1, 0.3, 2, 0, -9}};
    (void)state;
    for (int i = 0; i < 2 * PL_COUNT(cases); ++i) strikeBall(&cases[i / 2], i % 2);
}

// --- a bar that lands on two posts of their own restitution

enum { posts = 2 };

typedef struct {
    double x[posts], e[posts], down, spin; ///< places of the posts; speeds
} Landing;

static plWorld* landingWorld(const Landing* l, plCollision rule, bool all, plMechanismId* id)
{
    const double r = 0.01;
    plWorldDef def = strikeDef();
    plChainBodyDef bar = plDefaultChainBodyDef();
    plChainDef chain = plDefaultChainDef();
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    def.planar = true;
    def.contact.collision = rule;
    def.contact.touchingCollide = all;
    def.contact.surface.friction = 0;
    plWorld* w = create(&def);
    bar.name = chain.name = "bar";
    bar.joint = pl_jointPlanar;
    bar.mass = 1;
    bar.inertia = diagonal(0.02, 0.02, 0.02);
    bar.velocity[1] = -l->down;
    bar.velocity[2] = l->spin;
    chain.bodies = &bar;
    chain.bodyCount = 1;
    checkOk(w, plWorld_AddChain(w, &chain, id));
    box.mechanism = *id;
    box.shape.half = plVec(0.5, 0.02, 0.1);
    addShape(w, &box);
    for (int i = 0; i < posts; ++i) {
        plMaterialDef material = plDefaultMaterialDef();
        plPartShapeDef post = plDefaultPartShapeDef(pl_shapeSphere);
        material.name = i ? "right" : "left";
        material.surface = def.contact.surface;
        material.surface.restitution = l->e[i];
        checkOk(w, plWorld_AddMaterial(w, &material, &post.material));
        checkOk(w, plWorld_SetPair(w, post.material, (plMaterialId){0}, &material.surface));
        post.shape.radius = r;
        post.shape.frame.p = plVec(l->x[i], -0.02 - r + 1e-9, 0);
        addShape(w, &post);
    }
    return w;
}

// The closed form of two contacts that both push: compression c = -A^-1 v0, then (1 + e_i) c_i.
static void expectLanding(const Landing* l, const double v[3])
{
    const double v0[posts] = {-l->down + l->x[0] * l->spin, -l->down + l->x[1] * l->spin};
    const double A[3] = {1 + l->x[0] * l->x[0] / 0.02, 1 + l->x[0] * l->x[1] / 0.02,
                         1 + l->x[1] * l->x[1] / 0.02};
    const double det = A[0] * A[2] - A[1] * A[1];
    const double c[posts] = {(-v0[0] * A[2] + v0[1] * A[1]) / det,
                             (-v0[1] * A[0] + v0[0] * A[1]) / det};
    assert_true(c[0] > 0 && c[1] > 0);
    double up = -l->down, spin = l->spin;
    for (int i = 0; i < posts; ++i) {
        up += (1 + l->e[i]) * c[i];
        spin += (1 + l->e[i]) * c[i] * l->x[i] / 0.02;
    }
    for (int i = 0; i < posts; ++i) assert_true(up + l->x[i] * spin > -1e-12); // none closes again
    checkNear("up", v[1], up, 1e-9);
    checkNear("spin", v[2], spin, 1e-8);
}

static void poissonCountsTheRestitutionOfEachContact(void** state)
{
    const Landing cases[] = {{{-0.3, 0.3}, {0.5, 0.5}, 1, 0},
                             {{-0.1, 0.12}, {0.2, 0.6}, 1, 0.3},
                             {{-0.12, 0.1}, {0, 0.3}, 0.5, 0},
                             {{-0.3, 0.3}, {0, 0}, 1, 1}};
    (void)state;
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        plMechanismId id;
        double v[3];
        plWorld* w = landingWorld(&cases[i], pl_collisionPoisson, false, &id);
        const double before = plWorld_Ledger(w).kinetic;
        plWorld_Step(w, T);
        assert_int_equal(plWorld_ContactCount(w), 2);
        checkOk(w, plWorld_State(w, id, NULL, v));
        expectLanding(&cases[i], v);
        checkAtMost("energy", plWorld_Ledger(w).kinetic, before * (1 + 1e-12));
        plWorld_Destroy(w);
    }
}

// --- what touches and does not close

// One end of the bar closes, the other rests on its post, and would be struck through it: 0.3^2 > 0.02. With
// the post in the collision both ends stop.
static void whatTouchesTakesPart(void** state)
{
    const Landing l = {{-0.3, 0.3}, {0, 0}, 1, 1 / 0.3};
    (void)state;
    for (int all = 0; all < 2; ++all) {
        plMechanismId id;
        double v[3];
        plWorld* w = landingWorld(&l, pl_collisionEquality, all, &id);
        plWorld_Step(w, T);
        checkOk(w, plWorld_State(w, id, NULL, v));
        checkNear("end that strikes", v[1] - 0.3 * v[2], 0, 1e-9);
        // p = 2 (1 + 0.3^2/0.02)^-1 there, which turns the other end by p (1 - 0.3^2/0.02)
        const double other = all ? 0 : 2 / (1 + 4.5) * (1 - 4.5);
        checkNear("end that rests", v[1] + 0.3 * v[2], other, 1e-9);
        plWorld_Destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ballsSlipOrStickByCoulomb),
                                       cmocka_unit_test(poissonCountsTheRestitutionOfEachContact),
                                       cmocka_unit_test(whatTouchesTakesPart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
