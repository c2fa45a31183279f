// Small scenes as text, and what tests do with them. Tests run in the root of the repository.
#ifndef PL_TEST_SCENE_TEXT_H
#define PL_TEST_SCENE_TEXT_H

#include "scene/scene.h"
#include "skips.h"

#include <string.h>

#define BODY "\"mass\": 1, \"inertia\": [1, 1, 1]"
#define BALL(name, more) "{\"type\": \"assembly\", \"name\": \"" name "\", " BODY more "}"
#define ROD(name, more)                                                                            \
    "{\"name\": \"" name "\", \"joint\": \"revolute\", \"mass\": 1, \"rod\": 1" more "}"
#define CHAIN(bodies, more)                                                                        \
    "{\"type\": \"chain\", \"name\": \"c\", \"bodies\": [" bodies "]" more "}"
#define SCENE(mechanisms, more) "{\"mechanisms\": [" mechanisms "]" more "}"
#define SHAPE(type, more) "{\"type\": \"" type "\"" more "}"
#define SHAPES(shapes) ", \"shapes\": [" shapes "]"
#define GROUND(shapes) ", \"ground\": {\"shapes\": [" shapes "]}"
#define ROUND SHAPE("sphere", ", \"radius\": 0.5")

/// An assembly whose mass comes from its shapes.
#define SOLID(name, shapes, more)                                                                  \
    "{\"type\": \"assembly\", \"name\": \"" name "\", \"density\": 1000" SHAPES(shapes) more "}"

/// A ball, and a chain of two rods.
#define TWO_MECHANISMS SCENE(BALL("ball", "") "," CHAIN(ROD("u", "") "," ROD("l", ""), ""), "")

static inline plScene* parse(const char* text, const char* setting)
{
    plScene* scene;
    plSceneError error;
    plStatus status =
        plScene_Parse("a.json", text, strlen(text), &setting, setting ? 1 : 0, &scene, &error);
    if (status != pl_statusOk) fail_msg("%s", error.message);
    return scene;
}

static inline plWorld* create(const plScene* scene)
{
    plWorld* world;
    plSceneError error;
    if (plScene_CreateWorld(scene, &world, &error) != pl_statusOk) fail_msg("%s", error.message);
    return world;
}

/// The error of parsing, or when there is none, of making the world.
static inline plSceneError errorOf(const char* text, const char* setting)
{
    plScene* scene;
    plWorld* world;
    plSceneError error;
    plStatus status =
        plScene_Parse("a.json", text, strlen(text), &setting, setting ? 1 : 0, &scene, &error);
    if (status == pl_statusOk) {
        status = plScene_CreateWorld(scene, &world, &error);
        plScene_Destroy(scene);
        if (status == pl_statusOk) plWorld_Destroy(world);
    }
    if (status == pl_statusOk) fail_msg("no error in %s %s", text, setting ? setting : "");
    assert_int_equal(status, error.status);
    return error;
}

/// A scene on one line, and what is told behind "a.json:1: ".
typedef struct {
    const char* text;
    const char* message;
} Mistake;

static inline void expectMistakes(const Mistake* cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        plSceneError error = errorOf(cases[i].text, NULL);
        char expected[800];
        snprintf(expected, sizeof expected, "a.json:1: %s", cases[i].message);
        assert_string_equal(error.message, expected);
        assert_int_equal(error.status, pl_statusSceneContent);
    }
}

#endif
