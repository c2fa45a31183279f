// A world of 30 Hz, felt at 1 kHz by its echo.
//   letters  K stiffness of the coupling [N/m], T step of the world [s], h of the device [s]
#include "clips.h"

enum { writes = 34 };
static const double T = 1. / 30, h = 1. / (30 * writes);
static const double stiffness = 2000; // of all couplings [N/m]

// ------------------------------------------------------------------------------------ worlds

/// A world with one hand, whose pose the test knows.
typedef struct {
    plWorld* world;
    plDeviceId device;
    plCouplingId coupling;
    plPose hand;
    plEcho *echo, *next; // what is felt, and where the next one is put
    int late;            // writes after a tick until its echo is felt
} Rig;

static void tellPose(void* self, double time, plSample* s)
{
    (void)time;
    s->pose = ((Rig*)self)->hand;
}

static void hearNothing(void* self, const plWrench* f, double step)
{
    (void)self, (void)f, (void)step;
}

static double reach = 0.01;

static plWorldDef worldDef(double mu)
{
    plWorldDef def = plDefaultWorldDef();
    def.contact.law = pl_lawCone;
    def.contact.reach = reach;
    def.contact.surface.friction = mu;
    return def;
}

static void addHand(Rig* r, plSite tool, plPose pose, double B)
{
    const plAllocator allocator = plDefaultAllocator();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    r->hand = pose;
    device.name = "hand";
    device.pose = pose;
    device.calls = (plDeviceCalls){.self = r, .sample = tellPose, .write = hearNothing};
    checkOk(r->world, plWorld_AddDevice(r->world, &device, &r->device));
    coupling.name = "hold";
    coupling.kind = pl_couplingVirtual;
    coupling.device = r->device;
    coupling.tool = tool;
    coupling.stiffness = all3(stiffness);
    coupling.damping = all3(B);
    coupling.turnStiffness = all3(2);
    coupling.turnDamping = all3(0.01);
    checkOk(r->world, plWorld_AddCoupling(r->world, &coupling, &r->coupling));
    checkOk(NULL, plEcho_Create(plEchoContacts, &allocator, &r->echo));
    checkOk(NULL, plEcho_Create(plEchoContacts, &allocator, &r->next));
    r->late = 0;
}

/// A ball of 0.1 kg and 1 cm, its lowest point `gap` above the floor.
static void makeBall(Rig* r, double mu, double gap, double B)
{
    const plWorldDef def = worldDef(mu);
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef shape = plDefaultPartShapeDef(pl_shapeSphere);
    plMechanismId id;
    plShapeId shapeId;
    checkOk(NULL, plWorld_Create(&def, &r->world));
    addFloor(r->world, 0);
    body.name = "ball";
    body.mass = 0.1;
    body.inertia = diagonal(4e-6, 4e-6, 4e-6);
    body.pose.p.z = 0.01 + gap;
    checkOk(r->world, plWorld_AddAssembly(r->world, &body, &id));
    shape.mechanism = id;
    shape.shape.radius = 0.01;
    checkOk(r->world, plWorld_AddShape(r->world, &shape, &shapeId));
    addHand(r, (plSite){.mechanism = id}, body.pose, B);
}

/// 0.2 x 0.1 x 0.1 m, 2 kg, on the floor; the hand has its frame.
static void makeBlock(Rig* r, double E, double mu)
{
    const plAllocator allocator = plDefaultAllocator();
    const plWorldDef def = worldDef(mu);
    plSoftDef block = plDefaultSoftDef();
    plMechanismId id;
    plMotion m;
    plTets mesh;
    int list[64];
    assert_int_equal(
        plTets_Box(4, 2, 2, (plVec3){-0.1, -0.05, 0}, (plVec3){0.1, 0.05, 0.1}, &allocator, &mesh),
        pl_statusOk);
    checkOk(NULL, plWorld_Create(&def, &r->world));
    addFloor(r->world, 0);
    for (int i = 0; i < mesh.pointCount; ++i) {
        if (mesh.points[i].z < 1e-9) list[block.candidateCount++] = i;
    }
    block.name = "block";
    block.mesh = &mesh;
    block.elastic.E = E;
    block.candidates = list;
    checkOk(r->world, plWorld_AddSoft(r->world, &block, &id));
    plTets_Free(&mesh);
    checkOk(r->world, plWorld_Motion(r->world, (plSite){.mechanism = id}, &m));
    addHand(r, (plSite){.mechanism = id}, (plPose){m.x, {1, 0, 0, 0}}, 20);
}

static void drop(Rig* r)
{
    plEcho_Destroy(r->echo);
    plEcho_Destroy(r->next);
    plWorld_Destroy(r->world);
}

// ------------------------------------------------------------------------------------- hands

static plVec3 between(plVec3 a, plVec3 b, double s)
{
    const double c = s <= 0 ? 0 : s >= 1 ? 1 : s * s * s * (10 - 15 * s + 6 * s * s);
    return (plVec3){a.x + c * (b.x - a.x), a.y + c * (b.y - a.y), a.z + c * (b.z - a.z)};
}

typedef struct {
    double time;
    plVec3 p;
} Stop;

static plVec3 placeAt(const Stop* stops, int count, double t)
{
    int i = 1;
    while (i + 1 < count && t > stops[i].time) ++i;
    return between(stops[i - 1].p, stops[i].p,
                   (t - stops[i - 1].time) / (stops[i].time - stops[i - 1].time));
}

/// A hand of mass m that pulls by k and c to where it wants to be; m = 0: it is there.
typedef struct {
    double m, k, c;
    plVec3 x, v, carries;
} Arm;

static void moveArm(Arm* a, plVec3 want, plVec3 force)
{
    if (a->m == 0) {
        a->x = want;
        return;
    }
    const double* w = &want.x;
    const double* f = &force.x;
    double *x = &a->x.x, *v = &a->v.x;
    for (int i = 0; i < 3; ++i) {
        v[i] += h * (f[i] - (&a->carries.x)[i] + a->k * (w[i] - x[i]) - a->c * v[i]) / a->m;
        x[i] += h * v[i];
    }
}

typedef struct {
    double jump;    // of the force at a slow tick, as a share of the force or of 0.1 N
    double step;    // the same with what the hand's own motion does in this write
    double firm;    // the same where the force is 1 N or more
    double held;    // the same, if the tick's force were held
    double created; // most, as a share of the energy moved, once that is 0.1 mJ
    double early;   // most before that [J]
    double heldCreated;
    double most;         // [N]
    double given, moved; // [J]
    int silent;          // ticks without an echo
} Felt;

static double sizeOf(plVec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }
static double dot(plVec3 a, plVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// The first write behind a tick against the last one before it. A hand that moved by dx in between changes
// the force of a spring K by K dx; what is more than that, the tick did.
static void judgeStep(plVec3 now, plVec3 last, double dx, Felt* felt)
{
    const double size = fmax(sizeOf(now), 0.1), step = sizeOf(sub(now, last));
    felt->jump = fmax(felt->jump, (step - stiffness * dx) / size);
    felt->step = fmax(felt->step, step / size);
    if (size >= 1) felt->firm = fmax(felt->firm, step / size);
}

// What the ledger shows behind a tick: given to the hand by all writes, and taken by the world's frame.
static void judgePort(const Rig* r, double given, double heldGiven, Felt* felt)
{
    plPort port;
    checkOk(r->world, plWorld_Port(r->world, r->coupling, &port));
    if (felt->moved < 1e-4) {
        felt->early = fmax(felt->early, given + port.tool);
        return;
    }
    felt->created = fmax(felt->created, (given + port.tool) / felt->moved);
    felt->heldCreated = fmax(felt->heldCreated, (heldGiven + port.tool) / felt->moved);
}

// The hand goes on with the echo that was taken.
static void goOn(Rig* r)
{
    plEcho* before = r->echo;
    plEcho_Follow(r->next, before);
    r->echo = r->next;
    r->next = before;
}

enum { settling = 30 };

/// Ticks of T with writes of h in between, from the hand's first stop to its last, after it has held
/// still there.
static Felt feel(Rig* r, const Stop* stops, int count, Arm arm)
{
    const int ticks = settling + (int)(stops[count - 1].time / T);
    plVec3 last = {0, 0, 0}, heldLast = {0, 0, 0};
    double heldGiven = 0, dx = 0;
    plWrench f, mean;
    Felt felt = {0};
    arm.x = stops[0].p;
    for (int k = 0; k < ticks; ++k) {
        r->hand.p = arm.x;
        plWorld_Step(r->world, T);
        felt.silent += !plWorld_TakeEcho(r->world, r->coupling, r->next);
        judgePort(r, felt.given, heldGiven, &felt);
        checkOk(r->world, plWorld_DeviceForce(r->world, r->device, &mean));
        if (k > settling) {
            const double size = fmax(sizeOf(mean.force), 0.1);
            felt.held = fmax(felt.held, sizeOf(sub(mean.force, heldLast)) / size);
        }
        heldLast = mean.force;
        for (int i = 0; i < writes; ++i) {
            const double time = ((k - settling) * writes + i + 1) * h;
            const plPose pose = {arm.x, r->hand.q};
            if (i == r->late) goOn(r);
            plEcho_Render(r->echo, h, pose, &f);
            if (i == r->late && k > settling) judgeStep(f.force, last, dx, &felt);
            last = f.force;
            felt.most = fmax(felt.most, sizeOf(f.force));
            if (time > 0) {
                if (k == settling && i == 0) arm.carries = f.force; // its muscles hold the tool
                moveArm(&arm, placeAt(stops, count, time), f.force);
            }
            const plVec3 way = sub(arm.x, pose.p);
            felt.given += dot(f.force, way);
            felt.moved += fabs(dot(f.force, way));
            heldGiven += dot(mean.force, way);
            dx = sizeOf(way);
        }
    }
    return felt;
}

static void tellFelt(const char* what, const Felt* f)
{
    print_message(
        "%s: jump %.4f (step %.3f, of 1 N or more %.3f; held %.2f), created %.1e of %.4f J "
        "(held %.1e, early %.1e J), at most %.2f N, %d ticks without\n",
        what, f->jump, f->step, f->firm, f->held, f->created, f->moved, f->heldCreated, f->early,
        f->most, f->silent);
}

// --------------------------------------------------------------------------------------- facts

static plPose moved(plPose from, plVec3 by, double turn)
{
    const plQuat q = from.q, t = {cos(turn / 2), 0, 0, sin(turn / 2)};
    return (plPose){{from.p.x + by.x, from.p.y + by.y, from.p.z + by.z},
                    {t.w * q.w - t.z * q.z, t.w * q.x - t.z * q.y, t.w * q.y + t.z * q.x,
                     t.w * q.z + t.z * q.w}};
}

// The next tick with the hand at a pose, from a snapshot, against what the echo says of it: the largest
// difference as a share of the force.
static double answerError(Rig* r, plPose pose)
{
    const size_t size = plWorld_SnapshotSize(r->world);
    void* snapshot = malloc(size);
    const plPose hand = r->hand;
    plWrench said, came;
    plWorld_Save(r->world, snapshot);
    assert_true(plEcho_Answer(r->echo, pose, &said));
    r->hand = pose;
    plWorld_Step(r->world, T);
    checkOk(r->world, plWorld_DeviceForce(r->world, r->device, &came));
    checkOk(r->world, plWorld_Restore(r->world, snapshot, size));
    r->hand = hand;
    free(snapshot);
    return fmax(sizeOf(sub(said.force, came.force)) / fmax(sizeOf(came.force), 0.1),
                sizeOf(sub(said.torque, came.torque)) / fmax(sizeOf(came.torque), 1e-3));
}

static void run30(Rig* r, plVec3 velocity, int ticks)
{
    for (int k = 0; k < ticks; ++k) {
        r->hand = moved(r->hand, (plVec3){velocity.x * T, velocity.y * T, velocity.z * T}, 0);
        plWorld_Step(r->world, T);
        assert_true(plWorld_TakeEcho(r->world, r->coupling, r->echo));
    }
}

static void aHandThatStandsFeelsTheNextTick(void** state)
{
    (void)state;
    const plVec3 none = {0, 0, 0};
    const double gaps[] = {0.2, 0};
    for (int i = 0; i < 2; ++i) {
        double most = 0;
        Rig r;
        makeBall(&r, 0.5, gaps[i], 20);
        run30(&r, (plVec3){0, 0, -0.01}, 15);
        for (int k = 0; k < 60; ++k) {
            most = fmax(most, answerError(&r, r.hand));
            run30(&r, none, 1);
        }
        print_message("%s: off by %.1e\n", i ? "pressed" : "free", most);
        checkAtMost("force", most, 1e-9);
        drop(&r);
    }
}

// A free ball, one that sticks under load, one that is about to touch: the law is met as the tick will.
static void theEchoIsTheNextTick(void** state)
{
    (void)state;
    const struct {
        const char* name;
        double gap;
        plVec3 velocity, by;
        double turn;
    } cases[] = {{"free, stands", 0.2, {0.02, 0, 0.01}, {0, 0, 0}, 0},
                 {"free", 0.2, {0.02, 0, 0.01}, {3e-3, 1e-3, -2e-3}, 0},
                 {"stuck, stands", 0, {0, 0, -0.01}, {0, 0, 0}, 0},
                 {"stuck", 0, {0, 0, -0.01}, {0, 0, -2e-3}, 0},
                 {"leaves", 0, {0, 0, -0.01}, {0, 0, 0.03}, 0},
                 {"touches", 0.012, {0, 0, -0.01}, {0, 0, -0.02}, 0},
                 {"turned", 0.2, {0.02, 0, 0.01}, {1e-3, 0, 0}, 0.05}};
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); ++i) {
        Rig r;
        makeBall(&r, 0.5, cases[i].gap, 20);
        run30(&r, cases[i].velocity, 20);
        const double error = answerError(&r, moved(r.hand, cases[i].by, cases[i].turn));
        print_message("%s: off by %.1e\n", cases[i].name, error);
        checkAtMost(cases[i].name, error, sizeOf(cases[i].by) == 0 ? 1e-9 : 1e-6);
        drop(&r);
    }
}

static void takingAnEchoChangesNothing(void** state)
{
    (void)state;
    for (int soft = 0; soft < 2; ++soft) {
        Rig a, b;
        Rig* const both[] = {&a, &b};
        for (int i = 0; i < 2; ++i) {
            if (soft) {
                makeBlock(both[i], 1e5, 0.5);
            } else {
                makeBall(both[i], 0.5, 0.003, 20);
            }
        }
        const double z = a.hand.p.z;
        for (int k = 0; k < 60; ++k) {
            a.hand.p.z = b.hand.p.z = z - 0.006 * sin(0.2 * k);
            plWorld_Step(a.world, T);
            plWorld_Step(b.world, T);
            assert_true(plWorld_TakeEcho(b.world, b.coupling, b.echo));
            assert_true(plWorld_Hash(a.world) == plWorld_Hash(b.world));
        }
        drop(&a);
        drop(&b);
    }
}

static void whatIsRenderedIsFiniteAndWithinLimits(void** state)
{
    (void)state;
    const plVec3 limit = {3, 3, 3};
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    plWrench f;
    Rig r;
    makeBall(&r, 0.5, 0, 20);
    plEcho_Render(r.echo, h, r.hand, &f); // before any tick
    checkAtMost("force", sizeOf(f.force), 0);
    assert_false(plWorld_TakeEcho(r.world, r.coupling, r.echo));
    checkOk(r.world, plWorld_SetDeviceLimits(r.world, r.device, limit, limit));
    run30(&r, (plVec3){0, 0, -0.01}, 20);
    for (int i = 0; i < 200; ++i) {
        plPose pose = moved(r.hand, (plVec3){0, 0.3 * sin(i), 1e-3 * i}, 0.1 * i);
        if (i % 7 == 3) pose.p.x = bad[i % 3];
        if (i % 11 == 5) pose.q = (plQuat){0, 0, 0, 0};
        plEcho_Render(r.echo, i % 13 == 7 ? bad[0] : h, pose, &f);
        const double* a = &f.force.x;
        for (int k = 0; k < 3; ++k) assert_true(fabs(a[k]) <= 3 && fabs((&f.torque.x)[k]) <= 3);
        if (i % 7 == 3) checkAtMost("force", sizeOf(f.force) + sizeOf(f.torque), 0);
    }
    drop(&r);
}

static void aHandGoesOnWithAnotherEcho(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    plEcho* echoes[2];
    plWrench one, two;
    Rig r;
    makeBall(&r, 0.5, 0, 20);
    echoes[0] = r.echo;
    checkOk(NULL, plEcho_Create(8, &allocator, &echoes[1]));
    plEcho* alone;
    checkOk(NULL, plEcho_Create(8, &allocator, &alone));
    for (int k = 0; k < 40; ++k) {
        plEcho *now = echoes[k % 2], *last = echoes[(k + 1) % 2];
        r.hand.p.z = 0.01 - 1e-4 * k;
        plWorld_Step(r.world, T);
        assert_true(plWorld_TakeEcho(r.world, r.coupling, now));
        assert_true(plWorld_TakeEcho(r.world, r.coupling, alone));
        if (k > 0) plEcho_Follow(now, last);
        for (int i = 0; i < writes; ++i) {
            const plPose pose = moved(r.hand, (plVec3){0, 0, -1e-4 * i / writes}, 0);
            plEcho_Render(now, h, pose, &one);
            plEcho_Render(alone, h, pose, &two);
            checkNear("force", one.force.z, two.force.z, 1e-12);
        }
    }
    plEcho_Destroy(echoes[1]);
    plEcho_Destroy(alone);
    drop(&r);
}

// ------------------------------------------------------------------------------- slow worlds

static const Arm arms[] = {{.m = 0}, {.m = 0.2, .k = 500, .c = 10}, {.m = 0.3, .k = 3000, .c = 30}};
static const char* const armNames[] = {"led", "by an arm", "by a stiff arm"};

static void checkFelt(const char* what, const Felt* f)
{
    tellFelt(what, f);
    checkAtMost("jump", f->jump, 0.05);
    checkAtMost("created", f->created, 1e-3);
    checkAtMost("created early", f->early, 1e-6);
    assert_int_equal(f->silent, 0);
}

static void aBallOnAFloorIsFelt(void** state)
{
    (void)state;
    const Stop stops[] = {{0, {0, 0, 0.015}},    {0.5, {0, 0, 0.007}},    {1, {0, 0, 0.005}},
                          {2, {0.03, 0, 0.005}}, {2.5, {0.03, 0, 0.015}}, {3, {0.03, 0, 0.015}}};
    for (int i = 0; i < 3; ++i) {
        Rig r;
        makeBall(&r, 0.3, 0.005, 20);
        const Felt f = feel(&r, stops, 6, arms[i]);
        print_message("ball, ");
        checkFelt(armNames[i], &f);
        drop(&r);
    }
}

static void feelBlow(Rig* r, double speed, Arm arm, const char* name, bool meets)
{
    const double t = 0.035 / speed * 15 / 8;
    const Stop stops[] = {{0, {0, 0, 0.04}},
                          {t, {0, 0, 0.005}},
                          {t + 0.3, {0, 0, 0.005}},
                          {2 * t + 0.3, {0, 0, 0.04}},
                          {2 * t + 0.6, {0, 0, 0.04}}};
    const Felt f = feel(r, stops, 5, arm);
    print_message("%g m/s, %s %d, ", speed, meets ? "seen, late" : "not asked, late", r->late);
    tellFelt(name, &f);
    checkAtMost("most", f.most, 12); // led without a world's delay: 8.9 N
    if (meets) checkAtMost("created", f.created, 1e-3);
    // a soft arm that bounces at 0.1 m/s, or waits for its echo, feels up to 0.16 of 0.1 N
    if (meets && speed < 0.1 && r->late == 0) checkAtMost("jump", f.jump, 0.05);
}

// The floor is known to the echo when it is within the world's reach of the tool in the tick before; what
// is met later than that, or moves by more than a centimetre in two ticks, is felt too late.
static void aBlowThatIsSeenComingCreatesNothing(void** state)
{
    (void)state;
    const struct {
        double speed, reach, B;
        bool meets;
    } cases[] = {{0.05, 0.01, 20, true}, {0.1, 0.01, 20, true}, {0.2, 0.02, 20, false},
                 {0.4, 0.03, 20, false}, {0.1, 0, 20, false},   {0.1, 0.01, 0, false},
                 {0.1, 0.01, 60, false}};
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); ++i) {
        for (int k = 0; k < 3; ++k) {
            Rig r;
            reach = cases[i].reach;
            makeBall(&r, 0.3, 0.03, cases[i].B);
            print_message("reach %g m, B %g, ", reach, cases[i].B);
            feelBlow(&r, cases[i].speed, arms[k], armNames[k], cases[i].meets);
            drop(&r);
        }
    }
    reach = 0.01;
}

// The world's thread computes while the hand feels the echo before. Up to 5 ms this costs nothing; half a
// tick and more create, and the full toll keeps an arm from being shaken.
static void anEchoMayComeLate(void** state)
{
    (void)state;
    for (int late = 5; late < writes; late += 14) {
        for (int k = 0; k < 3; ++k) {
            Rig r;
            makeBall(&r, 0.3, 0.03, 20);
            r.late = late;
            feelBlow(&r, 0.05, arms[k], armNames[k], late < 10);
            drop(&r);
        }
    }
}

static void aSoftBlockIsFelt(void** state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        Rig r;
        makeBlock(&r, 1e5, 0.3);
        const plVec3 x = r.hand.p;
        const Stop stops[] = {{0, x},
                              {1, {x.x, x.y, x.z - 5e-3}},
                              {2, {x.x + 0.04, x.y, x.z - 5e-3}},
                              {3, {x.x + 0.04, x.y, x.z + 20e-3}},
                              {3.5, {x.x + 0.04, x.y, x.z + 20e-3}}};
        const Felt f = feel(&r, stops, 5, arms[i]);
        print_message("block, ");
        checkFelt(armNames[i], &f);
        drop(&r);
    }
}

/// The clip of clips.h, on a coupling in place of its link.
static void makeSnap(Rig* r, double mu)
{
    plWorldDef def = plDefaultWorldDef();
    plSoftDef clip = plDefaultSoftDef();
    plClipDef shape = plDefaultClipDef();
    const Task t = {.mass = 0};
    plMechanismId id;
    plSoftInfo info;
    plSnap snap;
    double top = 0;
    openClip(&snap, &shape);
    def.gravity = (plVec3){0, -9.81, 0};
    def.contact.surface.friction = mu;
    def.capacity.rows = 3 * 340 + 2 * linkRows;
    def.capacity.contacts = 1000;
    def.capacity.softFaces = def.capacity.softNodes = 1 << 14;
    def.capacity.memory = 512u << 20;
    checkOk(NULL, plWorld_Create(&def, &r->world));
    addRigidPipe(r->world);
    int* held = calloc((size_t)snap.mesh.pointCount, sizeof *held);
    for (int i = 0; i < snap.mesh.pointCount; ++i) top = fmax(top, snap.mesh.points[i].y);
    for (int i = 0; i < snap.mesh.pointCount; ++i) {
        if (snap.mesh.points[i].y > top - 30e-3) held[clip.heldCount++] = i;
    }
    clip.name = "clip";
    clip.mesh = &snap.mesh;
    clip.elastic = (plElastic){700e6, 0.35, 950};
    clip.held = held;
    clip.candidates = snap.node, clip.candidateCount = snap.count;
    clip.nodesOnly = true;
    clip.pose = poseAt(&t, 12e-3, 0);
    checkOk(r->world, plWorld_AddSoft(r->world, &clip, &id));
    checkOk(r->world, plWorld_SoftInfo(r->world, id, T, &info));
    const plSite tool = {.mechanism = id, .point = sub((plVec3){0, grip, 0}, info.rigid.center)};
    addHand(r, tool, poseAt(&t, 12e-3, grip), 5);
    free(held);
    plSnap_Close(&snap);
}

static void aClipIsFelt(void** state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        Rig r;
        makeSnap(&r, 0.2);
        const double y = r.hand.p.y;
        const Stop stops[] = {{0, {0, y, 0}},
                              {4, {0, y - 24e-3, 0}},
                              {4.5, {0, y - 24e-3, 0}},
                              {9, {0, y + 18e-3, 0}}};
        const Felt f = feel(&r, stops, 4, arms[i]);
        print_message("clip, ");
        checkFelt(armNames[i], &f);
        drop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aHandThatStandsFeelsTheNextTick),
        cmocka_unit_test(theEchoIsTheNextTick),
        cmocka_unit_test(takingAnEchoChangesNothing),
        cmocka_unit_test(whatIsRenderedIsFiniteAndWithinLimits),
        cmocka_unit_test(aHandGoesOnWithAnotherEcho),
        cmocka_unit_test(aBallOnAFloorIsFelt),
        cmocka_unit_test(aBlowThatIsSeenComingCreatesNothing),
        cmocka_unit_test(anEchoMayComeLate),
        cmocka_unit_test(aSoftBlockIsFelt),
        cmocka_unit_test(aClipIsFelt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
