// The soft bar.
#include "soft_bar.h"

#include "math/math.h"

#include <stdio.h>
#include <stdlib.h>

const plElastic softBarMatter = {.E = 1e5, .nu = 0.4, .rho = 1000};

static void must(const plWorld* world, plStatus status)
{
    if (status == pl_statusOk) return;
    fprintf(stderr, "bench: %s: %s\n", plStatus_Name(status), world ? plWorld_Error(world) : "");
    exit(1);
}

// Candidates: six rows of five, from the free end on, so that it lies on all of them.
static void findNodes(SoftBar* b, int along)
{
    int found = 0;
    for (int i = 0; i < b->tets.pointCount; ++i) {
        const plVec3 p = b->tets.points[i];
        const int x = (int)lround(100 * p.x), y = (int)lround(100 * p.y);
        if (x == 0) b->held[b->heldCount++] = i;
        const int row = (along - x) / (along / 6);
        const bool inRow = (along - x) % (along / 6) == 0 && row < 6;
        if (inRow && y < 5 && p.z < 1e-9) b->candidates[found++] = i;
    }
}

static void addFloor(plWorld* world)
{
    const plPartShapeDef def = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId id;
    must(world, plWorld_AddShape(world, &def, &id));
}

static void addBar(SoftBar* b)
{
    plSoftDef def = plDefaultSoftDef();
    plMechanismId id;
    def.name = "bar";
    def.mesh = &b->tets;
    def.elastic = softBarMatter;
    def.model = pl_softDynamic;
    def.step = softBarStep;
    def.alpha = softBarAlpha, def.beta = softBarBeta;
    def.heldCount = b->heldCount, def.held = b->held;
    def.candidateCount = barContacts, def.candidates = b->candidates;
    def.nodesOnly = true;
    must(b->world, plWorld_AddSoft(b->world, &def, &id));
}

void softBarMake(SoftBar* b, int nodes)
{
    const plAllocator allocator = plDefaultAllocator();
    const int across = nodes > 1000 ? 6 : 4;
    const int along = (nodes + (across + 1) * (across + 1) / 2) / ((across + 1) * (across + 1)) - 1;
    const double length = 0.01 * along, side = 0.01 * across;
    plWorldDef def = plDefaultWorldDef();
    *b = (SoftBar){0};
    must(NULL, plTets_Box(along, across, across, plVec(0, 0, 0), plVec(length, side, side),
                          &allocator, &b->tets));
    findNodes(b, along);
    def.capacity.softFaces = def.capacity.softNodes = 4 * b->tets.pointCount;
    def.capacity.memory = (size_t)512 << 20;
    must(NULL, plWorld_Create(&def, &b->world));
    addFloor(b->world);
    addBar(b);
    for (int k = 0; k < 1000; ++k) plWorld_Step(b->world, softBarStep);
}

void softBarFree(SoftBar* b)
{
    plWorld_Destroy(b->world);
    plTets_Free(&b->tets);
}
