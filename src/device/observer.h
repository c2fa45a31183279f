// Observers of the hand's force: what pushed the handle, from the motion that the encoders saw and
// the torques that were commanded. The device measures no force.      (planar 2000, iapb sec. VII)
//   in    sensed poses x_k, torques held from x_k-1 to x_k, the device's model
//   out   F, the force of the hand as the observer believes it at x_k [N, N, N m]
//   letters  T step [s], w pole or corner frequency [rad/s], e = x_k - prediction; M, C, G of the
//            pantograph at the mean of two sensed poses
// Both predict over a step with the exact answer to held forces and correct by e. At rest both give
// the force without bias, also when the model's masses are wrong: what does not move is pushed by
// hand and motors alike. Beside F, each has an estimate of the handle's velocity.
// An update that cannot answer (a pose out of reach, a number that is not finite) returns false and
// changes nothing; after a longer outage start again.
#ifndef PL_DEVICE_OBSERVER_H
#define PL_DEVICE_OBSERVER_H

#include "device/pantograph.h"

/// The state observer of Nicosia and Tomei, read as a force sensor (Hacksel and Salcudean): it
/// believes in no hand, so it trails behind, and the trail tells the force,
///   xh' = vh + 2 zeta w e,   vh' = M^-1 (F_a - C(x, xh') xh') + w^2 e,   F = M w^2 e.
/// F is the true force behind a low-pass of the second order, w and zeta.       (iapb spec 6)
typedef struct {
    double T, k1, k2; ///< gains of e in position [1] and velocity [1/s]
    plVec3 x, v;      ///< after correction; v is not the handle's velocity
    plVec3 rate;      ///< of the estimated position, over the step to come
    plVec3 velocity;  ///< of the handle, at the last sample
    plVec3 seen, F;
} plNtObserver;

/// At rest at x, no hand. 0 < zeta <= 1. The gains put the poles of a step at exp(s T), s the
/// continuous ones: with w T = 0.18 the plain gains 2 zeta w T and w^2 T would overshoot by 7 %
/// where zeta = 0.7 asks for 4.6 %.
bool plNtObserver_Start(plNtObserver*, double T, double w, double zeta, plVec3 x);
/// Gains for another step; what is known stays.
bool plNtObserver_Tune(plNtObserver*, double T, double w, double zeta);
bool plNtObserver_Update(plNtObserver*, const plPantographDef*, plVec3 x, const double tau[4]);

/// The disturbance observer: the force is a third state that is believed to stay as it is, beside
/// place and velocity. All poles lie at exp(-w T): a low-pass of the third order, slower but with a
/// fifth of the noise.                                                           (iapb spec 6)
/// Departure: the spec's third state is M^-1 F; F itself stays right while M changes.
typedef struct {
    double T, k1, k2, k3; ///< gains of e in position [1], velocity [1/s], acceleration [1/s^2]
    plVec3 x, v;
    plVec3 seen, F;
} plDobObserver;

bool plDobObserver_Start(plDobObserver*, double T, double w, plVec3 x);
bool plDobObserver_Tune(plDobObserver*, double T, double w);
bool plDobObserver_Update(plDobObserver*, const plPantographDef*, plVec3 x, const double tau[4]);

#endif
