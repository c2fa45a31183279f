// Files of reference data, see test/data/README.md: our own results are in the repository, the data that others
// published in the folder that PALP_REFERENCE names.
#ifndef PALP_TEST_REFERENCE_H
#define PALP_TEST_REFERENCE_H

#include "skips.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Path of folder/name, valid for some further calls.
static inline const char* referencePath(const char* folder, const char* name)
{
    enum { kept = 8 };
    static char paths[kept][1024];
    static unsigned next;
    char* path = paths[next++ % kept];
    char joined[sizeof paths[0]]; // the folder may be one of the paths
    snprintf(joined, sizeof joined, "%s/%s", folder, name);
    return strcpy(path, joined);
}

/// A file of test/data. Tests run in the root of the repository.
static inline const char* ownFile(const char* name) { return referencePath("test/data", name); }

/// A file, or folder, of data that others published. The test is skipped where it is missing.
static inline const char* publishedFile(const char* name)
{
    const char* folder = getenv("PALP_REFERENCE");
    const char* path = referencePath(folder ? folder : "../shared/reference", name);
    if (access(path, R_OK) != 0)
        skipTest("no %s, which others published: see test/data/README.md", path);
    return path;
}

#endif
