// The loop of a device, a sampler and a wall, along one line: what is known of it in closed form.
//   letters  T step; m, b, f_c mass, damping and dry friction of the device; D its encoder step; d
//            delay [ticks]; K, B of the wall; theta = omega T, 0 < theta <= pi; z = exp(j theta)
// In the tick k the wall gives  F_k = -K x_k - B (x_k - x_k-1)/T, which acts d ticks later, held.
#ifndef PL_LOOP_H
#define PL_LOOP_H

#include "palp/palp.h"

typedef struct {
    double T;        ///< [s]
    double mass;     ///< [kg]
    double damping;  ///< [N s/m]
    double friction; ///< dry [N]
    double encoder;  ///< step of the encoder [m]; 0: exact
    int delay;       ///< of the force [ticks]
    bool exact;      ///< velocities are told as they are, not by differences: for stability only
} plLoop;

/// The device for a tick under a force, exactly.
void plLoop_Go(const plLoop*, double force, double* x, double* v);

/// Damping that a device needs, lest the held force give it energy while it goes to and fro by
/// x_k = cos(theta k), straight between two samples.                                     [N s/m]
///   b(theta) = (T/2)/(1 - cos theta) Re((1 - 1/z) (K + B (1 - 1/z)/T) z^-d)
///            = (K T/2) sin((d + 1/2) theta)/sin(theta/2) - B cos((d + 1) theta)
/// Any other way between the same samples costs a damper more: for a given dx in T the mean square
/// of the velocity is least when it is constant. So the straight one is the worst.
double plLoop_NeededAt(const plLoop*, double K, double B, double theta);

/// The most of it over theta; K T/2 + |B| without a delay.               (Colgate and Schenkel)
double plLoop_Needed(const plLoop*, double K, double B);

/// Dry friction that a device needs besides, lest the steps of its encoder give it energy:
/// (K + 2 |B|/T) D/2.                                 [N]  (Abbott and Okamura for B = 0)
double plLoop_NeededFriction(const plLoop*, double K, double B);

/// Both at once: by how much damping the device is short, < 0 is to spare. Friction that is short
/// counts as the damping f T/D, at which both limits have the same stiffness.          [N s/m]
double plLoop_Lack(const plLoop*, double needed, double neededFriction);

/// Largest size of an eigenvalue of the loop, without encoder and friction; < 1 is stable.
double plLoop_Radius(const plLoop*, double K, double B);

/// Largest stiffness that is passive or stable with a damping; 0: none, INFINITY: none up to `most`.
double plLoop_PassiveStiffness(const plLoop*, double B, double most);
double plLoop_StableStiffness(const plLoop*, double B, double most);

#endif
