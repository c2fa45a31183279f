// Every claim of every figure holds in the build that this is. ./dev runs it optimised, plain and
// sanitized: in each of them the claims hold; their values are not compared between builds. All figures
// are made where it is optimised, a third of the short ones where it is not, and in full all everywhere.
#include "figure.h"
#include "worlds.h"

// The first figure of the sample, where it is slow.
#if defined(__SANITIZE_ADDRESS__)
enum { isSlow = 1, first = 0 };
#elif !defined(__OPTIMIZE__)
enum { isSlow = 1, first = 1 };
#else
enum { isSlow = 0, first = 0 };
#endif

static bool isMade(int i)
{
    return !isSlow || getenv("PALP_FULL") || (!plFigure_At(i)->isLong && i % 3 == first);
}

static void everyClaimOfEveryFigureHolds(void** state)
{
    plFigureJob* job = calloc(1, sizeof *job);
    (void)state;
    assert_non_null(job);
    for (int i = 0; i < plFigure_Count(); ++i) {
        if (!isMade(i)) continue;
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everyClaimOfEveryFigureHolds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
