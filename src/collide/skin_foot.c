// Features of skins: where a point stands over one, where edges cross.
//
// Outside, a foot counts when it is nearest among its neighbours: always for the inside of a face;
// for an edge or point when every face around it has its own nearest point there. The faces decide
// with the same numbers in both roles, so whatever round-off does between a face and its border,
// the point is left with a foot. The side is told by the normal of the nearest feature: of an edge
// the sum of two, of a point the sum weighted by angle (Baerentzen, Aanaes 2005).
#include "collide/skin_inside.h"

plVec3 plSkin_Normal(const plSkinBody* s, int face)
{
    const int* v = &s->skin->faces[3 * face];
    const plVec3 n = plCross(plSub(s->x[v[1]], s->x[v[0]]), plSub(s->x[v[2]], s->x[v[0]]));
    const double norm = plNorm(n);
    return norm > 0 ? plScale(1 / norm, n) : plVec(0, 0, 0);
}

static int cornerOf(const plSkinBody* s, int face, int point)
{
    const int* v = &s->skin->faces[3 * face];
    return v[0] == point ? 0 : v[1] == point ? 1 : 2;
}

static plVec3 unit(plVec3 v)
{
    const double norm = plNorm(v);
    return norm > 0 ? plScale(1 / norm, v) : v;
}

static plVec3 normalOfEdge(const plSkinBody* s, int edge)
{
    const int* f = s->edges[edge].face;
    const plVec3 n = plSkin_Normal(s, f[0]);
    return f[1] < 0 ? n : plAdd(n, plSkin_Normal(s, f[1]));
}

plVec3 plSkin_PointNormal(const plSkinBody* s, int point)
{
    plVec3 sum = {0, 0, 0};
    for (int i = s->first[point]; i < s->first[point + 1]; i++) {
        const int face = s->around[i], k = cornerOf(s, face, point);
        const int* v = &s->skin->faces[3 * face];
        const plVec3 p = s->x[point];
        const plVec3 u = plSub(s->x[v[(k + 1) % 3]], p), w = plSub(s->x[v[(k + 2) % 3]], p);
        const double angle = atan2(plNorm(plCross(u, w)), plDot(u, w));
        sum = plAddScaled(sum, angle, plSkin_Normal(s, face));
    }
    return sum;
}

// --- feet

static plVec3 nearestOnFace(const plSkinBody* s, plVec3 p, int face, double w[3])
{
    const int* v = &s->skin->faces[3 * face];
    return plNearestOnTriangle(p, s->x[v[0]], s->x[v[1]], s->x[v[2]], w);
}

/// Direction and height from the nearest point and an outward normal N of its feature.
static void setSide(plFoot* f, plVec3 p, plVec3 N, double size)
{
    const plVec3 r = plSub(p, f->q);
    const double d = plNorm(r), side = plDot(r, N) < 0 ? -1 : 1;
    // Below that the direction is round-off; the point is on the surface.
    const bool clear = d > 1e-10 * size;
    f->n = clear ? plScale(side / d, r) : unit(N);
    f->height = clear ? side * d : plDot(f->n, r);
}

static void setEdge(const plSkinBody* s, plVec3 p, int edge, plFoot* f)
{
    const plSkinEdge* e = &s->edges[edge];
    const plVec3 x0 = s->x[e->p[0]], x1 = s->x[e->p[1]];
    double t;
    *f = (plFoot){.type = pl_skinEdge, .feature = edge, .face = e->face[0]};
    f->q = plNearestOnSegment(p, x0, x1, &t);
    f->w[cornerOf(s, f->face, e->p[0])] = 1 - t;
    f->w[cornerOf(s, f->face, e->p[1])] = t;
    setSide(f, p, normalOfEdge(s, edge), plNorm(plSub(x1, x0)));
}

static void setPoint(const plSkinBody* s, plVec3 p, int point, plFoot* f)
{
    const int face = s->around[s->first[point]], k = cornerOf(s, face, point);
    const plVec3 next = s->x[s->skin->faces[3 * face + (k + 1) % 3]];
    *f = (plFoot){.type = pl_skinPoint, .feature = point, .face = face, .q = s->x[point]};
    f->w[k] = 1;
    setSide(f, p, plSkin_PointNormal(s, point), plNorm(plSub(next, f->q)));
}

/// The foot of p on one face. Edges and points are the same, bit by bit, from all of their faces.
static void setFoot(const plSkinBody* s, plVec3 p, int face, plFoot* f)
{
    double w[3];
    const plVec3 q = nearestOnFace(s, p, face, w);
    for (int k = 0; k < 3; k++) {
        if (w[k] == 1) {
            setPoint(s, p, s->skin->faces[3 * face + k], f);
            return;
        }
    }
    for (int k = 0; k < 3; k++) {
        if (w[k] == 0) {
            setEdge(s, p, s->edgeOf[3 * face + (k + 1) % 3], f);
            return;
        }
    }
    *f = (plFoot){pl_skinFace, face, face, {w[0], w[1], w[2]}, q, plSkin_Normal(s, face), 0};
    f->height = plDot(f->n, plSub(p, q));
}

static bool isNearestOnEdge(const plSkinBody* s, plVec3 p, int edge)
{
    const plSkinEdge* e = &s->edges[edge];
    for (int i = 0; i < 2 && e->face[i] >= 0; i++) {
        const int* v = &s->skin->faces[3 * e->face[i]];
        double w[3];
        nearestOnFace(s, p, e->face[i], w);
        for (int k = 0; k < 3; k++) {
            if (v[k] != e->p[0] && v[k] != e->p[1] && w[k] > 0) return false;
        }
    }
    return true;
}

static bool isNearestAtPoint(const plSkinBody* s, plVec3 p, int point)
{
    for (int i = s->first[point]; i < s->first[point + 1]; i++) {
        double w[3];
        nearestOnFace(s, p, s->around[i], w);
        if (w[cornerOf(s, s->around[i], point)] < 1) return false;
    }
    return true;
}

static bool isOpen(const plSkinBody* s, const plFoot* f)
{
    if (f->type == pl_skinFace) return false;
    if (f->type == pl_skinEdge) return s->edges[f->feature].face[1] < 0;
    for (int i = s->first[f->feature]; i < s->first[f->feature + 1]; i++) {
        const int face = s->around[i], k = cornerOf(s, face, f->feature);
        const int* e = &s->edgeOf[3 * face];
        if (s->edges[e[k]].face[1] < 0 || s->edges[e[(k + 2) % 3]].face[1] < 0) return true;
    }
    return false;
}

static bool isTouchable(const plSkinBody* s, const plFoot* f)
{
    if (f->type == pl_skinPoint) return plSkin_Touchable(s, f->feature);
    if (f->type == pl_skinEdge) return plSkin_EdgeTouchable(s, f->feature);
    const int* v = &s->skin->faces[3 * f->face];
    return plSkin_Touchable(s, v[0]) || plSkin_Touchable(s, v[1]) || plSkin_Touchable(s, v[2]);
}

/// True the first time since the body's mark was raised.
static bool isNew(plSkinBody* s, const plFoot* f)
{
    if (f->type == pl_skinFace) return true;
    uint64_t* mark =
        f->type == pl_skinEdge ? &s->edgeMarks[f->feature] : &s->pointMarks[f->feature];
    const bool fresh = *mark != s->mark;
    *mark = s->mark;
    return fresh;
}

static int nearestFace(const plSkinBody* s, plVec3 p, const plBounds* box)
{
    plSkinWalk walk = plSkin_Walk(s, box);
    double least = INFINITY;
    int best = -1;
    for (int face = plSkinWalk_Next(&walk); face >= 0; face = plSkinWalk_Next(&walk)) {
        double w[3];
        const plVec3 r = plSub(p, nearestOnFace(s, p, face, w));
        const double d2 = plDot(r, r);
        // Of equally near ones the first by number, whatever the tree looks like.
        if (d2 > least || (d2 == least && face > best)) continue;
        least = d2;
        best = face;
    }
    return best;
}

void plSkin_Feet(plSkinBody* s, plVec3 p, double limit, void (*found)(void* self, const plFoot*),
                 void* self)
{
    const plBounds box = plBounds_Grow((plBounds){p, p}, limit);
    const int face = nearestFace(s, p, &box);
    plFoot nearest, f;
    int count = 0;
    if (face < 0) return;
    setFoot(s, p, face, &nearest);
    if (fabs(nearest.height) > limit) return;
    // What a contact holds on the surface is behind it by round-off, and may stand on several features. Behind a
    // border is beside the surface, not inside.
    const double behind = -1e-5 * limit;
    if (nearest.height < behind && !isOpen(s, &nearest)) {
        if (isTouchable(s, &nearest)) found(self, &nearest);
        return;
    }
    plSkinWalk walk = plSkin_Walk(s, &box);
    s->mark++;
    for (int i = plSkinWalk_Next(&walk); i >= 0; i = plSkinWalk_Next(&walk)) {
        setFoot(s, p, i, &f);
        if (f.height < behind || f.height > limit || !isNew(s, &f)) continue;
        if (f.type == pl_skinEdge && !isNearestOnEdge(s, p, f.feature)) continue;
        if (f.type == pl_skinPoint && !isNearestAtPoint(s, p, f.feature)) continue;
        count++;
        if (isTouchable(s, &f)) found(self, &f);
    }
    if (count == 0 && nearest.height >= behind && isTouchable(s, &nearest)) found(self, &nearest);
}

bool plSkin_IsDeep(const plSkinBody* s, plVec3 p, double depth)
{
    const plBounds box = plBounds_Grow((plBounds){p, p}, depth);
    const int face = nearestFace(s, p, &box);
    plFoot f;
    if (face < 0) return false;
    setFoot(s, p, face, &f);
    return depth <= -1.05 * f.height && !isOpen(s, &f);
}

bool plSkin_PointHolds(const plSkinBody* s, int point, plVec3 n)
{
    for (int i = s->first[point]; i < s->first[point + 1]; i++) {
        for (int k = 0; k < 3; k++) {
            const plVec3 r = plSub(s->x[s->skin->faces[3 * s->around[i] + k]], s->x[point]);
            if (plDot(n, r) < -plSkinTilt * plNorm(r)) return false;
        }
    }
    return true;
}

// --- edges

plRim plSkin_Rim(const plSkinBody* s, int edge)
{
    const plSkinEdge* e = &s->edges[edge];
    const plVec3 x0 = s->x[e->p[0]], d = unit(plSub(s->x[e->p[1]], x0));
    plRim rim = {0};
    for (int i = 0; i < 2 && e->face[i] >= 0; i++) {
        const int* v = &s->skin->faces[3 * e->face[i]];
        const int other = v[0] + v[1] + v[2] - e->p[0] - e->p[1];
        const plVec3 r = plSub(s->x[other], x0);
        const plVec3 into = unit(plAddScaled(r, -plDot(r, d), d));
        rim.into[rim.count++] = into;
        rim.out = plAdd(rim.out, plSub(plSkin_Normal(s, e->face[i]), into));
    }
    return rim;
}

bool plRim_Holds(const plRim* r, plVec3 n)
{
    if (r->count > 0 && !(plDot(n, r->out) > 0)) return false;
    for (int i = 0; i < r->count; i++) {
        if (plDot(n, r->into[i]) > plSkinTilt) return false;
    }
    return true;
}

// Within a millionth of parallel the ends are as near as the crossing, to the square of that; and
// a crossing at an end is the end's own foot.
bool plCrossing_Find(plVec3 a0, plVec3 a1, plVec3 b0, plVec3 b1, double limit, plCrossing* c)
{
    const plVec3 u = plSub(a1, a0), v = plSub(b1, b0), r = plSub(a0, b0), n = plCross(u, v);
    const double uu = plDot(u, u), vv = plDot(v, v), uv = plDot(u, v), nn = plDot(n, n);
    const double along = plDot(n, r), end = 1e-9;
    if (!(nn > 1e-12 * uu * vv) || along * along > limit * limit * nn) return false;
    const double ur = plDot(u, r), vr = plDot(v, r);
    c->s = (uv * vr - vv * ur) / nn;
    c->t = (uu * vr - uv * ur) / nn;
    if (!(c->s > end && c->s < 1 - end && c->t > end && c->t < 1 - end)) return false;
    c->a = plAddScaled(a0, c->s, u);
    c->b = plAddScaled(b0, c->t, v);
    c->n = plScale(1 / sqrt(nn), n);
    return true;
}

// --- edges that have crossed
//
// Edges that lie behind each other may do so by chance: two blocks, one of which stands a little in
// the other, have upright edges beside each other too. They touch when no shorter way leads out: for
// one of the two points, as where flat surfaces lie in each other, or for faces beside the edges, as
// where two ridges do.

void plSkin_Triangle(const plSkinBody* s, int face, plSkinTriangle* t)
{
    static const plHalfEdge edges[6] = {{0, 5, 0}, {1, 4, 0}, {2, 3, 0},
                                        {0, 2, 1}, {2, 1, 1}, {1, 0, 1}};
    const int* v = &s->skin->faces[3 * face];
    const plVec3 n = plSkin_Normal(s, face);
    t->frame = (plFrame){s->x[v[0]], plIdentity3()};
    t->core = (plCore){.count = 3, .polytope = &t->polytope};
    t->core.v = t->core.own;
    for (int k = 0; k < 3; k++) {
        t->core.own[k] = plSub(s->x[v[k]], t->frame.x);
        const plVec3 side = plSub(s->x[v[k]], s->x[v[(k + 1) % 3]]);
        t->core.size = plHigher(t->core.size, plNorm(side));
    }
    t->faces[0] = (plFace){n, 0, 0, 3};
    t->faces[1] = (plFace){plScale(-1, n), 0, 3, 3};
    t->polytope = (plPolytope){.vertexCount = 3,
                               .edgeCount = 6,
                               .faceCount = 2,
                               .vertices = t->core.own,
                               .edges = edges,
                               .faces = t->faces};
}

bool plIsShortest(const plCore* a, const plFrame* worldA, const plCore* b, const plFrame* worldB,
                  double depth)
{
    const plCorePair pair = plCorePair_Of(a, worldA, b, worldB);
    plWitness w;
    plCorePair_Search(&pair, NULL, &w);
    return w.overlap && depth <= -1.05 * w.d;
}
