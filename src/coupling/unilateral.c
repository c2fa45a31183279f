// The unilateral coupler, and its proxy: q = argmin |q - q_d|_K with all gaps >= 0, by Newton's method on
// the conditions: in each round the gaps are made linear at the last pose, and
//   dq = e + K^-1 J^T z,   0 <= z | gap + J dq >= 0,   e = q_d - q
// is an LCP in z.
#include "coupling/kinds.h"

#include <string.h>

enum { rounds = 20 };

/// Memory of the search.
typedef struct {
    plLcp lcp;
    plEigen eigen;
    double *A, *b, *lambda, *U;
    plProxyRow* rows;
} plProxy;

static plStatus takeMemory(plProxy* p, plArena* arena)
{
    const size_t n = plProxyRows;
    p->A = plArena_Alloc(arena, n * n, sizeof(double));
    p->b = plArena_Alloc(arena, n, sizeof(double));
    p->lambda = plArena_Alloc(arena, n, sizeof(double));
    p->U = plArena_Alloc(arena, n * n, sizeof(double));
    p->rows = plArena_Alloc(arena, n, sizeof *p->rows);
    if (plLcp_Create(&p->lcp, plProxyRows, arena) != pl_statusOk) return pl_statusCapacity;
    return plEigen_Create(&p->eigen, plProxyRows, arena);
}

/// Motion or wrench of six components.
typedef struct {
    double a[6];
} Six;

static Six rowOf(const plProxyRow* r)
{
    Six s;
    plPut3(r->n, s.a);
    plPut3(plCross(r->arm, r->n), s.a + 3);
    return s;
}

static double dot(const Six* x, const Six* y) { return plDotN(x->a, y->a, 6); }

// K^-1: an axis without stiffness is not moved.
static Six yields(const plCouplingDef* d, const Six* x)
{
    double k[6];
    Six y;
    plPut3(d->stiffness, k);
    plPut3(d->turnStiffness, k + 3);
    for (int i = 0; i < 6; ++i) y.a[i] = k[i] > 0 ? x->a[i] / k[i] : 0;
    return y;
}

static Six apart(const plPose* from, const plPose* to)
{
    Six e;
    plPut3(plSub(to->p, from->p), e.a);
    plPut3(plLogQuat(plQuatMul(to->q, plQuatConj(from->q))), e.a + 3);
    return e;
}

static void respond(const plCouplingDef* d, const plProxyRow* rows, int n, double* A)
{
    for (int i = 0; i < n; ++i) {
        const Six J = rowOf(&rows[i]), Y = yields(d, &J);
        for (int k = 0; k < n; ++k) {
            const Six other = rowOf(&rows[k]);
            A[k * n + i] = dot(&other, &Y);
        }
    }
}

// One round: how far the pose moves, at most; z holds the multipliers.
static double improve(const plCouplingDef* d, const plPose* device, int n, plProxy* p, plPose* pose)
{
    Six e = apart(pose, device), move = e;
    p->lcp.n = n;
    respond(d, p->rows, n, p->lcp.M);
    for (int i = 0; i < n; ++i) {
        const Six J = rowOf(&p->rows[i]);
        p->lcp.M[i * n + i] *= 1 + 1e-12; // redundant corners share
        p->lcp.q[i] = p->rows[i].gap + dot(&J, &e);
    }
    plLcpReport report;
    if (n > 0 && plLcp_Solve(&p->lcp, &report) != pl_lcpSolved) return INFINITY;
    for (int i = 0; i < n; ++i) {
        const Six J = rowOf(&p->rows[i]), Y = yields(d, &J);
        for (int k = 0; k < 6; ++k) move.a[k] += Y.a[k] * p->lcp.z[i];
    }
    pose->p = plAdd(pose->p, plGet3(move.a));
    pose->q = plQuatUnit(plQuatMul(plExp(plGet3(move.a + 3)), pose->q));
    double most = 0;
    for (int k = 0; k < 6; ++k) most = fmax(most, fabs(move.a[k]));
    return most;
}

// Velocity of the proxy: that of the device, without what would move along an active surface's
// normal, to either side. Were it free to leave, the damper would vanish on the way out.
static Six follow(const plCouplingDef* d, const plSample* s, int n, plProxy* p)
{
    Six v;
    int active = 0;
    plPut3(s->velocity, v.a);
    plPut3(s->spin, v.a + 3);
    for (int i = 0; i < n; ++i) {
        if (p->lcp.z[i] > 0) p->rows[active++] = p->rows[i];
    }
    if (active == 0) return v;
    respond(d, p->rows, active, p->A);
    for (int i = 0; i < active; ++i) {
        const Six J = rowOf(&p->rows[i]);
        p->b[i] = -dot(&J, &v);
    }
    if (plPseudoSolve(&p->eigen, p->A, active, 1e-9, p->b, p->b, p->lambda, p->U) < 0) return v;
    for (int i = 0; i < active; ++i) {
        const Six J = rowOf(&p->rows[i]), Y = yields(d, &J);
        for (int k = 0; k < 6; ++k) v.a[k] += Y.a[k] * p->b[i];
    }
    return v;
}

// Pose of the tool; the wrench on the hand.
static plPose search(plCoupling* c, const plCouplingView* view, plWrench* onHand)
{
    const plCouplingDef* d = &c->def;
    const plCouplingHost* host = view->host;
    const plSample* s = view->sample;
    plProxy* p = c->own;
    plPose pose = s->pose, last = pose;
    int n = 0;
    double moved = INFINITY;
    for (int i = 0; i < rounds && moved > 1e-15; ++i) {
        const plFrame frame = plFrameOf(pose);
        n = host->touch(host->self, c->frame, &frame, p->rows);
        last = pose;
        moved = improve(d, &s->pose, n, p, &pose);
        if (isinf(moved)) { // no answer: it stays where it was, and pulls nobody
            *onHand = (plWrench){{0, 0, 0}, {0, 0, 0}};
            return last;
        }
    }
    const Six e = apart(&pose, &s->pose), v = follow(d, s, n, p);
    double K[6], B[6], F[6], u[6];
    plPut3(d->stiffness, K);
    plPut3(d->turnStiffness, K + 3);
    plPut3(d->damping, B);
    plPut3(d->turnDamping, B + 3);
    plPut3(s->velocity, u);
    plPut3(s->spin, u + 3);
    for (int i = 0; i < 6; ++i) F[i] = -K[i] * e.a[i] - B[i] * (u[i] - v.a[i]);
    *onHand = (plWrench){plGet3(F), plGet3(F + 3)};
    return pose;
}

static plStatus create(plCoupling* c, const plCouplingHost* host, const char** why)
{
    *why = "the tool of a unilateral coupler is the origin of a prescribed frame";
    if (!plCoupling_HoldsFrame(c, host)) return pl_statusBadArgument;
    plProxy* p = plArena_Alloc(host->fixed, 1, sizeof *p);
    *why = plCouplingFull;
    c->own = p;
    c->frame = (int)c->def.tool.mechanism.index1 - 1;
    return p ? takeMemory(p, host->fixed) : pl_statusCapacity;
}

// In the springs of the coupler, from the tool to the device.
static double strained(const plCouplingDef* d, plPose tool, plPose device)
{
    const plVec3 e = plSub(device.p, tool.p);
    const plVec3 turn = plLogQuat(plQuatMul(device.q, plQuatConj(tool.q)));
    const plVec3 K = d->stiffness, turnK = d->turnStiffness;
    return 0.5 * (K.x * e.x * e.x + K.y * e.y * e.y + K.z * e.z * e.z + turnK.x * turn.x * turn.x +
                  turnK.y * turn.y * turn.y + turnK.z * turn.z * turn.z);
}

static void command(plCoupling* c, const plCouplingView* v)
{
    const plPose pose = search(c, v, &c->pull);
    c->state->stored = strained(&c->def, pose, v->sample->pose);
    plMechanism_Steer(v->host->mechanisms[c->frame], pose);
}

static plWrench feedback(plCoupling* c, const plCouplingView* v, double at)
{
    const plWrench reaction = plWrench_Scaled(v->reaction, 1 / v->T);
    (void)at;
    return (plWrench){plAdd(c->pull.force, reaction.force), plAdd(c->pull.torque, reaction.torque)};
}

static double damping(const plCouplingDef* d, double K, double B, double T, int delay)
{
    (void)d;
    return plSampledDamping(K, B, T, delay);
}

const plCouplingOps plUnilateralOps = {
    .traits = {.moves = true, .stops = true},
    .create = create,
    .command = command,
    .feedback = feedback,
    .damping = damping,
};
