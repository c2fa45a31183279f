// Small worlds of tied mechanisms.
#ifndef PALP_TEST_LINKS_H
#define PALP_TEST_LINKS_H

#include "math/math.h"
#include "worlds.h"

static inline plMechanismId addSlider(plWorld* world, const char* name, double mass,
                                      double stiffness, double x, double v, plIntegrator integrator)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    body.name = "carriage";
    body.joint = pl_jointPrismatic;
    body.axis = plVec(1, 0, 0);
    body.mass = mass;
    body.stiffness = stiffness;
    body.position[0] = x;
    body.velocity[0] = v;
    def.name = name;
    def.bodies = &body;
    def.bodyCount = 1;
    def.integrator = integrator;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return id;
}

static inline plMechanismId addBall(plWorld* world, const char* name, double mass, plMat3 inertia,
                                    plVec3 x, plVec3 v, plVec3 spin, plIntegrator integrator)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    plMechanismId id;
    def.name = name;
    def.mass = mass;
    def.inertia = inertia;
    def.pose.p = x;
    def.velocity = v;
    def.spin = spin;
    def.integrator = integrator;
    checkOk(world, plWorld_AddAssembly(world, &def, &id));
    return id;
}

static inline plLinkId tie(plWorld* world, const char* name, plSite a, plSite b, double stiffness)
{
    plLinkDef def = plDefaultLinkDef();
    plLinkId id;
    def.name = name;
    def.a = a;
    def.b = b;
    def.stiffness = stiffness;
    checkOk(world, plWorld_AddLink(world, &def, &id));
    return id;
}

static inline plSite center(plMechanismId id) { return (plSite){id, 0, {0, 0, 0}}; }

static inline plVec3 placeOf(const plWorld* world, plSite site)
{
    plMotion m;
    checkOk(world, plWorld_Motion(world, site, &m));
    return m.x;
}

typedef struct {
    double loss; ///< largest 1 - E/E0
    int stands;  ///< steps that were stopped or thrown away
} Course;

// Energy never above that of the start, whatever T and k.
static inline Course runDown(plWorld* world, double T, double k, int steps)
{
    const double E0 = energyOf(world);
    Course course = {0, 0};
    for (int i = 0; i < steps; ++i) {
        plWorld_Step(world, T);
        const double gain = energyOf(world) / E0 - 1;
        if (!(gain <= 1e-12)) { // the bar
            print_error("T %g, k %g, step %d: ", T, k, i);
            checkAtMost("E/E0 - 1", gain, 1e-12);
        }
        const int trouble = plWorld_Report(world).trouble;
        course.stands += (trouble & (pl_troubleStopped | pl_troubleNotFinite)) != 0;
        course.loss = fmax(course.loss, -gain);
    }
    return course;
}

#endif
