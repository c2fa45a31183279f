// The block of signorini 5 on a slope, in its first step from rest: what each of its 15 feet carries.
//   letters  W = C + T^2 J A^-1 J^T response of the feet [m/N], rows (z, x, y) of each: C of the
//            floating block, then of its rigid motion, A its mass; T step    (signorini eq. 30)
// The slope is the plane z = 0 and gravity leans towards +x, by 10 degrees; mu is 0.5, T is 3 ms.
#ifndef PL_FIGURES_BLOCK_H
#define PL_FIGURES_BLOCK_H

#include "soft/soft.h"

typedef struct plDesk plDesk;

enum { plBlockFeet = 15 };

/// In which order Gauss-Seidel takes the feet: as the mesh has them, from the last one, at random.
typedef enum {
    pl_blockNatural,
    pl_blockReversed,
    pl_blockShuffled,
    pl_blockOrderCount
} plBlockOrder;

typedef struct {
    plVec3 f[plBlockFeet]; ///< on the feet, as the mesh has them [N]
} plBlockForces;

typedef struct {
    plTets mesh;
    plSoft soft;
    plSoftFloating floating;
    plArena arena;
    int node[plBlockFeet];
    int mirror[plBlockFeet]; ///< the foot on the other side of y = 0, which may be itself
    int order[plBlockFeet];
    double* C; ///< of the feet, rows (x, y, z), for E of the soft
    plDesk* desk;
} plBlock;

/// On failure nothing is kept.
plStatus plBlock_Open(plBlock*, plShapeError*);
void plBlock_Close(plBlock*);
plVec3 plBlock_Foot(const plBlock*, int foot); ///< where it is

/// The problem of a block of Young's modulus E, INFINITY: rigid; forces are zero.
void plBlock_Pose(plBlock*, double E, plBlockOrder);
/// Goes on by so many sweeps of Gauss-Seidel.
void plBlock_Sweep(plBlock*, int sweeps, plBlockForces*);
/// By the judge: the relative defect of what the sweeps have come to.
double plBlock_Residual(const plBlock*);

/// The same step in a world. `iterations`: of its law.
plStatus plBlock_Step(const plBlock*, double E, plBlockForces*, int* iterations);

plVec3 plBlock_Sum(const plBlockForces*);
int plBlock_Active(const plBlockForces*); ///< feet that carry something
/// Largest difference of the loads of a foot and of its mirror, over the largest load.
double plBlock_Asymmetry(const plBlock*, const plBlockForces*);
/// Largest difference of loads, over the largest load of the second.
double plBlock_Difference(const plBlockForces*, const plBlockForces*);

#endif
