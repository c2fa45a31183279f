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

// --- tokens

const char* plDoor_TokenComplaint(const char* token)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (token[strspn(token, allowed)] != '\0') return "a token has letters, digits, - and _";
    if (strlen(token) < plTokenLeast) return "a token of fewer than 16 characters can be guessed";
    return strlen(token) <= plTokenMost ? NULL : "a token has at most 120 characters";
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
