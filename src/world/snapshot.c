// Snapshot, restoration and hash. All state lies in one arena and holds no pointer.
#include "world/inside.h"

#include <string.h>

typedef struct {
    uint64_t magic, structure, size;
} Header;

static const uint64_t magic = 0x31706e7370616cu; // "lapsnp1"

// What must be equal for a snapshot to fit: names, kinds and sizes, in order.
static uint64_t structure(const plWorld* w)
{
    uint64_t h = plHash_Start();
    const int counts[] = {w->mechanismCount, w->linkCount, w->def.capacity.mechanisms,
                          w->def.capacity.links};
    h = plHash_Add(h, counts, sizeof counts);
    for (int i = 0; i < w->mechanismCount; ++i) {
        const plMechanism* m = w->mechanisms[i];
        const int sizes[] = {plMechanism_Positions(m), plMechanism_Velocities(m),
                             plMechanism_Parts(m), (int)plMechanism_Integrator(m)};
        h = plHash_Add(h, plMechanism_Name(m), strlen(plMechanism_Name(m)));
        h = plHash_Add(h, sizes, sizeof sizes);
    }
    for (int i = 0; i < w->linkCount; ++i) {
        h = plHash_Add(h, w->links[i].name, strlen(w->links[i].name));
        h = plHash_Add(h, &w->links[i].rowCount, sizeof(int));
    }
    return h;
}

size_t plWorld_SnapshotSize(const plWorld* w) { return sizeof(Header) + w->state.used; }

void plWorld_Save(const plWorld* w, void* snapshot)
{
    const Header header = {magic, structure(w), w->state.used};
    memcpy(snapshot, &header, sizeof header);
    memcpy((unsigned char*)snapshot + sizeof header, w->state.memory, w->state.used);
}

plStatus plWorld_Restore(plWorld* w, const void* snapshot, size_t size)
{
    Header header;
    if (size < sizeof header) return plWorld_Fail(w, pl_statusMismatch, NULL);
    memcpy(&header, snapshot, sizeof header);
    if (header.magic != magic || header.structure != structure(w) || header.size != w->state.used ||
        size != sizeof header + w->state.used) {
        return plWorld_Fail(w, pl_statusMismatch, NULL);
    }
    memcpy(w->state.memory, (const unsigned char*)snapshot + sizeof header, w->state.used);
    for (int i = 0; i < w->mechanismCount; ++i) plMechanism_Refresh(w->mechanisms[i]);
    return pl_statusOk;
}

uint64_t plWorld_Hash(const plWorld* w)
{
    return plHash_Add(plHash_Start(), w->state.memory, w->state.used);
}
