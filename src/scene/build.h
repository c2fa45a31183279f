// From JSON values to everything that a world holds.
#ifndef PL_SCENE_BUILD_H
#define PL_SCENE_BUILD_H

#include "palp/soft.h"
#include "scene/files.h"

enum {
    plMaxMechanisms = 4096,
    plMaxLinks = 4096,
    plMaxDrives = 4096,
    plMaxRows = 1 << 14,   ///< of a group
    plMaxBodies = 256,     ///< of a chain
    plMaxVelocities = 512, ///< of a chain
    plMaxShapes = 1 << 16,
    plMaxMaterials = 256,
    plMaxMaterialPairs = 4096,
    plMaxContacts = 1 << 14,
    plMaxPairs = 1 << 20,    ///< of shapes whose bounds meet
    plMaxSurfaces = 1 << 16, ///< pairs with a sculpted surface
    plMaxIgnored = 4096,
    plMaxDevices = 1024,
    plMaxCouplings = 1024,
    plMaxWaypoints = 4096 ///< in a scene's text; a file may have plHandPoints
};

/// A mechanism that was read, for links and drives to refer to.
typedef struct {
    const json_t* json;
    plMechanismId id;
    bool isChain, isJointed;
    int parts, velocities;
    int jointRows;   ///< of a jointed assembly
    plTets* tets;    ///< of a soft body; null: it is none
    bool isDynamic;  ///< of soft bodies: its nodes move by themselves
    bool isImplicit; ///< of soft bodies: of its links, too
    plVec3 center;   ///< of a soft body, where its frame is in the mesh's; known with a world
    int group;       ///< union-find: index of another mechanism that it is joined with, or its own
    int rows;        ///< link rows of its group; valid for the mechanism that stands for the group
} plBuiltMechanism;

typedef struct plBlock plBlock;

typedef struct {
    plReader* reader;
    plWorld* world; ///< null: a dry run
    plFiles* files;
    plIntegrator integrator;
    double step; ///< of the scene [s]; 0: steps differ
    double rate; ///< of the scene [Hz]; 0: one over the step
    bool planar;
    bool touched;  ///< a person will hold its devices: none is without limits
    bool touches;  ///< the world has room for shapes; else materials and the like are only checked
    json_t* names; ///< name -> index of the mechanism, or -1 for what is none
    plBuiltMechanism* mechanisms;
    json_t* materials; ///< name -> index
    plMaterialId* materialIds;
    json_t* devices; ///< name -> index
    plDeviceId* deviceIds;
    int mechanismCount, linkCount, driveCount, materialCount, shapeCount, ignoredCount;
    int deviceCount, couplingCount;
    int pointCount;            ///< waypoints of all hands
    int linkRows;              ///< of all links
    int carrierCount;          ///< parts of mechanisms that carry shapes
    int softFaces, softNodes;  ///< of all soft bodies
    int softContacts;          ///< that they are given room for
    size_t softState;          ///< [bytes]
    size_t shapeMemory;        ///< [bytes]
    size_t guideMemory;        ///< of surfaces that guide points [bytes]
    size_t potentialMemory;    ///< of the tables of potentials [bytes]
    double lightest, heaviest; ///< part that can move [kg]; 0: there is none
    plBlock* blocks;
} plBuilder;

/// Reads everything behind the head of a scene, and adds it to the world if there is one.
bool plBuilder_Run(plBuilder*, const json_t* root);
void plBuilder_Free(plBuilder*);

/// What a world for this content needs, room to spare included; counts that are given (not -1)
/// stand, and memory (0: not given) follows from all of them. Valid after a run.
plWorldCapacity plBuilder_Capacity(const plBuilder*, const plWorldDef*,
                                   const plWorldCapacity* given);

/// The same without room to spare, memory, contacts and pairs: a scene that gives less is wrong.
plWorldCapacity plBuilder_Least(const plBuilder*);

// --- its parts

bool plBuilder_Materials(plBuilder*, const json_t* root);
bool plBuilder_MaterialPairs(plBuilder*, const json_t* root);
bool plBuilder_Ground(plBuilder*, const json_t* root);
bool plBuilder_Assembly(plBuilder*, const json_t*);
bool plBuilder_Chain(plBuilder*, const json_t*);
bool plBuilder_Jointed(plBuilder*, const json_t*);
bool plBuilder_Prescribed(plBuilder*, const json_t*);
bool plBuilder_Soft(plBuilder*, const json_t*);
/// Where the patches of a sculpted surface come from.
typedef enum {
    pl_madeSphere,
    pl_madeCylinder,
    pl_madeCone,
    pl_madeTorus,
    pl_madeCount ///< it is not made
} plMadeSurface;
const char* plMadeSurface_Name(int);
typedef struct {
    const char* file;
    double scale;
    plMadeSurface made;
    double radius, length, tube; ///< [m]
    plVec3 stretch;
} plPatchSource;
bool plBuilder_Patches(plBuilder*, const json_t*, const plPatchSource*, plShapeDef*);
/// The mesh under the key "mesh" of a soft body; the caller frees it.
bool plBuilder_Tets(plBuilder*, const json_t*, plTets*);
bool plBuilder_Links(plBuilder*, const json_t* root);
bool plBuilder_Drives(plBuilder*, const json_t* root);
bool plBuilder_Devices(plBuilder*, const json_t* root);
/// Under the key "pantograph" of a device, if it is there.
bool plBuilder_Pantograph(plBuilder*, const json_t* device, plDeviceDef*);
bool plBuilder_Couplings(plBuilder*, const json_t* root);
/// What a coupling of the type "grip" has besides; the reader is at it.
bool plBuilder_Grip(plBuilder*, const json_t*, plGripDef*);
/// As many numbers as an array under a key must have; null where the key is missing.
const double* plBuilder_Numbers(plBuilder*, const json_t*, const char* key, int count);
bool plBuilder_Ignored(plBuilder*, const json_t* root);

/// Zeroed memory until plBuilder_Free. Null: there is none, and the reader has failed.
void* plBuilder_Take(plBuilder*, int count, size_t size);

/// Passes on what the world says of an element that was not added.
bool plBuilder_Passed(plBuilder*, plStatus);

/// Room for one more mechanism; its name is taken. Null: the reader has failed.
plBuiltMechanism* plBuilder_NewMechanism(plBuilder*, const json_t*, const char* name);

/// A part that can move has this mass; without any it does not count.
void plBuilder_NoteMass(plBuilder*, double mass);

/// Takes a name; false (with the error at "name") when it is taken.
bool plBuilder_TakeName(plBuilder*, json_t* names, const char* name, int index);

/// The site that "mechanism", "part" and "point" of an object name; the reader is at the object.
/// `index` is that of the mechanism.
typedef struct {
    const char* mechanism;
    const char* part;
    plVec3 point;
    bool whole; ///< the part is meant, and no point of it
} plSpot;
bool plBuilder_Site(plBuilder*, const plSpot*, plSite*, int* index);
/// The same of a soft body: its frame, or of the part "surface" the spot nearest to the point.
bool plBuilder_SoftSite(plBuilder*, const plBuiltMechanism*, const plSpot*, plSite*);

/// What the caller reads of every mechanism: keys that assemblies and chains know.
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

// --- shapes of a part

typedef struct {
    int count;
    plPartShapeDef* shapes;
    double density; ///< 0: none was given
    plMass mass;    ///< of all together; valid with a density
    double extent;  ///< farthest point of any of them from the part's origin [m]; with a density
    size_t memory;  ///< that they take in a world [bytes]
} plPartShapes;

/// Reads "shapes" and "density" of the object that the reader is at. What else says a mass is an
/// error beside a density.
bool plBuilder_ReadShapes(plBuilder*, const json_t*, plPartShapes*);

/// Gives them to a part; the reader is at the object that they were read from.
bool plBuilder_AddShapes(plBuilder*, const plPartShapes*, plMechanismId, int part);

// --- what bodies of assemblies, chains and jointed assemblies share

/// Mass and inertia as given, or as the shapes have them: then the frame must be at their centre.
bool plBuilder_BodyMass(plBuilder*, const json_t*, const plPartShapes*, double* mass, plMat3*);

/// Enters the array "bodies" of a mechanism, of at least one body; how many there are. The caller
/// leaves it.
int plBuilder_EnterBodies(plBuilder*, const json_t*, int most, json_t** array);

/// Gives shapes to the bodies of a mechanism, one after the other; the reader is at the mechanism.
bool plBuilder_AddBodyShapes(plBuilder*, const plPartShapes*, int count, plMechanismId);

/// As many numbers as asked for; one may stand without an array.
bool plReader_OneOrMore(plReader*, const json_t*, int count, double* out);

/// Reads one shape; the reader is at it.
bool plBuilder_ReadShape(plBuilder*, const json_t*, plPartShapeDef*);

/// The material of that name; null: the world's own. What is wrong is told at "material".
bool plBuilder_Material(plBuilder*, const char* name, plMaterialId*);

/// Makes a shape and throws it away: what is wrong with it is told where the reader is. With a
/// density, its mass is added to `sum`, which may be null.
bool plBuilder_TryShape(plBuilder*, const plShapeDef*, plPartShapes* sum);

// --- copies of an assembly

typedef struct {
    int counts[3];
    plVec3 pitch;  ///< [m]
    double jitter; ///< [m]
    double turn;   ///< [rad]
    size_t seed;
} plGrid;

/// The reader is at the object.
bool plReader_Grid(plReader*, const json_t*, plGrid*);

/// Place of the copy of that index, x fastest. Copies are asked for in order: each draws the same
/// number of random numbers, whatever the grid does with them.
plPose plGrid_Pose(const plGrid*, plRng*, int index, bool planar, plPose first);

#endif
