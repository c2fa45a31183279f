#include "math/math.h"

bool plFinite3(plVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

bool plFinitePose(plPose a)
{
    return plFinite3(a.p) && isfinite(a.q.w) && plFinite3(plVec(a.q.x, a.q.y, a.q.z));
}

plMat3 plIdentity3(void) { return plDiagonal3(1, 1, 1); }

plMat3 plDiagonal3(double x, double y, double z)
{
    return (plMat3){{x, 0, 0}, {0, y, 0}, {0, 0, z}};
}

plMat3 plSkew(plVec3 a) { return (plMat3){{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}; }

plMat3 plTransMul(const plMat3* A, const plMat3* B)
{
    plMat3 At = plTranspose(A);
    return plMatMul(&At, B);
}

plMat3 plTranspose(const plMat3* A)
{
    return (plMat3){{A->x.x, A->y.x, A->z.x}, {A->x.y, A->y.y, A->z.y}, {A->x.z, A->y.z, A->z.z}};
}

plMat3 plMatAdd(const plMat3* A, double s, const plMat3* B)
{
    return (plMat3){plAddScaled(A->x, s, B->x), plAddScaled(A->y, s, B->y),
                    plAddScaled(A->z, s, B->z)};
}

// Columns of the inverse are cross products of the rows, over the determinant.
bool plInverse3(const plMat3* A, plMat3* inverse)
{
    const plVec3 a = plCross(A->y, A->z), b = plCross(A->z, A->x), c = plCross(A->x, A->y);
    const double s = 1 / plDot(A->x, a);
    *inverse = (plMat3){plScale(s, plVec(a.x, b.x, c.x)), plScale(s, plVec(a.y, b.y, c.y)),
                        plScale(s, plVec(a.z, b.z, c.z))};
    return isfinite(s) && plFinite3(inverse->x) && plFinite3(inverse->y) && plFinite3(inverse->z);
}

// Cholesky elimination that takes the largest diagonal entry left as the next pivot. When that
// entry is no more than round-off, a semi-definite matrix has nothing else left either: its entries
// are bounded by its diagonal, |a_ij| <= sqrt(a_ii a_jj). The tolerances are relative to the
// largest entry of the diagonal: 1e-12 for symmetry, since such matrices are typed by people and
// turned by rotations, and 1e-14 for rank.
bool plIsPositive3(const plMat3* A, bool strictly)
{
    double a[3][3] = {{A->x.x, A->x.y, A->x.z}, {A->y.x, A->y.y, A->y.z}, {A->z.x, A->z.y, A->z.z}};
    double scale = fmax(fabs(a[0][0]), fmax(fabs(a[1][1]), fabs(a[2][2])));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (!(fabs(a[i][j] - a[j][i]) <= 1e-12 * scale)) return false;
        }
    }
    bool done[3] = {false, false, false};
    for (int step = 0; step < 3; step++) {
        int p = -1;
        for (int i = 0; i < 3; i++) {
            if (!done[i] && (p < 0 || a[i][i] > a[p][p])) p = i;
        }
        bool vanishes = !(a[p][p] > 1e-14 * scale);
        if (vanishes && strictly) return false;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                if (done[i] || done[j]) continue;
                if (vanishes && !(fabs(a[i][j]) <= 1e-12 * scale)) return false;
                if (!vanishes && i != p && j != p) a[i][j] -= a[i][p] * a[p][j] / a[p][p];
            }
        }
        if (vanishes) return true;
        done[p] = true;
    }
    return true;
}

// t1 = z x n stays in the x-y plane, and is the planar tangent when n does. Near the z axis, where
// it would be badly determined, the x axis takes the place of z.
void plTangents(plVec3 n, plVec3* t1, plVec3* t2)
{
    if (fabs(n.z) < 0.9) {
        *t1 = plVec(-n.y, n.x, 0);
    } else {
        *t1 = plAddScaled(plVec(1, 0, 0), -n.x, n);
    }
    *t1 = plScale(1 / plNorm(*t1), *t1);
    *t2 = plCross(n, *t1);
}

plFrame plFrameOf(plPose pose) { return (plFrame){pose.p, plRotation(pose.q)}; }
