// An arm in generalized coordinates against a wall: contacts whose W is not symmetric. (pmi spec 6)
#include "law_problems.h"
#include "math/math.h"
#include "world/inside.h"

// The end of a link is a ball this small, and the wall as much further away [m].
static const double tip = 1e-6;

enum { mostLinks = 3 };

typedef struct {
    int links;
    double length, mass, stiffness; ///< of each link [m, kg, N m/rad]
    double start[mostLinks];        ///< [rad]
    double wall;                    ///< x [m]
    plLawName law;
    plBias bias;
    double mu;
    plRoute route;
    plCoefficients coefficients;
} Arm;

// The base arm of the spec.
static Arm baseArm(plLawName law, plBias bias, double mu)
{
    return (Arm){.links = 2,
                 .length = 1,
                 .mass = 1,
                 .stiffness = 10,
                 .start = {1, -0.5},
                 .wall = 1.9,
                 .law = law,
                 .bias = bias,
                 .mu = mu};
}

static plMechanismId addLinks(plWorld* world, const Arm* arm)
{
    plChainBodyDef bodies[mostLinks];
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    for (int i = 0; i < arm->links; ++i) {
        bodies[i] = rod(partName(i), i - 1, arm->length, arm->mass);
        bodies[i].stiffness = arm->stiffness;
        bodies[i].position[0] = arm->start[i];
    }
    def.name = "arm";
    def.bodies = bodies;
    def.bodyCount = arm->links;
    def.route = arm->route;
    def.coefficients = arm->coefficients;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return id;
}

static plWorld* armWorld(const Arm* arm, plMechanismId* id)
{
    plWorldDef def = plDefaultWorldDef();
    plPartShapeDef wall = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef end = plDefaultPartShapeDef(pl_shapeSphere);
    plWorld* world;
    plShapeId shape;
    def.gravity = plVec(0, 0, 0);
    def.planar = true;
    def.contact.law = arm->law;
    def.contact.bias = arm->bias;
    def.contact.surface.friction = arm->mu;
    def.contact.driftRate = 0;
    checkOk(NULL, plWorld_Create(&def, &world));
    *id = addLinks(world, arm);
    wall.shape.normal = plVec(-1, 0, 0);
    wall.shape.frame.p.x = arm->wall + tip;
    checkOk(world, plWorld_AddShape(world, &wall, &shape));
    for (int i = 0; i < arm->links; ++i) {
        end.mechanism = *id;
        end.part = i;
        end.shape.radius = tip;
        end.shape.frame.p = plVec(arm->length, 0, 0);
        checkOk(world, plWorld_AddShape(world, &end, &shape));
    }
    return world;
}

// ---------------------------------------------------------------------------------- the table

static void firstContactIsThatOfTheTable(void** unused)
{
    (void)unused;
    static const struct {
        const char* what;
        plRoute route;
        plCoefficients coefficients;
        plBias bias;
        double mu, force, dE;
    } rows[] = {
        {"elastic, square root as printed", pl_routeSquareRoot, pl_coefficientsFrozen,
         pl_biasElastic, 0.3, 9649.607406, 0},
        {"elastic, Cholesky as printed", pl_routeCholesky, pl_coefficientsFrozen, pl_biasElastic,
         0.3, 9649.345576, 0},
        {"elastic, Cholesky, predicted", pl_routeCholesky, pl_coefficientsPredicted, pl_biasElastic,
         0.3, 9664.341291, 0},
        {"elastic, no friction", pl_routeCholesky, pl_coefficientsPredicted, pl_biasElastic, 0,
         6450.966028, 0},
        {"plastic", pl_routeCholesky, pl_coefficientsPredicted, pl_biasPlastic, 0.3, 4846.802359,
         -3.8874153},
        {"one-sided", pl_routeCholesky, pl_coefficientsPredicted, pl_biasOneSided, 0.3, 4846.802359,
         -3.8874153},
    };
    for (int i = 0; i < 2 * PL_COUNT(rows); ++i) {
        const int r = i / 2;
        Arm arm = baseArm(i % 2 ? pl_lawCone : pl_lawLcp, rows[r].bias, rows[r].mu);
        arm.route = rows[r].route;
        arm.coefficients = rows[r].coefficients;
        plMechanismId id;
        plContactInfo c;
        plWorld* w = armWorld(&arm, &id);
        for (int k = 0; k < 657; ++k) plWorld_Step(w, 1e-3);
        assert_int_equal(plWorld_ContactCount(w), 0);
        const double before = energyOf(w);
        plWorld_Step(w, 1e-3);
        assert_int_equal(plWorld_ContactCount(w), 1);
        checkOk(w, plWorld_Contact(w, 0, &c));
        print_message("%s, %s: %.6f N, dE %.8f J\n", plLawName_Name((int)arm.law), rows[r].what,
                      -c.force.x, energyOf(w) - before);
        // digits of the table; the ball's surface lies 1e-6 of the arm in front of the end
        checkNear(rows[r].what, -c.force.x, rows[r].force, 1e-6 * rows[r].force);
        checkNear("dE [J]", energyOf(w) - before, rows[r].dE, rows[r].dE == 0 ? 1e-13 : 1e-6);
        plWorld_Destroy(w);
    }
}

// ------------------------------------------------------------------------------------ energies

// Way of the point of a contact by its Jacobian at q, and dq: the mean velocity of the step is
// dq/T, whatever the coefficients. Joints turn about z.
static plVec3 wayOf(const Arm* arm, plSite site, const double* q, const double* dq)
{
    plVec3 joints[mostLinks], at = {0, 0, 0}, way = {0, 0, 0};
    double angle = 0;
    for (int i = 0; i <= site.part; ++i) {
        joints[i] = at;
        angle += q[i];
        const plVec3 along = plVec(cos(angle), sin(angle), 0);
        at = plAddScaled(at, arm->length, along);
    }
    const plMat3 R = plRotation(plRotor(plVec(0, 0, 1), angle));
    const plVec3 p = plAdd(joints[site.part], plMul(&R, site.point));
    for (int i = 0; i <= site.part; ++i) {
        way = plAddScaled(way, dq[i], plCross(plVec(0, 0, 1), plSub(p, joints[i])));
    }
    return way;
}

typedef struct {
    Bench bench;
    double asymmetry; ///< of W, relative
    double residual;  ///< of the law alone, by the judge
    double raw;       ///< largest work of the law alone [J]
    const plLaw* law;
    int pairs; ///< spaces of more than one contact
} Witness;

static double asymmetryOf(const plSpace* s)
{
    const int n = plSpace_Rows(s);
    double most = 0, size = 0;
    for (int i = 0; i < n * n; ++i) {
        most = fmax(most, fabs(s->W[i] - s->W[i % n * n + i / n]));
        size = fmax(size, fabs(s->W[i]));
    }
    return most / size;
}

static void meetSpace(void* self, const plSpace* s)
{
    Witness* x = self;
    Bench* b = &x->bench;
    double u[3 * 16], work = 0;
    runLaw(x->law, s, 0, b);
    plSpace_Apply(s, b->p, u);
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        work += 0.5 * b->p[i] * (s->uStart[i] + s->uFree[i] + u[i]);
    }
    const bool cone = x->law == &plConeLaw;
    x->residual = fmax(x->residual, cone ? plJudge_Natural(s, b->q, b->p)
                                         : plJudge_Lcp(b->work.lcp.M, b->work.lcp.n, b->work.lcp.q,
                                                       b->work.lcp.z));
    x->raw = fmax(x->raw, work);
    x->asymmetry = fmax(x->asymmetry, asymmetryOf(s));
    x->pairs += s->count > 1;
}

typedef struct {
    double gain;     ///< largest change of the energy in a step with contact, over E0
    double identity; ///< largest |dE - f.J dq|/E0
    double normal;   ///< largest |work along the normals|/E0
    double cone;     ///< largest |f_t| - mu f_n, over the largest f_n
    double end;      ///< E/E0
    int contacts, slides;
} Course;

static void addContacts(const plWorld* w, const Arm* arm, const double* q, const double* dq,
                        Course* c, double* work)
{
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo info;
        checkOk(w, plWorld_Contact(w, i, &info));
        const plVec3 way = wayOf(arm, info.a, q, dq);
        const double n = -info.force.x, t = fabs(info.force.y);
        *work += plDot(info.force, way);
        c->normal = fmax(c->normal, fabs(info.force.x * way.x));
        c->cone = fmax(c->cone, n > 0 ? (t - arm->mu * n) / n : t);
        c->slides += n > 0 && fabs(info.force.y * way.y) > 1e-9 * fabs(n * way.y) &&
                     t > (1 - 1e-9) * arm->mu * n;
        ++c->contacts;
    }
}

static Course follow(const Arm* arm, double T, double time, Witness* witness)
{
    plMechanismId id;
    plWorld* w = armWorld(arm, &id);
    const double E0 = energyOf(w);
    Course c = {.gain = -INFINITY};
    double E = E0, q0[mostLinks], q1[mostLinks];
    if (witness) w->meet = meetSpace, w->meetSelf = witness;
    checkOk(w, plWorld_State(w, id, q0, NULL));
    for (int k = 0; k < (int)lround(time / T); ++k) {
        double dq[mostLinks], work = 0;
        plWorld_Step(w, T);
        checkOk(w, plWorld_State(w, id, q1, NULL));
        for (int i = 0; i < arm->links; ++i) dq[i] = q1[i] - q0[i];
        addContacts(w, arm, q0, dq, &c, &work);
        if (plWorld_ContactCount(w) > 0) c.gain = fmax(c.gain, (energyOf(w) - E) / E0);
        c.identity = fmax(c.identity, fabs(energyOf(w) - E - work) / E0);
        E = energyOf(w);
        memcpy(q0, q1, sizeof q0);
    }
    c.normal /= E0;
    c.end = E / E0;
    assert_int_equal(plWorld_Report(w).trouble & (pl_troubleNotFinite | pl_troubleLaw), 0);
    plWorld_Destroy(w);
    return c;
}

// With a printed bias the law is met once, at the start of the step: the world scales away what contacts would give.
// With the gap it is met at the end, and what a step at rest has created (1e-10 of the energies at both its ends,
// plGuard_Tolerance) may have no velocity to be taken from.
static void checkGain(plBias bias, const Course* c)
{
    checkAtMost("gain over E0", c->gain, bias == pl_biasGap ? 2e-10 : 1e-12);    // the bar
    if (bias != pl_biasGap) checkAtMost("identity over E0", c->identity, 1e-12); // the bar
}

// A step changes the energy by T f.J V^, and by nothing else: elastic contacts work along tangents
// only, that is -T mu lam_f.lam_n.
static void stepsLoseWhatTheContactsTake(void** unused)
{
    (void)unused;
    static const double mus[3] = {0.3, 0.05, 0};
    for (int i = 0; i < 2 * 3 * pl_biasCount; ++i) {
        const plBias bias = (plBias)(i / 6);
        const Arm arm = baseArm(i % 2 ? pl_lawCone : pl_lawLcp, bias, mus[i / 2 % 3]);
        const Course c = follow(&arm, 1e-3, 5, NULL);
        print_message("%s, %s, mu %.2f: %d contacts, %d slide, gain %.1e, identity %.1e, E/E0 "
                      "%.6f\n",
                      plLawName_Name((int)arm.law), plBias_Name((int)bias), arm.mu, c.contacts,
                      c.slides, c.gain, c.identity, c.end);
        checkAtMost("steps with contact, at least one", 1, c.contacts);
        checkGain(bias, &c);
        checkAtMost("outside its cone", c.cone, 1e-9); // of the solvers
        if (bias != pl_biasElastic) continue;
        checkAtMost("work along normals over E0", c.normal, 1e-12); // the bar
        if (arm.mu == 0) checkNear("E/E0", c.end, 1, 1e-13);        // 7e-14 J of 6.25 J, and ours
    }
}

// Light arms that hit with two and three ends at once, at random.
static void lightArmsNeverGainThoughTheirSpacesAreNotSymmetric(void** unused)
{
    (void)unused;
    plRng rng = plRng_Seed(43);
    double asymmetry = 0, residual[2] = {0, 0}, raw[2][pl_biasCount] = {{0}}, gain = -INFINITY;
    double identity = 0;
    int pairs = 0;
    for (int run = 0; run < sized(60, 600); ++run) {
        Arm arm = {.links = 3, .length = 0.1, .mass = 1e-3, .stiffness = 0.02};
        arm.law = run % 2 ? pl_lawCone : pl_lawLcp;
        arm.bias = (plBias)(run / 2 % pl_biasCount);
        arm.mu = plRng_Uniform(&rng, 0, 1);
        arm.wall = plRng_Uniform(&rng, 0.08, 0.2);
        for (int i = 0; i < 3; ++i) arm.start[i] = plRng_Uniform(&rng, 0.5, 1.5);
        Witness witness = {.bench = makeBench(3, 16, 8), .law = run % 2 ? &plConeLaw : &plLcpLaw};
        const Course c = follow(&arm, run % 4 < 2 ? 1e-3 : 1. / 300, 2, &witness);
        gain = fmax(gain, c.gain);
        if (arm.bias != pl_biasGap) identity = fmax(identity, c.identity);
        checkGain(arm.bias, &c);
        asymmetry = fmax(asymmetry, witness.asymmetry);
        residual[run % 2] = fmax(residual[run % 2], witness.residual);
        raw[run % 2][arm.bias] = fmax(raw[run % 2][arm.bias], witness.raw);
        pairs += witness.pairs;
        freeBench(&witness.bench);
    }
    print_message("light arms: asymmetry of W up to %.2g, %d spaces of several contacts, residual "
                  "%.1e (lcp) %.1e (cone)\n",
                  asymmetry, pairs, residual[0], residual[1]);
    for (int k = 0; k < 2; ++k) {
        print_message(
            "  %s alone creates up to %.1e J (one-sided), %.1e (elastic), %.1e (plastic)\n",
            k ? "cone" : "lcp", raw[k][pl_biasOneSided], raw[k][pl_biasElastic],
            raw[k][pl_biasPlastic]);
    }
    print_message("  the world %.1e of E0, identity %.1e\n", gain, identity);
    // lam >= 0 and c <= 0: of pyramids only the printed plastic law creates energy   (pmi spec 4.3)
    checkAtMost("one-sided lcp alone [J]", raw[0][pl_biasOneSided], 1e-14);
    checkAtMost("elastic lcp alone [J]", raw[0][pl_biasElastic], 1e-14);
    checkAtMost("1e-6 J, against the plastic lcp alone", 1e-6, raw[0][pl_biasPlastic]);
    checkAtMost("1e-3, against the asymmetry", 1e-3, asymmetry);
    checkAtMost("one space of several contacts, at least", 1, pairs);
    checkAtMost("residual of lcp", residual[0], 1e-9); // the bar
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(firstContactIsThatOfTheTable),
        cmocka_unit_test(stepsLoseWhatTheContactsTake),
        cmocka_unit_test(lightArmsNeverGainThoughTheirSpacesAreNotSymmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
