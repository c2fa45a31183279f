// A world of 30 Hz, felt at 1 kHz by its echo: jumps of the force at its ticks, and energy that is created.
//   letters  as in echoes.h
#include "echoes.h"

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

// ------------------------------------------------------------------------------- slow worlds

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

/// Down to the floor, and up again.
static Felt strike(Rig* r, double speed, Arm arm)
{
    const double t = 0.035 / speed * 15 / 8;
    const Stop stops[] = {{0, {0, 0, 0.04}},
                          {t, {0, 0, 0.005}},
                          {t + 0.3, {0, 0, 0.005}},
                          {2 * t + 0.3, {0, 0, 0.04}},
                          {2 * t + 0.6, {0, 0, 0.04}}};
    return feel(r, stops, 5, arm);
}

static void feelBlow(Rig* r, double speed, Arm arm, const char* name, bool meets)
{
    const Felt f = strike(r, speed, arm);
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

/// Drawn at random: masses from 0.08 to 0.2 kg, damping from 0.2 to 0.9 of the critical one.
static const Arm anyArms[] = {
    {.m = 0.2, .k = 3365, .c = 23.63},   {.m = 0.2, .k = 1037, .c = 26.47},
    {.m = 0.08, .k = 2278, .c = 5.708},  {.m = 0.12, .k = 1210, .c = 15.06},
    {.m = 0.08, .k = 1018, .c = 8.25},   {.m = 0.08, .k = 200.2, .c = 4.66},
    {.m = 0.12, .k = 178.9, .c = 4.543}, {.m = 0.08, .k = 344.3, .c = 6.255}};
enum { armCount = 8, stiffCount = 5 };

// What soft arms feel is said, not judged: a small force, and jumps of its size.
static void aBlowIsFeltByArmsOfAllKinds(void** state)
{
    (void)state;
    const struct {
        double speed, reach, B;
    } cases[] = {{0.1374, 0.01574, 16.16},  {0.1244, 0.01444, 22.24}, {0.04587, 0.01, 17.94},
                 {0.06393, 0.01, 35.4},     {0.04988, 0.01, 29.54},   {0.1003, 0.01203, 24.31},
                 {0.09025, 0.01103, 16.57}, {0.03656, 0.01, 20.15},   {0.1048, 0.01248, 25.69},
                 {0.06456, 0.01, 29.64},    {0.07985, 0.01, 22.49},   {0.1174, 0.01374, 32.47}};
    const int count = (int)(sizeof cases / sizeof cases[0]);
    double firm = 0, soft = 0, created = 0;
    int blows = 0, jumped = 0, gave = 0, gaveSlow = 0;
    for (int i = 0; i < count * armCount; i += sized(5, 1), ++blows) {
        const int k = i / count, c = i % count;
        Rig r;
        reach = cases[c].reach;
        makeBall(&r, 0.3, 0.03, cases[c].B);
        const Felt f = strike(&r, cases[c].speed, anyArms[k]);
        *(k < stiffCount ? &firm : &soft) = fmax(k < stiffCount ? firm : soft, f.jump);
        jumped += f.jump > 0.05;
        gave += f.created > 1e-3;
        gaveSlow += f.created > 1e-3 && cases[c].speed < 0.12;
        created = fmax(created, f.created);
        drop(&r);
    }
    reach = 0.01;
    print_message("%d blows: jump %.3f, of soft arms %.2f (%d above 0.05); created %.1e (%d above "
                  "1e-3, %d of these below 0.12 m/s)\n",
                  blows, firm, soft, jumped, created, gave, gaveSlow);
    checkAtMost("jump", firm, 0.05);
    checkAtMost("created", created, 0.02); // in the first ticks, before anything was saved
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

// A quarter of a tick is not too late, in the mean of the arms; what it is beyond is said.
static void anEchoMayComeAQuarterOfATickLate(void** state)
{
    (void)state;
    for (int late = 8; late <= 20; late += 6) {
        double mean = 0, most = 0;
        for (int k = 0; k < armCount; ++k) {
            Rig r;
            makeBall(&r, 0.3, 0.03, 20);
            r.late = late;
            const Felt f = strike(&r, 0.05, anyArms[k]);
            mean += f.created / armCount;
            most = fmax(most, f.created);
            drop(&r);
        }
        print_message("%d of %d writes late: created %.1e, at most %.1e\n", late, writes, mean,
                      most);
        if (late == 8) checkAtMost("created", mean, 1e-3);
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
        cmocka_unit_test(aBallOnAFloorIsFelt),
        cmocka_unit_test(aBlowThatIsSeenComingCreatesNothing),
        cmocka_unit_test(aBlowIsFeltByArmsOfAllKinds),
        cmocka_unit_test(anEchoMayComeLate),
        cmocka_unit_test(anEchoMayComeAQuarterOfATickLate),
        cmocka_unit_test(aSoftBlockIsFelt),
        cmocka_unit_test(aClipIsFelt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
