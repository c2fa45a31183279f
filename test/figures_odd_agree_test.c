// The second, fourth, sixth ... figure: figures.h.
#include "figures.h"

static void noClaimOfOddFiguresFails(void** state)
{
    (void)state;
    noClaimFails(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noClaimOfOddFiguresFails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
