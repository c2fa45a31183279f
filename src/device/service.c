// The Inverse Service, emulated. One thread for the net; the handle moves with the ticks of its world.
#define _GNU_SOURCE

#include "device/real.h"

#include <jansson.h>
#include <libwebsockets.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { longest = 1 << 14, most = 16 }; // of a message; clients at once
static const double lasting = 0.02;    // of a force [s]
static const double strongest = 40;    // what all clients together may push with [N]
static const double workspace = 0.5;   // beyond where the hand of the scene leads the handle [m]
static const char deviceId[] = "PALP";

/// From the net to the world: what the clients push with.
typedef struct {
    double until; ///< [s]
    plVec3 force; ///< axes of the service
} Push;

/// From the world to the net.
typedef struct {
    plVec3 p, v;
    plQuat q;
} Seen;

typedef struct Client {
    struct lws* wsi;
    struct Client* next;
    bool greeted, answers; ///< an answer is owed
    bool forces;           ///< its last message had a force
    plVec3 force;
    size_t length;
    char text[longest];
} Client;

struct plService {
    plMail pushes, seen;
    pthread_t thread;
    atomic_bool ending;

    // of the net's thread
    struct lws_context* context;
    struct lws_vhost* host;
    Client* clients;
    Seen last;
    int sessions;

    // of the world's thread
    plArena fixed, state;
    plSimulated handle;
    plMat3 A;     ///< world = A service
    plVec3 home;  ///< where the handle begins, in the world
    double reach; ///< how far from there it can be [m]
    bool taken, sampled;
    double time, T; ///< [s]
};

// --- what is said

static json_t* vectorFrom(plVec3 a)
{
    return json_pack("{sf sf sf}", "x", a.x, "y", a.y, "z", a.z);
}

static json_t* turnFrom(plQuat q)
{
    return json_pack("{sf sf sf sf}", "w", q.w, "x", q.x, "y", q.y, "z", q.z);
}

static json_t* stateOf(const plService* s, const Client* c)
{
    return json_pack("{so so so ss ss}", "cursor_position", vectorFrom(s->last.p),
                     "cursor_velocity", vectorFrom(s->last.v), "current_cursor_force",
                     vectorFrom(c->forces ? c->force : plVec(0, 0, 0)), "control_domain",
                     "cartesian", "control_mode", c->forces ? "force" : "idle");
}

static json_t* configOf(void)
{
    return json_pack("{ss ss s{sb sf} s{ss}}", "type", "inverse3", "handedness", "right",
                     "gravity_compensation", "enabled", false, "scaling_factor", 0., "basis",
                     "permutation", "XYZ");
}

static json_t* statusOf(void)
{
    return json_pack("{sb sb sb sb sb}", "calibrated", true, "in_use", true, "power_supply", true,
                     "ready", true, "started", true);
}

static char* sentenceFor(const plService* s, const Client* c, bool whole)
{
    json_t* device = json_pack("{ss so so}", "device_id", deviceId, "state", stateOf(s, c),
                               "status", statusOf());
    if (whole) json_object_set_new(device, "config", configOf());
    json_t* grip =
        json_pack("{ss s{so s{sb sb sb}}}", "device_id", deviceId, "state", "orientation",
                  turnFrom(s->last.q), "buttons", "a", false, "b", false, "c", false);
    json_t* root = json_pack("{si s[o] s[o]}", "session_id", s->sessions, "inverse3", device,
                             "wireless_verse_grip", grip);
    char* text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    return text;
}

// --- what is heard

static bool readForce(const json_t* commands, plVec3* out)
{
    const json_t* set = json_object_get(commands, "set_cursor_force");
    const json_t* given = json_object_get(set, "vector");
    if (!given) given = json_object_get(set, "values");
    const plVec3 F = {json_number_value(json_object_get(given, "x")),
                      json_number_value(json_object_get(given, "y")),
                      json_number_value(json_object_get(given, "z"))};
    if (!json_is_object(given) || !(plNorm(F) <= strongest)) return false;
    *out = F;
    return true;
}

static void obey(Client* c)
{
    json_t* root = json_loadb(c->text, c->length, 0, NULL);
    const json_t *list = json_object_get(root, "inverse3"), *one;
    size_t i;
    c->forces = false;
    json_array_foreach(list, i, one)
    {
        const char* id = json_string_value(json_object_get(one, "device_id"));
        if (!id || strcmp(id, deviceId) != 0) continue;
        c->forces = readForce(json_object_get(one, "commands"), &c->force) || c->forces;
    }
    json_decref(root);
}

// Forces of several clients add up, and stay those of one device.
static void push(plService* s)
{
    Push p = {.until = plClock_Now() + lasting};
    for (const Client* c = s->clients; c; c = c->next) {
        if (c->forces) p.force = plAdd(p.force, c->force);
    }
    const double F = plNorm(p.force);
    if (F > strongest) p.force = plScale(strongest / F, p.force);
    plMail_Put(&s->pushes, &p, sizeof p);
}

// --- the net

static void enter(plService* s, Client* c, struct lws* wsi)
{
    *c = (Client){.wsi = wsi, .next = s->clients};
    s->clients = c;
    ++s->sessions;
    lws_callback_on_writable(wsi);
}

static void leave(plService* s, const Client* c)
{
    for (Client** at = &s->clients; *at; at = &(*at)->next) {
        if (*at != c) continue;
        *at = c->next;
        break;
    }
    push(s);
}

// One message is answered before the next is heard, so that there are as many answers as messages.
static int hear(plService* s, Client* c, const void* in, size_t size)
{
    if (lws_is_first_fragment(c->wsi)) c->length = 0;
    if (c->length + size > sizeof c->text) return -1;
    memcpy(c->text + c->length, in, size);
    c->length += size;
    if (!lws_is_final_fragment(c->wsi)) return 0;
    obey(c);
    push(s);
    c->answers = true;
    lws_rx_flow_control(c->wsi, 0);
    lws_callback_on_writable(c->wsi);
    return 0;
}

static int answer(plService* s, Client* c)
{
    if (c->greeted && !c->answers) return 0;
    plMail_Get(&s->seen, &s->last, sizeof s->last, NULL);
    char* text = sentenceFor(s, c, !c->greeted);
    const size_t size = text ? strlen(text) : 0;
    unsigned char* bytes = malloc(LWS_PRE + size);
    bool sent = false;
    if (text && bytes) {
        memcpy(bytes + LWS_PRE, text, size);
        sent = lws_write(c->wsi, bytes + LWS_PRE, size, LWS_WRITE_TEXT) >= 0;
    }
    free(bytes);
    free(text);
    if (c->greeted) {
        c->answers = false;
        lws_rx_flow_control(c->wsi, 1);
    }
    c->greeted = true;
    if (c->answers) lws_callback_on_writable(c->wsi);
    return sent ? 0 : -1;
}

static const char* headerOf(struct lws* wsi, enum lws_token_indexes token, char* text, int size)
{
    text[0] = '\0';
    return lws_hdr_copy(wsi, text, size, token) < 0 ? "?" : text;
}

// As the server of the page does it. An upgrade that libwebsockets has answered itself has no header any more.
static int upgrade(const plService* s, struct lws* wsi)
{
    char to[32], host[160], origin[200];
    int clients = 0;
    if (strcasecmp(headerOf(wsi, WSI_TOKEN_UPGRADE, to, sizeof to), "websocket") != 0) return -1;
    const char* why =
        plOrigin_Complaint(true, false, headerOf(wsi, WSI_TOKEN_HOST, host, sizeof host),
                           headerOf(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin));
    if (why) return lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, why) < 0 ? -1 : 1;
    for (const Client* c = s->clients; c; c = c->next) ++clients;
    if (clients < most) return 0;
    return lws_return_http_status(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "too many clients") < 0 ? -1
                                                                                                : 1;
}

static int call(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in,
                size_t size)
{
    plService* s = lws_context_user(lws_get_context(wsi));
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return lws_return_http_status(wsi, 404, NULL) < 0 ? -1 : 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return upgrade(s, wsi);
    case LWS_CALLBACK_ESTABLISHED:
        enter(s, user, wsi);
        return 0;
    case LWS_CALLBACK_CLOSED:
        leave(s, user);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return hear(s, user, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return answer(s, user);
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "inverse",
     .callback = call,
     .per_session_data_size = sizeof(Client),
     .rx_buffer_size = 4096},
    {.name = NULL},
};

static void* serve(void* self)
{
    plService* s = self;
    while (!atomic_load(&s->ending)) {
        if (lws_service(s->context, 0) < 0) break;
    }
    return NULL;
}

static bool listen1(plService* s, int port)
{
    const struct lws_context_creation_info info = {
        .port = port,
        .iface = "127.0.0.1",
        .protocols = protocols,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6 |
                   LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
        .user = s,
        .gid = -1,
        .uid = -1,
        .timeout_secs = 10,
        .keepalive_timeout = 10,
        .server_string = "palp",
    };
    lws_set_log_level(0, NULL);
    s->context = lws_create_context(&info);
    s->host = s->context ? lws_create_vhost(s->context, &info) : NULL;
    return s->host != NULL;
}

static void release(plService* s)
{
    if (s->context) lws_context_destroy(s->context);
    plService_Leave(s);
    free(s);
}

plStatus plService_Open(int port, plService** out, char* message, size_t size)
{
    const size_t whole = (sizeof(plService) + 63) / 64 * 64;
    plService* s = aligned_alloc(64, whole);
    *out = NULL;
    snprintf(message, size, "no memory");
    if (!s) return pl_statusNoMemory;
    memset(s, 0, whole);
    plMail_Start(&s->pushes);
    plMail_Start(&s->seen);
    s->last.q.w = 1;
    if (!listen1(s, port)) {
        snprintf(message, size, "nobody can be listened to at 127.0.0.1, port %d: is it in use?",
                 port);
    } else if (pthread_create(&s->thread, NULL, serve, s) == 0) {
        *out = s;
        return pl_statusOk;
    }
    release(s);
    return pl_statusBadArgument;
}

int plService_Port(const plService* s) { return lws_get_vhost_listen_port(s->host); }

void plService_Close(plService* s)
{
    if (!s) return;
    atomic_store(&s->ending, true);
    lws_cancel_service(s->context);
    pthread_join(s->thread, NULL);
    release(s);
}

// --- the handle

const char* plService_Take(plService* s, const plDeviceDef* given, bool planar)
{
    const plAllocator allocator = plDefaultAllocator();
    const size_t points = (size_t)given->hand.pointCount * sizeof(plWaypoint);
    plDeviceDef def = *given;
    def.calls = (plDeviceCalls){0};
    if (s->taken) return "it stands for a device already";
    if (def.rate > 0) return "its device has several writes in a tick, which nobody else has";
    if (plArena_Create(&s->fixed, points + 4096, &allocator) != pl_statusOk) return "no memory";
    if (plArena_Create(&s->state, 1 << 16, &allocator) != pl_statusOk ||
        plSimulated_Create(&s->handle, &def, &s->fixed, &s->state) != pl_statusOk) {
        plArena_Destroy(&s->fixed, &allocator);
        plArena_Destroy(&s->state, &allocator);
        return "no memory";
    }
    s->home = def.pose.p;
    s->reach = workspace;
    for (int i = 0; i < def.hand.pointCount; ++i) {
        const double far = plNorm(plSub(def.hand.points[i].pose.p, s->home));
        s->reach = fmax(s->reach, workspace + far);
    }
    s->A = plAxes_Of(&plInverse3Driver, planar);
    s->T = 1e-3;
    s->sampled = false;
    s->taken = true;
    return NULL;
}

void plService_Leave(plService* s)
{
    const plAllocator allocator = plDefaultAllocator();
    if (!s->taken) return;
    plArena_Destroy(&s->fixed, &allocator);
    plArena_Destroy(&s->state, &allocator);
    s->taken = false;
}

static void tellNet(plService* s)
{
    const plGrip grip = plSimulated_Grip(&s->handle);
    const plQuat q = plQuatOf(&s->A); // of the service's axes in the world's
    const Seen seen = {.p = plMulT(&s->A, grip.pose.p),
                       .v = plMulT(&s->A, grip.v),
                       .q = plQuatMul(plQuatConj(q), plQuatMul(grip.pose.q, q))};
    plMail_Put(&s->seen, &seen, sizeof seen);
}

static void sample(void* self, double time, plSample* sample1)
{
    plService* s = self;
    *sample1 = plSimulated_Sample(&s->handle, time, s->T);
    s->time = time;
    s->sampled = true;
    tellNet(s);
}

static plVec3 pushNow(plService* s)
{
    Push p = {.until = -1};
    const bool any = plMail_Get(&s->pushes, &p, sizeof p, NULL);
    return any && plClock_Now() < p.until ? plMul(&s->A, p.force) : plVec(0, 0, 0);
}

// At the end of its reach the handle meets a stop that takes what leads outwards.
static void keepInReach(plService* s)
{
    plGrip grip = plSimulated_Grip(&s->handle);
    const plVec3 way = plSub(grip.pose.p, s->home);
    const double far = plNorm(way);
    if (far <= s->reach) return;
    const plVec3 out = plScale(1 / far, way);
    grip.pose.p = plAddScaled(s->home, s->reach, out);
    grip.v = plAddScaled(grip.v, -fmax(0, plDot(grip.v, out)), out);
    plSimulated_Place(&s->handle, &grip);
}

// A world that rests writes too, and does not sample: then nothing moves.
static void write1(void* self, const plWrench* f, double T)
{
    plService* s = self;
    plWrench all = *f;
    if (!s->sampled) return;
    all.force = plAdd(all.force, pushNow(s));
    plSimulated_Step(&s->handle, &all, s->time, T);
    keepInReach(s);
    s->sampled = false;
    s->T = T;
}

plDeviceCalls plService_Calls(plService* s)
{
    return (plDeviceCalls){.self = s, .sample = sample, .write = write1};
}
