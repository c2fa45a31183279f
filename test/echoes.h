// A world of 30 Hz with one hand, which asks its echo in between.
//   letters  K stiffness of the coupling [N/m], T step of the world [s], h of the device [s]
#ifndef PALP_TEST_ECHOES_H
#define PALP_TEST_ECHOES_H

#include "clips.h"
#include "room.h"

enum { writes = 34 };
static const double T = 1. / 30, h = 1. / (30 * writes);
static const double stiffness = 2000; // of all couplings [N/m]

// ------------------------------------------------------------------------------------ worlds

/// A world with one hand, whose pose the test knows.
typedef struct {
    plWorld* world;
    plDeviceId device;
    plCouplingId coupling;
    plPose hand;
    plEcho *echo, *next; // what is felt, and where the next one is put
    int late;            // writes after a tick until its echo is felt
} Rig;

static inline void tellPose(void* self, double time, plSample* s)
{
    (void)time;
    s->pose = ((Rig*)self)->hand;
}

static inline void hearNothing(void* self, const plWrench* f, double step)
{
    (void)self, (void)f, (void)step;
}

static double reach = 0.01;

static inline plWorldDef worldDef(double mu)
{
    plWorldDef def = plDefaultWorldDef();
    def.contact.law = pl_lawCone;
    def.contact.reach = reach;
    def.contact.surface.friction = mu;
    return def;
}

static inline void addHand(Rig* r, plSite tool, plPose pose, double B)
{
    const plAllocator allocator = plDefaultAllocator();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    r->hand = pose;
    device.name = "hand";
    device.pose = pose;
    device.calls = (plDeviceCalls){.self = r, .sample = tellPose, .write = hearNothing};
    checkOk(r->world, plWorld_AddDevice(r->world, &device, &r->device));
    coupling.name = "hold";
    coupling.kind = pl_couplingVirtual;
    coupling.device = r->device;
    coupling.tool = tool;
    coupling.stiffness = all3(stiffness);
    coupling.damping = all3(B);
    coupling.turnStiffness = all3(2);
    coupling.turnDamping = all3(0.01);
    checkOk(r->world, plWorld_AddCoupling(r->world, &coupling, &r->coupling));
    checkOk(NULL, plEcho_Create(plEchoContacts, &allocator, &r->echo));
    checkOk(NULL, plEcho_Create(plEchoContacts, &allocator, &r->next));
    r->late = 0;
}

/// A ball of 0.1 kg and 1 cm, its lowest point `gap` above the floor.
static inline void makeBall(Rig* r, double mu, double gap, double B)
{
    const plWorldDef def = worldDef(mu);
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef shape = plDefaultPartShapeDef(pl_shapeSphere);
    plMechanismId id;
    plShapeId shapeId;
    checkOk(NULL, plWorld_Create(&def, &r->world));
    addFloor(r->world, 0);
    body.name = "ball";
    body.mass = 0.1;
    body.inertia = diagonal(4e-6, 4e-6, 4e-6);
    body.pose.p.z = 0.01 + gap;
    checkOk(r->world, plWorld_AddAssembly(r->world, &body, &id));
    shape.mechanism = id;
    shape.shape.radius = 0.01;
    checkOk(r->world, plWorld_AddShape(r->world, &shape, &shapeId));
    addHand(r, (plSite){.mechanism = id}, body.pose, B);
}

/// 0.2 x 0.1 x 0.1 m, 2 kg, on the floor; the hand has its frame.
static inline void makeBlock(Rig* r, double E, double mu)
{
    const plAllocator allocator = plDefaultAllocator();
    const plWorldDef def = worldDef(mu);
    plSoftDef block = plDefaultSoftDef();
    plMechanismId id;
    plMotion m;
    plTets mesh;
    int list[64];
    assert_int_equal(
        plTets_Box(4, 2, 2, (plVec3){-0.1, -0.05, 0}, (plVec3){0.1, 0.05, 0.1}, &allocator, &mesh),
        pl_statusOk);
    checkOk(NULL, plWorld_Create(&def, &r->world));
    addFloor(r->world, 0);
    for (int i = 0; i < mesh.pointCount; ++i) {
        if (mesh.points[i].z < 1e-9) list[block.candidateCount++] = i;
    }
    block.name = "block";
    block.mesh = &mesh;
    block.elastic.E = E;
    block.candidates = list;
    checkOk(r->world, plWorld_AddSoft(r->world, &block, &id));
    plTets_Free(&mesh);
    checkOk(r->world, plWorld_Motion(r->world, (plSite){.mechanism = id}, &m));
    addHand(r, (plSite){.mechanism = id}, (plPose){m.x, {1, 0, 0, 0}}, 20);
}

/// A box in a room with walls, edges and corners: shapes that remember where they met.
static inline void makeBox(Rig* r)
{
    const plWorldDef def = worldDef(0.5);
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef shape = plDefaultPartShapeDef(pl_shapeBox);
    plMechanismId id;
    plShapeId shapeId;
    checkOk(NULL, plWorld_Create(&def, &r->world));
    addRoom(r->world);
    body.name = "box";
    body.mass = 0.1;
    body.inertia = diagonal(2e-5, 3e-5, 4e-5);
    body.pose.p = (plVec3){0.1, 0.08, -0.06};
    checkOk(r->world, plWorld_AddAssembly(r->world, &body, &id));
    shape.mechanism = id;
    shape.shape.half = (plVec3){0.02, 0.015, 0.01};
    checkOk(r->world, plWorld_AddShape(r->world, &shape, &shapeId));
    addHand(r, (plSite){.mechanism = id}, body.pose, 20);
}

static inline void drop(Rig* r)
{
    plEcho_Destroy(r->echo);
    plEcho_Destroy(r->next);
    plWorld_Destroy(r->world);
}

// ------------------------------------------------------------------------------------- hands

static inline plVec3 between(plVec3 a, plVec3 b, double s)
{
    const double c = s <= 0 ? 0 : s >= 1 ? 1 : s * s * s * (10 - 15 * s + 6 * s * s);
    return (plVec3){a.x + c * (b.x - a.x), a.y + c * (b.y - a.y), a.z + c * (b.z - a.z)};
}

typedef struct {
    double time;
    plVec3 p;
} Stop;

static inline plVec3 placeAt(const Stop* stops, int count, double t)
{
    int i = 1;
    while (i + 1 < count && t > stops[i].time) ++i;
    return between(stops[i - 1].p, stops[i].p,
                   (t - stops[i - 1].time) / (stops[i].time - stops[i - 1].time));
}

/// A hand of mass m that pulls by k and c to where it wants to be; m = 0: it is there.
typedef struct {
    double m, k, c;
    plVec3 x, v, carries;
} Arm;

static inline void moveArm(Arm* a, plVec3 want, plVec3 force)
{
    if (a->m == 0) {
        a->x = want;
        return;
    }
    const double* w = &want.x;
    const double* f = &force.x;
    double *x = &a->x.x, *v = &a->v.x;
    for (int i = 0; i < 3; ++i) {
        v[i] += h * (f[i] - (&a->carries.x)[i] + a->k * (w[i] - x[i]) - a->c * v[i]) / a->m;
        x[i] += h * v[i];
    }
}

static const Arm arms[] = {{.m = 0}, {.m = 0.2, .k = 500, .c = 10}, {.m = 0.3, .k = 3000, .c = 30}};
static const char* const armNames[] = {"led", "by an arm", "by a stiff arm"};

static inline double sizeOf(plVec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }
static inline double dot(plVec3 a, plVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

#endif
