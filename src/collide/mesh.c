// Contacts of a mesh and a convex shape, triangle by triangle.
//
// A triangle is a flat polytope, so each one has an exact distance and depth. Alone, it would also
// push sideways at its edges, where the surface goes on: bodies that slide over a floor would
// catch on the seams. A contact is therefore kept only where it is one of the whole surface:
//   along the triangle's own normal, when that separates as well as the best direction; or
//   at an edge or corner, when no point of the neighbouring triangles lies above the contact's
//   tangent plane, that is when it is nearest among its neighbours too.
// Triangles are one-sided: a body whose middle is behind the plane is not held by it. So a body is
// lost only when it goes deeper than half its size.
#include "collide/manifold.h"

enum { fanLimit = 64 };

typedef struct {
    const plCore* a;
    const plMesh* mesh;
    plFrame frame; ///< of the mesh in a
    plVec3 middle; ///< of a, mesh frame
    double reach;
    plSpots* spots;
    plSpot spare; ///< deepest contact of a triangle that left it to its neighbours
} Job;

/// A triangle as a polytope with two faces; half-edges 0 1 2 run the front, 3 4 5 the back.
typedef struct {
    plCore core;
    plPolytope polytope;
    plFace faces[2];
} Triangle;

static void setTriangle(const Job* job, int index, Triangle* t)
{
    static const plHalfEdge edges[6] = {{0, 5, 0}, {1, 4, 0}, {2, 3, 0},
                                        {0, 2, 1}, {2, 1, 1}, {1, 0, 1}};
    const plMesh* m = job->mesh;
    t->core = (plCore){.count = 3, .polytope = &t->polytope};
    for (int k = 0; k < 3; k++) {
        t->core.own[k] = m->points[m->triangles[3 * index + k]];
    }
    for (int k = 0; k < 3; k++) {
        const plVec3 side = plSub(t->core.own[k], t->core.own[(k + 1) % 3]);
        t->core.size = plHigher(t->core.size, plNorm(side));
    }
    t->core.v = t->core.own;
    const plVec3 n = m->normals[index];
    const double d = plDot(n, t->core.own[0]);
    t->faces[0] = (plFace){n, d, 0, 3};
    t->faces[1] = (plFace){plScale(-1, n), -d, 3, 3};
    // The least height of the triangle, which has no other width.
    const plVec3 across =
        plCross(plSub(t->core.own[1], t->core.own[0]), plSub(t->core.own[2], t->core.own[0]));
    t->polytope = (plPolytope){.width = plNorm(across) / t->core.size,
                               .vertexCount = 3,
                               .edgeCount = 6,
                               .faceCount = 2,
                               .vertices = t->core.own,
                               .edges = edges,
                               .faces = t->faces};
}

// --- where a contact is one of the whole surface

/// Vertices of the triangle in the simplex, as bits.
static int touched(const plSimplex* s)
{
    int bits = 0;
    for (int i = 0; i < s->count; i++) bits |= 1 << s->v[i].ib;
    return bits;
}

/// No corner of the triangle lies above the plane through q, to a millionth of its size.
static bool isBelow(const plMesh* m, int triangle, plVec3 q, plVec3 n)
{
    double highest = -INFINITY, size = 0;
    for (int k = 0; k < 3; k++) {
        const plVec3 r = plSub(m->points[m->triangles[3 * triangle + k]], q);
        highest = plHigher(highest, plDot(n, r));
        size = plHigher(size, plNorm(r));
    }
    return highest <= 1e-6 * size;
}

/// The edge of the triangle with these two corners, 0 .. 2.
static int edgeOf(int bits) { return bits == 3 ? 0 : bits == 6 ? 1 : 2; }

/// All triangles around corner k, both ways round, until the start or a border.
static bool fanIsBelow(const plMesh* m, int triangle, int k, plVec3 q, plVec3 n)
{
    const int point = m->triangles[3 * triangle + k];
    for (int way = 0; way < 2; way++) {
        int at = triangle;
        for (int step = 0; step < fanLimit; step++) {
            int corner = 0;
            while (corner < 2 && m->triangles[3 * at + corner] != point) corner++;
            // Of the two edges at the corner, one begins there and one ends there.
            const int next = m->neighbours[3 * at + (way == 0 ? corner : (corner + 2) % 3)];
            if (next == plNoTriangle || next == triangle) break;
            if (!isBelow(m, next, q, n)) return false;
            at = next;
        }
    }
    return true;
}

/// q and n in the mesh's frame.
static bool isOfSurface(const plMesh* m, int triangle, int bits, plVec3 q, plVec3 n)
{
    if (bits == 7) return true;
    if (bits == 1 || bits == 2 || bits == 4) return fanIsBelow(m, triangle, bits / 2, q, n);
    const int other = m->neighbours[3 * triangle + edgeOf(bits)];
    return other == plNoTriangle || isBelow(m, other, q, n);
}

// --- joining the contacts of all triangles

static bool isSame(const plSpot* s, const plSpot* t, double tolerance)
{
    return plDot(s->n, t->n) > 1 - 1e-4 && plNorm(plSub(s->a, t->a)) <= tolerance;
}

/// Of equal contacts the one of the lowest triangle; of each direction the best four.
static void condense(const Job* job)
{
    plSpots* all = job->spots;
    const double tolerance = 1e-5 * job->a->size;
    int unique = 0, kept = 0;
    for (int i = 0; i < all->count; i++) {
        int k = 0;
        while (k < unique && !isSame(&all->spots[i], &all->spots[k], tolerance)) k++;
        if (k == unique)
            unique++;
        else if (all->spots[k].triangle <= all->spots[i].triangle)
            continue;
        all->spots[k] = all->spots[i];
    }
    all->count = unique;
    bool done[plSpotLimit] = {false};
    plSpots result, group;
    result.count = 0;
    for (int i = 0; i < unique; i++) {
        if (done[i]) continue;
        group.count = 0;
        for (int k = i; k < unique; k++) {
            if (done[k] || plDot(all->spots[i].n, all->spots[k].n) <= 1 - 1e-4) continue;
            done[k] = true;
            plSpots_Add(&group, all->spots[k]);
        }
        if (job->a->count == 2)
            plSpots_ReduceLine(&group, tolerance);
        else
            plSpots_Reduce(&group, tolerance);
        for (int k = 0; k < group.count; k++) plSpots_Add(&result, group.spots[k]);
    }
    for (kept = 0; kept < result.count; kept++) all->spots[kept] = result.spots[kept];
    all->count = kept;
}

// --- one triangle

/// Along the triangle's normal; `apart` is the gap of the cores there.
static void addFace(Job* job, const plCorePair* pair, plVec3 n, double apart)
{
    const int first = job->spots->count;
    if (job->a->count > 1) {
        plFaceSpots(pair, 0, job->reach, job->spots);
    } else {
        const plVec3 p = job->a->v[0];
        plSpots_Add(job->spots, (plSpot){p, plAddScaled(p, -apart, n), n, apart, 0, plFeatureFace,
                                         0, pl_normalOfB});
    }
    plSpots_Grow(pair, job->spots, first);
}

static void addOther(Job* job, const plCorePair* pair, const plWitness* w)
{
    const int first = job->spots->count;
    plSpots edge;
    edge.count = 0;
    if (job->a->count > 1 && plEdgeSpots(pair, w, job->reach, &edge)) {
        for (int i = 0; i < edge.count; i++) plSpots_Add(job->spots, edge.spots[i]);
    } else {
        plSpots_Add(job->spots, plWitnessSpot(pair, w));
    }
    plSpots_Grow(pair, job->spots, first);
}

/// Where the way out leads sideways although the surface goes on, the triangle's own normal is the
/// right one, unless the neighbour's is nearer to the way out.
static bool ownsOverlap(const Job* job, int index, int bits, const plWitness* w)
{
    const plMesh* m = job->mesh;
    const plVec3 way = plMulT(&job->frame.R, w->n);
    if (!w->overlap) return false;
    if (bits != 7 && isOfSurface(m, index, bits, plInto(&job->frame, w->b), way)) return false;
    if (bits != 3 && bits != 5 && bits != 6) return true;
    const int other = m->neighbours[3 * index + edgeOf(bits)];
    return other == plNoTriangle || plDot(way, m->normals[other]) <= plDot(way, m->normals[index]);
}

static bool addTriangle(void* self, int index)
{
    Job* job = self;
    Triangle t;
    const plMesh* m = job->mesh;
    setTriangle(job, index, &t);
    if (plDot(t.faces[0].n, job->middle) < t.faces[0].d) return true;
    // Room for what one triangle can bring: an outline of 64 corners cut three times.
    if (job->spots->count + 70 > plSpotLimit) condense(job);
    const int first = job->spots->count;
    plCorePair pair = {job->a, &t.core, job->frame, 0};
    pair.scale = job->a->size + t.core.size + plNorm(plSub(job->middle, t.core.own[0]));

    plWitness w;
    plCorePair_Search(&pair, NULL, &w);
    if (w.d - job->a->radius > job->reach) return true;
    const plVec3 n = plMul(&job->frame.R, t.faces[0].n);
    const plVertex low = plCorePair_Support(&pair, plScale(-1, n), NULL);
    const double apart = plDot(n, plSub(low.a, plOut(&job->frame, t.core.own[0])));
    const int bits = touched(&w.simplex);
    const bool isFace = apart >= w.d - plSlop(&pair, job->reach) &&
                        (w.overlap || bits == 7 || (job->a->count > 1 && plDot(w.n, n) > 0.999));
    if (isFace || ownsOverlap(job, index, bits, &w))
        addFace(job, &pair, n, apart);
    else if (isOfSurface(m, index, bits, plInto(&job->frame, w.b), plMulT(&job->frame.R, w.n)))
        addOther(job, &pair, &w);
    if (job->spots->count == first && w.d < job->spare.gap) {
        job->spare = plWitnessSpot(&pair, &w);
        job->spare.triangle = index;
    }
    for (int i = first; i < job->spots->count; i++) job->spots->spots[i].triangle = index;
    return true;
}

/// All left it to their neighbours (round-off, or an odd corner): better one contact than none.
static void addSpare(Job* job)
{
    plSpot s = job->spare;
    s.a = plAddScaled(s.a, -job->a->radius, s.n);
    s.gap -= job->a->radius;
    plSpots_Add(job->spots, s);
}

// --- doors

/// Bounds of a in the mesh's frame.
static plBounds boundsIn(const plCore* a, const plFrame* f)
{
    plBounds b = plBounds_None();
    for (int i = 0; i < a->count; i++) b = plBounds_Add(&b, plInto(f, a->v[i]));
    return plBounds_Grow(b, a->radius);
}

void plMeshSpots(const plCore* a, const plFrame* worldA, const plMesh* m, const plFrame* worldB,
                 double reach, plSpots* spots)
{
    Job job = {.a = a, .mesh = m, .reach = reach, .spots = spots, .spare = {.gap = INFINITY}};
    job.frame = plBetween(worldA, worldB);
    const plBounds b = boundsIn(a, &job.frame), grown = plBounds_Grow(b, reach);
    job.middle = plScale(0.5, plAdd(b.lo, b.hi));
    spots->count = 0;
    plMesh_Visit(m, &grown, addTriangle, &job);
    if (spots->count == 0 && job.spare.gap < a->radius) addSpare(&job);
    condense(&job);
}

static double lowest(const plBounds* b, plVec3 n)
{
    return n.x * (n.x > 0 ? b->lo.x : b->hi.x) + n.y * (n.y > 0 ? b->lo.y : b->hi.y) +
           n.z * (n.z > 0 ? b->lo.z : b->hi.z);
}

void plMeshPlaneSpots(const plMesh* m, plVec3 n, double d, double reach, plSpots* spots)
{
    const plBounds all = m->nodes[0].bounds;
    const plCore whole = {.size = plNorm(plSub(all.hi, all.lo))};
    const Job job = {.a = &whole, .spots = spots};
    int stack[plTreeDepth + 1], count = 1;
    stack[0] = 0;
    spots->count = 0;
    while (count > 0) {
        const plTreeNode* node = &m->nodes[stack[--count]];
        if (lowest(&node->bounds, n) - d > reach) continue;
        if (node->count == 0) {
            stack[count++] = node->first + 1;
            stack[count++] = node->first;
        }
        for (int i = 0; i < 3 * node->count; i++) {
            const int triangle = m->order[node->first + i / 3], k = i % 3;
            const plVec3 p = m->points[m->triangles[3 * triangle + k]];
            const double gap = plDot(n, p) - d;
            if (gap > reach) continue;
            if (spots->count == plSpotLimit) condense(&job);
            plSpots_Add(spots, (plSpot){p, plAddScaled(p, -gap, n), n, gap, (uint32_t)k,
                                        plFeatureFace, triangle, pl_normalOfB});
        }
    }
    condense(&job);
}
