// Commands: what they may be, and what they do to a world.
#include "runtime/inside.h"

#include <string.h>

#define X(name, word, reads) word,
static const char* const names[] = {PL_COMMAND_LIST(X)};
#undef X

const char* plCommandKind_Name(int i)
{
    return i >= 0 && i < pl_commandCount ? names[i] : "unknown";
}

static bool within(double x, double least, double most) { return x >= least && x <= most; }

const char* plCommand_Complaint(const plCommand* c)
{
    switch (c->kind) {
    case pl_commandPause:
    case pl_commandResume:
    case pl_commandReset:
        return NULL;
    case pl_commandAlarm:
        return within(c->value, 0, 1) ? NULL : "the value of an alarm must be 0 .. 1";
    case pl_commandTicks:
        return within(c->index, 1, 1000) ? NULL : "ticks must be 1 .. 1000";
    case pl_commandSpeed:
        return within(c->value, 0.01, 10) ? NULL : "speed must be 0.01 .. 10";
    case pl_commandStep:
        return within(c->value, 1e-5, plStepMost) ? NULL : "step must be 1e-5 .. 0.1 s";
    case pl_commandLaw:
        return within(c->index, 0, pl_lawCount - 1) ? NULL : "there is no such law";
    case pl_commandIntegrator:
        return within(c->index, 0, pl_integratorCount - 1) ? NULL : "there is no such integrator";
    case pl_commandMaterial:
        if (!within(c->choice, 0, pl_ofCount - 1)) return "a material has no such number";
        return c->value >= 0 && c->value <= 1e9 ? NULL : "the value of a material must be 0 .. 1e9";
    case pl_commandLimit:
        return within(c->choice, 0, pl_limitCount - 1) ? NULL : "there is no such limit";
    case pl_commandHold:
    case pl_commandGrab:
        return plFinitePose(c->pose) && plNorm(c->pose.p) < 1e6 ? NULL : "the pose is too far away";
    case pl_commandModel:
        return within(c->choice, -1, plDeviceModel_Count() - 1)
                   ? NULL
                   : "there is no such model of a device";
    case pl_commandLetGo:
    case pl_commandScript:
    case pl_commandRelease:
        return NULL;
    case pl_commandCount:
        break;
    }
    return "there is no such command";
}

/// A world, and the reason why it does not obey: its own, unless there is a better one.
typedef struct {
    plWorld* world;
    const char* why;
} Obeyer;

static plStatus refuse(Obeyer* o, plStatus status, const char* why)
{
    o->why = why;
    return status;
}

static plStatus setMaterial(Obeyer* o, const plCommand* c)
{
    const plMaterialId id = {(uint32_t)c->index, c->index > 0};
    plSurface s;
    if (c->index < 0 || plWorld_Material(o->world, id, &s) != pl_statusOk) {
        return refuse(o, pl_statusBadId, "there is no such material");
    }
    double* const fields[] = {&s.friction, &s.restitution, &s.stiffness, &s.damping};
    *fields[c->choice] = c->value;
    return plWorld_SetMaterial(o->world, id, &s);
}

static plStatus setIntegrators(plWorld* w, plIntegrator integrator)
{
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        const plMechanismId id = plWorld_Mechanism(w, i);
        const char* type = plWorld_MechanismType(w, id);
        if (strcmp(type, "prescribed") == 0 || strcmp(type, "jointed") == 0) continue;
        const plStatus status = plWorld_SetIntegrator(w, id, integrator);
        if (status != pl_statusOk) return status;
    }
    return pl_statusOk;
}

static plStatus setModel(plWorld* w, plDeviceId id, int model)
{
    const plDeviceModel* m = plDeviceModel_At(model);
    plDeviceDef d = {0};
    plWorld_DeviceDef(w, id, &d); // a bad id is the world's to refuse
    if (m) plDeviceDef_Model(&d, m->name);
    return plWorld_SetDeviceLimits(w, id, d.forceLimit, d.torqueLimit);
}

// Limits are no part of a snapshot.
static plStatus reset(plWorld* w, const void* start, size_t startSize)
{
    for (int i = 0; i < plWorld_DeviceCount(w); ++i) {
        setModel(w, (plDeviceId){(uint32_t)i + 1, 1}, -1);
    }
    return plWorld_Restore(w, start, startSize);
}

static plStatus touch(const plCommand* c, plWorld* w)
{
    const plDeviceId device = {(uint32_t)c->index + 1, 1};
    const plCouplingId coupling = {(uint32_t)c->index + 1, 1};
    const plSite site = {plWorld_Mechanism(w, c->choice), c->part, c->pose.p};
    if (c->kind == pl_commandLimit) return plWorld_SetLimit(w, coupling, (plLimit)c->choice);
    if (c->kind == pl_commandModel) return setModel(w, device, c->choice);
    if (c->kind == pl_commandHold) return plWorld_Hold(w, device, c->pose);
    if (c->kind == pl_commandLetGo) return plWorld_LetGo(w, device);
    if (c->kind == pl_commandScript) return plWorld_Script(w, device);
    if (c->kind == pl_commandGrab) return plWorld_Grab(w, coupling, site);
    if (c->kind == pl_commandRelease) return plWorld_Release(w, coupling);
    return pl_statusOk;
}

static plStatus obey(Obeyer* o, const plCommand* c, const void* start, size_t startSize)
{
    plWorld* w = o->world;
    const char* wrong = plCommand_Complaint(c);
    if (wrong) return refuse(o, pl_statusBadArgument, wrong);
    if (c->kind == pl_commandReset) return reset(w, start, startSize);
    if (c->kind == pl_commandLaw) return plWorld_SetLaw(w, (plLawName)c->index);
    if (c->kind == pl_commandIntegrator) return setIntegrators(w, (plIntegrator)c->index);
    if (c->kind == pl_commandMaterial) return setMaterial(o, c);
    if (c->kind == pl_commandAlarm) plWorld_Hushed(w, c->value);
    if (c->index < 0) return refuse(o, pl_statusBadId, "an index must not be negative");
    return touch(c, w);
}

plStatus plCommand_Try(const plCommand* c, plWorld* w, const void* start, size_t startSize,
                       const char** why)
{
    Obeyer o = {.world = w};
    const plStatus status = obey(&o, c, start, startSize);
    *why = o.why ? o.why : plWorld_Error(w);
    return status;
}

plStatus plCommand_Obey(const plCommand* c, plWorld* w, const void* start, size_t startSize)
{
    const char* why;
    return plCommand_Try(c, w, start, startSize, &why);
}
