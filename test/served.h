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

/// The port of the address in a line.
static inline int portIn(char* line, size_t size, FILE* from)
{
    assert_non_null(fgets(line, (int)size, from));
    const char* at = strstr(line, "://");
    at = at ? strchr(at + 3, ':') : NULL;
    if (!at) fail_msg("there is no port in \"%s\"", line);
    return at ? atoi(at + 1) : 0;
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
    c.port = portIn(c.line, sizeof c.line, from);
    char second[512];
    if (service) c.servicePort = portIn(second, sizeof second, from);
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
