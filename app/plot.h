// What palp plot draws: a trace in memory, of either format.
#ifndef PL_PLOT_H
#define PL_PLOT_H

#include "palp/palp.h"

/// Rows of a trace.
typedef struct {
    int count; ///< channels
    char** names;
    uint64_t rows;
    double* time;   ///< behind each step [s]
    double* values; ///< rows x count
} plTable;

/// Of a file that ends in .h5, or else a CSV. Complains; free in either case.
int plTable_Read(plTable*, const char* path);
void plTable_Free(plTable*);

#endif
