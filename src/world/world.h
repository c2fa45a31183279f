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

/// After a tick with such trouble the force of all devices goes down, as by plWorld_Alarm.
enum {
    plTroubleEases = pl_troubleNotFinite | pl_troubleStopped | pl_troubleBadStep | pl_troubleGained
};

// --- for who draws a world

/// A shape and the part that carries it; the point of the site is not used.
typedef struct {
    const plShape* shape;
    plSite site;
    int material; ///< 0: the world's own
} plWorldShape;

plWorldShape plWorld_ShapeAt(const plWorld*, int index);
/// Materials, 0 .. plWorld_MaterialCount; the first is the world's own surface, without a name.
const char* plWorld_MaterialName(const plWorld*, int index);
const plSurface* plWorld_Surface(const plWorld*, int index);
const char* plWorld_DeviceName(const plWorld*, int index);
const char* plWorld_CouplingName(const plWorld*, int index);
const plCouplingDef* plWorld_CouplingAt(const plWorld*, int index);
const plCouplingTraits* plWorld_CouplingTraits(const plWorld*, plCouplingId); ///< null: bad id
const char* plWorld_PartName(const plWorld*, plMechanismId, int part);        ///< null: it has none
int plWorld_PartParent(const plWorld*, plMechanismId, int part);              ///< -1: none
/// A soft body's surface as it is now, without a solve; points inside are not moved. Empty: it is not
/// soft.
plSurfaceView plWorld_SoftSurface(const plWorld*, plMechanismId);
double
plWorld_FixedStep(const plWorld*); ///< the only one that its soft bodies can take [s]; 0: any

#endif
