// The first, third, fifth ... figure: figures.h.
#include "figures.h"

static void noClaimOfEvenFiguresFails(void** state)
{
    (void)state;
    noClaimFails(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noClaimOfEvenFiguresFails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
