// palp serve, palp doctor, and sessions, as a person meets them.
#define _GNU_SOURCE

#include "app.h"
#include "served.h"

static void whatIsWrongWithAServerIsSaid(void** state)
{
    (void)state;
    run("serve nothing-like-this");
    expectComplaint(pl_exitInput, "there is no scene");
    run("serve --port seventy");
    expectComplaint(pl_exitInput, "--port");
    run("serve --rate 1e9");
    expectComplaint(pl_exitInput, "--rate");
    run("serve --port 0 --address 0.0.0.0");
    expectComplaint(pl_exitInput, "token");
    run("serve --port 0 --address 0.0.0.0 --token short");
    expectComplaint(pl_exitInput, "token");
}

static void theDoctorTellsOfAllAndIsNeverUnhappy(void** state)
{
    (void)state;
    static const char* const words[] = {"processor", "scheduling", "memory",    "timer",
                                        "wake-up",   "devices",    "libraries", "libwebsockets"};
    run("doctor");
    expectCode(pl_exitOk);
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) expectIn(answer.out, words[i]);
}

// --- a server as a child

static const char* fetchSession(int port)
{
    for (int i = 0; i < 100; ++i) {
        if (ask(port, "/api/session/arm") == 200) return bodyOfAnswer();
        usleep(20000);
    }
    fail_msg("no session: %s", answerText);
    return NULL;
}

static void aServerIsAskedInterruptedAndItsSessionRunsAgain(void** state)
{
    static const char upgrade[] = "GET /ws?scene=arm HTTP/1.1\r\nHost: localhost\r\n"
                                  "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                  "Sec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Protocol: palp-1\r\n\r\n";
    char* arguments[] = {command, "serve", "arm", "--port", "0", NULL};
    (void)state;
    const Child c = startServer(arguments, false);
    expectIn(c.line, "/#arm");
    const int fd = dial(c.port);
    assert_true(put(fd, upgrade, strlen(upgrade)));
    const char* session = fetchSession(c.port);
    endServer(&c);
    close(fd);

    spit(inFolder("session.json"), session);
    char line[600];
    snprintf(line, sizeof line, "replay %s", inFolder("session.json"));
    run(line);
    expectCode(pl_exitOk);
    expectIn(answer.out, "identical");
    char* hash = strstr(session, "\"hash\":\"");
    assert_non_null(hash);
    hash[8] = hash[8] == '0' ? '1' : '0';
    spit(inFolder("session.json"), session);
    run(line);
    expectComplaint(pl_exitDiffers, "differs");
    spit(inFolder("session.json"), "{\"scene\": {}}");
    run(line);
    expectComplaint(pl_exitInput, "session.json");
    spit(inFolder("session.json"), "nonsense");
    run(line);
    expectComplaint(pl_exitInput, "session.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatIsWrongWithAServerIsSaid),
        cmocka_unit_test(theDoctorTellsOfAllAndIsNeverUnhappy),
        cmocka_unit_test(aServerIsAskedInterruptedAndItsSessionRunsAgain),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
