// Links of 0.1 m and 1 g on stiff points, as a chain that falls from the horizontal.   (pmi spec 3)
#ifndef PALP_TEST_ARTICULATED_H
#define PALP_TEST_ARTICULATED_H

#include "links.h"

enum { articulatedLinks = 3 };

static const double linkLength = 0.1, linkMass = 1e-3;
static const double articulatedScale = 1e-3 * 9.81 * 0.1 * 4.5; ///< what the chain can fall by [J]

/// Passes 0 with frozen coefficients and no guard: the printed scheme.
typedef struct {
    bool slender; ///< J of a rod 1 cm thick; else m I, a radius of gyration of 1 m, as printed
    double k;     ///< of every point [N/m]
    int passes;   ///< of the world; 0: all coefficients as printed, too
    bool guard;
    double damping; ///< on all six velocities [N s/m, N m s/rad]
    bool hinged;    ///< two points 2 cm apart in a joint; else one
} Articulated;

static inline plMat3 linkInertia(bool slender)
{
    const double L = linkLength, w = 0.01, m = linkMass / 12;
    if (!slender) return plDiagonal3(linkMass, linkMass, linkMass);
    return plDiagonal3(m * 2 * w * w, m * (L * L + w * w), m * (L * L + w * w));
}

static inline void addJoint(plWorld* world, const Articulated* c, int i, plSite a, plSite b)
{
    static const char* names[2][articulatedLinks] = {{"j0", "j1", "j2"}, {"k0", "k1", "k2"}};
    for (int k = 0; k < (c->hinged ? 2 : 1); ++k) {
        const double off = c->hinged ? 0.01 - 0.02 * k : 0;
        a.point.y = b.point.y = off;
        tie(world, names[k][i], a, b, c->k);
    }
}

static inline plWorld* makeArticulated(const Articulated* c)
{
    static const char* names[articulatedLinks] = {"l0", "l1", "l2"};
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    plSite last = {.point = {0, 0, 0}};
    def.passes = c->passes;
    def.guard = c->guard;
    checkOk(NULL, plWorld_Create(&def, &world));
    for (int i = 0; i < articulatedLinks; ++i) {
        plAssemblyDef body = plDefaultAssemblyDef();
        plMechanismId id;
        body.name = names[i];
        body.coefficients = c->passes == 0 ? pl_coefficientsFrozen : pl_coefficientsPredicted;
        body.mass = linkMass;
        body.inertia = linkInertia(c->slender);
        body.pose.p.x = linkLength * (i + 0.5);
        body.anchor.damping = body.anchor.turnDamping = c->damping;
        checkOk(world, plWorld_AddAssembly(world, &body, &id));
        addJoint(world, c, i, (plSite){id, 0, {-linkLength / 2, 0, 0}}, last);
        last = (plSite){id, 0, {linkLength / 2, 0, 0}};
    }
    return world;
}

/// Largest distance of two points that a joint holds together [m].
static inline double jointGap(const plWorld* world, const Articulated* c)
{
    double gap = 0;
    for (int i = 0; i < articulatedLinks; ++i) {
        for (int k = 0; k < (c->hinged ? 2 : 1); ++k) {
            const double off = c->hinged ? 0.01 - 0.02 * k : 0;
            plSite a = {plWorld_Mechanism(world, i), 0, {-linkLength / 2, off, 0}};
            plSite b = {{0, 0}, 0, {0, off, 0}};
            if (i > 0) b = (plSite){plWorld_Mechanism(world, i - 1), 0, {linkLength / 2, off, 0}};
            gap = fmax(gap, plNorm(plSub(placeOf(world, a), placeOf(world, b))));
        }
    }
    return gap;
}

#endif
