// Worlds that many tests build, and what they ask of them.
#ifndef PALP_TEST_WORLDS_H
#define PALP_TEST_WORLDS_H

#include "palp/palp.h"
#include "skips.h"

#include <math.h>
#include <stdlib.h>

/// The size of a long check: the sample in `./dev test`, all of it in `./dev verify`.
static inline int sized(int sample, int full) { return getenv("PALP_FULL") ? full : sample; }

/// True for about a third of all names, always the same; in full for all.
static inline bool sampled(const char* name)
{
    unsigned sum = 5;
    for (; *name; ++name) sum = 31 * sum + (unsigned char)*name;
    return sized(sum / 7 % 3 == 0, 1);
}

/// |actual - expected| <= tolerance, and both are printed when not.
static inline void checkNear(const char* what, double actual, double expected, double tolerance)
{
    if (fabs(actual - expected) <= tolerance) return;
    print_error("%s: %.17g, expected %.17g within %g\n", what, actual, expected, tolerance);
    fail();
}

/// actual <= limit (and not NaN), and both are printed when not.
static inline void checkAtMost(const char* what, double actual, double limit)
{
    if (actual <= limit) return;
    print_error("%s: %.17g, expected at most %g\n", what, actual, limit);
    fail();
}

static inline void checkOk(const plWorld* world, plStatus status)
{
    if (status == pl_statusOk) return;
    print_error("%s: %s\n", plStatus_Name(status), world ? plWorld_Error(world) : "");
    fail();
}

static inline plMat3 diagonal(double x, double y, double z)
{
    return (plMat3){{x, 0, 0}, {0, y, 0}, {0, 0, z}};
}

static inline plVec3 all3(double x) { return (plVec3){x, x, x}; }

static inline double energyOf(const plWorld* world)
{
    const plAccount a = plWorld_Ledger(world);
    return a.kinetic + a.potential;
}

/// Largest |E/E0 - 1| of a course.
static inline double worstEnergy(plWorld* world, int steps, double T)
{
    const double E0 = energyOf(world);
    double most = 0;
    for (int k = 0; k < steps; ++k) {
        plWorld_Step(world, T);
        const double e = fabs(energyOf(world) / E0 - 1);
        if (!(e <= most)) most = e; // a NaN too
    }
    return most;
}

static inline plWorld* makeWorld(plVec3 gravity, int passes)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    def.gravity = gravity;
    def.passes = passes;
    checkOk(NULL, plWorld_Create(&def, &world));
    return world;
}

/// "b0", "b1", ... up to 127: names for the bodies of long chains.
static inline const char* partName(int i)
{
    static char names[128][16];
    snprintf(names[i], sizeof names[i], "b%d", i);
    return names[i];
}

/// A uniform thin rod from its joint along x, turning about z, hung at the end of its parent.
static inline plChainBodyDef rod(const char* name, int parent, double length, double mass)
{
    plChainBodyDef b = plDefaultChainBodyDef();
    const double J = mass * length * length / 12;
    b.name = name;
    b.parent = parent;
    b.mass = mass;
    b.center = (plVec3){length / 2, 0, 0};
    b.inertia = diagonal(0, J, J);
    if (parent >= 0) b.frame.p.x = length;
    return b;
}

/// The two-link arm of spec-pmi section 5, without gravity.
static inline plMechanismId addArm(plWorld* world, plIntegrator integrator, plRoute route,
                                   plCoefficients coefficients)
{
    plChainBodyDef bodies[2] = {rod("upper", -1, 1, 1), rod("lower", 0, 1, 1)};
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    bodies[0].stiffness = bodies[1].stiffness = 10;
    bodies[0].position[0] = 1;
    bodies[1].position[0] = -0.5;
    def.name = "arm";
    def.bodies = bodies;
    def.bodyCount = 2;
    def.integrator = integrator;
    def.route = route;
    def.coefficients = coefficients;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return id;
}

/// A mass on a spring along x, as a chain of one prismatic joint.
static inline plMechanismId addOscillator(plWorld* world, double m, double k, double b,
                                          plIntegrator integrator)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    body.name = "mass";
    body.joint = pl_jointPrismatic;
    body.axis = (plVec3){1, 0, 0};
    body.mass = m;
    body.stiffness = k;
    body.damping = b;
    body.position[0] = 1;
    def.name = "oscillator";
    def.bodies = &body;
    def.bodyCount = 1;
    def.integrator = integrator;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return id;
}

// --- shapes

static inline plShapeId addSphereShape(plWorld* world, plMechanismId id, int part, double radius)
{
    plPartShapeDef def = plDefaultPartShapeDef(pl_shapeSphere);
    plShapeId shape;
    def.mechanism = id;
    def.part = part;
    def.shape.radius = radius;
    checkOk(world, plWorld_AddShape(world, &def, &shape));
    return shape;
}

static inline plShapeId addBoxShape(plWorld* world, plMechanismId id, plVec3 half)
{
    plPartShapeDef def = plDefaultPartShapeDef(pl_shapeBox);
    plShapeId shape;
    def.mechanism = id;
    def.shape.half = half;
    checkOk(world, plWorld_AddShape(world, &def, &shape));
    return shape;
}

static inline plShapeId addFloor(plWorld* world, double z)
{
    plPartShapeDef def = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId shape;
    def.shape.frame.p.z = z;
    checkOk(world, plWorld_AddShape(world, &def, &shape));
    return shape;
}

/// A cube of side 2 h and the given mass, with its shape.
static inline plMechanismId addCube(plWorld* world, const char* name, double mass, double h,
                                    plVec3 at)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    plMechanismId id;
    const double J = mass * 4 * h * h / 6;
    def.name = name;
    def.mass = mass;
    def.inertia = diagonal(J, J, J);
    def.pose.p = at;
    checkOk(world, plWorld_AddAssembly(world, &def, &id));
    addBoxShape(world, id, (plVec3){h, h, h});
    return id;
}

#endif
