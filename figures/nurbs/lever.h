// A lever on a hinge, whose lower face is sculpted, and a finger that somebody moves against it.
//                                                                          (nurbs spec 3.5)
#ifndef PL_FIGURES_NURBS_LEVER_H
#define PL_FIGURES_NURBS_LEVER_H

#include "palp/palp.h"

#define plLeverTouch (-0.014000776115) ///< height of the finger's centre where it touches [m]
#define plLeverMass 0.179882           ///< that an impulse meets there [kg]
#define plLeverLoad 1.97296            ///< of the lever's weight on the finger [N]

typedef struct {
    plLawName law;
    double restitution, rate, reach; ///< of impacts; [1], [1], [m]
    double stiffness, damping;       ///< of penalty [N/m], [N s/m]
    double gravity;                  ///< [m/s^2]
    double spring, damper;           ///< of the hinge [N m/rad], [N m s/rad]
} plLeverDef;

plLeverDef plDefaultLeverDef(plLawName); ///< plastic impacts; 2000 N/m; no gravity

typedef struct {
    plWorld* world;
    plMechanismId lever, finger;
    char message[256]; ///< why there is none
} plLever;

/// The finger is an ellipsoid of 8, 6 and 5 mm, at rest at this pose. False: the message says why.
bool plLever_Open(plLever*, const plLeverDef*, plPose finger);
void plLever_Close(plLever*);

/// The finger's own turn: its shortest half length is across the lever.
plQuat plLever_Turn(void);

/// What a tick found and gave.
typedef struct {
    double depth; ///< when it began; 0: the surfaces were apart [m]
    plVec3 force; ///< on the finger, mean over the tick [N]
} plLeverTick;

/// One tick, as a device is sampled: the finger is at this pose when it begins, and goes on as it moves
/// there; where it truly is at the end, the next sample tells.
plLeverTick plLever_Step(plLever*, plPose, plVec3 velocity, plVec3 spin, double T);

/// A finger that comes from below at a constant velocity and touches at the time `touch`, until it has been
/// free for 20 ms.
typedef struct {
    double depth;   ///< deepest [m]
    plVec3 impulse; ///< on the finger [N s]
    double force;   ///< largest [N]
    int ticks;      ///< with a force
} plLeverImpact;
bool plLever_Impact(const plLeverDef*, plVec3 velocity, double touch, plLeverImpact*);

/// A finger on a way of its own, under a lever that rests on it or is pressed against it by its spring.
typedef struct {
    double seconds, from;      ///< of the run, and from where on depths count [s]
    double below;              ///< of the touch at the start [m]
    double swing[3], hertz[3]; ///< along x, y and z [m], [Hz]
    double rock, rockHertz;    ///< about x [rad], [Hz]
} plLeverWay;

enum { plLeverTicks = 8000 };

typedef struct {
    int count;
    double depth[plLeverTicks];  ///< of each tick [m]
    double force[plLeverTicks];  ///< of each tick, along z on the finger [N]
    double middle, most95, most; ///< of the depths from `from` on, of ticks that found one [m]
    double first;                ///< depth at the first touch [m]
    double mean;                 ///< force along -z from `from` on [N]
    double peak;                 ///< [N]
    double created;              ///< by contacts [J], of all; < 0: lost
    double worst;                ///< residual of the ledger in a tick [J]
} plLeverRun;

plLeverWay plLeverWay_Rest(void); ///< gravity, 2 s, up to 0.126 m/s
bool plLever_Run(const plLeverDef*, const plLeverWay*, plLeverRun*);

#endif
