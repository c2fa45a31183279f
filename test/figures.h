// Every claim of every figure holds in the build that this is; half of the figures in each of two
// programs. ./dev runs them optimised, plain and sanitized: in each the claims hold; their values are not
// compared between builds. All figures are made where it is optimised, a sixth of the short ones where
// it is not, and in full all everywhere.
#ifndef PALP_TEST_FIGURES_H
#define PALP_TEST_FIGURES_H

#include "figure.h"
#include "worlds.h"

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

static inline void everyClaimHolds(int half)
{
    plFigureJob* job = calloc(1, sizeof *job);
    assert_non_null(job);
    for (int i = 0; i < plFigure_Count(); ++i) {
        if (!isMade(i, half)) continue;
        if (!plFigureJob_Make(job, plFigure_At(i))) fail_msg("%s", job->message);
        assert_true(job->claimCount > 0);
        for (int k = 0; k < job->claimCount; ++k) {
            char criterion[80];
            const plClaim* claim = &job->claims[k];
            plCriterion_Text(claim->criterion, criterion, sizeof criterion);
            if (!plClaim_Holds(claim))
                fail_msg("%s %s: %.17g, expected %s", plFigure_At(i)->id, claim->id, claim->value,
                         criterion);
        }
        plFigureJob_Free(job);
    }
    free(job);
}

#endif
