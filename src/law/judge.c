// The one judge. It multiplies, projects and measures by itself.
#include "law/law.h"

static bool isZero(const double* p, int dim)
{
    return p[0] == 0 && (dim < 2 || p[1] == 0) && (dim < 3 || p[2] == 0);
}

static double dot(const double* a, const double* b, int dim)
{
    return a[0] * b[0] + (dim > 1 ? a[1] * b[1] : 0) + (dim > 2 ? a[2] * b[2] : 0);
}

// W p of the rows first .. last of a contact. Most contacts may be open: their columns are not read.
static void products(const plSpace* s, const double* p, int contact, int first, int last,
                     double* Wp)
{
    const int dim = s->dim, rows = dim * s->count;
    for (int k = first; k <= last; ++k) Wp[k] = 0;
    if (s->W) {
        for (int j = 0; j < rows; j += dim) {
            if (isZero(&p[j], dim)) continue;
            for (int k = first; k <= last; ++k) {
                Wp[k] += dot(&s->W[(dim * contact + k) * rows + j], &p[j], dim);
            }
        }
        return;
    }
    for (int b = s->blockStart[contact]; b < s->blockStart[contact + 1]; ++b) {
        const double* pj = &p[dim * s->blockColumn[b]];
        for (int k = first; k <= last; ++k) Wp[k] += dot(&s->blocks[(b * dim + k) * dim], pj, dim);
    }
}

static double diagonalOf(const plSpace* s, int contact, int k)
{
    const int dim = s->dim, row = dim * contact + k;
    if (s->W) return s->W[row * dim * s->count + row];
    return s->blocks[(s->diagonal[contact] * dim + k) * dim + k];
}

static double sumOfSquares(const double* a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * a[i];
    return sum;
}

// Projection on {|r_t| <= mu r_n}: inside; in the polar cone; else on the border.
static void projectOnCone(double* r, int dim, double mu)
{
    double t = 0;
    for (int k = 1; k < dim; ++k) t = hypot(t, r[k]);
    if (t <= mu * r[0]) return;
    if (mu * t <= -r[0]) {
        for (int k = 0; k < dim; ++k) r[k] = 0;
        return;
    }
    const double n = (mu * t + r[0]) / (1 + mu * mu);
    for (int k = 1; k < dim; ++k) r[k] *= t > 0 ? mu * n / t : 0;
    r[0] = n;
}

double plJudge_Natural(const plSpace* s, const double* q, const double* p)
{
    const int dim = s->dim;
    double defect = 0;
    for (int i = 0; i < s->count; ++i) {
        double w[3], r[3], slip = 0;
        products(s, p, i, 0, dim - 1, w);
        for (int k = 0; k < dim; ++k) w[k] += q[dim * i + k];
        for (int k = 1; k < dim; ++k) slip = hypot(slip, w[k]);
        w[0] += s->pair[i].mu * slip;
        for (int k = 0; k < dim; ++k) r[k] = p[dim * i + k] - w[k];
        projectOnCone(r, dim, s->pair[i].mu);
        for (int k = 0; k < dim; ++k) defect += (p[dim * i + k] - r[k]) * (p[dim * i + k] - r[k]);
    }
    const double size = sumOfSquares(q, dim * s->count);
    return sqrt(defect / (size > 0 ? size : 1));
}

// p_t against the disk of this radius; with none, p_t should be 0 whatever the velocity.
static double tangentDefect(const plSpace* s, const double* q, const double* p, int i,
                            double radius)
{
    const int dim = s->dim, n = dim * i;
    double mean = 0, defect = 0, trial[2] = {0}, length = 0, Wp[3];
    if (radius > 0) products(s, p, i, 1, dim - 1, Wp);
    for (int k = 1; k < dim; ++k) mean += diagonalOf(s, i, k) / (dim - 1);
    if (!(mean > 0)) mean = 1; // nothing answers here: any unit does
    for (int k = 1; k < dim && radius > 0; ++k) {
        trial[k - 1] = p[n + k] - (q[n + k] + Wp[k]) / mean;
        length = hypot(length, trial[k - 1]);
    }
    for (int k = 1; k < dim; ++k) {
        const double there = length > radius ? trial[k - 1] * (radius / length) : trial[k - 1];
        defect += (p[n + k] - there) * (p[n + k] - there);
    }
    return defect;
}

static double contactDefect(const plSpace* s, const double* q, const double* p, int i)
{
    const int n = s->dim * i;
    double Wp;
    products(s, p, i, 0, 0, &Wp);
    const double normal = fmax(0, p[n] - (q[n] + Wp) / diagonalOf(s, i, 0));
    const double tangent = tangentDefect(s, q, p, i, s->pair[i].mu * normal);
    return (p[n] - normal) * (p[n] - normal) + tangent;
}

// A contact that nothing can move (W_nn = 0) has no say.
double plJudge_Res(const plSpace* s, const double* q, const double* p)
{
    double defect = 0;
    for (int i = 0; i < s->count; ++i) {
        if (diagonalOf(s, i, 0) > 0) defect += contactDefect(s, q, p, i);
    }
    return defect == 0 ? 0 : sqrt(defect / sumOfSquares(p, s->dim * s->count));
}

double plJudge_Lcp(const double* M, int n, const double* q, const double* z)
{
    double worst = 0, size = 0;
    for (int i = 0; i < n; ++i) {
        double w = q[i];
        for (int j = 0; j < n; ++j) w += M[i * n + j] * z[j];
        const double defect = fabs(fmin(w, z[i]));
        if (!(defect <= worst)) worst = defect; // keeps a NaN
        size = fmax(size, fabs(q[i]));
    }
    return worst / (size > 0 ? size : 1);
}

// p_t as a sum of beta_j d_j over the two directions beside it, d_j at the angle 2 pi j/sides: the
// decomposition with the least sum.
static void decompose(const double* t, int sides, double* beta)
{
    for (int j = 0; j < sides; ++j) beta[j] = 0;
    if (sides == 2) {
        beta[t[0] < 0] = fabs(t[0]);
        return;
    }
    const double width = 2 * PL_PI / sides, length = hypot(t[0], t[1]);
    const double turn = atan2(t[1], t[0]), angle = turn < 0 ? turn + 2 * PL_PI : turn;
    const int first = (int)(angle / width);
    const double inside = angle - width * first;
    beta[first % sides] = length * sin(width - inside) / sin(width);
    beta[(first + 1) % sides] = length * sin(inside) / sin(width);
}

static void keepLargest(double* worst, double value)
{
    if (!(fabs(value) <= *worst)) *worst = fabs(value); // a NaN stays
}

// Defects of pyramids: the largest one as a velocity, and the sum of squares as impulses.
typedef struct {
    double worst, squares;
} Defects;

// Of a complementary pair, z >= 0 as an impulse, w >= 0 as a velocity; D makes one of the other.
static void addPair(Defects* d, double D, double z, double w)
{
    const double defect = fmin(D * z, w);
    keepLargest(&d->worst, defect);
    if (D > 0) d->squares += (defect / D) * (defect / D);
}

// One contact's pyramid. With w_j = d_j.(W p)_t + q_j the multiplier of the friction bound is
// lambda = max(0, -min w_j); then 0 <= beta_j | w_j + lambda >= 0 and 0 <= lambda | mu p_n - sum
// beta >= 0.
static void addPyramid(const plSpace* s, const double* q, const double* p, int i, int sides,
                       Defects* d)
{
    const int n = s->dim * i;
    const double* qi = &q[i * (1 + sides)];
    double t[2] = {0}, wt[2] = {0}, L = 0, lambda = 0, bound = s->pair[i].mu * p[n];
    double w[plMaxSides], beta[plMaxSides], Wp[3];
    products(s, p, i, 0, s->dim - 1, Wp);
    addPair(d, diagonalOf(s, i, 0), p[n], qi[0] + Wp[0]);
    if (sides == 0) return;
    for (int k = 1; k < s->dim; ++k) {
        t[k - 1] = p[n + k];
        wt[k - 1] = Wp[k];
        L += diagonalOf(s, i, k) / (s->dim - 1);
    }
    for (int j = 0; j < sides; ++j) {
        const double angle = 2 * PL_PI * j / sides;
        w[j] = cos(angle) * wt[0] + sin(angle) * wt[1] + qi[1 + j];
        lambda = fmax(lambda, -w[j]);
    }
    decompose(t, sides, beta);
    for (int j = 0; j < sides; ++j) {
        bound -= beta[j];
        if (beta[j] != 0) addPair(d, L, beta[j], w[j] + lambda);
    }
    addPair(d, L, bound, lambda);
}

static Defects findDefects(const plSpace* s, const double* q, const double* p, int sides)
{
    Defects d = {0};
    for (int i = 0; i < s->count; ++i) addPyramid(s, q, p, i, sides, &d);
    return d;
}

static int sidesOf(const plSpace* s) { return s->dim == 1 ? 0 : s->dim == 2 ? 2 : s->sides; }

double plJudge_Pyramid(const plSpace* s, const double* q, const double* p)
{
    const int sides = sidesOf(s);
    double size = 0;
    for (int i = 0; i < s->count * (1 + sides); ++i) size = fmax(size, fabs(q[i]));
    return findDefects(s, q, p, sides).worst / (size > 0 ? size : 1);
}

double plJudge_PyramidRes(const plSpace* s, const double* q, const double* p)
{
    const double squares = findDefects(s, q, p, sidesOf(s)).squares;
    return squares == 0 ? 0 : sqrt(squares / sumOfSquares(p, s->dim * s->count));
}
