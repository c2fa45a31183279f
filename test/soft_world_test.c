// Soft bodies in a world, without contact: they fall, are pulled by links, swing, and keep their books.
#include "soft/soft.h"
#include "worlds.h"

#include <string.h>

static plTets bar(void)
{
    const plAllocator allocator = plDefaultAllocator();
    plTets mesh;
    assert_int_equal(plTets_Box(4, 2, 2, (plVec3){0, -0.02, -0.02}, (plVec3){0.2, 0.02, 0.02},
                                &allocator, &mesh),
                     pl_statusOk);
    return mesh;
}

/// Nodes of the bar's end at x = 0, which are held.
static int endOf(const plTets* mesh, int* list)
{
    int count = 0;
    for (int i = 0; i < mesh->pointCount; ++i) {
        if (mesh->points[i].x < 1e-9) list[count++] = i;
    }
    return count;
}

static plMechanismId addBar(plWorld* w, plSoftDef def, bool held)
{
    plTets mesh = bar();
    plMechanismId id;
    int list[64];
    def.name = "bar";
    def.mesh = &mesh;
    if (held) def.heldCount = endOf(&mesh, list), def.held = list;
    checkOk(w, plWorld_AddSoft(w, &def, &id));
    plTets_Free(&mesh);
    return id;
}

/// A face with a corner at the far end, at its middle: y = z = 0.
static plSite tipOf(const plWorld* w, plMechanismId id)
{
    plSite site = {.mechanism = id};
    int count;
    const int* faces = plWorld_SoftFaces(w, id, &count);
    plTets mesh = bar();
    for (int i = 0; i < 3 * count && site.part == 0; ++i) {
        const plVec3 x = mesh.points[faces[i]];
        if (x.x < 0.2 - 1e-9 || fabs(x.y) + fabs(x.z) > 1e-9) continue;
        site.part = 1 + i / 3;
        site.point = (plVec3){i % 3 == 0, i % 3 == 1, i % 3 == 2};
    }
    plTets_Free(&mesh);
    assert_true(site.part > 0);
    return site;
}

static plLinkId addPull(plWorld* w, plSite a, plVec3 to, double K, double B)
{
    plLinkDef def = plDefaultLinkDef();
    plLinkId id;
    def.name = "pull";
    def.form = pl_linkImplicit;
    def.a = a;
    def.b.point = to;
    def.stiffness = K;
    def.damping = B;
    checkOk(w, plWorld_AddLink(w, &def, &id));
    return id;
}

/// What the ledger does not explain, of what flowed.
static double residual(const plWorld* w)
{
    const plAccount a = plWorld_Ledger(w);
    return fabs(a.residual) /
           (fabs(a.kinetic) + fabs(a.potential) + fabs(a.applied) + a.dissipated + 1e-12);
}

// --- corotational

static void aSoftBodyThatIsFreeMovesAsARigidOne(void** state)
{
    (void)state;
    plWorld* w = makeWorld((plVec3){0, 0, -9.81}, 2);
    plSoftDef def = plDefaultSoftDef();
    plAssemblyDef rigid = plDefaultAssemblyDef();
    plMechanismId id, other;
    plSoftInfo info;
    plMotion a, b;
    def.velocity = (plVec3){1, 0, 2};
    def.spin = (plVec3){3, 1, 2};
    id = addBar(w, def, false);
    assert_int_equal(plWorld_SoftInfo(w, id, 1e-3, &info), pl_statusOk);
    checkNear("mass", info.rigid.mass, 0.2 * 0.04 * 0.04 * 1000, 1e-12);
    rigid.name = "rigid";
    rigid.integrator = pl_integratorImplicit;
    rigid.mass = info.rigid.mass;
    rigid.inertia = info.rigid.inertia;
    rigid.pose.p = info.rigid.center;
    rigid.velocity = def.velocity;
    rigid.spin = def.spin;
    checkOk(w, plWorld_AddAssembly(w, &rigid, &other));
    for (int k = 0; k < 200; ++k) plWorld_Step(w, 1e-3);
    assert_int_equal(plWorld_Motion(w, (plSite){.mechanism = id}, &a), pl_statusOk);
    assert_int_equal(plWorld_Motion(w, (plSite){.mechanism = other}, &b), pl_statusOk);
    assert_memory_equal(&a, &b, sizeof a);
    print_message("residual %.1e, omega %.1f rad/s\n", residual(w), info.omega);
    checkAtMost("residual", residual(w), 1e-12);
    plWorld_Destroy(w);
}

// The end of a bar whose frame is held, pulled by a spring: the force and the way are those of the
// two springs in series.
static void aPullBendsAHeldBodyByItsCompliance(void** state)
{
    (void)state;
    const double K = 500, way = 1e-3;
    plWorld* w = makeWorld((plVec3){0, 0, 0}, 2);
    plSoftDef def = plDefaultSoftDef();
    const plMechanismId id = addBar(w, def, true);
    const plSite tip = tipOf(w, id);
    plLinkDef hold = plDefaultLinkDef();
    plLinkId held;
    plSoftInfo info;
    plWorld_SoftInfo(w, id, 1e-2, &info);
    const plLinkId pull = addPull(w, tip, (plVec3){0.2, 0, way}, K, 0);
    hold.name = "hold";
    hold.form = pl_linkImplicit;
    hold.a.mechanism = id;
    hold.b.point = info.rigid.center;
    hold.stiffness = hold.turnStiffness = INFINITY;
    hold.turns = true;
    checkOk(w, plWorld_AddLink(w, &hold, &held));
    for (int k = 0; k < 400; ++k) plWorld_Step(w, 1e-2);
    // by the rooms below: deflection of the tip for a unit force
    plTets mesh = bar();
    const plAllocator allocator = plDefaultAllocator();
    plSoft soft;
    plSoftFactor factor;
    plShapeError error;
    unsigned char* fixed = calloc(3 * (size_t)mesh.pointCount, 1);
    double* u = calloc(3 * (size_t)mesh.pointCount, sizeof *u);
    int list[64], tipNode = -1;
    for (int i = endOf(&mesh, list) - 1; i >= 0; --i) {
        for (int k = 0; k < 3; ++k) fixed[3 * list[i] + k] = 1;
    }
    for (int i = 0; i < mesh.pointCount; ++i) {
        const plVec3 x = mesh.points[i];
        if (x.x > 0.2 - 1e-9 && fabs(x.y) + fabs(x.z) < 1e-9) tipNode = i;
    }
    assert_int_equal(plSoft_Create(&soft, &mesh, &def.elastic, &allocator, &error), pl_statusOk);
    const plSoftFactorDef factorDef = {.b = 1, .fixed = fixed};
    assert_int_equal(plSoftFactor_Create(&factor, &soft, &factorDef, &allocator, &error),
                     pl_statusOk);
    plMat3 C = {0}; // of the tip, and of the spring
    for (int k = 0; k < 3; ++k) {
        memset(u, 0, 3 * (size_t)mesh.pointCount * sizeof *u);
        u[3 * tipNode + k] = 1;
        plSoftFactor_Solve(&factor, u, u);
        plVec3* row = k == 0 ? &C.x : k == 1 ? &C.y : &C.z;
        *row = plGet3(&u[3 * tipNode]);
    }
    C.x.x += 1 / K, C.y.y += 1 / K, C.z.z += 1 / K;
    double A[9], right[3] = {0, 0, way};
    plPut3(C.x, A), plPut3(C.y, A + 3), plPut3(C.z, A + 6);
    assert_true(plChol_Factor(A, 3));
    plChol_Solve(A, 3, right);
    const double expected = right[2];
    double force[3];
    plMotion motion;
    checkOk(w, plWorld_LinkForce(w, pull, force));
    checkOk(w, plWorld_Motion(w, tip, &motion));
    print_message("force %.6f N of %.6f N, tip %.3e m, residual %.1e\n", force[2], expected,
                  motion.x.z, residual(w));
    checkNear("force", force[2], expected, 1e-6 * expected);
    checkNear("tip", motion.x.z, way - expected / K, 1e-6 * way);
    checkAtMost("residual", residual(w), 1e-12);
    const plAccount all = plWorld_Ledger(w);
    checkAtMost("created", all.integrator + all.leak, 1e-12);
    plSoftFactor_Destroy(&factor, &allocator);
    plSoft_Destroy(&soft, &allocator);
    plTets_Free(&mesh);
    free(fixed), free(u);
    plWorld_Destroy(w);
}

// A body that floats, dragged about by a spring at a spot of its surface: what its hand gives is in
// it, in the spring, or lost; never more.
static void aDraggedBodyCreatesNothing(void** state)
{
    (void)state;
    plWorld* w = makeWorld((plVec3){0, 0, -9.81}, 2);
    const plMechanismId id = addBar(w, plDefaultSoftDef(), false);
    plPrescribedDef hand = {.name = "hand", .pose = {{0.2, 0, 0}, {1, 0, 0, 0}}};
    plLinkDef def = plDefaultLinkDef();
    plMechanismId frame;
    plLinkId link;
    double worst = 0, flowed = 0;
    checkOk(w, plWorld_AddPrescribed(w, &hand, &frame));
    def.name = "grab";
    def.form = pl_linkImplicit;
    def.a = tipOf(w, id);
    def.b.mechanism = frame;
    def.stiffness = 200;
    def.damping = 0.5;
    checkOk(w, plWorld_AddLink(w, &def, &link));
    for (int k = 0; k < 2000; ++k) {
        const double t = 2e-3 * k;
        hand.pose.p = (plVec3){0.2 + 0.05 * sin(7 * t), 0.05 * sin(11 * t), 0.05 * sin(5 * t)};
        checkOk(w, plWorld_Steer(w, frame, hand.pose));
        plWorld_Step(w, 2e-3);
        const plAccount a = plWorld_Ledger(w);
        flowed = fmax(flowed, fabs(a.applied) + a.dissipated);
        worst = fmax(worst, a.integrator + a.leak - a.dissipated);
        assert_int_equal(plWorld_Report(w).trouble, 0);
    }
    print_message("created at most %.1e J of %.2f J, residual %.1e\n", worst, flowed, residual(w));
    checkAtMost("created", worst, 1e-12 * flowed);
    checkAtMost("residual", residual(w), 1e-11);
    plWorld_Destroy(w);
}

// --- dynamic

static void aHeldBarSagsBySolvingOnce(void** state)
{
    (void)state;
    plWorld* w = makeWorld((plVec3){0, 0, -9.81}, 2);
    plSoftDef def = plDefaultSoftDef();
    def.model = pl_softDynamic;
    def.alpha = 50;
    const plMechanismId id = addBar(w, def, true);
    const plSite tip = tipOf(w, id);
    plMotion a, b;
    for (int k = 0; k < 3000; ++k) plWorld_Step(w, 1e-3);
    plWorld_Motion(w, tip, &a);
    for (int k = 0; k < 3000; ++k) plWorld_Step(w, 1e-3);
    plWorld_Motion(w, tip, &b);
    const plAccount all = plWorld_Ledger(w);
    print_message("sag %.6e m, lost %.3e J, residual %.1e\n", b.x.z, all.dissipated, residual(w));
    assert_true(b.x.z < -1e-5);
    checkNear("rest", a.x.z, b.x.z, 1e-9);
    checkAtMost("residual", residual(w), 1e-11);
    plWorld_Step(w, 2e-3);
    assert_int_equal(plWorld_Report(w).trouble, pl_troubleBadStep);
    plWorld_Destroy(w);
}

static double swing(plIntegrator integrator, double* drift)
{
    plWorld* w = makeWorld((plVec3){0, 0, -9.81}, 2);
    plSoftDef def = plDefaultSoftDef();
    def.model = pl_softDynamic;
    def.integrator = integrator;
    addBar(w, def, true);
    const double E0 = energyOf(w);
    double kinetic = 0;
    *drift = 0;
    for (int k = 0; k < 2000; ++k) {
        plWorld_Step(w, 1e-3);
        const plAccount a = plWorld_Ledger(w);
        kinetic = fmax(kinetic, a.kinetic);
        *drift = fmax(*drift, fabs(a.kinetic + a.potential - E0));
    }
    checkAtMost("residual", residual(w), 1e-11);
    *drift /= kinetic;
    plWorld_Destroy(w);
    return kinetic;
}

static void aSwingingBarKeepsItsEnergyByMidpointAndLosesItByEuler(void** state)
{
    (void)state;
    double kept, lost;
    swing(pl_integratorMidpoint, &kept);
    swing(pl_integratorImplicit, &lost);
    print_message("of the kinetic energy: midpoint %.1e, implicit %.2f\n", kept, lost);
    checkAtMost("midpoint", kept, 1e-9);
    assert_true(lost > 0.1);
}

// --- hands

/// A face of the end that can be held.
static plSite heldSpot(const plWorld* w, plMechanismId id)
{
    plSite site = {.mechanism = id, .point = {0.25, 0.25, 0.5}};
    int count;
    const int* faces = plWorld_SoftFaces(w, id, &count);
    plTets mesh = bar();
    for (int i = 0; i < count && site.part == 0; ++i) {
        double x = 0;
        for (int k = 0; k < 3; ++k) x += mesh.points[faces[3 * i + k]].x;
        if (x < 1e-9) site.part = 1 + i;
    }
    plTets_Free(&mesh);
    return site;
}

// A bar whose far end is pulled is taken by its held end, let go, and taken at a spot: the compliance
// changes, and no point of its surface leaps. Nothing is allocated.
static void aBodyThatIsTakenAndLetGoDoesNotLeap(void** state)
{
    (void)state;
    plWorld* w = makeWorld((plVec3){0, 0, 0}, 2);
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef grasp = plDefaultCouplingDef();
    plDeviceId deviceId;
    plCouplingId id;
    const plMechanismId barId = addBar(w, plDefaultSoftDef(), true);
    const plSite tip = tipOf(w, barId), end = heldSpot(w, barId);
    device.name = "pointer";
    checkOk(w, plWorld_AddDevice(w, &device, &deviceId));
    grasp.name = "grasp";
    grasp.kind = pl_couplingVirtual;
    grasp.device = deviceId;
    checkOk(w, plWorld_AddCoupling(w, &grasp, &id));
    addPull(w, tip, (plVec3){0.25, 0.01, 0.02}, 20, 0.5);
    const plSite spots[] = {end, tip, end};
    for (int i = 0; i < 3; ++i) {
        double leap = 0, bent;
        plSoftInfo info;
        checkOk(w, plWorld_Grab(w, id, spots[i]));
        for (int k = 0; k < 200; ++k) plWorld_Step(w, 2e-3);
        plWorld_SoftInfo(w, barId, 2e-3, &info);
        bent = info.stored;
        plMotion a, b, c, d;
        plWorld_Motion(w, tip, &a);
        plWorld_Motion(w, end, &b);
        checkOk(w, plWorld_Release(w, id));
        plWorld_Motion(w, tip, &c);
        plWorld_Motion(w, end, &d);
        leap = fmax(fabs(a.x.z - c.x.z) + fabs(a.x.y - c.x.y), fabs(b.x.z - d.x.z));
        for (int k = 0; k < 3; ++k) plWorld_Step(w, 2e-3);
        print_message("held with %.2e J: leaps %.1e m when let go, trouble %x\n", bent, leap,
                      plWorld_Report(w).trouble);
        assert_true(bent > 1e-9);
        checkAtMost("leap", leap, 1e-12);
        assert_int_equal(plWorld_Report(w).trouble, 0);
        checkAtMost("residual", residual(w), 1e-9);
    }
    plWorld_Destroy(w);
}

static void whatIsWrongIsSaid(void** state)
{
    (void)state;
    plWorld* w = makeWorld((plVec3){0, 0, 0}, 2);
    plTets mesh = bar();
    plSoftDef def = plDefaultSoftDef();
    plMechanismId id;
    def.name = "bar";
    assert_int_equal(plWorld_AddSoft(w, &def, &id), pl_statusBadArgument);
    def.mesh = &mesh;
    def.integrator = pl_integratorMidpoint;
    assert_int_equal(plWorld_AddSoft(w, &def, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "implicit"));
    def.integrator = pl_integratorImplicit;
    def.elastic.nu = 0.5;
    assert_int_equal(plWorld_AddSoft(w, &def, &id), pl_statusBadArgument);
    def.elastic.nu = 0.3;
    def.model = pl_softDynamic;
    def.step = -1;
    assert_int_equal(plWorld_AddSoft(w, &def, &id), pl_statusBadArgument);
    def.step = 1e-3;
    checkOk(w, plWorld_AddSoft(w, &def, &id));
    assert_int_equal(plWorld_SetIntegrator(w, id, pl_integratorMidpoint), pl_statusBadArgument);
    assert_string_equal(plWorld_MechanismType(w, id), "soft");
    assert_int_equal(plWorld_SetLaw(w, pl_lawPenalty), pl_statusBadArgument);
    // its frame is the world's: nothing would come of a force on it
    const plWrench push = {.force = {0, 0, 1}};
    assert_int_equal(plWorld_ApplyWrench(w, (plSite){.mechanism = id}, push), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "face"));
    plLinkDef link = plDefaultLinkDef();
    plLinkId linkId;
    link.name = "pull";
    link.a.mechanism = id;
    assert_int_equal(plWorld_AddLink(w, &link, &linkId), pl_statusBadArgument);
    checkOk(w, plWorld_ApplyWrench(w, tipOf(w, id), push));
    plWorld_Destroy(w);
    plWorldDef walls = plDefaultWorldDef();
    walls.contact.law = pl_lawPenalty;
    checkOk(NULL, plWorld_Create(&walls, &w));
    assert_int_equal(plWorld_AddSoft(w, &def, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "cone or lcp"));
    plTets_Free(&mesh);
    plWorld_Destroy(w);
}

static void theSameStepsGiveTheSameState(void** state)
{
    (void)state;
    uint64_t hash[2];
    for (int i = 0; i < 2; ++i) {
        plWorld* w = makeWorld((plVec3){0, 0, -9.81}, 2);
        const plMechanismId id = addBar(w, plDefaultSoftDef(), false);
        addPull(w, tipOf(w, id), (plVec3){0.2, 0.1, 0}, 100, 0.1);
        const size_t size = plWorld_SnapshotSize(w);
        void* snapshot = malloc(size);
        for (int k = 0; k < 50; ++k) plWorld_Step(w, 1e-3);
        plWorld_Save(w, snapshot);
        for (int k = 0; k < 50; ++k) plWorld_Step(w, 1e-3);
        hash[i] = plWorld_Hash(w);
        plWorld_Restore(w, snapshot, size);
        for (int k = 0; k < 50; ++k) plWorld_Step(w, 1e-3);
        assert_true(plWorld_Hash(w) == hash[i]);
        free(snapshot);
        plWorld_Destroy(w);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aSoftBodyThatIsFreeMovesAsARigidOne),
        cmocka_unit_test(aPullBendsAHeldBodyByItsCompliance),
        cmocka_unit_test(aDraggedBodyCreatesNothing),
        cmocka_unit_test(aHeldBarSagsBySolvingOnce),
        cmocka_unit_test(aSwingingBarKeepsItsEnergyByMidpointAndLosesItByEuler),
        cmocka_unit_test(aBodyThatIsTakenAndLetGoDoesNotLeap),
        cmocka_unit_test(whatIsWrongIsSaid),
        cmocka_unit_test(theSameStepsGiveTheSameState),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
