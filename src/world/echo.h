// What an echo is made of: the space that the next tick will meet, and what its hand remembers.
//   letters  in echo.c
#ifndef PL_WORLD_ECHO_H
#define PL_WORLD_ECHO_H

#include "world/inside.h"

// A write that does not get there goes on in the next one.
enum { plEchoAxes = plLinkRows, plEchoFewSteps = 3, plEchoManySteps = 20 };

/// What goes with the hand from echo to echo.
typedef struct {
    bool known; ///< the pose below was seen
    bool fresh; ///< nothing of this tick was rendered yet
    plPose pose;
    double way[plEchoAxes];   ///< of the last write
    double speed[plEchoAxes]; ///< its mean over some writes [1/s]
    plWrench force;           ///< that is held now
    plWrench rest;
    double peakForce, peakTorque; ///< the largest so far
    double tick[plEchoAxes];      ///< way of the hand in the tick
    double bend;                  ///< of its way in time
    double time;                  ///< since this echo came [s]
    double late;                  ///< when it came, in steps
    double brake;                 ///< of the last write [N s/m]
    double given, moved;
    double start; ///< balance when the hand was first seen
} plFelt;

/// An answer of the law that is asked again and again, each time from the impulses before.
typedef enum { pl_askNow, pl_askEnd, pl_askCount } plAsk;

struct plEcho {
    plAllocator allocator;
    plArena arena;
    int contacts;
    void* before; ///< the world's state, while it looks ahead
    size_t beforeSize;

    // of the tick
    bool speaks; ///< there is a space
    bool holds;  ///< contacts give what they gave: the law is explicit
    plSpace space;
    plLinkAnswer answer;
    plLawWork work;
    double *q, *bias, *p[pl_askCount]; ///< of the law, per row
    plVec3 axes[plEchoAxes];
    int pointRows;
    double T, leverage; ///< r = leverage axes.x
    double scale;
    plPose at;              ///< of the hand when the tick ended
    double way[plEchoAxes]; ///< of the hand in the tick
    plWrench last, ramp;
    plVec3 forceLimit, torqueLimit;
    bool planar;   ///< the hand stays in the plane, whatever it says
    double booked; ///< work of the hand on the world so far [J]

    plFelt felt;
};

plWrench plWrench_Sum(plWrench a, double s, plWrench b); ///< a + s b

/// From one pose to another: shift, and turn.
void plEcho_Way(plPose from, plPose to, double* x);

/// F(x), with at most so many steps of Newton.
plWrench plEcho_MeanForce(plEcho*, const double* x, plAsk, int steps);

/// A pose as the world takes it.
plPose plEcho_Settled(const plEcho*, plPose hand);

#endif
