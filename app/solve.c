// palp solve: a contact problem from a file, by one law, judged.
#include "app.h"

#include "law/law.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    plArena arena;
    plLawWork work;
    plContactMemory *before, *after;
    double *q, *p;
} Desk;

static bool layOut(Desk* desk, const plSpace* s, const plLaw* law, const plAllocator* allocator)
{
    const size_t contacts = (size_t)s->count, rows = (size_t)plSpace_Rows(s);
    const size_t bias = (size_t)law->biasCount(s) + rows;
    const size_t bytes = plLawWork_Size(s->count, plMaxSides) +
                         (2 * sizeof(plContactMemory) + 64) * (contacts + 2) +
                         (sizeof(double) + 64) * (bias + rows + 2);
    if (plArena_Create(&desk->arena, bytes, allocator) != pl_statusOk) return false;
    desk->before = plArena_Alloc(&desk->arena, contacts, sizeof *desk->before);
    desk->after = plArena_Alloc(&desk->arena, contacts, sizeof *desk->after);
    desk->q = plArena_Alloc(&desk->arena, bias, sizeof(double));
    desk->p = plArena_Alloc(&desk->arena, rows, sizeof(double));
    const plStatus status = plLawWork_Create(&desk->work, s->count, plMaxSides, &desk->arena);
    return status == pl_statusOk && !desk->arena.full;
}

static int judge(const char* file, const plSpace* s, const plLaw* law, double tolerance, Desk* desk)
{
    plLawReport report = {0};
    law->bias(s, 0, desk->q);
    law->solve(s, desk->q, 0, desk->before, desk->after, desk->p, &desk->work, &report);
    const double residual = law->judge(s, desk->q, desk->p);
    printf("%s  law %s  contacts %d  residual %.3g  iterations %d  active %d  sliding %d\n", file,
           law->name, s->count, residual, report.iterations, report.active, report.sliding);
    if (report.flags & pl_reportFellBack)
        fprintf(stderr, "palp: note: another algorithm than the law's first one gave the answer\n");
    if (report.flags & pl_reportRegularised)
        fprintf(stderr, "palp: note: only a slightly softer problem could be solved\n");
    return residual <= tolerance ? pl_exitOk : pl_exitClaim;
}

// Only laws that satisfy a condition on the space can be judged; walls just push.
static int findLaw(const plArguments* a, const plSpace* s, const plLaw** law)
{
    const char* name = plArguments_Value(a, "--law");
    const char* names[] = {"lcp", "cone"};
    char guess[64];
    *law = plLaw_Find(name ? name : "cone");
    if (*law && (*law)->biasCount(s) > 0) return pl_exitOk;
    return plComplain(pl_exitInput, "--law takes one of lcp, cone, found \"%s\"%s", name,
                      plDidYouMean(name, names, 2, guess, sizeof guess));
}

static int solve(const plArguments* a)
{
    const char* file = a->operands[0];
    const char* text = plArguments_Value(a, "--tolerance");
    const plAllocator allocator = plDefaultAllocator();
    const plLaw* law;
    plSpaceFile loaded;
    Desk desk = {0};
    char* end = NULL;
    const double tolerance = text ? strtod(text, &end) : 1e-6;
    if (text && (*end || end == text || !(tolerance > 0)))
        return plComplain(pl_exitInput, "--tolerance takes a number > 0, found \"%s\"", text);
    if (plSpaceFile_Load(&loaded, file, pl_spaceAny, &allocator) != pl_statusOk)
        return plComplain(pl_exitInput, "%s", loaded.error);
    int code = findLaw(a, &loaded.space, &law);
    if (code != pl_exitOk) {
        // the complaint is said
    } else if (layOut(&desk, &loaded.space, law, &allocator)) {
        code = judge(file, &loaded.space, law, tolerance, &desk);
    } else {
        code = plComplain(pl_exitInput, "%s: %s", file, plStatus_Sentence(pl_statusNoMemory));
    }
    plArena_Destroy(&desk.arena, &allocator);
    plSpaceFile_Destroy(&loaded, &allocator);
    return code;
}

static const plOption options[] = {
    {"--law", "NAME", "lcp or cone (default cone)"},
    {"--tolerance", "X", "largest residual that the judge accepts (default 1e-6)"},
};

const plVerb plSolveVerb = {
    .name = "solve",
    .operands = "FILE",
    .summary = "solve a contact problem of a file by one law, and judge the answer",
    .details = "FILE is palp's own text, or of the formats of Siconos (contacts, LCP).\n"
               "Exits with 0 if the judge accepts, with 1 if not.\n",
    .fewest = 1,
    .most = 1,
    .optionCount = 2,
    .options = options,
    .run = solve,
};
