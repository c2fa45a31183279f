// Mechanisms of every kind come and go in random orders, while a hand takes and leaves them: nothing breaks, places and
// memory are used again, and two worlds with the same calls have the same bits at every moment.
#include "world/inside.h"
#include "worlds.h"

#include <string.h>

enum { box, chain, jointed, frame, own, soft, kinds, most = 10 };

typedef struct {
    plWorld* world;
    plTets mesh;
    plCouplingId hand;
    plMechanismId ids[most];
    int kind[most]; // -1: none
    plMechanismId stale;
    int inTouch[kinds]; // removed while they touched something
} Zoo;

static void rodPlace(void* self, const double* q, plPose* parts)
{
    (void)self;
    parts[0].p = (plVec3){0.3 * cos(q[0]), 0, 0.34 - 0.3 * sin(q[0])};
}

static void rodTwist(void* self, const double* q, int part, double* J)
{
    (void)self, (void)part;
    J[0] = -0.3 * sin(q[0]);
    J[2] = -0.3 * cos(q[0]);
}

static Zoo makeZoo(void)
{
    Zoo z = {.world = NULL};
    plWorldDef def = plDefaultWorldDef();
    plPartShapeDef ground = plDefaultPartShapeDef(pl_shapePlane);
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef c = plDefaultCouplingDef();
    const plAllocator allocator = plDefaultAllocator();
    plShapeId shape;
    def.capacity.mechanisms = 16;
    def.capacity.shapes = 40;
    def.capacity.softFaces = def.capacity.softNodes = 6000;
    checkOk(NULL, plWorld_Create(&def, &z.world));
    checkOk(z.world, plWorld_AddShape(z.world, &ground, &shape));
    assert_int_equal(
        plTets_Box(2, 1, 1, (plVec3){0, 0, 0}, (plVec3){0.2, 0.1, 0.1}, &allocator, &z.mesh),
        pl_statusOk);
    device.name = "device";
    checkOk(z.world, plWorld_AddDevice(z.world, &device, &c.device));
    c.name = "hand", c.kind = pl_couplingVirtual;
    checkOk(z.world, plWorld_AddCoupling(z.world, &c, &z.hand));
    for (int i = 0; i < most; ++i) z.kind[i] = -1;
    return z;
}

static plVec3 spotOf(int i, plRng* rng)
{
    return (plVec3){0.23 * (i % 4), 0.13 * (i / 4), 0.05 + plRng_Uniform(rng, 0, 0.005)};
}

static plStatus addChain(plWorld* w, const char* name, plVec3 p, int count, plMechanismId* id)
{
    plChainBodyDef rods[4];
    plChainDef def = plDefaultChainDef();
    static const char* const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < count; ++i) {
        rods[i] = plDefaultChainBodyDef();
        rods[i].name = names[i], rods[i].parent = i - 1, rods[i].joint = pl_jointRevolute;
        rods[i].axis = (plVec3){0, 1, 0}, rods[i].mass = 0.2, rods[i].center = (plVec3){0.05, 0, 0};
        rods[i].inertia = diagonal(2e-4, 2e-4, 2e-4);
        if (i > 0) rods[i].frame.p.x = 0.1;
    }
    def.name = name, def.bodies = rods, def.bodyCount = count, def.base.p = p;
    return plWorld_AddChain(w, &def, id);
}

static plStatus addJointed(plWorld* w, const char* name, plVec3 p, plMechanismId* id)
{
    plJointedBodyDef body = plDefaultJointedBodyDef();
    plJointDef pin = plDefaultJointDef();
    plJointedDef def = plDefaultJointedDef();
    body.name = "bar", body.mass = 0.3, body.pose.p = p, body.inertia = diagonal(1e-3, 1e-3, 1e-3);
    pin.name = "pin", pin.a = 0, pin.b = -1, pin.kind = pl_constraintSpherical;
    pin.frameA.p.x = -0.1;
    pin.frameB.p = (plVec3){p.x - 0.1, p.y, p.z};
    def.name = name, def.bodies = &body, def.bodyCount = 1, def.joints = &pin, def.jointCount = 1;
    return plWorld_AddJointed(w, &def, id);
}

static plStatus addKind(Zoo* z, int kind, const char* name, plVec3 p, int size, plMechanismId* id)
{
    static const plMass bead = {.mass = 0.3};
    plAssemblyDef body = plDefaultAssemblyDef();
    plPrescribedDef moved = plDefaultPrescribedDef();
    plOwnMechanismDef wire = plDefaultOwnMechanismDef();
    plSoftDef gum = plDefaultSoftDef();
    switch (kind) {
    case box:
        body.name = name, body.pose.p = p, body.inertia = diagonal(2e-3, 2e-3, 2e-3);
        return plWorld_AddAssembly(z->world, &body, id);
    case chain:
        return addChain(z->world, name, p, 1 + size, id);
    case jointed:
        return addJointed(z->world, name, p, id);
    case frame:
        moved.name = name, moved.pose.p = p;
        return plWorld_AddPrescribed(z->world, &moved, id);
    case own:
        wire.name = name, wire.masses = &bead, wire.place = rodPlace, wire.twist = rodTwist;
        return plWorld_AddOwnMechanism(z->world, &wire, id);
    default:
        gum.name = name, gum.mesh = &z->mesh, gum.pose.p = p;
        return plWorld_AddSoft(z->world, &gum, id);
    }
}

static void add(Zoo* z, int i, plRng* rng)
{
    const int kind = (int)(plRng_Next(rng) % kinds), size = (int)(plRng_Next(rng) % 4);
    const plVec3 p = spotOf(i, rng);
    plPartShapeDef ball = plDefaultPartShapeDef(plRng_Next(rng) % 2 ? pl_shapeSphere : pl_shapeBox);
    plShapeId shape;
    char name[16];
    snprintf(name, sizeof name, "thing%d", i);
    const plStatus status = addKind(z, kind, name, p, size, &z->ids[i]);
    if (kind == soft && status == pl_statusCapacity) return; // surfaces are not given back
    checkOk(z->world, status);
    z->kind[i] = kind;
    if (kind == soft) return;
    ball.mechanism = z->ids[i], ball.shape.radius = 0.05, ball.shape.half = all3(0.04);
    checkOk(z->world, plWorld_AddShape(z->world, &ball, &shape));
}

static bool isHeld(const Zoo* z, int i)
{
    plCouplingDef def;
    checkOk(z->world, plWorld_CouplingDef(z->world, z->hand, &def));
    return plWorld_Holds(z->world, z->hand) && def.tool.mechanism.index1 == z->ids[i].index1;
}

// It has a place and memory already when its energy turns out to be infinite: all is given back.
static void addInVain(Zoo* z)
{
    plAssemblyDef body = plDefaultAssemblyDef();
    plMechanismId id;
    body.name = "vain", body.pose.p.z = 1e308, body.mass = 1e3;
    assert_int_equal(plWorld_AddAssembly(z->world, &body, &id), pl_statusBadArgument);
}

// Memory that belongs to one place belongs to no other.
static void checkPlots(const plWorld* w)
{
    const plSlot* all[128];
    int count = 0;
    for (int i = 0; i < w->mechanismCount; ++i) all[count++] = &w->slots.mechanisms[i];
    for (int i = 0; i < w->shapeCount; ++i) all[count++] = &w->slots.shapes[i];
    for (int i = 0; i < w->linkCount; ++i) all[count++] = &w->slots.links[i];
    for (int i = 0; i < count; ++i) {
        const plSlot* a = all[i];
        assert_true(a->fixed + a->fixedSize <= w->fixed.used);
        assert_true(a->state + a->stateSize <= w->state.used);
        for (int k = 0; k < i; ++k) {
            const plSlot* b = all[k];
            const bool fixed =
                a->fixed < b->fixed + b->fixedSize && b->fixed < a->fixed + a->fixedSize;
            const bool state =
                a->state < b->state + b->stateSize && b->state < a->state + a->stateSize;
            if (fixed || state) fail_msg("places %d and %d share memory", i, k);
        }
    }
}

static void act(Zoo* z, plRng* rng)
{
    plWorld* w = z->world;
    const int i = (int)(plRng_Next(rng) % most);
    double q[8];
    switch (plRng_Next(rng) % 7) {
    case 0:
    case 1:
        if (z->kind[i] < 0) add(z, i, rng);
        break;
    case 2:
        if (z->kind[i] < 0) break;
        if (isHeld(z, i)) {
            assert_int_equal(plWorld_RemoveMechanism(w, z->ids[i]), pl_statusBadArgument);
            checkOk(w, plWorld_Release(w, z->hand));
        }
        z->inTouch[z->kind[i]] += plWorld_ContactState(w, z->ids[i]) != pl_contactFree;
        checkOk(w, plWorld_RemoveMechanism(w, z->ids[i]));
        z->stale = z->ids[i];
        z->kind[i] = -1;
        break;
    case 6:
        addInVain(z);
        break;
    case 3:
        if (z->kind[i] < 0 || z->kind[i] == frame || z->kind[i] == soft) break;
        checkOk(w, plWorld_Grab(w, z->hand, (plSite){.mechanism = z->ids[i]}));
        break;
    default:
        for (int n = (int)(plRng_Next(rng) % 12); n >= 0; --n) plWorld_Step(w, 1e-3);
    }
    if (z->stale.index1) assert_int_equal(plWorld_State(w, z->stale, q, NULL), pl_statusStale);
}

// Whatever is told of the last tick is of what is there.
static void checkContacts(const plWorld* w)
{
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo c;
        checkOk(w, plWorld_Contact(w, i, &c));
        assert_true(plWorld_HasShape(w, c.shapeA) && plWorld_HasShape(w, c.shapeB));
    }
}

static void checkAlike(const Zoo* a, const Zoo* b, uint64_t seed, int k)
{
    const plContactEvents e = plWorld_ContactEvents(a->world), f = plWorld_ContactEvents(b->world);
    const bool alike = plWorld_Hash(a->world) == plWorld_Hash(b->world) &&
                       e.beginCount == f.beginCount && e.endCount == f.endCount &&
                       e.hitCount == f.hitCount;
    if (!alike) fail_msg("seed %d, call %d: two worlds differ", (int)seed, k);
    const int bad = plWorld_Report(a->world).trouble &
                    (pl_troubleNotFinite | pl_troubleBadStep | pl_troubleGained);
    if (bad) fail_msg("seed %d, call %d: trouble %x", (int)seed, k, (unsigned)bad);
    if (!(fabs(plWorld_Ledger(a->world).residual) < 1e-6)) {
        fail_msg("seed %d, call %d: residual %g", (int)seed, k, plWorld_Ledger(a->world).residual);
    }
}

// A snapshot in the middle of a course, restored at its end: the same course again.
static void allKindsComeAndGo(void** state)
{
    (void)state;
    const char* from = getenv("PALP_SEED");
    const uint64_t first = from ? strtoull(from, NULL, 10) : 0;
    size_t used = 0;
    int inTouch[kinds] = {0};
    for (uint64_t seed = first; seed < first + (uint64_t)sized(8, 300); ++seed) {
        Zoo z[2] = {makeZoo(), makeZoo()};
        plRng rng[2] = {plRng_Seed(seed), plRng_Seed(seed)};
        for (int k = 0; k < 250; ++k) {
            for (int i = 0; i < 2; ++i) act(&z[i], &rng[i]);
            checkAlike(&z[0], &z[1], seed, k);
            checkContacts(z[0].world);
            checkPlots(z[0].world);
        }
        const size_t size = plWorld_SnapshotSize(z[0].world);
        void* snapshot = malloc(size);
        assert_non_null(snapshot);
        plWorld_Save(z[0].world, snapshot);
        for (int k = 0; k < 10; ++k) plWorld_Step(z[0].world, 1e-3);
        const uint64_t hash = plWorld_Hash(z[0].world);
        checkOk(z[0].world, plWorld_Restore(z[0].world, snapshot, size));
        checkOk(z[1].world, plWorld_Restore(z[1].world, snapshot, size)); // of the same history
        for (int i = 0; i < 2; ++i) {
            for (int k = 0; k < 10; ++k) plWorld_Step(z[i].world, 1e-3);
            if (plWorld_Hash(z[i].world) != hash)
                fail_msg("seed %d: another course after a snapshot", (int)seed);
        }
        used = plWorld_Memory(z[0].world).used > used ? plWorld_Memory(z[0].world).used : used;
        free(snapshot);
        for (int i = 0; i < kinds; ++i) inTouch[i] += z[0].inTouch[i];
        for (int i = 0; i < 2; ++i) {
            plWorld_Destroy(z[i].world);
            plTets_Free(&z[i].mesh);
        }
    }
    print_message("at most %.1f MB; removed in touch: %d boxes, %d chains, %d jointed, %d of the "
                  "user, %d soft\n",
                  (double)used / 1e6, inTouch[box], inTouch[chain], inTouch[jointed], inTouch[own],
                  inTouch[soft]);
    assert_true(inTouch[box] > 3 && inTouch[soft] > 0); // else it would show nothing
}

// All places are taken, the one that is free is too small, and what is to go there is refused at last: the place is as
// it was, so that what others took meanwhile is not given away twice.
static void refusedThingsLeavePlacesAsTheyWere(void** state)
{
    (void)state;
    plWorldDef def = plDefaultWorldDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    Zoo z = {.world = NULL};
    plMechanismId small, id;
    plShapeId shape;
    def.capacity.mechanisms = 2;
    checkOk(NULL, plWorld_Create(&def, &z.world));
    checkOk(z.world, addChain(z.world, "small", (plVec3){0, 0, 1}, 1, &small));
    body.name = "body", body.pose.p.z = 1;
    checkOk(z.world, plWorld_AddAssembly(z.world, &body, &ball.mechanism));
    checkOk(z.world, plWorld_RemoveMechanism(z.world, small));
    addInVain(&z);
    checkPlots(z.world);
    checkOk(z.world, plWorld_AddShape(z.world, &ball, &shape));
    body.name = "other", body.pose.p.z = 3;
    checkOk(z.world, plWorld_AddAssembly(z.world, &body, &id));
    checkPlots(z.world);
    for (int k = 0; k < 20; ++k) plWorld_Step(z.world, 1e-3);
    assert_int_equal(plWorld_Report(z.world).trouble, 0);
    plWorld_Destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refusedThingsLeavePlacesAsTheyWere),
                                       cmocka_unit_test(allKindsComeAndGo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
