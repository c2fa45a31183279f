// The experiment of iapb figures 12 and 13: the peg of figure 7 through a twin pantograph. Encoders
// round, an observer tells the hand's force, a controller gives the handle the inertia of the peg, and
// the hand is a constant force. The peg comes with a small tilt and drift.             (iapb sec. VII)
//   gap      of the closest corner of the hand's peg to a wall [m]; < 0 is depth
//   bounce   the gap opens by more than 20 um after the first contact, and closes again
#ifndef PL_FIGURES_EXPERIMENT_H
#define PL_FIGURES_EXPERIMENT_H

#include "figure.h"

typedef enum {
    pl_experimentFull,
    pl_experimentSpread,
    pl_experimentPenalty,
    pl_experimentCount
} plExperimentMethod;

extern const char* const plExperimentNames[pl_experimentCount];

typedef struct {
    double damping;     ///< of the walls [N s/m]
    int delay;          ///< of the torques [ticks]
    double torqueLimit; ///< of each motor [N m]
    bool disturbance;   ///< the other observer
    bool bare;          ///< no shaping of the inertia, and a softer controller of turns
} plExperiment;

extern const plExperiment plExperimentPrinted; ///< 50 N s/m, no delay, 3.2 N m

enum { plExperimentSteps = 2048, plExperimentShown = 820 };

typedef struct {
    double x[plExperimentSteps], y[plExperimentSteps]; ///< of the hand behind a step [m]
    double gap[2][plExperimentSteps];                  ///< to wall x, to wall y [m]
    double force[2][plExperimentSteps];                ///< on the hand, off the walls [N]
    double torque[plExperimentSteps];                  ///< [N m]
    double motor[plExperimentSteps];                   ///< largest of four [N m]
    double hand[2][plExperimentSteps];                 ///< observed [N]
    double cut, stops, lost;                           ///< ticks
} plExperimentTrack;

bool plExperiment_Follow(plFigureJob*, const plExperiment*, plExperimentMethod, plExperimentTrack*);

int plExperiment_Bounces(const plExperimentTrack*); ///< off both walls
double plExperiment_Depth(const plExperimentTrack*);
int plExperiment_Contact(const plExperimentTrack*); ///< the first step with a corner in a wall
/// From the first contact until the hand stays that near to where it ends [s].
double plExperiment_Settling(const plExperimentTrack*, double near);
double plExperiment_Peak(const double* values);
double plExperiment_PeakForce(const plExperimentTrack*);
/// Of the observed force, from a quarter of a second on [N].
double plExperiment_ObserverError(const plExperimentTrack*);
/// Largest kinetic energy along x off the wall over that before.
double plExperiment_Rebound(const plExperimentTrack*);

#endif
