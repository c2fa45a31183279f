// A soft bar that lies on a floor, clamped at one end: 30 of its nodes can touch.
#ifndef PALP_BENCH_SOFT_BAR_H
#define PALP_BENCH_SOFT_BAR_H

#include "palp/palp.h"

enum { barContacts = 30 };

typedef struct {
    plTets tets;
    plWorld* world;
    int heldCount;
    int held[400];
    int candidates[barContacts]; ///< nodes at the bottom
} SoftBar;

/// Of so many nodes, 10 mm apart: 5 x 5 across up to 1000 of them, else 7 x 7. It lies still.
void softBarMake(SoftBar*, int nodes);
void softBarFree(SoftBar*);

/// What it is made of, and its damping [1/s], [s]; steps are of 1 ms.
extern const plElastic softBarMatter;
#define softBarAlpha 1.0
#define softBarBeta 0.01
#define softBarStep 1e-3

#endif
