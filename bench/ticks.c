// What the tick of every scene of the gallery costs, at the rate that its file states.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include "palp/palp.h"
#include "scene/scene.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { mostTicks = 1 << 20 };

static void runScene(const plScene* scene, plWorld* world, double seconds, BenchTick* t)
{
    double* cost = malloc(mostTicks * sizeof *cost);
    const double T = 1 / t->rate, end = plScene_Time(scene) - 0.5 * T;
    double spent = 0;
    if (!cost) exit(1);
    while (plWorld_Time(world) < end && t->ticks < mostTicks && spent < seconds) {
        const double start = benchCpu();
        plWorld_Step(world, T);
        const double took = benchCpu() - start;
        const plStepReport report = plWorld_Report(world);
        spent += took;
        cost[t->ticks++] = 1e6 * took;
        if (report.contacts > t->contacts) t->contacts = report.contacts;
        t->troubled += report.trouble != 0;
    }
    t->whole = !(plWorld_Time(world) < end);
    benchSort(cost, t->ticks);
    t->p50 = benchQuantile(cost, t->ticks, 0.5);
    t->p99 = benchQuantile(cost, t->ticks, 0.99);
    t->p999 = benchQuantile(cost, t->ticks, 0.999);
    t->most = benchQuantile(cost, t->ticks, 1);
    free(cost);
}

static bool measure(const char* file, double seconds, BenchTick* t)
{
    plScene* scene;
    plWorld* world;
    plSceneError error;
    if (plScene_Load(file, NULL, 0, &scene, &error) != pl_statusOk) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    t->rate = plScene_Rate(scene);
    const bool good = plScene_CreateWorld(scene, &world, &error) == pl_statusOk;
    if (good) {
        runScene(scene, world, seconds, t);
        plWorld_Destroy(world);
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    plScene_Destroy(scene);
    return good;
}

static int isScene(const struct dirent* e)
{
    const char* end = strrchr(e->d_name, '.');
    return end && strcmp(end, ".json") == 0 && !strstr(e->d_name, ".schema");
}

int benchTicks(const char* folder, double seconds, BenchTick* ticks, int capacity)
{
    struct dirent** files;
    const int found = scandir(folder, &files, isScene, alphasort);
    int n = 0;
    benchPrintTick(NULL);
    for (int i = 0; i < found; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        if (n < capacity) {
            BenchTick* t = &ticks[n];
            *t = (BenchTick){0};
            snprintf(t->name, sizeof t->name, "%.*s", (int)(strlen(files[i]->d_name) - 5),
                     files[i]->d_name);
            if (measure(path, seconds, t)) benchPrintTick(&ticks[n++]);
        }
        free(files[i]);
    }
    if (found >= 0) free(files);
    return n;
}
