// Counts the tests that a program skips, in place of cmocka: it ends with 0 where all were skipped. Linked with
// --wrap to every test program.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void __real__skip(const char* file, int line);
void __wrap__skip(const char* file, int line);
int __real__cmocka_run_group_tests(const char* name, const struct CMUnitTest* tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char* name, const struct CMUnitTest* tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);

static size_t skipped;

void __wrap__skip(const char* file, int line)
{
    ++skipped;
    __real__skip(file, line);
}

int __wrap__cmocka_run_group_tests(const char* name, const struct CMUnitTest* tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown)
{
    enum { skippedCode = 77 }; // SKIP_RETURN_CODE of CMakeLists.txt
    skipped = 0;
    const int failed = __real__cmocka_run_group_tests(name, tests, count, setup, teardown);
    return failed == 0 && skipped == count ? skippedCode : failed;
}
