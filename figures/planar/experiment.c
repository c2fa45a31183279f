// The worlds of the experiments, and how a hand lets go in them.
#include "planar/experiment.h"
#include "base/base.h"
#include "math/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const plVec3 half = {0.0105, 0.00525, 0.005};
static const double T = 1. / 500, mass = 2, inertia = 0.005, stiffness = 1000, load = 0.5;

plPlanarExperimentDef plDefaultPlanarExperimentDef(void)
{
    return (plPlanarExperimentDef){.law = pl_lawPenalty,
                                   .integrator = pl_integratorMidpoint,
                                   .surface = plDefaultSurface(),
                                   .limit = pl_limitSpread,
                                   .collision = plDefaultWorldDef().contact.collision,
                                   .hold = 1};
}

// --------------------------------------------------------------------------------- the world

static plStatus addPlane(plWorld* world, double nx, double ny, double x, double y)
{
    plPartShapeDef plane = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId id;
    plane.shape.normal = plVec(nx, ny, 0);
    plane.shape.frame.p = plVec(x, y, 0);
    return plWorld_AddShape(world, &plane, &id);
}

// In a hole the walls stand as deep in the peg as their load wants. The walls of the room, but for
// the one that is hit, stand where nothing comes.
static plStatus addWalls(plWorld* world, bool hole)
{
    const double y = hole ? half.y - load / stiffness : 0.04;
    plStatus status = addPlane(world, 0, 1, 0, -y);
    if (status == pl_statusOk) status = addPlane(world, 0, -1, 0, y);
    if (status == pl_statusOk && !hole) status = addPlane(world, 1, 0, -half.x, 0);
    if (status == pl_statusOk && !hole) status = addPlane(world, -1, 0, 0.1, 0);
    return status;
}

static plStatus addPeg(plWorld* world, const plPlanarExperimentDef* d, plMechanismId* peg)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef chain = plDefaultChainDef();
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    plShapeId id;
    body.name = "body";
    body.joint = pl_jointPlanar;
    body.mass = mass;
    body.inertia = plDiagonal3(inertia, inertia, inertia);
    body.position[0] = d->x;
    body.position[2] = d->angle;
    chain.name = "peg";
    chain.bodies = &body;
    chain.bodyCount = 1;
    chain.integrator = d->integrator;
    const plStatus status = plWorld_AddChain(world, &chain, peg);
    if (status != pl_statusOk) return status;
    box.mechanism = *peg;
    box.shape.half = half;
    return plWorld_AddShape(world, &box, &id);
}

// ---------------------------------------------------------------------------------- the hand

static plPose poseAt(double x, double y, double angle)
{
    return (plPose){plVec(x, y, 0), plRotor(plVec(0, 0, 1), angle)};
}

// An arm that rests for all but the last second, and then moves evenly.
static void holdBy(const plPlanarExperimentDef* d, plWaypoint points[2], plHandDef* hand)
{
    points[0] = (plWaypoint){d->hold - 1, poseAt(d->x, 0, d->angle)};
    points[1] = (plWaypoint){d->hold, poseAt(d->x + d->way, d->drift, d->angle + d->spin)};
    hand->kind = pl_handImpedance;
    hand->points = points;
    hand->pointCount = 2;
    hand->stiffness = 400;
    hand->damping = 20;
    hand->turnStiffness = 2;
    hand->turnDamping = 0.1;
}

static void pushBy(const plPlanarExperimentDef* d, plHandDef* hand)
{
    hand->wrench.force = plVec(d->push, 0, 0);
    if (d->frequency == 0) return;
    hand->bias = hand->amplitude = 0.5;
    hand->frequency = d->frequency;
    hand->phase = -PL_PI / 2 - 2 * PL_PI * d->frequency * d->hold;
}

// -------------------------------------------------------------------------------- the device

static void beTwin(const plPlanarExperimentDef* d, plDeviceDef* device)
{
    plTwinDef* twin = &device->twin;
    device->kind = pl_devicePantograph;
    twin->mechanism = plPantographDef_Of(pl_pantographLarge);
    twin->mechanism.counts = 20000;
    twin->base.p.x = d->centre;
    twin->impedance.inertia = plVec(mass, mass, inertia);
    twin->observer = d->observer;
    twin->rate = d->rate;
}

static plStatus addDevice(plWorld* world, const plPlanarExperimentDef* d, bool held, plDeviceId* id)
{
    plDeviceDef device = plDefaultDeviceDef();
    plWaypoint points[2];
    device.name = "stick";
    device.pose = poseAt(d->x, 0, d->angle);
    device.mass = plVec(mass, mass, mass);
    device.inertia = plVec(inertia, inertia, inertia);
    if (!d->plain) beTwin(d, &device);
    if (held) {
        holdBy(d, points, &device.hand);
    } else {
        pushBy(d, &device.hand);
    }
    return plWorld_AddDevice(world, &device, id);
}

// The controller of iapb table I, with its limits of impulses.
static plStatus addCoupling(plWorld* world, const plPlanarExperimentDef* d, plDeviceId device,
                            plMechanismId peg)
{
    plCouplingDef hold = plDefaultCouplingDef();
    plCouplingId id;
    hold.name = "hold";
    hold.device = device;
    hold.tool.mechanism = peg;
    hold.stiffness = plVec(100, 100, 100);
    hold.damping = plVec(70, 70, 70);
    hold.turnStiffness = plVec(0.5, 0.5, 0.5);
    hold.turnDamping = plVec(0.375, 0.375, 0.375);
    hold.limit = d->limit;
    hold.forceLimit = plVec(15, 15, 15);
    hold.torqueLimit = plVec(1, 1, 1);
    return plWorld_AddCoupling(world, &hold, &id);
}

static plStatus open(const plPlanarExperimentDef* d, bool held, plWorld** world)
{
    plWorldDef def = plDefaultWorldDef();
    plMechanismId peg;
    plDeviceId device;
    def.gravity = plVec(0, 0, 0);
    def.planar = true;
    def.contact.law = d->law;
    def.contact.bias = pl_biasOneSided;
    def.contact.cluster = 0;
    def.contact.collision = d->collision;
    def.contact.surface = d->surface;
    def.contact.surface.stiffness = stiffness;
    def.contact.surface.damping = 0;
    plStatus status = plWorld_Create(&def, world);
    if (status != pl_statusOk) {
        *world = NULL;
        return status;
    }
    status = addPeg(*world, d, &peg);
    if (status == pl_statusOk) status = addWalls(*world, d->hole);
    if (status == pl_statusOk) status = addDevice(*world, d, held, &device);
    if (status == pl_statusOk) status = addCoupling(*world, d, device, peg);
    return status;
}

// --------------------------------------------------------------------------------------- runs

// Two worlds that differ in the hand alone: the state of the one goes on in the other.
static plStatus letGo(const plWorld* held, plWorld* pushed)
{
    const size_t size = plWorld_SnapshotSize(held);
    void* state = malloc(size);
    if (!state) return pl_statusNoMemory;
    plWorld_Save(held, state);
    const plStatus status = plWorld_Restore(pushed, state, size);
    free(state);
    return status;
}

static void record(plWorld* world, int k, plPlanarExperimentTrack* t)
{
    const plFigureRun run = {.world = world};
    t->x[k] = plFigureRun_Read(&run, "peg.q[0]");
    t->angle[k] = plFigureRun_Read(&run, "peg.q[2]");
    t->handle[k] = plFigureRun_Read(&run, "stick.x");
    t->hand[k] = plFigureRun_Read(&run, "stick.push[0]");
    t->seen[k] = plFigureRun_Read(&run, "stick.hand[0]");
    t->force[k] = plFigureRun_Read(&run, "stick.force[0]");
    t->stops = plFigureRun_Read(&run, "stick.stops");
    t->cut = plFigureRun_Read(&run, "stick.cut");
    t->lost = plFigureRun_Read(&run, "stick.lost");
    t->trouble |= plWorld_Report(world).trouble;
}

static plStatus run(const plPlanarExperimentDef* d, int steps, plWorld* const worlds[2],
                    plPlanarExperimentTrack* t)
{
    const int release = (int)lround(d->hold / T);
    plStatus status = pl_statusOk;
    for (int k = 0; k <= steps && status == pl_statusOk; ++k) {
        plWorld* world = worlds[k > release];
        if (k == release + 1) status = letGo(worlds[0], world);
        if (k > 0) plWorld_Step(world, T);
        record(world, k, t);
    }
    return status;
}

bool plPlanarExperiment_Follow(plFigureJob* job, const plPlanarExperimentDef* d, int steps,
                               plPlanarExperimentTrack* track)
{
    plWorld* worlds[2] = {NULL, NULL};
    PL_ASSERT(steps <= plPlanarExperimentSteps);
    *track = (plPlanarExperimentTrack){.count = steps};
    plStatus status = open(d, true, &worlds[0]);
    if (status == pl_statusOk) status = open(d, false, &worlds[1]);
    if (status == pl_statusOk) status = run(d, steps, worlds, track);
    if (status != pl_statusOk)
        snprintf(job->message, sizeof job->message, "no world for an experiment: %s",
                 plStatus_Name(status));
    plWorld_Destroy(worlds[0]);
    plWorld_Destroy(worlds[1]);
    return status == pl_statusOk;
}
