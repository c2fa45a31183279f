#define _XOPEN_SOURCE 700 // realpath

#include "scene/files.h"

#include "scene/motion.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { mostBytes = 1 << 30 }; // of a file of triangles, tetrahedra or patches

// ------------------------------------------------------------------------------------- bytes

/// Regular files only: a pipe may never end, and opening it must not wait for its writer.
static plStatus openFile(const char* path, FILE** in, size_t* size, const char** why)
{
    struct stat info;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        *why = strerror(errno);
        return pl_statusFileOpen;
    }
    const bool regular = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    *in = regular ? fdopen(descriptor, "rb") : NULL;
    if (*in) {
        *size = (size_t)info.st_size;
        return pl_statusOk;
    }
    close(descriptor);
    if (regular) return pl_statusNoMemory;
    *why = "not a regular file";
    return pl_statusFileRead;
}

plStatus plFile_Read(const char* path, size_t most, char** bytes, size_t* size, const char** why)
{
    FILE* in = NULL;
    size_t length = 0;
    *bytes = NULL;
    *size = 0;
    *why = NULL;
    plStatus status = openFile(path, &in, &length, why);
    if (status != pl_statusOk) return status;
    if (length > most) length = most + 1;
    char* text = malloc(length + 1);
    if (!text) {
        status = pl_statusNoMemory;
    } else {
        *size = fread(text, 1, length, in);
        text[*size] = '\0';
        if (ferror(in)) {
            *why = strerror(errno);
            status = pl_statusFileRead;
        }
    }
    fclose(in);
    if (status != pl_statusOk)
        free(text);
    else
        *bytes = text;
    return status;
}

// ------------------------------------------------------------------------- what was read

typedef enum { fileTriangles, fileTets, filePatches, fileMotion } Kind;

typedef struct File File;
struct File {
    File* next;
    char* path; ///< absolute
    Kind kind;
    double scale;
    plTriangles triangles;
    plTets tets;
    plPatches patches;
    plWaypoint* points;
    int pointCount;
};

struct plFiles {
    File* first;
};

plFiles* plFiles_Create(void) { return calloc(1, sizeof(plFiles)); }

static void freeFile(File* f)
{
    if (f->kind == fileTriangles) plTriangles_Free(&f->triangles);
    if (f->kind == fileTets) plTets_Free(&f->tets);
    if (f->kind == filePatches) plPatches_Free(&f->patches);
    free(f->points);
    free(f->path);
    free(f);
}

void plFiles_Destroy(plFiles* files)
{
    while (files && files->first) {
        File* f = files->first;
        files->first = f->next;
        freeFile(f);
    }
    free(files);
}

/// A path seen from the folder of the scene's file. The caller frees it; null: no memory.
static char* besideScene(const char* sceneFile, const char* path)
{
    const char* slash = strrchr(sceneFile, '/');
    const size_t folder = path[0] == '/' || !slash ? 0 : (size_t)(slash - sceneFile) + 1;
    const size_t length = strlen(path);
    char* full = malloc(folder + length + 1);
    if (!full) return NULL;
    memcpy(full, sceneFile, folder);
    memcpy(full + folder, path, length + 1);
    return full;
}

static const File* find(const plFiles* files, const char* path, Kind kind, double scale)
{
    for (const File* f = files->first; f; f = f->next)
        if (f->kind == kind && f->scale == scale && strcmp(f->path, path) == 0) return f;
    return NULL;
}

static const char* keyOf(Kind kind) { return kind != fileMotion ? "file" : "motion"; }

static bool failFile(plReader* r, Kind kind, plStatus status, const char* message)
{
    // A capacity of the world would be raised; this one cannot.
    if (status == pl_statusCapacity || status == pl_statusBadArgument)
        status = pl_statusSceneContent;
    plReader_Enter(r, keyOf(kind));
    plReader_Fail(r, status, "%s", message);
    plReader_Leave(r);
    return false;
}

static plStatus parse(File* f, const char* shown, const char* bytes, size_t size,
                      plShapeError* error)
{
    const plAllocator allocator = plDefaultAllocator();
    if (f->kind == fileTriangles)
        return plTriangles_Parse(shown, bytes, size, f->scale, &allocator, &f->triangles, error);
    if (f->kind == fileTets)
        return plTets_Parse(shown, bytes, size, f->scale, &allocator, &f->tets, error);
    if (f->kind == filePatches)
        return plPatches_Parse(shown, bytes, size, f->scale, &allocator, &f->patches, error);
    static_assert(sizeof error->message >= plMotionMessage, "room for the message");
    return plMotion_Parse(shown, bytes, size, &f->points, &f->pointCount, error->message);
}

/// `path` is where the file is, `shown` what the scene calls it.
static bool load(plFiles* files, plReader* r, const char* path, const char* shown, Kind kind,
                 double scale)
{
    plShapeError error = {0};
    char* bytes;
    size_t size;
    const char* why;
    const size_t most = kind != fileMotion ? mostBytes : plMotionBytes;
    plStatus status = plFile_Read(path, most, &bytes, &size, &why);
    if (status != pl_statusOk) {
        snprintf(error.message, sizeof error.message, "%.200s: %s%s%s", shown,
                 plStatus_Sentence(status), why ? ": " : "", why ? why : "");
        return failFile(r, kind, status, error.message);
    }
    File* f = calloc(1, sizeof *f);
    if (f) f->kind = kind, f->scale = scale;
    status = f ? parse(f, shown, bytes, size, &error) : pl_statusNoMemory;
    free(bytes);
    if (status == pl_statusOk) f->path = besideScene("", path);
    if (f && f->path) {
        f->next = files->first;
        files->first = f;
        return true;
    }
    if (status == pl_statusOk)
        freeFile(f);
    else
        free(f);
    return status == pl_statusOk || status == pl_statusNoMemory
               ? plReader_FailMemory(r)
               : failFile(r, kind, status, error.message);
}

static const File* get(plFiles* files, plReader* r, const char* path, Kind kind, double scale)
{
    char* full = besideScene(r->file, path);
    const File* f = full ? find(files, full, kind, scale) : NULL;
    if (!full) plReader_FailMemory(r);
    if (full && !f) {
        // One file may have many names; a file that is not there keeps its own, and fails.
        char* absolute = realpath(full, NULL);
        const char* name = absolute ? absolute : full;
        f = find(files, name, kind, scale);
        if (!f && load(files, r, name, path, kind, scale)) f = files->first;
        free(absolute);
    }
    free(full);
    return f;
}

bool plFiles_Triangles(plFiles* files, plReader* r, const char* path, double scale,
                       const plTriangles** out)
{
    const File* f = get(files, r, path, fileTriangles, scale);
    if (f) *out = &f->triangles;
    return f;
}

bool plFiles_Tets(plFiles* files, plReader* r, const char* path, double scale, const plTets** out)
{
    const File* f = get(files, r, path, fileTets, scale);
    if (f) *out = &f->tets;
    return f;
}

bool plFiles_Patches(plFiles* files, plReader* r, const char* path, double scale,
                     const plPatches** out)
{
    const File* f = get(files, r, path, filePatches, scale);
    if (f) *out = &f->patches;
    return f;
}

bool plFiles_Motion(plFiles* files, plReader* r, const char* path, const plWaypoint** points,
                    int* count)
{
    const File* f = get(files, r, path, fileMotion, 0);
    if (!f) return false;
    *points = f->points;
    *count = f->pointCount;
    return true;
}

// ------------------------------------------------------------------------------- their paths

static bool setAbsolute(const char* sceneFile, json_t* object, const char* key)
{
    const char* path = json_string_value(json_object_get(object, key));
    if (!path) return false;
    char* full = besideScene(sceneFile, path);
    char* absolute = full ? realpath(full, NULL) : NULL;
    // A path that is not UTF-8 stays as it is.
    const bool set = absolute && json_object_set_new(object, key, json_string(absolute)) == 0;
    free(absolute);
    free(full);
    return set;
}

bool plFiles_MakeAbsolute(const char* sceneFile, json_t* value)
{
    const char* key;
    json_t* member;
    size_t i;
    bool any = false;
    if (json_is_object(value)) {
        any = setAbsolute(sceneFile, value, "file");
        if (setAbsolute(sceneFile, value, "motion")) any = true;
        json_object_foreach(value, key, member)
        {
            if (plFiles_MakeAbsolute(sceneFile, member)) any = true;
        }
    }
    json_array_foreach(value, i, member)
    {
        if (plFiles_MakeAbsolute(sceneFile, member)) any = true;
    }
    return any;
}
