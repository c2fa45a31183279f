// A shape of one's own: an ellipsoid, by its support function. It comes to rest on its flattest side, as high above the
// ground as its least half axis; a ray finds its top there.
#include <math.h>
#include <palp/palp.h>
#include <stdio.h>

typedef struct {
    double a, b, c; // half axes [m]
} Ellipsoid;

// The farthest point along d: (a^2 dx, b^2 dy, c^2 dz)/|(a dx, b dy, c dz)|
static plVec3 support(void* self, plVec3 d)
{
    const Ellipsoid* e = self;
    const plVec3 s = {e->a * d.x, e->b * d.y, e->c * d.z};
    const double n = sqrt(s.x * s.x + s.y * s.y + s.z * s.z);
    return (plVec3){e->a * s.x / n, e->b * s.y / n, e->c * s.z / n};
}

static int fail(const char* what, const plWorld* world)
{
    fprintf(stderr, "%s: %s\n", what, world ? plWorld_Error(world) : "");
    return 1;
}

int main(void)
{
    static Ellipsoid egg = {0.10, 0.08, 0.05};
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    def.capacity.contacts = 512;
    if (plWorld_Create(&def, &world) != pl_statusOk) return fail("world", NULL);

    plPartShapeDef ground = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId shape;
    if (plWorld_AddShape(world, &ground, &shape) != pl_statusOk) return fail("ground", world);

    plSupportDef body = plDefaultSupportDef();
    body.support = support;
    body.self = &egg;
    body.tolerance = 5e-4;
    plPartShapeDef skin = plDefaultPartShapeDef(pl_shapeSupport);
    skin.shape.support = &body;

    plMass mass;
    plShapeError error;
    if (plShapeDef_Mass(&skin.shape, 1000, &mass, &error) != pl_statusOk)
        return fail(error.message, NULL);
    const double exact = 1000 * 4.0 / 3.0 * 3.14159265358979 * egg.a * egg.b * egg.c;
    printf("mass %.4f kg, of an ellipsoid %.4f\n", mass.mass, exact);

    plAssemblyDef egghead = plDefaultAssemblyDef();
    egghead.name = "egg";
    egghead.mass = mass.mass;
    egghead.inertia = mass.inertia;
    egghead.pose.p.z = 0.06;
    if (plWorld_AddAssembly(world, &egghead, &skin.mechanism) != pl_statusOk)
        return fail("body", world);
    if (plWorld_AddShape(world, &skin, &shape) != pl_statusOk) return fail("shape", world);

    for (int k = 0; k < 2000; ++k) plWorld_Step(world, 1e-3);

    plQueryHit top;
    const plVec3 above = {0, 0, 1}, down = {0, 0, -2};
    if (plWorld_CastRay(world, above, down, plDefaultQueryFilter(), &top) != pl_statusOk)
        return fail("ray", world);
    printf("top at %.4f m, twice the least half axis %.4f\n", top.point.z, 2 * egg.c);
    const int good = fabs(mass.mass - exact) < 0.02 * exact && fabs(top.point.z - 2 * egg.c) < 2e-3;
    puts(good ? "ok" : "wrong");
    plWorld_Destroy(world);
    return !good;
}
