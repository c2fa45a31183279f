// Who may come in, over plain sockets: bytes before a WebSocket begins.
#define _GNU_SOURCE

#include "wire.h"

static Served served;

static int begin(void** state)
{
    plServerDef def = servedDef(&served);
    (void)state;
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

/// All that comes until the other side hangs up, or is silent for `patience`; a text.
static const char* readAll(int fd, double patience)
{
    const struct timeval time = {(time_t)patience,
                                 (suseconds_t)(1e6 * (patience - floor(patience)))};
    size_t used = 0;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    while (used < sizeof answerText - 1) {
        const ssize_t n = recv(fd, answerText + used, sizeof answerText - 1 - used, 0);
        if (n <= 0) break;
        used += (size_t)n;
    }
    answerText[used] = '\0';
    return answerText;
}

// --- before a WebSocket begins

// An upgrade to something that is unknown is answered by libwebsockets, which gives the headers back when the
// connection is kept, and then asks whether it is allowed with what it has just given back.
static void anUnknownUpgradeOnAKeptConnectionIsRefused(void** state)
{
    (void)state;
    static const char* const upgrades[] = {"websocket2", "h2c", "WebSocke",
                                           "",           "x",   "TLS/1.0, websocket"};
    for (size_t i = 0; i < sizeof upgrades / sizeof *upgrades; ++i) {
        char text[1024];
        const int fd = dial(served.port);
        snprintf(text, sizeof text, "GET /api/scene/box HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
                 served.port);
        assert_true(put(fd, text, strlen(text)));
        assert_non_null(strstr(readAll(fd, 0.3), " 200 "));
        snprintf(text, sizeof text,
                 "GET /ws?scene=box HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: keep-alive, "
                 "Upgrade\r\n"
                 "Upgrade: %s\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: palp-1\r\n\r\n",
                 served.port, upgrades[i]);
        assert_true(put(fd, text, strlen(text)));
        readAll(fd, 0.3);
        assert_null(strstr(answerText, " 101 "));
        print_message("'%s': %.20s\n", upgrades[i], answerText);
        close(fd);
        assert_int_equal(ask(served.port, "/api/scenes"), 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anUnknownUpgradeOnAKeptConnectionIsRefused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
