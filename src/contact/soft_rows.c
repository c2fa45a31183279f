// The gap of a contact of what deforms within a step, and the rows that give its change.
//
// The two sides are features: a point, an edge or a face of a soft surface, whose corners move by themselves; a
// vertex or an edge of a rigid core; or a rigid shape as a whole, for a point of a soft surface. With r between
// points of the two features, the gap is n.r less the radii, as in collide/gap_model.c:
//   point and face    n is the face's normal
//   two edges         n is across both
//   point and edge    n = y/|y|, y the part of r across the edge; two points: y = r
//   point and shape   the shape says: its nearest point and the normal there
// Let ^ be the mean of the two ends of the step. The change of n.r is n^.(r1 - r0) + (n1 - n0).r^, and the
// second term is zero where r^ is along n^, since n has the same length at both ends. So a row along n^ between
// the points that are nearest to each other in the middle of the step gives the change of the gap: exactly for
// a point and a face, two points, and a point and an edge; to the third order of the step for the others.
#include "contact/contact.h"

/// One side at one time.
typedef struct {
    bool soft;
    plFrame frame; ///< rigid: of its part
    plVec3 x[3];   ///< soft: corners of its face
    plVec3 point;
    plVec3 edge; ///< unit; of an edge
} Side;

/// Both sides at one time, and what the gap is there.
typedef struct {
    Side a, b;
    plVec3 n, y;    ///< unit, from b to a; the vector whose length is the gap, for points and edges
    plVec3 nearest; ///< of a shape, world
    double gap;
} Pose;

// --- sides

static double weightAt(plVec3 w, int k) { return k == 0 ? w.x : k == 1 ? w.y : w.z; }

static plVec3 mix(const plVec3 x[3], plVec3 w)
{
    return plAddScaled(plAddScaled(plScale(w.x, x[0]), w.y, x[1]), w.z, x[2]);
}

static plVec3 unitOr(plVec3 v, plVec3 otherwise)
{
    const double length = plNorm(v);
    return length > 1e-100 ? plScale(1 / length, v) : otherwise;
}

// Corners of an edge are those with a weight.
static void cornersOf(plVec3 w, int* i, int* k)
{
    const int none = w.x == 0 ? 0 : w.y == 0 ? 1 : 2;
    *i = none == 0 ? 1 : 0;
    *k = none == 2 ? 1 : 2;
}

static Side sideAt(plSite site, const plSkinEnd* end, plMechanism* const* mechanisms, plWhen when)
{
    Side s = {.soft = site.part > 0 && site.mechanism.index1 > 0 &&
                      plMechanism_Traits(mechanisms[site.mechanism.index1 - 1])->deforms};
    if (s.soft) {
        int i, k;
        plMechanism_Corners(mechanisms[site.mechanism.index1 - 1], when, site.part, s.x);
        s.point = mix(s.x, site.point);
        cornersOf(site.point, &i, &k);
        s.edge = unitOr(plSub(s.x[k], s.x[i]), plVec(0, 0, 0));
        return s;
    }
    s.frame = (plFrame){.R = plIdentity3()};
    if (site.mechanism.index1) {
        s.frame = *plMechanism_PartFrame(mechanisms[site.mechanism.index1 - 1], when, site.part);
    }
    s.point = plAdd(s.frame.x, plMul(&s.frame.R, end->point));
    s.edge = plMul(&s.frame.R, end->edge);
    return s;
}

// --- the gap

static plVec3 faceNormal(const Side* s)
{
    return unitOr(plCross(plSub(s->x[1], s->x[0]), plSub(s->x[2], s->x[0])), plVec(0, 0, 0));
}

static plVec3 across(plVec3 y, plVec3 edge) { return plAddScaled(y, -plDot(y, edge), edge); }

// A normal that has turned away by more than 60 degrees is another feature's.
static plVec3 bound(plVec3 n, plVec3 start) { return plDot(n, start) >= 0.5 ? n : start; }

// Of a point against a shape; n from the shape to the point.
static void nearShape(const plContact* c, const plSkinEnd* end, const Side* shape, plVec3 x,
                      plVec3 start, Pose* p)
{
    const plFrame* f = &shape->frame;
    const plNearest near = plShape_Nearest(end->shape, plMulT(&f->R, plSub(x, f->x)));
    const plVec3 n = plMul(&f->R, near.normal);
    const plVec3 local = end == &c->endA ? c->siteA.point : c->siteB.point;
    if (plDot(n, start) >= 0.5) {
        p->n = n;
        p->gap = near.distance;
        p->nearest = plAdd(f->x, plMul(&f->R, near.point));
    } else { // it would have come out on another side
        p->n = start;
        p->nearest = plAdd(f->x, plMul(&f->R, local));
        p->gap = plDot(start, plSub(x, p->nearest));
    }
}

static Pose poseAt(const plContact* c, plMechanism* const* mechanisms, plWhen when)
{
    const plSkinFeature a = c->endA.type, b = c->endB.type;
    Pose p = {.a = sideAt(c->siteA, &c->endA, mechanisms, when),
              .b = sideAt(c->siteB, &c->endB, mechanisms, when)};
    const plVec3 r = plSub(p.a.point, p.b.point);
    const double radii = (p.a.soft ? 0 : c->endA.radius) + (p.b.soft ? 0 : c->endB.radius);
    if (b == pl_skinShape) {
        nearShape(c, &c->endB, &p.b, p.a.point, c->n, &p);
        return p;
    }
    if (a == pl_skinShape) {
        nearShape(c, &c->endA, &p.a, p.b.point, plScale(-1, c->n), &p);
        p.n = plScale(-1, p.n);
        return p;
    }
    p.y = r;
    if (b == pl_skinFace) {
        p.n = bound(faceNormal(&p.b), c->n);
    } else if (a == pl_skinFace) {
        p.n = bound(plScale(-1, faceNormal(&p.a)), c->n);
    } else if (a == pl_skinEdge && b == pl_skinEdge) {
        const plVec3 n = plCross(p.a.edge, p.b.edge);
        p.n = bound(unitOr(plDot(n, c->n) < 0 ? plScale(-1, n) : n, c->n), c->n);
    } else {
        if (a == pl_skinEdge) p.y = across(r, p.a.edge);
        if (b == pl_skinEdge) p.y = across(r, p.b.edge);
        const double side = plDot(p.y, c->n) < 0 ? -1 : 1;
        p.n = bound(unitOr(plScale(side, p.y), c->n), c->n);
    }
    p.gap = plDot(p.n, r) - radii;
    return p;
}

double plContact_SoftGap(const plContact* c, plMechanism* const* mechanisms, plWhen when, plVec3* n)
{
    const Pose p = poseAt(c, mechanisms, when);
    *n = p.n;
    return p.gap;
}

// --- rows

// Where the line from p along n meets a triangle's plane, as weights.
static plVec3 footOn(const plVec3 x[3], plVec3 p, plVec3 n, plVec3 otherwise)
{
    const plVec3 u = plSub(x[1], x[0]), v = plSub(x[2], x[0]), r = plSub(p, x[0]);
    const double volume = plDot(n, plCross(u, v));
    if (!(fabs(volume) > 1e-12 * plNorm(u) * plNorm(v) * plNorm(n))) return otherwise;
    const double b = plDot(n, plCross(r, v)) / volume, c = plDot(n, plCross(u, r)) / volume;
    return plVec(1 - b - c, b, c);
}

static Side meanOf(const Side* a, const Side* b)
{
    Side s = *a;
    for (int k = 0; k < 3; ++k) s.x[k] = plScale(0.5, plAdd(a->x[k], b->x[k]));
    s.point = plScale(0.5, plAdd(a->point, b->point));
    s.edge = unitOr(plAdd(a->edge, b->edge), a->edge);
    return s;
}

// A point of an edge, as the row has it: s along the edge from the side's point.
static plVec3 alongEdge(const Side* mean, plVec3 weights, const plSkinEnd* end, double s)
{
    if (!mean->soft) return plAddScaled(end->point, s, end->edge);
    int i, k;
    cornersOf(weights, &i, &k);
    const double length = plNorm(plSub(mean->x[k], mean->x[i]));
    const double t = weightAt(weights, k) + (length > 0 ? s / length : 0);
    double w[3] = {0};
    w[i] = 1 - t;
    w[k] = t;
    return plGet3(w);
}

// Points of two edges, or of a point and an edge, that are nearest to each other in the middle of the step.
static void findNearest(const plContact* c, const Side* a, const Side* b, plVec3* onA, plVec3* onB)
{
    const plVec3 r = plSub(a->point, b->point);
    const bool edgeA = c->endA.type == pl_skinEdge, edgeB = c->endB.type == pl_skinEdge;
    double s = 0, t = 0;
    if (edgeA && edgeB) {
        const double k = plDot(a->edge, b->edge), d = 1 - k * k;
        const double ra = plDot(a->edge, r), rb = plDot(b->edge, r);
        if (d > 1e-6) s = (k * rb - ra) / d, t = (rb - k * ra) / d;
    } else if (edgeA) {
        s = -plDot(a->edge, r);
    } else if (edgeB) {
        t = plDot(b->edge, r);
    }
    *onA = edgeA     ? alongEdge(a, c->siteA.point, &c->endA, s)
           : a->soft ? c->siteA.point
                     : c->endA.point;
    *onB = edgeB     ? alongEdge(b, c->siteB.point, &c->endB, t)
           : b->soft ? c->siteB.point
                     : c->endB.point;
}

static plVec3 into(const plFrame* f, plVec3 x) { return plMulT(&f->R, plSub(x, f->x)); }

static plVec3 meanLocal(const Side* s0, const Side* s1, plVec3 x0, plVec3 x1)
{
    return plScale(0.5, plAdd(into(&s0->frame, x0), into(&s1->frame, x1)));
}

static plRow normalRow(const plContact* c, const Pose* p0, const Pose* p1)
{
    const plSkinFeature fa = c->endA.type, fb = c->endB.type;
    const Side a = meanOf(&p0->a, &p1->a), b = meanOf(&p0->b, &p1->b);
    plRow row = {.a = c->siteA, .b = c->siteB, .lin = plScale(0.5, plAdd(p0->n, p1->n))};
    if (fb == pl_skinShape) {
        row.b.point = meanLocal(&p0->b, &p1->b, p0->nearest, p1->nearest);
    } else if (fa == pl_skinShape) {
        row.a.point = meanLocal(&p0->a, &p1->a, p0->nearest, p1->nearest);
    } else if (fb == pl_skinFace) {
        row.a.point = a.soft ? c->siteA.point : c->endA.point;
        row.b.point = footOn(b.x, a.point, row.lin, c->siteB.point);
    } else if (fa == pl_skinFace) {
        row.b.point = b.soft ? c->siteB.point : c->endB.point;
        row.a.point = footOn(a.x, b.point, row.lin, c->siteA.point);
    } else {
        findNearest(c, &a, &b, &row.a.point, &row.b.point);
        const double size = plNorm(p0->y) + plNorm(p1->y);
        const bool lengths = !(fa == pl_skinEdge && fb == pl_skinEdge) && size > 1e-100 &&
                             plDot(p0->y, p0->n) * plDot(p1->y, p1->n) > 0;
        if (lengths) {
            const double side = plDot(p0->y, p0->n) < 0 ? -1 : 1;
            row.lin = plScale(side / size, plAdd(p0->y, p1->y));
        }
    }
    return row;
}

plRow plContact_SoftEndRow(const plContact* c, plMechanism* const* mechanisms, plWhen end)
{
    const Pose p = poseAt(c, mechanisms, end);
    return normalRow(c, &p, &p);
}

// From the core to the surface, in the carrier.
static plVec3 onSurface(const Side* s0, const Side* s1, plVec3 core, double reach, plVec3 n)
{
    const plVec3 inside = plAdd(plMulT(&s0->frame.R, n), plMulT(&s1->frame.R, n));
    return plAddScaled(core, 0.5 * reach, inside);
}

static plVec3 unit(plVec3 a) { return plScale(1 / plNorm(a), a); }

void plContact_SoftRows(plContact* c, plMechanism* const* mechanisms, plWhen end, int dim,
                        plRow* rows)
{
    const Pose p0 = poseAt(c, mechanisms, pl_atStart), p1 = poseAt(c, mechanisms, end);
    c->gapLast = p1.gap;
    rows[0] = normalRow(c, &p0, &p1);
    const plVec3 n = unit(rows[0].lin);
    plRow slip = rows[0];
    if (!p0.a.soft && c->endA.type != pl_skinShape) {
        slip.a.point = onSurface(&p0.a, &p1.a, slip.a.point, -c->endA.radius, n);
    }
    if (!p0.b.soft && c->endB.type != pl_skinShape) {
        slip.b.point = onSurface(&p0.b, &p1.b, slip.b.point, c->endB.radius, n);
    }
    for (int k = 1; k < dim; ++k) {
        const plVec3 t = c->t[k - 1];
        rows[k] = slip;
        rows[k].lin = unit(plAddScaled(t, -plDot(t, n), n));
    }
}
