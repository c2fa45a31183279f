// A scene with the pointer that every scene can be touched with.
#ifndef PALP_TEST_TOUCHED_H
#define PALP_TEST_TOUCHED_H

#include "math/math.h"
#include "palp/scene.h"
#include "scene/scene.h"
#include "worlds.h"

#include <string.h>

typedef struct {
    plScene* scene;
    plWorld* world;
    plPointer pointer;
    double T;
} Touched;

static inline Touched touchScene(plScene* scene)
{
    Touched t = {.scene = scene};
    plSceneError error;
    if (plScene_CreateTouchable(t.scene, &t.world, &t.pointer, &error) != pl_statusOk) {
        fail_msg("%s", error.message);
    }
    t.T = 1 / plScene_Rate(t.scene);
    return t;
}

static inline Touched touch(const char* file)
{
    plScene* scene;
    plSceneError error;
    if (plScene_Load(file, NULL, 0, &scene, &error) != pl_statusOk) fail_msg("%s", error.message);
    return touchScene(scene);
}

static inline void letGo(Touched* t)
{
    plWorld_Destroy(t->world);
    plScene_Destroy(t->scene);
}

static inline plVec3 placeOf(const Touched* t, plSite site)
{
    plMotion m;
    checkOk(t->world, plWorld_Motion(t->world, site, &m));
    return m.x;
}

static inline double largest(plVec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

static inline bool canMove(const plWorld* w, plMechanismId id)
{
    return strcmp(plWorld_MechanismType(w, id), "prescribed") != 0;
}

/// The last part of a mechanism; a soft body is taken by the middle of a face.
static inline plSite lastPart(const plWorld* w, plMechanismId id)
{
    if (strcmp(plWorld_MechanismType(w, id), "soft") == 0) {
        return (plSite){.mechanism = id, .part = 1, .point = {1 / 3.0, 1 / 3.0, 1 / 3.0}};
    }
    return (plSite){.mechanism = id, .part = plWorld_PartCount(w, id) - 1};
}

/// The last part of the last mechanism that can move: an end that swings, a box on top.
static inline plSite endOf(const plWorld* w)
{
    for (int i = plWorld_MechanismCount(w) - 1; i >= 0; --i) {
        const plMechanismId id = plWorld_Mechanism(w, i);
        if (canMove(w, id)) return lastPart(w, id);
    }
    return (plSite){.part = 0};
}

#endif
