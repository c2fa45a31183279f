// Groups at rest in a world where things come and go, where events are read, and where kinds of the user are: a rest ends
// in the tick that it has to, tells no events, and is not for what the user's functions may change.
#include "worlds.h"

enum { settles = 600 };

static const double T = 1e-3, half = 0.05;

static plWorld* makeField(plVec3 gravity, plShapeId* ground)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    def.gravity = gravity;
    def.contact.hitSpeed = 0; // even the slowest new contact is told
    checkOk(NULL, plWorld_Create(&def, &w));
    *ground = addFloor(w, 0);
    return w;
}

typedef struct {
    plMechanismId id;
    plShapeId shape;
} Thing;

static Thing addBox(plWorld* w, const char* name, double z, double inertia)
{
    plAssemblyDef body = plDefaultAssemblyDef();
    Thing t;
    body.name = name;
    body.inertia = diagonal(inertia, inertia, inertia);
    body.pose.p.z = z;
    checkOk(w, plWorld_AddAssembly(w, &body, &t.id));
    t.shape = addBoxShape(w, t.id, all3(half));
    return t;
}

typedef struct {
    plWorld* world;
    plShapeId ground;
    Thing low, high;
} Stack;

static int trialsOf(plWorld* w)
{
    plWorld_Step(w, T);
    return plWorld_Report(w).trials;
}

static Stack settledStack(void)
{
    Stack s;
    s.world = makeField((plVec3){0, 0, -9.81}, &s.ground);
    s.low = addBox(s.world, "low", half, 2e-3);
    s.high = addBox(s.world, "high", 3 * half, 2e-3);
    for (int i = 0; i < settles; ++i) plWorld_Step(s.world, T);
    assert_int_equal(trialsOf(s.world), 0);
    return s;
}

static bool isPair(plTouchEvent e, plShapeId a, plShapeId b)
{
    return e.shapeA.index1 == a.index1 && e.shapeA.generation == a.generation &&
           e.shapeB.index1 == b.index1 && e.shapeB.generation == b.generation;
}

static void checkCounts(const plWorld* w, int begins, int ends, int hits)
{
    const plContactEvents e = plWorld_ContactEvents(w);
    assert_int_equal(e.beginCount, begins);
    assert_int_equal(e.endCount, ends);
    assert_int_equal(e.hitCount, hits);
}

static double fallOf(const plWorld* w, plMechanismId id)
{
    double v[6];
    checkOk(w, plWorld_State(w, id, NULL, v));
    return -v[2];
}

static void aRestTellsNoEvents(void** state)
{
    (void)state;
    Stack s = settledStack();
    const int contacts = plWorld_ContactCount(s.world);
    assert_true(contacts >= 8);
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(trialsOf(s.world), 0);
        checkCounts(s.world, 0, 0, 0);
        assert_int_equal(plWorld_ContactCount(s.world), contacts);
    }
    plWorld_Destroy(s.world);
}

static void whatLiesBelowIsTaken(void** state)
{
    (void)state;
    Stack s = settledStack();
    checkOk(s.world, plWorld_RemoveMechanism(s.world, s.low.id));
    plWorld_Step(s.world, T);
    checkNear("speed of the fall", fallOf(s.world, s.high.id), 9.81 * T, 1e-9);
    checkCounts(s.world, 0, 2, 0);
    const plContactEvents e = plWorld_ContactEvents(s.world);
    assert_true(isPair(e.ends[0], s.ground, s.low.shape));
    assert_true(isPair(e.ends[1], s.low.shape, s.high.shape));
    plWorld_Destroy(s.world);
}

static void theGroundIsTaken(void** state)
{
    (void)state;
    Stack s = settledStack();
    checkOk(s.world, plWorld_RemoveShape(s.world, s.ground));
    plWorld_Step(s.world, T);
    checkNear("speed of the lower fall", fallOf(s.world, s.low.id), 9.81 * T, 1e-6);
    checkNear("speed of the upper fall", fallOf(s.world, s.high.id), 9.81 * T, 1e-6);
    assert_true(isPair(plWorld_ContactEvents(s.world).ends[0], s.ground, s.low.shape));
    plWorld_Destroy(s.world);
}

// The one below goes on, with less on it, and rests again.
static void whatLiesOnTopIsTaken(void** state)
{
    (void)state;
    Stack s = settledStack();
    checkOk(s.world, plWorld_RemoveMechanism(s.world, s.high.id));
    assert_int_not_equal(trialsOf(s.world), 0);
    checkCounts(s.world, 0, 1, 0);
    double force = 0;
    for (int i = 0; i < plWorld_ContactCount(s.world); ++i) {
        plContactInfo info;
        checkOk(s.world, plWorld_Contact(s.world, i, &info));
        force += fabs(info.force.z);
    }
    checkNear("force on the ground", force, 9.81, 1e-5);
    for (int i = 0; i < settles; ++i) {
        plWorld_Step(s.world, T);
        checkCounts(s.world, 0, 0, 0);
    }
    assert_int_equal(trialsOf(s.world), 0);
    plWorld_Destroy(s.world);
}

// A fall of h on a stack at rest ends at sqrt(2 g h), and is told once.
static void somethingFallsOnIt(void** state)
{
    (void)state;
    const double height = 0.05;
    Stack s = settledStack();
    const Thing third = addBox(s.world, "third", 5 * half + height, 2e-3);
    int begins = 0, hits = 0, atRest = 0;
    for (int i = 0; i < settles && begins == 0; ++i) {
        plWorld_Step(s.world, T);
        const plContactEvents e = plWorld_ContactEvents(s.world);
        begins += e.beginCount, hits += e.hitCount;
        if (e.beginCount == 0) {
            atRest += fallOf(s.world, s.low.id) == 0;
            continue;
        }
        assert_int_equal(e.beginCount, 1);
        assert_true(isPair(e.begins[0], s.high.shape, third.shape));
        assert_int_equal(e.hitCount, 1);
        checkNear("speed of the hit", e.hits[0].speed, sqrt(2 * 9.81 * height), 2 * 9.81 * T);
        assert_int_not_equal(plWorld_Report(s.world).trials, 0);
    }
    assert_int_equal(begins, 1);
    assert_int_equal(hits, 1);
    assert_true(atRest > 50);
    plWorld_Destroy(s.world);
}

// Without gravity, one box is pressed on the ground, and one stands just above it, pushed by next to nothing. That is
// below what the law can tell for it, and above that for a body that turns harder and weighs the same, in its place.
static void push(plWorld* w, const Thing* low, const Thing* high)
{
    const plSite a = {.mechanism = low->id}, b = {.mechanism = high->id};
    checkOk(w, plWorld_ApplyWrench(w, a, (plWrench){.force = {0, 0, -1000}}));
    checkOk(w, plWorld_ApplyWrench(w, b, (plWrench){.force = {1e-4, 0, 0}}));
}

static void anotherStandsInItsPlace(void** state)
{
    (void)state;
    plShapeId ground;
    plWorld* w = makeField((plVec3){0, 0, 0}, &ground);
    const double z = 3 * half + 1e-4;
    const Thing low = addBox(w, "low", half, 2e-3);
    Thing high = addBox(w, "high", z, 2e-3);
    for (int i = 0; i < settles; ++i) {
        push(w, &low, &high);
        plWorld_Step(w, T);
    }
    push(w, &low, &high);
    assert_int_equal(trialsOf(w), 0);
    const plMechanismId before = high.id;
    checkOk(w, plWorld_RemoveMechanism(w, high.id));
    high = addBox(w, "high", z, 1e6);
    assert_int_equal(high.id.index1, before.index1);
    push(w, &low, &high);
    assert_int_not_equal(trialsOf(w), 0);
    plWorld_Destroy(w);
}

// --- kinds of the user: each is asked in every tick, at rest too

typedef struct {
    int asked;
    double lift; // [N]
} Hidden;

static void hiddenLaw(void* self, const plLawProblem* problem, double* p)
{
    Hidden* h = self;
    const int count = plLawProblem_Count(problem), dim = plLawProblem_Dim(problem);
    h->asked++;
    for (int i = 0; i < count; ++i) p[dim * i] = plLawProblem_Step(problem) * h->lift / count;
}

static void lawsOfTheUserAreAsked(void** state)
{
    (void)state;
    Hidden hidden = {.lift = 9.81};
    plWorldDef def = plDefaultWorldDef();
    plLawDef own = plDefaultLawDef();
    plWorld* w;
    own.self = &hidden, own.solve = hiddenLaw;
    def.contact.law = pl_lawOwn, def.contact.own = &own;
    checkOk(NULL, plWorld_Create(&def, &w));
    addFloor(w, 0);
    const Thing box = addBox(w, "box", half, 2e-3);
    plWorld_Step(w, T);
    const int first = hidden.asked;
    for (int i = 0; i < 100; ++i) plWorld_Step(w, T);
    assert_true(first > 0 && hidden.asked >= first + 100);
    const double fall = fallOf(w, box.id);
    hidden.lift = 2 * 9.81;
    plWorld_Step(w, T);
    checkNear("speed after a harder push", fallOf(w, box.id) - fall, -9.81 * T, 1e-9);
    plWorld_Destroy(w);
}

static void sliderPlace(void* self, const double* q, plPose* parts)
{
    Hidden* h = self;
    h->asked++;
    parts[0].p = (plVec3){0, 0, q[0]};
}

static void sliderTwist(void* self, const double* q, int part, double* J)
{
    (void)self, (void)q, (void)part;
    J[2] = 1;
}

static void mechanismsOfTheUserAreAsked(void** state)
{
    (void)state;
    Hidden hidden = {.lift = 0};
    const plMass mass = {1, {0, 0, 0}, diagonal(2e-3, 2e-3, 2e-3)};
    plOwnMechanismDef def = plDefaultOwnMechanismDef();
    plShapeId ground;
    plMechanismId id;
    double v;
    plWorld* w = makeField((plVec3){0, 0, -9.81}, &ground);
    def.name = "slider", def.self = &hidden, def.masses = &mass, def.position = &half;
    def.place = sliderPlace, def.twist = sliderTwist;
    checkOk(w, plWorld_AddOwnMechanism(w, &def, &id));
    addBoxShape(w, id, all3(half));
    for (int i = 0; i < settles; ++i) {
        const int before = hidden.asked;
        plWorld_Step(w, T);
        assert_true(hidden.asked > before);
    }
    checkOk(w, plWorld_State(w, id, NULL, &v));
    checkAtMost("speed at rest", fabs(v), 1e-9);
    assert_int_not_equal(trialsOf(w), 0);
    plWorld_Destroy(w);
}

static plWrench hiddenCommand(void* self, double* memory, const plCouplingSight* sight)
{
    Hidden* h = self;
    (void)memory, (void)sight;
    h->asked++;
    return (plWrench){.force = {0, 0, h->lift}};
}

static void couplingsOfTheUserAreAsked(void** state)
{
    (void)state;
    Hidden hidden = {.lift = 0};
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef def = plDefaultCouplingDef();
    plCouplingCalls calls = plDefaultCouplingCalls();
    plShapeId ground;
    plCouplingId id;
    plWorld* w = makeField((plVec3){0, 0, -9.81}, &ground);
    const Thing box = addBox(w, "box", half, 2e-3);
    device.name = "device";
    checkOk(w, plWorld_AddDevice(w, &device, &def.device));
    calls.self = &hidden, calls.command = hiddenCommand;
    def.name = "coupling", def.kind = pl_couplingOwn, def.own = &calls;
    def.tool.mechanism = box.id;
    checkOk(w, plWorld_AddCoupling(w, &def, &id));
    for (int i = 0; i < settles; ++i) plWorld_Step(w, T);
    assert_int_equal(hidden.asked, settles);
    assert_int_not_equal(trialsOf(w), 0); // a tool does not rest
    hidden.lift = 2 * 9.81;
    plWorld_Step(w, T);
    checkNear("speed after a pull", fallOf(w, box.id), -9.81 * T, 1e-6);
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aRestTellsNoEvents),         cmocka_unit_test(whatLiesBelowIsTaken),
        cmocka_unit_test(theGroundIsTaken),           cmocka_unit_test(whatLiesOnTopIsTaken),
        cmocka_unit_test(somethingFallsOnIt),         cmocka_unit_test(anotherStandsInItsPlace),
        cmocka_unit_test(lawsOfTheUserAreAsked),      cmocka_unit_test(mechanismsOfTheUserAreAsked),
        cmocka_unit_test(couplingsOfTheUserAreAsked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
