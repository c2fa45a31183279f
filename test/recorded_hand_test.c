// A real hand, recorded, moves a tool against a wall, a box and a ball of springs: the force stays
// within the device, and the walls create no more than the sum of K ds^2/2 that sampling allows.
#define _POSIX_C_SOURCE 200809L
#include "hand_motion.h"
#include "math/math.h"

#include <string.h>
#include <unistd.h>

static plWaypoint points[handRows];
static int count;

typedef enum { wall, box, ball, obstacleCount } Obstacle;

// The hand begins in front of the wall.
static double facing(plVec3 centre) { return points[0].pose.p.z >= centre.z ? 1 : -1; }

// In the middle of where the hand goes.
static void addObstacle(plWorld* w, Obstacle what, plVec3 centre)
{
    const plShapeKind kinds[] = {pl_shapePlane, pl_shapeBox, pl_shapeSphere};
    plPartShapeDef def = plDefaultPartShapeDef(kinds[what]);
    plShapeId shape;
    def.shape.frame.p = centre;
    def.shape.normal = plVec(0, 0, facing(centre));
    def.shape.half = plVec(0.02, 0.02, 0.02);
    def.shape.radius = 0.025;
    checkOk(w, plWorld_AddShape(w, &def, &shape));
}

static const double toolRadius = 0.005;

// Distance of the tool's surface to the obstacle's, also where they are apart.
static double gapOf(Obstacle what, plVec3 centre, plVec3 at)
{
    const plVec3 x = plSub(at, centre);
    if (what == wall) return facing(centre) * x.z - toolRadius;
    if (what == ball) return plNorm(x) - 0.025 - toolRadius;
    const plVec3 out = plVec(fabs(x.x) - 0.02, fabs(x.y) - 0.02, fabs(x.z) - 0.02);
    const double inside = fmin(0, fmax(out.x, fmax(out.y, out.z)));
    return plNorm(plVec(fmax(0, out.x), fmax(0, out.y), fmax(0, out.z))) + inside - toolRadius;
}

static plVec3 centreOfMotion(void)
{
    plVec3 sum = {0, 0, 0};
    for (int i = 0; i < count; ++i) sum = plAdd(sum, points[i].pose.p);
    return plScale(1.0 / count, sum);
}

static void replay(Obstacle what, const char* name)
{
    plWorldDef def = plDefaultWorldDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    plMechanismId tool;
    plDeviceId hand;
    plCouplingId id;
    plWorld* w;
    const double K = 2000, T = 1e-3, limit = 12;
    def.gravity = plVec(0, 0, 0);
    def.contact.law = pl_lawPenalty;
    def.contact.surface.friction = 0;
    def.contact.surface.stiffness = K;
    def.contact.surface.damping = 0;
    checkOk(NULL, plWorld_Create(&def, &w));
    const plVec3 middle = centreOfMotion(), away = plSub(middle, points[0].pose.p);
    plVec3 centre = middle; // but the hand must begin outside
    for (int i = 1; gapOf(what, centre, points[0].pose.p) < 0.005 && i < 100; ++i) {
        centre = plAddScaled(middle, 1e-3 * i / plNorm(away), away);
    }
    addObstacle(w, what, centre);
    body.name = "tool";
    body.mass = 0.05;
    body.inertia = diagonal(1e-5, 1e-5, 1e-5);
    body.pose = points[0].pose;
    checkOk(w, plWorld_AddAssembly(w, &body, &tool));
    addSphereShape(w, tool, 0, toolRadius);
    device.name = "stylus";
    device.pose = points[0].pose;
    device.forceLimit = plVec(limit, limit, limit);
    device.damping = 1;
    device.hand.kind = pl_handImpedance;
    device.hand.stiffness = 400;
    device.hand.damping = 8;
    device.hand.points = points;
    device.hand.pointCount = count;
    checkOk(w, plWorld_AddDevice(w, &device, &hand));
    coupling.name = "hold";
    coupling.kind = pl_couplingVirtual;
    coupling.device = hand;
    coupling.tool.mechanism = tool;
    coupling.stiffness = all3(1500);
    coupling.damping = all3(3);
    coupling.turnStiffness = coupling.turnDamping = all3(0);
    checkOk(w, plWorld_AddCoupling(w, &coupling, &id));
    const double time =
        getenv("PALP_FULL") ? points[count - 1].time : fmin(points[count - 1].time, 8);
    double bound = 0, strongest = 0, deepest = 0;
    int touching = 0;
    while (plWorld_Time(w) < time) {
        plMotion before, after;
        plWrench f;
        plWorld_Motion(w, (plSite){.mechanism = tool}, &before);
        plWorld_Step(w, T);
        plWorld_Motion(w, (plSite){.mechanism = tool}, &after);
        const double from = gapOf(what, centre, before.x);
        const double to = gapOf(what, centre, after.x);
        if (from < 0 || to < 0) bound += 0.5 * K * (to - from) * (to - from);
        touching += plWorld_ContactCount(w) > 0;
        deepest = fmax(deepest, -from);
        checkOk(w, plWorld_DeviceForce(w, hand, &f));
        strongest = fmax(strongest, fmax(fabs(f.force.x), fmax(fabs(f.force.y), fabs(f.force.z))));
    }
    const plAccount contacts = plWorld_ContactLedger(w), all = plWorld_Ledger(w);
    const double created = contacts.integrator + contacts.leak;
    print_message(
        "%s: %d ticks in touch, %.1f mm deep, force %.2f N; created %.3g J, bound %.3g J\n", name,
        touching, 1e3 * deepest, strongest, created, bound);
    assert_true(touching > 100);
    checkAtMost("force [N]", strongest, limit);
    checkAtMost("created [J]", created, bound);
    checkAtMost("residual [J]", fabs(all.residual), 1e-12);
    plWorld_Destroy(w);
}

static void realHandFeelsWallsBoxesAndBalls(void** unused)
{
    (void)unused;
    count = loadHandMotion(points);
    replay(wall, "wall");
    replay(box, "box");
    replay(ball, "ball");
}

// --- as a file of a scene

static void writeMotion(const char* path)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs("time,x,y,z\n", file);
    for (int i = 0; i < count; ++i) {
        const plVec3 p = points[i].pose.p;
        fprintf(file, "%.17g,%.17g,%.17g,%.17g\n", points[i].time, p.x, p.y, p.z);
    }
    fclose(file);
}

static const char sceneText[] =
    "{\"mechanisms\": [{\"type\": \"prescribed\", \"name\": \"frame\"}], \"devices\": [{\"name\": "
    "\"stylus\", \"damping\": 1, \"hand\": {\"type\": \"impedance\", \"stiffness\": 400, "
    "\"damping\": 8, \"motion\": \"%s\"}}]}";

static plWorld* worldOfScene(const char* motion, plScene** scene)
{
    char text[600];
    plSceneError error;
    plWorld* w = NULL;
    snprintf(text, sizeof text, sceneText, motion);
    if (plScene_Parse("a.json", text, strlen(text), NULL, 0, scene, &error) != pl_statusOk ||
        plScene_CreateWorld(*scene, &w, &error) != pl_statusOk) {
        fail_msg("%s", error.message);
    }
    return w;
}

// Bit for bit where the program's own hand goes.
static void theRecordingMovesAHandOfAScene(void** unused)
{
    (void)unused;
    char path[] = "/tmp/palp-hand-XXXXXX";
    plDeviceDef def = plDefaultDeviceDef();
    plDeviceId own, of = {1, 1};
    plScene* scene;
    count = loadHandMotion(points);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    writeMotion(path);
    plWorld *a = makeWorld(plVec(0, 0, -9.81), 4), *b = worldOfScene(path, &scene);
    def.name = "stylus";
    def.damping = 1;
    def.hand.kind = pl_handImpedance;
    def.hand.stiffness = 400;
    def.hand.damping = 8;
    def.hand.points = points;
    def.hand.pointCount = count;
    checkOk(a, plWorld_AddDevice(a, &def, &own));
    for (int i = 0; i < 5000; ++i) {
        plPose p, q;
        plWorld_Step(a, 1e-3);
        plWorld_Step(b, 1e-3);
        checkOk(a, plWorld_DevicePose(a, own, &p));
        checkOk(b, plWorld_DevicePose(b, of, &q));
        assert_true(p.p.x == q.p.x && p.p.y == q.p.y && p.p.z == q.p.z);
    }
    plAccount account;
    checkOk(b, plWorld_DeviceLedger(b, of, &account));
    print_message("%d rows; the hand gave %.3g J, damping took %.3g J, residual %.1g J\n", count,
                  account.applied, account.dissipated, account.residual);
    checkAtMost("residual", fabs(account.residual), 1e-12 * account.dissipated);
    plWorld_Destroy(a);
    plWorld_Destroy(b);
    plScene_Destroy(scene);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(realHandFeelsWallsBoxesAndBalls),
                                       cmocka_unit_test(theRecordingMovesAHandOfAScene)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
