// A beam clamped to a body: mass on a line that bends in modes.                       (pmi 5.2)
// A point s of the axis is at r = x0 + s e + sum d_k phi_k n_k from the origin, with x0 the clamp, e
// the beam's x axis and n_k its y or z axis in the world. Its Jacobian against the twist of the body is
// [-S(r), 1], against mode k phi_k n_k. As for any set of points
//     M = int J^T J dm,   C = int J^T Jdot dm,   Mdot = C + C^T,
// and C v is the whole Coriolis force. The rate of r being u,
//     I = int [-S(r)S(r), S(r); -S(r), 1] dm,   B = int [-S(r)S(u), 0; -S(u), 0] dm,
// S(a)S(b) = b a^T - (a.b) 1. All integrals are closed forms of
//     a1 = int phi dm = m 2 sigma/beta,   a2 = int s phi dm = m L 2/beta^2,   int phi_i phi_j dm = m.
// In the plane this is the matrix of spec 7: its modes have no Coriolis term among themselves, as
// n_k.(w x n_l) = 0. Modes towards y and towards z have one.
#include "mechanism/chain.h"

// ------------------------------------------------------------------------------ shapes of modes

// Root of cos b + 1/cosh b = 0 next to (i + 1/2) pi, which is 0.3 off for the first and 2e-2, 8e-4,
// ... for the others.
static double rootOf(int mode)
{
    double b = (mode + 0.5) * PL_PI;
    for (int k = 0; k < 8; ++k) {
        const double f = cos(b) + 1 / cosh(b), slope = -sin(b) - tanh(b) / cosh(b);
        b -= f / slope;
    }
    return b;
}

// 1 - sigma, sigma = (cosh b + cos b)/(sinh b + sin b); the difference itself would cancel.
static double lackOf(double b) { return (sin(b) - cos(b) - exp(-b)) / (sinh(b) + sin(b)); }

// phi = cosh z - cos z - sigma (sinh z - sin z), z = b s, with the growing parts taken together.
double plBeam_Shape(int mode, double s)
{
    const double b = rootOf(mode), z = b * s, rest = lackOf(b);
    return exp(-z) + rest * sinh(z) - cos(z) + (1 - rest) * sin(z);
}

static double slopeOf(int mode, double s)
{
    const double b = rootOf(mode), z = b * s, rest = lackOf(b);
    return b * (-exp(-z) + rest * cosh(z) + sin(z) + (1 - rest) * cos(z));
}

double plBeam_Frequency(const plBeamDef* d, int towards, int mode)
{
    const double b = rootOf(mode);
    if (d->frequency) return 2 * PL_PI * d->frequency[towards * d->modes[0] + mode];
    return b * b * sqrt(d->bending[towards] / (d->mass * d->length * d->length * d->length));
}

void plBeam_Make(const plBeamDef* d, plBeam* beam)
{
    int k = 0;
    for (int towards = 0; towards < 2; ++towards) {
        for (int i = 0; i < d->modes[towards]; ++i, ++k) {
            const double b = rootOf(i);
            beam->modes[k] = (plBeamMode){.number = i,
                                          .towards = towards,
                                          .a1 = d->mass * 2 * (1 - lackOf(b)) / b,
                                          .a2 = d->mass * d->length * 2 / (b * b)};
        }
    }
}

// ------------------------------------------------------------------------------ bodies on a beam

plBeamShare plBeam_Share(const plBeam* beam, const plBeamMode* mode, double along)
{
    const double s = along / beam->length;
    return (plBeamShare){plBeam_Shape(mode->number, s), slopeOf(mode->number, s) / beam->length};
}

// The section turns by the slope of the axis, about z and then about its own -y: to first order, as
// all of this theory, the order does not matter.
void plBeam_Ride(const plBody* body, const plBeam* beam, const double* modes, plPlace* p)
{
    double shift[2] = {0, 0};
    p->turn[0] = p->turn[1] = 0;
    for (int k = 0; k < beam->count; ++k) {
        shift[beam->modes[k].towards] += body->shares[k].shift * modes[k];
        p->turn[beam->modes[k].towards] += body->shares[k].turn * modes[k];
    }
    p->mount = plVec(body->along, shift[0], shift[1]);
    p->Y = plRotation(plRotor(plVec(0, 0, 1), p->turn[0]));
    const plMat3 Z = plRotation(plRotor(plVec(0, -1, 0), p->turn[1]));
    p->F = plMatMul(&p->Y, &Z);
}

// ------------------------------------------------------------------------------------- inertia

static plVec3 column(const plMat3* R, int i) { return plMul(R, plVec(i == 0, i == 1, i == 2)); }

static plVec3 directionOf(const plBeam* beam, const plPlace* p, int k)
{
    return column(&p->world.R, 1 + beam->modes[k].towards);
}

// int phi_k (r - x0) dm without its part along e: m d_l n_l over the modes l of the same number.
static plVec3 across(const plBeam* beam, const plPlace* p, const double* d, int k)
{
    plVec3 sum = {0, 0, 0};
    for (int l = 0; l < beam->count; ++l) {
        if (beam->modes[l].number != beam->modes[k].number) continue;
        sum = plAddScaled(sum, beam->mass * d[l], directionOf(beam, p, l));
    }
    return sum;
}

// g_k = int phi_k (r - x0) dm
static plVec3 momentOf(const plBeam* beam, const plPlace* p, int k)
{
    return plAddScaled(across(beam, p, p->modes, k), beam->modes[k].a2, column(&p->world.R, 0));
}

plVec3 plBeam_Moment(const plBeam* beam, const double* d)
{
    double h[3] = {beam->mass * beam->length / 2, 0, 0};
    for (int k = 0; k < beam->count; ++k) h[1 + beam->modes[k].towards] += beam->modes[k].a1 * d[k];
    return plGet3(h);
}

// A += s a b^T
static void addOuter(plMat3* A, double s, plVec3 a, plVec3 b)
{
    A->x = plAddScaled(A->x, s * a.x, b);
    A->y = plAddScaled(A->y, s * a.y, b);
    A->z = plAddScaled(A->z, s * a.z, b);
}

// int z z^T dm, z = r - x0
static plMat3 secondMoment(const plBeam* beam, const plPlace* p)
{
    const plVec3 e = column(&p->world.R, 0);
    plVec3 first = plScale(beam->mass * beam->length * beam->length / 3, e);
    plMat3 P = plDiagonal3(0, 0, 0);
    for (int k = 0; k < beam->count; ++k) {
        const plVec3 n = directionOf(beam, p, k);
        first = plAddScaled(first, beam->modes[k].a2 * p->modes[k], n);
        addOuter(&P, p->modes[k], n, momentOf(beam, p, k));
    }
    addOuter(&P, 1, e, first);
    return P;
}

// out += tr(A) 1 - A, a 3 x 3 block of a 6 x 6 matrix
static void addTurning(const plMat3* A, double* out)
{
    const double trace = A->x.x + A->y.y + A->z.z;
    const plVec3 rows[3] = {A->x, A->y, A->z};
    for (int i = 0; i < 3; ++i) {
        out[6 * i + 0] -= rows[i].x;
        out[6 * i + 1] -= rows[i].y;
        out[6 * i + 2] -= rows[i].z;
        out[6 * i + i] += trace;
    }
}

void plBeam_Inertia(const plBeam* beam, const plPlace* p, plVec3 origin, const plSpatial* twist,
                    const double* rate, double* I, double* B)
{
    const double m = beam->mass;
    const plVec3 x0 = plSub(p->world.x, origin),
                 h = plMul(&p->world.R, plBeam_Moment(beam, p->modes));
    const plVec3 rm = plAddScaled(h, m, x0); // int r dm
    const plMat3 P = secondMoment(beam, p);
    plMat3 rr = P;
    addOuter(&rr, 1, x0, rm);
    addOuter(&rr, 1, h, x0);
    addTurning(&rr, I);
    plSpatial_AddSkew(I + 3, 1, rm);
    plSpatial_AddSkew(I + 18, -1, rm);
    for (int i = 3; i < 6; ++i) I[7 * i] += m;
    if (!B) return;
    const plVec3 w = plGet3(twist->w), u0 = plAdd(plGet3(twist->v), plCross(w, x0));
    const plMat3 S = plSkew(w);
    plVec3 hdot = plCross(w, h);
    plMat3 ur = plMatMul(&S, &P); // int u r^T dm
    for (int k = 0; k < beam->count; ++k) {
        const plVec3 n = directionOf(beam, p, k);
        hdot = plAddScaled(hdot, beam->modes[k].a1 * rate[k], n);
        addOuter(&ur, rate[k], n, momentOf(beam, p, k));
    }
    addOuter(&ur, 1, u0, rm);
    addOuter(&ur, 1, hdot, x0);
    addTurning(&ur, B);
    plSpatial_AddSkew(B + 18, -1, plAddScaled(hdot, m, u0));
}

plBeamRow plBeam_Row(const plBeam* beam, const plPlace* p, plVec3 origin, const plSpatial* twist,
                     const double* rate, int k)
{
    const double a1 = beam->modes[k].a1;
    const plVec3 x0 = plSub(p->world.x, origin), n = directionOf(beam, p, k);
    const plVec3 g = momentOf(beam, p, k), r = plAddScaled(g, a1, x0); // int phi_k r dm
    const plVec3 w = plGet3(twist->w), u0 = plAdd(plGet3(twist->v), plCross(w, x0));
    const plVec3 ndot = plCross(w, n);
    const plVec3 u = plAddScaled(plAdd(plCross(w, g), across(beam, p, rate, k)), a1, u0);
    plBeamRow row = {{{0}, {0}}, {{0}, {0}}, {{0}, {0}}};
    plPut3(plCross(r, n), row.F.w);
    plPut3(plScale(a1, n), row.F.v);
    plPut3(plCross(r, ndot), row.H.w);
    plPut3(plScale(a1, ndot), row.H.v);
    plPut3(plCross(u, n), row.E.w);
    return row;
}

void plBeam_Pair(const plBeam* beam, const plPlace* p, const plSpatial* twist, int k, int l,
                 double* M, double* C)
{
    const plVec3 nk = directionOf(beam, p, k), nl = directionOf(beam, p, l);
    const bool same = beam->modes[k].number == beam->modes[l].number;
    *M = same && beam->modes[k].towards == beam->modes[l].towards ? beam->mass : 0;
    *C = same ? beam->mass * plDot(nk, plCross(plGet3(twist->w), nl)) : 0;
}
