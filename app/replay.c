// palp replay: runs a trace again and compares the hash of every state, or a session that was recorded
// by palp serve and compares the last one.
#include "app.h"

#include "base/base.h"

#include "serve/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The world of a trace, as it was before its first step.
static int createWorld(const char* file, const plTrace* trace, plOpened* opened)
{
    plSceneError error;
    *opened = (plOpened){0};
    if (!trace->scene)
        return plComplain(pl_exitInput, "%s has no scene in it: it cannot be replayed", file);
    if (trace->rows == 0)
        return plComplain(pl_exitInput, "%s has no steps in it: there is nothing to replay", file);
    const size_t length = strlen(trace->scene);
    plStatus status = plScene_Parse(file, trace->scene, length, NULL, 0, &opened->scene, &error);
    if (status != pl_statusOk)
        opened->scene = NULL;
    else
        status = plScene_CreateWorld(opened->scene, &opened->world, &error);
    if (status == pl_statusOk) return pl_exitOk;
    opened->world = NULL;
    return plComplain(pl_exitInput, "the scene of the trace does not load: %s", error.message);
}

static int compare(const char* file, const plTrace* trace, plWorld* world)
{
    for (uint64_t i = 0; i < trace->rows; ++i) {
        plWorld_Step(world, trace->T[i]);
        const uint64_t hash = plWorld_Hash(world);
        if (hash == trace->hash[i]) continue;
        return plComplain(pl_exitDiffers,
                          "%s differs first at step %llu of %llu (t = %.9g s): recorded hash "
                          "%016llx, replayed %016llx; only the same build on the same type of "
                          "processor gives equal hashes",
                          file, (unsigned long long)i + 1, (unsigned long long)trace->rows,
                          plWorld_Time(world), (unsigned long long)trace->hash[i],
                          (unsigned long long)hash);
    }
    printf("replayed %llu steps, hash %016llx: identical\n", (unsigned long long)trace->rows,
           (unsigned long long)plWorld_Hash(world));
    return pl_exitOk;
}

// --------------------------------------------------------------------------------- sessions

enum { mostBytes = 1 << 28 };

/// All of a file, with a zero behind; null: it cannot be read, or is too long.
static char* readAll(const char* file, size_t* length)
{
    FILE* from = fopen(file, "rb");
    if (!from) return NULL;
    char* text = NULL;
    *length = 0;
    for (size_t room = 1 << 16;; room *= 2) {
        char* more = room <= mostBytes ? realloc(text, room) : NULL;
        if (!more) break;
        text = more;
        *length += fread(text + *length, 1, room - 1 - *length, from);
        text[*length] = '\0';
        if (*length == room - 1) continue;
        const bool good = !ferror(from);
        fclose(from);
        if (good) return text;
        free(text);
        return NULL;
    }
    fclose(from);
    free(text);
    return NULL;
}

static int replaySession(const char* file)
{
    char message[1024];
    size_t length;
    plReplayed r;
    char* text = readAll(file, &length);
    if (!text) return plComplain(pl_exitInput, "%s cannot be read", file);
    const plStatus status = plSession_Replay(file, text, length, &r, message, sizeof message);
    free(text);
    if (status != pl_statusOk) return plComplain(pl_exitInput, "%s", message);
    if (r.hash != r.expected)
        return plComplain(pl_exitDiffers,
                          "%s differs after %llu steps: recorded hash %016llx, replayed %016llx; "
                          "only the same build on the same type of processor gives equal hashes",
                          file, (unsigned long long)r.ticks, (unsigned long long)r.expected,
                          (unsigned long long)r.hash);
    printf("replayed %llu steps, hash %016llx: identical\n", (unsigned long long)r.ticks,
           (unsigned long long)r.hash);
    return pl_exitOk;
}

static bool isSession(const char* file)
{
    const size_t length = strlen(file);
    return length > 5 && strcmp(file + length - 5, ".json") == 0;
}

static int replay(const plArguments* a)
{
    const char* file = a->operands[0];
    if (isSession(file)) return replaySession(file);
    char message[512];
    plTrace trace;
    plOpened opened;
    const plStatus status = plTrace_Read(file, &trace, message, sizeof message);
    if (status != pl_statusOk)
        return plComplain(pl_exitInput, "%s", message[0] ? message : plStatus_Sentence(status));
    if (trace.version && strcmp(trace.version, plVersion()) != 0)
        fprintf(stderr, "palp: note: palp %s wrote this trace and this is %s: they may differ\n",
                trace.version, plVersion());
    int code = createWorld(file, &trace, &opened);
    if (code == pl_exitOk) code = compare(file, &trace, opened.world);
    plClose(&opened);
    plTrace_Free(&trace);
    return code;
}

const plVerb plReplayVerb = {
    .name = "replay",
    .operands = "FILE",
    .summary = "run a recorded .h5 trace or .json session again, and compare",
    .details =
        "The trace holds its scene and the size of every step. The first difference is named,\n"
        "and gives exit code 3. A session, from palp serve, holds its scene and what was done to "
        "it.\n",
    .fewest = 1,
    .most = 1,
    .run = replay,
};
