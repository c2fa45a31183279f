// Values of the command line in place of those in the file.
#include "scene/content.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    plReader* reader;
    const char* setting;
    int count;
    plPathPart parts[plPathDepth];
} Setting;

static bool failHere(Setting* s, const char* what, const char* part)
{
    char plain[48], setting[96];
    plPlainText(part, plain, sizeof plain);
    plPlainText(s->setting, setting, sizeof setting);
    return plReader_Fail(s->reader, pl_statusSceneContent, "%s\"%s\", in --set %s", what, plain,
                         setting);
}

/// "[12]" at *at: its number, -1 when it is none.
static int takeIndex(char** at)
{
    char* end = *at + 1;
    int index = 0;
    while (*end >= '0' && *end <= '9' && end - *at < 9) index = 10 * index + (*end++ - '0');
    if (end == *at + 1 || *end != ']') return -1;
    *at = end + 1;
    return index;
}

/// Splits a path into its parts, in place: keys keep pointing into it.
static bool split(Setting* s, char* path)
{
    char* at = path;
    while (*at || s->count == 0) {
        if (s->count == plPathDepth - 1) return failHere(s, "found too many parts in ", path);
        plPathPart* part = &s->parts[s->count];
        if (*at == '[') {
            char* from = at;
            part->index = takeIndex(&at);
            if (part->index < 0) return failHere(s, "found no index [0], [1], ... at ", from);
            *from = '\0'; // ends a key before it
        } else {
            if (s->count > 0 && *at != '.') return failHere(s, "found no \".\" before ", at);
            if (s->count > 0) *at++ = '\0';
            part->key = at;
            at += strcspn(at, ".[");
            if (at == part->key) return failHere(s, "found an empty key before ", at);
        }
        s->count++;
    }
    return true;
}

/// Replaces a name by an index, where the part is one of an array; -1: not in the array.
static int indexIn(const json_t* array, const plPathPart* part)
{
    int count = (int)json_array_size(array);
    if (!part->key) return part->index < count ? part->index : -1;
    for (int i = 0; i < count; i++) {
        const char* name =
            json_string_value(json_object_get(json_array_get(array, (size_t)i), "name"));
        if (name && strcmp(name, part->key) == 0) return i;
    }
    return -1;
}

/// Takes one part of the path: resolves it, and puts it on the reader's path.
static bool enter(Setting* s, plPathPart* part, const json_t* node, bool last)
{
    if (json_is_array(node)) {
        int index = indexIn(node, part);
        if (index < 0 && part->key) return failHere(s, "found no member named ", part->key);
        if (index < 0)
            return plReader_Fail(s->reader, pl_statusSceneContent,
                                 "found %zu members, no [%d], in --set %.90s",
                                 json_array_size(node), part->index, s->setting);
        *part = (plPathPart){NULL, index};
        plReader_EnterIndex(s->reader, index);
        return true;
    }
    if (!json_is_object(node))
        return plReader_Fail(s->reader, pl_statusSceneContent,
                             "found a value without parts, in --set %.90s", s->setting);
    if (!part->key)
        return plReader_Fail(s->reader, pl_statusSceneContent,
                             "found an object, expected a key in place of [%d], in --set %.90s",
                             part->index, s->setting);
    if (!last && !json_object_get(node, part->key)) return failHere(s, "found no ", part->key);
    plReader_Enter(s->reader, part->key);
    return true;
}

static bool put(Setting* s, json_t* root, json_t* value)
{
    json_t* node = root;
    for (int i = 0; i < s->count; i++) {
        plPathPart* part = &s->parts[i];
        bool last = i == s->count - 1;
        if (!enter(s, part, node, last)) return false;
        if (!last)
            node = part->key ? json_object_get(node, part->key)
                             : json_array_get(node, (size_t)part->index);
        else if (part->key ? json_object_set(node, part->key, value)
                           : json_array_set(node, (size_t)part->index, value))
            return failHere(s, "found no room, or bytes that are not UTF-8, for ", "value");
    }
    return true;
}

bool plSetting_Apply(plReader* r, json_t* root, const char* setting, char path[plPathSize])
{
    Setting s = {.reader = r, .setting = setting};
    const char* equals = strchr(setting, '=');
    if (!equals) return failHere(&s, "found no \"=\" in ", setting);
    size_t length = (size_t)(equals - setting);
    char* copy = malloc(length + 1);
    if (!copy) return plReader_Fail(r, pl_statusNoMemory, "no memory for a setting");
    memcpy(copy, setting, length);
    copy[length] = '\0';

    json_t* value = NULL;
    if (split(&s, copy)) {
        value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
        if (!value) value = json_string(equals + 1);
        if (value)
            put(&s, root, value);
        else
            failHere(&s, "found bytes that are not UTF-8 in ", "value");
    }
    plReader_Path(r, path, plPathSize);
    while (r->depth > 0) plReader_Leave(r);
    json_decref(value);
    free(copy);
    return !r->failed;
}
