// Nearest points of surfaces.
#include "shape/inside.h"
#include "shape/nurbs_inside.h"

plVec3 plNearestOnSegment(plVec3 p, plVec3 a, plVec3 b, double* s)
{
    const plVec3 ab = plSub(b, a);
    const double length2 = plDot(ab, ab);
    double t = length2 > 0 ? plDot(plSub(p, a), ab) / length2 : 0;
    t = plLower(plHigher(t, 0), 1);
    if (s) *s = t;
    // From the nearer end, so that both ends are met exactly.
    return t <= 0.5 ? plAddScaled(a, t, ab) : plAddScaled(b, t - 1, ab);
}

/// The best of the edges that p is outside of, those opposite to a weight that is not positive; or
/// of all, where the weights' signs cannot be trusted.
static plVec3 nearestOnBorder(plVec3 p, const plVec3 v[3], bool all, double weight[3])
{
    const bool beyond[3] = {!(weight[0] > 0), !(weight[1] > 0), !(weight[2] > 0)};
    plVec3 best = v[0];
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const int next = k < 2 ? k + 1 : 0, opposite = k > 0 ? k - 1 : 2;
        double s;
        if (!beyond[opposite] && !all) continue;
        const plVec3 q = plNearestOnSegment(p, v[k], v[next], &s);
        const double d2 = plDot(plSub(p, q), plSub(p, q));
        if (!(d2 < least)) continue;
        least = d2;
        best = q;
        weight[k] = 1 - s, weight[next] = s, weight[opposite] = 0;
    }
    return best;
}

// The weights of the projection of p are its signed areas over the opposite edges, divided by the
// whole. One that is not positive puts the nearest point on the border. Areas are taken from edges
// and one corner, so that a point far away costs only digits in proportion to its distance.
plVec3 plNearestOnTriangle(plVec3 p, plVec3 a, plVec3 b, plVec3 c, double weight[3])
{
    const plVec3 v[3] = {a, b, c};
    const plVec3 ab = plSub(b, a), ac = plSub(c, a), n = plCross(ab, ac);
    const plVec3 ap = plSub(p, a), bp = plSub(p, b);
    const double whole = plDot(n, n);
    weight[0] = plDot(n, plCross(plSub(c, b), bp));
    weight[1] = plDot(n, plCross(ap, ac));
    weight[2] = plDot(n, plCross(ab, ap));
    if (!(weight[0] > 0 && weight[1] > 0 && weight[2] > 0)) {
        // In a needle one wrong sign among the long edges would cost as much as it is wide.
        const bool needle = !(whole > 1e-4 * plDot(ab, ab) * plDot(ac, ac));
        return nearestOnBorder(p, v, needle, weight);
    }
    const double sum = weight[0] + weight[1] + weight[2];
    for (int k = 0; k < 3; k++) weight[k] /= sum;
    return plAddScaled(p, -plDot(n, ap) / whole, n);
}

// --- each kind, in the shape's frame

static plNearest ofCore(plVec3 p, plVec3 core, double radius)
{
    const plVec3 r = plSub(p, core);
    const double d = plNorm(r);
    const plVec3 n = d > 0 ? plScale(1 / d, r) : plVec(0, 0, 1);
    return (plNearest){d - radius, plAddScaled(core, radius, n), n};
}

/// Nearest point of one face of a polytope, p being above its plane.
static plVec3 onFace(const plPolytope* t, const plFace* f, plVec3 p)
{
    const plVec3 flat = plAddScaled(p, f->d - plDot(f->n, p), f->n);
    plVec3 best = flat;
    double least = INFINITY;
    bool inside = true;
    for (int i = 0; i < f->count; i++) {
        const plVec3 a = t->vertices[t->edges[f->first + i].origin];
        const plVec3 b = t->vertices[t->edges[f->first + (i + 1) % f->count].origin];
        if (plDot(f->n, plCross(plSub(b, a), plSub(flat, a))) >= 0) continue;
        inside = false;
        const plVec3 q = plNearestOnSegment(p, a, b, NULL);
        const double d2 = plDot(plSub(p, q), plSub(p, q));
        if (d2 < least) least = d2, best = q;
    }
    return inside ? flat : best;
}

// Inside, the nearest face is the one with the largest n.p - d. Outside, the nearest point lies on
// a face that p is above.
static plNearest ofPolytope(const plPolytope* t, plVec3 p)
{
    plNearest near = {.distance = -INFINITY};
    for (int i = 0; i < t->faceCount; i++) {
        const plFace* f = &t->faces[i];
        const double s = plDot(f->n, p) - f->d;
        if (s > near.distance) near = (plNearest){s, plAddScaled(p, -s, f->n), f->n};
    }
    if (near.distance <= 0) return near;
    double least = INFINITY;
    for (int i = 0; i < t->faceCount; i++) {
        const plFace* f = &t->faces[i];
        if (plDot(f->n, p) <= f->d) continue;
        const plVec3 q = onFace(t, f, p);
        const double d = plNorm(plSub(p, q));
        if (!(d < least)) continue;
        least = d;
        near = (plNearest){d, q, d > 0 ? plScale(1 / d, plSub(p, q)) : f->n};
    }
    return near;
}

// --- meshes

// Which side p is on is told by the normal of the nearest feature: of a triangle its own, of an
// edge the sum of two, of a point the sum weighted by angle (Baerentzen, Aanaes 2005).
static plVec3 featureNormal(const plMesh* m, int triangle, const double weight[3])
{
    for (int k = 0; k < 3; k++) {
        if (weight[k] == 1) return m->pointNormals[m->triangles[3 * triangle + k]];
    }
    for (int k = 0; k < 3; k++) {
        const int other = m->neighbours[3 * triangle + k];
        if (weight[(k + 2) % 3] == 0 && other >= 0) {
            return plAdd(m->normals[triangle], m->normals[other]);
        }
    }
    return m->normals[triangle];
}

typedef struct {
    int triangle;
    double least2;
    plVec3 point;
    double weight[3];
} MeshNearest;

static void tryLeaf(const plMesh* m, const plTreeNode* node, plVec3 p, MeshNearest* best)
{
    for (int i = 0; i < node->count; i++) {
        const int triangle = m->order[node->first + i];
        const int* v = &m->triangles[3 * triangle];
        double w[3];
        const plVec3 q =
            plNearestOnTriangle(p, m->points[v[0]], m->points[v[1]], m->points[v[2]], w);
        const double d2 = plDot(plSub(p, q), plSub(p, q));
        // Of equally near triangles the first by number, whatever the tree looks like.
        if (d2 > best->least2 || (d2 == best->least2 && triangle > best->triangle)) continue;
        *best = (MeshNearest){triangle, d2, q, {w[0], w[1], w[2]}};
    }
}

static plNearest ofMesh(const plMesh* m, plVec3 p)
{
    MeshNearest best = {.triangle = -1, .least2 = INFINITY};
    int stack[plTreeDepth + 1], count = 1;
    stack[0] = 0;
    while (count > 0) {
        const plTreeNode* node = &m->nodes[stack[--count]];
        if (plBounds_Outside2(&node->bounds, p) > best.least2) continue;
        if (node->count > 0) {
            tryLeaf(m, node, p, &best);
            continue;
        }
        const double left = plBounds_Outside2(&m->nodes[node->first].bounds, p);
        const double right = plBounds_Outside2(&m->nodes[node->first + 1].bounds, p);
        const int nearer = left <= right ? node->first : node->first + 1;
        stack[count++] = 2 * node->first + 1 - nearer;
        stack[count++] = nearer;
    }
    const plVec3 n = m->normals[best.triangle];
    const plVec3 r = plSub(p, best.point);
    const double d = sqrt(best.least2);
    const bool inside = m->closed && plDot(r, featureNormal(m, best.triangle, best.weight)) < 0;
    const double sign = inside ? -1 : 1;
    return (plNearest){sign * d, best.point, d > 0 ? plScale(sign / d, r) : n};
}

// --- all kinds

static plNearest inFrame(const plShape* s, plVec3 p)
{
    const double h = s->half.x;
    switch (s->kind) {
    case pl_shapeSphere:
        return ofCore(p, plVec(0, 0, 0), s->radius);
    case pl_shapeCapsule:
        return ofCore(p, plVec(plLower(plHigher(p.x, -h), h), 0, 0), s->radius);
    case pl_shapePlane: {
        const double d = plDot(s->normal, p);
        return (plNearest){d, plAddScaled(p, -d, s->normal), s->normal};
    }
    case pl_shapeMesh:
        return ofMesh(s->mesh, p);
    case pl_shapeNurbs:
        return plNurbs_Signed(s->nurbs, p);
    default:
        return ofPolytope(s->polytope, p);
    }
}

plNearest plShape_Nearest(const plShape* s, plVec3 p)
{
    plNearest near = {.distance = INFINITY};
    if (s->kind == pl_shapeCompound) {
        for (int i = 0; i < s->pieceCount; i++) {
            const plNearest piece = plShape_Nearest(&s->pieces[i], p);
            if (piece.distance < near.distance) near = piece;
        }
        return near;
    }
    near = inFrame(s, plInto(&s->frame, p));
    near.point = plOut(&s->frame, near.point);
    near.normal = plMul(&s->frame.R, near.normal);
    return near;
}
