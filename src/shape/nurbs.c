// Places and derivatives. With the Bernstein polynomials B_i(s) B_j(t) of a piece,
//   H = sum B_i B_j (w P, w)_ij = (A, w),  S = A/w,  S_u = (A_u - w_u S)/w,
//   S_uu = (A_uu - 2 w_u S_u - w_uu S)/w,  S_uv = (A_uv - w_u S_v - w_v S_u - w_uv S)/w
#include "shape/nurbs_inside.h"

#include <string.h>

/// Bernstein polynomials and their first and second derivatives by the patch's parameter.
typedef struct {
    double B[3][plOrder];
} Basis;

typedef struct {
    const double* H; // control points of the piece
    double s, t;     // place in it
    double du, dv;   // 1 / widths
} Spot;

// The first guess is right for knots that are evenly spaced; else halving.
static int findSpan(const double* breaks, int spans, double pace, double u)
{
    int lo = (int)((u - breaks[0]) * pace);
    if (lo > spans - 1) lo = spans - 1;
    if (breaks[lo] <= u && u < breaks[lo + 1]) return lo;
    int hi = spans;
    lo = 0;
    while (hi - lo > 1) {
        const int middle = (lo + hi) / 2;
        if (u < breaks[middle]) {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    return lo;
}

static double within(double x, double lo, double hi)
{
    return x >= lo ? (x <= hi ? x : hi) : lo; // what is no number comes to lie at lo
}

static Spot findSpot(const plNurbs* n, plUv at)
{
    const plPatch* a = &n->patches[at.patch];
    const double u = within(at.u, a->breaksU[0], a->breaksU[a->spansU]);
    const double v = within(at.v, a->breaksV[0], a->breaksV[a->spansV]);
    const int i = findSpan(a->breaksU, a->spansU, a->paceU, u);
    const int j = findSpan(a->breaksV, a->spansV, a->paceV, v);
    const size_t piece = (size_t)i * (size_t)a->spansV + (size_t)j;
    const size_t points = (size_t)(a->degreeU + 1) * (size_t)(a->degreeV + 1);
    const double du = 1 / (a->breaksU[i + 1] - a->breaksU[i]);
    const double dv = 1 / (a->breaksV[j + 1] - a->breaksV[j]);
    return (Spot){a->points + 4 * points * piece, (u - a->breaksU[i]) * du,
                  (v - a->breaksV[j]) * dv, du, dv};
}

// --- polynomials

/// From the polynomials of degree p - 1 to those of degree p; may be in place.
static inline void raise(const double* low, int p, double s, double* B)
{
    const double r = 1 - s;
    double before = 0;
    for (int i = 0; i < p; i++) {
        const double b = low[i];
        B[i] = s * before + r * b;
        before = b;
    }
    B[p] = s * before;
}

// The k-th derivative of B_i of degree p is p!/(p - k)! times the k-th difference of degree p - k.
static void makeBasis(int p, double s, double scale, Basis* b)
{
    double low[plOrder] = {1}, lower[plOrder] = {1};
    for (int k = 1; k <= p - 2; k++) raise(lower, k, s, lower);
    if (p >= 2) {
        raise(lower, p - 1, s, low);
    }
    raise(low, p, s, b->B[0]);
    const double first = p * scale, second = p * (p - 1) * scale * scale;
    for (int i = 0; i <= p; i++) {
        b->B[1][i] = first * ((i > 0 ? low[i - 1] : 0) - (i < p ? low[i] : 0));
        const double left = i >= 2 ? lower[i - 2] : 0, right = i <= p - 2 ? lower[i] : 0;
        const double middle = i >= 1 && i <= p - 1 ? lower[i - 1] : 0;
        b->B[2][i] = second * (left - 2 * middle + right);
    }
}

enum { H_, Hu, Hv, Huu, Huv, Hvv, hSums };

/// The six sums over the control points, 4 numbers each.
static void sum(const double* P, int p, int q, const Basis* a, const Basis* b, double H[hSums][4])
{
    for (int i = 0; i < hSums; i++) {
        for (int k = 0; k < 4; k++) H[i][k] = 0;
    }
    for (int i = 0; i <= p; i++) {
        double row[3][4] = {{0}}; // along v
        for (int j = 0; j <= q; j++, P += 4) {
            for (int k = 0; k < 4; k++) {
                row[0][k] += b->B[0][j] * P[k];
                row[1][k] += b->B[1][j] * P[k];
                row[2][k] += b->B[2][j] * P[k];
            }
        }
        for (int k = 0; k < 4; k++) {
            H[H_][k] += a->B[0][i] * row[0][k];
            H[Hu][k] += a->B[1][i] * row[0][k];
            H[Hv][k] += a->B[0][i] * row[1][k];
            H[Huu][k] += a->B[2][i] * row[0][k];
            H[Huv][k] += a->B[1][i] * row[1][k];
            H[Hvv][k] += a->B[0][i] * row[2][k];
        }
    }
}

// --- bicubic pieces, the most frequent ones: the same in closed form, two numbers at a time, so that
// all sums of a half of (x, y, z, w) stay in registers

typedef double Two __attribute__((vector_size(16)));

typedef struct {
    Two B[3][4]; // each polynomial twice
} Cubic;

static inline Two twice(double x) { return (Two){x, x}; }

static inline void makeCubic(double s, double scale, Cubic* b)
{
    const double r = 1 - s, one = 3 * scale, two = 6 * scale * scale;
    b->B[0][0] = twice(r * r * r), b->B[0][1] = twice(3 * s * r * r);
    b->B[0][2] = twice(3 * s * s * r), b->B[0][3] = twice(s * s * s);
    b->B[1][0] = twice(-one * r * r), b->B[1][1] = twice(one * r * (r - 2 * s));
    b->B[1][2] = twice(one * s * (2 * r - s)), b->B[1][3] = twice(one * s * s);
    b->B[2][0] = twice(two * r), b->B[2][1] = twice(two * (s - 2 * r));
    b->B[2][2] = twice(two * (r - 2 * s)), b->B[2][3] = twice(two * s);
}

static inline Two load(const double* x)
{
    Two two;
    memcpy(&two, x, sizeof two);
    return two;
}

/// Numbers k, k + 1 of the six sums.
static inline void sumCubic(const double* P, const Cubic* a, const Cubic* b, int k,
                            double H[hSums][4])
{
    Two h = {0}, hu = {0}, hv = {0}, huu = {0}, huv = {0}, hvv = {0};
    for (int i = 0; i < 4; i++, P += 16) {
        const Two p0 = load(P + k), p1 = load(P + 4 + k), p2 = load(P + 8 + k);
        const Two p3 = load(P + 12 + k);
        const Two r = b->B[0][0] * p0 + b->B[0][1] * p1 + b->B[0][2] * p2 + b->B[0][3] * p3;
        const Two rv = b->B[1][0] * p0 + b->B[1][1] * p1 + b->B[1][2] * p2 + b->B[1][3] * p3;
        const Two rvv = b->B[2][0] * p0 + b->B[2][1] * p1 + b->B[2][2] * p2 + b->B[2][3] * p3;
        h += a->B[0][i] * r, hu += a->B[1][i] * r, huu += a->B[2][i] * r;
        hv += a->B[0][i] * rv, huv += a->B[1][i] * rv, hvv += a->B[0][i] * rvv;
    }
    memcpy(&H[H_][k], &h, sizeof h), memcpy(&H[Hu][k], &hu, sizeof h);
    memcpy(&H[Hv][k], &hv, sizeof h), memcpy(&H[Huu][k], &huu, sizeof h);
    memcpy(&H[Huv][k], &huv, sizeof h), memcpy(&H[Hvv][k], &hvv, sizeof h);
}

static void quotient(double H[hSums][4], plSurfel* f)
{
    const double w = 1 / H[H_][3];
    const double wu = H[Hu][3], wv = H[Hv][3];
    f->S = plScale(w, plGet3(H[H_]));
    f->u = plScale(w, plAddScaled(plGet3(H[Hu]), -wu, f->S));
    f->v = plScale(w, plAddScaled(plGet3(H[Hv]), -wv, f->S));
    f->uu = plAddScaled(plAddScaled(plGet3(H[Huu]), -2 * wu, f->u), -H[Huu][3], f->S);
    f->vv = plAddScaled(plAddScaled(plGet3(H[Hvv]), -2 * wv, f->v), -H[Hvv][3], f->S);
    f->uv = plAddScaled(plAddScaled(plGet3(H[Huv]), -wu, f->v), -wv, f->u);
    f->uv = plScale(w, plAddScaled(f->uv, -H[Huv][3], f->S));
    f->uu = plScale(w, f->uu);
    f->vv = plScale(w, f->vv);
}

void plNurbs_At(const plNurbs* n, plUv at, plSurfel* f)
{
    const int p = n->patches[at.patch].degreeU, q = n->patches[at.patch].degreeV;
    const Spot spot = findSpot(n, at);
    double H[hSums][4];
    if (p == 3 && q == 3) {
        Cubic a, b;
        makeCubic(spot.s, spot.du, &a);
        makeCubic(spot.t, spot.dv, &b);
        sumCubic(spot.H, &a, &b, 0, H);
        sumCubic(spot.H, &a, &b, 2, H);
    } else {
        Basis a, b;
        makeBasis(p, spot.s, spot.du, &a);
        makeBasis(q, spot.t, spot.dv, &b);
        sum(spot.H, p, q, &a, &b, H);
    }
    quotient(H, f);
}

plVec3 plNurbs_Place(const plNurbs* n, plUv at)
{
    const int p = n->patches[at.patch].degreeU, q = n->patches[at.patch].degreeV;
    const Spot spot = findSpot(n, at);
    const double* P = spot.H;
    double a[plOrder] = {1}, b[plOrder] = {1}, H[4] = {0};
    for (int k = 1; k <= p; k++) raise(a, k, spot.s, a);
    for (int k = 1; k <= q; k++) raise(b, k, spot.t, b);
    for (int i = 0; i <= p; i++) {
        double row[4] = {0};
        for (int j = 0; j <= q; j++, P += 4) {
            for (int k = 0; k < 4; k++) row[k] += b[j] * P[k];
        }
        for (int k = 0; k < 4; k++) H[k] += a[i] * row[k];
    }
    return plScale(1 / H[3], plGet3(H));
}

// --- normals

/// On a collapsed edge N vanishes, but grows into the patch in a direction: that of N_u or N_v.
static plVec3 poleNormal(const plNurbs* n, plUv at, int edge)
{
    plSurfel f;
    const plUv on = plNurbs_Clamp(n, at);
    double u[2], v[2];
    plNurbs_Domain(n, at.patch, u, v);
    const plUv end[plPatchEdges] = {plUvAt(at.patch, u[0], on.v), plUvAt(at.patch, u[1], on.v),
                                    plUvAt(at.patch, on.u, v[0]), plUvAt(at.patch, on.u, v[1])};
    plNurbs_At(n, end[edge], &f);
    const double sign = edge == plEdgeU0 || edge == plEdgeV0 ? 1 : -1;
    const bool alongV = edge == plEdgeU0 || edge == plEdgeU1;
    return plScale(sign, alongV ? plCross(f.u, f.uv) : plCross(f.uv, f.v));
}

/// Somewhat nearer to the middle of the patch.
static plUv inwards(const plNurbs* n, plUv at, double share)
{
    double u[2], v[2];
    plNurbs_Domain(n, at.patch, u, v);
    at = plNurbs_Clamp(n, at);
    at.u += share * (0.5 * (u[0] + u[1]) - at.u);
    at.v += share * (0.5 * (v[0] + v[1]) - at.v);
    return at;
}

/// The collapsed edge nearest to the spot, or -1.
static int nearPole(const plNurbs* n, plUv at)
{
    double u[2], v[2], least = 0.01;
    int best = -1;
    plNurbs_Domain(n, at.patch, u, v);
    at = plNurbs_Clamp(n, at);
    const double U = u[1] - u[0], V = v[1] - v[0];
    const double far[plPatchEdges] = {(at.u - u[0]) / U, (u[1] - at.u) / U, (at.v - v[0]) / V,
                                      (v[1] - at.v) / V};
    for (int k = 0; k < plPatchEdges; k++) {
        if (n->patches[at.patch].edges[k].kind != pl_edgeCollapsed || !(far[k] < least)) continue;
        least = far[k];
        best = k;
    }
    return best;
}

// Next to a pole N is small, and its round-off turns it by 1e-16 of what the patch has elsewhere over
// its length; the pole's own normal differs by about the same share as N does. Both are 1e-8 where
// they are equal. Inside, nearly parallel derivatives are left to themselves for longer.
plVec3 plNurbs_Normal(const plNurbs* n, plUv at)
{
    const double area = n->patches[at.patch].area, sign = n->inward ? -1 : 1;
    plSurfel f;
    plNurbs_At(n, at, &f);
    plVec3 N = plCross(f.u, f.v);
    double norm = plNorm(N);
    if (norm > 1e-8 * area) return plScale(sign / norm, N);
    const int pole = nearPole(n, at);
    if (pole < 0 && norm > 1e-10 * area) return plScale(sign / norm, N);
    if (pole >= 0) N = poleNormal(n, at, pole);
    norm = plNorm(N);
    for (double share = 1e-6; share < 0.9 && !(norm > 1e-10 * area); share *= 10) {
        plNurbs_At(n, inwards(n, at, share), &f);
        const plVec3 next = plCross(f.u, f.v);
        if (plNorm(next) > norm) N = next, norm = plNorm(next);
    }
    return norm > 0 ? plScale(sign / norm, N) : plVec(0, 0, 1); // a patch without area
}

// --- what it is made of

int plNurbs_Patches(const plNurbs* n) { return n->patchCount; }

void plNurbs_Domain(const plNurbs* n, int patch, double u[2], double v[2])
{
    const plPatch* a = &n->patches[patch];
    u[0] = a->breaksU[0], u[1] = a->breaksU[a->spansU];
    v[0] = a->breaksV[0], v[1] = a->breaksV[a->spansV];
}

plUv plNurbs_Clamp(const plNurbs* n, plUv at)
{
    const plPatch* a = &n->patches[at.patch];
    return plUvAt(at.patch, within(at.u, a->breaksU[0], a->breaksU[a->spansU]),
                  within(at.v, a->breaksV[0], a->breaksV[a->spansV]));
}

const plPatchEdge* plNurbs_Edge(const plNurbs* n, int patch, int edge)
{
    return &n->patches[patch].edges[edge];
}

bool plNurbs_Inward(const plNurbs* n) { return n->inward; }
int plNurbs_Pieces(const plNurbs* n) { return n->pieceCount; }
plBounds plNurbs_PieceBounds(const plNurbs* n, int piece) { return n->bounds[piece]; }

int plNurbs_Piece(const plNurbs* n, int piece, double rectangle[4])
{
    const plPatch* a = &n->patches[n->pieces[piece]];
    const int i = (piece - a->firstPiece) / a->spansV, j = (piece - a->firstPiece) % a->spansV;
    rectangle[0] = a->breaksU[i], rectangle[1] = a->breaksU[i + 1];
    rectangle[2] = a->breaksV[j], rectangle[3] = a->breaksV[j + 1];
    return n->pieces[piece];
}

const double* plNurbs_PiecePoints(const plNurbs* n, int piece)
{
    const plPatch* a = &n->patches[n->pieces[piece]];
    const size_t points = (size_t)(a->degreeU + 1) * (size_t)(a->degreeV + 1);
    return a->points + 4 * points * (size_t)(piece - a->firstPiece);
}

const plTreeNode* plNurbs_Tree(const plNurbs* n, const int** order)
{
    *order = n->order;
    return n->nodes;
}

plUv plNurbs_UvOf(const plNurbs* n, int piece, double s, double t)
{
    double r[4];
    const int patch = plNurbs_Piece(n, piece, r);
    return plUvAt(patch, within(r[0] + s * (r[1] - r[0]), r[0], r[1]),
                  within(r[2] + t * (r[3] - r[2]), r[2], r[3]));
}
