// A file belongs to one recorder: the second would write into what the first one has open, and both would
// end well over a file that nobody can read.
#define _GNU_SOURCE // F_OFD_SETLK: a lock of the open file, not of the process

#include "record/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// HDF5 has locks of its own, by flock; these are others. They end with the descriptor, also when the
// process is killed. What cannot be locked (a file system without locks) is taken as it is.
static plStatus lock(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_OFD_SETLK, &whole) == 0) return pl_statusOk;
    return errno == EAGAIN || errno == EACCES ? pl_statusBusy : pl_statusOk;
}

plStatus plClaim_Take(const char* path, bool keep, int* claim)
{
    struct stat info;
    *claim = -1;
    if (strcmp(path, "-") == 0) return pl_statusOk;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return pl_statusOk; // a pipe, a terminal
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
    if (descriptor < 0) return pl_statusFileOpen;
    plStatus status = lock(descriptor);
    if (status == pl_statusOk && fstat(descriptor, &info) != 0) status = pl_statusFileOpen;
    if (status == pl_statusOk && keep && info.st_size > 0) status = pl_statusExists;
    if (status == pl_statusOk) {
        *claim = descriptor;
    } else {
        close(descriptor);
    }
    return status;
}

void plClaim_End(int claim)
{
    if (claim >= 0) close(claim);
}
