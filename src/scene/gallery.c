#define _POSIX_C_SOURCE 200809L

#include "scene/gallery.h"

#include "base/base.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PALP_SOURCE_SCENES
#define PALP_SOURCE_SCENES ""
#endif
#ifndef PALP_DATA_DIR
#define PALP_DATA_DIR ""
#endif

enum { folderCount = 4 };

/// The i-th folder, or "" when there is none.
static const char* folder(int i)
{
    const char* own = getenv("PALP_SCENES");
    const char* const folders[folderCount] = {own ? own : "", "scenes", PALP_SOURCE_SCENES,
                                              sizeof PALP_DATA_DIR > 1 ? PALP_DATA_DIR "/scenes"
                                                                       : ""};
    return folders[i];
}

static bool endsInJson(const char* name)
{
    const size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static void explain(const char* name, char* message, size_t size)
{
    plGallery gallery;
    const char* near = NULL;
    if (plGallery_List(&gallery)) {
        const char** names = calloc((size_t)gallery.count + 1, sizeof *names);
        for (int i = 0; names && i < gallery.count; ++i) names[i] = gallery.names[i];
        if (names) near = plText_Nearest(name, names, gallery.count);
        free(names);
    }
    if (near)
        snprintf(message, size, "there is no scene \"%.80s\"; did you mean \"%s\"?", name, near);
    else
        snprintf(message, size, "there is no scene \"%.80s\"; palp list shows those there are",
                 name);
    plGallery_Free(&gallery);
}

bool plGallery_Find(const char* name, char* file, size_t size, char* message, size_t messageSize)
{
    int length;
    if (strchr(name, '/') || endsInJson(name)) {
        length = snprintf(file, size, "%s", name);
        if ((size_t)length < size) return true;
        snprintf(message, messageSize, "the path of the scene is too long");
        return false;
    }
    for (int i = 0; i < folderCount && name[0]; ++i) {
        if (!folder(i)[0]) continue;
        length = snprintf(file, size, "%s/%s.json", folder(i), name);
        if ((size_t)length < size && access(file, R_OK) == 0) return true;
    }
    explain(name, message, messageSize);
    return false;
}

// ----------------------------------------------------------------------------------- listing

static bool has(const plGallery* g, const char* name)
{
    for (int i = 0; i < g->count; ++i)
        if (strcmp(g->names[i], name) == 0) return true;
    return false;
}

static bool add(plGallery* g, const char* name)
{
    void* more = realloc(g->names, ((size_t)g->count + 1) * sizeof *g->names);
    if (!more) return false;
    g->names = more;
    snprintf(g->names[g->count++], plSceneNameSize, "%s", name);
    return true;
}

static bool addFolder(plGallery* g, const char* path)
{
    DIR* directory = path[0] ? opendir(path) : NULL;
    const struct dirent* entry;
    bool good = true;
    if (!directory) return true;
    while (good && (entry = readdir(directory))) {
        char name[plSceneNameSize];
        const size_t length = strlen(entry->d_name);
        if (!endsInJson(entry->d_name) || length - 5 >= sizeof name) continue;
        if (strcmp(entry->d_name, "scene.schema.json") == 0) continue;
        memcpy(name, entry->d_name, length - 5);
        name[length - 5] = '\0';
        if (!has(g, name)) good = add(g, name);
    }
    closedir(directory);
    return good;
}

static int compareNames(const void* a, const void* b) { return strcmp(a, b); }

bool plGallery_List(plGallery* g)
{
    *g = (plGallery){0};
    for (int i = 0; i < folderCount; ++i)
        if (!addFolder(g, folder(i))) return false;
    if (g->count > 0) qsort(g->names, (size_t)g->count, sizeof *g->names, compareNames);
    return true;
}

void plGallery_Free(plGallery* g)
{
    free(g->names);
    *g = (plGallery){0};
}
