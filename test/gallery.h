// Every scene of the gallery, one after the other.
#ifndef PALP_TEST_GALLERY_H
#define PALP_TEST_GALLERY_H

#include "worlds.h"

#include <dirent.h>
#include <string.h>

/// A scene's file, not the schema of all.
static inline int isScene(const struct dirent* entry)
{
    const char* dot = strchr(entry->d_name, '.');
    return dot && strcmp(dot, ".json") == 0;
}

/// Calls `use` with the path of each scene, in the order of their names; with `some` only of the sample.
/// How many there were.
static inline int everyScene(bool some, void (*use)(const char* path))
{
    struct dirent** entries;
    int used = 0;
    const int count = scandir(PALP_SOURCE_SCENES, &entries, isScene, alphasort);
    for (int i = 0; i < count; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", PALP_SOURCE_SCENES, entries[i]->d_name);
        if (!some || sampled(entries[i]->d_name)) {
            use(path);
            ++used;
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    return used;
}

#endif
