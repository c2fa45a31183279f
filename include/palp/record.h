// Traces: chosen channels of every tick, with its input and its state hash, written by a thread of
// their own so that the tick never waits for a disk.
#ifndef PALP_RECORD_H
#define PALP_RECORD_H

#include "palp/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A trace that is being written.
typedef struct plRecorder plRecorder;

/// What to write, and where.
typedef struct {
    const char* path;            ///< ends in .csv or .h5; "-": CSV on standard output
    int channelCount;            ///< 1 .. 4096
    const char* const* channels; ///< their names
    const char* scene;           ///< scene text, kept in the trace for replay; null: none
    size_t ringBytes;            ///< default 8 MiB
    bool
        keep; ///< a file that is there and not empty is refused (pl_statusExists); default: replaced
    plAllocator allocator; ///< default malloc and free
} plRecorderDef;

/// With all defaults, and the recorder of a definition.
plRecorderDef plDefaultRecorderDef(void);
/// A file that another recorder writes, of whatever process, is refused (pl_statusBusy).
plStatus plRecorder_Create(const plRecorderDef*, plRecorder**);

/// One tick: step size, hash of the state after it, one value per channel. Never waits: false when
/// the ring is full and the row was dropped (counted).
bool plRecorder_Push(plRecorder*, double T, uint64_t hash, const double* values);

/// Waits until the ring has room for a row: for runs that may wait (headless), before Push.
void plRecorder_Wait(plRecorder*);

/// The first error that the writer has met so far; after one nothing more is written.
plStatus plRecorder_Status(const plRecorder*);

uint64_t plRecorder_Dropped(const plRecorder*); ///< rows, so far

/// Writes what is left, closes the file, frees. The first error that the writer met.
plStatus plRecorder_Close(plRecorder*);

/// A trace read back (HDF5 only). A trace whose writer was killed opens too, less its last second.
typedef struct {
    int channelCount; ///< columns of `values`
    char** channels;  ///< their names
    char* scene;      ///< null: none
    char* version;    ///< of the writer
    uint64_t rows;    ///< ticks
    double* T;        ///< of each [s]
    uint64_t* hash;   ///< of the state behind each
    double* values;   ///< rows x channelCount
} plTrace;

/// When it cannot be read, `message` says why in one sentence; then there is nothing to free.
plStatus plTrace_Read(const char* path, plTrace* trace, char* message, size_t messageSize);
void plTrace_Free(plTrace*); ///< frees what was read

#ifdef __cplusplus
}
#endif
#endif
