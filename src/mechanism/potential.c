// Potentials psi(y) of the coordinates of a chain, one y for each velocity.       (pmi sec. 3.2, 4.1, eq. 24)
// Their action in a step is that of the quadratic model at its start,
//     dpsi = grad psi(y_k) + T/2 H(y_k) v^
// which is exact where psi is quadratic. What it misses of the change of psi is leak, and the passes of a tick
// close it as they do for springs on rotations. `bound` is of the eigenvalues of H: with bound I in its place
// psi cannot rise by more than the model says.
#include "mechanism/kind.h"

#include <string.h>

struct plPotential {
    plPotentialKind kind;
    int coordinate, count;
    double* numbers; ///< coefficients; of a table x, energies and second derivatives, `count` each
    plPotentialFunction function;
    void* self;
    double bound;
};

// --- one coordinate: energy and its two derivatives

typedef struct {
    double value, slope, curve;
} Jet;

static Jet polynomialAt(const plPotential* p, double y)
{
    Jet jet = {0, 0, 0};
    for (int k = p->count - 1; k >= 0; --k) { // Horner's rule on c_k y^k, and a last y
        jet.curve = jet.curve * y + 2 * jet.slope;
        jet.slope = jet.slope * y + jet.value;
        jet.value = jet.value * y + p->numbers[k];
    }
    return (Jet){jet.value * y, jet.slope * y + jet.value, jet.curve * y + 2 * jet.slope};
}

// A natural cubic spline, straight on beyond its ends.
static Jet tableAt(const plPotential* p, double y)
{
    const int n = p->count;
    const double *x = p->numbers, *e = x + n, *m = e + n;
    int i = 0;
    while (i < n - 2 && y >= x[i + 1]) ++i;
    const double h = x[i + 1] - x[i], at = fmin(fmax(y, x[0]), x[n - 1]);
    const double a = (x[i + 1] - at) / h, b = (at - x[i]) / h;
    Jet jet = {.value = a * e[i] + b * e[i + 1] +
                        ((a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1]) * h * h / 6,
               .slope = (e[i + 1] - e[i]) / h +
                        ((3 * b * b - 1) * m[i + 1] - (3 * a * a - 1) * m[i]) * h / 6,
               .curve = a * m[i] + b * m[i + 1]};
    if (at == y) return jet;
    return (Jet){jet.value + jet.slope * (y - at), jet.slope, 0};
}

// Second derivatives of the spline: zero at its ends, its slope continuous between.
static void makeSpline(const double* x, const double* e, int n, double* m, double* upper)
{
    m[0] = upper[0] = 0;
    for (int i = 1; i < n - 1; ++i) {
        const double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
        const double pivot = 2 * (h0 + h1) - h0 * upper[i - 1];
        upper[i] = h1 / pivot;
        m[i] = (6 * ((e[i + 1] - e[i]) / h1 - (e[i] - e[i - 1]) / h0) - h0 * m[i - 1]) / pivot;
    }
    m[n - 1] = 0;
    for (int i = n - 2; i > 0; --i) m[i] -= upper[i] * m[i + 1];
}

// --- all of them

static void coordinates(const plMechanism* m, const double* q, double* y)
{
    for (int i = 0; i < m->n; ++i) y[i] = m->place[i] < 0 ? 0 : q[m->place[i]];
}

double plPotentials_Energy(const plMechanism* m, const double* q)
{
    const plPotentials* all = &m->potentials;
    double energy = 0;
    if (all->count == 0) return 0;
    coordinates(m, q, all->y);
    for (int i = 0; i < all->count; ++i) {
        const plPotential* p = &all->list[i];
        const double y = p->kind == pl_potentialFunction ? 0 : all->y[p->coordinate];
        if (p->kind == pl_potentialFunction) {
            energy += p->function(p->self, all->y, m->n, NULL, NULL);
        } else {
            energy += p->kind == pl_potentialTable ? tableAt(p, y).value : polynomialAt(p, y).value;
        }
    }
    return energy;
}

// Functions write theirs; here they are added. What does not turn about a position has none.
static void addFunction(const plMechanism* m, const plPotential* p, double* gradient, double* H)
{
    const plPotentials* all = &m->potentials;
    const int n = m->n;
    memset(all->g, 0, (size_t)n * sizeof(double));
    if (H) memset(all->h, 0, (size_t)(n * n) * sizeof(double));
    p->function(p->self, all->y, n, all->g, H ? all->h : NULL);
    for (int i = 0; i < n; ++i) {
        if (m->place[i] < 0) continue;
        gradient[i] += all->g[i];
        for (int j = 0; H && j < n; ++j) {
            const double mean = 0.5 * (all->h[i * n + j] + all->h[j * n + i]);
            H[i * n + j] += m->place[j] < 0 ? 0 : mean;
        }
    }
}

// Gradient and, where it is asked for, H: by their bounds when they must not rise.
static void addAction(const plMechanism* m, const double* q, bool bounded, double* gradient,
                      double* H)
{
    const plPotentials* all = &m->potentials;
    const int n = m->n;
    coordinates(m, q, all->y);
    for (int i = 0; i < all->count; ++i) {
        const plPotential* p = &all->list[i];
        const bool bound = bounded && p->bound > 0;
        if (p->kind == pl_potentialFunction) {
            addFunction(m, p, gradient, bound ? NULL : H);
            for (int k = 0; bound && H && k < n; ++k) {
                if (m->place[k] >= 0) H[k * (n + 1)] += p->bound;
            }
            continue;
        }
        const int k = p->coordinate;
        const double y = all->y[k];
        const Jet jet = p->kind == pl_potentialTable ? tableAt(p, y) : polynomialAt(p, y);
        gradient[k] += jet.slope;
        if (H) H[k * (n + 1)] += bound ? p->bound : jet.curve;
    }
}

void plPotentials_AddGradient(const plMechanism* m, const double* q, double* gradient)
{
    if (m->potentials.count > 0) addAction(m, q, false, gradient, NULL);
}

void plPotentials_Begin(plMechanism* m, bool bounded)
{
    const plPotentials* all = &m->potentials;
    const int n = m->n;
    if (all->count == 0) return;
    memset(all->gradient, 0, (size_t)n * sizeof(double));
    memset(all->H, 0, (size_t)(n * n) * sizeof(double));
    addAction(m, m->q, bounded, all->gradient, all->H);
    for (int i = 0; i < n; ++i) m->gradient[i] += all->gradient[i];
    for (int i = 0; i < n * n; ++i) m->D[i] += all->H[i];
}

double plPotentials_Leak(const plMechanism* m, const double* mean)
{
    const plPotentials* all = &m->potentials;
    const double T = m->pass.T;
    if (all->count == 0) return 0;
    return plPotentials_Energy(m, m->q1) - plPotentials_Energy(m, m->q) -
           T * (plDotN(all->gradient, mean, m->n) + 0.5 * T * plQuadN(mean, all->H, mean, m->n));
}

uint64_t plPotentials_Identity(const plMechanism* m, uint64_t h)
{
    for (int i = 0; i < m->potentials.count; ++i) {
        const plPotential* p = &m->potentials.list[i];
        const int sizes[] = {(int)p->kind, p->coordinate, p->count};
        h = plHash_Add(h, sizes, sizeof sizes);
        h = plHash_Add(h, &p->bound, sizeof p->bound);
        if (p->count > 0) h = plHash_Add(h, p->numbers, (size_t)p->count * sizeof(double));
        if (p->kind == pl_potentialTable) {
            h = plHash_Add(h, p->numbers + p->count, (size_t)p->count * sizeof(double));
        }
    }
    return h;
}

// --- creation

static const char* numbersComplaint(const plPotentialDef* d)
{
    const bool table = d->kind == pl_potentialTable;
    if (d->count < (table ? 2 : 1) || !d->numbers) {
        return table ? "a table of a potential needs two points or more"
                     : "a polynomial of a potential needs a coefficient";
    }
    for (int i = 0; i < (table ? 2 : 1) * d->count; ++i) {
        if (!isfinite(d->numbers[i])) return "numbers of a potential must be finite";
    }
    for (int i = 1; i < d->count && table; ++i) {
        if (!(d->numbers[2 * i] > d->numbers[2 * i - 2])) {
            return "positions in the table of a potential must grow";
        }
    }
    return NULL;
}

static const char* complaint(const plMechanism* m, const plPotentialDef* d)
{
    if ((int)d->kind < 0 || d->kind >= pl_potentialCount)
        return "kind of a potential not of the list";
    if (!(d->bound >= 0) || !isfinite(d->bound)) {
        return "the bound of a potential must be finite and not negative";
    }
    if (d->kind == pl_potentialFunction)
        return d->function ? NULL : "a potential needs its function";
    if (d->coordinate < 0 || d->coordinate >= m->n || m->place[d->coordinate] < 0) {
        return "the coordinate of a potential must be that of a velocity with a position";
    }
    return numbersComplaint(d);
}

static plStatus makeNumbers(const plPotentialDef* d, plPotential* p, plArena* fixed)
{
    const bool table = d->kind == pl_potentialTable;
    const size_t count = (size_t)p->count;
    p->numbers = plArena_Alloc(fixed, (table ? 4 : 1) * count, sizeof(double));
    if (!p->numbers) return pl_statusCapacity;
    for (int i = 0; i < p->count; ++i) {
        p->numbers[i] = d->numbers[table ? 2 * i : i];
        if (table) p->numbers[p->count + i] = d->numbers[2 * i + 1];
    }
    if (table) {
        double* x = p->numbers;
        makeSpline(x, x + count, p->count, x + 2 * count, x + 3 * count);
    }
    return pl_statusOk;
}

plStatus plPotentials_Create(plMechanism* m, const plPotentialDef* defs, int count, plArena* fixed,
                             const char** why)
{
    plPotentials* all = &m->potentials;
    const size_t n = (size_t)m->n;
    if (count == 0) return pl_statusOk;
    double** const vectors[] = {&all->y, &all->g, &all->gradient};
    double** const squares[] = {&all->h, &all->H};
    for (int i = 0; i < PL_COUNT(vectors); ++i) {
        *vectors[i] = plArena_Alloc(fixed, n, sizeof(double));
    }
    for (int i = 0; i < PL_COUNT(squares); ++i) {
        *squares[i] = plArena_Alloc(fixed, n * n, sizeof(double));
    }
    all->list = plArena_Alloc(fixed, (size_t)count, sizeof *all->list);
    if (fixed->full) return pl_statusCapacity;
    for (int i = 0; i < count; ++i) {
        const plPotentialDef* d = &defs[i];
        plPotential* p = &all->list[i];
        *why = complaint(m, d);
        if (*why) return pl_statusBadArgument;
        *p = (plPotential){.kind = d->kind,
                           .coordinate = d->coordinate,
                           .count = d->kind == pl_potentialFunction ? 0 : d->count,
                           .function = d->function,
                           .self = d->self,
                           .bound = d->bound};
        if (p->count > 0 && makeNumbers(d, p, fixed) != pl_statusOk) return pl_statusCapacity;
    }
    all->count = count;
    return pl_statusOk;
}
