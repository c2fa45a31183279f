// Files of triangles: what is read, and what is refused with which words.
#define _POSIX_C_SOURCE 200809L // mkstemp, fdopen
#include "failing.h"
#include "palp/shape.h"

#include "collide_shapes.h"

static plTriangles mesh;
static plShapeError error;

static plStatus parse(const char* text)
{
    const plAllocator allocator = plDefaultAllocator();
    return plTriangles_Parse("part", text, strlen(text), 1, &allocator, &mesh, &error);
}

static void checkRefusal(const char* text, plStatus status, int line, const char* words)
{
    const plStatus got = parse(text);
    if (got != status || error.line != line || !strstr(error.message, words)) {
        print_error("'%s' gave %s, line %d: %s\n", text, plStatus_Name(got), error.line,
                    error.message);
        fail();
    }
    assert_int_equal(error.status, status);
    assert_null(mesh.points);
    assert_null(mesh.triangles);
}

static void objReadsPointsFacesAndNothingElse(void** state)
{
    (void)state;
    const char* text = "# a square and a triangle\n"
                       "mtllib a.mtl\nvn 0 0 1\nvt 0 0\n"
                       "v 0 0 0\nv 1 0 0 1.0\r\nv 1 1 0\n v -0.5e0 +1 0.25\n"
                       "g all\nusemtl steel\ns off\n"
                       "f 1/1/1 2//1 3 4/2\n"
                       "f -4 \\\n -3 -1\n"
                       "o end";
    assert_int_equal(parse(text), pl_statusOk);
    assert_int_equal(mesh.pointCount, 4);
    assert_int_equal(mesh.triangleCount, 3);
    const int expected[9] = {0, 1, 2, 0, 2, 3, 0, 1, 3};
    assert_memory_equal(mesh.triangles, expected, sizeof expected);
    checkNear("x", mesh.points[3].x, -0.5, 0);
    checkNear("z", mesh.points[3].z, 0.25, 0);
    plTriangles_Free(&mesh);
}

static void textStlJoinsEqualCorners(void** state)
{
    (void)state;
    const char* text = "solid two triangles\n"
                       "facet normal nan nan nan\n outer loop\n"
                       "  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 -0\n endloop\nendfacet\n"
                       "FACET NORMAL 0 0 1\n OUTER LOOP\n"
                       "  VERTEX 1 0 0\n  VERTEX 1 1 0\n  VERTEX 0 1 0\n ENDLOOP\nENDFACET\n"
                       "endsolid two triangles\n"
                       "solid empty\nendsolid\n";
    assert_int_equal(parse(text), pl_statusOk);
    assert_int_equal(mesh.pointCount, 4);
    assert_int_equal(mesh.triangleCount, 2);
    plTriangles_Free(&mesh);
}

static void brokenFilesNameTheirLine(void** state)
{
    (void)state;
    const plStatus bad = pl_statusFileFormat;
    checkRefusal("", bad, 0, "no triangle");
    checkRefusal("v 0 0 0\n", bad, 0, "no triangle");
    checkRefusal("v 0 0 0\nv 1 0\nv 0 1 0\n", bad, 2, "coordinate 3");
    checkRefusal("v 0 0 nan\n", bad, 1, "coordinate 3");
    checkRefusal("v 0 0 0x10p3\n", bad, 1, "coordinate 3");
    checkRefusal("v 0 0 1e999\n", bad, 1, "coordinate 3");
    checkRefusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", bad, 4, "names point 4, and there are 3");
    checkRefusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", bad, 4, "names point -4");
    checkRefusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", bad, 4, "names point 0");
    checkRefusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", bad, 4, "names point");
    checkRefusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", bad, 4, "three corners");
    checkRefusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", bad, 4, "'x");
    checkRefusal("v 0 0 0\nv 1e7 0 0\nv 0 1 0\nf 1 2 3\n", bad, 0, "1e6");
    checkRefusal("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", bad, 0, "no triangle");
    checkRefusal("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nvertex", bad, 5, "a number");
    checkRefusal("solid\nfacet normal 0 0 1\nouter\n", bad, 4, "'loop' expected");
    checkRefusal("solid\n\nfacit\n", bad, 3, "'endsolid' expected, found 'facit");
    checkRefusal("solid\nendsolid\nv 0 0 0\n", bad, 3, "'solid' expected");
}

// --- round trips

static void putWord(unsigned char* at, uint32_t word)
{
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(word >> 8 * i);
}

static void putFloat(unsigned char* at, double x)
{
    const float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    putWord(at, bits);
}

enum { formatObj, formatTextStl, formatBinaryStl, formatCount };

/// A tetrahedron-like body of random places, written in a format; the bytes' count.
static size_t write(int format, const plVec3* p, const int (*t)[3], int count, int points,
                    char* bytes, size_t size)
{
    size_t n = 0;
    if (format == formatObj) {
        for (int i = 0; i < points; i++) {
            n += (size_t)snprintf(bytes + n, size - n, "v %.17g %.17g %.17g\n", p[i].x, p[i].y,
                                  p[i].z);
        }
        for (int i = 0; i < count; i++) {
            n += (size_t)snprintf(bytes + n, size - n, "f %d %d %d\n", t[i][0] + 1, t[i][1] + 1,
                                  t[i][2] + 1);
        }
        return n;
    }
    if (format == formatBinaryStl) {
        memset(bytes, 0, 84);
        memcpy(bytes, "solid, says the head, but it is not text", 40);
        putWord((unsigned char*)bytes + 80, (uint32_t)count);
        for (int i = 0; i < count; i++) {
            unsigned char* at = (unsigned char*)bytes + 84 + 50 * i;
            memset(at, 0, 50);
            for (int k = 0; k < 3; k++) {
                putFloat(at + 12 + 12 * k, p[t[i][k]].x);
                putFloat(at + 16 + 12 * k, p[t[i][k]].y);
                putFloat(at + 20 + 12 * k, p[t[i][k]].z);
            }
        }
        return 84 + 50 * (size_t)count;
    }
    n += (size_t)snprintf(bytes + n, size - n, "solid x\n");
    for (int i = 0; i < count; i++) {
        n += (size_t)snprintf(bytes + n, size - n, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            const plVec3 v = p[t[i][k]];
            n += (size_t)snprintf(bytes + n, size - n, "vertex %.17g %.17g %.17g\n", v.x, v.y, v.z);
        }
        n += (size_t)snprintf(bytes + n, size - n, "endloop\nendfacet\n");
    }
    return n + (size_t)snprintf(bytes + n, size - n, "endsolid x\n");
}

static void allFormatsGiveTheBodyBack(void** state)
{
    (void)state;
    static char bytes[8192];
    static const int triangles[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                        {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    plRng rng = plRng_Seed(61);
    const plAllocator allocator = plDefaultAllocator();
    for (int round = 0; round < 50; round++) {
        plVec3 p[6];
        for (int i = 0; i < 6; i++) { // an octahedron, whose numbers are floats
            const double r = (double)(float)plRng_Uniform(&rng, 0.1, 100), sign = i % 2 ? -1 : 1;
            p[i] = plVec(i / 2 == 0 ? sign * r : 0, i / 2 == 1 ? sign * r : 0,
                         i / 2 == 2 ? sign * r : 0);
        }
        for (int f = 0; f < formatCount; f++) {
            const size_t n = write(f, p, triangles, 8, 6, bytes, sizeof bytes);
            assert_int_equal(plTriangles_Parse("body", bytes, n, 0.001, &allocator, &mesh, &error),
                             pl_statusOk);
            assert_int_equal(mesh.pointCount, 6);
            assert_int_equal(mesh.triangleCount, 8);
            for (int i = 0; i < 24; i++) {
                const plVec3 want = plScale(0.001, p[triangles[i / 3][i % 3]]);
                const plVec3 got = mesh.points[mesh.triangles[i]];
                assert_true(got.x == want.x && got.y == want.y && got.z == want.z);
            }
            plShapeDef def = plDefaultShapeDef(pl_shapeMesh);
            plMass mass;
            def.points = mesh.points, def.pointCount = mesh.pointCount;
            def.triangles = mesh.triangles, def.triangleCount = mesh.triangleCount;
            assert_int_equal(plShapeDef_Mass(&def, 1, &mass, &error), pl_statusOk);
            plTriangles_Free(&mesh);
            // Cut anywhere, a binary file is refused; the others may end early only between lines.
            const size_t cut = (size_t)plRng_Uniform(&rng, 0, (double)n - 1);
            const plStatus status =
                plTriangles_Parse("body", bytes, cut, 1, &allocator, &mesh, &error);
            if (f == formatBinaryStl) assert_int_equal(status, pl_statusFileFormat);
            if (f == formatTextStl) assert_int_equal(status, pl_statusFileFormat);
            if (status == pl_statusOk) plTriangles_Free(&mesh);
        }
    }
}

static void announcedCountIsNotBelieved(void** state)
{
    (void)state;
    unsigned char bytes[200] = {0};
    const plAllocator allocator = plDefaultAllocator();
    putWord(bytes + 80, 0xffffffff);
    assert_int_equal(plTriangles_Parse("big", bytes, sizeof bytes, 1, &allocator, &mesh, &error),
                     pl_statusFileFormat);
    assert_non_null(strstr(error.message, "4294967295"));
}

static void filesAreLoadedByPath(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    char path[] = "/tmp/palp-shape-XXXXXX";
    const char* text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE* stream = fdopen(file, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    assert_int_equal(plTriangles_Load(path, 2, &allocator, &mesh, &error), pl_statusOk);
    checkNear("x", mesh.points[1].x, 2, 0);
    plTriangles_Free(&mesh);
    remove(path);
    assert_int_equal(plTriangles_Load(path, 1, &allocator, &mesh, &error), pl_statusFileOpen);
    assert_non_null(strstr(error.message, path));
    assert_int_not_equal(plTriangles_Load("/", 1, &allocator, &mesh, &error), pl_statusOk);
    assert_int_equal(plTriangles_Parse("x", text, strlen(text), -1, &allocator, &mesh, &error),
                     pl_statusBadArgument);
}

// --- want of memory

static void wantOfMemoryIsReportedAndLeaksNothing(void** state)
{
    (void)state;
    const char* text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    plVec3 points[40];
    plRng rng = plRng_Seed(62);
    for (int i = 0; i < 40; i++) points[i] = randomDirection(&rng);
    plShapeDef defs[2] = {plDefaultShapeDef(pl_shapeHull), plDefaultShapeDef(pl_shapeMesh)};
    const int triangle[3] = {0, 1, 2};
    defs[0].points = defs[1].points = points;
    defs[0].pointCount = defs[1].pointCount = 40;
    defs[1].triangles = triangle, defs[1].triangleCount = 1;
    int refused = 0;
    for (int allowed = 0; allowed < 20; allowed++) {
        Failing failing = {.left = allowed};
        const plAllocator allocator = {failingTake, failingRelease, &failing};
        if (plTriangles_Parse("t", text, strlen(text), 1, &allocator, &mesh, &error) ==
            pl_statusOk) {
            plTriangles_Free(&mesh);
        } else {
            assert_int_equal(error.status, pl_statusNoMemory);
            refused++;
        }
        assert_int_equal(failing.taken, 0);
        for (int k = 0; k < 2; k++) {
            const plShape* shape;
            failing.left = allowed;
            shapesBegin();
            const plStatus status =
                plShape_Create(&defs[k], &shapeArena, &allocator, &shape, &error);
            assert_true(status == pl_statusOk || status == pl_statusNoMemory);
            assert_int_equal(failing.taken, 0);
            refused += status != pl_statusOk;
        }
    }
    assert_true(refused > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objReadsPointsFacesAndNothingElse),
        cmocka_unit_test(textStlJoinsEqualCorners),
        cmocka_unit_test(brokenFilesNameTheirLine),
        cmocka_unit_test(allFormatsGiveTheBodyBack),
        cmocka_unit_test(announcedCountIsNotBelieved),
        cmocka_unit_test(filesAreLoadedByPath),
        cmocka_unit_test(wantOfMemoryIsReportedAndLeaksNothing),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
