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

/// Cosine between T and the way out of the pole; less than -1 where there is none.
static double agreement(const plNurbs* n, plUv at, int edge, plVec3 T)
{
    const plVec3 out = borderAt(n, at, edge).across;
    const double norm = plNorm(out) * plNorm(T);
    return norm > 0 ? plDot(out, T) / norm : -2;
}

/// The best place between shares lo and hi, by thirds.
static plUv turnBetween(const plNurbs* n, int patch, int edge, plVec3 T, double lo, double hi)
{
    enum { thirds = 48 };
    for (int i = 0; i < thirds; i++) {
        const double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
        const double left = agreement(n, plNurbs_EdgeUv(n, patch, edge, a), edge, T);
        const double right = agreement(n, plNurbs_EdgeUv(n, patch, edge, b), edge, T);
        if (left < right) {
            lo = a;
        } else {
            hi = b;
        }
    }
    return plNurbs_EdgeUv(n, patch, edge, 0.5 * (lo + hi));
}

/// Of one edge: next to the best of a few places, also where both ends are one.
static double turnOn(const plNurbs* n, int patch, int edge, plVec3 T, plUv* spot)
{
    enum { places = 16 };
    double c[places + 1], top = -INFINITY, most = -INFINITY;
    *spot = plNurbs_EdgeUv(n, patch, edge, 0.5);
    for (int i = 0; i <= places; i++) {
        c[i] = agreement(n, plNurbs_EdgeUv(n, patch, edge, (double)i / places), edge, T);
        top = plHigher(top, c[i]);
    }
    for (int i = 0; i <= places; i++) {
        if (!(c[i] >= top - 1e-9)) continue;
        const double lo = plHigher(0, (double)(i - 1) / places);
        const plUv at = turnBetween(n, patch, edge, T, lo, plLower(1, (double)(i + 1) / places));
        const double found = agreement(n, at, edge, T);
        if (found > most) most = found, *spot = at;
    }
    return most;
}

void plNurbs_Turn(const plNurbs* n, plUv* at, int edge, plVec3 T)
{
    enum { edges = 64 };
    int patch = at->patch, k = edge;
    double most = -INFINITY;
    plUv best = *at;
    for (int i = 0; i < edges; i++) {
        plUv spot;
        const double c = turnOn(n, patch, k, T, &spot);
        if (c > most) most = c, best = spot;
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
