// A world that changes while it runs: mechanisms, links and shapes are removed and added between two ticks, and
// each thing carries a pointer of the user.
//
// Ids carry a generation. A place that became free is used again, with the next generation: the id of what was
// there before is stale, and every function that is given it returns pl_statusStale, or what it returns for a bad
// id where it returns no status. What fits into the memory of something that was removed takes it over, so that bodies
// of one kind can come and go for ever; other definitions take new memory.
//
// Snapshots, hashes and repeats stay exact: the same calls in the same order give the same bits. A snapshot belongs to
// the things that were there when it was taken: after one was removed or added, pl_statusMismatch.
#ifndef PALP_CHANGE_H
#define PALP_CHANGE_H

#include "palp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Takes a mechanism out of the world, with its shapes, its links and the drives on it. Its energy leaves the
/// world as negative `applied` of the total. Refused (pl_statusBadArgument) while a coupling holds it or uses it; a
/// virtual coupling lets go by plWorld_Release. Of a soft body the room of its surface (capacity.softFaces and
/// softNodes) is not given back.
plStatus plWorld_RemoveMechanism(plWorld*, plMechanismId);

/// The same of a link; that of a virtual coupling is refused.
plStatus plWorld_RemoveLink(plWorld*, plLinkId);

/// The same of a shape; the surface of a soft body goes with its body alone.
plStatus plWorld_RemoveShape(plWorld*, plShapeId);

/// Whether an id still names what it was given for. Counts of a world (plWorld_MechanismCount, ...) are those of its
/// places: what was removed leaves one that is empty, and whose id by index is null.
bool plWorld_HasMechanism(const plWorld*, plMechanismId);
bool plWorld_HasLink(const plWorld*, plLinkId);
bool plWorld_HasShape(const plWorld*, plShapeId);

plShapeId plWorld_Shape(const plWorld*, int index); ///< null: there is none
/// The part that carries a shape; its point is zero, the ground's mechanism null.
plStatus plWorld_ShapeSite(const plWorld*, plShapeId, plSite*);

// A pointer that palp keeps and never follows: `userData` of the definition at first. It is no part of a snapshot or of
// the hash. Null in what was made without one.

plStatus plWorld_MechanismData(const plWorld*, plMechanismId, void** data); ///< what was set last
plStatus plWorld_LinkData(const plWorld*, plLinkId, void** data);           ///< what was set last
plStatus plWorld_ShapeData(const plWorld*, plShapeId, void** data);         ///< what was set last
plStatus plWorld_DeviceData(const plWorld*, plDeviceId, void** data);       ///< what was set last
plStatus plWorld_CouplingData(const plWorld*, plCouplingId, void** data);   ///< what was set last
plStatus plWorld_SetMechanismData(plWorld*, plMechanismId,
                                  void* data);                        ///< in place of the last one
plStatus plWorld_SetLinkData(plWorld*, plLinkId, void* data);         ///< in place of the last one
plStatus plWorld_SetShapeData(plWorld*, plShapeId, void* data);       ///< in place of the last one
plStatus plWorld_SetDeviceData(plWorld*, plDeviceId, void* data);     ///< in place of the last one
plStatus plWorld_SetCouplingData(plWorld*, plCouplingId, void* data); ///< in place of the last one

#ifdef __cplusplus
}
#endif
#endif
