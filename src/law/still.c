// What rests, and what nearly does: the impulses of the last tick, tried on the factors of W before
// anybody multiplies them out. With V = Y^T p, the change of the bodies' velocities by all impulses,
//     w = q + J V,   B = J Y^T of a contact alone,   dV = Y^T dp
// cost as much as there are contacts, while W has a block for any two that share a body.
#include "law/anderson.h"
#include "law/explicit.h"
#include "law/local.h"

#include <string.h>

enum { own = 9, few = 3, lookEvery = 8, lookOften = 4, someSweeps = 40 };
enum { contactCost = 500 };          // products of a contact in a sweep
static const double accepted = 1e-6; // RES of groups that are old, or too large to be factored

typedef struct {
    const plSpace* s;
    const plFactors* f;
    const double* q;
    double* B;    // per contact, by rows; without compliance
    double* G[3]; // rows of B^-1 with it, per contact: how it sticks
    double *p, *Wp;
} Still;

static double dot6(const double* a, const double* b)
{
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// B of every contact. False: nothing can move at one of them.
static bool findBlocks(const Still* x)
{
    for (int i = 0; i < x->s->count; ++i) {
        const plFactorSite* site = &x->f->sites[i];
        double* B = &x->B[own * i];
        memset(B, 0, own * sizeof *B);
        for (int side = 0; side < plFactorSides && site->at[side] >= 0; ++side) {
            const double *J = &x->f->J[site->at[side]], *Y = &x->f->Y[site->at[side]];
            for (int k = 0; k < own; ++k) B[k] += dot6(&J[k / 3 * 6], &Y[k % 3 * 6]);
        }
        if (!(B[0] > 0 && B[4] + B[8] > 0)) return false;
    }
    return true;
}

// V += Y^T dp of one contact.
static void push(const Still* x, int i, const double* dp)
{
    const plFactorSite* site = &x->f->sites[i];
    for (int side = 0; side < plFactorSides && site->at[side] >= 0; ++side) {
        const double* Y = &x->f->Y[site->at[side]];
        double* V = &x->f->V[6 * site->body[side]];
        for (int k = 0; k < 6; ++k) V[k] += dp[0] * Y[k] + dp[1] * Y[6 + k] + dp[2] * Y[12 + k];
    }
}

// J V of one contact.
static void read(const Still* x, int i, double* u)
{
    const plFactorSite* site = &x->f->sites[i];
    u[0] = u[1] = u[2] = 0;
    for (int side = 0; side < plFactorSides && site->at[side] >= 0; ++side) {
        const double* J = &x->f->J[site->at[side]];
        const double* V = &x->f->V[6 * site->body[side]];
        for (int k = 0; k < 3; ++k) u[k] += dot6(&J[6 * k], V);
    }
}

// |p - P(p - D^-1 w)|^2 of one contact.
static double defectOf(const Still* x, int i, const double* u)
{
    const double *p = &x->p[3 * i], *B = &x->B[own * i], c = x->s->compliance;
    const double D[3] = {B[0], 0.5 * (B[4] + B[8]), 0.5 * (B[4] + B[8])};
    double to[3];
    for (int k = 0; k < 3; ++k) {
        const double w = x->q[3 * i + k] + u[k] + c * B[4 * k] * p[k];
        to[k] = p[k] - w / (D[k] * (1 + c));
    }
    to[0] = fmax(0, to[0]);
    const double radius = x->s->pair[i].mu * to[0], length2 = to[1] * to[1] + to[2] * to[2];
    const double shorter = length2 > radius * radius ? radius / sqrt(length2) : 1;
    const double d[3] = {p[0] - to[0], p[1] - shorter * to[1], p[2] - shorter * to[2]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

// V = Y^T p.
static void gather(const Still* x)
{
    memset(x->f->V, 0, (size_t)(6 * x->f->bodies) * sizeof(double));
    for (int i = 0; i < x->s->count; ++i) push(x, i, &x->p[3 * i]);
}

// RES of p, with V and W p from the beginning: nothing that sweeps have added up goes into it.
static double resOf(const Still* x)
{
    double defect = 0, size = 0;
    gather(x);
    for (int i = 0; i < x->s->count; ++i) {
        const double* p = &x->p[3 * i];
        read(x, i, &x->Wp[3 * i]);
        defect += defectOf(x, i, &x->Wp[3 * i]);
        size += p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    }
    return defect == 0 ? 0 : sqrt(defect / size);
}

static void findInverses(const Still* x)
{
    const double c = 1 + x->s->compliance;
    for (int i = 0; i < x->s->count; ++i) {
        const double* B = &x->B[own * i];
        const plMat3 soft = {
            {c * B[0], B[1], B[2]}, {B[3], c * B[4], B[5]}, {B[6], B[7], c * B[8]}};
        plMat3 G;
        if (!plInverse3(&soft, &G)) memset(&G, 0, sizeof G);
        plPut3(G.x, &x->G[0][3 * i]);
        plPut3(G.y, &x->G[1][3 * i]);
        plPut3(G.z, &x->G[2][3 * i]);
    }
}

// Most contacts stick: w = 0 at once, where that is inside the cone.
static bool stick(const Still* x, int i, const double* b, double* f)
{
    const double mu = x->s->pair[i].mu;
    for (int k = 0; k < 3; ++k) {
        const double* G = &x->G[k][3 * i];
        f[k] = -(G[0] * b[0] + G[1] * b[1] + G[2] * b[2]);
    }
    return f[0] > 0 && f[1] * f[1] + f[2] * f[2] <= mu * mu * f[0] * f[0];
}

static void solveContact(const Still* x, int i, const double* u, double* f)
{
    const double *B = &x->B[own * i], *p = &x->p[3 * i], c = 1 + x->s->compliance;
    plLocal local = {.mu = x->s->pair[i].mu};
    for (int k = 0; k < 3; ++k) {
        const double* Bk = &B[3 * k];
        local.b[k] = x->q[3 * i + k] + u[k] - (Bk[0] * p[0] + Bk[1] * p[1] + Bk[2] * p[2]);
    }
    if (local.b[0] < 0 && stick(x, i, local.b, f)) return;
    for (int k = 0; k < own; ++k) local.B[k / 3][k % 3] = k % 4 == 0 ? c * B[k] : B[k];
    plLocal_Exact(&local, f);
}

// One contact after the other, each exactly.
static void sweep(const Still* x)
{
    for (int i = 0; i < x->s->count; ++i) {
        double *p = &x->p[3 * i], u[3], f[3], dp[3];
        read(x, i, u);
        solveContact(x, i, u, f);
        for (int k = 0; k < 3; ++k) {
            dp[k] = f[k] - p[k];
            p[k] = f[k];
        }
        push(x, i, dp);
    }
}

// Hyperstatic groups are right to 1e-7 or so soon, and from there creep along W's null space: no
// algorithm gets on with them. While their contacts are young, those who factor have tried; when all
// have stood for a while, what a report calls converged is enough. A sweep in every tick goes on.
// Contacts that are apart have no age.
static bool isOld(const plSpace* s, const plContactMemory* before)
{
    enum { ticks = 20 };
    const double near = 1e-9; // [m]
    int least = ticks;
    for (int i = 0; i < s->count; ++i) {
        const bool apart = before[i].age == 0 && s->gap[i] > near;
        if (!apart) least = before[i].age < least ? before[i].age : least;
    }
    return least >= ticks;
}

// What stands still under `gap` keeps its pose: impulses of an old tick that were right enough then still are,
// and to solve for them again would end where it ended then.
static bool standsStill(const plSpace* s)
{
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        if (s->uStart[i] != 0) return false;
    }
    return true;
}

static double wantedOf(const plSpace* s, const plContactMemory* before, const plLawWork* w)
{
    if (s->count > w->newtonContacts) return accepted;
    if (!isOld(s, before)) return w->tolerance;
    return s->bias != pl_biasGap ? accepted : standsStill(s) ? 0.1 * accepted : w->tolerance;
}

// Where all stands still nothing adds up. Impulses that are right enough stay as they are, once a sweep makes them no
// better: so the group repeats itself to the last bit. Else they are swept.
static bool isDone(const Still* x, double wanted, double* res, plLawWork* w, plLawReport* report)
{
    const size_t size = (size_t)(3 * x->s->count) * sizeof(double);
    if (!x->s->centred || !(*res <= wanted) || !standsStill(x->s)) return false;
    if (*res <= 1e-3 * w->tolerance) return true;
    memcpy(w->kept, x->p, size);
    findInverses(x);
    sweep(x);
    report->iterations++;
    plBudget_Spend(&w->budget, contactCost * x->s->count);
    const double next = resOf(x);
    if (next < 0.9 * *res) {
        *res = next;
        return true;
    }
    memcpy(x->p, w->kept, size);
    gather(x);
    return true;
}

// What rests has the impulses of the last tick but for what that tick left undone. Left as they are,
// such errors would add up in the velocities to the tolerance, and every other tick would have to
// solve: one sweep takes most of them away, and three are tried. What moves is swept while a factor
// would take longer, and as long as that helps: a factor of n contacts costs some 4 n sweeps.
static double settle(const Still* x, double wanted, plLawWork* w, plLawReport* report)
{
    const double still = 1e-3 * w->tolerance;
    double res = resOf(x);
    if (wanted > w->tolerance && isDone(x, wanted, &res, w, report)) return res;
    const bool far = !(res <= 1e3 * w->tolerance), many = far || wanted > w->tolerance;
    const int most = many ? 4 * x->s->count : few;
    if (res > still) findInverses(x);
    for (int k = 1; k <= most && res > (k == 1 ? still : wanted); ++k) {
        sweep(x);
        report->iterations++;
        plBudget_Spend(&w->budget, contactCost * x->s->count);
        const bool over = plBudget_IsOver(&w->budget);
        if (many && k > 1 && k % lookEvery != 0 && k < most && !over) continue;
        const double next = resOf(x);
        if (over) return next;
        if (far && k > 1 && next > 0.5 * res) return next;
        res = next;
    }
    return res;
}

// Large groups: sweeps that are extrapolated, until they are right enough or somebody else may try. What
// nobody else would do better ends where RES was least.
static double extrapolate(const Still* x, double wanted, plLawWork* w, plLawReport* report)
{
    const size_t size = (size_t)(3 * x->s->count) * sizeof(double);
    const double still = 1e-3 * w->tolerance;
    const int most = x->s->count <= plNearContacts ? someSweeps : plAnderson_Sweeps(x->s->count, w);
    double res = resOf(x), least = INFINITY;
    if (isDone(x, wanted, &res, w, report)) return res;
    if (res > still) findInverses(x);
    plAnderson_Begin(&w->anderson, 3 * x->s->count);
    for (int k = 1; k <= most && res > (k == 1 ? still : wanted); ++k) {
        memcpy(w->other, x->p, size);
        sweep(x);
        report->iterations++;
        plBudget_Spend(&w->budget, contactCost * x->s->count);
        const bool over = plBudget_IsOver(&w->budget);
        const bool look = k == 1 || k % lookOften == 0 || k == most || over;
        if (look && (res = resOf(x)) <= wanted) return res;
        if (look && res < least) {
            least = res;
            memcpy(w->kept, x->p, size);
        }
        if (over) break;
        plAnderson_Next(&w->anderson, w->other, x->p);
        gather(x);
    }
    if (res <= wanted) return res;
    memcpy(x->p, w->kept, size);
    return resOf(x);
}

// Compliance on the change of p from the last tick: q - c B p of then.
static const double* centre(const plSpace* s, const double* q, const double* from, const double* B,
                            double* centred)
{
    if (!s->centred) return q;
    for (int i = 0; i < 3 * s->count; ++i) {
        centred[i] = q[i] - s->compliance * B[own * (i / 3) + 4 * (i % 3)] * from[i];
    }
    return centred;
}

// By how much compliance opens or closes a gap, at most, which is centred on `from` [m].
static double heldTo(const Still* x, const double* from)
{
    const plSpace* s = x->s;
    double most = 0;
    for (int i = 0; i < 3 * s->count; ++i) {
        const double moved = x->B[own * (i / 3) + 4 * (i % 3)] * fabs(x->p[i] - from[i]);
        most = fmax(most, moved);
    }
    return 0.5 * s->T * s->compliance * most;
}

// Once more with compliance on the change from the impulses that were found, as often as a gap needs it. What is too
// large for others goes on sweeping from there.
static double hold(Still* x, const double* q, double res, double wanted, plLawWork* w,
                   plLawReport* report)
{
    const bool large = x->s->count > w->newtonContacts, alone = x->s->count > plNearContacts;
    double* from = w->best; // free here
    for (int i = 1; i < plHoldRounds && x->s->centred && (res <= wanted || alone); ++i) {
        if (heldTo(x, from) <= plHeldGap || plBudget_IsOver(&w->budget)) break;
        memcpy(from, x->p, (size_t)(3 * x->s->count) * sizeof(double));
        x->q = centre(x->s, q, from, x->B, w->bias);
        res = large ? extrapolate(x, wanted, w, report) : settle(x, wanted, w, report);
    }
    return res;
}

bool plCone_Still(const plSpace* s, const plFactors* f, const double* q,
                  const plContactMemory* before, plContactMemory* after, double* p, double* Wp,
                  plLawWork* w, plLawReport* report)
{
    Still x = {
        .s = s, .f = f, .q = q, .B = w->J, .G = {w->trial, w->step, w->anchor}, .p = p, .Wp = Wp};
    const bool large = s->count > w->newtonContacts;
    const double wanted = wantedOf(s, before, w);
    *report = (plLawReport){0};
    plLaw_Recall(s, before, p);
    memcpy(w->best, p, (size_t)(3 * s->count) * sizeof(double));
    if (!findBlocks(&x)) return false;
    x.q = centre(s, q, w->best, x.B, w->bias);
    report->residual = large ? extrapolate(&x, wanted, w, report) : settle(&x, wanted, w, report);
    report->residual = hold(&x, q, report->residual, wanted, w, report);
    if (!(report->residual <= wanted)) {
        const bool others = s->count <= plNearContacts && !plBudget_IsOver(&w->budget);
        if (others || !isfinite(report->residual)) return false;
        report->flags |= pl_reportNotConverged;
    }
    plLaw_Remember(s, before, after, p);
    plLaw_CountStates(s, p, report);
    return true;
}
