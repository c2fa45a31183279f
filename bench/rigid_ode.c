// The rigid scenes of free bodies in ODE: QuickStep with 20 iterations.
#include "rigid.h"

#include "math/math.h"

#include <ode/ode.h>
#include <stdlib.h>

typedef struct {
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    int count, contacts;
    double depth, friction;
    plPose fixed[rigidMost];
    dBodyID body[rigidMost];
} World;

static void near(void* self, dGeomID a, dGeomID b)
{
    World* w = self;
    dContact c[8];
    const dBodyID of[] = {dGeomGetBody(a), dGeomGetBody(b)};
    if (!of[0] && !of[1]) return;
    const int n = dCollide(a, b, PL_COUNT(c), &c[0].geom, sizeof c[0]);
    for (int i = 0; i < n; ++i) {
        c[i].surface.mode = dContactApprox1;
        c[i].surface.mu = w->friction;
        dJointAttach(dJointCreateContact(w->world, w->joints, &c[i]), of[0], of[1]);
        w->depth = fmax(w->depth, c[i].geom.depth);
    }
    w->contacts += n;
}

static void addBody(World* w, const RigidBody* b, int i)
{
    const dQuaternion q = {b->pose.q.w, b->pose.q.x, b->pose.q.y, b->pose.q.z};
    const plVec3 p = b->pose.p;
    const dGeomID geom = dCreateBox(w->space, 2 * b->half.x, 2 * b->half.y, 2 * b->half.z);
    w->fixed[i] = b->pose;
    if (b->joint == rigidStatic) {
        dGeomSetPosition(geom, p.x, p.y, p.z);
        dGeomSetQuaternion(geom, q);
        return;
    }
    dMass mass;
    dMassSetBoxTotal(&mass, b->mass, 2 * b->half.x, 2 * b->half.y, 2 * b->half.z);
    w->body[i] = dBodyCreate(w->world);
    dBodySetMass(w->body[i], &mass);
    dBodySetPosition(w->body[i], p.x, p.y, p.z);
    dBodySetQuaternion(w->body[i], q);
    dGeomSetBody(geom, w->body[i]);
}

static void* create(const RigidScene* s)
{
    World* w = calloc(1, sizeof *w);
    if (!w) exit(1);
    dInitODE2(0);
    dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
    w->world = dWorldCreate();
    w->space = dHashSpaceCreate(0);
    w->joints = dJointGroupCreate(0);
    w->count = s->count;
    w->friction = s->friction;
    dWorldSetGravity(w->world, 0, 0, -9.81);
    dWorldSetERP(w->world, 0.2);
    dWorldSetCFM(w->world, 1e-5);
    dWorldSetContactSurfaceLayer(w->world, 1e-4);
    dWorldSetAutoDisableFlag(w->world, 0);
    dWorldSetQuickStepNumIterations(w->world, 20);
    dCreatePlane(w->space, 0, 0, 1, 0);
    for (int i = 0; i < s->count; ++i) addBody(w, &s->bodies[i], i);
    return w;
}

static void step(void* self)
{
    World* w = self;
    w->contacts = 0;
    w->depth = 0;
    dJointGroupEmpty(w->joints);
    dSpaceCollide(w->space, w, near);
    dWorldQuickStep(w->world, 1e-3);
}

static void poses(void* self, plPose* out)
{
    const World* w = self;
    for (int i = 0; i < w->count; ++i) {
        out[i] = w->fixed[i];
        if (!w->body[i]) continue;
        out[i] =
            (plPose){plGet3(dBodyGetPosition(w->body[i])), plGet4(dBodyGetQuaternion(w->body[i]))};
    }
}

static int contacts(void* self) { return ((World*)self)->contacts; }
static double depth(void* self) { return ((World*)self)->depth; }

static void destroy(void* self)
{
    World* w = self;
    dJointGroupDestroy(w->joints);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
    dCloseODE();
    free(w);
}

const RigidEngine* rigidOde(void)
{
    static const RigidEngine engine = {create, step, poses, contacts, depth, NULL, destroy};
    return &engine;
}
