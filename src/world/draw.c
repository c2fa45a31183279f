// What a picture of the world is made of.
#include "world/inside.h"

plWorldShape plWorld_ShapeAt(const plWorld* w, int i)
{
    PL_ASSERT(i >= 0 && i < w->shapeCount);
    return (plWorldShape){w->shapes[i], w->carriers[i].site, w->carriers[i].material};
}

const plSurface* plWorld_Surface(const plWorld* w, int i) { return &w->surfaces.own[i]; }
const char* plWorld_MaterialName(const plWorld* w, int i) { return w->materialNames[i]; }
const char* plWorld_DeviceName(const plWorld* w, int i) { return w->devices[i].name; }
const char* plWorld_CouplingName(const plWorld* w, int i) { return w->couplings[i].name; }

const plCouplingDef* plWorld_CouplingAt(const plWorld* w, int i)
{
    return &w->couplings[i].coupling.def;
}

const char* plWorld_PartName(const plWorld* w, plMechanismId id, int part)
{
    return plMechanism_PartName(w->mechanisms[id.index1 - 1], part);
}

plSurfaceView plWorld_SoftSurface(const plWorld* w, plMechanismId id)
{
    return plMechanism_Surface(w->mechanisms[id.index1 - 1]);
}

double plWorld_FixedStep(const plWorld* w)
{
    double step = 0;
    for (int i = 0; i < w->mechanismCount && step == 0; ++i) {
        step = plMechanism_Traits(w->mechanisms[i])->fixedStep;
    }
    return step;
}

int plWorld_PartParent(const plWorld* w, plMechanismId id, int part)
{
    return plMechanism_Parent(w->mechanisms[id.index1 - 1], part);
}
