// The rows of a sweep, in memory and in a file that can be gone on with.
#define _POSIX_C_SOURCE 200809L

#include "sweep.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// -------------------------------------------------------------------------------------- table

bool plSweepTable_Make(plSweepTable* t, const plSweepPlan* plan)
{
    const size_t runs = (size_t)plan->runs, metrics = (size_t)plan->metricCount;
    *t = (plSweepTable){.plan = plan,
                        .metrics = calloc(runs * metrics + 1, sizeof *t->metrics),
                        .hashes = calloc(runs, sizeof *t->hashes),
                        .statuses = calloc(runs, sizeof *t->statuses)};
    return t->metrics && t->hashes && t->statuses;
}

void plSweepTable_Clear(plSweepTable* t, int run)
{
    free(t->statuses[run]);
    t->statuses[run] = NULL;
}

void plSweepTable_Free(plSweepTable* t)
{
    for (int i = 0; t->statuses && i < t->plan->runs; ++i) plSweepTable_Clear(t, i);
    free(t->metrics);
    free(t->hashes);
    free(t->statuses);
    *t = (plSweepTable){0};
}

bool plSweepTable_Put(plSweepTable* t, int run, const plSweepRow* row)
{
    const size_t count = (size_t)t->plan->metricCount;
    plSweepTable_Clear(t, run);
    memcpy(t->metrics + (size_t)run * count, row->metrics, count * sizeof *row->metrics);
    t->hashes[run] = row->hash;
    t->statuses[run] = strdup(row->status);
    return t->statuses[run];
}

bool plSweepTable_IsOk(const plSweepTable* t, int run)
{
    return t->statuses[run] && strcmp(t->statuses[run], "ok") == 0;
}

// --------------------------------------------------------------------------------------- file

static const plSweepFormat* const formats[] = {&plSweepCsv, &plSweepHdf5};

static const plSweepFormat* formatOf(const char* path)
{
    const size_t length = strlen(path);
    for (int i = 0; i < PL_COUNT(formats); ++i) {
        const size_t size = strlen(formats[i]->ending);
        if (length > size && strcmp(path + length - size, formats[i]->ending) == 0)
            return formats[i];
    }
    return NULL;
}

static void writeMark(const plSweepFile* f, const plSweepPlan* plan, char mark[plSweepMark])
{
    snprintf(mark, plSweepMark, "%s, digest %016llx\n", f->format->mark,
             (unsigned long long)plan->digest);
}

static int failWrite(const plSweepFile* f, const char* why)
{
    return plComplain(pl_exitOutput, "%s cannot be written: %s", f->path, why);
}

/// One sweep at a time: a lock that ends with this process.
static int lockFile(plSweepFile* f)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat info;
    f->lock = open(f->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (f->lock < 0) return failWrite(f, strerror(errno));
    if (fstat(f->lock, &info) != 0 || !S_ISREG(info.st_mode))
        return failWrite(f, "not a regular file");
    if (fcntl(f->lock, F_SETLK, &lock) == 0) return pl_exitOk;
    return plComplain(pl_exitInput, "%s is being written by another process", f->path);
}

/// Whether the file is of this sweep: by its first bytes, before any library reads it.
static int checkMark(const plSweepFile* f, const plSweepPlan* plan)
{
    char mark[plSweepMark], found[plSweepMark] = "";
    writeMark(f, plan, mark);
    const ssize_t got = pread(f->lock, found, strlen(mark), 0);
    if (got < 0) return failWrite(f, strerror(errno));
    if (strcmp(found, mark) == 0) return pl_exitOk;
    if (strncmp(found, f->format->mark, strlen(f->format->mark)) == 0)
        return plComplain(
            pl_exitInput,
            "%s is of another sweep: the scene, its options, --vary, --metric, --runs, "
            "--seed or palp were others; give another --out",
            f->path);
    return plComplain(pl_exitInput, "%s is no result of palp sweep; give another --out", f->path);
}

/// Under another name first: the file is there as a whole, or not at all.
static int create(plSweepFile* f, const plSweepTable* table)
{
    char path[4096], mark[plSweepMark];
    if (snprintf(path, sizeof path, "%s.new", f->path) >= (int)sizeof path)
        return failWrite(f, strerror(ENAMETOOLONG));
    writeMark(f, table->plan, mark);
    if (!f->format->create(table, path, mark, f->message)) {
        remove(path);
        return failWrite(f, f->message);
    }
    if (rename(path, f->path) == 0) return pl_exitOk;
    const int error = errno;
    remove(path);
    return failWrite(f, strerror(error));
}

int plSweepFile_Open(plSweepFile* f, plSweepTable* table, const char* path, bool mustExist)
{
    struct stat info;
    *f = (plSweepFile){.path = path, .format = formatOf(path), .lock = -1};
    if (!f->format)
        return plComplain(pl_exitInput, "--out takes a file that ends in .csv or .h5, found \"%s\"",
                          path);
    int code = pl_exitOk;
    if (stat(path, &info) != 0) {
        if (mustExist) return plComplain(pl_exitInput, "there is no %s to go on with", path);
        code = create(f, table);
    }
    if (code == pl_exitOk) code = lockFile(f);
    if (code == pl_exitOk) code = checkMark(f, table->plan);
    if (code != pl_exitOk) return code;
    f->self = f->format->open(table, path, f->message);
    return f->self ? pl_exitOk : plComplain(pl_exitInput, "%s: %s", path, f->message);
}

bool plSweepFile_Add(plSweepFile* f, const plSweepTable* table, int run)
{
    return f->format->add(f->self, table, run, f->message);
}

bool plSweepFile_Close(plSweepFile* f, const plSweepTable* table)
{
    const bool good = !f->self || f->format->close(f->self, table, f->path, f->message);
    if (f->lock >= 0) close(f->lock);
    f->self = NULL;
    f->lock = -1;
    return good;
}
