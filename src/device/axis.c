// One axis of a handle.
//
// m v' = F - b v has, with h = b T/m and a = F/m,
//   v(T) = v e^-h + a T f1,   way = v T f1 + a T^2 f2,
//   f1(h) = (1 - e^-h)/h,     f2 = (1 - f1)/h,
// and the damper takes  b int v^2 dt = b T (v^2 f1(2h) + 2 v a T g1 + (a T)^2 g2),
//   g1 = (f1(h) - f1(2h))/h,  g2 = (1 - 2 f1(h) + f1(2h))/h^2.
// All five are smooth at h = 0, where they are 1, 1/2, 1, 1/2, 1/3.
#include "device/axis.h"

#include <math.h>

typedef struct {
    double f1, f2, f1Twice, g1, g2;
} Moments;

// For small h by their series in c_k (-h)^k, c_k = 1/(k+1)!: the differences would leave nothing.
static Moments series(double h)
{
    enum { terms = 28 }; // 2^28/29! is below 1e-22
    Moments s = {0};
    double term = 1, two = 1; // c_k (-h)^k, 2^k
    for (int k = 0; k < terms; ++k) {
        const double next = term / (k + 2), last = next / (k + 3); // with c_k+1 and c_k+2
        s.f1 += term;
        s.f2 += next;
        s.f1Twice += two * term;
        s.g1 += (2 * two - 1) * next;
        s.g2 += (4 * two - 2) * last;
        term = -h * next;
        two *= 2;
    }
    return s;
}

static Moments momentsOf(double h)
{
    if (h <= 1) return series(h);
    const double f1 = -expm1(-h) / h, f1Twice = -expm1(-2 * h) / (2 * h);
    return (Moments){f1, (1 - f1) / h, f1Twice, (f1 - f1Twice) / h,
                     (1 - 2 * f1 + f1Twice) / (h * h)};
}

// Under a held force for t.
static void glide(const plAxis* a, double F, double t, double* v, plAxisMove* move)
{
    const double v0 = *v, gain = F / a->m * t;
    if (a->b == 0) {
        *v = v0 + gain;
        move->way += v0 * t + 0.5 * gain * t;
        return;
    }
    const double h = a->b * t / a->m;
    const Moments f = momentsOf(h);
    *v = v0 * exp(-h) + gain * f.f1;
    move->way += t * (v0 * f.f1 + gain * f.f2);
    move->heat += a->b * t * (v0 * v0 * f.f1Twice + 2 * v0 * gain * f.g1 + gain * gain * f.g2);
}

// When a force brings the velocity to zero; for ever, if it never does.
static double stopTime(const plAxis* a, double F, double v)
{
    if (!(F * v < 0)) return INFINITY;
    const double slow = a->b * -v / F;
    return a->b > 0 && slow > 0 ? a->m / a->b * log1p(slow) : a->m * -v / F;
}

// Against its motion friction is a held force, until the handle stops; there it stays, unless what
// pushes it is stronger.
static void rub(const plAxis* a, double T, double* v, plAxisMove* move)
{
    double rest = T;
    if (*v != 0) {
        const double F = a->F - copysign(a->dry, *v), stop = stopTime(a, F, *v);
        glide(a, F, fmin(T, stop), v, move);
        move->heat += a->dry * fabs(move->way);
        if (stop >= T) return;
        rest = T - stop;
    }
    *v = 0;
    if (fabs(a->F) <= a->dry) return;
    plAxisMove again = {0};
    glide(a, a->F - copysign(a->dry, a->F), rest, v, &again);
    move->way += again.way;
    move->heat += again.heat + a->dry * fabs(again.way);
}

static double between(double x, double low, double high) { return fmax(low, fmin(high, x)); }

// Friction of a step by the midpoint rule: it would have the handle stand at the end of it, but
// never pushes it forward. `push` is what moves the mean velocity, push/c.
static double dryForce(const plAxis* a, double c, double push, double v0)
{
    const double f = between(0.5 * c * v0 - push, -a->dry, a->dry);
    return between(f, fmin(0, -push), fmax(0, -push));
}

static void yield(const plAxis* a, double T, double* v, plAxisMove* move)
{
    const double c = 2 * a->m / T + 0.5 * a->K * T + a->B + a->b;
    const double push = 2 * a->m / T * *v + a->F + a->K * a->off + a->B * a->want;
    const double f = a->dry > 0 ? dryForce(a, c, push, *v) : 0;
    const double mean = (push + f) / c;
    *v = 2 * mean - *v;
    move->way = T * mean;
    move->pull = a->K * (a->off - 0.5 * move->way) + a->B * (a->want - mean);
    move->heat = (a->b * mean - f) * move->way;
}

plAxisMove plAxis_Go(const plAxis* a, double T, double* v)
{
    plAxisMove move = {0};
    if (isinf(a->m)) {
        *v = 0;
    } else if (a->K > 0 || a->B > 0) {
        yield(a, T, v, &move);
    } else if (a->dry > 0) {
        rub(a, T, v, &move);
    } else {
        glide(a, a->F, T, v, &move);
    }
    return move;
}
