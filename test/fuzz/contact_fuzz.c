// Any bytes as a file of a contact problem, in each format. What is accepted has a response that can be
// applied, and comes back from palp's own format as it was. Memory beyond some times the input counts as a
// failure.
#define _GNU_SOURCE

#include "bounded.h"
#include "contact/space.h"
#include "scratch.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void apply(const plSpace* s)
{
    const size_t rows = (size_t)s->count * (size_t)s->dim;
    double* p = calloc(2 * rows + 1, sizeof *p);
    if (!p) abort();
    for (size_t i = 0; i < rows; ++i) p[i] = 1;
    plSpace_Apply(s, p, p + rows);
    free(p);
}

static void comeBack(const plSpace* s, const char* path, const plAllocator* allocator)
{
    plSpaceFile again;
    if (plSpace_Save(s, path) != pl_statusOk) abort();
    if (plSpaceFile_Load(&again, path, pl_spaceOwn, allocator) != pl_statusOk) abort();
    if (again.space.count != s->count || again.space.dim != s->dim) abort();
    plSpaceFile_Destroy(&again, allocator);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0) return 0;
    Account account = {.limit = 4096 * size + (1 << 20)};
    const plAllocator allocator = {take, release, &account};
    const plSpaceFormat format = (plSpaceFormat)(data[0] % (pl_spacePaper + 1));
    const char* path = fileOf(data + 1, size - 1, ".txt");
    plSpaceFile file;
    if (plSpaceFile_Load(&file, path, format, &allocator) == pl_statusOk) {
        apply(&file.space);
        comeBack(&file.space, path, &allocator);
        plSpaceFile_Destroy(&file, &allocator);
    } else if (file.error[0] == '\0') {
        abort();
    }
    unlink(path);
    if (account.taken != 0) abort();
    return 0;
}
