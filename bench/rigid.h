// Rigid scenes that every engine can build, and the engines.
#ifndef PALP_BENCH_RIGID_H
#define PALP_BENCH_RIGID_H

#include "palp/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { rigidBox, rigidCapsule } RigidForm;
typedef enum { rigidFree, rigidHinge, rigidBall, rigidStatic } RigidJoint;

/// A body. A child stands behind its parent.
typedef struct {
    RigidForm form;
    RigidJoint joint;
    int parent;                ///< of a hinge or ball; -1: the ground
    plVec3 half;               ///< box: half lengths [m]; capsule: half.x of its axis, along its x
    double radius;             ///< capsule [m]
    plPose pose;               ///< of its centre, world
    double mass;               ///< [kg]
    plVec3 anchor, axis;       ///< of the joint, world
    double torque;             ///< about the axis, which goes with the child [N m]
    double damping, stiffness; ///< of the joint [N m s/rad, N m/rad]; stiffness of balls only
} RigidBody;

enum { rigidMost = 256 };

typedef struct {
    int count;
    RigidBody bodies[rigidMost];
    double friction;
    int settle; ///< steps before anything is measured
    bool grasp; ///< something is held by friction alone
} RigidScene;

typedef enum { rigidOneBox, rigidStack, rigidPile, rigidLinkage, rigidTwoHands } RigidProblem;

/// All stand on the plane z = 0, under 9.81 m/s^2. `size`: how many boxes a stack or pile has.
void rigidMake(RigidScene*, RigidProblem, int size);

/// What an engine can do; steps are of 1 ms.
typedef struct {
    void* (*create)(const RigidScene*);
    void (*step)(void*);
    void (*poses)(void*, plPose*); ///< of all bodies
    int (*contacts)(void*);
    double (*depth)(void*);    ///< deepest contact of the last step [m]
    double (*residual)(void*); ///< of the law in the last step; null: it does not say
    void (*destroy)(void*);
} RigidEngine;

extern const RigidEngine rigidPalp;
/// A pile goes to where palp lets it settle; the same for all who ask for this size.
void rigidSettle(RigidScene*, int size);

/// Null when not installed. Newton with elliptic cones.
const RigidEngine* rigidMuJoCo(void);
const RigidEngine* rigidBullet(void); ///< sequential impulses, 10 of them
const RigidEngine* rigidOde(void);    ///< QuickStep, 20 of them; free bodies only

#ifdef __cplusplus
}
#endif
#endif
