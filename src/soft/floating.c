// Compliance of a body that floats: on six supports, then without its rigid motion.
#include "soft/inside.h"

#include <string.h>

// --- rigid motions: three translations, then three rotations about the centre of mass

static plVec3 rigidMotion(const plSoftFloating* b, int mode, int node)
{
    const plVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (mode < 3) return axes[mode];
    return plCross(axes[mode - 3], plSub(b->factor.soft->points[node], b->rigid.center));
}

/// (Phi^T M Phi)^-1 of six numbers: about the centre of mass it is diag(m, m, m, inertia).
static void unweigh(const plSoftFloating* b, double y[6])
{
    for (int k = 0; k < 3; ++k) y[k] /= b->rigid.mass;
    plPut3(plMul(&b->turn, plGet3(y + 3)), y + 3);
}

/// u -= Phi y
static void takeMotion(const plSoftFloating* b, const double y[6], double* u)
{
    const plSoft* s = b->factor.soft;
    const plVec3 v = plGet3(y), w = plGet3(y + 3);
    for (int i = 0; i < s->nodeCount; ++i) {
        const plVec3 r = plSub(s->points[i], b->rigid.center);
        const plVec3 motion = plAdd(v, plCross(w, r));
        plPut3(plSub(plGet3(&u[3 * i]), motion), &u[3 * i]);
    }
}

/// f <- P^T f = f - M Phi (Phi^T M Phi)^-1 Phi^T f: the forces that are left when the accelerations
/// of the rigid body are paid.
static void balance(const plSoftFloating* b, double* f)
{
    const plSoft* s = b->factor.soft;
    const int n = 3 * s->nodeCount;
    plVec3 force = {0}, torque = {0};
    double y[6];
    for (int i = 0; i < s->nodeCount; ++i) {
        const plVec3 F = plGet3(&f[3 * i]);
        force = plAdd(force, F);
        torque = plAdd(torque, plCross(plSub(s->points[i], b->rigid.center), F));
    }
    plPut3(force, y), plPut3(torque, y + 3);
    unweigh(b, y);
    for (int m = 0; m < 6; ++m) {
        for (int i = 0; i < n; ++i) f[i] -= y[m] * b->MPhi[m * n + i];
    }
}

/// u <- P u = u - Phi (Phi^T M Phi)^-1 Phi^T M u
static void center(const plSoftFloating* b, double* u)
{
    const int n = 3 * b->factor.soft->nodeCount;
    double y[6];
    for (int m = 0; m < 6; ++m) y[m] = plDotN(&b->MPhi[m * n], u, n);
    unweigh(b, y);
    takeMotion(b, y, u);
}

// --- supports

/// The node with the largest of what is asked of it.
static int farthest(const plSoft* s, plVec3 from, plVec3 line)
{
    int best = 0;
    double most = -1;
    for (int i = 0; i < s->nodeCount; ++i) {
        const plVec3 r = plSub(s->points[i], from);
        const double distance = plNorm(plNorm(line) > 0 ? plCross(line, r) : r);
        if (distance > most) most = distance, best = i;
    }
    return best;
}

static int largest(plVec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

// A node far out is held; another, far from it, in the two directions most across the line between
// them; a third, far from that line, in the one direction most out of the plane of all three.
static void findSupports(const plSoft* s, plVec3 middle, unsigned char* fixed)
{
    const plVec3 none = {0};
    const int a = farthest(s, middle, none), b = farthest(s, s->points[a], none);
    const plVec3 line = plSub(s->points[b], s->points[a]);
    const int c = farthest(s, s->points[a], line);
    const plVec3 normal = plCross(line, plSub(s->points[c], s->points[a]));
    for (int k = 0; k < 3; ++k) {
        fixed[3 * a + k] = 1;
        fixed[3 * b + k] = k != largest(line);
    }
    fixed[3 * c + largest(normal)] = 1;
}

static plMat3 inverse(const plMat3* A)
{
    const plVec3 a = plCross(A->y, A->z), b = plCross(A->z, A->x), c = plCross(A->x, A->y);
    const double d = 1 / plDot(A->x, a);
    const plMat3 columns = {plScale(d, a), plScale(d, b), plScale(d, c)};
    return plTranspose(&columns);
}

static plStatus support(plSoftFloating* b, const plSoft* s, plSoftFactorDef* def,
                        const plAllocator* allocator, plShapeError* error)
{
    plArena scratch;
    const size_t n = 3 * (size_t)s->nodeCount;
    const plStatus status = plArena_Create(&scratch, n, allocator);
    if (status != pl_statusOk) return plSoft_Fail(error, status, "no memory for the supports");
    unsigned char* fixed = plArena_Alloc(&scratch, n, 1);
    findSupports(s, b->rigid.center, fixed);
    def->fixed = fixed;
    const plStatus made = plSoftFactor_Create(&b->factor, s, def, allocator, error);
    plArena_Destroy(&scratch, allocator);
    return made;
}

/// M Phi and C_D M Phi.
static void findMotions(plSoftFloating* b, plSoftMass mass)
{
    const plSoft* s = b->factor.soft;
    const int n = 3 * s->nodeCount;
    for (int m = 0; m < 6; ++m) {
        double *MPhi = &b->MPhi[m * n], *Y = &b->Y[m * n];
        for (int i = 0; i < s->nodeCount; ++i) plPut3(rigidMotion(b, m, i), &b->force[3 * i]);
        plSoft_Multiply(s, mass, 1, 0, b->force, MPhi);
        plSoftFactor_Solve(&b->factor, MPhi, Y);
    }
}

// --- doors

plStatus plSoftFloating_Create(plSoftFloating* b, const plSoft* s, plSoftMass mass,
                               const int* candidates, int candidateCount,
                               const plAllocator* allocator, plShapeError* error)
{
    plSoftFactorDef def = {.b = 1, .mass = mass};
    def.candidates = candidates, def.candidateCount = candidateCount;
    *b = (plSoftFloating){.rigid = plSoft_RigidMass(s, mass)};
    b->turn = inverse(&b->rigid.inertia);
    plStatus status = support(b, s, &def, allocator, error);
    if (status != pl_statusOk) return status;
    const size_t n = 3 * (size_t)s->nodeCount;
    const size_t size = 2 * plSoft_Room(6 * n, sizeof(double)) + plSoft_Room(n, sizeof(double));
    status = plArena_Create(&b->arena, size, allocator);
    if (status != pl_statusOk) {
        plSoftFloating_Destroy(b, allocator);
        return plSoft_Fail(error, status, "no memory for the rigid motions");
    }
    b->MPhi = plArena_Alloc(&b->arena, 6 * n, sizeof(double));
    b->Y = plArena_Alloc(&b->arena, 6 * n, sizeof(double));
    b->force = plArena_Alloc(&b->arena, n, sizeof(double));
    findMotions(b, mass);
    return pl_statusOk;
}

void plSoftFloating_Destroy(plSoftFloating* b, const plAllocator* allocator)
{
    plSoftFactor_Destroy(&b->factor, allocator);
    plArena_Destroy(&b->arena, allocator);
    *b = (plSoftFloating){0};
}

void plSoftFloating_Solve(plSoftFloating* b, const double* f, double* u)
{
    const size_t n = 3 * (size_t)b->factor.soft->nodeCount;
    memcpy(b->force, f, n * sizeof *f);
    balance(b, b->force);
    memset(u, 0, n * sizeof *u); // the supports do not move
    plSoftFactor_Solve(&b->factor, b->force, u);
    center(b, u);
}

// With y_i = (Phi^T M Phi)^-1 Phi_i^T, six numbers of row i, and Y = C_D M Phi:
//   C_ij = (C_D)_ij - y_i.Y_j - Y_i.y_j + y_i (Phi^T M Y) y_j
void plSoftFloating_Compliance(plSoftFloating* b, double* C)
{
    const plSoftFactor* f = &b->factor;
    const int size = 3 * f->candidateCount, n = 3 * f->soft->nodeCount;
    double Q[36];
    for (int k = 0; k < 36; ++k) Q[k] = plDotN(&b->MPhi[k / 6 * n], &b->Y[k % 6 * n], n);
    plSoftFactor_Compliance(&b->factor, C);
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j <= i; ++j) {
            double yi[6], yj[6], Yi[6], Yj[6];
            const int dofs[2] = {3 * f->candidates[i / 3] + i % 3,
                                 3 * f->candidates[j / 3] + j % 3};
            for (int m = 0; m < 6; ++m) {
                double a[3], c[3];
                plPut3(rigidMotion(b, m, dofs[0] / 3), a),
                    plPut3(rigidMotion(b, m, dofs[1] / 3), c);
                yi[m] = a[dofs[0] % 3], yj[m] = c[dofs[1] % 3];
                Yi[m] = b->Y[m * n + dofs[0]], Yj[m] = b->Y[m * n + dofs[1]];
            }
            unweigh(b, yi), unweigh(b, yj);
            const double moved = plDotN(yi, Yj, 6) + plDotN(Yi, yj, 6);
            C[i * size + j] += plQuadN(yi, Q, yj, 6) - moved;
            C[j * size + i] = C[i * size + j];
        }
    }
}
