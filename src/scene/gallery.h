// gallery: the scenes that come with palp, and those of the user's own folder.
#ifndef PL_SCENE_GALLERY_H
#define PL_SCENE_GALLERY_H

#include <stdbool.h>
#include <stddef.h>

enum { plPathLength = 4096, plSceneNameSize = 64 };

/// The file of a scene. What has a slash or ends in .json is a path and stays as it is; any other
/// name is looked for as NAME.json in the folders of the gallery: $PALP_SCENES, ./scenes, those of
/// the sources that palp was built from, those that were installed. False: `message` says why.
bool plGallery_Find(const char* name, char* file, size_t size, char* message, size_t messageSize);

typedef struct {
    int count;
    char (*names)[plSceneNameSize];
} plGallery;

/// All names, sorted, each once. False: no memory.
bool plGallery_List(plGallery*);
void plGallery_Free(plGallery*);

#endif
