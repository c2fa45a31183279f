// The gap of a contact while its two parts move.
//
// Let r = a - b be the vector between two points of the cores, fixed in their carriers. The distance
// of two features is n.r, with n of the features' own kind:
//   point and face       n is the face's normal, and turns with it
//   two points           n = r/|r|
//   point and edge e     n = (r - (r.e) e)/|r - (r.e) e|
//   two edges e, f       n = +-(e x f)/|e x f|
// While the same features are nearest, this is the distance of the cores, without a search. In all of
// them n'.r = 0 where r is along n, so that the gap changes by n.(va - vb), as the contact's row says.
// Along an edge, or on a face, the points may be any: n.r does not change there.
//
// The direction of r is noise where the cores touch, and the features lose their meaning when one has
// passed through the other. Cores that touch therefore have a fixed normal, unless it is of a face or
// of two edges, which need no r.
#include "collide/manifold.h"

/// Edges at an angle with a smaller sine count as parallel. A turn by this much moves the crossing of
/// two lines by as much as their distance over it: mostly beyond the ends of the edges.
#define leastSine 1e-2

/// How far a contact's r and n may be from the model's, as a sine: 100 times what round-off makes of
/// r where it is shortest.
#define mostTilt 1e-8

plNormalKind plNormalKind_Of(int dimA, int dimB)
{
    static const plNormalKind kinds[3][3] = {
        {pl_normalBetween, pl_normalAcrossB, pl_normalOfB},
        {pl_normalAcrossA, pl_normalEdges, pl_normalOfB},
        {pl_normalOfA, pl_normalOfA, pl_normalOfB},
    };
    return kinds[dimA][dimB];
}

plNormalKind plNormalKind_Swapped(plNormalKind kind)
{
    switch (kind) {
    case pl_normalOfA:
        return pl_normalOfB;
    case pl_normalOfB:
        return pl_normalOfA;
    case pl_normalAcrossA:
        return pl_normalAcrossB;
    case pl_normalAcrossB:
        return pl_normalAcrossA;
    default:
        return kind;
    }
}

plGapModel plGapModel_Swapped(const plGapModel* m)
{
    return (plGapModel){.kind = plNormalKind_Swapped(m->kind),
                        .a = m->b,
                        .b = m->a,
                        .n = plScale(-1, m->n),
                        .edgeA = m->edgeB,
                        .edgeB = m->edgeA,
                        .radiusA = m->radiusB,
                        .radiusB = m->radiusA};
}

// --- evaluation

static plVec3 across(plVec3 r, plVec3 e) { return plAddScaled(r, -plDot(r, e), e); }

/// Unit v, if it is longer than `least`; else the normal of the search, which also serves when v is
/// `bound` to it and has turned away by more than 60 degrees.
static plVec3 unitOr(plVec3 v, double least, plVec3 search, bool bound)
{
    const double length = plNorm(v);
    if (!(length > least)) return search;
    const plVec3 n = plScale(1 / length, v);
    return bound && plDot(n, search) < 0.5 ? search : n;
}

static plVec3 normalAt(const plGapModel* m, const plMat3* A, const plMat3* B, plVec3 r)
{
    const double least = 1e-100; // its inverse is finite
    const bool sharp = m->radiusA + m->radiusB == 0;
    switch (m->kind) {
    case pl_normalFixed:
        break;
    case pl_normalOfA:
        return plMul(A, m->n);
    case pl_normalOfB:
        return plMul(B, m->n);
    case pl_normalBetween:
        return unitOr(r, least, m->n, sharp);
    case pl_normalAcrossA:
        return unitOr(across(r, plMul(A, m->edgeA)), least, m->n, sharp);
    case pl_normalAcrossB:
        return unitOr(across(r, plMul(B, m->edgeB)), least, m->n, sharp);
    case pl_normalEdges: {
        const plVec3 c = plCross(plMul(A, m->edgeA), plMul(B, m->edgeB));
        return unitOr(plDot(c, m->n) < 0 ? plScale(-1, c) : c, 1e-6, m->n, true);
    }
    }
    return m->n;
}

// The origins are subtracted first: far from the world's origin, r keeps its digits.
double plGapModel_Gap(const plGapModel* m, const plFrame* carrierA, const plFrame* carrierB,
                      plVec3* n)
{
    const plMat3 *A = &carrierA->R, *B = &carrierB->R;
    const plVec3 turned = plSub(plMul(A, m->a), plMul(B, m->b));
    const plVec3 r = plAdd(plSub(carrierA->x, carrierB->x), turned);
    *n = normalAt(m, A, B, r);
    return plDot(*n, r) - (m->radiusA + m->radiusB);
}

// --- from a contact

static bool isCrossing(plVec3 c, double sine, plVec3 n, double aside, double size)
{
    const plVec3 u = plScale((plDot(c, n) < 0 ? -1 : 1) / sine, c);
    return plNorm(plSub(u, n)) <= mostTilt && aside <= 1e-7 * size;
}

/// The kind that gives the contact's own normal. Contacts may have another one than their features do:
/// slightly askew edges share that of the nearest points, ends of edges count as parts of them.
static plNormalKind settledKind(const plPoint* p, const plGapSides* s, plNormalKind kind,
                                plVec3 edgeA, plVec3 edgeB)
{
    const double radii = s->radiusA + s->radiusB, d = p->gap + radii;
    const double aside = plNorm(plAddScaled(plSub(p->a, p->b), -p->gap, p->n));
    const plVec3 ea = plMul(&s->carrierA->R, edgeA), eb = plMul(&s->carrierB->R, edgeB);
    if (kind == pl_normalEdges) {
        const plVec3 c = plCross(ea, eb);
        const double sine = plNorm(c);
        if (sine > leastSine) {
            return isCrossing(c, sine, p->n, aside, s->size) ? kind : pl_normalFixed;
        }
        kind = pl_normalAcrossB;
    }
    if (!(d > 1e-6 * s->size) || aside > mostTilt * d) return pl_normalFixed;
    if (kind == pl_normalAcrossA && fabs(plDot(p->n, ea)) > mostTilt) return pl_normalBetween;
    if (kind == pl_normalAcrossB && fabs(plDot(p->n, eb)) > mostTilt) return pl_normalBetween;
    return kind;
}

void plGapModel_Set(plPoint* p, const plGapSides* s, plNormalKind kind, plVec3 edgeA, plVec3 edgeB)
{
    const bool ofFace = kind == pl_normalOfA || kind == pl_normalOfB;
    const plVec3 inA = plMulT(&s->carrierA->R, p->n), inB = plMulT(&s->carrierB->R, p->n);
    if (!ofFace && kind != pl_normalFixed) kind = settledKind(p, s, kind, edgeA, edgeB);
    plGapModel* m = &p->model;
    *m = (plGapModel){.kind = kind,
                      .a = plAddScaled(p->localA, s->radiusA, inA),
                      .b = plAddScaled(p->localB, -s->radiusB, inB),
                      .n = kind == pl_normalOfA   ? inA
                           : kind == pl_normalOfB ? inB
                                                  : p->n,
                      .radiusA = s->radiusA,
                      .radiusB = s->radiusB};
    if (plNormalKind_HasEdgeA(kind)) m->edgeA = edgeA;
    if (plNormalKind_HasEdgeB(kind)) m->edgeB = edgeB;
}
