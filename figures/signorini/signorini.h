// Figures of signorini: C. Duriez, F. Dubois, A. Kheddar, C. Andriot, realistic haptic rendering of
// interacting deformable objects, 2006.
#ifndef PL_FIGURES_SIGNORINI_H
#define PL_FIGURES_SIGNORINI_H

#include "figure.h"

extern const plFigure plFigureSignorini6, plFigureSignorini7, plFigureSignorini8,
    plFigureSignorini9, plFigureSignorini11, plFigureSignorini13, plFigureSignorini14,
    plFigureSignorini16, plFigureSignorini17, plFigureSignorini18;

#endif
