// Tests that cannot run here. A program all of whose tests were skipped ends with 77 (skips.c), which ctest counts
// as skipped; ./dev shows the sentences.
#ifndef PALP_TEST_SKIPS_H
#define PALP_TEST_SKIPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/// Tells which checks a test leaves out, and why; the test goes on with the others.
__attribute__((format(printf, 1, 2))) static inline void sayNotChecked(const char* why, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(line, sizeof line, why, arguments);
    va_end(arguments);
    print_message("skipped: %s\n", line);
}

/// Ends a test that cannot run here, with the reason.
#define skipTest(...) (sayNotChecked(__VA_ARGS__), skip())

#endif
