// Runs the palp command as a person does, with a folder of its own for what it writes. $PALP names
// the command; by default it is the one beside the folder of this program. For one file per program.
#ifndef PL_TEST_CLI_H
#define PL_TEST_CLI_H

#include "palp/palp.h"
#include "skips.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { textSize = 1 << 16, pathSize = 512 };

static char command[4096];
static char folder[] = "/tmp/palp-cli-XXXXXX";

/// What a run of the command left behind.
typedef struct {
    int code;
    char out[textSize], err[textSize];
} Answer;

static Answer answer;

static inline const char* inFolder(const char* name)
{
    static char paths[4][pathSize];
    static int next;
    char* path = paths[next++ % 4];
    snprintf(path, pathSize, "%s/%s", folder, name);
    return path;
}

static inline void slurp(const char* path, char* text)
{
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, textSize - 1, file)] = '\0';
    fclose(file);
}

static inline void spit(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/// Runs `palp` with arguments for a shell; `before` is put in front (an environment, a folder).
static inline void runAfter(const char* before, const char* arguments)
{
    char line[8192];
    snprintf(line, sizeof line, "%s \"%s\" %s >%s 2>%s", before, command, arguments,
             inFolder("out"), inFolder("err"));
    const int status = system(line);
    answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    slurp(inFolder("out"), answer.out);
    slurp(inFolder("err"), answer.err);
}

static inline void run(const char* arguments) { runAfter("", arguments); }

static inline void expectCode(int code)
{
    if (answer.code != code)
        fail_msg("exit code %d, expected %d\nout: %serr: %s", answer.code, code, answer.out,
                 answer.err);
}

static inline void expectIn(const char* text, const char* part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" is not in:\n%s", part, text);
}

/// One sentence on standard error that begins with palp: and has `part` in it.
static inline void expectComplaint(int code, const char* part)
{
    expectCode(code);
    expectIn(answer.err, part);
    assert_memory_equal(answer.err, "palp: ", 6);
    assert_ptr_equal(strchr(answer.err, '\n'), answer.err + strlen(answer.err) - 1);
}

static inline int countLines(const char* text)
{
    int count = 0;
    for (; *text; ++text) count += *text == '\n';
    return count;
}

static inline char* hashOf(const char* text)
{
    static char hash[17];
    const char* at = strstr(text, "hash ");
    if (!at) fail_msg("no hash in:\n%s", text);
    snprintf(hash, sizeof hash, "%.16s", at ? at + 5 : "");
    return hash;
}

static inline int prepare(void** state)
{
    (void)state;
    const char* given = getenv("PALP");
    if (given) {
        snprintf(command, sizeof command, "%s", given);
    } else {
        const ssize_t length = readlink("/proc/self/exe", command, sizeof command - 16);
        if (length <= 0) return 1;
        command[length] = '\0';
        for (int i = 0; i < 2; ++i) {
            char* slash = strrchr(command, '/');
            if (!slash) return 1;
            *slash = '\0';
        }
        strcat(command, "/palp");
    }
    return access(command, X_OK) == 0 && mkdtemp(folder) ? 0 : 1;
}

static inline int clean(void** state)
{
    char line[64];
    (void)state;
    snprintf(line, sizeof line, "rm -r %s", folder);
    return system(line);
}

#endif
