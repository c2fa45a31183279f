// Files and text to scenes.
#include "scene/content.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

plReader plScene_Reader(const plScene* s, plSceneError* error)
{
    return (plReader){.file = s->file,
                      .text = s->text,
                      .length = s->length,
                      .set = (const char(*)[plPathSize])s->set,
                      .setCount = s->setCount,
                      .error = error};
}

plBuilder plScene_Builder(const plScene* s, plReader* reader, plWorld* world)
{
    return (plBuilder){.reader = reader,
                       .world = world,
                       .files = s->files,
                       .integrator = s->head.integrator,
                       .step = s->head.stepMin < s->head.stepMax ? 0 : s->head.stepMin,
                       .rate = s->head.rate,
                       .planar = s->head.world.planar,
                       .touches = s->capacity.shapes > 0};
}

void plScene_Destroy(plScene* s)
{
    if (!s) return;
    json_decref(s->root);
    plFiles_Destroy(s->files);
    free(s->resolved);
    free(s->set);
    free(s->text);
    free(s->file);
    free(s);
}

static char* copyText(const char* text, size_t length)
{
    char* copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static plScene* newScene(const char* name, const char* text, size_t length, int settingCount)
{
    plScene* s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->file = copyText(name, strlen(name));
    s->text = copyText(text, length);
    s->length = length;
    s->set = calloc((size_t)settingCount + 1, sizeof *s->set);
    s->files = plFiles_Create();
    if (s->file && s->text && s->set && s->files) return s;
    plScene_Destroy(s);
    return NULL;
}

static bool parseText(plScene* s, plSceneError* error)
{
    json_error_t e;
    s->root = json_loadb(s->text, s->length, JSON_REJECT_DUPLICATES, &e);
    if (s->root) return true;
    char text[JSON_ERROR_TEXT_LENGTH], file[200];
    plPlainText(e.text, text, sizeof text);
    plPlainText(s->file, file, sizeof file);
    bool noMemory = json_error_code(&e) == json_error_out_of_memory;
    *error = (plSceneError){.status = noMemory ? pl_statusNoMemory : pl_statusSceneSyntax,
                            .line = e.line > 0 ? e.line : 1,
                            .column = e.column > 0 ? e.column : 1};
    snprintf(error->message, sizeof error->message, "%s:%d:%d: %s", file, error->line,
             error->column, text);
    return false;
}

static bool applySettings(plScene* s, const char* const* settings, int count, plSceneError* error)
{
    for (int i = 0; i < count; i++) {
        plReader reader = plScene_Reader(s, error);
        reader.text = NULL; // the path is one of the setting: it has no line
        if (!plSetting_Apply(&reader, s->root, settings[i], s->set[i])) return false;
        s->setCount++;
    }
    return true;
}

/// Text that means the same without the settings, and wherever it lies.
static bool resolve(plScene* s, plSceneError* error)
{
    if (!plFiles_MakeAbsolute(s->file, s->root) && s->setCount == 0) return true;
    s->resolved = json_dumps(s->root, JSON_INDENT(2));
    if (!s->resolved) error->status = pl_statusNoMemory;
    return s->resolved;
}

/// Reads everything without making a world.
static bool check(plScene* s, const plReaderWatch* watch, plSceneError* error)
{
    plReader reader = plScene_Reader(s, error);
    reader.watch = watch;
    if (!plHead_Read(&s->head, &reader, s->root)) return false;
    plBuilder builder = plScene_Builder(s, &reader, NULL);
    bool good = plBuilder_Run(&builder, s->root);
    if (good) {
        plWorldCapacity least = plBuilder_Least(&builder);
        s->capacity = plBuilder_Capacity(&builder, &s->head.world, &s->head.given);
        s->lightest = builder.lightest;
        s->heaviest = builder.heaviest;
        s->linkRows = builder.linkRows;
        good = plHead_CheckCapacity(&s->head, &reader, &least);
    }
    plBuilder_Free(&builder);
    return good;
}

bool plScene_Watch(plScene* s, const plReaderWatch* watch)
{
    plSceneError error = {0};
    return check(s, watch, &error);
}

static plStatus failFile(const char* name, plStatus status, const char* reason, plSceneError* error)
{
    char file[400];
    plPlainText(name, file, sizeof file);
    *error = (plSceneError){.status = status};
    snprintf(error->message, sizeof error->message, "%s: %s%s%s", file, plStatus_Sentence(status),
             reason ? ": " : "", reason ? reason : "");
    return status;
}

plStatus plScene_Parse(const char* name, const char* text, size_t length,
                       const char* const* settings, int settingCount, plScene** scene,
                       plSceneError* error)
{
    PL_ASSERT(name && text && scene && settingCount >= 0);
    plSceneError own;
    if (!error) error = &own;
    *error = (plSceneError){0};
    *scene = NULL;
    if (length > plMaxFile) return failFile(name, pl_statusSceneContent, "more than 16 MiB", error);
    plScene* s = newScene(name, text, length, settingCount);
    if (!s) return failFile(name, pl_statusNoMemory, NULL, error);
    if (parseText(s, error) && applySettings(s, settings, settingCount, error) &&
        check(s, NULL, error) && resolve(s, error)) {
        *scene = s;
        return pl_statusOk;
    }
    if (error->message[0] == '\0') failFile(name, error->status, NULL, error);
    plScene_Destroy(s);
    return error->status;
}

plStatus plScene_Load(const char* file, const char* const* settings, int settingCount,
                      plScene** scene, plSceneError* error)
{
    PL_ASSERT(file && scene);
    plSceneError own;
    if (!error) error = &own;
    *scene = NULL;
    char *text, path[plPathLength];
    size_t length;
    const char* why;
    *error = (plSceneError){.status = pl_statusFileOpen};
    if (!plGallery_Find(file, path, sizeof path, error->message, sizeof error->message))
        return error->status;
    // A file that is too long comes with a byte more than is legal, which Parse sees.
    plStatus status = plFile_Read(path, plMaxFile, &text, &length, &why);
    if (status != pl_statusOk) return failFile(path, status, why, error);
    status = plScene_Parse(path, text, length, settings, settingCount, scene, error);
    free(text);
    return status;
}
