// The twin pantograph: two five-bar linkages, one above the other, whose ends carry a crank with
// the handle at its centre. It moves in x and y and turns without limit.     (planar 2000, sec. 2)
//   in    angles of the four motors, or the pose of the handle; torques; the force of the hand
//   out   pose, angles, forces; inertia and motion of the handle; torques of the controller
//   letters  x = (x, y, theta) pose of the handle [m, m, rad], v its rate; F = (F_x, F_y, torque)
//            [N, N, N m]; q, tau angles and torques of the motors; O base joint, E elbow, P end of
//            a pantograph; u unit vector of the crank, from P_0 to P_1; G: qdot = G v, F = G^T tau;
//            M inertia and C Coriolis matrix in x, Mdot = C + C^T
// Motors 0, 1 drive the end P_0 from a base at y = -H, motors 2, 3 the end P_1 from one at y = +H
// that is turned by pi.
// Everything is plain data. Nothing is kept between calls; a function that cannot answer (a pose
// out of reach, a number that is not finite) returns false and leaves its output zero, or as it was
// where that is said.
#ifndef PL_DEVICE_PANTOGRAPH_H
#define PL_DEVICE_PANTOGRAPH_H

#include "math/math.h"
#include "palp/pantograph.h"

// --------------------------------------------------------------------------------- kinematics

/// All that follows from a pose of the handle.
typedef struct {
    bool reached;
    plVec3 x;
    double q[4];
    plVec3 E[4], P[2], u; ///< [m], in the plane z = 0
    plVec3 G[4];          ///< rows [1/m, 1/m, 1]
    /// How far from singular: the smallest sine of the angles at the elbows and between the rods
    /// that meet at an end; 0 on the border of the workspace.
    double margin;
} plPantographPose;

/// Angles and all else from a pose, elbows outward. False: out of reach, or reached only by a
/// linkage that has been turned inside out.
bool plPantograph_Inverse(const plPantographDef*, plVec3 x, plPantographPose*);

/// Pose from angles. theta is taken as near to `thetaBefore` as whole turns allow. `residual` (may
/// be null) is |P_1 - P_0| - ell [m]: zero but for errors of the four sensors. False: the elbows
/// are too far apart to be joined.
bool plPantograph_Forward(const plPantographDef*, const double q[4], double thetaBefore, plVec3* x,
                          double* residual);

bool plPantograph_JointRates(const plPantographPose*, plVec3 v, double qdot[4]); ///< G v
/// Least squares: exact when the four rates agree.
bool plPantograph_HandleRates(const plPantographDef*, const plPantographPose*, const double qdot[4],
                              plVec3* v);

/// Rounded to whole counts of the encoders.
bool plPantograph_Round(const plPantographDef*, const double q[4], double rounded[4]);

/// What the device's computer knows of a pose: the pose of its rounded angles.
bool plPantograph_Sense(const plPantographDef*, plVec3 x, double thetaBefore, plVec3* sensed,
                        double* residual);

// ------------------------------------------------------------------------------------ statics

bool plPantograph_Force(const plPantographPose*, const double tau[4], plVec3* F); ///< G^T tau

/// The smallest torques that give F: G (G^T G)^-1 F. False where the motors cannot give all forces.
bool plPantograph_Torques(const plPantographDef*, const plPantographPose*, plVec3 F, double tau[4]);

/// Unit torques that give no force, since four motors drive three coordinates: they pull the crank.
bool plPantograph_Null(const plPantographDef*, const plPantographPose*, double tau[4]);

/// How much torques pull the crank, beside the force they give [N].
bool plPantograph_Tension(const plPantographPose*, const double tau[4], double* tension);

/// All torques scaled to the limit of the motors, so that the force keeps its direction. Returns
/// the factor; 0 when a torque is not finite, and then all are zero.
double plPantograph_Scale(const plPantographDef*, double tau[4]);

/// Each torque clipped: larger forces, in another direction. Returns how many were; 4 when a torque
/// is not finite, and then all are zero.
int plPantograph_Clip(const plPantographDef*, double tau[4]);

// ---------------------------------------------------------------------------------- workspace

/// Smallest and largest singular value of G, with rotation measured at the ends of the crank
/// (theta ell/2), so that all columns have one unit [1/m].
typedef struct {
    double least, most;
} plIsotropy;

bool plPantograph_Isotropy(const plPantographDef*, const plPantographPose*, plIsotropy*);

/// A disc of handle positions in all orientations, looked at on a grid.
typedef struct {
    double radius; ///< [m]
    int rings;     ///< of positions around the centre; 0: the centre alone
    int directions, turns;
} plPantographDisc;

plPantographDisc plDefaultPantographDisc(double radius); ///< 8 rings, 48 directions, 180 turns

/// `least` and `most` are over the disc; the global isotropy index is least/most. False: not all of
/// the disc is reached.
bool plPantograph_Survey(const plPantographDef*, const plPantographDisc*, plIsotropy*);

// ----------------------------------------------------------------------------------- dynamics

/// M vdot + C v = F_hand + G^T tau. The plane is level: there is no gravity.
bool plPantograph_Inertia(const plPantographDef*, const plPantographPose*, plMat3* M);

/// C(x, v) from Christoffel's symbols: C v = Mdot v - 1/2 grad(v^T M v), and Mdot = C + C^T.
bool plPantograph_Coriolis(const plPantographDef*, const plPantographPose*, plVec3 v, plMat3* C);

/// M^-1 (F - C v), F the sum of all forces on the handle.
bool plPantograph_Acceleration(const plPantographDef*, const plPantographPose*, plVec3 v, plVec3 F,
                               plVec3* a);

typedef struct {
    plVec3 x, v;
} plPantographState;

/// Joules since it was zeroed. The residual is what the integrator gained.
typedef struct {
    double kinetic; ///< now
    double hand, motors, residual;
} plPantographEnergy;

/// Moves the handle by T under a force of the hand and torques of the motors, both held, in so many
/// steps of Runge and Kutta's fourth order. `energy` may be null. False when the handle would leave
/// the workspace, or comes so near to its border that the integrator would gain or lose more than a
/// thousandth of the energy; state and energy are then as they were. There is no stop at the
/// border: it is the caller's to take the velocity away.
bool plPantograph_Step(const plPantographDef*, plPantographState*, plVec3 hand, const double tau[4],
                       double T, int substeps, plPantographEnergy* energy);

// -------------------------------------------------------------------------------------- stops

enum { plPantographStops = 6 };

/// Sines at the four elbows and the two ends, all above zero within the workspace. The least of them
/// is the margin of a pose.
bool plPantograph_Margins(const plPantographDef*, plVec3 x, double m[plPantographStops]);

/// The velocity that stops leave to a handle at x that accelerates by a, so that no sine falls below
/// the limit in a step of T. False: there is no answer.
bool plPantograph_Stop(const plPantographDef*, double limit, plVec3 x, plVec3 a, double T,
                       plVec3* v);

// --------------------------------------------------------------------------------- controller

/// Torques, not yet limited, that give the motion of the impedance under the command F:
///   F_motors = M M_d^-1 (F + F_hand - B_d v) - F_hand + C v, or F - B_d v.
/// The force of the hand is needed only to shape the inertia. x, v and hand are what the device's
/// computer knows: sensed and observed.
bool plPantograph_Command(const plPantographDef*, const plImpedance*, plVec3 x, plVec3 v, plVec3 F,
                          plVec3 hand, double tau[4]);

#endif
