// Solving with a factor, and the compliance of candidates.
#include "soft/inside.h"

#include <string.h>

void plSoftFactor_Lower(const plSoftFactor* f, int first, double* x)
{
    for (int j = first; j < f->n; ++j) {
        const int begin = f->start[j], end = f->start[j + 1];
        const double y = x[j] / f->L[begin];
        x[j] = y;
        for (int k = begin + 1; k < end; ++k) x[f->index[k]] -= f->L[k] * y;
    }
}

void plSoftFactor_LowerT(const plSoftFactor* f, int first, double* x)
{
    for (int j = f->n - 1; j >= first; --j) {
        const int begin = f->start[j], end = f->start[j + 1];
        double sum = x[j];
        for (int k = begin + 1; k < end; ++k) sum -= f->L[k] * x[f->index[k]];
        x[j] = sum / f->L[begin];
    }
}

/// x -= A u over the columns that are held at a place other than zero.
static void takeHeld(plSoftFactor* f, const double* u)
{
    const plSoft* s = f->soft;
    for (int i = 0; i < s->nodeCount; ++i) {
        for (int c = 0; c < 3; ++c) {
            const double place = u[3 * i + c];
            if (f->rowOf[3 * i + c] >= 0 || place == 0) continue;
            for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
                const int other = s->column[k];
                for (int e = 0; e < 3; ++e) {
                    const int row = f->rowOf[3 * other + e];
                    if (row < 0) continue;
                    double A = f->b * s->K[9 * k + 3 * c + e];
                    if (e == c && f->mass == pl_softConsistent) A += f->a * s->M[k];
                    f->x[row] -= A * place;
                }
            }
        }
    }
}

void plSoftFactor_Solve(plSoftFactor* f, const double* force, double* u)
{
    for (int i = 0; i < f->n; ++i) f->x[i] = force[f->dofOf[i]];
    takeHeld(f, u);
    plSoftFactor_Lower(f, 0, f->x);
    plSoftFactor_LowerT(f, 0, f->x);
    for (int i = 0; i < f->n; ++i) u[f->dofOf[i]] = f->x[i];
}

// The rows of the candidates are the last ones, and so are those of their forces: nothing before
// them is touched.
void plSoftFactor_Compliance(plSoftFactor* f, double* C)
{
    const int size = 3 * f->candidateCount, first = f->n - f->tail;
    memset(C, 0, (size_t)size * (size_t)size * sizeof *C);
    for (int j = 0; j < size; ++j) {
        const int column = f->rowOf[3 * f->candidates[j / 3] + j % 3];
        if (column < 0) continue;
        memset(f->x + first, 0, (size_t)f->tail * sizeof *f->x);
        f->x[column] = 1;
        plSoftFactor_Lower(f, column, f->x);
        plSoftFactor_LowerT(f, first, f->x);
        for (int i = j; i < size; ++i) { // symmetric to the last bit
            const int row = f->rowOf[3 * f->candidates[i / 3] + i % 3];
            if (row >= 0) C[i * size + j] = C[j * size + i] = f->x[row];
        }
    }
}
