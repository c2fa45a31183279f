// Opening a file with a contact space, finding its format, and the format of the signorini paper's
// frozen problems.
#include "contact/space_entries.h"
#include "contact/space_scan.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// # a comment line
// m, mu (m), W (3m x 3m by rows), delta_free (3m), and a known solution (3m)
void plSpace_ReadPaper(plScan* t, plSpaceFile* file, const plAllocator* allocator)
{
    while (plScan_Peek(t, "#")) plScan_SkipLine(t);
    const int m = plScan_Int(t, "m, the number of contacts", 1, 10000);
    const size_t rows = 3 * (size_t)m;
    if (!plScan_Holds(t, "W", rows * rows + 2 * rows + (size_t)m)) return;
    if (!plScan_Space(t, file, 3, m, 0, allocator)) return;
    plSpace* s = &file->space;
    for (int i = 0; i < m && !t->failed; ++i) {
        s->pair[i].mu = plScan_Number(t, "mu");
        if (s->pair[i].mu < 0) plScan_Fail(t, pl_statusFileFormat, "mu is negative");
    }
    plScan_Numbers(t, "W", s->W, 9 * m * m);
    plScan_Numbers(t, "delta_free", s->uFree, 3 * m);
    plScan_Numbers(t, "the known solution", file->known, 3 * m);
    plScan_Ends(t);
}

// The first five numbers tell Siconos' two formats apart: an order comes back at once as the size
// of an LCP's matrix, one number later as rows = dimension x contacts. Rarely both fit.
static plSpaceFormat guessFormat(plScan* t)
{
    if (plScan_Peek(t, "palp")) return pl_spaceOwn;
    if (plScan_Peek(t, "#")) return pl_spacePaper;
    plScan ahead = *t;
    char unused[4];
    ahead.error = unused, ahead.errorSize = sizeof unused;
    double v[5] = {0};
    plScan_Numbers(&ahead, "", v, 5);
    const bool lcp = v[0] >= 1 && v[1] >= 0 && v[1] <= 2 && v[2] == v[0] && v[3] == v[0];
    const bool contact = v[0] >= 2 && v[0] <= 3 && v[1] >= 1 && v[2] >= 0 && v[2] <= 2 &&
                         v[3] == v[0] * v[1] && v[4] == v[3];
    if (lcp != contact) return lcp ? pl_spaceLcp : pl_spaceContact;
    plScan_Fail(t, pl_statusFileFormat,
                lcp ? "an LCP or a contact problem: name the format"
                    : "expected a contact problem (palp space, Siconos, m; mu; W) or an LCP");
    return pl_spaceAny;
}

static void readText(plScan* t, plSpaceFile* file, plSpaceFormat format, const plAllocator* a)
{
    if (format == pl_spaceAny) format = guessFormat(t);
    switch (format) {
    case pl_spaceOwn:
        plSpace_ReadOwn(t, file, a);
        break;
    case pl_spaceContact:
        plSpace_ReadContact(t, file, a);
        break;
    case pl_spaceLcp:
        plSpace_ReadLcp(t, file, a);
        break;
    case pl_spacePaper:
        plSpace_ReadPaper(t, file, a);
        break;
    case pl_spaceAny:
        break;
    }
}

// The whole file, and a zero after it.
static plStatus readFile(const char* path, const plAllocator* a, char** text, size_t* size)
{
    FILE* in = fopen(path, "rb");
    if (!in) return pl_statusFileOpen;
    plStatus status = pl_statusFileRead;
    long length = -1;
    if (fseek(in, 0, SEEK_END) == 0) length = ftell(in);
    if (length < 0 || length > INT_MAX || fseek(in, 0, SEEK_SET) != 0) goto fail_size;
    *size = (size_t)length;
    *text = a->take(a->self, *size + 1);
    if (!*text) {
        status = pl_statusNoMemory;
        goto fail_size;
    }
    if (fread(*text, 1, *size, in) != *size) goto fail_read;
    (*text)[*size] = 0;
    fclose(in);
    return pl_statusOk;
fail_read:
    a->release(a->self, *text, *size + 1);
fail_size:
    fclose(in);
    return status;
}

plStatus plSpaceFile_Load(plSpaceFile* file, const char* path, plSpaceFormat format,
                          const plAllocator* allocator)
{
    *file = (plSpaceFile){.known = NULL};
    char* content;
    size_t size;
    const plStatus opened = readFile(path, allocator, &content, &size);
    if (opened != pl_statusOk) {
        snprintf(file->error, sizeof file->error, "%s: %s", path, plStatus_Sentence(opened));
        return opened;
    }
    plScan t = {.path = path,
                .text = content,
                .at = content,
                .end = content + size,
                .error = file->error,
                .errorSize = sizeof file->error};
    readText(&t, file, format, allocator);
    allocator->release(allocator->self, content, size + 1);
    if (!t.failed) return pl_statusOk;
    plSpaceFile_Clear(file, allocator);
    return t.status;
}

void plSpaceFile_Clear(plSpaceFile* file, const plAllocator* allocator)
{
    plArena_Destroy(&file->arena, allocator);
    plArena_Destroy(&file->bilateralArena, allocator);
    file->space = (plSpace){0};
    file->bilateral = (plBilateral){0};
    file->known = NULL;
}

void plSpaceFile_Destroy(plSpaceFile* file, const plAllocator* allocator)
{
    plSpaceFile_Clear(file, allocator);
    *file = (plSpaceFile){.known = NULL};
}
