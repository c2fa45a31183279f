// One linear tetrahedron: strain, stress and mass properties.
#include "soft/inside.h"

// The displacement's gradient is constant: H = sum of u_a g_a^T over the corners, with g_a the
// gradient of the shape function of corner a. Strain is its symmetric part.
void plSoft_Strain(const plSoft* s, int tet, const double* u, double strain[6])
{
    plMat3 H = {0};
    for (int a = 0; a < 4; ++a) {
        const plVec3 g = s->gradient[4 * tet + a];
        const double* w = &u[3 * s->tets[4 * tet + a]];
        H.x = plAddScaled(H.x, w[0], g);
        H.y = plAddScaled(H.y, w[1], g);
        H.z = plAddScaled(H.z, w[2], g);
    }
    strain[0] = H.x.x, strain[1] = H.y.y, strain[2] = H.z.z;
    strain[3] = H.x.y + H.y.x, strain[4] = H.y.z + H.z.y, strain[5] = H.z.x + H.x.z;
}

void plSoft_Stress(const plSoft* s, int tet, const double* u, double stress[6])
{
    const plLame m = plSoft_Lame(&s->material);
    double strain[6];
    plSoft_Strain(s, tet, u, strain);
    const double volume = strain[0] + strain[1] + strain[2];
    for (int k = 0; k < 3; ++k) stress[k] = m.lambda * volume + 2 * m.mu * strain[k];
    for (int k = 3; k < 6; ++k) stress[k] = m.mu * strain[k];
}

// --- rigid mass

static void addOuter(plMat3* sum, double m, plVec3 a, plVec3 b)
{
    sum->x = plAddScaled(sum->x, m * a.x, b);
    sum->y = plAddScaled(sum->y, m * a.y, b);
    sum->z = plAddScaled(sum->z, m * a.z, b);
}

/// sum of m_ij r_i r_j^T over the mass matrix, r from the centre.
static plMat3 secondMoment(const plSoft* s, plSoftMass mass, plVec3 center)
{
    plMat3 sum = {0};
    for (int i = 0; i < s->nodeCount; ++i) {
        const plVec3 r = plSub(s->points[i], center);
        if (mass == pl_softLumped) {
            addOuter(&sum, s->lumped[i], r, r);
            continue;
        }
        for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
            addOuter(&sum, s->M[k], r, plSub(s->points[s->column[k]], center));
        }
    }
    return sum;
}

// Both masses agree on mass and centre; only the second moments differ.
plMass plSoft_RigidMass(const plSoft* s, plSoftMass mass)
{
    plMass out = {0};
    const plVec3 origin = s->points[0];
    plVec3 first = {0};
    for (int i = 0; i < s->nodeCount; ++i) {
        out.mass += s->lumped[i];
        first = plAddScaled(first, s->lumped[i], plSub(s->points[i], origin));
    }
    out.center = plAddScaled(origin, 1 / out.mass, first);
    const plMat3 second = secondMoment(s, mass, out.center);
    const double trace = second.x.x + second.y.y + second.z.z;
    const plMat3 all = plDiagonal3(trace, trace, trace);
    out.inertia = plMatAdd(&all, -1, &second);
    return out;
}
