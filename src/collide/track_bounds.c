// Bounds of the shapes of a pair, in the working frame.
#include "collide/track_inside.h"

static double between(double loA, double hiA, double loB, double hiB)
{
    return plHigher(0, plHigher(loB - hiA, loA - hiB));
}

double plBounds_Apart(const plBounds* a, const plBounds* b)
{
    return plNorm(plVec(between(a->lo.x, a->hi.x, b->lo.x, b->hi.x),
                        between(a->lo.y, a->hi.y, b->lo.y, b->hi.y),
                        between(a->lo.z, a->hi.z, b->lo.z, b->hi.z)));
}

plBounds plBounds_Turn(const plFrame* f, const plBounds* b)
{
    const plVec3 c = plOut(f, plScale(0.5, plAdd(b->lo, b->hi)));
    const plVec3 h = plScale(0.5, plSub(b->hi, b->lo));
    const plMat3* R = &f->R;
    const plVec3 r = {fabs(R->x.x) * h.x + fabs(R->x.y) * h.y + fabs(R->x.z) * h.z,
                      fabs(R->y.x) * h.x + fabs(R->y.y) * h.y + fabs(R->y.z) * h.z,
                      fabs(R->z.x) * h.x + fabs(R->z.y) * h.y + fabs(R->z.z) * h.z};
    return (plBounds){plSub(c, r), plAdd(c, r)};
}

double plSide_Apart(const plSide* g, const plBounds* b)
{
    const plShape* s = g->shape;
    if (s->kind == pl_shapePlane) {
        const plVec3 n = plMul(&g->frame.R, s->normal);
        const plVec3 low = plVec(n.x > 0 ? b->lo.x : b->hi.x, n.y > 0 ? b->lo.y : b->hi.y,
                                 n.z > 0 ? b->lo.z : b->hi.z);
        return plHigher(0, plDot(n, plSub(low, g->frame.x)));
    }
    if (s->kind == pl_shapeNurbs) {
        const int* order;
        const plBounds own = plBounds_Turn(&g->frame, &plNurbs_Tree(s->nurbs, &order)->bounds);
        return plBounds_Apart(&own, b);
    }
    // Bounds want the carrier's frame, which is the shape's here.
    plShape at = *s;
    at.frame = (plFrame){.R = plIdentity3()};
    at.centered = true;
    const plBounds own = plShape_Bounds(&at, &g->frame);
    return plBounds_Apart(&own, b);
}
