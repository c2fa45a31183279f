// The joints of jointed assemblies as stiff links between bodies of the midpoint integrator: the same
// motion in the limit, and no energy created on the way.
#include "adams.h"

static const plVec3 down = {0, 0, -9.81};

static plMechanismId addBody(plWorld* w, const char* name, const plJointedBodyDef* b)
{
    plAssemblyDef d = plDefaultAssemblyDef();
    plMechanismId id;
    d.name = name;
    d.mass = b->mass;
    d.inertia = b->inertia;
    d.pose = b->pose;
    d.velocity = b->velocity;
    d.spin = b->spin;
    checkOk(w, plWorld_AddAssembly(w, &d, &id));
    return id;
}

// The link that is a joint: z of the joint's frame in b is the axis of hinges and slides, x_b and z_a are
// those of a universal one.
static plLinkDef linkOf(const plJointDef* j, plSite a, plSite b, double k, double turn)
{
    plLinkDef d = plDefaultLinkDef();
    const plMat3 B = plRotation(j->frameB.q), axes = plTranspose(&B);
    const plConstraint kind = j->kind;
    d.name = j->name;
    d.a = a;
    d.b = b;
    d.a.point = j->frameA.p;
    d.b.point = j->frameB.p;
    d.stiffness = k;
    if (kind == pl_constraintDistance) d.distance = j->length;
    if (kind == pl_constraintSpherical || kind == pl_constraintDistance) return d;
    d.turns = true;
    d.turnStiffness = turn;
    d.rest = plQuatMul(j->frameB.q, plQuatConj(j->frameA.q));
    if (kind == pl_constraintPrismatic || kind == pl_constraintCylindrical) d.slide = axes.z;
    if (kind == pl_constraintRevolute || kind == pl_constraintCylindrical) d.hinge = axes.z;
    if (kind == pl_constraintUniversal) {
        d.hinge = axes.x;
        d.cross = axes.z;
    }
    return d;
}

static void addLink(plWorld* w, const plLinkDef* d)
{
    plLinkId id;
    checkOk(w, plWorld_AddLink(w, d, &id));
}

// --- convergence

static void makeCase(const Adams* a, plJointedBodyDef* body, plJointDef* joint)
{
    *body = plDefaultJointedBodyDef();
    *joint = plDefaultJointDef();
    body->name = "body";
    body->inertia = plDiagonal3(0.04, 0.1, 0.1);
    body->pose = (plPose){plVec(2, 0, 0), adamsAxes(a)};
    joint->name = "joint";
    joint->kind = a->kind;
    joint->frameA.p = plVec(-2, 0, 0);
    joint->frameB.q = adamsAxes(a);
}

// Largest distance of the centre from that of the jointed assembly in a second.
static double apart(const Adams* a, double k, double T)
{
    plJointedBodyDef body;
    plJointDef joint;
    double worst = 0;
    makeCase(a, &body, &joint);
    plWorld *exact = makeWorld(adamsGravity, 2), *w = makeWorld(adamsGravity, 4);
    const plMechanismId id = addJointed(exact, "case", &body, 1, &joint, 1);
    const plMechanismId one = addBody(w, "body", &body);
    const plLinkDef link = linkOf(&joint, (plSite){.mechanism = one}, (plSite){0}, k, k);
    addLink(w, &link);
    for (int i = 0; i < (int)lround(1 / T); ++i) {
        plWorld_Step(exact, T);
        plWorld_Step(w, T);
        const plVec3 d =
            plSub(pointOf(w, one, 0, plVec(0, 0, 0)), pointOf(exact, id, 0, plVec(0, 0, 0)));
        worst = fmax(worst, plNorm(d));
    }
    checkAtMost("residual", plWorld_Ledger(w).worst, 1e-12);
    plWorld_Destroy(exact);
    plWorld_Destroy(w);
    return worst;
}

// Stretch under load is m g/k and the like; what is left of a hard link is the step's, of second order.
static void stiffLinksMoveAsJoints(void** state)
{
    (void)state;
    for (int i = 0; i < PL_COUNT(adams); ++i) {
        const double soft = apart(&adams[i], 1e4, 1e-3), hard = apart(&adams[i], 1e6, 1e-3);
        const double rigid = apart(&adams[i], HUGE_VAL, 1e-3);
        const double fine = apart(&adams[i], HUGE_VAL, 5e-4);
        print_message("%-9s k 1e4: %.2e m, 1e6: %.2e, rigid: %.2e, in half the step: %.2e\n",
                      adams[i].name, soft, hard, rigid, fine);
        if (adams[i].kind != pl_constraintPrismatic) { // nothing loads that one
            checkAtMost("hundred times as hard", hard, 0.05 * soft);
            checkAtMost("order two", fine, 0.3 * rigid);
        }
        checkAtMost("rigid", rigid, 1e-5);
    }
}

// The four-bar of links, all of them hinges: 20 rows of rank 17.
static double fourBarApart(double k, double T)
{
    FourBar bar = fourBar(true);
    plWorld *exact = makeWorld(down, 2), *w = makeWorld(down, 4);
    const plMechanismId id = addJointed(exact, "bar", bar.bodies, 3, bar.joints, 4);
    plMechanismId ids[3];
    double worst = 0;
    for (int i = 0; i < 3; ++i) ids[i] = addBody(w, bar.bodies[i].name, &bar.bodies[i]);
    for (int i = 0; i < 4; ++i) {
        const plJointDef* j = &bar.joints[i];
        plSite b = {0};
        if (j->b >= 0) b.mechanism = ids[j->b];
        const plLinkDef link = linkOf(j, (plSite){.mechanism = ids[j->a]}, b, k, k);
        addLink(w, &link);
    }
    for (int i = 0; i < (int)lround(0.5 / T); ++i) {
        plWorld_Step(exact, T);
        plWorld_Step(w, T);
        for (int p = 0; p < 3; ++p) {
            const plVec3 o = {0, 0, 0};
            worst = fmax(worst, plNorm(plSub(pointOf(w, ids[p], 0, o), pointOf(exact, id, p, o))));
        }
    }
    plWorld_Destroy(exact);
    plWorld_Destroy(w);
    return worst;
}

static void fourBarOfStiffLinksMovesAsJoints(void** state)
{
    (void)state;
    const double soft = fourBarApart(1e3, 1e-3), hard = fourBarApart(1e5, 1e-3);
    const double rigid = fourBarApart(HUGE_VAL, 1e-3), fine = fourBarApart(HUGE_VAL, 5e-4);
    print_message("four-bar k 1e3: %.2e m, 1e5: %.2e, rigid: %.2e, in half the step: %.2e\n", soft,
                  hard, rigid, fine);
    checkAtMost("hundred times as hard", hard, 0.1 * soft);
    checkAtMost("order two", fine, 0.3 * rigid);
}

// --- energy

// Two bodies on each other and the first on the ground, by one kind, with spin, for two seconds.
static void runKind(plConstraint kind, double k, double turn)
{
    const double T = 1e-3;
    plWorld* w = makeWorld(down, 2);
    plJointedBodyDef bodies[2];
    plMechanismId ids[2];
    for (int i = 0; i < 2; ++i) {
        bodies[i] = plDefaultJointedBodyDef();
        bodies[i].mass = 0.5;
        bodies[i].inertia = plDiagonal3(1e-3, 2e-3, 2.5e-3);
        bodies[i].pose.p = plVec(0.1 + 0.2 * i, 0, 0);
        bodies[i].spin = plVec(3, -2, 4);
        ids[i] = addBody(w, partName(i), &bodies[i]);
        plJointDef j = plDefaultJointDef();
        j.name = i == 0 ? "first" : "second";
        j.kind = kind;
        j.frameA = (plPose){plVec(-0.1, 0, 0), plRotor(plVec(0.6, 0, 0.8), 0.7)};
        j.frameB = (plPose){plVec(i == 0 ? 0 : 0.1, 0, 0), j.frameA.q};
        if (kind == pl_constraintDistance) {
            j.frameB.p = plAdd(j.frameB.p, plVec(0, 0, 0.05));
            j.length = 0.05;
        }
        plSite a = {.mechanism = ids[i]}, b = {0};
        if (i > 0) b.mechanism = ids[0];
        const plLinkDef link = linkOf(&j, a, b, k, turn);
        addLink(w, &link);
    }
    const double E0 = energyOf(w);
    double gain = 0, loss = 0, scale = 0;
    for (int i = 0; i < 2000; ++i) {
        plWorld_Step(w, T);
        gain = fmax(gain, energyOf(w) - E0);
        loss = fmax(loss, E0 - energyOf(w));
        scale = fmax(scale, plWorld_Ledger(w).kinetic);
    }
    const plAccount a = plWorld_Ledger(w);
    print_message(
        "%-11s k %.0e: gain %.1e, loss %.1e of %.2g J; leak %.1e, residual %.1e, gap %.1e\n",
        plConstraint_Name((int)kind), k, gain / scale, loss / scale, scale, a.leak, a.worst,
        plWorld_Report(w).gap);
    checkAtMost("gain", gain, 1e-12 * scale);
    checkAtMost("loss", loss, 1e-5 * scale);
    checkAtMost("residual", a.worst, 1e-13 * fmax(1, scale));
    if (isinf(k)) checkAtMost("gap", plWorld_Report(w).gap, 1e-9);
    plWorld_Destroy(w);
}

static void linksOfEveryKindCreateNoEnergy(void** state)
{
    (void)state;
    for (int kind = 0; kind < pl_constraintGuide; ++kind) {
        runKind((plConstraint)kind, 1e4, 1e2);
        runKind((plConstraint)kind, HUGE_VAL, HUGE_VAL);
    }
}

static void freedomsThatDoNotGoTogetherAreRefused(void** state)
{
    (void)state;
    plWorld* w = makeWorld(down, 2);
    plJointedBodyDef body = plDefaultJointedBodyDef();
    const plMechanismId id = addBody(w, "body", &body);
    plLinkDef d = plDefaultLinkDef();
    plLinkId link;
    d.name = "link";
    d.a.mechanism = id;
    d.hinge = plVec(0, 0, 1);
    assert_int_equal(plWorld_AddLink(w, &d, &link), pl_statusBadArgument); // does not turn
    d.turns = true;
    d.turnStiffness = 1;
    d.cross = plVec(0, 0.1, 1);
    assert_int_equal(plWorld_AddLink(w, &d, &link), pl_statusBadArgument); // not across
    d.cross = plVec(0, 0, 0);
    d.distance = 1;
    assert_int_equal(plWorld_AddLink(w, &d, &link), pl_statusBadArgument);
    d.distance = 0;
    d.rest = plRotor(plVec(1, 0, 0), PL_PI); // the hinge is upside down
    assert_int_equal(plWorld_AddLink(w, &d, &link), pl_statusBadArgument);
    d.rest = (plQuat){1, 0, 0, 0};
    checkOk(w, plWorld_AddLink(w, &d, &link));
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffLinksMoveAsJoints),
        cmocka_unit_test(fourBarOfStiffLinksMovesAsJoints),
        cmocka_unit_test(linksOfEveryKindCreateNoEnergy),
        cmocka_unit_test(freedomsThatDoNotGoTogetherAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
