// An Inverse Service over plain sockets: inventory on connection, then one state for each message.
#ifndef PL_TEST_EMULATE_INVERSE_H
#define PL_TEST_EMULATE_INVERSE_H

#include <jansson.h>
#include <libwebsockets.h>

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
    int listener, port;
    pthread_t thread;
    atomic_int client; ///< its socket; -1: none
    atomic_bool ending;
    atomic_bool refuses;      ///< connections are closed at once
    atomic_bool silent;       ///< messages get no answer
    atomic_bool empty;        ///< there is no device
    atomic_bool late;         ///< the device comes with the first message only
    atomic_bool uncalibrated; ///< in the inventory
    atomic_bool oldOnly;      ///< a force is "values", nothing else
    atomic_bool lies;         ///< a place is null
    atomic_bool grip;         ///< there is one, turned by a quarter about z
    _Atomic double p[3], v[3], force[3];
    atomic_ulong messages, forces, asks;
} Inverse;

static inline bool inverseGet(const Inverse* s, int fd, void* bytes, size_t size)
{
    char* at = bytes;
    while (size > 0 && !s->ending) {
        const ssize_t n = recv(fd, at, size, 0);
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return size == 0;
}

/// A text frame of a client, unmasked, with a zero behind. False: it is gone.
static inline bool inverseHear(const Inverse* s, int fd, char* text, size_t room)
{
    unsigned char head[2], more[2] = {0}, mask[4];
    if (!inverseGet(s, fd, head, 2)) return false;
    size_t size = head[1] & 127;
    if (size == 126 && !inverseGet(s, fd, more, 2)) return false;
    if (size == 126) size = (size_t)more[0] << 8 | more[1];
    if ((head[0] & 15) != 1 || !(head[1] & 128) || size >= room) return false;
    if (!inverseGet(s, fd, mask, 4) || !inverseGet(s, fd, text, size)) return false;
    for (size_t i = 0; i < size; ++i) text[i] = (char)(text[i] ^ mask[i % 4]);
    text[size] = '\0';
    return true;
}

static inline bool inverseSay(int fd, json_t* o)
{
    char* text = json_dumps(o, JSON_COMPACT);
    const size_t size = strlen(text);
    unsigned char* frame = malloc(size + 4);
    frame[0] = 0x81;
    frame[1] = 126;
    frame[2] = (unsigned char)(size >> 8);
    frame[3] = (unsigned char)(size & 255);
    memcpy(frame + 4, text, size);
    const bool sent = send(fd, frame, size + 4, MSG_NOSIGNAL) == (ssize_t)(size + 4);
    free(frame);
    free(text);
    json_decref(o);
    return sent;
}

static inline json_t* inverseVector(const _Atomic double* a)
{
    return json_pack("{sf sf sf}", "x", a[0], "y", a[1], "z", a[2]);
}

static inline json_t* inverseState(const Inverse* s, bool idle, bool there)
{
    json_t* root = json_pack("{si s[]}", "session_id", 7, "inverse3");
    if (s->empty || !there) return root;
    json_t* state = json_pack("{so so so ss}", "cursor_position", inverseVector(s->p),
                              "cursor_velocity", inverseVector(s->v), "current_cursor_force",
                              inverseVector(s->force), "control_mode", idle ? "idle" : "force");
    if (s->lies) json_object_set_new(state, "cursor_position", json_null());
    json_array_append_new(json_object_get(root, "inverse3"),
                          json_pack("{ss so s{sb}}", "device_id", "049D", "state", state, "status",
                                    "calibrated", !s->uncalibrated));
    if (s->grip) {
        json_object_set_new(root, "wireless_verse_grip",
                            json_pack("[{ss s{s{sf sf sf sf} s{sb sb sb}}}]", "device_id", "1",
                                      "state", "orientation", "w", sqrt(0.5), "x", 0., "y", 0., "z",
                                      sqrt(0.5), "buttons", "a", 1, "b", 0, "c", 1));
    }
    return root;
}

static inline bool inverseObey(Inverse* s, const char* text)
{
    json_t* root = json_loads(text, 0, NULL);
    const json_t* one = json_array_get(json_object_get(root, "inverse3"), 0);
    const json_t* set = json_object_get(json_object_get(one, "commands"), "set_cursor_force");
    const json_t* given = json_object_get(set, s->oldOnly ? "values" : "vector");
    const char* id = json_string_value(json_object_get(one, "device_id"));
    const bool forces = given && id && strcmp(id, "049D") == 0;
    s->asks += json_object_get(json_object_get(root, "session"), "force_render_full_state") != NULL;
    s->force[0] = forces ? json_number_value(json_object_get(given, "x")) : 0;
    s->force[1] = forces ? json_number_value(json_object_get(given, "y")) : 0;
    s->force[2] = forces ? json_number_value(json_object_get(given, "z")) : 0;
    s->forces += forces;
    json_decref(root);
    return forces;
}

static inline bool inverseShake(const Inverse* s, int fd)
{
    static const char magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char request[2048] = "", key[128], answer[256];
    unsigned char hash[20];
    char hash64[64];
    size_t used = 0;
    while (used < sizeof request - 1 && !strstr(request, "\r\n\r\n")) {
        if (!inverseGet(s, fd, request + used, 1)) return false;
        request[++used] = '\0';
    }
    const char* at = strcasestr(request, "sec-websocket-key: ");
    if (!at || sscanf(at + 19, "%60s", key) != 1) return false;
    strcat(key, magic);
    lws_SHA1((unsigned char*)key, strlen(key), hash);
    lws_b64_encode_string((char*)hash, sizeof hash, hash64, sizeof hash64);
    snprintf(answer, sizeof answer,
             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Accept: %s\r\n\r\n",
             hash64);
    return send(fd, answer, strlen(answer), MSG_NOSIGNAL) > 0;
}

// Commands do not last: when a client is gone, there is no force.
static inline void inverseServe(Inverse* s, int fd)
{
    static _Thread_local char text[1 << 16];
    bool good = inverseShake(s, fd) && inverseSay(fd, inverseState(s, true, !s->late));
    while (good && !s->ending && inverseHear(s, fd, text, sizeof text)) {
        ++s->messages;
        const bool forces = inverseObey(s, text);
        if (!s->silent) good = inverseSay(fd, inverseState(s, !forces, true));
    }
    for (int i = 0; i < 3; ++i) s->force[i] = 0;
}

static inline void* inverseRun(void* self)
{
    Inverse* s = self;
    while (!s->ending) {
        const int fd = accept(s->listener, NULL, NULL), on = 1;
        if (fd < 0) break;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        s->client = fd;
        if (!s->refuses) inverseServe(s, fd);
        s->client = -1;
        close(fd);
    }
    return NULL;
}

static inline bool inverseStart(Inverse* s)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    memset(s, 0, sizeof *s);
    s->client = -1;
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr*)&at, size) != 0) return false;
    if (listen(s->listener, 4) != 0) return false;
    getsockname(s->listener, (struct sockaddr*)&at, &size);
    s->port = ntohs(at.sin_port);
    return pthread_create(&s->thread, NULL, inverseRun, s) == 0;
}

/// Whoever is connected is cut off.
static inline void inverseCut(const Inverse* s)
{
    const int fd = s->client;
    if (fd >= 0) shutdown(fd, SHUT_RDWR);
}

static inline void inverseEnd(Inverse* s)
{
    s->ending = true;
    shutdown(s->listener, SHUT_RDWR);
    inverseCut(s);
    pthread_join(s->thread, NULL);
    close(s->listener);
}

#endif
