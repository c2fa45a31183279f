#include "scene/locate.h"

#include "base/base.h"

#include <string.h>

// The text is valid JSON; bounds are checked all the same, so that a mistake here costs a wrong
// line number and nothing else.
typedef struct {
    const char* text;
    size_t at, length;
} Cursor;

static char peek(const Cursor* c) { return c->at < c->length ? c->text[c->at] : '\0'; }

static void skipBlank(Cursor* c)
{
    while (c->at < c->length && strchr(" \t\r\n", c->text[c->at])) c->at++;
}

/// Over a mark and the blanks around it; false when another one is there.
static bool skipMark(Cursor* c, char mark)
{
    skipBlank(c);
    if (peek(c) != mark) return false;
    c->at++;
    skipBlank(c);
    return true;
}

static void skipString(Cursor* c)
{
    for (c->at++; c->at < c->length && c->text[c->at] != '"'; c->at++) {
        if (c->text[c->at] == '\\') c->at++;
    }
    c->at++;
}

static void skipValue(Cursor* c)
{
    size_t open = 0;
    do {
        char next = peek(c);
        if (next == '"') {
            skipString(c);
            continue;
        }
        if (next == '{' || next == '[') open++;
        if (next == '}' || next == ']') open--;
        c->at++;
        // The letters and digits of a number, true, false or null outside all brackets.
        while (open == 0 && c->at < c->length && !strchr(",:]} \t\r\n", c->text[c->at]) &&
               next != '}' && next != ']')
            c->at++;
    } while (open > 0 && c->at < c->length);
}

static bool enterMember(Cursor* c, const char* key, size_t* start)
{
    size_t keyLength = strlen(key);
    if (!skipMark(c, '{')) return false;
    while (peek(c) == '"') {
        size_t from = c->at;
        skipString(c);
        // Keys are compared as written: one with escapes is not found, its parent's line is.
        bool equal = c->at - from == keyLength + 2 && c->at <= c->length &&
                     memcmp(c->text + from + 1, key, keyLength) == 0;
        if (!skipMark(c, ':')) return false;
        if (equal) {
            *start = from;
            return true;
        }
        skipValue(c);
        if (!skipMark(c, ',')) return false;
    }
    return false;
}

static bool enterElement(Cursor* c, int index, size_t* start)
{
    if (!skipMark(c, '[')) return false;
    for (int i = 0; i < index; i++) {
        skipValue(c);
        if (!skipMark(c, ',')) return false;
    }
    *start = c->at;
    return true;
}

int plLocate(const char* text, size_t length, const plPathPart* path, int count)
{
    Cursor c = {text, 0, length};
    skipBlank(&c);
    size_t start = c.at;
    for (int i = 0; i < count; i++) {
        bool found = path[i].key ? enterMember(&c, path[i].key, &start)
                                 : enterElement(&c, path[i].index, &start);
        if (!found) break;
    }
    int line = 1;
    for (size_t i = 0; i < start && i < length; i++) line += text[i] == '\n';
    return line;
}
