// Lemke's method on an exchange tableau: the basic variables are b + T times the others.
//
// A pivot costs n^2, where a factor anew costs n^3. Digits are lost on the way, but all that is taken
// from the tableau is which variables are basic: the answer is solved from M itself and measured.
#include "law/lemke.h"

#include <string.h>

// Names of variables: w_i is i, z_i is n + i, the covering one 2 n.
static int complementOf(const plLcp* l, int variable)
{
    return variable < l->n ? variable + l->n : variable - l->n;
}

// y += s x, four at a time.
static void addScaled(double* restrict y, double s, const double* restrict x, int n)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        y[i] += s * x[i];
        y[i + 1] += s * x[i + 1];
        y[i + 2] += s * x[i + 2];
        y[i + 3] += s * x[i + 3];
    }
    for (; i < n; ++i) y[i] += s * x[i];
}

// The variable of a row and that of a column change places.
static void exchange(plLcp* l, int row, int column)
{
    const int width = l->n + 1, kept = l->list[row];
    double* r = &l->S[row * width];
    const double inverse = 1 / r[column];
    for (int j = 0; j < width; ++j) r[j] *= -inverse;
    r[column] = inverse;
    l->x[row] *= -inverse;
    for (int i = 0; i < l->n; ++i) {
        double *to = &l->S[i * width], share = to[column];
        if (i == row || share == 0) continue;
        to[column] = 0;
        addScaled(to, share, r, width);
        l->x[i] += share * l->x[row];
    }
    l->list[row] = l->pivot[column];
    l->pivot[column] = kept;
}

// All w are basic.
static void begin(plLcp* l, double scale, double perturb, double size, int seed)
{
    const int n = l->n, width = n + 1;
    const double inverse = 1 / scale;
    for (int i = 0; i < n; ++i) {
        double* row = &l->S[i * width];
        for (int j = 0; j < n; ++j) row[j] = l->M[i * n + j] * inverse;
        row[n] = l->cover[i] = 1 + plLcp_Generic(i, seed);
        l->x[i] = l->q[i] + perturb * size * (0.5 + plLcp_Generic(i, seed + 7));
        l->list[i] = i;
        l->pivot[i] = n + i;
    }
    l->pivot[n] = 2 * n;
}

static int firstRow(const plLcp* l)
{
    int first = 0;
    for (int i = 1; i < l->n; ++i) {
        if (l->x[i] / l->cover[i] < l->x[first] / l->cover[first]) first = i;
    }
    return first;
}

static int columnOf(const plLcp* l, int variable)
{
    for (int j = 0; j <= l->n; ++j) {
        if (l->pivot[j] == variable) return j;
    }
    return -1;
}

static void putStates(plLcp* l)
{
    memset(l->state, 0, (size_t)l->n * sizeof *l->state);
    for (int i = 0; i < l->n; ++i) {
        if (l->list[i] >= l->n) l->state[l->list[i] - l->n] = 1;
    }
}

bool plLcp_Tableau(plLcp* l, double scale, double size, int* pivots)
{
    const double perturb = 1e-13;
    begin(l, scale, perturb, size, 0);
    int out = firstRow(l), covered = out, column = l->n;
    if (l->x[out] >= 0) return false; // nothing to do: z = 0
    for (int k = 0, limit = 10 * l->n + 200; k < limit; ++k) {
        const int left = l->list[out];
        if (!plLcp_Pay(l, (double)l->n * l->n)) return false;
        exchange(l, out, column);
        *pivots += 1;
        if (left == 2 * l->n) {
            putStates(l);
            return true;
        }
        column = columnOf(l, complementOf(l, left));
        for (int i = 0; i < l->n; ++i) l->d[i] = -l->S[i * (l->n + 1) + column];
        out = plLcp_Leaving(l, covered, 1e-3 * perturb * size);
        if (out < 0) return false;
    }
    return false;
}
