// Convex hulls by quickhull (Barber, Dobkin, Huhdanpaa 1996): keep for every face the points above
// it, take the farthest of all, replace the faces that it sees by a fan from their horizon.
//
// Round-off. A face sees a point that is more than `tolerance` above it; points within it are left
// out, so the result contains every given point to the tolerance. Slivers of faces have badly
// known normals, and may see what they should not; the horizon may then be no simple loop, or a
// point may end up outside. Both are noticed (the first at once, the second by a check of all
// points against all faces at the end) and the hull is built again with a larger tolerance, which
// makes slivers rarer: 1e-14, 1e-12, 1e-10, 1e-8 of the size.
#include "shape/hull.h"

static double above(const plHullFace* f, plVec3 p) { return plDot(f->n, p) - f->d; }

static bool setPlane(const plHull* h, plHullFace* f)
{
    const plVec3 a = h->points[f->v[0]], b = h->points[f->v[1]], c = h->points[f->v[2]];
    // The two shorter edges give the least rounded normal.
    const plVec3 ab = plSub(b, a), bc = plSub(c, b), ca = plSub(a, c);
    const double x = plDot(ab, ab), y = plDot(bc, bc), z = plDot(ca, ca);
    plVec3 n = plCross(ca, ab);
    if (x >= y && x >= z) n = plCross(bc, ca);
    if (z >= x && z >= y) n = plCross(ab, bc);
    const double norm = plNorm(n);
    if (!(norm > 0)) return false;
    f->n = plScale(1 / norm, n);
    f->d = plDot(f->n, plScale(1.0 / 3, plAdd(a, plAdd(b, c))));
    return true;
}

static int newFace(plHull* h, int a, int b, int c)
{
    int index = h->freeCount > 0 ? h->freeFaces[--h->freeCount] : h->faceCount++;
    if (index >= plHullFaces) {
        h->faceCount = plHullFaces;
        return -1;
    }
    h->faces[index] = (plHullFace){
        .v = {a, b, c}, .neighbour = {-1, -1, -1}, .outside = -1, .farthest = -1, .alive = true};
    return setPlane(h, &h->faces[index]) ? index : -1;
}

/// Puts a point into the list of the face, of those given, that it is farthest above; if any.
static void assign(plHull* h, int point, const int* faces, int count)
{
    int best = -1;
    double most = h->tolerance;
    for (int i = 0; i < count; i++) {
        const double s = above(&h->faces[faces[i]], h->points[point]);
        if (s > most) most = s, best = faces[i];
    }
    if (best < 0) return;
    plHullFace* f = &h->faces[best];
    h->next[point] = f->outside;
    f->outside = point;
    if (f->farthest < 0 || most > f->distance) f->farthest = point, f->distance = most;
}

// --- the first tetrahedron

static int farthestFrom(const plHull* h, plVec3 origin, plVec3 u, plVec3 w, double* distance)
{
    // Distance from a point (u = w = 0), from a line along u, from a plane with normal w.
    int best = 0;
    *distance = -1;
    for (int i = 0; i < h->count; i++) {
        const plVec3 r = plSub(h->points[i], origin);
        const plVec3 across = plAddScaled(r, -plDot(r, u), u);
        const double s = plDot(w, w) > 0 ? fabs(plDot(r, w)) : plNorm(across);
        if (s > *distance) *distance = s, best = i;
    }
    return best;
}

/// False: the points lie, to `flat`, in a plane, on a line or at a point (named by `what`).
static bool firstTetrahedron(plHull* h, double flat, int v[4], const char** what)
{
    const plVec3 zero = {0, 0, 0};
    double s;
    v[0] = farthestFrom(h, zero, zero, zero, &s);
    v[1] = farthestFrom(h, h->points[v[0]], zero, zero, &s);
    *what = "at one place";
    if (!(s > 1e-9)) return false;
    const plVec3 u = plScale(1 / s, plSub(h->points[v[1]], h->points[v[0]]));
    v[2] = farthestFrom(h, h->points[v[0]], u, zero, &s);
    *what = "on a line";
    if (!(s > flat)) return false;
    plVec3 w = plCross(u, plSub(h->points[v[2]], h->points[v[0]]));
    w = plScale(1 / plNorm(w), w);
    v[3] = farthestFrom(h, h->points[v[0]], zero, w, &s);
    *what = "in a plane";
    if (!(s > flat)) return false;
    // Faces of a thin body are merged with more care: its rim is a face, too.
    h->flat = fmin(plFlat * h->size, 1e-3 * s);
    if (plDot(w, plSub(h->points[v[3]], h->points[v[0]])) > 0) {
        const int swap = v[1];
        v[1] = v[2], v[2] = swap;
    }
    return true;
}

static bool start(plHull* h, const int v[4])
{
    // Seen from v[3], v[0] v[1] v[2] runs clockwise: it faces away from it.
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int over[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    int all[4];
    h->faceCount = h->freeCount = 0;
    for (int i = 0; i < 4; i++) {
        all[i] = newFace(h, v[corner[i][0]], v[corner[i][1]], v[corner[i][2]]);
        if (all[i] < 0) return false;
        for (int k = 0; k < 3; k++) h->faces[all[i]].neighbour[k] = over[i][k];
    }
    for (int i = 0; i < h->count; i++) {
        h->next[i] = -1;
        h->start[i] = -1;
        if (i != v[0] && i != v[1] && i != v[2] && i != v[3]) assign(h, i, all, 4);
    }
    return true;
}

// --- one point more

/// Floods the faces that see the point; they end up in the stack, their borders in the horizon.
static int flood(plHull* h, int first, plVec3 eye, int* horizonCount)
{
    int count = 1;
    *horizonCount = 0;
    h->stack[0] = first;
    h->faces[first].visible = true;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            const int other = h->faces[h->stack[i]].neighbour[k];
            plHullFace* f = &h->faces[other];
            if (f->visible) continue;
            if (above(f, eye) > h->tolerance) {
                f->visible = true;
                h->stack[count++] = other;
                continue;
            }
            int back = 0;
            while (f->neighbour[back] != h->stack[i]) back++;
            h->horizon[2 * *horizonCount] = other;
            h->horizon[2 * *horizonCount + 1] = back;
            ++*horizonCount;
        }
    }
    return count;
}

/// Horizon edge i as the fan runs it: against its outer face, whose edge k goes from v[k] to v[k +
/// 1].
static void horizonEnds(const plHull* h, int i, int* from, int* to)
{
    const plHullFace* f = &h->faces[h->horizon[2 * i]];
    const int k = h->horizon[2 * i + 1];
    *from = f->v[(k + 1) % 3];
    *to = f->v[k];
}

static bool isSimpleLoop(plHull* h, int horizonCount)
{
    int from, to, length = 0;
    bool simple = horizonCount >= 3;
    for (int i = 0; i < horizonCount; i++) {
        horizonEnds(h, i, &from, &to);
        if (h->start[from] >= 0) simple = false;
        h->start[from] = i;
    }
    for (int at = 0; simple && length < horizonCount;) {
        horizonEnds(h, at, &from, &to);
        at = h->start[to];
        length++;
        if (at == 0) break;
        if (at < 0) simple = false;
    }
    for (int i = 0; i < horizonCount; i++) {
        horizonEnds(h, i, &from, &to);
        h->start[from] = -1;
    }
    return simple && length == horizonCount;
}

/// The fan from the eye to the horizon. The faces are written over the front of the horizon list.
static bool fan(plHull* h, int eye, int horizonCount)
{
    for (int i = 0; i < horizonCount; i++) {
        const int outer = h->horizon[2 * i], k = h->horizon[2 * i + 1];
        int from, to;
        horizonEnds(h, i, &from, &to);
        const int face = newFace(h, from, to, eye);
        if (face < 0) return false;
        h->faces[face].neighbour[0] = outer;
        h->faces[outer].neighbour[k] = face;
        h->start[from] = face;
        h->horizon[i] = face; // entries below 2 (i + 1) have been read
    }
    for (int i = 0; i < horizonCount; i++) {
        const int face = h->horizon[i], next = h->start[h->faces[face].v[1]];
        h->faces[face].neighbour[1] = next;
        h->faces[next].neighbour[2] = face;
    }
    for (int i = 0; i < horizonCount; i++) h->start[h->faces[h->horizon[i]].v[0]] = -1;
    return true;
}

static bool addPoint(plHull* h, int face)
{
    const int eye = h->faces[face].farthest;
    int horizonCount, orphans = -1;
    const int seen = flood(h, face, h->points[eye], &horizonCount);
    if (!isSimpleLoop(h, horizonCount)) return false;
    for (int i = 0; i < seen; i++) {
        plHullFace* f = &h->faces[h->stack[i]];
        for (int p = f->outside; p >= 0;) {
            const int after = h->next[p];
            if (p != eye) h->next[p] = orphans, orphans = p;
            p = after;
        }
        f->alive = f->visible = false;
        h->freeFaces[h->freeCount++] = h->stack[i];
    }
    if (!fan(h, eye, horizonCount)) return false;
    while (orphans >= 0) {
        const int p = orphans;
        orphans = h->next[p];
        assign(h, p, h->horizon, horizonCount);
    }
    return true;
}

// --- the whole

static bool holdsAll(const plHull* h)
{
    for (int i = 0; i < h->faceCount; i++) {
        if (!h->faces[i].alive) continue;
        for (int p = 0; p < h->count; p++) {
            if (!(above(&h->faces[i], h->points[p]) <= 4 * h->tolerance)) return false;
        }
    }
    return true;
}

static bool grow(plHull* h, const int first[4])
{
    if (!start(h, first)) return false;
    for (int step = 0; step < h->count; step++) {
        int best = -1;
        for (int i = 0; i < h->faceCount; i++) {
            const plHullFace* f = &h->faces[i];
            if (!f->alive || f->farthest < 0) continue;
            if (best < 0 || f->distance > h->faces[best].distance) best = i;
        }
        if (best < 0) break;
        if (!addPoint(h, best)) return false;
    }
    return holdsAll(h);
}

static bool take(plHull* h, const plVec3* points, int count, plScratch* scratch)
{
    plBounds b = plBounds_None();
    for (int i = 0; i < count; i++) b = plBounds_Add(&b, points[i]);
    const plVec3 middle = plScale(0.5, plAdd(b.lo, b.hi));
    plVec3* moved = plScratch_Take(scratch, (size_t)count, sizeof *moved);
    h->count = count;
    h->size = plNorm(plSub(b.hi, b.lo));
    h->faces = plScratch_Take(scratch, plHullFaces, sizeof *h->faces);
    h->freeFaces = plScratch_Take(scratch, plHullFaces, sizeof *h->freeFaces);
    h->stack = plScratch_Take(scratch, plHullFaces, sizeof *h->stack);
    h->horizon = plScratch_Take(scratch, 6 * plHullFaces, sizeof *h->horizon);
    h->next = plScratch_Take(scratch, (size_t)count, sizeof *h->next);
    h->start = plScratch_Take(scratch, (size_t)count, sizeof *h->start);
    if (scratch->full) return false;
    for (int i = 0; i < count; i++) moved[i] = plSub(points[i], middle);
    h->points = moved;
    return true;
}

plStatus plHull_Build(const plVec3* points, int count, plArena* arena, const plAllocator* allocator,
                      const plPolytope** polytope, plShapeError* error)
{
    static const double tolerances[] = {1e-14, 1e-12, 1e-10, 1e-8};
    plScratch scratch = {.allocator = allocator};
    plHull h = {0};
    plStatus status;
    int first[4];
    const char* what = "";
    bool built = false;
    if (!take(&h, points, count, &scratch)) {
        status = plShapeError_Set(error, pl_statusNoMemory, "no working memory for the hull");
    } else if (!firstTetrahedron(&h, 1e-10 * h.size, first, &what)) {
        status = plShapeError_Set(error, pl_statusBadArgument, "the %d points of the hull lie %s",
                                  count, what);
    } else {
        for (int i = 0; i < PL_COUNT(tolerances) && !built; i++) {
            h.tolerance = tolerances[i] * h.size;
            built = grow(&h, first);
        }
        if (built) {
            status = plHull_Pack(&h, points, arena, &scratch, polytope, error);
        } else if (h.faceCount >= plHullFaces) {
            status = plShapeError_Set(error, pl_statusCapacity, "a hull has at most %d vertices",
                                      plHullVertices);
        } else {
            status = plShapeError_Set(error, pl_statusBadArgument,
                                      "the points of the hull are too close to a plane or line");
        }
    }
    plScratch_Free(&scratch);
    return status;
}
