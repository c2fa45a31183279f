// palp solve: a contact problem from a file, by one law, judged.
#define _POSIX_C_SOURCE 200809L

#include "solve.h"

#include "fclib.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// So many contacts are factored at once at most: a step of Newton takes seconds then.
enum { mostFactored = 1000 };

typedef struct {
    const char *file, *out;
    const plLaw* law;
    double tolerance, seconds; // infinite: without end
    int sweeps, sides;         // sides 0: as the file has it
} Wish;

typedef struct {
    plArena arena;
    plLawWork work;
    plContactMemory *before, *after;
    double *q, *best, *u, *l;
} Desk;

static bool layOut(Desk* desk, const plSpaceFile* file, const plLaw* law,
                   const plAllocator* allocator)
{
    const plSpace* s = &file->space;
    const int factored = s->count <= mostFactored ? s->count : 0;
    const size_t contacts = (size_t)s->count, rows = (size_t)plSpace_Rows(s);
    const size_t bias = (size_t)law->biasCount(s) + rows, wide = (size_t)factored;
    const size_t more = (size_t)file->bilateral.count;
    const size_t bytes = plLawWork_Size(s->count, plMaxSides) +
                         (2 * sizeof(plContactMemory) + 64) * (contacts + 2) +
                         (sizeof(double) + 64) * (bias + 3 * rows + more + 4) +
                         (9 * wide * wide + 3 * wide + 16) * sizeof(double);
    if (plArena_Create(&desk->arena, bytes, allocator) != pl_statusOk) return false;
    desk->before = plArena_Alloc(&desk->arena, contacts, sizeof *desk->before);
    desk->after = plArena_Alloc(&desk->arena, contacts, sizeof *desk->after);
    desk->q = plArena_Alloc(&desk->arena, bias, sizeof(double));
    desk->best = plArena_Alloc(&desk->arena, rows, sizeof(double));
    desk->u = plArena_Alloc(&desk->arena, rows, sizeof(double));
    desk->l = plArena_Alloc(&desk->arena, more, sizeof(double));
    plStatus status = plLawWork_Create(&desk->work, s->count, plMaxSides, &desk->arena);
    if (status == pl_statusOk && factored > plDenseContacts) {
        status = plLawWork_Widen(&desk->work, factored, &desk->arena);
    }
    return status == pl_statusOk && !desk->arena.full;
}

// --- solving

static double secondsNow(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool isOver(void* deadline) { return secondsNow() > *(const double*)deadline; }

static double larger(double a, double b) { return a <= b ? b : a; } // a NaN stays

static plVerdict judge(const plSpaceFile* file, const plLaw* law, const double* p, Desk* desk)
{
    plVerdict v = {.res = law->judge(&file->space, desk->q, p),
                   .natural = law->natural(&file->space, desk->q, p)};
    v.bilateral = plBilateral_Recover(&file->bilateral, &file->space, p, desk->l);
    v.residual = larger(larger(v.res, v.natural), v.bilateral);
    return v;
}

// The law stops by RES. Where the other residual is larger, RES is asked to be smaller, and the law goes on
// from where it is, as long as that halves what is left.
static plVerdict satisfy(const plSpaceFile* file, const Wish* wish, Desk* desk, plLawReport* report)
{
    enum { rounds = 12 };
    const plSpace* s = &file->space;
    const double least = 1e-15;
    plLawWork* w = &desk->work;
    double deadline = secondsNow() + wish->seconds, *p = desk->best;
    plVerdict best = {.residual = INFINITY};
    int iterations = 0;
    w->sweeps = wish->sweeps;
    w->largeSweeps = INT_MAX;
    w->isOver = isfinite(wish->seconds) ? isOver : NULL;
    w->clock = &deadline;
    w->accepted = wish->tolerance;
    w->tolerance = fmin(w->tolerance, wish->tolerance);
    wish->law->bias(s, 0, desk->q);
    for (int k = 0; k < rounds; ++k) {
        plLawReport now;
        wish->law->solve(s, desk->q, 0, desk->before, desk->after, desk->u, w, &now);
        iterations += now.iterations;
        const plVerdict v = judge(file, wish->law, desk->u, desk);
        const bool better = k == 0 || v.residual < best.residual;
        const bool halved = k == 0 || v.residual < 0.5 * best.residual;
        if (better) {
            best = v, *report = now;
            memcpy(p, desk->u, (size_t)plSpace_Rows(s) * sizeof *p);
        }
        if (best.residual <= wish->tolerance || !halved || (w->isOver && w->isOver(w->clock)))
            break;
        const double wanted = 0.3 * fmin(w->accepted, v.res) * wish->tolerance / v.residual;
        w->accepted = fmax(wanted, least);
        w->tolerance = fmin(w->tolerance, w->accepted);
        memcpy(desk->before, desk->after, (size_t)s->count * sizeof *desk->before);
    }
    report->iterations = iterations;
    judge(file, wish->law, p, desk); // the multipliers of what is kept
    plSpace_Apply(s, p, desk->u);
    for (int i = 0; i < plSpace_Rows(s); ++i) desk->u[i] += s->uFree[i];
    return best;
}

static int solveFile(const Wish* wish, plSpaceFile* file, Desk* desk)
{
    plLawReport report = {0};
    const plSpace* s = &file->space;
    const plVerdict v = satisfy(file, wish, desk, &report);
    printf("%s  law %s  contacts %d  residual %.3g (RES %.3g, natural map %.3g)  iterations %d  "
           "active %d  sliding %d",
           wish->file, wish->law->name, s->count, v.residual, v.res, v.natural, report.iterations,
           report.active, report.sliding);
    if (file->bilateral.count > 0) {
        printf("  bilateral %d (left %.3g)", file->bilateral.count, v.bilateral);
    }
    printf("\n");
    if (report.flags & pl_reportFellBack)
        fprintf(stderr, "palp: note: another algorithm than the law's first one gave the answer\n");
    if (report.flags & pl_reportRegularised)
        fprintf(stderr, "palp: note: only a slightly softer problem could be solved\n");
    const plSolution solution = {wish->file, wish->law->name, file,   v,
                                 desk->best, desk->u,         desk->l};
    if (wish->out && !plSolution_Save(&solution, wish->out)) {
        return plComplain(pl_exitOutput, "%s: %s", wish->out,
                          plStatus_Sentence(pl_statusFileWrite));
    }
    return v.residual <= wish->tolerance ? pl_exitOk : pl_exitClaim;
}

// --- the command line

// A number of an option above `least`; `otherwise` where it is not given. False: complained.
static bool number(const plArguments* a, const char* option, double least, double otherwise,
                   double* value)
{
    const char* text = plArguments_Value(a, option);
    char* end = NULL;
    *value = text ? strtod(text, &end) : otherwise;
    if (!text || (end != text && !*end && *value > least)) return true;
    plComplain(pl_exitInput, "%s takes a number > %g, found \"%s\"", option, least, text);
    return false;
}

static bool integer(const plArguments* a, const char* option, int least, int most, int step,
                    int otherwise, int* value)
{
    const char* text = plArguments_Value(a, option);
    char* end = NULL;
    const long given = text ? strtol(text, &end, 10) : otherwise;
    *value = otherwise;
    if (!text) return true;
    const bool whole = end != text && !*end && given >= least && given <= most;
    if (whole && given % step == 0) {
        *value = (int)given;
        return true;
    }
    plComplain(pl_exitInput, "%s takes %s number from %d to %d, found \"%s\"", option,
               step == 2 ? "an even" : "a whole", least, most, text);
    return false;
}

// Only laws that satisfy a condition on the space can be judged; walls just push.
static int findLaw(const plArguments* a, const plSpace* s, const plLaw** law)
{
    const char* name = plArguments_Value(a, "--law");
    const char* names[] = {"lcp", "cone"};
    char guess[64];
    *law = plLaw_Find(name ? name : "cone");
    const bool judged =
        *law && (s->count > 0 ? (*law)->biasCount(s) > 0
                              : *law == plLaw_Find("cone") || *law == plLaw_Find("lcp"));
    if (judged) return pl_exitOk;
    return plComplain(pl_exitInput, "--law takes one of lcp, cone, found \"%s\"%s", name,
                      plDidYouMean(name, names, 2, guess, sizeof guess));
}

static bool readWish(const plArguments* a, Wish* wish)
{
    *wish = (Wish){.file = a->operands[0], .out = plArguments_Value(a, "--out")};
    if (wish->out && strcmp(wish->out, wish->file) == 0) {
        plComplain(pl_exitInput, "--out would overwrite the problem %s", wish->file);
        return false;
    }
    return number(a, "--tolerance", 0, 1e-6, &wish->tolerance) &&
           number(a, "--seconds", 0, INFINITY, &wish->seconds) &&
           integer(a, "--sweeps", 1, INT_MAX, 1, 500, &wish->sweeps) &&
           integer(a, "--sides", 4, plMaxSides, 2, 0, &wish->sides);
}

static plStatus load(plSpaceFile* file, const char* path, const plAllocator* allocator)
{
    return plFclib_Is(path) ? plFclib_Load(file, path, allocator)
                            : plSpaceFile_Load(file, path, pl_spaceAny, allocator);
}

static int solve(const plArguments* a)
{
    const plAllocator allocator = plDefaultAllocator();
    Wish wish;
    plSpaceFile loaded;
    Desk desk = {0};
    if (!readWish(a, &wish)) return pl_exitInput;
    if (load(&loaded, wish.file, &allocator) != pl_statusOk)
        return plComplain(pl_exitInput, "%s", loaded.error);
    if (wish.sides > 0) loaded.space.sides = wish.sides;
    int code = findLaw(a, &loaded.space, &wish.law);
    if (code != pl_exitOk) {
        // the complaint is said
    } else if (layOut(&desk, &loaded, wish.law, &allocator)) {
        code = solveFile(&wish, &loaded, &desk);
    } else {
        code = plComplain(pl_exitInput, "%s: %s", wish.file, plStatus_Sentence(pl_statusNoMemory));
    }
    plArena_Destroy(&desk.arena, &allocator);
    plSpaceFile_Destroy(&loaded, &allocator);
    return code;
}

static const plOption options[] = {
    {"--law", "NAME", "lcp or cone (default cone)"},
    {"--tolerance", "X", "largest residual that the judge accepts (default 1e-6)"},
    {"--sides", "N", "sides of lcp's pyramids, even, 4 to 32 (default as in the file, else 4)"},
    {"--sweeps", "N", "sweeps at most, of each kind, before others are tried (default 500)"},
    {"--seconds", "S", "stop with the best impulses after this time (default: when all was tried)"},
    {"--out", "FILE", "write impulses and velocities; .h5 and .hdf5 are as FCLIB's solutions"},
};

const plVerb plSolveVerb = {
    .name = "solve",
    .operands = "FILE",
    .summary = "solve a contact problem of a file by one law, and judge the answer",
    .details =
        "FILE is palp's own text, of the formats of Siconos (contacts, LCP), or FCLIB's HDF5.\n"
        "The larger one of the two residuals is judged.\n"
        "Exits with 0 if the judge accepts, with 1 if not.\n",
    .fewest = 1,
    .most = 1,
    .optionCount = 6,
    .options = options,
    .run = solve,
};
