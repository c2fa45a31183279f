// Sculpted surfaces beside SISL, in one run: a rational bicubic surface of 16 x 16 control points.
//   evaluation   place, first and second derivatives, at random places    goal: 3 times as fast
//   projection   nearest place from a guess that is 0.01 off              goal: 10 times as fast
// Rounds of both alternate, and the fastest of each count, since what else the machine does only adds.
#define _POSIX_C_SOURCE 200809L

#include "palp/nurbs.h"
#include "shape/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef PALP_SISL
#include <sisl.h>
#endif

enum { side = 16, places = 4096, guesses = 256, rounds = 60 };

static double knots[side + 4], weights[side * side];
static plVec3 points[side * side];
static const plNurbs* ours;
static plUv spots[places], starts[guesses];
static plVec3 targets[guesses];
static double sum; // keeps the compiler from dropping what is measured

static double cpuTime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void evaluate(int i)
{
    plSurfel f;
    plNurbs_At(ours, spots[i % places], &f);
    sum += f.S.x + f.vv.z;
}

static void project(int i)
{
    plUv at = starts[i % guesses];
    sum += plNurbs_Project(ours, targets[i % guesses], &at) + at.u;
}

static void search(int i)
{
    plUv at;
    sum += plNurbs_Nearest(ours, targets[i % guesses], &at, NULL);
}

#ifdef PALP_SISL
static SISLSurf* theirs;

static void makeTheirs(void)
{
    static double net[4 * side * side];
    for (int i = 0; i < side * side; i++) { // u fastest
        const int k = i % side * side + i / side;
        plPut3(plScale(weights[k], points[k]), &net[4 * i]);
        net[4 * i + 3] = weights[k];
    }
    theirs = newSurf(side, side, 4, 4, knots, knots, net, 2, 3, 1);
}

static void evaluateTheirs(int i)
{
    static int left[2];
    double at[2] = {spots[i % places].u, spots[i % places].v}, f[18], normal[3];
    int status;
    s1421(theirs, 2, at, &left[0], &left[1], f, normal, &status);
    sum += f[0] + f[17];
}

static void projectTheirs(int i)
{
    double p[3], start[2] = {0, 0}, end[2] = {1, 1}, found[2];
    double guess[2] = {starts[i % guesses].u, starts[i % guesses].v};
    int status;
    plPut3(targets[i % guesses], p);
    s1775(theirs, p, 3, 1e-9, start, end, guess, found, &status);
    sum += found[0];
}

static void searchTheirs(int i)
{
    double p[3], found[2], distance;
    int status;
    plPut3(targets[i % guesses], p);
    s1958(theirs, p, 3, 1e-6, 1e-6, found, &distance, &status);
    sum += distance;
}

/// Both must find the same: largest differences of derivatives and of distances.
static void compare(void)
{
    double derivative = 0, distance = 0;
    int left[2] = {0, 0}, status;
    for (int i = 0; i < 1000; i++) {
        double at[2] = {spots[i].u, spots[i].v}, f[18], normal[3];
        plSurfel g;
        plNurbs_At(ours, spots[i], &g);
        s1421(theirs, 2, at, &left[0], &left[1], f, normal, &status);
        for (int k = 0; k < 18; k++) {
            const double x = (&g.S.x)[k];
            derivative = fmax(derivative, fabs(f[k] - x) / (1 + fabs(x)));
        }
    }
    for (int i = 0; i < guesses; i++) {
        double p[3], start[2] = {0, 0}, end[2] = {1, 1}, found[2];
        double guess[2] = {starts[i].u, starts[i].v};
        plUv at = starts[i];
        plPut3(targets[i], p);
        s1775(theirs, p, 3, 1e-9, start, end, guess, found, &status);
        plNurbs_Project(ours, targets[i], &at);
        const plUv other = {0, found[0], found[1]};
        const double theirDistance = plNorm(plSub(plNurbs_Place(ours, other), targets[i]));
        distance =
            fmax(distance, plNorm(plSub(plNurbs_Place(ours, at), targets[i])) - theirDistance);
    }
    printf("derivatives differ by %.1e at most; our nearest places are farther by %.1e at most\n",
           derivative, distance);
}
#endif

static double timeOf(void (*what)(int), int calls)
{
    const double start = cpuTime();
    for (int i = 0; i < calls; i++) what(i);
    return (cpuTime() - start) / calls;
}

typedef struct {
    const char* name;
    void (*ours)(int);
    void (*theirs)(int); // null: there is none
    int calls, theirCalls;
    double goal;
} Race;

static void run(const Race* race)
{
    double best = INFINITY, theirBest = INFINITY;
    for (int i = 0; i < rounds; i++) {
        best = fmin(best, timeOf(race->ours, race->calls));
        if (race->theirs) theirBest = fmin(theirBest, timeOf(race->theirs, race->theirCalls));
    }
    printf("%-44s %9.1f ns", race->name, 1e9 * best);
    if (race->theirs) {
        printf(" %11.1f ns %8.1f times", 1e9 * theirBest, theirBest / best);
        if (race->goal > 0) printf("  (goal %g)", race->goal);
    }
    printf("\n");
}

static void makeNet(plRng* rng)
{
    for (int i = 0; i < side + 4; i++) {
        knots[i] = i < 4 ? 0 : i >= side ? 1 : (double)(i - 3) / (side - 3);
    }
    for (int i = 0; i < side * side; i++) {
        const double x = (double)(i / side) / (side - 1), y = (double)(i % side) / (side - 1);
        const double z = 0.15 * sin(6 * x) * cos(5 * y) + plRng_Uniform(rng, -0.02, 0.02);
        points[i] = plVec(x, y, z);
        weights[i] = plRng_Uniform(rng, 0.7, 1.3);
    }
}

static bool makeOurs(plArena* arena, const plAllocator* allocator)
{
    const plPatchDef patch = {3, 3, side, side, knots, knots, points, weights};
    const plShape* shape;
    plRng rng = plRng_Seed(3);
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    makeNet(&rng);
    def.patches = &patch;
    def.patchCount = 1;
    if (plArena_Create(arena, plShape_Memory(&def), allocator) != pl_statusOk) return false;
    if (plShape_Create(&def, arena, allocator, &shape, NULL) != pl_statusOk) return false;
    ours = shape->nurbs;
    for (int i = 0; i < places; i++) {
        const double u = plRng_Uniform(&rng, 0, 1);
        spots[i] = (plUv){0, u, plRng_Uniform(&rng, 0, 1)};
    }
    for (int i = 0; i < guesses; i++) {
        const double u = plRng_Uniform(&rng, 0.1, 0.9);
        const plUv foot = {0, u, plRng_Uniform(&rng, 0.1, 0.9)};
        targets[i] = plAddScaled(plNurbs_Place(ours, foot), 0.05, plNurbs_Normal(ours, foot));
        starts[i] = foot;
        starts[i].u += plRng_Uniform(&rng, -0.01, 0.01);
        starts[i].v += plRng_Uniform(&rng, -0.01, 0.01);
    }
    return true;
}

int main(void)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena arena;
    if (!makeOurs(&arena, &allocator)) return 1;
    Race races[] = {{"place, first and second derivatives", evaluate, NULL, 20000, 4000, 3},
                    {"nearest place from a guess (s1775)", project, NULL, 4 * guesses, guesses, 10},
                    {"nearest place of all (s1958)", search, NULL, guesses, 16, 0}};
#ifdef PALP_SISL
    makeTheirs();
    races[0].theirs = evaluateTheirs;
    races[1].theirs = projectTheirs;
    races[2].theirs = searchTheirs;
    compare();
    printf("%-44s %12s %14s\n", "", "palp", "SISL");
#else
    printf("SISL was not found (libsisl-dev): our own times alone\n");
#endif
    for (int i = 0; i < PL_COUNT(races); i++) run(&races[i]);
    plArena_Destroy(&arena, &allocator);
    return sum == 1234567; // never
}
