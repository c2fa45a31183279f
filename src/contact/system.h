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

int plSystem_LinkRows(const plGroup*);                  ///< of all its links
bool plSystem_IsDense(const plSystem*, const plGroup*); ///< its space has a W
void plSystem_Soften(plSpace*);                         ///< redundant rows share what they carry

#endif
