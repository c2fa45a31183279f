// What a client is told besides pictures: refusals of the world, accounts, the response of contacts; what
// it may ask for; and two sides that do the same in the same tick.
#define _GNU_SOURCE

#include "wire.h"

static Served served;

static int begin(void** state)
{
    plServerDef def = servedDef(&served);
    (void)state;
    def.linger = 0.3;
    serve(&served, &def);
    return 0;
}

static int end(void** state)
{
    (void)state;
    endServer(&served);
    return 0;
}

/// The next binary frame of a type.
static void nextOfType(Wire* w, int type)
{
    do {
        if (!nextFrame(w)) fail_msg("no message of type %d", type);
    } while (w->type != binaryFrame || w->bytes[0] != type);
}

static int u16(const Wire* w, size_t at) { return w->bytes[at] | w->bytes[at + 1] << 8; }

static double f64(const Wire* w, size_t at)
{
    double x;
    memcpy(&x, w->bytes + at, sizeof x);
    return x;
}

static double f32(const Wire* w, size_t at)
{
    float x;
    memcpy(&x, w->bytes + at, sizeof x);
    return (double)x;
}

// --- refusals

static void whatTheWorldRefusesIsToldToWhoAsked(void** state)
{
    (void)state;
    Wire a, b;
    json_decref(openScene(&a, served.port, "?scene=peg"));
    json_decref(openScene(&b, served.port, "?scene=peg"));
    say(&a, &(plMessage){.kind = pl_messageTake});
    command(&a,
            (plCommand){.kind = pl_commandGrab, .index = 0, .choice = 0}); // the scene's coupling
    json_t* text = nextNotice(&a, "refused");
    assert_non_null(strstr(json_string_value(json_object_get(text, "refused")), "virtual"));
    assert_string_equal(json_string_value(json_object_get(text, "command")), "grab");
    json_decref(text);
    for (int i = 0; i < 6;
         ++i) { // its own fault, but not for the server to judge: no three strikes
        command(&a, (plCommand){.kind = pl_commandHold, .index = 50 + i});
        expectNotice(&a, "refused", "id");
    }
    command(&b, (plCommand){.kind = pl_commandMaterial, .index = 70, .value = 1});
    expectNotice(&b, "refused", "no such material"); // the first that this one is told
    nextPicture(&a);
    hangUp(&a);
    hangUp(&b);
}

// --- accounts

static void accountsAddUpToWhatTheHandGave(void** state)
{
    (void)state;
    Wire w;
    json_t* hello = openScene(&w, served.port, "?scene=peg");
    const json_t* world = json_object_get(hello, "world");
    double last = 0, begun = 0;
    int count = 0;
    for (; count < 12; ++count) {
        nextOfType(&w, 4);
        const int d = u16(&w, 2), c = u16(&w, 4), m = u16(&w, 6), l = u16(&w, 8);
        assert_int_equal(d, json_array_size(json_object_get(world, "devices")));
        assert_int_equal(c, json_array_size(json_object_get(world, "couplings")));
        assert_int_equal(m, json_array_size(json_object_get(world, "mechanisms")));
        assert_int_equal(w.size, 16 + 8 * (10 + 5 * d + 3 * c + 4 * m + 2 * l));
        assert_true(f64(&w, 16) > last);
        if (count == 0) begun = clockNow();
        last = f64(&w, 16);
        // of the stick: what it has now is what hand and actuators gave, less what it lost
        const size_t at = 16 + 80;
        checkNear("stick", f64(&w, at),
                  f64(&w, at + 8) + f64(&w, at + 16) - f64(&w, at + 24) + f64(&w, at + 32), 1e-9);
    }
    print_message("%.3g accounts in a second\n", (count - 1) / (clockNow() - begun));
    json_decref(hello);
    hangUp(&w);
}

// --- the response of contacts

static void theResponseIsShownToWhoAsksAndToNobodyElse(void** state)
{
    (void)state;
    Wire a, b;
    json_decref(openScene(&a, served.port, "?scene=stack"));
    json_decref(openScene(&b, served.port, "?scene=stack"));
    say(&a, &(plMessage){.kind = pl_messageLook, .looks = true});
    double last = 0;
    for (int i = 0; i < 2; ++i) {
        nextOfType(&a, 5);
        const int n = u16(&a, 2);
        assert_int_equal(a.bytes[1], 3);
        assert_true(n > 0 && n <= 64);
        assert_int_equal(a.size, 16 + 8 * n + 4 * n * n);
        assert_true(f64(&a, 8) > last);
        last = f64(&a, 8);
        for (int k = 0; k < n; ++k) {
            assert_true(f32(&a, 16 + 8 * (size_t)n + 4 * (size_t)(n * k + k)) > 0);
        }
    }
    say(&a, &(plMessage){.kind = pl_messageLook, .looks = false});
    rest(0.2);
    for (int i = 0; i < 90; ++i) nextPicture(&a); // what was on its way has come
    for (int i = 0; i < 90; ++i) {
        assert_true(nextFrame(&a) && (a.type != binaryFrame || a.bytes[0] != 5));
        assert_true(nextFrame(&b) && (b.type != binaryFrame || b.bytes[0] != 5));
    }
    unsigned char odd[12] = {4, 0, 0, 0, 7};
    assert_true(sendFrame(&b, binaryFrame, odd, 8));
    expectNotice(&b, "refused", "looking");
    hangUp(&a);
    hangUp(&b);
}

// --- models

static void modelsAreDescribedAndOneCanBeChosen(void** state)
{
    (void)state;
    Wire w;
    json_t* hello = openScene(&w, served.port, "?scene=peg");
    const json_t* models = json_object_get(json_object_get(hello, "world"), "models");
    assert_int_equal(json_array_size(models), plDeviceModel_Count());
    assert_string_equal(json_string_value(json_object_get(json_array_get(models, 0), "name")),
                        "omega");
    assert_true(json_is_array(json_object_get(json_object_get(hello, "world"), "advice")));
    command(&w, (plCommand){.kind = pl_commandReset});
    command(&w, (plCommand){.kind = pl_commandModel, .index = 0, .choice = 5}); // touch, 3.3 N
    double most = 0;
    for (int i = 0; i < 90; ++i) {
        nextPicture(&w);
        for (int k = 14; k < 17; ++k) most = fmax(most, fabs(deviceNumber(&w, 0, k)));
    }
    print_message("at most %.3g N\n", most);
    checkAtMost("touch", most, 3.3000001);
    command(&w, (plCommand){.kind = pl_commandModel, .index = 0, .choice = 99});
    expectNotice(&w, "refused", "no such model");
    assert_int_equal(ask(served.port, "/api/session/peg"), 200);
    assert_non_null(strstr(bodyOfAnswer(), ",16,0,5,0,")); // the command, in the session
    plReplayed r;
    char message[512];
    const char* text = bodyOfAnswer();
    assert_int_equal(plSession_Replay("s", text, strlen(text), &r, message, sizeof message),
                     pl_statusOk);
    assert_true(r.hash == r.expected);
    json_decref(hello);
    hangUp(&w);
}

// --- sessions

static void aPausedSessionOfAHandRunsAgain(void** state)
{
    (void)state;
    Wire w;
    plReplayed r;
    char message[512];
    json_decref(openScene(&w, served.port, "?scene=linkage-held"));
    do nextPicture(&w);
    while (numberOf(&w, ofTick) < 900);
    command(&w, (plCommand){.kind = pl_commandPause});
    do nextPicture(&w);
    while (!(w.bytes[1] & 1));
    assert_int_equal(ask(served.port, "/api/session/linkage-held"), 200);
    const char* text = bodyOfAnswer();
    assert_int_equal(plSession_Replay("s", text, strlen(text), &r, message, sizeof message),
                     pl_statusOk);
    assert_true(r.hash == r.expected && r.expected == hashOf(&w));
    hangUp(&w);
}

// tap has a file of its own: it is named as seen from the scene, and must be what it was.
static void aSessionNamesFilesAsSeenFromTheScene(void** state)
{
    (void)state;
    Wire w;
    plReplayed r;
    char message[512];
    json_decref(openScene(&w, served.port, "?scene=tap"));
    for (int i = 0; i < 10; ++i) nextPicture(&w);
    assert_int_equal(ask(served.port, "/api/session/tap"), 200);
    char* text = strstr(answerText, "\r\n\r\n") + 4;
    assert_null(strstr(text, PALP_SOURCE_SCENES));
    assert_non_null(strstr(text, "\"tap.csv\""));
    const char* beside = PALP_SOURCE_SCENES "/session.json";
    if (plSession_Replay(beside, text, strlen(text), &r, message, sizeof message) != pl_statusOk) {
        fail_msg("%s", message);
    }
    assert_true(r.hash == r.expected);
    assert_int_not_equal(
        plSession_Replay("elsewhere/s.json", text, strlen(text), &r, message, sizeof message),
        pl_statusOk);
    print_message("%s\n", message);
    assert_non_null(strstr(message, "tap.csv"));
    assert_non_null(strstr(message, "not there"));
    char* hash = strstr(strstr(text, "\"files\""), "\"hash\":\"");
    assert_non_null(hash);
    hash[8] = hash[8] == '0' ? '1' : '0';
    assert_int_not_equal(plSession_Replay(beside, text, strlen(text), &r, message, sizeof message),
                         pl_statusOk);
    assert_non_null(strstr(message, "not what it was"));
    hangUp(&w);
}

// --- two sides

enum { ofStalls = 42 };

/// Drags a box on side a while both run, then pauses.
static void dragBoth(Wire* a, Wire* b, const json_t* hello)
{
    const json_t* touch = json_object_get(json_object_get(hello, "world"), "touch");
    const int device = (int)json_integer_value(json_object_get(touch, "device"));
    const int coupling = (int)json_integer_value(json_object_get(touch, "coupling"));
    nextPicture(a);
    nextPicture(b);
    const double before = numberOf(a, ofStalls) + numberOf(b, ofStalls);
    command(a, (plCommand){.kind = pl_commandResume});
    command(a, (plCommand){.kind = pl_commandReset});
    command(a, (plCommand){.kind = pl_commandGrab, .index = coupling, .choice = 9});
    for (int i = 0; i < 60 || numberOf(a, ofTick) < 150; ++i) {
        command(a, (plCommand){.kind = pl_commandHold,
                               .index = device,
                               .pose = {{0.1 * sin(0.3 * i), 0, 1.1}, {1, 0, 0, 0}}});
        nextPicture(a);
        nextPicture(b);
    }
    command(a, (plCommand){.kind = pl_commandPause});
    do nextPicture(a);
    while (!(a->bytes[1] & 1) || hashOf(a) == 0);
    do nextPicture(b);
    while (!(b->bytes[1] & 1) || hashOf(b) == 0);
    const double stalls = numberOf(a, ofStalls) + numberOf(b, ofStalls) - before;
    print_message("ticks %g and %g, %g stalls: %016llx %016llx\n", numberOf(a, ofTick),
                  numberOf(b, ofTick), stalls, (unsigned long long)hashOf(a),
                  (unsigned long long)hashOf(b));
    assert_true(numberOf(a, ofTick) == numberOf(b, ofTick) && numberOf(a, ofTick) > 100);
}

static void twoSidesThatRunTakeTheHandInTheSameTick(void** state)
{
    (void)state;
    Wire a, b;
    json_t* hello = openScene(&a, served.port, "?scene=stack");
    json_decref(openScene(&b, served.port, "?scene=stack&side=b"));
    say(&a, &(plMessage){.kind = pl_messageTake});
    for (int i = 0; i < 5; ++i) { // whether a loop is held up by the machine or not
        dragBoth(&a, &b, hello);
        assert_true(hashOf(&a) == hashOf(&b));
    }
    command(&b,
            (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty}); // and another law differs
    do nextPicture(&b);
    while ((int)numberOf(&b, ofLaw) != pl_lawPenalty);
    command(&a, (plCommand){.kind = pl_commandTicks, .index = 50});
    const double tick = numberOf(&a, ofTick) + 50;
    pictureAtTick(&a, tick);
    pictureAtTick(&b, tick);
    assert_true(hashOf(&a) != hashOf(&b));
    json_decref(hello);
    hangUp(&a);
    hangUp(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatTheWorldRefusesIsToldToWhoAsked),
        cmocka_unit_test(accountsAddUpToWhatTheHandGave),
        cmocka_unit_test(theResponseIsShownToWhoAsksAndToNobodyElse),
        cmocka_unit_test(modelsAreDescribedAndOneCanBeChosen),
        cmocka_unit_test(aPausedSessionOfAHandRunsAgain),
        cmocka_unit_test(aSessionNamesFilesAsSeenFromTheScene),
        cmocka_unit_test(twoSidesThatRunTakeTheHandInTheSameTick),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
