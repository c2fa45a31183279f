// Rays. All in the shape's frame; t is measured in units of the direction.
#include "shape/inside.h"
#include "shape/nurbs_inside.h"

static const plRayHit miss = {.hit = false, .t = INFINITY};

/// A ball about c; a start inside does not hit.
static plRayHit ofBall(plVec3 c, double radius, plVec3 p, plVec3 d)
{
    const plVec3 r = plSub(p, c);
    const double a = plDot(d, d), b = plDot(r, d);
    if (!(a > 0) || b >= 0 || plDot(r, r) < radius * radius) return miss;
    // From the point of the ray nearest to the centre, not from p: far away, b^2 - a c cancels.
    const plVec3 across = plAddScaled(r, -b / a, d);
    const double left2 = radius * radius - plDot(across, across);
    if (left2 < 0) return miss;
    const double t = -b / a - sqrt(left2 / a);
    return (plRayHit){true, t, plScale(1 / radius, plSub(plAddScaled(p, t, d), c)), 0};
}

// The side is the cylinder about x, which is a ball in the y-z plane, where it lies between the
// ends; else one of the two caps.
static plRayHit ofCapsule(double h, double radius, plVec3 p, plVec3 d)
{
    const double nearest = plLower(plHigher(p.x, -h), h);
    if (plNorm(plSub(p, plVec(nearest, 0, 0))) < radius) return miss;
    plRayHit side = ofBall(plVec(0, 0, 0), radius, plVec(0, p.y, p.z), plVec(0, d.y, d.z));
    if (side.hit && fabs(p.x + side.t * d.x) <= h) return side;
    const plRayHit left = ofBall(plVec(-h, 0, 0), radius, p, d);
    const plRayHit right = ofBall(plVec(h, 0, 0), radius, p, d);
    return left.t <= right.t ? left : right;
}

// Cut by each face's half-space in turn: the last entry must come before the first exit.
static plRayHit ofPolytope(const plPolytope* t, plVec3 p, plVec3 d)
{
    double enter = -INFINITY, leave = INFINITY;
    plVec3 n = {0, 0, 0};
    for (int i = 0; i < t->faceCount; i++) {
        const plFace* f = &t->faces[i];
        const double speed = plDot(f->n, d), gap = plDot(f->n, p) - f->d;
        if (speed == 0) {
            if (gap > 0) return miss;
            continue;
        }
        const double s = -gap / speed;
        if (speed < 0 && s > enter) enter = s, n = f->n;
        if (speed > 0 && s < leave) leave = s;
    }
    if (enter < 0 || enter > leave) return miss;
    return (plRayHit){true, enter, n, 0};
}

bool plBounds_Crossed(const plBounds* b, plVec3 p, plVec3 d, double tMax)
{
    const double lo[3] = {b->lo.x - p.x, b->lo.y - p.y, b->lo.z - p.z};
    const double hi[3] = {b->hi.x - p.x, b->hi.y - p.y, b->hi.z - p.z};
    const double dir[3] = {d.x, d.y, d.z};
    double enter = 0, leave = tMax;
    for (int k = 0; k < 3; k++) {
        if (dir[k] == 0) {
            if (lo[k] > 0 || hi[k] < 0) return false;
            continue;
        }
        const double s = lo[k] / dir[k], e = hi[k] / dir[k];
        enter = plHigher(enter, plLower(s, e));
        leave = plLower(leave, plHigher(s, e));
    }
    // A little round-off must not lose a triangle that lies in a side of the bounds.
    return enter <= leave + 1e-12 * (fabs(leave) + fabs(enter));
}

// The line passes inside when the three edges' signed volumes with it have one sign. Volumes of a
// shared edge are the same two numbers with opposite signs in both triangles, so no ray slips
// through between them (Woop, Benthin, Wald 2013, without their shear).
static bool crosses(const plVec3 v[3], plVec3 p, plVec3 d, double* t)
{
    const plVec3 a = plSub(v[0], p), b = plSub(v[1], p), c = plSub(v[2], p);
    const double u = plDot(d, plCross(c, b)), w = plDot(d, plCross(a, c)),
                 s = plDot(d, plCross(b, a));
    if (!((u <= 0 && w <= 0 && s <= 0) || (u >= 0 && w >= 0 && s >= 0))) return false;
    const plVec3 n = plCross(plSub(v[1], v[0]), plSub(v[2], v[0]));
    const double speed = plDot(n, d);
    if (speed == 0) return false;
    *t = plDot(n, a) / speed;
    return true;
}

static plRayHit ofMesh(const plMesh* m, plVec3 p, plVec3 d, double tMax)
{
    plRayHit best = miss;
    int stack[plTreeDepth + 1], count = 1;
    stack[0] = 0;
    while (count > 0) {
        const plTreeNode* node = &m->nodes[stack[--count]];
        if (!plBounds_Crossed(&node->bounds, p, d, plLower(tMax, best.t))) continue;
        if (node->count == 0) {
            stack[count++] = node->first;
            stack[count++] = node->first + 1;
        }
        for (int i = 0; i < node->count; i++) {
            const int triangle = m->order[node->first + i];
            const int* k = &m->triangles[3 * triangle];
            const plVec3 v[3] = {m->points[k[0]], m->points[k[1]], m->points[k[2]]};
            double t;
            if (plDot(m->normals[triangle], d) >= 0 || !crosses(v, p, d, &t)) continue;
            if (t < 0 || t > best.t || (t == best.t && triangle > best.part)) continue;
            best = (plRayHit){true, t, m->normals[triangle], triangle};
        }
    }
    return best;
}

static plRayHit inFrame(const plShape* s, plVec3 p, plVec3 d, double tMax)
{
    switch (s->kind) {
    case pl_shapeSphere:
        return ofBall(plVec(0, 0, 0), s->radius, p, d);
    case pl_shapeCapsule:
        return ofCapsule(s->half.x, s->radius, p, d);
    case pl_shapePlane: {
        const double gap = plDot(s->normal, p), speed = plDot(s->normal, d);
        if (gap < 0 || speed >= 0) return miss;
        return (plRayHit){true, -gap / speed, s->normal, 0};
    }
    case pl_shapeMesh:
        return ofMesh(s->mesh, p, d, tMax);
    case pl_shapeNurbs:
        return plNurbs_Ray(s->nurbs, p, d, tMax);
    default:
        return ofPolytope(s->polytope, p, d);
    }
}

plRayHit plShape_Ray(const plShape* s, plVec3 p, plVec3 d, double tMax)
{
    plRayHit best = miss;
    if (s->kind == pl_shapeCompound) {
        for (int i = 0; i < s->pieceCount; i++) {
            plRayHit hit = plShape_Ray(&s->pieces[i], p, d, tMax);
            hit.part = i;
            if (hit.hit && hit.t < best.t) best = hit;
        }
        return best;
    }
    best = inFrame(s, plInto(&s->frame, p), plMulT(&s->frame.R, d), tMax);
    if (!best.hit || !(best.t <= tMax)) return miss;
    best.normal = plMul(&s->frame.R, best.normal);
    return best;
}
