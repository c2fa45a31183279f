// ODE's manifold of two boxes.
#include "pairs.h"

#include <ode/ode.h>
#include <stdlib.h>

typedef struct {
    const Pairs* pairs;
    dGeomID box[2];
} Boxes;

static void* create(const Pairs* pairs)
{
    Boxes* b = calloc(1, sizeof *b);
    if (!b) exit(1);
    dInitODE2(0);
    dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
    b->pairs = pairs;
    for (int k = 0; k < 2; ++k) {
        const plVec3 h = pairs->solid[k].half;
        b->box[k] = dCreateBox(0, 2 * h.x, 2 * h.y, 2 * h.z);
    }
    return b;
}

static int manifold(void* self, int i)
{
    const Boxes* b = self;
    dContactGeom contacts[8];
    for (int k = 0; k < 2; ++k) {
        const plPose* p = &b->pairs->pose[k][i];
        const dQuaternion q = {p->q.w, p->q.x, p->q.y, p->q.z};
        dGeomSetQuaternion(b->box[k], q);
        dGeomSetPosition(b->box[k], p->p.x, p->p.y, p->p.z);
    }
    return dCollide(b->box[0], b->box[1], 8, contacts, sizeof contacts[0]);
}

static void destroy(void* self)
{
    Boxes* b = self;
    dGeomDestroy(b->box[0]);
    dGeomDestroy(b->box[1]);
    dCloseODE();
    free(b);
}

const PairPeer* pairOde(void)
{
    static const PairPeer peer = {create, NULL, NULL, manifold, destroy};
    return &peer;
}
