// Kinds of the user: a shape by its support function, a coupling and a law; each against a built-in one that
// does the same, and each refused where it is not meant.
#include "worlds.h"

#include <string.h>

static plWorld* makeField(bool ground, const plLawDef* own)
{
    plWorldDef def = plDefaultWorldDef();
    plPartShapeDef plane = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId shape;
    plWorld* w;
    def.contact.own = own;
    if (own) def.contact.law = pl_lawOwn;
    checkOk(NULL, plWorld_Create(&def, &w));
    if (ground) checkOk(w, plWorld_AddShape(w, &plane, &shape));
    return w;
}

// --- shapes

static plVec3 ofBox(void* self, plVec3 d)
{
    const plVec3* h = self;
    return (plVec3){copysign(h->x, d.x), copysign(h->y, d.y), copysign(h->z, d.z)};
}

static plVec3 ofBall(void* self, plVec3 d)
{
    const double s = *(const double*)self / sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return (plVec3){s * d.x, s * d.y, s * d.z};
}

static plVec3 ofNothing(void* self, plVec3 d)
{
    (void)self;
    return (plVec3){d.x > 0 ? NAN : 1, 0, 0};
}

static plVec3 ofPoint(void* self, plVec3 d)
{
    (void)self, (void)d;
    return (plVec3){0, 0, 0};
}

static plStatus massOf(plVec3 (*support)(void*, plVec3), void* self, double tolerance, plMass* mass,
                       char* why)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeSupport);
    plSupportDef own = plDefaultSupportDef();
    plShapeError error = {0};
    own.support = support, own.self = self, own.tolerance = tolerance;
    def.support = &own;
    const plStatus status = plShapeDef_Mass(&def, 1000, mass, &error);
    memcpy(why, error.message, sizeof error.message);
    return status;
}

static void supportOfABoxIsTheBox(void** state)
{
    (void)state;
    plVec3 half = {0.1, 0.2, 0.3};
    plMass mass, box;
    plShapeError error;
    char why[512];
    plShapeDef def = plDefaultShapeDef(pl_shapeBox);
    def.half = half;
    assert_int_equal(massOf(ofBox, &half, 0, &mass, why), pl_statusOk);
    assert_int_equal(plShapeDef_Mass(&def, 1000, &box, &error), pl_statusOk);
    checkNear("mass", mass.mass, box.mass, 1e-9);
    checkNear("inertia", mass.inertia.x.x, box.inertia.x.x, 1e-9);
}

// A hull within the body whose faces cannot move out by more than the tolerance: the volume lacks less than area times it.
static void supportIsMetToItsTolerance(void** state)
{
    (void)state;
    double r = 0.1;
    char why[512];
    const double exact = 1000 * 4 / 3.0 * acos(-1) * r * r * r, area = 4 * acos(-1) * r * r;
    for (double tolerance = 4e-3; tolerance > 9e-4; tolerance /= 2) {
        plMass mass;
        assert_int_equal(massOf(ofBall, &r, tolerance, &mass, why), pl_statusOk);
        assert_true(mass.mass < exact);
        checkAtMost("what lacks", exact - mass.mass, 1000 * area * tolerance);
    }
}

static void badSupportsAreRefused(void** state)
{
    (void)state;
    double r = 0.1;
    plMass mass;
    char why[512];
    plShapeDef def = plDefaultShapeDef(pl_shapeSupport);
    plSupportDef zeroed = {.support = ofBall, .self = &r};
    plShapeError error;
    assert_int_equal(plShapeDef_Mass(&def, 1000, &mass, &error), pl_statusBadArgument);
    def.support = &zeroed;
    assert_int_equal(plShapeDef_Mass(&def, 1000, &mass, &error), pl_statusBadArgument);
    assert_non_null(strstr(error.message, "plDefaultSupportDef"));
    assert_int_equal(massOf(NULL, &r, 0, &mass, why), pl_statusBadArgument);
    assert_int_equal(massOf(ofNothing, &r, 0, &mass, why), pl_statusBadArgument);
    assert_non_null(strstr(why, "finite"));
    assert_int_equal(massOf(ofPoint, &r, 0, &mass, why), pl_statusBadArgument);
    assert_int_equal(massOf(ofBall, &r, -1, &mass, why), pl_statusBadArgument);
    assert_int_equal(massOf(ofBall, &r, NAN, &mass, why), pl_statusBadArgument);
    assert_int_equal(massOf(ofBall, &r, 1e-6, &mass, why), pl_statusCapacity);
    assert_non_null(strstr(why, "tolerance"));
}

// --- couplings: one of the user that does what the four-channel controller does

typedef struct {
    double K, B;
    bool wrong;
    int commands;
} Spring;

static plWrench springCommand(void* self, double* memory, const plCouplingSight* s)
{
    Spring* k = self;
    const plVec3 e = {s->device.pose.p.x - s->tool.x.x, s->device.pose.p.y - s->tool.x.y,
                      s->device.pose.p.z - s->tool.x.z};
    const plVec3 v = {s->device.velocity.x - s->tool.v.x, s->device.velocity.y - s->tool.v.y,
                      s->device.velocity.z - s->tool.v.z};
    const plVec3 f = {k->K * e.x + k->B * v.x, k->K * e.y + k->B * v.y, k->K * e.z + k->B * v.z};
    const plVec3 h = s->device.hand.force;
    k->commands++;
    memory[0] = f.x, memory[1] = f.y, memory[2] = f.z;
    memory[3] = 0.5 * k->K * (e.x * e.x + e.y * e.y + e.z * e.z);
    memory[4] = k->wrong ? (double)NAN : 0;
    return (plWrench){.force = {k->wrong ? (double)NAN : f.x + h.x, f.y + h.y, f.z + h.z}};
}

static plWrench springFeedback(void* self, const double* memory, const plCouplingSight* s,
                               double at)
{
    const Spring* k = self;
    const plVec3 F = s->reaction.force;
    (void)at;
    return (plWrench){
        .force = {k->wrong ? (double)INFINITY : F.x - memory[0], F.y - memory[1], F.z - memory[2]}};
}

static double springStored(void* self, const double* memory)
{
    (void)self;
    return memory[3];
}

typedef struct {
    plWorld* world;
    plMechanismId tool;
    plDeviceId device;
    plCouplingId id;
} Rig;

static Rig makeRig(Spring* k, bool own)
{
    Rig r = {.world = makeField(true, NULL)};
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    plAssemblyDef body = plDefaultAssemblyDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef c = plDefaultCouplingDef();
    plCouplingCalls calls = plDefaultCouplingCalls();
    plShapeId shape;
    body.name = "tool", body.mass = 0.2, body.pose.p.z = 0.15,
    body.inertia = diagonal(8e-4, 8e-4, 8e-4);
    checkOk(r.world, plWorld_AddAssembly(r.world, &body, &r.tool));
    ball.mechanism = r.tool, ball.shape.radius = 0.1;
    checkOk(r.world, plWorld_AddShape(r.world, &ball, &shape));
    device.name = "device", device.pose.p.z = 0.15, device.hand.wrench.force = (plVec3){0.2, 0, -2};
    checkOk(r.world, plWorld_AddDevice(r.world, &device, &r.device));
    c.name = "coupling", c.device = r.device, c.tool.mechanism = r.tool;
    c.stiffness = all3(k->K), c.damping = all3(k->B), c.turnStiffness = c.turnDamping = all3(0);
    calls.self = k, calls.command = springCommand, calls.feedback = springFeedback,
    calls.stored = springStored;
    if (own) c.kind = pl_couplingOwn, c.own = &calls;
    checkOk(r.world, plWorld_AddCoupling(r.world, &c, &r.id));
    return r;
}

static void couplingOfTheUserDoesWhatTheBuiltInOneDoes(void** state)
{
    (void)state;
    Spring k = {.K = 400, .B = 4};
    Rig a = makeRig(&k, true), b = makeRig(&k, false);
    for (int i = 0; i < 400; ++i) {
        double q[2][7], v[2][6];
        plWrench f[2];
        plPort p[2];
        plWorld_Step(a.world, 1e-3);
        plWorld_Step(b.world, 1e-3);
        checkOk(a.world, plWorld_State(a.world, a.tool, q[0], v[0]));
        checkOk(b.world, plWorld_State(b.world, b.tool, q[1], v[1]));
        for (int n = 0; n < 3; ++n) checkNear("place", q[0][n], q[1][n], 1e-9);
        checkOk(a.world, plWorld_DeviceForce(a.world, a.device, &f[0]));
        checkOk(b.world, plWorld_DeviceForce(b.world, b.device, &f[1]));
        checkNear("force", f[0].force.z, f[1].force.z, 1e-6);
        checkOk(a.world, plWorld_Port(a.world, a.id, &p[0]));
        checkOk(b.world, plWorld_Port(b.world, b.id, &p[1]));
        checkNear("work on the tool", p[0].stored, p[1].stored, 1e-9);
    }
    assert_int_equal(k.commands, 400);
    assert_true(plWorld_ContactCount(a.world) > 0); // it was pushed to the ground
    plWorld_Destroy(a.world);
    plWorld_Destroy(b.world);
}

static void whatACouplingRemembersIsState(void** state)
{
    (void)state;
    Spring k = {.K = 400, .B = 4};
    Rig r = makeRig(&k, true);
    for (int i = 0; i < 100; ++i) plWorld_Step(r.world, 1e-3);
    const size_t size = plWorld_SnapshotSize(r.world);
    void* snapshot = malloc(size);
    plWorld_Save(r.world, snapshot);
    for (int i = 0; i < 50; ++i) plWorld_Step(r.world, 1e-3);
    const uint64_t hash = plWorld_Hash(r.world);
    checkOk(r.world, plWorld_Restore(r.world, snapshot, size));
    for (int i = 0; i < 50; ++i) plWorld_Step(r.world, 1e-3);
    assert_true(plWorld_Hash(r.world) == hash);
    // what is no number gives no force, and the world stays finite
    k.wrong = true;
    for (int i = 0; i < 50; ++i) plWorld_Step(r.world, 1e-3);
    double q[7], v[6];
    plWrench f;
    checkOk(r.world, plWorld_State(r.world, r.tool, q, v));
    checkOk(r.world, plWorld_DeviceForce(r.world, r.device, &f));
    assert_true(isfinite(q[0] + q[1] + q[2] + v[0] + v[1] + v[2] + f.force.x + f.force.z));
    free(snapshot);
    plWorld_Destroy(r.world);
}

static void badCouplingsAreRefused(void** state)
{
    (void)state;
    plWorld* w = makeField(false, NULL);
    plPrescribedDef frame = plDefaultPrescribedDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef c = plDefaultCouplingDef();
    plCouplingCalls calls = plDefaultCouplingCalls(), zeroed = {.command = springCommand};
    plMechanismId frameId;
    plCouplingId id;
    frame.name = "frame", device.name = "device";
    checkOk(w, plWorld_AddPrescribed(w, &frame, &frameId));
    checkOk(w, plWorld_AddDevice(w, &device, &c.device));
    c.name = "coupling", c.kind = pl_couplingOwn, c.tool.mechanism = frameId;
    assert_int_equal(plWorld_AddCoupling(w, &c, &id), pl_statusBadArgument);
    c.own = &zeroed;
    assert_int_equal(plWorld_AddCoupling(w, &c, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "plDefaultCouplingCalls"));
    c.own = &calls;
    assert_int_equal(plWorld_AddCoupling(w, &c, &id), pl_statusBadArgument);
    calls.command = springCommand;
    assert_int_equal(plWorld_AddCoupling(w, &c, &id),
                     pl_statusBadArgument); // a frame does not yield
    assert_non_null(strstr(plWorld_Error(w), "move"));
    assert_string_equal(plCouplingKind_Name(pl_couplingOwn), "own");
    plWorld_Destroy(w);
}

// --- laws: walls of springs by the user, beside those of palp

static int asked;

static void walls(void* self, const plLawProblem* problem, double* p)
{
    const int dim = plLawProblem_Dim(problem);
    const double T = plLawProblem_Step(problem);
    const bool wrong = self && *(const bool*)self;
    asked++;
    for (int i = 0; i < plLawProblem_Count(problem); ++i) {
        const plLawContact c = plLawProblem_Contact(problem, i);
        double block[9], Wp[3 * 64], unit[3 * 64] = {0};
        if (c.gap < 0) p[dim * i] = T * (-c.stiffness * c.gap - c.damping * c.start[0]);
        if (wrong) p[dim * i] = NAN;
        if (plLawProblem_Count(problem) > 64) continue;
        unit[dim * i] = 1;
        plLawProblem_Block(problem, i, block);
        plLawProblem_Apply(problem, unit, Wp);
        for (int k = 0; k < dim; ++k)
            checkNear("column of W", Wp[dim * i + k], block[dim * k], 1e-9 * fabs(block[0]));
    }
}

static plWorld* makeFall(plLawName law, const plLawDef* own, plMechanismId* id)
{
    plWorldDef def = plDefaultWorldDef();
    plPartShapeDef plane = plDefaultPartShapeDef(pl_shapePlane),
                   box = plDefaultPartShapeDef(pl_shapeBox);
    plAssemblyDef body = plDefaultAssemblyDef();
    plShapeId shape;
    plWorld* w;
    def.contact.law = law, def.contact.own = own, def.contact.surface.friction = 0;
    checkOk(NULL, plWorld_Create(&def, &w));
    checkOk(w, plWorld_AddShape(w, &plane, &shape));
    body.name = "box", body.pose.p.z = 0.06, body.spin.x = 0.3,
    body.inertia = diagonal(2e-3, 2e-3, 2e-3);
    checkOk(w, plWorld_AddAssembly(w, &body, id));
    box.mechanism = *id, box.shape.half = all3(0.05);
    checkOk(w, plWorld_AddShape(w, &box, &shape));
    return w;
}

static void lawOfTheUserDoesWhatTheBuiltInOneDoes(void** state)
{
    (void)state;
    plLawDef own = plDefaultLawDef();
    plMechanismId a, b;
    double q[2][7];
    own.solve = walls;
    asked = 0;
    plWorld *w = makeFall(pl_lawOwn, &own, &a), *other = makeFall(pl_lawPenalty, NULL, &b);
    for (int k = 0; k < 600; ++k) {
        plWorld_Step(w, 1e-3);
        plWorld_Step(other, 1e-3);
        checkOk(w, plWorld_State(w, a, q[0], NULL));
        checkOk(other, plWorld_State(other, b, q[1], NULL));
        for (int i = 0; i < 7; ++i) checkNear("course", q[0][i], q[1][i], 1e-9);
    }
    assert_true(asked > 100);
    assert_int_equal(plWorld_Law(w), pl_lawOwn);
    assert_string_equal(plLawName_Name((int)plWorld_Law(w)), "own");
    // to another law and back
    checkOk(w, plWorld_SetLaw(w, pl_lawCone));
    for (int k = 0; k < 50; ++k) plWorld_Step(w, 1e-3);
    checkOk(w, plWorld_SetLaw(w, pl_lawOwn));
    const int before = asked;
    for (int k = 0; k < 50; ++k) plWorld_Step(w, 1e-3);
    assert_true(asked > before);
    plWorld_Destroy(w);
    plWorld_Destroy(other);
}

static void badLawsAreRefused(void** state)
{
    (void)state;
    plLawDef own = plDefaultLawDef(), zeroed = {.solve = walls};
    plWorldDef def = plDefaultWorldDef();
    plMechanismId id;
    bool wrong = true;
    plWorld* w;
    def.contact.law = pl_lawOwn;
    assert_int_equal(plWorld_Create(&def, &w), pl_statusBadArgument);
    def.contact.own = &own;
    assert_int_equal(plWorld_Create(&def, &w), pl_statusBadArgument);
    def.contact.own = &zeroed;
    assert_int_equal(plWorld_Create(&def, &w), pl_statusBadArgument);
    def.contact.law = pl_lawCone;
    def.contact.own = NULL;
    checkOk(NULL, plWorld_Create(&def, &w));
    assert_int_equal(plWorld_SetLaw(w, pl_lawOwn), pl_statusBadArgument);
    plWorld_Destroy(w);
    own.solve = walls,
    own.self = &wrong; // what is no number pushes nothing, and the report says so
    w = makeFall(pl_lawOwn, &own, &id);
    int trouble = 0;
    for (int k = 0; k < 100; ++k) {
        plWorld_Step(w, 1e-3);
        trouble |= plWorld_Report(w).trouble;
    }
    double q[7];
    checkOk(w, plWorld_State(w, id, q, NULL));
    assert_true(isfinite(q[2]) && q[2] < 0.05);
    assert_true(trouble & pl_troubleLaw);
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supportOfABoxIsTheBox),
        cmocka_unit_test(supportIsMetToItsTolerance),
        cmocka_unit_test(badSupportsAreRefused),
        cmocka_unit_test(couplingOfTheUserDoesWhatTheBuiltInOneDoes),
        cmocka_unit_test(whatACouplingRemembersIsState),
        cmocka_unit_test(badCouplingsAreRefused),
        cmocka_unit_test(lawOfTheUserDoesWhatTheBuiltInOneDoes),
        cmocka_unit_test(badLawsAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
