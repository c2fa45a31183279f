// Points, segments, polytopes and planes as sides of a followed contact.
#include "collide/track_solid.h"

// --- their parts

static plVec3 vertexOf(const plShape* s, int i)
{
    if (s->polytope) return s->polytope->vertices[i];
    return plVec(i == 0 ? -s->half.x : s->half.x, 0, 0); // a sphere's half is zero
}

typedef struct {
    plVec3 from, along; ///< unit
    double length;
    int ends[2];
} Segment;

static Segment segmentOf(const plShape* s, int edge)
{
    Segment g = {.ends = {0, 1}};
    if (s->polytope) {
        const plHalfEdge* e = &s->polytope->edges[edge];
        g.ends[0] = e->origin;
        g.ends[1] = s->polytope->edges[e->twin].origin;
    }
    g.from = vertexOf(s, g.ends[0]);
    const plVec3 d = plSub(vertexOf(s, g.ends[1]), g.from);
    g.length = plNorm(d);
    g.along = g.length > 0 ? plScale(1 / g.length, d) : plVec(1, 0, 0);
    return g;
}

static plVec3 faceNormal(const plShape* s, int face)
{
    return s->polytope ? s->polytope->faces[face].n : s->normal;
}

static double faceOffset(const plShape* s, int face)
{
    return s->polytope ? s->polytope->faces[face].d : 0;
}

static plVec3 facePoint(const plShape* s, const plTrackEnd* e)
{
    const plVec3 n = faceNormal(s, e->at.patch);
    plVec3 t1, t2;
    plTangents(n, &t1, &t2);
    const plVec3 p = plAddScaled(plScale(faceOffset(s, e->at.patch), n), e->at.u, t1);
    return plAddScaled(p, e->at.v, t2);
}

static plTrackEnd onFace(const plShape* s, int face, plVec3 p)
{
    plVec3 t1, t2;
    plTangents(faceNormal(s, face), &t1, &t2);
    return (plTrackEnd){.part = pl_trackFace, .at = plUvAt(face, plDot(p, t1), plDot(p, t2))};
}

static plTrackEnd onEdge(const plShape* s, int edge, plVec3 p)
{
    // Each edge has one name: that of its lower half.
    const int twin = s->polytope ? s->polytope->edges[edge].twin : edge;
    const int name = twin < edge ? twin : edge;
    const Segment g = segmentOf(s, name);
    const double u = plDot(g.along, plSub(p, g.from));
    if (u <= 0 || u >= g.length) {
        return (plTrackEnd){.part = pl_trackCorner, .at = plUvAt(g.ends[u > 0], 0, 0)};
    }
    return (plTrackEnd){.part = pl_trackEdge, .at = plUvAt(name, u, 0)};
}

/// In the plane of the half-edge's face, square to it, into the face.
static plVec3 intoFace(const plPolytope* t, int half)
{
    const plHalfEdge* e = &t->edges[half];
    const plVec3 d = plSub(t->vertices[t->edges[e->twin].origin], t->vertices[e->origin]);
    const plVec3 c = plCross(t->faces[e->face].n, d);
    const double length = plNorm(c);
    return length > 0 ? plScale(1 / length, c) : c;
}

// --- elements

static void setFace(const plShape* s, const plTrackEnd* e, plElement* out)
{
    out->dim = 2;
    out->out = faceNormal(s, e->at.patch);
    plTangents(out->out, &out->t[0], &out->t[1]);
    out->p = facePoint(s, e);
}

static void setEdge(const plShape* s, const plTrackEnd* e, plElement* out)
{
    const Segment g = segmentOf(s, e->at.patch);
    out->dim = 1;
    out->t[0] = g.along;
    out->p = plAddScaled(g.from, e->at.u, g.along);
    if (!s->polytope) return;
    const plPolytope* t = s->polytope;
    const plHalfEdge* half = &t->edges[e->at.patch];
    out->out = plAdd(t->faces[half->face].n, t->faces[t->edges[half->twin].face].n);
}

static void setCorner(const plShape* s, const plTrackEnd* e, plElement* out)
{
    out->p = vertexOf(s, e->at.patch);
    const plPolytope* t = s->polytope;
    // A sum over all edges is long; what points away from the middle serves as well for the sign.
    if (t)
        out->out =
            plSub(out->p, plScale(0.5, plAdd(t->vertices[0], t->vertices[t->vertexCount - 1])));
}

void plSolid_Element(const plShape* s, const plTrackEnd* e, plElement* out)
{
    *out = (plElement){.radius = s->radius};
    if (e->part == pl_trackFace) setFace(s, e, out);
    if (e->part == pl_trackEdge) setEdge(s, e, out);
    if (e->part == pl_trackCorner) setCorner(s, e, out);
}

// --- moving

/// The half-edge of a face behind which p lies farthest; -1: p is on the face.
static int worstEdge(const plPolytope* t, int face, plVec3 p)
{
    const plFace* f = &t->faces[face];
    double most = 0;
    int worst = -1;
    for (int i = f->first; i < f->first + f->count; i++) {
        const plVec3 into = intoFace(t, i);
        const double beyond = -plDot(into, plSub(p, t->vertices[t->edges[i].origin]));
        if (beyond > most) most = beyond, worst = i;
    }
    return worst;
}

bool plSolid_Move(const plShape* s, const double* step, plTrackEnd* e)
{
    const int piece = e->piece;
    bool other = false;
    if (e->part == pl_trackFace) {
        e->at.u += step[0], e->at.v += step[1];
        if (!s->polytope) return false;
        const plVec3 p = facePoint(s, e);
        const int edge = worstEdge(s->polytope, e->at.patch, p);
        other = edge >= 0;
        if (other) *e = onEdge(s, edge, p);
    } else if (e->part == pl_trackEdge) {
        const Segment g = segmentOf(s, e->at.patch);
        *e = onEdge(s, e->at.patch, plAddScaled(g.from, e->at.u + step[0], g.along));
        other = e->part == pl_trackCorner;
    }
    e->piece = piece;
    return other;
}

/// The half-edge from a corner that runs most nearly along `toward`, above `tilt`; -1: none.
static int steepestEdge(const plPolytope* t, int corner, plVec3 toward, double tilt)
{
    int steepest = -1;
    for (int i = 0; i < t->edgeCount; i++) {
        if (t->edges[i].origin != corner) continue;
        const plVec3 d = plSub(t->vertices[t->edges[t->edges[i].twin].origin], t->vertices[corner]);
        const double slope = plDot(toward, d) / plNorm(d);
        if (slope > tilt) tilt = slope, steepest = i;
    }
    return steepest;
}

static bool leaveCorner(const plShape* s, plVec3 toward, double tilt, plTrackEnd* e)
{
    const int corner = e->at.patch;
    int edge = -1;
    if (s->polytope) edge = steepestEdge(s->polytope, corner, toward, tilt);
    if (s->kind == pl_shapeCapsule && (corner == 0 ? toward.x : -toward.x) > tilt) edge = 0;
    if (edge < 0) return false;
    const Segment g = segmentOf(s, edge);
    const bool back = g.ends[0] != corner;
    const plVec3 p = plAddScaled(g.from, (back ? 1 - 1e-6 : 1e-6) * g.length, g.along);
    *e = onEdge(s, edge, p);
    return true;
}

static bool leaveEdge(const plShape* s, plVec3 toward, double tilt, plTrackEnd* e)
{
    const plPolytope* t = s->polytope;
    if (!t) return false;
    const int half[2] = {e->at.patch, t->edges[e->at.patch].twin};
    int side = -1;
    for (int i = 0; i < 2; i++) {
        const double slope = plDot(toward, intoFace(t, half[i]));
        if (slope > tilt) tilt = slope, side = i;
    }
    if (side < 0) return false;
    const Segment g = segmentOf(s, e->at.patch);
    *e = onFace(s, t->edges[half[side]].face, plAddScaled(g.from, e->at.u, g.along));
    return true;
}

bool plSolid_Leave(const plShape* s, plVec3 toward, double tilt, plTrackEnd* e)
{
    const int piece = e->piece;
    bool left = false;
    if (e->part == pl_trackCorner)
        left = leaveCorner(s, toward, tilt, e);
    else if (e->part == pl_trackEdge)
        left = leaveEdge(s, toward, tilt, e);
    e->piece = piece;
    return left;
}

// --- from outside

static double nearFace(const plShape* s, plVec3 p, plTrackEnd* e)
{
    const plPolytope* t = s->polytope;
    double most = -INFINITY;
    int face = 0;
    for (int i = 0; i < t->faceCount; i++) {
        const double d = plDot(t->faces[i].n, p) - t->faces[i].d;
        if (d > most) most = d, face = i;
    }
    *e = onFace(s, face, p);
    const int edge = worstEdge(t, face, facePoint(s, e));
    if (edge < 0 || most < 0) return most;
    *e = onEdge(s, edge, p);
    plElement at;
    plSolid_Element(s, e, &at);
    return plNorm(plSub(p, at.p));
}

double plSolid_Near(const plShape* s, plVec3 p, plTrackEnd* e)
{
    if (s->kind == pl_shapePlane) {
        *e = onFace(s, 0, p);
        return plDot(s->normal, p);
    }
    if (s->polytope) return nearFace(s, p, e);
    *e = (plTrackEnd){.part = pl_trackCorner};
    if (s->kind == pl_shapeCapsule && s->half.x > 0) *e = onEdge(s, 0, p);
    plElement at;
    plSolid_Element(s, e, &at);
    return plNorm(plSub(p, at.p)) - s->radius;
}
