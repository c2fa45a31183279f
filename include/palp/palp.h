// palp: haptic rendering and interactive simulation. The umbrella header.
#ifndef PALP_H
#define PALP_H

#include "palp/change.h"
#include "palp/contact.h"
#include "palp/device.h"
#include "palp/lists.h"
#include "palp/mechanism.h"
#include "palp/nurbs.h"
#include "palp/own.h"
#include "palp/pantograph.h"
#include "palp/query.h"
#include "palp/record.h"
#include "palp/runtime.h"
#include "palp/scene.h"
#include "palp/shape.h"
#include "palp/soft.h"
#include "palp/tets.h"
#include "palp/types.h"
#include "palp/world.h"

#endif
