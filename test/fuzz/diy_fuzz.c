// Any bytes as the answers of a 2diy, over a pair of sockets in place of its serial line.
#define _GNU_SOURCE
#include "device/real_2diy.c"

#include <stdlib.h>
#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    int ends[2];
    Diy diy = {.id = size > 0 ? data[0] & 3 : 0};
    const double still[2] = {0, 0};
    if (size > 4096 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return 0;
    diy.port = ends[0];
    if (size > 0 && write(ends[1], data, size) != (ssize_t)size) abort();
    shutdown(ends[1], SHUT_WR); // the line is cut behind them
    size_t left = size;
    while (exchange(&diy, still)) {
        if (!diy.known || left < answerBytes) abort();
        left -= answerBytes;
    }
    close(ends[0]);
    close(ends[1]);
    return 0;
}
