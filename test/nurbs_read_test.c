// Files of patches: IGES that the test writes itself, patch lists, and what is none of them.
#include "igeses.h"

static void igesComesBackAsItWasWritten(void** state)
{
    (void)state;
    static Net net;
    plPatches out;
    plShapeError error;
    randomNet(31, 3, 2, 7, 5, &net);
    Iges* g = newIges();
    addEntity(g, 110, 0, "110,0.0,0.0,0.0,1.0,0.0,0.0;"); // a line, passed over
    addEntity(g, 128, 0, surfaceText(&net, "%.17e"));
    addEntity(g, 144, 0, "144,3,0,0;");
    finishIges(g, millimetres);
    const plStatus status = parse(g->text, g->length, &out, &error);
    if (status != pl_statusOk) print_error("%s\n", error.message);
    assert_int_equal(status, pl_statusOk);
    assert_int_equal(out.count, 1);
    const plPatchDef* d = out.patches;
    assert_true(d->degreeU == 3 && d->degreeV == 2 && d->countU == 7 && d->countV == 5);
    for (int i = 0; i < 11; i++) assert_true(d->knotsU[i] == net.knotsU[i]);
    for (int i = 0; i < 8; i++) assert_true(d->knotsV[i] == net.knotsV[i]);
    for (int i = 0; i < 35; i++) {
        assert_true(d->weights[i] == net.weights[i]);
        checkAtMost("point", plNorm(plSub(d->points[i], net.points[i])), 1e-15);
    }
    plPatches_Free(&out);
}

static void matricesAndUnitsAreApplied(void** state)
{
    (void)state;
    static Net net;
    plPatches out;
    plShapeError error;
    randomNet(32, 1, 1, 2, 2, &net);
    Iges* g = newIges();
    addEntity(g, 124, 3, "124,0.,-1.,0.,10.,1.,0.,0.,20.,0.,0.,1.,30.;");
    addEntity(g, 124, 0, "124,1.,,,1D1,,1.,,,,,1.,;"); // empty ones are 0
    addEntity(g, 128, 1, surfaceText(&net, "%.17g"));
    finishIges(g, "1H,,1H;,,,,,,,,,,,,6,1HM,1,,,,,,,,;"); // metres
    assert_int_equal(parse(g->text, g->length, &out, &error), pl_statusOk);
    for (int i = 0; i < 4; i++) {
        const plVec3 p = plScale(1000, net.points[i]);
        const plVec3 moved = plVec(-p.y + 10 + 10, p.x + 20, p.z + 30);
        checkAtMost("moved", plNorm(plSub(out.patches[0].points[i], moved)), 1e-12);
    }
    plPatches_Free(&out);
    // Other delimiters, inches where nothing is said.
    Iges* h = newIges();
    char text[4096];
    snprintf(text, sizeof text, "%s", surfaceText(&net, "%.17g"));
    for (char* c = text; *c; c++) *c = *c == ',' ? '/' : *c == ';' ? '#' : *c;
    addEntity(h, 128, 0, text);
    finishIges(h, "1H//1H##");
    assert_int_equal(parse(h->text, h->length, &out, &error), pl_statusOk);
    checkNear("inch", out.patches[0].points[3].x, 25.4 * net.points[3].x, 1e-13);
    plPatches_Free(&out);
}

static void malformedIgesIsRefused(void** state)
{
    (void)state;
    static Net net;
    static char good[textSize], bad[textSize];
    randomNet(33, 2, 1, 4, 3, &net);
    Iges* g = newIges();
    addEntity(g, 128, 0, surfaceText(&net, "%.6f"));
    finishIges(g, millimetres);
    memcpy(good, g->text, g->length + 1);
    const struct {
        const char *what, *with, *word;
    } cases[] = {
        {"128,3,2,2,1", "128,3,2,2,x", "number"},
        {"128,3,2,2,1", "128,9,9,2,1", "knots"},
        {"128,3,2,2,1", "128,3,2,0,1", "degrees"},
        {"128,3,2,2,1", "126,3,2,2,1", "another kind"},
        {"128,3,2,2,1", "128,1,2,2,1", "points"},
        {",2,2HMM", ",3,2HXX", "unit"},
        {",2,2HMM", ",12,1HM", "unit"},
        {"9Htest", "9999999H", "string"},
        {"     128       1", "     128     999", "outside"},
        {"     128       1", "     128       x", "integer"},
        {"0.500000,1.000000", "2.500000,1.000000", "decrease"},
    };
    for (int i = 0; i < PL_COUNT(cases); i++) {
        memcpy(bad, good, sizeof bad);
        replaceIn(bad, cases[i].what, cases[i].with);
        checkRefused(bad, strlen(bad), 0, cases[i].word);
    }
    // Cut off anywhere, it is never taken for whole until its last record begins.
    for (size_t length = 0; length < g->length - 82; length += 7) {
        plPatches out;
        plShapeError error;
        assert_int_not_equal(parse(good, length, &out, &error), pl_statusOk);
        assert_true(error.message[0] != '\0');
    }
}

// --- patch lists

/// How many patches of a file are not those of nurbs/teapot.bpt306, read by other code.
static int otherPatches(const char* path)
{
    static Net nets[teapotPatches];
    plPatches out;
    plShapeError error;
    int different = 0;
    loadTeapot(nets, NULL);
    const plStatus status = plPatches_Load(path, 0.01, NULL, &out, &error);
    if (status != pl_statusOk) print_error("%s\n", error.message);
    assert_int_equal(status, pl_statusOk);
    assert_int_equal(out.count, teapotPatches);
    assert_true(out.inward);
    for (int i = 0; i < out.count; i++) {
        double off = 0;
        for (int j = 0; j < 16; j++) {
            const plVec3 p = plScale(0.01, nets[i].points[j]);
            off = fmax(off, plNorm(plSub(out.patches[i].points[j], p)));
        }
        different += off > 1e-9;
    }
    print_message("%s: %d patches, %d of them other than in bpt306\n", path, out.count, different);
    plPatches_Free(&out);
    return different;
}

static void theTeapotIsRead(void** state)
{
    (void)state;
    assert_int_equal(otherPatches(ownFile("nurbs/teapot.bpt306")), 0);
}

static void thePublishedTeapotIsRead(void** state)
{
    (void)state;
    otherPatches(publishedFile("data/nurbs/teapot.bpt"));
}

static void malformedListsAreRefused(void** state)
{
    (void)state;
    const struct {
        const char* text;
        int line;
        const char* word;
    } cases[] = {
        {"", 1, "number of patches"},
        {"teapot", 1, "found 'teapot'"},
        {"0\n", 1, "integer"},
        {"1.5\n1 1\n", 1, "integer"},
        {"99999999\n1 1\n", 1, "integer"},
        {"1\n1 1\n0 0 0\n1 0 0\n0 1\n", 6, "coordinate"},
        {"1\n1 1\n0 0 0\n1 0 nan\n", 4, "coordinate"},
        {"1\n0 1\n0 0 0\n", 2, "degree"},
        {"1\n10 1\n0 0 0\n", 2, "degree"},
        {"1\n1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,17\n2\n0,0,0\n1,1,1\n", 0, "names point"},
        {"1\n1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0\n2\n0,0,0\n1,1,1\n", 2, "integer"},
        {"1\n1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n60000\n0,0,0\n", 0, "too short"},
        {"1\n1 1\n0 0 0\n1e9 0 0\n0 1 0\n1 1 0\n", 0, "farther out"},
    };
    for (int i = 0; i < PL_COUNT(cases); i++) {
        checkRefused(cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].word);
    }
}

static void hasFiveOfAKind(const plPatches* out)
{
    assert_int_equal(out->count, 5);
    assert_true(out->patches[0].points[7].x == out->patches[4].points[7].x);
}

static void readingGivesAllMemoryBack(void** state)
{
    (void)state;
    static Net net;
    randomNet(34, 2, 2, 5, 5, &net);
    Iges* g = newIges();
    for (int i = 0; i < 5; i++) addEntity(g, 128, 0, surfaceText(&net, "%.9g"));
    finishIges(g, millimetres);
    checkMemory(g, hasFiveOfAKind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(igesComesBackAsItWasWritten), cmocka_unit_test(matricesAndUnitsAreApplied),
        cmocka_unit_test(malformedIgesIsRefused),      cmocka_unit_test(theTeapotIsRead),
        cmocka_unit_test(thePublishedTeapotIsRead),    cmocka_unit_test(malformedListsAreRefused),
        cmocka_unit_test(readingGivesAllMemoryBack),
    };
    return cmocka_run_group_tests(tests, nurbsesBegin, shapesEnd);
}
