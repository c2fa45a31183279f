// Tendons with motors.                                                                (pmi 5.3)
// With l = J y the stretch by the joints, y = q - rest, a tendon has
//     k (l + r theta)^2/2  =  k l^2/2  +  k r theta (l + r theta/2).
// The first part is a spring in K. The second pulls by J^T k r theta; with the mean of theta over a step
// and the way Dy of the step, its change is exactly
//     k r theta^ J Dy  +  k r Dtheta (J y^ + r theta^),
// hats for means: what the joints take by that pull, and the work of the motor.
#include "mechanism/kind.h"

#include <string.h>

plTendonDef plDefaultTendonDef(void) { return (plTendonDef){.speed = INFINITY}; }

plStatus plTendons_Create(plMechanism* m, const plChainDef* d, plArena* fixed, plArena* state)
{
    const size_t count = (size_t)d->tendonCount, n = (size_t)m->n;
    plTendons* t = &m->tendons;
    if (count == 0) return pl_statusOk;
    t->count = d->tendonCount;
    t->J = plArena_Alloc(fixed, count * n, sizeof(double));
    double** const own[] = {&t->k, &t->radius, &t->speed, &t->theta1};
    for (int i = 0; i < PL_COUNT(own); ++i) *own[i] = plArena_Alloc(fixed, count, sizeof(double));
    t->theta = plArena_Alloc(state, count, sizeof(double));
    t->command = plArena_Alloc(state, count, sizeof(double));
    if (fixed->full || state->full) return pl_statusCapacity;
    for (int i = 0; i < t->count; ++i) {
        const plTendonDef* tendon = &d->tendons[i];
        memcpy(&t->J[i * m->n], tendon->J, n * sizeof(double));
        t->k[i] = tendon->stiffness;
        t->radius[i] = tendon->radius;
        t->speed[i] = tendon->speed;
        t->theta[i] = tendon->angle;
        t->command[i] = tendon->command;
    }
    return pl_statusOk;
}

void plTendons_Begin(plMechanism* m)
{
    const plTendons* t = &m->tendons;
    if (t->count == 0) return;
    memset(m->pull, 0, (size_t)m->n * sizeof(double));
    for (int i = 0; i < t->count; ++i) {
        const double most = t->speed[i] * m->pass.T, way = t->command[i] - t->theta[i];
        t->theta1[i] = fabs(way) <= most ? t->command[i] : t->theta[i] + copysign(most, way);
        const double mean = 0.5 * (t->theta[i] + t->theta1[i]);
        const double tension = t->k[i] * t->radius[i] * mean;
        for (int j = 0; j < m->n; ++j) m->pull[j] -= t->J[i * m->n + j] * tension;
    }
}

static double stretch(const plMechanism* m, int i, const double* q)
{
    double sum = 0;
    for (int j = 0; j < m->n; ++j) {
        if (m->place[j] < 0) continue;
        sum += m->tendons.J[i * m->n + j] * (q[m->place[j]] - m->rest[j]);
    }
    return sum;
}

double plTendons_Energy(const plMechanism* m, const double* q, const double* theta)
{
    const plTendons* t = &m->tendons;
    double energy = 0;
    for (int i = 0; i < t->count; ++i) {
        const double turned = t->radius[i] * theta[i];
        if (turned != 0) energy += t->k[i] * turned * (stretch(m, i, q) + 0.5 * turned);
    }
    return energy;
}

double plTendons_MotorWork(const plMechanism* m)
{
    const plTendons* t = &m->tendons;
    double work = 0;
    for (int i = 0; i < t->count; ++i) {
        const double turn = t->theta1[i] - t->theta[i], sum = t->theta1[i] + t->theta[i];
        if (turn == 0) continue;
        const double l = stretch(m, i, m->q) + stretch(m, i, m->q1) + t->radius[i] * sum;
        work += t->k[i] * t->radius[i] * turn * 0.5 * l;
    }
    return work;
}

int plMechanism_Tendons(const plMechanism* m) { return m->tendons.count; }

void plMechanism_CommandTendon(plMechanism* m, int tendon, double angle)
{
    m->tendons.command[tendon] = angle;
}

double plMechanism_TendonAngle(const plMechanism* m, int tendon)
{
    return m->tendons.theta[tendon];
}

double plMechanism_TendonPull(const plMechanism* m, int i)
{
    const plTendons* t = &m->tendons;
    return t->k[i] * (stretch(m, i, m->q) + t->radius[i] * t->theta[i]);
}

double plMechanism_TendonScale(const plMechanism* m)
{
    const plTendons* t = &m->tendons;
    double sum = 0;
    for (int i = 0; i < t->count; ++i) {
        const double turned = t->radius[i] * t->theta[i];
        sum += t->k[i] * turned * turned;
    }
    return sum;
}

const double* plMechanism_Pulleys(const plMechanism* m, int tendon, double* motor)
{
    *motor = m->tendons.radius[tendon];
    return &m->tendons.J[tendon * m->n];
}

void plMechanism_MotorGain(const plMechanism* m, int i, double* gain)
{
    const plTendons* t = &m->tendons;
    for (int j = 0; j < m->n; ++j) gain[j] = t->J[i * m->n + j] * t->k[i] * t->radius[i];
}

bool plMechanism_IsBent(const plMechanism* m, int i)
{
    for (int t = 0; t < m->tendons.count; ++t) {
        if (m->tendons.J[t * m->n + i] != 0) return true;
    }
    return false;
}

double plMechanism_Coordinate(const plMechanism* m, int i)
{
    return m->place[i] < 0 ? 0 : m->q[m->place[i]];
}

void plMechanism_Resistance(const plMechanism* m, const double* y, double* force)
{
    const int n = m->n;
    for (int i = 0; i < n; ++i) {
        force[i] = 0;
        for (int j = 0; j < n; ++j) {
            if (plMechanism_IsBent(m, j)) force[i] += m->K[i * n + j] * (y[j] - m->rest[j]);
        }
    }
}

uint64_t plTendons_Identity(const plMechanism* m, uint64_t h)
{
    const plTendons* t = &m->tendons;
    for (int i = 0; i < t->count; ++i) {
        const double numbers[] = {t->k[i], t->radius[i], t->speed[i]};
        h = plHash_Add(h, numbers, sizeof numbers);
        h = plHash_Add(h, &t->J[i * m->n], (size_t)m->n * sizeof(double));
    }
    return h;
}
