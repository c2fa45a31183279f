// The algebra of joints, in coordinates of unit mass.
#include "mechanism/jointed.h"

#include <string.h>

enum { rowSize = 12 };

plStatus plJointFactor_Create(plJointFactor* f, int rows, int n, plArena* arena)
{
    const size_t r = (size_t)(rows > 0 ? rows : 1);
    f->rows = plArena_Alloc(arena, r, sizeof *f->rows);
    f->chosen = plArena_Alloc(arena, r, sizeof *f->chosen);
    f->first = plArena_Alloc(arena, r, sizeof *f->first);
    f->Y = plArena_Alloc(arena, r * rowSize, sizeof(double));
    f->Q = plArena_Alloc(arena, r * (size_t)n, sizeof(double));
    f->R = plArena_Alloc(arena, r * r, sizeof(double));
    f->N = plArena_Alloc(arena, r * r, sizeof(double));
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

void plJointed_WhitenVelocity(const plJointed* x, const double* v, double* z)
{
    for (int b = 0; b < x->bodyCount; ++b, v += 6, z += 6) {
        plPut3(plScale(x->bodies[b].root, plGet3(v)), z);
        plPut3(plMulT(&x->bodies[b].L, plGet3(v + 3)), z + 3);
    }
}

void plJointed_UnwhitenForce(const plJointed* x, const double* z, double* g)
{
    for (int b = 0; b < x->bodyCount; ++b, z += 6, g += 6) {
        plPut3(plScale(x->bodies[b].root, plGet3(z)), g);
        plPut3(plMul(&x->bodies[b].L, plGet3(z + 3)), g + 3);
    }
}

// --- factors

// A row touches the bodies of its joint alone.
static const plConstraintBody* jointOf(const plJointed* x, const plJointFactor* f, int row)
{
    return &x->joints[f->rows[row].joint];
}

static double dot6(const double* a, const double* b)
{
    return (a[0] * b[0] + a[3] * b[3]) + (a[1] * b[1] + a[4] * b[4]) + (a[2] * b[2] + a[5] * b[5]);
}

double plJointed_Along(const plMechanism* m, const plJointFactor* f, int row, const double* z)
{
    const plConstraintBody* joint = jointOf(plJointed_Of(m), f, row);
    const double* y = &f->Y[rowSize * row];
    const double a = joint->a < 0 ? 0 : dot6(y, z + 6 * joint->a);
    return joint->b < 0 ? a : a + dot6(y + 6, z + 6 * joint->b);
}

void plJointed_Pull(const plMechanism* m, const plJointFactor* f, int row, double s, double* z)
{
    const plConstraintBody* joint = jointOf(plJointed_Of(m), f, row);
    const double* y = &f->Y[rowSize * row];
    for (int i = 0; joint->a >= 0 && i < 6; ++i) z[6 * joint->a + i] += s * y[i];
    for (int i = 0; joint->b >= 0 && i < 6; ++i) z[6 * joint->b + i] += s * y[6 + i];
}

void plJointed_Spread(const plMechanism* m, const plJointFactor* f, int row, double* z)
{
    memset(z, 0, (size_t)m->n * sizeof *z);
    plJointed_Pull(m, f, row, 1, z);
}

static void whitenBody(const plJointed* x, int b, double* y)
{
    plPut3(plScale(1 / x->bodies[b].root, plGet3(y)), y);
    plPut3(lower(&x->bodies[b].L, plGet3(y + 3)), y + 3);
}

void plJointed_Meet(const plMechanism* m, plJointFactor* f, const plPlace* places, const double* v)
{
    const plJointed* x = plJointed_Of(m);
    plJointed_Rows(m, places, v, f->rows);
    memset(f->Y, 0, (size_t)(x->rowCount * rowSize) * sizeof(double));
    for (int i = 0; i < x->rowCount; ++i) {
        const plConstraintBody* joint = jointOf(x, f, i);
        double* y = &f->Y[rowSize * i];
        plJointed_RowEnds(m, places, &f->rows[i], y, y + 6);
        if (joint->a >= 0) whitenBody(x, joint->a, y);
        if (joint->b >= 0) whitenBody(x, joint->b, y + 6);
    }
}

static double takeAway(const double* q, double* y, int n)
{
    const double s = plDotN(q, y, n);
    for (int i = 0; i < n; ++i) y[i] -= s * q[i];
    return s;
}

// Least share of a row, squared, that others leave of it where H has digits enough: its condition is then
// about 1e8, and half of them are left for a correction to work with.
static const double soundShare = 1e-7;

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

// The chosen rows as joints have them, where the factor of H is short: then those that were not chosen.
static void listChosen(plJointFactor* f, int rows, double* mark)
{
    int kept = 0, other = f->rank;
    for (int i = 0; i < rows; ++i) mark[i] = 0;
    for (int k = 0; k < f->rank; ++k) mark[f->chosen[k]] = 1;
    for (int i = 0; i < rows; ++i) f->chosen[mark[i] > 0 ? kept++ : other++] = i;
}

void plJointed_Choose(const plMechanism* m, plJointFactor* f)
{
    plJointed* x = plJointed_Of(m);
    const int n = m->n, rows = x->rowCount;
    double *whole = x->x, *share = x->push;
    double least = 1;
    for (int i = 0; i < rows; ++i) {
        plJointed_Spread(m, f, i, &x->tall[i * n]);
        whole[i] = plDotN(&x->tall[i * n], &x->tall[i * n], n);
        share[i] = whole[i] > 0;
    }
    f->rank = 0;
    for (int best; f->rank < n && (best = pivotOf(share, rows)) >= 0;) {
        double* q = &x->tall[best * n];
        const double size = sqrt(plDotN(q, q, n));
        for (int i = 0; i < n; ++i) q[i] /= size;
        least = fmin(least, share[best]);
        share[best] = 0;
        f->chosen[f->rank++] = best;
        for (int i = 0; i < rows; ++i) {
            double* y = &x->tall[i * n];
            if (share[i] == 0 || takeAway(q, y, n) == 0) continue;
            share[i] = plDotN(y, y, n) / whole[i];
        }
    }
    f->sound = least > soundShare;
    f->squared = x->depends = false;
    listChosen(f, rows, x->push);
}

void plJointed_Adopt(const plMechanism* m, plJointFactor* f)
{
    const plJointFactor* now = &plJointed_Of(m)->now;
    f->rank = now->rank;
    f->sound = now->sound;
    f->squared = false;
    memcpy(f->chosen, now->chosen, (size_t)plJointed_Of(m)->rowCount * sizeof *f->chosen);
}

// Gram and Schmidt; a column that lost more than half of itself once more: then Q is orthonormal to
// round-off (Kahan and Parlett). One of which nothing is left asks for nothing: R is infinite there.
static void factorQR(const plMechanism* m, plJointFactor* f)
{
    const int n = m->n, ld = plJointed_Of(m)->rowCount;
    for (int k = 0; k < f->rank; ++k) {
        double* q = &f->Q[k * n];
        plJointed_Spread(m, f, f->chosen[k], q);
        const double whole = plDotN(q, q, n);
        double before, left = whole;
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

static double dotOf(const plJointed* x, const plJointFactor* f, int row, int other)
{
    const plConstraintBody *r = jointOf(x, f, row), *o = jointOf(x, f, other);
    const double *y = &f->Y[rowSize * row], *z = &f->Y[rowSize * other];
    double sum = 0;
    if (r->a >= 0 && r->a == o->a) sum += dot6(y, z);
    if (r->a >= 0 && r->a == o->b) sum += dot6(y, z + 6);
    if (r->b >= 0 && r->b == o->a) sum += dot6(y + 6, z);
    if (r->b >= 0 && r->b == o->b) sum += dot6(y + 6, z + 6);
    return sum;
}

// H = Y^T Y of the chosen rows, and its factor by rows, from the first entry of each that is not zero. False: a
// row came near others since it was chosen.
static bool factorSquare(const plMechanism* m, plJointFactor* f)
{
    const plJointed* x = plJointed_Of(m);
    const int r = f->rank;
    for (int i = 0; i < r; ++i) {
        double* N = &f->N[i * r];
        int first = i;
        for (int j = 0; j < i; ++j) {
            N[j] = dotOf(x, f, f->chosen[i], f->chosen[j]);
            if (N[j] != 0 && j < first) first = j;
        }
        f->first[i] = first;
        for (int j = first; j < i; ++j) {
            const int from = first > f->first[j] ? first : f->first[j];
            if (j > from) N[j] -= plDotN(N + from, &f->N[j * r + from], j - from);
            N[j] *= f->N[j * (r + 1)];
        }
        const double whole = dotOf(x, f, f->chosen[i], f->chosen[i]);
        const double left = whole - plDotN(N + first, N + first, i - first);
        if (!(left > 0.1 * soundShare * whole)) return false;
        N[i] = 1 / sqrt(left);
    }
    return true;
}

void plJointed_SolveSquare(const plJointFactor* f, double* x)
{
    const int r = f->rank;
    for (int i = 0; i < r; ++i) {
        const int first = f->first[i];
        const double* N = &f->N[i * r];
        x[i] = (x[i] - plDotN(N + first, x + first, i - first)) * N[i];
    }
    for (int i = r - 1; i >= 0; --i) {
        const double* N = &f->N[i * r];
        x[i] *= N[i];
        for (int j = f->first[i]; j < i; ++j) x[j] -= x[i] * N[j];
    }
}

void plJointed_Factor(const plMechanism* m, plJointFactor* f)
{
    f->squared = f->sound && f->rank > 0 && factorSquare(m, f);
    if (!f->squared) factorQR(m, f);
}
