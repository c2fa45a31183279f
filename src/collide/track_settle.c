// Newton on two shapes that look at each other, with parts that change.
//
// Let a, b be places on both, with tangents a_i, b_j, and n the unit normal from b to a. Where
//   a - b = beta n,  n.a_i = 0,  n.b_j = 0
// the signed distance beta does not change to first order. With steps s [m] along the tangents and
// the normal's change e/l across x and y, both square to n, Newton's matrix is symmetric:
//   M = ( l H   T^T         )   T = ( x y )^T ( a_i  -b_j )
//       ( T     -beta/l I   )   H = n.(a_ij, -b_ij) = curvatures, > 0 where solids are convex
// For beta > 0, eliminating e gives the second derivative H + T^T T/beta of the distance. So a
// minimum has exactly two negative eigenvalues, and keeps them through beta = 0: M loses no rank
// there. Points, curves and surfaces differ in the count of tangents only. For two surfaces, M with
// e eliminated by z_f instead is K.                                            (nurbs eq. 13, C10)
#include "collide/track_inside.h"

enum { mostRows = 6 };

/// Which the coordinates of M are scaled by.
#define scaleOfM plTrackLength

typedef struct {
    int n;
    double M[mostRows][mostRows], r[mostRows];
} System;

// --- normal

static plVec3 unitOr(plVec3 v, plVec3 fallback)
{
    const double length = plNorm(v);
    return length > 0 ? plScale(1 / length, v) : fallback;
}

/// Of two that have no normal of their own. Where the bodies tell an outside, it decides the sign.
static plVec3 normalOfCurves(const plElement* f, const plElement* g)
{
    const plVec3 d = plSub(f->p, g->p), out = plSub(g->out, f->out);
    plVec3 n = d;
    // Two curves that are apart look along the line between them, which leads to where they are
    // nearest from afar as well. Near each other or crossed, they look across both.
    const bool apart = plNorm(d) > 0.05 * plTrackLength && plDot(d, out) >= 0;
    if (f->dim == 1 && g->dim == 1 && !apart) {
        const plVec3 across = plCross(f->t[0], g->t[0]);
        // Nearly parallel ones have no common normal to speak of.
        if (plNorm(across) > 1e-3) n = plDot(across, d) < 0 ? plScale(-1, across) : across;
    }
    n = unitOr(n, unitOr(out, plVec(0, 0, 1)));
    return plDot(n, out) < 0 ? plScale(-1, n) : n;
}

static plVec3 normalOf(const plElement* f, const plElement* g)
{
    if (f->dim == 2) return plScale(-1, f->out);
    if (g->dim == 2) return g->out;
    return normalOfCurves(f, g);
}

// --- matrix

static void setCurvatures(System* s, const plElement* e, int first, plVec3 n, double sign)
{
    if (e->dim == 1) s->M[first][first] = scaleOfM * sign * plDot(n, e->bend);
    if (e->dim != 2) return;
    // Seen along n; the two agree where the normals are collinear.
    const double along = -sign * plDot(n, e->out) * scaleOfM;
    s->M[first][first] = along * e->k[0];
    s->M[first][first + 1] = s->M[first + 1][first] = along * e->k[1];
    s->M[first + 1][first + 1] = along * e->k[2];
}

static void setTangents(System* s, const plElement* e, int first, const plVec3 xy[2], plVec3 n,
                        double sign)
{
    for (int i = 0; i < e->dim; i++) {
        for (int k = 0; k < 2; k++) {
            const double T = sign * plDot(xy[k], e->t[i]);
            s->M[s->n - 2 + k][first + i] = s->M[first + i][s->n - 2 + k] = T;
        }
        s->r[first + i] = -sign * scaleOfM * plDot(n, e->t[i]);
    }
}

static void setSystem(System* s, const plMeeting* m)
{
    plVec3 xy[2];
    *s = (System){.n = m->f.dim + m->g.dim + 2};
    plTangents(m->n, &xy[0], &xy[1]);
    setCurvatures(s, &m->f, 0, m->n, 1);
    setCurvatures(s, &m->g, m->f.dim, m->n, -1);
    setTangents(s, &m->f, 0, xy, m->n, 1);
    setTangents(s, &m->g, m->f.dim, xy, m->n, -1);
    const plVec3 d = plSub(m->f.p, m->g.p);
    for (int k = 0; k < 2; k++) {
        const int row = s->n - 2 + k;
        s->M[row][row] = -m->beta / scaleOfM;
        s->r[row] = -plDot(xy[k], d);
    }
}

static void swapRows(double A[mostRows][mostRows], double* b, int i, int k, int n)
{
    for (int j = 0; j < n; j++) {
        const double a = A[i][j];
        A[i][j] = A[k][j], A[k][j] = a;
    }
    const double c = b[i];
    b[i] = b[k], b[k] = c;
}

/// Elimination with exchanges. The least pivot, with the determinant's sign; 0: x is not set.
static double solve(double A[mostRows][mostRows], double* b, int n, double* x)
{
    double least = INFINITY, sign = 1;
    for (int i = 0; i < n; i++) {
        int top = i;
        for (int k = i + 1; k < n; k++) {
            if (fabs(A[k][i]) > fabs(A[top][i])) top = k;
        }
        if (!(fabs(A[top][i]) > 0)) return 0;
        if (top != i) swapRows(A, b, i, top, n), sign = -sign;
        least = plLower(least, fabs(A[i][i]));
        if (A[i][i] < 0) sign = -sign;
        for (int k = i + 1; k < n; k++) {
            const double factor = A[k][i] / A[i][i];
            for (int j = i + 1; j < n; j++) A[k][j] -= factor * A[i][j];
            b[k] -= factor * b[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < n; j++) sum -= A[i][j] * x[j];
        x[i] = sum / A[i][i];
    }
    return sign * least;
}

/// (M^2 + mu^2) x = M r: nothing is done along what M does not see.
static void solveDamped(const System* s, double* x)
{
    const double mu = 10 * plTrackSingular;
    double A[mostRows][mostRows], b[mostRows];
    for (int i = 0; i < s->n; i++) {
        b[i] = 0;
        for (int k = 0; k < s->n; k++) {
            b[i] += s->M[i][k] * s->r[k];
            A[i][k] = i == k ? mu * mu : 0;
            for (int j = 0; j < s->n; j++) A[i][k] += s->M[i][j] * s->M[j][k];
        }
    }
    for (int i = 0; i < s->n; i++) x[i] = 0;
    solve(A, b, s->n, x);
}

bool plMeeting_IsOpposed(const plMeeting* m)
{
    return m->f.dim < 2 || m->g.dim < 2 || plDot(m->f.out, m->g.out) < 0;
}

/// What M does not see may still be tilted, as a cylinder's line over a plane: then down along it, as
/// far as allowed. False: it lies flat, to 1e-4.
static bool slide(const plMeeting* m, double most, double* x)
{
    const bool moveF = m->g.dim == 2;
    const plElement* mover = moveF ? &m->f : &m->g;
    const plElement* other = moveF ? &m->g : &m->f;
    double slope[2] = {0, 0};
    for (int i = 0; i < mover->dim; i++) slope[i] = plDot(other->out, mover->t[i]);
    const double norm = sqrt(slope[0] * slope[0] + slope[1] * slope[1]);
    if (!(norm > 1e-4) || other->dim != 2) return false;
    double* own = moveF ? x : x + m->f.dim;
    double* its = moveF ? x + m->f.dim : x;
    plVec3 to = mover->p;
    for (int i = 0; i < mover->dim; i++) {
        own[i] = -most * slope[i] / norm;
        to = plAddScaled(to, own[i], mover->t[i]);
    }
    for (int i = 0; i < 2; i++) its[i] = plDot(other->t[i], plSub(to, other->p));
    return true;
}

static void findStep(plMeeting* m, double most, double* x)
{
    System s, copy;
    setSystem(&s, m);
    copy = s;
    for (int i = 0; i < s.n; i++) x[i] = 0;
    const double pivot = solve(copy.M, copy.r, s.n, x);
    m->sound = pivot > 0 && plMeeting_IsOpposed(m);
    m->singular = !(fabs(pivot) > plTrackSingular);
    // Elimination still has half of its digits at a thousandth of that.
    const bool blind = !(fabs(pivot) > 1e-3 * plTrackSingular);
    if (blind && !slide(m, most, x)) solveDamped(&s, x);
    double sum = 0;
    for (int i = 0; i < s.n - 2; i++) sum += x[i] * x[i];
    m->step = sqrt(sum);
}

// --- running

static void look(const plSettle* s, plMeeting* m)
{
    plEnd_Element(s->f, s->endF, &m->f);
    plEnd_Element(s->g, s->endG, &m->g);
    m->n = normalOf(&m->f, &m->g);
    m->beta = plDot(m->n, plSub(m->f.p, m->g.p));
    m->gap = m->beta - m->f.radius - m->g.radius;
}

static bool move(plSettle* s, const plMeeting* m, double* x)
{
    const double longest = s->most;
    const double shrink = m->step > longest ? longest / m->step : 1;
    for (int i = 0; i < m->f.dim + m->g.dim; i++) x[i] *= shrink;
    const bool one = plEnd_Move(s->f, &m->f, x, s->endF, &s->flags);
    const bool two = plEnd_Move(s->g, &m->g, x + m->f.dim, s->endG, &s->flags);
    return one || two;
}

static bool leave(plSettle* s, const plMeeting* m)
{
    const bool one = plEnd_Leave(s->f, plScale(-1, m->n), s->tilt, s->endF);
    const bool two = !s->fixed && plEnd_Leave(s->g, m->n, s->tilt, s->endG);
    return one || two;
}

bool plSettle_Run(plSettle* s, int steps, plMeeting* m)
{
    enum { mostTurns = 12 };
    double x[mostRows];
    int turns = 0;
    for (int i = 0; i < steps; i++) {
        look(s, m);
        if (!isfinite(m->beta)) return false;
        findStep(m, s->most, x);
        if (i < 2) s->steps[i] = m->step;
        // What is damped converges by a factor only.
        if (m->step <= (m->singular ? 1e-9 : 1e-12)) {
            if (!leave(s, m)) return true;
            m->step = INFINITY; // stands still, but not where it should
            if (++turns > mostTurns) return false;
            continue;
        }
        if (!move(s, m, x)) continue;
        m->step = INFINITY;
        if (++turns > mostTurns) return false;
    }
    return m->step <= 1e-9 && !leave(s, m);
}

// --- descent

/// Gauss-Newton on (a - b)^2, with a damping that grows until the distance shrinks.
void plSettle_Descend(plSettle* s, int steps)
{
    double damping = 0.1;
    plMeeting m;
    look(s, &m);
    for (int i = 0; i < steps; i++) {
        const int k = m.f.dim + m.g.dim;
        const plVec3 d = plSub(m.f.p, m.g.p);
        plVec3 T[4];
        double A[mostRows][mostRows], b[mostRows], x[mostRows] = {0};
        for (int j = 0; j < m.f.dim; j++) T[j] = m.f.t[j];
        for (int j = 0; j < m.g.dim; j++) T[m.f.dim + j] = plScale(-1, m.g.t[j]);
        for (int j = 0; j < k; j++) {
            for (int l = 0; l < k; l++) A[j][l] = plDot(T[j], T[l]) + (j == l ? damping : 0);
            b[j] = -plDot(T[j], d);
        }
        solve(A, b, k, x);
        m.step = 0;
        for (int j = 0; j < k; j++) m.step += x[j] * x[j];
        m.step = sqrt(m.step);
        const plTrackEnd f = *s->endF, g = *s->endG;
        plMeeting next = m;
        move(s, &next, x);
        look(s, &next);
        const plVec3 e = plSub(next.f.p, next.g.p);
        if (plDot(e, e) < plDot(d, d)) {
            m = next;
            damping = plHigher(1e-2, 0.5 * damping);
        } else {
            *s->endF = f, *s->endG = g;
            damping *= 8;
        }
        leave(s, &m);
        if (m.step < 1e-3 * s->most) return; // Newton is faster now
    }
}

// --- minima

/// Diagonalises a symmetric matrix by rotations.
static void rotate(double A[mostRows][mostRows], int n, int p, int q)
{
    if (fabs(A[p][q]) < 1e-300) return;
    const double h = (A[q][q] - A[p][p]) / (2 * A[p][q]);
    const double t = (h >= 0 ? 1 : -1) / (fabs(h) + sqrt(h * h + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        const double a = A[k][p], b = A[k][q];
        A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
    }
    for (int k = 0; k < n; k++) {
        const double a = A[p][k], b = A[q][k];
        A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
    }
}

bool plMeeting_IsMinimum(const plMeeting* m)
{
    enum { sweeps = 10 };
    System s;
    setSystem(&s, m);
    double off = 1;
    for (int i = 0; i < sweeps && off > 1e-24; i++) {
        off = 0;
        for (int p = 0; p < s.n; p++) {
            for (int q = p + 1; q < s.n; q++) {
                off += s.M[p][q] * s.M[p][q];
                rotate(s.M, s.n, p, q);
            }
        }
    }
    // What is zero (a line or an area that touches) is no reason against it.
    int negative = 0;
    for (int i = 0; i < s.n; i++) negative += s.M[i][i] < -1e-9;
    return negative == 2 && plMeeting_IsOpposed(m);
}
