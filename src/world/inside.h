// Private to the room: what a world is made of.
#ifndef PL_WORLD_INSIDE_H
#define PL_WORLD_INSIDE_H

#include "world/world.h"

/// An owner's joules, and its balance of leaks: what its approximate potentials created so far,
/// after what other members of its groups have paid for it; never above round-off with the guard on.
typedef struct {
    plAccount account;
    double leaks;
} plOwner;

typedef struct {
    double time;
    uint64_t tick;
    plAccount total;
} plWorldState;

struct plWorld {
    plWorldDef def;
    plArena fixed, state;
    char error[256];

    int mechanismCount, linkCount, driveCount;
    plMechanism** mechanisms;
    plLink* links;
    plDriveDef* drives;
    plSystem system;

    // state
    plWorldState* now;
    plOwner* mechanismOwners;
    plOwner* linkOwners;

    // groups, made anew when a mechanism or link is added: lists sorted by group
    int groupCount;
    int* groupOf; ///< per mechanism
    int* mechanismList;
    int* linkList;
    int* mechanismFirst; ///< per group, and one more
    int* linkFirst;

    // of the tick
    plEnergy* mechanismEnergies;
    plEnergy* linkEnergies;
    plStepReport report;
};

plStatus plWorld_Fail(plWorld*, plStatus, const char* why);
bool plWorld_SiteOk(const plWorld*, plSite);
plGroup plWorld_Group(const plWorld*, int group);
bool plWorld_BuildGroups(plWorld*); ///< false: a group has more rows than capacity.rows

// guard.c
/// Excess of energy that the trial of a group would leave on its balance of leaks [J]; <= 0 is
/// passive.
double plGuard_Excess(const plWorld*, const plGroup*);
bool plGuard_Watches(const plWorld*, const plGroup*);
double plGuard_Kinetic(const plWorld*, const plGroup*);
void plGuard_Brake(plWorld*, const plGroup*, double excess);
void plGuard_Settle(plWorld*, const plGroup*);

// ledger.c
void plLedger_Place(plWorld*, int mechanism);  ///< after SetState: the jump counts as applied
void plLedger_Begin(plWorld*);                 ///< energy of what was just added
void plLedger_Stand(plWorld*, const plGroup*); ///< balance of a group that was stopped
void plLedger_Close(plWorld*);                 ///< after commit
void plLedger_Sum(plWorld*);

#endif
