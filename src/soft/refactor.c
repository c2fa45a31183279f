// The numbers of a factor anew, over the pattern that it has: column by column, each takes from A what
// the columns before it have taken already (left-looking). Neighbouring columns whose patterns are the
// same below them form a run; a run acts as one, since its rows are found once.
#include "soft/inside.h"

// Columns of the tree of elimination hold what the next ones hold, so that equal lengths are enough.
void plSoftFactor_FindRuns(plSoftFactor* f)
{
    for (int j = 0; j < f->n; ++j) {
        const int length = f->start[j + 1] - f->start[j];
        const int before = j > 0 ? f->start[j] - f->start[j - 1] : 0;
        const bool same = before == length + 1 && f->index[f->start[j - 1] + 1] == j;
        f->run[j] = same ? f->run[j - 1] : j;
        f->runEnd[f->run[j]] = j + 1;
    }
}

/// x = column j of A, on and below its diagonal.
static void gather(plSoftFactor* f, int j)
{
    const plSoft* s = f->soft;
    const int dof = f->dofOf[j], node = dof / 3, c = dof % 3;
    for (int k = f->start[j]; k < f->start[j + 1]; ++k) f->x[f->index[k]] = 0;
    for (int k = s->start[node]; k < s->start[node + 1]; ++k) {
        const double mass = plSoft_MassOf(s, f->mass, node, k);
        for (int e = 0; e < 3; ++e) {
            const int row = f->rowOf[3 * s->column[k] + e];
            if (row < j) continue;
            f->x[row] = plSoft_Entry(s, f->a, f->b, mass, k, c, e);
        }
    }
}

// x -= L(rows, c) L(j, c) over columns first .. end - 1 of a run, on the last `length` rows of the
// run's pattern, the first of which is j.
static void takeRun(plSoftFactor* f, int first, int end, int length)
{
    const int* rows = &f->index[f->start[end] - length];
    double* x = f->x;
    int c = first;
    for (; c + 2 < end; c += 3) { // the rows of a node
        const double* p = &f->L[f->start[c + 1] - length];
        const double* q = &f->L[f->start[c + 2] - length];
        const double* r = &f->L[f->start[c + 3] - length];
        const double a = p[0], b = q[0], d = r[0];
        for (int i = 0; i < length; ++i) x[rows[i]] -= a * p[i] + b * q[i] + d * r[i];
    }
    for (; c < end; ++c) {
        const double* p = &f->L[f->start[c + 1] - length];
        const double a = p[0];
        for (int i = 0; i < length; ++i) x[rows[i]] -= a * p[i];
    }
}

/// A run waits for the column of its next row; `rest` counts its rows from there.
static void enqueue(plSoftFactor* f, int first, int end, int rest)
{
    f->rest[first] = rest;
    if (rest == 0) return;
    const int row = f->index[f->start[end] - rest];
    f->next[first] = f->head[row];
    f->head[row] = first;
}

static bool finish(plSoftFactor* f, int j)
{
    const int begin = f->start[j], end = f->start[j + 1];
    const double pivot = f->x[j];
    if (!(pivot > 0 && isfinite(pivot))) return false;
    const double root = sqrt(pivot);
    f->L[begin] = root;
    for (int k = begin + 1; k < end; ++k) f->L[k] = f->x[f->index[k]] / root;
    return true;
}

bool plSoftFactor_Refactor(plSoftFactor* f)
{
    for (int j = 0; j < f->n; ++j) f->head[j] = -1;
    for (int j = 0; j < f->n; ++j) {
        const int own = f->run[j], length = f->start[j + 1] - f->start[j];
        gather(f, j);
        for (int first = f->head[j], next; first >= 0; first = next) {
            const int end = f->runEnd[first];
            next = f->next[first];
            takeRun(f, first, end, f->rest[first]);
            enqueue(f, first, end, f->rest[first] - 1);
        }
        if (own < j) takeRun(f, own, j, length);
        if (!finish(f, j)) return false;
        if (f->runEnd[own] == j + 1) enqueue(f, own, j + 1, length - 1);
    }
    return true;
}
