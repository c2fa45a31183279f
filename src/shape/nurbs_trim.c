// What is left of trimmed patches: closed lines in their parameters, and on which side of them a spot is.
//   in    plTrimLoop of a definition or a file
//   out   plNurbs_Inside
// A spot is inside where a line from it towards larger u crosses loops an odd number of times: holes need
// no orientation, and faces that share a patch are one.
#include "shape/nurbs_patches.h"

#include <string.h>

// --- lists that grow

/// Loops point into the list of points, which moved. One that has none yet points nowhere.
static void follow(plPatches* p, const double* old)
{
    for (int i = 0; i < p->loopCount; i++) {
        plTrimLoop* loop = &p->loops[i];
        if (loop->count > 0) loop->points = p->trims + (loop->points - old);
    }
}

bool plPatches_BeginLoop(plPatches* p, int patch)
{
    void* list = p->loops;
    const bool grown =
        plList_Grow(&p->allocator, &list, &p->loopBytes, (size_t)p->loopCount, sizeof *p->loops);
    if (!grown) return false;
    p->loops = list;
    p->loops[p->loopCount++] = (plTrimLoop){patch, 0, NULL};
    return true;
}

bool plPatches_AddTrim(plPatches* p, double u, double v)
{
    const double* old = p->trims;
    void* list = p->trims;
    const size_t count = (size_t)p->trimCount;
    if (!plList_Grow(&p->allocator, &list, &p->trimBytes, count, 2 * sizeof *p->trims)) {
        return false;
    }
    p->trims = list;
    if (old && p->trims != old) follow(p, old);
    p->trims[2 * count] = u;
    p->trims[2 * count + 1] = v;
    p->trimCount++;
    plTrimLoop* loop = &p->loops[p->loopCount - 1];
    if (loop->count++ == 0) loop->points = p->trims + 2 * count;
    return true;
}

// --- checks

static const char* checkLoop(const plTrimLoop* loop, int patchCount)
{
    if (loop->patch < 0 || loop->patch >= patchCount) return "trims a patch that there is not";
    if (loop->count < 3 || !loop->points) return "needs three points";
    for (int64_t k = 0; k < 2 * (int64_t)loop->count; k++) {
        if (!(fabs(loop->points[k]) <= 1e10)) return "has a point that is not finite or too large";
    }
    return NULL;
}

plStatus plNurbs_CheckLoops(const plShapeDef* def, plShapeError* error)
{
    int64_t points = 0;
    if (def->loopCount < 0 || (def->loopCount > 0 && !def->loops)) {
        return plShapeError_Set(error, pl_statusBadArgument, "nurbs: the loops are missing");
    }
    for (int i = 0; i < def->loopCount; i++) {
        const char* why = checkLoop(&def->loops[i], def->patchCount);
        if (why) {
            return plShapeError_Set(error, pl_statusBadArgument, "loop %d of the surface %s", i,
                                    why);
        }
        points += def->loops[i].count;
    }
    if (points <= plTrimPoints) return pl_statusOk;
    return plShapeError_Set(error, pl_statusCapacity,
                            "the loops of a surface have at most %d points", plTrimPoints);
}

// --- loops of a surface

size_t plNurbs_TrimMemory(const plShapeDef* def)
{
    size_t points = 0;
    for (int i = 0; def->loops && i < def->loopCount; i++) {
        if (def->loops[i].count > 0) points += (size_t)def->loops[i].count;
    }
    if (points == 0 || points > plTrimPoints) return 0;
    return (size_t)def->loopCount * sizeof(plTrim) + 2 * points * sizeof(double) + 2 * 64;
}

// What lies on the border of the patch is inside: points there are put a little out of it.
#define BORDER 1e-6

static double pushed(double x, const double range[2])
{
    const double width = range[1] - range[0];
    if (fabs(x - range[0]) <= BORDER * width) return range[0] - BORDER * width;
    if (fabs(x - range[1]) <= BORDER * width) return range[1] + BORDER * width;
    return x;
}

static void makeLoop(const plNurbs* n, const plTrimLoop* loop, double* points, plTrim* out)
{
    double u[2], v[2];
    plNurbs_Domain(n, loop->patch, u, v);
    *out = (plTrim){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, loop->count, points};
    for (int i = 0; i < 2 * loop->count; i++) {
        points[i] = pushed(loop->points[i], i % 2 == 0 ? u : v);
        out->lo[i % 2] = plLower(out->lo[i % 2], points[i]);
        out->hi[i % 2] = plHigher(out->hi[i % 2], points[i]);
    }
}

bool plNurbs_MakeTrims(const plShapeDef* def, plArena* arena, plNurbs* n, plPatch* patches)
{
    size_t used = 0, points = 0;
    int count = 0;
    if (def->loopCount == 0) return true;
    for (int i = 0; i < def->loopCount; i++) points += (size_t)def->loops[i].count;
    plTrim* trims = plArena_Alloc(arena, (size_t)def->loopCount, sizeof *trims);
    double* numbers = plArena_Alloc(arena, 2 * points, sizeof *numbers);
    if (!trims || !numbers) return false;
    for (int i = 0; i < def->loopCount; i++) patches[def->loops[i].patch].loopCount++;
    for (int i = 0; i < n->patchCount; i++) {
        patches[i].firstLoop = count;
        count += patches[i].loopCount;
        patches[i].loopCount = 0; // counted again below
    }
    for (int i = 0; i < def->loopCount; i++) {
        const plTrimLoop* loop = &def->loops[i];
        plPatch* a = &patches[loop->patch];
        makeLoop(n, loop, numbers + used, &trims[a->firstLoop + a->loopCount++]);
        used += 2 * (size_t)loop->count;
    }
    n->trims = trims;
    return true;
}

// Points at the height of the spot count as above it, so that a line through a corner crosses once.
static bool crossesOdd(const plTrim* t, double u, double v)
{
    bool odd = false;
    if (u > t->hi[0] || v < t->lo[1] || v > t->hi[1]) return false;
    const double* a = t->points + 2 * (size_t)(t->count - 1);
    for (int i = 0; i < t->count; i++) {
        const double* b = t->points + 2 * (size_t)i;
        if ((a[1] >= v) != (b[1] >= v) && u < a[0] + (v - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) {
            odd = !odd;
        }
        a = b;
    }
    return odd;
}

bool plNurbs_Inside(const plNurbs* n, plUv at)
{
    const plPatch* a = &n->patches[at.patch];
    bool odd = a->loopCount == 0;
    for (int i = 0; i < a->loopCount; i++) {
        odd ^= crossesOdd(&n->trims[a->firstLoop + i], at.u, at.v);
    }
    return odd;
}

bool plNurbs_Trimmed(const plNurbs* n, int patch) { return n->patches[patch].loopCount > 0; }
