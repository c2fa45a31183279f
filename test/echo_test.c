// An echo is the next tick, and changes nothing.
#include "echoes.h"
#include "failing.h"

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

// A ball that falls on a floor without any reach: the tick in which it goes in knows no contact, and the one
// behind it does. The echo in between knows it, too.
static void theEchoKnowsWhatNothingSawComing(void** state)
{
    (void)state;
    double most = 0;
    int met = 0;
    Rig r;
    reach = 0;
    makeBall(&r, 0.5, 0.01, 20);
    reach = 0.01;
    for (int k = 0; k < 30; ++k) {
        run30(&r, (plVec3){0, 0, -0.03}, 1);
        const plPose next = moved(r.hand, (plVec3){0, 0, -0.03 * T}, 0);
        met += plWorld_Report(r.world).contacts > 0;
        most = fmax(most, answerError(&r, next));
    }
    print_message("%d times met, off by %.1e\n", met, most);
    assert_true(met > 0);
    checkAtMost("force", most, 1e-6);
    drop(&r);
}

static void makeThing(Rig* r, int which)
{
    if (which == 0) makeBall(r, 0.5, 0.003, 20);
    if (which == 1) makeBlock(r, 1e5, 0.5);
    if (which == 2) makeBox(r);
}

static void takingAnEchoChangesNothing(void** state)
{
    (void)state;
    for (int which = 0; which < 3; ++which) {
        Rig a, b;
        int contacts = 0;
        makeThing(&a, which);
        makeThing(&b, which);
        const plVec3 p = a.hand.p;
        for (int k = 0; k < 90; ++k) {
            const double way = (which == 2 ? 0.03 : 0.006) * sin(0.2 * k);
            a.hand.p = b.hand.p = (plVec3){p.x + (which == 2 ? 0.7 * way : 0), p.y, p.z - way};
            plWorld_Step(a.world, T);
            plWorld_Step(b.world, T);
            assert_true(plWorld_TakeEcho(b.world, b.coupling, b.echo));
            assert_true(plWorld_Hash(a.world) == plWorld_Hash(b.world));
            assert_int_equal(plWorld_Report(a.world).contacts, plWorld_Report(b.world).contacts);
            contacts += plWorld_Report(b.world).contacts;
        }
        print_message("%d contacts\n", contacts);
        assert_true(contacts > 0);
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

// Without memory for a copy of the state nothing is looked ahead at: the tick's force is held.
static void withoutMemoryTheForceOfTheTickIsHeld(void** state)
{
    (void)state;
    Failing failing = {.left = 2}; // the echo, and its arena
    const plAllocator allocator = {failingTake, failingRelease, &failing};
    plWrench f, mean;
    plEcho* echo;
    Rig r;
    makeBall(&r, 0.5, 0, 20);
    run30(&r, (plVec3){0, 0, -0.01}, 20);
    assert_int_equal(plEcho_Create(8, &allocator, &echo), pl_statusOk);
    assert_false(plWorld_TakeEcho(r.world, r.coupling, echo));
    for (int i = 0; i < 2 * writes; ++i) plEcho_Render(echo, h, r.hand, &f);
    checkOk(r.world, plWorld_DeviceForce(r.world, r.device, &mean));
    checkNear("force", f.force.z, mean.force.z, 1e-9);
    assert_true(fabs(mean.force.z) > 0.1);
    failing.left = 1;
    assert_true(plWorld_TakeEcho(r.world, r.coupling, echo));
    plEcho_Destroy(echo);
    assert_int_equal(failing.taken, 0);
    drop(&r);
}

// One write in a tick, or few: what is eased for a faster device must not be late for this one.
static void aDeviceAsSlowAsTheWorldFeelsTheTick(void** state)
{
    (void)state;
    for (int count = 1; count < 5; ++count) {
        plWrench f, mean;
        Rig r;
        makeBall(&r, 0.5, 0, 20);
        for (int k = 0; k < 30; ++k) {
            run30(&r, (plVec3){0, 0, k < 15 ? -0.01 : 0}, 1);
            for (int i = 0; i < count; ++i) plEcho_Render(r.echo, T / count, r.hand, &f);
        }
        checkOk(r.world, plWorld_DeviceForce(r.world, r.device, &mean));
        print_message("%d writes: %.4f of %.4f N\n", count, f.force.z, mean.force.z);
        assert_true(mean.force.z > 1);
        checkNear("force", f.force.z, mean.force.z, 0.01 * mean.force.z);
        drop(&r);
    }
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
        cmocka_unit_test(theEchoKnowsWhatNothingSawComing),
        cmocka_unit_test(takingAnEchoChangesNothing),
        cmocka_unit_test(whatIsRenderedIsFiniteAndWithinLimits),
        cmocka_unit_test(withoutMemoryTheForceOfTheTickIsHeld),
        cmocka_unit_test(aDeviceAsSlowAsTheWorldFeelsTheTick),
        cmocka_unit_test(aPlanarHandStaysInThePlane),
        cmocka_unit_test(aHandGoesOnWithAnotherEcho),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
