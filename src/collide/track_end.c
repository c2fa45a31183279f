// Sculpted surfaces as sides of a followed contact: places inside patches, on their edges and corners.
#include "collide/track_solid.h"

static bool runsAlongV(int edge) { return edge == plEdgeU0 || edge == plEdgeU1; }
static bool isUpper(int edge) { return edge == plEdgeU1 || edge == plEdgeV1; }
static int edgeOf(bool alongV, bool upper) { return (alongV ? plEdgeU0 : plEdgeV0) + upper; }

// --- edges

plUv plEdge_Uv(const plNurbs* n, int patch, int edge, double share)
{
    double u[2], v[2];
    plNurbs_Domain(n, patch, u, v);
    if (runsAlongV(edge)) return plUvAt(patch, u[isUpper(edge)], v[0] + share * (v[1] - v[0]));
    return plUvAt(patch, u[0] + share * (u[1] - u[0]), v[isUpper(edge)]);
}

static double shareOf(const plNurbs* n, plUv at, int edge)
{
    double u[2], v[2];
    plNurbs_Domain(n, at.patch, u, v);
    return runsAlongV(edge) ? (at.v - v[0]) / (v[1] - v[0]) : (at.u - u[0]) / (u[1] - u[0]);
}

static plUv overSeam(const plNurbs* n, int patch, int edge, double share)
{
    const plPatchEdge* e = plNurbs_Edge(n, patch, edge);
    return plEdge_Uv(n, e->patch, e->edge, e->reversed ? 1 - share : share);
}

// 0.57 degrees: below it, the two normals of a seam differ by the drawing's tolerance.
bool plEdge_IsSharp(const plNurbs* n, int patch, int edge, double share)
{
    if (plNurbs_Edge(n, patch, edge)->kind != pl_edgeJoined) return false;
    const plVec3 here = plNurbs_Normal(n, plEdge_Uv(n, patch, edge, share));
    const plVec3 there = plNurbs_Normal(n, overSeam(n, patch, edge, share));
    return plNorm(plSub(here, there)) > 0.01;
}

/// Does the surface stop being smooth at this edge?
static bool isCurve(const plNurbs* n, int patch, int edge, double share)
{
    return plNurbs_Edge(n, patch, edge)->kind == pl_edgeOpen ||
           plEdge_IsSharp(n, patch, edge, share);
}

/// In the surface, square to the edge, into the patch; unit, or zero.
static plVec3 intoPatch(const plNurbs* n, plUv at, int edge)
{
    plSurfel s;
    plNurbs_At(n, at, &s);
    const plVec3 along = runsAlongV(edge) ? s.v : s.u;
    const plVec3 in = plScale(isUpper(edge) ? -1 : 1, runsAlongV(edge) ? s.u : s.v);
    const double length2 = plDot(along, along);
    const plVec3 c = length2 > 0 ? plAddScaled(in, -plDot(in, along) / length2, along) : in;
    const double length = plNorm(c);
    return length > 0 ? plScale(1 / length, c) : plVec(0, 0, 0);
}

// --- elements

/// Curvatures along the tangents, from the frame of a place nearby.
static void setCurvatures(const plContactFrame* c, plElement* e)
{
    double k[2][2];
    for (int i = 0; i < 2; i++) {
        k[i][0] = -c->F.m[i][0] / c->E.m[0][0];
        k[i][1] = (-c->F.m[i][1] - k[i][0] * c->E.m[0][1]) / c->E.m[1][1];
    }
    double a[2][2];
    for (int i = 0; i < 2; i++) a[i][0] = plDot(e->t[i], c->x), a[i][1] = plDot(e->t[i], c->y);
    for (int i = 0; i < 3; i++) {
        const double* s = a[i == 2];
        const double* r = a[i > 0];
        e->k[i] =
            s[0] * (k[0][0] * r[0] + k[0][1] * r[1]) + s[1] * (k[1][0] * r[0] + k[1][1] * r[1]);
    }
}

/// A pole: the normal is the surface's, the curvatures are those a thousandth of the patch inside.
static void setPole(const plNurbs* n, plUv at, plElement* e)
{
    double u[2], v[2];
    plSurfel s;
    plContactFrame c;
    plNurbs_Domain(n, at.patch, u, v);
    e->pole = true;
    e->out = plNurbs_Normal(n, at);
    plTangents(e->out, &e->t[0], &e->t[1]);
    at.u += 1e-3 * (0.5 * (u[0] + u[1]) - at.u);
    at.v += 1e-3 * (0.5 * (v[0] + v[1]) - at.v);
    plNurbs_At(n, at, &s);
    plContactFrame_Set(&c, &s, plNurbs_Inward(n));
    if (!c.pole) setCurvatures(&c, e);
}

static void setInside(const plNurbs* n, plUv at, plElement* e)
{
    plSurfel s;
    plContactFrame c;
    plNurbs_At(n, at, &s);
    plContactFrame_Set(&c, &s, plNurbs_Inward(n));
    e->dim = 2;
    e->p = s.S;
    if (c.pole) {
        setPole(n, at, e);
        return;
    }
    e->t[0] = c.x, e->t[1] = c.y;
    e->out = plScale(-1, c.z);
    e->E = c.E;
    setCurvatures(&c, e);
}

static void setCurve(const plNurbs* n, const plTrackEnd* end, plElement* e)
{
    plSurfel s;
    plNurbs_At(n, end->at, &s);
    const bool alongV = runsAlongV(end->edge);
    const plVec3 d = alongV ? s.v : s.u, dd = alongV ? s.vv : s.uu;
    const double pace = plNorm(d);
    e->p = s.S;
    if (!(pace > 0)) return; // a point
    e->dim = 1;
    e->E.m[0][0] = pace;
    e->t[0] = plScale(1 / pace, d);
    e->bend = plScale(1 / (pace * pace), plAddScaled(dd, -plDot(dd, e->t[0]), e->t[0]));
    if (plNurbs_Edge(n, end->at.patch, end->edge)->kind != pl_edgeJoined) return;
    const plUv there = overSeam(n, end->at.patch, end->edge, shareOf(n, end->at, end->edge));
    e->out = plAdd(plNurbs_Normal(n, end->at), plNurbs_Normal(n, there));
}

static void turnOut(const plFrame* f, plElement* e)
{
    e->p = plOut(f, e->p);
    e->t[0] = plMul(&f->R, e->t[0]);
    e->t[1] = plMul(&f->R, e->t[1]);
    e->out = plMul(&f->R, e->out);
    e->bend = plMul(&f->R, e->bend);
}

void plEnd_Element(const plSide* side, const plTrackEnd* end, plElement* e)
{
    if (!plSide_IsNurbs(side)) {
        plSolid_Element(side->shape, end, e);
    } else {
        const plNurbs* n = side->shape->nurbs;
        *e = (plElement){.dim = 0};
        if (end->part == pl_trackFace) setInside(n, end->at, e);
        if (end->part == pl_trackEdge) setCurve(n, end, e);
        if (end->part == pl_trackCorner) e->p = plNurbs_Place(n, end->at);
    }
    if (!side->still) turnOut(&side->frame, e);
}

// --- moving

/// An open edge that the spot stands on, or -1. `other`: a second one, at a corner.
static int openEdgeAt(const plNurbs* n, plUv at, int* other)
{
    double u[2], v[2];
    int found = -1;
    plNurbs_Domain(n, at.patch, u, v);
    const bool on[plPatchEdges] = {at.u <= u[0], at.u >= u[1], at.v <= v[0], at.v >= v[1]};
    *other = -1;
    for (int k = 0; k < plPatchEdges; k++) {
        if (!on[k] || plNurbs_Edge(n, at.patch, k)->kind != pl_edgeOpen) continue;
        if (found < 0)
            found = k;
        else
            *other = k;
    }
    return found;
}

/// The edge over which a way leaves the patch, and its share there; -1: none.
static int leavesBy(const plNurbs* n, plUv at, double du, double dv, double* share)
{
    double u[2], v[2], least = 1;
    int edge = -1;
    plNurbs_Domain(n, at.patch, u, v);
    const double overU = du > 0 ? at.u + du - u[1] : u[0] - at.u - du;
    const double overV = dv > 0 ? at.v + dv - v[1] : v[0] - at.v - dv;
    const double toU = overU > 0 && du != 0 ? 1 - overU / fabs(du) : 1;
    const double toV = overV > 0 && dv != 0 ? 1 - overV / fabs(dv) : 1;
    if (toU < least) least = toU, edge = edgeOf(true, du > 0);
    if (toV < least) least = toV, edge = edgeOf(false, dv > 0);
    if (edge < 0) return -1;
    at.u += least * du, at.v += least * dv;
    *share = plLower(1, plHigher(0, shareOf(n, at, edge)));
    return edge;
}

/// Parameters do not serve next to a pole: the nearest place to where the way would end does.
static void moveBySpace(const plSide* side, const plElement* e, const double* s, plTrackEnd* end)
{
    plVec3 p = plAddScaled(plAddScaled(e->p, s[0], e->t[0]), s[1], e->t[1]);
    if (!side->still) p = plInto(&side->frame, p);
    plUv at = end->at;
    if (plNurbs_Project(side->shape->nurbs, p, &at) == 0) {
        plNurbs_Nearest(side->shape->nurbs, p, &at, NULL);
    }
    end->at = at;
}

/// Is the way short, but long in parameters?
static bool isPolar(const plNurbs* n, const plTrackEnd* end, const plElement* e, double du,
                    double dv)
{
    double u[2], v[2];
    if (e->pole) return true;
    plNurbs_Domain(n, end->at.patch, u, v);
    const double across = fabs(e->E.m[1][1]), along = e->E.m[0][0] + fabs(e->E.m[0][1]);
    const double thin = across < along ? across / along : along / across;
    return thin < 0.02 && (fabs(du) > 0.1 * (u[1] - u[0]) || fabs(dv) > 0.1 * (v[1] - v[0]));
}

static bool moveInside(const plSide* side, const plElement* e, const double* s, plTrackEnd* end,
                       uint32_t* flags)
{
    const plNurbs* n = side->shape->nurbs;
    const double dv = e->pole ? 0 : s[1] / e->E.m[1][1];
    const double du = e->pole ? 0 : (s[0] - e->E.m[0][1] * dv) / e->E.m[0][0];
    double share;
    if (isPolar(n, end, e, du, dv)) {
        const int patch = end->at.patch;
        if (s[0] != 0 || s[1] != 0) moveBySpace(side, e, s, end);
        *flags |= pl_trackPole | (patch != end->at.patch ? pl_trackCrossed : 0);
        return false;
    }
    const int edge = leavesBy(n, end->at, du, dv, &share);
    if (edge >= 0 && plEdge_IsSharp(n, end->at.patch, edge, share)) {
        end->at = plEdge_Uv(n, end->at.patch, edge, share);
        end->part = pl_trackEdge, end->edge = edge;
        return true;
    }
    const plWalk walk = plNurbs_Walk(n, &end->at, du, dv);
    if (walk == pl_walkCrossed) *flags |= pl_trackCrossed;
    if (walk == pl_walkPole) *flags |= pl_trackPole;
    if (walk != pl_walkOpen) return false;
    int other;
    const int open = openEdgeAt(n, end->at, &other);
    if (open < 0) return false; // slid off it again
    end->part = other < 0 ? pl_trackEdge : pl_trackCorner, end->edge = open;
    return true;
}

/// Where an edge goes on behind its end, in the next patch. False: it does not.
static bool nextEdge(const plNurbs* n, plTrackEnd* end, bool upper, double* begin)
{
    const int across = edgeOf(!runsAlongV(end->edge), upper);
    const plPatchEdge* seam = plNurbs_Edge(n, end->at.patch, across);
    if (seam->kind != pl_edgeJoined) return false;
    const bool corner = isUpper(end->edge) != seam->reversed;
    const int next = edgeOf(!runsAlongV(seam->edge), corner);
    *begin = isUpper(seam->edge);
    if (!isCurve(n, seam->patch, next, *begin > 0 ? 0.999 : 0.001)) return false;
    end->at = plEdge_Uv(n, seam->patch, next, *begin);
    end->edge = next;
    return true;
}

static bool moveOnEdge(const plNurbs* n, const plElement* e, double s, plTrackEnd* end,
                       uint32_t* flags)
{
    enum { seams = 4 };
    double u[2], v[2], pace = e->E.m[0][0], share = shareOf(n, end->at, end->edge);
    for (int i = 0; i < seams; i++) {
        plNurbs_Domain(n, end->at.patch, u, v);
        const double range = runsAlongV(end->edge) ? v[1] - v[0] : u[1] - u[0];
        const double to = share + s / (pace * range), kept = plLower(1, plHigher(0, to));
        end->at = plEdge_Uv(n, end->at.patch, end->edge, kept);
        if (to == kept) return false;
        const double left = fabs((to - kept) * range * pace);
        if (!nextEdge(n, end, to > 1, &share)) break;
        *flags |= pl_trackCrossed;
        s = share > 0 ? -left : left;
        plElement there = {.dim = 0};
        setCurve(n, end, &there);
        if (there.dim == 0) break;
        pace = there.E.m[0][0];
    }
    end->part = pl_trackCorner;
    return true;
}

bool plEnd_Move(const plSide* side, const plElement* e, const double* s, plTrackEnd* end,
                uint32_t* flags)
{
    if (!plSide_IsNurbs(side)) return plSolid_Move(side->shape, s, end);
    if (end->part == pl_trackFace) return moveInside(side, e, s, end, flags);
    if (end->part == pl_trackEdge && e->dim == 1) {
        return moveOnEdge(side->shape->nurbs, e, s[0], end, flags);
    }
    return false;
}

// --- leaving edges and corners

/// A little way off the border, so that the next step starts inside.
static void leaveEdge(const plNurbs* n, plUv at, plTrackEnd* end)
{
    double u[2], v[2];
    plNurbs_Domain(n, at.patch, u, v);
    at.u += 1e-6 * (0.5 * (u[0] + u[1]) - at.u);
    at.v += 1e-6 * (0.5 * (v[0] + v[1]) - at.v);
    end->at = at;
    end->part = pl_trackFace;
}

static bool leaveCurve(const plNurbs* n, plVec3 toward, double tilt, plTrackEnd* end)
{
    const int patch = end->at.patch;
    const double here = plDot(toward, intoPatch(n, end->at, end->edge));
    double there = -1;
    plUv other = end->at;
    const plPatchEdge* seam = plNurbs_Edge(n, patch, end->edge);
    if (seam->kind == pl_edgeJoined) {
        other = overSeam(n, patch, end->edge, shareOf(n, end->at, end->edge));
        there = plDot(toward, intoPatch(n, other, seam->edge));
    }
    if (here <= tilt && there <= tilt) return false;
    leaveEdge(n, here > there ? end->at : other, end);
    return true;
}

static bool leaveCorner(const plNurbs* n, plVec3 toward, double tilt, plTrackEnd* end)
{
    double u[2], v[2];
    plSurfel s;
    plNurbs_Domain(n, end->at.patch, u, v);
    plNurbs_At(n, end->at, &s);
    const bool upperU = end->at.u > 0.5 * (u[0] + u[1]), upperV = end->at.v > 0.5 * (v[0] + v[1]);
    const double lengthU = plNorm(s.u), lengthV = plNorm(s.v);
    const double alongU = lengthU > 0 ? (upperU ? -1 : 1) * plDot(toward, s.u) / lengthU : -1;
    const double alongV = lengthV > 0 ? (upperV ? -1 : 1) * plDot(toward, s.v) / lengthV : -1;
    if (alongU <= tilt && alongV <= tilt) return false;
    const bool goV = alongV > alongU;
    const int edge = goV ? edgeOf(true, upperU) : edgeOf(false, upperV);
    const double share = (goV ? upperV : upperU) ? 1 - 1e-6 : 1e-6;
    if (!isCurve(n, end->at.patch, edge, share)) {
        leaveEdge(n, end->at, end);
        return true;
    }
    end->at = plEdge_Uv(n, end->at.patch, edge, share);
    end->part = pl_trackEdge, end->edge = edge;
    return true;
}

bool plEnd_Leave(const plSide* side, plVec3 toward, double tilt, plTrackEnd* end)
{
    if (end->part == pl_trackFace) return false;
    if (!side->still) toward = plMulT(&side->frame.R, toward);
    if (!plSide_IsNurbs(side)) return plSolid_Leave(side->shape, toward, tilt, end);
    if (end->part == pl_trackEdge) return leaveCurve(side->shape->nurbs, toward, tilt, end);
    return leaveCorner(side->shape->nurbs, toward, tilt, end);
}

double plEnd_Near(const plSide* side, plVec3 p, plTrackEnd* end)
{
    if (!side->still) p = plInto(&side->frame, p);
    const double d = plSolid_Near(side->shape, p, end);
    end->piece = side->piece;
    return d;
}
