// Who may come in, and which files go out.
#define _XOPEN_SOURCE 700

#include "serve/inside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// --- files

static bool plainPath(const char* path)
{
    for (const char* at = path; *at; ++at) {
        const bool begins = at == path || at[-1] == '/';
        if ((unsigned char)*at < ' ' || *at == '\\') return false;
        if (begins && (*at == '.' || *at == '/')) return false; // hidden, above, or empty
    }
    return true;
}

// A link within the folder may lead out of it: what counts is where a file truly is.
bool plFile_Below(const char* folder, const char* path, char* file, size_t size)
{
    char asked[PATH_MAX], root[PATH_MAX], real[PATH_MAX];
    struct stat info;
    const char* below = path[0] == '/' ? path + 1 : path;
    if (below[0] == '\0') below = "index.html";
    const int length = snprintf(asked, sizeof asked, "%s/%s", folder, below);
    if (!plainPath(below) || length < 0 || (size_t)length >= sizeof asked) return false;
    if (!realpath(folder, root) || !realpath(asked, real)) return false;
    const size_t depth = strlen(root);
    if (strncmp(real, root, depth) != 0 || real[depth] != '/') return false;
    if (stat(real, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    return (size_t)snprintf(file, size, "%s", real) < size;
}

const char* plFile_Type(const char* file)
{
    static const struct {
        const char *end, *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".map", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".jpg", "image/jpeg"},
        {".webp", "image/webp"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".wasm", "application/wasm"},
        {".txt", "text/plain; charset=utf-8"},
        {".md", "text/plain; charset=utf-8"},
    };
    const char* end = strrchr(file, '.');
    for (int i = 0; end && i < (int)(sizeof types / sizeof *types); ++i) {
        if (strcasecmp(end, types[i].end) == 0) return types[i].type;
    }
    return "application/octet-stream";
}

// --- requests

static bool isLoopback(const char* host, size_t length)
{
    static const char* const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (int i = 0; i < 3; ++i) {
        if (strlen(names[i]) == length && strncasecmp(host, names[i], length) == 0) return true;
    }
    return false;
}

// Without its port; an address of the sixth version has colons of its own.
static size_t nameLength(const char* host)
{
    const char* end = host[0] == '[' ? strchr(host, ']') : NULL;
    return end ? (size_t)(end + 1 - host) : strcspn(host, ":");
}

// A page of elsewhere can make a browser ask here. Its origin tells; and when its own name was made to
// mean this machine, the host does, because nobody calls the loopback by another name.
const char* plDoor_Complaint(const char* address, const char* host, const char* origin)
{
    const bool local = isLoopback(address, strlen(address));
    if (local && host[0] && !isLoopback(host, nameLength(host))) {
        return "this server is asked for by localhost or 127.0.0.1 only";
    }
    if (origin[0] == '\0') return NULL;
    const char* name = strstr(origin, "://");
    const bool web = strncmp(origin, "http://", 7) == 0 || strncmp(origin, "https://", 8) == 0;
    const bool same = name && web && host[0] && strcasecmp(name + 3, host) == 0;
    return same ? NULL : "pages of another origin may not ask this server";
}

bool plDoor_SameToken(const char* token, const char* given)
{
    const size_t length = strlen(token), other = strlen(given);
    unsigned differs = length != other;
    for (size_t i = 0; i < other; ++i) {
        differs |=
            (unsigned)(unsigned char)given[i] ^ (unsigned)(unsigned char)token[i % (length + 1)];
    }
    return differs == 0;
}
