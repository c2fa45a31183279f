// Values that cross the border of the library: status codes, vectors, poses, allocator.
// SI units, right-handed axes, unit quaternions (w, x, y, z), `double` everywhere.
#ifndef PALP_TYPES_H
#define PALP_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Of these headers; a library of another minor version does not fit them.
#define PALP_VERSION_MAJOR 0
#define PALP_VERSION_MINOR 1
#define PALP_VERSION_PATCH 0

/// The one list of status codes: name, and the sentence that a person reads.
#define PL_STATUS_LIST(X)                                                                          \
    X(Ok, "no error")                                                                              \
    X(NoMemory, "the system gave no memory")                                                       \
    X(Capacity, "a capacity of the world's definition is too small")                               \
    X(BadArgument, "an argument is out of its range")                                              \
    X(BadId, "an id does not name anything in this world")                                         \
    X(NotFound, "no such name")                                                                    \
    X(Duplicate, "the name is taken")                                                              \
    X(FileOpen, "the file cannot be opened")                                                       \
    X(FileRead, "the file cannot be read")                                                         \
    X(FileWrite, "the file cannot be written")                                                     \
    X(FileFormat, "the file is not of the expected format")                                        \
    X(SceneSyntax, "the scene is not valid JSON")                                                  \
    X(SceneContent, "the scene does not describe a world")                                         \
    X(Mismatch, "the data belong to another world")                                                \
    X(Busy, "another recorder writes it")                                                          \
    X(Exists, "the file is there already")                                                         \
    X(Damaged, "the data are damaged")                                                             \
    X(Stale, "the id names something that was removed")

/// What became of a call.
typedef enum {
#define X(name, sentence) pl_status##name,
    PL_STATUS_LIST(X)
#undef X
        pl_statusCount
} plStatus;

/// "Capacity", and its sentence. Any value is legal.
const char* plStatus_Name(plStatus);
const char* plStatus_Sentence(plStatus);

/// "0.1.0"
const char* plVersion(void);

/// A vector, or a point.
typedef struct {
    double x, y, z; ///< components
} plVec3;

/// A unit quaternion.
typedef struct {
    double w, x, y, z; ///< real part first
} plQuat;

/// A matrix by its rows.
typedef struct {
    plVec3 x, y, z; ///< rows
} plMat3;

/// Place of a frame: origin [m], orientation (frame to parent).
typedef struct {
    plVec3 p; ///< origin
    plQuat q; ///< orientation
} plPose;

/// World axes.
typedef struct {
    plVec3 force, torque; ///< [N], [N m]
} plWrench;

/// Motion of a point of a body: place [m], orientation (body to world), velocity [m/s] and spin
/// [rad/s] in world axes.
typedef struct {
    plVec3 x;    ///< place
    plMat3 R;    ///< orientation
    plVec3 v, w; ///< velocity, spin
} plMotion;

/// Where memory comes from; used at creation only, never inside a step. `size` of release is
/// the size that was taken.
typedef struct {
    void* (*take)(void* self, size_t size);                 ///< null: there is none
    void (*release)(void* self, void* memory, size_t size); ///< what was taken
    void* self;                                             ///< given to both
} plAllocator;

/// malloc and free.
plAllocator plDefaultAllocator(void);

#ifdef __cplusplus
}
#endif
#endif
