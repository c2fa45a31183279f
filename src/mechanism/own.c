// A mechanism of the user: rigid parts whose places and twists are his functions of coordinates q, with velocities q'.
//   M = sum m J_c^T J_c + J_w^T I J_w,    C = sum m J_c^T J_c' + J_w^T (I J_w' + w x I J_w),    M' = C + C^T
// of the Jacobians J_c of the centres and J_w of the spins. Their rates are central differences along q'. Rows see the
// mean of J over the step by Simpson's rule, so that J T (V0 + V1)/2 is the displacement of a point but for T^5.
#include "palp/own.h"
#include "mechanism/kind.h"

#include <string.h>

static const uint32_t cookie = 0x6c704d0b; ///< "\vMpl": of the defaults

plOwnMechanismDef plDefaultOwnMechanismDef(void)
{
    return (plOwnMechanismDef){.cookie = cookie, .coordinates = 1, .parts = 1};
}

typedef struct {
    plOwnMechanismDef def;
    plMass* masses;
} Own;

static const Own* ownOf(const plMechanism* m) { return m->own; }

/// Of a part: 6 rows of n numbers.
typedef struct {
    double rows[6 * plOwnCoordinates];
} Twist;

static plVec3 column(const double* J, int n, int first, int i)
{
    return plVec(J[first * n + i], J[(first + 1) * n + i], J[(first + 2) * n + i]);
}

static plVec3 linOf(const Twist* J, int n, int i) { return column(J->rows, n, 0, i); }
static plVec3 angOf(const Twist* J, int n, int i) { return column(J->rows, n, 3, i); }

static void askTwist(const plOwnMechanismDef* d, const double* q, int part, Twist* J)
{
    memset(J, 0, sizeof *J);
    d->twist(d->self, q, part, J->rows);
}

static void askPoses(const plOwnMechanismDef* d, const double* q, plPose* poses)
{
    for (int b = 0; b < d->parts; ++b) poses[b] = (plPose){.q = {1, 0, 0, 0}};
    d->place(d->self, q, poses);
}

// The coordinates lie beside the places, as the amplitudes of beams do.
static void place(const plMechanism* m, const double* q, plPlace* p)
{
    const plOwnMechanismDef* d = &ownOf(m)->def;
    plPose poses[plOwnParts];
    askPoses(d, q, poses);
    for (int b = 0; b < d->parts; ++b) {
        p[b].world = (plFrame){poses[b].p, plRotation(plQuatUnit(poses[b].q))};
        p[b].E = p[b].world.R;
        p[b].d = p[b].world.x;
    }
    memmove(p[0].modes, q, (size_t)m->n * sizeof *q);
    p[0].modeCount = m->n;
}

static void move(const plMechanism* m, const double* from, double s, const double* w, double* to)
{
    for (int i = 0; i < m->n; ++i) to[i] = from[i] + s * w[i];
}

static void turns(const plMechanism* m, const double* q0, const double* q1, double* angle)
{
    (void)q0, (void)q1;
    memset(angle, 0, (size_t)m->parts * sizeof *angle);
}

// --- rows

static void addRow(const plMechanism* m, const plPlace* at, int part, double weight, plVec3 point,
                   plVec3 lin, double* g)
{
    const plVec3 arm = plMul(&at[part].world.R, point);
    Twist J;
    askTwist(&ownOf(m)->def, at[0].modes, part, &J);
    for (int i = 0; i < m->n; ++i) {
        const plVec3 v = plAdd(linOf(&J, m->n, i), plCross(angOf(&J, m->n, i), arm));
        g[i] += weight * plDot(lin, v);
    }
}

static void jacobian(const plMechanism* m, const plChart* chart, int part, plVec3 point, plVec3 lin,
                     plVec3 ang, double* g)
{
    if (chart->first == chart->last) {
        addRow(m, chart->first, part, 1, point, lin, g);
    } else {
        addRow(m, chart->first, part, 1.0 / 6, point, lin, g);
        addRow(m, chart->middle, part, 4.0 / 6, point, lin, g);
        addRow(m, chart->last, part, 1.0 / 6, point, lin, g);
    }
    if (!(plDot(ang, ang) > 0)) return;
    Twist J;
    askTwist(&ownOf(m)->def, chart->middle[0].modes, part, &J);
    for (int i = 0; i < m->n; ++i) g[i] += plDot(ang, angOf(&J, m->n, i));
}

// --- mass

// Jacobian of the centre of mass, and of the spin.
static void centreTwist(const Own* own, const double* q, int part, const plPose* pose, Twist* J)
{
    const int n = own->def.coordinates;
    const plMat3 R = plRotation(plQuatUnit(pose->q));
    const plVec3 arm = plMul(&R, own->masses[part].center);
    askTwist(&own->def, q, part, J);
    for (int i = 0; i < n; ++i) {
        const plVec3 v = plAdd(linOf(J, n, i), plCross(angOf(J, n, i), arm));
        J->rows[i] = v.x, J->rows[n + i] = v.y, J->rows[2 * n + i] = v.z;
    }
}

// d/dt of it, by q' = v.
static void centreRate(const Own* own, const double* q, const double* v, int part, Twist* rate)
{
    const int n = own->def.coordinates;
    const double speed = sqrt(plDotN(v, v, n)), h = 1e-5;
    double at[plOwnCoordinates];
    plPose poses[plOwnParts];
    Twist ends[2];
    memset(rate, 0, sizeof *rate);
    if (!(speed > 0)) return;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < n; ++i) at[i] = q[i] + (k ? h : -h) * v[i] / speed;
        askPoses(&own->def, at, poses);
        centreTwist(own, at, part, &poses[part], &ends[k]);
    }
    for (int i = 0; i < 6 * n; ++i) {
        rate->rows[i] = (ends[1].rows[i] - ends[0].rows[i]) * speed / (2 * h);
    }
}

static void addMass(const plMass* mass, const plMat3* I, const Twist* J, int n, double* M)
{
    for (int i = 0; i < n; ++i) {
        const plVec3 v = plScale(mass->mass, linOf(J, n, i)), w = plMul(I, angOf(J, n, i));
        for (int k = 0; k < n; ++k) {
            M[i * n + k] += plDot(v, linOf(J, n, k)) + plDot(w, angOf(J, n, k));
        }
    }
}

static void addCoriolis(const plMass* mass, const plMat3* I, const Twist* J, const Twist* rate,
                        const double* v, int n, double* C)
{
    plVec3 spin = {0, 0, 0};
    for (int i = 0; i < n; ++i) spin = plAddScaled(spin, v[i], angOf(J, n, i));
    for (int k = 0; k < n; ++k) {
        const plVec3 f = plScale(mass->mass, linOf(rate, n, k));
        const plVec3 turned = plCross(spin, plMul(I, angOf(J, n, k)));
        const plVec3 torque = plAdd(plMul(I, angOf(rate, n, k)), turned);
        for (int i = 0; i < n; ++i) {
            C[i * n + k] += plDot(linOf(J, n, i), f) + plDot(angOf(J, n, i), torque);
        }
    }
}

static void inertia(plMechanism* m, const plPlace* p, const double* v, double* M, double* C)
{
    const Own* own = ownOf(m);
    const int n = m->n;
    const double* q = p[0].modes;
    if (M) memset(M, 0, (size_t)(n * n) * sizeof *M);
    if (C) memset(C, 0, (size_t)(n * n) * sizeof *C);
    for (int b = 0; b < m->parts; ++b) {
        const plMass* mass = &own->masses[b];
        const plFrame* f = &p[b].world;
        const plMat3 half = plMatMul(&f->R, &mass->inertia), I = plMatMulT(&half, &f->R);
        const plPose pose = {f->x, plQuatOf(&f->R)};
        Twist J, rate;
        if (!(mass->mass > 0)) continue;
        centreTwist(own, q, b, &pose, &J);
        if (M) addMass(mass, &I, &J, n, M);
        if (!C) continue;
        centreRate(own, q, v, b, &rate);
        addCoriolis(mass, &I, &J, &rate, v, n, C);
    }
}

// --- forces

static void gravity(const plMechanism* m, const plChart* chart, double* G)
{
    const Own* own = ownOf(m);
    memset(G, 0, (size_t)m->n * sizeof *G);
    for (int b = 0; b < m->parts; ++b) {
        const plVec3 weight = plScale(own->masses[b].mass, m->gravity);
        jacobian(m, chart, b, own->masses[b].center, weight, plVec(0, 0, 0), G);
    }
}

static double gravityEnergy(const plMechanism* m, const plPlace* p)
{
    double energy = 0;
    for (int b = 0; b < m->parts; ++b) {
        const plMass* mass = &ownOf(m)->masses[b];
        const plFrame* f = &p[b].world;
        energy -= mass->mass * plDot(m->gravity, plAdd(f->x, plMul(&f->R, mass->center)));
    }
    return energy;
}

static void turnSprings(const plMechanism* m, const double* q, plAction action, double* gradient,
                        double* D)
{
    (void)m, (void)q, (void)action, (void)gradient, (void)D;
}

static double turnEnergy(const plMechanism* m, const double* q)
{
    (void)m, (void)q;
    return 0;
}

static double leastMass(const plMechanism* m)
{
    double least = 0;
    for (int b = 0; b < m->parts; ++b) {
        const double mass = ownOf(m)->masses[b].mass;
        if (mass > 0 && (least == 0 || mass < least)) least = mass;
    }
    return least;
}

static uint64_t identity(const plMechanism* m, uint64_t h)
{
    h = plMechanism_HashCommon(m, h, false, NULL);
    return plHash_Add(h, ownOf(m)->masses, (size_t)m->parts * sizeof(plMass));
}

static const plMechanismOps ops = {
    .traits = {.type = "own", .yields = true},
    .place = place,
    .move = move,
    .turns = turns,
    .inertia = inertia,
    .jacobian = jacobian,
    .gravity = gravity,
    .turnSprings = turnSprings,
    .gravityEnergy = gravityEnergy,
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
    .motion = plMechanism_MotionByRows,
    .jacobians = plMechanism_JacobiansByRows,
    .displace = plMechanism_DisplaceTrial,
    .retreat = plMechanism_RetreatTrial,
    .leastMass = leastMass,
};

// --- definitions

static bool areFinite(const double* a, int n)
{
    bool finite = true;
    for (int i = 0; a && i < n; ++i) finite = finite && isfinite(a[i]);
    return finite;
}

static const char* massComplaint(const plOwnMechanismDef* d)
{
    if (!d->masses) return "a mechanism of the user needs a mass for each part";
    for (int b = 0; b < d->parts; ++b) {
        const plMass* a = &d->masses[b];
        const bool none = plDot(a->inertia.x, a->inertia.x) + plDot(a->inertia.y, a->inertia.y) +
                              plDot(a->inertia.z, a->inertia.z) ==
                          0;
        if (!(a->mass >= 0) || !isfinite(a->mass) || !plFinite3(a->center)) {
            return "the mass of a part must be finite and not negative";
        }
        if (!none && !plIsPositive3(&a->inertia, false)) {
            return "the inertia of a part must be symmetric and positive semi-definite";
        }
    }
    return NULL;
}

static const char* complaint(const plOwnMechanismDef* d)
{
    const int n = d->coordinates;
    if (d->cookie != cookie) return "the definition is not made by plDefaultOwnMechanismDef";
    if (!plText_IsName(d->name)) return "the name must be 1 to 31 letters, digits, - or _";
    if (n < 1 || n > plOwnCoordinates || d->parts < 1 || d->parts > plOwnParts) {
        return "a mechanism of the user has 1 to 64 coordinates and 1 to 64 parts";
    }
    if (!d->place || !d->twist) return "a mechanism of the user needs place and twist";
    if (!areFinite(d->position, n) || !areFinite(d->velocity, n) || !areFinite(d->damping, n)) {
        return "position, velocity and damping must be finite";
    }
    for (int i = 0; d->damping && i < n; ++i) {
        if (d->damping[i] < 0) return "damping must not be negative";
    }
    return massComplaint(d);
}

// Do the twists say how the places change, to a thousandth, at the start?
static const char* twistComplaint(const plOwnMechanismDef* d, const double* q)
{
    const double h = 1e-5;
    double at[plOwnCoordinates];
    plPose ends[2][plOwnParts];
    for (int i = 0; i < d->coordinates; ++i) {
        for (int k = 0; k < 2; ++k) {
            memcpy(at, q, (size_t)d->coordinates * sizeof *at);
            at[i] += k ? h : -h;
            askPoses(d, at, ends[k]);
        }
        for (int b = 0; b < d->parts; ++b) {
            const plPose *p0 = &ends[0][b], *p1 = &ends[1][b];
            Twist J;
            if (!plFinitePose(*p0) || !plFinitePose(*p1)) return "a place is not a pose";
            const plQuat turn = plQuatMul(plQuatUnit(p1->q), plQuatConj(plQuatUnit(p0->q)));
            const plVec3 v = plScale(0.5 / h, plSub(p1->p, p0->p)),
                         w = plScale(0.5 / h, plLogQuat(turn));
            askTwist(d, q, b, &J);
            const plVec3 lin = linOf(&J, d->coordinates, i), ang = angOf(&J, d->coordinates, i);
            const bool fits = plNorm(plSub(v, lin)) <= 1e-3 * (1 + plNorm(v)) &&
                              plNorm(plSub(w, ang)) <= 1e-3 * (1 + plNorm(w));
            if (!fits) return "the twists do not say how the places change";
        }
    }
    return NULL;
}

static bool takePlaces(plMechanism* m, plArena* fixed)
{
    plPlace* const places[] = {m->start, m->end, m->middle, m->last, m->free};
    for (int i = 0; i < PL_COUNT(places); ++i) {
        places[i][0].modes = plArena_Alloc(fixed, (size_t)m->n, sizeof(double));
    }
    return !fixed->full;
}

// What its functions are asked for comes after all memory is there.
static plStatus fill(plMechanism* m, const plOwnMechanismDef* d, plArena* fixed, const char** why)
{
    const plPotentialDef potential = {
        .kind = pl_potentialFunction, .function = d->potential, .self = d->self};
    double q[plOwnCoordinates] = {0}, v[plOwnCoordinates] = {0};
    const size_t bytes = (size_t)m->n * sizeof(double);
    if (d->position) memcpy(q, d->position, bytes);
    if (d->velocity) memcpy(v, d->velocity, bytes);
    for (int i = 0; i < m->n; ++i) {
        m->place[i] = i;
        if (d->damping) m->B[i * (m->n + 1)] = d->damping[i];
    }
    if (d->potential) {
        const plStatus status = plPotentials_Create(m, &potential, 1, fixed, why);
        if (status != pl_statusOk) return status;
    }
    plMechanism_LookForSprings(m);
    *why = twistComplaint(d, q);
    if (*why) return pl_statusBadArgument;
    plMechanism_SetState(m, q, v);
    *why = "the mass matrix at the start is not positive definite";
    return m->singular ? pl_statusBadArgument : pl_statusOk;
}

plStatus plMechanism_CreateOwn(const plOwnMechanismDef* d, int index, plVec3 g, plArena* fixed,
                               plArena* state, plMechanism** out, const char** why)
{
    *why = complaint(d);
    if (*why) return pl_statusBadArgument;
    plMechanism* m = plArena_Alloc(fixed, 1, sizeof *m);
    Own* own = plArena_Alloc(fixed, 1, sizeof *own);
    plMass* masses = plArena_Alloc(fixed, (size_t)d->parts, sizeof *masses);
    if (!m || !own || !masses) return pl_statusCapacity;
    memcpy(masses, d->masses, (size_t)d->parts * sizeof *masses);
    *own = (Own){*d, masses};
    own->def.position = own->def.velocity = own->def.damping = NULL; // not ours to keep
    *m = (plMechanism){.ops = &ops,
                       .own = own,
                       .index = index,
                       .integrator = d->integrator,
                       .positions = d->coordinates,
                       .n = d->coordinates,
                       .parts = d->parts,
                       .gravity = g};
    memcpy(m->name, d->name, strlen(d->name) + 1);
    const plStatus status = plMechanism_Allocate(m, fixed, state);
    if (status != pl_statusOk) return status;
    if (!takePlaces(m, fixed)) return pl_statusCapacity;
    *out = m;
    return fill(m, d, fixed, why);
}
