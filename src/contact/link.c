#include "contact/contact.h"

#include <string.h>

static plMechanism* owner(plSite site, plMechanism* const* mechanisms)
{
    return site.mechanism.index1 == 0 ? NULL : mechanisms[site.mechanism.index1 - 1];
}

// The ground's frame is the world's.
static plFrame frameOf(plSite site, plMechanism* const* mechanisms, plWhen when)
{
    const plMechanism* m = owner(site, mechanisms);
    return m ? plMechanism_Frame(m, when, site) : (plFrame){site.point, plIdentity3()};
}

// Which ways are free: what does not go together.
static const char* freedomComplaint(const plLinkDef* d)
{
    const double hinge = plNorm(d->hinge), cross = plNorm(d->cross);
    if (!isfinite(hinge + cross)) return "the hinge and cross of a link must be finite";
    if (!(d->distance >= 0) || !isfinite(d->distance))
        return "distance must be finite and >= 0 [m]";
    if (d->distance > 0 && (d->turns || plNorm(d->slide) > 0)) {
        return "a link that holds a distance neither slides nor turns";
    }
    if (hinge > 0 && !d->turns) return "a hinge is for a link that turns";
    if (cross > 0 && !(hinge > 0)) return "a cross needs a hinge";
    if (fabs(plDot(d->hinge, d->cross)) > 1e-9 * hinge * cross) {
        return "the cross of a link must be perpendicular to its hinge";
    }
    return NULL;
}

static const char* complaint(const plLinkDef* d)
{
    const bool rigid = isinf(d->stiffness), turnRigid = isinf(d->turnStiffness);
    if (d->a.mechanism.index1 == d->b.mechanism.index1) {
        return "a link joins two different mechanisms, or one and the ground";
    }
    if (!(d->stiffness >= 0) || !(d->damping >= 0) || !isfinite(d->damping) ||
        !(d->turnStiffness >= 0) || !(d->turnDamping >= 0) || !isfinite(d->turnDamping)) {
        return "stiffness and damping of a link must not be negative";
    }
    if (!isfinite(d->rest.w + d->rest.x + d->rest.y + d->rest.z)) return "rest must be finite";
    if (!isfinite(plDot(d->slide, d->slide))) return "slide must be finite";
    if (!rigid && d->stiffness + d->damping == 0) return "a link needs stiffness or damping";
    if (d->turns && !turnRigid && d->turnStiffness + d->turnDamping == 0) {
        return "a link that turns needs turnStiffness or turnDamping";
    }
    return freedomComplaint(d);
}

plLinkDef plDefaultLinkDef(void) { return (plLinkDef){.stiffness = 1000, .rest = {1, 0, 0, 0}}; }

// A rigid link is closed by shifting its mechanisms: by round-off, not by a leap.
static bool tornApart(const plLink* link)
{
    for (int i = 0; i < link->rowCount; ++i) {
        if (isinf(link->K[i]) && fabs(link->d[i]) > 1e-6) return true;
    }
    return false;
}

// Two directions of b's part that hold the point of a to a line along `slide`.
static void holdAcross(plLink* link, plVec3 slide)
{
    link->pointRows = 2;
    plTangents(plScale(1 / plNorm(slide), slide), &link->across[0], &link->across[1]);
}

// Pairs of axes that hold a's part to turn about the hinge alone, or about hinge and cross.
static void holdAbout(plLink* link, const plLinkDef* d)
{
    const plVec3 hinge = plScale(1 / plNorm(d->hinge), d->hinge);
    const plMat3 rest = plRotation(link->rest);
    const bool two = plNorm(d->cross) > 0;
    link->turnRows = two ? 1 : 2;
    if (two) {
        link->pairB[0] = hinge;
        link->pairA[0] = plMulT(&rest, plScale(1 / plNorm(d->cross), d->cross));
        return;
    }
    plTangents(hinge, &link->pairB[0], &link->pairB[1]);
    link->pairA[0] = link->pairA[1] = plMulT(&rest, hinge);
}

// A hinge that is the wrong way round has its rows closed, too.
bool plLink_TurnedRound(const plLink* link, plMechanism* const* mechanisms, plWhen when)
{
    if (link->turnRows != 2) return false;
    const plMat3 Ra = frameOf(link->a, mechanisms, when).R;
    const plMat3 Rb = frameOf(link->b, mechanisms, when).R;
    const plVec3 hinge = plCross(link->pairB[0], link->pairB[1]);
    return plDot(plMul(&Ra, link->pairA[0]), plMul(&Rb, hinge)) < 0;
}

plStatus plLink_Create(const plLinkDef* d, plMechanism* const* mechanisms, plArena* state,
                       plLink* link, const char** why)
{
    *why = complaint(d);
    if (*why) return pl_statusBadArgument;
    *link = (plLink){.a = d->a,
                     .b = d->b,
                     .form = d->form,
                     .pointRows = 3,
                     .turns = d->turns,
                     .turnRows = d->turns ? 3 : 0,
                     .distance = d->distance,
                     .rest = plQuatUnit(d->rest)};
    memcpy(link->name, d->name, strlen(d->name) + 1);
    if (plNorm(d->slide) > 0) holdAcross(link, d->slide);
    if (d->distance > 0) link->pointRows = 1;
    if (plNorm(d->hinge) > 0) holdAbout(link, d);
    link->rowCount = link->pointRows + link->turnRows;
    for (int i = 0; i < link->rowCount; ++i) {
        link->K[i] = i < link->pointRows ? d->stiffness : d->turnStiffness;
        link->B[i] = i < link->pointRows ? d->damping : d->turnDamping;
    }
    link->d = plArena_Alloc(state, 6, sizeof(double));
    link->impulse = plArena_Alloc(state, 6, sizeof(double));
    if (!link->d || !link->impulse) return pl_statusCapacity;
    plLink_Geometry(link, mechanisms, pl_atStart, link->d);
    if (tornApart(link) || plLink_TurnedRound(link, mechanisms, pl_atStart)) {
        *why = "the ends of a rigid link are apart: place them together";
        return pl_statusBadArgument;
    }
    return pl_statusOk;
}

static plVec3 unitOf(plVec3 e)
{
    const double n = plNorm(e);
    return n > 0 ? plScale(1 / n, e) : e;
}

void plLink_Geometry(const plLink* link, plMechanism* const* mechanisms, plWhen when, double* d)
{
    const plFrame a = frameOf(link->a, mechanisms, when), b = frameOf(link->b, mechanisms, when);
    const plVec3 way = plSub(a.x, b.x);
    if (link->pointRows == 3) {
        plPut3(way, d);
    } else if (link->pointRows == 2) {
        for (int i = 0; i < 2; ++i) d[i] = plDot(plMul(&b.R, link->across[i]), way);
    } else {
        d[0] = plNorm(way) - link->distance;
    }
    if (link->turnRows < 3) {
        for (int i = 0; i < link->turnRows; ++i) {
            d[link->pointRows + i] =
                plDot(plMul(&b.R, link->pairB[i]), plMul(&a.R, link->pairA[i]));
        }
        return;
    }
    const plMat3 rest = plRotation(link->rest), turn = plTransMul(&b.R, &a.R);
    const plMat3 off = plMatMulT(&turn, &rest);
    const plVec3 e = plLog(&off), other = plAddScaled(e, -2 * PL_PI, unitOf(e));
    const plVec3 before = plGet3(link->d + link->pointRows);
    const bool on = plNorm(plSub(other, before)) < plNorm(plSub(e, before));
    plPut3(on ? other : e, d + link->pointRows);
}

void plLink_Wind(const plLink* link, double* d)
{
    if (link->turnRows < 3) return;
    const plVec3 e = plGet3(d + link->pointRows);
    if (plNorm(e) > PL_PI) plPut3(plAddScaled(e, -2 * PL_PI, unitOf(e)), d + link->pointRows);
}

static plWhen otherEnd(plLinearise at)
{
    return at == pl_lineariseTrial        ? pl_atEnd
           : at == pl_linearisePrediction ? pl_atFree
                                          : pl_atStart;
}

// Halfway rotation from A to B.
static plMat3 halfway(const plMat3* A, const plMat3* B)
{
    const plMat3 turn = plTransMul(A, B);
    const plMat3 half = plRotation(plExp(plScale(0.5, plLog(&turn))));
    return plMatMul(A, &half);
}

// d = log(E), E = R_b^T R_a R_rest^T: d' = (I - S(d)/2 + kappa S(d)^2) R_b^T (w_a - w_b).
static void turnRows(plLink* link, plMechanism* const* mechanisms, plLinearise at, plRow* rows)
{
    const int at3 = link->pointRows;
    const plMat3 first = frameOf(link->b, mechanisms, pl_atStart).R;
    const plMat3 last = frameOf(link->b, mechanisms, otherEnd(at)).R;
    const plMat3 Rb = halfway(&first, &last);
    plVec3 d = plGet3(link->d + at3);
    if (at == pl_lineariseTrial) d = plScale(0.5, plAdd(d, plGet3(link->dLast + at3)));
    const plMat3 I = plIdentity3(), S = plSkew(d), SS = plMatMul(&S, &S);
    const plMat3 half = plMatAdd(&I, -0.5, &S);
    const plMat3 D = plMatAdd(&half, plLogRatio(plNorm(d)), &SS);
    rows[0].ang = plMul(&Rb, D.x);
    rows[1].ang = plMul(&Rb, D.y);
    rows[2].ang = plMul(&Rb, D.z);
}

// d = n.r with n = R_b across, r = x_a - x_b: d1 - d0 = n^.(r1 - r0) + (n1 - n0).r^ with the means n^
// and r^, which is the way of a against the point of b that lies under it.
static void slideRows(const plLink* link, plMechanism* const* mechanisms, plLinearise at,
                      plRow* rows)
{
    const plFrame a0 = frameOf(link->a, mechanisms, pl_atStart);
    const plFrame b0 = frameOf(link->b, mechanisms, pl_atStart);
    const plFrame a1 = frameOf(link->a, mechanisms, otherEnd(at));
    const plFrame b1 = frameOf(link->b, mechanisms, otherEnd(at));
    const plVec3 under0 = plMulT(&b0.R, plSub(a0.x, b0.x));
    const plVec3 under1 = plMulT(&b1.R, plSub(a1.x, b1.x));
    const plVec3 under = plScale(0.5, plAdd(under0, under1));
    for (int i = 0; i < 2; ++i) {
        const plVec3 n0 = plMul(&b0.R, link->across[i]), n1 = plMul(&b1.R, link->across[i]);
        rows[i].lin = plScale(0.5, plAdd(n0, n1));
        rows[i].b.point = plAdd(link->b.point, under);
    }
}

// d = |r| - distance: |r1| - |r0| = n.(r1 - r0) with n = (r0 + r1)/(|r0| + |r1|), exactly. Points that
// meet have no direction: then any.
static void distanceRow(const plLink* link, plMechanism* const* mechanisms, plLinearise at,
                        plRow* row)
{
    const plWhen end = otherEnd(at);
    const plVec3 r0 = plSub(frameOf(link->a, mechanisms, pl_atStart).x,
                            frameOf(link->b, mechanisms, pl_atStart).x);
    const plVec3 r1 =
        plSub(frameOf(link->a, mechanisms, end).x, frameOf(link->b, mechanisms, end).x);
    const double size = plNorm(r0) + plNorm(r1);
    row->lin = size > 0 ? plScale(1 / size, plAdd(r0, r1)) : plVec(1, 0, 0);
}

// tan(x/2)/(x/2) of a turn: by so much an axis that turns moves further than its mean says.
static double ratioOf(const plMat3* R0, const plMat3* R1)
{
    const plMat3 turn = plTransMul(R0, R1);
    return plTanRatio(fmin(plNorm(plLog(&turn)), 2));
}

// d = u.w, u of b and w of a: d1 - d0 = u^.(w1 - w0) + w^.(u1 - u0) with the means u^ and w^, and
// w1 - w0 = T kappa_a w_a x w^, the same of u. One row has one kappa, the mean of both: right to the
// third order of the step, and exactly where both turn alike.
static void hingeRows(const plLink* link, plMechanism* const* mechanisms, plLinearise at,
                      plRow* rows)
{
    const plWhen end = otherEnd(at);
    const plMat3 a0 = frameOf(link->a, mechanisms, pl_atStart).R;
    const plMat3 b0 = frameOf(link->b, mechanisms, pl_atStart).R;
    const plMat3 a1 = frameOf(link->a, mechanisms, end).R;
    const plMat3 b1 = frameOf(link->b, mechanisms, end).R;
    const plMat3 A = plMean(&a0, &a1), B = plMean(&b0, &b1);
    const double kappa = 0.5 * (ratioOf(&a0, &a1) + ratioOf(&b0, &b1));
    for (int i = 0; i < link->turnRows; ++i) {
        const plVec3 w = plMul(&A, link->pairA[i]), u = plMul(&B, link->pairB[i]);
        rows[i].ang = plScale(kappa, plCross(w, u));
    }
}

// The turn of a against b from the start to the last trial, as rows of spins see it [rad].
static plVec3 turned(const plLink* link, plMechanism* const* mechanisms)
{
    plVec3 sum = {0, 0, 0};
    double* out = &sum.x;
    for (int k = 0; k < 3; ++k) {
        const plRow row = {.a = link->a, .b = link->b, .ang = plVec(k == 0, k == 1, k == 2)};
        const plMechanism *a = owner(link->a, mechanisms), *b = owner(link->b, mechanisms);
        if (a) out[k] += plMechanism_RowMove(a, &row);
        if (b) out[k] += plMechanism_RowMove(b, &row);
    }
    return sum;
}

// Rows on turns are right to the third order of the step. What they miss of the change of the stretch is
// added along the turn itself, which makes them discrete gradients (Gonzalez 1996): the work of the link is
// then the change of what it stores.
static void closeTurns(const plLink* link, plMechanism* const* mechanisms, plRow* rows)
{
    double before[6], later[6];
    const plVec3 turn = turned(link, mechanisms);
    const double square = plDot(turn, turn);
    if (!(square > 1e-10)) return; // below, the third order is less than round-off
    plLink_Geometry(link, mechanisms, pl_atStart, before);
    plLink_Geometry(link, mechanisms, pl_atLast, later);
    for (int i = 0; i < link->turnRows; ++i) {
        const int k = link->pointRows + i;
        const double missed = later[k] - before[k] - plDot(rows[i].ang, turn);
        if (fabs(missed) > 0.1 * sqrt(square)) continue; // the logarithm has jumped
        rows[i].ang = plAddScaled(rows[i].ang, missed / square, turn);
    }
}

void plLink_Rows(plLink* link, plMechanism* const* mechanisms, plLinearise at, plRow* rows)
{
    for (int i = 0; i < link->rowCount; ++i) rows[i] = (plRow){.a = link->a, .b = link->b};
    if (link->pointRows == 3) {
        rows[0].lin = plVec(1, 0, 0);
        rows[1].lin = plVec(0, 1, 0);
        rows[2].lin = plVec(0, 0, 1);
    } else if (link->pointRows == 2) {
        slideRows(link, mechanisms, at, rows);
    } else {
        distanceRow(link, mechanisms, at, rows);
    }
    if (link->turnRows == 3) {
        turnRows(link, mechanisms, at, rows + link->pointRows);
    } else {
        hingeRows(link, mechanisms, at, rows + link->pointRows);
    }
    if (at == pl_lineariseTrial && link->turnRows > 0) {
        closeTurns(link, mechanisms, rows + link->pointRows);
    }
    for (int i = 0; i < link->rowCount; ++i) {
        link->axes[i] = i < link->pointRows ? rows[i].lin : rows[i].ang;
    }
}

// d log at its end: see turnRows.
static void endTurns(const plLink* link, const plMat3* Rb, plVec3 d, plRow* rows)
{
    const plMat3 I = plIdentity3(), S = plSkew(d), SS = plMatMul(&S, &S);
    const plMat3 half = plMatAdd(&I, -0.5, &S);
    const plMat3 D = plMatAdd(&half, plLogRatio(plNorm(d)), &SS);
    (void)link;
    rows[0].ang = plMul(Rb, D.x);
    rows[1].ang = plMul(Rb, D.y);
    rows[2].ang = plMul(Rb, D.z);
}

static void endHinges(const plLink* link, const plMat3* Ra, const plMat3* Rb, plRow* rows)
{
    for (int i = 0; i < link->turnRows; ++i) {
        rows[i].ang = plCross(plMul(Ra, link->pairA[i]), plMul(Rb, link->pairB[i]));
    }
}

void plLink_EndRows(const plLink* link, plMechanism* const* mechanisms, plRow* rows)
{
    const plFrame a = frameOf(link->a, mechanisms, pl_atLast);
    const plFrame b = frameOf(link->b, mechanisms, pl_atLast);
    const plVec3 r = plSub(a.x, b.x);
    for (int i = 0; i < link->rowCount; ++i) rows[i] = (plRow){.a = link->a, .b = link->b};
    if (link->pointRows == 3) {
        rows[0].lin = plVec(1, 0, 0);
        rows[1].lin = plVec(0, 1, 0);
        rows[2].lin = plVec(0, 0, 1);
    } else if (link->pointRows == 2) {
        for (int i = 0; i < 2; ++i) {
            rows[i].lin = plMul(&b.R, link->across[i]);
            rows[i].b.point = plAdd(link->b.point, plMulT(&b.R, r));
        }
    } else {
        const double size = plNorm(r);
        rows[0].lin = size > 0 ? plScale(1 / size, r) : plVec(1, 0, 0);
    }
    if (link->turnRows == 3) {
        endTurns(link, &b.R, plGet3(link->dLast + link->pointRows), rows + link->pointRows);
    } else {
        endHinges(link, &a.R, &b.R, rows + link->pointRows);
    }
}

double plLink_Yield(const plLink* link, int i, const double* diagonal, int ld)
{
    const bool turn = i >= link->pointRows;
    const int first = turn ? link->pointRows : 0, end = turn ? link->rowCount : link->pointRows;
    double most = 0;
    for (int k = first; k < end; ++k) most = fmax(most, diagonal[k * ld]);
    return most > 0 ? fmax(diagonal[i * ld], 1e-4 * most) : 1;
}

// The rest of c in the law of a spring is R (p + (T K) d) with one and the same T K as in Target: then the
// rounding of R, T and K is common to p and d, and averages out over an oscillation.
void plLink_Equation(plLink* link, double T, double softness, const double* diagonal, int ld)
{
    const bool passive = link->form == pl_linkPassive;
    for (int i = 0; i < link->rowCount; ++i) {
        const double K = link->K[i], B = link->B[i], u = link->uLast[i], m = link->moveLast[i];
        if (isinf(K)) {
            link->R[i] = softness * plLink_Yield(link, i, diagonal, ld);
            link->c[i] = u - 2 * (link->dLast[i] - link->goal[i]) / T + link->R[i] * link->pLast[i];
            continue;
        }
        const double G = T * T * K * (passive ? 0.5 : 1) + T * B;
        link->R[i] = (passive ? 2 : 1) / G;
        const double rest = link->R[i] * (T * K * link->d[i]);
        link->c[i] = (passive ? u - 2 * m / T : 0) - rest;
        link->law[i] = (passive ? -link->uStart[i] : 0) - rest;
    }
}

bool plLink_Exact(const plLink* link, plMechanism* const* mechanisms)
{
    const plSite sites[2] = {link->a, link->b};
    for (int i = 0; i < 2; ++i) {
        const plMechanism* m = owner(sites[i], mechanisms);
        if (!m) continue;
        const plIntegrator integrator = plMechanism_Integrator(m);
        const bool midpoint = integrator == pl_integratorMidpoint;
        const bool byEnd = !midpoint && integrator != pl_integratorImplicitMidpoint &&
                           integrator != pl_integratorExplicit; // positions go by V1
        if (link->form == pl_linkPassive ? !midpoint : !byEnd) {
            return false;
        }
    }
    return true;
}

// Exact forms: with d^ = d + T u^/2 and p = -T K d^ - T B u^ follows d1 = 2 d^ - d from p alone,
// which keeps all digits when the spring is hard.
void plLink_Target(plLink* link, double T, bool exact)
{
    for (int i = 0; i < link->rowCount; ++i) {
        const double K = link->K[i], B = link->B[i], d = link->d[i], p = link->p[i];
        if (isinf(K)) {
            link->target[i] = link->goal[i];
        } else if (!exact) {
            link->target[i] = d + link->move[i];
        } else if (link->form == pl_linkPassive) {
            link->target[i] = 2 * (2 * B * d - p) / (T * K + 2 * B) - d;
        } else {
            link->target[i] = (B * d - p) / (T * K + B);
        }
    }
}

void plLink_Aim(plLink* link, bool holds)
{
    const double most = 1e-6; // [m or rad]
    for (int i = 0; i < link->rowCount; ++i) {
        const bool held = holds && isinf(link->K[i]) && fabs(link->d[i]) <= most;
        link->goal[i] = held ? link->d[i] : 0;
    }
}

void plLink_Begin(plLink* link, double rate)
{
    link->force = plScale(rate, plGet3(link->impulse));
    memset(link->impulse, 0, 6 * sizeof(double));
}

void plLink_Commit(plLink* link, double T)
{
    link->force = plVec(0, 0, 0);
    for (int i = 0; i < link->pointRows; ++i) {
        link->force = plAddScaled(link->force, link->p[i] / T, link->axes[i]);
    }
    memcpy(link->d, link->target, (size_t)link->rowCount * sizeof(double));
    plLink_Push(link, link->p);
}

void plLink_Push(plLink* link, const double* p)
{
    for (int i = 0; i < link->rowCount; ++i) {
        double* sum = link->impulse + (i < link->pointRows ? 0 : 3);
        plPut3(plAddScaled(plGet3(sum), p[i], link->axes[i]), sum);
    }
}

int plLink_Forces(const plLink* link) { return link->turns ? 6 : 3; }

double plLink_Stored(const plLink* link, const double* d)
{
    double energy = 0;
    for (int i = 0; i < link->rowCount; ++i) {
        if (!isinf(link->K[i])) energy += 0.5 * link->K[i] * d[i] * d[i];
    }
    return energy;
}

// What the law of a spring gives beyond its store and its damper, from the law itself and not from
// the impulse that acted: force -(K s + B w) on the mean velocity m, store K (d + move/2) move,
// damper T B m^2. Zero by algebra when the ends move as the form assumes.
static double rowGain(const plLink* link, int i, double T)
{
    const double d = link->d[i], mean = link->mean[i];
    const bool passive = link->form == pl_linkPassive;
    const double w = link->byWay[i] ? link->move[i] / T : passive ? mean : link->u[i];
    const double s = d + T * (passive ? 0.5 : 1) * w;
    const double way = link->target[i] - d;
    return link->K[i] * (d + 0.5 * way) * way - T * (link->K[i] * s + link->B[i] * w) * mean +
           T * link->B[i] * mean * mean;
}

// Of a spring whose stretch and rows moved alike, or almost so: what it stores and loses beyond the work of its
// rows. Round-off of either sign is none of the guard's business.
static double missedWork(const plLink* link, int i, double lost)
{
    const double way = link->target[i] - link->d[i], work = link->p[i] * link->mean[i];
    const double stored = link->K[i] * (link->d[i] + 0.5 * way) * way, sum = stored + work + lost;
    return fabs(sum) > 1e-13 * (fabs(stored) + fabs(work) + lost) ? sum : 0;
}

void plLink_Audit(const plLink* link, double T, bool exact, const double* final, plEnergy* e)
{
    *e = (plEnergy){.potential0 = plLink_Stored(link, link->d),
                    .elastic0 = plLink_Stored(link, link->d),
                    .potential1 = plLink_Stored(link, final)};
    e->leak = e->potential1 - plLink_Stored(link, link->target);
    for (int i = 0; i < link->rowCount; ++i) {
        const double mean = link->mean[i];
        e->rows -= link->p[i] * mean;
        if (isinf(link->K[i])) { // a rigid row that has not moved does no work
            e->leak += link->p[i] * mean;
            continue;
        }
        const double lost = T * link->B[i] * mean * mean;
        e->dissipated += lost;
        if (exact && link->form == pl_linkPassive) {
            e->leak += missedWork(link, i, lost);
        } else {
            e->integrator += rowGain(link, i, T);
        }
    }
}
