// world: everything that moves, and one tick of it.
//   in    mechanisms, links, shapes, drives
//   out   state k+1, step report, ledger, hash, snapshot
#ifndef PL_WORLD_H
#define PL_WORLD_H

#include "collide/collide.h"
#include "contact/contact.h"
#include "coupling/coupling.h"
#include "device/device.h"
#include "law/law.h"
#include "palp/world.h"

#endif
