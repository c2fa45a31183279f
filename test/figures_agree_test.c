// Every claim of every figure holds in the build that this is. ./dev runs it optimised, plain and
// sanitized: in each of them the claims hold; their values are not compared between builds. Long figures
// are made where it is optimised, and in full everywhere.
#include "figure.h"
#include "worlds.h"

#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
enum { isSlow = 1 };
#else
enum { isSlow = 0 };
#endif

static void everyClaimOfEveryFigureHolds(void** state)
{
    plFigureJob* job = calloc(1, sizeof *job);
    (void)state;
    assert_non_null(job);
    for (int i = 0; i < plFigure_Count(); ++i) {
        if (isSlow && plFigure_At(i)->isLong && !getenv("PALP_FULL")) continue;
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
