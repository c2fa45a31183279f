// Flat drawings for gnuplot's vectors.
#ifndef PL_FIGURES_FLAT_H
#define PL_FIGURES_FLAT_H

#include "figure.h"

typedef struct {
    double *x, *y, *dx, *dy;
    int row, count;
} plFlat;

/// Columns "NAME x", "NAME y", "NAME dx", "NAME dy". False: a message in the job.
static inline bool plFlat_Add(plFigureJob* job, const char* name, int count, plFlat* flat)
{
    *flat = (plFlat){.x = plFigureJob_Column(job, count, "%s x", name),
                     .y = plFigureJob_Column(job, count, "%s y", name),
                     .dx = plFigureJob_Column(job, count, "%s dx", name),
                     .dy = plFigureJob_Column(job, count, "%s dy", name),
                     .count = count};
    return flat->x && flat->y && flat->dx && flat->dy;
}

static inline void plFlat_Draw(plFlat* flat, double x, double y, double toX, double toY)
{
    const int i = flat->row++;
    if (i >= flat->count) return;
    flat->x[i] = x, flat->y[i] = y, flat->dx[i] = toX - x, flat->dy[i] = toY - y;
}

#endif
