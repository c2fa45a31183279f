// Friction models: the tangential force of a contact, from its slip and its past. Private to the
// room.
//   letters  F_c = mu N, F_s = (1 + stiction) F_c, N normal force >= 0; u velocity, v = |u|;
//            z strain of bristles, z0 the pair's `bristle`; tau its `bristleTime`; b its
//            `viscous`; v_s its `slipSpeed`
// Vectors have two components along the contact's tangents, the second 0 in the plane. All models
// are isotropic: of vectors they take lengths and directions only.
#ifndef PL_LAW_FRICTION_H
#define PL_LAW_FRICTION_H

#include "law/law.h"

/// A contact at a sample.
typedef struct {
    double N;      ///< [N], >= 0
    double u[2];   ///< velocity [m/s]
    double way[2]; ///< since the sample before [m]
    double T;      ///< [s]
} plSlip;

/// Force f [N], held over the step. Memory: of the last sample, then of this; true: it slides.
/// Karnopp's sticks give none here, but by plFriction_Stick.
///   smoothed     F_c sat(v/v_s), against u                                          (iapb eq. 6)
///   classical    F_s v/v_s below v_s, else F_c
///   reset        z += way, within z0; slips where it is held there and u goes on: F_c, else
///                F_s (z + tau u)/z0, at most F_s                    (planar eq. 2, spec 0.20-22)
///   drift-free   z += way, within z0;            F_c (z + tau z')/z0, at most F_s
///   dahl         z' = u - v z/z0, exactly over the way;     the same force
///   stick-point  F_s (z + tau u)/z0 up to F_s, then F_c until v < v_s, where z is that of F_c
///   finger-pad   F_s (1 - exp(-2.5 z/z0))/(1 - exp(-2.5)) up to z0, then as the one above; beside
///                it a damper F_s tau u/z0, at most F_s
///   lugre        z' = u - v z/z_s, z_s = z0 (1 + stiction exp(-(v/v_s)^2)), exactly over the way;
///                F_c (z + tau z')/z0, at most F_s
///   karnopp      F_c from v_s on
/// b u is added where it slides, to drift-free, dahl and lugre at any time, to smoothed never.
/// Without normal force there is none.
bool plFriction_Force(const plPair*, const plSlip*, plFrictionMemory*, double f[2]);

/// Energy of the bristles at a slip since the sample in the memory, which they follow as far as
/// they can [J]: what they can give back.
double plFriction_Stored(const plPair*, const plFrictionMemory*, const double slip[2]);

/// Tangential impulses of all contacts that stick by Karnopp, so that they stop within the step,
/// each at most that of F_s: block Gauss-Seidel on W p + free, all other impulses held.
void plFriction_Stick(const plSpace*, const double* free, const plContactMemory* before,
                      const plContactMemory* after, double* p, plLawWork*, plLawReport*);

/// There is such a contact; without, nobody reads `free`.
bool plFriction_NeedsGroup(const plSpace*);

#endif
