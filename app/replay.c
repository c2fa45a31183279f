// palp replay: runs a trace again and compares the hash of every state.
#include "app.h"

#include "base/base.h"

#include <stdio.h>
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

static int replay(const plArguments* a)
{
    const char* file = a->operands[0];
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
    .summary = "run a recorded .h5 trace again, and compare every state",
    .details =
        "The trace holds its scene and the size of every step. The first difference is named,\n"
        "and gives exit code 3.\n",
    .fewest = 1,
    .most = 1,
    .run = replay,
};
