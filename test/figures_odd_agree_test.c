// The second, fourth, sixth ... figure: figures.h.
#include "figures.h"

static void everyClaimOfOddFiguresHolds(void** state)
{
    (void)state;
    everyClaimHolds(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everyClaimOfOddFiguresHolds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
