// Parts of Bezier pieces: rectangles of their parameters, with control points of their own that hold
// them.
#include "shape/nurbs_inside.h"

#include <string.h>

static int pointCount(const plPatch* a) { return (a->degreeU + 1) * (a->degreeV + 1); }

/// A Bezier piece is a B-spline with p knots at 0 and p at 1.
static void cut(int p, const double range[2], double C[plOrder][plOrder])
{
    double knots[2 * plPatchDegree];
    for (int i = 0; i < 2 * p; i++) knots[i] = i < p ? 0 : 1;
    plExtract(knots, p, range[0], range[1], C);
}

void plNurbs_BoxPoints(const plNurbs* n, const plPieceBox* b, double H[4 * plPiecePoints])
{
    const plPatch* a = &n->patches[n->pieces[b->piece]];
    const double* P = plNurbs_PiecePoints(n, b->piece);
    if (b->s[0] == 0 && b->s[1] == 1 && b->t[0] == 0 && b->t[1] == 1) {
        memcpy(H, P, 4 * (size_t)pointCount(a) * sizeof *H);
        return;
    }
    double Cu[plOrder][plOrder], Cv[plOrder][plOrder];
    cut(a->degreeU, b->s, Cu);
    cut(a->degreeV, b->t, Cv);
    plTransform(P, a->degreeV + 1, a->degreeU, a->degreeV, Cu, Cv, H);
}

plBounds plNurbs_PartBounds(const plNurbs* n, int piece, double s0, double s1, double t0, double t1)
{
    double H[4 * plPiecePoints];
    plNurbs_BoxPoints(n, &(plPieceBox){piece, {s0, s1}, {t0, t1}}, H);
    return plPointBounds(H, pointCount(&n->patches[n->pieces[piece]]));
}

/// Length of the longest row of control points, along v or along u.
static double longest(const plPatch* a, const double* H, bool alongV)
{
    const int p = a->degreeU, q = a->degreeV;
    const int rows = alongV ? p : q, steps = alongV ? q : p, stride = alongV ? 1 : q + 1;
    double most = 0;
    for (int i = 0; i <= rows; i++) {
        const double* row = H + 4 * (alongV ? i * (q + 1) : i);
        plVec3 last = plScale(1 / row[3], plGet3(row));
        double sum = 0;
        for (int k = 1; k <= steps; k++) {
            const double* h = row + 4 * k * stride;
            const plVec3 next = plScale(1 / h[3], plGet3(h));
            sum += plNorm(plSub(next, last));
            last = next;
        }
        most = plHigher(most, sum);
    }
    return most;
}

void plNurbs_Halve(const plNurbs* n, const plPieceBox* b, const double* H, plPieceBox halves[2])
{
    const plPatch* a = &n->patches[n->pieces[b->piece]];
    halves[0] = halves[1] = *b;
    if (longest(a, H, false) >= longest(a, H, true)) {
        halves[0].s[1] = halves[1].s[0] = 0.5 * (b->s[0] + b->s[1]);
    } else {
        halves[0].t[1] = halves[1].t[0] = 0.5 * (b->t[0] + b->t[1]);
    }
}
