// The contact problems: those of the peers' measurements, by the same rules.
#include "contacts.h"

#include "math/math.h"

#include <stdlib.h>
#include <string.h>

static void* take(int count, size_t size)
{
    void* memory = calloc((size_t)count, size);
    if (!memory) exit(1);
    return memory;
}

// Normal near up, and tangents, as rows.
static plMat3 frame(plRng* r, double spread)
{
    plMat3 R;
    plVec3 n;
    n.x = spread * plRng_Normal(r), n.y = spread * plRng_Normal(r);
    n.z = 1 + spread * plRng_Normal(r);
    R.x = plScale(1 / plNorm(n), n);
    plTangents(R.x, &R.y, &R.z);
    return R;
}

// Contacts on a unit square that feel each other by exp(-distance/0.3).
static void makeElastic(Contacts* c, plRng* r)
{
    const plMat3 C = {{1, 0.1, 0.05}, {0.1, 1.2, 0.1}, {0.05, 0.1, 1.5}};
    const int m = c->count, n = 3 * m;
    double* x = take(2 * m, sizeof *x);
    plMat3* R = take(m, sizeof *R);
    for (int i = 0; i < m; ++i) {
        x[2 * i] = plRng_Uniform(r, 0, 1), x[2 * i + 1] = plRng_Uniform(r, 0, 1);
        R[i] = frame(r, 0.15);
    }
    for (int k = 0; k < m * m; ++k) {
        const int i = k / m, j = k % m;
        const double d = hypot(x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]);
        const double s = exp(-d / 0.3) + (i == j ? 0.1 : 0);
        const plMat3 RC = plMatMul(&R[i], &C), block = plMatMulT(&RC, &R[j]);
        const plVec3 rows[] = {block.x, block.y, block.z};
        for (int a = 0; a < 3; ++a) plPut3(plScale(s, rows[a]), &c->W[(3 * i + a) * n + 3 * j]);
    }
    for (int i = 0; i < m; ++i) {
        const bool closing = plRng_Uniform(r, 0, 1) < 0.8;
        c->q[3 * i] = closing ? plRng_Uniform(r, -1.3, -0.3) : plRng_Uniform(r, 0, 0.5);
        c->q[3 * i + 1] = 0.4 * plRng_Normal(r), c->q[3 * i + 2] = 0.4 * plRng_Normal(r);
    }
    free(x);
    free(R);
}

// Row of a contact's direction d, at an arm of a body.
static void putArm(double* h, plVec3 d, plVec3 arm, double sign)
{
    plPut3(plScale(sign, d), h);
    plPut3(plScale(sign, plCross(arm, d)), h + 3);
}

static plVec3 randomArm(plRng* r, double z)
{
    const double x = plRng_Uniform(r, -0.05, 0.05);
    return plVec(x, plRng_Uniform(r, -0.05, 0.05), z);
}

// Rows H of contacts: of every body two with the ground and two with others.
static void makeArms(double* H, int m, int bodies, plRng* r)
{
    for (int i = 0; i < m; ++i) {
        const int a = i % bodies;
        const bool ground = i / bodies % 2 == 0 || bodies == 1;
        const int other = (a + 1 + (int)plRng_Uniform(r, 0, bodies - 1)) % bodies;
        const plMat3 R = frame(r, 0.3);
        const plVec3 axes[] = {R.x, R.y, R.z}, here = randomArm(r, -0.05),
                     there = randomArm(r, 0.05);
        for (int k = 0; k < 3; ++k) {
            double* h = &H[(3 * i + k) * 6 * bodies];
            putArm(&h[6 * a], axes[k], here, 1);
            if (!ground) putArm(&h[6 * other], axes[k], there, -1);
        }
    }
}

static void makeRigid(Contacts* c, plRng* r)
{
    const int m = c->count, n = 3 * m, bodies = m / 4 > 1 ? m / 4 : 1, nv = 6 * bodies;
    double *H = take(n * nv, sizeof *H), *inverse = take(nv, sizeof *H), *v = take(nv, sizeof *H);
    for (int k = 0; k < nv; ++k) {
        inverse[k] = (k % 6 < 3 ? 1 : 600) * plRng_Uniform(r, 0.8, 1.2);
        v[k] = k % 6 == 2 ? -0.5 : 0.1 * plRng_Normal(r) * (k % 6 < 3 ? 1 : 5);
    }
    makeArms(H, m, bodies, r);
    for (int i = 0; i < n; ++i) {
        c->q[i] = plDotN(&H[i * nv], v, nv);
        for (int j = 0; j <= i; ++j) {
            double w = i == j ? 1e-6 : 0;
            for (int k = 0; k < nv; ++k) w += H[i * nv + k] * inverse[k] * H[j * nv + k];
            c->W[i * n + j] = c->W[j * n + i] = w;
        }
    }
    free(H);
    free(inverse);
    free(v);
}

void contactsMake(Contacts* c, ContactsKind kind, int count, double mu, uint64_t seed)
{
    plRng r = plRng_Seed(seed + 1000003u * (uint64_t)count + 17u * (uint64_t)kind);
    *c = (Contacts){.count = count, .mu = mu};
    c->W = take(9 * count * count, sizeof(double));
    c->q = take(3 * count, sizeof(double));
    if (kind == contactsElastic) makeElastic(c, &r);
    if (kind == contactsRigid) makeRigid(c, &r);
}

void contactsFree(Contacts* c)
{
    free(c->W);
    free(c->q);
}
