// Errors in words, and working memory of one call.
#include "shape/inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

plStatus plShapeError_Set(plShapeError* error, plStatus status, const char* format, ...)
{
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    *error = (plShapeError){.status = status};
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

void* plScratch_Take(plScratch* s, size_t count, size_t size)
{
    PL_ASSERT(s->count < PL_COUNT(s->memory));
    // One byte more, so that a count of 0 has memory too.
    if (size > 0 && count > (SIZE_MAX - 1) / size) count = 0, size = SIZE_MAX;
    const size_t bytes = size == SIZE_MAX ? SIZE_MAX : count * size + 1;
    void* memory = bytes == SIZE_MAX ? NULL : s->allocator->take(s->allocator->self, bytes);
    if (!memory) {
        s->full = true;
        return NULL;
    }
    memset(memory, 0, bytes);
    s->memory[s->count] = memory;
    s->size[s->count] = bytes;
    s->count++;
    return memory;
}

void plScratch_Free(plScratch* s)
{
    while (s->count > 0) {
        s->count--;
        s->allocator->release(s->allocator->self, s->memory[s->count], s->size[s->count]);
    }
}
