// Contacts of any two shapes.
#include "collide/manifold.h"

/// Unit direction of an edge of a shape, in its carrier's axes; zero when it has no length.
static plVec3 edgeOf(const plShape* s, uint32_t feature, int triangle)
{
    const int i = (int)(feature & (plFeatureEdge - 1));
    plVec3 from = plVec(-s->half.x, 0, 0), to = plVec(s->half.x, 0, 0);
    if (s->mesh) {
        const int* corners = &s->mesh->triangles[3 * triangle];
        from = s->mesh->points[corners[i % 3]], to = s->mesh->points[corners[(i + 1) % 3]];
    } else if (s->polytope) {
        const plHalfEdge* e = &s->polytope->edges[i];
        from = s->polytope->vertices[e->origin];
        to = s->polytope->vertices[s->polytope->edges[e->twin].origin];
    }
    const plVec3 d = plSub(to, from);
    const double length = plNorm(d);
    return length > 0 ? plMul(&s->frame.R, plScale(1 / length, d)) : plVec(0, 0, 0);
}

static void setModel(plPoint* p, const plShapePair* pair, const plGapSides* sides, const plSpot* s,
                     bool swap)
{
    const plNormalKind kind = swap ? plNormalKind_Swapped(s->kind) : s->kind;
    const uint32_t fa = swap ? s->featureB : s->featureA, fb = swap ? s->featureA : s->featureB;
    plVec3 edgeA = {0, 0, 0}, edgeB = {0, 0, 0};
    if (plNormalKind_HasEdgeA(kind)) edgeA = edgeOf(pair->a, fa, s->triangle);
    if (plNormalKind_HasEdgeB(kind)) edgeB = edgeOf(pair->b, fb, s->triangle);
    plGapModel_Set(p, sides, kind, edgeA, edgeB);
}

// Room for one more: the farthest makes way for one that is nearer. Null: there is none.
static plPoint* roomFor(plManifold* m, double gap)
{
    if (m->count < plPairPoints) return &m->points[m->count++];
    plPoint* farthest = &m->points[0];
    for (int i = 1; i < m->count; i++) {
        if (m->points[i].gap > farthest->gap) farthest = &m->points[i];
    }
    m->full = true;
    return gap < farthest->gap ? farthest : NULL;
}

void plManifold_Add(plManifold* m, const plSpots* spots, const plShapePair* pair,
                    const plFrame* world, uint64_t child, bool swap)
{
    const plGapSides sides = {pair->carrierA, pair->carrierB, pair->a->radius, pair->b->radius,
                              plLower(pair->a->size, pair->b->size)};
    for (int i = 0; i < spots->count; i++) {
        const plSpot* s = &spots->spots[i];
        plPoint* p = roomFor(m, s->gap);
        if (!p) continue;
        const plVec3 a = plOut(world, s->a), b = plOut(world, s->b), n = plMul(&world->R, s->n);
        const uint32_t fa = swap ? s->featureB : s->featureA, fb = swap ? s->featureA : s->featureB;
        p->key = fa | fb << 15 | (child | (uint64_t)s->triangle << 12) << 30;
        p->a = swap ? b : a;
        p->b = swap ? a : b;
        p->n = swap ? plScale(-1, n) : n;
        p->gap = s->gap;
        p->localA = plInto(pair->carrierA, p->a);
        p->localB = plInto(pair->carrierB, p->b);
        setModel(p, pair, &sides, s, swap);
    }
}

void plManifold_Sort(plManifold* m)
{
    for (int i = 1; i < m->count; i++) {
        const plPoint p = m->points[i];
        int k = i;
        for (; k > 0 && m->points[k - 1].key > p.key; k--) m->points[k] = m->points[k - 1];
        m->points[k] = p;
    }
}

/// Where and how contacts of a pair of simple shapes are looked for.
typedef struct {
    plShapePair pair;
    double reach;
    uint64_t child;
    plGuess* guess;
    plManifold* out;
} Pair;

// --- planes

/// The corners of a core's lowest face, and its lowest corner.
static void planeSpots(const plCore* c, plVec3 n, double d, double reach, plSpots* spots)
{
    const plVec3 down = plScale(-1, n);
    if (c->polytope) {
        plOutline face;
        plOutline_Set(&face, c->polytope, plFacingFace(c->polytope, down), NULL);
        const int lowest = plPolytope_Support(c->polytope, down, 0);
        bool known = false;
        for (int i = 0; i < face.count; i++) {
            known |= face.vertex[i] == lowest;
            plSpots_Add(spots, (plSpot){.a = face.v[i], .featureA = face.vertex[i]});
        }
        if (!known) plSpots_Add(spots, (plSpot){.a = c->v[lowest], .featureA = (uint32_t)lowest});
    }
    for (int i = 0; !c->polytope && i < c->count; i++) {
        plSpots_Add(spots, (plSpot){.a = c->v[i], .featureA = (uint32_t)i});
    }
    int kept = 0;
    for (int i = 0; i < spots->count; i++) {
        plSpot s = spots->spots[i];
        s.a = plAddScaled(s.a, -c->radius, n);
        s.gap = plDot(n, s.a) - d;
        s.b = plAddScaled(s.a, -s.gap, n);
        s.n = n;
        s.featureB = plFeatureFace;
        s.kind = pl_normalOfB;
        if (s.gap <= reach) spots->spots[kept++] = s;
    }
    spots->count = kept;
    plSpots_Reduce(spots, 1e-6 * c->size);
}

static void onPlane(const Pair* p, const plShape* body, const plFrame* bodyCarrier,
                    const plShape* plane, const plFrame* planeCarrier, bool swap)
{
    const plFrame fa = plShape_Frame(body, bodyCarrier);
    const plFrame fb = plShape_Frame(plane, planeCarrier);
    const plVec3 n = plMulT(&fa.R, plMul(&fb.R, plane->normal));
    plCore c;
    plSpots spots;
    spots.count = 0;
    plCore_Set(&c, body);
    planeSpots(&c, n, plDot(n, plInto(&fa, fb.x)), p->reach, &spots);
    plManifold_Add(p->out, &spots, &p->pair, &fa, p->child, swap);
}

// --- round shapes

/// Spheres and capsules against each other need no search.
static bool roundSpots(const plCorePair* p, double reach, plSpots* spots)
{
    const plCore* a = p->a;
    const plCore* b = p->b;
    plWitness w = {.exact = true};
    const plVec3 b0 = plOut(&p->frame, b->v[0]), b1 = plOut(&p->frame, b->v[b->count - 1]);
    if (a->count == 2 && b->count == 2) return false; // may be parallel
    plNearestOfSegments(a->v[0], a->v[a->count - 1], b0, b1, &w.a, &w.b);
    const plVec3 r = plSub(w.a, w.b);
    const double d = plNorm(r);
    if (d - a->radius - b->radius > reach) return true;
    w.n = plVec(1, 0, 0);
    if (d > 0) w.n = plScale(1 / d, r);
    if (d == 0 && b->count == 2) { // on the axis: across it
        plVec3 other;
        const plVec3 axis = plMul(&p->frame.R, plVec(1, 0, 0));
        plTangents(axis, &w.n, &other);
    }
    plSpots_Add(spots, (plSpot){.a = plAddScaled(w.a, -a->radius, w.n),
                                .b = plAddScaled(w.b, b->radius, w.n),
                                .n = w.n,
                                .gap = d - a->radius - b->radius,
                                .featureB = b->count == 2 ? plFeatureEdge : 0,
                                .kind = b->count == 2 ? pl_normalAcrossB : pl_normalBetween});
    return true;
}

// --- convex pairs

/// How simple a core is: point, segment, polytope.
static int rank(const plShape* s)
{
    return s->kind == pl_shapeSphere ? 0 : s->kind == pl_shapeCapsule ? 1 : 2;
}

static void convexPair(const Pair* p)
{
    const plShapePair* s = &p->pair;
    const bool swap = rank(s->a) > rank(s->b);
    const plShape* first = swap ? s->b : s->a;
    const plShape* second = swap ? s->a : s->b;
    const plFrame fa = plShape_Frame(first, swap ? s->carrierB : s->carrierA);
    const plFrame fb = plShape_Frame(second, swap ? s->carrierA : s->carrierB);
    plCore a, b;
    plSpots spots;
    spots.count = 0;
    plCore_Set(&a, first);
    plCore_Set(&b, second);
    const plCorePair pair = plCorePair_Of(&a, &fa, &b, &fb);
    if (a.polytope || b.polytope || !roundSpots(&pair, p->reach, &spots)) {
        plConvexSpots(&pair, p->reach, p->guess, &spots);
    }
    plManifold_Add(p->out, &spots, s, &fa, p->child, swap);
}

static void meshPair(const Pair* p, const plShape* body, const plFrame* bodyCarrier,
                     const plShape* mesh, const plFrame* meshCarrier, bool swap)
{
    plCore c;
    plSpots spots;
    const plFrame fa = plShape_Frame(body, bodyCarrier);
    const plFrame fb = plShape_Frame(mesh, meshCarrier);
    plCore_Set(&c, body);
    plMeshSpots(&c, &fa, mesh->mesh, &fb, p->reach, &spots);
    // A mesh is no compound: its index is free, and takes the triangle.
    const uint64_t piece = (p->child & 0xfff) | p->child >> 12;
    plManifold_Add(p->out, &spots, &p->pair, &fa, piece, swap);
}

static void meshOnPlane(const Pair* p, const plShape* mesh, const plFrame* meshCarrier,
                        const plShape* plane, const plFrame* planeCarrier, bool swap)
{
    const plFrame fa = plShape_Frame(mesh, meshCarrier);
    const plFrame fb = plShape_Frame(plane, planeCarrier);
    const plVec3 n = plMulT(&fa.R, plMul(&fb.R, plane->normal));
    plSpots spots;
    plMeshPlaneSpots(mesh->mesh, n, plDot(n, plInto(&fa, fb.x)), p->reach, &spots);
    plManifold_Add(p->out, &spots, &p->pair, &fa, 0, swap);
}

void plSimplePair(const plShape* a, const plFrame* carrierA, const plShape* b,
                  const plFrame* carrierB, double reach, uint64_t child, plGuess* guess,
                  plManifold* out)
{
    const Pair p = {{a, b, carrierA, carrierB}, reach, child, guess, out};
    const bool meshA = a->kind == pl_shapeMesh, meshB = b->kind == pl_shapeMesh;
    if (b->kind == pl_shapePlane) {
        if (meshA) meshOnPlane(&p, a, carrierA, b, carrierB, false);
        if (plShape_IsConvex(a)) onPlane(&p, a, carrierA, b, carrierB, false);
    } else if (a->kind == pl_shapePlane) {
        if (meshB) meshOnPlane(&p, b, carrierB, a, carrierA, true);
        if (plShape_IsConvex(b)) onPlane(&p, b, carrierB, a, carrierA, true);
    } else if (meshA || meshB) {
        if (!meshA) meshPair(&p, a, carrierA, b, carrierB, false);
        if (!meshB) meshPair(&p, b, carrierB, a, carrierA, true);
    } else {
        convexPair(&p);
    }
}

// --- compounds

static int piecesOf(const plShape* s) { return s->kind == pl_shapeCompound ? s->pieceCount : 1; }

static const plShape* pieceAt(const plShape* s, int i)
{
    return s->kind == pl_shapeCompound ? &s->pieces[i] : s;
}

void plCollide_Manifold(const plShape* a, const plFrame* carrierA, const plShape* b,
                        const plFrame* carrierB, double reach, plGuess* guess, plManifold* out)
{
    const bool simple = a->kind != pl_shapeCompound && b->kind != pl_shapeCompound;
    out->count = 0;
    out->full = false;
    for (int i = 0; i < piecesOf(a); i++) {
        const plShape* pa = pieceAt(a, i);
        plBounds ba = {0};
        if (!simple) {
            ba = plShape_Bounds(pa, carrierA);
            ba = plBounds_Grow(ba, reach);
        }
        for (int j = 0; j < piecesOf(b); j++) {
            const plShape* pb = pieceAt(b, j);
            const plBounds bb = simple ? (plBounds){0} : plShape_Bounds(pb, carrierB);
            if (!simple && !plBounds_Meet(&ba, &bb)) continue;
            plSimplePair(pa, carrierA, pb, carrierB, reach, (uint64_t)i | (uint64_t)j << 12,
                         simple ? guess : NULL, out);
        }
    }
    plManifold_Sort(out);
}
