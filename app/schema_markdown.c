// The schema of scenes as tables for people. Only what the schema says is written; words for values are made
// from its rules.
#include "schema.h"

#include "base/base.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// Definitions that stand for a kind of value, and how that is called.
static const struct {
    const char *name, *words;
} values[] = {
    {"vec3", "3 numbers"},
    {"name", "name"},
    {"line", "text of one line"},
    {"orientation", "orientation"},
    {"inertia", "inertia"},
    {"matrix", "rows of numbers"},
    {"axes", "number >= 0, or 3 of them"},
    {"positiveAxes", "number > 0, or 3 of them"},
    {"rigidity", "number >= 0, or `\"rigid\"`"},
    {"part", "`\"ground\"`, or a part"},
    {"nodes", "box, or an array of boxes and indices"},
    {"shapes", "array of `shape`"},
    {"piece", "convex `shape` without `material`, `group`, `mask`"},
};

typedef struct {
    const json_t* root;
    FILE* out;
} Writer;

static const char* nameOf(const json_t* schema)
{
    const char* ref = json_string_value(json_object_get(schema, "$ref"));
    return ref ? strrchr(ref, '/') + 1 : NULL;
}

static const json_t* definition(const Writer* w, const char* name)
{
    return json_object_get(json_object_get(w->root, "$defs"), name);
}

/// A rule of a value, or of what it refers to.
static const json_t* ruleOf(const Writer* w, const json_t* schema, const char* word)
{
    const json_t* own = json_object_get(schema, word);
    const char* name = nameOf(schema);
    return own || !name ? own : ruleOf(w, definition(w, name), word);
}

static bool isObject(const json_t* schema)
{
    return json_is_object(json_object_get(schema, "properties")) &&
           json_is_false(json_object_get(schema, "additionalProperties"));
}

// ----------------------------------------------------------------------------------- values

static void writeJson(const Writer* w, const json_t* value)
{
    char* text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    fprintf(w->out, "`%s`", text ? text : "");
    free(text);
}

static void writeList(const Writer* w, const json_t* list)
{
    size_t i;
    const json_t* one;
    json_array_foreach(list, i, one)
    {
        if (i > 0) fputs(", ", w->out);
        if (json_is_string(one))
            fprintf(w->out, "`%s`", json_string_value(one));
        else
            writeJson(w, one);
    }
}

static void writeNumber(const Writer* w, const json_t* schema, const char* noun)
{
    static const struct {
        const char *word, *sign;
    } bounds[] = {{"multipleOf", "a multiple of"},
                  {"minimum", ">="},
                  {"exclusiveMinimum", ">"},
                  {"maximum", "<="},
                  {"exclusiveMaximum", "<"}};
    bool first = true;
    fputs(noun, w->out);
    for (int i = 0; i < PL_COUNT(bounds); ++i) {
        const json_t* rule = ruleOf(w, schema, bounds[i].word);
        if (!rule) continue;
        fprintf(w->out, "%s %s %.16g", first && i > 0 ? "" : ",", bounds[i].sign,
                json_number_value(rule));
        first = false;
    }
}

static void writeValue(const Writer* w, const json_t* schema, const char* path);

static void writeArray(const Writer* w, const json_t* schema, const char* path)
{
    const json_t *least = ruleOf(w, schema, "minItems"), *most = ruleOf(w, schema, "maxItems");
    const long long from = json_integer_value(least), to = json_integer_value(most);
    const json_t* items = ruleOf(w, schema, "items");
    if (least && most && from == to)
        fprintf(w->out, "%lld of: ", from);
    else if (least && most)
        fprintf(w->out, "array of %lld to %lld: ", from, to);
    else if (most)
        fprintf(w->out, "array of at most %lld: ", to);
    else
        fputs("array of: ", w->out);
    // Mechanisms differ by their type.
    if (json_object_get(items, "allOf"))
        fputs("mechanisms", w->out);
    else
        writeValue(w, items, path);
}

static void writeBranches(const Writer* w, const json_t* branches, const char* path)
{
    size_t i;
    const json_t* one;
    json_array_foreach(branches, i, one)
    {
        if (i > 0) fputs(", or ", w->out);
        writeValue(w, one, path);
    }
}

static bool writeNamed(const Writer* w, const json_t* schema)
{
    const char* name = nameOf(schema);
    for (int i = 0; name && i < PL_COUNT(values); ++i) {
        if (strcmp(name, values[i].name) != 0) continue;
        fputs(values[i].words, w->out);
        return true;
    }
    if (!name || !isObject(definition(w, name))) return false;
    fprintf(w->out, "`%s`", name);
    return true;
}

static void writeValue(const Writer* w, const json_t* schema, const char* path)
{
    const json_t* branches = ruleOf(w, schema, "oneOf");
    const char* type = json_string_value(ruleOf(w, schema, "type"));
    if (writeNamed(w, schema)) return;
    if (isObject(schema))
        fprintf(w->out, "`%s`", path);
    else if (ruleOf(w, schema, "enum"))
        writeList(w, ruleOf(w, schema, "enum"));
    else if (ruleOf(w, schema, "const"))
        writeJson(w, ruleOf(w, schema, "const"));
    else if (branches)
        writeBranches(w, branches, path);
    else if (type && strcmp(type, "boolean") == 0)
        fputs("`true`, `false`", w->out);
    else if (type && strcmp(type, "array") == 0)
        writeArray(w, schema, path);
    else if (type && (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0))
        writeNumber(w, schema, type);
    else
        fputs(type ? type : "number, or null", w->out);
}

// ---------------------------------------------------------------------------------- objects

static bool isAmong(const json_t* list, const char* word)
{
    size_t i;
    const json_t* one;
    json_array_foreach(list, i, one) if (strcmp(json_string_value(one), word) == 0) return true;
    return false;
}

static void writeKey(const Writer* w, const char* path, const char* key, const json_t* schema,
                     bool required)
{
    char below[128];
    const json_t *standard = ruleOf(w, schema, "default"), *text = ruleOf(w, schema, "description");
    snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", key);
    fprintf(w->out, "| `%s` | ", key);
    writeValue(w, schema, below);
    fputs(" | ", w->out);
    if (required)
        fputs("required", w->out);
    else if (standard)
        writeJson(w, standard);
    fprintf(w->out, " | %s |\n", text ? json_string_value(text) : "");
}

/// "`mass` and `inertia`" of each of some ways to give an object, when they are named by their keys.
static void writeWays(const Writer* w, const json_t* ways)
{
    size_t i, k;
    const json_t *way, *key;
    bool first = true;
    json_array_foreach(ways, i, way)
    {
        const json_t* keys = json_object_get(way, "required");
        if (!keys) continue;
        fputs(first ? "\nEither " : "; or ", w->out);
        json_array_foreach(keys, k, key)
            fprintf(w->out, "%s`%s`", k > 0 ? " and " : "", json_string_value(key));
        first = false;
    }
    if (!first) fputs(".\n", w->out);
}

/// Keys that each type of a shape reads.
static void writeTypes(const Writer* w, const json_t* types)
{
    size_t i;
    const json_t* one;
    fputs("\n| type | keys |\n| --- | --- |\n", w->out);
    json_array_foreach(types, i, one)
    {
        const json_t* of = definition(w, json_string_value(one));
        fprintf(w->out, "| `%s` | ", json_string_value(one));
        writeList(w, json_object_get(json_object_get(of, "propertyNames"), "enum"));
        fputs(" |\n", w->out);
    }
}

static void writeObject(const Writer* w, const char* path, const char* title, const json_t* schema);

/// Objects that stand inside of a value, alone, as a branch or as elements.
static void writeInside(const Writer* w, const char* path, const json_t* schema)
{
    size_t i;
    const json_t* one;
    if (isObject(schema)) writeObject(w, path, path, schema);
    json_array_foreach(json_object_get(schema, "oneOf"), i, one) writeInside(w, path, one);
    one = json_object_get(schema, "items");
    if (one) writeInside(w, path, one);
}

static void writeObject(const Writer* w, const char* path, const char* title, const json_t* schema)
{
    const char* key;
    json_t *one, *properties = json_object_get(schema, "properties");
    const char* text = json_string_value(json_object_get(schema, "description"));
    fprintf(w->out, "\n## %s\n", title);
    if (text) fprintf(w->out, "\n%s\n", text);
    fputs("\n| key | value | default | |\n| --- | --- | --- | --- |\n", w->out);
    json_object_foreach(properties, key, one)
        writeKey(w, path, key, one, isAmong(json_object_get(schema, "required"), key));
    writeWays(w, json_object_get(schema, "oneOf"));
    if (strcmp(path, "shape") == 0)
        writeTypes(w, json_object_get(json_object_get(properties, "type"), "enum"));
    json_object_foreach(properties, key, one)
    {
        char below[128];
        snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", key);
        writeInside(w, below, one);
    }
}

void plSchema_WriteMarkdown(const json_t* schema, FILE* out)
{
    const Writer w = {schema, out};
    const char* name;
    json_t* one;
    fputs("# Every key of a scene\n\n"
          "`palp schema --markdown` makes this page from the schema, which the tests compare with "
          "the\n"
          "reader. [scene.md](scene.md) explains, with examples. Where a value has a name in code\n"
          "letters, that is another table of this page. Units are SI; a name has 1 to 31 letters,\n"
          "digits, `-` and `_`.\n",
          out);
    writeObject(&w, "", "The scene", schema);
    json_object_foreach(json_object_get(schema, "$defs"), name, one) writeInside(&w, name, one);
}
