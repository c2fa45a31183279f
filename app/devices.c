// Real devices of the command line: opened before a server starts, attached when their scene opens.
#define _GNU_SOURCE

#include "devices.h"

#include "base/base.h"
#include "device/device.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct plDevices {
    int count;
    plDeviceAsked asked[plDevicesMost];
    plService* service; ///< null: none
    pthread_t watcher;
    bool watched;
    atomic_bool ending;
    char why[512];
};

// ---------------------------------------------------------------------------------- the command line

int plDeviceAsked_Read(plDeviceAsked* d, const char* text)
{
    const size_t head = strcspn(text, "=:,");
    const bool named = text[head] == '=';
    *d = (plDeviceAsked){.text = named ? text + head + 1 : text};
    if (named && (head == 0 || head >= sizeof d->name))
        return plComplain(pl_exitInput, "--device takes [NAME=]KIND[:ADDRESS], found \"%s\"", text);
    if (named) memcpy(d->name, text, head);
    const char* wrong = plRealDef_Parse(d->text, &d->def);
    if (wrong) return plComplain(pl_exitInput, "--device %s: %s", text, wrong);
    return pl_exitOk;
}

static int openOne(plDevices* d, const char* text)
{
    char message[plRealText];
    if (d->count == plDevicesMost)
        return plComplain(pl_exitInput, "at most %d devices at once", plDevicesMost);
    plDeviceAsked* asked = &d->asked[d->count];
    const int code = plDeviceAsked_Read(asked, text);
    if (code != pl_exitOk) return code;
    if (plReal_Open(&asked->def, &asked->real, message, sizeof message) != pl_statusOk)
        return plComplain(pl_exitInput, "%s: %s", asked->text, message);
    asked->worked = true;
    ++d->count;
    return pl_exitOk;
}

static int openService(plDevices* d, const plArguments* a)
{
    const char* text = plArguments_Value(a, "--inverse-service");
    char message[256], *end = NULL;
    if (!plArguments_Has(a, "--inverse-service")) return pl_exitOk;
    const long port = text ? strtol(text, &end, 10) : 10001;
    if (text && (end == text || *end || port < 0 || port > 65535))
        return plComplain(pl_exitInput, "--inverse-service takes a port, found \"%s\"", text);
    if (plService_Open((int)port, &d->service, message, sizeof message) != pl_statusOk)
        return plComplain(pl_exitInput, "%s", message);
    return pl_exitOk;
}

// ------------------------------------------------------------------------------------- lost and found

static void tell(plDeviceAsked* d)
{
    const plRealState state = plReal_State(d->real);
    if (state.works == d->worked) return;
    d->worked = state.works;
    fprintf(stderr, "palp: note: %s is %s%s%s\n", plRealKind_Name((int)d->def.kind),
            state.works ? "found again" : "lost: ", state.works ? "" : state.text,
            state.works ? "" : "; it is looked for");
}

static void* watch(void* self)
{
    plDevices* d = self;
    const struct timespec pause = {.tv_nsec = 100000000};
    while (!atomic_load(&d->ending)) {
        nanosleep(&pause, NULL);
        for (int i = 0; i < d->count; ++i) tell(&d->asked[i]);
    }
    return NULL;
}

int plDevices_Open(const plArguments* a, plDevices** out)
{
    int code = pl_exitOk;
    *out = NULL;
    if (!plArguments_Has(a, "--device") && !plArguments_Has(a, "--inverse-service")) return code;
    if (a->operandCount == 0)
        return plComplain(pl_exitInput, "a device needs a SCENE whose device it drives");
    plDevices* d = calloc(1, sizeof *d);
    if (!d) return plComplain(pl_exitInput, "no memory");
    for (int i = 0; i < a->givenCount && code == pl_exitOk; ++i)
        if (strcmp(a->given[i].option->name, "--device") == 0) code = openOne(d, a->given[i].value);
    if (code == pl_exitOk) code = openService(d, a);
    if (code != pl_exitOk) {
        plDevices_Close(d);
        return code;
    }
    d->watched = pthread_create(&d->watcher, NULL, watch, d) == 0;
    *out = d;
    return pl_exitOk;
}

void plDevices_Close(plDevices* d)
{
    if (!d) return;
    atomic_store(&d->ending, true);
    if (d->watched) pthread_join(d->watcher, NULL);
    for (int i = 0; i < d->count; ++i) plReal_Close(d->asked[i].real);
    plService_Close(d->service);
    free(d);
}

int plDevices_ServicePort(const plDevices* d)
{
    return d->service ? plService_Port(d->service) : -1;
}

// -------------------------------------------------------------------------------------------- attach

/// Devices of a scene; the pointer that was added to them is the last.
static int devicesOf(const plWorld* w) { return plWorld_DeviceCount(w) - 1; }

static bool isTaken(const plWorld* w, const char* name)
{
    plDeviceId id;
    plDeviceDef def;
    return plWorld_FindDevice(w, name, &id) != pl_statusOk ||
           plWorld_DeviceDef(w, id, &def) != pl_statusOk || def.calls.sample;
}

/// The scene's device of the name, or the next that is free. Null: there is none.
static const char* placeFor(const plWorld* w, const char* name)
{
    for (int i = 0; i < devicesOf(w); ++i) {
        const char* at = plWorld_DeviceName(w, i);
        const bool wanted = name[0] == '\0' || strcmp(name, at) == 0;
        if (wanted && !isTaken(w, at)) return at;
    }
    return NULL;
}

static const char* noPlace(plDevices* d, const char* text, const char* name)
{
    snprintf(d->why, sizeof d->why, "%s: the scene has no %sdevice%s%s%s that is free for it", text,
             name[0] ? "" : "further ", name[0] ? " \"" : "", name, name[0] ? "\"" : "");
    return d->why;
}

// The least of both limits: a scene may ask for less than the device can give.
static void limit(plWorld* w, plDeviceId id, const plDeviceDef* def, plReal* real)
{
    const double most = plReal_State(real).limit;
    const plVec3 F = def->forceLimit;
    if (most > 0)
        plWorld_SetDeviceLimits(w, id, (plVec3){fmin(F.x, most), fmin(F.y, most), fmin(F.z, most)},
                                def->torqueLimit);
}

static const char* attachOne(plDevices* d, plDeviceAsked* asked, bool planar, plWorld* w)
{
    const char* name = placeFor(w, asked->name);
    plDeviceId id;
    plDeviceDef def;
    if (!name) return noPlace(d, asked->text, asked->name);
    plWorld_FindDevice(w, name, &id);
    plWorld_DeviceDef(w, id, &def);
    const plDeviceCalls calls = plReal_Calls(asked->real);
    plReal_Place(asked->real, def.pose, planar);
    limit(w, id, &def, asked->real);
    return plWorld_AttachDevice(w, id, &calls) == pl_statusOk ? NULL : plWorld_Error(w);
}

static const char* attachService(plDevices* d, bool planar, plWorld* w)
{
    const char* name = placeFor(w, "");
    plDeviceId id;
    plDeviceDef def;
    if (!name) return noPlace(d, "--inverse-service", "");
    plWorld_FindDevice(w, name, &id);
    plWorld_DeviceDef(w, id, &def);
    const plDeviceCalls calls = plService_Calls(d->service);
    const char* wrong = plService_Take(d->service, &def, planar);
    if (wrong) return wrong;
    return plWorld_AttachDevice(w, id, &calls) == pl_statusOk ? NULL : plWorld_Error(w);
}

// Those with a name come first, lest the others take their places.
static const char* attach(void* self, const plScene* scene, plWorld* w)
{
    plDevices* d = self;
    const bool planar = plScene_IsPlanar(scene);
    const char* wrong = NULL;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < d->count && !wrong; ++i) {
            const bool named = d->asked[i].name[0] != '\0';
            if (named == (pass == 0)) wrong = attachOne(d, &d->asked[i], planar, w);
        }
    }
    return wrong || !d->service ? wrong : attachService(d, planar, w);
}

static void detach(void* self)
{
    plDevices* d = self;
    if (d->service) plService_Leave(d->service);
}

plDrivers plDevices_Drivers(plDevices* d, const char* scene)
{
    if (!d) return (plDrivers){0};
    return (plDrivers){.scene = scene, .self = d, .attach = attach, .detach = detach};
}
