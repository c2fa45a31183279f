// The planar paper's experiments in closed loop: a hand, a device, and a peg that it moves in the
// plane.                                                                          (spec 4, 5, 6)
// The device is the twin pantograph, with rounded encoders, observer, impedance controller and
// motors that have limits; or, to see what all that adds, a plain handle of the same inertia that
// knows its hand's force. First a hand holds the handle; then it lets go, and a force that yields to
// nothing takes its place.
//   x, y   of the peg's centre; in a room its face meets the wall at x = 0, the hole lies along x
//   angle  of the peg; 0 is flush
#ifndef PL_FIGURES_PLANAR_EXPERIMENT_H
#define PL_FIGURES_PLANAR_EXPERIMENT_H

#include "figure.h"

typedef struct {
    plLawName law;
    plIntegrator integrator; ///< of the peg
    plSurface surface;       ///< its stiffness and damping are not read: 1000 N/m, none
    bool hole;  ///< between two walls of 0.5 N on every corner; else in a room, before its wall
    bool plain; ///< a handle instead of the pantograph
    plObserverKind observer;
    plRateKind rate;       ///< how the pantograph knows its velocity
    plLimit limit;         ///< of impulses above 15 N, 1 N m
    plCollision collision; ///< rule of collisions
    double centre;         ///< of the mechanism, along x [m]

    double x, angle;         ///< where the hand holds the peg [m], [rad]
    double way, drift, spin; ///< in the second before it lets go, along x, y and turning [m], [rad]
    double hold;             ///< when it lets go, >= 1 [s]
    double push;             ///< then, along x [N]
    double frequency;        ///< above 0: push (1 - cos 2 pi f t)/2, t since then [Hz]
} plPlanarExperimentDef;

plPlanarExperimentDef plDefaultPlanarExperimentDef(void);

enum { plPlanarExperimentSteps = 7000 }; ///< at most, of 1/500 s

/// By time; index 0 is the start.
typedef struct {
    int count;                                  ///< of steps
    double x[plPlanarExperimentSteps + 1];      ///< [m]
    double angle[plPlanarExperimentSteps + 1];  ///< [rad]
    double handle[plPlanarExperimentSteps + 1]; ///< x of the device [m]
    double hand[plPlanarExperimentSteps + 1];   ///< the hand's force along x, as it is [N]
    double seen[plPlanarExperimentSteps + 1];   ///< the same, as observed [N]
    double force[plPlanarExperimentSteps + 1];  ///< on the handle along x, as written [N]
    double stops, cut, lost;                    ///< ticks of the pantograph; NaN for a handle
    int trouble;                                ///< bits of all ticks
} plPlanarExperimentTrack;

/// Runs the experiment. False: a message in the job.
bool plPlanarExperiment_Follow(plFigureJob*, const plPlanarExperimentDef*, int steps,
                               plPlanarExperimentTrack*);

#endif
