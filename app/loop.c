#include "loop.h"

#include "coupling/coupling.h"
#include "math/math.h"

#include <math.h>

// --- the device

// (s - 1 + exp(-s))/s^2; the difference is lost in rounding when s is small.
static double way(double s)
{
    if (s < 1e-2) return 0.5 - s / 6 * (1 - s / 4 * (1 - s / 5 * (1 - s / 6)));
    return (s + expm1(-s)) / (s * s);
}

void plLoop_Go(const plLoop* l, double force, double* x, double* v)
{
    const double T = l->T, s = l->damping * T / l->mass;
    const double mean = s > 0 ? -expm1(-s) / s : 1; // of exp(-s t/T) over the tick
    *x += T * mean * *v + T * T / l->mass * way(s) * force;
    *v = exp(-s) * *v + T / l->mass * mean * force;
}

// --- passive

double plLoop_NeededAt(const plLoop* l, double K, double B, double theta)
{
    return plSampledDampingAt(K, B, l->T, l->delay, theta);
}

double plLoop_Needed(const plLoop* l, double K, double B)
{
    return plSampledDamping(K, B, l->T, l->delay);
}

// An encoder is off by D/2 at most, so what it adds to the force, K D/2 + B D/T, does at most that
// work on the way; and a device that waits for d + 1 ticks on either side of a step takes it all.
double plLoop_NeededFriction(const plLoop* l, double K, double B)
{
    return 0.5 * l->encoder * (K + 2 * fabs(B) / l->T);
}

double plLoop_Lack(const plLoop* l, double needed, double neededFriction)
{
    const double lack = needed - l->damping;
    if (l->encoder == 0) return lack;
    return fmax(lack, (neededFriction - l->friction) * l->T / l->encoder);
}

// --- stable

enum { mostStates = 3 + plDeviceDelay };

/// x, v, the x before, then the forces on their way, the newest first.
typedef struct {
    double a[mostStates];
} State;

static State next(const plLoop* l, double K, double B, const State* s)
{
    const double *a = s->a, speed = l->exact ? a[1] : (a[0] - a[2]) / l->T;
    const double force = -K * a[0] - B * speed;
    State to = {.a = {a[0], a[1], a[0]}};
    for (int i = 0; i < l->delay; ++i) to.a[3 + i] = i == 0 ? force : a[2 + i];
    plLoop_Go(l, l->delay > 0 ? a[2 + l->delay] : force, &to.a[0], &to.a[1]);
    return to;
}

typedef struct {
    double a[mostStates][mostStates];
} Matrix;

static double largestEntry(const Matrix* A, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) most = fmax(most, fabs(A->a[i][j]));
    }
    return most;
}

// A 2^*power becomes its square, with a largest entry near 1.
static void square(Matrix* A, int n, double* power)
{
    Matrix P = {{{0}}};
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < n; ++j) P.a[i][j] += A->a[i][k] * A->a[k][j];
        }
    }
    const double most = largestEntry(&P, n);
    const int shift = most > 0 ? ilogb(most) : 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) A->a[i][j] = ldexp(P.a[i][j], -shift);
    }
    *power = 2 * *power + shift;
}

// Ways, velocities and forces in one size, so that rounding treats them alike.
static double unitOf(const plLoop* l, int state)
{
    if (state == 1) return 1 / l->T;
    return state < 3 ? 1 : l->mass / (l->T * l->T);
}

static Matrix matrixOf(const plLoop* l, double K, double B, int n)
{
    Matrix A = {{{0}}};
    for (int j = 0; j < n; ++j) {
        State s = {.a = {0}};
        s.a[j] = unitOf(l, j);
        const State to = next(l, K, B, &s);
        for (int i = 0; i < n; ++i) A.a[i][j] = to.a[i] / unitOf(l, i);
    }
    return A;
}

// |A^N|^(1/N) for N = 2^40, by squaring: what the norm has beside the radius to the N, a power of N
// at most, is gone by then.                                                            (Gelfand)
double plLoop_Radius(const plLoop* l, double K, double B)
{
    enum { squarings = 40 };
    const int n = 3 + l->delay;
    Matrix A = matrixOf(l, K, B, n);
    double power = 0;
    for (int i = 0; i < squarings; ++i) square(&A, n, &power);
    const double most = largestEntry(&A, n);
    return most > 0 ? exp2((power + log2(most)) / exp2(squarings)) : 0;
}

// --- boundaries

static bool isPassive(const plLoop* l, double K, double B)
{
    return plLoop_Lack(l, plLoop_Needed(l, K, B), plLoop_NeededFriction(l, K, B)) <= 0;
}

// A spring of nothing leaves the device where it is: an eigenvalue of 1 is no fault of the wall.
static bool isStable(const plLoop* l, double K, double B) { return plLoop_Radius(l, K, B) < 1; }

static double largest(const plLoop* l, double B, double most,
                      bool (*good)(const plLoop*, double, double))
{
    double low = 1e-6 * most, high = most;
    if (!good(l, low, B)) return 0;
    if (good(l, high, B)) return INFINITY;
    while (high - low > 1e-9 * high) {
        const double middle = 0.5 * (low + high);
        if (good(l, middle, B)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

double plLoop_PassiveStiffness(const plLoop* l, double B, double most)
{
    return largest(l, B, most, isPassive);
}

double plLoop_StableStiffness(const plLoop* l, double B, double most)
{
    return largest(l, B, most, isStable);
}
