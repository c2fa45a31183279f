// palp serve, palp doctor, and sessions, as a person meets them.
#define _GNU_SOURCE

#include "app.h"
#include "cli.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

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

typedef struct {
    pid_t pid;
    int port;
    char line[512];
} Child;

static Child startServer(const char* scene)
{
    Child c = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    c.pid = fork();
    assert_true(c.pid >= 0);
    if (c.pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execl(command, command, "serve", scene, "--port", "0", (char*)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE* from = fdopen(ends[0], "r");
    assert_non_null(from);
    assert_non_null(fgets(c.line, sizeof c.line, from));
    fclose(from);
    const char* at = strstr(c.line, "http://127.0.0.1:");
    assert_non_null(at);
    c.port = atoi(at + 17);
    return c;
}

/// Asks on a connection of its own, and gives the connection back, open.
static int askFor(int port, const char* request)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr*)&to, sizeof to), 0);
    assert_true(send(fd, request, strlen(request), MSG_NOSIGNAL) > 0);
    return fd;
}

static void readAnswer(int fd, char* text, size_t size)
{
    size_t used = 0;
    for (ssize_t n; used < size - 1 && (n = recv(fd, text + used, size - 1 - used, 0)) > 0;) {
        used += (size_t)n;
    }
    text[used] = '\0';
    close(fd);
}

static void fetchSession(int port, char* text, size_t size)
{
    for (int i = 0; i < 100; ++i) {
        readAnswer(askFor(port, "GET /api/session/arm HTTP/1.1\r\nHost: localhost\r\n"
                                "Connection: close\r\n\r\n"),
                   text, size);
        if (strstr(text, "200 OK")) return;
        usleep(20000);
    }
    fail_msg("no session: %s", text);
}

static void aServerIsAskedInterruptedAndItsSessionRunsAgain(void** state)
{
    (void)state;
    static char text[textSize];
    int status;
    Child c = startServer("arm");
    expectIn(c.line, "/#arm");
    const int fd = askFor(c.port, "GET /ws?scene=arm HTTP/1.1\r\nHost: localhost\r\n"
                                  "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                  "Sec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Protocol: palp-1\r\n\r\n");
    fetchSession(c.port, text, sizeof text);
    kill(c.pid, SIGINT);
    assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(fd);

    char* session = strstr(text, "\r\n\r\n");
    assert_non_null(session);
    spit(inFolder("session.json"), session + 4);
    char line[600];
    snprintf(line, sizeof line, "replay %s", inFolder("session.json"));
    run(line);
    expectCode(pl_exitOk);
    expectIn(answer.out, "identical");
    char* hash = strstr(session, "\"hash\":\"");
    assert_non_null(hash);
    hash[8] = hash[8] == '0' ? '1' : '0';
    spit(inFolder("session.json"), session + 4);
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
