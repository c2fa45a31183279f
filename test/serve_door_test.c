// Who may come in, over plain sockets: bytes before a WebSocket begins, tokens, guesses, and many connections.
#define _GNU_SOURCE

#include "wire.h"

#include <errno.h>

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

// --- tokens

static const char token[] = "0123456789abcdef0123456789abcdef";

static void serveWithToken(Served* s, double guess)
{
    plServerDef def = servedDef(s);
    def.token = token;
    def.guess = guess;
    serve(s, &def);
}

static int askWithToken(int port, const char* given)
{
    char path[160];
    snprintf(path, sizeof path, "/api/scenes?token=%s", given);
    return ask(port, path);
}

static int askWithCookie(int port, const char* given)
{
    char line[160];
    snprintf(line, sizeof line, "Cookie: palp-token=%s\r\n", given);
    return askWith(port, "/api/scenes", line);
}

static void tokensThatCanBeGuessedAreRefused(void** state)
{
    (void)state;
    static Served other;
    static const char* const bad[] = {
        "a", "fifteen-letters", "a token with blanks", "sixteen;letters;",
        "0123456789012345678901234567890123456789012345678901234567890"
        "123456789012345678901234567890123456789012345678901234567890123"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char message[256];
        plServerDef def = servedDef(&other);
        def.token = bad[i];
        assert_int_equal(plServer_Create(&def, &other.server, message, sizeof message),
                         pl_statusBadArgument);
        assert_non_null(strstr(message, "token"));
    }
    assert_null(plDoor_TokenComplaint("sixteen-letters_"));
}

// Ten wrong tokens are answered at once; then even the right one is not looked at, until the time is over that a
// guess costs. A connection that has come in stays, and who tries the same token again does not guess.
static void guessesAreSlowed(void** state)
{
    (void)state;
    static Served other;
    Wire w;
    char guess[48], query[80];
    serveWithToken(&other, 1);
    snprintf(query, sizeof query, "?scene=box&token=%s", token);
    json_decref(openScene(&w, other.port, query));
    for (int i = 0; i < 30; ++i)
        assert_int_equal(askWithCookie(other.port, "of-a-server-before"), 401);
    assert_int_equal(askWithToken(other.port, token), 200);
    int looked = 0;
    for (int i = 0; i < 40; ++i) {
        snprintf(guess, sizeof guess, "0123456789abcdef0123456789abc%03d", i);
        const int code = i % 2 ? askWithToken(other.port, guess) : askWithCookie(other.port, guess);
        if (code == 401) ++looked;
        if (code != 401 && code != 429) fail_msg("a guess is answered by %d", code);
    }
    print_message("%d of 40 guesses were looked at\n", looked);
    assert_true(looked >= 8);
    assert_int_equal(askWithToken(other.port, token), 429);
    assert_non_null(strstr(answerText, "wait"));
    assert_int_equal(askWithCookie(other.port, token), 429);
    Wire refused;
    assert_int_equal(upgradeAt(&refused, other.port, query, "Sec-WebSocket-Protocol: palp-1\r\n"),
                     429);
    hangUp(&refused);
    assert_int_equal(ask(other.port, "/api/scenes"), 401); // no guess, and no way in
    nextPicture(&w);
    hangUp(&w);
    rest(1.1);
    assert_int_equal(askWithToken(other.port, token), 200);
    endServer(&other);
}

// --- many connections

/// A socket of another peer: all of 127.0.0.0/8 are this machine.
static int dialFrom(int port, int peer)
{
    const struct sockaddr_in from = {.sin_family = AF_INET,
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)peer)};
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = 10};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr*)&from, sizeof from), 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (const struct sockaddr*)&to, sizeof to), 0);
    return fd;
}

static void sayUpgrade(int fd, int port)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "GET /ws?scene=box HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: Upgrade\r\nUpgrade: "
        "WebSocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: palp-1\r\n\r\n",
        port);
    (void)put(fd, text, strlen(text));
}

/// Did a WebSocket begin, and is the client told of its world?
static bool isGreeted(int fd)
{
    char text[2048];
    size_t used = 0;
    while (used < sizeof text - 1) {
        const ssize_t n = recv(fd, text + used, sizeof text - 1 - used, 0);
        if (n <= 0) break;
        used += (size_t)n;
    }
    text[used] = '\0';
    return strstr(text, " 101 ") && memmem(text, used, "\"hello\"", 7);
}

/// How they occupy the server: silent, in the middle of a request, as idle WebSockets.
typedef enum { silent, halfway, idle, manners } Manner;

// What 300 sockets of one peer leave to others.
static void manySocketsOfOneShutNobodyOut(void** state)
{
    (void)state;
    enum { many = 300, newcomers = 21 };
    int fds[many], others[newcomers];
    for (Manner m = silent; m < manners; ++m) {
        for (int i = 0; i < many; ++i) {
            fds[i] = dialFrom(served.port, 0);
            if (m == halfway) (void)put(fds[i], "GET /ws?sc", 10);
            if (m == idle) sayUpgrade(fds[i], served.port);
        }
        int in = 0;
        for (int i = 0; i < newcomers; ++i) {
            others[i] = dialFrom(served.port, 1 + i % 3);
            sayUpgrade(others[i], served.port);
            in += isGreeted(others[i]);
        }
        print_message("%d of %d newcomers are in\n", in, newcomers);
        assert_int_equal(in, newcomers);
        for (int i = 0; i < newcomers; ++i) close(others[i]);
        for (int i = 0; i < many; ++i) close(fds[i]);
    }
}

/// Sockets of a peer that are still open after some time, of `count`.
static int stayOpen(const int* fds, int count)
{
    int open = 0;
    rest(0.2);
    for (int i = 0; i < count; ++i) {
        char bytes[4096];
        ssize_t n;
        do n = recv(fds[i], bytes, sizeof bytes, MSG_DONTWAIT);
        while (n > 0);
        open += n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }
    return open;
}

// All that go make room, in whatever way they went.
static void whoGoesMakesRoom(void** state)
{
    (void)state;
    enum { most = 4, tries = 12 };
    static Served other;
    plServerDef def = servedDef(&other);
    def.connections = most;
    serve(&other, &def);
    for (int round = 0; round < 12; ++round) {
        int fds[tries];
        for (int i = 0; i < tries; ++i) {
            fds[i] = dialFrom(other.port, 5);
            if (round % 4 == 1) sayUpgrade(fds[i], other.port);
            if (round % 4 == 2) (void)put(fds[i], "GET / HTTP/1.1\r\n", 16);
            if (round % 4 == 3) (void)put(fds[i], "\x16\x03\x01 nonsense\r\n\r\n", 15);
        }
        const int open = stayOpen(fds, tries);
        if (round % 4 < 3) assert_int_equal(open, most);
        assert_true(open <= most);
        for (int i = 0; i < tries; ++i) close(fds[i]);
        rest(0.1);
    }
    endServer(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anUnknownUpgradeOnAKeptConnectionIsRefused),
        cmocka_unit_test(tokensThatCanBeGuessedAreRefused),
        cmocka_unit_test(guessesAreSlowed),
        cmocka_unit_test(manySocketsOfOneShutNobodyOut),
        cmocka_unit_test(whoGoesMakesRoom),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
