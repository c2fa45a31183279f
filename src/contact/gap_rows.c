// The gap of a contact within a step, and the rows that give its change exactly.
//
// With the features that touch held fixed (plGapModel), the gap is a function of the frames of the two parts.
// A row N with N U T = gap1 - gap0 is a discrete gradient: the impulse p does the work p (gap1 - gap0)/T, and a
// contact that stays closed does none, however far its parts turn in the step. The rows below are of the
// same family as those of links: a point over a face is a slide, two points are a distance.
#include "contact/contact.h"

/// Frames of the two parts at one time: those of the mechanisms, good until these move.
typedef struct {
    const plFrame *a, *b;
} Frames;

static const plFrame* partFrame(plSite site, plMechanism* const* mechanisms, plWhen when)
{
    static const plFrame ground = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const uint32_t index1 = site.mechanism.index1;
    return index1 ? plMechanism_PartFrame(mechanisms[index1 - 1], when, site.part) : &ground;
}

static Frames framesOf(const plContact* c, plMechanism* const* mechanisms, plWhen when)
{
    return (Frames){partFrame(c->siteA, mechanisms, when), partFrame(c->siteB, mechanisms, when)};
}

static inline plVec3 out(const plFrame* f, plVec3 local)
{
    return plAdd(f->x, plMul(&f->R, local));
}
static inline plVec3 into(const plFrame* f, plVec3 world)
{
    return plMulT(&f->R, plSub(world, f->x));
}

double plContact_Gap(const plContact* c, plMechanism* const* mechanisms, plWhen when, plVec3* n)
{
    if (c->soft) return plContact_SoftGap(c, mechanisms, when, n);
    const Frames f = framesOf(c, mechanisms, when);
    return plGapModel_Gap(&c->model, f.a, f.b, n);
}

// --- the normal row

// Across an edge: the part of y perpendicular to it.
static plVec3 across(plVec3 y, plVec3 edge) { return plAddScaled(y, -plDot(y, edge), edge); }

// The direction in which the length of a vector changes from y0 to y1, exactly: (|y1| - |y0|) = m.(y1 - y0).
static plVec3 between(plVec3 y0, plVec3 y1, plVec3 otherwise)
{
    const double size = plNorm(y0) + plNorm(y1);
    return size > 0 ? plScale(1 / size, plAdd(y0, y1)) : otherwise;
}

// n turns with b, and a moves over it: n^.(r1 - r0) + (n1 - n0).r^ is the way of a against the point of b
// under it. `m` in b's axes.
static plRow overB(const plContact* c, const Frames* f0, const Frames* f1, plVec3 m)
{
    const plVec3 a0 = out(f0->a, c->model.a), a1 = out(f1->a, c->model.a);
    const plMat3 R = plMean(&f0->b->R, &f1->b->R);
    plRow row = {.a = c->siteA, .b = c->siteB, .lin = plMul(&R, m)};
    row.a.point = c->model.a;
    row.b.point = plScale(0.5, plAdd(into(f0->b, a0), into(f1->b, a1)));
    return row;
}

static plRow overA(const plContact* c, const Frames* f0, const Frames* f1, plVec3 m)
{
    const plVec3 b0 = out(f0->b, c->model.b), b1 = out(f1->b, c->model.b);
    const plMat3 R = plMean(&f0->a->R, &f1->a->R);
    plRow row = {.a = c->siteA, .b = c->siteB, .lin = plMul(&R, m)};
    row.b.point = c->model.b;
    row.a.point = plScale(0.5, plAdd(into(f0->a, b0), into(f1->a, b1)));
    return row;
}

// Where two lines are nearest to each other, in the frames of their parts.
static void crossing(const plContact* c, const Frames* f, plVec3* onA, plVec3* onB)
{
    const plGapModel* m = &c->model;
    const plVec3 ea = plMul(&f->a->R, m->edgeA), eb = plMul(&f->b->R, m->edgeB);
    const plVec3 r = plSub(out(f->a, m->a), out(f->b, m->b));
    const double k = plDot(ea, eb), d = 1 - k * k, ra = plDot(ea, r), rb = plDot(eb, r);
    const double s = d > 1e-12 ? (k * rb - ra) / d : 0, t = d > 1e-12 ? (rb - k * ra) / d : 0;
    *onA = plAddScaled(m->a, s, m->edgeA);
    *onB = plAddScaled(m->b, t, m->edgeB);
}

// Two edges: the normal is that of the middle, and right to the third order of the step.
static plRow crossed(const plContact* c, const Frames* f0, const Frames* f1, plVec3 n0, plVec3 n1)
{
    plVec3 a0, b0, a1, b1;
    plRow row = {.a = c->siteA, .b = c->siteB};
    crossing(c, f0, &a0, &b0);
    crossing(c, f1, &a1, &b1);
    row.a.point = plScale(0.5, plAdd(a0, a1));
    row.b.point = plScale(0.5, plAdd(b0, b1));
    const plVec3 n = plAdd(n0, n1);
    row.lin = plScale(1 / plNorm(n), n);
    return row;
}

static plRow normalRow(const plContact* c, const Frames* f0, const Frames* f1, plVec3 n0, plVec3 n1)
{
    const plGapModel* m = &c->model;
    plRow row = {.a = c->siteA, .b = c->siteB, .lin = n0};
    if (m->kind == pl_normalOfA) return overA(c, f0, f1, m->n);
    if (m->kind == pl_normalOfB) return overB(c, f0, f1, m->n);
    if (m->kind == pl_normalEdges) return crossed(c, f0, f1, n0, n1);
    const plVec3 a0 = out(f0->a, m->a), a1 = out(f1->a, m->a);
    const plVec3 b0 = out(f0->b, m->b), b1 = out(f1->b, m->b);
    switch (m->kind) {
    case pl_normalAcrossA: {
        const plVec3 y0 = across(plSub(m->a, into(f0->a, b0)), m->edgeA);
        const plVec3 y1 = across(plSub(m->a, into(f1->a, b1)), m->edgeA);
        return overA(c, f0, f1, between(y0, y1, plMulT(&f0->a->R, n0)));
    }
    case pl_normalAcrossB: {
        const plVec3 y0 = across(plSub(into(f0->b, a0), m->b), m->edgeB);
        const plVec3 y1 = across(plSub(into(f1->b, a1), m->b), m->edgeB);
        return overB(c, f0, f1, between(y0, y1, plMulT(&f0->b->R, n0)));
    }
    case pl_normalBetween:
        row.lin = between(plSub(a0, b0), plSub(a1, b1), n0);
        break;
    default:
        break;
    }
    row.a.point = m->a;
    row.b.point = m->b;
    return row;
}

// --- friction: the points of the two surfaces that touch in the middle of the step

static plVec3 unit(plVec3 a) { return plScale(1 / plNorm(a), a); }

static plVec3 middle(const plFrame* f0, const plFrame* f1, plVec3 x0, plVec3 x1)
{
    return plScale(0.5, plAdd(into(f0, x0), into(f1, x1)));
}

// What is round rolls: the arm from its core to the surface keeps its direction in the world while the body turns, so
// the row takes the velocity of the core, of both bodies, and the turn of one against the other along that arm. A point
// of the body would go along a chord, and a ball that rolls would slip.
static void tangentRows(const plContact* c, const Frames* f0, const Frames* f1, double gap0,
                        plVec3 n0, plVec3 n1, int dim, plRow* rows)
{
    const plGapModel* m = &c->model;
    const plVec3 n = unit(plAdd(n0, n1));
    const double arm = m->radiusA > 0 ? -m->radiusA : m->radiusB; // from the core, along the normal
    plVec3 a = m->a, x0 = out(f0->a, m->a), x1 = out(f1->a, m->a); // of the core of a
    if (m->kind == pl_normalOfA || m->kind == pl_normalAcrossA) {  // b's point comes to a
        x0 = plAddScaled(out(f0->b, m->b), m->radiusA + m->radiusB + gap0, n0);
        x1 = plAddScaled(out(f1->b, m->b), m->radiusA + m->radiusB + c->gapLast, n1);
        a = middle(f0->a, f1->a, x0, x1);
    } else if (m->kind == pl_normalEdges) {
        plVec3 a0, a1, b;
        crossing(c, f0, &a0, &b);
        crossing(c, f1, &a1, &b);
        x0 = out(f0->a, a0), x1 = out(f1->a, a1);
        a = plScale(0.5, plAdd(a0, a1));
    }
    if (arm > 0) {
        x0 = plAddScaled(x0, -arm, n0), x1 = plAddScaled(x1, -arm, n1);
        a = middle(f0->a, f1->a, x0, x1);
    }
    const plVec3 b =
        middle(f0->b, f1->b, plAddScaled(x0, -gap0, n0), plAddScaled(x1, -c->gapLast, n1));
    for (int k = 1; k < dim; ++k) {
        const plVec3 t = unit(plAddScaled(c->t[k - 1], -plDot(c->t[k - 1], n), n));
        rows[k] = (plRow){.a = c->siteA, .b = c->siteB, .lin = t};
        if (arm != 0) rows[k].ang = plScale(arm, plCross(n, t));
        rows[k].a.point = a;
        rows[k].b.point = b;
    }
}

// --- all rows of a contact

void plContact_FindStart(plContact* c, plMechanism* const* mechanisms)
{
    c->gapStart = plContact_Gap(c, mechanisms, pl_atStart, &c->nStart);
}

// Where nothing moves within the step.
static void rowsAtOnce(const plContact* c, const Frames* f, int dim, plRow* rows)
{
    const plGapModel* m = &c->model;
    const plVec3 n = c->nLast;
    plVec3 a = m->a, b = m->b;
    if (m->kind == pl_normalOfA || m->kind == pl_normalAcrossA) a = into(f->a, out(f->b, b));
    if (m->kind == pl_normalOfB || m->kind == pl_normalAcrossB) b = into(f->b, out(f->a, a));
    if (m->kind == pl_normalEdges) crossing(c, f, &a, &b);
    rows[0] = (plRow){.a = c->siteA, .b = c->siteB, .lin = n};
    rows[0].a.point = a;
    rows[0].b.point = b;
    plVec3 x = out(f->a, m->a);
    if (m->kind == pl_normalOfA || m->kind == pl_normalAcrossA) { // b's point comes to a
        x = plAddScaled(out(f->b, m->b), m->radiusA + m->radiusB + c->gapLast, n);
        a = into(f->a, x);
    } else if (m->kind == pl_normalEdges) {
        x = out(f->a, a);
    } else {
        a = m->a;
    }
    a = plAddScaled(a, -m->radiusA, plMulT(&f->a->R, n));
    b = into(f->b, plAddScaled(x, -m->radiusA - c->gapLast, n));
    for (int k = 1; k < dim; ++k) {
        const plVec3 t = c->t[k - 1];
        rows[k] = rows[0];
        rows[k].lin = unit(plAddScaled(t, -plDot(t, n), n));
        rows[k].a.point = a;
        rows[k].b.point = b;
    }
}

// Features that were found in the trial say nothing about the start: their rows are those of the end.
void plContact_Rows(plContact* c, plMechanism* const* mechanisms, plWhen end, bool known, int dim,
                    plRow* rows)
{
    if (c->soft) {
        plContact_SoftRows(c, mechanisms, end, dim, rows);
        return;
    }
    const Frames f1 = framesOf(c, mechanisms, end);
    if (end == pl_atStart && !c->found) {
        c->gapLast = c->gapStart, c->nLast = c->nStart;
    } else if (!known) {
        c->gapLast = plGapModel_Gap(&c->model, f1.a, f1.b, &c->nLast);
    }
    if (end == pl_atStart || c->found) {
        rowsAtOnce(c, &f1, dim, rows);
        return;
    }
    const Frames f0 = framesOf(c, mechanisms, pl_atStart);
    rows[0] = normalRow(c, &f0, &f1, c->nStart, c->nLast);
    tangentRows(c, &f0, &f1, c->gapStart, c->nStart, c->nLast, dim, rows);
}

plRow plContact_EndRow(const plContact* c, plMechanism* const* mechanisms, plWhen end)
{
    if (c->soft) return plContact_SoftEndRow(c, mechanisms, end);
    const Frames f = framesOf(c, mechanisms, end);
    return normalRow(c, &f, &f, c->nLast, c->nLast);
}
