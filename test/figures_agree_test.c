// The first, third, fifth ... figure: figures.h.
#include "figures.h"

static void everyClaimOfEvenFiguresHolds(void** state)
{
    (void)state;
    everyClaimHolds(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everyClaimOfEvenFiguresHolds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
