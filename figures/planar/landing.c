// A bar lands on two posts, each with its own restitution, by Poisson's rule, beside the closed form: the
// compression c = -A^-1 v0 of both at once, and then (1 + e_i) c_i.               (planar paper, section 4)
#include "base/base.h"
#include "math/math.h"
#include "planar/planar.h"

#include <math.h>
#include <stdio.h>

enum { posts = 2, values = 11 }; // of the right post's restitution, 0 .. 1

static const double place[posts] = {-0.1, 0.12}, left = 0.4;   // [m], restitution
static const double inertia = 0.02, down = 1, startSpin = 0.3; // of 1 kg [kg m^2], [m/s], [rad/s]
static const double post = 0.01, thick = 0.02;                 // radius, half of the bar [m]

static plStatus addPost(plWorld* world, const plSurface* surface, int i, double e)
{
    plMaterialDef material = plDefaultMaterialDef();
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    plShapeId id;
    material.name = i ? "right" : "left";
    material.surface = *surface;
    material.surface.restitution = e;
    ball.shape.radius = post;
    ball.shape.frame.p = plVec(place[i], -thick - post + 1e-9, 0);
    plStatus status = plWorld_AddMaterial(world, &material, &ball.material);
    if (status == pl_statusOk)
        status = plWorld_SetPair(world, ball.material, (plMaterialId){0}, &material.surface);
    return status == pl_statusOk ? plWorld_AddShape(world, &ball, &id) : status;
}

static plStatus addBar(plWorld* world, plMechanismId* bar)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef chain = plDefaultChainDef();
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    plShapeId id;
    body.name = chain.name = "bar";
    body.joint = pl_jointPlanar;
    body.mass = 1;
    body.inertia = plDiagonal3(inertia, inertia, inertia);
    body.velocity[1] = -down;
    body.velocity[2] = startSpin;
    chain.bodies = &body;
    chain.bodyCount = 1;
    box.shape.half = plVec(0.5, thick, 0.1);
    const plStatus status = plWorld_AddChain(world, &chain, bar);
    box.mechanism = *bar;
    return status == pl_statusOk ? plWorld_AddShape(world, &box, &id) : status;
}

/// Velocities behind the collision. False: a message in the job.
static bool land(plFigureJob* job, const double* e, double v[3])
{
    plWorldDef def = plDefaultWorldDef();
    plMechanismId bar;
    plWorld* world = NULL;
    def.gravity = plVec(0, 0, 0);
    def.planar = true;
    def.contact.law = pl_lawImpulse;
    def.contact.collision = pl_collisionPoisson;
    def.contact.surface.stiffness = def.contact.surface.damping = 0;
    def.contact.surface.friction = 0;
    plStatus status = plWorld_Create(&def, &world);
    if (status != pl_statusOk) world = NULL;
    if (status == pl_statusOk) status = addBar(world, &bar);
    for (int i = 0; i < posts && status == pl_statusOk; ++i)
        status = addPost(world, &def.contact.surface, i, e[i]);
    if (status == pl_statusOk) {
        plWorld_Step(world, 1e-6); // so short that only the collision counts
        status = plWorld_State(world, bar, NULL, v);
    }
    plWorld_Destroy(world);
    if (status != pl_statusOk)
        snprintf(job->message, sizeof job->message, "no world for a bar: %s",
                 plStatus_Name(status));
    return status == pl_statusOk;
}

/// What (1 + e) c leaves, as long as no end closes again; NaN where one does.
static void expect(const double* e, double* up, double* turn)
{
    const double v0[posts] = {-down + place[0] * startSpin, -down + place[1] * startSpin};
    const double a = 1 + place[0] * place[0] / inertia, b = 1 + place[0] * place[1] / inertia;
    const double d = 1 + place[1] * place[1] / inertia, det = a * d - b * b;
    const double c[posts] = {(-v0[0] * d + v0[1] * b) / det, (-v0[1] * a + v0[0] * b) / det};
    *up = -down, *turn = startSpin;
    for (int i = 0; i < posts; ++i) {
        *up += (1 + e[i]) * c[i];
        *turn += (1 + e[i]) * c[i] * place[i] / inertia;
    }
    for (int i = 0; i < posts; ++i)
        if (c[i] < 0 || *up + place[i] * *turn < -1e-12) *up = NAN;
}

bool plPlanarLanding_Check(plFigureJob* job)
{
    double worst = 0;
    for (int i = 0; i < values; ++i) {
        const double e[posts] = {left, (double)i / (values - 1)};
        double v[3], up, turn;
        if (!land(job, e, v)) return false;
        expect(e, &up, &turn);
        const double error = fabs(v[1] - up) + 0.1 * fabs(v[2] - turn);
        if (!(error <= worst) && !isnan(worst)) worst = error;
    }
    plFigureJob_Check(
        job, "poisson", worst, plAtMost(1e-8),
        "\"Multiple impacts are treated as simultaneous collisions\", by \"Poisson's "
        "restitution hypothesis\": a bar on posts of e = %g and %d values: largest error "
        "of speeds, beside the closed form [m/s]",
        left, values);
    return true;
}
