// Impacts: the velocities at the end of a step, after its positions.
//
// The law of the step holds gaps, by the mean velocity: it is elastic on the average. A body that lands leaves
// with |u-| - 2 gap/T, and a contact that begins to stick turns its slip round. So where end velocities are not
// those of an impact, impulses at the instant of the end make them so, in the metric of the mass there:
//     V1 = V1x + s M^-1 (H^T dp + J^T dl),    J V1 = 0 on rigid links,
//     0 <= p_n + dp_n  _|_  u1_n - e u- >= 0,    p_t + dp_t in the disc of mu (p_n + dp_n), opposed to u1_t.
// The cones hold the whole impulse of the step, so that a landing impulse that was too large is partly taken
// back. s <= 1 is the largest share that creates no more than the contacts of the step have lost.
#include "world/inside.h"

#include <string.h>

static inline plContact* contactOf(const plGroup* g, int i)
{
    return &g->contacts[g->contactList[i]];
}

// A contact that stays open has no part in it [m].
static const double near = 1e-7;
// End velocities that agree to this are left alone [m/s].
static const double agreed = 1e-10;

// --- what the end velocity of a contact should be

// A contact that closed its gap within the step: it lands.
static bool lands(const plContact* c) { return c->gap > 1e-9; }

// Speed at which the gap closed within the step: u-^2 = u0^2 - 2 a gap. `free` is the end velocity without the
// impulses of all that lands: a = (free - u0)/T.
static double closingSpeed(const plContact* c, double free, double T)
{
    const double u0 = c->uStart[0], gain = free - u0;
    if (!lands(c)) return u0 < 0 ? -u0 : 0;
    if (u0 + 0.5 * gain >= 0 || (u0 >= 0 && gain >= 0)) return 0;
    return sqrt(fmax(0, u0 * u0 - 2 * gain * c->gap / T));
}

// e u-; what only rests does not rebound: below 1 mm/s, and below what gravity makes of a velocity in a tick.
static double rebound(const plContact* c, double free, double T)
{
    const double slow = 1e-3, u = closingSpeed(c, free, T);
    if (c->pair.e <= 0 || u < slow || c->soft) return 0; // what deforms rebounds by itself
    return !lands(c) && u < 1.5 * fabs(c->uFree - c->uStart[0]) ? 0 : c->pair.e * u;
}

static bool sticks(const plContact* c)
{
    const double bound = c->pair.mu * c->p[0] * (1 - 1e-9);
    return c->p[1] * c->p[1] + c->p[2] * c->p[2] < bound * bound;
}

// By how much the end velocity of a contact is not what it should be [m/s].
static double miss(const plContact* c, const double* u, int dim, double wanted)
{
    if (!(c->p[0] > 0)) return fmax(0, wanted - u[0]);
    double most = fabs(u[0] - wanted);
    for (int k = 1; k < dim && sticks(c); ++k) most = fmax(most, fabs(u[k]));
    return most;
}

// --- the contacts that take part

// Those that touch at the end come to the front of the group's list; how many.
static int choose(const plGroup* g)
{
    int* list = g->contactList;
    int count = 0;
    for (int i = 0; i < g->contactCount; ++i) {
        plContact* c = &g->contacts[list[i]];
        plContact_FindStart(c, g->mechanisms); // which is the end of the step
        if (!(c->p[0] > 0) && c->gapStart > near) continue;
        c->comes = true;
        const int other = list[count];
        list[count++] = list[i];
        list[i] = other;
    }
    return count;
}

// --- what the law leaves undone

// Impulses are known to that [N s], by the residual of the law: a share of the norm of all of them. What a law has
// not solved is no noise.
static double impulseError(const plWorld* w, const plGroup* g)
{
    const double solved = fmin(w->groupLaw.residual, w->work.accepted);
    const double share = 30 * fmax(w->work.tolerance, solved);
    double sum = 0;
    for (int i = 0; i < g->contactCount; ++i) {
        const double* p = contactOf(g, i)->p;
        sum += p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    }
    return share * sqrt(sum);
}

// How an impulse moves a mechanism, by order of magnitude [1/kg]: n numbers of velocity share the trace of the mass.
static double mobility(const plMechanism* m)
{
    const double n = plMechanism_Velocities(m), trace = plMechanism_MassTrace(m);
    return trace > 0 ? n * n / trace : 0;
}

double plImpact_Noise(const plWorld* w, const plGroup* g)
{
    double most = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        most = fmax(most, mobility(g->mechanisms[g->mechanismList[i]]));
    }
    return most * impulseError(w, g);
}

static double tolerance(const plWorld* w, const plGroup* g)
{
    return agreed + plImpact_Noise(w, g);
}

static bool isNoise(const plMechanism* m, double kinetic, double p)
{
    return kinetic <= 0.5 * p * p * mobility(m);
}

// Positions hold contacts by the mean velocity of a step: what the law leaves undone comes back with the opposite
// sign in the next step, for ever.
static bool startIsNoise(const plWorld* w, const plGroup* g, double p)
{
    if (!w->system.gaps || plSystem_IsSoft(&w->system, g)) return false;
    bool all = p > 0;
    for (int i = 0; i < g->mechanismCount && all; ++i) {
        const plMechanism* m = g->mechanisms[g->mechanismList[i]];
        all = isNoise(m, plMechanism_Kinetic(m), p);
    }
    return all;
}

bool plImpact_IsNoise(const plWorld* w, const plGroup* g)
{
    return startIsNoise(w, g, impulseError(w, g));
}

bool plImpact_Rests(const plWorld* w, const plGroup* g)
{
    const double p = impulseError(w, g);
    bool all = startIsNoise(w, g, p);
    for (int i = 0; i < g->mechanismCount && all; ++i) {
        plEnergy e;
        plMechanism* m = g->mechanisms[g->mechanismList[i]];
        plMechanism_Audit(m, &e);
        all = isNoise(m, e.kinetic1, p);
    }
    return all;
}

// Links may be led as slowly as that.
bool plImpact_Stays(const plWorld* w, const plGroup* g)
{
    return g->linkCount == 0 && w->system.lift == 0 && plImpact_Rests(w, g);
}

// By the rows of the step, which differ from those at its end in the first order: enough to see that nothing
// is to be done.
static bool agrees(const plWorld* w, const plGroup* g, double T)
{
    const double small = tolerance(w, g);
    bool all = true;
    for (int i = 0; i < g->contactCount && all; ++i) {
        const plContact* c = contactOf(g, i);
        all = miss(c, c->u, w->system.size.dim, rebound(c, c->uFree, T)) <= small;
    }
    return all;
}

// --- solving

// e u- of every contact into c->wanted.
static void findWanted(plWorld* w, const plGroup* g, const plSpace* s, double T)
{
    double *landing = w->impulses, *given = w->taken;
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        const plContact* c = contactOf(g, i / s->dim);
        landing[i] = lands(c) ? c->p[i % s->dim] : 0;
    }
    plSpace_Apply(s, landing, given);
    for (int i = 0; i < s->count; ++i) {
        plContact* c = contactOf(g, i);
        c->wanted = rebound(c, s->uStart[s->dim * i] - given[s->dim * i], T);
    }
}

// q = u - W p - e u- of the whole impulse p + dp, in the form of the law.
static void findBias(plWorld* w, const plGroup* g, const plSpace* s)
{
    const int rows = plSpace_Rows(s), stride = w->law->biasCount(s) / s->count;
    double* q = w->taken;
    for (int i = 0; i < rows; ++i) w->impulses[i] = contactOf(g, i / s->dim)->p[i % s->dim];
    plSpace_Apply(s, w->impulses, q);
    for (int i = 0; i < rows; ++i) q[i] = s->uFree[i] - q[i];
    for (int i = 0; i < s->count; ++i) q[s->dim * i] -= contactOf(g, i)->wanted;
    if (stride == s->dim) {
        memcpy(w->bias, q, (size_t)rows * sizeof(double));
        return;
    }
    for (int i = 0; i < s->count; ++i) {
        const double* qi = &q[s->dim * i];
        w->bias[i * stride] = qi[0];
        for (int j = 1; j < stride; ++j) {
            double d[2] = {1, 0};
            plPyramid_Direction(stride - 1, j - 1, d);
            w->bias[i * stride + j] = d[0] * qi[1] + (s->dim > 2 ? d[1] * qi[2] : 0);
        }
    }
}

// Compliance acts on what is still to come: the bias takes it back of the impulses that were found. Largest velocity
// that it took [m/s].
static double recentre(plWorld* w, const plSpace* s)
{
    const int stride = w->law->biasCount(s) / s->count;
    const double share = s->compliance / (1 + s->compliance);
    double most = 0;
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        const int contact = i / s->dim, axis = i % s->dim;
        double* last = &w->before[contact].p[axis];
        int ld;
        const double* W = plSpace_Diagonal(s, contact, &ld);
        const double taken = share * W[axis * (ld + 1)] * (w->impulses[i] - *last);
        *last = w->impulses[i];
        most = fmax(most, fabs(taken));
        if (axis == 0 || stride == s->dim) w->bias[contact * stride + axis] -= taken;
    }
    return most;
}

// dp into w->impulses. With compliance, 1e-8 of what lands would be left in the velocities; solved again, 1e-16.
static void solve(plWorld* w, const plGroup* g, plSpace* s)
{
    enum { rounds = 3 };
    plLawReport report;
    s->sides = w->def.contact.sides;
    s->bias = pl_biasPlastic;
    findBias(w, g, s); // compliance acts on dp, since W p has it, too
    for (int i = 0; i < s->count; ++i) {
        w->before[i] = (plContactMemory){.age = contactOf(g, i)->memory.age};
        memcpy(w->before[i].p, contactOf(g, i)->p, sizeof w->before[i].p);
    }
    for (int i = 0; i < rounds; ++i) {
        w->law->solve(s, w->bias, 0, w->before, w->after, w->impulses, &w->work, &report);
        if (recentre(w, s) <= 0.1 * agreed || plBudget_IsOver(&w->work.budget)) break;
    }
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        w->impulses[i] -= contactOf(g, i / s->dim)->p[i % s->dim];
    }
    if (report.flags & pl_reportNotConverged) w->report.trouble |= pl_troubleLaw;
}

// The largest share of all impulses that creates no more than `lost`: s b + s^2 a <= lost.
static double passiveShare(const plWorld* w, const plGroup* g, double lost)
{
    double b = 0, a = 0;
    plSystem_Work(&w->system, g, &b, &a);
    if (b + a <= lost) return 1;
    const double root = sqrt(b * b + 4 * a * lost);
    return a > 0 ? fmin(1, fmax(0, (root - b) / (2 * a))) : 0;
}

static void apply(plWorld* w, const plGroup* g, double share)
{
    const plSystem* s = &w->system;
    const int dim = s->size.dim;
    const double work = plSystem_Kick(&w->system, g, share, w->mechanismSums);
    w->contactEnergy.rows -= work;
    w->contactEnergy.dissipated -= work;
    for (int i = 0; i < s->contacts; ++i) {
        plContact* c = contactOf(g, i);
        for (int k = 0; k < dim; ++k) {
            c->p[k] += share * s->p[dim * i + k];
            c->memory.p[k] = c->p[k];
        }
    }
}

// Where all move by their velocity at the end of the step, the law holds that one already.
static bool reverses(const plWorld* w, const plGroup* g)
{
    bool some = false;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = w->mechanisms[g->mechanismList[i]];
        some = some || (plMechanism_Traits(m)->yields && plMechanism_Theta(m) < 1);
    }
    return some;
}

// By the rows at the end of the step. Where something may rebound, more has to be known.
static bool agreesAtEnd(plWorld* w, const plGroup* g)
{
    plSystem* s = &w->system;
    const double small = tolerance(w, g);
    bool all = true;
    for (int i = 0; i < s->contacts && all; ++i) all = !(contactOf(g, i)->pair.e > 0);
    if (all) plRowSet_Velocities(&s->set, g, pl_atInstant, s->uStart);
    for (int i = 0; i < s->contacts && all; ++i) {
        all = miss(contactOf(g, i), &s->uStart[s->size.dim * i], s->size.dim, 0) <= small;
    }
    return all;
}

void plImpact_Step(plWorld* w, const plGroup* g, double T)
{
    plSystem* s = &w->system;
    plSpace* space;
    const bool soft = plSystem_IsSoft(s, g);
    if (!s->gaps || (soft && !reverses(w, g)) || agrees(w, g, T)) return;
    const plEnergy* contacts = &w->groupContact; // what lifted deep contacts is spent
    const double lost =
        fmax(0, soft ? -plGuard_Rise(w, g) : contacts->dissipated - contacts->drift);
    for (int i = 0; i < g->mechanismCount; ++i) {
        plMechanism_Rewind(w->mechanisms[g->mechanismList[i]]);
    }
    s->chosen = choose(g);
    if (s->chosen == 0) return;
    plSystem_Rows(s, g, pl_lineariseStart);
    if (agreesAtEnd(w, g)) return;
    s->closes = true;
    plSystem_Build(s, g, pl_responseMass, T, &space);
    s->closes = false;
    double most = 0;
    findWanted(w, g, space, T);
    for (int i = 0; i < space->count; ++i) {
        const plContact* c = contactOf(g, i);
        most = fmax(most, miss(c, &space->uStart[space->dim * i], space->dim, c->wanted));
    }
    if (most <= tolerance(w, g)) return;
    plSystem_Soften(space);
    w->groupImpact = true;
    solve(w, g, space);
    plSystem_Recover(s, g, w->impulses);
    apply(w, g, passiveShare(w, g, lost));
}
