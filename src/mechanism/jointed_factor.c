// The algebra of joints, in coordinates of unit mass.
#include "mechanism/jointed.h"

#include <string.h>

plStatus plJointFactor_Create(plJointFactor* f, int rows, int n, plArena* arena)
{
    const size_t r = (size_t)(rows > 0 ? rows : 1);
    f->rows = plArena_Alloc(arena, r, sizeof *f->rows);
    f->chosen = plArena_Alloc(arena, r, sizeof *f->chosen);
    f->Y = plArena_Alloc(arena, r * (size_t)n, sizeof(double));
    f->Q = plArena_Alloc(arena, r * (size_t)n, sizeof(double));
    f->R = plArena_Alloc(arena, r * r, sizeof(double));
    f->rank = 0;
    return arena->full ? pl_statusCapacity : pl_statusOk;
}

// --- unit mass: M = L L^T, a root of the mass and a lower matrix of the inertia for each body

static plVec3 lower(const plMat3* L, plVec3 b) // L^-1 b
{
    const double x = b.x / L->x.x, y = (b.y - L->y.x * x) / L->y.y;
    return plVec(x, y, (b.z - L->z.x * x - L->z.y * y) / L->z.z);
}

static plVec3 upper(const plMat3* L, plVec3 b) // L^-T b
{
    const double z = b.z / L->z.z, y = (b.y - L->z.y * z) / L->y.y;
    return plVec((b.x - L->y.x * y - L->z.x * z) / L->x.x, y, z);
}

void plJointed_Whiten(const plJointed* x, const double* g, double* z)
{
    for (int b = 0; b < x->bodyCount; ++b, g += 6, z += 6) {
        plPut3(plScale(1 / x->bodies[b].root, plGet3(g)), z);
        plPut3(lower(&x->bodies[b].L, plGet3(g + 3)), z + 3);
    }
}

void plJointed_Unwhiten(const plJointed* x, const double* z, double* v)
{
    for (int b = 0; b < x->bodyCount; ++b, z += 6, v += 6) {
        plPut3(plScale(1 / x->bodies[b].root, plGet3(z)), v);
        plPut3(upper(&x->bodies[b].L, plGet3(z + 3)), v + 3);
    }
}

// L^T v of velocities, L z of forces.
static void whitenVelocity(const plJointed* x, const double* v, double* z)
{
    for (int b = 0; b < x->bodyCount; ++b, v += 6, z += 6) {
        plPut3(plScale(x->bodies[b].root, plGet3(v)), z);
        plPut3(plMulT(&x->bodies[b].L, plGet3(v + 3)), z + 3);
    }
}

static void unwhitenForce(const plJointed* x, const double* z, double* g)
{
    for (int b = 0; b < x->bodyCount; ++b, z += 6, g += 6) {
        plPut3(plScale(x->bodies[b].root, plGet3(z)), g);
        plPut3(plMul(&x->bodies[b].L, plGet3(z + 3)), g + 3);
    }
}

// --- factors

void plJointed_Meet(const plMechanism* m, plJointFactor* f, const plPlace* places, const double* v)
{
    const plJointed* x = m->jointed;
    const int n = m->n;
    plJointed_Rows(m, places, v, f->rows);
    for (int i = 0; i < x->rowCount; ++i) {
        double* y = &f->Y[i * n];
        memset(y, 0, (size_t)n * sizeof *y);
        plJointed_AddRow(m, places, &f->rows[i], 1, y);
        plJointed_Whiten(x, y, y);
    }
}

static double takeAway(const double* q, double* y, int n)
{
    const double s = plDotN(q, y, n);
    for (int i = 0; i < n; ++i) y[i] -= s * q[i];
    return s;
}

// The row of which most is left by those before it, as a share of it; -1: of every one it is less than
// 1e-8, as only those have that say nothing new, where joints are closed to 1e-12. A row that was taken
// has nothing left.
static int pivotOf(const double* share, int rows)
{
    double most = 1e-16;
    int best = -1;
    for (int i = 0; i < rows; ++i) {
        if (!(share[i] > most)) continue;
        most = share[i];
        best = i;
    }
    return best;
}

void plJointed_Choose(const plMechanism* m, plJointFactor* f)
{
    const plJointed* x = m->jointed;
    const int n = m->n, rows = x->rowCount;
    double *whole = x->x, *share = x->push;
    memcpy(x->tall, f->Y, (size_t)(rows * n) * sizeof(double));
    for (int i = 0; i < rows; ++i) {
        whole[i] = plDotN(&f->Y[i * n], &f->Y[i * n], n);
        share[i] = whole[i] > 0;
    }
    f->rank = 0;
    for (int best; f->rank < n && (best = pivotOf(share, rows)) >= 0;) {
        double* q = &x->tall[best * n];
        const double size = sqrt(plDotN(q, q, n));
        for (int i = 0; i < n; ++i) q[i] /= size;
        share[best] = 0;
        f->chosen[f->rank++] = best;
        for (int i = 0; i < rows; ++i) {
            double* y = &x->tall[i * n];
            if (share[i] == 0 || takeAway(q, y, n) == 0) continue;
            share[i] = plDotN(y, y, n) / whole[i];
        }
    }
}

// Gram and Schmidt; a column that lost more than half of itself once more: then Q is orthonormal to
// round-off (Kahan and Parlett). One of which nothing is left asks for nothing: R is infinite there.
void plJointed_Factor(const plMechanism* m, plJointFactor* f)
{
    const int n = m->n, ld = m->jointed->rowCount;
    for (int k = 0; k < f->rank; ++k) {
        const double* y = &f->Y[f->chosen[k] * n];
        double* q = &f->Q[k * n];
        const double whole = plDotN(y, y, n);
        double before, left = whole;
        memcpy(q, y, (size_t)n * sizeof *q);
        for (int j = 0; j < k; ++j) f->R[j * ld + k] = 0;
        do {
            before = left;
            for (int j = 0; j < k; ++j) f->R[j * ld + k] += takeAway(&f->Q[j * n], q, n);
            left = plDotN(q, q, n);
        } while (left < 0.25 * before && left > 1e-26 * whole);
        const double size = sqrt(left);
        const bool some = left > 1e-26 * whole;
        f->R[k * ld + k] = some ? size : HUGE_VAL;
        for (int i = 0; i < n; ++i) q[i] = some ? q[i] / size : 0;
    }
}

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

// The joints' share of z, x = Q^T z - `wanted`, is taken from it. `impulse`: what the joints gave for
// that, -Y R^-1 x, from the multipliers.
static void hold(const plMechanism* m, const plJointFactor* f, const double* wanted, double* z,
                 double* impulse)
{
    const plJointed* X = m->jointed;
    const int n = m->n;
    double* x = X->x;
    for (int k = 0; k < f->rank; ++k) {
        x[k] = plDotN(&f->Q[k * n], z, n) - (wanted ? wanted[k] : 0);
    }
    for (int k = 0; k < f->rank; ++k) {
        for (int i = 0; i < n; ++i) z[i] -= x[k] * f->Q[k * n + i];
    }
    if (!impulse) return;
    solveR(f, X->rowCount, x);
    memset(X->y, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < f->rank; ++k) {
        for (int i = 0; i < n; ++i) X->y[i] -= x[k] * f->Y[f->chosen[k] * n + i];
    }
    unwhitenForce(X, X->y, impulse);
}

void plJointed_Respond(const plMechanism* m, const plJointFactor* f, const double* g, double* v,
                       double* answer)
{
    double* z = m->jointed->z;
    plJointed_Whiten(m->jointed, g, z);
    hold(m, f, NULL, z, answer);
    plJointed_Unwhiten(m->jointed, z, v);
}

void plJointed_Close(const plMechanism* m, const plJointFactor* f, double* v, double* impulse)
{
    double* z = m->jointed->z;
    whitenVelocity(m->jointed, v, z);
    hold(m, f, NULL, z, impulse);
    plJointed_Unwhiten(m->jointed, z, v);
}

void plJointed_Accelerate(const plMechanism* m, const plJointFactor* f, const double* g, double* a,
                          double* held)
{
    const plJointed* x = m->jointed;
    double *z = x->z, *wanted = x->push;
    for (int k = 0; k < f->rank; ++k) wanted[k] = -f->rows[f->chosen[k]].acceleration;
    solveRT(f, x->rowCount, wanted);
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
    const plJointed* x = m->jointed;
    double error = HUGE_VAL;
    for (int round = 0; round <= rounds; ++round) {
        m->kind->place(m, q, places);
        plJointed_Meet(m, f, places, NULL);
        plJointed_Factor(m, f);
        const double now = largest(x, f->rows), last = error;
        error = now;
        if (!(now > 1e-15) || (now < 1e-13 && now > 0.5 * last) || round == rounds) break;
        memset(x->z, 0, (size_t)m->n * sizeof(double));
        for (int k = 0; k < f->rank; ++k) x->x[k] = -f->rows[f->chosen[k]].value;
        solveRT(f, x->rowCount, x->x);
        for (int k = 0; k < f->rank; ++k) {
            for (int i = 0; i < m->n; ++i) x->z[i] += x->x[k] * f->Q[k * m->n + i];
        }
        plJointed_Unwhiten(x, x->z, x->y);
        m->kind->move(m, q, 1, x->y, q);
    }
    return error;
}

// Where rows are redundant: push = K^T (K K^T)^-1 Q^T L^-1 force with K = Q^T Y.
static void shareOut(const plMechanism* m, const plJointFactor* f, const double* z, double* push)
{
    const plJointed* x = m->jointed;
    const int n = m->n, rows = x->rowCount, r = f->rank;
    for (int k = 0; k < r; ++k) {
        for (int i = 0; i < rows; ++i) {
            x->wide[k * rows + i] = plDotN(&f->Q[k * n], &f->Y[i * n], n);
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

void plJointed_Pushes(const plMechanism* m, const plJointFactor* f, const double* force,
                      double* push)
{
    const plJointed* x = m->jointed;
    plJointed_Whiten(x, force, x->z);
    if (f->rank < x->rowCount) {
        shareOut(m, f, x->z, push);
        return;
    }
    for (int k = 0; k < f->rank; ++k) x->x[k] = plDotN(&f->Q[k * m->n], x->z, m->n);
    solveR(f, x->rowCount, x->x);
    for (int k = 0; k < f->rank; ++k) push[f->chosen[k]] = x->x[k];
}
