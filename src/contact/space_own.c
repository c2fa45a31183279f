// palp's own text of a contact space.
//
//   palp space 1
//   # comment lines, anywhere a word may stand
//   dim D contacts N blocks B step T sides K
//   bias NAME collision NAME [rate R]                       (blocks 0: dense)
//   contacts    per contact: mu e eTangent stiffness damping slipSpeed clamp gap gapFree
//   velocity    per row: u- uFree
//   response    dense: rows x rows by rows
//               blocks: per contact the number of blocks; then per block its column and numbers
//   bilateral COUNT             (optional, behind a dense response) rows V^T p + R l + s = 0, V l in u:
//               V rows x COUNT by rows, R COUNT x COUNT by rows, s
//   end
#include "contact/space_entries.h"
#include "contact/space_scan.h"

#include <limits.h>
#include <stdio.h>

static const char* const biasNames[] = {"one-sided", "elastic", "plastic"};
static const char* const collisionNames[] = {"equality", "complementarity", "poisson"};

static void skipComments(plScan* t)
{
    while (plScan_Peek(t, "#")) plScan_SkipLine(t);
}

static void word(plScan* t, const char* name)
{
    skipComments(t);
    plScan_Word(t, name);
}

static int field(plScan* t, const char* name, int min, int max)
{
    word(t, name);
    return plScan_Int(t, name, min, max);
}

static int choice(plScan* t, const char* name, const char* const* words, int count)
{
    word(t, name);
    for (int i = 0; i < count; ++i) {
        if (plScan_Peek(t, words[i]) && plScan_Word(t, words[i])) return i;
    }
    plScan_Fail(t, pl_statusFileFormat, "expected a kind of %s, such as %s", name, words[0]);
    return 0;
}

static void readContacts(plScan* t, plSpace* s)
{
    word(t, "contacts");
    for (int i = 0; i < s->count && !t->failed; ++i) {
        double v[6];
        plScan_Numbers(t, "mu, e, eTangent, stiffness, damping, slipSpeed", v, 6);
        const int bits = plScan_Int(t, "clamp", 0, 3);
        s->pair[i] = (plPair){.mu = v[0],
                              .e = v[1],
                              .eTangent = v[2],
                              .stiffness = v[3],
                              .damping = v[4],
                              .slipSpeed = v[5],
                              .clamp = (bits & 1) != 0};
        s->placed[i] = (bits & 2) != 0;
        if (v[0] < 0) plScan_Fail(t, pl_statusFileFormat, "mu is negative");
        s->gap[i] = plScan_Number(t, "gap");
        s->gapFree[i] = plScan_Number(t, "gapFree");
    }
    word(t, "velocity");
    for (int i = 0; i < plSpace_Rows(s) && !t->failed; ++i) {
        s->uStart[i] = plScan_Number(t, "u-");
        s->uFree[i] = plScan_Number(t, "uFree");
    }
}

static void readBlocks(plScan* t, plSpace* s)
{
    const int area = s->dim * s->dim;
    for (int i = 0; i < s->count && !t->failed; ++i) {
        const int room = s->blockCapacity - s->blockStart[i];
        s->blockStart[i + 1] = s->blockStart[i] + plScan_Int(t, "number of blocks", 0, room);
        for (int b = s->blockStart[i]; b < s->blockStart[i + 1] && !t->failed; ++b) {
            s->blockColumn[b] = plScan_Int(t, "column", 0, s->count - 1);
            plScan_Numbers(t, "block", &s->blocks[b * area], area);
        }
    }
    if (!t->failed && !plSpace_Index(s)) {
        plScan_Fail(t, pl_statusFileFormat,
                    "blocks are not ascending, or a diagonal one is missing");
    }
}

// The rows, taken out of the space.
static void eliminate(plScan* t, plSpaceFile* file, int count, double* V, const plAllocator* a)
{
    plSpace* s = &file->space;
    const int rows = plSpace_Rows(s);
    double *R = V + rows * count, *right = R + count * count;
    plScan_Numbers(t, "V", V, rows * count);
    plScan_Numbers(t, "R", R, count * count);
    plScan_Numbers(t, "s", right, count);
    if (t->failed) return;
    const plStatus status = plSpaceFile_SetBilateral(file, rows, count, V, R, right, a);
    if (status != pl_statusOk) {
        char why[128];
        snprintf(why, sizeof why, "%.100s", file->error);
        plScan_Fail(t, status, "%s", why);
        return;
    }
    for (int i = 0; i < rows; ++i) {
        s->uFree[i] += plBilateral_Free(&file->bilateral, i);
        for (int j = 0; j < rows; ++j) {
            s->W[i * rows + j] += plBilateral_Fill(&file->bilateral, i, j);
        }
    }
}

static void readBilateral(plScan* t, plSpaceFile* file, const plAllocator* a)
{
    skipComments(t);
    if (!plScan_Peek(t, "bilateral")) return;
    const int count = field(t, "bilateral", 1, plBilateralRows);
    const size_t n = (size_t)count, rows = (size_t)plSpace_Rows(&file->space);
    if (!t->failed && !file->space.W) {
        plScan_Fail(t, pl_statusFileFormat, "bilateral rows want a dense response (blocks 0)");
    }
    if (!plScan_Holds(t, "bilateral", rows * n + n * n + n)) return;
    const size_t size = (rows * n + n * n + n) * sizeof(double);
    double* numbers = a->take(a->self, size);
    if (!numbers) {
        plScan_Fail(t, pl_statusNoMemory, "no memory for bilateral rows");
        return;
    }
    eliminate(t, file, count, numbers, a);
    a->release(a->self, numbers, size);
}

void plSpace_ReadOwn(plScan* t, plSpaceFile* file, const plAllocator* allocator)
{
    plScan_Word(t, "palp");
    plScan_Word(t, "space");
    plScan_Int(t, "version", 1, 1);
    const int dim = field(t, "dim", 1, 3), count = field(t, "contacts", 0, INT_MAX / 4);
    const int blocks = field(t, "blocks", 0, INT_MAX / 16);
    word(t, "step");
    const double T = plScan_Number(t, "step");
    const int sides = field(t, "sides", 4, 32);
    const plBias bias = (plBias)choice(t, "bias", biasNames, PL_COUNT(biasNames));
    const plCollision collision =
        (plCollision)choice(t, "collision", collisionNames, PL_COUNT(collisionNames));
    double rate = 0;
    if (plScan_Peek(t, "rate")) {
        word(t, "rate");
        rate = plScan_Number(t, "rate");
    }
    if (sides % 2) plScan_Fail(t, pl_statusFileFormat, "sides must be even");
    const size_t rows = (size_t)count * (size_t)dim;
    const size_t response = blocks ? (size_t)blocks * (size_t)(dim * dim) : rows * rows;
    if (!plScan_Holds(t, "response", response + rows * 2 + (size_t)count * 9)) return;
    if (!plScan_Space(t, file, dim, count, blocks, allocator)) return;
    plSpace* s = &file->space;
    file->known = NULL;
    s->T = T, s->sides = sides, s->bias = bias, s->collision = collision, s->rate = rate;
    readContacts(t, s);
    word(t, "response");
    if (s->W) {
        plScan_Numbers(t, "response", s->W, (int)response);
    } else {
        readBlocks(t, s);
    }
    if (!t->failed) readBilateral(t, file, allocator);
    word(t, "end");
    plScan_Ends(t);
}

// --- writing

static void writeRow(FILE* out, const double* v, int count)
{
    for (int i = 0; i < count; ++i) fprintf(out, "%.17g%c", v[i], i + 1 < count ? ' ' : '\n');
}

static void writeResponse(FILE* out, const plSpace* s)
{
    const int rows = plSpace_Rows(s), area = s->dim * s->dim;
    fprintf(out, "response\n");
    if (s->W) {
        for (int i = 0; i < rows; ++i) writeRow(out, &s->W[i * rows], rows);
        return;
    }
    for (int i = 0; i < s->count; ++i) {
        fprintf(out, "%d\n", s->blockStart[i + 1] - s->blockStart[i]);
        for (int b = s->blockStart[i]; b < s->blockStart[i + 1]; ++b) {
            fprintf(out, "%d ", s->blockColumn[b]);
            writeRow(out, &s->blocks[b * area], area);
        }
    }
}

plStatus plSpace_Save(const plSpace* s, const char* path)
{
    FILE* out = fopen(path, "w");
    if (!out) return pl_statusFileOpen;
    fprintf(out,
            "palp space 1\n"
            "# A contact problem: u = W p + uFree, rows normal then tangents, u > 0 separates\n"
            "# [m/s], p [N s], W [1/kg]; blocks 0 means W is dense.\n");
    fprintf(out, "dim %d contacts %d blocks %d step %.17g sides %d\nbias %s collision %s", s->dim,
            s->count, s->W ? 0 : s->blockStart[s->count], s->T, s->sides, biasNames[s->bias],
            collisionNames[s->collision]);
    if (s->rate > 0) fprintf(out, " rate %.17g", s->rate);
    fprintf(out, "\n");
    fprintf(out, "# mu e eTangent stiffness damping slipSpeed clamp (1) and placed (2) gap "
                 "gapFree\ncontacts\n");
    for (int i = 0; i < s->count; ++i) {
        const plPair* c = &s->pair[i];
        fprintf(out, "%.17g %.17g %.17g %.17g %.17g %.17g %d %.17g %.17g\n", c->mu, c->e,
                c->eTangent, c->stiffness, c->damping, c->slipSpeed, c->clamp + 2 * s->placed[i],
                s->gap[i], s->gapFree[i]);
    }
    fprintf(out, "# u- uFree\nvelocity\n");
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        fprintf(out, "%.17g %.17g\n", s->uStart[i], s->uFree[i]);
    }
    writeResponse(out, s);
    fprintf(out, "end\n");
    const bool failed = ferror(out) != 0;
    return fclose(out) != 0 || failed ? pl_statusFileWrite : pl_statusOk;
}
