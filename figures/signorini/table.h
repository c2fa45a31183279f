// The table of signorini 4 on its floor: how its feet answer, and where they go under a load.
//   letters  W response of the feet [m/N], W = H (M/T^2 + K)^-1 H^T, rows (z, x, y) of each;
//            k sides of a pyramid; gamma its error, |p of the pyramid - p of the cone|/|p of the cone|
//                                                                            (eq. 26)
#ifndef PL_FIGURES_TABLE_H
#define PL_FIGURES_TABLE_H

#include "soft/soft.h"

typedef struct plDesk plDesk;

typedef struct {
    plTets mesh;
    plSoft soft;
    plSoftStepper stepper; ///< implicit Euler, T = 5 ms, lumped mass
    plArena arena;
    int count; ///< feet: nodes of z = 0
    int* node;
    int* leg;  ///< of each: 0 (0, 0), 1 along x, 2 along y, 3 both
    double* W; ///< of all feet
    plDesk* desk;
    double *u, *v, *f, *uFree, *vFree; ///< of nodes: displacement, velocity, force
} plTable;

/// `cells` hexahedra across a leg; beams: 0 none, 1 along x, 2 a ring; pyramids of at most `sides`.
/// On failure nothing is kept.
plStatus plTable_Open(plTable*, int cells, int beams, int sides, plShapeError*);
void plTable_Close(plTable*);

// --- all feet pressed into the floor and moved along it by the same way

typedef struct {
    double mu;
    double press, slip; ///< [m]
    double angle;       ///< of the slip, from x to y
} plTablePush;

/// Fills the desk's space with all feet.
void plTable_Push(plTable*, const plTablePush*);

/// gamma of a pyramid, in percent. False: one of the two was not solved.
bool plTable_Gamma(plTable*, const plTablePush*, int sides, double* gamma);

enum { plTableAngles = 30 };
/// Of the j-th push: multiples of the golden ratio fill the circle evenly.
double plTable_Angle(int j);

typedef struct {
    double mean, most; ///< of gamma [%]
    int above;         ///< of how many gamma exceeds 5 %
    bool failed;
} plTableGamma;

/// Over all angles.
plTableGamma plTable_GammaOver(plTable*, double mu, double press, double slip, int sides);

// --- how feet feel each other

enum { plTableSame, plTableAlongX, plTableAlongY, plTableAcross }; ///< legs

/// Mean |W| of row k of one foot and row k of another, both of legs that lie so.
double plTable_Coupling(const plTable*, int k, int legs);
/// The same over all feet of other legs; k = 3: of the norm of the whole block.
double plTable_OtherLegs(const plTable*, int k);
double plTable_SameLeg(const plTable*, int k);
double plTable_Diagonal(const plTable*, int k); ///< mean of W_kk

// --- gravity and a load of 40 N on the middle of the top, both growing over 1 s

typedef struct {
    double spread; ///< mean of the feet's way outward, along the diagonal [m]
    double sag;    ///< of the top's middle [m]
    double normal; ///< sum of the feet's forces [N]
    double depth;  ///< of the deepest foot, in all steps [m]
    double res;    ///< worst residual of all steps
    int iterations;
} plTableFeet;

/// 1.4 s; the state is that of its end.
plTableFeet plTable_Load(plTable*, double mu);

// --- cost (table_cost.c)

/// Fills the space with some of the feet at random, one mu of 0.05 .. 0.8, one slip of 0.5 .. 6 mm.
void plTable_Sample(plTable*, plRng*, int feet);

/// Work is in multiplications: 9 m^2 a sweep of m feet, (3m)^3/3 a step of Newton, and for a pivot
/// (m (k + 2))^2: an exchange of the tableau.
typedef struct {
    int feet;
    int sweeps; ///< sequential, until one changes p by less than 1e-6 of it
    int newton; ///< to RES 1e-9
    int pivots;
    double sweepWork, newtonWork, pivotWork;
    bool failed;
} plTableCost;

/// Of the problem in the space. Pyramids of k sides, 0: none; k within the sides of
/// the table. They take memory of their own.
plTableCost plTable_Cost(plTable*, int k);

#endif
