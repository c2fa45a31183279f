// Bounds, support points of whole shapes.
#include "shape/inside.h"
#include "shape/nurbs_inside.h"

plBounds plBounds_None(void)
{
    return (plBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

plBounds plBounds_Join(const plBounds* a, const plBounds* b)
{
    return (plBounds){
        {plLower(a->lo.x, b->lo.x), plLower(a->lo.y, b->lo.y), plLower(a->lo.z, b->lo.z)},
        {plHigher(a->hi.x, b->hi.x), plHigher(a->hi.y, b->hi.y), plHigher(a->hi.z, b->hi.z)}};
}

plBounds plBounds_Add(const plBounds* a, plVec3 p)
{
    const plBounds point = {p, p};
    return plBounds_Join(a, &point);
}

double plBounds_Outside2(const plBounds* b, plVec3 p)
{
    const double x = plHigher(0, plHigher(b->lo.x - p.x, p.x - b->hi.x));
    const double y = plHigher(0, plHigher(b->lo.y - p.y, p.y - b->hi.y));
    const double z = plHigher(0, plHigher(b->lo.z - p.z, p.z - b->hi.z));
    return x * x + y * y + z * z;
}

plVec3 plShape_Support(const plShape* s, plVec3 d, int* index)
{
    plVec3 p = {0, 0, 0};
    int at = index ? *index : 0;
    switch (s->kind) {
    case pl_shapeSphere:
        break;
    case pl_shapeCapsule:
        p.x = d.x >= 0 ? s->half.x : -s->half.x;
        break;
    case pl_shapeBox:
        p = plVec(copysign(s->half.x, d.x), copysign(s->half.y, d.y), copysign(s->half.z, d.z));
        break;
    case pl_shapePolygon:
    case pl_shapeHull:
        at = plPolytope_Support(s->polytope, d, at);
        p = s->polytope->vertices[at];
        break;
    default:
        PL_ASSERT(plShape_IsConvex(s));
    }
    if (index) *index = at;
    const double norm = plNorm(d);
    return s->radius > 0 && norm > 0 ? plAddScaled(p, s->radius / norm, d) : p;
}

/// Half widths of a box with the axes of R: |R| half.
static plVec3 turnedHalf(const plMat3* R, plVec3 half)
{
    return plVec(fabs(R->x.x) * half.x + fabs(R->x.y) * half.y + fabs(R->x.z) * half.z,
                 fabs(R->y.x) * half.x + fabs(R->y.y) * half.y + fabs(R->y.z) * half.z,
                 fabs(R->z.x) * half.x + fabs(R->z.y) * half.y + fabs(R->z.z) * half.z);
}

static plBounds pointBounds(const plFrame* f, const plVec3* p, int count)
{
    plBounds b = plBounds_None();
    for (int i = 0; i < count; i++) b = plBounds_Add(&b, plOut(f, p[i]));
    return b;
}

/// Everything is inside, but along an axis that the plane faces it ends at the plane.
static plBounds planeBounds(const plFrame* f, plVec3 normal)
{
    const plVec3 n = plMul(&f->R, normal);
    plBounds b = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    if (n.x == 1) b.hi.x = f->x.x;
    if (n.y == 1) b.hi.y = f->x.y;
    if (n.z == 1) b.hi.z = f->x.z;
    if (n.x == -1) b.lo.x = f->x.x;
    if (n.y == -1) b.lo.y = f->x.y;
    if (n.z == -1) b.lo.z = f->x.z;
    return b;
}

plBounds plShape_Bounds(const plShape* s, const plFrame* carrier)
{
    const plFrame f = plShape_Frame(s, carrier);
    plBounds b = plBounds_None();
    plVec3 half, center;
    switch (s->kind) {
    case pl_shapePlane:
        return planeBounds(&f, s->normal);
    case pl_shapeCompound:
        for (int i = 0; i < s->pieceCount; i++) {
            const plBounds piece = plShape_Bounds(&s->pieces[i], carrier);
            b = plBounds_Join(&b, &piece);
        }
        return b;
    case pl_shapeMesh: // of the turned bounds: larger, but at the cost of one box
    case pl_shapeNurbs:
        b = s->kind == pl_shapeMesh ? s->mesh->nodes[0].bounds : s->nurbs->nodes[0].bounds;
        center = plOut(&f, plScale(0.5, plAdd(b.lo, b.hi)));
        half = turnedHalf(&f.R, plScale(0.5, plSub(b.hi, b.lo)));
        return (plBounds){plSub(center, half), plAdd(center, half)};
    case pl_shapeHull:
    case pl_shapePolygon:
        return pointBounds(&f, s->polytope->vertices, s->polytope->vertexCount);
    default:
        half = turnedHalf(&f.R, s->half);
        b = (plBounds){plSub(f.x, half), plAdd(f.x, half)};
        return plBounds_Grow(b, s->radius);
    }
}
