#include "units.h"

#include "base/base.h"
#include "scene/scene.h"

#include <jansson.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------ channels

typedef struct {
    const char *name, *unit;
} Unit;

static const Unit wholes[] = {{"time", "s"},        {"step", "s"},  {"gap", "m"},
                              {"depth", "m"},       {"tank", "J"},  {"rise", "J"},
                              {"largestRise", "J"}, {"defect", ""}, {"balance.lost", "J"}};

/// Last words of a name, without an index.
static const Unit ends[] = {{"energy", "J"},      {"kinetic", "J"},   {"potential", "J"},
                            {"applied", "J"},     {"rows", "J"},      {"dissipated", "J"},
                            {"integrator", "J"},  {"leak", "J"},      {"drift", "J"},
                            {"residual", "J"},    {"port.tool", "J"}, {"port.device", "J"},
                            {"port.stored", "J"}, {"x", "m"},         {"y", "m"},
                            {"z", "m"},           {"angle", "rad"},   {"torque", "N m"}};

/// Wrenches: three forces, three torques.
static const char* const wrenches[] = {"force", "hand", "push", "felt"};

/// True: the name ends with the word, alone or after a dot.
static bool endsIn(const char* name, size_t length, const char* word)
{
    const size_t size = strlen(word);
    if (length < size || strncmp(name + length - size, word, size) != 0) return false;
    return length == size || name[length - size - 1] == '.';
}

const char* plUnits_OfChannel(const char* name)
{
    const size_t length = strcspn(name, "[");
    const long index = name[length] ? strtol(name + length + 1, NULL, 10) : -1;
    for (int i = 0; i < PL_COUNT(wholes); ++i)
        if (strcmp(name, wholes[i].name) == 0) return wholes[i].unit;
    for (int i = 0; i < PL_COUNT(wrenches) && index >= 0; ++i)
        if (endsIn(name, length, wrenches[i])) return index < 3 ? "N" : "N m";
    for (int i = 0; i < PL_COUNT(ends); ++i)
        if (endsIn(name, length, ends[i].name)) return ends[i].unit;
    return "";
}

// ---------------------------------------------------------------------------------- parameters

/// The schema, and the unit of the deepest key so far that has one.
typedef struct {
    const json_t* root;
    char* unit;
} Search;

static void readUnit(const Search* s, const json_t* schema)
{
    const char* text = json_string_value(json_object_get(schema, "description"));
    const char* open = text ? strchr(text, '[') : NULL;
    const size_t length = open ? strcspn(open + 1, "]") : 0;
    // A range, [0, 1], is no unit.
    if (length == 0 || length >= plUnitSize || isdigit((unsigned char)open[1])) return;
    snprintf(s->unit, plUnitSize, "%.*s", (int)length, open + 1);
}

static bool search(const Search* s, const json_t* schema, const char* path);

/// One of several schemas that a value may follow.
static bool searchAny(const Search* s, const json_t* list, const char* path)
{
    size_t i;
    const json_t* one;
    json_array_foreach(list, i, one)
    {
        const json_t* then = json_object_get(one, "then");
        if (search(s, then ? then : one, path)) return true;
    }
    return false;
}

static const json_t* definition(const Search* s, const json_t* schema)
{
    const char* ref = json_string_value(json_object_get(schema, "$ref"));
    if (!ref) return NULL;
    return json_object_get(json_object_get(s->root, "$defs"), strrchr(ref, '/') + 1);
}

/// Follows the path, whose words are keys, indices or names of members. True when it leads somewhere.
static bool search(const Search* s, const json_t* schema, const char* path)
{
    if (!schema) return false;
    if (path[strspn(path, "[]0123456789")] == '\0') { // of an array: the unit of its numbers
        readUnit(s, definition(s, schema));
        readUnit(s, schema);
        return true;
    }
    const char* word = path + strspn(path, ".[");
    const size_t length = strcspn(word, ".[]");
    const char* rest = word + length + (word[length] == ']');
    const json_t* properties = json_object_get(schema, "properties");
    const json_t* key = json_object_getn(properties, word, length);
    const json_t* items = json_object_get(schema, "items");
    if (key && search(s, key, rest)) return true;
    if (items && search(s, items, rest)) return true;
    return search(s, definition(s, schema), path) ||
           searchAny(s, json_object_get(schema, "allOf"), path) ||
           searchAny(s, json_object_get(schema, "oneOf"), path);
}

const char* plUnits_OfParameter(const char* path, char unit[plUnitSize])
{
    char file[plPathLength], message[256];
    unit[0] = '\0';
    if (strcmp(path, "rate") == 0) return strcpy(unit, "Hz");
    if (!plGallery_Find("scene.schema", file, sizeof file, message, sizeof message)) return unit;
    json_t* root = json_load_file(file, 0, NULL);
    if (root) search(&(Search){root, unit}, root, path);
    json_decref(root);
    return unit;
}
