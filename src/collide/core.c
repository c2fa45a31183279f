// Cores of shapes and vertices of their difference.
#include "collide/core.h"

void plCore_Set(plCore* c, const plShape* s)
{
    c->radius = s->radius, c->size = s->size;
    c->polytope = s->polytope;
    c->isBox = s->kind == pl_shapeBox;
    if (s->polytope) {
        c->count = s->polytope->vertexCount;
        c->v = s->polytope->vertices;
        return;
    }
    PL_ASSERT(s->kind == pl_shapeSphere || s->kind == pl_shapeCapsule);
    c->count = s->kind == pl_shapeSphere ? 1 : 2;
    c->own[0] = plVec(-s->half.x, 0, 0);
    c->own[1] = plVec(s->half.x, 0, 0);
    c->v = c->own;
}

plCorePair plCorePair_Of(const plCore* a, const plFrame* worldA, const plCore* b,
                         const plFrame* worldB)
{
    const plFrame frame = plBetween(worldA, worldB);
    return (plCorePair){a, b, frame, a->size + b->size + plNorm(frame.x)};
}

plVertex plCorePair_Vertex(const plCorePair* p, int ia, int ib)
{
    plVertex v = {.a = p->a->v[ia], .b = plOut(&p->frame, p->b->v[ib]), .ia = ia, .ib = ib};
    v.w = plSub(v.a, v.b);
    return v;
}

plVertex plCorePair_Support(const plCorePair* p, plVec3 d, const plVertex* hint)
{
    const plVec3 back = plMulT(&p->frame.R, plVec(-d.x, -d.y, -d.z));
    const int ia = plCore_Farthest(p->a, d, hint ? hint->ia : 0);
    const int ib = plCore_Farthest(p->b, back, hint ? hint->ib : 0);
    return plCorePair_Vertex(p, ia, ib);
}

// The line of nearest points of two lines, clamped to both segments (Ericson 2005, 5.1.9); when the
// lines are parallel any place on a serves first. The two-step clamp can stop at a point that is
// not nearest only for nearly parallel lines, through round-off of the first step; trying the four
// ends against the other segment as well makes the result right then, too.
void plNearestOfSegments(plVec3 a0, plVec3 a1, plVec3 b0, plVec3 b1, plVec3* a, plVec3* b)
{
    const plVec3 ends[4] = {a0, a1, b0, b1};
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        const plVec3 q = i < 2 ? plNearestOnSegment(ends[i], b0, b1, NULL)
                               : plNearestOnSegment(ends[i], a0, a1, NULL);
        const double d2 = plDot(plSub(q, ends[i]), plSub(q, ends[i]));
        if (!(d2 < least)) continue;
        least = d2;
        *a = i < 2 ? ends[i] : q;
        *b = i < 2 ? q : ends[i];
    }
    const plVec3 u = plSub(a1, a0), v = plSub(b1, b0), r = plSub(a0, b0);
    const double uu = plDot(u, u), vv = plDot(v, v), uv = plDot(u, v);
    const double det = uu * vv - uv * uv;
    if (!(det > 1e-14 * uu * vv)) return;
    const double s = (uv * plDot(v, r) - vv * plDot(u, r)) / det;
    if (!(s > 0 && s < 1)) return;
    const plVec3 onA = plAddScaled(a0, s, u);
    const plVec3 onB = plNearestOnSegment(onA, b0, b1, NULL);
    const double d2 = plDot(plSub(onA, onB), plSub(onA, onB));
    if (d2 < least) *a = onA, *b = onB;
}
