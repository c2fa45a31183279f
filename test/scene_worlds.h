// Worlds of the gallery's scenes.
#ifndef PALP_TEST_SCENE_WORLDS_H
#define PALP_TEST_SCENE_WORLDS_H

#include "palp/scene.h"
#include "worlds.h"

/// Of a scene, with one setting; null: none.
static inline plWorld* sceneWorldWith(const char* name, const char* setting)
{
    char path[256];
    plScene* scene;
    plSceneError error;
    plWorld* world;
    snprintf(path, sizeof path, "%s/%s.json", PALP_SOURCE_SCENES, name);
    if (plScene_Load(path, &setting, setting ? 1 : 0, &scene, &error) != pl_statusOk)
        fail_msg("%s", error.message);
    if (plScene_CreateWorld(scene, &world, &error) != pl_statusOk) fail_msg("%s", error.message);
    plScene_Destroy(scene);
    return world;
}

static inline plWorld* sceneWorld(const char* name) { return sceneWorldWith(name, NULL); }

#endif
