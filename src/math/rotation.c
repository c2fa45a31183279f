#include "math/math.h"

#include <float.h>

plQuat plQuatMul(plQuat a, plQuat b)
{
    return (plQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                    a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

plQuat plQuatConj(plQuat q) { return (plQuat){q.w, -q.x, -q.y, -q.z}; }

static plQuat scaled(double s, plQuat q) { return (plQuat){s * q.w, s * q.x, s * q.y, s * q.z}; }

// 1 - |q|^2, without the rounding of a sum that is nearly 1.
static double shortBy(plQuat q) { return 1 - q.w * q.w - q.x * q.x - q.y * q.y - q.z * q.z; }

// q (1 + s/2), s = 1 - |q|^2: Newton's step to length 1. What it leaves, 3/8 s^2, is below round-off,
// and it rounds the components alone: a root and its inverse would round the length three times more.
static plQuat lengthened(plQuat q, double s)
{
    s *= 0.5;
    return (plQuat){q.w + s * q.w, q.x + s * q.x, q.y + s * q.y, q.z + s * q.z};
}

plQuat plQuatUnit(plQuat q)
{
    const double s = shortBy(q);
    if (fabs(s) <= 2 * DBL_EPSILON) return q; // as near as it gets: a second time changes nothing
    if (fabs(s) < 1e-8) return lengthened(q, s); // it was one, and has been multiplied

    double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
    bool finite = isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
    if (!finite || largest == 0) return (plQuat){1, 0, 0, 0};

    // Squares leave the range of doubles long before the components do. The power of two makes
    // the scaling exact, and a quaternion of ordinary size is left alone.
    if (largest < 0x1p-500 || largest > 0x1p500) {
        int exponent;
        frexp(largest, &exponent);
        q = (plQuat){ldexp(q.w, -exponent), ldexp(q.x, -exponent), ldexp(q.y, -exponent),
                     ldexp(q.z, -exponent)};
    }
    q = scaled(1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z), q);
    return lengthened(q, shortBy(q));
}

plMat3 plRotation(plQuat q)
{
    double xx = 2 * q.x * q.x, yy = 2 * q.y * q.y, zz = 2 * q.z * q.z;
    double xy = 2 * q.x * q.y, yz = 2 * q.y * q.z, zx = 2 * q.z * q.x;
    double wx = 2 * q.w * q.x, wy = 2 * q.w * q.y, wz = 2 * q.w * q.z;
    return (plMat3){{1 - (yy + zz), xy - wz, zx + wy},
                    {xy + wz, 1 - (zz + xx), yz - wx},
                    {zx - wy, yz + wx, 1 - (xx + yy)}};
}

// Of the four squares 4w^2 = 1 + tr R, 4x^2 = 1 + 2 R_xx - tr R, ... the largest is at least 1: its
// root is well determined, and the other three follow from products that the matrix holds as sums
// and differences of opposite entries.                                           (Shepperd 1978)
plQuat plQuatOf(const plMat3* R)
{
    double xx = R->x.x, yy = R->y.y, zz = R->z.z;
    double wx = R->z.y - R->y.z, wy = R->x.z - R->z.x, wz = R->y.x - R->x.y;
    double xy = R->x.y + R->y.x, yz = R->y.z + R->z.y, zx = R->z.x + R->x.z;
    plQuat q;
    if (xx + yy + zz > fmax(xx, fmax(yy, zz))) {
        q = (plQuat){1 + xx + yy + zz, wx, wy, wz};
    } else if (xx >= yy && xx >= zz) {
        q = (plQuat){wx, 1 + xx - yy - zz, xy, zx};
    } else if (yy >= zz) {
        q = (plQuat){wy, xy, 1 + yy - zz - xx, yz};
    } else {
        q = (plQuat){wz, zx, yz, 1 + zz - xx - yy};
    }
    q = plQuatUnit(q);
    return q.w < 0 ? scaled(-1, q) : q;
}

// Below this angle, sin x = x to the last bit, and squares of components may underflow.
static const double tiny = 1e-9;

plQuat plExp(plVec3 a)
{
    double phi = plNorm(a);
    plVec3 v = plScale(phi < tiny ? 0.5 : sin(0.5 * phi) / phi, a);
    return (plQuat){cos(0.5 * phi), v.x, v.y, v.z};
}

// phi = 2 atan2(|v|, w) is well conditioned everywhere: near 0 through |v|, near pi through w.
// Neither the angle nor the axis feels the length of q.
plVec3 plLogQuat(plQuat q)
{
    if (q.w < 0) q = scaled(-1, q);
    plVec3 v = plVec(q.x, q.y, q.z);
    double sine = plNorm(v);
    if (sine < tiny * q.w) return plScale(2 / q.w, v);
    return sine > 0 ? plScale(2 * atan2(sine, q.w) / sine, v) : v;
}

plVec3 plLog(const plMat3* R) { return plLogQuat(plQuatOf(R)); }

// tan(phi/2) = |a|/2, so the quaternion is along (1, a/2).
plQuat plCayley(plVec3 a)
{
    double w = 1 / sqrt(1 + 0.25 * plDot(a, a));
    return (plQuat){w, 0.5 * w * a.x, 0.5 * w * a.y, 0.5 * w * a.z};
}

plQuat plRotor(plVec3 axis, double angle)
{
    plVec3 v = plScale(sin(0.5 * angle), axis);
    return (plQuat){cos(0.5 * angle), v.x, v.y, v.z};
}

double plTanRatio(double x)
{
    double h = 0.5 * x;
    return fabs(h) < tiny ? 1 : tan(h) / h;
}

// The quotient loses all its digits towards 0. With t = (x/2 pi)^2 the expansion of the cotangent
// in its poles, h cot h = 1 - 2 sum_n t/(n^2 - t), gives a sum of positive terms,
//   (1 - h cot h)/x^2 = 1/(2 pi^2) sum_n 1/(n^2 - t)
//                     = 1/(2 pi^2) (1/(1 - t) + sum_j (zeta(2j + 2) - 1) t^j),
// whose j-th term is about (t/4)^j/4: 14 terms reach round-off up to x = pi. Beyond, the cotangent
// is negative and the quotient loses nothing.
double plLogRatio(double x)
{
    static const double zetaLessOne[] = {
        0.644934066848226436472,   0.0823232337111381915160,  0.0173430619844491397145,
        0.00407735619794433937869, 9.94575127818085337146e-4, 2.46086553308048298638e-4,
        6.12481350587048292585e-5, 1.52822594086518717326e-5, 3.81729326499983985646e-6,
        9.53962033872796113152e-7, 2.38450502727732990004e-7, 5.96081890512594796124e-8,
        1.49015548283650412347e-8, 3.72533402478845705482e-9};
    double h = 0.5 * x;
    if (fabs(x) > PL_PI) return (1 - h / tan(h)) / (x * x);
    double t = (h / PL_PI) * (h / PL_PI);
    double sum = 0;
    for (int j = PL_COUNT(zetaLessOne) - 1; j >= 0; j--) sum = sum * t + zetaLessOne[j];
    return (1 / (1 - t) + sum) / (2 * PL_PI * PL_PI);
}
