// A session: the scene, and what was done to it, tick by tick.
#define _POSIX_C_SOURCE 200809L // open_memstream

#include "serve/inside.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { commandNumbers = 13, longest = 1000000000 }; // [ticks]

// --- to text

// Most numbers of most commands are zero.
static void putNumber(FILE* to, double x) { fprintf(to, x == 0 ? ",0" : ",%.17g", x); }

static void putCommand(FILE* to, const plApplied* a)
{
    const plCommand* c = &a->command;
    const plPose* p = &c->pose;
    const double numbers[] = {c->value, p->p.x, p->p.y, p->p.z, p->q.w, p->q.x, p->q.y, p->q.z};
    fprintf(to, "[%" PRIu64 ",%d,%d,%d,%d", a->tick, (int)c->kind, c->index, c->choice, c->part);
    for (int i = 0; i < PL_COUNT(numbers); ++i) putNumber(to, numbers[i]);
    fputc(']', to);
}

static json_t* headOf(const char* sceneText, const char* sceneFile, double step, uint64_t ticks,
                      uint64_t hash)
{
    char text[17];
    json_t* scene = json_loads(sceneText, 0, NULL);
    json_t* files = plSceneFiles_Name(scene, sceneFile);
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return json_pack("{ss so so sf sI ss}", "palp", plVersion(), "scene", scene, "files", files,
                     "step", step, "ticks", (json_int_t)ticks, "hash", text);
}

// Commands are put behind the rest without a JSON value of each: of those there would be half a gigabyte.
char* plSession_Write(const char* sceneText, const char* sceneFile, double step, uint64_t ticks,
                      uint64_t hash, const plApplied* applied, int count)
{
    char* text = NULL;
    size_t size = 0;
    json_t* head = headOf(sceneText, sceneFile, step, ticks, hash);
    char* begin = head ? json_dumps(head, JSON_COMPACT) : NULL;
    FILE* to = begin ? open_memstream(&text, &size) : NULL;
    json_decref(head);
    if (to) {
        begin[strlen(begin) - 1] = '\0';
        fprintf(to, "%s,\"commands\":[", begin);
        for (int i = 0; i < count; ++i) {
            if (i > 0) fputc(',', to);
            putCommand(to, &applied[i]);
        }
        fputs("]}", to);
        const bool bad = ferror(to) != 0;
        if (fclose(to) != 0 || bad) {
            free(text);
            text = NULL;
        }
    }
    free(begin);
    return text;
}

// --- from text

typedef struct {
    const char* name;
    char* message;
    size_t size;
} Complaint;

static plStatus complain(const Complaint* c, const char* what)
{
    snprintf(c->message, c->size, "%s: %s", c->name, what);
    return pl_statusSceneContent;
}

static bool numbersOf(const json_t* row, double x[commandNumbers])
{
    if (json_array_size(row) != commandNumbers) return false;
    for (size_t i = 0; i < commandNumbers; ++i) {
        const json_t* number = json_array_get(row, i);
        x[i] = json_number_value(number);
        if (!json_is_number(number) || !isfinite(x[i])) return false;
        if (i < 5 && (x[i] != floor(x[i]) || fabs(x[i]) > 2e9)) return false;
    }
    return x[0] >= 0;
}

static const char* commandFrom(const json_t* row, plApplied* a)
{
    double x[commandNumbers];
    if (!numbersOf(row, x)) return "a command must be 13 numbers, of them 5 integers";
    if (x[1] < 0 || x[1] >= pl_commandCount) return "there is no such command";
    *a = (plApplied){(uint64_t)x[0],
                     {.kind = (plCommandKind)(int)x[1],
                      .index = (int)x[2],
                      .choice = (int)x[3],
                      .part = (int)x[4],
                      .value = x[5],
                      .pose = {{x[6], x[7], x[8]}, {x[9], x[10], x[11], x[12]}}}};
    return plCommand_Complaint(&a->command);
}

/// A world on its way through a session.
typedef struct {
    plWorld* world;
    void* start;
    size_t startSize;
    double step;
    bool paused;
    uint64_t stands; ///< while paused: the tick from which it stands still
} Run;

// The loop's own part of a command.
static void adopt(Run* r, const plApplied* a)
{
    const plCommand* c = &a->command;
    if (c->kind == pl_commandStep) r->step = c->value;
    if (c->kind == pl_commandResume) r->paused = false;
    if (c->kind == pl_commandReset) r->stands = 0;
    if (c->kind != pl_commandPause && c->kind != pl_commandTicks) return;
    r->paused = true;
    r->stands = a->tick + (c->kind == pl_commandTicks ? (uint64_t)c->index : 0);
}

static void stepTo(Run* r, uint64_t tick)
{
    while (plWorld_Tick(r->world) < tick) plWorld_Step(r->world, r->step);
}

static const char* obey(Run* r, const plApplied* a)
{
    if (a->tick < plWorld_Tick(r->world)) return "commands must be in order of their ticks";
    if (a->tick > longest) return "a session has at most 1e9 ticks";
    stepTo(r, a->tick);
    adopt(r, a);
    const plStatus status = plCommand_Obey(&a->command, r->world, r->start, r->startSize);
    return status == pl_statusOk ? NULL : "a command cannot be obeyed by this world";
}

static plStatus runAll(Run* r, const json_t* root, plReplayed* out, const Complaint* c)
{
    const json_t* commands = json_object_get(root, "commands");
    const json_int_t ticks = json_integer_value(json_object_get(root, "ticks"));
    const char* hash = json_string_value(json_object_get(root, "hash"));
    const double step = json_number_value(json_object_get(root, "step"));
    const json_t* row;
    size_t i;
    if (!json_is_array(commands) || !hash || !(step >= 1e-5 && step <= 0.1) || ticks < 0 ||
        ticks > longest) {
        return complain(c, "a session has \"step\", \"ticks\", \"hash\" and \"commands\"");
    }
    r->step = step;
    json_array_foreach(commands, i, row)
    {
        plApplied a;
        const char* wrong = commandFrom(row, &a);
        if (!wrong) wrong = obey(r, &a);
        if (wrong) return complain(c, wrong);
    }
    stepTo(r, (uint64_t)ticks);
    if (r->paused && plWorld_Tick(r->world) >= r->stands) plWorld_Rest(r->world);
    *out = (plReplayed){.ticks = (uint64_t)ticks,
                        .expected = strtoull(hash, NULL, 16),
                        .hash = plWorld_Hash(r->world)};
    return pl_statusOk;
}

static plStatus runWorld(plWorld* world, const json_t* root, plReplayed* out, const Complaint* c)
{
    Run r = {.world = world, .startSize = plWorld_SnapshotSize(world)};
    r.start = malloc(r.startSize);
    if (!r.start) return complain(c, "no memory");
    plWorld_Save(world, r.start);
    const plStatus status = runAll(&r, root, out, c);
    free(r.start);
    return status;
}

static plStatus runScene(const char* text, const json_t* root, plReplayed* out, const Complaint* c)
{
    plSceneError error;
    plScene* scene;
    plWorld* world;
    plPointer pointer;
    char why[400];
    const char* wrong =
        plSceneFiles_Complaint(json_object_get(root, "files"), c->name, why, sizeof why);
    if (wrong) return complain(c, wrong);
    plStatus status = plScene_Parse(c->name, text, strlen(text), NULL, 0, &scene, &error);
    if (status != pl_statusOk) return complain(c, error.message);
    status = plScene_CreateTouchable(scene, &world, &pointer, &error);
    if (status == pl_statusOk) {
        status = runWorld(world, root, out, c);
        plWorld_Destroy(world);
    } else {
        complain(c, error.message);
    }
    plScene_Destroy(scene);
    return status;
}

plStatus plSession_Replay(const char* name, const char* text, size_t length, plReplayed* out,
                          char* message, size_t size)
{
    const Complaint c = {name, message, size};
    json_error_t error;
    json_t* root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) return complain(&c, error.text);
    const json_t* scene = json_object_get(root, "scene");
    char* sceneText = json_is_object(scene) ? json_dumps(scene, JSON_INDENT(2)) : NULL;
    const plStatus status =
        sceneText ? runScene(sceneText, root, out, &c) : complain(&c, "it has no scene in it");
    free(sceneText);
    json_decref(root);
    return status;
}
