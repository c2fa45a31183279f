// Where the runs of this folder solve their problems of contact: a space, a law's memory, forces.
// Apart from snap.h and table.h, since the doors of the rooms below have a name in common with
// figure.h (plBetween).
#ifndef PL_FIGURES_DESK_H
#define PL_FIGURES_DESK_H

#include "law/law.h"

typedef struct plDesk {
    plSpace space; ///< the last problem, in displacements [m] and forces [N]
    plLawWork work;
    double *q, *p; ///< bias; forces, 3 a contact
    plContactMemory *before, *after;
} plDesk;

size_t plDesk_Size(int contacts, int sides);
/// Null: the arena is too small.
plDesk* plDesk_Create(int contacts, int sides, plArena*);

/// From what is in `before`.
plLawReport plDesk_Solve(plDesk*, const plLaw*);
plLawReport plDesk_SolveFromZero(plDesk*, const plLaw*);

/// Sweeps of Gauss-Seidel from zero until RES is below 1e-3, 1e-6, 1e-9; 0: not within `most`.
void plDesk_Sweeps(plDesk*, plConeMethod, int most, int sweeps[3]);

/// Newton on all contacts at once, from zero, of which the law is a faster form. RES, and its steps.
double plDesk_Newton(plDesk*, int* steps);

#endif
