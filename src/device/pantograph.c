// Kinematics and statics of the twin pantograph.                                   (iapb spec 6)
//
// The rod of motor i is rigid: |P - E_i| = L2. Its rate, with d = P - E_i and E_i' = dE_i/dq_i, is
//   d.(Pdot - E_i' qdot_i) = 0,   qdot_i = a_i.Pdot,   a_i = d/(d.E_i')
// and the ends move with Pdot = (xdot, ydot) -+ ell/2 thetadot u_perp. So row i of G is
// (a_i, -+ ell/2 a_i.u_perp). d.E_i' is L1 L2 times the sine of the angle at the elbow: it vanishes
// when arm and rod are in line, which is the border of what a pantograph reaches.
#include "device/pantograph.h"

#include <string.h>

// ------------------------------------------------------------------------------- definitions

// Torque limits: what gives 15 N along x or y, or 1 N m, each alone, anywhere in the preset's disc
// (1.39, 1.94 and 3.11 N m). All three at once would need 2.28, 2.78 and 4.42 N m.
static const plPantographDef test = {.L1 = 0.075,
                                     .L2 = 0.1,
                                     .b = 0.05,
                                     .H = 0.12,
                                     .ell = 0.06,
                                     .proximalMass = 0.05,
                                     .distalMass = 0.04,
                                     .motorInertia = 2e-5,
                                     .handleMass = 0.15,
                                     .handleInertia = 1e-4,
                                     .counts = 20000,
                                     .torqueLimit = 1.4};

plPantographDef plDefaultPantographDef(void) { return test; }

plPantographDef plPantographDef_Of(plPantographPreset preset)
{
    plPantographDef def = test;
    if (preset == pl_pantographCompact) {
        def.b = 0.03, def.H = 0.11025, def.ell = 0.04;
        def.torqueLimit = 2;
    }
    if (preset == pl_pantographLarge) {
        // The same rods, cut longer.
        def.L1 = 0.12, def.L2 = 0.16, def.H = 0.2016, def.ell = 0.04;
        def.proximalMass *= def.L1 / test.L1;
        def.distalMass *= def.L2 / test.L2;
        def.torqueLimit = 3.2;
    }
    return def;
}

static bool isPositive(double x) { return x > 0 && isfinite(x); }
static bool isNotNegative(double x) { return x >= 0 && isfinite(x); }

const char* plPantographDef_Complaint(const plPantographDef* def)
{
    if (!isPositive(def->L1) || !isPositive(def->L2)) return "rods must have a length";
    if (!isNotNegative(def->b)) return "the base joints' distance is negative or not finite";
    if (!isPositive(def->H)) return "the bases must be apart";
    if (!isPositive(def->ell)) return "the crank must have a length";
    if (!isNotNegative(def->proximalMass) || !isNotNegative(def->distalMass) ||
        !isNotNegative(def->motorInertia)) {
        return "a mass or inertia is negative or not finite";
    }
    if (!isPositive(def->handleMass) || !isPositive(def->handleInertia)) {
        return "the handle must have mass and inertia";
    }
    if (def->counts < 0) return "encoder counts are negative";
    if (!isPositive(def->torqueLimit)) return "the motors must have a torque limit";
    return NULL;
}

// -------------------------------------------------------------------------------- kinematics

static bool allFinite4(const double a[4])
{
    return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]) && isfinite(a[3]);
}

static void zero4(double a[4]) { memset(a, 0, 4 * sizeof *a); }

static double cross2(plVec3 a, plVec3 b) { return a.x * b.y - a.y * b.x; }
static plVec3 turned(plVec3 a) { return plVec(-a.y, a.x, 0); } ///< a quarter turn to the left

/// +1 for the pantograph of P_0, which looks along +y; -1 for the other, which is turned by pi.
static double facing(int i) { return i < 2 ? 1 : -1; }

/// +1: the elbow lies to the left of the way from base to end.
static double outward(int i) { return i % 2 == 0 ? 1 : -1; }

static plVec3 baseJoint(const plPantographDef* def, int i)
{
    return plVec(-facing(i) * outward(i) * def->b / 2, -facing(i) * def->H, 0);
}

static plVec3 elbow(const plPantographDef* def, int i, double q)
{
    return plAddScaled(baseJoint(def, i), def->L1, plVec(cos(q), sin(q), 0));
}

// The angle is measured from the way the pantograph looks, so that it jumps only behind its back.
static bool armAngle(const plPantographDef* def, int i, plVec3 P, double* q)
{
    const plVec3 r = plSub(P, baseJoint(def, i));
    const double d = plNorm(r), L1 = def->L1, L2 = def->L2;
    const double cosine = (L1 * L1 + d * d - L2 * L2) / (2 * L1 * d);
    if (!(d > 0 && fabs(cosine) < 1)) return false;
    const double aside = atan2(-facing(i) * r.x, facing(i) * r.y);
    *q = facing(i) * PL_PI / 2 + aside + outward(i) * acos(cosine);
    return true;
}

// Row i of G, and the sine at its elbow, which is positive for outward elbows.
static bool jointRow(const plPantographDef* def, plPantographPose* p, int i)
{
    const plVec3 d = plSub(p->P[i / 2], p->E[i]);
    const plVec3 along = plScale(def->L1, plVec(-sin(p->q[i]), cos(p->q[i]), 0));
    const double s = plDot(d, along), sine = fabs(s) / (def->L1 * def->L2);
    if (!(sine > 0)) return false;
    const plVec3 a = plScale(1 / s, d);
    p->G[i] = plVec(a.x, a.y, -facing(i) * def->ell / 2 * plDot(a, turned(p->u)));
    p->margin = fmin(p->margin, sine);
    return isfinite(p->G[i].x) && isfinite(p->G[i].y) && isfinite(p->G[i].z);
}

// An end lies to the left of the line from its first elbow to its second.
static bool endIsAhead(const plPantographDef* def, plPantographPose* p, int k)
{
    const plVec3 d0 = plSub(p->P[k], p->E[2 * k]), d1 = plSub(p->P[k], p->E[2 * k + 1]);
    const double sine = cross2(d0, d1) / (def->L2 * def->L2);
    p->margin = fmin(p->margin, sine);
    return sine > 0;
}

static bool solveInverse(const plPantographDef* def, plVec3 x, plPantographPose* p)
{
    if (!plFinite3(x)) return false;
    p->x = x;
    p->margin = 1;
    p->u = plVec(cos(x.z), sin(x.z), 0);
    for (int k = 0; k < 2; ++k) {
        p->P[k] = plAddScaled(plVec(x.x, x.y, 0), (k - 0.5) * def->ell, p->u);
    }
    for (int i = 0; i < 4; ++i) {
        if (!armAngle(def, i, p->P[i / 2], &p->q[i])) return false;
        p->E[i] = elbow(def, i, p->q[i]);
        if (!jointRow(def, p, i)) return false;
    }
    p->reached = endIsAhead(def, p, 0) && endIsAhead(def, p, 1);
    return p->reached;
}

bool plPantograph_Inverse(const plPantographDef* def, plVec3 x, plPantographPose* p)
{
    *p = (plPantographPose){0};
    if (solveInverse(def, x, p)) return true;
    *p = (plPantographPose){0};
    return false;
}

static bool joinElbows(const plPantographDef* def, plVec3 E0, plVec3 E1, plVec3* P)
{
    const plVec3 way = plSub(E1, E0);
    const double distance = plNorm(way), square = def->L2 * def->L2 - distance * distance / 4;
    if (!(distance > 0 && square > 0)) return false;
    *P = plAddScaled(plScale(0.5, plAdd(E0, E1)), sqrt(square) / distance, turned(way));
    return true;
}

bool plPantograph_Forward(const plPantographDef* def, const double q[4], double thetaBefore,
                          plVec3* x, double* residual)
{
    plVec3 E[4], P[2];
    *x = plVec(0, 0, 0);
    if (residual) *residual = 0;
    if (!allFinite4(q) || !isfinite(thetaBefore)) return false;
    for (int i = 0; i < 4; ++i) E[i] = elbow(def, i, q[i]);
    if (!joinElbows(def, E[0], E[1], &P[0]) || !joinElbows(def, E[2], E[3], &P[1])) return false;
    const plVec3 crank = plSub(P[1], P[0]);
    const double length = plNorm(crank);
    if (!(length > 0)) return false;
    *x = plScale(0.5, plAdd(P[0], P[1]));
    x->z = thetaBefore + remainder(atan2(crank.y, crank.x) - thetaBefore, 2 * PL_PI);
    if (residual) *residual = length - def->ell;
    return true;
}

bool plPantograph_Round(const plPantographDef* def, const double q[4], double rounded[4])
{
    zero4(rounded);
    if (!allFinite4(q)) return false;
    const double count = def->counts > 0 ? 2 * PL_PI / def->counts : 0;
    for (int i = 0; i < 4; ++i) rounded[i] = count > 0 ? count * round(q[i] / count) : q[i];
    return true;
}

bool plPantograph_Sense(const plPantographDef* def, plVec3 x, double thetaBefore, plVec3* sensed,
                        double* residual)
{
    plPantographPose p;
    double rounded[4];
    *sensed = plVec(0, 0, 0);
    if (residual) *residual = 0;
    return plPantograph_Inverse(def, x, &p) && plPantograph_Round(def, p.q, rounded) &&
           plPantograph_Forward(def, rounded, thetaBefore, sensed, residual);
}

// ----------------------------------------------------------------------------------- G^T G

// Rotation is counted at the ends of the crank, so that the columns can be compared.
static plVec3 scaledRow(const plPantographDef* def, const plPantographPose* p, int i)
{
    return plVec(p->G[i].x, p->G[i].y, p->G[i].z * 2 / def->ell);
}

static void normalMatrix(const plPantographDef* def, const plPantographPose* p, double N[9])
{
    memset(N, 0, 9 * sizeof *N);
    for (int i = 0; i < 4; ++i) {
        const plVec3 r = scaledRow(def, p, i);
        const double row[3] = {r.x, r.y, r.z};
        for (int k = 0; k < 9; ++k) N[k] += row[k / 3] * row[k % 3];
    }
}

// Pivots of the factor below this part of the largest entry mean a direction that no motor moves:
// the torques for a newton there would be a thousand times those of other directions.
static const double singular = 1e-6;

// y = (G^T G)^-1 b
static bool solveNormal(const plPantographDef* def, const plPantographPose* p, plVec3 b, plVec3* y)
{
    double N[9], r[3] = {b.x, b.y, b.z * 2 / def->ell};
    if (!p->reached || !plFinite3(b)) return false;
    normalMatrix(def, p, N);
    const double most = fmax(N[0], fmax(N[4], N[8]));
    if (!plChol_Factor(N, 3)) return false;
    for (int k = 0; k < 3; ++k) {
        if (!(N[4 * k] * N[4 * k] > singular * most)) return false;
    }
    plChol_Solve(N, 3, r);
    *y = plVec(r[0], r[1], r[2] * 2 / def->ell);
    return true;
}

bool plPantograph_JointRates(const plPantographPose* p, plVec3 v, double qdot[4])
{
    zero4(qdot);
    if (!p->reached || !plFinite3(v)) return false;
    for (int i = 0; i < 4; ++i) qdot[i] = plDot(p->G[i], v);
    return true;
}

bool plPantograph_HandleRates(const plPantographDef* def, const plPantographPose* p,
                              const double qdot[4], plVec3* v)
{
    plVec3 b;
    *v = plVec(0, 0, 0);
    return plPantograph_Force(p, qdot, &b) && solveNormal(def, p, b, v);
}

// ------------------------------------------------------------------------------------ statics

bool plPantograph_Force(const plPantographPose* p, const double tau[4], plVec3* F)
{
    *F = plVec(0, 0, 0);
    if (!p->reached || !allFinite4(tau)) return false;
    for (int i = 0; i < 4; ++i) *F = plAddScaled(*F, tau[i], p->G[i]);
    return true;
}

bool plPantograph_Torques(const plPantographDef* def, const plPantographPose* p, plVec3 F,
                          double tau[4])
{
    plVec3 y;
    zero4(tau);
    return solveNormal(def, p, F, &y) && plPantograph_JointRates(p, y, tau);
}

// Force of the two motors on the end P_k.
static plVec3 endForce(const plPantographPose* p, const double tau[4], int k)
{
    plVec3 f = plVec(0, 0, 0);
    for (int i = 2 * k; i < 2 * k + 2; ++i) f = plAddScaled(f, tau[i], p->G[i]);
    f.z = 0;
    return f;
}

bool plPantograph_Tension(const plPantographPose* p, const double tau[4], double* tension)
{
    *tension = 0;
    if (!p->reached || !allFinite4(tau)) return false;
    *tension = plDot(p->u, plSub(endForce(p, tau, 1), endForce(p, tau, 0))) / 2;
    return true;
}

// Component i of the null vector is the minor of G without row i, with alternating signs. With
// elbows outward and ends ahead they pull.
bool plPantograph_Null(const plPantographDef* def, const plPantographPose* p, double tau[4])
{
    plVec3 unused;
    double square = 0;
    zero4(tau);
    if (!solveNormal(def, p, plVec(0, 0, 0), &unused)) return false;
    for (int i = 0; i < 4; ++i) {
        const plVec3 *a = &p->G[(i + 1) % 4], *b = &p->G[(i + 2) % 4], *c = &p->G[(i + 3) % 4];
        tau[i] = (i % 2 == 0 ? 1 : -1) * plDot(*a, plCross(*b, *c));
        square += tau[i] * tau[i];
    }
    for (int i = 0; i < 4; ++i) tau[i] /= sqrt(square);
    return true;
}

double plPantograph_Scale(const plPantographDef* def, double tau[4])
{
    double most = 0;
    if (!allFinite4(tau)) {
        zero4(tau);
        return 0;
    }
    for (int i = 0; i < 4; ++i) most = fmax(most, fabs(tau[i]));
    if (most <= def->torqueLimit) return 1;
    const double s = def->torqueLimit / most;
    for (int i = 0; i < 4; ++i) tau[i] *= s;
    return s;
}

int plPantograph_Clip(const plPantographDef* def, double tau[4])
{
    int clipped = 0;
    if (!allFinite4(tau)) {
        zero4(tau);
        return 4;
    }
    for (int i = 0; i < 4; ++i) {
        if (fabs(tau[i]) <= def->torqueLimit) continue;
        tau[i] = copysign(def->torqueLimit, tau[i]);
        clipped++;
    }
    return clipped;
}

// ---------------------------------------------------------------------------------- workspace

// One turn of Jacobi's method in the plane of axes i and j: N_ij becomes zero.
static void rotateAway(double N[9], int i, int j)
{
    const double off = N[3 * i + j];
    if (off == 0) return;
    const double ratio = (N[4 * j] - N[4 * i]) / (2 * off);
    const double t = copysign(1 / (fabs(ratio) + hypot(1, ratio)), ratio);
    const double c = 1 / hypot(1, t), s = t * c;
    const int k = 3 - i - j;
    const double ki = N[3 * k + i], kj = N[3 * k + j];
    N[4 * i] -= t * off;
    N[4 * j] += t * off;
    N[3 * i + j] = N[3 * j + i] = 0;
    N[3 * k + i] = N[3 * i + k] = c * ki - s * kj;
    N[3 * k + j] = N[3 * j + k] = s * ki + c * kj;
}

bool plPantograph_Isotropy(const plPantographDef* def, const plPantographPose* p, plIsotropy* out)
{
    double N[9];
    *out = (plIsotropy){0, 0};
    if (!p->reached) return false;
    normalMatrix(def, p, N);
    // The method converges quadratically: six rounds are round-off for any 3 x 3 matrix.
    for (int round = 0; round < 6; ++round) {
        rotateAway(N, 0, 1);
        rotateAway(N, 0, 2);
        rotateAway(N, 1, 2);
    }
    out->least = sqrt(fmax(0, fmin(N[0], fmin(N[4], N[8]))));
    out->most = sqrt(fmax(N[0], fmax(N[4], N[8])));
    return true;
}

plPantographDisc plDefaultPantographDisc(double radius)
{
    return (plPantographDisc){radius, 8, 48, 180};
}

static bool surveyTurns(const plPantographDef* def, double x, double y, int turns, plIsotropy* sum)
{
    for (int i = 0; i < turns; ++i) {
        plPantographPose p;
        plIsotropy here;
        if (!plPantograph_Inverse(def, plVec(x, y, 2 * PL_PI * i / turns), &p) ||
            !plPantograph_Isotropy(def, &p, &here)) {
            return false;
        }
        sum->least = fmin(sum->least, here.least);
        sum->most = fmax(sum->most, here.most);
    }
    return true;
}

bool plPantograph_Survey(const plPantographDef* def, const plPantographDisc* disc, plIsotropy* out)
{
    plIsotropy sum = {INFINITY, 0};
    *out = (plIsotropy){0, 0};
    if (!isNotNegative(disc->radius) || disc->turns < 1) return false;
    bool all = surveyTurns(def, 0, 0, disc->turns, &sum);
    for (int ring = 1; ring <= disc->rings && all; ++ring) {
        const double r = disc->radius * ring / disc->rings;
        for (int i = 0; i < disc->directions && all; ++i) {
            const double angle = 2 * PL_PI * i / disc->directions;
            all = surveyTurns(def, r * cos(angle), r * sin(angle), disc->turns, &sum);
        }
    }
    if (all) *out = sum;
    return all;
}
