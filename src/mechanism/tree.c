// Kinematics and inertia of a tree, in spatial vectors about one point at rest in the world.
//
// With S_i the motion subspace of velocity i (world axes), I_b the inertia of body b,
//     M = sum_b J_b^T I_b J_b,   C = sum_b J_b^T (I_b Jdot_b + B_b J_b),
//     B_b = (v x* I_b - I_b v x + (I_b v) x~*)/2,   f x~* u = u x* f  (skew)
// B_b + B_b^T is the rate of I_b and B_b v = v x* I_b v, so Mdot = C + C^T and C v is the whole
// Coriolis force. J_b has the columns S_i of the velocities that carry b, hence with sums over the
// bodies beyond the outer one of two joints (composite inertia), for i at or beyond j,
//     M_ij = S_i.I S_j,  C_ij = S_i.(I Sdot_j + B S_j),  C_ji = S_j.(I Sdot_i + B S_i).
// One sweep inwards, O(n depth); quasi-velocities of spherical and free joints need nothing extra.
#include "mechanism/chain.h"

#include <string.h>

void plTree_Place(const plMechanism* m, const double* q, plPlace* places)
{
    const plChain* c = m->chain;
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        plPlace* p = &places[b];
        const plFrame* parent = body->parent < 0 ? &c->base : &places[body->parent].world;
        const plFrame joint = plFrameMul(parent, &body->frame);
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

// Motion subspaces and their rates, and the twist of each body. Translations move with the parent,
// rotations with the child.
static void subspaces(plChain* c, const plPlace* places, plVec3 origin, const double* v)
{
    const plSpatial still = {{0}, {0}};
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        const plPlace* p = &places[b];
        const plSpatial parentTwist = body->parent < 0 ? still : c->twist[body->parent];
        const plFrame* parent = body->parent < 0 ? &c->base : &places[body->parent].world;
        const plMat3 Rj = plMatMul(&parent->R, &body->frame.R);
        const plVec3 x = plSub(p->world.x, origin);
        plSpatial twist = parentTwist;
        plVec3 axes[3];
        int i = body->v0;
        const int shifts = plJoint_Translations(body->joint, body, axes);
        for (int k = 0; k < shifts; ++k, ++i) {
            c->S[i] = spatial(plVec(0, 0, 0), plMul(&Rj, axes[k]));
            c->Sdot[i] = cross6(&parentTwist, &c->S[i]);
            add6(&twist, v[i], &c->S[i]);
        }
        const int firstTurn = i, turns = plJoint_Rotations(body->joint, body, axes);
        for (int k = 0; k < turns; ++k, ++i) {
            const plVec3 a = plMul(&p->world.R, axes[k]);
            c->S[i] = spatial(a, plCross(x, a));
            add6(&twist, v[i], &c->S[i]);
        }
        for (i = firstTurn; i < firstTurn + turns; ++i) c->Sdot[i] = cross6(&twist, &c->S[i]);
        c->twist[b] = twist;
    }
}

// out += s S(a), a 3 x 3 block of a 6 x 6 matrix
static void addSkew(double* out, double s, plVec3 a)
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
    const double top[3][3] = {
        {J.x.x + m * (rr - r.x * r.x), J.x.y - m * r.x * r.y, J.x.z - m * r.x * r.z},
        {J.y.x - m * r.y * r.x, J.y.y + m * (rr - r.y * r.y), J.y.z - m * r.y * r.z},
        {J.z.x - m * r.z * r.x, J.z.y - m * r.z * r.y, J.z.z + m * (rr - r.z * r.z)}};
    memset(I, 0, 36 * sizeof *I);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) I[6 * i + j] = 0.5 * (top[i][j] + top[j][i]);
        I[6 * (i + 3) + i + 3] = m;
    }
    addSkew(I + 3, m, r);
    addSkew(I + 18, -m, r);
}

static void mul6(const double* A, const plSpatial* x, double* y)
{
    for (int i = 0; i < 6; ++i) y[i] = dot6(x, &A[6 * i]);
}

// Half of X I + (X I)^T + (I v) x~*, X = v x* = [S(w), S(v); 0, S(w)].
static void bodyCoriolis(const double* I, const plSpatial* twist, double* B)
{
    const plVec3 w = plGet3(twist->w), v = plGet3(twist->v);
    double X[36] = {0}, XI[36], h[6];
    addSkew(X, 1, w);
    addSkew(X + 3, 1, v);
    addSkew(X + 21, 1, w);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            double sum = 0;
            for (int k = 0; k < 6; ++k) sum += X[6 * i + k] * I[6 * k + j];
            XI[6 * i + j] = sum;
        }
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) B[6 * i + j] = 0.5 * (XI[6 * i + j] + XI[6 * j + i]);
    }
    mul6(I, twist, h);
    addSkew(B, -0.5, plGet3(h));
    addSkew(B + 3, -0.5, plGet3(h + 3));
    addSkew(B + 18, -0.5, plGet3(h + 3));
}

static void composites(plChain* c, const plPlace* places, plVec3 origin, bool coriolis)
{
    for (int b = 0; b < c->bodyCount; ++b) {
        bodyInertia(&c->bodies[b], &places[b].world, origin, &c->I[36 * b]);
        if (coriolis) bodyCoriolis(&c->I[36 * b], &c->twist[b], &c->D[36 * b]);
    }
    for (int b = c->bodyCount - 1; b >= 0; --b) {
        const int parent = c->bodies[b].parent;
        if (parent < 0) continue;
        for (int k = 0; k < 36; ++k) c->I[36 * parent + k] += c->I[36 * b + k];
        for (int k = 0; coriolis && k < 36; ++k) c->D[36 * parent + k] += c->D[36 * b + k];
    }
}

// Rows and columns of velocity i against all velocities that carry it.
static void rowsOf(const plChain* c, int b, int i, int n, double* M, double* C)
{
    double f1[6] = {0}, f2[6], f3[6] = {0};
    const double *I = &c->I[36 * b], *B = &c->D[36 * b];
    mul6(I, &c->S[i], f2);
    if (C) {
        double bs[6];
        mul6(I, &c->Sdot[i], f1);
        mul6(B, &c->S[i], bs);
        for (int k = 0; k < 6; ++k) f1[k] += bs[k];
        for (int k = 0; k < 6; ++k) {
            const double Bk[6] = {B[k], B[6 + k], B[12 + k], B[18 + k], B[24 + k], B[30 + k]};
            f3[k] = dot6(&c->S[i], Bk);
        }
    }
    int j = i;
    for (int a = b; a >= 0; a = c->bodies[a].parent) {
        const int first = c->bodies[a].v0;
        if (a != b) j = first + plJoint_Velocities(c->bodies[a].joint) - 1;
        for (; j >= first; --j) {
            if (M) M[i * n + j] = M[j * n + i] = dot6(&c->S[j], f2);
            if (!C) continue;
            C[j * n + i] = dot6(&c->S[j], f1);
            C[i * n + j] = dot6(&c->Sdot[j], f2) + dot6(&c->S[j], f3);
        }
    }
}

void plTree_Inertia(plMechanism* m, const plPlace* places, const double* v, double* M, double* C)
{
    plChain* c = m->chain;
    const size_t bytes = (size_t)(m->n * m->n) * sizeof(double);
    const plVec3 origin = places[0].world.x; // near the masses: m r^2 does not drown the inertia
    subspaces(c, places, origin, v);
    composites(c, places, origin, C != NULL);
    if (M) memset(M, 0, bytes);
    if (C) memset(C, 0, bytes);
    for (int b = 0; b < c->bodyCount; ++b) {
        const int first = c->bodies[b].v0, count = plJoint_Velocities(c->bodies[b].joint);
        for (int i = first; i < first + count; ++i) rowsOf(c, b, i, m->n, M, C);
    }
}

// Displacement of a point y of body b from the first to the last places, exactly, by the product
// rule: with bars for means, D(R_j (d + E y)) = DR_j (dbar + Ebar y) + Rbar_j (Dd + DE y), and
// DE = Ebar S(kappa a) for a turn by the rotation vector a. Walks from the part to the base.
void plTree_Jacobian(const plMechanism* m, const plChart* chart, int part, plVec3 point, plVec3 lin,
                     plVec3 ang, double* g)
{
    const plChain* c = m->chain;
    plVec3 y = point, axes[3];
    for (int b = part; b >= 0; b = c->bodies[b].parent) {
        const plBody* body = &c->bodies[b];
        const plPlace *p0 = &chart->first[b], *p1 = &chart->last[b];
        const int up = body->parent;
        const plMat3 Rp =
            up < 0 ? c->base.R : plMean(&chart->first[up].world.R, &chart->last[up].world.R);
        const plMat3 E = plMean(&p0->E, &p1->E);
        const plVec3 linJ = plMulT(&body->frame.R, plMulT(&Rp, lin)); // in the joint frame
        const plVec3 moment = plCross(y, plMulT(&E, linJ));           // in the child frame
        const double kappa = chart->kappa ? chart->kappa[b] : 1;
        double* gb = g + body->v0;
        const int shifts = plJoint_Translations(body->joint, body, axes);
        for (int k = 0; k < shifts; ++k) gb[k] += plDot(axes[k], linJ);
        const int turns = plJoint_Rotations(body->joint, body, axes);
        const plVec3 angC = plMulT(&chart->middle[b].world.R, ang);
        for (int k = 0; k < turns; ++k) {
            gb[shifts + k] += kappa * plDot(axes[k], moment) + plDot(axes[k], angC);
        }
        const plVec3 d = plScale(0.5, plAdd(p0->d, p1->d));
        y = plAdd(body->frame.x, plMul(&body->frame.R, plAdd(d, plMul(&E, y))));
    }
}

void plTree_Gravity(const plMechanism* m, const plChart* chart, double* G)
{
    const plChain* c = m->chain;
    memset(G, 0, (size_t)m->n * sizeof *G);
    for (int b = 0; b < c->bodyCount; ++b) {
        const plVec3 force = plScale(c->bodies[b].mass, m->gravity);
        if (c->bodies[b].mass > 0) {
            plTree_Jacobian(m, chart, b, c->bodies[b].center, force, plVec(0, 0, 0), G);
        }
    }
}

double plTree_GravityEnergy(const plMechanism* m, const plPlace* places)
{
    double energy = 0;
    for (int b = 0; b < m->chain->bodyCount; ++b) {
        const plBody* body = &m->chain->bodies[b];
        const plFrame* world = &places[b].world;
        const plVec3 x = plAdd(world->x, plMul(&world->R, body->center));
        energy -= body->mass * plDot(m->gravity, x);
    }
    return energy;
}
