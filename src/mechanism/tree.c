// Kinematics and inertia of a tree, in spatial vectors about one point at rest in the world.
//
// With S_i the motion subspace of velocity i (world axes), I_b the inertia of body b,
//     M = sum_b J_b^T I_b J_b,   C = sum_b J_b^T (I_b Jdot_b + B_b J_b),
//     B_b = (v x* I_b - I_b v x + (I_b v) x~*)/2,   f x~* u = u x* f  (skew)
// B_b + B_b^T is the rate of I_b and B_b v = v x* I_b v, so Mdot = C + C^T and C v is the whole
// Coriolis force. J_b has the columns S_i of the velocities that carry b, hence with sums over the
// bodies beyond the outer one of two joints (composite inertia), for i at or beyond j,
//     M_ij = S_i.I S_j,  C_ij = S_i.(I Sdot_j + B S_j),  C_ji = S_j.(I Sdot_i + B S_i).
// A body on a beam is carried by the modes too, each with a column of its own (beam.c has the mass of
// the beams). One sweep inwards, O(n depth); quasi-velocities of spherical and free joints need nothing extra.
#include "mechanism/chain.h"

#include <string.h>

static const plFrame* parentOf(const plChain* c, const plPlace* places, int b)
{
    return c->bodies[b].parent < 0 ? &c->base : &places[c->bodies[b].parent].world;
}

// The section of a beam that carries a body, in the world, made in `section`; for others the parent's
// frame.
static const plFrame* carrierOf(const plChain* c, const plPlace* places, int b, plFrame* section)
{
    const plFrame* parent = parentOf(c, places, b);
    const plPlace* p = &places[b];
    if (!c->bodies[b].shares) return parent;
    *section = plFrameMul(parent, &(plFrame){p->mount, p->F});
    return section;
}

void plTree_Place(const plMechanism* m, const double* q, plPlace* places)
{
    const plChain* c = plChain_Of(m);
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        plPlace* p = &places[b];
        for (int k = 0; k < body->beam.count; ++k) p->modes[k] = q[body->beam.q0 + k];
        if (body->shares) {
            plBeam_Ride(body, &c->bodies[body->parent].beam, places[body->parent].modes, p);
        }
        plFrame section;
        const plFrame joint = plFrameMul(carrierOf(c, places, b, &section), &body->frame);
        plJoint_Place(body, q + body->q0, &p->E, &p->d);
        p->world.x = plAdd(joint.x, plMul(&joint.R, p->d));
        p->world.R = plMatMul(&joint.R, &p->E);
    }
}

static plSpatial spatial(plVec3 w, plVec3 v)
{
    return (plSpatial){{w.x, w.y, w.z}, {v.x, v.y, v.z}};
}

static double dot6(const plSpatial* a, const double* f)
{
    return a->w[0] * f[0] + a->w[1] * f[1] + a->w[2] * f[2] + a->v[0] * f[3] + a->v[1] * f[4] +
           a->v[2] * f[5];
}

static void add6(plSpatial* a, double s, const plSpatial* b)
{
    for (int i = 0; i < 3; ++i) a->w[i] += s * b->w[i], a->v[i] += s * b->v[i];
}

// a x b for motions
static plSpatial cross6(const plSpatial* a, const plSpatial* b)
{
    const plVec3 aw = plGet3(a->w), av = plGet3(a->v), bw = plGet3(b->w), bv = plGet3(b->v);
    return spatial(plCross(aw, bw), plAdd(plCross(aw, bv), plCross(av, bw)));
}

// Columns of the modes that carry a body: phi times a shift of the section, and phi' times its turn.
// Shifts are along axes of the beam's frame. The first turn is about its z axis, through a point that
// the shifts move; the second about an axis that the first has turned. Adds them to the twist.
static void rideSubspaces(plChain* c, const plPlace* places, int b, plVec3 origin, const double* v,
                          plSpatial* twist)
{
    const plBody* body = &c->bodies[b];
    const plBeam* beam = &c->bodies[body->parent].beam;
    const plMat3* R = &places[body->parent].world.R;
    plFrame section;
    carrierOf(c, places, b, &section);
    const plVec3 x = plSub(section.x, origin), none = {0, 0, 0};
    const plVec3 shiftAxes[2] = {plMul(R, plVec(0, 1, 0)), plMul(R, plVec(0, 0, 1))};
    const plVec3 turnAxes[2] = {plMul(R, plVec(0, 0, 1)), plMul(&section.R, plVec(0, -1, 0))};
    const plSpatial parentTwist = *twist;
    for (int k = 0; k < beam->count; ++k) {
        const plSpatial shift = spatial(none, shiftAxes[beam->modes[k].towards]);
        const plSpatial rate = cross6(&parentTwist, &shift);
        const int i = body->column0 + k;
        c->S[i] = c->Sdot[i] = (plSpatial){{0}, {0}};
        add6(&c->S[i], body->shares[k].shift, &shift);
        add6(&c->Sdot[i], body->shares[k].shift, &rate);
        add6(twist, v[c->velocity[i]], &c->S[i]);
    }
    for (int towards = 0; towards < 2; ++towards) {
        const plSpatial turn = spatial(turnAxes[towards], plCross(x, turnAxes[towards]));
        const plSpatial rate = cross6(twist, &turn);
        double speed = 0;
        for (int k = 0; k < beam->count; ++k) {
            if (beam->modes[k].towards != towards) continue;
            const int i = body->column0 + k;
            add6(&c->S[i], body->shares[k].turn, &turn);
            add6(&c->Sdot[i], body->shares[k].turn, &rate);
            speed += v[c->velocity[i]] * body->shares[k].turn;
        }
        add6(twist, speed, &turn);
    }
}

// Motion subspaces and their rates, and the twist of each body. Translations move with the parent,
// rotations with the child.
static void subspaces(plChain* c, const plPlace* places, plVec3 origin, const double* v)
{
    const plSpatial still = {{0}, {0}};
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        const plPlace* p = &places[b];
        plSpatial parentTwist = body->parent < 0 ? still : c->twist[body->parent];
        if (body->shares) rideSubspaces(c, places, b, origin, v, &parentTwist);
        const plVec3 x = plSub(p->world.x, origin);
        plSpatial twist = parentTwist;
        int i = body->column0 + body->columnCount - body->shifts - body->turns;
        if (body->shifts > 0) {
            plFrame section;
            const plFrame* carrier = carrierOf(c, places, b, &section);
            const plMat3 Rj = plMatMul(&carrier->R, &body->frame.R);
            for (int k = 0; k < body->shifts; ++k, ++i) {
                c->S[i] = spatial(plVec(0, 0, 0), plMul(&Rj, body->shiftAxes[k]));
                c->Sdot[i] = cross6(&parentTwist, &c->S[i]);
                add6(&twist, v[c->velocity[i]], &c->S[i]);
            }
        }
        const int firstTurn = i, turns = body->turns;
        for (int k = 0; k < turns; ++k, ++i) {
            const plVec3 a = plMul(&p->world.R, body->turnAxes[k]);
            c->S[i] = spatial(a, plCross(x, a));
            add6(&twist, v[c->velocity[i]], &c->S[i]);
        }
        for (i = firstTurn; i < firstTurn + turns; ++i) c->Sdot[i] = cross6(&twist, &c->S[i]);
        c->twist[b] = twist;
    }
}

void plSpatial_AddSkew(double* out, double s, plVec3 a)
{
    out[1] -= s * a.z, out[2] += s * a.y;
    out[6] += s * a.z, out[8] -= s * a.x;
    out[12] -= s * a.y, out[13] += s * a.x;
}

// I = [J - m S(r)S(r), m S(r); -m S(r), m], J about the centre in world axes, r the centre.
static void bodyInertia(const plBody* body, const plFrame* world, plVec3 origin, double* I)
{
    const plVec3 r = plSub(plAdd(world->x, plMul(&world->R, body->center)), origin);
    const plMat3 RJ = plMatMul(&world->R, &body->inertia), J = plMatMulT(&RJ, &world->R);
    const double rr = plDot(r, r), m = body->mass;
    const plVec3 h = plScale(m, r);
    const double top[3][3] = {
        {J.x.x + m * (rr - r.x * r.x), J.x.y - m * r.x * r.y, J.x.z - m * r.x * r.z},
        {J.y.x - m * r.y * r.x, J.y.y + m * (rr - r.y * r.y), J.y.z - m * r.y * r.z},
        {J.z.x - m * r.z * r.x, J.z.y - m * r.z * r.y, J.z.z + m * (rr - r.z * r.z)}};
    const double halves[3] = {0.5 * (top[0][1] + top[1][0]), 0.5 * (top[0][2] + top[2][0]),
                              0.5 * (top[1][2] + top[2][1])};
    // clang-format off
    const double all[36] = {top[0][0], halves[0], halves[1],    0, -h.z,  h.y,
                            halves[0], top[1][1], halves[2],  h.z,    0, -h.x,
                            halves[1], halves[2], top[2][2], -h.y,  h.x,    0,
                                    0,       h.z,      -h.y,    m,    0,    0,
                                 -h.z,         0,       h.x,    0,    m,    0,
                                  h.y,      -h.x,         0,    0,    0,    m};
    // clang-format on
    memcpy(I, all, sizeof all);
}

// Products with an inertia, with a Coriolis matrix and with its transpose, without their zeros.
static inline void mulInertia(const double* I, const plSpatial* x, double* f)
{
    const double *w = x->w, *v = x->v;
    f[0] = I[0] * w[0] + I[1] * w[1] + I[2] * w[2] + I[4] * v[1] + I[5] * v[2];
    f[1] = I[6] * w[0] + I[7] * w[1] + I[8] * w[2] + I[9] * v[0] + I[11] * v[2];
    f[2] = I[12] * w[0] + I[13] * w[1] + I[14] * w[2] + I[15] * v[0] + I[16] * v[1];
    f[3] = I[19] * w[1] + I[20] * w[2] + I[21] * v[0];
    f[4] = I[24] * w[0] + I[26] * w[2] + I[28] * v[1];
    f[5] = I[30] * w[0] + I[31] * w[1] + I[35] * v[2];
}

static inline void mulCoriolis(const double* B, const plSpatial* x, double* f)
{
    for (int i = 0; i < 3; ++i) f[i] = dot6(x, &B[6 * i]);
    for (int i = 3; i < 6; ++i) f[i] = plDot(plGet3(x->w), plGet3(&B[6 * i]));
}

static inline void mulCoriolisT(const double* B, const plSpatial* x, double* f)
{
    const double *w = x->w, *v = x->v;
    for (int k = 0; k < 6; ++k) f[k] = w[0] * B[k] + w[1] * B[6 + k] + w[2] * B[12 + k];
    for (int k = 0; k < 3; ++k) {
        f[k] = f[k] + v[0] * B[18 + k] + v[1] * B[24 + k] + v[2] * B[30 + k];
    }
}

// Half of X I + (X I)^T + (I v) x~*, X = v x* = [S(w), S(v); 0, S(w)]. Of shifts with shifts it is
// zero: mass times S(w), and that transposed.
static void bodyCoriolis(const double* I, const plSpatial* twist, double* B)
{
    const plVec3 w = plGet3(twist->w), v = plGet3(twist->v);
    double XI[36], h[6];
    for (int j = 0; j < 6; ++j) { // columns of I: f on top of g
        const plVec3 f = plVec(I[j], I[6 + j], I[12 + j]);
        const plVec3 g = plVec(I[18 + j], I[24 + j], I[30 + j]), wf = plCross(w, f);
        XI[j] = wf.x - v.z * g.y + v.y * g.z;
        XI[6 + j] = wf.y + v.z * g.x - v.x * g.z;
        XI[12 + j] = wf.z - v.y * g.x + v.x * g.y;
        if (j < 3) {
            const plVec3 wg = plCross(w, g);
            XI[18 + j] = wg.x, XI[24 + j] = wg.y, XI[30 + j] = wg.z;
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 6; ++j) {
            B[6 * i + j] = B[6 * j + i] = 0.5 * (XI[6 * i + j] + XI[6 * j + i]);
        }
        for (int j = 3; j < 6; ++j) B[6 * (i + 3) + j] = 0;
    }
    mulInertia(I, twist, h);
    plSpatial_AddSkew(B, -0.5, plGet3(h));
    plSpatial_AddSkew(B + 3, -0.5, plGet3(h + 3));
    plSpatial_AddSkew(B + 18, -0.5, plGet3(h + 3));
}

static void composites(plChain* c, const plPlace* places, plVec3 origin, const double* v,
                       bool coriolis)
{
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBeam* beam = &c->bodies[b].beam;
        double *I = &c->I[36 * b], *D = &c->D[36 * b];
        bodyInertia(&c->bodies[b], &places[b].world, origin, I);
        if (coriolis) bodyCoriolis(I, &c->twist[b], D);
        if (beam->mass > 0) {
            plBeam_Inertia(beam, &places[b], origin, &c->twist[b], v + beam->v0, I,
                           coriolis ? D : NULL);
        }
    }
    for (int b = c->bodyCount - 1; b >= 0; --b) {
        const int parent = c->bodies[b].parent;
        if (parent < 0) continue;
        for (int k = 0; k < 36; ++k) c->I[36 * parent + k] += c->I[36 * b + k];
        for (int k = 0; coriolis && k < 36; ++k) c->D[36 * parent + k] += c->D[36 * b + k];
    }
}

// Rows and columns of column i of S against all that carry it. Modes have columns on several bodies,
// which add up.
static void rowsOf(const plChain* c, int b, int i, int n, double* M, double* C)
{
    double f1[6] = {0}, f2[6], f3[6] = {0};
    const double *I = &c->I[36 * b], *B = &c->D[36 * b];
    const int vi = c->velocity[i];
    mulInertia(I, &c->S[i], f2);
    if (C) {
        double bs[6];
        mulInertia(I, &c->Sdot[i], f1);
        mulCoriolis(B, &c->S[i], bs);
        for (int k = 0; k < 6; ++k) f1[k] += bs[k];
        mulCoriolisT(B, &c->S[i], f3);
    }
    int j = i;
    for (int a = b; a >= 0; a = c->bodies[a].parent) {
        const int first = c->bodies[a].column0;
        if (a != b) j = first + c->bodies[a].columnCount - 1;
        for (; j >= first; --j) {
            const int vj = c->velocity[j];
            const double mass = dot6(&c->S[j], f2);
            if (M) M[vi * n + vj] += mass;
            if (M && j != i) M[vj * n + vi] += mass;
            if (!C) continue;
            C[vi * n + vj] += dot6(&c->Sdot[j], f2) + dot6(&c->S[j], f3);
            if (j != i) C[vj * n + vi] += dot6(&c->S[j], f1);
        }
    }
}

static double dotS(const plSpatial* a, const plSpatial* b)
{
    return plDot(plGet3(a->w), plGet3(b->w)) + plDot(plGet3(a->v), plGet3(b->v));
}

// Rows and columns of the modes of a beam: against what carries it, and among themselves.
static void beamRows(const plChain* c, const plPlace* places, plVec3 origin, const double* v, int b,
                     int n, double* M, double* C)
{
    const plBeam* beam = &c->bodies[b].beam;
    const double* rate = v + beam->v0;
    for (int k = 0; k < beam->count; ++k) {
        const int vk = beam->v0 + k;
        const plBeamRow row = plBeam_Row(beam, &places[b], origin, &c->twist[b], rate, k);
        for (int a = b; a >= 0; a = c->bodies[a].parent) {
            const int first = c->bodies[a].column0;
            for (int j = first; j < first + c->bodies[a].columnCount; ++j) {
                const int vj = c->velocity[j];
                const double mass = dotS(&c->S[j], &row.F);
                if (M) M[vk * n + vj] += mass, M[vj * n + vk] += mass;
                if (!C) continue;
                C[vk * n + vj] += dotS(&c->Sdot[j], &row.F) + dotS(&c->S[j], &row.E);
                C[vj * n + vk] += dotS(&c->S[j], &row.H);
            }
        }
        for (int l = 0; l < beam->count; ++l) {
            double mass, coriolis;
            plBeam_Pair(beam, &places[b], &c->twist[b], k, l, &mass, &coriolis);
            if (M) M[vk * n + beam->v0 + l] += mass;
            if (C) C[vk * n + beam->v0 + l] += coriolis;
        }
    }
}

void plTree_Inertia(plMechanism* m, const plPlace* places, const double* v, double* M, double* C)
{
    plChain* c = plChain_Of(m);
    const size_t bytes = (size_t)(m->n * m->n) * sizeof(double);
    const plVec3 origin = places[0].world.x; // near the masses: m r^2 does not drown the inertia
    subspaces(c, places, origin, v);
    composites(c, places, origin, v, C != NULL);
    if (M) memset(M, 0, bytes);
    if (C) memset(C, 0, bytes);
    for (int b = 0; b < c->bodyCount; ++b) {
        const int first = c->bodies[b].column0, count = c->bodies[b].columnCount;
        for (int i = first; i < first + count; ++i) rowsOf(c, b, i, m->n, M, C);
        beamRows(c, places, origin, v, b, m->n, M, C);
    }
}

// The section that carries body b turns and shifts with the modes; see plTree_Jacobian. y is a mean
// point in the section, and becomes one in the beam's frame.
static void rideJacobian(const plChain* c, const plChart* chart, int b, plVec3 lin, plVec3 ang,
                         plVec3* y, double* g)
{
    const plBody* body = &c->bodies[b];
    const int up = body->parent;
    const plBeam* beam = &c->bodies[up].beam;
    const plPlace *p0 = &chart->first[b], *p1 = &chart->last[b], *half = &chart->middle[b];
    const plMat3 *R0 = &chart->first[up].world.R, *R1 = &chart->last[up].world.R;
    const plMat3 Ry0 = plMatMul(R0, &p0->Y), Ry1 = plMatMul(R1, &p1->Y);
    const plMat3 R = plMean(R0, R1), Ry = plMean(&Ry0, &Ry1), Y = plMean(&p0->Y, &p1->Y);
    const plMat3 Z0 = plTransMul(&p0->Y, &p0->F), Z1 = plTransMul(&p1->Y, &p1->F);
    const plMat3 Z = plMean(&Z0, &Z1);
    const plVec3 axes[2] = {plVec(0, 0, 1), plVec(0, -1, 0)};
    const plVec3 linB = plMulT(&R, lin), angB = plMulT(&chart->middle[up].world.R, ang);
    const plVec3 momentZ = plCross(*y, plMulT(&Z, plMulT(&Ry, lin)));
    *y = plMul(&Z, *y);
    const plVec3 momentY = plCross(*y, plMulT(&Y, linB));
    *y = plAdd(plScale(0.5, plAdd(p0->mount, p1->mount)), plMul(&Y, *y));
    double turn[2] = {plDot(axes[0], momentY), plDot(axes[1], momentZ)};
    for (int i = 0; i < 2; ++i) turn[i] *= plTanRatio(fmin(fabs(p1->turn[i] - p0->turn[i]), 2));
    turn[0] += plDot(axes[0], angB);
    turn[1] += plDot(axes[1], plMulT(&half->Y, angB));
    for (int k = 0; k < beam->count; ++k) {
        const int towards = beam->modes[k].towards;
        g[beam->v0 + k] += body->shares[k].shift * (towards == 0 ? linB.y : linB.z) +
                           body->shares[k].turn * turn[towards];
    }
}

static plMat3 carrierMean(const plChain* c, const plChart* chart, int b)
{
    if (!c->bodies[b].shares) {
        return plMean(&parentOf(c, chart->first, b)->R, &parentOf(c, chart->last, b)->R);
    }
    plFrame c0, c1;
    carrierOf(c, chart->first, b, &c0);
    carrierOf(c, chart->last, b, &c1);
    return plMean(&c0.R, &c1.R);
}

// Where first and last are one, the means are what they are means of.
static plAverage averageOf(const plChain* c, const plChart* chart, int b)
{
    const plPlace *p0 = &chart->first[b], *p1 = &chart->last[b];
    if (p0 == p1 && !c->bodies[b].shares) {
        return (plAverage){parentOf(c, chart->first, b)->R, p0->E, p0->d};
    }
    return (plAverage){carrierMean(c, chart, b), plMean(&p0->E, &p1->E),
                       plScale(0.5, plAdd(p0->d, p1->d))};
}

void plTree_Average(const plMechanism* m, const plChart* chart, plAverage* averages)
{
    for (int b = 0; b < m->parts; ++b) averages[b] = averageOf(plChain_Of(m), chart, b);
}

// Displacement of a point y of body b from the first to the last places, exactly, by the product
// rule: with bars for means, D(R_j (d + E y)) = DR_j (dbar + Ebar y) + Rbar_j (Dd + DE y), and
// DE = Ebar S(kappa a) for a turn by the rotation vector a. Walks from the part to the base.
void plTree_Jacobian(const plMechanism* m, const plChart* chart, int part, plVec3 point, plVec3 lin,
                     plVec3 ang, double* g)
{
    const plChain* c = plChain_Of(m);
    const bool turning = plDot(ang, ang) > 0;
    plVec3 y = point;
    for (int b = part; b >= 0; b = c->bodies[b].parent) {
        const plBody* body = &c->bodies[b];
        plAverage own;
        const plAverage* mean = chart->averages ? &chart->averages[b] : &own;
        if (!chart->averages) own = averageOf(c, chart, b);
        const plVec3 linJ =
            plMulT(&body->frame.R, plMulT(&mean->carrier, lin));  // in the joint frame
        const plVec3 moment = plCross(y, plMulT(&mean->E, linJ)); // in the child frame
        const double kappa = chart->kappa ? chart->kappa[b] : 1;
        double* gb = g + body->v0;
        const int shifts = body->shifts, turns = body->turns;
        for (int k = 0; k < shifts; ++k) gb[k] += plDot(body->shiftAxes[k], linJ);
        for (int k = 0; k < turns; ++k) gb[shifts + k] += kappa * plDot(body->turnAxes[k], moment);
        if (turning) {
            const plVec3 angC = plMulT(&chart->middle[b].world.R, ang);
            for (int k = 0; k < turns; ++k) gb[shifts + k] += plDot(body->turnAxes[k], angC);
        }
        y = plAdd(body->frame.x, plMul(&body->frame.R, plAdd(mean->d, plMul(&mean->E, y))));
        if (body->shares) rideJacobian(c, chart, b, lin, ang, &y, g);
    }
}

bool plTree_Rides(const plChain* c)
{
    for (int b = 0; b < c->bodyCount; ++b) {
        if (c->bodies[b].shares) return true;
    }
    return false;
}

// One walk to the base, for all six components.
void plTree_Twist(const plMechanism* m, const plPlace* places, const double* v, int part,
                  plVec3 point, plVec3* speed, plVec3* spin)
{
    const plChain* c = plChain_Of(m);
    const plFrame* at = &places[part].world;
    const plVec3 x = plAdd(at->x, plMul(&at->R, point));
    *speed = *spin = plVec(0, 0, 0);
    for (int b = part; b >= 0; b = c->bodies[b].parent) {
        const plBody* body = &c->bodies[b];
        const plFrame* world = &places[b].world;
        const double* vb = v + body->v0;
        const int shifts = body->shifts, turns = body->turns;
        plVec3 along = plVec(0, 0, 0), about = plVec(0, 0, 0);
        for (int k = 0; k < shifts; ++k) along = plAddScaled(along, vb[k], body->shiftAxes[k]);
        for (int k = 0; k < turns; ++k)
            about = plAddScaled(about, vb[shifts + k], body->turnAxes[k]);
        const plVec3 turn = plMul(&world->R, about);
        *spin = plAdd(*spin, turn);
        *speed = plAdd(*speed, plCross(turn, plSub(x, world->x)));
        if (shifts == 0) continue;
        const plVec3 shift = plMul(&body->frame.R, along);
        *speed = plAdd(*speed, plMul(&parentOf(c, places, b)->R, shift));
    }
}

// Gravity of a beam: at its centre of mass, the mean of the two ends, and on its modes.
static void beamGravity(const plMechanism* m, const plChart* chart, int b, double* G)
{
    const plBeam* beam = &plChain_Of(m)->bodies[b].beam;
    const plPlace *p0 = &chart->first[b], *p1 = &chart->last[b];
    const plVec3 h0 = plBeam_Moment(beam, p0->modes), h1 = plBeam_Moment(beam, p1->modes);
    const plMat3 R = plMean(&p0->world.R, &p1->world.R);
    const plVec3 pull = plMulT(&R, m->gravity);
    plTree_Jacobian(m, chart, b, plScale(0.5 / beam->mass, plAdd(h0, h1)),
                    plScale(beam->mass, m->gravity), plVec(0, 0, 0), G);
    for (int k = 0; k < beam->count; ++k) {
        G[beam->v0 + k] += beam->modes[k].a1 * (beam->modes[k].towards == 0 ? pull.y : pull.z);
    }
}

void plTree_Gravity(const plMechanism* m, const plChart* chart, double* G)
{
    const plChain* c = plChain_Of(m);
    memset(G, 0, (size_t)m->n * sizeof *G);
    for (int b = 0; b < c->bodyCount; ++b) {
        const plVec3 force = plScale(c->bodies[b].mass, m->gravity);
        if (c->bodies[b].mass > 0) {
            plTree_Jacobian(m, chart, b, c->bodies[b].center, force, plVec(0, 0, 0), G);
        }
        if (c->bodies[b].beam.mass > 0) beamGravity(m, chart, b, G);
    }
}

double plTree_GravityEnergy(const plMechanism* m, const plPlace* places)
{
    double energy = 0;
    for (int b = 0; b < plChain_Of(m)->bodyCount; ++b) {
        const plBody* body = &plChain_Of(m)->bodies[b];
        const plFrame* world = &places[b].world;
        const plVec3 x = plAdd(world->x, plMul(&world->R, body->center));
        energy -= body->mass * plDot(m->gravity, x);
        if (body->beam.mass == 0) continue;
        const plVec3 h = plBeam_Moment(&body->beam, places[b].modes);
        energy -= plDot(m->gravity, plAddScaled(plMul(&world->R, h), body->beam.mass, world->x));
    }
    return energy;
}
