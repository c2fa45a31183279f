// One rigid body in SE(3): q = (x, quaternion), V = (v world axes, w body axes), origin at the centre of
// mass, so that M is constant and C = -S(J w) skew.                  (pmi eq. 9, 13)
// An assembly is one; a prescribed frame moves like one, and so does the frame of a soft body that has one.
#include "mechanism/rigid.h"

#include <string.h>

// --- places and forces

void plRigid_Place(const plMechanism* m, const double* q, plPlace* p)
{
    (void)m;
    p->world = (plFrame){plGet3(q), plRotation(plGet4(q + 3))};
    p->E = p->world.R;
    p->d = p->world.x;
}

void plRigid_Move(const plMechanism* m, const double* from, double s, const double* w, double* to)
{
    (void)m;
    plPut3(plAddScaled(plGet3(from), s, plGet3(w)), to);
    const plQuat turn = plExp(plScale(s, plGet3(w + 3)));
    plPut4(plQuatUnit(plQuatMul(plGet4(from + 3), turn)), to + 3);
}

void plRigid_Turns(const plMechanism* m, const double* q0, const double* q1, double* angle)
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

void plRigid_Inertia(plMechanism* m, const plPlace* p, const double* v, double* M, double* C)
{
    (void)p;
    if (M) {
        memset(M, 0, 36 * sizeof *M);
        M[0] = M[7] = M[14] = plRigid_Of(m)->mass;
        putBlock(M, &plRigid_Of(m)->inertia);
    }
    if (C) {
        const plMat3 S = plSkew(plScale(-1, plMul(&plRigid_Of(m)->inertia, plGet3(v + 3))));
        memset(C, 0, 36 * sizeof *C);
        putBlock(C, &S);
    }
}

void plRigid_Jacobian(const plMechanism* m, const plChart* chart, int part, plVec3 point,
                      plVec3 lin, plVec3 ang, double* g)
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

void plRigid_Gravity(const plMechanism* m, const plChart* chart, double* G)
{
    (void)chart;
    memset(G, 0, 6 * sizeof *G);
    plPut3(plScale(plRigid_Of(m)->mass, m->gravity), G);
}

static plVec3 turnToAnchor(const plMechanism* m, const double* q)
{
    return plLogQuat(plQuatMul(plQuatConj(plGet4(q + 3)), plRigid_Of(m)->anchor.anchor.q));
}

void plRigid_TurnSprings(const plMechanism* m, const double* q, plAction action, double* gradient,
                         double* D)
{
    plVec3 g;
    plMat3 action3;
    plTurnSpring(action, plRigid_Of(m)->anchor.turnStiffness, turnToAnchor(m, q), &g, &action3);
    plPut3(g, gradient + 3);
    putBlock(D, &action3);
}

double plRigid_GravityEnergy(const plMechanism* m, const plPlace* p)
{
    return -plRigid_Of(m)->mass * plDot(m->gravity, p->world.x);
}

double plRigid_TurnEnergy(const plMechanism* m, const double* q)
{
    const plVec3 e = turnToAnchor(m, q);
    return 0.5 * plRigid_Of(m)->anchor.turnStiffness * plDot(e, e);
}

// --- mass

void plRigid_SolveMass(const plMechanism* m, double* b)
{
    const plRigid* body = plRigid_Of(m);
    for (int i = 0; i < 3; ++i) b[i] /= body->mass;
    plPut3(plMul(&body->inertiaInverse, plGet3(b + 3)), b + 3);
}

double plRigid_Kinetic(const plMechanism* m, const double* M, const double* v)
{
    const plRigid* body = plRigid_Of(m);
    const plVec3 u = plGet3(v), w = plGet3(v + 3);
    (void)M;
    return 0.5 * (body->mass * plDot(u, u) + plDot(w, plMul(&body->inertia, w)));
}

// C v = w x J w on turns. The mass stays what SetState has found at its creation.
void plRigid_Refresh(plMechanism* m)
{
    const plVec3 w = plGet3(m->v + 3);
    plPut3(plCross(w, plMul(&plRigid_Of(m)->inertia, w)), m->bias + 3);
}

double plRigid_LeastMass(const plMechanism* m) { return plRigid_Of(m)->mass; }

double plRigid_Push(const plMechanism* m, double T)
{
    return T * plNorm(plGet3(m->applied)) / plRigid_Of(m)->mass;
}

uint64_t plRigid_Identity(const plMechanism* m, uint64_t h)
{
    const plRigid* body = plRigid_Of(m);
    const plQuat q = body->anchor.anchor.q;
    double numbers[15] = {body->mass, body->anchor.turnStiffness, q.w, q.x, q.y, q.z};
    memcpy(numbers + 6, &body->inertia.x.x, 9 * sizeof(double));
    return plMechanism_HashCommon(m, h, false, numbers);
}

// --- sites and rows

// At the start, without rows: v + R (w x point), R w.
plMotion plRigid_Motion(const plMechanism* m, plWhen when, plSite where)
{
    if (when != pl_atStart) return plMechanism_MotionByRows(m, when, where);
    const plFrame* world = &m->start->world;
    const plVec3 w = plGet3(m->v + 3), turned = plMul(&world->R, plCross(w, where.point));
    return (plMotion){.x = plAdd(world->x, plMul(&world->R, where.point)),
                      .R = world->R,
                      .v = plAdd(plGet3(m->v), turned),
                      .w = plMul(&world->R, w)};
}

// Of a chart, all that rows ask for.
typedef struct {
    plMat3 R; ///< for points
    const plMat3* middle;
    double kappa;
} RowChart;

static inline RowChart rowChart(const plChart* c)
{
    const plMat3 *R0 = &c->first->world.R, *R1 = &c->last->world.R;
    return (RowChart){c->first == c->last ? *R0 : plMean(R0, R1), &c->middle->world.R,
                      c->kappa ? c->kappa[0] : 1};
}

// (lin, kappa point x R^T lin + R^T ang), as plRigid_Jacobian says, without asking it for every row.
static inline void rowOn(const RowChart* c, const plRow* row, bool isA, double* g)
{
    const double sign = isA ? 1 : -1;
    const plVec3 lin = plScale(sign, row->lin), ang = plScale(sign, row->ang);
    plVec3 torque = plCross(isA ? row->a.point : row->b.point, plMulT(&c->R, lin));
    torque = plScale(c->kappa, torque);
    if (plDot(ang, ang) > 0) torque = plAdd(torque, plMulT(c->middle, ang));
    plPut3(lin, g);
    plPut3(torque, g + 3);
}

void plRigid_Row(const plMechanism* m, const plChart* chart, const plRow* row, bool isA, double* g)
{
    const RowChart rows = rowChart(chart);
    (void)m;
    rowOn(&rows, row, isA, g);
}

// Every row touches this mechanism with one of its sites.
static bool eachOnce(const plMechanism* m, const plRow* rows, int count)
{
    bool once = true;
    for (int i = 0; i < count; ++i) {
        const uint32_t own = (uint32_t)m->index + 1;
        once = once && (rows[i].a.mechanism.index1 == own) != (rows[i].b.mechanism.index1 == own);
    }
    return once;
}

void plRigid_Jacobians(const plMechanism* m, bool start, const plRow* rows, int count, double* J)
{
    const RowChart chart = rowChart(start ? &m->startChart : &m->chart);
    if (!eachOnce(m, rows, count)) {
        plMechanism_JacobiansByRows(m, start, rows, count, J);
        return;
    }
    for (int i = 0; i < count; ++i) {
        const bool isA = rows[i].a.mechanism.index1 == (uint32_t)m->index + 1;
        rowOn(&chart, &rows[i], isA, &J[i * 6]);
    }
}

bool plRigid_RespondMany(const plMechanism* m, plResponse response, double* Y, int count)
{
    const bool step = response == pl_responseStep && m->integrator == pl_integratorMidpoint;
    if (step) plMidpoint_SolveBody(m, Y, count);
    return step;
}

// --- Newton's method on positions, see stiffness.c

// d/dx of tan(x/2)/(x/2), for the range in which linearise.c lets it grow.
static double tanRatioSlope(double x)
{
    if (x >= 2) return 0;
    if (x < 1e-3) return x / 6;
    const double h = 0.5 * x, t = tan(h);
    return 0.5 * ((1 + t * t) * h - t) / (h * h);
}

// Torque of an impulse l at the point r of a body: kappa r x (Rbar^T l), Rbar the mean of the two
// rotations, kappa(|T w|). With a = R1^T l and the turn T w of the step,
//     G = kappa T/2 ((r.a) I - a r^T) Jr(T w) - T kappa' (r x Rbar^T l) (T w)^T/|T w|
void plRigid_AddStiffness(plMechanism* m, plSite site, plVec3 l)
{
    const plVec3 r = site.point;
    const double T = m->pass.T;
    const plMat3 *R0 = &m->start->world.R, *R1 = &m->stiffAt->world.R;
    const plMat3 turn = plTransMul(R0, R1), mean = plMean(R0, R1);
    const plVec3 phi = plLog(&turn), a = plMulT(R1, l), arm = plCross(r, plMulT(&mean, l));
    const double x = plNorm(phi), kappa = plTanRatio(fmin(x, 2)), s = 0.5 * T * kappa;
    const double along = plDot(r, a);
    plMat3 G = {plScale(-s * a.x, r), plScale(-s * a.y, r), plScale(-s * a.z, r)};
    G.x.x += s * along, G.y.y += s * along, G.z.z += s * along;
    const plMat3 Jr = plRightJacobian(phi);
    G = plMatMul(&G, &Jr);
    const double slope = x > 0 ? T * tanRatioSlope(x) / x : 0;
    const double* axis = &phi.x;
    double* out = m->geometric;
    for (int j = 0; j < 3; ++j) {
        out[6 * 3 + 3 + j] += (&G.x.x)[j] - slope * arm.x * axis[j];
        out[6 * 4 + 3 + j] += (&G.y.x)[j] - slope * arm.y * axis[j];
        out[6 * 5 + 3 + j] += (&G.z.x)[j] - slope * arm.z * axis[j];
    }
}

// On turns: s I in world axes.
void plRigid_AddTurnStiffness(plMechanism* m, plSite site, double s)
{
    (void)site;
    for (int i = 3; i < 6; ++i) m->geometric[7 * i] += s;
}

double plRigid_Turn(const plMechanism* m) { return m->pass.T * plNorm(plGet3(m->way + 3)); }

void plRigid_TurnRows(const plMechanism* m, const plEndRows* rows)
{
    plMechanism_TurnBack(m->q + 3, m->qLast + 3, 3, rows);
}
