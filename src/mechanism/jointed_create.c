// Rigid bodies with joints by multipliers: definition, checks, creation.
#include "mechanism/jointed.h"

#include <string.h>

static const plPose origin = {.q = {1, 0, 0, 0}};

plJointedBodyDef plDefaultJointedBodyDef(void)
{
    return (plJointedBodyDef){.mass = 1, .inertia = plIdentity3(), .pose = origin};
}

plJointDef plDefaultJointDef(void)
{
    return (plJointDef){.kind = pl_constraintRevolute, .b = -1, .frameA = origin, .frameB = origin};
}

plJointedDef plDefaultJointedDef(void)
{
    return (plJointedDef){.integrator = pl_integratorRungeKutta};
}

static const char* bodyComplaint(const plJointedBodyDef* d)
{
    if (!plText_IsName(d->name)) return "a body's name must be 1 to 31 letters, digits, - or _";
    if (!(d->mass > 0) || !isfinite(d->mass)) {
        return "a body's mass must be positive and finite [kg]";
    }
    if (!plIsPositive3(&d->inertia, true)) {
        return "a body's inertia must be symmetric and positive definite";
    }
    if (!plFinitePose(d->pose) || !plFinite3(d->velocity) || !plFinite3(d->spin)) {
        return "a body's pose, velocity and spin must be finite";
    }
    return NULL;
}

static const char* springComplaint(const plJointDef* d)
{
    const bool universal = d->kind == pl_constraintUniversal;
    const int free = universal ? 0 : plConstraint_Positions(d->kind);
    for (int k = 0; k < 2; ++k) {
        if (!(d->stiffness[k] >= 0) || !(d->damping[k] >= 0) ||
            !isfinite(d->stiffness[k] + d->damping[k] + d->rest[k])) {
            return "a joint's stiffness and damping must be finite and >= 0, its rest finite";
        }
        if (k >= free && d->stiffness[k] + d->damping[k] > 0) {
            return "springs and dampers are for the free positions of revolute, prismatic and "
                   "cylindrical joints";
        }
    }
    return NULL;
}

static const char* jointComplaint(const plJointDef* d, int bodies)
{
    if (!plText_IsName(d->name)) return "a joint's name must be 1 to 31 letters, digits, - or _";
    if ((int)d->kind < 0 || d->kind >= pl_constraintCount)
        return "a joint's kind is not of the list";
    if (d->a < -1 || d->a >= bodies || d->b < -1 || d->b >= bodies || d->a == d->b) {
        return "a joint joins two different bodies, or one and the ground";
    }
    if (!plFinitePose(d->frameA) || !plFinitePose(d->frameB)) {
        return "a joint's frames must be finite";
    }
    if (!(d->length >= 0) || !isfinite(d->length)) return "a joint's length must be >= 0 [m]";
    if (d->kind == pl_constraintGuide) {
        if ((int)d->guide < 0 || d->guide >= pl_guideCount) return "a guide is not of the list";
        const bool isRound = d->guide == pl_guideSphere || d->guide == pl_guideCylinder;
        if (isRound && !(d->radius > 0 && isfinite(d->radius))) {
            return "the radius of a guide must be positive [m]";
        }
        if (d->guide == pl_guidePatches && !(d->surface && d->surface->kind == pl_shapeNurbs)) {
            return "a guide by patches needs a surface of the kind nurbs";
        }
    }
    return springComplaint(d);
}

static const char* complaint(const plJointedDef* d)
{
    const char* why = NULL;
    if (!plText_IsName(d->name)) return "the name must be 1 to 31 letters, digits, - or _";
    if (d->integrator != pl_integratorRungeKutta) {
        return "a jointed assembly is integrated by runge-kutta, and by nothing else";
    }
    if (d->bodyCount < 1 || !d->bodies) return "a jointed assembly needs at least one body";
    if (d->jointCount < 0 || (d->jointCount > 0 && !d->joints)) return "the joints are missing";
    for (int i = 0; i < d->bodyCount && !why; ++i) {
        why = bodyComplaint(&d->bodies[i]);
        for (int j = 0; j < i && !why; ++j) {
            if (strcmp(d->bodies[i].name, d->bodies[j].name) == 0) why = "two bodies have one name";
        }
    }
    for (int i = 0; i < d->jointCount && !why; ++i) {
        why = jointComplaint(&d->joints[i], d->bodyCount);
        for (int j = 0; j < i && !why; ++j) {
            if (strcmp(d->joints[i].name, d->joints[j].name) == 0) why = "two joints have one name";
        }
    }
    return why;
}

static plMat3 lowerOf(const plMat3* J)
{
    double A[9];
    plPut3(J->x, A);
    plPut3(J->y, A + 3);
    plPut3(J->z, A + 6);
    plChol_Factor(A, 3);
    return (plMat3){plGet3(A), plGet3(A + 3), plGet3(A + 6)};
}

static plJointedBody makeBody(const plJointedBodyDef* d)
{
    plJointedBody body = {
        .mass = d->mass, .inertia = d->inertia, .root = sqrt(d->mass), .L = lowerOf(&d->inertia)};
    memcpy(body.name, d->name, strlen(d->name) + 1);
    return body;
}

static plFrame frameOf(plPose pose) { return plFrameOf((plPose){pose.p, plQuatUnit(pose.q)}); }

static plVec3 pointOf(const plJointedDef* d, int body, plPose frame)
{
    if (body < 0) return frame.p;
    const plFrame at = frameOf(d->bodies[body].pose);
    return plAdd(at.x, plMul(&at.R, frame.p));
}

static plConstraintBody makeJoint(const plJointedDef* d, const plJointDef* joint, int row0)
{
    plConstraintBody out = {.kind = joint->kind,
                            .a = joint->a,
                            .b = joint->b,
                            .A = frameOf(joint->frameA),
                            .B = frameOf(joint->frameB),
                            .length = joint->length,
                            .radius = joint->radius,
                            .guide = joint->guide,
                            .row0 = row0,
                            .rowCount = plConstraint_Rows(joint->kind)};
    if (joint->kind == pl_constraintDistance && joint->length == 0) {
        out.length =
            plNorm(plSub(pointOf(d, joint->a, joint->frameA), pointOf(d, joint->b, joint->frameB)));
    }
    memcpy(out.stiffness, joint->stiffness, sizeof out.stiffness);
    memcpy(out.damping, joint->damping, sizeof out.damping);
    memcpy(out.rest, joint->rest, sizeof out.rest);
    memcpy(out.name, joint->name, strlen(joint->name) + 1);
    return out;
}

static bool hasPatches(const plJointed* x)
{
    for (int j = 0; j < x->jointCount; ++j) {
        if (x->joints[j].surface) return true;
    }
    return false;
}

static plStatus allocate(plMechanism* m, plArena* fixed, plArena* state)
{
    plJointed* x = plJointed_Of(m);
    const size_t n = (size_t)m->n, rows = (size_t)(x->rowCount > 0 ? x->rowCount : 1);
    const size_t joints = (size_t)(x->jointCount > 0 ? x->jointCount : 1);
    double** const velocities[] = {&x->vs,   &x->as,     &x->dv,     &x->force,   &x->given,
                                   &x->held, &x->answer, &x->struck, &x->closing, &x->settled,
                                   &x->z,    &x->y,      &x->pure,   &x->extra,   &x->before};
    double** const positions[] = {&x->qStar, &x->qs, &x->rate, &x->dq};
    for (int i = 0; i < PL_COUNT(velocities); ++i) {
        *velocities[i] = plArena_Alloc(fixed, n, sizeof(double));
    }
    for (int i = 0; i < PL_COUNT(positions); ++i) {
        *positions[i] = plArena_Alloc(fixed, (size_t)m->positions, sizeof(double));
    }
    x->angle1 = plArena_Alloc(fixed, 2 * joints, sizeof(double));
    x->reaction = plArena_Alloc(fixed, 6 * joints, sizeof(double));
    x->load1 = plArena_Alloc(fixed, n, sizeof(double));
    x->places = plArena_Alloc(fixed, (size_t)x->bodyCount, sizeof *x->places);
    x->x = plArena_Alloc(fixed, rows, sizeof(double));
    x->push = plArena_Alloc(fixed, rows, sizeof(double));
    x->sum = plArena_Alloc(fixed, rows, sizeof(double));
    x->half = plArena_Alloc(fixed, (size_t)x->bodyCount, sizeof *x->half);
    x->tall = plArena_Alloc(fixed, rows * n, sizeof(double));
    x->wide = plArena_Alloc(fixed, rows * rows, sizeof(double));
    x->Gram = plArena_Alloc(fixed, rows * rows, sizeof(double));
    if (hasPatches(x)) {
        x->foot1 = plArena_Alloc(fixed, 3 * joints, sizeof(double));
        x->near = plArena_Alloc(fixed, 3 * joints, sizeof(double));
        x->foot = plArena_Alloc(state, 3 * joints, sizeof(double));
    }
    x->angle = plArena_Alloc(state, 2 * joints, sizeof(double));
    x->load = plArena_Alloc(state, n, sizeof(double));
    plJointFactor_Create(&x->now, x->rowCount, m->n, fixed);
    plJointFactor_Create(&x->middle, x->rowCount, m->n, fixed);
    plJointFactor_Create(&x->stage, x->rowCount, m->n, fixed);
    return fixed->full || state->full ? pl_statusCapacity : pl_statusOk;
}

/// The surface of a guide by patches. Scenes have tried it before, and say more of what is wrong.
static plStatus makeSurface(const plJointDef* d, plArena* fixed, plConstraintBody* joint,
                            const char** why)
{
    const plAllocator scratch = plDefaultAllocator();
    plShapeError error = {0};
    if (d->kind != pl_constraintGuide || d->guide != pl_guidePatches) return pl_statusOk;
    const plStatus status = plShape_Create(d->surface, fixed, &scratch, &joint->surface, &error);
    if (status == pl_statusBadArgument) *why = "no surface can be made of the patches of a guide";
    return status;
}

static plStatus makeParts(plMechanism* m, const plJointedDef* d, plArena* fixed, const char** why)
{
    plJointed* x = m->own = plArena_Alloc(fixed, 1, sizeof *x);
    if (!x) return pl_statusCapacity;
    *x = (plJointed){.bodyCount = d->bodyCount, .jointCount = d->jointCount};
    x->bodies = plArena_Alloc(fixed, (size_t)d->bodyCount, sizeof *x->bodies);
    x->joints = plArena_Alloc(fixed, (size_t)d->jointCount + 1, sizeof *x->joints);
    if (!x->bodies || !x->joints) return pl_statusCapacity;
    for (int b = 0; b < d->bodyCount; ++b) x->bodies[b] = makeBody(&d->bodies[b]);
    for (int j = 0; j < d->jointCount; ++j) {
        x->joints[j] = makeJoint(d, &d->joints[j], x->rowCount);
        x->rowCount += x->joints[j].rowCount;
        const plStatus status = makeSurface(&d->joints[j], fixed, &x->joints[j], why);
        if (status != pl_statusOk) return status;
    }
    return pl_statusOk;
}

// Nobody knows a place of a sculpted surface to 1e-6: a guide by patches may be open by a hundredth of
// its size, and is closed.
static bool isOpen(plMechanism* m)
{
    const plJointed* x = plJointed_Of(m);
    plJointed_Seek(m, m->start, x->near);
    plJointed_Rows(m, m->start, NULL, x->now.rows);
    for (int i = 0; i < x->rowCount; ++i) {
        const plConstraintRow* row = &x->now.rows[i];
        const plShape* surface = x->joints[row->joint].surface;
        if (fabs(row->value) > (surface ? 1e-2 * surface->size : 1e-6)) return true;
    }
    return false;
}

static const char* stateComplaint(plMechanism* m, const double* q)
{
    const plJointed* x = plJointed_Of(m);
    m->ops->place(m, q, m->start);
    for (int j = 0; j < x->jointCount; ++j) {
        const plConstraintBody* joint = &x->joints[j];
        if (joint->kind == pl_constraintDistance && !(joint->length > 0)) {
            return "a distance needs a length, or points that are apart";
        }
        // z_a against z_b closes the rows of a joint, too, and so does a half turn about z
        if (joint->kind != pl_constraintPrismatic && joint->kind != pl_constraintFixed) continue;
        const plFrame* a = joint->a < 0 ? NULL : &m->start[joint->a].world;
        const plFrame* b = joint->b < 0 ? NULL : &m->start[joint->b].world;
        const plMat3 A = a ? plMatMul(&a->R, &joint->A.R) : joint->A.R;
        const plMat3 B = b ? plMatMul(&b->R, &joint->B.R) : joint->B.R;
        const plMat3 off = plTransMul(&A, &B);
        if (plNorm(plLog(&off)) > 1) return "the ends of a joint are apart: place them together";
    }
    return isOpen(m) ? "the ends of a joint are apart: place them together" : NULL;
}

plStatus plMechanism_CreateJointed(const plJointedDef* d, int index, plVec3 g, plArena* fixed,
                                   plArena* state, plMechanism** out, const char** why)
{
    *why = complaint(d);
    if (*why) return pl_statusBadArgument;
    plMechanism* m = plArena_Alloc(fixed, 1, sizeof *m);
    if (!m) return pl_statusCapacity;
    *m = (plMechanism){.ops = &plJointedOps,
                       .index = index,
                       .integrator = d->integrator,
                       .positions = 7 * d->bodyCount,
                       .n = 6 * d->bodyCount,
                       .parts = d->bodyCount,
                       .gravity = g};
    memcpy(m->name, d->name, strlen(d->name) + 1);
    plStatus status = makeParts(m, d, fixed, why);
    if (status == pl_statusOk) status = allocate(m, fixed, state);
    if (status == pl_statusOk) status = plMechanism_Allocate(m, fixed, state);
    if (status != pl_statusOk) return status;
    for (int b = 0; b < d->bodyCount; ++b) {
        const plJointedBodyDef* body = &d->bodies[b];
        plPut3(body->pose.p, m->q1 + 7 * b);
        plPut4(plQuatUnit(body->pose.q), m->q1 + 7 * b + 3);
        plPut3(body->velocity, m->V1 + 6 * b);
        plPut3(body->spin, m->V1 + 6 * b + 3);
    }
    for (int i = 0; i < m->n; ++i) m->place[i] = -1;
    *why = stateComplaint(m, m->q1);
    if (*why) return pl_statusBadArgument;
    plMechanism_SetState(m, m->q1, m->V1);
    double error, rate;
    plJointed_Error(m, &error, &rate);
    if (!(error <= 1e-6)) {
        *why = "the ends of a joint are apart, and nothing near closes it";
        return pl_statusBadArgument;
    }
    *out = m;
    return pl_statusOk;
}
