// What the tests of linkages in a hand build: planar chains of rods, held at one link and hit at
// another, and their kinematics written out.
#ifndef PALP_TEST_LINKAGES_H
#define PALP_TEST_LINKAGES_H

#include "collisions.h"

#include <string.h>

enum { most = 5 }; // velocities of a chain here
static const double T = 1e-6;

// --- a planar chain of rods, on a pin or on a floating root

typedef struct {
    int links;
    bool floats; ///< the first joint is planar, else a pin
    double length[3], mass[3];
    double q[most], v[most];
} Chain;

typedef struct {
    plWorld* world;
    plMechanismId id;
    plDeviceId device;
    plCouplingId hold;
} Held;

static inline int velocitiesOf(const Chain* c) { return c->links + (c->floats ? 2 : 0); }

static inline Chain randomChain(plRng* rng, int links, bool floats)
{
    Chain c = {.links = links, .floats = floats};
    for (int i = 0; i < links; ++i) {
        c.length[i] = plRng_Uniform(rng, 0.1, 0.4);
        c.mass[i] = plRng_Uniform(rng, 0.2, 2);
    }
    for (int i = 0; i < velocitiesOf(&c); ++i) {
        c.q[i] = plRng_Uniform(rng, -2, 2);
        c.v[i] = plRng_Uniform(rng, -2, 2);
    }
    return c;
}

/// Origin and angle of a link.
static inline plVec3 originOf(const Chain* c, int link, double* angle)
{
    plVec3 x = c->floats ? plVec(c->q[0], c->q[1], 0) : plVec(0, 0, 0);
    *angle = 0;
    for (int i = 0; i <= link; ++i) {
        if (i > 0) {
            x = plAddScaled(x, c->length[i - 1], plVec(cos(*angle), sin(*angle), 0));
        }
        *angle += c->q[i + (c->floats ? 2 : 0)];
    }
    return x;
}

static inline plVec3 pointOf(const Chain* c, int link, double s)
{
    double angle;
    const plVec3 x = originOf(c, link, &angle);
    return plAddScaled(x, s, plVec(cos(angle), sin(angle), 0));
}

/// (x, y, angle) of a point at x that a link carries, by velocities: 3 x n.
static inline void jacobian(const Chain* c, int link, plVec3 x, double J[3][most])
{
    double angle;
    memset(J, 0, 3 * sizeof J[0]);
    if (c->floats) J[0][0] = J[1][1] = 1;
    for (int i = 0; i <= link; ++i) {
        const int column = i + (c->floats ? 2 : 0);
        const plVec3 arm = plSub(x, originOf(c, i, &angle));
        J[0][column] = -arm.y;
        J[1][column] = arm.x;
        J[2][column] = 1;
    }
}

static inline plMechanismId addChain(plWorld* w, const Chain* c, plIntegrator integrator)
{
    plChainBodyDef bodies[3];
    plChainDef chain = plDefaultChainDef();
    plMechanismId id;
    int at = 0;
    for (int i = 0; i < c->links; ++i) {
        bodies[i] = rod(partName(i), i - 1, c->length[i], c->mass[i]);
        bodies[i].frame.p.x = i > 0 ? c->length[i - 1] : 0;
        if (i == 0 && c->floats) bodies[i].joint = pl_jointPlanar;
        for (int k = 0; k < plJoint_Velocities(bodies[i].joint); ++k, ++at) {
            bodies[i].position[k] = c->q[at];
            bodies[i].velocity[k] = c->v[at];
        }
    }
    chain.name = "chain";
    chain.bodies = bodies;
    chain.bodyCount = c->links;
    chain.integrator = integrator;
    checkOk(w, plWorld_AddChain(w, &chain, &id));
    return id;
}

// --- the world around it

static inline plWorldDef strikeDef(plLawName law, double e)
{
    plWorldDef def = plDefaultWorldDef();
    def.gravity = plVec(0, 0, 0);
    def.planar = true;
    def.contact.law = law;
    def.contact.collision = pl_collisionEquality;
    def.contact.surface.restitution = e;
    def.contact.surface.friction = 0.3;
    return def;
}

static const plVec3 deviceMass = {0.7, 1.3, 1};
static const double deviceInertia = 0.004;

// A coupling without springs: what is written is what contacts do.
static inline void hold(Held* h, plSite tool, plLimit limit, plVec3 forceLimit)
{
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    device.name = "stick";
    device.mass = deviceMass;
    device.inertia = plVec(1, 1, deviceInertia);
    checkOk(h->world, plWorld_AddDevice(h->world, &device, &h->device));
    coupling.name = "hold";
    coupling.device = h->device;
    coupling.tool = tool;
    coupling.stiffness = coupling.damping = plVec(0, 0, 0);
    coupling.turnStiffness = coupling.turnDamping = plVec(0, 0, 0);
    coupling.limit = limit;
    coupling.forceLimit = forceLimit;
    checkOk(h->world, plWorld_AddCoupling(h->world, &coupling, &h->hold));
}

static const plVec3 noLimit = {INFINITY, INFINITY, INFINITY};

typedef struct {
    int held, hit;    ///< links
    double at, where; ///< along them [m]
    plVec3 normal;
} Touch;

// A ball about a point of the link that is hit, just in a wall.
static inline void addWall(plWorld* w, plMechanismId id, const Chain* c, const Touch* t)
{
    const double radius = 0.02, depth = 1e-7;
    addBall(w, id, t->hit, plVec(t->where, 0, 0), radius);
    addPlane(w, plAddScaled(pointOf(c, t->hit, t->where), depth - radius, t->normal), t->normal);
}

static inline double closing(const Chain* c, const Touch* t)
{
    double J[3][most], u = 0;
    jacobian(c, t->hit, pointOf(c, t->hit, t->where), J);
    for (int i = 0; i < velocitiesOf(c); ++i) {
        u += (t->normal.x * J[0][i] + t->normal.y * J[1][i]) * c->v[i];
    }
    return u;
}

static inline Touch randomTouch(plRng* rng, const Chain* c, int held, int hit)
{
    const double angle = plRng_Uniform(rng, -PL_PI, PL_PI);
    Touch t = {held, hit, plRng_Uniform(rng, 0, 1) * c->length[held],
               plRng_Uniform(rng, 0.3, 1) * c->length[hit], plVec(cos(angle), sin(angle), 0)};
    if (closing(c, &t) > 0) t.normal = plScale(-1, t.normal);
    return t;
}

static inline Held openHeld(const Chain* c, const Touch* t, plLawName law, double e)
{
    const plWorldDef def = strikeDef(law, e);
    Held h = {.world = create(&def)};
    h.id = addChain(h.world, c, pl_integratorMidpoint);
    addWall(h.world, h.id, c, t);
    hold(&h, (plSite){h.id, t->held, plVec(t->at, 0, 0)}, pl_limitNone, noLimit);
    return h;
}

/// D^-1 b by Gauss with pivots.
static inline void solve(const double* D, int n, const double* b, double* x)
{
    double A[most][most + 1];
    for (int i = 0; i < n; ++i) {
        memcpy(A[i], &D[i * n], (size_t)n * sizeof(double));
        A[i][n] = b[i];
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k; i < n; ++i) best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        for (int j = 0; j <= n; ++j) {
            const double swap = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = swap;
        }
        for (int i = k + 1; i < n; ++i) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; j <= n; ++j) A[i][j] -= f * A[k][j];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        x[k] = A[k][n];
        for (int j = k + 1; j < n; ++j) x[k] -= A[k][j] * x[j];
        x[k] /= A[k][k];
    }
}

/// The chain as bodies of their own, joined by rigid links, the first one pinned to the ground.
static inline Held openLinked(const Chain* c, const Touch* t, plLawName law, double e,
                              double stiffness, plLimit limit, plVec3 forceLimit)
{
    const plWorldDef def = strikeDef(law, e);
    Held h = {.world = create(&def)};
    plMechanismId ids[3];
    double spin = 0;
    plVec3 v = {0, 0, 0};
    for (int i = 0; i < c->links; ++i) {
        plChainBodyDef body = rod(partName(i), -1, c->length[i], c->mass[i]);
        plChainDef chain = plDefaultChainDef();
        plLinkDef link = plDefaultLinkDef();
        plLinkId linkId;
        double angle;
        const plVec3 x = originOf(c, i, &angle);
        body.joint = pl_jointPlanar;
        body.position[0] = x.x;
        body.position[1] = x.y;
        body.position[2] = angle;
        if (i > 0) { // the end of the link before
            const plVec3 arm = plSub(x, originOf(c, i - 1, &angle));
            v = plAddScaled(v, spin, plVec(-arm.y, arm.x, 0));
        }
        spin += c->v[i];
        body.velocity[0] = v.x;
        body.velocity[1] = v.y;
        body.velocity[2] = spin;
        chain.name = body.name;
        chain.bodies = &body;
        chain.bodyCount = 1;
        checkOk(h.world, plWorld_AddChain(h.world, &chain, &ids[i]));
        link.name = i == 0 ? "pin" : i == 1 ? "elbow" : "wrist";
        link.a.mechanism = ids[i];
        if (i > 0) link.b = (plSite){ids[i - 1], 0, plVec(c->length[i - 1], 0, 0)};
        link.stiffness = i == 0 ? (double)INFINITY : stiffness;
        checkOk(h.world, plWorld_AddLink(h.world, &link, &linkId));
    }
    addBall(h.world, ids[t->hit], 0, plVec(t->where, 0, 0), 0.02);
    addPlane(h.world, plAddScaled(pointOf(c, t->hit, t->where), 1e-7 - 0.02, t->normal), t->normal);
    hold(&h, (plSite){ids[t->held], 0, plVec(t->at, 0, 0)}, limit, forceLimit);
    h.id = ids[t->hit];
    return h;
}

#endif
