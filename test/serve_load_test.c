// What takes long is done away from the thread of the net: while a heavy scene is opened and closed, the others
// go on; and sessions are written as they were.
#define _GNU_SOURCE

#include "wire.h"

#include <stdatomic.h>

static Served served;
static char heavyFile[] = "/tmp/palp-heavy-XXXXXX";

/// A block of jelly, fine enough that its matrices take a while.
static void writeHeavy(void)
{
    const int fd = mkstemp(heavyFile);
    json_t* scene = json_load_file(PALP_SOURCE_SCENES "/jelly.json", 0, NULL);
    json_t* jelly = json_array_get(json_object_get(scene, "mechanisms"), 0);
    json_t* box = json_object_get(json_object_get(jelly, "mesh"), "box");
    assert_true(fd >= 0);
    assert_non_null(box);
    json_object_set_new(box, "counts", json_pack("[iii]", 5, 5, 6));
    assert_int_equal(json_dumpfd(scene, fd, 0), 0);
    json_decref(scene);
    close(fd);
}

static int begin(void** state)
{
    (void)state;
    writeHeavy();
    plServerDef def = servedDef(&served);
    plServedScene* heavy = &served.scenes[def.sceneCount++];
    snprintf(heavy->name, sizeof heavy->name, "heavy");
    snprintf(heavy->file, sizeof heavy->file, "%s", heavyFile);
    def.linger = 0.2;
    serve(&served, &def);
    return 0;
}

static int end(void** state)
{
    (void)state;
    endServer(&served);
    unlink(heavyFile);
    return 0;
}

// --- a heavy scene

typedef struct {
    _Atomic double longest; ///< without a picture [s]
    _Atomic bool ending, sees;
} Watcher;

static void* watchArm(void* self)
{
    Watcher* s = self;
    Wire w;
    json_decref(openScene(&w, served.port, "?scene=arm"));
    nextPicture(&w);
    for (double last = clockNow(); !s->ending;) {
        nextPicture(&w);
        s->longest = fmax(s->longest, clockNow() - last);
        last = clockNow();
        s->sees = true;
    }
    hangUp(&w);
    return NULL;
}

static int askToOpen(Wire* w, const char* query)
{
    return upgradeAt(w, served.port, query, "Sec-WebSocket-Protocol: palp-1\r\n");
}

/// Opens it, and waits until it is closed; the longest pause of the watcher, of the time that it took.
static double openHeavy(Watcher* s)
{
    const double begun = clockNow();
    Wire w;
    s->longest = 0;
    json_decref(openScene(&w, served.port, "?scene=heavy"));
    const double took = clockNow() - begun;
    rest(0.02); // what came late has come
    const double longest = s->longest;
    hangUp(&w);
    rest(0.5);
    print_message("opening took %.2f s; the longest time without a picture elsewhere was %.3f s\n",
                  took, longest);
    assert_true(took > 0.05);
    return longest / took;
}

// Pictures come sixty times a second. A busy machine may hold them up as long as it takes to open, so that the
// least of some openings is judged.
static void othersGoOnWhileAHeavySceneIsOpened(void** state)
{
    (void)state;
    static Watcher s;
    pthread_t thread;
    double least = HUGE_VAL;
    assert_int_equal(pthread_create(&thread, NULL, watchArm, &s), 0);
    while (!s.sees) rest(1e-3);
    for (int i = 0; i < 3; ++i) least = fmin(least, openHeavy(&s));
    s.ending = true;
    pthread_join(thread, NULL);
    checkAtMost("pause elsewhere, of the time of an opening", least, 0.5);
}

// Said before the scene is there, and heard when it is.
static void whatIsSaidTooEarlyIsHeard(void** state)
{
    (void)state;
    Wire a, b;
    assert_int_equal(askToOpen(&a, "?scene=heavy"), 101);
    assert_int_equal(askToOpen(&b, "?scene=heavy"), 101); // the same opening
    say(&a, &(plMessage){.kind = pl_messageTake});
    command(&a, (plCommand){.kind = pl_commandPause});
    json_t *first = nextText(&a), *second = nextText(&b);
    assert_non_null(json_object_get(first, "hello"));
    assert_non_null(json_object_get(second, "hello"));
    expectHolder(&b, clientOf(first));
    for (int i = 0; i < 600; ++i) {
        nextPicture(&b);
        if (b.bytes[1] & 1) break;
    }
    assert_true(b.bytes[1] & 1);
    json_decref(first);
    json_decref(second);
    hangUp(&a);
    hangUp(&b);
    rest(0.5);
}

// Whoever asked may be gone when it is there, and the server may end.
static void goingWhileASceneIsOpenedLeavesNothingBehind(void** state)
{
    (void)state;
    static Served other;
    plServerDef def = servedDef(&other);
    plServedScene* heavy = &other.scenes[def.sceneCount++];
    *heavy = served.scenes[def.sceneCount - 1];
    def.linger = 0.05;
    serve(&other, &def);
    Wire w;
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(
            upgradeAt(&w, other.port, "?scene=heavy", "Sec-WebSocket-Protocol: palp-1\r\n"), 101);
        hangUp(&w);
        rest(0.02 * i);
    }
    json_decref(openScene(&w, other.port, "?scene=heavy"));
    hangUp(&w);
    rest(0.3);
    assert_int_equal(
        upgradeAt(&w, other.port, "?scene=heavy", "Sec-WebSocket-Protocol: palp-1\r\n"), 101);
    endServer(&other);
    hangUp(&w);
}

// --- sessions

/// Numbers as they are in a session, at the limits of what they may be.
static plApplied drawn(plRng* rng, int i)
{
    const double wild[] = {0, -0.0, 1. / 3, 1e-300, 1e9, 5e-324, -2.5, 1e22};
    plApplied a = {.tick = (uint64_t)(3 * i),
                   .command = {.kind = (plCommandKind)(i % pl_commandCount),
                               .index = i % 7 - 1,
                               .choice = i % 5,
                               .part = i % 3,
                               .value = wild[i % PL_COUNT(wild)]}};
    a.command.pose.p = (plVec3){plRng_Uniform(rng, -1, 1), i % 2 ? 0 : 1e-17 * i, -1};
    a.command.pose.q = (plQuat){plRng_Uniform(rng, -1, 1), 0, 0, plRng_Uniform(rng, 0, 1)};
    return a;
}

static void checkRow(const json_t* row, const plApplied* a)
{
    const plCommand* c = &a->command;
    const plPose* p = &c->pose;
    const double expected[] = {(double)a->tick, c->kind, c->index, c->choice, c->part,
                               c->value,        p->p.x,  p->p.y,   p->p.z,    p->q.w,
                               p->q.x,          p->q.y,  p->q.z};
    assert_int_equal(json_array_size(row), PL_COUNT(expected));
    for (int i = 0; i < PL_COUNT(expected); ++i) {
        const double x = json_number_value(json_array_get(row, (size_t)i));
        if (x != expected[i]) fail_msg("%.17g, expected %.17g", x, expected[i]);
    }
}

static void aSessionHoldsEveryCommandToTheLastDigit(void** state)
{
    (void)state;
    enum { count = 20000 };
    plApplied* all = malloc(count * sizeof *all);
    plRng rng = plRng_Seed(23);
    for (int i = 0; i < count; ++i) all[i] = drawn(&rng, i);
    char* text =
        plSession_Write("{\"title\": \"a\"}", "nowhere.json", 1e-3, 4242, 0x1234, all, count);
    json_t* root = json_loads(text, 0, NULL);
    const json_t* commands = json_object_get(root, "commands");
    assert_non_null(root);
    print_message("%d commands: %zu bytes of text\n", count, strlen(text));
    assert_int_equal(json_array_size(commands), count);
    assert_string_equal(json_string_value(json_object_get(root, "hash")), "0000000000001234");
    assert_int_equal(json_integer_value(json_object_get(root, "ticks")), 4242);
    for (int i = 0; i < count; ++i) checkRow(json_array_get(commands, (size_t)i), &all[i]);
    json_decref(root);
    free(text);
    text = plSession_Write("{}", "nowhere.json", 1e-3, 0, 0, NULL, 0);
    root = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(root, "commands")), 0);
    json_decref(root);
    free(text);
    free(all);
}

// One after the other; who asks and goes is forgotten.
static void manyAskForSessionsAtOnce(void** state)
{
    (void)state;
    enum { askers = 12 };
    Wire w;
    int fds[askers];
    const char request[] = "GET /api/session/box HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    json_decref(openScene(&w, served.port, "?scene=box"));
    nextPicture(&w);
    for (int i = 0; i < askers; ++i) {
        fds[i] = dial(served.port);
        assert_true(put(fds[i], request, sizeof request - 1));
        if (i % 3 == 2) close(fds[i]);
    }
    for (int i = 0; i < askers; ++i) {
        char head[13] = "";
        if (i % 3 == 2) continue;
        assert_true(get(fds[i], head, 12));
        assert_string_equal(head, "HTTP/1.1 200");
        close(fds[i]);
    }
    hangUp(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(othersGoOnWhileAHeavySceneIsOpened),
        cmocka_unit_test(whatIsSaidTooEarlyIsHeard),
        cmocka_unit_test(goingWhileASceneIsOpenedLeavesNothingBehind),
        cmocka_unit_test(aSessionHoldsEveryCommandToTheLastDigit),
        cmocka_unit_test(manyAskForSessionsAtOnce),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
