// What a scene holds.
#ifndef PL_SCENE_CONTENT_H
#define PL_SCENE_CONTENT_H

#include "scene/build.h"
#include "scene/scene.h"

enum {
    plMaxFile = 16 << 20, ///< bytes of a scene
    plMaxChannels = 4096,
    plChannelSize = 96 ///< of a channel's name, with its end
};

/// Everything but what is in the world.
typedef struct {
    const char* schema; ///< for editors; without effect
    const char* title;
    const char* description;
    const char* paper;          ///< that it comes from, "": none
    const char* passiveVariant; ///< scene that is passive where this one is not, "": none
    double rate;                ///< that it is meant to be touched at [Hz]; 0: one over the step
    double time;                ///< [s]
    double stepMin, stepMax;    ///< [s]
    size_t seed;
    plIntegrator integrator; ///< of mechanisms that name none
    plWorldDef world;
    plWorldCapacity given;  ///< -1, or 0 for memory: sized from the content
    const json_t* channels; ///< null: the default ones
} plHead;

struct plScene {
    char* file;
    char* text;
    size_t length;
    json_t* root;   ///< with settings in place
    char* resolved; ///< text of root; null: `text` is
    char (*set)[plPathSize];
    int setCount;
    plHead head;
    plFiles* files;
    plWorldCapacity capacity;  ///< as given, or from the content
    double lightest, heaviest; ///< part that can move [kg]; 0: there is none
    int linkRows;              ///< of all links
};

/// A reader at the root of the scene, and what reads its content with it.
plReader plScene_Reader(const plScene*, plSceneError*);
plBuilder plScene_Builder(const plScene*, plReader*, plWorld*);

/// Reads a scene again, which changes nothing, and tells of every table of fields.
bool plScene_Watch(plScene*, const plReaderWatch*);

/// Reads all but the content; checks capacities that are given against what is needed.
bool plHead_Read(plHead*, plReader*, const json_t* root);
bool plHead_ReadContact(plHead*, plReader*, const json_t* root);
bool plHead_CheckCapacity(const plHead*, plReader*, const plWorldCapacity* needed);

/// Checks that a world has all the channels that a scene wants to record.
bool plHead_CheckChannels(const plHead*, plReader*, const plWorld*);

/// Capacity of a touchable world, and what is added to it.
plWorldCapacity plPointer_Capacity(const plScene*);
plStatus plPointer_Add(plPointer*, const plScene*, plWorld*);

/// Puts the value of `setting` ("path=value") in its place below root. Writes the path, with
/// indices in place of names.
bool plSetting_Apply(plReader*, json_t* root, const char* setting, char path[plPathSize]);

#endif
