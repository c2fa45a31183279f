// A rehearsal: the contact space that the next tick would meet, as a file.
#include "world/inside.h"

typedef struct {
    const char* path;
    int most;
    plStatus status;
} Freezer;

static void meet(void* self, const plSpace* space)
{
    Freezer* f = self;
    if (space->count <= f->most) return;
    f->most = space->count;
    f->status = plSpace_Save(space, f->path);
}

plStatus plWorld_Freeze(plWorld* w, double T, const char* path)
{
    if (!(T > 0) || !isfinite(T)) {
        return plWorld_Fail(w, pl_statusBadArgument, "a step must be positive and finite");
    }
    const size_t size = plWorld_SnapshotSize(w);
    Freezer freezer = {.path = path, .status = pl_statusNotFound};
    void* snapshot = w->def.allocator.take(w->def.allocator.self, size);
    if (!snapshot) return plWorld_Fail(w, pl_statusNoMemory, NULL);
    plWorld_Save(w, snapshot);
    w->meet = meet;
    w->meetSelf = &freezer;
    w->events.asleep = true;
    plWorld_Step(w, T);
    w->meet = NULL;
    plWorld_Restore(w, snapshot, size);
    w->events.asleep = false;
    w->def.allocator.release(w->def.allocator.self, snapshot, size);
    if (freezer.status == pl_statusNotFound) {
        return plWorld_Fail(w, pl_statusNotFound, "there is no contact to freeze");
    }
    return freezer.status == pl_statusOk ? pl_statusOk : plWorld_Fail(w, freezer.status, NULL);
}
