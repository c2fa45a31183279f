// Contact frames and the velocity formulation.
#include "collide/track_frame.h"

// At a pole S_u or S_v vanishes, or both run along one line: no tangent plane can be told from them
// there. 1e-7 is where the direction of their product has lost half of its digits.
static bool spans(double u, double v, double N) { return u > 0 && v > 0 && N > 1e-7 * u * v; }

void plContactFrame_Set(plContactFrame* c, const plSurfel* s, bool inward)
{
    const plVec3 N = plCross(s->u, s->v);
    const double lengthU = plNorm(s->u), lengthN = plNorm(N);
    const double scale = plHigher(lengthU, plNorm(s->v));
    c->p = s->S;
    // A pole is also where one of both is far shorter than the other.
    c->pole = !spans(lengthU, plNorm(s->v), lengthN) || lengthN < 1e-7 * scale * scale;
    if (c->pole) return;
    const double sign = (inward ? 1 : -1) / lengthN;
    c->x = plScale(1 / lengthU, s->u);
    c->z = plScale(sign, N);
    c->y = plCross(c->z, c->x);
    // z_u and z_v are along the plane of x and y: their share along z need not be taken off.
    const plVec3 zu = plScale(sign, plAdd(plCross(s->uu, s->v), plCross(s->u, s->uv)));
    const plVec3 zv = plScale(sign, plAdd(plCross(s->uv, s->v), plCross(s->u, s->vv)));
    c->E.m[0][0] = lengthU, c->E.m[0][1] = plDot(c->x, s->v);
    c->E.m[1][0] = 0, c->E.m[1][1] = plDot(c->y, s->v);
    c->F.m[0][0] = plDot(c->x, zu), c->F.m[0][1] = plDot(c->x, zv);
    c->F.m[1][0] = plDot(c->y, zu), c->F.m[1][1] = plDot(c->y, zv);
}

static plMat2 mul2(const plMat2* A, const plMat2* B)
{
    plMat2 C;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            C.m[i][k] = A->m[i][0] * B->m[0][k] + A->m[i][1] * B->m[1][k];
        }
    }
    return C;
}

void plContactKin_Set(plContactKin* c, const plContactFrame* f, const plContactFrame* g)
{
    const plVec3 d = plSub(f->p, g->p);
    c->beta = plDot(d, f->z);
    c->R.m[0][0] = plDot(g->x, f->x), c->R.m[0][1] = plDot(g->x, f->y);
    c->R.m[1][0] = plDot(g->y, f->x), c->R.m[1][1] = plDot(g->y, f->y);
    const plMat2 RE = mul2(&c->R, &f->E), RF = mul2(&c->R, &f->F);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            c->K[i][k] = RE.m[i][k] - c->beta * RF.m[i][k];
            c->K[i][2 + k] = -g->E.m[i][k];
            c->K[2 + i][k] = -RF.m[i][k];
            c->K[2 + i][2 + k] = -g->F.m[i][k];
        }
    }
    const double tilt[2] = {plDot(g->x, f->z), plDot(g->y, f->z)};
    c->r[0] = c->beta * tilt[0] - plDot(g->x, d);
    c->r[1] = c->beta * tilt[1] - plDot(g->y, d);
    c->r[2] = tilt[0], c->r[3] = tilt[1];
}

void plContactKin_Velocity(const plContactFrame* g, plVec3 v, plVec3 w, double rhs[4])
{
    rhs[0] = plDot(g->x, v), rhs[1] = plDot(g->y, v);
    rhs[2] = plDot(g->y, w), rhs[3] = -plDot(g->x, w);
}

/// A x = b. False: A has no inverse.
static bool solve2(double A[2][2], const double* b, double* x)
{
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    if (!(fabs(det) > 0)) return false;
    x[0] = (A[1][1] * b[0] - A[0][1] * b[1]) / det;
    x[1] = (A[0][0] * b[1] - A[1][0] * b[0]) / det;
    return isfinite(x[0]) && isfinite(x[1]);
}

// By blocks, K = (A B; C D): away from poles B = -E_g, which is upper triangular, has an inverse. So
// the step of g follows from that of f, and (C - D B^-1 A) is the sum of curvatures that decides.
bool plContactKin_Solve(const plContactKin* c, double b[4])
{
    const double(*K)[4] = c->K;
    double X[3][2], S[2][2], r[2], f[2]; // X: columns of B^-1 A and B^-1 b
    for (int k = 0; k < 3; k++) {
        const double y[2] = {k < 2 ? K[0][k] : b[0], k < 2 ? K[1][k] : b[1]};
        X[k][1] = y[1] / K[1][3];
        X[k][0] = (y[0] - K[0][3] * X[k][1]) / K[0][2];
    }
    for (int i = 0; i < 2; i++) {
        const double* row = K[2 + i];
        for (int k = 0; k < 2; k++) S[i][k] = row[k] - row[2] * X[k][0] - row[3] * X[k][1];
        r[i] = b[2 + i] - row[2] * X[2][0] - row[3] * X[2][1];
    }
    if (!solve2(S, r, f)) return false;
    for (int i = 0; i < 2; i++) b[2 + i] = X[2][i] - X[0][i] * f[0] - X[1][i] * f[1];
    b[0] = f[0], b[1] = f[1];
    return isfinite(b[2]) && isfinite(b[3]);
}

/// -F E^-1: curvature in the frame's own axes, > 0 where the solid is convex. E is upper triangular.
static plMat2 curvature(const plContactFrame* c)
{
    plMat2 k;
    for (int i = 0; i < 2; i++) {
        k.m[i][0] = -c->F.m[i][0] / c->E.m[0][0];
        k.m[i][1] = (-c->F.m[i][1] - k.m[i][0] * c->E.m[0][1]) / c->E.m[1][1];
    }
    return k;
}

/// With the sign of the determinant.
static double leastSingular(const plMat2* A)
{
    const double a = A->m[0][0], b = A->m[0][1], c = A->m[1][0], d = A->m[1][1];
    const double sum = a * a + b * b + c * c + d * d, det = a * d - b * c;
    // The product of both is det, the sum of their squares `sum`.
    const double root = sqrt(plHigher(0, sum * sum - 4 * det * det));
    const double largest = sqrt(0.5 * (sum + root));
    return largest > 0 ? det / largest : 0;
}

double plContactKin_Sigma(const plContactKin* c, const plContactFrame* f, const plContactFrame* g)
{
    if (f->pole || g->pole) return 0;
    const plMat2 Kf = curvature(f), Kg = curvature(g);
    // R is its own inverse when the normals are collinear; its transpose nearly is, always.
    const plMat2 Rt = {{{c->R.m[0][0], c->R.m[1][0]}, {c->R.m[0][1], c->R.m[1][1]}}};
    const plMat2 half = mul2(&c->R, &Kf), turned = mul2(&half, &Rt), both = mul2(&Kg, &turned);
    plMat2 sum;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            sum.m[i][k] = turned.m[i][k] + Kg.m[i][k] + c->beta * both.m[i][k];
        }
    }
    return leastSingular(&sum);
}
