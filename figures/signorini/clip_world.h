// The clip of signorini 6 in a world: a hand pushes it onto a pipe through a virtual coupling, and
// pulls it off again.                                                       (signorini spec 6.2)
// The pipe's axis is z. The hand is a frame that goes down by 40 mm/s from 12 mm above the place where
// the ring sits to 12 mm below it, rests for 0.2 s, and goes up to 30 mm.
#ifndef PL_FIGURES_CLIP_WORLD_H
#define PL_FIGURES_CLIP_WORLD_H

#include "figure.h"

typedef struct {
    double mu;
    bool rich;    ///< 1441 nodes, 319 of them may touch; else 393 and 87
    double pipeE; ///< Young's modulus of a soft pipe [Pa]; 0: it is rigid and round
} plClipWorldDef;

typedef struct {
    plWorld* world;
    plMechanismId clip, hand;
    plLinkId link;
    plVec3 center; ///< of mass, from the ring's centre [m]
    double weight; ///< [N]
    int steps;
} plClipWorld;

extern const double plClipDown, plClipRest; ///< how long the hand goes down, and rests [s]

/// False: a message in the job.
bool plClipWorld_Open(plClipWorld*, const plClipWorldDef*, plFigureJob*);
void plClipWorld_Close(plClipWorld*);

typedef struct {
    double time;   ///< [s]
    double force;  ///< of the coupling on the clip, downwards [N]
    double height; ///< of the ring's centre above the pipe's axis [m]
    double across; ///< how far it is off x = 0 [m]
    int problem;   ///< contacts in the largest problem of the tick, at most plLookContacts are told
    double cpu;    ///< [s]
    plStepReport report;
    plAccount account; ///< of all; what was applied, the hand gave
} plClipTick;

/// A tick of T. All ticks of a run have the same.
plClipTick plClipWorld_Step(plClipWorld*, double T);

// --- runs

enum { plClipMostTicks = 2000 };

typedef struct {
    double T;
    double weight; ///< of the clip [N]
    int count;
    plClipTick ticks[plClipMostTicks];
} plClipRun;

/// False: a message in the job.
bool plClipRun_Make(plClipRun*, const plClipWorldDef*, double T, double duration, plFigureJob*);

typedef struct {
    double push, pushAt; ///< largest force on the way in [N], and the ring's height there [m]
    double pull, pullAt; ///< on the way out
    double ripple;       ///< of the force in the last 0.1 s of the rest [N]
    double end, weight;  ///< last force; of the clip [N]
    /// Largest sum of what integrator, leak and drift brought in one tick beyond what was dissipated,
    /// over all that is stored then.
    double created;
    double residual; ///< of the ledger, largest [J]
    double depth;    ///< largest of a contact [m]
    double across;   ///< largest way aside [m]
    int failed;      ///< ticks with trouble
} plClipFacts;

plClipFacts plClipRun_Facts(const plClipRun*);

#endif
