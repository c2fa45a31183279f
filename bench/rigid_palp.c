// The rigid scenes in palp: free bodies are assemblies, joints make chains, the law is the cone.
#include "rigid.h"

#include "math/math.h"
#include "palp/palp.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    plWorld* world;
    int count;
    plSite center[rigidMost]; // of every body
} World;

// A scene that cannot be built is a mistake of this program.
static void must(const plWorld* world, plStatus status)
{
    if (status == pl_statusOk) return;
    fprintf(stderr, "bench: %s: %s\n", plStatus_Name(status), world ? plWorld_Error(world) : "");
    exit(1);
}

static const char* nameOf(int i)
{
    static char name[16];
    snprintf(name, sizeof name, "b%d", i);
    return name;
}

static plWorld* emptyWorld(const RigidScene* s)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    def.contact.surface.friction = s->friction;
    def.capacity.mechanisms = def.capacity.shapes = s->count + 8;
    if (s->count > 20) {
        def.capacity.contacts = 12 * s->count;
        def.capacity.pairs = 80 * s->count;
        def.capacity.memory = (size_t)2 << 30;
    }
    must(NULL, plWorld_Create(&def, &world));
    return world;
}

// In a frame that is turned as the world, with its origin at `origin`.
static plShapeDef shapeOf(const RigidBody* b, plVec3 origin)
{
    plShapeDef def = plDefaultShapeDef(b->form == rigidBox ? pl_shapeBox : pl_shapeCapsule);
    def.half = b->half;
    def.radius = b->radius;
    def.length = 2 * b->half.x;
    def.frame = (plPose){plSub(b->pose.p, origin), b->pose.q};
    return def;
}

// Of the right mass: density 1 gives the shape of the tensor.
static plMass massOf(const RigidBody* b, const plShapeDef* shape)
{
    plMass m;
    plShapeError error;
    must(NULL, plShapeDef_Mass(shape, 1, &m, &error));
    const double scale = b->mass / m.mass;
    m.mass = b->mass;
    m.inertia.x = plScale(scale, m.inertia.x);
    m.inertia.y = plScale(scale, m.inertia.y);
    m.inertia.z = plScale(scale, m.inertia.z);
    return m;
}

static void addShape(World* w, plMechanismId id, int part, const plShapeDef* shape)
{
    plPartShapeDef def = plDefaultPartShapeDef(shape->kind);
    plShapeId made;
    def.mechanism = id;
    def.part = part;
    def.shape = *shape;
    must(w->world, plWorld_AddShape(w->world, &def, &made));
}

static void addFree(World* w, const RigidBody* b, int i)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    plShapeDef shape = shapeOf(b, plVec(0, 0, 0));
    shape.frame = (plPose){.q.w = 1};
    def.name = nameOf(i);
    def.mass = b->mass;
    def.inertia = massOf(b, &shape).inertia;
    def.pose = b->pose;
    must(w->world, plWorld_AddAssembly(w->world, &def, &w->center[i].mechanism));
    addShape(w, w->center[i].mechanism, 0, &shape);
}

// Frames of bodies are at their joints, and turned as the world when it starts.
static plChainBodyDef chainBody(const RigidScene* s, int i, int parentPart, const char* name)
{
    plChainBodyDef def = plDefaultChainBodyDef();
    const RigidBody* b = &s->bodies[i];
    const plShapeDef shape = shapeOf(b, b->anchor);
    const plMass m = massOf(b, &shape);
    def.name = name;
    def.parent = parentPart;
    def.joint = b->joint == rigidHinge ? pl_jointRevolute : pl_jointSpherical;
    def.axis = b->axis;
    def.frame.p = b->parent < 0 ? b->anchor : plSub(b->anchor, s->bodies[b->parent].anchor);
    def.mass = m.mass, def.center = m.center, def.inertia = m.inertia;
    def.stiffness = b->stiffness, def.damping = b->damping;
    if (b->joint == rigidBall) def.position[0] = def.rest[0] = 1;
    return def;
}

static void addTorque(World* w, const RigidBody* b, plMechanismId id, int coordinate)
{
    const double along[] = {b->axis.x, b->axis.y, b->axis.z};
    for (int k = 0; k < (b->joint == rigidBall ? 3 : 1); ++k) {
        plDriveDef def = plDefaultDriveDef();
        def.site.mechanism = id;
        def.coordinate = coordinate + k;
        def.effort = b->joint == rigidBall ? b->torque * along[k] : b->torque;
        if (def.effort != 0) must(w->world, plWorld_AddDrive(w->world, &def));
    }
}

// The chain of a root: it, and all that hang on it, which stand behind it.
static void addChain(World* w, const RigidScene* s, int root)
{
    plChainBodyDef bodies[32];
    char names[32][16];
    int part[rigidMost], body[32], count = 0, coordinate = 0;
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    for (int i = 0; i < s->count; ++i) {
        const int parent = s->bodies[i].parent;
        part[i] = -1;
        if (i != root && (parent < 0 || part[parent] < 0)) continue;
        snprintf(names[count], sizeof names[count], "p%d", i);
        bodies[count] = chainBody(s, i, i == root ? -1 : part[parent], names[count]);
        body[count] = i;
        part[i] = count++;
    }
    def.name = nameOf(root);
    def.bodies = bodies;
    def.bodyCount = count;
    must(w->world, plWorld_AddChain(w->world, &def, &id));
    for (int k = 0; k < count; ++k) {
        const RigidBody* b = &s->bodies[body[k]];
        const plShapeDef shape = shapeOf(b, b->anchor);
        addShape(w, id, k, &shape);
        addTorque(w, b, id, coordinate);
        coordinate += plJoint_Velocities(bodies[k].joint);
        w->center[body[k]] = (plSite){id, k, plSub(b->pose.p, b->anchor)};
    }
}

static void* create(const RigidScene* s)
{
    World* w = calloc(1, sizeof *w);
    if (!w) exit(1);
    const plShapeDef floor = plDefaultShapeDef(pl_shapePlane);
    w->count = s->count;
    w->world = emptyWorld(s);
    addShape(w, (plMechanismId){0}, 0, &floor);
    for (int i = 0; i < s->count; ++i) {
        const RigidBody* b = &s->bodies[i];
        const plShapeDef shape = shapeOf(b, plVec(0, 0, 0));
        if (b->joint == rigidFree) addFree(w, b, i);
        if (b->joint == rigidStatic) addShape(w, (plMechanismId){0}, 0, &shape);
        if (b->joint == rigidStatic) w->center[i].point = b->pose.p;
        if (b->parent < 0 && (b->joint == rigidHinge || b->joint == rigidBall)) addChain(w, s, i);
    }
    return w;
}

static void step(void* self) { plWorld_Step(((World*)self)->world, 1e-3); }

static void poses(void* self, plPose* out)
{
    const World* w = self;
    for (int i = 0; i < w->count; ++i) {
        plMotion m;
        must(w->world, plWorld_Motion(w->world, w->center[i], &m));
        out[i] = (plPose){m.x, plQuatOf(&m.R)};
    }
}

static int contacts(void* self) { return plWorld_Report(((World*)self)->world).contacts; }
static double depth(void* self) { return plWorld_Report(((World*)self)->world).depth; }
static double residual(void* self) { return plWorld_Report(((World*)self)->world).residual; }

static void destroy(void* self)
{
    plWorld_Destroy(((World*)self)->world);
    free(self);
}

const RigidEngine rigidPalp = {create, step, poses, contacts, depth, residual, destroy};

void rigidSettle(RigidScene* s, int size)
{
    enum { most = 8, again = 300 };
    static RigidScene piles[most];
    static int sizes[most];
    plPose now[rigidMost];
    int k = 0;
    while (k < most - 1 && sizes[k] && sizes[k] != size) ++k;
    if (sizes[k] != size) {
        void* world = create(s);
        for (int i = 0; i < s->settle; ++i) step(world);
        poses(world, now);
        destroy(world);
        for (int i = 0; i < s->count; ++i) s->bodies[i].pose = now[i];
        s->settle = again;
        piles[k] = *s;
        sizes[k] = size;
    }
    *s = piles[k];
}
