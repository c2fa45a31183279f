// scene: JSON scenes to worlds, with errors that name line and path.
//   in    JSON text and settings
//   out   plScene: checked text, steps, channels; worlds made from it
// The text is parsed once and read twice: a dry run, which checks everything that can be checked
// without a world and counts what one would need, and a run for every world that is made.
#ifndef PL_SCENE_ROOM_H
#define PL_SCENE_ROOM_H

#include "palp/scene.h"

/// What the scene's worlds are created with: as given in the scene, or sized from its content.
/// A memory that was not given is an estimate, which plScene_CreateWorld doubles, at most
/// plMemoryDoublings times, when it turns out too small.
plWorldCapacity plScene_Capacity(const plScene*);

enum { plMemoryDoublings = 5 };

#endif
