// The peg of the planar figures.
#include "planar/planar.h"

#include <stdio.h>

static const double half[2] = {0.0105, 0.00525}, mass = 2, stiffness = 1000, load = 0.5;

static plStatus addPlane(plWorld* world, plVec3 normal, plVec3 at)
{
    plPartShapeDef plane = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId id;
    plane.shape.normal = normal;
    plane.shape.frame.p = at;
    return plWorld_AddShape(world, &plane, &id);
}

// In a hole the walls stand as deep in the peg as their load wants.
static plStatus addWalls(plWorld* world, bool hole)
{
    const double y = half[1] - load / stiffness;
    if (!hole) return addPlane(world, (plVec3){1, 0, 0}, (plVec3){-half[0], 0, 0});
    const plStatus status = addPlane(world, (plVec3){0, 1, 0}, (plVec3){0, -y, 0});
    return status == pl_statusOk ? addPlane(world, (plVec3){0, -1, 0}, (plVec3){0, y, 0}) : status;
}

static plStatus addPeg(plWorld* world, const plPlanarPegDef* def)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef chain = plDefaultChainDef();
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    plShapeId id;
    body.name = chain.name = "peg";
    body.joint = pl_jointPrismatic;
    body.axis = (plVec3){1, 0, 0};
    body.mass = mass;
    body.position[0] = def->x;
    body.velocity[0] = def->v;
    chain.bodies = &body;
    chain.bodyCount = 1;
    chain.integrator = def->integrator;
    box.shape.half = (plVec3){half[0], half[1], half[1]};
    const plStatus status = plWorld_AddChain(world, &chain, &box.mechanism);
    return status == pl_statusOk ? plWorld_AddShape(world, &box, &id) : status;
}

bool plPlanarPeg_Open(plFigureJob* job, const plPlanarPegDef* peg, plFigureRun* run)
{
    plWorldDef def = plDefaultWorldDef();
    def.gravity = (plVec3){0, 0, 0};
    def.planar = true;
    def.contact.law = peg->law;
    def.contact.bias = pl_biasOneSided;
    def.contact.collision = pl_collisionEquality; // of two corners the least norm
    def.contact.heldPulses = true;
    def.contact.pulseLimit = peg->pulseLimit;
    def.contact.surface = peg->surface;
    def.contact.surface.stiffness = stiffness;
    def.contact.surface.damping = 0;
    *run = (plFigureRun){.T = 1. / 500};
    plStatus status = plWorld_Create(&def, &run->world);
    if (status != pl_statusOk) run->world = NULL;
    if (status == pl_statusOk) status = addPeg(run->world, peg);
    if (status == pl_statusOk) status = addWalls(run->world, peg->hole);
    if (status == pl_statusOk) return true;
    snprintf(job->message, sizeof job->message, "no world for a peg: %s", plStatus_Name(status));
    plFigureRun_Close(run);
    return false;
}

void plPlanarPeg_Step(plFigureRun* run, double force)
{
    plWorld_ApplyEffort(run->world, plWorld_Mechanism(run->world, 0), 0, force);
    plWorld_Step(run->world, run->T);
}

double plPlanarPeg_Place(const plFigureRun* run)
{
    double q[1], v[1];
    plWorld_State(run->world, plWorld_Mechanism(run->world, 0), q, v);
    return q[0];
}

double plPlanarPeg_Velocity(const plFigureRun* run)
{
    double q[1], v[1];
    plWorld_State(run->world, plWorld_Mechanism(run->world, 0), q, v);
    return v[0];
}
