// An echo is the next tick, and changes nothing.
#include "echoes.h"

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

static void makeDisc(Rig* r)
{
    plWorldDef def = plDefaultWorldDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    plMechanismId id;
    def.planar = true;
    def.gravity = (plVec3){0, -9.81, 0};
    checkOk(NULL, plWorld_Create(&def, &r->world));
    body.name = "disc";
    body.mass = 0.1;
    body.inertia = diagonal(1e-5, 1e-5, 1e-5);
    checkOk(r->world, plWorld_AddAssembly(r->world, &body, &id));
    addHand(r, (plSite){.mechanism = id}, body.pose, 20);
}

// As in a tick: a handle that says it has left the plane has not.
static void aPlanarHandStaysInThePlane(void** state)
{
    (void)state;
    const double c = cos(0.15), s = sin(0.15);
    plWrench f[2];
    Rig r[2];
    for (int i = 0; i < 2; ++i) makeDisc(&r[i]);
    for (int k = 0; k < 10; ++k) {
        for (int i = 0; i < 2; ++i) run30(&r[i], (plVec3){0.02, 0.01, 0}, 1);
        for (int n = 0; n < writes; ++n) {
            const plPose flat = moved(r[0].hand, (plVec3){2e-5 * n, 0, 0}, 0);
            const plPose left = {{flat.p.x, flat.p.y, 1e-3 * n}, {c, s, 0, 0}};
            plEcho_Render(r[0].echo, h, flat, &f[0]);
            plEcho_Render(r[1].echo, h, left, &f[1]);
            checkAtMost("force", sizeOf(sub(f[0].force, f[1].force)), 1e-12);
            checkAtMost("torque", sizeOf(sub(f[0].torque, f[1].torque)), 1e-12);
            assert_true(f[1].force.z == 0 && f[1].torque.x == 0 && f[1].torque.y == 0);
        }
    }
    print_message("%.3g N\n", sizeOf(f[1].force));
    assert_true(sizeOf(f[1].force) > 0.1);
    for (int i = 0; i < 2; ++i) drop(&r[i]);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aHandThatStandsFeelsTheNextTick),
        cmocka_unit_test(theEchoIsTheNextTick),
        cmocka_unit_test(takingAnEchoChangesNothing),
        cmocka_unit_test(whatIsRenderedIsFiniteAndWithinLimits),
        cmocka_unit_test(aPlanarHandStaysInThePlane),
        cmocka_unit_test(aHandGoesOnWithAnotherEcho),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
