// CSV: one line per row, `step,hash,<channels>`, written in whole lines.
#define _POSIX_C_SOURCE 200809L

#include "base/base.h"
#include "record/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (256u << 10)
#define NUMBER_BYTES 26 // "-1.7976931348623157e+308" with its comma, and the end of snprintf
#define HASH_BYTES 17   // 16 digits and a comma

typedef struct {
    size_t size; // of this block, with the buffer
    int file;
    bool ours; // to close: not the standard output
    size_t valueCount;
    size_t lineBytes; // longest line
    size_t used, capacity;
    char* buffer;
} plCsv;

static char* putChar(char* out, char c)
{
    *out = c;
    return out + 1;
}

/// Quoted as RFC 4180 wants it, when it needs quotes. At most 2 length + 2 bytes.
static char* putName(char* out, const char* name)
{
    if (strpbrk(name, ",\"\r\n") == NULL) {
        size_t length = strlen(name);
        memcpy(out, name, length);
        return out + length;
    }
    out = putChar(out, '"');
    for (; *name != '\0'; ++name) {
        if (*name == '"') out = putChar(out, '"');
        out = putChar(out, *name);
    }
    return putChar(out, '"');
}

static char* putHash(char* out, uint64_t hash)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        out = putChar(out, "0123456789abcdef"[(hash >> shift) & 15]);
    return out;
}

/// Reads back to the same bits: 15 digits where they suffice (0.1 stays 0.1), else 17, which always
/// do. The sign and payload of a NaN are lost: no reader of CSV knows them.
static char* putNumber(char* out, double x)
{
    if (isnan(x)) return (char*)memcpy(out, "nan", 3) + 3;
    int length = snprintf(out, NUMBER_BYTES, "%.15g", x);
    double back = strtod(out, NULL);
    if (back != x) length = snprintf(out, NUMBER_BYTES, "%.17g", x);
    return out + length;
}

static char* putRow(char* out, const plWord* row, size_t valueCount)
{
    out = putChar(putNumber(out, row[0].real), ',');
    out = putHash(out, row[1].bits);
    for (size_t i = 0; i < valueCount; ++i)
        out = putNumber(putChar(out, ','), row[PL_ROW_VALUES + i].real);
    return putChar(out, '\n');
}

static plStatus openCsv(const plRecorderDef* def, void** sink)
{
    size_t headerBytes = sizeof "step,hash,\n";
    for (int i = 0; i < def->channelCount; ++i) headerBytes += 2 * strlen(def->channels[i]) + 3;
    size_t lineBytes = HASH_BYTES + ((size_t)def->channelCount + 1) * NUMBER_BYTES + 1;
    size_t capacity = headerBytes + lineBytes + BUFFER_BYTES;

    plCsv* csv = def->allocator.take(def->allocator.self, sizeof *csv + capacity);
    if (csv == NULL) return pl_statusNoMemory;
    *csv = (plCsv){.size = sizeof *csv + capacity,
                   .ours = strcmp(def->path, "-") != 0,
                   .valueCount = (size_t)def->channelCount,
                   .lineBytes = lineBytes,
                   .capacity = capacity,
                   .buffer = (char*)(csv + 1)};
    csv->file =
        csv->ours ? open(def->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : STDOUT_FILENO;
    if (csv->file < 0) {
        def->allocator.release(def->allocator.self, csv, csv->size);
        return pl_statusFileOpen;
    }
    // Into the buffer only: the disk is touched by the writer thread.
    char* out = (char*)memcpy(csv->buffer, "step,hash", 9) + 9;
    for (int i = 0; i < def->channelCount; ++i) out = putName(putChar(out, ','), def->channels[i]);
    out = putChar(out, '\n');
    csv->used = (size_t)(out - csv->buffer);
    *sink = csv;
    return pl_statusOk;
}

/// The buffer holds whole lines, so a process killed between two flushes leaves whole lines, and one
/// killed inside a write at most one broken last line.
static plStatus flushCsv(void* self)
{
    plCsv* csv = self;
    const char* next = csv->buffer;
    size_t left = csv->used;
    csv->used = 0;
    while (left > 0) {
        ssize_t written = write(csv->file, next, left);
        if (written >= 0) {
            next += written;
            left -= (size_t)written;
        } else if (errno == EAGAIN) { // a standard output that somebody made non-blocking
            poll(&(struct pollfd){.fd = csv->file, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            return pl_statusFileWrite;
        }
    }
    return pl_statusOk;
}

static plStatus writeCsv(void* self, const plWord* rows, size_t count)
{
    plCsv* csv = self;
    for (size_t i = 0; i < count; ++i) {
        if (csv->capacity - csv->used < csv->lineBytes) {
            plStatus status = flushCsv(csv);
            if (status != pl_statusOk) return status;
        }
        const plWord* row = rows + i * (csv->valueCount + PL_ROW_VALUES);
        char* end = putRow(csv->buffer + csv->used, row, csv->valueCount);
        csv->used = (size_t)(end - csv->buffer);
    }
    return pl_statusOk;
}

static plStatus finishCsv(void* self)
{
    plCsv* csv = self;
    plStatus status = flushCsv(csv);
    if (csv->ours && close(csv->file) != 0) status = pl_statusFileWrite;
    return status;
}

static void releaseCsv(void* self, const plAllocator* allocator)
{
    plCsv* csv = self;
    allocator->release(allocator->self, csv, csv->size);
}

const plSinkKind plCsvSink = {openCsv, writeCsv, flushCsv, finishCsv, releaseCsv};
