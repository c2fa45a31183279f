// Figures of pmi: M. Kim, Y. Lee, Y. Lee, D. Lee, passive midpoint integration, 2017.
#ifndef PL_FIGURES_PMI_H
#define PL_FIGURES_PMI_H

#include "figure.h"

/// Of a scene: contacts hold velocities, as the paper prints it.                        (pmi 28-34)
#define PL_PRINTED "contact.bias=one-sided"

/// Claims on nonlinear potentials. False: a message in the job.
bool plPmi_ClaimPotentials(plFigureJob*);

extern const plFigure plFigurePmi1, plFigurePmi2, plFigurePmi3, plFigurePmi4, plFigurePmi5,
    plFigurePmi6, plFigurePmi7, plFigurePmi8, plFigurePmi9, plFigurePmi10, plFigurePmi11,
    plFigurePmi12, plFigurePmi13, plFigurePmi14, plFigurePmi15, plFigurePmi16, plFigurePmi17,
    plFigurePmi18, plFigurePmi19;

#endif
