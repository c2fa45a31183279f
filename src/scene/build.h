// From JSON values to mechanisms, links and drives of a world.
#ifndef PL_SCENE_BUILD_H
#define PL_SCENE_BUILD_H

#include "scene/reader.h"

enum {
    plMaxMechanisms = 4096,
    plMaxLinks = 4096,
    plMaxDrives = 4096,
    plMaxRows = 1 << 14,   ///< of a group
    plMaxBodies = 256,     ///< of a chain
    plMaxVelocities = 512, ///< of a chain
};

/// A mechanism that was read, for links and drives to refer to.
typedef struct {
    const json_t* json;
    plMechanismId id;
    bool isChain;
    int parts, velocities;
    int group; ///< union-find: index of another mechanism that it is joined with, or its own
    int rows;  ///< link rows of its group; valid for the mechanism that stands for the group
} plBuiltMechanism;

typedef struct {
    plReader* reader;
    plWorld* world; ///< null: a dry run
    plIntegrator integrator;
    json_t* names; ///< name -> index of the mechanism, or -1 for a link
    plBuiltMechanism* mechanisms;
    int mechanismCount, linkCount, driveCount;
} plBuilder;

/// Reads everything behind the head of a scene, and adds it to the world if there is one.
bool plBuilder_Run(plBuilder*, const json_t* root);
void plBuilder_Free(plBuilder*);

/// What a world for this content needs; room to spare included. Valid after a run.
plWorldCapacity plBuilder_Capacity(const plBuilder*);

/// Most link rows of a group.
int plBuilder_Rows(const plBuilder*);

// --- its parts

bool plBuilder_Assembly(plBuilder*, const json_t*, plBuiltMechanism*);
bool plBuilder_Chain(plBuilder*, const json_t*, plBuiltMechanism*);
bool plBuilder_Links(plBuilder*, const json_t* root);
bool plBuilder_Drives(plBuilder*, const json_t* root);

/// Passes on what the world says of an element that was not added.
bool plBuilder_Passed(plBuilder*, plStatus);

/// Takes a name; false (with the error at "name") when it is taken.
bool plBuilder_TakeName(plBuilder*, json_t* names, const char* name, int index);

/// The site that "mechanism", "part" and "point" of an object name; the reader is at the object.
/// `index` is that of the mechanism.
typedef struct {
    const char* mechanism;
    const char* part;
    plVec3 point;
} plSpot;
bool plBuilder_Site(plBuilder*, const plSpot*, plSite*, int* index);

/// What the caller reads of every mechanism: keys that both types know.
#define PL_MECHANISM_FIELDS(type)                                                                  \
    {.key = "type", .kind = pl_fieldOther},                                                        \
        {.key = "name", .kind = pl_fieldName, .offset = offsetof(type, name), .required = true},   \
        {.key = "integrator",                                                                      \
         .kind = pl_fieldChoice,                                                                   \
         .offset = offsetof(type, integrator),                                                     \
         .choices = pl_integratorCount,                                                            \
         .choice = plIntegrator_Name},                                                             \
    {                                                                                              \
        .key = "coefficients", .kind = pl_fieldChoice, .offset = offsetof(type, coefficients),     \
        .choices = pl_coefficientsCount, .choice = plCoefficients_Name                             \
    }

#endif
