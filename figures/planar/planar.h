// Figures of planar: D. Constantinescu et al., planar rigid-body motion by a redundant parallel
// mechanism, 2000.
#ifndef PL_FIGURES_PLANAR_H
#define PL_FIGURES_PLANAR_H

#include "figure.h"

extern const plFigure plFigurePantograph, plFigurePlanar4, plFigurePlanar5, plFigurePlanar6,
    plFigurePlanar7, plFigurePlanar8, plFigurePlanar9, plFigurePlanar10, plFigurePlanar11;

// --- the peg of both: 21 x 10.5 mm and 2 kg, in the plane, at 500 Hz (peg.c)

typedef struct {
    plLawName law;
    plIntegrator integrator;
    plSurface surface;
    double x;  ///< at the start [m]
    double v;  ///< [m/s]
    bool hole; ///< between two walls of 0.5 N on every corner, along x; else before a wall at x = 0
    double pulseLimit; ///< of law impulse, on a corner [N]; 0: none
} plPlanarPegDef;

/// A world of the peg, which slides along x. False: a message in the job.
bool plPlanarPeg_Open(plFigureJob*, const plPlanarPegDef*, plFigureRun*);

/// One step under a force along x [N].
void plPlanarPeg_Step(plFigureRun*, double force);

double plPlanarPeg_Place(const plFigureRun*); ///< x of its centre; before a wall, of its face [m]
double plPlanarPeg_Velocity(const plFigureRun*); ///< [m/s]

/// Poisson's rule for impacts at once, a check of planar-6 (landing.c). False: a message in the job.
bool plPlanarLanding_Check(plFigureJob*);

#endif
