// A connection: what it says is looked at, and it is told what there is as fast as it reads.
#define _GNU_SOURCE

#include "serve/net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rowBytes = 1 << 18, rowHead = 8, budgetRate = 240, budgetMost = 120 };

// --- to the client

void plClient_Tell(plClient* c, json_t* notice)
{
    char* text = notice ? json_dumps(notice, JSON_COMPACT) : NULL;
    json_decref(notice);
    if (!text) return;
    if (c->noticeCount == plClientNotices) { // it does not read: the oldest is the least of use
        free(c->notices[0]);
        memmove(c->notices, c->notices + 1, (plClientNotices - 1) * sizeof *c->notices);
        --c->noticeCount;
    }
    c->notices[c->noticeCount++] = text;
    lws_callback_on_writable(c->wsi);
}

void plClient_Bye(plClient* c, const char* why)
{
    if (c->closing) return;
    plClient_Tell(c, json_pack("{ss}", "bye", why));
    c->closing = true;
}

static bool sendText(plClient* c, const char* text)
{
    const size_t length = strlen(text);
    unsigned char* bytes = malloc(LWS_PRE + length);
    if (!bytes) return false;
    memcpy(bytes + LWS_PRE, text, length);
    const bool good = lws_write(c->wsi, bytes + LWS_PRE, length, LWS_WRITE_TEXT) >= 0;
    free(bytes);
    return good;
}

static bool greet(plClient* c)
{
    const plStage* s = c->stage;
    char head[256], *text = NULL;
    snprintf(head, sizeof head,
             "{\"hello\":1,\"client\":%d,\"holder\":%d,\"scene\":\"%s\",\"world\":", c->id,
             s->holder, s->name);
    const size_t size = strlen(head) + strlen(s->world) + 2;
    text = malloc(size);
    if (!text) return false;
    snprintf(text, size, "%s%s}", head, s->world);
    const bool good = sendText(c, text);
    free(text);
    c->greeted = true;
    return good;
}

static bool sendNotice(plClient* c)
{
    char* text = c->notices[0];
    --c->noticeCount;
    memmove(c->notices, c->notices + 1, (size_t)c->noticeCount * sizeof *c->notices);
    const bool good = sendText(c, text);
    free(text);
    return good;
}

static bool sendPicture(plClient* c)
{
    const plStage* s = c->stage;
    c->sent = s->sequence;
    c->pictureNext = false;
    return lws_write(c->wsi, s->picture + s->before, s->size, LWS_WRITE_BINARY) >= 0;
}

static bool sendSurface(plClient* c)
{
    const plStage* s = c->stage;
    c->surfaceSent = s->surfaceNumber;
    c->pictureNext = true;
    return lws_write(c->wsi, s->surface + s->before, plSurfaces_EncodedSize(&s->surfaces),
                     LWS_WRITE_BINARY) >= 0;
}

static bool sendAccounts(plClient* c)
{
    const plStage* s = c->stage;
    c->accountsSent = s->accountsNumber;
    return lws_write(c->wsi, s->accounts + s->before, s->accountsSize, LWS_WRITE_BINARY) >= 0;
}

static bool sendLook(plClient* c)
{
    const plStage* s = c->stage;
    c->lookSent = s->lookNumber;
    return lws_write(c->wsi, s->look + s->before, s->lookSize, LWS_WRITE_BINARY) >= 0;
}

static bool sendRows(plClient* c)
{
    const size_t size = plRows_EncodedSize(c->watchCount, c->rowCount);
    plRows_Encode(NULL, c->watchCount, c->rowCount, c->rows + LWS_PRE);
    c->rowCount = 0;
    return lws_write(c->wsi, c->rows + LWS_PRE, size, LWS_WRITE_BINARY) >= 0;
}

static bool hasLook(const plClient* c)
{
    return c->stage && c->looks && c->stage->lookNumber > c->lookSent;
}

// In front of the picture that it belongs to.
static bool hasSurface(const plClient* c)
{
    return c->stage && !c->pictureNext && c->stage->surfaceNumber > c->surfaceSent;
}

static bool hasAccounts(const plClient* c)
{
    return c->stage && c->stage->accountsNumber > c->accountsSent;
}

// One message for every time that there is room: what does not leave at once is kept by
// libwebsockets, which calls again only when it has gone. So no more than one waits.
static int write1(plClient* c)
{
    const plStage* s = c->stage;
    const bool picture = s && s->sequence > c->sent, rows = c->rowCount > 0;
    bool good = true;
    if (s && !c->greeted) {
        good = greet(c);
    } else if (c->noticeCount > 0) {
        good = sendNotice(c);
    } else if (c->closing) {
        lws_close_reason(c->wsi, LWS_CLOSE_STATUS_NORMAL, NULL, 0);
        return -1;
    } else if (hasLook(c)) {
        good = sendLook(c);
    } else if (hasAccounts(c)) {
        good = sendAccounts(c);
    } else if (hasSurface(c)) {
        good = sendSurface(c);
    } else if (picture && !(rows && c->rowsNext)) {
        good = sendPicture(c);
        c->rowsNext = true;
    } else if (rows) {
        good = sendRows(c);
        c->rowsNext = false;
    }
    const bool more = c->noticeCount > 0 || c->closing || c->rowCount > 0 || hasLook(c) ||
                      hasAccounts(c) || hasSurface(c) ||
                      (s && (s->sequence > c->sent || !c->greeted));
    if (more) lws_callback_on_writable(c->wsi);
    return good ? 0 : -1;
}

// --- rows

// A client that has not read them all begins anew: the ticks tell what is missing.
void plClient_AddRows(plClient* c)
{
    const plStage* s = c->stage;
    double row[1 + plMessageChannels];
    const size_t each = sizeof(double) * ((size_t)c->watchCount + 1);
    for (size_t i = 0; c->rows && i < s->rowCount; ++i) {
        const double* from = s->rows + i * plStageRowSize;
        if (from[1] < (double)c->since) continue;
        row[0] = from[0];
        for (int k = 0; k < c->watchCount; ++k) row[1 + k] = from[2 + c->slots[k]];
        if (c->rowCount == c->rowRoom) c->rowCount = 0;
        plRows_Put(row, c->watchCount + 1,
                   c->rows + LWS_PRE + rowHead + (size_t)c->rowCount++ * each);
    }
    if (c->rowCount > 0) lws_callback_on_writable(c->wsi);
}

static void unwatch(plClient* c)
{
    if (c->stage && c->watchCount > 0) plStage_Unwatch(c->stage, c->slots, c->watchCount);
    free(c->rows);
    c->rows = NULL;
    c->watchCount = c->rowCount = 0;
}

static const char* watch(plClient* c, const plMessage* m)
{
    int slots[plMessageChannels];
    uint64_t since;
    const char* wrong = plStage_Watch(c->stage, m->channels, m->channelCount, slots, &since);
    if (wrong) return wrong;
    unwatch(c);
    if (m->channelCount == 0) return NULL;
    c->rows = malloc(LWS_PRE + rowHead + rowBytes);
    if (!c->rows) {
        plStage_Unwatch(c->stage, slots, m->channelCount);
        return "no memory";
    }
    c->watchCount = m->channelCount;
    memcpy(c->slots, slots, sizeof slots);
    c->since = since;
    c->rowRoom = (int)(rowBytes / (sizeof(double) * ((size_t)c->watchCount + 1)));
    return NULL;
}

static const char* look(plClient* c, bool looks)
{
    if (c->looks == looks) return NULL;
    const char* wrong = plStage_Look(c->stage, c->id, looks);
    if (wrong) return wrong;
    c->looks = looks;
    c->lookSent = c->stage->lookNumber;
    return NULL;
}

// --- from the client

static double now(void) { return 1e-6 * (double)lws_now_usecs(); }

static void refuse(plClient* c, const char* why)
{
    const double time = now();
    plClient_Tell(c, json_pack("{ss}", "refused", why));
    if (!plStage_IsFault(why)) return;
    memmove(c->strikes + 1, c->strikes, (plClientStrikes - 1) * sizeof *c->strikes);
    c->strikes[0] = time;
    const double oldest = c->strikes[plClientStrikes - 1];
    if (oldest > 0 && time - oldest < 1) plClient_Bye(c, "three refusals in a second");
}

static const char* answer(plClient* c, const plMessage* m)
{
    const int before = c->stage->holder;
    const char* wrong = NULL;
    if (before == c->id) c->stage->heard = now();
    if (m->kind == pl_messageCommand) wrong = plStage_Command(c->stage, c->id, &m->command, now());
    if (m->kind == pl_messageWatch) wrong = watch(c, m);
    if (m->kind == pl_messageLook) wrong = look(c, m->looks);
    if (m->kind == pl_messageTake) wrong = plStage_Take(c->stage, c->id, now());
    if (m->kind == pl_messageLeave) wrong = plStage_Leave(c->stage, c->id);
    if (c->stage->holder != before) plServer_TellHolder(c->server, c->stage);
    return wrong;
}

static bool spend(plClient* c)
{
    const double time = now();
    c->budget = fmin(budgetMost, c->budget + budgetRate * (time - c->paid));
    c->paid = time;
    if (c->budget < 1) return false;
    c->budget -= 1;
    return true;
}

static void hear(plClient* c)
{
    plMessage m;
    const char* wrong = "a message has 4 to 512 bytes";
    if (c->length <= plMessageBytes) wrong = plMessage_Decode(c->message, c->length, &m);
    if (!wrong && !spend(c)) wrong = "at most 240 messages in a second";
    if (!wrong) wrong = answer(c, &m);
    if (wrong) refuse(c, wrong);
}

// A message may come in pieces; of one that is too long the rest is counted only.
static void receive(plClient* c, const void* bytes, size_t length)
{
    if (!c->stage || c->closing) return;
    if (lws_is_first_fragment(c->wsi)) c->length = 0;
    if (c->length + length <= plMessageBytes) memcpy(c->message + c->length, bytes, length);
    c->length = c->length + length <= plMessageBytes ? c->length + length : plMessageBytes + 1;
    if (!lws_is_final_fragment(c->wsi) || lws_remaining_packet_payload(c->wsi) > 0) return;
    if (!lws_frame_is_binary(c->wsi)) {
        refuse(c, "messages are binary");
        return;
    }
    hear(c);
}

// --- coming and going

static void join(plClient* c, plStage* stage)
{
    c->stage = stage;
    ++stage->clients;
    lws_callback_on_writable(c->wsi);
}

// What it says until its stage is there is read then.
static void waitFor(plClient* c, const char* scene, bool second)
{
    snprintf(c->wants, sizeof c->wants, "%s", scene);
    c->wantsSecond = second;
    lws_rx_flow_control(c->wsi, 0);
}

void plClient_Opened(plServer* s, const char* name, bool second, plStage* stage, const char* why)
{
    for (plClient* c = s->clients; c; c = c->next) {
        if (c->wantsSecond != second || strcmp(c->wants, name) != 0) continue;
        c->wants[0] = '\0';
        lws_rx_flow_control(c->wsi, 1);
        if (stage) join(c, stage);
        if (!stage) plClient_Bye(c, why);
    }
}

/// Null, or why it is turned away.
static const char* findStage(plClient* c)
{
    char name[plArgumentSize], side[plArgumentSize];
    const char* scene = plHttp_Argument(c->wsi, "scene=", name);
    const char* which = plHttp_Argument(c->wsi, "side=", side);
    const bool second = which && strcmp(which, "b") == 0;
    plStage* stage;
    if (c->server->ending) return "the server ends";
    if (c->server->clientCount > c->server->def.clients) return "there are too many clients";
    if (!scene) return "which scene? ask for /ws?scene=NAME";
    const char* wrong = plServer_OpenStage(c->server, scene, second, &stage);
    if (wrong) return wrong;
    if (stage) join(c, stage);
    if (!stage) waitFor(c, scene, second);
    return NULL;
}

static void enter(plClient* c, struct lws* wsi)
{
    plServer* s = lws_context_user(lws_get_context(wsi));
    *c =
        (plClient){.wsi = wsi, .server = s, .id = ++s->lastId, .budget = budgetMost, .paid = now()};
    c->next = s->clients;
    s->clients = c;
    ++s->clientCount;
    const char* wrong = findStage(c);
    if (wrong) plClient_Bye(c, wrong);
}

static void leave(plClient* c)
{
    plStage* stage = c->stage;
    unwatch(c);
    while (c->noticeCount > 0) free(c->notices[--c->noticeCount]);
    for (plClient** at = &c->server->clients; *at; at = &(*at)->next) {
        if (*at != c) continue;
        *at = c->next;
        --c->server->clientCount;
        break;
    }
    if (!stage) return;
    look(c, false);
    --stage->clients;
    stage->left = now();
    if (stage->holder == c->id) {
        plStage_LetGo(stage, false);
        plServer_TellHolder(c->server, stage);
    }
    c->stage = NULL;
}

int plClient_Call(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in,
                  size_t length)
{
    plClient* c = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        enter(c, wsi);
        return 0;
    case LWS_CALLBACK_CLOSED:
        if (c->server) leave(c);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        receive(c, in, length);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return write1(c);
    default:
        return 0;
    }
}
