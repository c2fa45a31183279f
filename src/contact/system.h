// What the files of a system share. Private to the room.
#ifndef PL_CONTACT_SYSTEM_H
#define PL_CONTACT_SYSTEM_H

#include "contact/contact.h"

static inline plLink* linkOf(const plGroup* g, int i) { return &g->links[g->linkList[i]]; }
static inline plContact* contactOf(const plGroup* g, int i)
{
    return &g->contacts[g->contactList[i]];
}
static inline plMechanism* mechanismOf(const plGroup* g, int i)
{
    return g->mechanisms[g->mechanismList[i]];
}

static inline bool isZero(const double* a, int count)
{
    for (int i = 0; i < count; ++i) {
        if (a[i] != 0) return false;
    }
    return true;
}

bool plSystem_IsDense(const plSystem*, const plGroup*); ///< its space has a W
/// After the response of all rows: that of contacts with links eliminated. `regular` says whether it went.
void plSystem_Eliminate(plSystem*, const plGroup*, plResponse, double T, plSpace*);
/// The same in factors. False: it did not go, or there is no room.
bool plSystem_FactorLinks(plSystem*, const plGroup*, double T, plSpace*);
/// x <- N^-1 x on the rows of links, without what redundant rows cannot agree on. x becomes their impulses, or
/// the change of these.
void plSystem_SolveLinks(plSystem*, const plGroup*, bool isChange, double* x);

#endif
