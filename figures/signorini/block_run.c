// The block on its slope: its problem of contact, and its step in a world.
#include "palp/palp.h"
#include "signorini/block.h"
#include "signorini/desk.h"

#include <string.h>

static const double T = 3e-3, mu = 0.5, lean = 10 * PL_PI / 180; // [s], [1], [rad]

static plVec3 gravity(void) { return plVec(9.81 * sin(lean), 0, -9.81 * cos(lean)); }

// ------------------------------------------------------------------------------------- the block

/// 0.2 x 0.1 x 0.1 m; mirrored, so that no diagonal of its cells prefers a side.
static plStatus makeMesh(plTets* mesh)
{
    const plAllocator allocator = plDefaultAllocator();
    const plVec3 lo = plVec(-0.1, 0, 0), hi = plVec(0.1, 0.05, 0.1);
    plStatus status = plTets_Box(4, 1, 2, lo, hi, &allocator, mesh);
    if (status != pl_statusOk) return status;
    status = plTets_Mirror(mesh, 1);
    if (status != pl_statusOk) plTets_Free(mesh);
    return status;
}

plVec3 plBlock_Foot(const plBlock* b, int foot) { return b->mesh.points[b->node[foot]]; }

/// The foot that is nearest to a place of the slope.
static int nearest(const plBlock* b, double x, double y)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < plBlockFeet; ++i) {
        const plVec3 p = plBlock_Foot(b, i);
        const double d = hypot(p.x - x, p.y - y);
        if (d < least) least = d, best = i;
    }
    return best;
}

static void findFeet(plBlock* b)
{
    int count = 0;
    for (int i = 0; i < b->mesh.pointCount; ++i) {
        if (b->mesh.points[i].z < 1e-9) b->node[count++] = i;
    }
    PL_ASSERT(count == plBlockFeet);
    for (int i = 0; i < plBlockFeet; ++i) {
        const plVec3 p = plBlock_Foot(b, i);
        b->mirror[i] = nearest(b, p.x, -p.y);
    }
}

static plStatus takeMemory(plBlock* b)
{
    const plAllocator allocator = plDefaultAllocator();
    const size_t numbers = (size_t)9 * plBlockFeet * plBlockFeet;
    const size_t size = plDesk_Size(plBlockFeet, 4) + numbers * sizeof(double) + 1024;
    const plStatus status = plArena_Create(&b->arena, size, &allocator);
    if (status != pl_statusOk) return status;
    b->C = plArena_Alloc(&b->arena, numbers, sizeof(double));
    b->desk = plDesk_Create(plBlockFeet, 4, &b->arena);
    return b->desk ? pl_statusOk : pl_statusCapacity;
}

plStatus plBlock_Open(plBlock* b, plShapeError* error)
{
    const plAllocator allocator = plDefaultAllocator();
    const plElastic material = plDefaultSoftDef().elastic;
    *b = (plBlock){0};
    plStatus status = makeMesh(&b->mesh);
    if (status != pl_statusOk) return status;
    findFeet(b);
    status = plSoft_Create(&b->soft, &b->mesh, &material, &allocator, error);
    if (status == pl_statusOk) {
        status = plSoftFloating_Create(&b->floating, &b->soft, pl_softLumped, b->node, plBlockFeet,
                                       &allocator, error);
    }
    if (status == pl_statusOk) status = takeMemory(b);
    if (status == pl_statusOk) {
        plSoftFloating_Compliance(&b->floating, b->C);
    } else {
        plBlock_Close(b);
    }
    return status;
}

void plBlock_Close(plBlock* b)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena_Destroy(&b->arena, &allocator);
    plSoftFloating_Destroy(&b->floating, &allocator);
    plSoft_Destroy(&b->soft, &allocator);
    plTets_Free(&b->mesh);
    *b = (plBlock){0};
}

// ---------------------------------------------------------------------------------- the problem

static void makeOrder(plBlock* b, plBlockOrder order)
{
    plRng rng = plRng_Seed(1);
    for (int i = 0; i < plBlockFeet; ++i) {
        b->order[i] = order == pl_blockReversed ? plBlockFeet - 1 - i : i;
    }
    for (int i = plBlockFeet - 1; order == pl_blockShuffled && i > 0; --i) {
        const int j = (int)plRng_Uniform(&rng, 0, i + 1), kept = b->order[i];
        b->order[i] = b->order[j];
        b->order[j] = kept;
    }
}

/// How foot i moves within the step under a force of 1 N on foot j.
static plVec3 moved(const plBlock* b, double E, int i, int j, plVec3 force)
{
    const plMass* mass = &b->floating.rigid;
    const plVec3 at = plSub(plBlock_Foot(b, i), mass->center);
    const plVec3 from = plSub(plBlock_Foot(b, j), mass->center);
    const plVec3 turn = plMul(&b->floating.turn, plCross(from, force));
    const plVec3 rigid = plAddScaled(plCross(turn, at), 1 / mass->mass, force);
    const double *C = &b->C[3 * i * 3 * plBlockFeet + 3 * j], softer = b->soft.material.E / E;
    double u[3];
    for (int k = 0; k < 3; ++k) u[k] = plDot(plGet3(&C[3 * plBlockFeet * k]), force);
    return plAddScaled(plScale(T * T, rigid), softer, plGet3(u));
}

static plVec3 axisOf(int row) // of z, x, y
{
    return plVec(row == 1, row == 2, row == 0);
}

void plBlock_Pose(plBlock* b, double E, plBlockOrder order)
{
    plSpace* s = &b->desk->space;
    const plVec3 way = plScale(T * T, gravity());
    s->count = plBlockFeet;
    const int rows = plSpace_Rows(s);
    makeOrder(b, order);
    memset(b->desk->p, 0, (size_t)rows * sizeof(double));
    for (int i = 0; i < plBlockFeet; ++i) s->pair[i] = (plPair){.mu = mu};
    for (int i = 0; i < rows; ++i) {
        s->uFree[i] = plDot(axisOf(i % 3), way);
        for (int j = 0; j < rows; ++j) {
            const plVec3 u = moved(b, E, b->order[i / 3], b->order[j / 3], axisOf(j % 3));
            s->W[i * rows + j] = plDot(axisOf(i % 3), u);
        }
    }
}

void plBlock_Sweep(plBlock* b, int sweeps, plBlockForces* forces)
{
    const plSpace* s = &b->desk->space;
    for (int k = 0; k < sweeps; ++k) plCone_Sweep(s, s->uFree, pl_coneSequential, b->desk->p);
    for (int i = 0; i < plBlockFeet; ++i) {
        const double* p = &b->desk->p[3 * i];
        forces->f[b->order[i]] = plVec(p[1], p[2], p[0]);
    }
}

double plBlock_Residual(const plBlock* b)
{
    const plSpace* s = &b->desk->space;
    return plJudge_Res(s, s->uFree, b->desk->p);
}

// ------------------------------------------------------------------------------------- the world

static plStatus addBlock(plWorld* w, const plBlock* b, double E, plMechanismId* id)
{
    plPartShapeDef slope = plDefaultPartShapeDef(pl_shapePlane);
    plSoftDef def = plDefaultSoftDef();
    plShapeId shape;
    const plStatus status = plWorld_AddShape(w, &slope, &shape);
    def.name = "block";
    def.mesh = &b->mesh;
    def.elastic.E = E;
    def.candidates = b->node;
    def.candidateCount = plBlockFeet;
    return status == pl_statusOk ? plWorld_AddSoft(w, &def, id) : status;
}

static void readForces(const plWorld* w, const plBlock* b, plMechanismId id, plBlockForces* forces)
{
    *forces = (plBlockForces){0};
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo c;
        plMotion m;
        plWorld_Contact(w, i, &c);
        const bool first = c.a.mechanism.index1 == id.index1;
        plWorld_Motion(w, first ? c.a : c.b, &m);
        plVec3* f = &forces->f[nearest(b, m.x.x, m.x.y)];
        *f = plAddScaled(*f, first ? 1 : -1, c.force);
    }
}

plStatus plBlock_Step(const plBlock* b, double E, plBlockForces* forces, int* iterations)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    plMechanismId id;
    def.gravity = gravity();
    def.contact.bias = pl_biasOneSided;
    def.contact.surface.friction = mu;
    def.contact.bias = pl_biasOneSided; // as printed
    plStatus status = plWorld_Create(&def, &w);
    if (status != pl_statusOk) return status;
    status = addBlock(w, b, E, &id);
    if (status == pl_statusOk) {
        plWorld_Step(w, T);
        readForces(w, b, id, forces);
        *iterations = plWorld_Report(w).iterations;
    }
    plWorld_Destroy(w);
    return status;
}

// --------------------------------------------------------------------------------------- forces

plVec3 plBlock_Sum(const plBlockForces* forces)
{
    plVec3 sum = {0, 0, 0};
    for (int i = 0; i < plBlockFeet; ++i) sum = plAdd(sum, forces->f[i]);
    return sum;
}

int plBlock_Active(const plBlockForces* forces)
{
    int count = 0;
    for (int i = 0; i < plBlockFeet; ++i) count += forces->f[i].z > 0;
    return count;
}

double plBlock_Asymmetry(const plBlock* b, const plBlockForces* forces)
{
    double odd = 0, most = 0;
    for (int i = 0; i < plBlockFeet; ++i) {
        odd = fmax(odd, fabs(forces->f[i].z - forces->f[b->mirror[i]].z));
        most = fmax(most, forces->f[i].z);
    }
    return odd / most;
}

double plBlock_Difference(const plBlockForces* a, const plBlockForces* b)
{
    double difference = 0, most = 0;
    for (int i = 0; i < plBlockFeet; ++i) {
        difference = fmax(difference, fabs(a->f[i].z - b->f[i].z));
        most = fmax(most, b->f[i].z);
    }
    return difference / most;
}
