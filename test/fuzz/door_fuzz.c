// Any bytes to a server over a socket, up to where a WebSocket begins and beyond. The first byte chooses the
// server and the size of the pieces that the others are sent in. Nobody is let in who does not have the token, and
// a connection that is closed on one side ends.
#define _GNU_SOURCE

#include "serve/serve.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int* count, char*** arguments);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char token[] = "the-token-of-door_fuzz";
static const plServedScene scene = {"box", PALP_SOURCE_SCENES "/box.json"};
static int ports[2]; ///< without and with a token

static void* run(void* server)
{
    plServer_Run(server);
    return NULL;
}

static int start(const char* withToken)
{
    char message[512];
    pthread_t thread;
    plServer* server;
    plServerDef def = plDefaultServerDef();
    def.port = 0;
    def.token = withToken;
    def.guess = 1e-9;
    def.connections = 1000;
    def.privileges = false;
    def.linger = 0.01;
    def.sceneCount = 1;
    def.scenes = &scene;
    if (plServer_Create(&def, &server, message, sizeof message) != pl_statusOk) abort();
    if (pthread_create(&thread, NULL, run, server) != 0) abort();
    return plServer_Port(server);
}

int LLVMFuzzerInitialize(int* count, char*** arguments)
{
    (void)count, (void)arguments;
    ports[0] = start(NULL);
    ports[1] = start(token);
    return 0;
}

static int dial(int port)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = 15};
    const struct linger atOnce = {.l_onoff = 1}; // ports of connections that ended are free again
    const int fd = socket(AF_INET, SOCK_STREAM, 0), soon = 1;
    if (fd < 0 || connect(fd, (const struct sockaddr*)&to, sizeof to) != 0) abort();
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &soon, sizeof soon);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &atOnce, sizeof atOnce);
    return fd;
}

/// In pieces of so many bytes, with a moment between them; 0: all at once.
static void say(int fd, const uint8_t* data, size_t size, size_t piece)
{
    for (size_t at = 0; at < size; at += piece) {
        if (piece == 0 || piece > size - at) piece = size - at;
        if (send(fd, data + at, piece, MSG_NOSIGNAL) < 0) return;
        if (at + piece < size) usleep(500);
    }
    shutdown(fd, SHUT_WR);
}

/// The beginning of what is answered, a text.
static size_t hear(int fd, char* text, size_t room)
{
    char bytes[1 << 14];
    size_t used = 0;
    for (;;) {
        const ssize_t n = recv(fd, bytes, sizeof bytes, 0);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) abort(); // it does not end
        if (n <= 0) break;
        const size_t fits = (size_t)n < room - used ? (size_t)n : room - used;
        memcpy(text + used, bytes, fits);
        used += fits;
    }
    return used;
}

static bool has(const void* text, size_t size, const char* part)
{
    return memmem(text, size, part, strlen(part));
}

static int digitOf(int c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/// Does it have the token, as it stands or with %41 for A?
static bool hasToken(const uint8_t* data, size_t size)
{
    uint8_t* plain = malloc(size + 1);
    size_t used = 0;
    if (!plain) abort();
    for (size_t i = 0; i < size; ++i) {
        const bool coded = data[i] == '%' && i + 2 < size && digitOf(data[i + 1]) >= 0 &&
                           digitOf(data[i + 2]) >= 0;
        plain[used++] =
            coded ? (uint8_t)(16 * digitOf(data[i + 1]) + digitOf(data[i + 2])) : data[i];
        if (coded) i += 2;
    }
    const bool found = has(data, size, token) || has(plain, used, token);
    free(plain);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const size_t pieces[] = {0, 0, 1, 7, 40, 150, 600, 2000};
    static char text[1 << 16];
    if (size < 2 || size > 8000) return 0;
    const bool guarded = data[0] & 1;
    const size_t piece = pieces[data[0] >> 1 & 7];
    ++data, --size;
    if (piece > 0 && size / piece > 300) return 0; // that would take long
    const int fd = dial(ports[guarded]);
    say(fd, data, size, piece);
    const size_t used = hear(fd, text, sizeof text);
    close(fd);
    const bool in = has(text, used, " 200 OK") || has(text, used, " 101 Switching");
    if (guarded && in && !hasToken(data, size)) abort();
    return 0;
}
