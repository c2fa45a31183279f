// Rows of a sweep as HDF5: columns of their full length from the start, filled as runs end.
//
// All space is taken, and all metadata written, when the file is made. From then on rows are bytes put
// into their places, so that a process may be killed at any time. Before HDF5's own bytes lies a block
// of 512 with the mark of the sweep, as a file must not be given to HDF5 unless it is known.
#define _POSIX_C_SOURCE 200809L

#include "sweep.h"

#include "base/base.h"

#include <hdf5.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { blockSize = 512, columns = plSweepMetrics + 2, nameSize = plChannelNameSize + 32 };

/// The columns that grow: metrics, hash, status.
typedef struct {
    hid_t file;
    int count;
    hid_t columns[columns];
} Book;

static bool failWith(char* message, const char* why)
{
    snprintf(message, plSweepMessage, "%s", why);
    return false;
}

/// HDF5 would print its errors.
static void silence(void) { H5Eset_auto2(H5E_DEFAULT, NULL, NULL); }

static hid_t textType(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size > 0 ? size : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

// ------------------------------------------------------------------------------------- making

/// A dataset of `rows` elements, in one piece that is there at once. Without the time of its making,
/// in which equal files would differ.
static hid_t createColumn(hid_t file, const char* name, hid_t type, int rows)
{
    const hsize_t size = (hsize_t)rows;
    const hid_t space = rows > 0 ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE), link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_obj_track_times(how, false);
    H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
    H5Pset_create_intermediate_group(link, 1);
    const hid_t dataset = H5Dcreate2(file, name, type, space, link, how, H5P_DEFAULT);
    H5Pclose(link);
    H5Pclose(how);
    H5Sclose(space);
    return dataset;
}

static bool writeColumn(hid_t file, const char* name, hid_t type, int rows, const void* values)
{
    const hid_t dataset = createColumn(file, name, type, rows);
    bool good = dataset >= 0;
    if (good && values) good = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (dataset >= 0) H5Dclose(dataset);
    return good;
}

static bool writeNumbers(hid_t file, const plSweepPlan* plan, int axis, const char* name)
{
    char text[plSweepNumber];
    double* values = calloc((size_t)plan->runs, sizeof *values);
    for (int i = 0; values && i < plan->runs; ++i)
        values[i] = strtod(plSweepPlan_Value(plan, i, axis, text), NULL);
    const bool good = values && writeColumn(file, name, H5T_NATIVE_DOUBLE, plan->runs, values);
    free(values);
    return good;
}

static bool writeTexts(hid_t file, const plSweepPlan* plan, int axis, const char* name)
{
    size_t width = 1;
    char text[plSweepNumber];
    for (int i = 0; i < plan->axes[axis].count; ++i) {
        const size_t length = strlen(plan->axes[axis].values[i]);
        width = length > width ? length : width;
    }
    char* values = calloc((size_t)plan->runs, width);
    for (int i = 0; values && i < plan->runs; ++i) {
        const char* value = plSweepPlan_Value(plan, i, axis, text);
        memcpy(values + (size_t)i * width, value, strlen(value));
    }
    const hid_t type = textType(width);
    const bool good = values && writeColumn(file, name, type, plan->runs, values);
    H5Tclose(type);
    free(values);
    return good;
}

/// Groups first: those that are made on the way to a dataset would bear the time.
static bool writeGroup(hid_t file, const char* name)
{
    const hid_t how = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(how, false);
    const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, how, H5P_DEFAULT);
    if (group >= 0) H5Gclose(group);
    H5Pclose(how);
    return group >= 0;
}

static bool writeScene(hid_t file, const plSweepPlan* plan)
{
    const hid_t type = textType(strlen(plan->text));
    const bool good = writeColumn(file, "scene", type, 0, plan->text);
    H5Tclose(type);
    return good;
}

/// Name of a growing column, and the type in which it is kept; a type of its own is to be closed.
static hid_t describe(const plSweepPlan* plan, int column, char name[nameSize])
{
    if (column < plan->metricCount) {
        snprintf(name, nameSize, "metrics/%s", plan->metrics[column].name);
        return H5T_NATIVE_DOUBLE;
    }
    const bool isHash = column == plan->metricCount;
    snprintf(name, nameSize, "%s", isHash ? "hash" : "status");
    return isHash ? H5T_NATIVE_UINT64 : textType(plSweepStatus);
}

static void closeType(const plSweepPlan* plan, int column, hid_t type)
{
    if (column > plan->metricCount) H5Tclose(type);
}

static bool writeAll(hid_t file, const plSweepPlan* plan)
{
    char name[nameSize];
    bool good =
        writeScene(file, plan) && writeGroup(file, "parameters") && writeGroup(file, "metrics");
    for (int i = 0; good && i < plan->axisCount; ++i) {
        snprintf(name, sizeof name, "parameters/%s", plan->axes[i].path);
        good = plan->axes[i].isText ? writeTexts(file, plan, i, name)
                                    : writeNumbers(file, plan, i, name);
    }
    for (int i = 0; good && i < plan->metricCount + 2; ++i) {
        const hid_t type = describe(plan, i, name);
        good = writeColumn(file, name, type, plan->runs, NULL);
        closeType(plan, i, type);
    }
    return good;
}

static bool writeMark(const char* path, const char* mark)
{
    char block[blockSize] = "";
    memcpy(block, mark, strlen(mark));
    FILE* file = fopen(path, "r+");
    if (!file) return false;
    const bool good = fwrite(block, 1, sizeof block, file) == sizeof block;
    return fclose(file) == 0 && good;
}

/// HDF5 does not live with a first write that fails: whether the file can be there is tried before.
static bool probe(const char* path, char* message)
{
    static const char block[4096];
    errno = 0;
    FILE* file = fopen(path, "w");
    bool good = file && fwrite(block, 1, sizeof block, file) == sizeof block;
    if (file) good = fclose(file) == 0 && good;
    return good || failWith(message, errno ? strerror(errno) : "not all of it was");
}

static bool create(const plSweepTable* t, const char* path, const char* mark, char* message)
{
    if (!probe(path, message)) return false;
    silence();
    const hid_t how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(how, blockSize);
    H5Pset_obj_track_times(how, false);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, how, H5P_DEFAULT);
    H5Pclose(how);
    if (file < 0) return failWith(message, "HDF5 refuses it");
    bool good = writeAll(file, t->plan);
    good = H5Fclose(file) >= 0 && good && writeMark(path, mark);
    return good || failWith(message, "HDF5 could not write all of it");
}

// -------------------------------------------------------------------------- rows, in and out

static void closeBook(Book* b)
{
    for (int i = 0; i < b->count; ++i) H5Dclose(b->columns[i]);
    if (b->file >= 0) H5Fclose(b->file);
    free(b);
}

/// Without a buffer between: a row is in the file when it was written.
static Book* openBook(const plSweepPlan* plan, const char* path)
{
    Book* b = calloc(1, sizeof *b);
    if (!b) return NULL;
    silence();
    const hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_sieve_buf_size(how, 0);
    b->file = H5Fopen(path, H5F_ACC_RDWR, how);
    H5Pclose(how);
    for (int i = 0; b->file >= 0 && i < plan->metricCount + 2; ++i) {
        char name[nameSize];
        closeType(plan, i, describe(plan, i, name));
        const hid_t column = H5Dopen2(b->file, name, H5P_DEFAULT);
        if (column < 0) break;
        b->columns[b->count++] = column;
    }
    if (b->count == plan->metricCount + 2) return b;
    closeBook(b);
    return NULL;
}

/// One element of a column, to the file or from it.
static bool pass(const Book* b, const plSweepPlan* plan, int column, int run, void* value,
                 bool isWrite)
{
    char name[nameSize];
    const hsize_t at = (hsize_t)run, one = 1;
    const hid_t type = describe(plan, column, name);
    const hid_t here = H5Screate(H5S_SCALAR), there = H5Dget_space(b->columns[column]);
    bool good = H5Sselect_hyperslab(there, H5S_SELECT_SET, &at, NULL, &one, NULL) >= 0;
    if (good && isWrite)
        good = H5Dwrite(b->columns[column], type, here, there, H5P_DEFAULT, value) >= 0;
    if (good && !isWrite)
        good = H5Dread(b->columns[column], type, here, there, H5P_DEFAULT, value) >= 0;
    H5Sclose(there);
    H5Sclose(here);
    closeType(plan, column, type);
    return good;
}

/// The status is the last to be written, and the first to be asked for: with it, the row is there.
static bool readRow(const Book* b, plSweepTable* t, int run)
{
    const int count = t->plan->metricCount;
    plSweepRow row = {.hash = 0};
    if (!pass(b, t->plan, count + 1, run, row.status, false)) return false;
    row.status[sizeof row.status - 1] = '\0';
    if (row.status[0] == '\0') return true;
    for (int i = 0; i < count; ++i) {
        if (!pass(b, t->plan, i, run, &row.metrics[i], false)) return false;
    }
    return pass(b, t->plan, count, run, &row.hash, false) && plSweepTable_Put(t, run, &row);
}

static void* openRows(plSweepTable* t, const char* path, char* message)
{
    Book* b = openBook(t->plan, path);
    bool good = b != NULL;
    for (int i = 0; good && i < t->plan->runs; ++i) good = readRow(b, t, i);
    if (good) return b;
    if (b) closeBook(b);
    failWith(message, "it is damaged, and cannot be gone on with");
    return NULL;
}

static bool addRow(void* self, const plSweepTable* t, int run, char* message)
{
    const Book* b = self;
    const int count = t->plan->metricCount;
    const bool ok = plSweepTable_IsOk(t, run);
    char status[plSweepStatus] = "";
    bool good = true;
    for (int i = 0; good && i < count; ++i) {
        const double x = t->metrics[(size_t)run * (size_t)count + (size_t)i];
        double value = ok && !isnan(x) ? x : (double)NAN; // one NaN for all
        good = pass(b, t->plan, i, run, &value, true);
    }
    uint64_t hash = ok ? t->hashes[run] : 0;
    snprintf(status, sizeof status, "%s", t->statuses[run]);
    good = good && pass(b, t->plan, count, run, &hash, true) &&
           pass(b, t->plan, count + 1, run, status, true);
    return good || failWith(message, "HDF5 could not write a row");
}

static bool closeRows(void* self, const plSweepTable* t, const char* path, char* message)
{
    Book* b = self;
    (void)t;
    (void)path;
    const bool good = H5Fflush(b->file, H5F_SCOPE_LOCAL) >= 0;
    closeBook(b);
    return good || failWith(message, "HDF5 could not write all of it");
}

const plSweepFormat plSweepHdf5 = {.ending = ".h5",
                                   .mark = "# palp sweep, hdf5 1",
                                   .create = create,
                                   .open = openRows,
                                   .add = addRow,
                                   .close = closeRows};
