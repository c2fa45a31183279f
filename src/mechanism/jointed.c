// Rigid bodies with joints by multipliers: their part of the seam, their state, and what others ask.
#include "mechanism/jointed.h"

#include <string.h>

// --- the seam: every body as an assembly of its own

static void place(const plMechanism* m, const double* q, plPlace* p)
{
    for (int b = 0; b < m->parts; ++b, q += 7) {
        p[b].world = (plFrame){plGet3(q), plRotation(plGet4(q + 3))};
        p[b].E = p[b].world.R;
        p[b].d = p[b].world.x;
    }
}

static void move(const plMechanism* m, const double* from, double s, const double* w, double* to)
{
    for (int b = 0; b < m->parts; ++b, from += 7, w += 6, to += 7) {
        const plQuat turn = plExp(plScale(s, plGet3(w + 3)));
        plPut3(plAddScaled(plGet3(from), s, plGet3(w)), to);
        plPut4(plQuatUnit(plQuatMul(plGet4(from + 3), turn)), to + 3);
    }
}

static void turns(const plMechanism* m, const double* q0, const double* q1, double* angle)
{
    for (int b = 0; b < m->parts; ++b, q0 += 7, q1 += 7) {
        angle[b] = plNorm(plLogQuat(plQuatMul(plQuatConj(plGet4(q0 + 3)), plGet4(q1 + 3))));
    }
}

static void putBlock(double* A, int n, int at, const plMat3* block)
{
    plPut3(block->x, A + (at + 0) * n + at);
    plPut3(block->y, A + (at + 1) * n + at);
    plPut3(block->z, A + (at + 2) * n + at);
}

static void inertia(plMechanism* m, const plPlace* p, const double* v, double* M, double* C)
{
    const int n = m->n;
    (void)p;
    if (M) memset(M, 0, (size_t)(n * n) * sizeof *M);
    if (C) memset(C, 0, (size_t)(n * n) * sizeof *C);
    for (int b = 0; b < m->parts; ++b) {
        const plJointedBody* body = &plJointed_Of(m)->bodies[b];
        const int at = 6 * b + 3;
        const plMat3 S = plSkew(plScale(-1, plMul(&body->inertia, plGet3(v + at))));
        if (M) {
            for (int i = 6 * b; i < at; ++i) M[i * n + i] = body->mass;
            putBlock(M, n, at, &body->inertia);
        }
        if (C) putBlock(C, n, at, &S);
    }
}

static void jacobian(const plMechanism* m, const plChart* chart, int part, plVec3 point, plVec3 lin,
                     plVec3 ang, double* g)
{
    (void)m;
    const plMat3 R = plMean(&chart->first[part].world.R, &chart->last[part].world.R);
    const double kappa = chart->kappa ? chart->kappa[part] : 1;
    const plVec3 moment = plScale(kappa, plCross(point, plMulT(&R, lin)));
    const plVec3 torque = plAdd(moment, plMulT(&chart->middle[part].world.R, ang));
    g += 6 * part;
    plPut3(plAdd(plGet3(g), lin), g);
    plPut3(plAdd(plGet3(g + 3), torque), g + 3);
}

static void gravity(const plMechanism* m, const plChart* chart, double* G)
{
    (void)chart;
    memset(G, 0, (size_t)m->n * sizeof *G);
    for (int b = 0; b < m->parts; ++b) {
        plPut3(plScale(plJointed_Of(m)->bodies[b].mass, m->gravity), G + 6 * b);
    }
}

static double gravityEnergy(const plMechanism* m, const plPlace* p)
{
    double energy = 0;
    for (int b = 0; b < m->parts; ++b) {
        energy -= plJointed_Of(m)->bodies[b].mass * plDot(m->gravity, p[b].world.x);
    }
    return energy;
}

static double springEnergy(const plMechanism* m, const double* q)
{
    place(m, q, plJointed_Of(m)->places);
    return plJointed_Spring(m, plJointed_Of(m)->places);
}

// --- state

static void copyFeet(const plJointed* x, const double* from, double* to)
{
    if (from) memcpy(to, from, (size_t)(3 * x->jointCount) * sizeof(double));
}

void plJointed_Refresh(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    plJointFactor* now = &x->now;
    copyFeet(x, x->foot, x->near);
    plJointed_Meet(m, now, m->start, m->v);
    plJointed_Choose(m, now);
    plJointed_Factor(m, now);
    x->reacts = false;
}

static void countAngles(const plMechanism* m, const plPlace* places, double* angle)
{
    plConstraintRow row;
    for (int j = 0; j < plJointed_Of(m)->jointCount; ++j) {
        for (int k = 0; k < plConstraint_Positions(plJointed_Of(m)->joints[j].kind); ++k) {
            angle[2 * j + k] = plJointed_Position(m, places, j, k, &row);
        }
    }
}

// What joints hold at the state, under all that loads them.
static void react(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    double *a = m->work[0], *held = m->work[1];
    plJointed_Accelerate(m, &x->now, x->load, a, held);
    plJointed_Pushes(m, &x->now, held, x->push);
    memset(x->reaction, 0, (size_t)(6 * x->jointCount) * sizeof(double));
    for (int i = 0; i < x->rowCount; ++i) {
        const plConstraintRow* row = &x->now.rows[i];
        double* wrench = x->reaction + 6 * row->joint;
        plPut3(plAddScaled(plGet3(wrench), x->push[i], row->lin), wrench);
        plPut3(plAddScaled(plGet3(wrench + 3), x->push[i], row->turnA), wrench + 3);
    }
    x->reacts = true;
}

static void settle(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    plJointed_Seek(m, m->start, x->foot);
    plJointed_Refresh(m);
    plJointed_Adopt(m, &x->stage);
    plJointed_Shift(m, &x->stage, m->q, m->start);
    plJointed_Close(m, &x->stage, m->v, m->work[1]);
    copyFeet(x, x->near, x->foot);
    memcpy(m->xi, m->v, (size_t)m->n * sizeof(double));
    plJointed_Refresh(m);
    countAngles(m, m->start, x->angle);
    plJointed_Force(m, m->start, m->v, x->load);
    x->reacts = false;
}

static void leave(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    memcpy(x->angle1, x->angle, (size_t)(2 * x->jointCount) * sizeof(double));
    countAngles(m, m->end, x->angle1);
    copyFeet(x, x->near, x->foot1); // joints were met there last
    for (int i = 0; i < m->n; ++i) x->load1[i] = (m->rowForce[i] + x->struck[i]) / m->pass.T;
    x->isFree = false;
}

static void enter(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    plJointed_Force(m, m->start, m->v, x->force);
    for (int i = 0; i < m->n; ++i) x->load[i] += x->force[i];
}

static void kicked(plMechanism* m, const double* g)
{
    plJointed* x = plJointed_Of(m);
    for (int i = 0; i < m->n; ++i) x->load[i] += g[i] / m->pass.T;
    x->reacts = false;
}

static void exchange(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    plExchangeNumbers(x->angle, x->angle1, 2 * x->jointCount);
    plExchangeNumbers(x->load, x->load1, m->n);
    if (x->foot) plExchangeNumbers(x->foot, x->foot1, 3 * x->jointCount);
}

// --- what others ask

static bool canClose(plMechanism* m, const double* q)
{
    plJointed* x = plJointed_Of(m);
    memset(m->work[0], 0, (size_t)m->n * sizeof(double));
    move(m, q, 0, m->work[0], m->q1); // makes quaternions unit
    plJointed_Adopt(m, &x->stage);
    m->ops->place(m, m->q1, m->end);
    plJointed_Seek(m, m->end, x->near);
    return plJointed_Shift(m, &x->stage, m->q1, m->end) <= 1e-9;
}

static int jointCount(const plMechanism* m) { return plJointed_Of(m)->jointCount; }

static const char* jointName(const plMechanism* m, int joint)
{
    return plJointed_Of(m)->joints[joint].name;
}

static int jointPositions(const plMechanism* m, int joint)
{
    return plConstraint_Positions(plJointed_Of(m)->joints[joint].kind);
}

static const double* jointForce(plMechanism* m, int joint)
{
    if (!plJointed_Of(m)->reacts) react(m);
    return plJointed_Of(m)->reaction + 6 * joint;
}

static void jointPosition(const plMechanism* m, int joint, double position[2])
{
    for (int k = 0; k < 2; ++k) position[k] = plJointed_Of(m)->angle[2 * joint + k];
}

void plJointed_Error(const plMechanism* m, double* position, double* velocity)
{
    const plJointed* x = plJointed_Of(m);
    double* J = x->z;
    *position = *velocity = 0;
    for (int i = 0; i < x->rowCount; ++i) {
        memset(J, 0, (size_t)m->n * sizeof *J);
        plJointed_AddRow(m, m->start, &x->now.rows[i], 1, J);
        *position = fmax(*position, fabs(x->now.rows[i].value));
        *velocity = fmax(*velocity, fabs(plDotN(J, m->v, m->n)));
    }
}

static const char* bodyName(const plMechanism* m, int part)
{
    return plJointed_Of(m)->bodies[part].name;
}

// The earlier body of the first joint that has one.
static int parent(const plMechanism* m, int part)
{
    const plJointed* x = plJointed_Of(m);
    for (int j = 0; j < x->jointCount; ++j) {
        const plConstraintBody* joint = &x->joints[j];
        if (joint->a == part && joint->b >= 0 && joint->b < part) return joint->b;
        if (joint->b == part && joint->a >= 0 && joint->a < part) return joint->a;
    }
    return -1;
}

static const char* refuses(const plMechanism* m, plIntegrator integrator)
{
    (void)m;
    if (integrator == pl_integratorRungeKutta) return NULL;
    return "a jointed assembly is integrated by runge-kutta, and by nothing else";
}

static uint64_t jointIdentity(const plConstraintBody* joint, uint64_t h)
{
    const int sizes[] = {(int)joint->kind, joint->a, joint->b, (int)joint->guide};
    const double numbers[] = {joint->length,       joint->radius,     joint->stiffness[0],
                              joint->stiffness[1], joint->damping[0], joint->damping[1],
                              joint->rest[0],      joint->rest[1]};
    h = plHash_Add(h, sizes, sizeof sizes);
    h = plHash_Add(h, numbers, sizeof numbers);
    h = plHash_Add(h, &joint->A, sizeof joint->A);
    h = plHash_Add(h, &joint->B, sizeof joint->B);
    return joint->surface ? plGuide_Identity(joint->surface, h) : h;
}

static uint64_t identity(const plMechanism* m, uint64_t h)
{
    const plJointed* x = plJointed_Of(m);
    const int sizes[] = {x->bodyCount, x->jointCount};
    h = plHash_Add(plMechanism_HashCommon(m, h, false, NULL), sizes, sizeof sizes);
    for (int b = 0; b < x->bodyCount; ++b) {
        h = plHash_Add(h, &x->bodies[b].mass, sizeof x->bodies[b].mass);
        h = plHash_Add(h, &x->bodies[b].inertia, sizeof x->bodies[b].inertia);
    }
    for (int j = 0; j < x->jointCount; ++j) h = jointIdentity(&x->joints[j], h);
    return h;
}

static const plJointOps joints = {
    .canClose = canClose,
    .count = jointCount,
    .name = jointName,
    .positions = jointPositions,
    .position = jointPosition,
    .force = jointForce,
    .error = plJointed_Error,
};

const plMechanismOps plJointedOps = {
    .traits = {.type = "jointed", .yields = true, .constrained = true},
    .constantMass = true,
    .constantGravity = true,
    .place = place,
    .move = move,
    .turns = turns,
    .inertia = inertia,
    .jacobian = jacobian,
    .gravity = gravity,
    .gravityEnergy = gravityEnergy,
    .turnEnergy = springEnergy,
    .solveMass = plJointed_SolveMass,
    .kinetic = plMechanism_KineticDense,
    .refresh = plJointed_Refresh,
    .identity = identity,
    .begin = plJointed_Begin,
    .freeMotion = plJointed_Free,
    .advance = plJointed_Advance,
    .solveStep = plJointed_SolveStep,
    .audit = plJointed_Audit,
    .motion = plMechanism_MotionByRows,
    .jacobians = plMechanism_JacobiansByRows,
    .theta = plJointed_Theta,
    .displace = plJointed_Displace,
    .settle = settle,
    .struck = plJointed_Struck,
    .kicked = kicked,
    .exchange = exchange,
    .leave = leave,
    .enter = enter,
    .partName = bodyName,
    .parent = parent,
    .refuses = refuses,
    .joints = &joints,
};
