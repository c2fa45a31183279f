// Files of tetrahedra: what is read, and what is refused with which words.
#define _POSIX_C_SOURCE 200809L // mkstemp, fdopen
#include "failing.h"
#include "fems.h"

#include <string.h>

static plTets mesh;
static plShapeError error;

static plStatus parseBytes(const void* bytes, size_t size)
{
    const plAllocator allocator = heap();
    return plTets_Parse("part", bytes, size, 1, &allocator, &mesh, &error);
}

static plStatus parse(const char* text) { return parseBytes(text, strlen(text)); }

static void checkRefusal(const char* text, int line, const char* words)
{
    const plStatus got = parse(text);
    if (got != pl_statusFileFormat || error.line != line || !strstr(error.message, words)) {
        print_error("'%s' gave %s, line %d: %s\n", text, plStatus_Name(got), error.line,
                    error.message);
        fail();
    }
    assert_int_equal(error.status, got);
    assert_null(mesh.points);
    assert_null(mesh.tets);
}

// --- by hand

static void plainFilesAreRead(void** state)
{
    (void)state;
    assert_int_equal(parse(" 4 1\n0 0 0\n1e0 0 0\r\n0 +1 0 0 0 .5\n0 1 2 3\n87\n1 2"), pl_statusOk);
    assert_int_equal(mesh.pointCount, 4);
    assert_int_equal(mesh.tetCount, 1);
    checkNear("z", mesh.points[3].z, 0.5, 0);
    plTets_Free(&mesh);
    checkRefusal("", 0, "neither MSH");
    checkRefusal("MeshVersionFormatted 2\n", 0, "neither MSH");
    checkRefusal("4", 1, "the number of tetrahedra expected, and the file ends");
    checkRefusal("4 -1\n", 1, "the number of tetrahedra expected, found '-1");
    checkRefusal("4 1\n0 0 0\n1 0 0\n0 1 x\n", 4, "a coordinate expected, found 'x");
    checkRefusal("4 1\n0 0 0\n1 0 0\n0 1 nan\n", 4, "a coordinate expected");
    checkRefusal("4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1e7\n0 1 2 3\n", 0, "1e6");
    checkRefusal("4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2\n", 7, "the number of a point expected");
    checkRefusal("4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 4\n", 6,
                 "names point 4, and there are 4, from 0");
    checkRefusal("4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 1 3\n", 6, "names point 1 twice");
    checkRefusal("4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n", 0, "no linear tetrahedron");
    checkRefusal("900000000000000000 900000000000000000\n0 0 0\n", 3, "a coordinate expected");
    checkRefusal("99999999999999999999 1\n", 1, "the number of points expected");
}

#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n7 0 0 0\n5 1 0 0\n6 0 1 0\n90 0 0 1\n$EndNodes\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"

static void mshNamesPointsByTags(void** state)
{
    (void)state;
    const char* two = HEAD2 "$PhysicalNames\n1\n3 1 \"x $ y\"\n$EndPhysicalNames\n" NODES2
                            "$Elements\n4\n1 15 2 0 1 7\n2 2 2 0 1 7 5 6\n3 4 3 1 1 0 7 5 6 90\n"
                            "4 99 2 1 1 what is this\n$EndElements\n"
                            "$NodeData\n1\n\"a\"\n$EndNodeData\n";
    assert_int_equal(parse(two), pl_statusOk);
    assert_int_equal(mesh.pointCount, 4);
    assert_int_equal(mesh.tetCount, 1);
    const int expected[4] = {0, 1, 2, 3};
    assert_memory_equal(mesh.tets, expected, sizeof expected);
    plTets_Free(&mesh);
    const char* four =
        HEAD4 "$Nodes\n2 4 1 9\n2 1 1 2\n3\n9\n0 0 0 .1 .2\n1 0 0 .1 .2\n"
              "3 1 0 2\n1\n2\n0 1 0\n0 0 1\n$EndNodes\n"
              "$Elements\n2 2 1 2\n2 1 2 1\n1 3 9 1\n3 1 4 1\n2 3 9 1 2\n$EndElements\n";
    assert_int_equal(parse(four), pl_statusOk);
    assert_int_equal(mesh.pointCount, 4);
    assert_memory_equal(mesh.tets, expected, sizeof expected);
    checkNear("y", mesh.points[2].y, 1, 0);
    plTets_Free(&mesh);
}

static void brokenMshNamesItsLine(void** state)
{
    (void)state;
    checkRefusal("$MeshFormat\n4.0 0 8\n", 2, "version 4 of MSH is not read; 2.2 and 4.1 are");
    checkRefusal("$MeshFormat\nx\n", 2, "the version of the format");
    checkRefusal("$MeshFormat\n2.2 0 4\n", 2, "of 8 bytes");
    checkRefusal(NODES2, 1, "$Nodes stands before $MeshFormat");
    checkRefusal(HEAD2 "$Elements\n", 4, "$Elements stands before $Nodes");
    checkRefusal(HEAD2 "$Nodes\nmany\n", 5, "the number of points expected, found 'many");
    checkRefusal(HEAD2 "$Nodes\n2\n1 0 0 0\n2 0 0\n$EndNodes\n", 8, "a coordinate");
    checkRefusal(HEAD2 "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", 0, "two points have the tag 1");
    checkRefusal(HEAD2 NODES2 "$Elements\n1\n1 4 2 0 0 7 5 6 8\n$EndElements\n", 13,
                 "names point 8, which is not there");
    checkRefusal(HEAD2 NODES2 "$Elements\n1\n1 4 2 0 0 7 5 6 6\n$EndElements\n", 13, "twice");
    checkRefusal(HEAD2 NODES2 "$Elements\n2\n1 4 2 0 0 7 5 6 90\n$EndElements\n", 14,
                 "the number of an element expected, found '$EndElements");
    checkRefusal(HEAD2 NODES2 "$Elements\n1\n1 4 2 0 0 7 5 6 90\n", 14, "the end of a section");
    checkRefusal(HEAD2 NODES2 "$Elements\n1\n1 11 0 7 5 6 90 7 7 7 7 7 7\n$EndElements\n", 0,
                 "no linear tetrahedron, but 1 of higher order");
    checkRefusal(HEAD2 NODES2 "what\n", 11, "a section ($...)");
    checkRefusal(HEAD4 "$Nodes\n1 1 1 1\n4 1 0 1\n1\n0 0 0\n$EndNodes\n", 6, "is not 0 to 3");
}

#define VTK "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define VTK_POINTS "POINTS 4 double\n0 0 0 1 0 0\n0 1 0 0 0 1\n"

static void vtkIsReadInBothGenerations(void** state)
{
    (void)state;
    const char* old = VTK VTK_POINTS "CELLS 2 9\n3 0 1 2\n4 0 1 2 3\nCELL_TYPES 2\n5\n10\n"
                                     "POINT_DATA 4\nSCALARS nonsense\n";
    const char* late =
        "# vtk DataFile Version 5.1\nt\nascii\nDATASET UNSTRUCTURED_GRID\n" VTK_POINTS
        "METADATA\nINFORMATION 0\n\nCELLS 3 7\nOFFSETS vtktypeint64\n0 3 7\n"
        "CONNECTIVITY vtktypeint64\n0 1 2 0 1\n2 3\nCELL_TYPES 2\n5\n10\n";
    const int expected[4] = {0, 1, 2, 3};
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(parse(i ? late : old), pl_statusOk);
        assert_int_equal(mesh.pointCount, 4);
        assert_int_equal(mesh.tetCount, 1);
        assert_memory_equal(mesh.tets, expected, sizeof expected);
        plTets_Free(&mesh);
    }
    checkRefusal("# vtk DataFile Version 3.0\n", 2, "the file ends");
    checkRefusal("# vtk DataFile Version 3.0\nt\nNEITHER\n", 3, "ASCII or BINARY");
    checkRefusal("# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n", 4,
                 "UNSTRUCTURED_GRID");
    checkRefusal(VTK "POINTS 4 short\n", 5, "float or double");
    checkRefusal(VTK "POINTS 4 float\n0 0 0\n0", 7, "a coordinate");
    checkRefusal(VTK VTK_POINTS "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", 9, "names point 4");
    checkRefusal(VTK VTK_POINTS "CELLS 1 5\n3 0 1 2 3\nCELL_TYPES 1\n10\n", 9,
                 "has not four points");
    checkRefusal(VTK VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10\n10\n", 10,
                 "not as many types as cells");
    checkRefusal(VTK "CELL_TYPES 2\n10\n", 5, "before POINTS or CELLS");
    checkRefusal(VTK VTK_POINTS, 0, "no linear tetrahedron");
}

// --- round trips

typedef struct {
    unsigned char bytes[1 << 16];
    size_t size;
    bool big;
} Out;

static void put(Out* o, const char* text)
{
    memcpy(o->bytes + o->size, text, strlen(text));
    o->size += strlen(text);
}

static void putWhole(Out* o, int64_t value, int width)
{
    for (int i = 0; i < width; ++i) {
        const int place = o->big ? width - 1 - i : i;
        o->bytes[o->size++] = (unsigned char)((uint64_t)value >> 8 * place);
    }
}

static void putReal(Out* o, double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    putWhole(o, bits, 8);
}

static void putPoint(Out* o, plVec3 p) { putReal(o, p.x), putReal(o, p.y), putReal(o, p.z); }

static void writeMsh2(Out* o, const plTets* t)
{
    char line[64];
    put(o, "$MeshFormat\n2.2 1 8\n"), putWhole(o, 1, 4);
    put(o, "\n$EndMeshFormat\n$Nodes\n");
    snprintf(line, sizeof line, "%d\n", t->pointCount), put(o, line);
    for (int i = 0; i < t->pointCount; ++i) putWhole(o, 1000 - i, 4), putPoint(o, t->points[i]);
    put(o, "\n$EndNodes\n$Elements\n");
    snprintf(line, sizeof line, "%d\n", t->tetCount + 1), put(o, line);
    putWhole(o, 15, 4), putWhole(o, 1, 4), putWhole(o, 2, 4); // one point with two tags
    putWhole(o, 1, 4), putWhole(o, 0, 4), putWhole(o, 1, 4), putWhole(o, 1000, 4);
    putWhole(o, 4, 4), putWhole(o, t->tetCount, 4), putWhole(o, 1, 4);
    for (int i = 0; i < t->tetCount; ++i) {
        putWhole(o, i + 2, 4), putWhole(o, 10, 4); // '\n' as a byte of data
        for (int k = 0; k < 4; ++k) putWhole(o, 1000 - t->tets[4 * i + k], 4);
    }
    put(o, "\n$EndElements\n");
}

static void writeMsh4(Out* o, const plTets* t)
{
    const int points = t->pointCount;
    put(o, "$MeshFormat\n4.1 1 8\n"), putWhole(o, 1, 4);
    put(o, "\n$EndMeshFormat\n$Entities\n"), putWhole(o, 0, 8);
    put(o, "\n$EndEntities\n$Nodes\n");
    putWhole(o, 2, 8), putWhole(o, points, 8), putWhole(o, 1, 8), putWhole(o, points, 8);
    for (int half = 0; half < 2; ++half) {
        const int first = half ? 3 : 0, end = half ? points : 3;
        putWhole(o, 3, 4), putWhole(o, half + 1, 4), putWhole(o, 0, 4), putWhole(o, end - first, 8);
        for (int i = first; i < end; ++i) putWhole(o, i + 1, 8);
        for (int i = first; i < end; ++i) putPoint(o, t->points[i]);
    }
    put(o, "\n$EndNodes\n$Elements\n");
    putWhole(o, 1, 8), putWhole(o, t->tetCount, 8), putWhole(o, 1, 8), putWhole(o, t->tetCount, 8);
    putWhole(o, 3, 4), putWhole(o, 1, 4), putWhole(o, 4, 4), putWhole(o, t->tetCount, 8);
    for (int i = 0; i < t->tetCount; ++i) {
        putWhole(o, i + 1, 8);
        for (int k = 0; k < 4; ++k) putWhole(o, t->tets[4 * i + k] + 1, 8);
    }
    put(o, "\n$EndElements\n");
}

static void writeVtk(Out* o, const plTets* t)
{
    char line[64];
    o->big = true;
    put(o, "# vtk DataFile Version 4.2\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\n");
    snprintf(line, sizeof line, "POINTS %d double\n", t->pointCount), put(o, line);
    for (int i = 0; i < t->pointCount; ++i) putPoint(o, t->points[i]);
    snprintf(line, sizeof line, "\nCELLS %d %d\n", t->tetCount, 5 * t->tetCount), put(o, line);
    for (int i = 0; i < t->tetCount; ++i) {
        putWhole(o, 4, 4);
        for (int k = 0; k < 4; ++k) putWhole(o, t->tets[4 * i + k], 4);
    }
    snprintf(line, sizeof line, "\nCELL_TYPES %d\n", t->tetCount), put(o, line);
    for (int i = 0; i < t->tetCount; ++i) putWhole(o, 10, 4);
    put(o, "\nCELL_DATA 1\n");
}

static void writePlain(Out* o, const plTets* t)
{
    char line[128];
    snprintf(line, sizeof line, "%d %d\n", t->pointCount, t->tetCount), put(o, line);
    for (int i = 0; i < t->pointCount; ++i) {
        const plVec3 p = t->points[i];
        snprintf(line, sizeof line, "%.17g %.17g %.17g\n", p.x, p.y, p.z), put(o, line);
    }
    for (int i = 0; i < t->tetCount; ++i) {
        const int* v = &t->tets[4 * i];
        snprintf(line, sizeof line, "%d %d %d %d\n", v[0], v[1], v[2], v[3]), put(o, line);
    }
}

static void allFormatsGiveTheMeshBack(void** state)
{
    (void)state;
    static Out out;
    void (*writers[])(Out*, const plTets*) = {writeMsh2, writeMsh2, writeMsh4,
                                              writeMsh4, writeVtk,  writePlain};
    plTets box = boxMesh(3, 2, 2, plVec(-0.1, 0, 1.0 / 3), plVec(1, 0.7, 1));
    plRng rng = plRng_Seed(75);
    for (int w = 0; w < PL_COUNT(writers); ++w) {
        out.size = 0, out.big = w == 1 || w == 3;
        writers[w](&out, &box);
        checkMade(parseBytes(out.bytes, out.size), &error);
        assert_int_equal(mesh.pointCount, box.pointCount);
        assert_int_equal(mesh.tetCount, box.tetCount);
        assert_memory_equal(mesh.tets, box.tets, 4 * (size_t)box.tetCount * sizeof(int));
        assert_memory_equal(mesh.points, box.points, (size_t)box.pointCount * sizeof(plVec3));
        plTets_Free(&mesh);
        // Cut anywhere before its last words, a file is refused.
        for (int k = 0; k < 200; ++k) {
            const size_t cut = (size_t)plRng_Uniform(&rng, 0, (double)out.size - 20);
            const plStatus status = parseBytes(out.bytes, cut);
            assert_int_equal(status, pl_statusFileFormat);
            assert_true(error.message[0] != '\0');
        }
    }
    plTets_Free(&box);
}

static void checkMesh(const char* path, int points, int tets)
{
    plTets t = loadMesh(path);
    plTetsReport report;
    checkMade(plTets_Check(&t, &report, &error), &error);
    if (points > 0) assert_int_equal(t.pointCount, points);
    if (tets > 0) assert_int_equal(t.tetCount, tets);
    print_message("%s: %d points, %d tetrahedra, sound\n", path, t.pointCount, t.tetCount);
    plTets_Free(&t);
}

static void meshesOfTheClipAreRead(void** state)
{
    (void)state;
    checkMesh(ownFile("signorini/clip_base.mesh"), 393, 1152);
    checkMesh(ownFile("signorini/clip_rich.mesh"), 1441, 5760);
}

static void publishedMeshesAreRead(void** state)
{
    (void)state;
    checkMesh(publishedFile("data/fem/bar-500.msh"), 500, 0);
    checkMesh(publishedFile("data/fem/beam-cantilever-tet4.msh"), 0, 0);
}

// --- outside

static void filesAreLoadedByPath(void** state)
{
    (void)state;
    const plAllocator allocator = heap();
    char path[] = "/tmp/palp-tets-XXXXXX";
    const char* text = "4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 3\n";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE* stream = fdopen(file, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    assert_int_equal(plTets_Load(path, 1e-3, &allocator, &mesh, &error), pl_statusOk);
    checkNear("x", mesh.points[1].x, 1e-3, 0);
    plTets_Free(&mesh);
    remove(path);
    assert_int_equal(plTets_Load(path, 1, &allocator, &mesh, &error), pl_statusFileOpen);
    assert_non_null(strstr(error.message, path));
    assert_int_not_equal(plTets_Load("/", 1, &allocator, &mesh, &error), pl_statusOk);
    assert_int_equal(plTets_Parse("x", text, strlen(text), 0, &allocator, &mesh, &error),
                     pl_statusBadArgument);
}

static void wantOfMemoryIsReportedAndLeaksNothing(void** state)
{
    (void)state;
    const char* text = HEAD2 NODES2 "$Elements\n1\n1 4 2 0 0 7 5 6 90\n$EndElements\n";
    const plClipDef clip = plDefaultClipDef();
    int refused = 0;
    for (int allowed = 0; allowed < 30; ++allowed) {
        Failing failing = {.left = allowed};
        const plAllocator allocator = {failingTake, failingRelease, &failing};
        plTetsSurface surface;
        plStatus status = plTets_Parse("t", text, strlen(text), 1, &allocator, &mesh, &error);
        assert_true(status == pl_statusOk || error.status == pl_statusNoMemory);
        refused += status != pl_statusOk;
        plTets_Free(&mesh);
        assert_int_equal(failing.taken, 0);
        failing.left = allowed;
        status = plTets_Clip(&clip, &allocator, &mesh);
        if (status == pl_statusOk) {
            status = plTets_Surface(&mesh, &allocator, &surface);
            if (status == pl_statusOk) plTetsSurface_Free(&surface);
            plTets_Free(&mesh);
        }
        assert_true(status == pl_statusOk || status == pl_statusNoMemory);
        refused += status != pl_statusOk;
        assert_int_equal(failing.taken, 0);
    }
    assert_true(refused > 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plainFilesAreRead),
        cmocka_unit_test(mshNamesPointsByTags),
        cmocka_unit_test(brokenMshNamesItsLine),
        cmocka_unit_test(vtkIsReadInBothGenerations),
        cmocka_unit_test(allFormatsGiveTheMeshBack),
        cmocka_unit_test(meshesOfTheClipAreRead),
        cmocka_unit_test(publishedMeshesAreRead),
        cmocka_unit_test(filesAreLoadedByPath),
        cmocka_unit_test(wantOfMemoryIsReportedAndLeaksNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
