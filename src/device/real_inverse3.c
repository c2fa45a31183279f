// Haply Inverse3, by its service: JSON over a WebSocket. The service tells what there is when somebody
// comes, and answers each message with one state: so a round is a message and its answer. A force is for
// one message only. x is right, y forward, z up; SI units.
#define _GNU_SOURCE

#include "device/real.h"

#include <jansson.h>
#include <libwebsockets.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { messageBytes = 512, answerBytes = 1 << 16, idBytes = 32 };

typedef struct {
    struct lws_context* context;
    struct lws* wsi;
    lws_sorted_usec_list_t timer;
    bool late;     ///< the timer has ended
    bool gone;     ///< nobody listens, or the connection is closed
    bool answered; ///< `in` is a whole text
    size_t inSize;
    char in[answerBytes];
    size_t outSize; ///< 0: nothing is to be sent
    double sent;    ///< when the last message was handed over [s]; 0: it was not
    unsigned char out[LWS_PRE + messageBytes];
    char id[idBytes];
    bool oldKey; ///< the force is called "values", as up to version 3.4
    int idle;    ///< answers in which the service did not take the force
} Inverse3;

// --- the wire

static void take(Inverse3* s, const void* bytes, size_t size, bool first, bool last)
{
    if (first) s->inSize = 0;
    if (s->inSize + size > sizeof s->in) {
        s->gone = true;
        return;
    }
    memcpy(s->in + s->inSize, bytes, size);
    s->inSize += size;
    s->answered = last;
}

static int call(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in,
                size_t size)
{
    Inverse3* s = lws_context_user(lws_get_context(wsi));
    (void)user;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_RECEIVE:
        take(s, in, size, lws_is_first_fragment(wsi), lws_is_final_fragment(wsi));
        return s->gone ? -1 : 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        if (s->outSize == 0) return 0;
        if (lws_write(wsi, s->out + LWS_PRE, s->outSize, LWS_WRITE_TEXT) < 0) return -1;
        s->outSize = 0;
        s->sent = plClock_Now();
        return 0;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
    case LWS_CALLBACK_CLIENT_CLOSED:
    case LWS_CALLBACK_CLOSED:
        s->gone = true;
        s->wsi = NULL;
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "inverse", .callback = call, .rx_buffer_size = 4096}, {.name = NULL}};

static void ring(lws_sorted_usec_list_t* timer)
{
    Inverse3* s = lws_container_of(timer, Inverse3, timer);
    s->late = true;
    lws_cancel_service(s->context); // which goes on to wait for the next event else
}

static bool waitForAnswer(Inverse3* s, double seconds)
{
    s->late = false;
    lws_sul_schedule(s->context, 0, &s->timer, ring, (lws_usec_t)(1e6 * seconds));
    while (!s->answered && !s->late && !s->gone) {
        if (lws_service(s->context, 0) < 0) break;
    }
    lws_sul_schedule(s->context, 0, &s->timer, ring, LWS_SET_TIMER_USEC_CANCEL);
    const bool answered = s->answered;
    s->answered = false;
    return answered;
}

static bool say(Inverse3* s, const char* text, double patience)
{
    if (s->gone || !s->wsi) return false;
    s->outSize = strlen(text);
    s->sent = 0;
    memcpy(s->out + LWS_PRE, text, s->outSize);
    s->answered = false;
    lws_callback_on_writable(s->wsi);
    return waitForAnswer(s, patience);
}

/// "ws://host:port/path": the port is 10001 and the path / where they are not given.
static bool readAddress(const char* address, char host[plRealText], int* port,
                        char path[plRealText])
{
    const char* at = strncmp(address, "ws://", 5) == 0 ? address + 5 : address;
    const size_t length = strcspn(at, ":/");
    char* end = (char*)at + length;
    if (length == 0 || length >= plRealText || strstr(at, "://")) return false;
    snprintf(host, plRealText, "%.*s", (int)length, at);
    *port = 10001;
    if (*end == ':') *port = (int)strtol(end + 1, &end, 10);
    snprintf(path, plRealText, "%s", *end == '/' ? end : "/");
    return (*end == '\0' || *end == '/') && *port > 0 && *port < 65536;
}

static bool dial(Inverse3* s, const char* address, char why[plRealText])
{
    char host[plRealText], path[plRealText];
    int port;
    if (!readAddress(address, host, &port, path)) {
        return plFailWith(why, "an address is ws://HOST:PORT, found %.150s", address);
    }
    const struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN, .protocols = protocols, .user = s, .gid = -1, .uid = -1};
    lws_set_log_level(0, NULL);
    s->context = lws_create_context(&info);
    if (!s->context) return plFailWith(why, "no memory");
    const struct lws_client_connect_info to = {.context = s->context,
                                               .address = host,
                                               .port = port,
                                               .path = path,
                                               .host = host,
                                               .origin = host,
                                               .ietf_version_or_minus_one = -1,
                                               .pwsi = &s->wsi};
    if (lws_client_connect_via_info(&to) && waitForAnswer(s, 2)) return true;
    return plFailWith(why, "nobody listens at %.100s: is the Haply Inverse Service running?",
                      address);
}

// --- what it says

static double numberOf(const json_t* o, const char* key)
{
    const json_t* value = json_object_get(o, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static plVec3 vectorOf(const json_t* o)
{
    return plVec(numberOf(o, "x"), numberOf(o, "y"), numberOf(o, "z"));
}

/// Of a list of devices the one with the id, or the first; null: there is none.
static const json_t* deviceOf(const json_t* root, const char* list, const char* id)
{
    const json_t *all = json_object_get(root, list), *one;
    size_t i;
    json_array_foreach(all, i, one)
    {
        const char* name = json_string_value(json_object_get(one, "device_id"));
        if (id[0] == '\0' || (name && strcmp(name, id) == 0)) return one;
    }
    return NULL;
}

static unsigned buttonsOf(const json_t* state)
{
    static const char* const names[] = {"a", "b", "c"};
    const json_t* many = json_object_get(state, "buttons");
    unsigned mask = json_is_true(json_object_get(state, "button"));
    for (int i = 0; i < PL_COUNT(names); ++i) {
        if (json_is_true(json_object_get(many, names[i]))) mask |= 1u << i;
    }
    return mask;
}

// A grip, with or without a wire, turns in the hand; without one only the place is known.
static void readGrip(const json_t* root, plRaw* raw)
{
    const json_t* grip = deviceOf(root, "wireless_verse_grip", "");
    if (!grip) grip = deviceOf(root, "verse_grip", "");
    const json_t* state = json_object_get(grip, "state");
    const json_t* turn = json_object_get(state, "orientation");
    if (!turn) return;
    const plQuat q = {numberOf(turn, "w"), numberOf(turn, "x"), numberOf(turn, "y"),
                      numberOf(turn, "z")};
    const double size = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(fabs(size - 1) < 0.1)) return; // it sleeps, or is no orientation
    raw->R = plRotation(plQuatUnit(q));
    raw->turns = true;
    raw->buttons = buttonsOf(state);
}

// Spin is told by nobody: without rates, both come from differences. The place has its own velocity, and
// is better off with it when nothing turns.
static bool readState(Inverse3* s, plRaw* raw)
{
    json_t* root = json_loadb(s->in, s->inSize, 0, NULL);
    const json_t* device = deviceOf(root, "inverse3", s->id);
    const json_t* state = json_object_get(device, "state");
    const char* mode = json_string_value(json_object_get(state, "control_mode"));
    if (state) {
        raw->p = vectorOf(json_object_get(state, "cursor_position"));
        raw->v = vectorOf(json_object_get(state, "cursor_velocity"));
        readGrip(root, raw);
        raw->rates = !raw->turns;
        raw->poor = json_is_false(json_object_get(json_object_get(device, "status"), "calibrated"));
    }
    const bool isIdle = mode && strcmp(mode, "idle") == 0;
    s->idle = isIdle ? s->idle + 1 : 0;
    json_decref(root);
    return state != NULL;
}

static bool isPlain(const char* id)
{
    return id[strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")] ==
           '\0';
}

// The inventory: which device it is.
static bool readInventory(Inverse3* s, const char* id, bool* calibrated)
{
    json_t* root = json_loadb(s->in, s->inSize, 0, NULL);
    const json_t* device = deviceOf(root, "inverse3", id);
    const char* name = json_string_value(json_object_get(device, "device_id"));
    const json_t* status = json_object_get(device, "status");
    const bool good = name && strlen(name) < sizeof s->id && isPlain(name);
    if (good) snprintf(s->id, sizeof s->id, "%s", name);
    *calibrated = !json_is_false(json_object_get(status, "calibrated"));
    json_decref(root);
    return good;
}

// --- the driver

static void hangUp(Inverse3* s)
{
    if (s->context) lws_context_destroy(s->context);
    s->context = NULL;
}

static bool openDevice(Inverse3* s, const plRealDef* def, const char* address, char why[plRealText])
{
    static const char askAll[] = "{\"session\":{\"force_render_full_state\":{}}}";
    enum { tries = 3 };
    bool calibrated = false;
    if (!dial(s, address, why)) return false;
    bool found = readInventory(s, def->id, &calibrated);
    for (int i = 0; i < tries && !found; ++i) {
        found = say(s, askAll, 0.2) && readInventory(s, def->id, &calibrated);
    }
    if (!found) {
        return plFailWith(why,
                          "the service at %.100s knows of no Inverse3%s%.60s: is it connected?",
                          address, def->id[0] ? " " : "", def->id);
    }
    if (calibrated) return true;
    return plFailWith(why,
                      "the Inverse3 %s is not calibrated: turn its arms to their stops, as its "
                      "maker says",
                      s->id);
}

static bool open1(void* state, const plRealDef* def, plFound* found, char why[plRealText])
{
    Inverse3* s = state;
    const char* address = def->address[0] ? def->address : plInverse3Driver.address;
    if (!openDevice(s, def, address, why)) {
        hangUp(s);
        return false;
    }
    snprintf(found->name, sizeof found->name, "Inverse3 %s", s->id);
    found->force = 5; // below what it gives for a moment, above what it gives for long
    found->torque = 0;
    return true;
}

// A service that stays idle does not know the name of the force: there are two.
static bool round1(void* state, const plGive* give, plRaw* raw, char why[plRealText])
{
    enum { patient = 20 };
    Inverse3* s = state;
    char text[messageBytes];
    if (s->idle >= patient) {
        s->oldKey = !s->oldKey;
        s->idle = 0;
    }
    snprintf(text, sizeof text,
             "{\"inverse3\":[{\"device_id\":\"%s\",\"commands\":{\"set_cursor_force\":{\"%s\":"
             "{\"x\":%.6f,\"y\":%.6f,\"z\":%.6f}}}}]}",
             s->id, s->oldKey ? "values" : "vector", give->f.force.x, give->f.force.y,
             give->f.force.z);
    const bool answers = say(s, text, 0.05);
    raw->given = s->sent;
    if (!answers) {
        return plFailWith(why, s->gone ? "the service has closed the connection"
                                       : "the service does not answer");
    }
    return readState(s, raw) ||
           plFailWith(why, "the service tells nothing of the Inverse3 %s", s->id);
}

static void close1(void* state)
{
    Inverse3* s = state;
    char why[plRealText];
    const plGive none = {{{0, 0, 0}, {0, 0, 0}}, 0};
    plRaw raw = {.turns = false};
    if (!s->gone) round1(s, &none, &raw, why);
    hangUp(s);
}

const plDriver plInverse3Driver = {
    .name = "inverse3",
    .address = "ws://localhost:10001",
    .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    .size = sizeof(Inverse3),
    .open = open1,
    .round = round1,
    .close = close1,
};
