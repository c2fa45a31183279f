// Messages between a server and its clients, byte by byte.
#include "palp/soft.h"
#include "serve/serve.h"
#include "worlds.h"

#include <math.h>
#include <string.h>

static void commandsComeBackAsTheyWere(void** state)
{
    (void)state;
    unsigned char bytes[plMessageBytes];
    const plCommand commands[] = {{.kind = pl_commandPause},
                                  {.kind = pl_commandTicks, .index = 1000},
                                  {.kind = pl_commandSpeed, .value = 0.1},
                                  {.kind = pl_commandLaw,
                                   .index = 3,
                                   .choice = -7,
                                   .part = 1 << 30,
                                   .pose = {{1e-300, -2, 3}, {1, 0, -0.5, 1e300}}}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        const plMessage out = {.kind = pl_messageCommand, .command = commands[i]};
        plMessage in;
        assert_int_equal(plMessage_Encode(&out, bytes), 88);
        assert_null(plMessage_Decode(bytes, 88, &in));
        const plCommand *a = &out.command, *b = &in.command;
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->index, b->index);
        assert_int_equal(a->choice, b->choice);
        assert_int_equal(a->part, b->part);
        assert_true(a->value == b->value);
        assert_memory_equal(&a->pose, &b->pose, sizeof a->pose);
    }
}

static void whatAClientMayNotSayHasAReason(void** state)
{
    (void)state;
    unsigned char bytes[plMessageBytes + 1] = {0};
    plMessage m;
    for (size_t size = 0; size <= sizeof bytes; ++size) { // all zero: a pause, when as long as that
        assert_true((plMessage_Decode(bytes, size, &m) == NULL) == (size == 88));
    }
    bytes[0] = pl_messageCount;
    assert_non_null(strstr(plMessage_Decode(bytes, 4, &m), "message"));
    bytes[0] = pl_messageTake;
    assert_null(plMessage_Decode(bytes, 4, &m));
    assert_non_null(plMessage_Decode(bytes, 5, &m));
    const plMessage bad = {.kind = pl_messageCommand,
                           .command = {.kind = pl_commandSpeed, .value = NAN}};
    assert_non_null(strstr(plMessage_Decode(bytes, plMessage_Encode(&bad, bytes), &m), "finite"));
}

static void listsOfChannelsAreBounded(void** state)
{
    (void)state;
    unsigned char bytes[plMessageBytes];
    plMessage out = {.kind = pl_messageWatch, .channelCount = plMessageChannels}, in;
    for (int i = 0; i < plMessageChannels; ++i) out.channels[i] = 7 * i;
    const size_t size = plMessage_Encode(&out, bytes);
    assert_null(plMessage_Decode(bytes, size, &in));
    assert_memory_equal(in.channels, out.channels, sizeof in.channels);
    assert_non_null(plMessage_Decode(bytes, size - 4, &in));
    bytes[4] = plMessageChannels + 1;
    assert_non_null(plMessage_Decode(bytes, size, &in));
    bytes[4] = 1;
    bytes[11] = 0x80; // a negative one
    assert_non_null(plMessage_Decode(bytes, 12, &in));
}

// --- surfaces of soft bodies

static float floatAt(const unsigned char* b)
{
    const uint32_t u =
        (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/// Two soft blocks of 27 nodes, one of them inside, and a ball between them.
static plWorld* makeBlocks(plMechanismId ids[2])
{
    const plAllocator allocator = plDefaultAllocator();
    plWorld* w = makeWorld((plVec3){0, 0, 0}, 2);
    plAssemblyDef ball = plDefaultAssemblyDef();
    plTets mesh;
    assert_int_equal(plTets_Box(2, 2, 2, (plVec3){0, 0, 0}, (plVec3){1, 1, 1}, &allocator, &mesh),
                     pl_statusOk);
    for (int i = 0; i < 2; ++i) {
        plSoftDef def = plDefaultSoftDef();
        def.name = i == 0 ? "first" : "second";
        def.mesh = &mesh;
        def.pose.p.x = 2.0 * i;
        def.model = i == 0 ? pl_softCorotational : pl_softDynamic;
        def.velocity.z = 1;
        checkOk(w, plWorld_AddSoft(w, &def, &ids[i]));
        ball.name = "ball";
        ball.mass = 1;
        plMechanismId id;
        if (i == 0) checkOk(w, plWorld_AddAssembly(w, &ball, &id));
    }
    plTets_Free(&mesh);
    return w;
}

static const plPicture* pictureOf(plWorld* w, plRuntime** runtime)
{
    plRuntimeDef def = plDefaultRuntimeDef();
    const plPicture* p = NULL;
    def.world = w;
    def.privileges = false;
    checkOk(NULL, plRuntime_Create(&def, runtime));
    while (!p || p->tick < 20) p = plRuntime_Picture(*runtime, NULL);
    return p;
}

static void surfacesAreToldAsTheyAre(void** state)
{
    (void)state;
    plMechanismId ids[2];
    plWorld* w = makeBlocks(ids);
    plSurfaceList list;
    plRuntime* runtime;
    assert_true(plSurfaces_List(w, &list));
    assert_int_equal(list.bodyCount, 2);
    assert_int_equal(list.pointCount, 2 * 26);
    const plPicture* p = pictureOf(w, &runtime);
    assert_true(plPicture_Whole(p));
    assert_int_equal(p->pointCount, 2 * 27);
    unsigned char bytes[8 + 12 * 52 + 1];
    bytes[sizeof bytes - 1] = 77;
    assert_int_equal(plSurfaces_EncodedSize(&list), sizeof bytes - 1);
    plSurfaces_Encode(&list, p, bytes);
    assert_int_equal(bytes[sizeof bytes - 1], 77);
    assert_int_equal(bytes[0], 3);
    assert_int_equal(bytes[2] + 256 * bytes[3], 2);
    assert_int_equal(bytes[4] + 256 * bytes[5], 52);
    float low[2] = {9, 9}, high[2] = {-9, -9};
    for (int i = 0; i < 52; ++i) {
        const float x = floatAt(bytes + 8 + 12 * i), z = floatAt(bytes + 16 + 12 * i);
        const int body = i / 26;
        assert_true(x > 2.0f * (float)body - 1e-3f && x < 2.0f * (float)body + 1 + 1e-3f);
        low[body] = fminf(low[body], z);
        high[body] = fmaxf(high[body], z);
    }
    for (int i = 0; i < 2; ++i) { // each has risen by its speed
        checkNear("lowest", (double)low[i], p->time, 1e-5);
        checkNear("highest", (double)high[i], 1 + p->time, 1e-5);
    }
    plSurfaces_Free(&list);
    plRuntime_Destroy(runtime);
}

static void softShapesAreDescribedAtRest(void** state)
{
    (void)state;
    plMechanismId ids[2];
    plWorld* w = makeBlocks(ids);
    for (int i = 0; i < 2; ++i) {
        json_t* o = plSurface_Describe(w, ids[i]);
        const json_t *points = json_object_get(o, "points"),
                     *triangles = json_object_get(o, "triangles");
        assert_int_equal(json_array_size(points), 3 * 26);
        assert_int_equal(json_array_size(triangles), 3 * 48);
        double volume = 0; // of the closed surface: all triangles look outward
        for (size_t k = 0; k < json_array_size(triangles); k += 3) {
            double x[3][3];
            for (size_t c = 0; c < 3; ++c) {
                const size_t n = (size_t)json_integer_value(json_array_get(triangles, k + c));
                assert_true(n < 26);
                for (size_t a = 0; a < 3; ++a)
                    x[c][a] = json_number_value(json_array_get(points, 3 * n + a));
            }
            volume += (x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
                       x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
                       x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0])) /
                      6;
        }
        checkNear("volume", volume, 1, 1e-12);
        // A frame of its own is at the centre of mass; else it is the world's.
        double first = HUGE_VAL;
        for (size_t k = 0; k < json_array_size(points); k += 3)
            first = fmin(first, json_number_value(json_array_get(points, k)));
        checkNear("lowest x", first, i == 0 ? -0.5 : 2, 1e-12);
        json_decref(o);
    }
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commandsComeBackAsTheyWere),
        cmocka_unit_test(whatAClientMayNotSayHasAReason),
        cmocka_unit_test(listsOfChannelsAreBounded),
        cmocka_unit_test(surfacesAreToldAsTheyAre),
        cmocka_unit_test(softShapesAreDescribedAtRest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
