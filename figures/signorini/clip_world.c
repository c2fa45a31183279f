// The clip, its pipe, its hand: how the world is made, and what is noted of its ticks.
#include "signorini/clip_world.h"
#include "signorini/snap.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const double plClipDown = 0.6, plClipRest = 0.2;

static const double top = 12e-3, bottom = -12e-3, away = 30e-3, speed = 40e-3; // [m], [m/s]
static const double gravity = 9.81;                                            // [m/s^2]
static const double grip = 56.998955e-3; // where the clip is held, above the ring's centre [m]

// -------------------------------------------------------------------------------------- the pipe

static plStatus addRigidPipe(plWorld* w)
{
    plPartShapeDef pipe = plDefaultPartShapeDef(pl_shapeCapsule);
    plShapeId id;
    pipe.shape.radius = plSnapPipe;
    pipe.shape.length = 0.2;
    pipe.shape.frame.q = (plQuat){sqrt(0.5), 0, sqrt(0.5), 0}; // x becomes -z
    return plWorld_AddShape(w, &pipe, &id);
}

static const double pipeLength = 60e-3;

static plStatus makePipe(plTets* mesh)
{
    const plAllocator allocator = plDefaultAllocator();
    plPipeDef def = plDefaultPipeDef();
    def.outerRadius = plSnapPipe;
    def.wall = 2e-3;
    def.length = pipeLength;
    def.sectors = 72;
    def.radialCells = 1;
    def.lengthCells = 12;
    return plTets_Pipe(&def, &allocator, mesh);
}

/// Its frame does not move.
static plStatus fastenEnds(plWorld* w, plMechanismId pipe)
{
    plLinkDef link = plDefaultLinkDef();
    plSoftInfo info;
    plLinkId id;
    const plStatus status = plWorld_SoftInfo(w, pipe, 1e-3, &info);
    if (status != pl_statusOk) return status;
    link.name = "ends";
    link.form = pl_linkImplicit;
    link.a.mechanism = pipe;
    link.b.point = plSub(info.rigid.center, plVec(0, 0, pipeLength / 2));
    link.stiffness = link.turnStiffness = INFINITY;
    link.turns = true;
    return plWorld_AddLink(w, &link, &id);
}

/// The ends are held; the clip, 20 mm deep, may touch the middle 25 mm of the outside.
static plStatus addSoftMesh(plWorld* w, double E, const plTets* mesh, int* held, int* touched)
{
    plSoftDef def = plDefaultSoftDef();
    plMechanismId id;
    for (int i = 0; i < mesh->pointCount; ++i) {
        const plVec3 x = mesh->points[i];
        const double z = fabs(x.z - pipeLength / 2);
        if (z > pipeLength / 2 - 1e-9) held[def.heldCount++] = i;
        if (z < 12.6e-3 && hypot(x.x, x.y) > 9e-3) touched[def.candidateCount++] = i;
    }
    def.name = "pipe";
    def.mesh = mesh;
    def.elastic = (plElastic){E, 0.35, 950};
    def.held = held;
    def.candidates = touched;
    def.pose.p.z = -pipeLength / 2;
    const plStatus status = plWorld_AddSoft(w, &def, &id);
    return status == pl_statusOk ? fastenEnds(w, id) : status;
}

static plStatus addSoftPipe(plWorld* w, double E)
{
    plTets mesh;
    plStatus status = makePipe(&mesh);
    if (status != pl_statusOk) return status;
    int* lists = malloc(2 * (size_t)mesh.pointCount * sizeof *lists);
    status = lists ? addSoftMesh(w, E, &mesh, lists, lists + mesh.pointCount) : pl_statusNoMemory;
    free(lists);
    plTets_Free(&mesh);
    return status;
}

// ------------------------------------------------------------------------- the clip and its hand

/// The last 30 mm of the handle are held.
static plStatus addClip(plClipWorld* c, const plSnap* snap)
{
    plSoftDef def = plDefaultSoftDef();
    plSoftInfo info;
    double end = 0;
    int* held = malloc((size_t)snap->mesh.pointCount * sizeof *held);
    if (!held) return pl_statusNoMemory;
    for (int i = 0; i < snap->mesh.pointCount; ++i) end = fmax(end, snap->mesh.points[i].y);
    for (int i = 0; i < snap->mesh.pointCount; ++i) {
        if (snap->mesh.points[i].y > end - 30e-3) held[def.heldCount++] = i;
    }
    def.name = "clip";
    def.mesh = &snap->mesh;
    def.elastic = snap->soft.material;
    def.held = held;
    def.candidates = snap->node;
    def.candidateCount = snap->count;
    def.nodesOnly = true;
    def.pose.p.y = top;
    plStatus status = plWorld_AddSoft(c->world, &def, &c->clip);
    if (status == pl_statusOk) status = plWorld_SoftInfo(c->world, c->clip, 1e-3, &info);
    if (status == pl_statusOk) c->center = info.rigid.center, c->weight = info.rigid.mass * gravity;
    free(held);
    return status;
}

static plPose handAt(double height) { return (plPose){{0, height + grip, 0}, {1, 0, 0, 0}}; }

static plStatus addHand(plClipWorld* c)
{
    plPrescribedDef hand = plDefaultPrescribedDef();
    plLinkDef link = plDefaultLinkDef();
    hand.name = "hand";
    hand.pose = handAt(top);
    const plStatus status = plWorld_AddPrescribed(c->world, &hand, &c->hand);
    if (status != pl_statusOk) return status;
    link.name = "coupling";
    link.form = pl_linkImplicit;
    link.a.mechanism = c->clip;
    link.a.point = plSub(plVec(0, grip, 0), c->center);
    link.b.mechanism = c->hand;
    link.stiffness = 2000, link.damping = 5;
    link.turns = true;
    link.turnStiffness = 2, link.turnDamping = 0.01;
    return plWorld_AddLink(c->world, &link, &c->link);
}

// ------------------------------------------------------------------------------------- the world

static plStatus createWorld(const plClipWorldDef* d, plWorld** world)
{
    plWorldDef def = plDefaultWorldDef();
    def.gravity = plVec(0, -gravity, 0);
    def.contact.bias = pl_biasOneSided;
    def.contact.surface.friction = d->mu;
    def.contact.bias = pl_biasOneSided; // one linearisation in a step, as printed
    def.capacity.rows = 3 * 340 + 2 * 6;
    def.capacity.contacts = 1000;
    def.capacity.softFaces = def.capacity.softNodes = 1 << 14;
    def.capacity.memory = (size_t)512 << 20;
    return plWorld_Create(&def, world);
}

static plStatus fill(plClipWorld* c, const plClipWorldDef* d, const plSnap* snap)
{
    plStatus status = d->pipeE > 0 ? addSoftPipe(c->world, d->pipeE) : addRigidPipe(c->world);
    if (status == pl_statusOk) status = addClip(c, snap);
    return status == pl_statusOk ? addHand(c) : status;
}

bool plClipWorld_Open(plClipWorld* c, const plClipWorldDef* d, plFigureJob* job)
{
    plClipDef shape = plDefaultClipDef();
    plShapeError error = {.message = "no memory"};
    plSnap snap; // for its mesh, and what of it may touch
    *c = (plClipWorld){0};
    if (d->rich) shape.depthCells = 5;
    if (plSnap_Open(&snap, &shape, &error) != pl_statusOk) {
        snprintf(job->message, sizeof job->message, "no clip: %s", error.message);
        return false;
    }
    plStatus status = createWorld(d, &c->world);
    if (status == pl_statusOk) status = fill(c, d, &snap);
    if (status != pl_statusOk) {
        const char* why = c->world ? plWorld_Error(c->world) : plStatus_Sentence(status);
        snprintf(job->message, sizeof job->message, "no clip in a world: %s", why);
        plClipWorld_Close(c);
    }
    plSnap_Close(&snap);
    return status == pl_statusOk;
}

void plClipWorld_Close(plClipWorld* c)
{
    plWorld_Destroy(c->world);
    *c = (plClipWorld){0};
}

// ---------------------------------------------------------------------------------------- a tick

static double wanted(double time)
{
    if (time < plClipDown) return top - speed * time;
    if (time < plClipDown + plClipRest) return bottom;
    return fmin(away, bottom + speed * (time - plClipDown - plClipRest));
}

plClipTick plClipWorld_Step(plClipWorld* c, double T)
{
    plClipTick t = {.time = ++c->steps * T};
    plLook look;
    plMotion ring;
    double f[6];
    const plSite site = {.mechanism = c->clip, .point = plScale(-1, c->center)};
    plWorld_Steer(c->world, c->hand, handAt(wanted(t.time)));
    const clock_t start = clock();
    plWorld_StepAndLook(c->world, T, &look);
    t.cpu = (double)(clock() - start) / CLOCKS_PER_SEC;
    plWorld_LinkForce(c->world, c->link, f);
    plWorld_Motion(c->world, site, &ring);
    t.force = -f[1], t.height = ring.x.y, t.across = ring.x.x;
    t.problem = look.count;
    t.report = plWorld_Report(c->world);
    t.account = plWorld_Ledger(c->world);
    return t;
}

// ---------------------------------------------------------------------------------------- a run

bool plClipRun_Make(plClipRun* r, const plClipWorldDef* d, double T, double duration,
                    plFigureJob* job)
{
    plClipWorld c;
    r->T = T;
    r->count = (int)lround(duration / T);
    PL_ASSERT(r->count <= plClipMostTicks);
    if (!plClipWorld_Open(&c, d, job)) return false;
    r->weight = c.weight;
    for (int k = 0; k < r->count; ++k) r->ticks[k] = plClipWorld_Step(&c, T);
    plClipWorld_Close(&c);
    return true;
}

/// What came from nowhere, summed up since the start [J].
static double created(const plAccount* a)
{
    return a->integrator + a->leak + a->drift - a->dissipated;
}

static void noteForce(plClipFacts* f, const plClipTick* t)
{
    const bool in = t->time <= plClipDown, out = t->time > plClipDown + plClipRest;
    // on the pipe the hand only presses harder
    if (in && t->height > 1e-3 && t->force > f->push) f->push = t->force, f->pushAt = t->height;
    if (out && -t->force > f->pull) f->pull = -t->force, f->pullAt = t->height;
    f->end = t->force;
}

static double rippleOf(const plClipRun* r)
{
    const double end = plClipDown + plClipRest;
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < r->count; ++k) {
        const plClipTick* t = &r->ticks[k];
        if (t->time < end - 0.1 || t->time > end) continue;
        low = fmin(low, t->force), high = fmax(high, t->force);
    }
    return fmax(0, high - low);
}

plClipFacts plClipRun_Facts(const plClipRun* r)
{
    plClipFacts f = {.created = -INFINITY, .ripple = rippleOf(r), .weight = r->weight};
    double before = 0;
    for (int k = 0; k < r->count; ++k) {
        const plClipTick* t = &r->ticks[k];
        const plAccount* a = &t->account;
        noteForce(&f, t);
        f.created = fmax(f.created, (created(a) - before) / (a->kinetic + a->potential));
        before = created(a);
        f.residual = fmax(f.residual, fabs(a->residual));
        f.depth = fmax(f.depth, t->report.depth);
        f.across = fmax(f.across, fabs(t->across));
        f.failed += t->report.trouble != 0;
    }
    return f;
}
