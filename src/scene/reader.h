// Typed access to JSON values, table-driven: an object is read by a table of its fields into a
// struct, and every error names file, line, path, what was found and what was expected. The first
// error wins; functions that return bool return false from then on.
#ifndef PL_SCENE_READER_H
#define PL_SCENE_READER_H

#include "base/base.h"
#include "palp/scene.h"
#include "scene/locate.h"

#include <jansson.h>

enum {
    plPathDepth = 16, ///< the format needs 11
    plPathSize = 256, ///< of plSceneError.path
    plNameSize = 32   ///< of a name, with its end
};

typedef struct plReader plReader;
typedef struct plField plField;

/// Told of every table that an object is read by, before it is. Where values go, defaults stand then; null
/// for a field that is read by itself.
/// Tests compare with it what the reader asks for and what the schema says.
typedef struct {
    void (*call)(void* self, const plReader*, const json_t* object, const plField*, int count,
                 const void* out);
    void* self;
} plReaderWatch;

struct plReader {
    const char* file;
    const char* text; ///< as in the file, for line numbers; null: no lines
    size_t length;
    const char (*set)[plPathSize]; ///< paths whose values came from settings
    int setCount;
    plSceneError* error;
    bool failed;
    int depth;
    plPathPart path[plPathDepth];
    const plReaderWatch* watch; ///< null: none
};

void plReader_Enter(plReader*, const char* key);
void plReader_EnterIndex(plReader*, int index);
void plReader_Leave(plReader*);

/// "mechanisms[0].mass" of where the reader is.
void plReader_Path(const plReader*, char* path, size_t size);

/// Sets the error, unless there is one. Always false.
__attribute__((format(printf, 3, 4))) bool plReader_Fail(plReader*, plStatus, const char* format,
                                                         ...);

/// The same at a key of the object that the reader is at; the status is that of bad content.
__attribute__((format(printf, 3, 4))) bool plReader_FailAt(plReader*, const char* key,
                                                           const char* format, ...);

/// No memory for what is being read. Always false.
bool plReader_FailMemory(plReader*);

/// The same as Fail, as "found ..., expected ...".
__attribute__((format(printf, 3, 4))) bool plReader_Expect(plReader*, const json_t* found,
                                                           const char* format, ...);

/// `text` in one line of printable characters, cut between characters to fit.
void plPlainText(const char* text, char* out, size_t size);

// --- fields

typedef enum {
    pl_fieldOther,     ///< only known by name here: its owner reads it
    pl_fieldText,      ///< const char*, one line; lives as long as the JSON value
    pl_fieldName,      ///< const char*: 1 to 31 letters, digits, - and _
    pl_fieldBool,      ///< bool
    pl_fieldInt,       ///< int
    pl_fieldSize,      ///< size_t
    pl_fieldNumber,    ///< double
    pl_fieldStiffness, ///< double >= 0, or "rigid": INFINITY
    pl_fieldVec3,      ///< plVec3
    pl_fieldAxis,      ///< plVec3 that is not zero
    pl_fieldTurn,      ///< plQuat, made unit: [w, x, y, z] or {"axis", "angle"}
    pl_fieldInertia,   ///< plMat3: its diagonal, or rows
    pl_fieldChoice     ///< int: index in a list of names
} plFieldKind;

typedef enum {
    pl_rangeAny,
    pl_rangeNotNegative,
    pl_rangePositive,
    pl_rangeWithin ///< -max .. max
} plRange;

struct plField {
    const char* key;
    plFieldKind kind;
    size_t offset; ///< in the struct that is read into
    bool required;
    plRange range;
    double max;       ///< 0: none
    const char* unit; ///< of pl_fieldOther: what is expected
    int choices;      ///< of pl_fieldChoice
    const char* (*choice)(int);
};

/// Reads an object by its table into `out`; fields that are missing keep their values, unless they
/// are required. Keys outside the table are errors.
bool plReader_Object(plReader*, const json_t*, const plField*, int count, void* out);

/// One field of an object, whatever else is in it.
bool plReader_Field(plReader*, const json_t* object, const plField*, void* out);

/// Enters the array under a key of an object (missing: an empty one) and gives its length, -1 for
/// an error. The caller leaves it, error or not.
int plReader_EnterArray(plReader*, const json_t* object, const char* key, int max, json_t** array);

/// An array of exactly `count` numbers.
bool plReader_Numbers(plReader*, const json_t*, const char* unit, int count, double* out);

/// An orientation, as pl_fieldTurn.
bool plReader_Turn(plReader*, const json_t*, plQuat*);

/// Makes four numbers a unit quaternion; false when they are too near zero, or too large.
bool plReader_UnitQuat(plReader*, double* q);

#endif
