// One file of its own, for readers that want a path.
#ifndef PALP_FUZZ_SCRATCH_H
#define PALP_FUZZ_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// The path of a file that holds these bytes, until the next call or the end of the process.
static inline const char* fileOf(const void* data, size_t size, const char* suffix)
{
    static char path[256];
    if (!path[0]) {
        snprintf(path, sizeof path, "/tmp/palp-fuzz-%ld%s", (long)getpid(), suffix);
    }
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
    return path;
}

#endif
