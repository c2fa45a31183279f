// Units of channels and of a scene's parameters, for axes of drawings.
#ifndef PL_UNITS_H
#define PL_UNITS_H

#include <stddef.h>

enum { plUnitSize = 48 };

/// Of a channel by its name: "J", "N"; "": it has none, or it depends on the mechanism.
const char* plUnits_OfChannel(const char* name);

/// The unit of a parameter, by its path (materials.wall.stiffness): the text in brackets in the schema. "": the schema
/// has none, or there is no schema. Returns `unit`.
const char* plUnits_OfParameter(const char* path, char unit[plUnitSize]);

#endif
