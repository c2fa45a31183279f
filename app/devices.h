// Real devices of the command line, for palp serve and palp doctor.
#ifndef PL_APP_DEVICES_H
#define PL_APP_DEVICES_H

#include "app.h"
#include "serve/serve.h"

enum { plDevicesMost = 8 };

/// A device that was asked for: "[NAME=]KIND[:ADDRESS][,KEY=VALUE]...".
typedef struct {
    char name[32]; ///< of the scene's device; "": the next one that is free
    const char* text;
    plRealDef def;
    plReal* real;
    bool worked; ///< it was told so
} plDeviceAsked;

typedef struct plDevices plDevices;

/// --device and --inverse-service of a command line: opens all of them, or complains. Null in `out`: none
/// were asked for.
int plDevices_Open(const plArguments*, plDevices** out);
void plDevices_Close(plDevices*); ///< null is legal

/// What a server is to do with them, for the scene of this name.
plDrivers plDevices_Drivers(plDevices*, const char* scene);
int plDevices_ServicePort(const plDevices*); ///< of --inverse-service; -1: none

/// One of them taken apart. Returns pl_exitOk, or complains.
int plDeviceAsked_Read(plDeviceAsked*, const char* text);

#endif
