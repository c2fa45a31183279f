// The clip of signorini 6 in a world, on a pipe that is rigid or soft, moved by a hand.
#ifndef PALP_TEST_CLIPS_H
#define PALP_TEST_CLIPS_H

#include "softs.h"
#include "worlds.h"

#include <string.h>

enum { linkRows = 6, pipeSectors = 72 };

typedef struct {
    plWorld* world;
    plMechanismId clip, hand;
    plLinkId link;
    plVec3 center;
    double mass, lowest; // kg; where the device goes [m]
    plVec3 aside;
    double tilt; // [rad]
} Task;

static const double grip = 56.998955e-3; // above the ring's centre [m]

static inline plVec3 sub(plVec3 a, plVec3 b) { return (plVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }

/// Of a ring at height y, and of what is above its centre on its own axis.
static inline plPose poseAt(const Task* t, double y, double above)
{
    return (plPose){{t->aside.x - above * sin(t->tilt), y + above * cos(t->tilt), 0},
                    {cos(t->tilt / 2), 0, 0, sin(t->tilt / 2)}};
}

static inline void addRigidPipe(plWorld* w)
{
    plPartShapeDef pipe = plDefaultPartShapeDef(pl_shapeCapsule);
    plShapeId id;
    pipe.shape.radius = 10e-3;
    pipe.shape.length = 0.2;
    pipe.shape.frame.q = (plQuat){sqrt(0.5), 0, sqrt(0.5), 0}; // x becomes -z
    checkOk(w, plWorld_AddShape(w, &pipe, &id));
}

/// With as many flat faces as the soft one has sectors.
static inline void addFacedPipe(plWorld* w, int sectors)
{
    plPartShapeDef pipe = plDefaultPartShapeDef(pl_shapeHull);
    plShapeId id;
    plVec3 points[2 * 360];
    for (int i = 0; i < 2 * sectors; ++i) {
        const double a = 2 * acos(-1) * (i / 2) / sectors;
        points[i] = (plVec3){10e-3 * cos(a), 10e-3 * sin(a), i % 2 ? 0.1 : -0.1};
    }
    pipe.shape.points = points;
    pipe.shape.pointCount = 2 * sectors;
    checkOk(w, plWorld_AddShape(w, &pipe, &id));
}

/// Wall 2 mm, 60 mm long, its ends held; what the clip may touch are its middle 25 mm.
static inline void addSoftPipe(plWorld* w, double E)
{
    const plAllocator allocator = plDefaultAllocator();
    plPipeDef shape = plDefaultPipeDef();
    plSoftDef def = plDefaultSoftDef();
    plLinkDef link = plDefaultLinkDef();
    plSoftInfo info;
    plMechanismId id;
    plLinkId linkId;
    plTets mesh;
    shape.wall = 2e-3;
    shape.length = 60e-3;
    shape.sectors = pipeSectors;
    shape.radialCells = 1;
    shape.lengthCells = 12;
    assert_int_equal(plTets_Pipe(&shape, &allocator, &mesh), pl_statusOk);
    int* lists = calloc(2 * (size_t)mesh.pointCount, sizeof *lists);
    int *held = lists, *touched = lists + mesh.pointCount;
    for (int i = 0; i < mesh.pointCount; ++i) {
        const plVec3 x = mesh.points[i];
        if (x.z < 1e-9 || x.z > 60e-3 - 1e-9) held[def.heldCount++] = i;
        if (fabs(x.z - 30e-3) < 12.6e-3 && hypot(x.x, x.y) > 9e-3) {
            touched[def.candidateCount++] = i;
        }
    }
    def.name = "pipe";
    def.mesh = &mesh;
    def.elastic = (plElastic){E, 0.35, 950};
    def.held = held;
    def.candidates = touched;
    def.pose.p.z = -30e-3;
    checkOk(w, plWorld_AddSoft(w, &def, &id));
    checkOk(w, plWorld_SoftInfo(w, id, 1e-3, &info));
    link.name = "ends";
    link.form = pl_linkImplicit;
    link.a.mechanism = id;
    link.b.point = info.rigid.center;
    link.b.point.z -= 30e-3;
    link.stiffness = link.turnStiffness = INFINITY;
    link.turns = true;
    checkOk(w, plWorld_AddLink(w, &link, &linkId));
    plTets_Free(&mesh);
    free(lists);
}

typedef struct {
    double mu;
    bool rich;         // more elements along the pipe
    double aside;      // of the device [m]
    double tilt;       // about the pipe's axis [rad]
    double pipeE;      // of a soft pipe [Pa]; 0: it is rigid
    int faces;         // of a rigid one; 0: it is round
    bool wholeSurface; // all of the clip touches, its handle too
    int sides;         // of friction pyramids; 0: the cone
} TaskOptions;

static inline Task makeTaskOf(TaskOptions o)
{
    plWorldDef def = plDefaultWorldDef();
    plSoftDef clip = plDefaultSoftDef();
    plClipDef shape = plDefaultClipDef();
    plPrescribedDef hand = plDefaultPrescribedDef();
    plLinkDef link = plDefaultLinkDef();
    plSoftInfo info;
    Task t = {.lowest = -12e-3, .aside.x = o.aside, .tilt = o.tilt};
    plSnap snap;
    int* held = NULL;
    double top = 0;
    if (o.rich) shape.depthCells = 5;
    openClip(&snap, &shape);
    def.gravity = (plVec3){0, -9.81, 0};
    def.contact.surface.friction = o.mu;
    def.contact.bias = pl_biasOneSided; // one linearisation in a step, as the reference has it
    if (o.sides > 0) def.contact.law = pl_lawLcp, def.contact.sides = o.sides;
    def.capacity.rows = 3 * 340 + 2 * linkRows;
    def.capacity.contacts = 1000;
    def.capacity.softFaces = def.capacity.softNodes = 1 << 14;
    def.capacity.memory = 512u << 20;
    checkOk(NULL, plWorld_Create(&def, &t.world));
    if (o.pipeE > 0) {
        addSoftPipe(t.world, o.pipeE);
    } else if (o.faces > 0) {
        addFacedPipe(t.world, o.faces);
    } else {
        addRigidPipe(t.world);
    }
    held = calloc((size_t)snap.mesh.pointCount, sizeof *held);
    for (int i = 0; i < snap.mesh.pointCount; ++i) top = fmax(top, snap.mesh.points[i].y);
    for (int i = 0; i < snap.mesh.pointCount; ++i) {
        if (snap.mesh.points[i].y > top - 30e-3) held[clip.heldCount++] = i;
    }
    clip.name = "clip";
    clip.mesh = &snap.mesh;
    clip.elastic = (plElastic){700e6, 0.35, 950};
    clip.held = held;
    if (!o.wholeSurface) clip.candidates = snap.node, clip.candidateCount = snap.count;
    clip.nodesOnly = !o.wholeSurface;
    clip.pose = poseAt(&t, 12e-3, 0);
    checkOk(t.world, plWorld_AddSoft(t.world, &clip, &t.clip));
    checkOk(t.world, plWorld_SoftInfo(t.world, t.clip, 1e-3, &info));
    t.center = info.rigid.center;
    t.mass = info.rigid.mass;
    hand.name = "hand";
    hand.pose = poseAt(&t, 12e-3, grip);
    checkOk(t.world, plWorld_AddPrescribed(t.world, &hand, &t.hand));
    link.name = "coupling";
    link.form = pl_linkImplicit;
    link.a.mechanism = t.clip;
    link.a.point = sub((plVec3){0, grip, 0}, t.center);
    link.b.mechanism = t.hand;
    link.stiffness = 2000, link.damping = 5;
    link.turns = true;
    link.turnStiffness = 2, link.turnDamping = 0.01;
    checkOk(t.world, plWorld_AddLink(t.world, &link, &t.link));
    free(held);
    plSnap_Close(&snap);
    return t;
}

static inline Task makeTask(double mu) { return makeTaskOf((TaskOptions){.mu = mu}); }

/// Down by 40 mm/s, a rest of 0.2 s, up to 30 mm.
static inline double deviceAt(const Task* t, double time)
{
    const double speed = 40e-3, down = (12e-3 - t->lowest) / speed;
    if (time < down) return 12e-3 - speed * time;
    if (time < down + 0.2) return t->lowest;
    return fmin(30e-3, t->lowest + speed * (time - down - 0.2));
}

typedef struct {
    double force, side; // of the hand on the clip, downwards; across [N]
    double ring;        // height of the ring's centre [m]
    double speed, x;
} Tick;

static inline Tick stepTask(Task* t, double T, double time)
{
    const plPose pose = poseAt(t, deviceAt(t, time), grip);
    double f[6];
    plMotion m;
    checkOk(t->world, plWorld_Steer(t->world, t->hand, pose));
    plWorld_Step(t->world, T);
    checkOk(t->world, plWorld_LinkForce(t->world, t->link, f));
    const plSite ring = {.mechanism = t->clip, .point = {-t->center.x, -t->center.y, -t->center.z}};
    checkOk(t->world, plWorld_Motion(t->world, ring, &m));
    return (Tick){
        .force = -f[1], .side = hypot(f[0], f[2]), .ring = m.x.y, .speed = m.v.y, .x = m.x.x};
}

typedef struct {
    double push, pushAt, least, held, ripple, pull, pullAt, released, end, depth, side, x, outSpeed;
    double created, residual, dissipated;
    int failed, most;
} Snapped;

static inline Snapped run(Task* t, double T, double duration)
{
    Snapped s = {.least = INFINITY, .ripple = 0};
    const double down = (12e-3 - t->lowest) / 40e-3;
    double low = INFINITY, high = -INFINITY;
    for (int k = 1; k <= (int)(duration / T + 0.5); ++k) {
        const Tick a = stepTask(t, T, k * T);
        const plStepReport r = plWorld_Report(t->world);
        const bool in = k * T <= down, out = k * T > down + 0.2;
        if (in && a.force > s.push && a.ring > 1e-3) {
            s.push = a.force, s.pushAt = a.ring;
            s.least = INFINITY;
        }
        if (in) s.least = fmin(s.least, a.force);
        if (!in && !out && k * T > down + 0.1) low = fmin(low, a.force), high = fmax(high, a.force);
        if (out && -a.force > s.pull) s.pull = -a.force, s.pullAt = a.ring;
        if (out && s.released == 0 && a.ring > 8.6e-3) s.released = k * T, s.outSpeed = a.speed;
        // above 40 contacts pyramids are the cone's, and say so
        s.failed += (r.trouble | pl_troubleFellBack) != pl_troubleFellBack;
        if (r.trouble)
            print_message("trouble %x at %g s, residual %g\n", r.trouble, k * T, r.residual);
        s.depth = fmax(s.depth, r.depth);
        s.side = fmax(s.side, a.side);
        s.x = fmax(s.x, fabs(a.x));
        s.most = r.contacts > s.most ? r.contacts : s.most;
        s.end = a.force;
        const plAccount all = plWorld_Ledger(t->world);
        s.created = fmax(s.created, all.integrator + all.leak);
        s.residual = fabs(all.residual);
        s.dissipated = all.dissipated;
    }
    s.held = high, s.ripple = high - low;
    return s;
}

static inline void tell(const char* what, const Snapped* s)
{
    print_message(
        "%s: push %.3f N @%.2f, least %.2f, held %.4f (%.1e), pull %.3f @%.2f, out %.3f s "
        "%.2f m/s, end %.4f, depth %.2e m, side %.1e N %.1e m, %d contacts, created %.1e, "
        "residual %.1e of %.2e J\n",
        what, s->push, 1e3 * s->pushAt, s->least, s->held, s->ripple, s->pull, 1e3 * s->pullAt,
        s->released, s->outSpeed, s->end, s->depth, s->side, s->x, s->most, s->created, s->residual,
        s->dissipated);
}

#endif
