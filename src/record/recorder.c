// The recorder: a ring that the tick fills, and a thread that empties it into a sink.
#define _POSIX_C_SOURCE 200809L

#include "base/base.h"
#include "record/sink.h"

#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

// A quarter of the second that a killed process may lose: the writer may be late by three more.
#define FLUSH_PERIOD 0.25 // [s]
#define BATCH_BYTES (64u << 10)

// The writer cannot be woken (a signal would be a system call in the tick), so it naps: shorter
// when it finds the ring more than half full, longer otherwise.
#define NAP_MIN 100000L  // [ns]
#define NAP_MAX 4000000L // [ns]

struct plRecorder {
    plAllocator allocator;
    size_t size; // of this block, with row and batch
    const plSinkKind* kind;
    void* sink;
    plRing* ring;
    size_t ringRows;
    size_t valueCount;
    plWord* row; // scratch of the producer
    _Atomic uint64_t dropped;

    pthread_t writer;
    atomic_bool closing;
    plWord* batch; // scratch of the writer
    size_t batchRows;
    _Atomic plStatus status; // first error
    int claim;               // of the file
};

plRecorderDef plDefaultRecorderDef(void)
{
    return (plRecorderDef){.ringBytes = (size_t)8 << 20, .allocator = plDefaultAllocator()};
}

static bool endsWith(const char* text, const char* end)
{
    size_t length = strlen(text), endLength = strlen(end);
    return length > endLength && strcmp(text + length - endLength, end) == 0;
}

static const plSinkKind* kindOf(const char* path)
{
    if (strcmp(path, "-") == 0 || endsWith(path, ".csv")) return &plCsvSink;
    if (endsWith(path, ".h5")) return &plHdf5Sink;
    return NULL;
}

static size_t rowSizeOf(const plRecorderDef* def)
{
    return ((size_t)def->channelCount + PL_ROW_VALUES) * sizeof(plWord);
}

static bool isValid(const plRecorderDef* def)
{
    if (def->path == NULL || kindOf(def->path) == NULL) return false;
    if (def->channelCount < 1 || def->channelCount > PL_TRACE_MAX_CHANNELS) return false;
    if (def->channels == NULL || def->ringBytes < rowSizeOf(def)) return false;
    if (def->allocator.take == NULL || def->allocator.release == NULL) return false;
    for (int i = 0; i < def->channelCount; ++i) {
        const char* name = def->channels[i];
        if (name == NULL || name[0] == '\0' || strlen(name) > PL_TRACE_MAX_NAME) return false;
    }
    return true;
}

static void nap(long nanoseconds) { nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL); }

static void note(plRecorder* recorder, plStatus status)
{
    if (atomic_load_explicit(&recorder->status, memory_order_relaxed) != pl_statusOk) return;
    atomic_store_explicit(&recorder->status, status, memory_order_relaxed);
}

/// After an error the ring is still emptied, so that nobody waits for room in vain.
static void* runWriter(void* self)
{
    plRecorder* recorder = self;
    const plSinkKind* kind = recorder->kind;
    // A decimal comma of the user's locale would break a CSV. The C locale takes no memory.
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);

    long rest = NAP_MIN;
    double flushed = plClock_Now();
    for (;;) {
        // Read before the pop: what was pushed before closing is then seen by this pop or the next.
        bool closing = atomic_load_explicit(&recorder->closing, memory_order_acquire);
        size_t count = plRing_Pop(recorder->ring, recorder->batch, recorder->batchRows);
        if (count == 0 && closing) break;
        if (count > 0 && recorder->status == pl_statusOk)
            note(recorder, kind->write(recorder->sink, recorder->batch, count));

        double now = plClock_Now();
        if (now - flushed >= FLUSH_PERIOD && recorder->status == pl_statusOk) {
            note(recorder, kind->flush(recorder->sink));
            flushed = now;
        }
        if (count == recorder->batchRows) continue;
        rest = 2 * count >= recorder->ringRows ? rest / 2 : rest * 2;
        rest = rest < NAP_MIN ? NAP_MIN : rest > NAP_MAX ? NAP_MAX : rest;
        nap(rest);
    }
    note(recorder, kind->finish(recorder->sink));

    uselocale(before);
    if (plain != (locale_t)0) freelocale(plain);
    return NULL;
}

/// Touches the ring's pages, so that the tick does not meet them for the first time.
static void warmRing(plRecorder* recorder)
{
    while (plRing_Push(recorder->ring, recorder->row)) continue;
    while (plRing_Pop(recorder->ring, recorder->batch, recorder->batchRows) > 0) continue;
}

/// With all signals blocked: they belong to the threads of the application, and a SIGPIPE or
/// SIGXFSZ that a write raises stays pending here and dies with the thread.
static bool startWriter(plRecorder* recorder)
{
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    bool started = pthread_create(&recorder->writer, NULL, runWriter, recorder) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

plStatus plRecorder_Create(const plRecorderDef* def, plRecorder** result)
{
    PL_ASSERT(def != NULL && result != NULL);
    *result = NULL;
    if (!isValid(def)) return pl_statusBadArgument;

    size_t rowSize = rowSizeOf(def);
    size_t ringRows = def->ringBytes / rowSize;
    size_t batchRows = BATCH_BYTES / rowSize > 0 ? BATCH_BYTES / rowSize : 1;
    if (batchRows > ringRows) batchRows = ringRows;

    size_t head = (sizeof(plRecorder) + sizeof(plWord) - 1) / sizeof(plWord) * sizeof(plWord);
    size_t size = head + (1 + batchRows) * rowSize;
    plRecorder* recorder = def->allocator.take(def->allocator.self, size);
    if (recorder == NULL) return pl_statusNoMemory;
    memset(recorder, 0, size);
    recorder->allocator = def->allocator;
    recorder->size = size;
    recorder->kind = kindOf(def->path);
    recorder->ringRows = ringRows;
    recorder->valueCount = (size_t)def->channelCount;
    recorder->row = (plWord*)((unsigned char*)recorder + head);
    recorder->batch = recorder->row + rowSize / sizeof(plWord);
    recorder->batchRows = batchRows;

    plStatus status = plRing_Create(rowSize, ringRows, &def->allocator, &recorder->ring);
    if (status != pl_statusOk) goto failRing;
    status = plClaim_Take(def->path, def->keep, &recorder->claim);
    if (status != pl_statusOk) goto failClaim;
    status = recorder->kind->open(def, &recorder->sink);
    if (status != pl_statusOk) goto failSink;
    warmRing(recorder);
    status = pl_statusNoMemory; // the only lasting reason for which a thread is refused
    if (!startWriter(recorder)) goto failThread;
    *result = recorder;
    return pl_statusOk;

failThread:
    recorder->kind->finish(recorder->sink);
    recorder->kind->release(recorder->sink, &def->allocator);
failSink:
    plClaim_End(recorder->claim);
failClaim:
    plRing_Destroy(recorder->ring, &def->allocator);
failRing:
    def->allocator.release(def->allocator.self, recorder, size);
    return status;
}

bool plRecorder_Push(plRecorder* recorder, double T, uint64_t hash, const double* values)
{
    recorder->row[0].real = T;
    recorder->row[1].bits = hash;
    memcpy(recorder->row + PL_ROW_VALUES, values, recorder->valueCount * sizeof *values);
    if (plRing_Push(recorder->ring, recorder->row)) return true;
    // Only the producer writes it, so that a load and a store do.
    uint64_t dropped = atomic_load_explicit(&recorder->dropped, memory_order_relaxed);
    atomic_store_explicit(&recorder->dropped, dropped + 1, memory_order_relaxed);
    return false;
}

void plRecorder_Wait(plRecorder* recorder)
{
    while (plRing_Room(recorder->ring) == 0) nap(NAP_MIN);
}

plStatus plRecorder_Status(const plRecorder* recorder)
{
    return atomic_load_explicit(&recorder->status, memory_order_relaxed);
}

uint64_t plRecorder_Dropped(const plRecorder* recorder)
{
    return atomic_load_explicit(&recorder->dropped, memory_order_relaxed);
}

plStatus plRecorder_Close(plRecorder* recorder)
{
    if (recorder == NULL) return pl_statusOk;
    atomic_store_explicit(&recorder->closing, true, memory_order_release);
    pthread_join(recorder->writer, NULL);
    plStatus status = recorder->status;
    plAllocator allocator = recorder->allocator;
    recorder->kind->release(recorder->sink, &allocator);
    plClaim_End(recorder->claim);
    plRing_Destroy(recorder->ring, &allocator);
    allocator.release(allocator.self, recorder, recorder->size);
    return status;
}
