// Mechanisms: bodies in SE(3), articulated trees, prescribed frames; and the links that join them.
#ifndef PALP_MECHANISM_H
#define PALP_MECHANISM_H

#include "palp/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plWorld plWorld;

/// Ids are values; a zeroed id is null.
typedef struct {
    uint32_t index1; ///< index + 1
    uint32_t generation;
} plMechanismId;
typedef struct {
    uint32_t index1;
    uint32_t generation;
} plLinkId;
typedef struct {
    uint32_t index1;
    uint32_t generation;
} plShapeId;
typedef struct {
    uint32_t index1;
    uint32_t generation;
} plMaterialId;
typedef struct {
    uint32_t index1;
    uint32_t generation;
} plDeviceId;
typedef struct {
    uint32_t index1;
    uint32_t generation;
} plCouplingId;

/// A point of a part of a mechanism, in the part's own frame [m]. A null mechanism is the ground,
/// whose frame is the world's. An assembly has the part 0; a chain has one part per body.
typedef struct {
    plMechanismId mechanism;
    int part;
    plVec3 point;
} plSite;

// ------------------------------------------------------------------------------- integrators

/// How a mechanism steps (names: see plIntegrator_Name). V is the velocity, T the step.
typedef enum {
    pl_integratorMidpoint,   ///< passive midpoint: lossless, any step                (pmi eq. 9-40)
    pl_integratorExplicit,   ///< explicit Euler: gains energy
    pl_integratorSymplectic, ///< symplectic Euler in momenta, by a bounded Newton      (pmi eq. 43)
    pl_integratorSemiImplicit, ///< the linear form of it, Coriolis forces explicit
    pl_integratorImplicit,     ///< implicit Euler, linearised once: loses energy
    pl_integratorCount
} plIntegrator;

const char* plIntegrator_Name(int); ///< "midpoint", "explicit", "symplectic", ...

/// Discrete action of a spring on SO(3), torque -k e + (T k/2) D w.            (pmi spec 2.3)
typedef enum {
    pl_actionFull,   ///< D = I - S(e)/2 + kappa S(e)^2: the derivative of e, order 2 [default]
    pl_actionSimple, ///< D = I: passive for every step against a fixed reference  (pmi eq. 20)
    pl_actionHess,   ///< D = I + kappa S(e)^2
    pl_actionRank1,  ///< D = n n^T as printed before pmi eq. 20: creates energy off its axis
    pl_actionCount
} plAction;

const char* plAction_Name(int); ///< "full", "simple", "hess", "rank1"

/// Where the midpoint integrator takes its mass and Coriolis coefficients.
typedef enum {
    pl_coefficientsPredicted, ///< at the predicted midpoint: order 2 [default]
    pl_coefficientsFrozen,    ///< at the start of the step, as printed: order 1
    pl_coefficientsCount
} plCoefficients;

const char* plCoefficients_Name(int); ///< "predicted", "frozen"

/// Factor P of the mass matrix, M = P^T P, in which the midpoint integrator works.
typedef enum {
    pl_routeCholesky,   ///< [default]
    pl_routeSquareRoot, ///< as printed; its factor takes 5 to 24 times as long
    pl_routeCount
} plRoute;

const char* plRoute_Name(int); ///< "cholesky", "square-root"

/// Index of a name in one of the lists above (`plIntegrator_Name`, ...), or -1.
int plName_Find(const char* name, int count, const char* (*nameOf)(int));

// --------------------------------------------------------------------------------- mechanisms

/// A spring and damper from a body to a fixed pose.
typedef struct {
    double stiffness;     ///< [N/m], default 0
    double damping;       ///< [N s/m]
    double turnStiffness; ///< [N m/rad]
    double turnDamping;   ///< [N m s/rad]
    plPose anchor;        ///< where the spring is at rest
    plAction action;
} plAnchor;

/// One free rigid body in SE(3). Its frame has its origin at the centre of mass.
typedef struct {
    const char* name; ///< copied; unique in the world, letters, digits, - and _
    plIntegrator integrator;
    plCoefficients coefficients;
    double mass;    ///< [kg], > 0
    plMat3 inertia; ///< about the centre of mass, body axes [kg m^2], positive definite
    plPose pose;
    plVec3 velocity; ///< of the centre of mass, world axes [m/s]
    plVec3 spin;     ///< body axes [rad/s]
    plAnchor anchor;
} plAssemblyDef;

plAssemblyDef plDefaultAssemblyDef(void);

/// Joints of a chain. Translations are along the axes of the joint's frame, which is fixed in the
/// parent; rotations turn the child. Velocities: rates of the coordinates, and for spherical and
/// free joints the angular velocity in child axes. A spherical joint's position is a unit
/// quaternion; a free one's is (x, y, z) and a unit quaternion.
typedef enum {
    pl_jointFixed,     ///< no freedom
    pl_jointRevolute,  ///< angle about `axis` [rad]
    pl_jointPrismatic, ///< way along `axis` [m]
    pl_jointSpherical, ///< 4 positions, 3 velocities
    pl_jointPlanar,    ///< x, y, then the angle about z
    pl_jointFree,      ///< 7 positions, 6 velocities
    pl_jointCount
} plJoint;

const char* plJoint_Name(int);   ///< "fixed", "revolute", ...
int plJoint_Positions(plJoint);  ///< 0, 1, 1, 4, 3, 7
int plJoint_Velocities(plJoint); ///< 0, 1, 1, 3, 3, 6

/// A slender beam clamped to its body's origin, along x of the body, free at its other end; it bends
/// in its first modes (Euler and Bernoulli). The amplitude d of a mode is a coordinate of the chain,
/// after those of the body's joint: first the modes that bend towards y, then those towards z. Modes
/// have int phi_i phi_j = L delta_ij, so that the end moves by 2 d, -2 d, 2 d, ...     (pmi 5.2)
/// The mass lies on the axis, and the axis keeps its length to first order: a bent beam resists a turn
/// by m (L^2/3 + d.d). Bodies whose parent has a beam ride on it, at their frame's x.
typedef struct {
    double length;     ///< [m], > 0; 0: the body has no beam
    double mass;       ///< of the beam [kg], > 0, besides that of the body
    double bending[2]; ///< E I against bending towards y and z [N m^2], > 0 where it has modes
    const double* frequency; ///< of the modes, y then z, as measured [Hz], > 0; null: by `bending`
    double damping;          ///< of every mode, as a part of the critical one, >= 0
    int modes[2];            ///< count of modes towards y and z, 0 .. plBeamModes
    const double* position;  ///< amplitudes at the start, y then z [m]; null: straight
    const double* velocity;  ///< [m/s]; null: at rest
} plBeamDef;

enum { plBeamModes = 64 }; ///< most modes of a beam in one direction

/// Angular frequency of a mode of a beam clamped at one end, from 0 [rad/s]. `towards` 0: y, 1: z.
double plBeam_Frequency(const plBeamDef*, int towards, int mode);
double plBeam_Shape(int mode, double s); ///< phi at s = x/L in 0 .. 1; 2, -2, 2, ... at the end

/// A body of a chain and the joint that carries it.
typedef struct {
    const char* name;
    int parent; ///< index of an earlier body, -1: the chain's base
    plJoint joint;
    plVec3 axis;    ///< of revolute and prismatic joints, joint frame; made unit
    plPose frame;   ///< joint frame in the parent's frame; the child's frame at zero position
    double mass;    ///< [kg], >= 0
    plVec3 center;  ///< of mass, child frame [m]
    plMat3 inertia; ///< about the centre of mass, child axes [kg m^2], >= 0
    double position[7], velocity[6]; ///< at the start
    double rest[7];                  ///< position at which the joint's spring is at rest
    double stiffness;                ///< [N/m or N m/rad], on every coordinate of the joint
    double damping;                  ///< [N s/m or N m s/rad]
    plBeamDef beam;
} plChainBodyDef;

plChainBodyDef plDefaultChainBodyDef(void);

/// A tendon of a chain, linear: it is stretched by J.(q - rest) + radius * angle, with `rest` that of the
/// joints' springs, and pulls by its stiffness; pressed together it pushes.              (pmi 5.3)
/// The angle is that of a motor, which goes to its command whatever acts on it; what the motor gives
/// is in the chain's account as `applied`.
typedef struct {
    const double* J;  ///< per velocity: radius of the pulley [m]; on a way a ratio
    double stiffness; ///< [N/m], >= 0
    double radius;    ///< of the motor's pulley [m]; 0: a passive tendon, both ends fixed
    double angle;     ///< of the motor at the start [rad]
    double command;   ///< where the motor goes [rad]
    double speed;     ///< of the motor at most [rad/s], > 0; default INFINITY: there in one step
} plTendonDef;

plTendonDef plDefaultTendonDef(void);

/// An articulated tree in generalized coordinates. Its mass matrix must be positive definite.
typedef struct {
    const char* name;
    plIntegrator integrator;
    plCoefficients coefficients;
    plRoute route;
    plAction action; ///< of springs on spherical and free joints
    plPose base;
    int bodyCount;
    const plChainBodyDef* bodies;
    /// Full stiffness and damping over the velocities, n x n by rows, added to those of the joints;
    /// null: none. K must be symmetric and zero on the rotations of spherical and free joints, whose
    /// springs are the joints' own; both positive semi-definite.
    const double* K;
    const double* B;
    int tendonCount;
    const plTendonDef* tendons;
} plChainDef;

plChainDef plDefaultChainDef(void);

/// A frame whose motion is given, by a hand or a script: links and contacts feel it move, and it
/// yields to nothing. Its account shows what its mover gave as `applied`.
typedef struct {
    const char* name;
    plPose pose;
} plPrescribedDef;

plPrescribedDef plDefaultPrescribedDef(void);
plStatus plWorld_AddPrescribed(plWorld*, const plPrescribedDef*, plMechanismId*);

/// Where a prescribed frame is at the end of the next step; it goes there at a constant twist.
plStatus plWorld_Steer(plWorld*, plMechanismId, plPose);

plStatus plWorld_AddAssembly(plWorld*, const plAssemblyDef*, plMechanismId*);
plStatus plWorld_AddChain(plWorld*, const plChainDef*, plMechanismId*);

// -------------------------------------------------------------------------------------- links

typedef enum {
    pl_linkPassive,  ///< force of the mean stretch: lossless between midpoint mechanisms [default]
    pl_linkImplicit, ///< force of the end stretch: loses energy
    pl_linkFormCount
} plLinkForm;

const char* plLinkForm_Name(int); ///< "passive", "implicit"

/// A spring and damper, or a rigid joint, between sites of two different mechanisms or of one and
/// the ground. A stiffness of INFINITY is rigid.
typedef struct {
    const char* name;
    plSite a, b;
    plLinkForm form;
    plVec3 slide;         ///< axis of b's part along which a's point is free; default zero: none
    double stiffness;     ///< of the points [N/m]
    double damping;       ///< [N s/m]
    bool turns;           ///< true: also holds the orientation (six rows instead of three)
    double turnStiffness; ///< [N m/rad]
    double turnDamping;   ///< [N m s/rad]
    plQuat rest;          ///< orientation of a's part in b's part at rest
} plLinkDef;

plLinkDef plDefaultLinkDef(void);
plStatus plWorld_AddLink(plWorld*, const plLinkDef*, plLinkId*);

#ifdef __cplusplus
}
#endif
#endif
