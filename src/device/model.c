// Limits of real devices, as their makers or drivers state them.
#include "device/device.h"

#include <string.h>

static const plDeviceModel models[] = {
    {"omega", 12, 0, 5000, 30},  {"delta", 20, 0, 5000, 0},    {"sigma7", 12, 0.2, 4000, 0},
    {"lambda7", 12, 0, 8000, 0}, {"falcon", 8, 0, 3000, 20},   {"touch", 3.3, 0, 400, 4},
    {"omni", 3.3, 0, 700, 5},    {"desktop", 7.9, 0, 1000, 5}, {"premium6", 8.5, 0.188, 800, 0}};

int plDeviceModel_Count(void) { return PL_COUNT(models); }

const plDeviceModel* plDeviceModel_At(int i)
{
    return i >= 0 && i < PL_COUNT(models) ? &models[i] : NULL;
}

const char* plDeviceModel_Name(int i)
{
    const plDeviceModel* m = plDeviceModel_At(i);
    return m ? m->name : "unknown";
}

bool plDeviceDef_Model(plDeviceDef* d, const char* name)
{
    for (int i = 0; i < PL_COUNT(models); ++i) {
        const plDeviceModel* m = &models[i];
        if (strcmp(m->name, name) != 0) continue;
        d->forceLimit = plVec(m->force, m->force, m->force);
        d->torqueLimit = plVec(m->torque, m->torque, m->torque);
        return true;
    }
    return false;
}
