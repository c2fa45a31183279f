// A device that is its own tool, under the law `impulse`: a wall answers with a pulse (1 + e) m |v| in the
// tick of the collision, as a force that is held for it, and the device leaves with e |v|.
#include "math/math.h"
#include "worlds.h"

static const double radius = 0.01, T = 1e-3;

typedef struct {
    plWorld* world;
    plDeviceId device;
} Bench;

static void addWall(plWorld* w, plVec3 normal)
{
    plPartShapeDef wall = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId id;
    wall.shape.normal = normal;
    checkOk(w, plWorld_AddShape(w, &wall, &id));
}

static Bench makeBench(double e, plVec3 mass, plVec3 from, plVec3 velocity, double limit)
{
    Bench b;
    plWorldDef def = plDefaultWorldDef();
    plDeviceDef device = plDefaultDeviceDef();
    plPrescribedDef frame = plDefaultPrescribedDef();
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    plCouplingDef c = plDefaultCouplingDef();
    plCouplingId id;
    plShapeId shape;
    def.gravity = plVec(0, 0, 0);
    def.contact.law = pl_lawImpulse;
    def.contact.surface.restitution = e;
    def.contact.surface.friction = 0;
    def.contact.surface.stiffness = 0;
    def.contact.surface.damping = 0;
    checkOk(NULL, plWorld_Create(&def, &b.world));
    addWall(b.world, plVec(0, 0, 1));
    frame.name = "tip";
    frame.pose.p = from;
    checkOk(b.world, plWorld_AddPrescribed(b.world, &frame, &c.tool.mechanism));
    ball.mechanism = c.tool.mechanism;
    ball.shape.radius = radius;
    checkOk(b.world, plWorld_AddShape(b.world, &ball, &shape));
    device.name = "stick";
    device.pose.p = from;
    device.velocity = velocity;
    device.mass = mass;
    device.forceLimit = all3(limit);
    checkOk(b.world, plWorld_AddDevice(b.world, &device, &b.device));
    c.name = "hold";
    c.kind = pl_couplingDirect;
    c.device = b.device;
    checkOk(b.world, plWorld_AddCoupling(b.world, &c, &id));
    return b;
}

// Ticks until the first force; the velocity that the device had in that tick's sample.
static plWrench firstForce(Bench* b, plVec3* v)
{
    plWrench f = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 100 && plNorm(f.force) == 0; ++i) {
        plSample s;
        plWorld_Step(b->world, T);
        checkOk(b->world, plWorld_DeviceSample(b->world, b->device, &s));
        checkOk(b->world, plWorld_DeviceForce(b->world, b->device, &f));
        *v = s.velocity;
        if (plNorm(f.force) == 0 && s.pose.p.z < radius) fail_msg("in the wall without a force");
    }
    return f;
}

static plVec3 velocityAfter(Bench* b)
{
    plSample s;
    plWorld_Step(b->world, T);
    checkOk(b->world, plWorld_DeviceSample(b->world, b->device, &s));
    return s.velocity;
}

static void aWallGivesItsPulseInTheTickOfTheCollision(void** unused)
{
    (void)unused;
    const double e[] = {0, 0.3, 0.5, 1};
    for (int i = 0; i < 4 * 3; ++i) {
        const double restitution = e[i % 4], m = 0.1 + 0.2 * (i / 4), speed = 0.05 + 0.02 * i;
        plVec3 v;
        Bench b = makeBench(restitution, all3(m), plVec(0, 0, radius + 0.00213),
                            plVec(0.1, 0, -speed), 1e6);
        const plWrench f = firstForce(&b, &v);
        checkNear("speed before", v.z, -speed, 1e-14);
        checkNear("pulse [N]", f.force.z, (1 + restitution) * m * speed / T, 1e-9);
        checkNear("aside [N]", fabs(f.force.x) + fabs(f.force.y), 0, 1e-12);
        const plVec3 after = velocityAfter(&b);
        checkNear("speed after", after.z, restitution * speed, 1e-12);
        checkNear("along the wall", after.x, 0.1, 1e-12);
        plWorld_Destroy(b.world);
    }
}

// Two walls at once, on a device of other masses along x and z: both reverse.
static void aCornerStopsBothWays(void** unused)
{
    (void)unused;
    plVec3 v;
    Bench b = makeBench(0.5, plVec(0.4, 0.2, 0.1), plVec(radius + 0.001, 0, radius + 0.001),
                        plVec(-0.3, 0.2, -0.3), 1e6);
    addWall(b.world, plVec(1, 0, 0));
    const plWrench f = firstForce(&b, &v);
    checkNear("pulse along x", f.force.x, 1.5 * 0.4 * 0.3 / T, 1e-8);
    checkNear("pulse along z", f.force.z, 1.5 * 0.1 * 0.3 / T, 1e-8);
    const plVec3 after = velocityAfter(&b);
    checkNear("after, x", after.x, 0.15, 1e-12);
    checkNear("after, y", after.y, 0.2, 1e-12);
    checkNear("after, z", after.z, 0.15, 1e-12);
    plWorld_Destroy(b.world);
}

static void aLimitHoldsForPulsesToo(void** unused)
{
    (void)unused;
    plVec3 v;
    Bench b = makeBench(0.5, all3(0.2), plVec(0, 0, radius + 0.001), plVec(0, 0, -0.3), 15);
    const plWrench f = firstForce(&b, &v);
    checkNear("force [N]", f.force.z, 15, 0); // the pulse would be 90 N
    plWorld_Destroy(b.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(aWallGivesItsPulseInTheTickOfTheCollision),
                                       cmocka_unit_test(aCornerStopsBothWays),
                                       cmocka_unit_test(aLimitHoldsForPulsesToo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
