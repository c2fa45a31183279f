// No claim and no check of a figure fails in the build that this is, and doc/claims.md counts the verdicts that
// were computed; half of the figures in each of two programs. ./dev runs them optimised, plain and sanitized:
// values are not compared between builds. All figures are made where it is optimised, a sixth of the short
// ones where it is not, and in full all everywhere.
#ifndef PALP_TEST_FIGURES_H
#define PALP_TEST_FIGURES_H

#include "figure.h"
#include "worlds.h"

#include <string.h>

// The first figure of the sample, where it is slow.
#if defined(__SANITIZE_ADDRESS__)
enum { isSlow = 1, first = 0 };
#elif !defined(__OPTIMIZE__)
enum { isSlow = 1, first = 3 };
#else
enum { isSlow = 0, first = 0 };
#endif

/// `half`: 0 or 1.
static inline bool isMade(int i, int half)
{
    if (i % 2 != half) return false;
    return !isSlow || getenv("PALP_FULL") || (!plFigure_At(i)->isLong && i / 2 % 6 == first);
}

static inline void expectNoFailure(const plFigureJob* job)
{
    assert_true(job->claimCount > 0);
    for (int k = 0; k < job->claimCount; ++k) {
        char criterion[80], found[80];
        const plClaim* claim = &job->claims[k];
        plCriterion_Text(claim->criterion, criterion, sizeof criterion);
        plCriterion_Text(claim->found, found, sizeof found);
        if (plClaim_Verdict(claim) == pl_verdictFails)
            fail_msg("%s %s: %.17g, expected %s%s%s", job->figure->id, claim->id, claim->value,
                     criterion, claim->why[0] ? " or " : "", claim->why[0] ? found : "");
    }
}

/// doc/claims.md has the figure's row.
static inline void expectDocumented(const plFigureJob* job)
{
    char row[120], line[1024];
    bool isFound = false;
    FILE* file = fopen("doc/claims.md", "r");
    if (!file) fail_msg("no doc/claims.md");
    plFigureTable_Row(job, row, sizeof row);
    while (!isFound && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        isFound = strcmp(line, row) == 0;
    }
    fclose(file);
    if (!isFound)
        fail_msg("doc/claims.md has no line %s: copy out/figures/claims.md of palp figure all",
                 row);
}

static inline void noClaimFails(int half)
{
    plFigureJob* job = calloc(1, sizeof *job);
    assert_non_null(job);
    for (int i = 0; i < plFigure_Count(); ++i) {
        if (!isMade(i, half)) continue;
        if (!plFigureJob_Make(job, plFigure_At(i))) fail_msg("%s", job->message);
        expectNoFailure(job);
        expectDocumented(job);
        plFigureJob_Free(job);
    }
    free(job);
}

#endif
