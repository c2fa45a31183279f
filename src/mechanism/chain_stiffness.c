// Newton's method on the positions of a chain: the geometric stiffness of impulses on its bodies, and turns of
// its joints; see stiffness.c.
#include "mechanism/chain.h"

// A velocity of a joint that carries a point: how the point moves, and about which axis all that the
// joint carries turns (zero: it shifts).
typedef struct {
    int velocity;
    plVec3 way, axis;
} Column;

enum { mostColumns = 96 };

// Outermost first. Modes of beams are left out: their part of G is small.
static int columnsOf(const plMechanism* m, int part, plVec3 x, Column* columns)
{
    const plChain* c = plChain_Of(m);
    int count = 0;
    for (int b = part; b >= 0; b = c->bodies[b].parent) {
        const plBody* body = &c->bodies[b];
        const plFrame* world = &m->stiffAt[b].world;
        for (int k = body->turns - 1; k >= 0 && count < mostColumns; --k) {
            const plVec3 axis = plMul(&world->R, body->turnAxes[k]);
            columns[count++] =
                (Column){body->v0 + body->shifts + k, plCross(axis, plSub(x, world->x)), axis};
        }
        const plMat3 toJoint = plTranspose(&m->stiffAt[b].E), joint = plMatMul(&world->R, &toJoint);
        for (int k = body->shifts - 1; k >= 0 && count < mostColumns; --k) {
            columns[count++] = (Column){body->v0 + k, plMul(&joint, body->shiftAxes[k]), {0, 0, 0}};
        }
    }
    return count;
}

// J moves by half as much as the end does: G_ij = -T/2 l.d^2x/dq_i dq_j, and the inner of two joints
// carries the outer one's column with it: axis_i x column_j.
void plChain_AddStiffness(plMechanism* m, plSite site, plVec3 l)
{
    Column columns[mostColumns];
    const plFrame* world = &m->stiffAt[site.part].world;
    const plVec3 x = plAdd(world->x, plMul(&world->R, site.point));
    const int count = columnsOf(m, site.part, x, columns), n = m->n;
    const double s = 0.5 * m->pass.T;
    for (int j = 0; j < count; ++j) {
        for (int i = j; i < count; ++i) {
            const double g = -s * plDot(l, plCross(columns[i].axis, columns[j].way));
            const int vi = columns[i].velocity, vj = columns[j].velocity;
            m->geometric[vi * n + vj] += g;
            if (i != j) m->geometric[vj * n + vi] += g;
        }
    }
}

// On turns of a part: s I in world axes.
void plChain_AddTurnStiffness(plMechanism* m, plSite site, double s)
{
    Column columns[mostColumns];
    const int count = columnsOf(m, site.part, plVec(0, 0, 0), columns), n = m->n;
    for (int i = 0; i < count * count; ++i) {
        const Column *a = &columns[i / count], *b = &columns[i % count];
        m->geometric[a->velocity * n + b->velocity] += s * plDot(a->axis, b->axis);
    }
}

double plChain_Turn(const plMechanism* m)
{
    const plChain* c = plChain_Of(m);
    double most = 0;
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        double sum = 0;
        for (int k = 0; k < body->turns; ++k) {
            const double w = m->way[body->v0 + body->shifts + k];
            sum += w * w;
        }
        most = fmax(most, sum);
    }
    return m->pass.T * sqrt(most);
}

void plChain_TurnRows(const plMechanism* m, const plEndRows* rows)
{
    const plChain* c = plChain_Of(m);
    for (int b = 0; b < c->bodyCount; ++b) {
        const plBody* body = &c->bodies[b];
        const int at = plJoint_QuatAt(body->joint), from = body->q0 + at;
        if (at < 0) continue;
        plMechanism_TurnBack(m->q + from, m->qLast + from, body->v0 + body->shifts, rows);
    }
}
