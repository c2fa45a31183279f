// Bodies in SE(3), for now one: q = (x, quaternion), V = (v world axes, w body axes), origin at the
// centre of mass, so that M is constant and C = -S(J w) skew.                  (pmi eq. 9, 13)
#include "mechanism/kind.h"

#include <string.h>

static void place(const plMechanism* m, const double* q, plPlace* p)
{
    (void)m;
    p->world = (plFrame){plGet3(q), plRotation(plGet4(q + 3))};
    p->E = p->world.R;
    p->d = p->world.x;
}

static void move(const plMechanism* m, const double* from, double s, const double* w, double* to)
{
    (void)m;
    plPut3(plAddScaled(plGet3(from), s, plGet3(w)), to);
    const plQuat turn = plExp(plScale(s, plGet3(w + 3)));
    plPut4(plQuatUnit(plQuatMul(plGet4(from + 3), turn)), to + 3);
}

static void turns(const plMechanism* m, const double* q0, const double* q1, double* angle)
{
    (void)m;
    *angle = plNorm(plLogQuat(plQuatMul(plQuatConj(plGet4(q0 + 3)), plGet4(q1 + 3))));
}

static void putBlock(double* A, const plMat3* block)
{
    plPut3(block->x, A + 3 * 6 + 3);
    plPut3(block->y, A + 4 * 6 + 3);
    plPut3(block->z, A + 5 * 6 + 3);
}

static void inertia(plMechanism* m, const plPlace* p, const double* v, double* M, double* C)
{
    (void)p;
    if (M) {
        memset(M, 0, 36 * sizeof *M);
        M[0] = M[7] = M[14] = m->mass;
        putBlock(M, &m->inertia);
    }
    if (C) {
        const plMat3 S = plSkew(plScale(-1, plMul(&m->inertia, plGet3(v + 3))));
        memset(C, 0, 36 * sizeof *C);
        putBlock(C, &S);
    }
}

static void jacobian(const plMechanism* m, const plChart* chart, int part, plVec3 point, plVec3 lin,
                     plVec3 ang, double* g)
{
    (void)m, (void)part;
    plVec3 torque;
    if (chart->first == chart->last) {
        torque = plCross(point, plMulT(&chart->first->world.R, lin));
    } else {
        const plMat3 R = plMean(&chart->first->world.R, &chart->last->world.R);
        torque = plCross(point, plMulT(&R, lin));
    }
    if (chart->kappa) torque = plScale(chart->kappa[0], torque);
    if (plDot(ang, ang) > 0) torque = plAdd(torque, plMulT(&chart->middle->world.R, ang));
    plPut3(plAdd(plGet3(g), lin), g);
    plPut3(plAdd(plGet3(g + 3), torque), g + 3);
}

static void gravity(const plMechanism* m, const plChart* chart, double* G)
{
    (void)chart;
    memset(G, 0, 6 * sizeof *G);
    plPut3(plScale(m->mass, m->gravity), G);
}

static plVec3 turnToAnchor(const plMechanism* m, const double* q)
{
    return plLogQuat(plQuatMul(plQuatConj(plGet4(q + 3)), m->anchor.anchor.q));
}

static void turnSprings(const plMechanism* m, const double* q, plAction action, double* gradient,
                        double* D)
{
    plVec3 g;
    plMat3 action3;
    plTurnSpring(action, m->anchor.turnStiffness, turnToAnchor(m, q), &g, &action3);
    plPut3(g, gradient + 3);
    putBlock(D, &action3);
}

static double gravityEnergy(const plMechanism* m, const plPlace* p)
{
    return -m->mass * plDot(m->gravity, p->world.x);
}

static double turnEnergy(const plMechanism* m, const double* q)
{
    const plVec3 e = turnToAnchor(m, q);
    return 0.5 * m->anchor.turnStiffness * plDot(e, e);
}

static const plKind assembly = {
    .place = place,
    .move = move,
    .turns = turns,
    .inertia = inertia,
    .jacobian = jacobian,
    .gravity = gravity,
    .turnSprings = turnSprings,
    .gravityEnergy = gravityEnergy,
    .turnEnergy = turnEnergy,
    .constantMass = true,
    .constantGravity = true,
    .body = true,
};

plAssemblyDef plDefaultAssemblyDef(void)
{
    const plPose origin = {.q = {1, 0, 0, 0}};
    return (plAssemblyDef){
        .mass = 1, .inertia = plIdentity3(), .pose = origin, .anchor = {.anchor = origin}};
}

static const char* complaint(const plAssemblyDef* d)
{
    const plAnchor* a = &d->anchor;
    const double k[] = {a->stiffness, a->damping, a->turnStiffness, a->turnDamping};
    if (!plText_IsName(d->name)) return "the name must be 1 to 31 letters, digits, - or _";
    if (!(d->mass > 0) || !isfinite(d->mass)) return "mass must be positive and finite [kg]";
    if (!plIsPositive3(&d->inertia, true)) return "inertia must be symmetric and positive definite";
    if (!plFinitePose(d->pose) || !plFinite3(d->velocity) || !plFinite3(d->spin) ||
        !plFinitePose(a->anchor)) {
        return "pose, velocity, spin and anchor must be finite";
    }
    for (int i = 0; i < 4; ++i) {
        if (!(k[i] >= 0) || !isfinite(k[i])) {
            return "stiffness and damping must be finite and not negative";
        }
    }
    return NULL;
}

plStatus plMechanism_CreateAssembly(const plAssemblyDef* d, int index, plVec3 g, plArena* fixed,
                                    plArena* state, plMechanism** out, const char** why)
{
    *why = complaint(d);
    if (*why) return pl_statusBadArgument;
    plMechanism* m = plArena_Alloc(fixed, 1, sizeof *m);
    if (!m) return pl_statusCapacity;
    *m = (plMechanism){.kind = &assembly,
                       .index = index,
                       .integrator = d->integrator,
                       .coefficients = d->coefficients,
                       .action = d->anchor.action,
                       .positions = 7,
                       .n = 6,
                       .parts = 1,
                       .gravity = g,
                       .mass = d->mass,
                       .inertia = d->inertia,
                       .anchor = d->anchor,
                       .hasTurnSprings = d->anchor.turnStiffness > 0};
    memcpy(m->name, d->name, strlen(d->name) + 1);
    if (!plInverse3(&m->inertia, &m->inertiaInverse)) {
        *why = "inertia must be symmetric and positive definite";
        return pl_statusBadArgument;
    }
    m->anchor.anchor.q = plQuatUnit(m->anchor.anchor.q);
    const plStatus status = plMechanism_Allocate(m, fixed, state);
    if (status != pl_statusOk) return status;
    for (int i = 0; i < 6; ++i) {
        m->K[7 * i] = i < 3 ? d->anchor.stiffness : 0;
        m->B[7 * i] = i < 3 ? d->anchor.damping : d->anchor.turnDamping;
        m->place[i] = i < 3 ? i : -1;
    }
    plPut3(d->anchor.anchor.p, m->rest);
    plMechanism_LookForSprings(m);
    double q[7], v[6];
    plPut3(d->pose.p, q);
    plPut4(plQuatUnit(d->pose.q), q + 3);
    plPut3(d->velocity, v);
    plPut3(d->spin, v + 3);
    plMechanism_SetState(m, q, v);
    *out = m;
    return pl_statusOk;
}
