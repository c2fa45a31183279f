// The nearest place next to a spot: Newton's method for the squared distance, over seams.
//   letters  r = S - p; g = (r.S_u, r.S_v) half the gradient; a, b, c half the second derivatives:
//            a = S_u.S_u + r.S_uu, b = S_u.S_v + r.S_uv, c = S_v.S_v + r.S_vv
// Every step lowers the distance. Where the second derivatives do not make a bowl, those of the
// tangent plane take their place, which always do: of one parameter if that is enough, else of both.
#include "shape/nurbs_inside.h"

typedef struct {
    const plNurbs* n;
    plVec3 p;
    plUv at;
    plSurfel f;
    double d2; // |S - p|^2
    double g[2], a, b, c;
    bool bowl; // a, b, c are the true ones
} Walker;

static void look(Walker* w)
{
    plSurfel* f = &w->f;
    plNurbs_At(w->n, w->at, f);
    const plVec3 r = plSub(f->S, w->p);
    w->d2 = plDot(r, r);
    w->g[0] = plDot(r, f->u), w->g[1] = plDot(r, f->v);
    const double uu = plDot(f->u, f->u), uv = plDot(f->u, f->v), vv = plDot(f->v, f->v);
    w->a = uu + plDot(r, f->uu), w->b = uv + plDot(r, f->uv), w->c = vv + plDot(r, f->vv);
    // Next to a centre of curvature what is left of the sums is round-off.
    w->bowl =
        w->a > 1e-9 * uu && w->c > 1e-9 * vv && w->a * w->c - w->b * w->b > 1e-10 * w->a * w->c;
    if (w->bowl) return;
    if (!(w->a > 1e-9 * uu)) w->a = uu;
    if (!(w->c > 1e-9 * vv)) w->c = vv;
    if (!(w->a * w->c - w->b * w->b > 1e-10 * w->a * w->c)) w->a = uu, w->b = uv, w->c = vv;
}

static double over(double x, double y) { return y > 0 ? x / y : 0; }

/// The whole step, never longer than the patch.
static void newton(const Walker* w, double step[2])
{
    double u[2], v[2];
    const double det = w->a * w->c - w->b * w->b;
    const bool solvable = det > 1e-12 * w->a * w->c;
    step[0] = solvable ? (w->b * w->g[1] - w->c * w->g[0]) / det : -over(w->g[0], w->a);
    step[1] = solvable ? (w->b * w->g[0] - w->a * w->g[1]) / det : -over(w->g[1], w->c);
    plNurbs_Domain(w->n, w->at.patch, u, v);
    step[0] = plLower(plHigher(step[0], u[0] - u[1]), u[1] - u[0]);
    step[1] = plLower(plHigher(step[1], v[0] - v[1]), v[1] - v[0]);
}

static double lengthOf(const Walker* w, const double step[2])
{
    return plNorm(plAdd(plScale(step[0], w->f.u), plScale(step[1], w->f.v)));
}

/// The edge that the spot lies on and that the way leads out of, or -1.
static int outOf(const Walker* w, const double way[2])
{
    double u[2], v[2];
    plNurbs_Domain(w->n, w->at.patch, u, v);
    const bool out[plPatchEdges] = {w->at.u <= u[0] && way[0] < 0, w->at.u >= u[1] && way[0] > 0,
                                    w->at.v <= v[0] && way[1] < 0, w->at.v >= v[1] && way[1] > 0};
    for (int k = 0; k < plPatchEdges; k++) {
        if (out[k]) return k;
    }
    return -1;
}

/// Close to the end the distance no longer tells places apart, but the step that is left does.
static bool isCloser(const Walker* next, const Walker* w)
{
    if (next->d2 < w->d2) return true;
    if (!(next->d2 <= (1 + 1e-14) * w->d2)) return false;
    double now[2], before[2];
    newton(next, now);
    newton(w, before);
    return lengthOf(next, now) < 0.5 * lengthOf(w, before);
}

/// Takes the spot if it is nearer; false: it is not.
static bool take(Walker* w, plUv at)
{
    Walker next = {.n = w->n, .p = w->p, .at = at};
    look(&next);
    if (!isCloser(&next, w)) return false;
    *w = next;
    return true;
}

static bool walk(Walker* w, const double step[2])
{
    plUv at = w->at;
    plNurbs_Walk(w->n, &at, step[0], step[1]);
    return take(w, at);
}

/// Up to the border of the patch and no further.
static bool stop(Walker* w, const double step[2])
{
    plUv at = plUvAt(w->at.patch, w->at.u + step[0], w->at.v + step[1]);
    return take(w, plNurbs_Clamp(w->n, at));
}

/// Only along the edge that the spot lies on: the other parameter is held.
static void alongEdge(const Walker* w, int edge, double step[2])
{
    const bool alongV = edge == plEdgeU0 || edge == plEdgeU1;
    step[0] = alongV ? 0 : -over(w->g[0], w->a);
    step[1] = alongV ? -over(w->g[1], w->c) : 0;
    const int corner = outOf(w, step);
    if (corner >= 0) step[0] = step[1] = 0;
}

/// At a crease the way down may begin behind the edge though no step over it goes down: then from
/// the other side.
static bool changeSides(Walker* w, int edge)
{
    const plPatchEdge* e = plNurbs_Edge(w->n, w->at.patch, edge);
    if (e->kind != pl_edgeJoined) return false;
    Walker other = {.n = w->n, .p = w->p, .at = plNurbs_OtherSide(w->n, w->at, edge)};
    look(&other);
    const double down[2] = {-other.g[0], -other.g[1]};
    double step[2];
    newton(&other, step);
    if (outOf(&other, down) == e->edge || lengthOf(&other, step) <= 1e-12 * w->n->size) {
        return false;
    }
    *w = other;
    return true;
}

typedef enum { stepTaken, stepLast, stepFailed } Step;

/// From a border that the way leads out of.
static Step fromBorder(Walker* w, int edge, const double step[2])
{
    const plEdgeKind kind = plNurbs_Edge(w->n, w->at.patch, edge)->kind;
    if (kind == pl_edgeJoined && walk(w, step)) return stepTaken;
    if (changeSides(w, edge)) return stepTaken;
    double along[2];
    alongEdge(w, edge, along);
    if (lengthOf(w, along) <= 1e-12 * w->n->size) return stepLast;
    for (int half = 0; half < 16; half++) {
        if (stop(w, along)) return stepTaken;
        along[0] /= 2, along[1] /= 2;
    }
    return stepLast; // the distance tells no smaller steps apart
}

static Step inside(Walker* w, double step[2])
{
    if (walk(w, step)) return stepTaken;
    if (stop(w, step)) return stepTaken;
    for (int half = 0; half < 16; half++) {
        step[0] /= 2, step[1] /= 2;
        if (walk(w, step)) return stepTaken;
    }
    return lengthOf(w, step) <= 1e-10 * w->n->size ? stepLast : stepFailed;
}

/// Out of a pole along the best of all directions, if there is one that leads nearer.
static Step fromPole(Walker* w, int edge)
{
    const plVec3 T = plSub(w->p, w->f.S);
    plNurbs_Turn(w->n, &w->at, edge, T);
    edge = plNurbs_Pole(w->n, w->at);
    look(w);
    const bool alongV = edge == plEdgeU0 || edge == plEdgeU1;
    const plVec3 out = alongV ? w->f.u : w->f.v;
    const double sign = edge == plEdgeU0 || edge == plEdgeV0 ? 1 : -1;
    const double pace = plNorm(out), way = sign * over(plDot(T, out), pace);
    if (!(way > 1e-12 * w->n->size)) return stepLast;
    double step[2] = {alongV ? sign * way / pace : 0, alongV ? 0 : sign * way / pace};
    for (int half = 0; half < 40; half++) {
        if (stop(w, step)) return stepTaken;
        step[0] /= 2, step[1] /= 2;
    }
    return stepLast;
}

static Step advance(Walker* w)
{
    const int pole = plNurbs_Pole(w->n, w->at);
    if (pole >= 0) return fromPole(w, pole);
    double step[2];
    const double down[2] = {-w->g[0], -w->g[1]};
    newton(w, step);
    // What is left behind such a step is of the order of its square; with the tangent plane's
    // derivatives, of its own.
    const double length = lengthOf(w, step);
    int edge = outOf(w, down);
    if (edge < 0) edge = outOf(w, step);
    if (edge < 0 && length <= (w->bowl ? 1e-9 : 1e-13) * w->n->size) {
        plNurbs_Walk(w->n, &w->at, step[0], step[1]);
        return stepLast;
    }
    return edge >= 0 ? fromBorder(w, edge, step) : inside(w, step);
}

int plNurbs_Project(const plNurbs* n, plVec3 p, plUv* at)
{
    enum { steps = 64 };
    Walker w = {.n = n, .p = p, .at = plNurbs_Clamp(n, *at)};
    look(&w);
    for (int i = 1; i <= steps; i++) {
        const Step step = advance(&w);
        *at = w.at;
        if (step == stepFailed) return 0;
        if (step == stepLast) return i;
    }
    return 0;
}
