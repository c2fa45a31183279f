// iapb section VIII leaves friction in collisions to later work. Here it is the setting `collisionFriction`
// of the law impulse, beside the closed form of a solid ball that strikes a floor: what is pressed on it
// at its foot moves its centre by 2/7 of what stops the foot, as far as Coulomb's cone allows.
#include "base/base.h"
#include "iapb/iapb.h"
#include "math/math.h"

#include <math.h>
#include <stdio.h>

enum { values = 41 }; // of mu, 0 .. 1

static const double radius = 0.05, mass = 0.3, e = 0.5; // [m], [kg]
static const double along = 2, down = 1, spin = -8;     // [m/s], [rad/s]

static plStatus addBall(plWorld* world, plMechanismId* id)
{
    plAssemblyDef ball = plDefaultAssemblyDef();
    plPartShapeDef floor = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef sphere = plDefaultPartShapeDef(pl_shapeSphere);
    plShapeId shape;
    const double J = 0.4 * mass * radius * radius;
    ball.name = "ball";
    ball.mass = mass;
    ball.inertia = plDiagonal3(J, J, J);
    ball.pose.p = plVec(0, 0, radius - 1e-9);
    ball.velocity = plVec(along, 0, -down);
    ball.spin = plVec(0, spin, 0);
    floor.shape.normal = plVec(0, 0, 1);
    sphere.shape.radius = radius;
    plStatus status = plWorld_AddAssembly(world, &ball, id);
    sphere.mechanism = *id;
    if (status == pl_statusOk) status = plWorld_AddShape(world, &floor, &shape);
    return status == pl_statusOk ? plWorld_AddShape(world, &sphere, &shape) : status;
}

/// Velocities of the centre and the spin after the collision. False: a message in the job.
static bool strike(plFigureJob* job, double mu, double v[6])
{
    plWorldDef def = plDefaultWorldDef();
    plMechanismId id;
    plWorld* world = NULL;
    def.gravity = plVec(0, 0, 0);
    def.contact.law = pl_lawImpulse;
    def.contact.collisionFriction = true;
    def.contact.surface = plDefaultSurface();
    def.contact.surface.stiffness = def.contact.surface.damping = 0;
    def.contact.surface.restitution = e;
    def.contact.surface.friction = mu;
    plStatus status = plWorld_Create(&def, &world);
    if (status != pl_statusOk) world = NULL;
    if (status == pl_statusOk) status = addBall(world, &id);
    if (status == pl_statusOk) {
        plWorld_Step(world, 1e-6); // so short that only the collision counts
        status = plWorld_State(world, id, NULL, v);
    }
    plWorld_Destroy(world);
    if (status != pl_statusOk)
        snprintf(job->message, sizeof job->message, "no world for a ball: %s",
                 plStatus_Name(status));
    return status == pl_statusOk;
}

bool plIapbFriction_Check(plFigureJob* job)
{
    const double slip = along - radius * spin;
    double worst = 0;
    int sticking = 0;
    for (int i = 0; i < values; ++i) {
        const double mu = (double)i / (values - 1), rub = mu * (1 + e) * down;
        const double loss = fmin(rub, slip * 2 / 7); // of the centre's speed
        double v[6];
        if (!strike(job, mu, v)) return false;
        sticking += rub > slip * 2 / 7;
        const double error = fabs(v[2] - e * down) + fabs(v[0] - (along - loss)) +
                             fabs(radius * (v[4] - spin) - 2.5 * loss);
        if (!(error <= worst) && !isnan(worst)) worst = error;
    }
    plFigureJob_Check(
        job, "friction", worst, plAtMost(1e-8),
        "Friction in collisions, which section VIII leaves open: a ball strikes a floor "
        "with %d values of mu, of which %d stop its foot: largest error of speeds, "
        "beside the closed form [m/s]",
        values, sticking);
    return true;
}
