// The protocol of the viewer against a server that runs: doc/protocol.md.
#define _GNU_SOURCE

#include "wire.h"

static Served served;

static int begin(void** state)
{
    plServerDef def = servedDef(&served);
    (void)state;
    def.silence = 1;
    def.linger = 0.3;
    def.view = "doc";
    serve(&served, &def);
    return 0;
}

static int end(void** state)
{
    (void)state;
    endServer(&served);
    return 0;
}

// --- HTTP

static void filesAndScenesAreGiven(void** state)
{
    (void)state;
    assert_int_equal(ask(served.port, "/protocol.md"), 200);
    assert_non_null(strstr(answerText, "content-type: text/plain"));
    assert_non_null(strstr(bodyOfAnswer(), "palp-1"));
    assert_int_equal(ask(served.port, "/api/scenes"), 200);
    json_t* list = json_loads(bodyOfAnswer(), 0, NULL);
    assert_int_equal(json_array_size(list), 6);
    const json_t* peg = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(peg, "name")), "peg");
    assert_string_equal(json_string_value(json_object_get(peg, "paper")), "iapb");
    checkNear("rate", json_number_value(json_object_get(peg, "rate")), 512, 0);
    assert_true(json_is_true(json_object_get(peg, "planar")));
    json_decref(list);
    assert_int_equal(ask(served.port, "/api/scene/stack"), 200);
    json_t* scene = json_loads(bodyOfAnswer(), 0, NULL);
    assert_non_null(json_object_get(scene, "mechanisms"));
    json_decref(scene);
}

static void pathsDoNotLeaveTheFolder(void** state)
{
    (void)state;
    const char* const paths[] = {"/../CMakeLists.txt",
                                 "/..%2fCMakeLists.txt",
                                 "/%2e%2e/CMakeLists.txt",
                                 "/x/../../CMakeLists.txt",
                                 "//etc/passwd",
                                 "/./protocol.md/..",
                                 "/",
                                 "/nothing.html",
                                 "/api/scene/../../README",
                                 "/api/scene/%2e%2e%2fREADME",
                                 "/api/session/stack"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        const int code = ask(served.port, paths[i]);
        if (code != 404 && code != 403) fail_msg("%s gave %d", paths[i], code);
        assert_null(strstr(answerText, "cmake_minimum_required"));
        assert_null(strstr(answerText, "root:"));
    }
}

static void foreignersAreTurnedAway(void** state)
{
    (void)state;
    Wire w;
    char own[160];
    snprintf(own, sizeof own, "Origin: http://127.0.0.1:%d\r\n", served.port);
    assert_int_equal(askWith(served.port, "/api/scenes", "Origin: http://example.org\r\n"), 403);
    assert_non_null(strstr(answerText, "origin"));
    assert_int_equal(askWith(served.port, "/api/scenes", "Origin: null\r\n"), 403);
    assert_int_equal(askWith(served.port, "/api/scenes", own), 200);
    assert_int_equal(upgradeAt(&w, served.port, "?scene=stack",
                               "Sec-WebSocket-Protocol: palp-1\r\nOrigin: http://example.org\r\n"),
                     403);
    hangUp(&w);
    assert_int_equal(upgradeAt(&w, served.port, "?scene=stack", ""), 400); // no subprotocol
    hangUp(&w);
    strcat(own, "Sec-WebSocket-Protocol: palp-1\r\n");
    assert_int_equal(upgradeAt(&w, served.port, "?scene=stack", own), 101);
    hangUp(&w);
}

static void aTokenIsAskedForWhereOneIsSet(void** state)
{
    (void)state;
    static Served other;
    Wire w;
    plServerDef def = servedDef(&other);
    char message[256];
    def.address = "0.0.0.0";
    assert_int_equal(plServer_Create(&def, &other.server, message, sizeof message),
                     pl_statusBadArgument);
    assert_non_null(strstr(message, "token"));
    def.token = "abcdefgh-ijklmnop1";
    serve(&other, &def);
    assert_int_equal(ask(other.port, "/api/scenes"), 401);
    assert_int_equal(ask(other.port, "/api/scenes?token=abcdefgh-ijklmnop2"), 401);
    assert_int_equal(ask(other.port, "/api/scenes?token=abcdefgh-ijklmnop1"), 200);
    assert_non_null(strstr(answerText, "set-cookie: palp-token=abcdefgh-ijklmnop1"));
    assert_int_equal(
        askWith(other.port, "/api/scenes", "Cookie: palp-token=abcdefgh-ijklmnop1\r\n"), 200);
    assert_int_equal(askWith(other.port, "/api/scenes", "Cookie: palp-token=abcdefgh-ijklmnop\r\n"),
                     401);
    assert_int_equal(
        upgradeAt(&w, other.port, "?scene=stack", "Sec-WebSocket-Protocol: palp-1\r\n"), 401);
    hangUp(&w);
    assert_int_equal(upgradeAt(&w, other.port, "?scene=stack&token=abcdefgh-ijklmnop1",
                               "Sec-WebSocket-Protocol: palp-1\r\n"),
                     101);
    hangUp(&w);
    endServer(&other);
}

// --- pictures and rows

static void aHelloThenWholePicturesThatRise(void** state)
{
    (void)state;
    Wire w;
    json_t* hello = openScene(&w, served.port, "?scene=stack");
    const json_t* world = json_object_get(hello, "world");
    double last = 0, tick = 0;
    assert_true(clientOf(hello) > 0);
    assert_int_equal(json_integer_value(json_object_get(hello, "hello")), 1);
    assert_true(json_array_size(json_object_get(world, "mechanisms")) >= 10);
    assert_non_null(json_object_get(json_object_get(world, "touch"), "device"));
    for (int i = 0; i < 30; ++i) {
        nextPicture(&w);
        assert_true(numberOf(&w, ofSequence) > last);
        assert_true(numberOf(&w, ofTick) >= tick);
        last = numberOf(&w, ofSequence);
        tick = numberOf(&w, ofTick);
    }
    assert_true(tick > 0);
    json_decref(hello);
    hangUp(&w);
}

static int channelNamed(const json_t* hello, const char* name)
{
    const json_t* list = json_object_get(json_object_get(hello, "world"), "channels");
    for (size_t i = 0; i < json_array_size(list); ++i) {
        if (strcmp(json_string_value(json_array_get(list, i)), name) == 0) return (int)i;
    }
    fail_msg("no channel %s", name);
    return -1;
}

static void watch(Wire* w, int a, int b)
{
    say(w, &(plMessage){.kind = pl_messageWatch, .channelCount = 2, .channels = {a, b}});
}

/// Rows of two channels, tick after tick; the second of them is looked at.
static void expectRows(Wire* w, int count, bool timeSecond, double T)
{
    double last = -1;
    while (count > 0) {
        uint32_t rows;
        uint16_t channels;
        assert_true(nextFrame(w));
        if (w->type != binaryFrame || w->bytes[0] != 2) continue;
        memcpy(&channels, w->bytes + 2, 2);
        memcpy(&rows, w->bytes + 4, 4);
        assert_int_equal(channels, 2);
        assert_int_equal(w->size, 8 + 24 * rows);
        for (uint32_t i = 0; i < rows; ++i, --count) {
            double row[3];
            memcpy(row, w->bytes + 8 + 24 * i, sizeof row);
            if (last >= 0) assert_true(row[0] == last + 1);
            last = row[0];
            checkNear("time", row[timeSecond ? 2 : 1], T * row[0], 1e-9);
        }
    }
}

static void rowsAreOfTheChannelsThatAClientWatches(void** state)
{
    (void)state;
    Wire a, b;
    json_t *first = openScene(&a, served.port, "?scene=arm"),
           *second = openScene(&b, served.port, "?scene=arm");
    const int time = channelNamed(first, "time"), energy = channelNamed(first, "energy");
    const int kinetic = channelNamed(first, "kinetic");
    watch(&a, time, energy);
    expectRows(&a, 50, false, 1e-3);
    watch(&b, kinetic, time);
    expectRows(&b, 50, true, 1e-3);
    expectRows(&a, 50, false, 1e-3);
    watch(&a, energy, time); // the first list is forgotten, the other client's stays
    expectRows(&b, 50, true, 1e-3);
    say(&a, &(plMessage){.kind = pl_messageWatch, .channelCount = 1, .channels = {100000}});
    expectNotice(&a, "refused", "no such channel");
    json_decref(first);
    json_decref(second);
    hangUp(&a);
    hangUp(&b);
}

// --- commands

static void commandsAct(void** state)
{
    (void)state;
    Wire w;
    json_decref(openScene(&w, served.port, "?scene=box"));
    command(&w, (plCommand){.kind = pl_commandPause});
    do nextPicture(&w);
    while (!(w.bytes[1] & 1));
    command(&w, (plCommand){.kind = pl_commandReset});
    pictureAtTick(&w, 0);
    command(&w, (plCommand){.kind = pl_commandTicks, .index = 25});
    pictureAtTick(&w, 25);
    command(&w, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
    do nextPicture(&w);
    while ((int)numberOf(&w, ofLaw) != pl_lawPenalty);
    hangUp(&w);
}

static void nonsenseIsRefusedAndTooMuchOfItEndsIt(void** state)
{
    (void)state;
    Wire w;
    unsigned char bytes[2000] = {0};
    json_decref(openScene(&w, served.port, "?scene=arm"));
    assert_true(sendFrame(&w, binaryFrame, bytes, sizeof bytes));
    expectNotice(&w, "refused", "512");
    rest(1.1);
    assert_true(sendFrame(&w, binaryFrame, bytes, 17));
    expectNotice(&w, "refused", "88 bytes");
    rest(1.1);
    assert_true(sendFrame(&w, textFrame, "hello", 5));
    expectNotice(&w, "refused", "binary");
    rest(1.1);
    for (int i = 0; i < 3; ++i) sendFrame(&w, binaryFrame, bytes, 3);
    expectNotice(&w, "bye", "three");
    while (nextFrame(&w)) {
    }
    hangUp(&w);
    json_t* bye = openScene(&w, served.port, "?scene=nothing");
    assert_non_null(json_object_get(bye, "bye"));
    json_decref(bye);
    hangUp(&w);
}

// --- the tool

static int touchOf(const json_t* hello, const char* what)
{
    const json_t* touch = json_object_get(json_object_get(hello, "world"), "touch");
    return (int)json_integer_value(json_object_get(touch, what));
}

/// The box on top of the stack.
static void grab(Wire* w, const json_t* hello)
{
    command(w,
            (plCommand){.kind = pl_commandGrab, .index = touchOf(hello, "coupling"), .choice = 9});
}

static void pullTo(Wire* w, const json_t* hello, double x)
{
    command(w, (plCommand){.kind = pl_commandHold,
                           .index = touchOf(hello, "device"),
                           .pose = {{x, 0, 1.2}, {1, 0, 0, 0}}});
}

static void oneHoldsTheToolAndSilenceLetsGo(void** state)
{
    (void)state;
    Wire a, b;
    json_t *first = openScene(&a, served.port, "?scene=stack"),
           *second = openScene(&b, served.port, "?scene=stack");
    grab(&a, first);
    expectNotice(&a, "refused", "holds the tool");
    rest(1);
    say(&a, &(plMessage){.kind = pl_messageTake});
    expectHolder(&a, clientOf(first));
    expectHolder(&b, clientOf(first));
    say(&b, &(plMessage){.kind = pl_messageTake});
    expectNotice(&b, "refused", "another client");
    double force = 0;
    grab(&a, first);
    for (int i = 0; i < 2000 && force < 1; ++i) { // 0.3 m away, with a limit of its own
        pullTo(&a, first, 0.3);
        nextPicture(&a);
        force = fabs(deviceNumber(&a, 0, 14));
    }
    print_message("force on the pointer: %.3g N\n", force);
    assert_true(force >= 1 && force <= 100.001);
    expectHolder(&b, 0); // silent since
    for (int i = 0; i < 30; ++i) nextPicture(&b);
    checkNear("nothing is held", deviceNumber(&b, 0, 14), 0, 0);
    say(&b, &(plMessage){.kind = pl_messageTake});
    expectHolder(&b, clientOf(second));
    hangUp(&b); // vanishes
    expectHolder(&a, clientOf(second));
    expectHolder(&a, 0);
    json_decref(first);
    json_decref(second);
    hangUp(&a);
}

// --- sessions

static void aSessionRunsAgainToTheSameHash(void** state)
{
    (void)state;
    Wire w;
    plReplayed r;
    char message[512];
    json_t* hello = openScene(&w, served.port, "?scene=stack");
    say(&w, &(plMessage){.kind = pl_messageTake});
    for (int i = 0; i < 20; ++i) nextPicture(&w);
    command(&w, (plCommand){.kind = pl_commandStep, .value = 2e-3});
    command(&w, (plCommand){.kind = pl_commandReset}); // the session begins here
    grab(&w, hello);
    for (int i = 0; i < 60 || numberOf(&w, ofTick) < 300; ++i) {
        pullTo(&w, hello, 0.2 * sin(0.2 * i));
        if (i == 20) command(&w, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
        if (i == 40) command(&w, (plCommand){.kind = pl_commandStep, .value = 1e-3});
        if (i == 45) command(&w, (plCommand){.kind = pl_commandAlarm});
        nextPicture(&w);
    }
    assert_int_equal(ask(served.port, "/api/session/stack"), 200);
    const char* text = bodyOfAnswer();
    if (plSession_Replay("session", text, strlen(text), &r, message, sizeof message) !=
        pl_statusOk) {
        fail_msg("%s", message);
    }
    print_message("%llu ticks, %zu bytes, hash %016llx\n", (unsigned long long)r.ticks,
                  strlen(text), (unsigned long long)r.hash);
    assert_true(r.ticks >= 300);
    assert_true(r.hash == r.expected);
    char* at = strstr(answerText, "\"step\":0.002"); // another step gives another world
    assert_non_null(at);
    at[11] = '3';
    assert_int_equal(plSession_Replay("session", text, strlen(text), &r, message, sizeof message),
                     pl_statusOk);
    assert_false(r.hash == r.expected);
    json_decref(hello);
    hangUp(&w);
}

// --- two sides

static void twoSidesGetTheSameInputUnderTwoLaws(void** state)
{
    (void)state;
    Wire a, b;
    json_decref(openScene(&a, served.port, "?scene=box"));
    json_decref(openScene(&b, served.port, "?scene=box&side=b"));
    command(&b, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
    do nextPicture(&b);
    while ((int)numberOf(&b, ofLaw) != pl_lawPenalty);
    command(&b, (plCommand){.kind = pl_commandPause});
    expectNotice(&b, "refused", "side a");
    say(&b, &(plMessage){.kind = pl_messageTake});
    expectNotice(&b, "refused", "side a");
    command(&a, (plCommand){.kind = pl_commandPause});
    do nextPicture(&b);
    while (!(b.bytes[1] & 1));
    command(&a, (plCommand){.kind = pl_commandLaw, .index = pl_lawLcp});
    do nextPicture(&a);
    while ((int)numberOf(&a, ofLaw) != pl_lawLcp);
    nextPicture(&b);
    assert_int_equal((int)numberOf(&b, ofLaw), pl_lawPenalty);
    hangUp(&a);
    hangUp(&b);
    rest(1); // both are closed: side b alone is nothing
    json_t* bye = openScene(&b, served.port, "?scene=box&side=b");
    assert_non_null(json_object_get(bye, "bye"));
    json_decref(bye);
    hangUp(&b);
}

/// Paused, and the same ticks on both sides: the same world, but for the law.
static void twoSidesUnderOneLawAreTheSame(void** state)
{
    (void)state;
    Wire a, b;
    json_decref(openScene(&a, served.port, "?scene=stack"));
    command(&a, (plCommand){.kind = pl_commandPause});
    do nextPicture(&a);
    while (!(a.bytes[1] & 1));
    json_decref(openScene(&b, served.port, "?scene=stack&side=b"));
    command(&a, (plCommand){.kind = pl_commandPause});
    do nextPicture(&b);
    while (!(b.bytes[1] & 1));
    command(&a, (plCommand){.kind = pl_commandReset});
    command(&a, (plCommand){.kind = pl_commandTicks, .index = 100});
    pictureAtTick(&a, 100);
    pictureAtTick(&b, 100);
    assert_true(hashOf(&a) == hashOf(&b));
    command(&b, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
    do nextPicture(&b);
    while ((int)numberOf(&b, ofLaw) != pl_lawPenalty);
    command(&a, (plCommand){.kind = pl_commandTicks, .index = 100});
    pictureAtTick(&a, 200);
    pictureAtTick(&b, 200);
    assert_false(hashOf(&a) == hashOf(&b));
    hangUp(&a);
    hangUp(&b);
}

// --- the end

static void anEndIsSaid(void** state)
{
    (void)state;
    static Served other;
    Wire w;
    plServerDef def = servedDef(&other);
    serve(&other, &def);
    json_decref(openScene(&w, other.port, "?scene=arm"));
    nextPicture(&w);
    endServer(&other);
    expectNotice(&w, "bye", "ends");
    assert_false(nextFrame(&w));
    hangUp(&w);
}

static void aPortInUseIsSaid(void** state)
{
    (void)state;
    static Served other;
    char message[256];
    plServerDef def = servedDef(&other);
    def.port = served.port;
    assert_int_not_equal(plServer_Create(&def, &other.server, message, sizeof message),
                         pl_statusOk);
    assert_non_null(strstr(message, "in use"));
    assert_null(other.server);
}

// --- steps that are stretched

static void aServerThatStretchesStepsOpensWhatAllowsIt(void** state)
{
    (void)state;
    static Served other;
    Wire w;
    plServerDef def = servedDef(&other);
    def.overrun = pl_overrunStretch;
    serve(&other, &def);
    json_t* bye = openScene(&w, other.port, "?scene=peg");
    const char* why = json_string_value(json_object_get(bye, "bye"));
    assert_non_null(why);
    assert_non_null(strstr(why, "midpoint or implicit"));
    json_decref(bye);
    hangUp(&w);
    json_t* hello = openScene(&w, other.port, "?scene=stack");
    const json_t* world = json_object_get(hello, "world");
    assert_string_equal(json_string_value(json_object_get(world, "overrun")), "stretch");
    json_decref(hello);
    command(&w, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
    expectNotice(&w, "refused", "lcp and cone");
    hangUp(&w);
    endServer(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filesAndScenesAreGiven),
        cmocka_unit_test(pathsDoNotLeaveTheFolder),
        cmocka_unit_test(foreignersAreTurnedAway),
        cmocka_unit_test(aTokenIsAskedForWhereOneIsSet),
        cmocka_unit_test(aHelloThenWholePicturesThatRise),
        cmocka_unit_test(rowsAreOfTheChannelsThatAClientWatches),
        cmocka_unit_test(commandsAct),
        cmocka_unit_test(nonsenseIsRefusedAndTooMuchOfItEndsIt),
        cmocka_unit_test(oneHoldsTheToolAndSilenceLetsGo),
        cmocka_unit_test(aSessionRunsAgainToTheSameHash),
        cmocka_unit_test(twoSidesGetTheSameInputUnderTwoLaws),
        cmocka_unit_test(twoSidesUnderOneLawAreTheSame),
        cmocka_unit_test(anEndIsSaid),
        cmocka_unit_test(aPortInUseIsSaid),
        cmocka_unit_test(aServerThatStretchesStepsOpensWhatAllowsIt),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
