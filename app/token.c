// The token of a server: from the environment, or in a file for its owner alone.
#define _GNU_SOURCE

#include "token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int complain(const plToken* t, const char* why)
{
    return plComplain(pl_exitInput, "%s: %s", t->file, why);
}

// --- a new one

static bool draw(char text[plTokenMost + 8])
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; ++i) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/// The folders above a file, for their owner alone.
static void makeFolders(char* path)
{
    for (char* at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
}

// Nobody sees it in part: it gets its name when it is whole.
static int make(plToken* t)
{
    char path[sizeof t->file + 16];
    if (!draw(t->text)) return complain(t, "the system has no random numbers");
    makeFolders(t->file);
    snprintf(path, sizeof path, "%s-XXXXXX", t->file);
    const int fd = mkostemp(path, O_CLOEXEC); // of mode 600
    bool good = fd >= 0 && dprintf(fd, "%s\n", t->text) == (int)strlen(t->text) + 1;
    if (fd >= 0) good = close(fd) == 0 && good;
    if (good) good = link(path, t->file) == 0; // not over one that has come in between
    const int error = errno;
    if (fd >= 0) unlink(path);
    return good ? pl_exitOk
                : plComplain(pl_exitOutput, "%s cannot be written: %s", t->file, strerror(error));
}

// --- one that is there

static const char* fileComplaint(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return "it is no file";
    if (info.st_uid != geteuid()) return "the file of a token must be your own";
    return info.st_mode & 077 ? "others can read or write the file: chmod 600" : NULL;
}

static int readFrom(plToken* t, int fd)
{
    char text[256] = "";
    const char* why = fileComplaint(fd);
    const ssize_t size = why ? 0 : read(fd, text, sizeof text - 1);
    if (size < 0) why = "it cannot be read";
    text[strcspn(text, "\r\n")] = '\0';
    if (!why) why = plDoor_TokenComplaint(text);
    if (why) return complain(t, why);
    snprintf(t->text, sizeof t->text, "%.*s", plTokenMost, text);
    return pl_exitOk;
}

static int readOrMake(plToken* t)
{
    const int fd = open(t->file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) return make(t);
    if (fd < 0) {
        return complain(t, errno == ELOOP ? "a token is not read through a link" : strerror(errno));
    }
    const int code = readFrom(t, fd);
    close(fd);
    return code;
}

// --- which

static bool usualFile(char* path, size_t size)
{
    const char *settings = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (settings && settings[0] == '/') {
        return (size_t)snprintf(path, size, "%s/palp/token", settings) < size;
    }
    if (!home || home[0] != '/') return false;
    return (size_t)snprintf(path, size, "%s/.config/palp/token", home) < size;
}

int plToken_Take(plToken* t, const char* file, bool needed)
{
    const char* given = getenv("PALP_TOKEN");
    *t = (plToken){0};
    if (given && given[0]) {
        const char* why = plDoor_TokenComplaint(given);
        if (why) return plComplain(pl_exitInput, "PALP_TOKEN: %s", why);
        snprintf(t->text, sizeof t->text, "%s", given);
        return pl_exitOk;
    }
    if (!file && !needed) return pl_exitOk;
    const bool named = file ? (size_t)snprintf(t->file, sizeof t->file, "%s", file) < sizeof t->file
                            : usualFile(t->file, sizeof t->file);
    if (named && t->file[0]) return readOrMake(t);
    return plComplain(pl_exitInput, "there is no place for a token: name one by --token-file");
}
