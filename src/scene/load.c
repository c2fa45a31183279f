// Files and text to scenes.
#define _POSIX_C_SOURCE 200809L

#include "scene/content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

plReader plScene_Reader(const plScene* s, plSceneError* error)
{
    return (plReader){.file = s->file,
                      .text = s->text,
                      .length = s->length,
                      .set = (const char(*)[plPathSize])s->set,
                      .setCount = s->setCount,
                      .error = error};
}

void plScene_Destroy(plScene* s)
{
    if (!s) return;
    json_decref(s->root);
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
    if (s->file && s->text && s->set) return s;
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
    if (count == 0) return true;
    s->resolved = json_dumps(s->root, JSON_INDENT(2));
    if (!s->resolved) error->status = pl_statusNoMemory;
    return s->resolved;
}

/// Reads everything without making a world.
static bool check(plScene* s, plSceneError* error)
{
    plReader reader = plScene_Reader(s, error);
    if (!plHead_Read(&s->head, &reader, s->root)) return false;
    plBuilder builder = {.reader = &reader, .integrator = s->head.integrator};
    bool good = plBuilder_Run(&builder, s->root);
    if (good) {
        s->needed = plBuilder_Capacity(&builder);
        plWorldCapacity bare = {.mechanisms = builder.mechanismCount,
                                .links = builder.linkCount,
                                .drives = builder.driveCount,
                                .rows = plBuilder_Rows(&builder)};
        good = plHead_CheckCapacity(&s->head, &reader, &bare);
    }
    plBuilder_Free(&builder);
    return good;
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
    if (parseText(s, error) && applySettings(s, settings, settingCount, error) && check(s, error)) {
        *scene = s;
        return pl_statusOk;
    }
    if (error->message[0] == '\0') failFile(name, error->status, NULL, error);
    plScene_Destroy(s);
    return error->status;
}

/// Regular files only: a pipe may never end, and opening it must not wait for its writer.
static plStatus openFile(const char* file, FILE** in, plSceneError* error)
{
    struct stat info;
    const int descriptor = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return failFile(file, pl_statusFileOpen, strerror(errno), error);
    const bool regular = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    *in = regular ? fdopen(descriptor, "rb") : NULL;
    if (*in) return pl_statusOk;
    close(descriptor);
    if (regular) return failFile(file, pl_statusNoMemory, NULL, error);
    return failFile(file, pl_statusFileRead, "not a regular file", error);
}

plStatus plScene_Load(const char* file, const char* const* settings, int settingCount,
                      plScene** scene, plSceneError* error)
{
    PL_ASSERT(file && scene);
    plSceneError own;
    if (!error) error = &own;
    *scene = NULL;
    FILE* in = NULL;
    plStatus status = openFile(file, &in, error);
    if (status != pl_statusOk) return status;
    // One byte more than is legal, so that Parse sees a file that is too long.
    size_t capacity = (size_t)plMaxFile + 1;
    char* text = malloc(capacity);
    if (!text) {
        status = failFile(file, pl_statusNoMemory, NULL, error);
    } else {
        size_t length = fread(text, 1, capacity, in);
        status = ferror(in)
                     ? failFile(file, pl_statusFileRead, strerror(errno), error)
                     : plScene_Parse(file, text, length, settings, settingCount, scene, error);
    }
    free(text);
    fclose(in);
    return status;
}
