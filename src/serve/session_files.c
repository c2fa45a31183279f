// Files that a scene refers to, in a session: their names as seen from the scene, and what they held. A
// session holds no path of the machine where it was made.
#define _XOPEN_SOURCE 700 // realpath

#include "serve/inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t folderOf(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/// False: it cannot be read.
static bool hashFile(const char* path, char text[17])
{
    unsigned char bytes[4096];
    uint64_t hash = plHash_Start();
    size_t n;
    FILE* from = fopen(path, "rb");
    if (!from) return false;
    while ((n = fread(bytes, 1, sizeof bytes, from)) > 0) hash = plHash_Add(hash, bytes, n);
    const bool good = !ferror(from);
    fclose(from);
    snprintf(text, 17, "%016" PRIx64, hash);
    return good;
}

/// A path as seen from a folder, both absolute: up to where they part, and down again.
static void relative(const char* folder, size_t length, const char* path, char* out, size_t size)
{
    size_t same = 0, used = 0;
    for (size_t i = 0; i < length && folder[i] == path[i]; ++i) {
        if (folder[i] == '/') same = i + 1;
    }
    for (size_t i = same; i < length; ++i) {
        if (folder[i] == '/' && used + 3 < size)
            used += (size_t)snprintf(out + used, size - used, "../");
    }
    snprintf(out + used, size - used, "%s", path + same);
}

static void name(json_t* object, const char* key, const char* folder, json_t* list)
{
    const char* path = json_string_value(json_object_get(object, key));
    char out[4096], hash[17];
    if (!path || path[0] != '/' || !hashFile(path, hash)) return;
    relative(folder, folderOf(folder), path, out, sizeof out);
    json_object_set_new(object, key, json_string(out));
    json_array_append_new(list, json_pack("{ss ss}", "name", out, "hash", hash));
}

static void nameAll(json_t* value, const char* folder, json_t* list)
{
    const char* key;
    json_t* member;
    size_t i;
    if (json_is_object(value)) {
        name(value, "file", folder, list);
        name(value, "motion", folder, list);
        json_object_foreach(value, key, member) nameAll(member, folder, list);
    }
    json_array_foreach(value, i, member) nameAll(member, folder, list);
}

json_t* plSceneFiles_Name(json_t* scene, const char* sceneFile)
{
    json_t* list = json_array();
    char* absolute = realpath(sceneFile, NULL);
    if (absolute) nameAll(scene, absolute, list);
    free(absolute);
    return list;
}

const char* plSceneFiles_Complaint(const json_t* list, const char* sessionFile, char* text,
                                   size_t size)
{
    const json_t* file;
    size_t i;
    json_array_foreach(list, i, file)
    {
        const char* called = json_string_value(json_object_get(file, "name"));
        const char* expected = json_string_value(json_object_get(file, "hash"));
        char path[8192], hash[17];
        if (!called || !expected) return "\"files\" is a list of names and hashes";
        const size_t folder = called[0] == '/' ? 0 : folderOf(sessionFile);
        snprintf(path, sizeof path, "%.*s%s", (int)folder, sessionFile, called);
        const bool there = hashFile(path, hash);
        if (there && strcmp(hash, expected) == 0) continue;
        snprintf(text, size,
                 "its scene refers to %.200s, which %s; put the file of the scene there", called,
                 there ? "is not what it was" : "is not there, seen from the session");
        return text;
    }
    return NULL;
}
