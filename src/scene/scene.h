// scene: JSON scenes to worlds, with errors that name line and path.
//   in    JSON text and settings
//   out   plScene: checked text, steps, channels; worlds made from it
// The text is parsed once and read twice: a dry run, which checks everything that can be checked
// without a world and counts what one would need, and a run for every world that is made.
#ifndef PL_SCENE_ROOM_H
#define PL_SCENE_ROOM_H

#include "palp/scene.h"
#include "scene/gallery.h"

/// What the scene's worlds are created with: as given in the scene, or sized from its content.
/// A memory that was not given is an estimate, which plScene_CreateWorld doubles, at most
/// plMemoryDoublings times, when it turns out too small.
plWorldCapacity plScene_Capacity(const plScene*);

enum { plMemoryDoublings = 5 };

const char* plScene_Paper(const plScene*); ///< that it comes from, "": none
/// Name of the scene with the same task by a passive method, of a scene that is not; "": none.
const char* plScene_PassiveVariant(const plScene*);
double plScene_Rate(const plScene*); ///< that it is meant to be touched at [Hz]
bool plScene_IsPlanar(const plScene*);

/// What a person at a screen touches a world with: a simulated device, which nobody holds at first, and
/// a virtual coupling that holds nothing as yet.
typedef struct {
    plDeviceId device;     ///< "pointer"
    plCouplingId coupling; ///< "grasp"
} plPointer;

/// The world of the scene with these two besides, under other names where a scene has them itself.
/// Their stiffness suits the masses of the world: see pointer.c.
plStatus plScene_CreateTouchable(const plScene*, plWorld**, plPointer*, plSceneError*);

#endif
