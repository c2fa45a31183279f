// Tetrahedral meshes: what is sound, surfaces, and the made ones.
#include "fems.h"

#include <string.h>

static plTetsReport report;
static plShapeError error;

static plTets cube(void) { return boxMesh(2, 2, 2, plVec(0, 0, 0), plVec(1, 1, 1)); }

static double volumeOf(const plTets* t)
{
    double sum = 0;
    for (int i = 0; i < t->tetCount; ++i) {
        const int* v = &t->tets[4 * i];
        const plVec3 a = t->points[v[0]], b = plSub(t->points[v[1]], a);
        const plVec3 c = plSub(t->points[v[2]], a), d = plSub(t->points[v[3]], a);
        sum += plDot(plCross(b, c), d) / 6;
    }
    return sum;
}

static void checkSound(const plTets* t)
{
    checkMade(plTets_Check(t, &report, &error), &error);
    assert_int_equal(report.pieces, 1);
    assert_int_equal(report.firstInverted, -1);
}

// --- check

static void faultsAreNamed(void** state)
{
    (void)state;
    plTets t = cube();
    checkSound(&t);
    const int first = t.tets[20];
    t.tets[20] = t.tets[21], t.tets[21] = first;
    assert_int_equal(plTets_Check(&t, &report, &error), pl_statusBadArgument);
    assert_int_equal(report.inverted, 1);
    assert_int_equal(report.firstInverted, 5);
    assert_non_null(strstr(error.message, "1 tetrahedra are inverted, the first is 5"));
    assert_int_equal(plTets_Orient(&t), 1);
    checkSound(&t);
    assert_int_equal(plTets_Orient(&t), 0);

    const plVec3 kept = t.points[0];
    t.points[0] = t.points[t.tets[1]]; // an edge of no length flattens all around it
    assert_int_equal(plTets_Check(&t, &report, &error), pl_statusBadArgument);
    assert_true(report.degenerate > 0 && report.firstDegenerate >= 0);
    assert_non_null(strstr(error.message, "have no volume"));
    t.points[0] = kept;

    t.tetCount = 1; // of eight hexahedra only a piece is left
    assert_int_equal(plTets_Check(&t, &report, &error), pl_statusBadArgument);
    assert_int_equal(report.unused, 23);
    assert_non_null(strstr(error.message, "23 points are of no tetrahedron"));
    plTets_Free(&t);
}

static void piecesThatNoFaceJoinsAreNamed(void** state)
{
    (void)state;
    // Two tetrahedra with one edge in common: they can turn about it. Two with a face are one.
    const char* hinged = "6 2\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 -1 0\n0 0 -1\n0 1 2 3\n0 1 4 5\n";
    const char* joined = "5 2\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n0 1 2 3\n1 2 3 4\n";
    const plAllocator allocator = heap();
    plTets t;
    checkMade(plTets_Parse("h", hinged, strlen(hinged), 1, &allocator, &t, &error), &error);
    plTets_Orient(&t);
    assert_int_equal(plTets_Check(&t, &report, &error), pl_statusBadArgument);
    assert_int_equal(report.pieces, 2);
    assert_int_equal(report.firstApart, 1);
    assert_non_null(strstr(error.message, "2 pieces, the second begins with tetrahedron 1"));
    plTets_Free(&t);
    checkMade(plTets_Parse("j", joined, strlen(joined), 1, &allocator, &t, &error), &error);
    plTets_Orient(&t);
    checkSound(&t);
    plTets_Free(&t);
}

static void facesOfThreeTetrahedraAreNamed(void** state)
{
    (void)state;
    const char* text = "6 3\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -1\n0.2 0.2 2\n"
                       "0 1 2 3\n0 2 1 4\n0 1 2 5\n";
    const plAllocator allocator = heap();
    plTets t;
    checkMade(plTets_Parse("c", text, strlen(text), 1, &allocator, &t, &error), &error);
    assert_int_equal(plTets_Check(&t, &report, &error), pl_statusBadArgument);
    assert_int_equal(report.crowded, 1);
    assert_int_equal(report.firstCrowded, 2);
    plTets_Free(&t);
}

// --- surface

/// Closed, outward, and of the given area and volume (by the divergence theorem).
static void checkSurface(const plTets* t, double area, int triangles, int points)
{
    const plAllocator allocator = heap();
    plTetsSurface s;
    assert_int_equal(plTets_Surface(t, &allocator, &s), pl_statusOk);
    plVec3 closed = {0};
    double whole = 0, volume = 0;
    for (int i = 0; i < s.triangleCount; ++i) {
        const int* v = &s.triangles[3 * i];
        const plVec3 a = t->points[v[0]], b = t->points[v[1]], c = t->points[v[2]];
        const plVec3 normal = plScale(0.5, plCross(plSub(b, a), plSub(c, a)));
        closed = plAdd(closed, normal);
        whole += plNorm(normal);
        volume += plDot(normal, a) / 3;
    }
    checkNear("closed", plNorm(closed) / whole, 0, 1e-13);
    checkRatio("volume", volume, volumeOf(t), 1e-12);
    if (area > 0) checkRatio("area", whole, area, 1e-12);
    if (triangles > 0) assert_int_equal(s.triangleCount, triangles);
    if (points > 0) assert_int_equal(s.pointCount, points);
    for (int i = 1; i < s.pointCount; ++i) assert_true(s.points[i - 1] < s.points[i]);
    plTetsSurface_Free(&s);
}

static void boxesHaveTheirSurface(void** state)
{
    (void)state;
    plTets t = boxMesh(4, 3, 2, plVec(-1, 0, 2), plVec(1, 1.5, 3));
    assert_int_equal(t.pointCount, 60);
    assert_int_equal(t.tetCount, 144);
    checkSound(&t);
    checkRatio("volume", volumeOf(&t), 3, 1e-14);
    checkSurface(&t, 2 * (2 * 1.5 + 2 * 1 + 1.5 * 1), 2 * 2 * (12 + 8 + 6), 60 - 3 * 2 * 1);
    plTets_Free(&t);
}

// --- made meshes

static void mirroredBlockIsSymmetric(void** state)
{
    (void)state;
    plTets t = boxMesh(4, 1, 2, plVec(-0.1, 0, 0), plVec(0.1, 0.05, 0.1));
    assert_int_equal(plTets_Mirror(&t, 1), pl_statusOk);
    assert_int_equal(t.pointCount, 45);
    assert_int_equal(t.tetCount, 96);
    checkSound(&t);
    checkRatio("volume", volumeOf(&t), 0.002, 1e-14);
    checkSurface(&t, 0.1, 0, 0);
    Body b = makeBody(t, 1e6, 0.3, 1000);
    // Stiffness seen from a node and from its image: y turns its sign.
    for (int i = 0; i < 45; ++i) {
        int image = -1;
        for (int j = 0; j < 45; ++j) {
            const plVec3 p = b.soft.points[i], q = b.soft.points[j];
            if (p.x == q.x && p.y == -q.y && p.z == q.z) image = j;
        }
        assert_true(image >= 0);
        checkRatio("lumped mass", b.soft.lumped[image], b.soft.lumped[i], 1e-14);
        assert_int_equal(b.soft.start[image + 1] - b.soft.start[image],
                         b.soft.start[i + 1] - b.soft.start[i]);
    }
    freeBody(&b);
}

static bool sameNode(plVec3 a, plVec3 b) { return plNorm(plSub(a, b)) < 1e-12; }

static int compareInts(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static int compareTets(const void* a, const void* b)
{
    const int *x = a, *y = b;
    for (int k = 0; k < 4; ++k) {
        if (x[k] != y[k]) return x[k] - y[k];
    }
    return 0;
}

/// The tetrahedra with nodes renamed, corners ascending, in order: equal for equal meshes.
static int* sortedTets(const plTets* t, const int* rename)
{
    int* list = calloc(4 * (size_t)t->tetCount, sizeof *list);
    assert_non_null(list);
    for (int i = 0; i < 4 * t->tetCount; ++i) list[i] = rename ? rename[t->tets[i]] : t->tets[i];
    for (int i = 0; i < t->tetCount; ++i) qsort(&list[4 * i], 4, sizeof *list, compareInts);
    qsort(list, (size_t)t->tetCount, 4 * sizeof *list, compareTets);
    return list;
}

// The reference meshes give twelve digits.
static void checkClip(const char* name, int depthCells, int nodes, int tets, int surface)
{
    plClipDef def = plDefaultClipDef();
    const plAllocator allocator = heap();
    plTets t;
    def.depthCells = depthCells;
    assert_int_equal(plTets_Clip(&def, &allocator, &t), pl_statusOk);
    assert_int_equal(t.pointCount, nodes);
    assert_int_equal(t.tetCount, tets);
    checkSound(&t);
    checkSurface(&t, 0, 0, surface);
    plTets known = loadMesh(ownFile(name));
    int *rename = calloc((size_t)nodes, sizeof *rename), inOrder = 0;
    assert_int_equal(known.pointCount, nodes);
    checkSound(&known);
    for (int i = 0; i < nodes; ++i) {
        rename[i] = -1;
        for (int j = 0; j < nodes; ++j) {
            if (sameNode(t.points[i], known.points[j])) rename[i] = j;
        }
        assert_true(rename[i] >= 0);
        inOrder += rename[i] == i;
    }
    int *a = sortedTets(&t, rename), *b = sortedTets(&known, NULL);
    assert_memory_equal(a, b, 4 * (size_t)tets * sizeof *a);
    print_message("%s: all nodes and tetrahedra, %d of %d nodes in the same place\n", name, inOrder,
                  nodes);
    free(a), free(b), free(rename);
    plTets_Free(&known);
    plTets_Free(&t);
}

static void clipsAreTheReferenceMeshes(void** state)
{
    (void)state;
    checkClip("signorini/clip_base.mesh", 1, 393, 1152, 330);
    checkClip("signorini/clip_rich.mesh", 5, 1441, 5760, 874);
}

static void pipesAreRoundAndClosed(void** state)
{
    (void)state;
    const plAllocator allocator = heap();
    plPipeDef def = plDefaultPipeDef();
    plTets t;
    def.radialCells = 2;
    assert_int_equal(plTets_Pipe(&def, &allocator, &t), pl_statusOk);
    assert_int_equal(t.pointCount, 24 * 3 * 11);
    assert_int_equal(t.tetCount, 6 * 24 * 2 * 10);
    checkSound(&t);
    // A ring of flat sectors: n/2 sin(2 pi/n) in place of pi.
    const double flat = 12 * sin(2 * PL_PI / 24);
    checkRatio("volume", volumeOf(&t), flat * (1e-4 - 81e-6) * 0.04, 1e-12);
    checkSurface(&t, 0, 0, 0);
    plTets_Free(&t);
    def.sectors = 2;
    assert_int_equal(plTets_Pipe(&def, &allocator, &t), pl_statusBadArgument);
    def = plDefaultPipeDef(), def.wall = def.outerRadius;
    assert_int_equal(plTets_Pipe(&def, &allocator, &t), pl_statusBadArgument);
    assert_null(t.points);
}

static void halfBallIsFineAtItsPole(void** state)
{
    (void)state;
    const plAllocator allocator = heap();
    const plHemisphereDef def = plDefaultHemisphereDef();
    plTets t;
    assert_int_equal(plTets_Hemisphere(&def, &allocator, &t), pl_statusOk);
    assert_int_equal(plTets_Mirror(&t, 0), pl_statusOk);
    assert_int_equal(plTets_Mirror(&t, 1), pl_statusOk);
    checkSound(&t);
    checkSurface(&t, 0, 0, 0);
    double nearest = INFINITY;
    const plVec3 pole = {0, 0, -def.radius};
    for (int i = 0; i < t.pointCount; ++i) {
        const double d = plNorm(plSub(t.points[i], pole));
        if (d > 0) nearest = fmin(nearest, d);
    }
    const double ball = 2 * PL_PI / 3 * pow(def.radius, 3);
    print_message(
        "half ball: %d tetrahedra, %.4f of its volume, first node %.4f mm from the pole\n",
        t.tetCount, volumeOf(&t) / ball, 1e3 * nearest);
    checkNear("first node", nearest, def.finest, 2e-3 * def.finest);
    checkNear("volume", volumeOf(&t) / ball, 1, 0.03); // chords of the outermost cells
    plTets_Free(&t);
}

static void badCountsAreRefused(void** state)
{
    (void)state;
    const plAllocator allocator = heap();
    const plVec3 o = {0, 0, 0}, e = {1, 1, 1};
    plTets t;
    assert_int_equal(plTets_Box(0, 1, 1, o, e, &allocator, &t), pl_statusBadArgument);
    assert_int_equal(plTets_Box(1, 1, 1, e, o, &allocator, &t), pl_statusBadArgument);
    assert_int_equal(plTets_Box(1, 1, 1, o, plVec(1, 1, NAN), &allocator, &t),
                     pl_statusBadArgument);
    assert_int_equal(plTets_Box(1000, 1000, 1000, o, e, &allocator, &t), pl_statusCapacity);
    assert_int_equal(plTets_Bar(1, 0, 1, &allocator, &t), pl_statusBadArgument);
    assert_int_equal(plTets_Bar(1e30, 1, 1, &allocator, &t), pl_statusBadArgument);
    assert_int_equal(plTets_Table(0, 0, &allocator, &t), pl_statusBadArgument);
    assert_int_equal(plTets_Table(1, 3, &allocator, &t), pl_statusBadArgument);
    plClipDef clip = plDefaultClipDef();
    clip.armCells = 0;
    assert_int_equal(plTets_Clip(&clip, &allocator, &t), pl_statusBadArgument);
    clip = plDefaultClipDef(), clip.tipAngle = 4;
    assert_int_equal(plTets_Clip(&clip, &allocator, &t), pl_statusBadArgument);
    plHemisphereDef ball = plDefaultHemisphereDef();
    ball.finest = ball.radius;
    assert_int_equal(plTets_Hemisphere(&ball, &allocator, &t), pl_statusBadArgument);
    assert_null(t.points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faultsAreNamed),
        cmocka_unit_test(piecesThatNoFaceJoinsAreNamed),
        cmocka_unit_test(facesOfThreeTetrahedraAreNamed),
        cmocka_unit_test(boxesHaveTheirSurface),
        cmocka_unit_test(mirroredBlockIsSymmetric),
        cmocka_unit_test(clipsAreTheReferenceMeshes),
        cmocka_unit_test(pipesAreRoundAndClosed),
        cmocka_unit_test(halfBallIsFineAtItsPole),
        cmocka_unit_test(badCountsAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
