// Any bytes as a snapshot, and any bytes over a part of a good one: refused, unless it is the good one, and
// the world stays as it was.
#include "palp/palp.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static plWorld* world;
static unsigned char *whole, *damaged;
static size_t length;

static void prepare(void)
{
    plWorldDef def = plDefaultWorldDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef ground = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    plShapeId shape;
    def.capacity.contacts = 8;
    def.capacity.pairs = 8;
    body.name = "ball";
    body.pose.p.z = 0.99;
    ball.shape.radius = 1;
    if (plWorld_Create(&def, &world) != pl_statusOk ||
        plWorld_AddShape(world, &ground, &shape) != pl_statusOk ||
        plWorld_AddAssembly(world, &body, &ball.mechanism) != pl_statusOk ||
        plWorld_AddShape(world, &ball, &shape) != pl_statusOk) {
        abort();
    }
    for (int i = 0; i < 5; ++i) plWorld_Step(world, 1e-3);
    length = plWorld_SnapshotSize(world);
    whole = malloc(length);
    damaged = malloc(length);
    if (!whole || !damaged) abort();
    plWorld_Save(world, whole);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (!world) prepare();
    const uint64_t hash = plWorld_Hash(world);
    if (size == 0) return 0;
    if (plWorld_Restore(world, data, size) == pl_statusOk &&
        (size != length || memcmp(data, whole, size) != 0)) {
        abort();
    }
    size_t at = 0;
    for (size_t i = 0; i < size && i < 3; ++i) at = 256 * at + data[i];
    const size_t skipped = size < 3 ? size : 3;
    at %= length;
    memcpy(damaged, whole, length);
    for (size_t i = skipped; i < size && at < length; ++i, ++at) damaged[at] ^= data[i];
    const bool same = memcmp(damaged, whole, length) == 0;
    if ((plWorld_Restore(world, damaged, length) == pl_statusOk) != same) abort();
    if (plWorld_Hash(world) != hash) abort();
    return 0;
}
