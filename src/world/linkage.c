// A tool that is part of a linkage: what a hand feels of impulses anywhere on it.
//
// Bodies of one mechanism, and mechanisms that rigid links join to it, move as one. An impulse p on a
// row c changes the velocity of the tool's site h by W_hc p, where W = J D^-1 J^T holds what the rigid
// links answer at that instant. The hand gets the wrench that would do the same at the site,
//     W_hh F = W_hc p,
// which is J_h^T F = J_c^T p (iapb eq. 26) where that has a solution, else the nearest to it in the
// metric of D^-1. A free body: J_h is square, and F is the sum of the wrenches.
//
// Where joints block the site, F is not unique. Of all solutions the hand gets the one that moves its
// device least, min F.Md^-1 F: F = N (N W_hh N)^+ N W_hc p with Md = N^2. That is Md times a motion
// that the tool can make, so the device stays with the tool, and joints keep what joints carry. The
// eigenvalues of N W_hh N are masses of the device over those of the tool; below 1e-6 a direction
// counts as blocked. A locked axis of the device (N = 0 here) gets nothing.
//
// Springs and dampers give nothing at an instant, and no weight is in p: the hand feels them by the
// coordination, when the tool has moved.
//   letters  h the six rows of the site, l rows of links, c rows of contacts
#include "world/inside.h"

#include <string.h>

static int toolOf(const plWorldCoupling* c)
{
    return (int)c->coupling.def.tool.mechanism.index1 - 1;
}

plStatus plLinkage_Create(plWorld* w, plWorldCoupling* c)
{
    plLinkage* x = &c->linkage;
    const size_t n = (size_t)plMechanism_Velocities(w->mechanisms[toolOf(c)]);
    const size_t links = (size_t)w->def.capacity.rows, contacts = (size_t)w->def.capacity.contacts;
    x->J = plArena_Alloc(&w->fixed, 6 * n, sizeof(double));
    x->Y = plArena_Alloc(&w->fixed, 6 * n, sizeof(double));
    x->row = plArena_Alloc(&w->fixed, n, sizeof(double));
    x->Wl = plArena_Alloc(&w->fixed, 6 * links, sizeof(double));
    x->l = plArena_Alloc(&w->fixed, 6 * links, sizeof(double));
    x->W = plArena_Alloc(&w->fixed, 6 * (size_t)w->system.set.capacity, sizeof(double));
    x->contacts = plArena_Alloc(&w->fixed, 18 * contacts, sizeof(double));
    const plStatus status = plEigen_Create(&x->eigen, 6, &w->fixed);
    return w->fixed.full ? pl_statusCapacity : status;
}

// --- which tools

static bool isRigid(const plLink* link, int row) { return isinf(link->K[row]); }

static bool hangsOnLinks(const plGroup* g, int tool)
{
    for (int i = 0; i < g->linkCount; ++i) {
        const plLink* link = &g->links[g->linkList[i]];
        const bool ends =
            (int)link->a.mechanism.index1 == tool + 1 || (int)link->b.mechanism.index1 == tool + 1;
        bool rigid = false;
        for (int k = 0; k < link->rowCount; ++k) rigid = rigid || isRigid(link, k);
        if (ends && rigid) return true;
    }
    return false;
}

// A free body needs none of this: the sum of the wrenches is exact to the last bit.
static bool holdsLinkage(const plWorld* w, const plGroup* g, const plWorldCoupling* c)
{
    const plMechanism* tool = w->mechanisms[toolOf(c)];
    const bool whole =
        plMechanism_Parts(tool) == 1 && plMechanism_Velocities(tool) >= (w->def.planar ? 3 : 6);
    if (!c->coupling.ops->traits.strikes || !plMechanism_Traits(tool)->yields) {
        return false;
    }
    return !whole || hangsOnLinks(g, toolOf(c));
}

// --- the response of the site

// W_lh, and l = -N^-1 W_lh: what links answer to the hand. Soft rows stay silent, as in a strike.
static void answerLinks(const plWorld* w, const plGroup* g, plLinkage* x, int place, int n)
{
    const plSystem* s = &w->system;
    const plMechanism* tool = g->mechanisms[g->mechanismList[place]];
    const int first = s->contactRows, links = s->set.count - first;
    memset(x->Wl, 0, (size_t)(6 * links) * sizeof(double));
    for (int i = s->set.shareFirst[place]; i < s->set.shareFirst[place + 1]; ++i) {
        const int row = s->set.shareRow[i] - first;
        if (row < 0) continue;
        plMechanism_RowAtStart(tool, &s->set.shareRows[i], x->row);
        for (int k = 0; k < 6; ++k) x->Wl[k * links + row] = plDotN(x->row, &x->Y[k * n], n);
    }
    int row = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        const plLink* link = &g->links[g->linkList[i]];
        for (int r = 0; r < link->rowCount; ++r, ++row) {
            for (int k = 0; k < 6; ++k) {
                x->l[k * links + row] = isRigid(link, r) ? -x->Wl[k * links + row] : 0;
            }
        }
    }
    plLu_SolveMany(s->N, links, s->pivot, x->l, 6);
}

// W_hh = J_h D^-1 J_h^T + W_hl l, symmetric but for round-off.
static void respondSite(plLinkage* x, int n, int links)
{
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k <= i; ++k) {
            const double upper = plDotN(&x->Wl[i * links], &x->l[k * links], links);
            const double lower = plDotN(&x->Wl[k * links], &x->l[i * links], links);
            x->A[6 * i + k] = x->A[6 * k + i] =
                plDotN(&x->J[i * n], &x->Y[k * n], n) + 0.5 * (upper + lower);
        }
    }
}

// Square roots of the device's masses; 0 where it is locked.
static void rootsOf(const plSimulated* d, double N[6])
{
    plSimulated_Masses(d, N);
    for (int i = 0; i < 6; ++i) N[i] = isfinite(N[i]) ? sqrt(N[i]) : 0;
}

static void invert(plLinkage* x, const plSimulated* device)
{
    const double blocked = 1e-6, roundOff = 1e-12;
    double N[6], B[36], lambda[6], U[36];
    rootsOf(device, N);
    memset(x->inverse, 0, sizeof x->inverse);
    for (int i = 0; i < 36; ++i) B[i] = N[i / 6] * x->A[i] * N[i % 6];
    if (!plEigen_Solve(&x->eigen, B, 6, lambda, U)) return; // nothing is felt
    for (int k = 0; k < 6; ++k) {
        if (!(lambda[k] > fmax(blocked, roundOff * lambda[5]))) continue;
        for (int i = 0; i < 36; ++i) {
            x->inverse[i] += N[i / 6] * U[i / 6 * 6 + k] * U[i % 6 * 6 + k] * N[i % 6] / lambda[k];
        }
    }
}

// --- the response of contacts

// W_ch of every row: what the tool's mechanism shows of it, and what comes through links.
static void respondRows(const plSystem* s, const plGroup* g, plLinkage* x, int place, int links)
{
    const plMechanism* tool = g->mechanisms[g->mechanismList[place]];
    const int first = s->contactRows, n = plMechanism_Velocities(tool);
    memset(x->W, 0, (size_t)(6 * first) * sizeof(double));
    for (int i = s->set.shareFirst[place]; i < s->set.shareFirst[place + 1]; ++i) {
        const int row = s->set.shareRow[i];
        if (row >= first) continue;
        plMechanism_RowAtStart(tool, &s->set.shareRows[i], x->row);
        for (int k = 0; k < 6; ++k) x->W[6 * row + k] = plDotN(x->row, &x->Y[k * n], n);
    }
    for (int row = 0; row < first && links > 0; ++row) {
        const double* Wl = &s->W[row * s->set.count + first];
        for (int k = 0; k < 6; ++k) x->W[6 * row + k] += plDotN(Wl, &x->l[k * links], links);
    }
}

// The same by contacts and their axes. Of a split contact both halves are there, and a half may be
// turned round.
static void gatherContacts(const plSystem* s, const plGroup* g, plLinkage* x)
{
    memset(x->contacts, 0, (size_t)(18 * g->contactCount) * sizeof(double));
    for (int row = 0; row < s->contactRows; ++row) {
        const int contact = s->source[row / s->size.dim], axis = row % s->size.dim;
        const plContact* c = &g->contacts[g->contactList[contact]];
        const plVec3 along = axis == 0 ? c->n : c->t[axis - 1];
        const double sign = plDot(s->set.rows[row].lin, along) < 0 ? -1 : 1;
        double* W = &x->contacts[6 * (3 * contact + axis)];
        for (int k = 0; k < 6; ++k) W[k] += sign * x->W[6 * row + k];
    }
}

static void meet(const plWorld* w, const plGroup* g, plWorldCoupling* c)
{
    const plSystem* s = &w->system;
    plLinkage* x = &c->linkage;
    const plMechanism* tool = w->mechanisms[toolOf(c)];
    const int n = plMechanism_Velocities(tool), place = s->set.slot[toolOf(c)];
    const int links = s->regular ? s->set.count - s->contactRows : 0;
    plRow rows[6];
    plDevices_SiteRows(c, rows);
    plMechanism_Response(tool, pl_responseMass, rows, 6, x->J, x->Y);
    if (links > 0) answerLinks(w, g, x, place, n);
    respondSite(x, n, links);
    invert(x, &w->devices[c->device].simulated);
    respondRows(s, g, x, place, links);
    gatherContacts(s, g, x);
}

void plLinkages_Meet(plWorld* w, const plGroup* g, double T)
{
    const bool instant = w->law->response == pl_responseMass;
    plSpace* space;
    bool any = false;
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        if (!plDevices_InGroup(g, c)) continue;
        c->linkage.holds = holdsLinkage(w, g, c);
        any = any || c->linkage.holds;
    }
    // links answer as at an instant, whatever the law; the system of the step is then built again
    const bool rebuild = any && g->linkCount > 0 && !instant;
    if (rebuild) plSystem_Build(&w->system, g, pl_responseMass, T, &space);
    for (int i = 0; i < w->couplingCount && any; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        if (plDevices_InGroup(g, c) && c->linkage.holds) meet(w, g, c);
    }
    if (rebuild) plSystem_Build(&w->system, g, pl_responseStep, T, &space);
}

// --- what is felt

static plWrench wrenchOf(const plLinkage* x, const double* u)
{
    double F[6];
    plMatVec(x->inverse, 6, 6, 6, u, F);
    return (plWrench){plGet3(F), plGet3(F + 3)};
}

static void addRow(double* u, double p, const double* W)
{
    for (int k = 0; k < 6; ++k) u[k] += p * W[k];
}

plWrench plLinkage_Felt(const plWorld* w, const plWorldCoupling* c, const double* impulses)
{
    double u[6] = {0};
    for (int i = 0; i < w->system.contactRows; ++i) addRow(u, impulses[i], &c->linkage.W[6 * i]);
    return wrenchOf(&c->linkage, u);
}

plWrench plLinkage_FeltOf(const plWorldCoupling* c, int contact, const double* p)
{
    double u[6] = {0};
    for (int k = 0; k < 3; ++k) addRow(u, p[k], &c->linkage.contacts[6 * (3 * contact + k)]);
    return wrenchOf(&c->linkage, u);
}

// --- payments

// The share of a wrench that does no positive work: F.V + F.A F/2 <= 0.
static double passiveShare(const plWorld* w, const plWorldCoupling* c, const double* F)
{
    plRow rows[6];
    double given = 0;
    plDevices_SiteRows(c, rows);
    for (int k = 0; k < 6; ++k) {
        const plMechanism* tool = w->mechanisms[toolOf(c)];
        given += F[k] * plMechanism_RowVelocity(tool, pl_atInstant, &rows[k]);
    }
    const double quadratic = 0.5 * plQuadN(F, c->linkage.A, F, 6);
    if (given + quadratic <= 0) return 1;
    return given < 0 ? -given / quadratic : 0;
}

double plLinkage_Strike(plWorld* w, const plGroup* g, const plWorldCoupling* c, double F[6])
{
    plSystem* s = &w->system;
    const int first = s->contactRows, links = s->set.count - first;
    const double share = passiveShare(w, c, F);
    plRow rows[6];
    plDevices_SiteRows(c, rows);
    for (int k = 0; k < 6; ++k) F[k] *= share;
    double work = plMechanism_Strike(w->mechanisms[toolOf(c)], rows, 6, F);
    if (links == 0 || !s->regular) return work;
    memset(s->p, 0, (size_t)s->set.count * sizeof(double));
    for (int i = 0; i < links; ++i) {
        for (int k = 0; k < 6; ++k) s->p[first + i] += F[k] * c->linkage.l[k * links + i];
    }
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int at = s->set.shareFirst[i], count = s->set.shareFirst[i + 1] - at;
        work += plMechanism_Strike(g->mechanisms[g->mechanismList[i]], &s->set.shareRows[at], count,
                                   plRowSet_Gather(&s->set, i, s->p));
    }
    return work;
}
