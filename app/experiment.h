// An experimenter holds the device of a scene: presses it on what it touches, moves it to and fro, lets
// go of it, and keeps count of the energy.
//   in    a scene's world, a wall's stiffness and damping
//   out   damping and friction that a device needs to be passive there; whether it is stable there
#ifndef PL_EXPERIMENT_H
#define PL_EXPERIMENT_H

#include "loop.h"

typedef struct {
    plWorld* world;
    plDeviceId device;
    plCouplingDef coupling;
    plLoop loop;  ///< may be changed between two experiments
    double depth; ///< to which it is pressed [m]

    // the place, found by the scene's own hand
    double time;         ///< when it touched first [s]
    plPose base;         ///< of the device, pressed
    plVec3 n;            ///< of the force that it feels
    double start;        ///< of the device along n, when it touched [m]
    int ownAt;           ///< pair of materials that touches there
    plSurface own;       ///< what touches there
    double share;        ///< stiffness that is felt, for a wall of 1
    bool isPantograph;   ///< its inertia is in the loop; its encoders, observer and motors are not
    const char* unknown; ///< why the closed forms do not hold here; null: they do

    // surfaces of all pairs of materials, and which of them change
    int materials; ///< the world's own included
    plSurface* pairs;
    bool* changes;

    // snapshots: touching, and pressed with the surfaces of now
    size_t size;
    void *touching, *pressed;
    double force; ///< along n, when pressed [N]

    // what the driver tells and hears
    double told, toldSpeed, heard;

    uint64_t ticks; ///< in all
    char message[256];
} plExperiment;

typedef struct {
    const char* device;   ///< null: the first one that a coupling joins
    const char* material; ///< pairs with it change; null: all
    const char* law;      ///< of the scene
    double depth;         ///< [m]
    double T, time;       ///< steps of the scene's own hand, and how long it is given [s]
} plExperimentDef;

/// Finds device and place. False: `message` says why. Close in either case.
bool plExperiment_Open(plExperiment*, plWorld*, const plExperimentDef*);
void plExperiment_Close(plExperiment*);
void plExperiment_SetDepth(plExperiment*, double depth);

/// Whether walls have a stiffness under a law.
bool plExperiment_HasWalls(const char* law);

/// Presses the device on a wall of K and B, and waits until the force is steady. False: it never is.
bool plExperiment_Press(plExperiment*, double K, double B);

/// Damping that the device needs there, while it goes to and fro at theta [N s/m].
double plExperiment_NeededAt(plExperiment*, double theta, int period);
/// The most of it over theta.
double plExperiment_Needed(plExperiment*);
/// Dry friction that it needs besides this damping, while it goes over steps of its encoder [N]; 0
/// without an encoder.
double plExperiment_NeededFriction(plExperiment*, double damping);
/// How fast a kick grows (> 0) or fades, in logarithms of its size per tick, when the device is free.
double plExperiment_Growth(plExperiment*);

// --- for the experiments themselves

/// A tick at a place and a speed along n; the force that is written in it.
double plExperiment_Tick(plExperiment*, double x, double speed);
/// A tick whose speed is the difference to the last place.
double plExperiment_TickAt(plExperiment*, double x);
/// Back to where it was pressed, with the same surfaces.
void plExperiment_Restore(plExperiment*);
/// Of motions: so small that the tool neither leaves the wall nor is pulled by its damper, which a wall
/// may refuse [m].
double plExperiment_Amplitude(const plExperiment*);

#endif
