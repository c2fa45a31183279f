// A scene and its world, with the settings of the command line.
#include "app.h"

#include "base/base.h"
#include "scene/scene.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { longest = 256 };

/// Settings in the order in which they are put into the scene.
typedef struct {
    int count, capacity;
    char (*own)[longest]; ///< those made here
    const char** texts;   ///< all
} Settings;

static bool reserve(Settings* s, int capacity)
{
    s->capacity = capacity;
    s->own = calloc((size_t)capacity, sizeof *s->own);
    s->texts = calloc((size_t)capacity, sizeof *s->texts);
    return s->own && s->texts;
}

static void release(Settings* s)
{
    free(s->own);
    free(s->texts);
}

static char* addOwn(Settings* s)
{
    PL_ASSERT(s->count < s->capacity);
    s->texts[s->count] = s->own[s->count];
    return s->own[s->count++];
}

static int addSeconds(Settings* s, const plArguments* a, const char* option, const char* key)
{
    const char* text = plArguments_Value(a, option);
    char* end;
    if (!text) return pl_exitOk;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0) || !isfinite(value))
        return plComplain(pl_exitInput, "%s takes a number of seconds above 0, found \"%s\"",
                          option, text);
    snprintf(addOwn(s), longest, "%s=%.17g", key, value);
    return pl_exitOk;
}

static int addName(Settings* s, const plArguments* a, const char* option, const char* key,
                   int count, const char* (*nameOf)(int))
{
    enum { most = 16 };
    const char* names[most];
    const char* text = plArguments_Value(a, option);
    char hint[64], all[longest] = "";
    PL_ASSERT(count <= most);
    if (!text) return pl_exitOk;
    for (int i = 0; i < count; ++i) {
        const size_t used = strlen(all);
        names[i] = nameOf(i);
        snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (plName_Find(text, count, nameOf) < 0) {
        plDidYouMean(text, names, count, hint, sizeof hint);
        return plComplain(pl_exitInput, "%s takes one of %s, found \"%s\"%s", option, all, text,
                          hint);
    }
    snprintf(addOwn(s), longest, "%s=%s", key, text);
    return pl_exitOk;
}

static int addAll(Settings* s, const plArguments* a)
{
    for (int i = 0; i < a->givenCount; ++i)
        if (strcmp(a->given[i].option->name, "--set") == 0)
            s->texts[s->count++] = a->given[i].value;
    int code = addSeconds(s, a, "--time", "time");
    if (code == pl_exitOk) code = addSeconds(s, a, "--step", "step");
    if (code == pl_exitOk) code = addName(s, a, "--law", "law", pl_lawCount, plLawName_Name);
    if (code == pl_exitOk)
        code = addName(s, a, "--integrator", "integrator", pl_integratorCount, plIntegrator_Name);
    return code;
}

/// Mechanisms that name an integrator of their own hide the scene's: they are set one by one.
static bool addOwnIntegrators(const Settings* s, const plScene* scene, const char* integrator,
                              Settings* more)
{
    const json_t* mechanism;
    size_t i;
    json_t* root = json_loads(plScene_Text(scene), 0, NULL);
    const json_t* mechanisms = json_object_get(root, "mechanisms");
    const bool good = root && reserve(more, s->count + (int)json_array_size(mechanisms) + 1);
    if (good) {
        memcpy(more->texts, s->texts, (size_t)s->count * sizeof *s->texts);
        more->count = s->count;
        json_array_foreach(mechanisms, i, mechanism)
        {
            if (json_object_get(mechanism, "integrator"))
                snprintf(addOwn(more), longest, "mechanisms[%zu].integrator=%s", i, integrator);
        }
    }
    json_decref(root);
    return good;
}

static int load(const plArguments* a, const char* file, const Settings* s, plScene** scene)
{
    plSceneError error;
    const char* integrator = plArguments_Value(a, "--integrator");
    *scene = NULL;
    plStatus status = plScene_Load(file, s->texts, s->count, scene, &error);
    if (status == pl_statusOk && integrator) {
        Settings more = {0};
        const bool good = addOwnIntegrators(s, *scene, integrator, &more);
        plScene_Destroy(*scene);
        *scene = NULL;
        if (good) status = plScene_Load(file, more.texts, more.count, scene, &error);
        release(&more);
        if (!good) return plComplain(pl_exitInput, "no memory");
    }
    if (status == pl_statusOk) return pl_exitOk;
    *scene = NULL;
    return plComplain(pl_exitInput, "%s", error.message);
}

int plOpen(const plArguments* a, const char* name, plOpened* opened)
{
    enum { optionSettings = 4 }; // --time, --step, --law, --integrator
    Settings settings = {0};
    plSceneError error;
    *opened = (plOpened){0};
    int code = reserve(&settings, a->givenCount + optionSettings)
                   ? addAll(&settings, a)
                   : plComplain(pl_exitInput, "no memory");
    if (code == pl_exitOk) code = load(a, name, &settings, &opened->scene);
    release(&settings);
    if (code != pl_exitOk) return code;
    if (plScene_CreateWorld(opened->scene, &opened->world, &error) != pl_statusOk) {
        opened->world = NULL;
        return plComplain(pl_exitInput, "%s", error.message);
    }
    return pl_exitOk;
}

void plNoteLaw(const plArguments* a, const plOpened* opened)
{
    if (plScene_Capacity(opened->scene).shapes > 0) return;
    json_t* root = json_loads(plScene_Text(opened->scene), 0, NULL);
    if (json_object_get(root, "law"))
        fprintf(stderr, "palp: note: %s has no effect on a scene without contacts\n",
                plArguments_Has(a, "--law") ? "--law" : "\"law\"");
    json_decref(root);
}

void plClose(plOpened* opened)
{
    plWorld_Destroy(opened->world);
    if (opened->scene) plScene_Destroy(opened->scene);
    *opened = (plOpened){0};
}

void plAdvise(const plWorld* world)
{
    char text[512];
    for (int i = 0; plWorld_Advice(world, i, text, sizeof text) > 0; ++i)
        fprintf(stderr, "palp: warning: %s\n", text);
}
