// Soft bodies in contact for tests: the clip on its pipe, the table on its floor.
#ifndef PALP_TEST_SOFTS_H
#define PALP_TEST_SOFTS_H

#include "fems.h"
#include "signorini/desk.h"
#include "signorini/snap.h"
#include "signorini/table.h"

/// In place, since factors keep the address of their body.
static inline void openClip(plSnap* snap, const plClipDef* def)
{
    plShapeError error = {0};
    checkMade(plSnap_Open(snap, def, &error), &error);
}

static inline void openBaseClip(plSnap* snap)
{
    const plClipDef def = plDefaultClipDef();
    openClip(snap, &def);
}

/// What a way down and up shows.
typedef struct {
    double push, pushAt;   // the largest force of the hand on the way in [N], and where [mm]
    double in, inAt;       // how hard the clip pulls itself in, at most; below 0: it does not
    double pull, pullAt;   // the largest force of the hand on the way out
    double first;          // where the first contact pushes [mm]
    double down, up, area; // work of the hand [J], and its positive part on the way in
    double sideways;       // largest force across [N]
    double depth, spread;  // [m]
    int failed, solves, iterations, contacts;
} Snap;

static inline double pushWork(const plSnapWay* way)
{
    double work = 0;
    for (int k = 1; k <= way->lowest; ++k) work += fmax(0, plSnapWay_Work(way, k - 1, k));
    return work;
}

static inline Snap snapOf(const plSnapWay* way)
{
    const plSnapPlace* p = way->places;
    const int push = plSnapWay_Peak(way, 0, way->lowest, 1);
    const int in = plSnapWay_Peak(way, push, way->lowest, -1);
    const int pull = plSnapWay_Peak(way, way->lowest, way->count - 1, -1);
    Snap s = {.push = p[push].force.y,
              .pushAt = 1e3 * p[push].y,
              .in = -p[in].force.y,
              .inAt = 1e3 * p[in].y,
              .pull = -p[pull].force.y,
              .pullAt = 1e3 * p[pull].y};
    s.down = plSnapWay_Work(way, 0, way->lowest);
    s.up = plSnapWay_Work(way, way->lowest, way->count - 1);
    s.area = pushWork(way);
    for (int k = 0; k < way->count; ++k) {
        if (s.first == 0 && p[k].active > 0) s.first = 1e3 * p[k].y;
        s.sideways = fmax(s.sideways, hypot(p[k].force.x, p[k].force.z));
        s.depth = fmax(s.depth, p[k].depth);
        s.spread = fmax(s.spread, p[k].spread);
        s.failed += p[k].failed;
        s.solves += p[k].solves;
        s.iterations += p[k].iterations;
        s.contacts = p[k].contacts > s.contacts ? p[k].contacts : s.contacts;
    }
    return s;
}

/// In place.
static inline void openTable(plTable* table, int cells, int beams, int sides)
{
    plShapeError error = {0};
    checkMade(plTable_Open(table, cells, beams, sides, &error), &error);
}

#endif
