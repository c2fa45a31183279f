// What joints hold, in coordinates of unit mass: solutions with the factors of jointed_factor.c.
#include "mechanism/jointed.h"

#include <string.h>

// x <- R^-T x and R^-1 x, of the chosen rows.
static void solveRT(const plJointFactor* f, int ld, double* x)
{
    for (int k = 0; k < f->rank; ++k) {
        for (int j = 0; j < k; ++j) x[k] -= f->R[j * ld + k] * x[j];
        x[k] /= f->R[k * ld + k];
    }
}

static void solveR(const plJointFactor* f, int ld, double* x)
{
    for (int k = f->rank - 1; k >= 0; --k) {
        for (int j = k + 1; j < f->rank; ++j) x[k] -= f->R[k * ld + j] * x[j];
        x[k] /= f->R[k * ld + k];
    }
}

// The point of Y^T z = wanted nearest to z, from Q and R; the multipliers of what is taken from z.
static void holdQR(const plMechanism* m, const plJointFactor* f, const double* wanted, double* z,
                   double* multipliers)
{
    const int n = m->n, ld = plJointed_Of(m)->rowCount;
    double* x = multipliers;
    for (int k = 0; k < f->rank; ++k) x[k] = wanted ? wanted[k] : 0;
    if (wanted) solveRT(f, ld, x);
    for (int k = 0; k < f->rank; ++k) x[k] = plDotN(&f->Q[k * n], z, n) - x[k];
    for (int k = 0; k < f->rank; ++k) {
        for (int i = 0; i < n; ++i) z[i] -= x[k] * f->Q[k * n + i];
    }
    solveR(f, ld, x);
}

// The same from N, corrected until what is left of Y^T z - wanted is round-off. False: the factor is that of a
// place too far away.
static bool holdSquared(const plMechanism* m, const plJointFactor* f, const double* wanted,
                        double* z, double* multipliers)
{
    enum { rounds = 12 };
    const plJointed* X = plJointed_Of(m);
    const int n = m->n, r = f->rank;
    double *x = X->x, *y = X->y;
    double last = 0, first = 0, size = sqrt(plDotN(z, z, n));
    memset(multipliers, 0, (size_t)r * sizeof(double));
    for (int round = 0; round < rounds; ++round) {
        for (int k = 0; k < r; ++k) {
            x[k] = plJointed_Along(m, f, f->chosen[k], z) - (wanted ? wanted[k] : 0);
        }
        plJointed_SolveSquare(f, x);
        memset(y, 0, (size_t)n * sizeof(double));
        for (int k = 0; k < r; ++k) {
            multipliers[k] += x[k];
            plJointed_Pull(m, f, f->chosen[k], x[k], y);
        }
        for (int i = 0; i < n; ++i) z[i] -= y[i];
        const double change = sqrt(plDotN(y, y, n));
        if (round == 0) first = change, size += change;
        const bool done = change <= 4e-16 * size;
        if (done || (round > 0 && change * change <= 1e-17 * first * last)) return true;
        if (round > 0 && !(change <= 0.3 * last)) return change <= 1e-13 * size;
        last = change;
    }
    return false;
}

// `impulse`: what the joints gave for that, from the multipliers.
static void hold(const plMechanism* m, plJointFactor* f, const double* wanted, double* z,
                 double* impulse)
{
    const plJointed* X = plJointed_Of(m);
    const int n = m->n;
    memcpy(X->before, z, (size_t)n * sizeof(double));
    if (f->squared && !holdSquared(m, f, wanted, z, X->sum)) {
        memcpy(z, X->before, (size_t)n * sizeof(double));
        plJointed_Factor(m, f);
        if (f->squared && !holdSquared(m, f, wanted, z, X->sum)) {
            memcpy(z, X->before, (size_t)n * sizeof(double));
            f->sound = false;
            plJointed_Factor(m, f);
        }
    }
    if (!f->squared) holdQR(m, f, wanted, z, X->sum);
    if (!impulse) return;
    memset(X->y, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < f->rank; ++k) plJointed_Pull(m, f, f->chosen[k], -X->sum[k], X->y);
    plJointed_UnwhitenForce(X, X->y, impulse);
}

void plJointed_Respond(const plMechanism* m, plJointFactor* f, const double* g, double* v,
                       double* answer)
{
    double* z = plJointed_Of(m)->z;
    plJointed_Whiten(plJointed_Of(m), g, z);
    hold(m, f, NULL, z, answer);
    plJointed_Unwhiten(plJointed_Of(m), z, v);
}

void plJointed_Close(const plMechanism* m, plJointFactor* f, double* v, double* impulse)
{
    double* z = plJointed_Of(m)->z;
    plJointed_WhitenVelocity(plJointed_Of(m), v, z);
    hold(m, f, NULL, z, impulse);
    plJointed_Unwhiten(plJointed_Of(m), z, v);
}

void plJointed_Accelerate(const plMechanism* m, plJointFactor* f, const double* g, double* a,
                          double* held)
{
    const plJointed* x = plJointed_Of(m);
    double *z = x->z, *wanted = x->push;
    for (int k = 0; k < f->rank; ++k) wanted[k] = -f->rows[f->chosen[k]].acceleration;
    plJointed_Whiten(x, g, z);
    hold(m, f, wanted, z, held);
    plJointed_Unwhiten(x, z, a);
}

static double largest(const plJointed* x, const plConstraintRow* rows)
{
    double most = 0;
    for (int i = 0; i < x->rowCount; ++i) most = fmax(most, fabs(rows[i].value));
    return most;
}

// Newton's way in the metric of the masses. It halts where another round would not halve the error:
// that is round-off.
double plJointed_Shift(const plMechanism* m, plJointFactor* f, double* q, plPlace* places)
{
    enum { rounds = 8 };
    const plJointed* x = plJointed_Of(m);
    double error = HUGE_VAL;
    for (int round = 0; round <= rounds; ++round) {
        m->ops->place(m, q, places);
        plJointed_Meet(m, f, places, NULL);
        if (!f->squared) plJointed_Factor(m, f);
        const double now = largest(x, f->rows), last = error;
        error = now;
        if (!(now > 1e-15) || (now < 1e-13 && now > 0.5 * last) || round == rounds) break;
        memset(x->z, 0, (size_t)m->n * sizeof(double));
        for (int k = 0; k < f->rank; ++k) x->push[k] = -f->rows[f->chosen[k]].value;
        hold(m, f, x->push, x->z, NULL);
        plJointed_Unwhiten(x, x->z, x->y);
        m->ops->move(m, q, 1, x->y, q);
    }
    return error;
}

// Where rows are redundant, from Q and R: push = K^T (K K^T)^-1 Q^T L^-1 force with K = Q^T Y.
static void shareOut(const plMechanism* m, const plJointFactor* f, const double* z, double* push)
{
    const plJointed* x = plJointed_Of(m);
    const int n = m->n, rows = x->rowCount, r = f->rank;
    for (int k = 0; k < r; ++k) {
        for (int i = 0; i < rows; ++i) {
            x->wide[k * rows + i] = plJointed_Along(m, f, i, &f->Q[k * n]);
        }
        x->x[k] = plDotN(&f->Q[k * n], z, n);
    }
    for (int k = 0; k < r; ++k) {
        for (int j = 0; j < r; ++j) {
            x->Gram[k * r + j] = plDotN(&x->wide[k * rows], &x->wide[j * rows], rows);
        }
    }
    memset(push, 0, (size_t)rows * sizeof *push);
    if (!plChol_Factor(x->Gram, r)) return;
    plChol_Solve(x->Gram, r, x->x);
    for (int k = 0; k < r; ++k) {
        for (int i = 0; i < rows; ++i) push[i] += x->wide[k * rows + i] * x->x[k];
    }
}

// The rows that were not chosen are sums of those that were, Y_i = D_i Y; and the factor of I + D D^T.
static bool findDependence(const plMechanism* m, plJointFactor* f)
{
    const plJointed* x = plJointed_Of(m);
    const int rows = x->rowCount, r = f->rank, others = rows - r;
    double* D = x->wide;
    for (int i = r; i < rows; ++i) {
        plJointed_Spread(m, f, f->chosen[i], x->z);
        hold(m, f, NULL, x->z, NULL);
        memcpy(&D[(i - r) * r], x->sum, (size_t)r * sizeof(double));
    }
    for (int i = 0; i < others; ++i) {
        for (int j = 0; j <= i; ++j) {
            x->Gram[i * others + j] = plDotN(&D[i * r], &D[j * r], r) + (i == j);
        }
    }
    return plChol_Factor(x->Gram, others);
}

// With s the multipliers of the chosen rows alone, the least pushes are s - D^T t and t, where
// (I + D D^T) t = D s.
static void shareSquared(const plMechanism* m, plJointFactor* f, double* z, double* push)
{
    const plJointed* x = plJointed_Of(m);
    const int r = f->rank, others = x->rowCount - r;
    const double* D = x->wide;
    double *s = x->sum, *t = x->x;
    hold(m, f, NULL, z, NULL);
    plMatVec(D, others, r, r, s, t);
    plChol_Solve(x->Gram, others, t);
    for (int i = 0; i < others; ++i) {
        for (int k = 0; k < r; ++k) s[k] -= t[i] * D[i * r + k];
        push[f->chosen[r + i]] = t[i];
    }
    for (int k = 0; k < r; ++k) push[f->chosen[k]] = s[k];
}

void plJointed_Pushes(const plMechanism* m, plJointFactor* f, const double* force, double* push)
{
    plJointed* x = plJointed_Of(m);
    if (f->squared && !x->depends) x->depends = findDependence(m, f);
    plJointed_Whiten(x, force, x->z);
    if (f->squared && x->depends) {
        shareSquared(m, f, x->z, push);
        return;
    }
    if (f->squared) { // what is known of H has failed: hold it by Q and R
        f->sound = false;
        plJointed_Factor(m, f);
    }
    shareOut(m, f, x->z, push);
}
