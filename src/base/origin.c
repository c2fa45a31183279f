// Whether a request that a browser may have sent is meant for this server.
#define _POSIX_C_SOURCE 200809L

#include "base/base.h"

#include <string.h>
#include <strings.h>

bool plHost_IsLoopback(const char* host)
{
    static const char* const names[] = {"localhost", "127.0.0.1", "::1", "[::1]"};
    for (int i = 0; i < PL_COUNT(names); ++i) {
        if (strcasecmp(host, names[i]) == 0) return true;
    }
    return false;
}

// Without its port; an address of the sixth version has colons of its own.
static bool namesLoopback(const char* host)
{
    char name[16];
    const char* end = host[0] == '[' ? strchr(host, ']') : NULL;
    const size_t length = end ? (size_t)(end + 1 - host) : strcspn(host, ":");
    if (length >= sizeof name) return false;
    memcpy(name, host, length);
    name[length] = '\0';
    return plHost_IsLoopback(name);
}

const char* plOrigin_Complaint(bool local, bool secure, const char* host, const char* origin)
{
    static const char plain[] = "http://", encrypted[] = "https://";
    if (local && host[0] && !namesLoopback(host)) {
        return "this server is asked for by localhost or 127.0.0.1 only";
    }
    if (origin[0] == '\0') return NULL;
    const char* name = NULL;
    if (strncmp(origin, encrypted, strlen(encrypted)) == 0) name = origin + strlen(encrypted);
    if (!secure && strncmp(origin, plain, strlen(plain)) == 0) name = origin + strlen(plain);
    const bool same = name && host[0] && strcasecmp(name, host) == 0;
    return same ? NULL : "pages of another origin may not ask this server";
}
