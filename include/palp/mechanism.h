// Mechanisms: bodies in SE(3), articulated trees, prescribed frames; and the links that join them.
#ifndef PALP_MECHANISM_H
#define PALP_MECHANISM_H

#include "palp/lists.h"
#include "palp/shape.h"
#include "palp/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// See palp/world.h.
typedef struct plWorld plWorld;

/// Ids are values; a zeroed id is null.
typedef struct {
    uint32_t index1;     ///< index + 1
    uint32_t generation; ///< of what is there
} plMechanismId;
typedef struct {
    uint32_t index1;     ///< index + 1
    uint32_t generation; ///< of what is there
} plLinkId;
typedef struct {
    uint32_t index1;     ///< index + 1
    uint32_t generation; ///< of what is there
} plShapeId;
typedef struct {
    uint32_t index1;     ///< index + 1
    uint32_t generation; ///< of what is there
} plMaterialId;
typedef struct {
    uint32_t index1;     ///< index + 1
    uint32_t generation; ///< of what is there
} plDeviceId;
typedef struct {
    uint32_t index1;     ///< index + 1
    uint32_t generation; ///< of what is there
} plCouplingId;

/// A point of a part of a mechanism, in the part's own frame [m]. A null mechanism is the ground,
/// whose frame is the world's. An assembly has the part 0; chains and jointed assemblies have one part
/// per body.
typedef struct {
    plMechanismId mechanism; ///< null: the ground
    int part;                ///< index
    plVec3 point;            ///< in its frame
} plSite;

// ------------------------------------------------------------------------------- integrators

/// How a mechanism steps: see PL_INTEGRATOR_LIST. V is the velocity, T the step.
typedef enum {
#define X(name, word, what) pl_integrator##name,
    PL_INTEGRATOR_LIST(X)
#undef X
        pl_integratorCount =
            pl_integratorRungeKutta ///< of those that may be chosen: the last one is not
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
    plAction action;      ///< of the spring on rotations
} plAnchor;

/// One free rigid body in SE(3). Its frame has its origin at the centre of mass.
typedef struct {
    const char* name;            ///< copied; unique in the world, letters, digits, - and _
    plIntegrator integrator;     ///< default midpoint
    plCoefficients coefficients; ///< of midpoint
    double mass;                 ///< [kg], > 0
    plMat3 inertia;  ///< about the centre of mass, body axes [kg m^2], positive definite
    plPose pose;     ///< at the start, as velocity and spin
    plVec3 velocity; ///< of the centre of mass, world axes [m/s]
    plVec3 spin;     ///< body axes [rad/s]
    plAnchor anchor; ///< default none
    void* userData;  ///< of the user, see palp/change.h
} plAssemblyDef;

/// With all defaults: 1 kg, at rest.
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
    const char* name; ///< copied
    int parent;       ///< index of an earlier body, -1: the chain's base
    plJoint joint;    ///< to the parent
    plVec3 axis;      ///< of revolute and prismatic joints, joint frame; made unit
    plPose frame;     ///< joint frame in the parent's frame; the child's frame at zero position
    double mass;      ///< [kg], >= 0
    plVec3 center;    ///< of mass, child frame [m]
    plMat3 inertia;   ///< about the centre of mass, child axes [kg m^2], >= 0
    double position[7], velocity[6]; ///< at the start
    double rest[7];                  ///< position at which the joint's spring is at rest
    double stiffness;                ///< [N/m or N m/rad], on every coordinate of the joint
    double damping;                  ///< [N s/m or N m s/rad]
    plBeamDef beam;                  ///< default none
} plChainBodyDef;

/// With all defaults.
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

/// With all defaults.
plTendonDef plDefaultTendonDef(void);

/// Energy [J] of a potential at the coordinates y of a chain: one for each of its n velocities, 0 for rotations
/// that have none. Where they are not null it writes the gradient (n numbers) and the second derivatives
/// (n x n, symmetric), which stand at zero before. It must be smooth, and depend on y alone: a step asks for it
/// several times, and replay, snapshots and hashes know nothing of `self`.
typedef double (*plPotentialFunction)(void* self, const double* y, int n, double* gradient,
                                      double* second);

/// What a nonlinear potential is a function of.
typedef enum {
    pl_potentialPolynomial, ///< of one coordinate: c_1 y + c_2 y^2 + ...
    pl_potentialTable, ///< of one coordinate: a natural cubic spline, straight on beyond its ends
    pl_potentialFunction, ///< of all coordinates
    pl_potentialCount
} plPotentialKind;

/// A nonlinear potential of a chain's coordinates.                       (pmi sec. 4.1)
/// Its action in a step of the midpoint integrator is that of a quadratic model, as in pmi eq. 24; what
/// the model misses is leak, and the passes of the tick close it.
typedef struct {
    plPotentialKind kind; ///< what it depends on
    int coordinate; ///< of a polynomial or table: the velocity whose position it depends on; default 0
    int count;      ///< of coefficients, or of points of the table
    const double*
        numbers; ///< c_1, c_2, ... [J/m, J/m^2, ... or per rad]; of a table pairs (y, energy), y growing
    plPotentialFunction function; ///< of pl_potentialFunction
    void* self;                   ///< handed to the function
    /// No second derivative is larger anywhere [N/m or N m/rad]: with it a step has a last resort that
    /// creates no energy. 0: not known.
    double bound;
} plPotentialDef;

/// An articulated tree in generalized coordinates. Its mass matrix must be positive definite.
typedef struct {
    const char* name;             ///< copied; unique in the world
    plIntegrator integrator;      ///< default midpoint
    plCoefficients coefficients;  ///< of midpoint
    plRoute route;                ///< of midpoint
    plAction action;              ///< of springs on spherical and free joints
    plPose base;                  ///< of the chain, in the world
    int bodyCount;                ///< at least 1
    const plChainBodyDef* bodies; ///< copied, parents first
    /// Full stiffness and damping over the velocities, n x n by rows, added to those of the joints;
    /// null: none. K must be symmetric and zero on the rotations of spherical and free joints, whose
    /// springs are the joints' own; both positive semi-definite.
    const double* K;
    const double* B;
    int tendonCount;
    const plTendonDef* tendons;
    int potentialCount;
    const plPotentialDef* potentials; ///< copied
    void* userData;                   ///< of the user, see palp/change.h
} plChainDef;

/// With all defaults.
plChainDef plDefaultChainDef(void);

/// A frame whose motion is given, by a hand or a script: links and contacts feel it move, and it
/// yields to nothing. Its account shows what its mover gave as `applied`.
typedef struct {
    const char* name; ///< copied; unique in the world
    plPose pose;      ///< at the start
    void* userData;   ///< of the user, see palp/change.h
} plPrescribedDef;

/// With all defaults, and such a frame in a world.
plPrescribedDef plDefaultPrescribedDef(void);
plStatus plWorld_AddPrescribed(plWorld*, const plPrescribedDef*, plMechanismId*);

/// Where a prescribed frame is at the end of the next step; it goes there at a constant twist.
plStatus plWorld_Steer(plWorld*, plMechanismId, plPose);

/// A mechanism in a world; all that its definition points to is copied.
plStatus plWorld_AddAssembly(plWorld*, const plAssemblyDef*, plMechanismId*);
plStatus plWorld_AddChain(plWorld*, const plChainDef*, plMechanismId*);

// -------------------------------------------------------------------------- jointed assemblies

/// How two bodies of a jointed assembly are held together. Each joint has a frame in a and one in b;
/// c(q) = 0 says, with p the points and x, y, z the axes of the two frames:
typedef enum {
    pl_constraintSpherical,   ///< p_a = p_b                                          (3 rows)
    pl_constraintRevolute,    ///< and z_a along z_b: turns about z                   (5)
    pl_constraintUniversal,   ///< p_a = p_b, z_a across x_b: turns about these two   (4)
    pl_constraintCylindrical, ///< p_a on the z axis of b, z_a along z_b              (4)
    pl_constraintPrismatic,   ///< and no turn: slides along z                        (5)
    pl_constraintFixed,       ///< both frames are one                                (6)
    pl_constraintDistance,    ///< |p_a - p_b| = length                               (1)
    pl_constraintGuide,       ///< p_a stays on a surface that is fixed in b          (1)
    pl_constraintCount
} plConstraint;

const char* plConstraint_Name(int);       ///< "spherical", "revolute", ...
int plConstraint_Rows(plConstraint);      ///< 3, 5, 4, 4, 5, 6, 1, 1
int plConstraint_Positions(plConstraint); ///< 0, 1, 2, 2, 1, 0, 0, 0: see plWorld_JointPosition

/// Surfaces that guide a point, in the joint's frame in b.
typedef enum {
    pl_guidePlane,    ///< z = 0
    pl_guideSphere,   ///< of a radius about the origin
    pl_guideCylinder, ///< of a radius about the z axis
    /// a sculpted surface, over its seams; past an open edge it goes on straight. It must have a tangent
    /// plane where the point passes: at a crease the point loses what it has across it
    pl_guidePatches,
    pl_guideCount
} plGuide;

const char* plGuide_Name(int); ///< "plane", "sphere", "cylinder", "patches"

/// A body of a jointed assembly. Its frame has its origin at the centre of mass.
typedef struct {
    const char* name; ///< unique in the assembly
    double mass;      ///< [kg], > 0
    plMat3 inertia;   ///< about the centre of mass, body axes [kg m^2], positive definite
    plPose pose;      ///< at the start
    plVec3 velocity;  ///< of the centre of mass, world axes [m/s]
    plVec3 spin;      ///< body axes [rad/s]
} plJointedBodyDef;

plJointedBodyDef plDefaultJointedBodyDef(void); ///< 1 kg at the origin, at rest

/// Springs and dampers act on the free positions of a joint: of revolute ones the angle, of prismatic
/// ones the way, of cylindrical ones the angle and the way.
typedef struct {
    const char* name;          ///< unique in the assembly
    plConstraint kind;         ///< what it holds
    int a, b;                  ///< indices of bodies; -1: the ground, not both
    plPose frameA, frameB;     ///< in the bodies' frames; of the ground in the world's
    double length;             ///< of a distance [m]; default 0: as placed
    plGuide guide;             ///< of a point on a surface
    double radius;             ///< of a sphere or cylinder [m]
    const plShapeDef* surface; ///< of patches: pl_shapeNurbs, its frame in that of the joint in b
    double stiffness[2];       ///< [N m/rad or N/m], >= 0
    double damping[2];         ///< [N m s/rad or N s/m], >= 0
    double rest[2];            ///< [rad or m]
} plJointDef;

plJointDef plDefaultJointDef(void); ///< revolute, of body 0 and the ground, at their origins

/// Rigid bodies with joints by multipliers. Positions are seven numbers a body, velocities six, as
/// those of an assembly. Joints must be closed to 1e-6 at the start, guides by patches to a hundredth
/// of the surface's size; what is left is closed, and velocities lose what the joints do not allow,
/// both in the metric of the masses. Joints may be redundant: the motion is the same, and reactions
/// are those of the least norm.
typedef struct {
    const char* name;               ///< copied; unique in the world
    plIntegrator integrator;        ///< default pl_integratorRungeKutta, the only one
    int bodyCount;                  ///< 1 or more
    const plJointedBodyDef* bodies; ///< copied
    int jointCount;                 ///< 0 or more
    const plJointDef* joints;       ///< copied
    void* userData;                 ///< of the user, see palp/change.h
} plJointedDef;

plJointedDef plDefaultJointedDef(void); ///< nothing yet
/// Adds one; pl_statusBadArgument with a sentence when it cannot be.
plStatus plWorld_AddJointed(plWorld*, const plJointedDef*, plMechanismId*);

int plWorld_JointCount(const plWorld*, plMechanismId); ///< 0: it is no jointed assembly

/// Force and torque [N, N m] on a body that a joint gives to a, at the point of a's frame, world axes:
/// the multipliers at the end of the last step under the forces of that step, and besides what joints
/// answered to the impulses of contacts and links in that step, divided by it. Springs and dampers of
/// the joint are no part of it.
plStatus plWorld_JointForce(const plWorld*, plMechanismId, int joint, double force[6]);

/// Free positions of a joint: the angle about z_b of revolute ones, counted on over full turns [rad],
/// the way along z_b of prismatic ones [m], both of cylindrical ones, of universal ones the angles about
/// x_b and z_a. Others have none, and the numbers are 0.
plStatus plWorld_JointPosition(const plWorld*, plMechanismId, int joint, double position[2]);

/// Largest |c(q)| of all joints [m or 1], and largest |dc/dt| [m/s or 1/s].
plStatus plWorld_JointError(const plWorld*, plMechanismId, double* position, double* velocity);

// -------------------------------------------------------------------------------------- links

/// When the stretch of a link gives its force.
typedef enum {
    pl_linkPassive,  ///< force of the mean stretch: lossless between midpoint mechanisms [default]
    pl_linkImplicit, ///< force of the end stretch: loses energy
    pl_linkFormCount
} plLinkForm;

const char* plLinkForm_Name(int); ///< "passive", "implicit"

/// A spring and damper, or a rigid joint, between sites of two different mechanisms or of one and
/// the ground. A stiffness of INFINITY is rigid. As it stands it is a ball; with `turns` it is fixed, with
/// `slide` too prismatic, with `hinge` revolute, with `slide` and `hinge` cylindrical, with `hinge` and
/// `cross` universal.
typedef struct {
    const char* name; ///< copied; unique in the world
    plSite a, b;      ///< what it joins; b may be of the ground
    plLinkForm form;  ///< default passive
    plVec3 slide;     ///< axis of b's part along which a's point is free; default zero: none
    double stiffness; ///< of the points [N/m]
    double damping;   ///< [N s/m]
    double distance;  ///< > 0: holds the distance of the points alone [m]; default 0: not so
    bool turns;       ///< true: also holds the orientation (six rows instead of three)
    plVec3 hinge;     ///< axis of b's part about which a's may turn; default zero: none
    plVec3 cross;     ///< a second one, that of a's part which at rest is this one of b's, across
                      ///< the first; default zero: none
    double turnStiffness; ///< [N m/rad]
    double turnDamping;   ///< [N m s/rad]
    plQuat rest;          ///< orientation of a's part in b's part at rest
    void* userData;       ///< of the user, see palp/change.h
} plLinkDef;

/// With all defaults, and such a link in a world.
plLinkDef plDefaultLinkDef(void);
plStatus plWorld_AddLink(plWorld*, const plLinkDef*, plLinkId*);

#ifdef __cplusplus
}
#endif
#endif
