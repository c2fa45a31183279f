// Springs of a mechanism: linear ones over the vector coordinates, and those on rotations.
#include "mechanism/kind.h"

#include <string.h>

// With g = -k e the torque of the step is -(g + (T k/2) D w):
//   rank1   D = n n^T                        as printed; active off its axis
//   simple  D = I                            exactly passive against a fixed reference (eq. 20)
//   hess    D = I + kappa S(e)^2
//   full    D = I - S(e)/2 + kappa S(e)^2    derivative of e; the skew part does no work
void plTurnSpring(plAction action, double k, plVec3 e, plVec3* gradient, plMat3* D)
{
    const double phi = plNorm(e);
    const plMat3 I = plIdentity3(), S = plSkew(e), SS = plMatMul(&S, &S);
    *gradient = plScale(-k, e);
    plMat3 action3 = I;
    if (action == pl_actionRank1) {
        const plVec3 n = phi > 0 ? plScale(1 / phi, e) : plVec(0, 0, 0);
        action3 = (plMat3){plScale(n.x, n), plScale(n.y, n), plScale(n.z, n)};
    } else if (action != pl_actionSimple) {
        action3 = plMatAdd(&I, plLogRatio(phi), &SS);
        if (action == pl_actionFull) action3 = plMatAdd(&action3, -0.5, &S);
    }
    *D = (plMat3){plScale(k, action3.x), plScale(k, action3.y), plScale(k, action3.z)};
}

static bool allZero(const double* a, int count)
{
    for (int i = 0; i < count; ++i) {
        if (a[i] != 0) return false;
    }
    return true;
}

void plMechanism_LookForSprings(plMechanism* m)
{
    const int count = m->n * m->n;
    m->limp = !m->hasTurnSprings && m->tendons.count == 0 && m->potentials.count == 0 &&
              allZero(m->K, count);
    m->undamped = allZero(m->B, count);
}

static double deflection(const plMechanism* m, const double* q, int i)
{
    return m->place[i] < 0 ? 0 : q[m->place[i]] - m->rest[i];
}

void plMechanism_Deflection(const plMechanism* m, const double* q, double* y)
{
    for (int i = 0; i < m->n; ++i) y[i] = deflection(m, q, i);
}

void plMechanism_SpringForces(plMechanism* m, plAction action, double* gradient, double* D)
{
    const int n = m->n;
    double* y = m->work[0];
    if (m->limp) return;
    plMechanism_Deflection(m, m->q, y);
    plMatVec(m->K, n, n, n, y, gradient);
    memcpy(D, m->K, (size_t)(n * n) * sizeof *D);
    if (m->hasTurnSprings) m->ops->turnSprings(m, m->q, action, gradient, D);
}

double plMechanism_LinearEnergy(const plMechanism* m, const double* q)
{
    double energy = 0;
    for (int i = 0; i < m->n; ++i) {
        const double yi = deflection(m, q, i);
        if (yi == 0) continue;
        double force = 0;
        for (int j = 0; j < m->n; ++j) force += m->K[i * m->n + j] * deflection(m, q, j);
        energy += 0.5 * yi * force;
    }
    return energy;
}

double plMechanism_Elastic(const plMechanism* m, const double* q, const double* theta)
{
    if (m->limp) return 0;
    return plMechanism_LinearEnergy(m, q) + m->ops->turnEnergy(m, q) +
           plTendons_Energy(m, q, theta) + plPotentials_Energy(m, q);
}

double plMechanism_LinearChange(const plMechanism* m)
{
    double change = 0;
    for (int i = 0; i < m->n; ++i) {
        if (m->place[i] < 0) continue;
        double force = 0;
        for (int j = 0; j < m->n; ++j) {
            const double half = m->place[j] < 0 ? 0 : 0.5 * m->pass.T * m->way[j];
            force += m->K[i * m->n + j] * (deflection(m, m->q, j) + half);
        }
        change += m->pass.T * m->way[i] * force;
    }
    return change;
}
