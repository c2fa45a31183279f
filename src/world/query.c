// Rays, closest points and overlaps over all shapes of a world, as they are now. Each query looks at every shape
// once: what it costs grows with their number, and the state of the pairs is neither read nor touched.
#include "world/inside.h"

#include <stdio.h>

plQueryFilter plDefaultQueryFilter(void) { return (plQueryFilter){.group = 1, .mask = UINT32_MAX}; }

static bool sees(const plWorld* w, const plQueryFilter* f, int shape)
{
    return (w->masks[shape][0] & f->mask) && (f->group & w->masks[shape][1]);
}

static plFrame frameOf(const plWorld* w, int shape)
{
    plSite site = w->carriers[shape].site;
    if (site.mechanism.index1 == 0) return (plFrame){.R = plIdentity3()};
    site.point = plVec(0, 0, 0);
    return plMechanism_Frame(w->mechanisms[site.mechanism.index1 - 1], pl_atStart, site);
}

static plSurfaceView skinOf(const plWorld* w, int shape)
{
    return plMechanism_Surface(w->mechanisms[w->carriers[shape].site.mechanism.index1 - 1]);
}

static void cornersOf(const plSurfaceView* s, int face, plVec3 x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = s->x[s->faces[3 * face + k]];
}

static plVec3 normalOf(const plVec3 x[3])
{
    const plVec3 n = plCross(plSub(x[1], x[0]), plSub(x[2], x[0]));
    const double size = plNorm(n);
    return size > 0 ? plScale(1 / size, n) : n;
}

// A spot of a rigid part keeps its place on it; of a soft one it has weights on a face, which is part face + 1.
static plQueryHit hitOf(const plWorld* w, int shape, plVec3 local, plVec3 normal, double distance)
{
    const plFrame frame = frameOf(w, shape);
    plSite site = w->carriers[shape].site;
    site.point = local;
    return (plQueryHit){.shape = plShapes_Id(w, shape),
                        .site = site,
                        .point = plOut(&frame, local),
                        .normal = plMul(&frame.R, normal),
                        .distance = distance};
}

static plQueryHit hitOfFace(const plWorld* w, int shape, int face, const plVec3 x[3],
                            const double weight[3], double distance)
{
    plSite site = w->carriers[shape].site;
    plVec3 point = plScale(weight[0], x[0]);
    for (int k = 1; k < 3; ++k) point = plAddScaled(point, weight[k], x[k]);
    site.part += face + 1;
    site.point = plVec(weight[0], weight[1], weight[2]);
    return (plQueryHit){.shape = plShapes_Id(w, shape),
                        .site = site,
                        .point = point,
                        .normal = normalOf(x),
                        .distance = distance};
}

// --- rays

// Where p + t d goes into the front of a triangle; weights of its corners.
static bool entersFace(const plVec3 x[3], plVec3 p, plVec3 d, double* t, double weight[3])
{
    const plVec3 a = plSub(x[1], x[0]), b = plSub(x[2], x[0]), n = plCross(a, b),
                 r = plSub(p, x[0]);
    const double speed = plDot(n, d);
    if (!(speed < 0)) return false;
    *t = -plDot(n, r) / speed;
    const plVec3 q = plAddScaled(r, *t, d);
    const double area2 = plDot(n, n);
    weight[1] = plDot(plCross(q, b), n) / area2;
    weight[2] = plDot(plCross(a, q), n) / area2;
    weight[0] = 1 - weight[1] - weight[2];
    return *t >= 0 && weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
}

static bool castOnSkin(const plWorld* w, int shape, plVec3 from, plVec3 d, double most,
                       plQueryHit* hit)
{
    const plSurfaceView s = skinOf(w, shape);
    bool found = false;
    for (int i = 0; i < s.faceCount; ++i) {
        plVec3 x[3];
        double t, weight[3];
        cornersOf(&s, i, x);
        if (!entersFace(x, from, d, &t, weight) || t > most || (found && t >= most)) continue;
        *hit = hitOfFace(w, shape, i, x, weight, t);
        most = t;
        found = true;
    }
    return found;
}

static bool castOn(const plWorld* w, int shape, plVec3 from, plVec3 d, double most, plQueryHit* hit)
{
    if (!w->shapes[shape]) return castOnSkin(w, shape, from, d, most, hit);
    const plFrame frame = frameOf(w, shape);
    const plVec3 p = plInto(&frame, from), e = plMulT(&frame.R, d);
    const plRayHit found = plShape_Ray(w->shapes[shape], p, e, most);
    if (!found.hit || found.t > most) return false;
    *hit = hitOf(w, shape, plAddScaled(p, found.t, e), found.normal, found.t);
    return true;
}

plStatus plWorld_CastRay(const plWorld* w, plVec3 from, plVec3 way, plQueryFilter filter,
                         plQueryHit* hit)
{
    const double length = plNorm(way);
    bool found = false;
    if (!plFinite3(from) || !isfinite(length) || !(length > 0)) return pl_statusBadArgument;
    const plVec3 d = plScale(1 / length, way);
    double most = length;
    for (int i = 0; i < w->shapeCount; ++i) {
        plQueryHit here;
        if (!sees(w, &filter, i) || !castOn(w, i, from, d, most, &here)) continue;
        if (found && here.distance >= most) continue;
        *hit = here;
        most = here.distance;
        found = true;
    }
    return found ? pl_statusOk : pl_statusNotFound;
}

// --- closest points

// Solid angle of a triangle seen from the origin; all of a closed surface: 4 pi inside, 0 outside.
//                                                                     (van Oosterom and Strackee 1983)
static double solidAngle(const plVec3 x[3], plVec3 p)
{
    const plVec3 a = plSub(x[0], p), b = plSub(x[1], p), c = plSub(x[2], p);
    const double A = plNorm(a), B = plNorm(b), C = plNorm(c);
    const double below = A * B * C + plDot(a, b) * C + plDot(b, c) * A + plDot(c, a) * B;
    return 2 * atan2(plDot(a, plCross(b, c)), below);
}

static bool isInSkin(const plSurfaceView* s, plVec3 p)
{
    double sum = 0;
    for (int i = 0; i < s->faceCount; ++i) {
        plVec3 x[3];
        cornersOf(s, i, x);
        sum += solidAngle(x, p);
    }
    return sum > 2 * PL_PI;
}

static bool nearSkin(const plWorld* w, int shape, plVec3 p, double most, plQueryHit* hit)
{
    const plSurfaceView s = skinOf(w, shape);
    const double side = isInSkin(&s, p) ? -1 : 1;
    double least = INFINITY;
    for (int i = 0; i < s.faceCount; ++i) {
        plVec3 x[3];
        double weight[3];
        cornersOf(&s, i, x);
        const double d = plNorm(plSub(plNearestOnTriangle(p, x[0], x[1], x[2], weight), p));
        if (!(d < least)) continue;
        least = d;
        *hit = hitOfFace(w, shape, i, x, weight, side * d);
    }
    return hit->distance <= most && isfinite(least);
}

static bool nearShape(const plWorld* w, int shape, plVec3 p, double most, plQueryHit* hit)
{
    if (!w->shapes[shape]) return nearSkin(w, shape, p, most, hit);
    const plFrame frame = frameOf(w, shape);
    const plNearest found = plShape_Nearest(w->shapes[shape], plInto(&frame, p));
    if (!(found.distance <= most)) return false;
    *hit = hitOf(w, shape, found.point, found.normal, found.distance);
    return true;
}

plStatus plWorld_ClosestPoint(const plWorld* w, plVec3 p, double most, plQueryFilter filter,
                              plQueryHit* hit)
{
    bool found = false;
    if (!plFinite3(p) || !(most >= 0)) return pl_statusBadArgument;
    for (int i = 0; i < w->shapeCount; ++i) {
        plQueryHit here = {.distance = INFINITY};
        if (!sees(w, &filter, i) || !nearShape(w, i, p, most, &here)) continue;
        if (found && here.distance >= hit->distance) continue;
        *hit = here;
        found = true;
    }
    return found ? pl_statusOk : pl_statusNotFound;
}

// --- overlaps

static bool overlapsSkin(const plWorld* w, int shape, const plShape* solid, const plFrame* frame)
{
    const plSurfaceView s = skinOf(w, shape);
    const plVec3 inside = plOut(frame, plCollide_Inside(solid));
    for (int i = 0; i < s.faceCount; ++i) {
        plVec3 x[3];
        cornersOf(&s, i, x);
        if (plCollide_OverlapsFace(solid, frame, x)) return true;
    }
    return isInSkin(&s, inside);
}

static bool overlaps(plWorld* w, int shape, const plShape* solid, const plFrame* frame)
{
    if (!w->shapes[shape]) return overlapsSkin(w, shape, solid, frame);
    const plFrame other = frameOf(w, shape);
    const plBounds a = plShape_Bounds(solid, frame), b = plShape_Bounds(w->shapes[shape], &other);
    return plBounds_Meet(&a, &b) &&
           plCollide_Overlap(solid, frame, w->shapes[shape], &other, &w->found);
}

static const char* refuses(const plShapeDef* d, plPose pose, int capacity)
{
    if (d->kind == pl_shapePlane || d->kind == pl_shapeMesh || d->kind == pl_shapeNurbs) {
        return "an overlap is asked for with a sphere, capsule, box, polygon, hull or compound";
    }
    if (!plFinitePose(pose)) return "the pose of an overlap must be finite";
    return capacity < 0 ? "the capacity of a list must not be negative" : NULL;
}

// The solid is made behind what the arena holds, and goes again.
plStatus plWorld_Overlap(plWorld* w, const plShapeDef* def, plPose pose, plQueryFilter filter,
                         int capacity, plShapeId* list, int* count)
{
    const size_t mark = w->fixed.used;
    const plFrame frame = {pose.p, plRotation(plQuatUnit(pose.q))};
    const char* why = refuses(def, pose, capacity);
    const plShape* solid;
    plShapeError error = {.line = 0};
    *count = 0;
    if (why) return plWorld_Fail(w, pl_statusBadArgument, why);
    const plStatus status = plShape_Create(def, &w->fixed, &w->def.allocator, &solid, &error);
    for (int i = 0; i < w->shapeCount && status == pl_statusOk; ++i) {
        if (!sees(w, &filter, i) || !overlaps(w, i, solid, &frame)) continue;
        if (*count < capacity) list[*count] = plShapes_Id(w, i);
        ++*count;
    }
    plArena_Rewind(&w->fixed, mark);
    return status == pl_statusOk ? status : plWorld_Fail(w, status, error.message);
}
