// Any bytes as a file of triangles, and if it is one, as a mesh and a hull that are asked a few
// things. Memory beyond a few times the input counts as a failure.
#include "bounded.h"
#include "shape/shape.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void ask(const plShape* s)
{
    const plFrame home = {.R = plIdentity3()};
    const plVec3 p = {0.1, 0.2, 0.3}, d = {-1, 0.5, 0.25};
    const plBounds b = plShape_Bounds(s, &home);
    const plNearest q = plShape_Nearest(s, p);
    plShape_Ray(s, plScale(2, b.hi), d, 10);
    plMass mass;
    plShape_Mass(s, 1000, &mass, NULL);
    if (!isfinite(q.distance) || !plFinite3(q.point)) abort();
}

static void build(plShapeDef* def)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena arena;
    plShapeError error;
    const plShape* s;
    if (plArena_Create(&arena, plShape_Memory(def), &allocator) != pl_statusOk) return;
    const plStatus status = plShape_Create(def, &arena, &allocator, &s, &error);
    if (status == pl_statusOk)
        ask(s);
    else if (error.message[0] == '\0' || arena.used != 0)
        abort();
    // The arena was as large as plShape_Memory says.
    if (status == pl_statusCapacity && strstr(error.message, "no memory")) abort();
    plArena_Destroy(&arena, &allocator);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // A point of two bytes less than a line of text takes 24; lists are doubled and weld twice.
    Account account = {.limit = 256 * 1024 + 64 * size};
    const plAllocator allocator = {take, release, &account};
    plTriangles mesh;
    plShapeError error;
    if (plTriangles_Parse("fuzz", data, size, 1, &allocator, &mesh, &error) != pl_statusOk) {
        if (error.message[0] == '\0' || mesh.points || mesh.triangles) abort();
        if (account.taken != 0) abort();
        return 0;
    }
    plShapeDef def = plDefaultShapeDef(pl_shapeMesh);
    def.points = mesh.points, def.pointCount = mesh.pointCount;
    def.triangles = mesh.triangles, def.triangleCount = mesh.triangleCount;
    build(&def);
    def.kind = pl_shapeHull;
    build(&def);
    plTriangles_Free(&mesh);
    if (account.taken != 0) abort();
    return 0;
}
