// Private to the room: the kinds of simulated devices, and the hand that they share.
#ifndef PL_DEVICE_KIND_H
#define PL_DEVICE_KIND_H

#include "device/device.h"

/// What a kind of simulated device can do. Its state is zero before it starts.
typedef struct plSimulatedKind {
    size_t stateSize;
    const char* (*complaint)(const plDeviceDef*); ///< of what is the kind's own
    void (*start)(plSimulated*);
    plSample (*sample)(plSimulated*, double time, double T);
    plDeviceEnergy (*step)(plSimulated*, const plWrench* written, double time, double T);
    double (*kinetic)(const plSimulated*);
    plGrip (*grip)(const plSimulated*);
    bool (*place)(plSimulated*, const plGrip*); ///< false: it cannot be there, and stays
    void (*masses)(const plSimulated*, double m[6]);
    plMotors (*motors)(const plSimulated*); ///< null: it has none
} plSimulatedKind;

extern const plSimulatedKind plHandleKind, plTwinKind;

/// The hand that holds it now; `point` is room for where one wants it that is not of the script.
plHandDef plSimulated_HandNow(const plSimulated*, plWaypoint* point);

// --- hand.c

const char* plHand_Complaint(const plHandDef*); ///< null: nothing to complain of
plWrench plHand_Own(const plHandDef*, double time);
/// Where it wants to be, and how fast it wants to go.
plPose plHand_Wanted(const plHandDef*, double time, plVec3* v, plVec3* w);
/// Spring and damper of a hand with an impedance.
void plHand_AddPull(const plHandDef*, double time, const plGrip*, plWrench* sum);

static inline bool plNotNegative(double x) { return x >= 0 && isfinite(x); }

#endif
