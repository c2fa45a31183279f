// The energy ledger is honest: every entry comes from its own formula, the residual is round-off,
// and whatever is changed behind the ledger's back shows in the residual.         (pmi spec 1, 9)
//   letters  h = T sqrt(k/m); M, K, B mass, stiffness, damping
#include "mechanism/kind.h"
#include "world/inside.h"
#include "worlds.h"

#include <float.h>
#include <string.h>

static const plVec3 weightless = {0, 0, 0}, earth = {2, -9, -3};
static const double g = 9.7; // not less than its length [m/s^2]

// --- what integrators gain, by their own formulas

// Explicit gains h^2 E, implicit loses h^2 E/(1 + h^2), per step and exactly.
static void eulersGainTheirClosedForms(void** state)
{
    (void)state;
    const double hs[] = {0.01, 0.1, 1, 3.2};
    for (int i = 0; i < 2 * PL_COUNT(hs); ++i) {
        const double h = hs[i / 2], m = 0.3, T = 1e-3, k = m * (h / T) * (h / T);
        const plIntegrator integrator = i % 2 ? pl_integratorImplicit : pl_integratorExplicit;
        const double factor = i % 2 ? -h * h / (1 + h * h) : h * h;
        plWorld* world = makeWorld(weightless, 1);
        addOscillator(world, m, k, 0, integrator);
        for (int n = 0; n < 100; ++n) {
            const double expected = factor * energyOf(world);
            plWorld_ResetLedger(world);
            plWorld_Step(world, T);
            const plAccount a = plWorld_Ledger(world);
            // the bar of closed forms
            checkNear("integrator", a.integrator, expected, 1e-9 * fabs(expected));
            assert_true(a.leak == 0 && a.applied == 0 && a.dissipated == 0 && a.rows == 0);
        }
        plWorld_Destroy(world);
    }
}

enum { three = 3 };

static const double fullK[three * three] = {700, -200, 50, -200, 500, -100, 50, -100, 300};

// Three sliders in a row along x, each on the one before: M is full, too.
static plMechanismId addSliders(plWorld* world, plIntegrator integrator)
{
    plChainBodyDef bodies[three];
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    for (int i = 0; i < three; ++i) {
        bodies[i] = plDefaultChainBodyDef();
        bodies[i].name = (const char*[]){"a", "b", "c"}[i];
        bodies[i].parent = i - 1;
        bodies[i].joint = pl_jointPrismatic, bodies[i].axis = (plVec3){1, 0, 0};
        bodies[i].mass = 0.5 + 0.3 * i;
        bodies[i].position[0] = 0.1 - 0.07 * i;
        bodies[i].velocity[0] = 0.4 * i - 0.2;
    }
    def.name = "sliders";
    def.integrator = integrator;
    def.bodies = bodies, def.bodyCount = three;
    def.K = fullK;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return id;
}

static double form(const double* x, const double* A, const double* y)
{
    double sum = 0;
    for (int i = 0; i < three; ++i) sum += x[i] * plDotN(&A[i * three], y, three);
    return sum;
}

// T^2/2 (v K v + K q M^-1 K q): what one Euler step changes, at the state whose forces it takes.
static double eulerForm(const double* M, double T, const double* q, const double* v)
{
    double L[three * three], force[three], a[three];
    memcpy(L, M, sizeof L);
    assert_true(plChol_Factor(L, three));
    plMatVec(fullK, three, three, three, q, force);
    memcpy(a, force, sizeof a);
    plChol_Solve(L, three, a);
    return 0.5 * T * T * (form(v, fullK, v) + plDotN(force, a, three));
}

// Explicit: + the form at the start. Implicit: - the form at the end. Symplectic and semi-implicit:
// T/2 (v1 K q1 - v0 K q0). Midpoint: nothing.
static void slidersGainTheirQuadraticForms(void** state)
{
    (void)state;
    const double T = 5e-3;
    for (int i = 0; i < pl_integratorCount; ++i) {
        plWorld* world = makeWorld(weightless, 1);
        const plMechanismId id = addSliders(world, (plIntegrator)i);
        const double start = energyOf(world);
        double M[three * three], q0[three], v0[three], q1[three], v1[three];
        checkOk(world, plWorld_Inertia(world, id, M, NULL));
        for (int n = 0; n < 300; ++n) {
            const double before = energyOf(world);
            checkOk(world, plWorld_State(world, id, q0, v0));
            plWorld_ResetLedger(world);
            plWorld_Step(world, T);
            checkOk(world, plWorld_State(world, id, q1, v1));
            const double both = 0.5 * T * (form(v1, fullK, q1) - form(v0, fullK, q0));
            const double expected[pl_integratorCount] = {
                [pl_integratorExplicit] = eulerForm(M, T, q0, v0),
                [pl_integratorImplicit] = -eulerForm(M, T, q1, v1),
                [pl_integratorSymplectic] = both,
                [pl_integratorSemiImplicit] = both};
            const plAccount a = plWorld_Ledger(world);
            // the bar of closed forms, on the size of what is exchanged
            checkNear(plIntegrator_Name(i), a.integrator, expected[i], 1e-9 * T * before);
            checkNear("change", energyOf(world) - before, expected[i], 1e-11 * before);
            assert_true(a.leak == 0);
        }
        if (i == pl_integratorMidpoint) {
            checkNear("midpoint", energyOf(world) / start, 1, 1e-11); // the bar for midpoint
        }
        plWorld_Destroy(world);
    }
}

// --- the residual is round-off

enum { treeSize = 13 };

// B = A^T A with random A, positive semi-definite and full.
static void randomDamping(double* B)
{
    double A[treeSize * treeSize];
    plRng rng = plRng_Seed(1);
    for (int i = 0; i < treeSize * treeSize; ++i) A[i] = 0.05 * plRng_Normal(&rng);
    for (int i = 0; i < treeSize; ++i) {
        for (int j = 0; j < treeSize; ++j) {
            double sum = 0;
            for (int k = 0; k < treeSize; ++k) sum += A[k * treeSize + i] * A[k * treeSize + j];
            B[i * treeSize + j] = sum;
        }
    }
}

static plChainBodyDef treeBody(const char* name, int parent, plJoint joint, plVec3 at)
{
    plChainBodyDef b = plDefaultChainBodyDef();
    b.name = name;
    b.parent = parent;
    b.joint = joint;
    b.axis = (plVec3){0.3, 1, 0.2};
    b.frame.p = at;
    b.frame.q = plRotor(plVec(0.6, 0, 0.8), 0.4);
    b.mass = 0.7;
    b.center = (plVec3){0.1, 0.05, -0.2};
    b.inertia = diagonal(0.02, 0.03, 0.025);
    b.stiffness = 20, b.damping = 0.05;
    for (int i = 0; i < 6; ++i) b.velocity[i] = 0.8 - 0.3 * i;
    const int quat = joint == pl_jointFree ? 3 : 0;
    if (joint == pl_jointSpherical || joint == pl_jointFree) {
        plPut4(plRotor(plVec(0, 0.6, 0.8), 0.7), b.position + quat);
        plPut4(plRotor(plVec(1, 0, 0), 0.2), b.rest + quat);
    } else {
        b.position[0] = 0.2;
    }
    return b;
}

// Spherical root; on it a hinge, which carries a free body, and a planar joint.
static plMechanismId addTree(plWorld* world, plIntegrator integrator, plRoute route)
{
    const plChainBodyDef bodies[] = {
        treeBody("root", -1, pl_jointSpherical, plVec(0, 0, 0)),
        treeBody("hinge", 0, pl_jointRevolute, plVec(0.3, 0, -0.1)),
        treeBody("planar", 0, pl_jointPlanar, plVec(-0.2, 0.1, 0)),
        treeBody("free", 1, pl_jointFree, plVec(0.2, 0, 0.1)),
    };
    double B[treeSize * treeSize];
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    randomDamping(B);
    def.name = "tree";
    def.integrator = integrator, def.route = route;
    def.bodies = bodies, def.bodyCount = PL_COUNT(bodies);
    def.B = B;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return id;
}

static void addSineDrive(plWorld* world, plMechanismId id, int part)
{
    plDriveDef drive = plDefaultDriveDef();
    drive.site = (plSite){id, part, {0.1, 0.2, 0.3}};
    drive.wrench = (plWrench){{3, -2, 1}, {0.1, 0.2, -0.3}};
    drive.amplitude = 2, drive.frequency = 3;
    checkOk(world, plWorld_AddDrive(world, &drive));
}

// Every tick's residual, against the energies that the tick has to add up: kinetic and potential at
// both ends (of gravity, counted from the origin: m g times a reach of 1 m) and what flows.
static double worstResidual(plWorld* world, double weight, int steps, uint64_t seed)
{
    plRng rng = plRng_Seed(seed);
    double worst = 0;
    for (int i = 0; i < steps; ++i) {
        const plMechanismId id = plWorld_Mechanism(world, 0);
        const double before = plWorld_Ledger(world).kinetic + fabs(plWorld_Ledger(world).potential);
        checkOk(world, plWorld_ApplyEffort(world, id, 0, plRng_Normal(&rng)));
        plWorld_ResetLedger(world);
        plWorld_Step(world, plRng_Uniform(&rng, 5e-4, 5e-3));
        const plAccount a = plWorld_Ledger(world);
        const double flow = fabs(a.applied) + fabs(a.rows) + fabs(a.dissipated) +
                            fabs(a.integrator) + fabs(a.leak) + fabs(a.drift);
        const double scale = before + a.kinetic + fabs(a.potential) + weight + flow;
        worst = fmax(worst, fabs(a.residual) / scale);
        assert_int_equal(plWorld_Report(world).trouble & ~pl_troubleGuarded, 0);
        assert_true(a.residual == 0 || fabs(a.residual) == a.worst);
    }
    return worst;
}

static void residualOfChainsIsRoundOff(void** state)
{
    (void)state;
    for (int i = 0; i < 2 * pl_integratorCount; ++i) {
        const plIntegrator integrator = (plIntegrator)(i / 2);
        plWorld* world = makeWorld(earth, 2);
        const plMechanismId arm =
            addArm(world, integrator, (plRoute)(i % 2), pl_coefficientsPredicted);
        addSineDrive(world, arm, 1);
        // a few eps of the sum: each side of the balance is a sum of a dozen products
        checkAtMost("arm", worstResidual(world, 2 * g, sized(500, 20000), 1), 10 * DBL_EPSILON);
        plWorld_Destroy(world);

        world = makeWorld(earth, 2);
        const plMechanismId tree = addTree(world, integrator, (plRoute)(i % 2));
        addSineDrive(world, tree, 3);
        checkAtMost("tree", worstResidual(world, 2.8 * g, sized(200, 10000), 2), 10 * DBL_EPSILON);
        plWorld_Destroy(world);
    }
}

// An arm that holds a body by its tip, which hangs from the ground by another link.
static void addHeldBody(plWorld* world, plIntegrator integrator, plLinkForm form, bool turns)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    plLinkDef link;
    plMechanismId body;
    plLinkId id;
    const plMechanismId arm = addArm(world, integrator, pl_routeCholesky, pl_coefficientsPredicted);
    addSineDrive(world, arm, 0);
    def.name = "body";
    def.integrator = integrator;
    def.mass = 0.4;
    def.inertia = diagonal(0.02, 0.01, 0.015);
    def.pose.p = (plVec3){1.4, 1.3, 0.1}, def.spin = (plVec3){1, -0.5, 0.3};
    def.anchor =
        (plAnchor){.turnStiffness = 0.5, .turnDamping = 0.01, .anchor = {.q = {1, 0, 0, 0}}};
    checkOk(world, plWorld_AddAssembly(world, &def, &body));
    link = (plLinkDef){.name = "grip",
                       .a = {arm, 1, {1, 0, 0}},
                       .b = {body, 0, {0.1, 0, 0}},
                       .form = form,
                       .stiffness = 300,
                       .damping = 0.5,
                       .turns = turns,
                       .turnStiffness = 2,
                       .turnDamping = 0.01,
                       .rest = {1, 0, 0, 0}};
    checkOk(world, plWorld_AddLink(world, &link, &id));
    link.name = "string";
    link.turns = false, link.damping = 0;
    link.a = (plSite){body, 0, {0, 0.1, 0}};
    link.b = (plSite){.point = {1.5, 1.6, 0}};
    checkOk(world, plWorld_AddLink(world, &link, &id));
}

static void residualOfLinkedMechanismsIsRoundOff(void** state)
{
    (void)state;
    for (int i = 0; i < pl_integratorCount * pl_linkFormCount * 2; ++i) {
        const plIntegrator integrator = (plIntegrator)(i / 4);
        // only these two stay in bounds for long
        const bool stable =
            integrator == pl_integratorMidpoint || integrator == pl_integratorImplicit;
        const int steps = stable ? sized(200, 10000) : 200;
        plWorld* world = makeWorld(earth, 2);
        addHeldBody(world, integrator, (plLinkForm)(i / 2 % 2), i % 2);
        checkAtMost(plIntegrator_Name(i / 4), worstResidual(world, 3 * g, steps, 3),
                    10 * DBL_EPSILON);
        plWorld_Destroy(world);
    }
}

static void addEntries(plAccount* sum, const plAccount* a)
{
    sum->kinetic += a->kinetic;
    sum->potential += a->potential;
    sum->applied += a->applied;
    sum->rows += a->rows;
    sum->dissipated += a->dissipated;
    sum->integrator += a->integrator;
    sum->leak += a->leak;
    sum->drift += a->drift;
    sum->residual += a->residual;
}

static void ownersAddUpToTheTotal(void** state)
{
    (void)state;
    enum { steps = 200 };
    for (int i = 0; i < pl_integratorCount; ++i) {
        plWorld* world = makeWorld(earth, 2);
        plAccount sum = {0}, a;
        addHeldBody(world, (plIntegrator)i, pl_linkPassive, true);
        addTree(world, (plIntegrator)i, pl_routeCholesky);
        for (int k = 0; k < steps; ++k) plWorld_Step(world, 1e-3);
        for (int k = 0; k < plWorld_MechanismCount(world); ++k) {
            checkOk(world, plWorld_MechanismLedger(world, plWorld_Mechanism(world, k), &a));
            addEntries(&sum, &a);
        }
        for (int k = 0; k < plWorld_LinkCount(world); ++k) {
            checkOk(world, plWorld_LinkLedger(world, plWorld_Link(world, k), &a));
            addEntries(&sum, &a);
        }
        const plAccount total = plWorld_Ledger(world);
        // `steps` additions in another order
        const double slack = steps * DBL_EPSILON * (total.kinetic + fabs(total.potential) + 6 * g);
        checkNear("kinetic", sum.kinetic, total.kinetic, slack);
        checkNear("potential", sum.potential, total.potential, slack);
        checkNear("applied", sum.applied, total.applied, slack);
        checkNear("dissipated", sum.dissipated, total.dissipated, slack);
        checkNear("integrator", sum.integrator, total.integrator, slack);
        checkNear("leak", sum.leak, total.leak, slack);
        checkNear("drift", sum.drift, total.drift, slack);
        checkNear("rows", sum.rows, total.rows, slack);
        checkNear("rows: what links take, mechanisms get", sum.rows, 0, slack);
        assert_true(total.dissipated > 0.01 && fabs(total.applied) > 0.01);
        plWorld_Destroy(world);
    }
}

// --- tampering

static double imbalance(const plEnergy* e)
{
    const double given = e->applied + e->rows + e->integrator + e->leak + e->drift - e->dissipated;
    return (e->kinetic1 + e->potential1) - (e->kinetic0 + e->potential0) - given;
}

typedef void Tamper(plMechanism*);

static void noTamper(plMechanism* m) { (void)m; }
static void tamperApplied(plMechanism* m) { m->applied[1] += 0.1; }
static void tamperSpring(plMechanism* m) { m->gradient[1] += 0.1; } // of the spherical root
static void tamperGravity(plMechanism* m) { m->G[1] += 0.1; }
static void tamperRows(plMechanism* m) { m->rowForce[1] += 1e-3; }
static void tamperPosition(plMechanism* m) { m->q1[m->place[3]] += 1e-4; } // of the hinge
static void tamperVelocity(plMechanism* m)
{
    m->V1[3] *= 1.001;
    m->v1[3] *= 1.001;
    m->xi1[3] *= 1.001;
}

// One step of the tree under all kinds of forces, with a change between its advance and its audit.
static double tampered(plIntegrator integrator, Tamper* tamper, double* scale)
{
    plWorld* world = makeWorld(earth, 1);
    const plMechanismId id = addTree(world, integrator, pl_routeCholesky);
    plMechanism* m = world->mechanisms[0];
    const plRow row = {.a = {id, 3, {0.1, 0, 0}}, .lin = {0.6, 0, 0.8}};
    const double p = 0.01;
    plEnergy e;
    plMechanism_AddEffort(m, 1, 2);
    assert_true(plMechanism_Begin(m, (plPass){.T = 1e-3, .at = pl_linearisePrediction}));
    assert_true(plMechanism_Advance(m, &row, 1, &p));
    tamper(m);
    plMechanism_Audit(m, &e);
    *scale = e.kinetic0 + e.kinetic1 + fabs(e.potential0) + fabs(e.potential1) + 2.8 * g;
    plWorld_Destroy(world);
    return imbalance(&e);
}

// Round-off is 10 eps = 2e-15 of the scale; the changes are of 1e-4 to 1e-3 and act over 1 ms.
static void auditSeesWhatWasTamperedWith(void** state)
{
    (void)state;
    static const struct {
        const char* what;
        Tamper* tamper;
    } list[] = {{"applied", tamperApplied},   {"spring", tamperSpring},
                {"gravity", tamperGravity},   {"rows", tamperRows},
                {"position", tamperPosition}, {"velocity", tamperVelocity}};
    for (int i = 0; i < pl_integratorCount; ++i) {
        const plIntegrator integrator = (plIntegrator)i;
        double scale;
        checkAtMost("untouched", fabs(tampered(integrator, noTamper, &scale)) / scale,
                    10 * DBL_EPSILON);
        for (int k = 0; k < PL_COUNT(list); ++k) {
            const double off = fabs(tampered(integrator, list[k].tamper, &scale)) / scale;
            if (off > 1e-7) continue;
            print_error("%s: %s is not seen, %g\n", plIntegrator_Name(i), list[k].what, off);
            fail();
        }
    }
}

// One step of the linked world by hand, with the impulse of a link scaled between solve and advance.
static double scaledImpulse(plIntegrator integrator, double factor)
{
    const double T = 1e-3;
    plWorld* w = makeWorld(earth, 1);
    addHeldBody(w, integrator, pl_linkPassive, true);
    for (int i = 0; i < 10; ++i) plWorld_Step(w, T); // until all links pull
    const int list[2] = {0, 1};
    const plGroup group = {.mechanisms = w->mechanisms,
                           .links = w->links,
                           .mechanismList = list,
                           .linkList = list,
                           .mechanismCount = 2,
                           .linkCount = 2};
    const plPass pass = {.T = T, .at = pl_linearisePrediction};
    plEnergy e;
    double off = 0;
    for (int i = 0; i < 2; ++i) plMechanism_Begin(w->mechanisms[i], pass);
    assert_true(plSatisfy_Group(w, &group, pass));
    plSystem_Advance(&w->system, &group, T);
    for (int i = 0; i < 4; ++i) { // springs obey their law on the rows of the pass, as in a tick
        plSystem_Refine(&w->system, &group);
        plSystem_Advance(&w->system, &group, T);
    }
    w->system.p[1] *= factor;
    plSystem_Advance(&w->system, &group, T);
    for (int i = 0; i < 2; ++i) {
        plMechanism_Audit(w->mechanisms[i], &e);
        off += fabs(imbalance(&e));
        plLink* link = &w->links[i];
        plLink_Audit(link, T, plLink_Exact(link, w->mechanisms), link->target, &e);
        off += fabs(imbalance(&e)) +
               fabs(e.leak); // a spring that misses its law leaks, and the guard sees it
    }
    plWorld_Destroy(w);
    return off;
}

// The world holds some 30 J: round-off is 1e-14 J. A hundredth of the link's impulse does 1e-4 J.
static void auditSeesAScaledImpulse(void** state)
{
    (void)state;
    const plIntegrator integrators[] = {pl_integratorMidpoint, pl_integratorExplicit};
    for (int i = 0; i < 2; ++i) {
        checkAtMost("untouched", scaledImpulse(integrators[i], 1), 3e-14);
        checkAtMost("-scaled", -scaledImpulse(integrators[i], 1.01), -1e-5);
    }
}

// --- a state changed behind the ledger's back

static void changeNothing(plWorld* w) { (void)w; }
static void changePosition(plWorld* w) { w->mechanisms[0]->q[1] += 1e-6; }
static void changeVelocity(plWorld* w)
{
    w->mechanisms[1]->v[4] += 1e-6;
    w->mechanisms[1]->xi[4] += 1e-6;
}
static void changeStretch(plWorld* w) { w->links[0].d[0] += 1e-6; }

static double residualAfter(plIntegrator integrator, void (*change)(plWorld*))
{
    plWorld* world = makeWorld(earth, 2);
    addHeldBody(world, integrator, pl_linkPassive, true);
    for (int i = 0; i < 20; ++i) plWorld_Step(world, 1e-3);
    const double before = plWorld_Ledger(world).residual;
    change(world);
    for (int i = 0; i < world->mechanismCount; ++i) plMechanism_Refresh(world->mechanisms[i]);
    plWorld_Step(world, 1e-3);
    const plAccount a = plWorld_Ledger(world);
    const double moved = fabs(a.residual - before);
    plWorld_Destroy(world);
    assert_true(a.worst >= 0.99 * moved);
    return moved;
}

// 1e-6 of a position, velocity or stretch holds 1e-8 to 1e-5 J; round-off is 1e-14 J.
static void nextTickSeesAChangedState(void** state)
{
    (void)state;
    for (int i = 0; i < pl_integratorCount; ++i) {
        const plIntegrator integrator = (plIntegrator)i;
        checkAtMost("untouched", residualAfter(integrator, changeNothing), 3e-14);
        checkAtMost("-position", -residualAfter(integrator, changePosition), -1e-9);
        checkAtMost("-velocity", -residualAfter(integrator, changeVelocity), -1e-9);
        checkAtMost("-stretch", -residualAfter(integrator, changeStretch), -1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eulersGainTheirClosedForms),
        cmocka_unit_test(slidersGainTheirQuadraticForms),
        cmocka_unit_test(residualOfChainsIsRoundOff),
        cmocka_unit_test(residualOfLinkedMechanismsIsRoundOff),
        cmocka_unit_test(ownersAddUpToTheTotal),
        cmocka_unit_test(auditSeesWhatWasTamperedWith),
        cmocka_unit_test(auditSeesAScaledImpulse),
        cmocka_unit_test(nextTickSeesAChangedState),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
