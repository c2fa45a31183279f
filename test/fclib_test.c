// FCLIB's HDF5 files: local and global problems in every form of matrix, bad ones, and solutions.
#define _POSIX_C_SOURCE 200809L
#include "law_problems.h"

#include "app.h"
#include "fclib.h"

#include <hdf5.h>

#include <unistd.h>

static char folder[] = "/tmp/palp_fclib_XXXXXX";

static const char* inFolder(const char* name)
{
    static char paths[4][128];
    static int next;
    char* path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

// --- files as FCLIB 3.1 writes them

static void putGroup(hid_t file, const char* name)
{
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void put(hid_t file, const char* name, hid_t type, int count, const void* values)
{
    const hsize_t size = (hsize_t)count;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void putNumbers(hid_t file, const char* name, int count, const double* values)
{
    put(file, name, H5T_NATIVE_DOUBLE, count, values);
}

static void putMember(hid_t file, const char* group, const char* member, hid_t type, int count,
                      const void* values)
{
    char name[64];
    snprintf(name, sizeof name, "%s/%s", group, member);
    put(file, name, type, count, values);
}

/// csparse: triplets have columns in p, as all files do; else rows, as FCLIB's manual says.
typedef enum { csparse, manual, byColumns, byRows } Form;

/// A dense matrix by rows, whose zeros are left out; nzmax is larger than what of it is used.
static void putMatrix(hid_t file, const char* group, int m, int n, const double* A, Form form)
{
    int p[64] = {0}, i[64] = {0}, count = 0;
    double x[64] = {0};
    const bool lines = form == byColumns || form == byRows;
    const int outer = form == byRows ? m : n, inner = form == byRows ? n : m;
    for (int a = 0; a < outer; ++a) {
        for (int b = 0; b < inner; ++b) {
            const int row = form == byRows ? a : b, column = form == byRows ? b : a;
            if (A[row * n + column] == 0) continue;
            if (!lines) p[count] = form == csparse ? column : row;
            i[count] = lines ? b : form == csparse ? row : column;
            x[count++] = A[row * n + column];
        }
        if (lines) p[a + 1] = count;
    }
    const int nz = form == byColumns ? -1 : form == byRows ? -2 : count, nzmax = count + 2;
    const int length = lines ? nzmax : count;
    putGroup(file, group);
    putMember(file, group, "nzmax", H5T_NATIVE_INT, 1, &nzmax);
    putMember(file, group, "m", H5T_NATIVE_INT, 1, &m);
    putMember(file, group, "n", H5T_NATIVE_INT, 1, &n);
    putMember(file, group, "nz", H5T_NATIVE_INT, 1, &nz);
    putMember(file, group, "p", H5T_NATIVE_INT, lines ? outer + 1 : count, p);
    putMember(file, group, "i", H5T_NATIVE_INT, length, i);
    putMember(file, group, "x", H5T_NATIVE_DOUBLE, length, x);
}

static hid_t beginFile(const char* path, const char* group)
{
    char name[64];
    const int dim = 2;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    putGroup(file, group);
    snprintf(name, sizeof name, "%s/spacedim", group);
    put(file, name, H5T_NATIVE_INT, 1, &dim);
    snprintf(name, sizeof name, "%s/vectors", group);
    putGroup(file, name);
    return file;
}

// Two planar contacts of two bodies (m = 1, 2; each x and y), the second of which also touches the first,
// held at the first one's x.
static const double mass[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0.5, 0, 0, 0.5, 2};
static const double H[16] = {0, 1, 0, -1, 1, 0, -1, 0, 0, 0, 0, 1, 0, 0, 1, 0};
static const double G[4] = {1, 0, 0, 0};
static const double f[4] = {1, -3, 2, -4}, w[4] = {0, 0.1, 0, -0.1}, b[1] = {-0.25},
                    mu[2] = {0.4, 0.5};

static const char* writeGlobal(Form form, bool held)
{
    const char* path = inFolder("global.hdf5");
    const hid_t file = beginFile(path, "/fclib_global");
    putMatrix(file, "/fclib_global/M", 4, 4, mass, form);
    putMatrix(file, "/fclib_global/H", 4, 4, H, form);
    if (held) putMatrix(file, "/fclib_global/G", 4, 1, G, form);
    putNumbers(file, "/fclib_global/vectors/f", 4, f);
    putNumbers(file, "/fclib_global/vectors/w", 4, w);
    putNumbers(file, "/fclib_global/vectors/mu", 2, mu);
    if (held) putNumbers(file, "/fclib_global/vectors/b", 1, b);
    assert_true(H5Fclose(file) >= 0);
    return path;
}

// A^T M^-1 B of small matrices: the oracle of what is read.
static void product(int a, int c, const double* A, const double* B, double* out)
{
    double inverse[16] = {1, 0, 0, 0, 0, 1};
    const double det = 2 * 2 - 0.5 * 0.5;
    inverse[10] = inverse[15] = 2 / det, inverse[11] = inverse[14] = -0.5 / det;
    for (int i = 0; i < a; ++i) {
        for (int j = 0; j < c; ++j) {
            out[i * c + j] = 0;
            for (int k = 0; k < 16; ++k) {
                out[i * c + j] += A[k / 4 * a + i] * inverse[k] * B[k % 4 * c + j];
            }
        }
    }
}

static const char* writeLocal(Form form)
{
    double W[16], V[4], R[1], q[4], s[1];
    const char* path = inFolder("local.hdf5");
    product(4, 4, H, H, W);
    product(4, 1, H, G, V);
    product(1, 1, G, G, R);
    product(4, 1, H, f, q);
    product(1, 1, G, f, s);
    for (int i = 0; i < 4; ++i) q[i] += w[i];
    s[0] += b[0];
    const hid_t file = beginFile(path, "/fclib_local");
    putMatrix(file, "/fclib_local/W", 4, 4, W, form);
    putMatrix(file, "/fclib_local/V", 4, 1, V, form);
    putMatrix(file, "/fclib_local/R", 1, 1, R, form);
    putNumbers(file, "/fclib_local/vectors/q", 4, q);
    putNumbers(file, "/fclib_local/vectors/mu", 2, mu);
    putNumbers(file, "/fclib_local/vectors/s", 1, s);
    assert_true(H5Fclose(file) >= 0);
    return path;
}

static plSpaceFile load(const char* path)
{
    const plAllocator allocator = plDefaultAllocator();
    plSpaceFile file;
    assert_true(plFclib_Is(path));
    if (plFclib_Load(&file, path, &allocator) != pl_statusOk) fail_msg("%s", file.error);
    return file;
}

static void checkSame(const plSpaceFile* a, const plSpaceFile* c)
{
    double A[16], C[16];
    plSpace_Dense(&a->space, A);
    plSpace_Dense(&c->space, C);
    for (int k = 0; k < 16; ++k) checkNear("W", A[k], C[k], 1e-15);
    for (int k = 0; k < 4; ++k) checkNear("q", a->space.uFree[k], c->space.uFree[k], 1e-15);
    for (int k = 0; k < 2; ++k)
        assert_true(a->space.pair[k].mu == mu[k] && c->space.pair[k].mu == mu[k]);
}

static void localAndGlobalFormsAgreeInEveryFormOfMatrix(void** state)
{
    (void)state;
    plSpaceFile first = load(writeLocal(byRows));
    assert_int_equal(first.space.dim, 2);
    assert_int_equal(first.bilateral.count, 1);
    // The held row takes the first body's x out of its contacts' tangents: nothing is left of the one on the
    // ground, and of the other one the second body's.
    double W[16];
    plSpace_Dense(&first.space, W);
    checkNear("W_tt", W[5], 0, 1e-15);
    checkNear("W_tt", W[15], 2 / 3.75, 1e-15);
    const Form forms[] = {csparse, byColumns, byRows};
    for (int i = 0; i < PL_COUNT(forms); ++i) {
        const Form form = forms[i];
        plSpaceFile local = load(writeLocal(form)), global = load(writeGlobal(form, true));
        checkSame(&first, &local);
        checkSame(&first, &global);
        unloadReference(&local);
        unloadReference(&global);
    }
    unloadReference(&first);
    plSpaceFile plain = load(writeGlobal(csparse, false));
    double all[16];
    plSpace_Dense(&plain.space, W);
    product(4, 4, H, H, all);
    for (int k = 0; k < 16; ++k) checkNear("W", W[k], all[k], 1e-15);
    unloadReference(&plain);
}

// H is 3 x 2: with a row 2 in p, p is no list of columns.
static void tripletsAsInTheManualAreReadWhereOnlyTheseFit(void** state)
{
    (void)state;
    const double M[9] = {1, 0, 0, 0, 2, 0, 0, 0, 4}, tall[6] = {0, 0, 1, 0, 0, 1}, zero[3] = {0};
    for (Form form = csparse; form <= manual; ++form) {
        const char* path = inFolder("global.hdf5");
        const hid_t file = beginFile(path, "/fclib_global");
        putMatrix(file, "/fclib_global/M", 3, 3, M, form);
        putMatrix(file, "/fclib_global/H", 3, 2, tall, form);
        putNumbers(file, "/fclib_global/vectors/f", 3, zero);
        putNumbers(file, "/fclib_global/vectors/w", 2, zero);
        putNumbers(file, "/fclib_global/vectors/mu", 1, mu);
        assert_true(H5Fclose(file) >= 0);
        plSpaceFile loaded = load(path);
        const double W[4] = {0.5, 0, 0, 0.25};
        for (int k = 0; k < 4; ++k) checkNear("W", loaded.space.blocks[k], W[k], 1e-15);
        unloadReference(&loaded);
    }
}

// From one end to the other: solved by the command, and FCLIB's own equations hold on what it writes.
static void aSolutionIsWrittenAsFclibHasIt(void** state)
{
    (void)state;
    char problem[128], out[128];
    snprintf(problem, sizeof problem, "%s", writeGlobal(csparse, true));
    snprintf(out, sizeof out, "%s", inFolder("solution.h5"));
    char* line[] = {"palp", "solve", problem, "--out", out, "--tolerance", "1e-10"};
    assert_int_equal(plMain(PL_COUNT(line), line), pl_exitOk);
    double r[4], u[4], l[1], right[4], v[4];
    const hid_t file = H5Fopen(out, H5F_ACC_RDONLY, H5P_DEFAULT);
    double* numbers[] = {r, u, l};
    const char* names[] = {"/solution/r", "/solution/u", "/solution/l"};
    for (int i = 0; i < 3; ++i) {
        const hid_t set = H5Dopen2(file, names[i], H5P_DEFAULT);
        assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers[i]) >=
                    0);
        H5Dclose(set);
    }
    H5Fclose(file);
    for (int i = 0; i < 4; ++i) right[i] = f[i] + G[i] * l[0] + plDotN(&H[4 * i], r, 4);
    v[0] = right[0], v[1] = right[1];
    v[2] = (2 * right[2] - 0.5 * right[3]) / 3.75, v[3] = (2 * right[3] - 0.5 * right[2]) / 3.75;
    checkNear("held", v[0], 0.25, 1e-12);
    for (int k = 0; k < 4; ++k) {
        double sum = w[k];
        for (int i = 0; i < 4; ++i) sum += H[4 * i + k] * v[i];
        checkNear("u", u[k], sum, 1e-12);
    }
    assert_true(r[0] > 0 || r[2] > 0);
    for (int i = 0; i < 2; ++i) checkAtMost("r u", fabs(fmin(r[2 * i], u[2 * i])), 1e-9);
}

static void badFilesOfFclibAreRefused(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    const int huge = 1 << 24, negative = -3;
    const struct {
        const char *name, *error;
        const int* value;
    } cases[] = {{"/fclib_local/W/m", "/fclib_local/vectors/q is too short", &huge},
                 {"/fclib_local/W/nzmax", "/fclib_local/W/i is too short", &huge},
                 {"/fclib_local/W/nz", "/fclib_local/W/nz is out of range", &negative},
                 {"/fclib_local/spacedim", "/fclib_local/spacedim is out of range", &huge},
                 {"/fclib_local/W/x", "/fclib_local/W/x is not there", NULL},
                 {"/fclib_local/vectors/mu", "/fclib_local/vectors/mu is not there", NULL},
                 {"/fclib_local/vectors", "/fclib_local/vectors/q is not there", NULL},
                 {"/fclib_local", "neither /fclib_local nor /fclib_global", NULL}};
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        const char* path = writeLocal(byColumns);
        plSpaceFile loaded;
        const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(H5Ldelete(file, cases[i].name, H5P_DEFAULT) >= 0);
        if (cases[i].value) put(file, cases[i].name, H5T_NATIVE_INT, 1, cases[i].value);
        H5Fclose(file);
        assert_int_equal(plFclib_Load(&loaded, path, &allocator), pl_statusFileFormat);
        if (!strstr(loaded.error, cases[i].error)) {
            fail_msg("\"%s\", expected \"%s\"", loaded.error, cases[i].error);
        }
    }
    const char* path = inFolder("cut.hdf5");
    FILE* cut = fopen(path, "wb");
    assert_int_equal(fwrite("\211HDF\r\n\032\n", 1, 8, cut), 8);
    fclose(cut);
    plSpaceFile loaded;
    assert_true(plFclib_Is(path));
    assert_int_equal(plFclib_Load(&loaded, path, &allocator), pl_statusFileFormat);
    assert_non_null(strstr(loaded.error, "cannot be opened"));
    assert_false(plFclib_Is(inFolder("nowhere")));
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    plMath_Start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(localAndGlobalFormsAgreeInEveryFormOfMatrix),
        cmocka_unit_test(tripletsAsInTheManualAreReadWhereOnlyTheseFit),
        cmocka_unit_test(aSolutionIsWrittenAsFclibHasIt),
        cmocka_unit_test(badFilesOfFclibAreRefused),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    const char* names[] = {"global.hdf5", "local.hdf5", "solution.h5", "cut.hdf5"};
    for (int i = 0; i < PL_COUNT(names); ++i) remove(inFolder(names[i]));
    rmdir(folder);
    return failures;
}
