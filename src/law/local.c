// The local solvers of Gauss-Seidel.
#include "law/local.h"

#include "law/section.h"

void plLocal_Read(const plSpace* s, int contact, const double* w, const double* p, plLocal* c)
{
    const int dim = s->dim;
    int stride;
    const double* B = plSpace_Diagonal(s, contact, &stride);
    *c = (plLocal){.mu = dim == 1 ? 0 : s->pair[contact].mu, .sides = plSection_Sides(s)};
    for (int i = 0; i < 3; ++i) c->B[i][i] = dim == 2 ? B[stride + 1] : 1;
    for (int i = 0; i < dim; ++i) {
        c->b[i] = w[i];
        for (int j = 0; j < dim; ++j) {
            c->B[i][j] = B[i * stride + j];
            c->b[i] -= B[i * stride + j] * p[j];
        }
    }
}

// Impulses and velocities are far from where squares overflow, and hypot takes ten times as long.
static double lengthOf(double x, double y) { return sqrt(x * x + y * y); }

static void project(int sides, double* f, double radius)
{
    if (sides > 0) {
        plSection_Project(sides, radius, &f[1]);
        return;
    }
    const double length = lengthOf(f[1], f[2]);
    if (length <= radius) return;
    f[1] *= radius / length;
    f[2] *= radius / length;
}

// Algorithm 1 (signorini), with eps1 = 0 (E3): one projected step of each part with the diagonal of
// its own. As printed, normal and tangential step use the same delta = B f + b, which ignores the
// coupling inside the block: a sticking contact then converges only if 2 D - B > 0, and may cycle
// for ever when B is merely positive definite (E1). The fix adds to delta_t what the normal step has
// just changed. The splitting is then M = [B_nn 0; B_tn L I], with
//   M + M^T - B = diag(B_nn, tr(B_tt) I - B_tt) > 0 for every positive definite B,
// and the Householder-John theorem gives convergence while all stick.
void plLocal_Printed(const plLocal* c, bool sequential, double* f)
{
    double delta[3];
    for (int i = 0; i < 3; ++i) {
        delta[i] = c->b[i] + c->B[i][0] * f[0] + c->B[i][1] * f[1] + c->B[i][2] * f[2];
    }
    const double fn = fmax(0, f[0] - delta[0] / c->B[0][0]);
    const double L = 0.5 * (c->B[1][1] + c->B[2][2]);
    for (int i = 1; i < 3; ++i) {
        if (sequential) delta[i] += c->B[i][0] * (fn - f[0]);
        f[i] = L > 0 ? f[i] - delta[i] / L : 0;
    }
    f[0] = fn;
    project(c->sides, f, c->mu * fn);
}

// With the normal row held at w_n = 0 the tangential rows are A f_t + r, and slipping means
// w_t = -s f_t with s > 0:
//   f_t(s) = -(A + s I)^-1 r,   A = B_tt - B_tn B_nt / B_nn,   r = b_t - B_tn b_n / B_nn
//   f_n(s) = (-b_n - B_nt f_t) / B_nn                                      (signorini spec 1.4)
typedef struct {
    const plLocal* c;
    double A[2][2], r[2];
} Slip;

static Slip reduce(const plLocal* c)
{
    const double(*B)[3] = c->B;
    Slip s = {.c = c};
    for (int i = 0; i < 2; ++i) {
        s.r[i] = c->b[i + 1] - B[i + 1][0] * c->b[0] / B[0][0];
        for (int j = 0; j < 2; ++j) {
            s.A[i][j] = B[i + 1][j + 1] - B[i + 1][0] * B[0][j + 1] / B[0][0];
        }
    }
    return s;
}

// h(s) = |f_t| - mu f_n; s = 0 is sticking.
static double slip(const Slip* p, double s, double* f)
{
    const plLocal* c = p->c;
    const double a = p->A[0][0] + s, d = p->A[1][1] + s, det = a * d - p->A[0][1] * p->A[1][0];
    if (!(det > 0)) return INFINITY; // a block without tangential response: only s > 0 has one
    f[1] = -(d * p->r[0] - p->A[0][1] * p->r[1]) / det;
    f[2] = -(a * p->r[1] - p->A[1][0] * p->r[0]) / det;
    f[0] = (-c->b[0] - c->B[0][1] * f[1] - c->B[0][2] * f[2]) / c->B[0][0];
    return lengthOf(f[1], f[2]) - c->mu * f[0];
}

// --- pyramids

// The impulse that slips at a corner, f_t = mu f_n e, or along a side,
// f_t = mu share f_n e + y s with s across e: w_n = 0, and along a side w_s = 0.
static void slipOnBorder(const plLocal* c, const double e[2], double share, bool side, double* f)
{
    const double(*B)[3] = c->B, s[2] = {-e[1], e[0]}, g = c->mu * share;
    const double nn = B[0][0] + g * (B[0][1] * e[0] + B[0][2] * e[1]);
    double y = 0;
    f[0] = nn > 0 ? -c->b[0] / nn : 0;
    if (side) {
        const double ns = B[0][1] * s[0] + B[0][2] * s[1];
        double sn = 0, ss = 0;
        for (int i = 0; i < 2; ++i) {
            const double* row = B[i + 1];
            sn += s[i] * (row[0] + g * (row[1] * e[0] + row[2] * e[1]));
            ss += s[i] * (row[1] * s[0] + row[2] * s[1]);
        }
        const double bs = s[0] * c->b[1] + s[1] * c->b[2], det = nn * ss - ns * sn;
        if (!(det > 0)) return;
        f[0] = (ns * bs - ss * c->b[0]) / det;
        y = (sn * c->b[0] - nn * bs) / det;
    }
    for (int i = 0; i < 2; ++i) f[i + 1] = g * f[0] * e[i] + y * s[i];
}

// The square of the defect of the fixed point at f, as the sweeps' RES has it.
static double defectOf(const plLocal* c, const double* f)
{
    const double(*B)[3] = c->B, L = 0.5 * (B[1][1] + B[2][2]);
    double u[3], sum = 0;
    for (int i = 0; i < 3; ++i) {
        const double w = B[i][0] * f[0] + B[i][1] * f[1] + B[i][2] * f[2] + c->b[i];
        u[i] = f[i] - w / (i == 0 ? B[0][0] : L > 0 ? L : 1);
    }
    u[0] = fmax(0, u[0]);
    plSection_Project(c->sides, c->mu * u[0], &u[1]);
    for (int i = 0; i < 3; ++i) sum += (f[i] - u[i]) * (f[i] - u[i]);
    return sum;
}

// f sticks where that is within the pyramid. Else all corners and sides are tried, and the one with the
// least defect is taken: where the solution is unique, the others have a large one.
static void slipOnPyramid(const plLocal* c, double* f)
{
    const double half = PL_PI / c->sides, width = cos(half);
    double best[3] = {f[0]},
           least = defectOf(c, best); // where tangents answer nothing, w_t may be 0
    for (int k = 0; k < 2 * c->sides; ++k) {
        const bool side = k % 2 != 0;
        const double e[2] = {cos(k * half), sin(k * half)};
        slipOnBorder(c, e, side ? width : 1, side, f);
        const double defect = f[0] > 0 ? defectOf(c, f) : (double)INFINITY;
        if (!(defect < least)) continue;
        least = defect;
        for (int i = 0; i < 3; ++i) best[i] = f[i];
        if (least <= 1e-28 * f[0] * f[0]) break;
    }
    for (int i = 0; i < 3; ++i) f[i] = best[i];
    plSection_Project(c->sides, c->mu * f[0], &f[1]);
}

// --- one contact

// d/ds of mu f_n/|f_t| at f = f(s): f_t' = -(A + s I)^-1 f_t.
static double ratioSlope(const Slip* p, double s, const double* f)
{
    const plLocal* c = p->c;
    const double a = p->A[0][0] + s, d = p->A[1][1] + s, det = a * d - p->A[0][1] * p->A[1][0];
    const double x = -(d * f[1] - p->A[0][1] * f[2]) / det;
    const double y = -(a * f[2] - p->A[1][0] * f[1]) / det;
    const double square = f[1] * f[1] + f[2] * f[2], t = sqrt(square);
    const double normal = -c->mu * (c->B[0][1] * x + c->B[0][2] * y) / c->B[0][0];
    return (normal * square - c->mu * f[0] * (f[1] * x + f[2] * y)) / (square * t);
}

// The root of h from s = 0, where h > 0, by Newton's method on mu f_n/|f_t| = 1: that ratio is nearly linear in s, so
// few steps lead there. A bracket is kept: a step that leaves it is one of bisection. False: not found.
static bool findSlip(const Slip* p, double* f)
{
    enum { steps = 40 };
    const plLocal* c = p->c;
    const double trace = c->B[1][1] + c->B[2][2];
    double s = 0, low = 0, high = INFINITY;
    for (int i = 0; i < steps; ++i) {
        const double h = slip(p, s, f), radius = c->mu * f[0], t = lengthOf(f[1], f[2]);
        if (!isfinite(h)) return false;
        if (fabs(h) <= 1e-15 * radius) return true;
        if (h > 0) low = s;
        if (h < 0) high = s;
        const double slope = t > 0 ? ratioSlope(p, s, f) : 0;
        double next = s + (1 - radius / t) / slope;
        if (slope > 0 && fabs(next - s) <= 1e-15 * s) return true; // as near as numbers are
        if (!(slope > 0 && next > low && next < high)) {
            next = isfinite(high) ? 0.5 * (low + high) : 4 * low + (low > 0 ? 0 : trace);
        }
        s = next;
    }
    return false;
}

// Open, stick, or the root of h, which exists because h(0) > 0 > h(inf): f_t falls to 0 and f_n
// tends to -b_n/B_nn > 0. Where Newton's method does not find it, regula falsi keeps the bracket; an end that stays twice has its value
// halved (Illinois). Limit cases: b_n >= 0 gives f = 0; mu = 0 gives f_t = 0.
void plLocal_Exact(const plLocal* c, double* f)
{
    enum { maxGrow = 60, maxSteps = 60 };
    f[0] = f[1] = f[2] = 0;
    if (c->b[0] >= 0) return;
    f[0] = -c->b[0] / c->B[0][0];
    if (c->mu == 0) return;
    const Slip p = reduce(c);
    const double trace = c->B[1][1] + c->B[2][2];
    double low = 0, high = trace > 0 ? trace : c->B[0][0], hLow = slip(&p, 0, f), hHigh;
    if (c->sides > 0) {
        const bool sticks = isfinite(hLow) && plSection_Radius(c->sides, &f[1]) <= c->mu * f[0];
        if (!sticks) {
            f[0] = -c->b[0] / c->B[0][0];
            slipOnPyramid(c, f);
        }
        return;
    }
    if (hLow <= 0) return;
    if (isfinite(hLow) && findSlip(&p, f)) {
        project(0, f, c->mu * f[0]);
        return;
    }
    for (int i = 0; (hHigh = slip(&p, high, f)) > 0 && i < maxGrow; ++i) {
        low = high, hLow = hHigh, high *= 4;
    }
    for (int i = 0, side = 0; i < maxSteps && hHigh < 0; ++i) {
        const double regula = (low * hHigh - high * hLow) / (hHigh - hLow);
        const double s = isfinite(hLow) ? regula : 0.5 * (low + high);
        const double h = slip(&p, s, f);
        if (fabs(h) <= 1e-15 * c->mu * f[0]) return;
        if (h > 0) {
            low = s, hLow = h, hHigh *= side > 0 ? 0.5 : 1, side = 1;
        } else {
            high = s, hHigh = h, hLow *= side < 0 ? 0.5 : 1, side = -1;
        }
    }
    f[0] = fmax(f[0], 0);
    project(0, f, c->mu * f[0]); // what the last step left, and blocks that bracket nothing
}
