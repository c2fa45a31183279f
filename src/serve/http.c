// Requests of HTTP: the viewer's files, scenes and sessions; and whether a WebSocket may begin.
#define _GNU_SOURCE

#include "serve/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char policy[] = "default-src 'self' 'unsafe-inline' data: blob:; base-uri 'none'; "
                             "form-action 'none'; frame-ancestors 'none'";
static const char cookieName[] = "palp-token";
enum { tooManyRequests = 429 };

static double now(void) { return 1e-6 * (double)lws_now_usecs(); }

static plServer* serverOf(struct lws* wsi) { return lws_context_user(lws_get_context(wsi)); }

const char* plHttp_Argument(struct lws* wsi, const char* name, char text[plArgumentSize])
{
    text[0] = '\0';
    return lws_get_urlarg_by_name(wsi, name, text, plArgumentSize);
}

// --- may it come in?

static const char* headerOf(struct lws* wsi, enum lws_token_indexes token, char* text, int size)
{
    text[0] = '\0';
    if (lws_hdr_copy(wsi, text, size, token) < 0) snprintf(text, (size_t)size, "?");
    return text;
}

static const char* cookieOf(struct lws* wsi, char text[plArgumentSize])
{
    size_t size = plArgumentSize - 1;
    memset(text, 0, plArgumentSize);
    return lws_http_cookie_get(wsi, cookieName, text, &size) == 0 ? text : NULL;
}

static bool isRight(const plServer* s, plPeer* peer, const char* given)
{
    if (given && plDoor_SameToken(s->token, given)) return true;
    if (given) plPeer_Guessed(peer, given);
    return false;
}

/// As below, of tokens. Who has guessed too often is not even told whether this one is right.
static const char* tokenComplaint(struct lws* wsi, unsigned* code, bool* cookie)
{
    plServer* s = serverOf(wsi);
    plPeer* peer = lws_get_opaque_user_data(wsi);
    char text[plArgumentSize], kept[plArgumentSize];
    const char* given = plHttp_Argument(wsi, "token=", text);
    const char* inCookie = cookieOf(wsi, kept);
    *code = HTTP_STATUS_UNAUTHORIZED;
    if (!given && !inCookie) return "a token is missing: add ?token= to the address";
    if (!peer || plPeer_Wait(s, peer) > 0) {
        *code = tooManyRequests;
        return "there were too many wrong tokens from your address: wait";
    }
    *cookie = isRight(s, peer, given);
    return *cookie || isRight(s, peer, inCookie) ? NULL : "the token is wrong";
}

/// Null: it may; else why not. `*cookie`: it should get one.
static const char* complaint(struct lws* wsi, unsigned* code, bool* cookie)
{
    const plServer* s = serverOf(wsi);
    char host[160], origin[200];
    headerOf(wsi, WSI_TOKEN_HOST, host, sizeof host);
    headerOf(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin);
    const char* why = plOrigin_Complaint(s->local, s->secure, host, origin);
    *cookie = false;
    *code = HTTP_STATUS_FORBIDDEN;
    if (why) return why;
    return s->token[0] ? tokenComplaint(wsi, code, cookie) : NULL;
}

// --- how many may come

static bool isCrowded(struct lws* wsi, int socket)
{
    plServer* s = serverOf(wsi);
    const plPeer* peer = plPeers_Of(s, socket);
    return !peer || peer->connections >= s->def.connections;
}

static int arrive(struct lws* wsi)
{
    plPeer* peer = plPeers_Of(serverOf(wsi), lws_get_socket_fd(wsi));
    if (!peer) return -1;
    lws_set_opaque_user_data(wsi, peer);
    ++peer->connections;
    return 0;
}

static void depart(struct lws* wsi)
{
    plPeer* peer = lws_get_opaque_user_data(wsi);
    if (peer) --peer->connections;
    lws_set_opaque_user_data(wsi, NULL);
}

// --- answers

typedef struct {
    unsigned code;
    const char* type;
    const char* name; ///< of a file to be saved; null: it is shown
    bool cookie;
} Reply;

static bool addHeader(struct lws* wsi, const char* name, const char* value, unsigned char** p,
                      unsigned char* end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char*)name, (const unsigned char*)value,
                                       (int)strlen(value), p, end) == 0;
}

static bool addHeaders(struct lws* wsi, const Reply* r, unsigned char** p, unsigned char* end)
{
    char text[320];
    bool good = addHeader(wsi, "content-security-policy:", policy, p, end) &&
                addHeader(wsi, "x-content-type-options:", "nosniff", p, end) &&
                addHeader(wsi, "referrer-policy:", "no-referrer", p, end) &&
                addHeader(wsi, "cache-control:", "no-cache", p, end);
    if (good && r->name) {
        snprintf(text, sizeof text, "attachment; filename=\"%s\"", r->name);
        good = addHeader(wsi, "content-disposition:", text, p, end);
    }
    if (good && r->cookie) {
        snprintf(text, sizeof text, "%s=%s; Path=/; HttpOnly; SameSite=Strict%s", cookieName,
                 serverOf(wsi)->token, serverOf(wsi)->secure ? "; Secure" : "");
        good = addHeader(wsi, "set-cookie:", text, p, end);
    }
    return good;
}

static int finish(struct lws* wsi) { return lws_http_transaction_completed(wsi) ? -1 : 0; }

/// The body is the answer's from now on.
static int reply(struct lws* wsi, plAnswer* a, const Reply* r, char* body)
{
    unsigned char bytes[LWS_PRE + 2048], *start = bytes + LWS_PRE, *p = start;
    unsigned char* const end = bytes + sizeof bytes - 1;
    free(a->body);
    *a = (plAnswer){.body = body, .length = body ? strlen(body) : 0};
    if (!body || lws_add_http_common_headers(wsi, r->code, r->type, a->length, &p, end) ||
        !addHeaders(wsi, r, &p, end) || lws_finalize_write_http_header(wsi, start, &p, end)) {
        return -1;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int replyText(struct lws* wsi, plAnswer* a, unsigned code, const char* text)
{
    char line[900];
    const Reply r = {.code = code, .type = "text/plain; charset=utf-8"};
    snprintf(line, sizeof line, "%s\n", text);
    return reply(wsi, a, &r, strdup(line));
}

static int replyJson(struct lws* wsi, plAnswer* a, char* body, const char* name, bool cookie)
{
    const Reply r = {
        .code = HTTP_STATUS_OK, .type = "application/json", .name = name, .cookie = cookie};
    return reply(wsi, a, &r, body);
}

static int writeOn(struct lws* wsi, plAnswer* a)
{
    enum { piece = 1 << 15 };
    unsigned char bytes[LWS_PRE + piece];
    if (!a->body) return 0;
    const size_t left = a->length - a->sent, size = left < piece ? left : piece;
    const bool last = size == left;
    memcpy(bytes + LWS_PRE, a->body + a->sent, size);
    a->sent += size;
    if (lws_write(wsi, bytes + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) {
        return -1;
    }
    if (!last) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    free(a->body);
    *a = (plAnswer){0};
    return finish(wsi);
}

// --- what may be asked for

static void addScene(json_t* list, const plServedScene* from)
{
    plSceneError error;
    plScene* scene;
    if (plScene_Load(from->file, NULL, 0, &scene, &error) != pl_statusOk) return;
    json_array_append_new(list, json_pack("{ss ss ss ss ss sf sb}", "name", from->name, "title",
                                          plScene_Title(scene), "description",
                                          plScene_Description(scene), "paper", plScene_Paper(scene),
                                          "passiveVariant", plScene_PassiveVariant(scene), "rate",
                                          plScene_Rate(scene), "planar", plScene_IsPlanar(scene)));
    plScene_Destroy(scene);
}

bool plHttp_ListScenes(plServer* s)
{
    json_t* list = json_array();
    for (int i = 0; i < s->def.sceneCount; ++i) addScene(list, &s->def.scenes[i]);
    s->list = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return s->list != NULL;
}

static int giveScene(struct lws* wsi, plAnswer* a, const char* name, bool cookie)
{
    const plServedScene* scene = plServer_Scene(serverOf(wsi), name);
    if (!scene) return replyText(wsi, a, HTTP_STATUS_NOT_FOUND, "there is no such scene");
    json_t* root = json_load_file(scene->file, 0, NULL);
    char* text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (!text) return replyText(wsi, a, HTTP_STATUS_NOT_FOUND, "the scene cannot be read");
    return replyJson(wsi, a, text, NULL, cookie);
}

// --- sessions: the hash at their end is made only when it is asked for, and comes with a picture; then the text
// is written by a worker, of one session at a time, because it may be long

static void unlink1(plServer* s, plAnswer* a)
{
    for (plAnswer** at = &s->waiting; *at; at = &(*at)->next) {
        if (*at != a) continue;
        *at = a->next;
        break;
    }
    a->wsi = NULL;
}

/// A session on its way to text.
typedef struct plWriting {
    plJob job;
    plServer* server;
    plAnswer* answer; ///< null: nobody waits for it any more
    plSessionOf of;
    char* text;
} plWriting;

static void writeSession(plJob* job)
{
    plWriting* w = (plWriting*)job;
    const plSessionOf* o = &w->of;
    w->text = plSession_Write(o->scene, o->file, o->step, o->tick, o->hash, o->commands, o->count);
    plSessionOf_Free(&w->of);
}

static void giveSession(plAnswer* a, char* text, const char* why)
{
    a->session = text;
    if (!text) snprintf(a->why, sizeof a->why, "%s", why);
    lws_callback_on_writable(a->wsi);
}

static void finishSession(plJob* job)
{
    plWriting* w = (plWriting*)job;
    w->server->writing = NULL;
    if (w->answer) {
        giveSession(w->answer, w->text, "no memory");
    } else {
        free(w->text);
    }
    free(w);
}

static void beginSession(plServer* s, plAnswer* a, const plStage* stage)
{
    char why[200] = "the scene is not open";
    plSessionOf of;
    if (!stage || !plStage_CopySession(stage, &of, why, sizeof why)) {
        giveSession(a, NULL, why);
        return;
    }
    plWriting* w = malloc(sizeof *w);
    if (!w) {
        plSessionOf_Free(&of);
        giveSession(a, NULL, "no memory");
        return;
    }
    *w = (plWriting){
        .job = {.run = writeSession, .finish = finishSession}, .server = s, .answer = a, .of = of};
    s->writing = w;
    plWorker_Add(s->writer, &w->job);
}

static int replySession(struct lws* wsi, plAnswer* a)
{
    char file[96], why[200], *text = a->session;
    if (!text && !a->why[0]) return 0; // not yet
    unlink1(serverOf(wsi), a);
    snprintf(why, sizeof why, "%s", a->why);
    snprintf(file, sizeof file, "%s-session.json", a->scene);
    a->session = NULL;
    return text ? replyJson(wsi, a, text, file, a->cookie)
                : replyText(wsi, a, HTTP_STATUS_NOT_FOUND, why);
}

static void forget(plServer* s, plAnswer* a)
{
    if (a->wsi) unlink1(s, a);
    if (s->writing && s->writing->answer == a) s->writing->answer = NULL;
    free(a->body);
    free(a->session);
    *a = (plAnswer){0};
}

static int waitForSession(struct lws* wsi, plAnswer* a, const char* name, bool cookie)
{
    plServer* s = serverOf(wsi);
    char side[plArgumentSize];
    const char* which = plHttp_Argument(wsi, "side=", side);
    const bool second = which && strcmp(which, "b") == 0;
    plStage* stage = plServer_Stage(s, name, second);
    if (!stage) return replyText(wsi, a, HTTP_STATUS_NOT_FOUND, "the scene is not open");
    if (plStage_IsDriven(stage)) { // a hash would only make a tick longer
        return replyText(wsi, a, HTTP_STATUS_NOT_FOUND,
                         "a device of the outside drives it: it cannot be run again");
    }
    free(a->body);
    *a = (plAnswer){.wsi = wsi,
                    .next = s->waiting,
                    .second = second,
                    .cookie = cookie,
                    .after = stage->sequence,
                    .asked = stage->sequence,
                    .since = now()};
    snprintf(a->scene, sizeof a->scene, "%s", name);
    s->waiting = a;
    plRuntime_AskHash(stage->runtime);
    return 0;
}

// A mark is lost when the scene is reset: then it is asked for again.
static bool isReady(plAnswer* a, plStage* stage)
{
    const double patience = 2; // [s]
    if (!stage || stage->unrecorded > 0 || stage->mark.sequence > a->after) return true;
    if (stage->sequence > a->asked + 1) {
        a->asked = stage->sequence;
        plRuntime_AskHash(stage->runtime);
    }
    return now() - a->since > patience;
}

void plHttp_Pulse(plServer* s)
{
    for (plAnswer* a = s->waiting; a && !s->writing; a = a->next) {
        plStage* stage = plServer_Stage(s, a->scene, a->second);
        if (!a->session && !a->why[0] && isReady(a, stage)) beginSession(s, a, stage);
    }
}

static int giveFile(struct lws* wsi, plAnswer* a, const char* path, bool cookie)
{
    const plServer* s = serverOf(wsi);
    unsigned char headers[1024], *p = headers;
    char file[4096];
    const Reply r = {.cookie = cookie};
    if (!s->view[0]) {
        return replyText(wsi, a, HTTP_STATUS_NOT_FOUND,
                         "palp serves here, but without the viewer's files: --view names their "
                         "folder");
    }
    if (!plFile_Below(s->view, path, file, sizeof file)) {
        return replyText(wsi, a, HTTP_STATUS_NOT_FOUND, "there is no such file");
    }
    if (!addHeaders(wsi, &r, &p, headers + sizeof headers)) return -1;
    const int done =
        lws_serve_http_file(wsi, file, plFile_Type(file), (const char*)headers, (int)(p - headers));
    return done < 0 ? -1 : done > 0 ? finish(wsi) : 0;
}

static const char* behind(const char* path, const char* begin)
{
    const size_t length = strlen(begin);
    return strncmp(path, begin, length) == 0 ? path + length : NULL;
}

static int request(struct lws* wsi, plAnswer* a, const char* path)
{
    unsigned code;
    bool cookie;
    const char* why = complaint(wsi, &code, &cookie);
    if (why) return replyText(wsi, a, code, why);
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) {
        return replyText(wsi, a, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET is answered");
    }
    if (strcmp(path, "/api/scenes") == 0) {
        return replyJson(wsi, a, strdup(serverOf(wsi)->list), NULL, cookie);
    }
    const char* scene = behind(path, "/api/scene/");
    const char* session = behind(path, "/api/session/");
    if (scene) return giveScene(wsi, a, scene, cookie);
    if (session) return waitForSession(wsi, a, session, cookie);
    return giveFile(wsi, a, path, cookie);
}

// --- the way to a WebSocket

static int refuse(struct lws* wsi, unsigned code, const char* why)
{
    unsigned char bytes[LWS_PRE + 2048], *start = bytes + LWS_PRE, *p = start;
    unsigned char* const end = bytes + sizeof bytes - 1;
    const size_t length = strlen(why);
    if (lws_add_http_common_headers(wsi, code, "text/plain; charset=utf-8", length, &p, end) ||
        lws_finalize_write_http_header(wsi, start, &p, end)) {
        return -1;
    }
    memcpy(start, why, length);
    lws_write(wsi, start, length, LWS_WRITE_HTTP_FINAL);
    return 1;
}

// What libwebsockets 4.1.6 names the upgrade by is gone when it has answered by itself, as it does for one that
// it does not know; on a connection that is kept it asks all the same. Then the header is empty, too.
static int upgrade(struct lws* wsi)
{
    unsigned code;
    bool cookie;
    char to[32], protocols[128];
    if (strcasecmp(headerOf(wsi, WSI_TOKEN_UPGRADE, to, sizeof to), "websocket") != 0) return -1;
    const char* why = complaint(wsi, &code, &cookie);
    if (why) return refuse(wsi, code, why);
    headerOf(wsi, WSI_TOKEN_PROTOCOL, protocols, sizeof protocols);
    if (!strstr(protocols, "palp-1")) {
        return refuse(wsi, HTTP_STATUS_BAD_REQUEST, "the subprotocol is palp-1");
    }
    return 0;
}

int plHttp_Call(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in,
                size_t length)
{
    plAnswer* a = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: // the socket is where a pointer is otherwise
        return isCrowded(wsi, (int)(intptr_t)in) ? -1 : 0;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        return arrive(wsi);
    case LWS_CALLBACK_WSI_DESTROY:
        depart(wsi);
        return 0;
    case LWS_CALLBACK_HTTP:
        return request(wsi, a, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return a->wsi ? replySession(wsi, a) : writeOn(wsi, a);
    case LWS_CALLBACK_HTTP_FILE_COMPLETION:
        return finish(wsi);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return upgrade(wsi);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (a) forget(serverOf(wsi), a);
        return 0;
    case LWS_CALLBACK_ESTABLISHED: // without the subprotocol; the upgrade was refused before
        return -1;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}
