// Any bytes as a file of patches, and if it is one, made a shape that is walked over and asked for
// nearest places. Memory beyond some times the input counts as a failure.
#include "bounded.h"
#include "palp/nurbs.h"
#include "shape/shape.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void useSurface(const plShape* s)
{
    const plNurbs* n = s->nurbs;
    const plVec3 p = {0.1, -0.2, 0.3};
    plUv at = plUvAt(0, 0, 0);
    plSurfel f;
    plMass mass;
    plShapeError error;
    const double distance = plNurbs_Nearest(n, p, &at, NULL);
    if (!(distance >= 0)) abort();
    plNurbs_At(n, at, &f);
    if (!plFinite3(f.S) || !plFinite3(f.u) || !plFinite3(f.vv)) abort();
    for (int i = 0; i < plNurbs_Patches(n); i++) {
        double u[2], v[2];
        plNurbs_Domain(n, i, u, v);
        at = plUvAt(i, 0.3 * u[0] + 0.7 * u[1], 0.6 * v[0] + 0.4 * v[1]);
        plNurbs_Walk(n, &at, u[1] - u[0], v[0] - v[1]);
        plNurbs_Domain(n, at.patch, u, v);
        if (!(u[0] <= at.u && at.u <= u[1] && v[0] <= at.v && at.v <= v[1])) abort();
        if (!(fabs(plNorm(plNurbs_Normal(n, at)) - 1) < 1e-9)) abort();
        if (!plNurbs_Trimmed(n, at.patch) && !plNurbs_Inside(n, at)) abort();
    }
    plShape_Nearest(s, p);
    plShape_Ray(s, p, (plVec3){-0.1, 0.2, -0.35}, 10);
    plShape_Mass(s, 1, &mass, &error);
}

static void makeSurface(const plPatches* patches, const plAllocator* allocator)
{
    plArena arena;
    const plShape* shape;
    plShapeError error = {0};
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    def.patches = patches->patches;
    def.patchCount = patches->count;
    def.inward = patches->inward;
    def.loops = patches->loops;
    def.loopCount = patches->loopCount;
    const plAllocator own = plDefaultAllocator();
    if (plShape_Memory(&def) > (size_t)1 << 26) return;
    if (plArena_Create(&arena, plShape_Memory(&def), &own) != pl_statusOk) abort();
    if (plShape_Create(&def, &arena, allocator, &shape, &error) == pl_statusOk) {
        useSurface(shape);
    } else if (error.message[0] == '\0') {
        abort();
    }
    plArena_Destroy(&arena, &own);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // A number of two characters may be a knot or weight; one that names a point stands for three.
    Account account = {.limit = 1024 * 1024 + 512 * size};
    const plAllocator allocator = {take, release, &account};
    plPatches patches;
    plShapeError error;
    if (plPatches_Parse("fuzz", data, size, 1, &allocator, &patches, &error) != pl_statusOk) {
        if (error.message[0] == '\0' || patches.patches || patches.memory || patches.loops ||
            patches.trims) {
            abort();
        }
    } else {
        makeSurface(&patches, &allocator);
        plPatches_Free(&patches);
    }
    if (account.taken != 0) abort();
    return 0;
}
