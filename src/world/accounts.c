// What a watcher of a running world asks for, and what it may set of a device.
//   letters  W response of the contacts [1/kg]
#include "world/inside.h"

#include <string.h>

// --- the response of the contacts

typedef struct {
    plLook* look;
    int most; ///< contacts of the largest group so far
} Looker;

static double rowOf2(const double* r) { return r[0] * r[0] + r[1] * r[1]; }
static double rowOf3(const double* r) { return r[0] * r[0] + r[1] * r[1] + r[2] * r[2]; }

// Written out, because a tick has no time for 4096 loops.
static float squareOf(const double* b, int dim, int stride)
{
    if (dim == 3) return (float)(rowOf3(b) + rowOf3(b + stride) + rowOf3(b + 2 * stride));
    if (dim == 2) return (float)(rowOf2(b) + rowOf2(b + stride));
    return (float)(b[0] * b[0]);
}

static void lookDense(const plSpace* s, plLook* look)
{
    const int n = look->count, rows = plSpace_Rows(s);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            look->squares[i * n + k] = squareOf(&s->W[s->dim * (i * rows + k)], s->dim, rows);
        }
    }
}

static void lookSparse(const plSpace* s, plLook* look)
{
    const int n = look->count, size = s->dim * s->dim;
    memset(look->squares, 0, (size_t)(n * n) * sizeof *look->squares);
    for (int i = 0; i < n; ++i) {
        for (int b = s->blockStart[i]; b < s->blockStart[i + 1]; ++b) {
            const int k = s->blockColumn[b];
            if (k >= n) break; // columns ascend
            look->squares[i * n + k] = squareOf(&s->blocks[b * size], s->dim, s->dim);
        }
    }
}

// A group meets its space in every pass: its first one is looked at, and no smaller group's.
static void meet(void* self, const plSpace* s)
{
    Looker* l = self;
    if (s->count <= l->most) return;
    l->most = s->count;
    l->look->count = s->count < plLookContacts ? s->count : plLookContacts;
    l->look->dim = s->dim;
    if (s->W) {
        lookDense(s, l->look);
    } else {
        lookSparse(s, l->look);
    }
}

// The first group of so many contacts; where the space had no room for all, it left out the last ones.
static void nameContacts(const plWorld* w, plLook* look)
{
    int best = -1, most = 0;
    for (int g = 0; g < w->groupCount; ++g) {
        const int count = w->contactFirst[g + 1] - w->contactFirst[g];
        if (count <= most) continue;
        most = count;
        best = g;
    }
    look->all = most;
    for (int i = 0; i < look->count && best >= 0; ++i) {
        const plContact* c = &w->contacts.list[w->contactList[w->contactFirst[best] + i]];
        look->shapes[i][0] = c->a;
        look->shapes[i][1] = c->b;
    }
}

void plWorld_StepAndLook(plWorld* w, double T, plLook* look)
{
    Looker looker = {.look = look};
    look->count = look->all = 0;
    look->dim = w->def.planar ? 2 : 3;
    w->meet = meet;
    w->meetSelf = &looker;
    plWorld_Step(w, T);
    w->meet = NULL;
    if (look->count > 0) nameContacts(w, look);
}

// --- limits of a device

static bool atLeast0(plVec3 a) { return a.x >= 0 && a.y >= 0 && a.z >= 0; }

plStatus plWorld_SetDeviceLimits(plWorld* w, plDeviceId id, plVec3 force, plVec3 torque)
{
    if (id.generation != 1 || id.index1 < 1 || id.index1 > (uint32_t)w->deviceCount) {
        return plWorld_Fail(w, pl_statusBadId, "there is no such device");
    }
    if (!atLeast0(force) || !atLeast0(torque)) {
        return plWorld_Fail(w, pl_statusBadArgument, "limits must not be negative");
    }
    w->devices[id.index1 - 1].forceLimit = force;
    w->devices[id.index1 - 1].torqueLimit = torque;
    return pl_statusOk;
}
