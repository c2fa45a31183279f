// For tests of record: a folder of their own, and rows that can be recomputed.
#ifndef RECORD_ROWS_H
#define RECORD_ROWS_H

#include "base/base.h"
#include "record/record.h"
#include "skips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/palp-record-XXXXXX";

static inline int makeFolder(void** state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static inline int removeFolder(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static inline const char* inFolder(const char* name)
{
    static char paths[4][128];
    static int next;
    char* path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char* const names[] = {"x", "y", "force.z", "a,b", "say \"hi\"", "x6", "x7", "x8"};

static inline plRecorderDef defOf(const char* path, int channelCount)
{
    plRecorderDef def = plDefaultRecorderDef();
    def.path = path;
    def.channelCount = channelCount;
    def.channels = names;
    return def;
}

static inline uint64_t bitsOf(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double valueAt(uint64_t row, int channel)
{
    static const double special[] = {
        0.0,    -0.0,    (double)NAN, (double)INFINITY,       -(double)INFINITY,
        5e-324, -1e-310, 0.1,         1.7976931348623157e308, 1.0 / 3.0};
    uint64_t mixed = (row * 8 + (uint64_t)channel + 1) * UINT64_C(0x9e3779b97f4a7c15);
    if (mixed >> 60 == 0) return special[(mixed >> 8) % (uint64_t)PL_COUNT(special)];
    return ldexp((double)(int64_t)mixed, -(int)(mixed >> 40 & 127));
}

static inline double stepAt(uint64_t row) { return 1e-3 + 1e-6 * (double)(row % 7); }
static inline uint64_t hashAt(uint64_t row) { return ~row * UINT64_C(0xd1342543de82ef95); }

static inline bool push(plRecorder* recorder, uint64_t row, int channelCount)
{
    double values[8];
    for (int i = 0; i < channelCount; ++i) values[i] = valueAt(row, i);
    return plRecorder_Push(recorder, stepAt(row), hashAt(row), values);
}

static inline plRecorder* create(plRecorderDef def)
{
    plRecorder* recorder = NULL;
    assert_string_equal(plStatus_Name(plRecorder_Create(&def, &recorder)), "Ok");
    return recorder;
}

static inline void record(const char* path, uint64_t rows, int channelCount)
{
    plRecorder* recorder = create(defOf(path, channelCount));
    for (uint64_t i = 0; i < rows; ++i) {
        plRecorder_Wait(recorder);
        assert_true(push(recorder, i, channelCount));
    }
    assert_int_equal(plRecorder_Dropped(recorder), 0);
    assert_string_equal(plStatus_Name(plRecorder_Close(recorder)), "Ok");
}

static inline plTrace readTrace(const char* path)
{
    plTrace trace;
    char message[256];
    plStatus status = plTrace_Read(path, &trace, message, sizeof message);
    if (status != pl_statusOk) fail_msg("%s: %s", plStatus_Name(status), message);
    return trace;
}

/// Bit for bit.
static inline void checkRows(const plTrace* trace)
{
    size_t width = (size_t)trace->channelCount;
    for (uint64_t i = 0; i < trace->rows; ++i) {
        bool same = bitsOf(trace->T[i]) == bitsOf(stepAt(i)) && trace->hash[i] == hashAt(i);
        for (size_t k = 0; k < width; ++k)
            same = same && bitsOf(trace->values[i * width + k]) == bitsOf(valueAt(i, (int)k));
        if (!same) fail_msg("row %llu differs", (unsigned long long)i);
    }
}

#endif
