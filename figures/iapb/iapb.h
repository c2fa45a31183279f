// Figures of iapb: D. Constantinescu, S. E. Salcudean, E. A. Croft, impulsive and penalty forces,
// 2004.
#ifndef PL_FIGURES_IAPB_H
#define PL_FIGURES_IAPB_H

#include "figure.h"

extern const plFigure plFigureIapb3, plFigureIapb7, plFigureIapb8, plFigureIapb9, plFigureIapb10,
    plFigureIapb11, plFigureIapb12, plFigureIapb13, plFigureIapbHole, plFigureIapbLinkage;

/// Friction in collisions, a check of iapb-3 (friction.c). False: a message in the job.
bool plIapbFriction_Check(plFigureJob*);

#endif
