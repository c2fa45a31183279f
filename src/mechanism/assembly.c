// An assembly: one free rigid body, perhaps with springs to an anchor.
#include "mechanism/rigid.h"

#include <string.h>

static const plMechanismOps assembly = {
    .traits = {.type = "assembly", .yields = true},
    PL_RIGID_FRAME,
    .refresh = plRigid_Refresh,
    .identity = plRigid_Identity,
    .begin = plMechanism_BeginStep,
    .freeMotion = plMechanism_FreeStep,
    .advance = plMechanism_AdvanceStep,
    .solveStep = plMechanism_SolveStep,
    .audit = plMechanism_AuditStep,
    .motion = plRigid_Motion,
    .jacobians = plRigid_Jacobians,
    .row = plRigid_Row,
    .respondMany = plRigid_RespondMany,
    .displace = plMechanism_DisplaceTrial,
    .retreat = plMechanism_RetreatTrial,
    .leastMass = plRigid_LeastMass,
    .push = plRigid_Push,
    .shorten = plMechanism_ShortenTrial,
    .addStiffness = plRigid_AddStiffness,
    .addTurnStiffness = plRigid_AddTurnStiffness,
    .turn = plRigid_Turn,
    .turnRows = plRigid_TurnRows,
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

plStatus plRigid_Create(const plAssemblyDef* d, const plMechanismOps* ops, void* own, int index,
                        plVec3 g, plArena* fixed, plArena* state, plMechanism** out,
                        const char** why)
{
    *why = complaint(d);
    if (*why) return pl_statusBadArgument;
    plMechanism* m = plArena_Alloc(fixed, 1, sizeof *m);
    if (!m || !own) return pl_statusCapacity;
    *m = (plMechanism){.ops = ops,
                       .own = own,
                       .index = index,
                       .integrator = d->integrator,
                       .coefficients = d->coefficients,
                       .action = d->anchor.action,
                       .positions = 7,
                       .n = 6,
                       .parts = 1,
                       .gravity = g,
                       .hasTurnSprings = d->anchor.turnStiffness > 0};
    plRigid* body = own;
    *body = (plRigid){.mass = d->mass, .inertia = d->inertia, .anchor = d->anchor};
    memcpy(m->name, d->name, strlen(d->name) + 1);
    if (!plInverse3(&body->inertia, &body->inertiaInverse)) {
        *why = "inertia must be symmetric and positive definite";
        return pl_statusBadArgument;
    }
    body->anchor.anchor.q = plQuatUnit(body->anchor.anchor.q);
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

plStatus plMechanism_CreateAssembly(const plAssemblyDef* d, int index, plVec3 gravity,
                                    plArena* fixed, plArena* state, plMechanism** out,
                                    const char** why)
{
    void* own = plArena_Alloc(fixed, 1, sizeof(plRigid));
    return plRigid_Create(d, &assembly, own, index, gravity, fixed, state, out, why);
}
