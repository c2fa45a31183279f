// Inertia, motion and the low-level controller of the twin pantograph.
//
// Every piece of mass moves by a Jacobian of the handle's coordinates, rdot = J(x) v. Summed over
// the pieces, with weights m,
//   M = sum J^T m J,   C = sum J^T m Jdot.
// As J = dr/dx, C is the matrix of Christoffel's symbols, and Mdot = C + C^T is seen at once. A
// uniform rod whose ends move by J_E and J_P weighs m/3 (J_E^T J_E + J_P^T J_P) + m/6 (J_E^T J_P +
// J_P^T J_E).
#include "device/pantograph.h"

// Rows of a Jacobian of a point in the plane; for rates Jdot.
typedef struct {
    plVec3 x, y;
} Jacobian;

// --------------------------------------------------------------------------------- Jacobians

static double side(int k) { return k == 0 ? -1 : 1; } ///< of end k along u

static plVec3 turned(plVec3 a) { return plVec(-a.y, a.x, 0); }

// P_k = X +- ell/2 u
static Jacobian endJacobian(const plPantographDef* def, const plPantographPose* p, int k)
{
    const plVec3 r = plScale(side(k) * def->ell / 2, turned(p->u));
    return (Jacobian){{1, 0, r.x}, {0, 1, r.y}};
}

static Jacobian endJacobianRate(const plPantographDef* def, const plPantographPose* p, plVec3 v,
                                int k)
{
    const plVec3 r = plScale(-side(k) * def->ell / 2 * v.z, p->u);
    return (Jacobian){{0, 0, r.x}, {0, 0, r.y}};
}

// E_i' = dE_i/dq_i; E_i moves by E_i' G_i.
static plVec3 armTangent(const plPantographDef* def, const plPantographPose* p, int i)
{
    return plScale(def->L1, plVec(-sin(p->q[i]), cos(p->q[i]), 0));
}

static Jacobian elbowJacobian(const plPantographDef* def, const plPantographPose* p, int i)
{
    const plVec3 t = armTangent(def, p, i);
    return (Jacobian){plScale(t.x, p->G[i]), plScale(t.y, p->G[i])};
}

static plVec3 apply(const Jacobian* J, plVec3 v)
{
    return plVec(plDot(J->x, v), plDot(J->y, v), 0);
}

// The rate of row i of G = (a, side ell/2 a.u_perp), a = d/s, s = d.E'.
static plVec3 rowRate(const plPantographDef* def, const plPantographPose* p, plVec3 v, int i)
{
    const int k = i / 2;
    const Jacobian end = endJacobian(def, p, k);
    const double qdot = plDot(p->G[i], v);
    const plVec3 t = armTangent(def, p, i), d = plSub(p->P[k], p->E[i]);
    const plVec3 ddot = plAddScaled(apply(&end, v), -qdot, t);
    const double s = plDot(d, t), sdot = plDot(ddot, t) + qdot * plDot(d, turned(t));
    const plVec3 a = plScale(1 / s, d), adot = plScale(1 / s, plAddScaled(ddot, -sdot, a));
    const double swing = plDot(adot, turned(p->u)) - v.z * plDot(a, p->u);
    return plVec(adot.x, adot.y, side(k) * def->ell / 2 * swing);
}

static Jacobian elbowJacobianRate(const plPantographDef* def, const plPantographPose* p, plVec3 v,
                                  plVec3 Gdot, int i)
{
    const double qdot = plDot(p->G[i], v);
    const plVec3 t = armTangent(def, p, i), tdot = plScale(qdot, turned(t));
    return (Jacobian){plAddScaled(plScale(tdot.x, p->G[i]), t.x, Gdot),
                      plAddScaled(plScale(tdot.y, p->G[i]), t.y, Gdot)};
}

// ------------------------------------------------------------------------------------- M and C

static void addOuter(plMat3* A, double m, plVec3 a, plVec3 b)
{
    A->x = plAddScaled(A->x, m * a.x, b);
    A->y = plAddScaled(A->y, m * a.y, b);
    A->z = plAddScaled(A->z, m * a.z, b);
}

static void addProduct(plMat3* A, double m, const Jacobian* J, const Jacobian* K) ///< m J^T K
{
    addOuter(A, m, J->x, K->x);
    addOuter(A, m, J->y, K->y);
}

// E and P move by J, and the second factors are K: J itself for M, Jdot for C.
static void addRod(plMat3* A, double m, const Jacobian J[2], const Jacobian K[2])
{
    addProduct(A, m / 3, &J[0], &K[0]);
    addProduct(A, m / 3, &J[1], &K[1]);
    addProduct(A, m / 6, &J[0], &K[1]);
    addProduct(A, m / 6, &J[1], &K[0]);
}

static double armInertia(const plPantographDef* def)
{
    return def->motorInertia + def->proximalMass * def->L1 * def->L1 / 3;
}

bool plPantograph_Inertia(const plPantographDef* def, const plPantographPose* p, plMat3* M)
{
    *M = plDiagonal3(0, 0, 0);
    if (!p->reached) return false;
    *M = plDiagonal3(def->handleMass, def->handleMass, def->handleInertia);
    for (int i = 0; i < 4; ++i) {
        const Jacobian J[2] = {elbowJacobian(def, p, i), endJacobian(def, p, i / 2)};
        addOuter(M, armInertia(def), p->G[i], p->G[i]);
        addRod(M, def->distalMass, J, J);
    }
    return true;
}

bool plPantograph_Coriolis(const plPantographDef* def, const plPantographPose* p, plVec3 v,
                           plMat3* C)
{
    *C = plDiagonal3(0, 0, 0);
    if (!p->reached || !plFinite3(v)) return false;
    for (int i = 0; i < 4; ++i) {
        const plVec3 Gdot = rowRate(def, p, v, i);
        const Jacobian J[2] = {elbowJacobian(def, p, i), endJacobian(def, p, i / 2)};
        const Jacobian Jdot[2] = {elbowJacobianRate(def, p, v, Gdot, i),
                                  endJacobianRate(def, p, v, i / 2)};
        addOuter(C, armInertia(def), p->G[i], Gdot);
        addRod(C, def->distalMass, J, Jdot);
    }
    return true;
}

// -------------------------------------------------------------------------------------- motion

bool plPantograph_Acceleration(const plPantographDef* def, const plPantographPose* p, plVec3 v,
                               plVec3 F, plVec3* a)
{
    plMat3 M, C;
    double L[9], f[3];
    *a = plVec(0, 0, 0);
    if (!plPantograph_Inertia(def, p, &M) || !plPantograph_Coriolis(def, p, v, &C)) return false;
    plPut3(M.x, &L[0]), plPut3(M.y, &L[3]), plPut3(M.z, &L[6]);
    plPut3(plSub(F, plMul(&C, v)), f);
    if (!plFinite3(plGet3(f)) || !plChol_Factor(L, 3)) return false;
    plChol_Solve(L, 3, f);
    *a = plGet3(f);
    return true;
}

// What moves the handle, held over a step.
typedef struct {
    const plPantographDef* def;
    plVec3 hand;
    const double* tau;
} Load;

// State and works, and their rates.
typedef struct {
    plVec3 x, v;
    double hand, motors;
} Flow;

static bool rates(const Load* load, const Flow* f, Flow* rate)
{
    plPantographPose p;
    plVec3 motors;
    if (!plPantograph_Inverse(load->def, f->x, &p) || !plPantograph_Force(&p, load->tau, &motors)) {
        return false;
    }
    rate->x = f->v;
    rate->hand = plDot(load->hand, f->v);
    rate->motors = plDot(motors, f->v);
    return plPantograph_Acceleration(load->def, &p, f->v, plAdd(load->hand, motors), &rate->v);
}

static Flow moved(const Flow* f, double h, const Flow* rate)
{
    return (Flow){plAddScaled(f->x, h, rate->x), plAddScaled(f->v, h, rate->v),
                  f->hand + h * rate->hand, f->motors + h * rate->motors};
}

static bool substep(const Load* load, double h, Flow* f)
{
    const double reach[3] = {h / 2, h / 2, h}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
    Flow sum = *f, at = *f, rate;
    for (int stage = 0; stage < 4; ++stage) {
        if (!rates(load, &at, &rate)) return false;
        sum = moved(&sum, weight[stage], &rate);
        if (stage < 3) at = moved(f, reach[stage], &rate);
    }
    *f = sum;
    return true;
}

static bool kineticEnergy(const plPantographDef* def, plVec3 x, plVec3 v, double* energy)
{
    plPantographPose p;
    plMat3 M;
    if (!plFinite3(v) || !plPantograph_Inverse(def, x, &p)) return false;
    plPantograph_Inertia(def, &p, &M);
    *energy = plDot(v, plMul(&M, v)) / 2;
    return true;
}

// At the border the arms' inertia, seen in x, grows without bound: steps that are too long for it
// would throw the handle back with a million times its energy. Inside, one step of 1/512 s errs by
// 1e-9, so what errs by this much is near the border.
static const double followed = 1e-3;

bool plPantograph_Step(const plPantographDef* def, plPantographState* state, plVec3 hand,
                       const double tau[4], double T, int substeps, plPantographEnergy* energy)
{
    const Load load = {def, hand, tau};
    Flow f = {state->x, state->v, 0, 0};
    double before, after;
    if (!isfinite(T) || substeps < 1 || !kineticEnergy(def, f.x, f.v, &before)) return false;
    for (int i = 0; i < substeps; ++i) {
        if (!substep(&load, T / substeps, &f)) return false;
    }
    if (!kineticEnergy(def, f.x, f.v, &after)) return false;
    const double gained = after - before - f.hand - f.motors;
    const double passed = before + after + fabs(f.hand) + fabs(f.motors);
    if (!(fabs(gained) <= followed * passed)) return false;
    *state = (plPantographState){f.x, f.v};
    if (!energy) return true;
    energy->kinetic = after;
    energy->hand += f.hand;
    energy->motors += f.motors;
    energy->residual += gained;
    return true;
}

// ---------------------------------------------------------------------------------- controller

static plVec3 times(plVec3 a, plVec3 b) { return plVec(a.x * b.x, a.y * b.y, a.z * b.z); }

// F_motors that make the device move as a body of inertia `wanted` under f, of which the hand gives
// its part itself.
static bool shapeInertia(const plPantographDef* def, const plPantographPose* p, plVec3 wanted,
                         plVec3 v, plVec3 f, plVec3 hand, plVec3* motors)
{
    plMat3 M, C;
    if (!(wanted.x > 0 && wanted.y > 0 && wanted.z > 0)) return false;
    if (!plPantograph_Inertia(def, p, &M) || !plPantograph_Coriolis(def, p, v, &C)) return false;
    const plVec3 a = plVec(f.x / wanted.x, f.y / wanted.y, f.z / wanted.z);
    *motors = plSub(plAdd(plMul(&M, a), plMul(&C, v)), hand);
    return true;
}

bool plPantograph_Command(const plPantographDef* def, const plImpedance* impedance, plVec3 x,
                          plVec3 v, plVec3 F, plVec3 hand, double tau[4])
{
    const plVec3 wanted = impedance->inertia;
    plPantographPose p;
    for (int i = 0; i < 4; ++i) tau[i] = 0;
    if (!plFinite3(v) || !plFinite3(hand) || !plPantograph_Inverse(def, x, &p)) return false;
    plVec3 motors = plSub(F, times(impedance->damping, v));
    if (wanted.x != 0 || wanted.y != 0 || wanted.z != 0) {
        const plVec3 f = plAdd(motors, hand);
        if (!shapeInertia(def, &p, wanted, v, f, hand, &motors)) return false;
    }
    return plPantograph_Torques(def, &p, motors, tau);
}
