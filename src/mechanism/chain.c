// An articulated tree in generalized coordinates: its operations.
#include "mechanism/chain.h"

#include <string.h>

static void move(const plMechanism* m, const double* from, double s, const double* w, double* to)
{
    const plChain* c = plChain_Of(m);
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        const plBeam* beam = &body->beam;
        plJoint_Move(body, from + body->q0, s, w + body->v0, to + body->q0);
        for (int k = 0; k < beam->count; ++k) {
            to[beam->q0 + k] = from[beam->q0 + k] + s * w[beam->v0 + k];
        }
    }
}

static void turns(const plMechanism* m, const double* q0, const double* q1, double* angle)
{
    const plChain* c = plChain_Of(m);
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        angle[b] = plJoint_Turn(body, q0 + body->q0, q1 + body->q0);
    }
}

// e = log(R^T R_o) of the joint's own rotation; zero for joints without a quaternion.
static plVec3 turnToRest(const plBody* body, const double* q)
{
    const plQuat now = plGet4(q + body->q0 + plJoint_QuatAt(body->joint));
    return plLogQuat(plQuatMul(plQuatConj(now), body->rest));
}

static void turnSprings(const plMechanism* m, const double* q, plAction action, double* gradient,
                        double* D)
{
    const plChain* c = plChain_Of(m);
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        if (body->turnStiffness == 0) continue;
        const int i = body->v0 + plJoint_QuatAt(body->joint);
        plVec3 g;
        plMat3 action3;
        plTurnSpring(action, body->turnStiffness, turnToRest(body, q), &g, &action3);
        plPut3(g, gradient + i);
        plPut3(action3.x, D + (i + 0) * m->n + i);
        plPut3(action3.y, D + (i + 1) * m->n + i);
        plPut3(action3.z, D + (i + 2) * m->n + i);
    }
}

static double turnEnergy(const plMechanism* m, const double* q)
{
    double energy = 0;
    for (int b = 0; b < plChain_Of(m)->bodyCount; ++b) {
        const plBody* body = &plChain_Of(m)->bodies[b];
        if (body->turnStiffness == 0) continue;
        const plVec3 e = turnToRest(body, q);
        energy += 0.5 * body->turnStiffness * plDot(e, e);
    }
    return energy;
}

static plMotion motion(const plMechanism* m, plWhen when, plSite where)
{
    if (when != pl_atStart || plTree_Rides(plChain_Of(m))) {
        return plMechanism_MotionByRows(m, when, where);
    }
    const plFrame at = plMechanism_Frame(m, when, where);
    plMotion motion = {.x = at.x, .R = at.R};
    plTree_Twist(m, m->start, m->v, where.part, where.point, &motion.v, &motion.w);
    return motion;
}

static bool respondMany(const plMechanism* m, plResponse response, double* Y, int count)
{
    const bool midpoint = m->integrator == pl_integratorMidpoint;
    if (response == pl_responseMass) {
        plChol_SolveMany(m->Lk, m->n, Y, count);
    } else if (response == pl_responseStep && midpoint) {
        plMidpoint_SolveMany(m, Y, count);
    } else if (response == pl_responseShift && midpoint && m->route == pl_routeCholesky) {
        plChol_SolveMany(m->P.F, m->n, Y, count);
    } else {
        return false;
    }
    return true;
}

static double leastMass(const plMechanism* m)
{
    const plChain* c = plChain_Of(m);
    double least = 0;
    for (int b = 0; b < c->bodyCount; ++b) {
        const double mass = c->bodies[b].mass;
        if (mass > 0 && (least == 0 || mass < least)) least = mass;
    }
    return least;
}

static const char* partName(const plMechanism* m, int part)
{
    return plChain_Of(m)->bodies[part].name;
}

static int parent(const plMechanism* m, int part) { return plChain_Of(m)->bodies[part].parent; }

static uint64_t beamIdentity(const plBeam* beam, uint64_t h)
{
    const double numbers[] = {beam->length, beam->mass};
    h = plHash_Add(h, numbers, sizeof numbers);
    for (int k = 0; k < beam->count; ++k) {
        h = plHash_Add(h, &beam->modes[k].towards, sizeof beam->modes[k].towards);
    }
    return h;
}

static uint64_t identity(const plMechanism* m, uint64_t h)
{
    const plChain* c = plChain_Of(m);
    h = plMechanism_HashCommon(m, h, true, NULL);
    h = plHash_Add(h, &c->base, sizeof c->base);
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        const int sizes[] = {body->parent, (int)body->joint};
        const double numbers[] = {body->mass, body->turnStiffness};
        h = plHash_Add(h, sizes, sizeof sizes);
        h = plHash_Add(h, numbers, sizeof numbers);
        h = plHash_Add(h, &body->axis, sizeof body->axis);
        h = plHash_Add(h, &body->frame, sizeof body->frame);
        h = plHash_Add(h, &body->center, sizeof body->center);
        h = plHash_Add(h, &body->inertia, sizeof body->inertia);
        h = plHash_Add(h, &body->rest, sizeof body->rest);
        h = beamIdentity(&body->beam, h);
        h = plHash_Add(h, &body->along, sizeof body->along);
    }
    return h;
}

const plMechanismOps plChainOps = {
    .traits = {.type = "chain", .yields = true},
    .place = plTree_Place,
    .average = plTree_Average,
    .move = move,
    .turns = turns,
    .inertia = plTree_Inertia,
    .jacobian = plTree_Jacobian,
    .gravity = plTree_Gravity,
    .turnSprings = turnSprings,
    .gravityEnergy = plTree_GravityEnergy,
    .turnEnergy = turnEnergy,
    .solveMass = plMechanism_SolveDense,
    .kinetic = plMechanism_KineticDense,
    .refresh = plMechanism_RefreshDense,
    .identity = identity,
    .begin = plMechanism_BeginStep,
    .freeMotion = plMechanism_FreeStep,
    .advance = plMechanism_AdvanceStep,
    .solveStep = plMechanism_SolveStep,
    .audit = plMechanism_AuditStep,
    .motion = motion,
    .jacobians = plMechanism_JacobiansByRows,
    .respondMany = respondMany,
    .displace = plMechanism_DisplaceTrial,
    .retreat = plMechanism_RetreatTrial,
    .leastMass = leastMass,
    .partName = partName,
    .parent = parent,
    .shorten = plMechanism_ShortenTrial,
    .addStiffness = plChain_AddStiffness,
    .addTurnStiffness = plChain_AddTurnStiffness,
    .turn = plChain_Turn,
    .turnRows = plChain_TurnRows,
};
