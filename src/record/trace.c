// Reading a trace back. The file comes from outside: nothing in it is believed before it is checked
// against the format, against the rest of the file, and against the size of the file.
#define _POSIX_C_SOURCE 200809L

#include "base/base.h"
#include "record/sink.h"

#include <hdf5.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_VERSION 64 // bytes

typedef struct {
    const char* path;
    char* message;
    size_t messageSize;
    uint64_t fileSize;
    hid_t file;
} plTraceReader;

__attribute__((format(printf, 3, 4))) static plStatus fail(const plTraceReader* reader,
                                                           plStatus status, const char* format, ...)
{
    if (reader->message == NULL || reader->messageSize == 0) return status;
    int used = snprintf(reader->message, reader->messageSize, "%s: ", reader->path);
    if (used < 0 || (size_t)used >= reader->messageSize) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->message + used, reader->messageSize - (size_t)used, format, arguments);
    va_end(arguments);
    return status;
}

static plStatus badFormat(const plTraceReader* reader, const char* name)
{
    return fail(reader, pl_statusFileFormat, "'%s' is missing, damaged, or not of a trace", name);
}

static bool isCsv(const char* path, const char* start)
{
    size_t length = strlen(path);
    return (length >= 4 && strcmp(path + length - 4, ".csv") == 0) ||
           strncmp(start, "step,hash", 9) == 0;
}

/// What can be said before HDF5 is asked.
static plStatus checkFile(plTraceReader* reader)
{
    struct stat info;
    if (stat(reader->path, &info) != 0)
        return fail(reader, pl_statusFileOpen, "no such file, or no access to it");
    if (!S_ISREG(info.st_mode)) return fail(reader, pl_statusFileOpen, "not a regular file");
    FILE* file = fopen(reader->path, "rb");
    if (file == NULL) return fail(reader, pl_statusFileOpen, "no access to the file");
    reader->fileSize = (uint64_t)info.st_size;
    char start[16] = "";
    start[fread(start, 1, sizeof start - 1, file)] = '\0';
    bool guarded = plHdf5_Guard(file, reader->fileSize);
    bool unread = ferror(file) != 0;
    fclose(file);

    if (unread) return fail(reader, pl_statusFileRead, "the file cannot be read");
    if (isCsv(reader->path, start))
        return fail(reader, pl_statusFileFormat,
                    "a CSV; only .h5 traces hold what replay needs (scene, exact bits)");
    if (memcmp(start, "\x89HDF\r\n\x1a\n", 8) != 0)
        return fail(reader, pl_statusFileFormat, "not an HDF5 file");
    if (!guarded)
        return fail(reader, pl_statusFileFormat,
                    "HDF5, but damaged or not as a recorder writes it");
    return pl_statusOk;
}

/// A file whose writer was killed is still marked as being written: it opens as a live one does.
/// There HDF5 reads metadata again when a checksum is wrong, and sleeps between, twice as long each
/// time, from 1 ns: 20 attempts last 1 ms, its own 100 would last for ever.
static hid_t openFile(const char* path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file < 0) {
        H5Pset_metadata_read_attempts(access, 20);
        file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    }
    H5Pclose(access);
    return file;
}

/// With the extent of its space. That it is stored inside the file, without filters and in chunks
/// of a sane size, the guard has seen.
static hid_t openDataset(const plTraceReader* reader, const char* name, int rank, hsize_t* dims)
{
    if (H5Lexists(reader->file, name, H5P_DEFAULT) <= 0) return -1;
    hid_t dataset = H5Dopen2(reader->file, name, H5P_DEFAULT);
    if (dataset < 0) return -1;
    hid_t space = H5Dget_space(dataset);
    bool good = H5Sget_simple_extent_ndims(space) == rank &&
                (rank == 0 ? H5Sget_simple_extent_type(space) == H5S_SCALAR
                           : H5Sget_simple_extent_dims(space, dims, NULL) == rank);
    H5Sclose(space);
    if (good) return dataset;
    H5Dclose(dataset);
    return -1;
}

/// Bytes of a fixed-length text type that the file could hold `count` of; 0: it is not that.
static size_t textSize(const plTraceReader* reader, hid_t type, uint64_t count)
{
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return 0;
    size_t size = H5Tget_size(type);
    return size <= reader->fileSize / (count > 0 ? count : 1) ? size : 0;
}

/// The texts of a dataset, as one block of `count` pieces of `size` bytes, with a zero after it.
static char* readTexts(const plTraceReader* reader, hid_t dataset, uint64_t count, size_t* size)
{
    hid_t type = H5Dget_type(dataset);
    char* texts = NULL;
    *size = textSize(reader, type, count);
    if (*size > 0) texts = calloc((size_t)count * *size + 1, 1);
    if (texts != NULL && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0) {
        free(texts);
        texts = NULL;
    }
    H5Tclose(type);
    return texts;
}

static plStatus readScene(const plTraceReader* reader, plTrace* trace)
{
    htri_t there = H5Lexists(reader->file, "scene", H5P_DEFAULT);
    if (there == 0) return pl_statusOk;
    hid_t dataset = openDataset(reader, "scene", 0, NULL);
    if (dataset < 0) return badFormat(reader, "scene");
    size_t size;
    trace->scene = readTexts(reader, dataset, 1, &size);
    H5Dclose(dataset);
    return trace->scene != NULL ? pl_statusOk : badFormat(reader, "scene");
}

static plStatus readChannels(const plTraceReader* reader, plTrace* trace)
{
    hsize_t dims[2] = {0, 0};
    hid_t dataset = openDataset(reader, "channels", 1, dims);
    if (dataset < 0) return badFormat(reader, "channels");
    size_t size = 0;
    char* texts = NULL;
    if (dims[0] >= 1 && dims[0] <= PL_TRACE_MAX_CHANNELS)
        texts = readTexts(reader, dataset, dims[0], &size);
    H5Dclose(dataset);
    if (texts == NULL || size > PL_TRACE_MAX_NAME) {
        free(texts);
        return badFormat(reader, "channels");
    }
    plStatus status = pl_statusNoMemory;
    trace->channels = calloc((size_t)dims[0], sizeof *trace->channels);
    if (trace->channels != NULL) {
        trace->channelCount = (int)dims[0];
        status = pl_statusOk;
        for (size_t i = 0; i < dims[0] && status == pl_statusOk; ++i) {
            trace->channels[i] = strndup(texts + i * size, size);
            if (trace->channels[i] == NULL) status = pl_statusNoMemory;
        }
    }
    free(texts);
    return status;
}

/// A scalar attribute of the file and its type, or -1.
static hid_t openAttribute(const plTraceReader* reader, const char* name, hid_t* type)
{
    if (H5Aexists(reader->file, name) <= 0) return -1;
    hid_t attribute = H5Aopen(reader->file, name, H5P_DEFAULT);
    if (attribute < 0) return -1;
    hid_t space = H5Aget_space(attribute);
    bool scalar = H5Sget_simple_extent_type(space) == H5S_SCALAR;
    H5Sclose(space);
    *type = scalar ? H5Aget_type(attribute) : -1;
    if (*type >= 0) return attribute;
    H5Aclose(attribute);
    return -1;
}

static plStatus readFormat(const plTraceReader* reader)
{
    int32_t format = 0;
    hid_t type;
    hid_t attribute = openAttribute(reader, "format", &type);
    if (attribute < 0) return badFormat(reader, "format");
    bool good =
        H5Tequal(type, H5T_STD_I32LE) > 0 && H5Aread(attribute, H5T_NATIVE_INT32, &format) >= 0;
    H5Tclose(type);
    H5Aclose(attribute);
    if (!good) return badFormat(reader, "format");
    if (format == PL_TRACE_FORMAT) return pl_statusOk;
    return fail(reader, pl_statusFileFormat, "a trace of format %d; this program reads %d",
                (int)format, PL_TRACE_FORMAT);
}

static plStatus readVersion(const plTraceReader* reader, plTrace* trace)
{
    hid_t type;
    hid_t attribute = openAttribute(reader, "version", &type);
    if (attribute < 0) return badFormat(reader, "version");
    size_t size = textSize(reader, type, 1);
    if (size > 0 && size <= MAX_VERSION) trace->version = calloc(size + 1, 1);
    bool good = trace->version != NULL && H5Aread(attribute, type, trace->version) >= 0;
    H5Tclose(type);
    H5Aclose(attribute);
    return good ? pl_statusOk : badFormat(reader, "version");
}

typedef struct {
    const char* name;
    hid_t fileType, memoryType;
    int rank;
    hid_t dataset;
    hsize_t dims[2];
} plColumn;

static plStatus openColumn(const plTraceReader* reader, plColumn* column)
{
    column->dataset = openDataset(reader, column->name, column->rank, column->dims);
    if (column->dataset < 0) return badFormat(reader, column->name);
    hid_t type = H5Dget_type(column->dataset);
    bool good = H5Tequal(type, column->fileType) > 0;
    H5Tclose(type);
    return good ? pl_statusOk : badFormat(reader, column->name);
}

static plStatus readColumn(const plTraceReader* reader, const plColumn* column, hsize_t rows,
                           void* data)
{
    if (rows == 0) return pl_statusOk;
    hsize_t start[2] = {0, 0}, count[2] = {rows, column->dims[1]};
    hid_t source = H5Dget_space(column->dataset);
    hid_t target = H5Screate_simple(column->rank, count, NULL);
    bool good =
        H5Sselect_hyperslab(source, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
        H5Dread(column->dataset, column->memoryType, target, source, H5P_DEFAULT, data) >= 0;
    H5Sclose(target);
    H5Sclose(source);
    if (good) return pl_statusOk;
    return fail(reader, pl_statusFileRead, "'%s' cannot be read", column->name);
}

/// A writer commits T last, so a killed one leaves T the shortest; and rows of T that it had made
/// room for but not yet written hold the fill value.
static plStatus readRows(const plTraceReader* reader, plColumn columns[3], plTrace* trace)
{
    const plColumn *T = &columns[0], *hash = &columns[1], *values = &columns[2];
    hsize_t rows = T->dims[0];
    if (hash->dims[0] < rows || values->dims[0] < rows)
        return fail(reader, pl_statusFileFormat, "fewer hashes or values than steps");
    if (values->dims[1] != (hsize_t)trace->channelCount)
        return fail(reader, pl_statusFileFormat, "as many columns of values as channels expected");
    uint64_t rowBytes = 8 * ((uint64_t)trace->channelCount + PL_ROW_VALUES);
    if (rows > reader->fileSize / rowBytes)
        return fail(reader, pl_statusFileFormat, "more rows than the file has room for");

    size_t room = rows > 0 ? (size_t)rows : 1;
    trace->T = calloc(room, sizeof *trace->T);
    trace->hash = calloc(room, sizeof *trace->hash);
    trace->values = calloc(room * (size_t)trace->channelCount, sizeof *trace->values);
    if (trace->T == NULL || trace->hash == NULL || trace->values == NULL) return pl_statusNoMemory;
    plStatus status = readColumn(reader, T, rows, trace->T);
    if (status == pl_statusOk) status = readColumn(reader, hash, rows, trace->hash);
    if (status == pl_statusOk) status = readColumn(reader, values, rows, trace->values);
    if (status != pl_statusOk) return status;

    uint64_t bits = 0;
    while (trace->rows < rows) {
        memcpy(&bits, &trace->T[trace->rows], sizeof bits);
        if (bits == PL_TRACE_NO_ROW) break;
        ++trace->rows;
    }
    return pl_statusOk;
}

static plStatus readColumns(const plTraceReader* reader, plTrace* trace)
{
    plColumn columns[3] = {
        {"T", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, -1, {0, 0}},
        {"hash", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, -1, {0, 0}},
        {"values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, -1, {0, 0}},
    };
    plStatus status = pl_statusOk;
    // T first: a live writer extends it last, so the lengths seen after it cover it.
    for (int i = 0; i < 3 && status == pl_statusOk; ++i) status = openColumn(reader, &columns[i]);
    if (status == pl_statusOk) status = readRows(reader, columns, trace);
    for (int i = 0; i < 3; ++i)
        if (columns[i].dataset >= 0) H5Dclose(columns[i].dataset);
    return status;
}

static plStatus readFile(plTraceReader* reader, plTrace* trace)
{
    reader->file = openFile(reader->path);
    if (reader->file < 0)
        return fail(reader, pl_statusFileFormat, "HDF5 cannot open it: damaged, or cut short");
    plStatus status = readFormat(reader);
    if (status == pl_statusOk) status = readVersion(reader, trace);
    if (status == pl_statusOk) status = readChannels(reader, trace);
    if (status == pl_statusOk) status = readScene(reader, trace);
    if (status == pl_statusOk) status = readColumns(reader, trace);
    H5Fclose(reader->file);
    return status;
}

plStatus plTrace_Read(const char* path, plTrace* trace, char* message, size_t messageSize)
{
    PL_ASSERT(path != NULL && trace != NULL);
    *trace = (plTrace){0};
    plTraceReader reader = {.path = path, .message = message, .messageSize = messageSize};
    if (message != NULL && messageSize > 0) message[0] = '\0';
    plStatus status = checkFile(&reader);
    if (status != pl_statusOk) return status;
    if (!plHdf5_Enter()) return fail(&reader, pl_statusFileRead, "the HDF5 library cannot be used");
    status = readFile(&reader, trace);
    plHdf5_Leave();
    if (status == pl_statusNoMemory) fail(&reader, status, "not enough memory for the trace");
    if (status != pl_statusOk) plTrace_Free(trace);
    return status;
}

void plTrace_Free(plTrace* trace)
{
    for (int i = 0; i < trace->channelCount; ++i) free(trace->channels[i]);
    free(trace->channels);
    free(trace->scene);
    free(trace->version);
    free(trace->T);
    free(trace->hash);
    free(trace->values);
    *trace = (plTrace){0};
}
