// What the files of the report share.
#ifndef PALP_BENCH_REPORT_H
#define PALP_BENCH_REPORT_H

#include "bench.h"

#include <stdio.h>

FILE* benchOpenIn(const char* folder, const char* name); ///< null: it cannot be written
bool benchClosed(FILE*);                                 ///< closes; false: not all was written

/// "met", "MISSED", "INACCURATE", or "" for a row without a bar.
const char* benchVerdict(const BenchResult*);

/// index.html. The growth is drawn beside it, in growth.svg.
bool benchSavePage(const BenchReport*, const char* folder);

#endif
