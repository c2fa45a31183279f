// The server: one thread for the net and for what the loops have made. The loops have their own.
#define _GNU_SOURCE

#include "serve/net.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { pulses = 120, pulsesPaired = 480, goodbye = 500 }; // in a second, twice; [ms]

plServerDef plDefaultServerDef(void)
{
    return (plServerDef){.address = "127.0.0.1",
                         .port = 8080,
                         .privileges = true,
                         .guess = 10,
                         .connections = 32,
                         .silence = 2,
                         .linger = 5,
                         .clients = 128};
}

static double now(void) { return 1e-6 * (double)lws_now_usecs(); }

// --- stages

const plServedScene* plServer_Scene(const plServer* s, const char* name)
{
    for (int i = 0; i < s->def.sceneCount; ++i) {
        if (strcmp(s->def.scenes[i].name, name) == 0) return &s->def.scenes[i];
    }
    return NULL;
}

plStage* plServer_Stage(plServer* s, const char* name, bool second)
{
    for (int i = 0; i < plServerStages; ++i) {
        plStage* stage = s->stages[i];
        if (stage && stage->second == second && strcmp(stage->name, name) == 0) return stage;
    }
    return NULL;
}

/// A stage on its way out: its loop may be in a long tick, and ends behind it.
typedef struct {
    plJob job;
    plStage* stage;
} Closing;

static void closeStageOf(plJob* job) { plStage_Close(((Closing*)job)->stage); }

static void finishClosing(plJob* job)
{
    free(((Closing*)job)->stage);
    free(job);
}

static void closeAlone(plServer* s, int i)
{
    Closing* c = malloc(sizeof *c);
    plStage* stage = s->stages[i];
    s->stages[i] = NULL;
    if (c && s->opener) {
        *c = (Closing){{.run = closeStageOf, .finish = finishClosing}, stage};
        plWorker_Add(s->opener, &c->job);
        return;
    }
    plStage_Close(stage); // at the end there is no worker any more
    free(stage);
    free(c);
}

// Side b has nothing to be compared with when side a is gone.
static void closeStage(plServer* s, int i)
{
    plStage *stage = s->stages[i], *other = stage->other;
    for (int k = 0; k < plServerStages && other; ++k) {
        if (s->stages[k] == other && other->second) closeAlone(s, k);
    }
    if (other && stage->second) plPair_End(other);
    closeAlone(s, i);
}

// A stage that nobody looks at may go, unless the other side is seen, or a device drives it.
static bool isLeft(const plStage* s)
{
    return !s->drivers.scene && s->clients == 0 &&
           (s->second || !s->other || s->other->clients == 0);
}

static int freePlace(plServer* s)
{
    for (int i = 0; i < plServerStages; ++i) {
        if (!s->stages[i] && !s->openings[i]) return i;
    }
    for (int i = 0; i < plServerStages; ++i) {
        if (!s->stages[i] || !isLeft(s->stages[i])) continue;
        closeStage(s, i);
        return i;
    }
    return -1;
}

// --- opening, which may take seconds

/// A stage on its way in.
typedef struct plOpening {
    plJob job;
    plServer* server;
    const plServedScene* scene;
    bool second;
    int place;
    plStage* stage; ///< null behind a failure
    char message[512];
} plOpening;

static plOpening* openingOf(const plServer* s, const char* name, bool second)
{
    for (int i = 0; i < plServerStages; ++i) {
        plOpening* o = s->openings[i];
        if (o && o->second == second && strcmp(o->scene->name, name) == 0) return o;
    }
    return NULL;
}

static void openStage(plJob* job)
{
    plOpening* o = (plOpening*)job;
    o->stage = malloc(sizeof *o->stage);
    snprintf(o->message, sizeof o->message, "no memory");
    if (!o->stage || plStage_Open(o->stage, o->scene, &o->server->def, LWS_PRE, o->message,
                                  sizeof o->message) == pl_statusOk)
        return;
    free(o->stage);
    o->stage = NULL;
}

// Side a was kept for it, as if somebody looked.
static void putStage(plOpening* o)
{
    plServer* s = o->server;
    plStage* first = o->second ? plServer_Stage(s, o->scene->name, false) : NULL;
    s->openings[o->place] = NULL;
    s->stages[o->place] = o->stage;
    if (o->stage) o->stage->left = now();
    if (first) --first->clients;
    if (first && o->stage) plPair_Begin(first, o->stage);
}

static void finishOpening(plJob* job)
{
    plOpening* o = (plOpening*)job;
    putStage(o);
    plClient_Opened(o->server, o->scene->name, o->second, o->stage, o->message);
    free(o);
}

_Static_assert(plServerStages == 4, "as it is said below");

/// Null: it is on its way; else why not.
static const char* beginOpening(plServer* s, const plServedScene* scene, plStage* first)
{
    plOpening* o = malloc(sizeof *o);
    if (!o) return "no memory";
    if (first) ++first->clients; // it is not the one to go
    const int place = freePlace(s);
    if (place < 0) {
        if (first) --first->clients;
        free(o);
        return "4 scenes are open already, which is the most";
    }
    *o = (plOpening){.job = {.run = openStage, .finish = finishOpening},
                     .server = s,
                     .scene = scene,
                     .second = first != NULL,
                     .place = place};
    s->openings[place] = o;
    plWorker_Add(s->opener, &o->job);
    return NULL;
}

const char* plServer_OpenStage(plServer* s, const char* name, bool second, plStage** out)
{
    plStage* first = second ? plServer_Stage(s, name, false) : NULL;
    const plServedScene* scene = plServer_Scene(s, name);
    *out = plServer_Stage(s, name, second);
    if (*out || openingOf(s, name, second)) return NULL;
    if (!scene) return "there is no such scene";
    if (second && !first) return "side a of the scene must be open first";
    if (first && plStage_IsDriven(first))
        return "a device of the outside drives the scene: it has no side b";
    return beginOpening(s, scene, first);
}

// The scene of a device is there before anybody can come.
static plStatus openDriven(plServer* s, char* message, size_t size)
{
    plOpening o = {.server = s, .scene = plServer_Scene(s, s->def.drivers.scene)};
    snprintf(o.message, sizeof o.message, "there is no such scene");
    if (o.scene) openStage(&o.job);
    if (o.stage) {
        putStage(&o);
        return pl_statusOk;
    }
    snprintf(message, size, "%s", o.message);
    return pl_statusBadArgument;
}

// --- the pulse

void plServer_TellHolder(plServer* s, plStage* stage)
{
    for (plClient* c = s->clients; c; c = c->next) {
        if (c->stage == stage) plClient_Tell(c, json_pack("{si}", "holder", stage->holder));
    }
}

static plClient* clientOf(const plServer* s, int id)
{
    plClient* c = s->clients;
    while (c && c->id != id) c = c->next;
    return c;
}

// The world itself has refused: who asked could not know, and is told, but not counted as foolish.
static void tellRefusals(plServer* s, plStage* stage)
{
    plRefusal r;
    while (plRuntime_Refused(stage->runtime, &r, 1) > 0) {
        plClient* c = r.sender != 0 ? clientOf(s, r.sender) : NULL;
        char why[160];
        if (!c) continue;
        snprintf(why, sizeof why, "%s%s", c->stage != stage ? "side b: " : "", r.why);
        plClient_Tell(
            c, json_pack("{ss ss}", "refused", why, "command", plCommandKind_Name((int)r.kind)));
    }
}

static void pumpStage(plServer* s, plStage* stage)
{
    const bool fresh = plStage_Pump(stage);
    if (stage->other && !stage->second) plPair_GoOn(stage);
    tellRefusals(s, stage);
    for (plClient* c = s->clients; c; c = c->next) {
        if (c->stage != stage) continue;
        plClient_AddRows(c);
        if (fresh || (c->looks && stage->lookNumber > c->lookSent))
            lws_callback_on_writable(c->wsi);
    }
    if (stage->holder != 0 && now() - stage->heard > s->def.silence) {
        plStage_LetGo(stage, false);
        plServer_TellHolder(s, stage);
    }
}

static json_t* timesOf(const plDurations* d) { return json_pack("[fff]", d->p50, d->p99, d->most); }

static void tellTimes(plServer* s)
{
    if (now() - s->told < 1) return;
    s->told = now();
    for (plClient* c = s->clients; c; c = c->next) {
        if (!c->stage || c->stage->sequence == 0) continue;
        const plTiming* t = &c->stage->timing;
        plClient_Tell(c, json_pack("{s{so so so sI}}", "timing", "obey", timesOf(&t->obey), "step",
                                   timesOf(&t->step), "hand", timesOf(&t->hand), "torn",
                                   (json_int_t)c->stage->torn));
    }
}

// Side b does what the tool of side a does.
static bool isHeld(const plStage* s)
{
    return s->holder != 0 || (s->second && s->other && s->other->holder != 0);
}

/// It has to stand back, where a device drives some scene or none does.
static bool isOther(const plStage* s, bool driven)
{
    return s && !plStage_IsDriven(s) && (driven || !isHeld(s));
}

// Who feels a hand comes first: a device, which has real-time scheduling, else the tool that a client holds. All
// other loops share half of the processors; where there is nobody to be disturbed they have all.
static void shareOut(plServer* s)
{
    const double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    bool driven = false, held = false;
    int others = 0;
    for (int i = 0; i < plServerStages; ++i) {
        const plStage* stage = s->stages[i];
        driven = driven || (stage && plStage_IsDriven(stage));
        held = held || (stage && isHeld(stage));
    }
    for (int i = 0; i < plServerStages; ++i) others += isOther(s->stages[i], driven);
    for (int i = 0; i < plServerStages; ++i) {
        if (!s->stages[i]) continue;
        const bool least = (driven || held) && isOther(s->stages[i], driven);
        plRuntime_Share(s->stages[i]->runtime, least ? fmin(0.5, 0.5 * processors / others) : 1);
    }
}

// Sides of a comparison wait for each other, and for this.
static int pulsesOf(const plServer* s)
{
    for (int i = 0; i < plServerStages; ++i) {
        if (s->stages[i] && s->stages[i]->other) return pulsesPaired;
    }
    return pulses;
}

static void pulse(lws_sorted_usec_list_t* sul)
{
    plServer* s = lws_container_of(sul, plServer, pulse);
    for (int i = 0; i < plServerStages; ++i) {
        plStage* stage = s->stages[i];
        if (!stage) continue;
        pumpStage(s, stage);
        if (isLeft(stage) && now() - stage->left > s->def.linger) closeStage(s, i);
    }
    shareOut(s);
    tellTimes(s);
    plHttp_Pulse(s);
    plWorker_Finish(s->opener);
    plWorker_Finish(s->writer);
    lws_sul_schedule(s->context, 0, &s->pulse, pulse, LWS_US_PER_SEC / pulsesOf(s));
}

// --- creation

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = plHttp_Call, .per_session_data_size = sizeof(plAnswer)},
    {.name = "palp-1",
     .callback = plClient_Call,
     .per_session_data_size = sizeof(plClient),
     .rx_buffer_size = plMessageBytes},
    {.name = NULL},
};

// Who is silent on the wire is asked, and is gone when it does not answer.
static const lws_retry_bo_t patience = {.secs_since_valid_ping = 10, .secs_since_valid_hangup = 20};

static void addTls(const plServer* s, struct lws_context_creation_info* info)
{
    if (!s->secure) return;
    info->ssl_cert_filepath = s->def.certificate;
    info->ssl_private_key_filepath = s->def.key;
    info->ssl_options_set = SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1;
    info->alpn = "http/1.1"; // of the second version libwebsockets knows no WebSockets of browsers
    info->options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
}

static plStatus listen1(plServer* s)
{
    struct lws_context_creation_info info = {
        .port = s->def.port,
        .iface = s->address,
        .protocols = protocols,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6 |
                   LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
        .user = s,
        .gid = -1,
        .uid = -1,
        .timeout_secs = 10,
        .keepalive_timeout = 10,
        .retry_and_idle_policy = &patience,
        .server_string = "palp",
    };
    if (strchr(s->address, ':')) info.options &= ~(uint64_t)LWS_SERVER_OPTION_DISABLE_IPV6;
    addTls(s, &info);
    lws_set_log_level(0, NULL);
    s->context = lws_create_context(&info);
    if (!s->context) return pl_statusNoMemory;
    s->host = lws_create_vhost(s->context, &info);
    return s->host ? pl_statusOk : pl_statusBadArgument;
}

static bool fits(const char* text, char* into, size_t size)
{
    return (size_t)snprintf(into, size, "%s", text ? text : "") < size;
}

static const char* fileComplaint(const char* certificate, const char* key)
{
    if (!certificate != !key) return "TLS needs a certificate and its key";
    if (certificate && access(certificate, R_OK) != 0) return "the certificate cannot be read";
    return key && access(key, R_OK) != 0 ? "the key of the certificate cannot be read" : NULL;
}

static const char* defComplaint(plServer* s)
{
    const plServerDef* d = &s->def;
    if (!fits(d->address, s->address, sizeof s->address) ||
        !fits(d->token, s->token, sizeof s->token) || !fits(d->view, s->view, sizeof s->view)) {
        return "an address, token or folder is too long";
    }
    if (strcmp(s->address, "localhost") == 0) fits("127.0.0.1", s->address, sizeof s->address);
    s->local = plHost_IsLoopback(s->address);
    s->secure = d->certificate;
    if (!s->local && !s->token[0]) return "another address than the loopback needs a token";
    const char* wrong = s->token[0] ? plDoor_TokenComplaint(s->token) : NULL;
    if (!wrong) wrong = fileComplaint(d->certificate, d->key);
    if (wrong) return wrong;
    if (!(d->guess > 0)) return "the time for a wrong token is more than 0 s";
    if (d->connections < 1) return "a peer has one connection or more";
    if (d->port < 0 || d->port > 65535) return "a port is 0 .. 65535";
    if ((int)d->overrun < 0 || d->overrun >= pl_overrunCount) return "overruns: skip or stretch";
    if (d->rate != 0 && !(d->rate >= 10 && d->rate <= 1e4)) return "a rate is 10 .. 10000 Hz";
    if (d->deviceRate != 0 && !(d->deviceRate >= 10 && d->deviceRate <= plDeviceRate))
        return "a rate of devices is 10 .. 20000 Hz";
    return NULL;
}

static plStatus prepare(plServer* s)
{
    s->opener = plWorker_Begin();
    s->writer = plWorker_Begin();
    return s->opener && s->writer && plHttp_ListScenes(s) ? pl_statusOk : pl_statusNoMemory;
}

plStatus plServer_Create(const plServerDef* def, plServer** out, char* message, size_t size)
{
    plServer* s = calloc(1, sizeof *s);
    *out = NULL;
    snprintf(message, size, "no memory");
    if (!s) return pl_statusNoMemory;
    s->def = *def;
    const char* wrong = defComplaint(s);
    plStatus status = wrong ? pl_statusBadArgument : prepare(s);
    if (status == pl_statusNoMemory) {
        plServer_Destroy(s);
        return status;
    }
    if (status == pl_statusOk) status = listen1(s);
    if (status == pl_statusOk && def->drivers.scene &&
        openDriven(s, message, size) != pl_statusOk) {
        plServer_Destroy(s);
        return pl_statusBadArgument;
    }
    if (status == pl_statusOk) {
        s->told = now();
        lws_sul_schedule(s->context, 0, &s->pulse, pulse, LWS_US_PER_SEC / pulses);
        *out = s;
        return status;
    }
    if (wrong) snprintf(message, size, "%s", wrong);
    if (!wrong) {
        snprintf(message, size, "nobody can be listened to at %s, port %d: is it in use%s?",
                 s->address, def->port,
                 s->secure ? ", or do the certificate and its key not belong together" : "");
    }
    plServer_Destroy(s);
    return status;
}

int plServer_Port(const plServer* s) { return lws_get_vhost_listen_port(s->host); }

// --- running

void plServer_Stop(plServer* s)
{
    atomic_store(&s->stopped, true);
    lws_cancel_service(s->context);
}

static void sayBye(plServer* s)
{
    const double end = now() + 1e-3 * goodbye;
    s->ending = true;
    for (plClient* c = s->clients; c; c = c->next) plClient_Bye(c, "the server ends");
    while (s->clients && now() < end) lws_service(s->context, 0);
}

void plServer_Run(plServer* s)
{
    while (!atomic_load(&s->stopped)) {
        if (lws_service(s->context, 0) < 0) break;
    }
    sayBye(s);
}

void plServer_Destroy(plServer* s)
{
    if (!s) return;
    if (s->context) lws_context_destroy(s->context);
    plWorker_End(s->writer);
    plWorker_End(s->opener);
    s->opener = NULL;
    for (int i = 0; i < plServerStages; ++i) {
        if (s->stages[i]) closeStage(s, i);
    }
    free(s->list);
    free(s);
}
