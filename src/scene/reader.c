#include "scene/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void plReader_Enter(plReader* r, const char* key)
{
    PL_ASSERT(r->depth < plPathDepth);
    r->path[r->depth++] = (plPathPart){key, 0};
}

void plReader_EnterIndex(plReader* r, int index)
{
    PL_ASSERT(r->depth < plPathDepth);
    r->path[r->depth++] = (plPathPart){NULL, index};
}

void plReader_Leave(plReader* r)
{
    PL_ASSERT(r->depth > 0);
    r->depth--;
}

void plPlainText(const char* text, char* out, size_t size)
{
    size_t n = strlen(text);
    bool cut = n >= size;
    if (cut) {
        n = size > 4 ? size - 4 : 0;
        // Bytes 10xxxxxx continue a character of UTF-8.
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        out[i] = c < 0x20 || c == 0x7f ? ' ' : text[i];
    }
    snprintf(out + n, size - n, "%s", cut ? "..." : "");
}

void plReader_Path(const plReader* r, char* path, size_t size)
{
    size_t used = 0;
    path[0] = '\0';
    for (int i = 0; i < r->depth && used < size; i++) {
        const plPathPart* part = &r->path[i];
        int n;
        if (part->key) {
            char key[48];
            plPlainText(part->key, key, sizeof key);
            n = snprintf(path + used, size - used, "%s%s", i > 0 ? "." : "", key);
        } else {
            n = snprintf(path + used, size - used, "[%d]", part->index);
        }
        used += n > 0 ? (size_t)n : 0;
    }
}

/// Does a value at `path` come from a setting: is it one that was set, or a part of one?
static bool wasSet(const plReader* r, const char* path)
{
    for (int i = 0; i < r->setCount; i++) {
        size_t n = strlen(r->set[i]);
        // What follows is a deeper part, or the end, which strchr finds too.
        if (strncmp(path, r->set[i], n) == 0 && strchr(".[", path[n])) return true;
    }
    return false;
}

static bool failWith(plReader* r, plStatus status, const char* detail)
{
    if (r->failed) return false;
    r->failed = true;
    plSceneError* e = r->error;
    *e = (plSceneError){.status = status};
    plReader_Path(r, e->path, sizeof e->path);

    // Of a very long file name its end says most.
    char file[200], where[32] = "";
    size_t n = strlen(r->file);
    plPlainText(n < sizeof file ? r->file : r->file + (n - sizeof file + 1), file, sizeof file);
    if (wasSet(r, e->path)) {
        snprintf(where, sizeof where, ": in --set");
    } else if (r->text) {
        e->line = plLocate(r->text, r->length, r->path, r->depth);
        snprintf(where, sizeof where, ":%d", e->line);
    }
    snprintf(e->message, sizeof e->message, "%s%s: %s%s%s", file, where, e->path,
             e->path[0] ? ": " : "", detail);
    return false;
}

bool plReader_Fail(plReader* r, plStatus status, const char* format, ...)
{
    char detail[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return failWith(r, status, detail);
}

bool plReader_FailAt(plReader* r, const char* key, const char* format, ...)
{
    char detail[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    plReader_Enter(r, key);
    failWith(r, pl_statusSceneContent, detail);
    plReader_Leave(r);
    return false;
}

bool plReader_FailMemory(plReader* r)
{
    return failWith(r, pl_statusNoMemory, plStatus_Sentence(pl_statusNoMemory));
}

static void describeValue(const json_t* value, char* out, size_t size)
{
    char text[56];
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_OBJECT:
        snprintf(out, size, "an object");
        break;
    case JSON_ARRAY:
        snprintf(out, size, "an array of %zu", json_array_size(value));
        break;
    case JSON_STRING:
        plPlainText(json_string_value(value), text, sizeof text);
        snprintf(out, size, "\"%s\"", text);
        break;
    case JSON_INTEGER:
        snprintf(out, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        snprintf(out, size, "%.15g", json_real_value(value));
        break;
    case JSON_TRUE:
        snprintf(out, size, "true");
        break;
    case JSON_FALSE:
        snprintf(out, size, "false");
        break;
    case JSON_NULL:
        snprintf(out, size, "null");
        break;
    }
}

bool plReader_Expect(plReader* r, const json_t* found, const char* format, ...)
{
    char value[80], expected[384], detail[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    describeValue(found, value, sizeof value);
    snprintf(detail, sizeof detail, "found %s, expected %s", value, expected);
    return failWith(r, pl_statusSceneContent, detail);
}
