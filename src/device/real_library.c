// Makers' libraries, loaded when they are needed.
#define _GNU_SOURCE

#include "device/real.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool isPath(const char* name) { return strchr(name, '/') != NULL; }

/// "~/x" becomes a path in the home, "$NAME/x" one in the folder of that variable. False: it has none.
static bool expand(const char* name, char path[plRealText])
{
    const char* slash = strchr(name, '/');
    char variable[32] = "HOME";
    if (name[0] == '$' && slash) {
        snprintf(variable, sizeof variable, "%.*s", (int)(slash - name - 1), name + 1);
    } else if (name[0] != '~') {
        return (size_t)snprintf(path, plRealText, "%s", name) < plRealText;
    }
    const char* folder = getenv(variable);
    return folder && slash &&
           (size_t)snprintf(path, plRealText, "%s%s", folder, slash) < plRealText;
}

/// Null, and `why` says what is wrong with a library that is there.
static void* load(const char* name, bool* there, char why[plRealText])
{
    char path[plRealText];
    if (!expand(name, path)) return NULL;
    if (isPath(path) && access(path, F_OK) != 0) return NULL;
    void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library) return library;
    const char* said = dlerror();
    // The loader tells of a name that is nowhere in the same words as of what that library needs.
    if (isPath(path) || (said && strncmp(said, path, strlen(path)) != 0)) {
        *there = true;
        plFailWith(why, "%.80s cannot be loaded: %.150s", path, said ? said : "unknown");
    }
    return NULL;
}

/// The first symbol that is missing, or null.
static const char* bind1(void* library, const plSymbol* symbols, int count)
{
    for (int i = 0; i < count; ++i) {
        void* address = dlsym(library, symbols[i].name);
        if (!address) return symbols[i].name;
        memcpy(symbols[i].function, &address, sizeof address);
    }
    return NULL;
}

void* plLibrary_Load(const char* what, const char* install, const char* given, const char* variable,
                     const char* const* names, const plSymbol* symbols, int count,
                     char why[plRealText])
{
    const char* set = getenv(variable);
    const char* only[] = {given[0] ? given : set, NULL};
    const char* const* tried = only[0] && only[0][0] ? only : names;
    void* library = NULL;
    bool there = false;
    for (int i = 0; tried[i] && !library && !there; ++i) library = load(tried[i], &there, why);
    if (!library && there) return NULL;
    if (!library && tried == only) {
        plFailWith(why, "there is no library %.150s", only[0]);
        return NULL;
    }
    if (!library) {
        plFailWith(why, "%s is not found: install %s, or name it by $%s", what, install, variable);
        return NULL;
    }
    const char* missing = bind1(library, symbols, count);
    if (!missing) return library;
    plFailWith(why, "what was loaded is not the right %s: it has no %s", what, missing);
    dlclose(library);
    return NULL;
}
