// Plain sockets to a server of this machine, and questions by HTTP. For one file per program.
#ifndef PL_TEST_HTTP_H
#define PL_TEST_HTTP_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

// --- bytes

static inline int dial(int port)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = 30}; // sanitized scenes open slowly
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    const int soon = 1; // what is written in pieces does not wait for answers to the first
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &soon, sizeof soon);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (const struct sockaddr*)&to, sizeof to), 0);
    return fd;
}

static inline bool put(int fd, const void* bytes, size_t size)
{
    const char* at = bytes;
    while (size > 0) {
        const ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static inline bool get(int fd, void* bytes, size_t size)
{
    char* at = bytes;
    while (size > 0) {
        const ssize_t n = recv(fd, at, size, 0);
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

// --- HTTP

static char answerText[1 << 21];

/// The status of an answer; its text is in answerText.
static inline int askWith(int port, const char* path, const char* headers)
{
    char request[1024];
    size_t used = 0;
    const int fd = dial(port);
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n%s\r\n", path, port,
             headers);
    assert_true(put(fd, request, strlen(request)));
    for (;;) {
        const ssize_t n = recv(fd, answerText + used, sizeof answerText - 1 - used, 0);
        if (n <= 0) break;
        used += (size_t)n;
    }
    close(fd);
    answerText[used] = '\0';
    return used > 12 ? atoi(answerText + 9) : 0;
}

static inline int ask(int port, const char* path) { return askWith(port, path, ""); }

static inline const char* bodyOfAnswer(void)
{
    const char* at = strstr(answerText, "\r\n\r\n");
    return at ? at + 4 : "";
}

#endif
