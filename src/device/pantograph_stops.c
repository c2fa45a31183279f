// Stops of the twin pantograph: one at each elbow and end, where its sine becomes too small.
//
// A stop i lets the handle come to m_i = limit and no further: over a step of T,
//   m_i + T n_i.(v + T/2 a) >= limit,   n_i = grad m_i,
// with v after impulses, v += M^-1 n_i lambda_i, lambda_i >= 0. There is no friction and no rebound.
// At rest against a stop the impulse of a step is T times the force, and the handle stays.
#include "device/pantograph.h"

enum { stops = plPantographStops };

bool plPantograph_Margins(const plPantographDef* def, plVec3 x, double m[plPantographStops])
{
    plPantographPose p;
    for (int i = 0; i < stops; ++i) m[i] = 0;
    if (!plPantograph_Inverse(def, x, &p)) return false;
    // A row of G is (d/s, ...) with |d| = L2 and s = L1 L2 sine.
    for (int i = 0; i < 4; ++i) m[i] = 1 / (def->L1 * hypot(p.G[i].x, p.G[i].y));
    for (int k = 0; k < 2; ++k) {
        const plVec3 a = plSub(p.P[k], p.E[2 * k]), b = plSub(p.P[k], p.E[2 * k + 1]);
        m[4 + k] = plCross(a, b).z / (def->L2 * def->L2);
    }
    return true;
}

// n_i, by central differences.
static bool gradients(const plPantographDef* def, plVec3 x, plVec3 n[stops])
{
    const double h = 1e-6;
    double high[stops], low[stops], g[stops][3];
    for (int k = 0; k < 3; ++k) {
        const plVec3 e = plVec(k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0);
        if (!plPantograph_Margins(def, plAdd(x, e), high) ||
            !plPantograph_Margins(def, plSub(x, e), low)) {
            return false;
        }
        for (int i = 0; i < stops; ++i) g[i][k] = (high[i] - low[i]) / (2 * h);
    }
    for (int i = 0; i < stops; ++i) n[i] = plGet3(g[i]);
    return true;
}

// y_i = M^-1 n_i
static bool responses(const plPantographDef* def, plVec3 x, const plVec3 n[stops], plVec3 y[stops])
{
    const plVec3 still = plVec(0, 0, 0);
    plPantographPose p;
    if (!plPantograph_Inverse(def, x, &p)) return false;
    for (int i = 0; i < stops; ++i) {
        if (!plPantograph_Acceleration(def, &p, still, n[i], &y[i])) return false;
    }
    return true;
}

// One stop after the other, again and again: two that meet need some rounds. What is left is small
// against the way of a step, and the next step meets it again.
static plVec3 strike(const plVec3 n[stops], const plVec3 y[stops], const double gap[stops],
                     plVec3 v, plVec3 a, double T)
{
    enum { rounds = 16 };
    double lambda[stops] = {0};
    for (int k = 0; k < rounds * stops; ++k) {
        const int i = k % stops;
        const double room = plDot(n[i], plAddScaled(v, T / 2, a)) + gap[i] / T;
        const double more = fmax(-lambda[i], -room / plDot(n[i], y[i]));
        lambda[i] += more;
        v = plAddScaled(v, more, y[i]);
    }
    return v;
}

bool plPantograph_Stop(const plPantographDef* def, double limit, plVec3 x, plVec3 a, double T,
                       plVec3* v)
{
    // What has passed a stop comes back by a tenth in a step, so that little energy comes with it.
    const double back = 0.1;
    double gap[stops];
    plVec3 n[stops], y[stops];
    if (!plFinite3(a) || !plPantograph_Margins(def, x, gap)) return false;
    if (!gradients(def, x, n) || !responses(def, x, n, y)) return false;
    for (int i = 0; i < stops; ++i) gap[i] = (gap[i] > limit ? 1 : back) * (gap[i] - limit);
    *v = strike(n, y, gap, *v, a, T);
    return plFinite3(*v);
}
