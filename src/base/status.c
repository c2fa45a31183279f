#include "palp/types.h"

#include <stdlib.h>

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

static const char* const names[pl_statusCount] = {
#define X(name, sentence) #name,
    PL_STATUS_LIST(X)
#undef X
};

static const char* const sentences[pl_statusCount] = {
#define X(name, sentence) sentence,
    PL_STATUS_LIST(X)
#undef X
};

// The cast also sends negative values, which an enum may hold, beyond the last code.
static bool isKnown(plStatus status) { return (unsigned)status < (unsigned)pl_statusCount; }

const char* plStatus_Name(plStatus status) { return isKnown(status) ? names[status] : "Unknown"; }

const char* plStatus_Sentence(plStatus status)
{
    return isKnown(status) ? sentences[status] : "the status code is not one of palp's";
}

const char* plVersion(void)
{
    return VERSION(PALP_VERSION_MAJOR, PALP_VERSION_MINOR, PALP_VERSION_PATCH);
}

static void* takeByMalloc(void* self, size_t size)
{
    (void)self;
    return malloc(size);
}

static void releaseByFree(void* self, void* memory, size_t size)
{
    (void)self;
    (void)size;
    free(memory);
}

plAllocator plDefaultAllocator(void) { return (plAllocator){takeByMalloc, releaseByFree, NULL}; }
