// A heap of cubes, for tests of many contacts.
#ifndef PALP_TEST_HEAP_H
#define PALP_TEST_HEAP_H

#include "worlds.h"

/// n cubes of 0.1 m in a heap that leans on itself.
static inline plWorld* heap(plLawName law, int n)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    def.contact.law = law;
    def.capacity.contacts = 512;
    def.capacity.rows = 600; // of links and all contacts, dense
    def.capacity.memory = 128u << 20;
    checkOk(NULL, plWorld_Create(&def, &w));
    addFloor(w, 0);
    for (int i = 0; i < n; ++i) {
        addCube(w, partName(i), 1, 0.05, (plVec3){0.03 * (i % 3), 0.02 * (i % 4), 0.06 + 0.11 * i});
    }
    return w;
}

static inline void run(plWorld* w, double T, int steps)
{
    for (int i = 0; i < steps; ++i) plWorld_Step(w, T);
}

#endif
