// An articulated tree in generalized coordinates: definition, checks, and its part of the seam.
#include "mechanism/chain.h"

#include <string.h>

static void move(const plMechanism* m, const double* from, double s, const double* w, double* to)
{
    const plChain* c = m->chain;
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        plJoint_Move(body, from + body->q0, s, w + body->v0, to + body->q0);
    }
}

static void turns(const plMechanism* m, const double* q0, const double* q1, double* angle)
{
    const plChain* c = m->chain;
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
    const plChain* c = m->chain;
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
    for (int b = 0; b < m->chain->bodyCount; ++b) {
        const plBody* body = &m->chain->bodies[b];
        if (body->turnStiffness == 0) continue;
        const plVec3 e = turnToRest(body, q);
        energy += 0.5 * body->turnStiffness * plDot(e, e);
    }
    return energy;
}

static const plKind chainKind = {
    .place = plTree_Place,
    .move = move,
    .turns = turns,
    .inertia = plTree_Inertia,
    .jacobian = plTree_Jacobian,
    .gravity = plTree_Gravity,
    .turnSprings = turnSprings,
    .gravityEnergy = plTree_GravityEnergy,
    .turnEnergy = turnEnergy,
};

plChainBodyDef plDefaultChainBodyDef(void)
{
    return (plChainBodyDef){
        .parent = -1, .joint = pl_jointRevolute, .axis = {0, 0, 1}, .frame = {.q = {1, 0, 0, 0}}};
}

plChainDef plDefaultChainDef(void) { return (plChainDef){.base = {.q = {1, 0, 0, 0}}}; }

static bool finiteAll(const double* a, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!isfinite(a[i])) return false;
    }
    return true;
}

static const char* bodyComplaint(const plChainBodyDef* d, int index)
{
    if (!plText_IsName(d->name)) return "a body's name must be 1 to 31 letters, digits, - or _";
    if (d->parent < -1 || d->parent >= index)
        return "a body's parent must be an earlier body or -1";
    if ((int)d->joint < 0 || d->joint >= pl_jointCount) return "a body's joint is not of the list";
    if (!(d->mass >= 0) || !isfinite(d->mass)) return "a body's mass must be finite and >= 0 [kg]";
    if (!plIsPositive3(&d->inertia, false)) {
        return "a body's inertia must be symmetric and positive semi-definite";
    }
    const bool directed = d->joint == pl_jointRevolute || d->joint == pl_jointPrismatic;
    if (directed && !(plNorm(d->axis) > 0)) return "a joint's axis must not be zero";
    if (!plFinite3(d->axis) || !plFinite3(d->center) || !plFinitePose(d->frame)) {
        return "a body's axis, centre and frame must be finite";
    }
    if (!finiteAll(d->position, 7) || !finiteAll(d->velocity, 6) || !finiteAll(d->rest, 7)) {
        return "a joint's position, velocity and rest must be finite";
    }
    if (!(d->stiffness >= 0) || !(d->damping >= 0) || !isfinite(d->stiffness + d->damping)) {
        return "a joint's stiffness and damping must be finite and >= 0";
    }
    return NULL;
}

static const char* complaint(const plChainDef* d)
{
    if (!plText_IsName(d->name)) return "the name must be 1 to 31 letters, digits, - or _";
    if (d->bodyCount < 1 || !d->bodies) return "a chain needs at least one body";
    if (!plFinitePose(d->base)) return "the base must be finite";
    int n = 0;
    for (int i = 0; i < d->bodyCount; ++i) {
        const char* why = bodyComplaint(&d->bodies[i], i);
        if (why) return why;
        for (int j = 0; j < i; ++j) {
            if (strcmp(d->bodies[i].name, d->bodies[j].name) == 0) {
                return "two bodies of the chain have one name";
            }
        }
        n += plJoint_Velocities(d->bodies[i].joint);
    }
    if (n == 0) return "a chain needs at least one joint that moves";
    return NULL;
}

static plBody makeBody(const plChainBodyDef* d, int q0, int v0)
{
    plBody body = {.parent = d->parent,
                   .joint = d->joint,
                   .axis = d->axis,
                   .frame = plFrameOf((plPose){d->frame.p, plQuatUnit(d->frame.q)}),
                   .mass = d->mass,
                   .center = d->center,
                   .inertia = d->inertia,
                   .q0 = q0,
                   .v0 = v0};
    const double length = plNorm(d->axis);
    if (length > 0) body.axis = plScale(1 / length, d->axis);
    const int quatAt = plJoint_QuatAt(d->joint);
    if (quatAt >= 0) {
        body.rest = plQuatUnit(plGet4(d->rest + quatAt));
        body.turnStiffness = d->stiffness;
    }
    memcpy(body.name, d->name, strlen(d->name) + 1);
    return body;
}

// Joint springs and dampers on the diagonal, then the full matrices of the definition.
static void makeSprings(plMechanism* m, const plChainDef* d)
{
    const int n = m->n;
    for (int b = 0; b < d->bodyCount; ++b) {
        const plBody* body = &m->chain->bodies[b];
        const int quatAt = plJoint_QuatAt(body->joint);
        for (int k = 0; k < plJoint_Velocities(body->joint); ++k) {
            const int i = body->v0 + k;
            const bool vector = quatAt < 0 || k < quatAt;
            m->place[i] = vector ? body->q0 + k : -1;
            m->rest[i] = vector ? d->bodies[b].rest[k] : 0;
            if (vector) m->K[i * n + i] = d->bodies[b].stiffness;
            m->B[i * n + i] = d->bodies[b].damping;
        }
        m->hasTurnSprings = m->hasTurnSprings || body->turnStiffness > 0;
    }
    for (int i = 0; i < n * n; ++i) {
        if (d->K) m->K[i] += d->K[i];
        if (d->B) m->B[i] += d->B[i];
    }
}

// Symmetric part positive semi-definite: Cholesky of it with a shift at round-off.
static bool semiDefinite(plMechanism* m, const double* A)
{
    const int n = m->n;
    double scale = 0;
    for (int i = 0; i < n; ++i) scale = fmax(scale, fabs(A[i * n + i]));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            m->square[0][i * n + j] =
                0.5 * (A[i * n + j] + A[j * n + i]) + (i == j) * 1e-12 * scale;
        }
    }
    if (scale > 0) return plChol_Factor(m->square[0], n);
    for (int i = 0; i < n * n; ++i) {
        if (A[i] != 0) return false;
    }
    return true;
}

static const char* matrixComplaint(plMechanism* m, const plChainDef* d)
{
    const int n = m->n;
    if (!finiteAll(m->K, n * n) || !finiteAll(m->B, n * n)) return "K and B must be finite";
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            if (m->K[i * n + j] != m->K[j * n + i]) return "K must be symmetric";
            if (d->K && d->K[i * n + j] != 0 && (m->place[i] < 0 || m->place[j] < 0)) {
                return "K must be zero on rotations of spherical and free joints";
            }
        }
    }
    if (!semiDefinite(m, m->K)) return "K must be positive semi-definite";
    if (!semiDefinite(m, m->B)) return "B must be positive semi-definite";
    return NULL;
}

static bool allocate(plMechanism* m, const plChainDef* d, plArena* fixed)
{
    const size_t bodies = (size_t)d->bodyCount, n = (size_t)m->n;
    plChain* c = m->chain = plArena_Alloc(fixed, 1, sizeof *c);
    if (!c) return false;
    c->bodyCount = d->bodyCount;
    c->base = plFrameOf((plPose){d->base.p, plQuatUnit(d->base.q)});
    c->bodies = plArena_Alloc(fixed, bodies, sizeof *c->bodies);
    c->S = plArena_Alloc(fixed, n, sizeof *c->S);
    c->Sdot = plArena_Alloc(fixed, n, sizeof *c->Sdot);
    c->twist = plArena_Alloc(fixed, bodies, sizeof *c->twist);
    c->I = plArena_Alloc(fixed, 36 * bodies, sizeof(double));
    c->D = plArena_Alloc(fixed, 36 * bodies, sizeof(double));
    return c->bodies && c->S && c->Sdot && c->twist && c->I && c->D;
}

static void makeBodies(plMechanism* m, const plChainDef* d, double* q, double* v)
{
    int q0 = 0, v0 = 0;
    for (int b = 0; b < d->bodyCount; ++b) {
        const plChainBodyDef* body = &d->bodies[b];
        const int quatAt = plJoint_QuatAt(body->joint);
        m->chain->bodies[b] = makeBody(body, q0, v0);
        memcpy(q + q0, body->position, (size_t)plJoint_Positions(body->joint) * sizeof *q);
        memcpy(v + v0, body->velocity, (size_t)plJoint_Velocities(body->joint) * sizeof *v);
        if (quatAt >= 0) {
            plPut4(plQuatUnit(plGet4(body->position + quatAt)), q + q0 + quatAt);
        }
        q0 += plJoint_Positions(body->joint);
        v0 += plJoint_Velocities(body->joint);
    }
}

plStatus plMechanism_CreateChain(const plChainDef* d, int index, plVec3 gravity, plArena* fixed,
                                 plArena* state, plMechanism** out, const char** why)
{
    *why = complaint(d);
    if (*why) return pl_statusBadArgument;
    plMechanism* m = plArena_Alloc(fixed, 1, sizeof *m);
    if (!m) return pl_statusCapacity;
    *m = (plMechanism){.kind = &chainKind,
                       .index = index,
                       .integrator = d->integrator,
                       .coefficients = d->coefficients,
                       .route = d->route,
                       .action = d->action,
                       .parts = d->bodyCount,
                       .gravity = gravity};
    memcpy(m->name, d->name, strlen(d->name) + 1);
    for (int b = 0; b < d->bodyCount; ++b) {
        m->positions += plJoint_Positions(d->bodies[b].joint);
        m->n += plJoint_Velocities(d->bodies[b].joint);
    }
    if (!allocate(m, d, fixed)) return pl_statusCapacity;
    const plStatus status = plMechanism_Allocate(m, fixed, state);
    if (status != pl_statusOk) return status;
    makeBodies(m, d, m->q1, m->V1);
    makeSprings(m, d);
    *why = matrixComplaint(m, d);
    if (*why) return pl_statusBadArgument;
    plTree_Place(m, m->q1, m->start);
    plTree_Inertia(m, m->start, m->V1, m->square[0], NULL);
    if (!plChol_Factor(m->square[0], m->n)) {
        *why =
            "the mass matrix is not positive definite: give the outermost bodies mass or inertia";
        return pl_statusBadArgument;
    }
    plMechanism_SetState(m, m->q1, m->V1);
    *out = m;
    return pl_statusOk;
}

const char* plMechanism_PartName(const plMechanism* m, int part)
{
    return m->chain ? m->chain->bodies[part].name : NULL;
}

int plMechanism_Parent(const plMechanism* m, int part)
{
    return m->chain ? m->chain->bodies[part].parent : -1;
}

uint64_t plChain_Identity(const plChain* c, uint64_t h)
{
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
    }
    return h;
}
