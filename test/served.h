// palp serve as a child process. For one file per program.
#ifndef PL_TEST_SERVED_H
#define PL_TEST_SERVED_H

#include "cli.h"
#include "http.h"

#include <signal.h>

typedef struct {
    pid_t pid;
    int port, servicePort;
    char line[512]; ///< it said first
} Child;

static inline int portIn(char* line, size_t size, FILE* from, const char* part)
{
    assert_non_null(fgets(line, (int)size, from));
    const char* at = strstr(line, part);
    if (!at) fail_msg("\"%s\" is not in \"%s\"", part, line);
    return at ? atoi(at + strlen(part)) : 0;
}

/// With `service` it says a second address.
static inline Child startServer(char* const* arguments, bool service)
{
    Child c = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    c.pid = fork();
    assert_true(c.pid >= 0);
    if (c.pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execv(command, arguments);
        _exit(127);
    }
    close(ends[1]);
    FILE* from = fdopen(ends[0], "r");
    assert_non_null(from);
    c.port = portIn(c.line, sizeof c.line, from, "http://127.0.0.1:");
    char second[512];
    if (service) c.servicePort = portIn(second, sizeof second, from, "ws://127.0.0.1:");
    fclose(from);
    return c;
}

/// As a person does, by an interrupt; it ends well.
static inline void endServer(const Child* c)
{
    int status;
    kill(c->pid, SIGINT);
    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif
