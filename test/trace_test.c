// Traces from outside: whatever the file holds, reading it ends in a trace or in an error.
#define _GNU_SOURCE

#include "record_rows.h"

static void writeFile(const char* path, const void* bytes, size_t size)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/// Reads a file that may be anything; if it is accepted, what it gives can be touched.
static plStatus tryRead(const char* path)
{
    plTrace trace;
    char message[256];
    plStatus status = plTrace_Read(path, &trace, message, sizeof message);
    assert_true((status == pl_statusOk) == (message[0] == '\0'));
    double sum = 0.0;
    for (uint64_t i = 0; i < trace.rows * (uint64_t)trace.channelCount; ++i) sum += trace.values[i];
    (void)sum;
    plTrace_Free(&trace);
    return status;
}

static void otherFilesAreRefused(void** state)
{
    (void)state;
    plTrace trace;
    char message[256];
    record(inFolder("c.csv"), 1, 1);
    assert_int_equal(plTrace_Read(inFolder("c.csv"), &trace, message, sizeof message),
                     pl_statusFileFormat);
    assert_non_null(strstr(message, "only .h5"));
    assert_int_equal(plTrace_Read(inFolder("c.csv"), &trace, NULL, 0), pl_statusFileFormat);
    assert_int_equal(tryRead(inFolder("none.h5")), pl_statusFileOpen);
    assert_int_equal(tryRead(folder), pl_statusFileOpen);

    plRng rng = plRng_Seed(1);
    uint64_t garbage[512];
    for (int i = 0; i < 200; ++i) {
        for (int k = 0; k < PL_COUNT(garbage); ++k) garbage[k] = plRng_Next(&rng);
        if (i % 2 == 0) memcpy(garbage, "\x89HDF\r\n\x1a\n\x03\x08\x08", 12);
        writeFile(inFolder("garbage.h5"), garbage, i < 2 ? 0 : plRng_Next(&rng) % sizeof garbage);
        assert_int_equal(tryRead(inFolder("garbage.h5")), pl_statusFileFormat);
    }
}

/// A short trace in memory: its object headers and chunk indices are in the first pages.
static size_t loadTrace(unsigned char* bytes, size_t capacity)
{
    plRecorderDef def = defOf(inFolder("whole.h5"), 3);
    def.scene = "{ \"name\": \"a scene\" }";
    plRecorder* recorder = create(def);
    for (uint64_t i = 0; i < 100; ++i) assert_true(push(recorder, i, 3));
    assert_int_equal(plRecorder_Close(recorder), pl_statusOk);
    FILE* file = fopen(inFolder("whole.h5"), "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, capacity, file);
    fclose(file);
    assert_in_range(size, 4096, capacity - 1);
    return size;
}

static unsigned char bytes[1 << 18], forged[1 << 18];

static void damagedTracesNeverCrash(void** state)
{
    (void)state;
    size_t size = loadTrace(bytes, sizeof bytes);
    const char* path = inFolder("damaged.h5");
    for (size_t at = 0; at < 2200; ++at) {
        memcpy(forged, bytes, size);
        forged[at] ^= (unsigned char)(1u << at % 8);
        writeFile(path, forged, size);
        plStatus status = tryRead(path);
        if (at < 48) assert_int_equal(status, pl_statusFileFormat); // the superblock
    }
    for (size_t length = 0; length < size; length += length < 2200 ? 41 : 4999) {
        writeFile(path, bytes, length);
        if (tryRead(path) == pl_statusOk) fail_msg("accepted when cut to %d bytes", (int)length);
    }
}

/// HDF5's checksum of metadata: Jenkins' lookup3.
static uint32_t checksum(const unsigned char* data, size_t size)
{
#define TURN(x, k) ((x) << (k) | (x) >> (32 - (k)))
    uint32_t a = 0xdeadbeef + (uint32_t)size, b = a, c = a;
    for (;; data += 12, size -= 12) {
        uint32_t w[3] = {0};
        memcpy(w, data, size < 12 ? size : 12); // little-endian
        a += w[0], b += w[1], c += w[2];
        if (size <= 12) break;
        a -= c, a ^= TURN(c, 4), c += b, b -= a, b ^= TURN(a, 6), a += c;
        c -= b, c ^= TURN(b, 8), b += a, a -= c, a ^= TURN(c, 16), c += b;
        b -= a, b ^= TURN(a, 19), a += c, c -= b, c ^= TURN(b, 4), b += a;
    }
    c ^= b, c -= TURN(b, 14), a ^= c, a -= TURN(c, 11), b ^= a, b -= TURN(a, 25), c ^= b;
    c -= TURN(b, 16), a ^= c, a -= TURN(c, 4), b ^= a, b -= TURN(a, 14), c ^= b, c -= TURN(b, 24);
    return c;
}

/// Changed headers whose checksums are right, as only malice makes them.
static void forgedTracesNeverCrash(void** state)
{
    (void)state;
    size_t size = loadTrace(bytes, sizeof bytes);
    const char* path = inFolder("forged.h5");
    int headers = 0, refused = 0;
    for (size_t at = 0; at < 2200; ++at) {
        if (memcmp(bytes + at, "OHDR", 4) != 0 && memcmp(bytes + at, "OCHK", 4) != 0) continue;
        size_t end = 8;
        uint32_t sum;
        for (; end < 400; ++end) {
            memcpy(&sum, bytes + at + end, sizeof sum);
            if (sum == checksum(bytes + at, end)) break;
        }
        assert_in_range(end, 8, 399);
        ++headers;
        for (size_t i = 4; i < end && i < 120; ++i) { // beyond it, datasets' headers are empty
            memcpy(forged, bytes, size);
            forged[at + i] = forged[at + i] == 0xff ? 0x7f : 0xff;
            sum = checksum(forged + at, end);
            memcpy(forged + at + end, &sum, sizeof sum);
            writeFile(path, forged, size);
            refused += tryRead(path) != pl_statusOk;
        }
    }
    // The root's, with its continuations for links, and five datasets'.
    assert_in_range(headers, 6, 20);
    assert_true(refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(otherFilesAreRefused),
        cmocka_unit_test(damagedTracesNeverCrash),
        cmocka_unit_test(forgedTracesNeverCrash),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
