// Discs and capsules against outlines in the plane. The core is a point or a segment; its ends
// touch the outline's edges and corners, and the outline's corners touch the segment between its
// ends.
#include "collide/planar.h"

typedef struct {
    const plOutline2* o;
    const plCore* core;
    double reach;
    plSpots* spots;
} Job;

static void add(const Job* j, plVec3 onCore, plVec3 onOutline, plVec3 n, double gap, uint32_t own,
                uint32_t other, plNormalKind kind)
{
    const double r = j->core->radius;
    if (gap - r > j->reach) return;
    for (int i = 0; i < j->spots->count; i++) {
        const plSpot* s = &j->spots->spots[i];
        if (s->featureA == own && s->featureB == other) return;
    }
    plSpots_Add(j->spots,
                (plSpot){plAddScaled(onCore, -r, n), onOutline, n, gap - r, own, other, 0, kind});
}

/// End k of the core over the nearest edge or corner.
static void addEnd(const Job* j, int k)
{
    const plOutline2* o = j->o;
    const plVec3 p = j->core->v[k];
    int edge = 0;
    const double above = plOutline2_Highest(o, p, &edge);
    if (above <= 0) {
        add(j, p, plAddScaled(p, -above, o->n[edge]), o->n[edge], above, (uint32_t)k,
            plFeatureEdge | (uint32_t)edge, pl_normalOfB);
        return;
    }
    double least = INFINITY, place = 0;
    plVec3 best = p;
    for (int i = 0; i < o->count; i++) {
        double t;
        const plVec3 q = plNearestOnSegment(p, o->v[i], o->v[(i + 1) % o->count], &t);
        const double d = plNorm(plSub(p, q));
        if (d < least) least = d, best = q, edge = i, place = t;
    }
    const int corner = place <= 0 ? edge : (edge + 1) % o->count;
    const bool onEdge = place > 0 && place < 1;
    const uint32_t feature =
        onEdge ? plFeatureEdge | (uint32_t)edge : plFeatureVertex | (uint32_t)corner;
    const plVec3 n = least > 0 ? plScale(1 / least, plSub(p, best)) : o->n[edge];
    add(j, p, best, n, least, (uint32_t)k, feature, onEdge ? pl_normalOfB : pl_normalBetween);
}

/// Corner i beside the segment, when its neighbours are not nearer.
static void addCorner(const Job* j, int i)
{
    const plOutline2* o = j->o;
    double t;
    const plVec3 p = o->v[i], q = plNearestOnSegment(p, j->core->v[0], j->core->v[1], &t);
    const double d = plNorm(plSub(q, p));
    if (!(t > 0 && t < 1) || !(d > 0)) return;
    const plVec3 n = plScale(1 / d, plSub(q, p));
    const plVec3 next = o->v[(i + 1) % o->count], last = o->v[(i + o->count - 1) % o->count];
    if (plDot(n, plSub(next, p)) > 0 || plDot(n, plSub(last, p)) > 0) return;
    add(j, q, p, n, d, plFeatureEdge, plFeatureVertex | (uint32_t)i, pl_normalAcrossA);
}

// The segment passes through the outline: the least of the ways out, over an edge of the outline or
// beside the segment.
static void addDeep(const Job* j)
{
    const plOutline2* o = j->o;
    const plVec3* v = j->core->v;
    double best = -INFINITY;
    int edge = 0, corner = 0, end = 0;
    for (int i = 0; i < o->count; i++) {
        const double s0 = plOutline2_Above(o, i, v[0]), s1 = plOutline2_Above(o, i, v[1]);
        if (plLower(s0, s1) > best) best = plLower(s0, s1), edge = i, end = s1 < s0;
    }
    const plVec3 u = plSub(v[1], v[0]), across = plScale(1 / plNorm(u), plVec(u.y, -u.x, 0));
    plVec3 side = {0, 0, 0};
    for (int sign = -1; sign <= 1; sign += 2) {
        // n from the outline to the segment; the outline's corner farthest along it is deepest.
        const plVec3 n = plScale(sign, across);
        int far = 0;
        for (int i = 1; i < o->count; i++) {
            if (plDot(n, o->v[i]) > plDot(n, o->v[far])) far = i;
        }
        const double gap = plDot(n, plSub(v[0], o->v[far]));
        if (gap > best) best = gap, side = n, corner = far;
    }
    if (side.x != 0 || side.y != 0) {
        const plVec3 q = plAddScaled(o->v[corner], best, side);
        add(j, q, o->v[corner], side, best, plFeatureEdge, plFeatureVertex | (uint32_t)corner,
            pl_normalOfA);
    } else {
        add(j, v[end], plAddScaled(v[end], -best, o->n[edge]), o->n[edge], best, (uint32_t)end,
            plFeatureEdge | (uint32_t)edge, pl_normalOfB);
    }
}

/// Does the segment meet the inside of the outline?
static bool passes(const plOutline2* o, plVec3 p, plVec3 q)
{
    double enter = 0, leave = 1;
    for (int i = 0; i < o->count; i++) {
        const double from = plOutline2_Above(o, i, p), to = plOutline2_Above(o, i, q);
        if (from >= 0 && to >= 0) return false;
        if (from > 0) enter = plHigher(enter, from / (from - to));
        if (to > 0) leave = plLower(leave, from / (from - to));
    }
    return enter < leave;
}

void plRoundSpots(const plCore* core, const plOutline2* o, double reach, plSpots* spots)
{
    const Job j = {o, core, reach, spots};
    if (core->count == 2 && passes(o, core->v[0], core->v[1])) {
        addDeep(&j);
        return;
    }
    for (int k = 0; k < core->count; k++) addEnd(&j, k);
    for (int i = 0; core->count == 2 && i < o->count; i++) addCorner(&j, i);
}
