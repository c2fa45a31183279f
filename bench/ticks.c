// What a tick of a scene costs: CPU time of its thread, tails before means, and what was in the tick.
//   ticks SCENE.json ...
#define _POSIX_C_SOURCE 200809L

#include "palp/palp.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpuTime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/// Of the ticks of one run.
typedef struct {
    int count;
    double* cost;      // [s]
    int contacts, few; // most in a tick; the mean of those that push, over ticks with contacts
    int troubles;
    double iterations;
} Run;

static double quantile(const Run* r, double share)
{
    const int i = (int)(share * r->count);
    return 1e6 * r->cost[i < r->count ? i : r->count - 1];
}

static void tell(const char* name, Run* r)
{
    double sum = 0;
    for (int i = 0; i < r->count; ++i) sum += r->cost[i];
    qsort(r->cost, (size_t)r->count, sizeof *r->cost, ascending);
    printf("%-28s %7d %9.1f %9.1f %9.1f %9.1f %9.1f %6d %6d %6.1f %d\n", name, r->count,
           quantile(r, 1), quantile(r, 0.999), quantile(r, 0.99), quantile(r, 0.5),
           1e6 * sum / r->count, r->contacts, r->few, r->iterations, r->troubles);
}

static void runScene(const plScene* scene, plWorld* world, Run* r)
{
    plStepper stepper = plScene_Stepper(scene);
    const double end = plScene_Time(scene);
    double pushing = 0, touched = 0, iterations = 0;
    while (plWorld_Time(world) < end && r->count < 1 << 20) {
        const double T = plStepper_Next(&stepper), start = cpuTime();
        plWorld_Step(world, T);
        r->cost[r->count++] = cpuTime() - start;
        const plStepReport report = plWorld_Report(world);
        if (report.contacts > r->contacts) r->contacts = report.contacts;
        r->troubles += report.trouble != 0;
        touched += report.contacts > 0;
        pushing += report.active;
        iterations += report.iterations;
    }
    r->few = touched > 0 ? (int)(pushing / touched + 0.5) : 0;
    r->iterations = touched > 0 ? iterations / touched : 0;
}

static int bench(const char* file)
{
    plScene* scene;
    plWorld* world;
    plSceneError error;
    Run r = {.cost = malloc((1 << 20) * sizeof(double))};
    if (!r.cost) return 1;
    plStatus status = plScene_Load(file, NULL, 0, &scene, &error);
    if (status == pl_statusOk) {
        status = plScene_CreateWorld(scene, &world, &error);
        if (status == pl_statusOk) {
            runScene(scene, world, &r);
            tell(plScene_Title(scene), &r);
            plWorld_Destroy(world);
        }
        plScene_Destroy(scene);
    }
    free(r.cost);
    if (status != pl_statusOk) fprintf(stderr, "%s\n", error.message);
    return status != pl_statusOk;
}

int main(int count, char** arguments)
{
    int failed = 0;
    if (count < 2) {
        fprintf(stderr, "usage: ticks SCENE.json ...\n");
        return 2;
    }
    printf("%-28s %7s %9s %9s %9s %9s %9s %6s %6s %6s %s\n", "CPU time of a tick [us]", "ticks",
           "max", "p99.9", "p99", "p50", "mean", "met", "push", "iter", "troubled");
    for (int i = 1; i < count; ++i) failed += bench(arguments[i]);
    return failed > 0;
}
