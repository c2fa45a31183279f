// How stiff a virtual coupling may be for its device: the closed form against the engine and against that
// of sampled walls; what is said about it; and that no force is above the limit of a device.
#include "coupling/coupling.h"
#include "loop.h"
#include "math/math.h"
#include "scene_text.h"
#include "worlds.h"

#include <string.h>

// ------------------------------------------------------------------------------ the closed form

static double closedForm(double K, double B, double T) { return fmax(K * T - B, B); }

// A device that goes its own way, and adds up what it is given.
typedef struct {
    double x, last, work, squares;
    double (*way)(int tick);
    int tick, delay;
    double force[4]; ///< the newest first
} Mover;

static void sample(void* self, double time, plSample* s)
{
    Mover* m = self;
    (void)time;
    const double to = m->way(m->tick++);
    m->work += m->force[m->delay] * (to - m->x);
    m->squares += (to - m->x) * (to - m->x);
    m->last = m->x;
    m->x = to;
    *s = (plSample){.pose = {{to, 0, 0}, {1, 0, 0, 0}}};
}

static void write(void* self, const plWrench* f, double T)
{
    (void)T;
    double* force = ((Mover*)self)->force;
    memmove(force + 1, force, 3 * sizeof *force);
    force[0] = f->force.x;
}

enum { ticks = 4000 };

static double alternate(int tick) { return tick % 2 ? 1e-4 : -1e-4; }
static double slowly(int tick) { return 1e-4 * cos(2 * PL_PI * tick / (ticks / 4)); }

// Damping that a device needs which moves so, against a tool that is as good as held [N s/m].
static double measured(double K, double B, double T, int delay, double (*way)(int))
{
    plWorld* w = makeWorld(plVec(0, 0, 0), 4);
    plAssemblyDef body = plDefaultAssemblyDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef c = plDefaultCouplingDef();
    plCouplingId id;
    Mover m = {.way = way, .delay = delay};
    body.name = "tool";
    body.mass = 1e9;
    body.inertia = diagonal(1e9, 1e9, 1e9);
    checkOk(w, plWorld_AddAssembly(w, &body, &c.tool.mechanism));
    device.name = "stick";
    device.calls = (plDeviceCalls){.self = &m, .sample = sample, .write = write};
    checkOk(w, plWorld_AddDevice(w, &device, &c.device));
    c.name = "hold";
    c.kind = pl_couplingVirtual;
    c.stiffness = all3(K);
    c.damping = all3(B);
    checkOk(w, plWorld_AddCoupling(w, &c, &id));
    for (int i = 0; i < 100; ++i) plWorld_Step(w, T); // until it goes round
    m.work = m.squares = 0;
    for (int i = 0; i < ticks; ++i) plWorld_Step(w, T);
    plWorld_Destroy(w);
    return m.work * T / m.squares;
}

static void theEngineNeedsWhatTheClosedFormSays(void** unused)
{
    (void)unused;
    const double T[] = {1e-3, 1. / 300}, K[] = {500, 1e5}, B[] = {0, 5, 80};
    for (int i = 0; i < 2 * 2 * 3; ++i) {
        const double t = T[i % 2], k = K[i / 2 % 2], b = B[i / 4];
        const double wall = b - 0.5 * k * t; // the damper of the sampled wall that it is
        for (int delay = 0; delay < 4; ++delay) {
            // slow motion is cos(theta) with theta = 2 pi/1000 off its limit; the tool yields 1e-9
            const double theta = 2 * PL_PI / (ticks / 4);
            checkNear("alternating [N s/m]", measured(k, b, t, delay, alternate),
                      plSampledDampingAt(k, wall, t, delay, PL_PI), 1e-6 * (1 + b + k * t));
            checkNear("slow [N s/m]", measured(k, b, t, delay, slowly),
                      plSampledDampingAt(k, wall, t, delay, theta),
                      1e-4 * (b + (delay + 1) * k * t));
        }
        const plLoop loop = {.mass = 1, .T = t};
        checkNear("of a sampled wall", plLoop_Needed(&loop, k, b - 0.5 * k * t),
                  closedForm(k, b, t), 1e-9 * (b + k * t));
    }
}

// ---------------------------------------------------------------------------------- what is said

static bool isTold(const plWorld* world, const char* words, char* told, size_t size)
{
    bool found = false;
    for (int i = 0; plWorld_Advice(world, i, told, size) > 0; ++i) {
        if ((found = strstr(told, words) != NULL)) break;
    }
    return found;
}

typedef struct {
    plCouplingKind kind;
    plFeedback feedback;
    double b, turnB;                 ///< of the device
    double K, B, turnK, turnDamping; ///< of the coupling
    double scale;
    int delay, couplings;
} Loop;

static plWorld* makeLoop(const Loop* l)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    plAssemblyDef body = plDefaultAssemblyDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef c = plDefaultCouplingDef();
    plCouplingId id;
    def.step = 2e-3;
    checkOk(NULL, plWorld_Create(&def, &w));
    device.name = "stick";
    device.damping = l->b;
    device.turnDamping = l->turnB;
    device.delay = l->delay;
    checkOk(w, plWorld_AddDevice(w, &device, &c.device));
    c.kind = l->kind;
    c.feedback = l->feedback;
    c.stiffness = all3(l->K);
    c.damping = all3(l->B);
    c.turnStiffness = all3(l->turnK);
    c.turnDamping = all3(l->turnDamping);
    c.scale = l->scale;
    for (int i = 0; i < l->couplings; ++i) {
        const char* const names[2][3] = {{"tool", "other", "third"}, {"hold", "hold-2", "hold-3"}};
        body.name = names[0][i];
        c.name = names[1][i];
        checkOk(w, plWorld_AddAssembly(w, &body, &c.tool.mechanism));
        checkOk(w, plWorld_AddCoupling(w, &c, &id));
    }
    return w;
}

static plWorld* held(double b, double K, double B, double scale, double turn)
{
    const Loop l = {pl_couplingVirtual, pl_feedbackMean, b, 0.02, K, B, turn, 0.02, scale, 0, 1};
    return makeLoop(&l);
}

static void theGainIsToldThatWouldBePassive(void** unused)
{
    (void)unused;
    static const struct {
        double b, K, B, scale, turn;
        const char* words; ///< null: nothing
    } cases[] = {
        {3, 1000, 0, 1, 1, NULL},
        {1.99, 1000, 0, 1, 1, "damping of 2 N s/m"},
        {1.99, 1000, 0, 1, 1, "stiffness 995 N/m and damping 0 N s/m"},
        {1.01, 1000, 1, 1, 1, NULL},
        {0.99, 1000, 1, 1, 1, "stiffness 990 N/m and damping 0.99 N s/m"},
        {0.51, 1000, 1, 0.5, 1, NULL},
        {0.49, 1000, 1, 0.5, 1, "damping of 0.5 N s/m"},
        {0, 1000, 1, 0, 1, NULL},
        {0, 1000, 1, 1, 1, "no gain is passive"},
        {3, 1000, 0, 1, 21, "a turning damping of 0.022 N m s/rad"},
        {3, 1000, 0, 1, 21, "turnStiffness 20 N m/rad and turnDamping 0.02 N m s/rad"},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); ++i) {
        char told[512] = "";
        plWorld* w = held(cases[i].b, cases[i].K, cases[i].B, cases[i].scale, cases[i].turn);
        const bool warned = isTold(w, "above the passive limit of stick", told, sizeof told);
        if (warned != (cases[i].words != NULL) || (warned && !strstr(told, cases[i].words))) {
            fail_msg("case %d: \"%s\"", i, told);
        }
        plWorld_Destroy(w);
    }
}

// Gains that are told are taken: then nothing is told any more, and with 1 % more stiffness it is.
static void theGainsThatAreToldArePassive(void** unused)
{
    (void)unused;
    static const Loop cases[] = {
        {pl_couplingVirtual, pl_feedbackMean, 3, 1, 1e5, 50, 0, 0, 1, 0, 1},
        {pl_couplingVirtual, pl_feedbackMean, 3, 1, 1790, 3, 0, 0, 1, 0, 3},
        {pl_couplingVirtual, pl_feedbackMean, 3, 1, 1790, 3, 0, 0, 1, 2, 1},
        {pl_couplingVirtual, pl_feedbackMean, 0.7, 1, 3333, 1, 0, 0, 0.3, 5, 2},
        {pl_couplingVirtual, pl_feedbackHeld, 3, 1, 7500, 4, 0, 0, 1, 0, 1},
        {pl_couplingVirtual, pl_feedbackHeld, 3, 1, 7500, 4, 0, 0, 0.5, 3, 2},
        {pl_couplingVirtual, pl_feedbackMean, 1, 0.0123, 1e-6, 0, 77, 0.3, 1, 1, 1},
    };
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        Loop l = cases[i];
        char told[512] = "";
        double K = 0, B = 0;
        plWorld* w = makeLoop(&l);
        assert_true(isTold(w, "above the passive limit", told, sizeof told));
        plWorld_Destroy(w);
        const char* gains = strstr(told, "passive are ");
        assert_non_null(gains);
        assert_int_equal(sscanf(gains, "passive are %*s %lf", &K), 1);
        const char* damper = strstr(gains, "amping ");
        assert_true(damper && sscanf(damper, "amping %lf", &B) == 1);
        const bool turns = l.K < 1;
        *(turns ? &l.turnK : &l.K) = K;
        *(turns ? &l.turnDamping : &l.B) = B;
        w = makeLoop(&l);
        if (isTold(w, "above the passive limit", told, sizeof told)) fail_msg("%d: %s", i, told);
        plWorld_Destroy(w);
        *(turns ? &l.turnK : &l.K) *= 1.01;
        w = makeLoop(&l);
        if (!isTold(w, "above the passive limit", told, sizeof told)) fail_msg("%d: less", i);
        plWorld_Destroy(w);
    }
}

// Four channels between a device and a tool that nobody holds, both of 0.2 kg: their distance swings with
// 0.1 kg. It is stable while K T/2 < B < 2 m/T, and the advice knows.
static void fourChannelsAreToldToBeUnstable(void** unused)
{
    (void)unused;
    const double T = 2e-3, K = 1000, least = 0.5 * K * T, most = 2 * 0.1 / T;
    const double dampings[4] = {0.98 * least, 1.02 * least, 0.98 * most, 1.02 * most};
    for (int i = 0; i < 4; ++i) {
        const bool isStable = i == 1 || i == 2;
        char told[512] = "";
        plWorldDef def = plDefaultWorldDef();
        plWorld* w;
        plAssemblyDef body = plDefaultAssemblyDef();
        plDeviceDef device = plDefaultDeviceDef();
        plCouplingDef c = plDefaultCouplingDef();
        plCouplingId id;
        def.step = T;
        def.gravity = plVec(0, 0, 0);
        checkOk(NULL, plWorld_Create(&def, &w));
        body.name = "tool";
        body.mass = 0.2;
        body.pose.p.x = 1e-3;
        checkOk(w, plWorld_AddAssembly(w, &body, &c.tool.mechanism));
        device.name = "stick";
        checkOk(w, plWorld_AddDevice(w, &device, &c.device));
        c.name = "hold";
        c.stiffness = all3(K);
        c.damping = all3(dampings[i]);
        c.turnStiffness = c.turnDamping = all3(0);
        checkOk(w, plWorld_AddCoupling(w, &c, &id));
        const bool warned = isTold(w, "the coordination of hold is unstable", told, sizeof told);
        for (int k = 0; k < 20000; ++k) plWorld_Step(w, T);
        plMotion tool;
        plPose handle;
        checkOk(w, plWorld_Motion(w, c.tool, &tool));
        checkOk(w, plWorld_DevicePose(w, c.device, &handle));
        const double apart = fabs(tool.x.x - handle.p.x);
        print_message("B %.4g: %.3g m apart after 20000 ticks%s\n", dampings[i], apart,
                      warned ? ", told" : "");
        assert_true(warned == !isStable);
        assert_true(isStable ? apart < 1e-6 : !(apart < 2e-3));
        plWorld_Destroy(w);
    }
}

// ------------------------------------------------------------------------------------- the limit

// A coupling of 100 kN/m at 300 Hz on a device with 3 N s/m: its loop rang up to 7e9 N.
static const char press[] = SCENE(
    "{\"type\": \"assembly\", \"name\": \"t\", \"mass\": 0.1, \"inertia\": [4e-5, 4e-5, 4e-5], "
    "\"position\": [0, 0, 0.03], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.02}]}",
    ", \"step\": 0.00333333, \"ground\": {\"shapes\": [{\"type\": \"plane\"}]}, "
    "\"devices\": [{\"name\": \"d\", \"position\": [0, 0, 0.03], \"mass\": 0.2, \"damping\": 3, "
    "\"turnDamping\": 0.01, \"hand\": {\"type\": \"impedance\", \"stiffness\": 300, "
    "\"damping\": 5, \"waypoints\": [{\"time\": 0, \"position\": [0, 0, 0.03]}, "
    "{\"time\": 0.5, \"position\": [0, 0, 0.015]}, {\"time\": 1.5, "
    "\"position\": [0.05, 0, 0.015]}]}}], \"couplings\": [{\"name\": \"c\", \"type\": "
    "\"virtual\", \"device\": \"d\", \"mechanism\": \"t\", \"stiffness\": 1e5, "
    "\"damping\": 50, \"turnStiffness\": 100, \"turnDamping\": 0.05}]");

static double largest(plVec3 f) { return fmax(fabs(f.x), fmax(fabs(f.y), fabs(f.z))); }

static void aSceneHasALimitAndIsWarned(void** unused)
{
    (void)unused;
    char told[512] = "";
    plScene* scene = parse(press, NULL);
    plWorld* w = create(scene);
    plDeviceId id;
    double strongest = 0, farthest = 0;
    assert_true(isTold(w, "stiffness 1800 N/m and damping 3 N s/m", told, sizeof told));
    checkOk(w, plWorld_FindDevice(w, "d", &id));
    for (int i = 0; i < 900; ++i) {
        plWrench f;
        plPose p;
        plWorld_Step(w, plScene_Step(scene));
        checkOk(w, plWorld_DeviceForce(w, id, &f));
        checkOk(w, plWorld_DevicePose(w, id, &p));
        strongest = fmax(strongest, fmax(largest(f.force), 10 * largest(f.torque)));
        farthest = fmax(farthest, plNorm(p.p));
    }
    print_message("at most %.1f N, %.2f m away; \"%s\"\n", strongest, farthest, told);
    checkAtMost("force [N]", strongest, 40);
    checkAtMost("way [m]", farthest, 1);
    plWorld_Destroy(w);
    plScene_Destroy(scene);
}

// A force that fades is the last right one; what is lowered meanwhile holds for it, too.
// What is told of the scene `wall` with a stiffness, a damping and a delay of its device; empty: nothing.
static void tellWall(double K, double B, int delay, char* text, size_t size)
{
    char settings[3][64];
    const char* const list[] = {settings[0], settings[1], settings[2]};
    plScene* scene;
    char path[512];
    snprintf(settings[0], sizeof settings[0], "materials[0].stiffness=%.17g", K);
    snprintf(settings[1], sizeof settings[1], "materials[0].damping=%.17g", B);
    snprintf(settings[2], sizeof settings[2], "devices.stick.delay=%d", delay);
    snprintf(path, sizeof path, "%s/wall.json", PALP_SOURCE_SCENES);
    assert_int_equal(plScene_Load(path, list, PL_COUNT(list), &scene, NULL), pl_statusOk);
    plWorld* w = create(scene);
    text[0] = 0;
    plWorld_Advice(w, 0, text, size);
    plWorld_Destroy(w);
    plScene_Destroy(scene);
}

// The device of the scene has 0.6 N s/m, and its steps 1 ms: b = K T/2 + B (Colgate and Schenkel 1997), and (2 d + 1) K T/2
// of a spring that comes d ticks late. palp passivity measures the same (passivity_test).
static void wallsThatAreFeltDirectlyAreToldToo(void** unused)
{
    (void)unused;
    char text[512];
    const struct {
        double K, B;
        int delay;
        bool active;
    } cases[] = {{1500, 0.2, 0, true}, {799, 0.2, 0, false}, {801, 0.2, 0, true},
                 {1199, 0, 0, false},  {1201, 0, 0, true},   {399, 0, 1, false},
                 {401, 0, 1, true},    {239, 0, 2, false},   {241, 0, 2, true}};
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        tellWall(cases[i].K, cases[i].B, cases[i].delay, text, sizeof text);
        const bool told = strstr(text, "above the passive limit of stick") != NULL;
        if (told != cases[i].active) fail_msg("case %d: \"%s\"", i, text);
        if (!told) continue;
        double K, B;
        const char* gain = strstr(text, "passive are stiffness ");
        assert_non_null(gain);
        assert_int_equal(sscanf(gain, "passive are stiffness %lf N/m and damping %lf", &K, &B), 2);
        tellWall(K, B, cases[i].delay, text, sizeof text);
        assert_string_equal(text, "");
        if (K > 0.99 * cases[i].K) continue; // a damper is all that the wall wants
        tellWall(1.01 * K, B, cases[i].delay, text, sizeof text);
        assert_true(strlen(text) > 0);
    }
}

static void aLimitThatIsLoweredHoldsAtOnce(void** unused)
{
    (void)unused;
    plWorld* w = held(3, 1000, 0, 1, 0);
    plDeviceId id;
    plWrench f;
    checkOk(w, plWorld_FindDevice(w, "stick", &id));
    checkOk(w, plWorld_Hold(w, id, (plPose){{0.5, 0, 0}, {1, 0, 0, 0}}));
    double before = 0;
    for (int i = 0; i < 100 && before < 5; ++i) {
        plWorld_Step(w, 2e-3);
        checkOk(w, plWorld_DeviceForce(w, id, &f));
        before = largest(f.force);
    }
    assert_true(before >= 5);
    checkOk(w, plWorld_SetDeviceLimits(w, id, all3(1), all3(1)));
    plWorld_Alarm(w);
    plWorld_Step(w, 2e-3);
    checkOk(w, plWorld_DeviceForce(w, id, &f));
    print_message("%.2f N, then %.2f N at a limit of 1 N\n", before, largest(f.force));
    checkAtMost("force while it fades [N]", largest(f.force), 1);
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(theEngineNeedsWhatTheClosedFormSays),
                                       cmocka_unit_test(theGainIsToldThatWouldBePassive),
                                       cmocka_unit_test(theGainsThatAreToldArePassive),
                                       cmocka_unit_test(fourChannelsAreToldToBeUnstable),
                                       cmocka_unit_test(aSceneHasALimitAndIsWarned),
                                       cmocka_unit_test(wallsThatAreFeltDirectlyAreToldToo),
                                       cmocka_unit_test(aLimitThatIsLoweredHoldsAtOnce)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
