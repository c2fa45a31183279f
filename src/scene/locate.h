// Where in a JSON text a value stands.
#ifndef PL_SCENE_LOCATE_H
#define PL_SCENE_LOCATE_H

#include <stddef.h>

/// One step from a value to a part of it: a member of an object, or (key null) of an array.
typedef struct {
    const char* key;
    int index;
} plPathPart;

/// Line (from 1) of the value that a path leads to from the root, or of the last part of the path
/// that is there. The text must have been parsed without error. Time is linear in its length, no
/// recursion.
int plLocate(const char* text, size_t length, const plPathPart* path, int count);

#endif
