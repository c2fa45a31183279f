// Mechanisms, links and shapes that are removed and added in a world that runs: places and memory are used again, stale
// ids are told by every function, and snapshots, hashes and repeats stay exact.
#include "base/base.h"
#include "worlds.h"

#include <string.h>

static plWorld* makeField(void)
{
    plWorldDef def = plDefaultWorldDef();
    plPartShapeDef ground = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId shape;
    plWorld* w;
    def.capacity.mechanisms = 12;
    def.capacity.shapes = 16;
    def.capacity.memory = 24u << 20;
    checkOk(NULL, plWorld_Create(&def, &w));
    checkOk(w, plWorld_AddShape(w, &ground, &shape));
    return w;
}

typedef struct {
    plMechanismId id;
    plShapeId shape;
} Thing;

static plStatus tryBox(plWorld* w, const char* name, plVec3 p, Thing* t)
{
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    body.name = name;
    body.inertia = diagonal(2e-3, 2e-3, 2e-3);
    body.pose.p = p;
    plStatus status = plWorld_AddAssembly(w, &body, &t->id);
    if (status != pl_statusOk) return status;
    box.mechanism = t->id;
    box.shape.half = all3(0.05);
    return plWorld_AddShape(w, &box, &t->shape);
}

static Thing addBox(plWorld* w, const char* name, plVec3 p)
{
    Thing t;
    checkOk(w, tryBox(w, name, p, &t));
    return t;
}

static plLinkId addSpring(plWorld* w, const char* name, plMechanismId a)
{
    plLinkDef def = plDefaultLinkDef();
    plMotion at;
    plLinkId id;
    def.name = name;
    def.a.mechanism = a;
    checkOk(w, plWorld_Motion(w, def.a, &at));
    def.b.point = at.x;
    def.b.point.z += 0.02;
    checkOk(w, plWorld_AddLink(w, &def, &id));
    return id;
}

static void placesAndMemoryAreUsedAgain(void** state)
{
    (void)state;
    plWorld* w = makeField();
    Thing t = addBox(w, "box", (plVec3){0, 0, 0.05});
    const size_t used = plWorld_Memory(w).used;
    for (int k = 0; k < 3000; ++k) {
        const Thing before = t;
        if (k % 10 == 0) plWorld_Step(w, 1e-3);
        checkOk(w, plWorld_RemoveMechanism(w, t.id));
        t = addBox(w, "box", (plVec3){0, 0, 0.05 + 1e-3 * (k % 7)});
        assert_int_equal(t.id.index1, before.id.index1);
        assert_int_equal(t.id.generation, before.id.generation + 1);
        assert_int_equal(t.shape.index1, before.shape.index1);
        assert_int_equal(t.shape.generation, before.shape.generation + 1);
    }
    assert_true(plWorld_Memory(w).used == used);
    plWorld_Destroy(w);
}

static void checkStaleMechanism(plWorld* w, plMechanismId id)
{
    const plSite site = {.mechanism = id};
    double buffer[64] = {0, 0, 0, 1};
    plAccount account;
    plMotion motion;
    void* data;
    plPartShapeDef shape = plDefaultPartShapeDef(pl_shapeSphere);
    plLinkDef link = plDefaultLinkDef();
    plDriveDef drive = plDefaultDriveDef();
    plShapeId shapeId;
    plLinkId linkId;
    shape.mechanism = id;
    link.name = "stale";
    link.a = site;
    drive.site = site;
    const plStatus found[] = {plWorld_State(w, id, buffer, NULL),
                              plWorld_SetState(w, id, buffer, buffer),
                              plWorld_Inertia(w, id, buffer, NULL),
                              plWorld_MechanismLedger(w, id, &account),
                              plWorld_Motion(w, site, &motion),
                              plWorld_ApplyWrench(w, site, (plWrench){0}),
                              plWorld_ApplyEffort(w, id, 0, 1),
                              plWorld_Steer(w, id, (plPose){.q = {1, 0, 0, 0}}),
                              plWorld_SetIntegrator(w, id, pl_integratorMidpoint),
                              plWorld_AddShape(w, &shape, &shapeId),
                              plWorld_AddLink(w, &link, &linkId),
                              plWorld_AddDrive(w, &drive),
                              plWorld_Ignore(w, site, (plSite){.part = 0}),
                              plWorld_MechanismData(w, id, &data),
                              plWorld_SetMechanismData(w, id, w),
                              plWorld_JointForce(w, id, 0, buffer),
                              plWorld_JointPosition(w, id, 0, buffer),
                              plWorld_JointError(w, id, buffer, buffer),
                              plWorld_CommandTendon(w, id, 0, 1),
                              plWorld_Tendon(w, id, 0, buffer, NULL),
                              plWorld_SoftPoints(w, id, NULL),
                              plWorld_SoftInfo(w, id, 1e-3, NULL),
                              plWorld_RemoveMechanism(w, id)};
    for (int i = 0; i < PL_COUNT(found); ++i) {
        if (found[i] != pl_statusStale) fail_msg("function %d: %s", i, plStatus_Name(found[i]));
    }
    assert_non_null(strstr(plWorld_Error(w), "removed"));
    assert_false(plWorld_HasMechanism(w, id));
    assert_null(plWorld_MechanismName(w, id));
    assert_null(plWorld_MechanismType(w, id));
    assert_int_equal(plWorld_PartCount(w, id), 0);
    assert_int_equal(plWorld_PositionCount(w, id), 0);
    assert_int_equal(plWorld_ContactState(w, id), pl_contactFree);
}

static void staleIdsAreToldByEveryFunction(void** state)
{
    (void)state;
    plWorld* w = makeField();
    const Thing old = addBox(w, "box", (plVec3){0, 0, 0.3});
    const plLinkId link = addSpring(w, "spring", old.id);
    plChannel z, force;
    void* data;
    double f[6];
    plAccount account;
    plMaterialId material;
    plSite site;
    plWorld_Step(w, 1e-3);
    checkOk(w, plWorld_FindChannel(w, "box.z", &z));
    checkOk(w, plWorld_FindChannel(w, "spring.force[0]", &force));
    assert_true(isfinite(plWorld_ReadChannel(w, z)));
    checkOk(w, plWorld_RemoveMechanism(w, old.id));
    for (int again = 0; again < 2;
         ++again) { // while the place is empty, and when something else is there
        checkStaleMechanism(w, old.id);
        assert_int_equal(plWorld_LinkForce(w, link, f), pl_statusStale);
        assert_int_equal(plWorld_LinkLedger(w, link, &account), pl_statusStale);
        assert_int_equal(plWorld_LinkData(w, link, &data), pl_statusStale);
        assert_int_equal(plWorld_SetLinkData(w, link, w), pl_statusStale);
        assert_int_equal(plWorld_RemoveLink(w, link), pl_statusStale);
        assert_null(plWorld_LinkName(w, link));
        assert_int_equal(plWorld_ShapeMaterial(w, old.shape, &material), pl_statusStale);
        assert_int_equal(plWorld_ShapeSite(w, old.shape, &site), pl_statusStale);
        assert_int_equal(plWorld_ShapeData(w, old.shape, &data), pl_statusStale);
        assert_int_equal(plWorld_SetShapeData(w, old.shape, w), pl_statusStale);
        assert_int_equal(plWorld_RemoveShape(w, old.shape), pl_statusStale);
        assert_true(isnan(plWorld_ReadChannel(w, z)));
        assert_true(isnan(plWorld_ReadChannel(w, force)));
        if (again == 0) {
            const Thing new = addBox(w, "box", (plVec3){0, 0, 0.3});
            addSpring(w, "spring", new.id);
            assert_int_equal(new.id.index1, old.id.index1);
        }
    }
    assert_int_equal(plWorld_RemoveMechanism(w, (plMechanismId){0, 0}), pl_statusBadId);
    assert_int_equal(plWorld_RemoveMechanism(w, (plMechanismId){1, 9}), pl_statusBadId);
    assert_int_equal(plWorld_RemoveMechanism(w, (plMechanismId){99, 1}), pl_statusBadId);
    assert_int_equal(plWorld_RemoveShape(w, (plShapeId){99, 1}), pl_statusBadId);
    assert_int_equal(plWorld_RemoveLink(w, (plLinkId){99, 1}), pl_statusBadId);
    plWorld_Destroy(w);
}

static void emptyPlacesAreNotListed(void** state)
{
    (void)state;
    plWorld* w = makeField();
    const Thing a = addBox(w, "a", (plVec3){0, 0, 0.3}), b = addBox(w, "b", (plVec3){1, 0, 0.3});
    const plLinkId spring = addSpring(w, "spring", b.id);
    plMechanismId id;
    char name[128];
    checkOk(w, plWorld_RemoveLink(w, spring));
    checkOk(w, plWorld_RemoveMechanism(w, a.id));
    assert_int_equal(plWorld_MechanismCount(w), 2);
    assert_int_equal(plWorld_Mechanism(w, 0).index1, 0);
    assert_int_equal(plWorld_Link(w, 0).index1, 0);
    assert_int_equal(plWorld_Shape(w, 1).index1, 0);
    assert_int_equal(plWorld_Shape(w, 2).index1, b.shape.index1);
    assert_int_equal(plWorld_FindMechanism(w, "a", &id), pl_statusNotFound);
    assert_int_equal(plWorld_FindMechanism(w, "", &id), pl_statusNotFound);
    for (int i = 0; plWorld_ChannelName(w, i, name, sizeof name) > 0; ++i) {
        assert_true(name[0] != '.' && strncmp(name, "a.", 2) != 0);
    }
    plWorld_Step(w, 1e-3);
    assert_int_equal(plWorld_Report(w).groups, 1);
    assert_int_equal(plWorld_Advice(w, 0, name, sizeof name), 0);
    plWorld_Destroy(w);
}

// What stood on a box that is taken away falls as a free body does.
static void whatRestedOnItFalls(void** state)
{
    (void)state;
    plWorld* w = makeField();
    const Thing below = addBox(w, "below", (plVec3){0, 0, 0.05});
    const Thing above = addBox(w, "above", (plVec3){0, 0, 0.15});
    const double T = 1e-3;
    double q[7], v[6];
    for (int k = 0; k < 100; ++k) plWorld_Step(w, T);
    checkOk(w, plWorld_RemoveMechanism(w, below.id));
    assert_int_equal(plWorld_ContactEvents(w).endCount, 0);
    plWorld_Step(w, T);
    const plContactEvents e = plWorld_ContactEvents(w);
    assert_int_equal(e.endCount, 2); // with the ground, and with the box above it
    for (int i = 0; i < 2; ++i) {
        const plShapeId gone =
            e.ends[i].shapeA.index1 == below.shape.index1 ? e.ends[i].shapeA : e.ends[i].shapeB;
        assert_int_equal(gone.index1, below.shape.index1);
        assert_false(plWorld_HasShape(w, gone));
    }
    for (int k = 1; k < 50; ++k) plWorld_Step(w, T);
    checkOk(w, plWorld_State(w, above.id, q, v));
    checkNear("speed of the fall", v[2], -9.81 * 50 * T, 1e-6);
    for (int k = 0; k < 600; ++k) plWorld_Step(w, T);
    checkOk(w, plWorld_State(w, above.id, q, v));
    checkNear("height at rest", q[2], 0.05, 1e-5);
    plWorld_Destroy(w);
}

static void groundThatIsRemovedHoldsNothing(void** state)
{
    (void)state;
    plWorld* w = makeField();
    const Thing box = addBox(w, "box", (plVec3){0, 0, 0.05});
    double q[7], v[6];
    for (int k = 0; k < 20; ++k) plWorld_Step(w, 1e-3);
    checkOk(w, plWorld_RemoveShape(w, plWorld_Shape(w, 0)));
    for (int k = 0; k < 100; ++k) plWorld_Step(w, 1e-3);
    checkOk(w, plWorld_State(w, box.id, q, v));
    checkNear("speed of the fall", v[2], -0.981, 1e-6);
    plWorld_Destroy(w);
}

// Bodies that come bring their energy, those that go take it: nothing of it is created or lost.
static void energyComesAndGoesAsApplied(void** state)
{
    (void)state;
    plWorld* w = makeField();
    Thing t = addBox(w, "first", (plVec3){0, 0, 0.5});
    plWorld_Step(w, 1e-3);
    const double lost = plWorld_Balance(w).lost;
    for (int k = 0; k < 40; ++k) {
        const Thing other = addBox(w, "other", (plVec3){0.3, 0, 0.5 + 0.1 * k});
        const plLinkId spring = addSpring(w, "spring", other.id);
        for (int i = 0; i < 5; ++i) plWorld_Step(w, 1e-3);
        if (k % 2) checkOk(w, plWorld_RemoveLink(w, spring));
        checkOk(w, plWorld_RemoveMechanism(w, other.id));
        const plBalance b = plWorld_Balance(w);
        checkNear("lost", b.lost, lost, 1e-9);
        checkAtMost("residual", fabs(plWorld_Ledger(w).residual), 1e-9);
    }
    checkOk(w, plWorld_RemoveMechanism(w, t.id));
    checkNear("energy of an empty world", energyOf(w), 0, 1e-12);
    plWorld_Destroy(w);
}

static void userDataIsKept(void** state)
{
    (void)state;
    plWorld* w = makeField();
    int one, two;
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    plLinkDef link = plDefaultLinkDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    plDeviceId deviceId;
    plCouplingId couplingId;
    plShapeId shape;
    plLinkId linkId;
    void* data = &two;
    body.name = "body", body.userData = &one, body.pose.p.z = 1;
    checkOk(w, plWorld_AddAssembly(w, &body, &ball.mechanism));
    ball.userData = &two;
    ball.shape.radius = 0.1;
    checkOk(w, plWorld_AddShape(w, &ball, &shape));
    link.name = "link", link.a.mechanism = ball.mechanism, link.userData = &one;
    checkOk(w, plWorld_AddLink(w, &link, &linkId));
    device.name = "device", device.userData = &two;
    checkOk(w, plWorld_AddDevice(w, &device, &deviceId));
    coupling.name = "coupling", coupling.device = deviceId, coupling.userData = &one;
    coupling.tool.mechanism = ball.mechanism;
    checkOk(w, plWorld_AddCoupling(w, &coupling, &couplingId));
    checkOk(w, plWorld_MechanismData(w, ball.mechanism, &data));
    assert_ptr_equal(data, &one);
    checkOk(w, plWorld_ShapeData(w, shape, &data));
    assert_ptr_equal(data, &two);
    checkOk(w, plWorld_LinkData(w, linkId, &data));
    assert_ptr_equal(data, &one);
    checkOk(w, plWorld_DeviceData(w, deviceId, &data));
    assert_ptr_equal(data, &two);
    checkOk(w, plWorld_CouplingData(w, couplingId, &data));
    assert_ptr_equal(data, &one);
    const uint64_t hash = plWorld_Hash(w);
    checkOk(w, plWorld_SetMechanismData(w, ball.mechanism, &two));
    checkOk(w, plWorld_SetShapeData(w, shape, NULL));
    checkOk(w, plWorld_SetLinkData(w, linkId, &two));
    checkOk(w, plWorld_SetDeviceData(w, deviceId, NULL));
    checkOk(w, plWorld_SetCouplingData(w, couplingId, &two));
    checkOk(w, plWorld_MechanismData(w, ball.mechanism, &data));
    assert_ptr_equal(data, &two);
    checkOk(w, plWorld_ShapeData(w, shape, &data));
    assert_null(data);
    assert_true(plWorld_Hash(w) == hash);
    assert_int_equal(plWorld_DeviceData(w, (plDeviceId){9, 1}, &data), pl_statusBadId);
    assert_int_equal(plWorld_SetCouplingData(w, (plCouplingId){9, 1}, data), pl_statusBadId);
    // a tool that a coupling holds stays
    assert_int_equal(plWorld_RemoveMechanism(w, ball.mechanism), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "coupling"));
    plWorld_Destroy(w);
}

static void toolsGoWhenTheyAreReleased(void** state)
{
    (void)state;
    plWorld* w = makeField();
    const Thing t = addBox(w, "tool", (plVec3){0, 0, 0.3});
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef c = plDefaultCouplingDef();
    plDeviceId deviceId;
    plCouplingId id;
    device.name = "device";
    device.pose.p = (plVec3){0, 0, 0.3};
    checkOk(w, plWorld_AddDevice(w, &device, &deviceId));
    c.name = "hand", c.kind = pl_couplingVirtual, c.device = deviceId, c.tool.mechanism = t.id;
    checkOk(w, plWorld_AddCoupling(w, &c, &id));
    for (int k = 0; k < 10; ++k) plWorld_Step(w, 1e-3);
    plLinkId link;
    plMechanismId frame;
    checkOk(w, plWorld_FindLink(w, "hand", &link));
    checkOk(w, plWorld_FindMechanism(w, "hand-hand", &frame));
    assert_int_equal(plWorld_RemoveLink(w, link), pl_statusBadArgument);
    assert_int_equal(plWorld_RemoveMechanism(w, frame), pl_statusBadArgument);
    assert_int_equal(plWorld_RemoveMechanism(w, t.id), pl_statusBadArgument);
    checkOk(w, plWorld_Release(w, id));
    checkOk(w, plWorld_RemoveMechanism(w, t.id));
    for (int k = 0; k < 10; ++k) plWorld_Step(w, 1e-3);
    assert_int_equal(plWorld_Grab(w, id, (plSite){.mechanism = t.id}), pl_statusStale);
    const Thing new = addBox(w, "tool", (plVec3){0, 0, 0.3});
    checkOk(w, plWorld_Grab(w, id, (plSite){.mechanism = new.id}));
    for (int k = 0; k < 10; ++k) plWorld_Step(w, 1e-3);
    assert_int_equal(plWorld_Report(w).trouble, 0);
    plWorld_Destroy(w);
}

static void fullWorldTakesWhatGotFree(void** state)
{
    (void)state;
    plWorld* w = makeField();
    Thing t[12], more;
    char name[16];
    for (int i = 0; i < 12; ++i) {
        snprintf(name, sizeof name, "box%d", i);
        t[i] = addBox(w, name, (plVec3){i, 0, 1});
    }
    assert_int_equal(tryBox(w, "more", (plVec3){0, 1, 1}, &more), pl_statusCapacity);
    checkOk(w, plWorld_RemoveMechanism(w, t[5].id));
    checkOk(w, tryBox(w, "more", (plVec3){0, 1, 1}, &more));
    assert_int_equal(more.id.index1, t[5].id.index1);
    // a chain needs more memory than the box has left: it takes new memory, and the next box finds none too small
    checkOk(w, plWorld_RemoveMechanism(w, more.id));
    plChainBodyDef rods[6];
    plChainDef chain = plDefaultChainDef();
    plMechanismId id;
    for (int i = 0; i < 6; ++i) {
        static const char* const names[] = {"r0", "r1", "r2", "r3", "r4", "r5"};
        rods[i] = plDefaultChainBodyDef();
        rods[i].name = names[i];
        rods[i].parent = i - 1;
        rods[i].joint = pl_jointRevolute;
        rods[i].axis = (plVec3){0, 1, 0};
        rods[i].mass = 0.1;
        rods[i].center = (plVec3){0.1, 0, 0};
        rods[i].inertia = diagonal(1e-4, 1e-4, 1e-4);
        if (i > 0) rods[i].frame.p.x = 0.2;
    }
    chain.name = "chain", chain.bodies = rods, chain.bodyCount = 6;
    checkOk(w, plWorld_AddChain(w, &chain, &id));
    for (int k = 0; k < 20; ++k) plWorld_Step(w, 1e-3);
    checkOk(w, plWorld_RemoveMechanism(w, id));
    checkOk(w, tryBox(w, "again", (plVec3){0, 1, 1}, &more));
    for (int k = 0; k < 20; ++k) plWorld_Step(w, 1e-3);
    assert_int_equal(plWorld_Report(w).trouble, 0);
    plWorld_Destroy(w);
}

static void snapshotsFitTheThingsTheyWereTakenOf(void** state)
{
    (void)state;
    plWorld* w = makeField();
    Thing t = addBox(w, "box", (plVec3){0, 0, 0.05});
    addBox(w, "other", (plVec3){0.02, 0, 0.16});
    const size_t size = plWorld_SnapshotSize(w);
    void *before = malloc(size), *after = malloc(size);
    assert_true(before && after);
    for (int k = 0; k < 30; ++k) plWorld_Step(w, 1e-3);
    plWorld_Save(w, before);
    checkOk(w, plWorld_RemoveMechanism(w, t.id));
    assert_int_equal(plWorld_Restore(w, before, size), pl_statusMismatch);
    t = addBox(w, "box", (plVec3){0, 0, 0.05}); // the same, but not the one that was there
    assert_int_equal(plWorld_SnapshotSize(w), size);
    assert_int_equal(plWorld_Restore(w, before, size), pl_statusMismatch);
    for (int k = 0; k < 30; ++k) plWorld_Step(w, 1e-3);
    plWorld_Save(w, after);
    for (int k = 0; k < 50; ++k) plWorld_Step(w, 1e-3);
    const uint64_t hash = plWorld_Hash(w);
    checkOk(w, plWorld_Restore(w, after, size));
    for (int k = 0; k < 50; ++k) plWorld_Step(w, 1e-3);
    assert_true(plWorld_Hash(w) == hash);
    free(before);
    free(after);
    plWorld_Destroy(w);
}

// --- random orders

enum { most = 8 };

typedef struct {
    plWorld* world;
    Thing things[most];
    bool there[most];
    plLinkId links[most];
    bool tied[most];
    plShapeId extra[most];
    bool wears[most];
    int inTouch; // removed while they touched something
} Zoo;

static void act(Zoo* z, plRng* rng, void* snapshot, uint64_t* hash, int* kept)
{
    plWorld* w = z->world;
    const int i = (int)(plRng_Next(rng) % most);
    char name[16];
    switch (plRng_Next(rng) % 8) {
    case 0:
        snprintf(name, sizeof name, "thing%d", i);
        if (z->there[i]) break;
        z->things[i] = addBox(
            w, name, (plVec3){0.11 * (i % 3), 0.11 * (i / 3), 0.05 + plRng_Uniform(rng, 0, 0.01)});
        z->there[i] = true, z->tied[i] = z->wears[i] = false;
        *kept = 0;
        break;
    case 1:
        if (!z->there[i]) break;
        z->inTouch += plWorld_ContactState(w, z->things[i].id) != pl_contactFree;
        checkOk(w, plWorld_RemoveMechanism(w, z->things[i].id));
        assert_int_equal(plWorld_RemoveMechanism(w, z->things[i].id), pl_statusStale);
        if (z->tied[i]) assert_int_equal(plWorld_RemoveLink(w, z->links[i]), pl_statusStale);
        if (z->wears[i]) assert_int_equal(plWorld_RemoveShape(w, z->extra[i]), pl_statusStale);
        z->there[i] = z->tied[i] = z->wears[i] = false;
        *kept = 0;
        break;
    case 2:
        snprintf(name, sizeof name, "tie%d", i);
        if (!z->there[i] || z->tied[i]) break;
        z->links[i] = addSpring(w, name, z->things[i].id);
        z->tied[i] = true;
        *kept = 0;
        break;
    case 3:
        if (!z->tied[i]) break;
        checkOk(w, plWorld_RemoveLink(w, z->links[i]));
        z->tied[i] = false;
        *kept = 0;
        break;
    case 4:
        if (!z->there[i]) break;
        if (z->wears[i]) {
            checkOk(w, plWorld_RemoveShape(w, z->extra[i]));
        } else {
            plPartShapeDef ball =
                plDefaultPartShapeDef(plRng_Next(rng) % 2 ? pl_shapeSphere : pl_shapeCapsule);
            ball.mechanism = z->things[i].id;
            ball.shape.radius = 0.03, ball.shape.length = 0.05, ball.shape.frame.p.z = 0.05;
            if (plWorld_AddShape(w, &ball, &z->extra[i]) != pl_statusOk) break; // no room
        }
        z->wears[i] = !z->wears[i];
        *kept = 0;
        break;
    case 5: // there and back: the same bits
        if (*kept) {
            checkOk(w, plWorld_Restore(w, snapshot, plWorld_SnapshotSize(w)));
            assert_true(plWorld_Hash(w) == *hash);
        } else {
            plWorld_Save(w, snapshot);
            *hash = plWorld_Hash(w), *kept = 1;
        }
        break;
    default:
        for (int n = (int)(plRng_Next(rng) % 12); n >= 0; --n) {
            plWorld_Step(w, 1e-3 * (double)(1 + plRng_Next(rng) % 3));
        }
    }
}

// Whatever is told of the last tick is of what is there.
static void checkEvents(const plWorld* w)
{
    const plContactEvents e = plWorld_ContactEvents(w);
    for (int i = 0; i < e.beginCount; ++i) {
        assert_true(plWorld_HasShape(w, e.begins[i].shapeA) &&
                    plWorld_HasShape(w, e.begins[i].shapeB));
    }
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo c;
        checkOk(w, plWorld_Contact(w, i, &c));
        assert_true(plWorld_HasShape(w, c.shapeA) && plWorld_HasShape(w, c.shapeB));
    }
}

// Two worlds with the same calls: the same bits at every moment, whatever the order.
static void randomOrdersRepeat(void** state)
{
    (void)state;
    const int seeds = sized(12, 200);
    int inTouch = 0;
    for (int seed = 0; seed < seeds; ++seed) {
        Zoo z[2] = {{.world = makeField()}, {.world = makeField()}};
        plRng rng[2] = {plRng_Seed((uint64_t)seed), plRng_Seed((uint64_t)seed)};
        uint64_t hash[2] = {0};
        int kept[2] = {0};
        void* snapshots[2] = {malloc(20u << 20), malloc(20u << 20)};
        assert_true(snapshots[0] && snapshots[1]);
        assert_true(plWorld_SnapshotSize(z[0].world) < 16u << 20);
        for (int k = 0; k < 400; ++k) {
            for (int i = 0; i < 2; ++i) act(&z[i], &rng[i], snapshots[i], &hash[i], &kept[i]);
            assert_true(plWorld_Hash(z[0].world) == plWorld_Hash(z[1].world));
            checkEvents(z[0].world);
            checkAtMost("residual", fabs(plWorld_Ledger(z[0].world).residual), 1e-8);
            if (plWorld_Report(z[0].world).trouble &
                ~(pl_troubleLaw | pl_troubleGuarded | pl_troubleDeep | pl_troubleContactsFull |
                  pl_troubleFast)) {
                fail_msg("seed %d, %d: trouble %x", seed, k,
                         (unsigned)plWorld_Report(z[0].world).trouble);
            }
        }
        // a world with the same history takes the other's snapshot
        plWorld_Save(z[0].world, snapshots[0]);
        plWorld_Step(z[0].world, 1e-3);
        checkOk(z[1].world,
                plWorld_Restore(z[1].world, snapshots[0], plWorld_SnapshotSize(z[1].world)));
        plWorld_Step(z[1].world, 1e-3);
        assert_true(plWorld_Hash(z[0].world) == plWorld_Hash(z[1].world));
        for (int i = 0; i < 2; ++i) plWorld_Destroy(z[i].world);
        for (int i = 0; i < 2; ++i) free(snapshots[i]);
        inTouch += z[0].inTouch;
    }
    print_message("%d removed while they touched\n", inTouch);
    assert_true(inTouch > 5 * seeds); // else it would show nothing
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placesAndMemoryAreUsedAgain),
        cmocka_unit_test(staleIdsAreToldByEveryFunction),
        cmocka_unit_test(emptyPlacesAreNotListed),
        cmocka_unit_test(whatRestedOnItFalls),
        cmocka_unit_test(groundThatIsRemovedHoldsNothing),
        cmocka_unit_test(energyComesAndGoesAsApplied),
        cmocka_unit_test(userDataIsKept),
        cmocka_unit_test(toolsGoWhenTheyAreReleased),
        cmocka_unit_test(fullWorldTakesWhatGotFree),
        cmocka_unit_test(snapshotsFitTheThingsTheyWereTakenOf),
        cmocka_unit_test(randomOrdersRepeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
