// The Inverse Service that palp emulates: what its clients see, and what they push.
#define _GNU_SOURCE

#include "device/device.h"
#include "wire.h"

static plService* service;
static plDeviceCalls calls;
static double now;

/// A handle of 0.2 kg that nobody holds.
static void start(void)
{
    char message[256];
    plDeviceDef def = plDefaultDeviceDef();
    def.name = "stick";
    def.pose.p = (plVec3){0.01, 0.02, 0.03};
    if (plService_Open(0, &service, message, sizeof message) != pl_statusOk) {
        fail_msg("%s", message);
    }
    assert_null(plService_Take(service, &def, false));
    calls = plService_Calls(service);
    now = 0;
}

static void end(void)
{
    plService_Leave(service);
    plService_Close(service);
}

static plSample tick(plVec3 written)
{
    const plWrench f = {written, {0, 0, 0}};
    plSample s = {0};
    calls.sample(calls.self, now, &s);
    calls.write(calls.self, &f, 1e-3);
    now += 1e-3;
    return s;
}

static json_t* connectTo(Wire* w)
{
    assert_int_equal(upgradeAt(w, plService_Port(service), "", ""), 101);
    json_t* inventory = nextText(w);
    assert_non_null(inventory);
    return inventory;
}

static void sayText(Wire* w, const char* text)
{
    assert_true(sendFrame(w, textFrame, text, strlen(text)));
}

static json_t* askText(Wire* w, const char* text)
{
    sayText(w, text);
    json_t* answer = nextText(w);
    assert_non_null(answer);
    return answer;
}

static const json_t* firstOf(const json_t* root, const char* list)
{
    return json_array_get(json_object_get(root, list), 0);
}

static double numberIn(const json_t* root, const char* vector, const char* axis)
{
    const json_t* state = json_object_get(firstOf(root, "inverse3"), "state");
    const json_t* value = json_object_get(json_object_get(state, vector), axis);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const char* modeIn(const json_t* root)
{
    const json_t* state = json_object_get(firstOf(root, "inverse3"), "state");
    return json_string_value(json_object_get(state, "control_mode"));
}

static const char pushX[] = "{\"inverse3\":[{\"device_id\":\"PALP\",\"commands\":{"
                            "\"set_cursor_force\":{\"vector\":{\"x\":1,\"y\":0,\"z\":0}}}}]}";
static const char pushOld[] = "{\"inverse3\":[{\"device_id\":\"PALP\",\"commands\":{"
                              "\"set_cursor_force\":{\"values\":{\"x\":0,\"y\":0,\"z\":-1}}}}]}";

static void whoConnectsIsToldWhatThereIs(void** state)
{
    Wire w;
    (void)state;
    start();
    tick((plVec3){0, 0, 0});
    json_t* all = connectTo(&w);
    const json_t* device = firstOf(all, "inverse3");
    assert_string_equal(json_string_value(json_object_get(device, "device_id")), "PALP");
    assert_true(json_is_true(json_object_get(json_object_get(device, "status"), "calibrated")));
    assert_non_null(json_object_get(device, "config"));
    assert_non_null(firstOf(all, "wireless_verse_grip"));
    checkNear("x", numberIn(all, "cursor_position", "x"), 0.01, 1e-15);
    checkNear("z", numberIn(all, "cursor_position", "z"), 0.03, 1e-15);
    json_decref(all);
    hangUp(&w);
    end();
}

static void eachMessageHasOneAnswer(void** state)
{
    static const char* const said[] = {"{}",
                                       "nonsense",
                                       "",
                                       "[]",
                                       "{\"inverse3\":7}",
                                       pushX,
                                       pushOld,
                                       "{\"session\":{\"force_render_full_state\":{}}}",
                                       "{\"inverse3\":[{\"device_id\":\"PALP\",\"commands\":{"
                                       "\"probe_position\":{}}}]}"};
    enum { rounds = 50 };
    Wire w;
    (void)state;
    start();
    json_decref(connectTo(&w));
    for (int i = 0; i < rounds; ++i) sayText(&w, said[i % (int)(sizeof said / sizeof *said)]);
    for (int i = 0; i < rounds; ++i) {
        json_t* answer = nextText(&w);
        assert_non_null(answer);
        assert_non_null(firstOf(answer, "inverse3"));
        json_decref(answer);
    }
    const struct timeval soon = {.tv_usec = 100000};
    char byte;
    setsockopt(w.fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    assert_int_equal(recv(w.fd, &byte, 1, 0), -1);
    hangUp(&w);
    end();
}

// 1 N on 0.2 kg for 50 ticks: 0.25 m/s, by either name of the force; with the world's own beside it.
static void theForceOfAClientMovesTheHandle(void** state)
{
    Wire w;
    (void)state;
    start();
    json_decref(connectTo(&w));
    for (int i = 0; i < 50; ++i) {
        json_t* answer = askText(&w, pushX);
        assert_string_equal(modeIn(answer), "force");
        checkNear("told force", numberIn(answer, "current_cursor_force", "x"), 1, 0);
        json_decref(answer);
        tick((plVec3){0, 2, 0});
    }
    json_t* answer = askText(&w, "{}");
    assert_string_equal(modeIn(answer), "idle");
    json_decref(answer);
    plSample s = tick((plVec3){0, 0, 0});
    // A tick that this machine held up for 20 ms has no push.
    print_message("velocity %.4f %.4f m/s\n", s.velocity.x, s.velocity.y);
    checkAtMost("velocity", s.velocity.x, 0.25 + 1e-12);
    assert_true(s.velocity.x > 0.22);
    checkNear("of the world's force", s.velocity.y, 0.5, 1e-12);
    const double before = s.velocity.z;
    json_decref(askText(&w, pushOld));
    tick((plVec3){0, 0, 0});
    s = tick((plVec3){0, 0, 0});
    assert_true(s.velocity.z < before - 0.004);
    hangUp(&w);
    end();
}

static void aForceDoesNotOutlastItsClient(void** state)
{
    Wire w;
    (void)state;
    start();
    json_decref(connectTo(&w));
    json_decref(askText(&w, pushX));
    rest(0.05);
    tick((plVec3){0, 0, 0});
    checkNear("of one that is silent", tick((plVec3){0, 0, 0}).velocity.x, 0, 0);
    sayText(&w, pushX);
    hangUp(&w);
    rest(0.05);
    tick((plVec3){0, 0, 0});
    checkNear("of one that is gone", tick((plVec3){0, 0, 0}).velocity.x, 0, 0);
    end();
}

// Writes of a world that rests come without samples: time stands still.
static void aWorldThatRestsMovesNothing(void** state)
{
    const plWrench push = {{1, 0, 0}, {0, 0, 0}};
    (void)state;
    start();
    tick((plVec3){0, 0, 0});
    for (int i = 0; i < 100; ++i) calls.write(calls.self, &push, 1e-3);
    checkNear("velocity", tick((plVec3){0, 0, 0}).velocity.x, 0, 0);
    end();
}

static void onePortHasOneService(void** state)
{
    char message[256];
    plService* second;
    (void)state;
    start();
    assert_int_not_equal(plService_Open(plService_Port(service), &second, message, sizeof message),
                         pl_statusOk);
    assert_non_null(strstr(message, "is it in use"));
    const plDeviceDef def = plDefaultDeviceDef();
    assert_non_null(plService_Take(service, &def, false));
    end();
}

// palp's own driver at palp's own service: two worlds meet at one handle.
static void theDriverOfAnInverse3MeetsTheService(void** state)
{
    char text[64], message[plRealText];
    plRealDef def;
    plReal* r;
    (void)state;
    start();
    tick((plVec3){0, 0, 0});
    snprintf(text, sizeof text, "inverse3:ws://127.0.0.1:%d,centre=0:0:0", plService_Port(service));
    assert_null(plRealDef_Parse(text, &def));
    def.privileges = false;
    if (plReal_Open(&def, &r, message, sizeof message) != pl_statusOk) fail_msg("%s", message);
    const plDeviceCalls driver = plReal_Calls(r);
    const plWrench push = {{0, 0, 1}, {0, 0, 0}};
    plSample seen = {0}, own = {0};
    for (int i = 0; i < 400; ++i) {
        own = tick((plVec3){0, 0, 0});
        seen = (plSample){0};
        driver.sample(driver.self, 0, &seen);
        driver.write(driver.self, &push, 1e-3);
        rest(1e-3);
    }
    print_message("pushed to %.4f m, seen at %.4f m\n", own.pose.p.z, seen.pose.p.z);
    assert_true(own.pose.p.z > 0.05 && fabs(own.pose.p.x - 0.01) < 1e-12);
    for (int i = 0; i < 100 && seen.flags != 0; ++i) {
        rest(0.01);
        seen = (plSample){0};
        driver.sample(driver.self, 0, &seen);
    }
    checkNear("seen", seen.pose.p.x, 0.01, 1e-12);
    checkNear("seen", seen.pose.p.z, own.pose.p.z, 0.05);
    plReal_Close(r);
    end();
}

// --- who may push, and how far

/// The status of the answer to an upgrade with these headers.
static int upgradeWith(const char* headers)
{
    char text[512];
    const int fd = dial(plService_Port(service));
    snprintf(
        text, sizeof text,
        "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: "
        "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n",
        headers);
    assert_true(put(fd, text, strlen(text)));
    const ssize_t n = recv(fd, text, sizeof text - 1, 0);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 12 ? atoi(text + 9) : 0;
}

static void pagesOfTheWebAreTurnedAway(void** state)
{
    (void)state;
    char own[200];
    start();
    assert_int_equal(upgradeWith("Host: localhost\r\nOrigin: http://example.org\r\n"), 403);
    assert_int_equal(upgradeWith("Host: localhost\r\nOrigin: null\r\n"), 403);
    assert_int_equal(upgradeWith("Host: localhost\r\nOrigin: http://localhost:8080\r\n"), 403);
    assert_int_equal(upgradeWith("Host: example.org\r\n"), 403); // its name was made to mean us
    snprintf(own, sizeof own, "Host: example.org:%d\r\nOrigin: http://example.org:%d\r\n",
             plService_Port(service), plService_Port(service));
    assert_int_equal(upgradeWith(own), 403);
    assert_int_equal(upgradeWith("Host: localhost\r\n"), 101);
    assert_int_equal(upgradeWith("Host: [::1]:7\r\n"), 101);
    end();
}

static void clientsAreCountedAndWhoGoesMakesRoom(void** state)
{
    (void)state;
    enum { many = 16 };
    Wire w[many], one;
    start();
    for (int i = 0; i < many; ++i) json_decref(connectTo(&w[i]));
    assert_int_equal(upgradeAt(&one, plService_Port(service), "", ""), 503);
    hangUp(&one);
    hangUp(&w[3]);
    rest(0.1);
    json_decref(connectTo(&w[3]));
    for (int i = 0; i < many; ++i) hangUp(&w[i]);
    end();
}

// Ten clients with 30 N each, for as long as they like: never more than 40 N, which is 0.2 m/s more in a tick
// of the handle of 0.2 kg, and never farther than 0.5 m.
static void clientsTogetherPushLikeOneDevice(void** state)
{
    (void)state;
    static const char push[] = "{\"inverse3\":[{\"device_id\":\"PALP\",\"commands\":{"
                               "\"set_cursor_force\":{\"vector\":{\"x\":30,\"y\":0,\"z\":0}}}}]}";
    enum { many = 10, ticks = 200 };
    Wire w[many];
    double fastest = 0, before = 0, gained = 0, farthest = 0;
    start();
    for (int i = 0; i < many; ++i) {
        json_decref(connectTo(&w[i]));
        json_decref(askText(&w[i], push));
    }
    for (int k = 0; k < ticks; ++k) {
        if (k % 10 == 0) json_decref(askText(&w[k / 10 % many], push)); // with what the others said
        const plSample s = tick((plVec3){0, 0, 0});
        gained = fmax(gained, s.velocity.x - before);
        before = s.velocity.x;
        fastest = fmax(fastest, s.velocity.x);
        farthest = fmax(farthest, s.pose.p.x);
    }
    print_message("at most %.3f m/s a tick, %.2f m/s, %.4f m\n", gained, fastest, farthest);
    checkAtMost("gained", gained, 0.2 + 1e-12);
    checkAtMost("farthest", farthest, 0.51 + 1e-12);
    assert_true(farthest > 0.5); // it came to the stop, and went on to be pushed
    checkNear("at the stop", before, 0, 0.2 + 1e-12);
    for (int i = 0; i < many; ++i) hangUp(&w[i]);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoConnectsIsToldWhatThereIs),
        cmocka_unit_test(eachMessageHasOneAnswer),
        cmocka_unit_test(theForceOfAClientMovesTheHandle),
        cmocka_unit_test(aForceDoesNotOutlastItsClient),
        cmocka_unit_test(aWorldThatRestsMovesNothing),
        cmocka_unit_test(onePortHasOneService),
        cmocka_unit_test(pagesOfTheWebAreTurnedAway),
        cmocka_unit_test(clientsAreCountedAndWhoGoesMakesRoom),
        cmocka_unit_test(clientsTogetherPushLikeOneDevice),
        cmocka_unit_test(theDriverOfAnInverse3MeetsTheService),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
