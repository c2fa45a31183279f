// palp serve, palp doctor, and sessions, as a person meets them.
#define _GNU_SOURCE

#include "app.h"
#include "certificates.h"
#include "served.h"

#include <sys/stat.h>

static void whatIsWrongWithAServerIsSaid(void** state)
{
    (void)state;
    run("serve nothing-like-this");
    expectComplaint(pl_exitInput, "there is no scene");
    run("serve --port seventy");
    expectComplaint(pl_exitInput, "--port");
    run("serve --rate 1e9");
    expectComplaint(pl_exitInput, "--rate");
    run("serve --port 0 --connections 0");
    expectComplaint(pl_exitInput, "--connections");
    run("serve --port 0 --certificate nothing.pem");
    expectComplaint(pl_exitInput, "its key");
    run("serve --port 0 --certificate nothing.pem --key nothing.pem");
    expectComplaint(pl_exitInput, "cannot be read");
    run("serve --port 0 --token 0123456789abcdef"); // all users of a machine can read its command lines
    expectComplaint(pl_exitInput, "no option \"--token\"");
}

static void tokensThatCannotBeTrustedAreRefused(void** state)
{
    char line[600];
    (void)state;
    runAfter("PALP_TOKEN=short", "serve --port 0 --host 0.0.0.0");
    expectComplaint(pl_exitInput, "PALP_TOKEN");
    runAfter("env -u HOME -u XDG_CONFIG_HOME", "serve --port 0 --host 0.0.0.0");
    expectComplaint(pl_exitInput, "--token-file");
    snprintf(line, sizeof line, "serve --port 0 --host 0.0.0.0 --token-file %s", inFolder("open"));
    spit(inFolder("open"), "0123456789abcdef\n");
    chmod(inFolder("open"), 0640);
    run(line);
    expectComplaint(pl_exitInput, "others");
    chmod(inFolder("open"), 0600);
    spit(inFolder("open"), "0123456789\n");
    run(line);
    expectComplaint(pl_exitInput, "guessed");
    snprintf(line, sizeof line, "serve --port 0 --host 0.0.0.0 --token-file %s", inFolder("link"));
    assert_int_equal(symlink("open", inFolder("link")), 0);
    run(line);
    expectComplaint(pl_exitInput, "link");
    snprintf(line, sizeof line, "serve --port 0 --host 0.0.0.0 --token-file %s", folder);
    run(line);
    expectComplaint(pl_exitInput, "no file");
}

/// Asks with the token of the file, and with a wrong one.
static void expectToken(int port, const char* token)
{
    char path[300];
    assert_int_equal(ask(port, "/api/scenes"), 401);
    snprintf(path, sizeof path, "/api/scenes?token=%s", token);
    assert_int_equal(ask(port, path), 200);
    path[strlen(path) - 1] ^= 1;
    assert_int_equal(ask(port, path), 401);
}

// 128 bits, in a file that nobody else can read, and nowhere else; the next server has the same.
static void aServerForOthersMakesATokenOfItsOwn(void** state)
{
    char* arguments[] = {command, "serve", "--host", "0.0.0.0", "--port", "0", NULL};
    char home[300], text[textSize], again[textSize];
    struct stat info;
    (void)state;
    snprintf(home, sizeof home, "%s/home", folder);
    setenv("XDG_CONFIG_HOME", home, 1);
    Child c = startServer(arguments, false);
    assert_int_equal(stat(inFolder("home/palp/token"), &info), 0);
    assert_true((info.st_mode & 0777) == 0600);
    slurp(inFolder("home/palp/token"), text);
    text[strcspn(text, "\n")] = '\0';
    assert_int_equal(strlen(text), 32);
    assert_int_equal(strspn(text, "0123456789abcdef"), 32);
    expectIn(c.line, "?token=TOKEN");
    assert_null(strstr(c.line, text));
    expectToken(c.port, text);
    endServer(&c);
    c = startServer(arguments, false);
    slurp(inFolder("home/palp/token"), again);
    assert_memory_equal(again, text, 32);
    expectToken(c.port, text);
    endServer(&c);
    setenv("PALP_TOKEN", "of-the-environment", 1);
    c = startServer(arguments, false);
    expectToken(c.port, "of-the-environment");
    endServer(&c);
    unsetenv("PALP_TOKEN");
    unsetenv("XDG_CONFIG_HOME");
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

// With a certificate it says so, and is silent to who speaks plainly.
static void aServerWithACertificateSpeaksTls(void** state)
{
    char certificate[pathSize], key[pathSize];
    char* arguments[] = {command,     "serve", "--port", "0", "--certificate",
                         certificate, "--key", key,      NULL};
    (void)state;
    snprintf(certificate, sizeof certificate, "%s", inFolder("certificate.pem"));
    snprintf(key, sizeof key, "%s", inFolder("key.pem"));
    assert_true(makeCertificate(certificate, key));
    const Child c = startServer(arguments, false);
    expectIn(c.line, "https://127.0.0.1:");
    assert_int_not_equal(ask(c.port, "/api/scenes"), 200);
    endServer(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatIsWrongWithAServerIsSaid),
        cmocka_unit_test(tokensThatCannotBeTrustedAreRefused),
        cmocka_unit_test(aServerForOthersMakesATokenOfItsOwn),
        cmocka_unit_test(aServerWithACertificateSpeaksTls),
        cmocka_unit_test(theDoctorTellsOfAllAndIsNeverUnhappy),
        cmocka_unit_test(aServerIsAskedInterruptedAndItsSessionRunsAgain),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
