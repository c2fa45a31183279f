// What a person writes of a real device: "inverse3:ws://localhost:10001,scale=2".
#include "device/real.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const plDriver* const drivers[] = {&plInverse3Driver, &pl2diyDriver, &plForceDimensionDriver,
                                          &plTouchDriver};
_Static_assert(PL_COUNT(drivers) == pl_realCount, "one driver for each kind");

const plDriver* plDriver_Of(plRealKind kind)
{
    return (int)kind >= 0 && kind < pl_realCount ? drivers[kind] : NULL;
}

const char* plRealKind_Name(int i)
{
    return i >= 0 && i < pl_realCount ? drivers[i]->name : "unknown";
}

bool plFailWith(char why[plRealText], const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, plRealText, format, arguments);
    va_end(arguments);
    return false;
}

plRealDef plDefaultRealDef(plRealKind kind)
{
    return (plRealDef){.kind = kind, .scale = 1, .privileges = true};
}

static bool readNumber(const char* text, double low, double high, double* out)
{
    char* end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= low && *out <= high;
}

static bool readPlace(const char* text, plVec3* out)
{
    const double most = 2; // [m]: no device is larger
    char rest;
    return sscanf(text, "%lf:%lf:%lf%c", &out->x, &out->y, &out->z, &rest) == 3 &&
           plNorm(*out) <= most;
}

static const char* readKey(const char* key, const char* value, plRealDef* d)
{
    if (strcmp(key, "scale") == 0) {
        return readNumber(value, 0.01, 100, &d->scale) ? NULL : "scale is a number, 0.01 .. 100";
    }
    if (strcmp(key, "limit") == 0) {
        return readNumber(value, 0, 100, &d->limit) ? NULL : "limit is a force, 0 .. 100 N";
    }
    if (strcmp(key, "slew") == 0) {
        return readNumber(value, 1, 1e5, &d->slew) ? NULL : "slew is a rate, 1 .. 1e5 N/s";
    }
    if (strcmp(key, "centre") == 0) {
        d->centred = readPlace(value, &d->centre);
        return d->centred ? NULL : "centre is a place of the device, X:Y:Z [m]";
    }
    if (strcmp(key, "init") == 0) {
        d->moves = strcmp(value, "yes") == 0;
        return d->moves ? NULL : "init=yes lets the device move by itself";
    }
    if (strcmp(key, "id") == 0) {
        const bool fits = (size_t)snprintf(d->id, sizeof d->id, "%s", value) < sizeof d->id;
        return fits ? NULL : "the id is too long";
    }
    return "the keys are scale, limit, slew, centre, id and init";
}

static const char* readKeys(char* text, plRealDef* d)
{
    for (char* at = text; at;) {
        char* next = strchr(at, ',');
        if (next) *next++ = '\0';
        char* value = strchr(at, '=');
        if (!value) return "a comma is followed by KEY=VALUE";
        *value++ = '\0';
        const char* wrong = readKey(at, value, d);
        if (wrong) return wrong;
        at = next;
    }
    return NULL;
}

const char* plRealDef_Parse(const char* given, plRealDef* d)
{
    char text[2 * plRealText];
    if ((size_t)snprintf(text, sizeof text, "%s", given) >= sizeof text) return "it is too long";
    char* keys = strchr(text, ',');
    if (keys) *keys++ = '\0';
    char* address = strchr(text, ':');
    if (address) *address++ = '\0';
    int kind = 0;
    while (kind < pl_realCount && strcmp(text, drivers[kind]->name) != 0) ++kind;
    if (kind == pl_realCount) return "the kinds are inverse3, 2diy, force-dimension and touch";
    *d = plDefaultRealDef((plRealKind)kind);
    if (address &&
        (size_t)snprintf(d->address, sizeof d->address, "%s", address) >= sizeof d->address) {
        return "the address is too long";
    }
    return keys ? readKeys(keys, d) : NULL;
}
