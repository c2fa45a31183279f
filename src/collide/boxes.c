// Two boxes: the 15 directions that can separate them (Gottschalk, Lin, Manocha 1996).
//
// R turns b's axes into a's, t is b's centre in a. Along a unit direction L the boxes are apart by
//   |t.L| - sum_i hA_i |L_i| - sum_j hB_j |(R^T L)_j|
// and for the faces' own directions and the cross products of edges these are sums of entries of R.
// A cross product shorter than 1e-6 is left out: its edges are parallel, and the faces beside them
// are as good to 1e-6 of the box. (The searches of core.h have no such limit.)
#include "collide/core.h"

#include <string.h>

typedef struct {
    double R[3][3], absR[3][3], t[3], hA[3], hB[3];
} Boxes;

static void load(const plCorePair* p, plVec3 halfA, plVec3 halfB, Boxes* s)
{
    memcpy(s->R, &p->frame.R, sizeof s->R);
    plPut3(p->frame.x, s->t);
    plPut3(halfA, s->hA);
    plPut3(halfB, s->hB);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) s->absR[i][j] = fabs(s->R[i][j]);
    }
}

/// Direction k of b in a's axes, against t when `sign` is -1.
static plVec3 column(const Boxes* s, int k, double sign)
{
    return plVec(sign * s->R[0][k], sign * s->R[1][k], sign * s->R[2][k]);
}

static plVec3 axis(int k, double sign)
{
    return plVec(k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0);
}

/// The edges of both boxes that touch along n (from b to a), and their nearest points.
static void edgePoints(const Boxes* s, int i, int j, plWitness* out)
{
    const plVec3 n = out->n;
    const plVec3 inB =
        plVec(plDot(n, column(s, 0, 1)), plDot(n, column(s, 1, 1)), plDot(n, column(s, 2, 1)));
    const double toA[3] = {-n.x, -n.y, -n.z}, toB[3] = {inB.x, inB.y, inB.z};
    double a0[3], a1[3], b0[3], b1[3];
    for (int k = 0; k < 3; k++) {
        a0[k] = a1[k] = copysign(s->hA[k], toA[k]);
        b0[k] = b1[k] = copysign(s->hB[k], toB[k]);
    }
    a0[i] = -s->hA[i], a1[i] = s->hA[i];
    b0[j] = -s->hB[j], b1[j] = s->hB[j];
    const plMat3 R = {plGet3(s->R[0]), plGet3(s->R[1]), plGet3(s->R[2])};
    const plFrame f = {plGet3(s->t), R};
    plNearestOfSegments(plGet3(a0), plGet3(a1), plOut(&f, plGet3(b0)), plOut(&f, plGet3(b1)),
                        &out->a, &out->b);
    // Features: the edge that runs along i, from the corner with bit i clear.
    const int cornerA = (a0[0] > 0) | (a0[1] > 0) << 1 | (a0[2] > 0) << 2;
    const int cornerB = (b0[0] > 0) | (b0[1] > 0) << 1 | (b0[2] > 0) << 2;
    out->simplex.count = 2;
    out->simplex.v[0] = (plVertex){.ia = cornerA, .ib = cornerB};
    out->simplex.v[1] = (plVertex){.ia = cornerA | 1 << i, .ib = cornerB | 1 << j};
}

typedef struct {
    double apart;   ///< largest so far
    int kind, i, j; ///< 0: face of a, 1: face of b, 2: edges
    double sign;
} Best;

static bool tryFaces(const Boxes* s, double limit, Best* best)
{
    for (int i = 0; i < 3; i++) {
        const double reach = s->hA[i] + s->hB[0] * s->absR[i][0] + s->hB[1] * s->absR[i][1] +
                             s->hB[2] * s->absR[i][2];
        const double apart = fabs(s->t[i]) - reach;
        if (apart > best->apart) *best = (Best){apart, 0, i, 0, s->t[i] > 0 ? -1 : 1};
    }
    if (best->apart > limit) return false;
    for (int j = 0; j < 3; j++) {
        const double along = s->t[0] * s->R[0][j] + s->t[1] * s->R[1][j] + s->t[2] * s->R[2][j];
        const double reach = s->hB[j] + s->hA[0] * s->absR[0][j] + s->hA[1] * s->absR[1][j] +
                             s->hA[2] * s->absR[2][j];
        const double apart = fabs(along) - reach;
        if (apart > best->apart) *best = (Best){apart, 1, j, 0, along > 0 ? -1 : 1};
    }
    return best->apart <= limit;
}

/// e_i x (column j of R), whose components are entries of R.
static bool tryEdges(const Boxes* s, double limit, Best* best)
{
    static const int next[5] = {0, 1, 2, 0, 1};
    for (int i = 0; i < 3; i++) {
        const int i1 = next[i + 1], i2 = next[i + 2];
        for (int j = 0; j < 3; j++) {
            const int j1 = next[j + 1], j2 = next[j + 2];
            const double length2 = s->R[i1][j] * s->R[i1][j] + s->R[i2][j] * s->R[i2][j];
            if (length2 < 1e-12) continue;
            const double along = s->t[i2] * s->R[i1][j] - s->t[i1] * s->R[i2][j];
            const double reach = s->hA[i1] * s->absR[i2][j] + s->hA[i2] * s->absR[i1][j] +
                                 s->hB[j1] * s->absR[i][j2] + s->hB[j2] * s->absR[i][j1];
            // Most pairs of edges are no better than a face, which shows before the root is taken.
            const double over = fabs(along) - reach;
            if (over * fabs(over) <= best->apart * fabs(best->apart) * length2) continue;
            const double apart = over / sqrt(length2);
            if (apart > best->apart) *best = (Best){apart, 2, i, j, along > 0 ? -1 : 1};
        }
    }
    return best->apart <= limit;
}

bool plBoxes(const plCorePair* p, plVec3 halfA, plVec3 halfB, double limit, double* apart,
             plWitness* out)
{
    Boxes s;
    Best best = {.apart = -INFINITY};
    load(p, halfA, halfB, &s);
    const bool near = tryFaces(&s, limit, &best) && tryEdges(&s, limit, &best);
    *apart = best.apart;
    if (!near || best.apart > plTouching * p->scale) return near;
    out->d = best.apart;
    out->a = out->b = plVec(0, 0, 0);
    out->simplex.count = out->iterations = 0;
    out->overlap = out->exact = true;
    out->slow = false;
    if (best.kind == 0) out->n = axis(best.i, best.sign);
    if (best.kind == 1) out->n = column(&s, best.i, best.sign);
    if (best.kind == 2) {
        const plVec3 n = plCross(axis(best.i, 1), column(&s, best.j, 1));
        out->n = plScale(best.sign / plNorm(n), n);
        edgePoints(&s, best.i, best.j, out);
    }
    return true;
}
