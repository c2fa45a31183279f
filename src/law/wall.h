// Walls: the normal force of a contact from its depth and what it was. Private to the room.
//   letters  d = max(-gap, 0) depth; d1, d2 at the two samples before, 0 outside; K stiffness, B
//            damping; k_i, y_i stiffness of a spring that drags a block, stretch at which it slides
#ifndef PL_LAW_WALL_H
#define PL_LAW_WALL_H

#include "law/law.h"

/// Force at the sample [N], held over the step; > 0 pushes. Memory: of the last sample, then this.
///   hold        K d + Ki I - B u                                          I += T d
///   estimate    max(0, K d~ + Ki I) - B u,  d~ = 2 d - 1.5 d1 + 0.5 d2     I += T d~   (planar 1)
///   hysteretic  max(0, (K - sum k_i) d + sum k_i s_i) - B u,  s_i += d - d1, within +-y_i
/// Ki = K times the pair's `integral`. d~ predicts the middle of the step (1.5, -0.5, 0) and takes
/// the error of the last one back (0.5, -1, 0.5).                                (planar spec 0.23)
double plWall_Force(const plPair*, double gap, double u, double T, plWallMemory*);

/// Energy of the springs at a gap, on the way there from the sample in the memory; `slid`: what the
/// blocks lost on it, and where the wall is left, all that they had [J]. The integral stores
/// nothing: its work is what it creates.
double plWall_Stored(const plPair*, const plWallMemory*, double gap, double* slid);

// --- penalty.c

/// Walls and friction of all contacts. `free`: velocity of the rows at the end of the step without
/// these forces.
void plWalls_Solve(const plSpace*, const double* free, const plContactMemory* before,
                   plContactMemory* after, double* p, plLawWork*, plLawReport*);

/// The memory of contact i in a tick in which its wall gives nothing, since the impulses p struck.
void plWall_Rest(const plSpace*, int i, const double* p, const plContactMemory* before,
                 plContactMemory* after);

/// The memory of a tick in which walls give nothing, since the impulses p struck at its start.
void plWalls_Rest(const plSpace*, const double* p, const plContactMemory* before,
                  plContactMemory* after);

plContactStore plWalls_Stored(const plPair*, const plContactMemory*, double gap,
                              const double slip[2]);

#endif
