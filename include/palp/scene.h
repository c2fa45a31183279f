// Scenes: JSON files that describe a world and how to run it (doc/scene.md, scenes/scene.schema.json).
#ifndef PALP_SCENE_H
#define PALP_SCENE_H

#include "palp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene that was read and checked.
typedef struct plScene plScene;

/// What is wrong with a scene, and where. `message` is one sentence that names file, line, column
/// or JSON path, what was found and what was expected.
typedef struct {
    plStatus status;   ///< what the call returned
    int line, column;  ///< 1-based; 0: unknown
    char path[256];    ///< "mechanisms[0].mass"; empty for a syntax error
    char message[768]; ///< for a person
} plSceneError;

/// `file` is a path when it has a slash or ends in .json; any other name is that of a scene of the gallery,
/// looked for as NAME.json in $PALP_SCENES, ./scenes, the sources that palp was built from, and where it was
/// installed.
/// A setting is a value put in place of one in the file, before anything is checked:
/// `mechanisms.arm.bodies[0].mass=2` (members of arrays by index, or by their "name").
/// The part behind = is JSON; what is not JSON is taken as a string.
plStatus plScene_Load(const char* file, const char* const* settings, int settingCount, plScene**,
                      plSceneError*);

/// The same from text; `name` stands for the file in messages.
plStatus plScene_Parse(const char* name, const char* text, size_t length,
                       const char* const* settings, int settingCount, plScene**, plSceneError*);
void plScene_Destroy(plScene*); ///< worlds that it made live on

const char* plScene_Title(const plScene*);        ///< a few words
const char* plScene_Description(const plScene*);  ///< one line
double plScene_Time(const plScene*);              ///< how long to run [s]
double plScene_Step(const plScene*);              ///< nominal step [s]
int plScene_ChannelCount(const plScene*);         ///< channels that it wants recorded
const char* plScene_Channel(const plScene*, int); ///< by index

/// The scene with all settings in place, as JSON text.
const char* plScene_Text(const plScene*);

/// The world it describes. A scene makes any number of worlds.
plStatus plScene_CreateWorld(const plScene*, plWorld**, plSceneError*);

/// Step sizes of a run: constant, or random between two bounds from a seed.
typedef struct {
    double min, max;   ///< [s]; equal: constant
    uint64_t state[4]; ///< of the random numbers
} plStepper;

/// At its start, and the next step [s].
plStepper plScene_Stepper(const plScene*);
double plStepper_Next(plStepper*);

#ifdef __cplusplus
}
#endif
#endif
