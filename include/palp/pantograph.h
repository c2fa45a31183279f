// The twin pantograph: a planar device of two five-bar linkages, one above the other, whose ends
// carry a crank with the handle at its centre.                               (planar 2000, sec. 2)
#ifndef PALP_PANTOGRAPH_H
#define PALP_PANTOGRAPH_H

#include "palp/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The mechanism, its motors and encoders. The papers print no dimensions.        (iapb spec 6)
typedef struct {
    double L1;            ///< base joint to elbow [m]
    double L2;            ///< elbow to end [m]
    double b;             ///< between the two base joints of a pantograph [m]
    double H;             ///< of a base from the centre [m]
    double ell;           ///< length of the crank [m]
    double proximalMass;  ///< of each uniform rod from base to elbow [kg]
    double distalMass;    ///< of each uniform rod from elbow to end [kg]
    double motorInertia;  ///< of each rotor, beside its rod [kg m^2]
    double handleMass;    ///< with the crank, at its centre [kg]
    double handleInertia; ///< [kg m^2]
    int counts;           ///< of an encoder per turn; 0: angles are exact
    double torqueLimit;   ///< of each motor [N m]
} plPantographDef;

/// Dimensions that are known to work.
typedef enum {
    pl_pantographTest,    ///< the geometry of all figures in iapb spec 6; disc of 2 cm
    pl_pantographCompact, ///< the same rods, other bases and crank; disc of 3 cm
    pl_pantographLarge,   ///< longer rods; disc of 3 cm, nearest to isotropic
    pl_pantographCount
} plPantographPreset;

const char* plPantographPreset_Name(int);               ///< "test", "compact", "large"
plPantographDef plDefaultPantographDef(void);           ///< pl_pantographTest
plPantographDef plPantographDef_Of(plPantographPreset); ///< any other value: pl_pantographTest
const char* plPantographDef_Complaint(const plPantographDef*); ///< null: nothing to complain of

/// The motion that the low-level controller is to give the device: that of a body,
///   M_d vdot + B_d v = F + F_hand,
/// or, where M_d is zero, that of the bare device with a damper,
///   M vdot + C v + B_d v = F + F_hand.
/// C v is taken away together with M only: M alone, which changes from place to place, would make
/// energy. The planar paper has such a controller and prints no equations; these are usual ones.
typedef struct {
    plVec3 inertia; ///< diagonal of M_d [kg, kg, kg m^2]; all zero: the device's own
    plVec3 damping; ///< diagonal of B_d [N s/m, N s/m, N m s/rad]
} plImpedance;

/// How the device's computer knows the force of the hand, which no sensor measures.
typedef enum {
    pl_observerNt,  ///< Nicosia and Tomei: a low-pass of the second order, faster [default]
    pl_observerDob, ///< disturbance observer: of the third order, slower, a fifth of the noise
    pl_observerCount
} plObserverKind;

const char* plObserverKind_Name(int); ///< "nicosia-tomei", "disturbance"

/// How it knows the velocity of the handle.
typedef enum {
    pl_rateObserver,   ///< that of its observer [default]
    pl_rateDifference, ///< of the encoders, behind a low-pass of the first order
    pl_rateCount
} plRateKind;

const char* plRateKind_Name(int); ///< "observer", "difference"

/// What becomes of torques that the motors cannot give.
typedef enum {
    pl_motorScale, ///< all are scaled: the force keeps its direction [default]
    pl_motorClip,  ///< each is clipped: larger forces, in another direction
    pl_motorCount
} plMotorLimit;

const char* plMotorLimit_Name(int); ///< "scale", "clip"

/// The twin pantograph as a simulated device, and what its computer does in a tick.
typedef struct {
    plPantographDef mechanism; ///< its rods, motors and encoders
    plPose
        base; ///< centre and axes of the mechanism in the plane of the world; default the world's
    plImpedance impedance;   ///< default: the bare device
    plObserverKind observer; ///< of the hand's force
    double corner;           ///< of the observer [Hz]; default 15
    plRateKind rate;         ///< how velocity is known
    double rateCorner;       ///< of the low-pass of differences [Hz]; default 30
    plMotorLimit motors;     ///< at their limits
} plTwinDef;

/// With all defaults.
plTwinDef plDefaultTwinDef(void);

#ifdef __cplusplus
}
#endif
#endif
