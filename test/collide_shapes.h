// Shapes for tests: one arena for all, and random ones of every kind.
#ifndef PALP_TEST_COLLIDE_SHAPES_H
#define PALP_TEST_COLLIDE_SHAPES_H

#include "shape/shape.h"
#include "worlds.h"

#include <string.h>

static plArena shapeArena;

static inline void shapesBegin(void)
{
    const plAllocator allocator = plDefaultAllocator();
    if (!shapeArena.memory) {
        assert_int_equal(plArena_Create(&shapeArena, 64 << 20, &allocator), pl_statusOk);
    }
    plArena_Rewind(&shapeArena, 0);
}

/// After all tests of a group.
static inline int shapesEnd(void** state)
{
    const plAllocator allocator = plDefaultAllocator();
    (void)state;
    plArena_Destroy(&shapeArena, &allocator);
    return 0;
}

static inline const plShape* makeShape(const plShapeDef* def)
{
    const plAllocator allocator = plDefaultAllocator();
    const plShape* shape;
    plShapeError error;
    const size_t before = shapeArena.used;
    const plStatus status = plShape_Create(def, &shapeArena, &allocator, &shape, &error);
    if (status != pl_statusOk) {
        print_error("%s: %s\n", plShapeKind_Name((int)def->kind), error.message);
        fail();
    }
    assert_true(shapeArena.used - before <= plShape_Memory(def));
    return shape;
}

static inline const plShape* makeBox(double x, double y, double z)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeBox);
    def.half = plVec(x, y, z);
    return makeShape(&def);
}

static inline const plShape* makeSphere(double radius)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeSphere);
    def.radius = radius;
    return makeShape(&def);
}

static inline const plShape* makeCapsule(double radius, double length)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeCapsule);
    def.radius = radius;
    def.length = length;
    return makeShape(&def);
}

static inline const plShape* makePlane(plVec3 normal)
{
    plShapeDef def = plDefaultShapeDef(pl_shapePlane);
    def.normal = normal;
    return makeShape(&def);
}

static inline const plShape* makePolygon(const plVec3* corners, int count)
{
    plShapeDef def = plDefaultShapeDef(pl_shapePolygon);
    def.points = corners;
    def.pointCount = count;
    return makeShape(&def);
}

static inline plFrame placed(double x, double y, double z)
{
    return (plFrame){plVec(x, y, z), plIdentity3()};
}

static inline plFrame turned(double x, double y, double z, plVec3 axis, double angle)
{
    return (plFrame){plVec(x, y, z), plRotation(plRotor(plScale(1 / plNorm(axis), axis), angle))};
}

static inline plVec3 randomVector(plRng* rng)
{
    const double x = plRng_Normal(rng), y = plRng_Normal(rng);
    return plVec(x, y, plRng_Normal(rng));
}

static inline plVec3 randomDirection(plRng* rng)
{
    const plVec3 v = randomVector(rng);
    return plScale(1 / plNorm(v), v);
}

static inline plMat3 randomRotation(plRng* rng)
{
    const plVec3 v = randomVector(rng);
    return plRotation(plQuatUnit((plQuat){plRng_Normal(rng), v.x, v.y, v.z}));
}

/// A side of a shape of the given size: mostly stout, sometimes down to a millionth.
static inline double randomSide(plRng* rng, double size)
{
    if (plRng_Uniform(rng, 0, 1) < 0.7) return size * plRng_Uniform(rng, 0.3, 1);
    return fmax(1e-9, size * pow(10, plRng_Uniform(rng, -6, 0)));
}

/// Points whose hull has at most `limit` vertices: on an ellipsoid, or on a grid.
static inline int randomPoints(plRng* rng, plVec3 sides, int limit, bool grid, plVec3* points)
{
    const int count = 4 + (int)plRng_Uniform(rng, 0, limit - 3);
    for (int i = 0; i < count; i++) {
        plVec3 p = randomDirection(rng);
        if (grid) {
            const double x = floor(plRng_Uniform(rng, 0, 4)), y = floor(plRng_Uniform(rng, 0, 4));
            p = plVec(x - 1.5, y - 1.5, floor(plRng_Uniform(rng, 0, 4)) - 1.5);
        }
        points[i] = plVec(p.x * sides.x, p.y * sides.y, p.z * sides.z);
    }
    return count;
}

/// A convex shape; null when the points happened to be too flat for a hull. Hulls of random points
/// are kept to `vertices` in `points`, which the shape does not need.
static inline const plShape* randomConvex(plRng* rng, plShapeKind kind, double size, plVec3* points,
                                          int vertices)
{
    const plAllocator allocator = plDefaultAllocator();
    plShapeDef def = plDefaultShapeDef(kind);
    const plShape* shape;
    def.half = plVec(randomSide(rng, size), randomSide(rng, size), randomSide(rng, size));
    def.radius = size * plRng_Uniform(rng, 0.1, 1);
    def.length = plRng_Uniform(rng, 0, 1) < 0.1 ? 0 : size * plRng_Uniform(rng, 0.01, 2);
    def.points = points;
    if (kind == pl_shapeHull) {
        def.pointCount = randomPoints(rng, def.half, vertices, false, points);
    } else if (kind == pl_shapePolygon) {
        const double phase = plRng_Uniform(rng, 0, 6);
        def.pointCount = 3 + (int)plRng_Uniform(rng, 0, 6);
        def.thickness = 2 * def.half.z;
        for (int i = 0; i < def.pointCount; i++) {
            const double angle = phase + 2 * PL_PI * i / def.pointCount;
            points[i] = plVec(def.half.x * cos(angle), def.half.y * sin(angle), 0);
        }
    }
    const plStatus status = plShape_Create(&def, &shapeArena, &allocator, &shape, NULL);
    return status == pl_statusOk ? shape : NULL;
}

enum { ringPoints = 24, ringCount = 12 };

/// A closed torus about z with radii 1 and 0.3.
static inline plShapeDef torus(plVec3* points, int* triangles)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeMesh);
    int t = 0;
    for (int i = 0; i < ringPoints; i++) {
        for (int k = 0; k < ringCount; k++) {
            const double u = 2 * PL_PI * i / ringPoints, v = 2 * PL_PI * k / ringCount;
            const double r = 1 + 0.3 * cos(v);
            const int i1 = (i + 1) % ringPoints, k1 = (k + 1) % ringCount;
            const int a = i * ringCount + k, b = i1 * ringCount + k, c = i1 * ringCount + k1,
                      d = i * ringCount + k1;
            const int both[6] = {a, b, c, a, c, d};
            points[a] = plVec(r * cos(u), r * sin(u), 0.3 * sin(v));
            for (int m = 0; m < 6; m++) triangles[t++] = both[m];
        }
    }
    def.points = points;
    def.pointCount = ringPoints * ringCount;
    def.triangles = triangles;
    def.triangleCount = t / 3;
    return def;
}

#endif
