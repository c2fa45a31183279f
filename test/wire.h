// A client of the server over plain sockets, so that it can misbehave as it likes; and a server on a
// thread of its own. For one file per program.
#ifndef PL_TEST_WIRE_H
#define PL_TEST_WIRE_H

#include "clock.h"
#include "http.h"
#include "serve/serve.h"
#include "worlds.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { textFrame = 1, binaryFrame = 2, closeFrame = 8, pingFrame = 9 };

// --- the server

typedef struct {
    plServer* server;
    pthread_t thread;
    int port;
    plServedScene scenes[8];
} Served;

static inline void* runServer(void* self)
{
    plServer_Run(self);
    return NULL;
}

static inline plServerDef servedDef(Served* s)
{
    static const char* const names[] = {"peg", "stack", "arm", "tap", "linkage-held", "box"};
    plServerDef def = plDefaultServerDef();
    def.port = 0;
    def.privileges = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        snprintf(s->scenes[i].name, sizeof s->scenes[i].name, "%s", names[i]);
        snprintf(s->scenes[i].file, sizeof s->scenes[i].file, "%s/%s.json", PALP_SOURCE_SCENES,
                 names[i]);
        ++def.sceneCount;
    }
    def.scenes = s->scenes;
    return def;
}

static inline void serve(Served* s, const plServerDef* def)
{
    char message[512];
    if (plServer_Create(def, &s->server, message, sizeof message) != pl_statusOk) {
        fail_msg("%s", message);
    }
    s->port = plServer_Port(s->server);
    assert_int_equal(pthread_create(&s->thread, NULL, runServer, s->server), 0);
}

static inline void endServer(Served* s)
{
    plServer_Stop(s->server);
    pthread_join(s->thread, NULL);
    plServer_Destroy(s->server);
}

// --- WebSocket

typedef struct {
    int fd, port;
    int type; ///< of the last frame
    size_t size;
    unsigned char* bytes; ///< of it, with a zero behind
} Wire;

/// Asks for a WebSocket; the status of the answer is 101 when there is one.
static inline int upgradeAt(Wire* w, int port, const char* query, const char* headers)
{
    char request[1024], answer[4096];
    size_t used = 0;
    *w = (Wire){.fd = dial(port), .port = port};
    snprintf(request, sizeof request,
             "GET /ws%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: Upgrade\r\nUpgrade: "
             "websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
             "Sec-WebSocket-Version: 13\r\n%s\r\n",
             query, port, headers);
    assert_true(put(w->fd, request, strlen(request)));
    while (used < sizeof answer - 1 &&
           (used < 4 || memcmp(answer + used - 4, "\r\n\r\n", 4) != 0)) {
        if (recv(w->fd, answer + used, 1, 0) != 1) break;
        ++used;
    }
    answer[used] = '\0';
    return used > 12 ? atoi(answer + 9) : 0;
}

static inline void hangUp(Wire* w)
{
    if (w->fd >= 0) close(w->fd);
    free(w->bytes);
    *w = (Wire){.fd = -1};
}

static inline bool sendFrame(Wire* w, int type, const void* bytes, size_t size)
{
    unsigned char head[8] = {(unsigned char)(0x80 | type)};
    size_t used = 2;
    if (size < 126) {
        head[1] = (unsigned char)(0x80 | size);
    } else {
        head[1] = 0x80 | 126;
        head[2] = (unsigned char)(size >> 8);
        head[3] = (unsigned char)(size & 255);
        used = 4;
    }
    // A mask of zeros is one, too.
    const unsigned char mask[4] = {0};
    return put(w->fd, head, used) && put(w->fd, mask, 4) && put(w->fd, bytes, size);
}

/// The next frame that is no ping, which is answered. False: the connection is closed or silent.
static inline bool nextFrame(Wire* w)
{
    for (;;) {
        unsigned char head[2], more[8];
        if (!get(w->fd, head, 2)) return false;
        w->size = head[1] & 127;
        const size_t extra = w->size == 126 ? 2 : w->size == 127 ? 8 : 0;
        if (!get(w->fd, more, extra)) return false;
        if (extra > 0) w->size = 0;
        for (size_t i = 0; i < extra; ++i) w->size = w->size << 8 | more[i];
        unsigned char* bytes = realloc(w->bytes, w->size + 1);
        assert_non_null(bytes);
        w->bytes = bytes;
        if (!get(w->fd, w->bytes, w->size)) return false;
        w->bytes[w->size] = '\0';
        w->type = head[0] & 15;
        if (w->type != pingFrame) return w->type != closeFrame;
        sendFrame(w, 10, w->bytes, w->size);
    }
}

static inline json_t* nextText(Wire* w)
{
    while (nextFrame(w)) {
        if (w->type == textFrame) return json_loadb((char*)w->bytes, w->size, 0, NULL);
    }
    return NULL;
}

/// The next notice that has this key.
static inline json_t* nextNotice(Wire* w, const char* key)
{
    for (;;) {
        json_t* text = nextText(w);
        if (!text) fail_msg("no notice with \"%s\"", key);
        if (json_object_get(text, key)) return text;
        json_decref(text);
    }
}

static inline void expectNotice(Wire* w, const char* key, const char* part)
{
    json_t* text = nextNotice(w, key);
    const char* why = json_string_value(json_object_get(text, key));
    if (!why || !strstr(why, part)) fail_msg("\"%s\" is not in \"%s\"", part, why ? why : "");
    json_decref(text);
}

static inline void expectHolder(Wire* w, int holder)
{
    for (;;) {
        json_t* text = nextNotice(w, "holder");
        const int now = (int)json_integer_value(json_object_get(text, "holder"));
        json_decref(text);
        if (now == holder) return;
    }
}

/// Opens a scene; the hello is the caller's.
static inline json_t* openScene(Wire* w, int port, const char* query)
{
    assert_int_equal(upgradeAt(w, port, query, "Sec-WebSocket-Protocol: palp-1\r\n"), 101);
    json_t* hello = nextText(w);
    assert_non_null(hello);
    return hello;
}

static inline int clientOf(const json_t* hello)
{
    return (int)json_integer_value(json_object_get(hello, "client"));
}

static inline void say(Wire* w, const plMessage* m)
{
    unsigned char bytes[plMessageBytes];
    assert_true(sendFrame(w, binaryFrame, bytes, plMessage_Encode(m, bytes)));
}

static inline void command(Wire* w, plCommand c)
{
    if (c.pose.q.w == 0) c.pose.q.w = 1;
    say(w, &(plMessage){.kind = pl_messageCommand, .command = c});
}

// --- pictures

static inline double numberOf(const Wire* w, int i)
{
    double x;
    memcpy(&x, w->bytes + 8 + 8 * i, sizeof x);
    return x;
}

enum { ofSequence = 0, ofTick = 1, ofStep = 3, ofLaw = 5, ofHashHigh = 6, ofHashLow = 7 };

static inline uint64_t hashOf(const Wire* w)
{
    return (uint64_t)numberOf(w, ofHashHigh) << 32 | (uint64_t)numberOf(w, ofHashLow);
}

static inline size_t sizeOfPicture(const Wire* w)
{
    uint16_t counts[3];
    memcpy(counts, w->bytes + 2, sizeof counts);
    return 360 + 4 * (7 * (size_t)counts[0] + 12 * (size_t)counts[1] + 26 * (size_t)counts[2]);
}

/// A number of device i in the picture: 0 .. 6 pose, 14 .. 19 written.
static inline double deviceNumber(const Wire* w, int device, int i)
{
    uint16_t counts[3];
    float x;
    memcpy(counts, w->bytes + 2, sizeof counts);
    const size_t at = 360 + 4 * (7 * (size_t)counts[0] + 12 * (size_t)counts[1] +
                                 26 * (size_t)device + (size_t)i);
    memcpy(&x, w->bytes + at, sizeof x);
    return (double)x;
}

static inline void nextPicture(Wire* w)
{
    do {
        if (!nextFrame(w)) fail_msg("no picture");
    } while (w->type != binaryFrame || w->bytes[0] != 1);
    assert_int_equal(w->size, sizeOfPicture(w));
}

static inline void pictureAtTick(Wire* w, double tick)
{
    for (int i = 0; i < 2000; ++i) {
        nextPicture(w);
        if (numberOf(w, ofTick) == tick) return;
    }
    fail_msg("tick %g did not come", tick);
}

#endif
