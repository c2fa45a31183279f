// The contact space as text: every bit kept, foreign formats read, bad files refused with a place.
#define _POSIX_C_SOURCE 200809L
#include "law_problems.h"

#include <unistd.h>

static char path[64] = "/tmp/palp_space_XXXXXX";

static void writeText(const char* text, size_t size)
{
    FILE* out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, size, out), size);
    fclose(out);
}

static plSpaceFile loadText(const char* text)
{
    const plAllocator allocator = plDefaultAllocator();
    plSpaceFile file;
    writeText(text, strlen(text));
    if (plSpaceFile_Load(&file, path, pl_spaceAny, &allocator) != pl_statusOk) {
        print_error("%s\n", file.error);
        fail();
    }
    return file;
}

static double numbers(plRng* rng) { return plRng_Normal(rng) * pow(10, plRng_Uniform(rng, -9, 9)); }

static void fill(plSpace* s, plRng* rng)
{
    s->T = 1e-3 / 3, s->sides = 8;
    s->bias = pl_biasPlastic, s->collision = pl_collisionComplementarity;
    for (int i = 0; i < s->count; ++i) {
        plPair* pair = &s->pair[i];
        *pair = (plPair){.mu = 1.0 / 3, .clamp = i % 2 == 0};
        pair->e = numbers(rng), pair->eTangent = numbers(rng), pair->stiffness = numbers(rng);
        pair->damping = numbers(rng), pair->slipSpeed = numbers(rng);
        s->gap[i] = numbers(rng), s->gapFree[i] = numbers(rng);
    }
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        s->uStart[i] = numbers(rng), s->uFree[i] = numbers(rng);
    }
}

static void checkSame(const plSpace* a, const plSpace* b)
{
    const size_t n = (size_t)a->count, rows = (size_t)plSpace_Rows(a);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->dim, b->dim);
    assert_int_equal(a->sides, b->sides);
    assert_int_equal(a->bias, b->bias);
    assert_int_equal(a->collision, b->collision);
    assert_true(a->T == b->T);
    for (size_t i = 0; i < n; ++i) {
        assert_true(a->pair[i].mu == b->pair[i].mu && a->pair[i].e == b->pair[i].e);
        assert_true(a->pair[i].eTangent == b->pair[i].eTangent);
        assert_true(a->pair[i].stiffness == b->pair[i].stiffness);
        assert_true(a->pair[i].damping == b->pair[i].damping);
        assert_true(a->pair[i].slipSpeed == b->pair[i].slipSpeed);
        assert_true(a->pair[i].clamp == b->pair[i].clamp);
    }
    assert_memory_equal(a->gap, b->gap, n * sizeof(double));
    assert_memory_equal(a->gapFree, b->gapFree, n * sizeof(double));
    assert_memory_equal(a->uStart, b->uStart, rows * sizeof(double));
    assert_memory_equal(a->uFree, b->uFree, rows * sizeof(double));
}

static void ownTextKeepsEveryBitOfADenseSpace(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    plRng rng = plRng_Seed(1);
    for (int dim = 1; dim <= 3; ++dim) {
        Bench b = makeBench(dim, 7, 8);
        b.space.count = 7;
        fill(&b.space, &rng);
        const int rows = plSpace_Rows(&b.space);
        for (int i = 0; i < rows * rows; ++i) b.space.W[i] = numbers(&rng);
        assert_int_equal(plSpace_Save(&b.space, path), pl_statusOk);
        plSpaceFile file;
        assert_int_equal(plSpaceFile_Load(&file, path, pl_spaceAny, &allocator), pl_statusOk);
        checkSame(&b.space, &file.space);
        assert_memory_equal(b.space.W, file.space.W, (size_t)(rows * rows) * sizeof(double));
        unloadReference(&file);
        freeBench(&b);
    }
}

static void ownTextKeepsEveryBitOfABlockSpace(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    plRng rng = plRng_Seed(2);
    plArena arena;
    plSpace s;
    plSpaceFile file;
    assert_int_equal(plArena_Create(&arena, plSpace_Size(3, 4, 8), &allocator), pl_statusOk);
    assert_int_equal(plSpace_Create(&s, 3, 4, 8, &arena), pl_statusOk);
    s.count = 4;
    fill(&s, &rng);
    const int columns[] = {0, 3, 0, 1, 2, 1, 2, 3}, starts[] = {0, 2, 4, 5, 8};
    memcpy(s.blockColumn, columns, sizeof columns);
    memcpy(s.blockStart, starts, sizeof starts);
    for (int i = 0; i < 8 * 9; ++i) s.blocks[i] = numbers(&rng);
    assert_true(plSpace_Index(&s));
    assert_int_equal(plSpace_Save(&s, path), pl_statusOk);
    assert_int_equal(plSpaceFile_Load(&file, path, pl_spaceAny, &allocator), pl_statusOk);
    checkSame(&s, &file.space);
    assert_memory_equal(s.blocks, file.space.blocks, 8 * 9 * sizeof(double));
    assert_memory_equal(s.blockColumn, file.space.blockColumn, sizeof columns);
    unloadReference(&file);
    plArena_Destroy(&arena, &allocator);
}

static void aSpaceWithoutADiagonalBlockIsRefused(void** state)
{
    (void)state;
    int columns[] = {1, 0}, starts[] = {0, 1, 2}, diagonal[2];
    plSpace s = {
        .count = 2, .dim = 1, .blockColumn = columns, .blockStart = starts, .diagonal = diagonal};
    assert_false(plSpace_Index(&s));
    columns[0] = 0, columns[1] = 1;
    assert_true(plSpace_Index(&s));
}

// --- foreign formats

static void denseMatricesOfSiconosLieByColumns(void** state)
{
    (void)state;
    plSpaceFile file = loadText("2\n1\n0\n2\n2\n2 2\n1 2\n3 4\n-5 6\n0.5\n1\n");
    assert_int_equal(file.space.dim, 2);
    assert_int_equal(file.space.count, 1);
    const double W[] = {1, 3, 2, 4}, q[] = {-5, 6};
    assert_memory_equal(file.space.W, W, sizeof W);
    assert_memory_equal(file.space.uFree, q, sizeof q);
    assert_true(file.space.pair[0].mu == 0.5);
    unloadReference(&file);
}

// Blocks (0,0), (0,1), (1,1) of an LCP of order 3 with block rows of 2 and 1.
static void blocksOfUnequalSizeAreRead(void** state)
{
    (void)state;
    plSpaceFile file = loadText("3\n1\n3\n3\n3\n2\n2\n2 3\n2 3\n3\n3\n0 2 3\n0 1 1\n"
                                "0\n1\n2\n3\n4\n1\n5\n6\n2\n7\n-1 -2 -3\n");
    double W[9];
    const double expected[] = {1, 3, 5, 2, 4, 6, 0, 0, 7};
    assert_int_equal(file.space.count, 3);
    assert_int_equal(file.space.dim, 1);
    plSpace_Dense(&file.space, W);
    assert_memory_equal(W, expected, sizeof W);
    unloadReference(&file);
}

static void tripletsAndColumnsOfASparseMatrixAreRead(void** state)
{
    (void)state;
    const char* texts[] = {
        "2\n2\n2\n4\n4\n1\nCSparse Version 3.1.9, Sept 2017.  Copyright\n"
        "triplet: 4-by-4, nzmax: 8 nnz: 6\n"
        "    0 0 : 2\n    1 1 : 3\n    2 2 : 4\n    3 3 : 5\n    0 3 : -1\n    0 3 : -0.5\n"
        "-1 0 -1 0\n0.5 0.5\n",
        "2\n2\n2\n4\n4\n2\nCSparse Version 3.1.9, Sept 2017.  Copyright\n"
        "4-by-4, nzmax: 5 nnz: 5, 1-norm: 6.5\n"
        "    col 0 : locations 0 to 0\n      0 : 2\n    col 1 : locations 1 to 1\n      1 : 3\n"
        "    col 2 : locations 2 to 2\n      2 : 4\n    col 3 : locations 3 to 4\n"
        "      3 : 5\n      0 : -1.5\n-1 0 -1 0\n0.5 0.5\n"};
    const double expected[] = {2, 0, 0, -1.5, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 5};
    for (int i = 0; i < PL_COUNT(texts); ++i) {
        plSpaceFile file = loadText(texts[i]);
        double W[16];
        assert_null(file.space.W);
        assert_int_equal(file.space.blockStart[2], 3);
        plSpace_Dense(&file.space, W);
        assert_memory_equal(W, expected, sizeof W);
        unloadReference(&file);
    }
}

static void blockAndDenseFilesOfOneProblemAgree(void** state)
{
    (void)state;
    const char* pairs[][2] = {
        {"data/contact/FC3D_Example1.dat", "data/contact/FC3D_Example1_SBM.dat"},
        {"data/lcp/lcp_deudeu.dat", "data/lcp/lcp_deudeu_block.dat"},
        {"data/lcp/lcp_ortiz.dat", "data/lcp/lcp_ortiz_block.dat"},
        {"data/lcp/lcp_trivial.dat", "data/lcp/lcp_trivial_block.dat"}};
    for (int i = 0; i < PL_COUNT(pairs); ++i) {
        plSpaceFile a = loadReference(publishedFile(pairs[i][0]), pl_spaceAny);
        plSpaceFile b = loadReference(publishedFile(pairs[i][1]), pl_spaceAny);
        double W[2][81];
        plSpace_Dense(&a.space, W[0]);
        plSpace_Dense(&b.space, W[1]);
        const size_t rows = (size_t)plSpace_Rows(&a.space);
        assert_memory_equal(W[0], W[1], rows * rows * sizeof(double));
        assert_memory_equal(a.space.uFree, b.space.uFree, rows * sizeof(double));
        unloadReference(&a);
        unloadReference(&b);
    }
}

// --- bad files

static const char* const goodOwn =
    "palp space 1\n# c\ndim 2 contacts 1 blocks 0 step 0.001 sides 4\nbias elastic "
    "collision equality\ncontacts\n0.5 0 0 0 0 0 0 0 0\nvelocity\n-1 -1\n0 0\nresponse\n1 0\n0 1\n"
    "end\n";

static void badFilesAreRefusedWithLineAndReason(void** state)
{
    (void)state;
    const struct {
        const char* text;
        const char* error;
    } cases[] = {
        {"", ":1: expected a contact problem"},
        {"palp space 2\n", ":1: expected version"},
        {"palp space 1\ndim 4", ":2: expected dim (a whole number from 1 to 3), found 4"},
        {"palp space 1\ndim 3 contacts 1000000 blocks 0 step 1 sides 4 bias elastic collision "
         "equality",
         "too short"},
        {"palp space 1\ndim 3 contacts 1 blocks 0 step nan sides 4", ":2: expected step"},
        {"palp space 1\ndim 3 contacts 1 blocks 0 step 1 sides 5 bias elastic collision equality",
         "even"},
        {"palp space 1\ndim 3 contacts 1 blocks 0 step 1 sides 4 bias rubber", "kind of bias"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 3\n4 5", ":6: the dense matrix"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 3\n4 five 6\n7 8 9\n-1 0 0\n0.5\n",
         ":8: expected entry of the matrix (a finite number), found five"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 3\n4 5 6\n7 8 9\n-1 0 0\n-0.5\n", "mu is negative"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 3\n4 5 6\n7 8 9\n-1 0 0\n", "expected mu"},
        {"3\n700000000\n0\n", ":1: expected a contact problem"},
        {"3\n9\n1\n27\n27\n9\n9\n9\n", "too short"},
        {"# m\n3\n0.5 0.5 0.5\n1 2", "too short"},
        {"3 3 7 7 7", "expected a contact problem"},
        {"2\n1\n2\n2\n2\n2 2\n", ":1: an LCP or a contact problem: name the format"},
    };
    const plAllocator allocator = plDefaultAllocator();
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        plSpaceFile file;
        writeText(cases[i].text, strlen(cases[i].text));
        assert_int_equal(plSpaceFile_Load(&file, path, pl_spaceAny, &allocator),
                         pl_statusFileFormat);
        if (!strstr(file.error, cases[i].error) || strncmp(file.error, path, strlen(path)) != 0) {
            print_error("case %d: \"%s\", expected \"%s\"\n", i, file.error, cases[i].error);
            fail();
        }
    }
    plSpaceFile file;
    assert_int_equal(plSpaceFile_Load(&file, "no such file", pl_spaceAny, &allocator),
                     pl_statusFileOpen);
}

// --- bilateral rows

static const char* const beforeBilateral =
    "palp space 1\ndim 2 contacts 1 blocks 0 step 0.001 sides 4\nbias elastic collision equality\n"
    "contacts\n0.5 0 0 0 0 0 0 0 0\nvelocity\n0 -1\n0 0.25\nresponse\n2 0\n0 2\n";

static plSpaceFile loadBilateral(const char* rows)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s\nend\n", beforeBilateral, rows);
    return loadText(text);
}

// W = 2 I, V = (1, 1), R = 2, s = -1: W - V V/2 = 1.5 on the diagonal and -0.5 beside it, q + 0.5. The
// same row twice says nothing more; said with another s it contradicts itself, and that is measured.
static void bilateralRowsOfAFileAreEliminated(void** state)
{
    (void)state;
    const char* rows[] = {
        "bilateral 1\n1 1\n2\n-1",
        "# twice\nbilateral 2\n1 1\n1 1\n2 2\n2 2\n-1 -1",
        "bilateral 2\n1 1\n1 1\n2 2\n2 2\n-1 -3",
    };
    for (int i = 0; i < PL_COUNT(rows); ++i) {
        plSpaceFile file = loadBilateral(rows[i]);
        const double W[] = {1.5, -0.5, -0.5, 1.5}, q[] = {-0.5, 0.75}, p[] = {0.25, -0.5};
        double l[2];
        for (int k = 0; k < 4; ++k) checkNear("W", file.space.W[k], W[k], 1e-15);
        for (int k = 0; k < 2; ++k) checkNear("q", file.space.uFree[k], q[k], 1e-15);
        const double left = plBilateral_Recover(&file.bilateral, &file.space, p, l);
        if (i < 2) checkNear("left", left, 0, 1e-15);
        if (i == 2) checkNear("left", left, 2.0 / 3, 1e-12); // of 3
        checkNear("l", l[0] + (file.bilateral.count > 1 ? l[1] : 0), 0.625, 1e-15);
        unloadReference(&file);
    }
    plSpaceFile none = loadText(goodOwn);
    assert_int_equal(none.bilateral.count, 0);
    assert_true(plBilateral_Recover(&none.bilateral, &none.space, none.space.uFree, NULL) == 0);
    unloadReference(&none);
}

static void badBilateralRowsAreRefused(void** state)
{
    (void)state;
    const struct {
        const char *rows, *error;
    } cases[] = {
        {"bilateral 0", ":12: expected bilateral (a whole number from 1"},
        {"bilateral 1\n1 1\n-2\n-1", "R is not symmetric and positive semi-definite"},
        {"bilateral 2\n1 1\n1 1\n2 1\n0 2\n0 0", "R is not symmetric"},
        {"bilateral 4000\n1", "too short"},
        {"bilateral 1\n1 1\n2\n", ":16: expected s (a finite number), found end"},
    };
    const plAllocator allocator = plDefaultAllocator();
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        char text[1024];
        plSpaceFile file;
        snprintf(text, sizeof text, "%s%s\nend\n", beforeBilateral, cases[i].rows);
        writeText(text, strlen(text));
        assert_int_equal(plSpaceFile_Load(&file, path, pl_spaceAny, &allocator),
                         pl_statusFileFormat);
        if (!strstr(file.error, cases[i].error)) {
            print_error("case %d: \"%s\", expected \"%s\"\n", i, file.error, cases[i].error);
            fail();
        }
    }
}

// --- other readers' entries

// One body of mass matrix M on the ground, H = I, held along its second tangent by G, f = M (0, 3, 0) - load:
// the same W, q and multiplier in global and in local form, whichever triangles of M are given.
static void theGlobalFormIsTheLocalOne(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    const double f[] = {-4, 3, 1}, w[] = {0.1, 0.2, 0.3}, b[] = {-0.5}, mu[] = {0.3};
    plEntry full[] = {{0, 0, 4}, {1, 1, 2}, {2, 2, 2}, {1, 2, 1}, {2, 1, 0.4}, {2, 1, 0.6}};
    plEntry one[] = {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}}, held[] = {{2, 0, 1}};
    plGlobalProblem g = {.dim = 3,
                         .M = {3, 3, 6, full},
                         .H = {3, 3, 3, one},
                         .G = {3, 1, 1, held},
                         .f = f,
                         .w = w,
                         .b = b,
                         .mu = mu};
    for (int half = 0; half < 2; ++half) {
        plSpaceFile file;
        if (half) g.M.count = 4; // the upper triangle alone
        assert_int_equal(plSpaceFile_FillGlobal(&file, &g, &allocator), pl_statusOk);
        // With v_2 = 0.5 held: 4 v_0 = p_0 - 4, 2 v_1 + v_2 = p_1 + 3, u = v + w.
        const double W[] = {0.25, 0, 0, 0, 0.5, 0, 0, 0, 0}, q[] = {-0.9, 1.45, 0.8};
        double dense[9], l[1];
        plSpace_Dense(&file.space, dense);
        for (int k = 0; k < 9; ++k) checkNear("W", dense[k], W[k], 1e-15);
        for (int k = 0; k < 3; ++k) checkNear("q", file.space.uFree[k], q[k], 1e-15);
        // v_1 + 2 v_2 = p_2 + l + 1 with p_1 = 0, p_2 = 0.7: v_1 = 1.25.
        const double p[] = {0, 0, 0.7};
        checkNear("left", plBilateral_Recover(&file.bilateral, &file.space, p, l), 0, 1e-15);
        checkNear("l", l[0], 0.55, 1e-14);
        assert_true(file.space.pair[0].mu == 0.3);
        plSpaceFile_Destroy(&file, &allocator);
    }
}

// Two bodies that touch each other and the ground: contacts are coupled where they share one.
static void theGlobalFormHasBlocksWhereContactsShareABody(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    const double zero[6] = {0}, mu[3] = {0};
    plEntry M[] = {{0, 0, 1}, {1, 1, 2}, {2, 2, 4}},
            H[] = {{0, 0, 1}, {0, 2, -1}, {1, 2, 1}, {2, 4, 1}};
    const plGlobalProblem g = {
        .dim = 2, .M = {3, 3, 3, M}, .H = {3, 6, 4, H}, .f = zero, .w = zero, .mu = mu};
    plSpaceFile file;
    assert_int_equal(plSpaceFile_FillGlobal(&file, &g, &allocator), pl_statusOk);
    double W[36];
    plSpace_Dense(&file.space, W);
    const int starts[] = {0, 2, 4, 5};
    assert_memory_equal(file.space.blockStart, starts, sizeof starts);
    assert_true(W[0] == 1 && W[2] == -1 && W[12] == -1 && W[14] == 1.5 && W[28] == 0.25);
    plSpaceFile_Destroy(&file, &allocator);
}

static void badEntriesAreRefused(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    const double v[3] = {0}, mu[1] = {0.1}, negative[1] = {-0.1};
    plEntry good[] = {{0, 0, 1}, {1, 1, 1}}, outside[] = {{2, 0, 1}},
            indefinite[] = {{0, 0, 1}, {1, 1, -1}};
    plEntry lopsided[] = {{0, 0, 1}, {1, 1, 1}, {0, 1, 0.5}, {1, 0, 0.1}};
    const plEntries W = {2, 2, 2, good}, bad = {2, 2, 1, outside}, odd = {3, 3, 2, good};
    plSpaceFile file;
    assert_int_equal(plSpaceFile_Fill(&file, 2, &bad, v, mu, NULL, NULL, NULL, &allocator),
                     pl_statusFileFormat);
    assert_non_null(strstr(file.error, "outside"));
    assert_int_equal(plSpaceFile_Fill(&file, 2, &odd, v, mu, NULL, NULL, NULL, &allocator),
                     pl_statusFileFormat);
    assert_int_equal(plSpaceFile_Fill(&file, 2, &W, v, negative, NULL, NULL, NULL, &allocator),
                     pl_statusFileFormat);
    plGlobalProblem g = {.dim = 2, .H = W, .f = v, .w = v, .mu = mu};
    const plEntries masses[] = {{2, 2, 2, indefinite}, {2, 2, 4, lopsided}, {2, 2, 0, good}};
    for (int i = 0; i < PL_COUNT(masses); ++i) {
        g.M = masses[i];
        assert_int_equal(plSpaceFile_FillGlobal(&file, &g, &allocator), pl_statusFileFormat);
        assert_non_null(strstr(file.error, "M is not symmetric and positive definite"));
    }
    g.M = bad;
    assert_int_equal(plSpaceFile_FillGlobal(&file, &g, &allocator), pl_statusFileFormat);
}

// An allocator that knows how much was asked for at once, and fails when told to.
typedef struct {
    size_t largest;
    int countdown;
} Meter;

static void* meterTake(void* self, size_t size)
{
    Meter* m = self;
    if (size > m->largest) m->largest = size;
    return m->countdown-- == 0 ? NULL : malloc(size);
}

static void meterRelease(void* self, void* memory, size_t size)
{
    (void)self, (void)size;
    free(memory);
}

static void brokenFilesNeverCrashNorAskForMuchMemory(void** state)
{
    (void)state;
    const char* texts[] = {
        goodOwn, "3\n1\n0\n3\n3\n3 3\n1 2 3\n4 5 6\n7 8 9\n-1 0 0\n0.5\n",
        "3\n1\n3\n3\n3\n2\n2\n2 3\n2 3\n3\n3\n0 2 3\n0 1 1\n0\n1 2 3 4\n1\n5 6\n2\n7\n-1 -2 -3\n",
        "2\n1\n2\n2\n2\n1\nCSparse\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 2\n1 1 : 3\n1 "
        "1\n0.5\n",
        "palp space 1\ndim 1 contacts 1 blocks 0 step 1 sides 4 bias elastic collision equality\n"
        "contacts 0 0 0 0 0 0 0 0 0\nvelocity -1 -1\nresponse 2\nbilateral 1\n1 2 -1\nend\n"};
    plRng rng = plRng_Seed(3);
    for (int i = 0; i < sized(1000, 20000); ++i) {
        char text[512];
        const char* from = texts[i % PL_COUNT(texts)];
        size_t size = strlen(from);
        memcpy(text, from, size);
        if (i % 3 == 0) size = plRng_Next(&rng) % (size + 1);
        for (uint64_t k = plRng_Next(&rng) % 4; k > 0 && size > 0; --k) {
            const char letters[] = "0123456789-+.e \n#:xnif";
            text[plRng_Next(&rng) % size] = letters[plRng_Next(&rng) % (sizeof letters - 1)];
        }
        writeText(text, size);
        Meter meter = {.countdown = i % 5 == 0 ? (int)(plRng_Next(&rng) % 4) : -1};
        const plAllocator allocator = {meterTake, meterRelease, &meter};
        plSpaceFile file;
        const plStatus status = plSpaceFile_Load(&file, path, pl_spaceAny, &allocator);
        assert_true((status == pl_statusOk) == (file.error[0] == 0));
        // A dense matrix takes 8 bytes for two characters; lists of contacts some dozens.
        checkAtMost("bytes asked for at once", (double)meter.largest, 8192 + 200 * (double)size);
        plSpaceFile_Destroy(&file, &allocator);
    }
}

int main(void)
{
    const int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ownTextKeepsEveryBitOfADenseSpace),
        cmocka_unit_test(ownTextKeepsEveryBitOfABlockSpace),
        cmocka_unit_test(aSpaceWithoutADiagonalBlockIsRefused),
        cmocka_unit_test(denseMatricesOfSiconosLieByColumns),
        cmocka_unit_test(blocksOfUnequalSizeAreRead),
        cmocka_unit_test(tripletsAndColumnsOfASparseMatrixAreRead),
        cmocka_unit_test(blockAndDenseFilesOfOneProblemAgree),
        cmocka_unit_test(badFilesAreRefusedWithLineAndReason),
        cmocka_unit_test(bilateralRowsOfAFileAreEliminated),
        cmocka_unit_test(badBilateralRowsAreRefused),
        cmocka_unit_test(theGlobalFormIsTheLocalOne),
        cmocka_unit_test(theGlobalFormHasBlocksWhereContactsShareABody),
        cmocka_unit_test(badEntriesAreRefused),
        cmocka_unit_test(brokenFilesNeverCrashNorAskForMuchMemory),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failures;
}
