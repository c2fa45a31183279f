// FCLIB's files (Acary, Bremond, Koziara, Perignon: FCLIB, a collection of discrete 3D frictional contact
// problems, 2014; version 3.1):
//   /fclib_local   spacedim, W, and V and R;  vectors q, mu, s
//                  u = W r + V l + q,  V^T r + R l + s = 0
//   /fclib_global  spacedim, M, H, and G;     vectors f, w, mu, b
//                  M v = H r + G l + f,  u = H^T v + w,  G^T v + b = 0
//   a matrix       m, n, nz, nzmax, p, i, x;  nz -1: by columns, -2: by rows, else so many triplets
// Of triplets p is said to be the row. But all files that are around were written from matrices of CSparse,
// where it is the column: so it is read, unless only the other way fits.
#include "fclib.h"

#include "record/sink.h"

#include <hdf5.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { byColumns = -1, byRows = -2, nameSize = 64 };

/// A file while it is read: after the first failure every read fails.
typedef struct {
    hid_t file;
    const char* path;
    char* error;
    size_t errorSize;
    bool failed;
} Reader;

static void refuse(Reader* r, const char* name, const char* why)
{
    if (!r->failed) snprintf(r->error, r->errorSize, "%s: %s %s", r->path, name, why);
    r->failed = true;
}

/// H5Lexists wants every group on the way to be there.
static bool exists(const Reader* r, const char* name)
{
    char part[nameSize];
    for (const char* end = strchr(name + 1, '/'); end; end = strchr(end + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(end - name), name);
        if (H5Lexists(r->file, part, H5P_DEFAULT) <= 0) return false;
    }
    return H5Lexists(r->file, name, H5P_DEFAULT) > 0;
}

/// `count` numbers of a class, at least; further ones of a longer dataset are left.
static void readValues(Reader* r, const char* name, H5T_class_t kind, size_t count, void* out)
{
    const hid_t memory = kind == H5T_INTEGER ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
    const hid_t set = !r->failed && exists(r, name) ? H5Dopen2(r->file, name, H5P_DEFAULT) : -1;
    if (set < 0) {
        refuse(r, name, "is not there");
        return;
    }
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const hssize_t there = H5Sget_simple_extent_npoints(space);
    const hsize_t wanted = count, zero = 0;
    if (H5Tget_class(type) != kind || H5Sget_simple_extent_ndims(space) > 1) {
        refuse(r, name, kind == H5T_INTEGER ? "holds no whole numbers" : "holds no real numbers");
    } else if (there < 0 || (size_t)there < count) {
        refuse(r, name, "is too short");
    } else if (count > 0) {
        const hid_t target = H5Screate_simple(1, &wanted, NULL);
        if (H5Sget_simple_extent_ndims(space) == 1) {
            H5Sselect_hyperslab(space, H5S_SELECT_SET, &zero, NULL, &wanted, NULL);
        }
        if (H5Dread(set, memory, target, space, H5P_DEFAULT, out) < 0) {
            refuse(r, name, "cannot be read");
        }
        H5Sclose(target);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

static int readInt(Reader* r, const char* name, int min, int max)
{
    int value = min;
    readValues(r, name, H5T_INTEGER, 1, &value);
    if (!r->failed && (value < min || value > max)) refuse(r, name, "is out of range");
    return r->failed ? min : value;
}

/// Memory for so many numbers of a dataset, and its numbers. No count is believed before the dataset is
/// seen to be that long.
static void* readMany(Reader* r, const char* name, H5T_class_t kind, size_t count)
{
    const size_t size = kind == H5T_INTEGER ? sizeof(int) : sizeof(double);
    const hid_t set = !r->failed && exists(r, name) ? H5Dopen2(r->file, name, H5P_DEFAULT) : -1;
    hssize_t there = -1;
    if (set >= 0) {
        const hid_t space = H5Dget_space(set);
        there = H5Sget_simple_extent_npoints(space);
        H5Sclose(space);
        H5Dclose(set);
    }
    if (there < 0) refuse(r, name, "is not there");
    if (there >= 0 && (size_t)there < count) refuse(r, name, "is too short");
    void* numbers = r->failed ? NULL : malloc(count * size + 1);
    if (!r->failed && !numbers) refuse(r, name, "is too long");
    if (numbers) readValues(r, name, kind, count, numbers);
    return numbers;
}

static double* readNumbers(Reader* r, const char* name, int count)
{
    double* numbers = readMany(r, name, H5T_FLOAT, (size_t)count);
    for (int i = 0; i < count && !r->failed; ++i) {
        if (!(numbers[i] - numbers[i] == 0)) refuse(r, name, "holds a number that is not finite");
    }
    return numbers;
}

// --- matrices

static const char* nameOf(char* text, const char* group, const char* member)
{
    snprintf(text, nameSize, "%s/%s", group, member);
    return text;
}

static bool fits(const int* list, int count, int limit)
{
    for (int k = 0; k < count; ++k) {
        if (list[k] < 0 || list[k] >= limit) return false;
    }
    return true;
}

/// Rows of triplets are in `i`, or in `p`.
static void placeTriplets(plEntries* m, const int* p, const int* i)
{
    const bool asCsparse = fits(p, m->count, m->columns) && fits(i, m->count, m->rows);
    for (int k = 0; k < m->count; ++k) {
        m->entries[k].row = asCsparse ? i[k] : p[k];
        m->entries[k].column = asCsparse ? p[k] : i[k];
    }
}

/// Starts of rows or columns in p, places across in i.
static bool placeCompressed(plEntries* m, int lines, bool rows, const int* p, const int* i)
{
    for (int line = 0; line < lines; ++line) {
        if (p[line + 1] < p[line] || p[line] < 0 || p[line + 1] > m->count) return false;
        for (int k = p[line]; k < p[line + 1]; ++k) {
            m->entries[k].row = rows ? line : i[k];
            m->entries[k].column = rows ? i[k] : line;
        }
    }
    m->count = p[lines];
    return p[0] == 0;
}

static plEntries readMatrix(Reader* r, const char* group)
{
    char name[nameSize];
    plEntries m = {.rows = readInt(r, nameOf(name, group, "m"), 0, INT_MAX / 64)};
    m.columns = readInt(r, nameOf(name, group, "n"), 0, INT_MAX / 64);
    const int form = readInt(r, nameOf(name, group, "nz"), byRows, INT_MAX / 64);
    const int most = readInt(r, nameOf(name, group, "nzmax"), 0, INT_MAX / 64);
    const int lines = form == byRows ? m.rows : m.columns;
    m.count = form >= 0 ? form : most;
    const size_t starts = (size_t)(form >= 0 ? form : lines + 1);
    int* p = readMany(r, nameOf(name, group, "p"), H5T_INTEGER, starts);
    int* i = readMany(r, nameOf(name, group, "i"), H5T_INTEGER, (size_t)m.count);
    double* x = readNumbers(r, nameOf(name, group, "x"), m.count);
    if (!r->failed) m.entries = calloc((size_t)m.count + 1, sizeof *m.entries);
    if (m.entries) {
        for (int k = 0; k < m.count; ++k) m.entries[k].value = x[k];
        if (form >= 0) {
            placeTriplets(&m, p, i);
        } else if (!placeCompressed(&m, lines, form == byRows, p, i)) {
            refuse(r, group, "has starts of rows or columns that do not ascend");
        }
    } else {
        refuse(r, group, "is too large");
        m.count = 0;
    }
    free(p);
    free(i);
    free(x);
    return m;
}

/// A matrix that may be missing; then it has no columns.
static plEntries readOptional(Reader* r, const char* group)
{
    return !r->failed && exists(r, group) ? readMatrix(r, group) : (plEntries){0};
}

// --- problems

static void pass(Reader* r, plSpaceFile* file, plStatus status)
{
    if (status != pl_statusOk) {
        char why[sizeof file->error];
        memcpy(why, file->error, sizeof why);
        refuse(r, "of FCLIB:", why);
    }
}

static void readLocal(Reader* r, plSpaceFile* file, const plAllocator* allocator)
{
    const int dim = readInt(r, "/fclib_local/spacedim", 2, 3);
    plEntries W = readMatrix(r, "/fclib_local/W");
    plEntries V = readOptional(r, "/fclib_local/V");
    plEntries R = V.columns > 0 ? readMatrix(r, "/fclib_local/R") : (plEntries){0};
    double* q = readNumbers(r, "/fclib_local/vectors/q", W.rows);
    double* mu = readNumbers(r, "/fclib_local/vectors/mu", W.rows / dim);
    double* s = V.columns > 0 ? readNumbers(r, "/fclib_local/vectors/s", V.columns) : NULL;
    if (!r->failed) {
        pass(r, file, plSpaceFile_Fill(file, dim, &W, q, mu, &V, &R, s, allocator));
    }
    free(W.entries);
    free(V.entries);
    free(R.entries);
    free(q);
    free(mu);
    free(s);
}

static void readGlobal(Reader* r, plSpaceFile* file, const plAllocator* allocator)
{
    plGlobalProblem g = {.dim = readInt(r, "/fclib_global/spacedim", 2, 3)};
    g.M = readMatrix(r, "/fclib_global/M");
    g.H = readMatrix(r, "/fclib_global/H");
    g.G = readOptional(r, "/fclib_global/G");
    double* f = readNumbers(r, "/fclib_global/vectors/f", g.M.rows);
    double* w = readNumbers(r, "/fclib_global/vectors/w", g.H.columns);
    double* mu = readNumbers(r, "/fclib_global/vectors/mu", g.H.columns / g.dim);
    double* b = g.G.columns > 0 ? readNumbers(r, "/fclib_global/vectors/b", g.G.columns) : NULL;
    g.f = f, g.w = w, g.mu = mu, g.b = b;
    if (!r->failed) pass(r, file, plSpaceFile_FillGlobal(file, &g, allocator));
    free(g.M.entries);
    free(g.H.entries);
    free(g.G.entries);
    free(f);
    free(w);
    free(mu);
    free(b);
}

bool plFclib_Is(const char* path)
{
    static const char mark[8] = "\211HDF\r\n\032\n";
    char start[sizeof mark];
    FILE* in = fopen(path, "rb");
    if (!in) return false;
    const bool same =
        fread(start, 1, sizeof start, in) == sizeof start && memcmp(start, mark, sizeof mark) == 0;
    fclose(in);
    return same;
}

plStatus plFclib_Load(plSpaceFile* file, const char* path, const plAllocator* allocator)
{
    char error[sizeof file->error] = "";
    *file = (plSpaceFile){.known = NULL};
    if (!plHdf5_Enter()) return pl_statusFileRead;
    Reader r = {.path = path, .error = error, .errorSize = sizeof error};
    r.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r.file < 0) {
        refuse(&r, "as an HDF5 file", "cannot be opened");
    } else if (exists(&r, "/fclib_local")) {
        readLocal(&r, file, allocator);
    } else if (exists(&r, "/fclib_global")) {
        readGlobal(&r, file, allocator);
    } else {
        refuse(&r, "holds", "neither /fclib_local nor /fclib_global");
    }
    if (r.file >= 0) H5Fclose(r.file);
    plHdf5_Leave();
    memcpy(file->error, error, sizeof error);
    return r.failed ? pl_statusFileFormat : pl_statusOk;
}

// --- solutions

static bool write(hid_t file, const char* name, const double* values, int count)
{
    const hsize_t size = (hsize_t)count;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t set =
        H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool good =
        set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    return good;
}

bool plFclib_SaveSolution(const char* path, const double* r, const double* u, int rows,
                          const double* l, int others)
{
    // HDF5 does not live with a first write that fails: whether the file can be there is tried before.
    FILE* probe = fopen(path, "wb");
    if (!probe || fclose(probe) != 0 || !plHdf5_Enter()) return false;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group =
        file >= 0 ? H5Gcreate2(file, "/solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    bool good = group >= 0 && write(file, "/solution/r", r, rows) &&
                write(file, "/solution/u", u, rows) &&
                (others == 0 || write(file, "/solution/l", l, others));
    if (group >= 0) H5Gclose(group);
    if (file >= 0) good = H5Fclose(file) >= 0 && good;
    plHdf5_Leave();
    return good;
}
