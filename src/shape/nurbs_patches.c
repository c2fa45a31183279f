// Patches in memory of their own: one list of patches, one block of all numbers that they point to.
// In the block each patch has its knots, then its points, then its weights.
#include "shape/nurbs_patches.h"

#include <string.h>

static size_t usedNumbers(const plPatches* p)
{
    if (p->count == 0) return 0;
    const plPatchDef* d = &p->patches[p->count - 1];
    const double* memory = p->memory;
    return (size_t)(d->weights - memory) + (size_t)d->countU * (size_t)d->countV;
}

/// Where the arrays of a patch lie when they begin at `at`.
static void layOut(plPatchDef* d, double* at)
{
    d->knotsU = at;
    d->knotsV = d->knotsU + d->countU + d->degreeU + 1;
    double* points = at + d->countU + d->degreeU + 1 + d->countV + d->degreeV + 1;
    d->points = (const plVec3*)(void*)points;
    d->weights = points + 3 * (size_t)d->countU * (size_t)d->countV;
}

static bool growNumbers(plPatches* p, size_t used, size_t more)
{
    const size_t needed = (used + more) * sizeof(double);
    if (needed <= p->memoryBytes) return true;
    const size_t bytes = needed > 2 * p->memoryBytes ? needed : 2 * p->memoryBytes;
    double* larger = p->allocator.take(p->allocator.self, bytes);
    if (!larger) return false;
    const double* old = p->memory;
    if (used > 0) memcpy(larger, old, used * sizeof *larger);
    for (int i = 0; i < p->count; i++) {
        plPatchDef* d = &p->patches[i];
        layOut(d, larger + (d->knotsU - old));
    }
    if (p->memory) p->allocator.release(p->allocator.self, p->memory, p->memoryBytes);
    p->memory = larger;
    p->memoryBytes = bytes;
    return true;
}

bool plPatches_Add(plPatches* p, int degreeU, int degreeV, int countU, int countV,
                   plPatchRoom* room)
{
    void* list = p->patches;
    const size_t used = usedNumbers(p);
    const size_t points = (size_t)countU * (size_t)countV;
    const size_t knots = (size_t)countU + (size_t)degreeU + (size_t)countV + (size_t)degreeV + 2;
    PL_ASSERT(degreeU >= 1 && degreeV >= 1 && countU > degreeU && countV > degreeV);
    if (!plList_Grow(&p->allocator, &list, &p->patchBytes, (size_t)p->count, sizeof *p->patches)) {
        return false;
    }
    p->patches = list;
    if (!growNumbers(p, used, knots + 4 * points)) return false;
    double* at = (double*)p->memory + used;
    plPatchDef* d = &p->patches[p->count++];
    *d = (plPatchDef){degreeU, degreeV, countU, countV, NULL, NULL, NULL, NULL};
    layOut(d, at);
    room->knotsU = at;
    room->knotsV = at + countU + degreeU + 1;
    room->points = (plVec3*)(void*)(at + knots);
    room->weights = at + knots + 3 * points;
    return true;
}

void plPatches_Free(plPatches* p)
{
    const plAllocator* a = &p->allocator;
    if (p->patches) a->release(a->self, p->patches, p->patchBytes);
    if (p->memory) a->release(a->self, p->memory, p->memoryBytes);
    if (p->loops) a->release(a->self, p->loops, p->loopBytes);
    if (p->trims) a->release(a->self, p->trims, p->trimBytes);
    *p = (plPatches){.allocator = p->allocator};
}
