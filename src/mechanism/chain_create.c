// An articulated tree in generalized coordinates: its definition, and checks of it.
#include "mechanism/chain.h"

#include <string.h>

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

static int modesOf(const plBeamDef* d) { return d->modes[0] + d->modes[1]; }

static const char* beamComplaint(const plBeamDef* d)
{
    const int count = modesOf(d);
    if (d->length == 0 && d->mass == 0 && count == 0) return NULL;
    if (!(d->length > 0) || !isfinite(d->length)) return "a beam's length must be positive [m]";
    if (!(d->mass > 0) || !isfinite(d->mass)) return "a beam's mass must be positive [kg]";
    for (int i = 0; i < 2; ++i) {
        if (d->modes[i] < 0 || d->modes[i] > plBeamModes) {
            return "a beam has 0 to 64 modes in each direction";
        }
        if (d->modes[i] > 0 && !d->frequency && !(d->bending[i] > 0 && isfinite(d->bending[i]))) {
            return "a beam's bending stiffness must be positive where it has modes [N m^2]";
        }
    }
    for (int k = 0; d->frequency && k < count; ++k) {
        if (!(d->frequency[k] > 0 && isfinite(d->frequency[k]))) {
            return "the frequencies of a beam must be positive [Hz]";
        }
    }
    if (!(d->damping >= 0) || !isfinite(d->damping)) return "a beam's damping must be >= 0";
    if ((d->position && !finiteAll(d->position, count)) ||
        (d->velocity && !finiteAll(d->velocity, count))) {
        return "a beam's amplitudes and their rates must be finite";
    }
    return NULL;
}

// A body on a beam must be on it.
static const char* rideComplaint(const plChainDef* d, const plChainBodyDef* body)
{
    if (body->parent < 0 || modesOf(&d->bodies[body->parent].beam) == 0) return NULL;
    const double x = body->frame.p.x;
    if (x >= 0 && x <= d->bodies[body->parent].beam.length) return NULL;
    return "the frame of a body on a beam must have its x on the beam";
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
    return beamComplaint(&d->beam);
}

static const char* complaint(const plChainDef* d)
{
    if (!plText_IsName(d->name)) return "the name must be 1 to 31 letters, digits, - or _";
    if (d->bodyCount < 1 || !d->bodies) return "a chain needs at least one body";
    if (!plFinitePose(d->base)) return "the base must be finite";
    int n = 0;
    for (int i = 0; i < d->bodyCount; ++i) {
        const char* why = bodyComplaint(&d->bodies[i], i);
        if (!why) why = rideComplaint(d, &d->bodies[i]);
        if (why) return why;
        for (int j = 0; j < i; ++j) {
            if (strcmp(d->bodies[i].name, d->bodies[j].name) == 0) {
                return "two bodies of the chain have one name";
            }
        }
        n += plJoint_Velocities(d->bodies[i].joint) + modesOf(&d->bodies[i].beam);
    }
    if (d->tendonCount < 0 || (d->tendonCount > 0 && !d->tendons))
        return "a chain's tendons are missing";
    if (n == 0) return "a chain needs at least one joint that moves, or a beam that bends";
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
    plJoint_Axes(&body);
    const int quatAt = plJoint_QuatAt(d->joint);
    if (quatAt >= 0) {
        body.rest = plQuatUnit(plGet4(d->rest + quatAt));
        body.turnStiffness = d->stiffness;
    }
    memcpy(body.name, d->name, strlen(d->name) + 1);
    return body;
}

// Which velocities are rates of a position, and where their springs are at rest.
static void makePlaces(plMechanism* m, const plChainDef* d)
{
    for (int b = 0; b < d->bodyCount; ++b) {
        const plBody* body = &plChain_Of(m)->bodies[b];
        const int quatAt = plJoint_QuatAt(body->joint);
        for (int k = 0; k < plJoint_Velocities(body->joint); ++k) {
            const bool vector = quatAt < 0 || k < quatAt;
            m->place[body->v0 + k] = vector ? body->q0 + k : -1;
            m->rest[body->v0 + k] = vector ? d->bodies[b].rest[k] : 0;
        }
        for (int k = 0; k < body->beam.count; ++k) {
            m->place[body->beam.v0 + k] = body->beam.q0 + k;
            m->rest[body->beam.v0 + k] = 0;
        }
    }
}

// K = m w^2, B = 2 zeta m w of each mode.
static void makeBeamSprings(plMechanism* m, const plBeamDef* d, const plBeam* beam)
{
    for (int k = 0; k < beam->count; ++k) {
        const int i = beam->v0 + k;
        const double w = plBeam_Frequency(d, beam->modes[k].towards, beam->modes[k].number);
        m->K[i * m->n + i] = beam->mass * w * w;
        m->B[i * m->n + i] = 2 * d->damping * beam->mass * w;
    }
}

// Joint springs and dampers on the diagonal, then the full matrices of the definition.
static void makeSprings(plMechanism* m, const plChainDef* d)
{
    const int n = m->n;
    for (int b = 0; b < d->bodyCount; ++b) {
        const plBody* body = &plChain_Of(m)->bodies[b];
        for (int k = 0; k < plJoint_Velocities(body->joint); ++k) {
            const int i = body->v0 + k;
            if (m->place[i] >= 0) m->K[i * n + i] = d->bodies[b].stiffness;
            m->B[i * n + i] = d->bodies[b].damping;
        }
        m->hasTurnSprings = m->hasTurnSprings || body->turnStiffness > 0;
        makeBeamSprings(m, &d->bodies[b].beam, &body->beam);
    }
    for (int i = 0; i < n * n; ++i) {
        if (d->K) m->K[i] += d->K[i];
        if (d->B) m->B[i] += d->B[i];
    }
    for (int t = 0; t < d->tendonCount; ++t) {
        const double* J = d->tendons[t].J;
        for (int i = 0; i < n * n; ++i) m->K[i] += d->tendons[t].stiffness * (J[i / n] * J[i % n]);
    }
}

static const char* tendonComplaint(const plMechanism* m, const plChainDef* d)
{
    for (int t = 0; t < d->tendonCount; ++t) {
        const plTendonDef* tendon = &d->tendons[t];
        const double numbers[] = {tendon->stiffness, tendon->radius, tendon->angle,
                                  tendon->command};
        if (!tendon->J || !finiteAll(tendon->J, m->n)) return "a tendon's J must be finite";
        if (!finiteAll(numbers, 4)) return "a tendon's numbers must be finite";
        if (tendon->stiffness < 0) return "a tendon's stiffness must be >= 0 [N/m]";
        if (!(tendon->speed > 0)) return "the speed of a tendon's motor must be > 0 [rad/s]";
        for (int i = 0; i < m->n; ++i) {
            if (m->place[i] < 0 && tendon->J[i] != 0) {
                return "a tendon's J must be zero on rotations of spherical and free joints";
            }
        }
    }
    return NULL;
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

// Columns of S: a joint's velocities, and of a body on a beam the modes that carry it.
static int columnsOf(const plChainDef* d, const plChainBodyDef* body)
{
    const int own = plJoint_Velocities(body->joint);
    return body->parent < 0 ? own : own + modesOf(&d->bodies[body->parent].beam);
}

static bool allocate(plMechanism* m, const plChainDef* d, plArena* fixed)
{
    const size_t bodies = (size_t)d->bodyCount;
    size_t columns = 0;
    for (int b = 0; b < d->bodyCount; ++b) columns += (size_t)columnsOf(d, &d->bodies[b]);
    plChain* c = m->own = plArena_Alloc(fixed, 1, sizeof *c);
    if (!c) return false;
    c->bodyCount = d->bodyCount;
    c->base = plFrameOf((plPose){d->base.p, plQuatUnit(d->base.q)});
    c->bodies = plArena_Alloc(fixed, bodies, sizeof *c->bodies);
    c->velocity = plArena_Alloc(fixed, columns, sizeof *c->velocity);
    c->S = plArena_Alloc(fixed, columns, sizeof *c->S);
    c->Sdot = plArena_Alloc(fixed, columns, sizeof *c->Sdot);
    c->twist = plArena_Alloc(fixed, bodies, sizeof *c->twist);
    c->I = plArena_Alloc(fixed, 36 * bodies, sizeof(double));
    c->D = plArena_Alloc(fixed, 36 * bodies, sizeof(double));
    return c->bodies && c->velocity && c->S && c->Sdot && c->twist && c->I && c->D;
}

static bool makeBeam(plMechanism* m, const plBeamDef* d, int b, int q0, int v0, plArena* fixed)
{
    plBeam* beam = &plChain_Of(m)->bodies[b].beam;
    plPlace* const places[] = {m->start, m->end, m->middle, m->last, m->free};
    *beam = (plBeam){.count = modesOf(d), .q0 = q0, .v0 = v0};
    beam->length = d->length;
    beam->mass = d->mass;
    if (beam->count == 0) return true;
    beam->modes = plArena_Alloc(fixed, (size_t)beam->count, sizeof *beam->modes);
    if (!beam->modes) return false;
    plBeam_Make(d, beam);
    for (int i = 0; i < PL_COUNT(places); ++i) {
        places[i][b].modeCount = beam->count;
        places[i][b].modes = plArena_Alloc(fixed, (size_t)beam->count, sizeof(double));
        if (!places[i][b].modes) return false;
    }
    return true;
}

// The columns of a body, and what the modes of a beam that carries it do there.
static bool makeColumns(plChain* c, int b, int column0, plArena* fixed)
{
    plBody* body = &c->bodies[b];
    const plBeam* beam = body->parent < 0 ? NULL : &c->bodies[body->parent].beam;
    const int velocities = plJoint_Velocities(body->joint);
    int* velocity = c->velocity + column0;
    body->column0 = column0;
    body->columnCount = velocities;
    if (beam && beam->count > 0) {
        body->columnCount += beam->count;
        body->along = body->frame.x.x;
        body->frame.x.x = 0;
        body->shares = plArena_Alloc(fixed, (size_t)beam->count, sizeof *body->shares);
        if (!body->shares) return false;
        for (int k = 0; k < beam->count; ++k, ++velocity) {
            body->shares[k] = plBeam_Share(beam, &beam->modes[k], body->along);
            *velocity = beam->v0 + k;
        }
    }
    for (int k = 0; k < velocities; ++k) velocity[k] = body->v0 + k;
    return true;
}

static void copyOr0(const double* from, int count, double* to)
{
    for (int k = 0; k < count; ++k) to[k] = from ? from[k] : 0;
}

static bool makeBodies(plMechanism* m, const plChainDef* d, double* q, double* v, plArena* fixed)
{
    int q0 = 0, v0 = 0, column0 = 0;
    for (int b = 0; b < d->bodyCount; ++b) {
        const plChainBodyDef* body = &d->bodies[b];
        const int quatAt = plJoint_QuatAt(body->joint), modes = modesOf(&body->beam);
        plChain_Of(m)->bodies[b] = makeBody(body, q0, v0);
        copyOr0(body->position, plJoint_Positions(body->joint), q + q0);
        copyOr0(body->velocity, plJoint_Velocities(body->joint), v + v0);
        if (quatAt >= 0) {
            plPut4(plQuatUnit(plGet4(body->position + quatAt)), q + q0 + quatAt);
        }
        q0 += plJoint_Positions(body->joint);
        v0 += plJoint_Velocities(body->joint);
        if (!makeBeam(m, &body->beam, b, q0, v0, fixed)) return false;
        if (!makeColumns(plChain_Of(m), b, column0, fixed)) return false;
        copyOr0(body->beam.position, modes, q + q0);
        copyOr0(body->beam.velocity, modes, v + v0);
        q0 += modes;
        v0 += modes;
        column0 += plChain_Of(m)->bodies[b].columnCount;
    }
    return true;
}

plStatus plMechanism_CreateChain(const plChainDef* d, int index, plVec3 gravity, plArena* fixed,
                                 plArena* state, plMechanism** out, const char** why)
{
    *why = complaint(d);
    if (*why) return pl_statusBadArgument;
    plMechanism* m = plArena_Alloc(fixed, 1, sizeof *m);
    if (!m) return pl_statusCapacity;
    *m = (plMechanism){.ops = &plChainOps,
                       .index = index,
                       .integrator = d->integrator,
                       .coefficients = d->coefficients,
                       .route = d->route,
                       .action = d->action,
                       .parts = d->bodyCount,
                       .gravity = gravity};
    memcpy(m->name, d->name, strlen(d->name) + 1);
    for (int b = 0; b < d->bodyCount; ++b) {
        m->positions += plJoint_Positions(d->bodies[b].joint) + modesOf(&d->bodies[b].beam);
        m->n += plJoint_Velocities(d->bodies[b].joint) + modesOf(&d->bodies[b].beam);
    }
    if (!allocate(m, d, fixed)) return pl_statusCapacity;
    const plStatus status = plMechanism_Allocate(m, fixed, state);
    if (status != pl_statusOk) return status;
    if (!makeBodies(m, d, m->q1, m->V1, fixed)) return pl_statusCapacity;
    makePlaces(m, d);
    *why = tendonComplaint(m, d);
    if (*why) return pl_statusBadArgument;
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
    const plStatus tendons = plTendons_Create(m, d, fixed, state);
    if (tendons != pl_statusOk) return tendons;
    const plStatus potentials =
        plPotentials_Create(m, d->potentials, d->potentialCount, fixed, why);
    if (potentials != pl_statusOk) return potentials;
    plMechanism_LookForSprings(m);
    plMechanism_SetState(m, m->q1, m->V1);
    *out = m;
    return pl_statusOk;
}
