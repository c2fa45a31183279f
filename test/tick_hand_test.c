// Tools on virtual couplings, led over obstacles by the recorded motion of a hand: no tick leaves a tool more
// than 0.1 mm deep. Depth is that of exact shapes where they are after the tick: of meshes and sculpted surfaces
// that of a convex twin which touches nothing, of a torus its triangles or its closed form.
#define _POSIX_C_SOURCE 200809L
#include "hand_motion.h"
#include "palp/nurbs.h"
#include "ticks.h"

static plWaypoint motion[handRows], led[handRows];
static int motionCount;

// The recorded motion, turned at random, from one of its rows on. It passes through the origin, where the
// obstacle is, as soon as it is `away` from its start. Returns how many rows.
static int turnMotion(plRng* rng, double away)
{
    const plMat3 R = plRotation(randomTurn(rng));
    const int first = below(rng, motionCount / 2), count = motionCount - first;
    const plVec3 start = motion[first].pose.p;
    int middle = first;
    while (middle < motionCount - 1 && plNorm(plSub(motion[middle].pose.p, start)) < away) ++middle;
    for (int i = 0; i < count; ++i) {
        led[i] = motion[first + i];
        led[i].time -= motion[first].time;
        led[i].pose.p = plMul(&R, plSub(led[i].pose.p, motion[middle].pose.p));
    }
    return count;
}

// ---------------------------------------------------------------------------------- obstacles

typedef enum {
    box,
    ball,
    capsule,
    cylinder,
    meshBall,
    meshBox,
    meshTorus,
    nurbsBall,
    nurbsTorus,
    obstacleCount
} Obstacle;

static const char* const obstacleNames[] = {"box",        "ball",       "capsule",
                                            "cylinder",   "mesh ball",  "mesh box",
                                            "mesh torus", "NURBS ball", "NURBS torus"};
static const char* const toolNames[] = {"ball", "capsule", "box", "hull"};
static const plShapeKind toolKinds[] = {pl_shapeSphere, pl_shapeCapsule, pl_shapeBox, pl_shapeHull};
static const double rates[] = {300, 500, 1000};

enum { ring = 24, tube = 16 };

static const double torusRadius = 0.03, torusTube = 0.012;

static plVec3 meshPoints[ring * tube + 2];
static int meshTriangles[6 * ring * tube], pointCount, triangleCount;

typedef struct {
    Scene s;
    Obstacle obstacle;
    int tool;            ///< of toolKinds
    double radius, mass; ///< of the tool
    double K;            ///< of the coupling [N/m]
    double time;
    int toolShape, twin; ///< indices of shapes
    plVec3 points[hullPoints];
} Led;

static Led led1; // the one at work: the judge has no other way to it

static void addTriangle(int a, int b, int c)
{
    int* t = &meshTriangles[3 * triangleCount++];
    t[0] = a, t[1] = b, t[2] = c;
}

// Rings about z, from the lower pole to the upper one; its faces are those of its convex hull.
static void meshOfBall(double radius)
{
    pointCount = triangleCount = 0;
    meshPoints[pointCount++] = plVec(0, 0, -radius);
    for (int i = 1; i < tube; ++i) {
        const double a = PL_PI * i / tube;
        for (int k = 0; k < ring; ++k) {
            const double b = 2 * PL_PI * k / ring;
            meshPoints[pointCount++] =
                plScale(radius, plVec(sin(a) * cos(b), sin(a) * sin(b), -cos(a)));
        }
    }
    meshPoints[pointCount++] = plVec(0, 0, radius);
    for (int i = 0; i < tube * ring; ++i) {
        const int k = i % ring, next = (k + 1) % ring, up = 1 + i / ring * ring, low = up - ring;
        if (i < ring) {
            addTriangle(0, up + next, up + k);
        } else if (i >= (tube - 1) * ring) {
            addTriangle(low + k, low + next, pointCount - 1);
        } else {
            addTriangle(low + k, low + next, up + next);
            addTriangle(low + k, up + next, up + k);
        }
    }
}

static void meshOfBox(plVec3 half)
{
    static const int list[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    pointCount = 8;
    triangleCount = 12;
    memcpy(meshTriangles, list, sizeof list);
    for (int i = 0; i < 8; ++i) {
        meshPoints[i] =
            plVec(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    }
}

static void meshOfTorus(void)
{
    pointCount = triangleCount = 0;
    for (int i = 0; i < ring * tube; ++i) {
        const double a = 2 * PL_PI * (i / tube) / ring, b = 2 * PL_PI * (i % tube) / tube;
        const double out = torusRadius + torusTube * cos(b);
        meshPoints[pointCount++] = plVec(out * cos(a), out * sin(a), torusTube * sin(b));
        const int next = (i / tube + 1) % ring * tube, side = (i % tube + 1) % tube;
        const int here = i / tube * tube;
        addTriangle(i, next + i % tube, next + side);
        addTriangle(i, next + side, here + side);
    }
}

static plShapeDef meshShape(void)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeMesh);
    def.points = meshPoints;
    def.pointCount = pointCount;
    def.triangles = meshTriangles;
    def.triangleCount = triangleCount;
    return def;
}

static plShapeDef hullShape(void)
{
    plShapeDef def = meshShape();
    def.kind = pl_shapeHull;
    return def;
}

static plShapeDef cylinderShape(double radius, double half)
{
    pointCount = 0;
    for (int i = 0; i < 2 * ring; ++i) {
        const double a = 2 * PL_PI * (i / 2) / ring;
        meshPoints[pointCount++] = plVec(radius * cos(a), radius * sin(a), i % 2 ? half : -half);
    }
    return hullShape();
}

// A shape that touches nothing, and is judged in place of the obstacle.
static int addTwin(Led* l, plShapeDef shape)
{
    plPartShapeDef def = plDefaultPartShapeDef(shape.kind);
    plShapeId id;
    def.shape = shape;
    def.group = def.mask = 0;
    checkOk(l->s.world, plWorld_AddShape(l->s.world, &def, &id));
    return plWorld_ShapeCount(l->s.world) - 1;
}

static void addPatches(Led* l, plStatus status, plPatches* patches)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    assert_int_equal(status, pl_statusOk);
    def.patchCount = patches->count;
    def.patches = patches->patches;
    def.inward = patches->inward;
    addGround(&l->s, def);
    plPatches_Free(patches);
}

static void addObstacle(Led* l)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeBox);
    plPatches patches;
    def.half = plVec(0.02, 0.015, 0.02);
    def.radius = l->obstacle == capsule ? 0.012 : 0.022;
    def.length = 0.03;
    if (l->obstacle == ball || l->obstacle == nurbsBall) def.kind = pl_shapeSphere;
    if (l->obstacle == capsule) def.kind = pl_shapeCapsule;
    if (l->obstacle == cylinder) def = cylinderShape(0.02, 0.015);
    if (l->obstacle == meshBall) meshOfBall(0.022);
    if (l->obstacle == meshBox) meshOfBox(def.half);
    if (l->obstacle == meshBall || l->obstacle == meshBox) def = hullShape();
    if (l->obstacle == meshTorus) meshOfTorus();
    if (l->obstacle == nurbsTorus) {
        addPatches(l, plPatches_Torus(torusRadius, torusTube, NULL, &patches, NULL), &patches);
    } else if (l->obstacle == nurbsBall) {
        addPatches(l, plPatches_Sphere(def.radius, NULL, &patches, NULL), &patches);
    } else if (l->obstacle >= meshBall) {
        addGround(&l->s, meshShape());
    } else {
        addGround(&l->s, def);
    }
    if (l->obstacle != meshTorus && l->obstacle != nurbsTorus) l->twin = addTwin(l, def);
}

// ---------------------------------------------------------------------------------- the judge

// Nearest point of a triangle to the origin, by its plane, then by its sides.
static double distanceToTriangle(plVec3 a, plVec3 b, plVec3 c)
{
    const plVec3 n = plCross(plSub(b, a), plSub(c, a)), corners[3] = {a, b, c};
    double nearest = INFINITY;
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
        const plVec3 p = corners[i], e = plSub(corners[(i + 1) % 3], p);
        const double t = fmin(1, fmax(0, -plDot(p, e) / plDot(e, e)));
        nearest = fmin(nearest, plNorm(plAddScaled(p, t, e)));
        inside = inside && plDot(plCross(e, plScale(-1, p)), n) >= 0;
    }
    return inside ? fabs(plDot(a, unitOf(n))) : nearest;
}

// Signed distance of a point to a torus: of its triangles, or exact.
static double distanceToTorus(plVec3 x, bool mesh)
{
    const double exact = hypot(hypot(x.x, x.y) - torusRadius, x.z) - torusTube;
    double nearest = INFINITY;
    if (!mesh) return exact;
    for (int i = 0; i < triangleCount; ++i) {
        const int* t = &meshTriangles[3 * i];
        nearest =
            fmin(nearest, distanceToTriangle(plSub(meshPoints[t[0]], x), plSub(meshPoints[t[1]], x),
                                             plSub(meshPoints[t[2]], x)));
    }
    return exact < -0.1 * torusTube ? -nearest
                                    : nearest; // the ball's centre is never so near to it
}

static double depthOfTool(const Scene* s)
{
    const plWorldShape tool = plWorld_ShapeAt(s->world, led1.toolShape);
    const plFrame A = frameOfPart(s->world, tool.site);
    if (led1.twin < 0) {
        return led1.radius - distanceToTorus(A.x, led1.obstacle == meshTorus);
    }
    const plWorldShape twin = plWorld_ShapeAt(s->world, led1.twin);
    const plFrame B = frameOfPart(s->world, twin.site);
    return -plCollide_Gap(tool.shape, &A, twin.shape, &B, NULL).gap;
}

// ---------------------------------------------------------------------------------- a scene

// A tool that is free to turn, on a spring to a hand of 400 N/m.
static void addTool(Led* l, int rows)
{
    plRng* rng = &l->s.rng;
    plAssemblyDef body = plDefaultAssemblyDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    plDeviceId hand;
    plCouplingId id;
    body.pose = (plPose){led[0].pose.p, randomTurn(rng)};
    const plShapeDef shape = convexShape(rng, toolKinds[l->tool], l->radius, l->points);
    const int tool = addSolid(&l->s, shape, l->mass, body);
    l->toolShape = plWorld_ShapeCount(l->s.world) - 1;
    device.name = "stylus";
    device.pose = led[0].pose;
    device.forceLimit = all3(12);
    device.damping = 1 + l->K / l->s.rate;
    device.hand.kind = pl_handImpedance;
    device.hand.stiffness = 400;
    device.hand.damping = 8;
    device.hand.points = led;
    device.hand.pointCount = rows;
    checkOk(l->s.world, plWorld_AddDevice(l->s.world, &device, &hand));
    coupling.name = "hold";
    coupling.kind = pl_couplingVirtual;
    coupling.device = hand;
    coupling.tool.mechanism = l->s.ids[tool];
    coupling.stiffness = all3(l->K);
    coupling.damping = all3(between(rng, 0.1, 1) * sqrt(l->K * l->mass));
    coupling.turnStiffness = coupling.turnDamping = all3(0);
    checkOk(l->s.world, plWorld_AddCoupling(l->s.world, &coupling, &id));
}

static void makeLed(Range range, int scene, Led* l)
{
    plWorldDef def = plDefaultWorldDef();
    *l = (Led){.s.rng = rngOf(range, scene), .twin = -1};
    plRng* rng = &l->s.rng;
    l->obstacle = (Obstacle)(scene % obstacleCount);
    l->s.rate = rates[scene / obstacleCount % 3];
    l->tool = scene / obstacleCount / 3 % 4;
    if (l->obstacle == meshTorus || l->obstacle == nurbsTorus) l->tool = 0;
    l->radius = between(rng, 0.004, 0.01);
    l->mass = logUniform(rng, 0.01, 1);
    l->K = logUniform(rng, 100, 5000);
    const bool heavy = l->mass * 9.81 > 0.01 * l->K; // would sag by more than a centimetre
    l->s.gravity = heavy || once(rng, 2) ? plVec(0, 0, 0) : plVec(0, 0, -9.81);
    def.gravity = l->s.gravity;
    def.step = 1 / l->s.rate;
    def.contact.surface.friction = between(rng, 0, 1);
    createScene(&l->s, &def);
    addObstacle(l);
    const int rows = turnMotion(rng, 0.045 + 2 * l->radius);
    l->time = fmin(led[rows - 1].time, sized(2, 10));
    addTool(l, rows);
}

static const Measure measures[] = DEPTH_MEASURES(1e-4);

static void toolsOnCouplingsDoNotSink(void** unused)
{
    (void)unused;
    const Range range = rangeOf(4 * obstacleCount, 36 * obstacleCount);
    static Board board;
    board = boardOf("led tools", measures, PL_COUNT(measures));
    motionCount = loadHandMotion(motion);
    for (int i = range.first; i < range.end; ++i) {
        double values[mostMeasures];
        char name[48];
        makeLed(range, i, &led1);
        if (range.alone) {
            print_message("%s tool of %.3g m, %.3g kg, %.3g N/m, on a %s, %g Hz, %g s\n",
                          toolNames[led1.tool], led1.radius, led1.mass, led1.K,
                          obstacleNames[led1.obstacle], led1.s.rate, led1.time);
        }
        checkAtMost("overlap at the start [m]", depthOfTool(&led1.s), 0);
        followDepth(&led1.s, led1.time, measures[0].limit, depthOfTool, range.alone && isVerbose(),
                    values);
        snprintf(name, sizeof name, "%s, %s", obstacleNames[led1.obstacle], toolNames[led1.tool]);
        enter(&board, name, i, values);
        plWorld_Destroy(led1.s.world);
    }
    conclude(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(toolsOnCouplingsDoNotSink)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
