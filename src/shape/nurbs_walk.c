// Walks over the surface, from patch to patch.
//   letters  T what is left of the way, a vector; e unit vector along an edge; c unit vector across it,
//            in the surface
#include "shape/nurbs_inside.h"

/// An edge seen from a spot on it: derivatives along and across it, the latter into the patch.
typedef struct {
    plVec3 along, across;
} Border;

static bool isAlongV(int edge) { return edge == plEdgeU0 || edge == plEdgeU1; }
static bool isUpper(int edge) { return edge == plEdgeU1 || edge == plEdgeV1; }

static Border borderAt(const plNurbs* n, plUv at, int edge)
{
    plSurfel f;
    plNurbs_At(n, at, &f);
    const double sign = isUpper(edge) ? -1 : 1;
    return isAlongV(edge) ? (Border){f.v, plScale(sign, f.u)} : (Border){f.u, plScale(sign, f.v)};
}

/// A way along and into the patch as a change of its parameters.
static void toParameters(int edge, double along, double across, double* du, double* dv)
{
    const double c = isUpper(edge) ? -across : across;
    *du = isAlongV(edge) ? c : along;
    *dv = isAlongV(edge) ? along : c;
}

static plVec3 wayAt(const plNurbs* n, plUv at, double du, double dv)
{
    plSurfel f;
    plNurbs_At(n, at, &f);
    return plAdd(plScale(du, f.u), plScale(dv, f.v));
}

/// a without what it has along b, and how much of b that was; 0 where b vanishes.
static plVec3 without(plVec3 a, plVec3 b, double* share)
{
    const double b2 = plDot(b, b);
    *share = b2 > 0 ? plDot(a, b) / b2 : 0;
    return plAddScaled(a, -*share, b);
}

/// Share of the way up to the border, 1: it is not reached. The spot is put there.
static double goToBorder(const plNurbs* n, plUv* at, double du, double dv, int* edge)
{
    double u[2], v[2], share = 1;
    plNurbs_Domain(n, at->patch, u, v);
    const double endU = at->u + du, endV = at->v + dv;
    const double over[plPatchEdges] = {u[0] - endU, endU - u[1], v[0] - endV, endV - v[1]};
    const double length[plPatchEdges] = {-du, du, -dv, dv};
    *edge = -1;
    for (int k = 0; k < plPatchEdges; k++) {
        if (!(over[k] > 0) || !(length[k] > 0)) continue;
        const double reached = plHigher(0, 1 - over[k] / length[k]);
        if (*edge >= 0 && reached >= share) continue;
        share = reached;
        *edge = k;
    }
    at->u += share * du, at->v += share * dv;
    if (*edge == plEdgeU0 || *edge == plEdgeU1) at->u = u[*edge - plEdgeU0];
    if (*edge == plEdgeV0 || *edge == plEdgeV1) at->v = v[*edge - plEdgeV0];
    *at = plNurbs_Clamp(n, *at);
    return share;
}

plUv plNurbs_OtherSide(const plNurbs* n, plUv at, int edge)
{
    const plPatchEdge* e = plNurbs_Edge(n, at.patch, edge);
    double u[2], v[2];
    plNurbs_Domain(n, at.patch, u, v);
    const double f = isAlongV(edge) ? (at.v - v[0]) / (v[1] - v[0]) : (at.u - u[0]) / (u[1] - u[0]);
    return plNurbs_EdgeUv(n, e->patch, e->edge, e->reversed ? 1 - f : f);
}

// Unfolded about the edge: what T has along it stays, and what it has across it goes on at the same
// length, into the neighbour. With a common tangent plane that is the same vector.
static void cross(const plNurbs* n, plUv* at, int edge, double* du, double* dv)
{
    const plPatchEdge to = *plNurbs_Edge(n, at->patch, edge);
    const Border here = borderAt(n, *at, edge);
    double share, skew;
    const plVec3 T = wayAt(n, *at, *du, *dv);
    const double across = plNorm(without(T, here.along, &share));
    *at = plNurbs_OtherSide(n, *at, edge);
    const Border there = borderAt(n, *at, to.edge);
    const double paceHere = plNorm(here.along), paceThere = plNorm(there.along);
    const double along = (to.reversed ? -1 : 1) * share * paceHere;
    const double deep = plNorm(without(there.across, there.along, &skew));
    const double in = deep > 0 ? across / deep : 0;
    toParameters(to.edge, (paceThere > 0 ? along / paceThere : 0) - in * skew, in, du, dv);
}

/// Only what T has along the edge stays.
static void slide(const plNurbs* n, plUv at, int edge, double* du, double* dv)
{
    double share;
    without(wayAt(n, at, *du, *dv), borderAt(n, at, edge).along, &share);
    toParameters(edge, share, 0, du, dv);
}

int plNurbs_Pole(const plNurbs* n, plUv at)
{
    double u[2], v[2];
    plNurbs_Domain(n, at.patch, u, v);
    const bool on[plPatchEdges] = {at.u <= u[0], at.u >= u[1], at.v <= v[0], at.v >= v[1]};
    for (int k = 0; k < plPatchEdges; k++) {
        if (on[k] && plNurbs_Edge(n, at.patch, k)->kind == pl_edgeCollapsed) return k;
    }
    return -1;
}

/// Cosine between T and the way out of the pole, less than -1 where there is none; and its slope
/// along the edge.
static double agreement(const plNurbs* n, plUv at, int edge, plVec3 T, double* slope)
{
    plSurfel f;
    plNurbs_At(n, at, &f);
    const double sign = isUpper(edge) ? -1 : 1;
    const plVec3 out = plScale(sign, isAlongV(edge) ? f.u : f.v);
    const double norm = plNorm(out) * plNorm(T), dot = plDot(out, T);
    *slope = 0;
    if (!(norm > 0)) return -2;
    const double turned = plDot(f.uv, out) / plDot(out, out);
    *slope = sign * (plDot(f.uv, T) - turned * dot) / norm;
    return dot / norm;
}

/// A place at a collapsed edge: the cosine there, and its slope.
typedef struct {
    double share, cosine, slope;
} Bearing;

static Bearing bearingAt(const plNurbs* n, int patch, int edge, plVec3 T, double share)
{
    Bearing b = {.share = share};
    b.cosine = agreement(n, plNurbs_EdgeUv(n, patch, edge, share), edge, T, &b.slope);
    return b;
}

/// The top between two places, where the cosine rises and falls: its slope is zero there.
static Bearing turnBetween(const plNurbs* n, int patch, int edge, plVec3 T, Bearing lo, Bearing hi)
{
    enum { chords = 30 };
    Bearing at = lo.cosine > hi.cosine ? lo : hi;
    if (!(lo.slope > 0 && hi.slope < 0)) return at;
    // Where the chord hits zero, with the end that stays weighed less and less (Illinois).
    const double flat = 1e-10 * (lo.slope - hi.slope);
    for (int i = 0; i < chords; i++) {
        const double share = lo.slope / (lo.slope - hi.slope);
        at = bearingAt(n, patch, edge, T, lo.share + share * (hi.share - lo.share));
        if (!(fabs(at.slope) > flat)) break;
        if (at.slope > 0) {
            lo = at, hi.slope *= 0.5;
        } else {
            hi = at, lo.slope *= 0.5;
        }
    }
    return at;
}

/// Of one edge: next to the best of a few places, also where both ends are one.
static Bearing turnOn(const plNurbs* n, int patch, int edge, plVec3 T)
{
    enum { places = 8 };
    Bearing b[places + 1], best = {.cosine = -INFINITY};
    double top = -INFINITY;
    for (int i = 0; i <= places; i++) {
        b[i] = bearingAt(n, patch, edge, T, (double)i / places);
        top = plHigher(top, b[i].cosine);
    }
    for (int i = 0; i <= places; i++) {
        if (!(b[i].cosine >= top - 1e-9)) continue;
        if (b[i].cosine > best.cosine) best = b[i];
        // The top lies on that side to which the cosine rises.
        const int k = b[i].slope > 0 ? i : i - 1;
        if (k < 0 || k == places) continue;
        const Bearing found = turnBetween(n, patch, edge, T, b[k], b[k + 1]);
        if (found.cosine > best.cosine) best = found;
    }
    return best;
}

void plNurbs_Turn(const plNurbs* n, plUv* at, int edge, plVec3 T)
{
    enum { edges = 64 };
    int patch = at->patch, k = edge;
    double most = -INFINITY;
    plUv best = *at;
    for (int i = 0; i < edges; i++) {
        const Bearing b = turnOn(n, patch, k, T);
        if (b.cosine > most) most = b.cosine, best = plNurbs_EdgeUv(n, patch, k, b.share);
        const plPatchEdge* next = plNurbs_Edge(n, patch, k);
        patch = next->patch, k = next->edge;
        if (patch == at->patch && k == edge) break;
    }
    *at = best;
}

/// Straight on over a pole.
static void pass(const plNurbs* n, plUv* at, int edge, double* du, double* dv)
{
    const plVec3 T = wayAt(n, *at, *du, *dv);
    plNurbs_Turn(n, at, edge, T);
    const int out = plNurbs_Pole(n, *at);
    const double pace = plNorm(borderAt(n, *at, out).across);
    toParameters(out, 0, pace > 0 ? plNorm(T) / pace : 0, du, dv);
}

// No step is longer than the whole patch: where derivatives nearly vanish, lengths as changes of
// parameters mean nothing.
static void limit(const plNurbs* n, plUv at, double* du, double* dv)
{
    double u[2], v[2];
    plNurbs_Domain(n, at.patch, u, v);
    *du = plLower(plHigher(*du, u[0] - u[1]), u[1] - u[0]);
    *dv = plLower(plHigher(*dv, v[0] - v[1]), v[1] - v[0]);
}

plWalk plNurbs_Walk(const plNurbs* n, plUv* at, double du, double dv)
{
    plWalk walk = pl_walkInside;
    const plPatch* a = &n->patches[at->patch];
    const double u = at->u + du, v = at->v + dv;
    if (a->breaksU[0] <= u && u <= a->breaksU[a->spansU] && a->breaksV[0] <= v &&
        v <= a->breaksV[a->spansV]) { // nearly always
        at->u = u, at->v = v;
        return walk;
    }
    *at = plNurbs_Clamp(n, *at);
    if (!isfinite(du) || !isfinite(dv)) return walk;
    for (int seam = 0; seam <= plWalkSeams; seam++) {
        int edge;
        const double share = goToBorder(n, at, du, dv, &edge);
        if (edge < 0) return walk;
        du *= 1 - share, dv *= 1 - share;
        if (seam == plWalkSeams) return walk;
        switch (plNurbs_Edge(n, at->patch, edge)->kind) {
        case pl_edgeJoined:
            cross(n, at, edge, &du, &dv);
            if (walk == pl_walkInside) walk = pl_walkCrossed;
            break;
        case pl_edgeOpen:
            slide(n, *at, edge, &du, &dv);
            walk = pl_walkOpen;
            break;
        case pl_edgeCollapsed:
            pass(n, at, edge, &du, &dv);
            walk = pl_walkPole;
            break;
        }
        limit(n, *at, &du, &dv);
    }
    return walk;
}
