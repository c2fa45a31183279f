// HDF5: the trace that replay reads, written so that a killed process loses only its last moments.
//
// The file is in single-writer mode (SWMR) from before the first row: HDF5 then orders its writes so
// that what is on disk is a readable file at any instant. Rows are staged in memory and committed
// together: first values, then hash, then T, each one extended, written and flushed before the next
// is touched. So the length of T is the commit: rows below it are complete in all three.
#define _GNU_SOURCE // memfd_create

#include "base/base.h"
#include "record/sink.h"

#include <fcntl.h>
#include <hdf5.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGE_BYTES (1u << 20)

typedef struct {
    size_t size; // of this block, with the staged columns
    hid_t file, T, hash, values;
    size_t valueCount;
    hsize_t rows; // in the file
    size_t staged, capacity;
    double* stagedT;
    uint64_t* stagedHash;
    double* stagedValues;
} plHdf5;

static hid_t textType(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size > 0 ? size : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/// A dataset of `count` texts of `size` bytes each (count 0: a scalar). Datasets, because HDF5 moves
/// an attribute above 64 KiB into a heap without checksum, whose damage its readers do not survive.
static bool writeTexts(hid_t file, const char* name, const char* texts, hsize_t count, size_t size)
{
    hid_t type = textType(size);
    hid_t space = count > 0 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(create, false);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    bool good = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0;
    if (dataset >= 0) H5Dclose(dataset);
    H5Pclose(create);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool writeAttribute(hid_t file, const char* name, hid_t type, hid_t memoryType,
                           const void* value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, memoryType, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

static plStatus writeChannels(hid_t file, const plRecorderDef* def)
{
    size_t width = 1;
    for (int i = 0; i < def->channelCount; ++i) {
        size_t length = strlen(def->channels[i]);
        if (length > width) width = length;
    }
    size_t size = (size_t)def->channelCount * width;
    char* texts = def->allocator.take(def->allocator.self, size);
    if (texts == NULL) return pl_statusNoMemory;
    memset(texts, 0, size);
    for (int i = 0; i < def->channelCount; ++i)
        memcpy(texts + (size_t)i * width, def->channels[i], strlen(def->channels[i]));
    bool good = writeTexts(file, "channels", texts, (hsize_t)def->channelCount, width);
    def->allocator.release(def->allocator.self, texts, size);
    return good ? pl_statusOk : pl_statusFileWrite;
}

static plStatus writeHead(hid_t file, const plRecorderDef* def)
{
    const char* version = plVersion();
    hid_t type = textType(strlen(version));
    bool good = writeAttribute(file, "version", type, type, version);
    H5Tclose(type);
    int32_t format = PL_TRACE_FORMAT;
    good = good && writeAttribute(file, "format", H5T_STD_I32LE, H5T_NATIVE_INT32, &format);
    if (def->scene != NULL)
        good = good && writeTexts(file, "scene", def->scene, 0, strlen(def->scene));
    return good ? writeChannels(file, def) : pl_statusFileWrite;
}

/// A column of rows of `width` numbers (width 0: of plain numbers), extensible, in chunks.
static hid_t createColumn(hid_t file, const char* name, hid_t type, size_t width)
{
    hsize_t rowBytes = 8 * (hsize_t)(width > 0 ? width : 1);
    hsize_t chunkRows = rowBytes < PL_TRACE_CHUNK_BYTES ? PL_TRACE_CHUNK_BYTES / rowBytes : 1;
    int rank = width > 0 ? 2 : 1;
    hid_t space = H5Screate_simple(rank, (hsize_t[]){0, width}, (hsize_t[]){H5S_UNLIMITED, width});
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(create, rank, (hsize_t[]){chunkRows, width});
    H5Pset_obj_track_times(create, false);
    uint64_t noRow = PL_TRACE_NO_ROW;
    if (strcmp(name, "T") == 0) H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &noRow);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Pclose(create);
    H5Sclose(space);
    return dataset;
}

/// Whether there is a regular file at the path that takes one block more. HDF5 1.10 does not live
/// with a first write that fails: it has no file to close then, and at the exit of the process says
/// so in its own words. What the file holds stays, should HDF5 refuse it for another reason.
static plStatus probeFile(const char* path)
{
    static const char block[4096];
    struct stat info;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
    if (descriptor < 0) return pl_statusFileOpen;
    plStatus status = pl_statusFileOpen;
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode)) {
        bool good = pwrite(descriptor, block, sizeof block, info.st_size) == (ssize_t)sizeof block;
        good = ftruncate(descriptor, info.st_size) == 0 && good;
        status = good ? pl_statusOk : pl_statusFileWrite;
    }
    close(descriptor);
    return status;
}

static hid_t createFile(const char* path)
{
    // Format of HDF5 1.10: the first with the single-writer mode, and with checksums in all metadata.
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    hid_t create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(create, false);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, create, access);
    H5Pclose(create);
    H5Pclose(access);
    return file;
}

/// After a failed write. HDF5 1.10 does not live with one: on closing it tries again, marks the half
/// of a file as whole, and brings the process down at its exit. So it is given an empty file in
/// memory to end its work in, and the one on disk stays as a killed process would leave it.
static void abandonFile(plHdf5* trace)
{
    void* handle = NULL; // of the default driver: a file descriptor
    if (H5Fget_vfd_handle(trace->file, H5P_DEFAULT, &handle) < 0 || handle == NULL) return;
    int decoy = memfd_create("trace", MFD_CLOEXEC);
    if (decoy < 0) return;
    dup2(decoy, *(int*)handle);
    close(decoy);
}

static bool closeFile(plHdf5* trace)
{
    bool good = true;
    hid_t datasets[] = {trace->values, trace->hash, trace->T};
    for (int i = 0; i < PL_COUNT(datasets); ++i)
        if (datasets[i] >= 0 && H5Dclose(datasets[i]) < 0) good = false;
    if (trace->file >= 0 && H5Fclose(trace->file) < 0) good = false;
    return good;
}

static plStatus startFile(plHdf5* trace, const plRecorderDef* def)
{
    trace->T = trace->hash = trace->values = -1;
    plStatus status = probeFile(def->path);
    if (status != pl_statusOk) return status;
    trace->file = createFile(def->path);
    if (trace->file < 0) return pl_statusFileOpen;
    status = writeHead(trace->file, def);
    trace->values = createColumn(trace->file, "values", H5T_IEEE_F64LE, trace->valueCount);
    trace->hash = createColumn(trace->file, "hash", H5T_STD_U64LE, 0);
    trace->T = createColumn(trace->file, "T", H5T_IEEE_F64LE, 0);
    bool good = trace->values >= 0 && trace->hash >= 0 && trace->T >= 0 &&
                H5Fstart_swmr_write(trace->file) >= 0;
    if (status == pl_statusOk && !good) status = pl_statusFileWrite;
    if (status != pl_statusOk) {
        abandonFile(trace);
        closeFile(trace);
    }
    return status;
}

static plStatus openHdf5(const plRecorderDef* def, void** sink)
{
    size_t rowBytes = ((size_t)def->channelCount + PL_ROW_VALUES) * sizeof(plWord);
    size_t capacity = rowBytes < STAGE_BYTES ? STAGE_BYTES / rowBytes : 1;
    size_t size = sizeof(plHdf5) + capacity * rowBytes;
    plHdf5* trace = def->allocator.take(def->allocator.self, size);
    if (trace == NULL) return pl_statusNoMemory;
    *trace = (plHdf5){.size = size, .valueCount = (size_t)def->channelCount, .capacity = capacity};
    trace->stagedT = (double*)(trace + 1);
    trace->stagedHash = (uint64_t*)(trace->stagedT + capacity);
    trace->stagedValues = (double*)(trace->stagedHash + capacity);

    plStatus status = pl_statusFileOpen;
    if (plHdf5_Enter()) {
        status = startFile(trace, def);
        plHdf5_Leave();
    }
    if (status != pl_statusOk) {
        def->allocator.release(def->allocator.self, trace, size);
        return status;
    }
    *sink = trace;
    return pl_statusOk;
}

static bool append(const plHdf5* trace, hid_t dataset, hid_t type, size_t width, const void* data)
{
    int rank = width > 0 ? 2 : 1;
    hsize_t start[] = {trace->rows, 0};
    hsize_t count[] = {trace->staged, width};
    if (H5Dset_extent(dataset, (hsize_t[]){trace->rows + trace->staged, width}) < 0) return false;
    hid_t target = H5Dget_space(dataset);
    hid_t source = H5Screate_simple(rank, count, NULL);
    bool good = H5Sselect_hyperslab(target, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dwrite(dataset, type, source, target, H5P_DEFAULT, data) >= 0 &&
                H5Dflush(dataset) >= 0;
    H5Sclose(source);
    H5Sclose(target);
    return good;
}

static plStatus flushHdf5(void* self)
{
    plHdf5* trace = self;
    if (trace->staged == 0) return pl_statusOk;
    if (!plHdf5_Enter()) return pl_statusFileWrite;
    bool good =
        append(trace, trace->values, H5T_NATIVE_DOUBLE, trace->valueCount, trace->stagedValues) &&
        append(trace, trace->hash, H5T_NATIVE_UINT64, 0, trace->stagedHash) &&
        append(trace, trace->T, H5T_NATIVE_DOUBLE, 0, trace->stagedT) &&
        // The end of the file as the superblock has it: tools that clear the mark of a killed writer
        // cut the file there.
        H5Fflush(trace->file, H5F_SCOPE_LOCAL) >= 0;
    if (!good) abandonFile(trace);
    plHdf5_Leave();
    trace->rows += trace->staged;
    trace->staged = 0;
    return good ? pl_statusOk : pl_statusFileWrite;
}

static plStatus writeHdf5(void* self, const plWord* rows, size_t count)
{
    plHdf5* trace = self;
    for (size_t i = 0; i < count; ++i) {
        const plWord* row = rows + i * (trace->valueCount + PL_ROW_VALUES);
        trace->stagedT[trace->staged] = row[0].real;
        trace->stagedHash[trace->staged] = row[1].bits;
        memcpy(trace->stagedValues + trace->staged * trace->valueCount, row + PL_ROW_VALUES,
               trace->valueCount * sizeof(double));
        if (++trace->staged < trace->capacity) continue;
        plStatus status = flushHdf5(trace);
        if (status != pl_statusOk) return status;
    }
    return pl_statusOk;
}

static plStatus finishHdf5(void* self)
{
    plHdf5* trace = self;
    plStatus status = flushHdf5(trace);
    if (!plHdf5_Enter()) return pl_statusFileWrite;
    if (!closeFile(trace)) status = pl_statusFileWrite;
    plHdf5_Leave();
    return status;
}

static void releaseHdf5(void* self, const plAllocator* allocator)
{
    plHdf5* trace = self;
    allocator->release(allocator->self, trace, trace->size);
}

const plSinkKind plHdf5Sink = {openHdf5, writeHdf5, flushHdf5, finishHdf5, releaseHdf5};
