// Inside record: the file formats behind a recorder, and the gate before the HDF5 library.
#ifndef PL_RECORD_SINK_H
#define PL_RECORD_SINK_H

#include "record/record.h"

#include <stdio.h>

/// A row in the ring and in a batch: {T, hash, value, value, ...}.
typedef union {
    double real;
    uint64_t bits;
} plWord;

#define PL_ROW_VALUES 2 ///< index of a row's first value

/// One file format. `open` and `release` run in the thread of the recorder's owner, which is also
/// the allocator's; everything that touches the disk after `open` runs in the writer thread, where
/// signals are blocked (a closed pipe is then an error and not a SIGPIPE).
typedef struct {
    plStatus (*open)(const plRecorderDef*, void** sink);
    plStatus (*write)(void* sink, const plWord* rows, size_t count);
    plStatus (*flush)(void* sink);  ///< all rows so far survive the death of the process
    plStatus (*finish)(void* sink); ///< flush and close the file; called once, also after an error
    void (*release)(void* sink, const plAllocator*);
} plSinkKind;

/// Makes the file this recorder's own, until it is ended; `keep`: only if there is nothing in it.
plStatus plClaim_Take(const char* path, bool keep, int* claim);
void plClaim_End(int claim);

extern const plSinkKind plCsvSink;
extern const plSinkKind plHdf5Sink;

/// The HDF5 library is not thread-safe in its usual build: every call to it lies between Enter and
/// Leave, which hold the one mutex of the process and silence the library's own error printing.
/// False (and no Leave is due): the process is exiting and the library may be gone.
bool plHdf5_Enter(void);
void plHdf5_Leave(void);

/// Whether the object headers of the file are such as recorders write, and safe to open. Calls no
/// HDF5; moves the file's position.
bool plHdf5_Guard(FILE* file, uint64_t fileSize);

// --- what the writer and the reader of HDF5 traces must agree on

#define PL_TRACE_FORMAT 1
#define PL_TRACE_MAX_CHANNELS 4096
#define PL_TRACE_MAX_NAME 255           ///< bytes of a channel's name
#define PL_TRACE_CHUNK_BYTES (64 << 10) ///< of one chunk; a wider row makes its own chunk

/// Fill value of the dataset T: a quiet NaN that no tick computes. Marks rows never written.
#define PL_TRACE_NO_ROW UINT64_C(0x7ff870616c700000)

#endif
