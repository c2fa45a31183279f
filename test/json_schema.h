// JSON Schema, as far as scenes/scene.schema.json uses it: whether a value is valid, and which parts of the
// schema speak of it. A word that is not known here fails, so that no rule goes unseen.
#ifndef PL_TEST_JSON_SCHEMA_H
#define PL_TEST_JSON_SCHEMA_H

#include <jansson.h>
#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    json_t* root;
    char why[256]; ///< the last rule that a value broke, where the outermost one is last
} Schema;

static inline Schema loadSchema(void)
{
    json_error_t error;
    Schema s = {.root = json_load_file("scenes/scene.schema.json", JSON_REJECT_DUPLICATES, &error)};
    if (!s.root) fail_msg("%d: %s", error.line, error.text);
    return s;
}

/// What {"$ref": "#/$defs/NAME"} means.
static inline json_t* referred(const Schema* s, const json_t* schema)
{
    const char* ref = json_string_value(json_object_get(schema, "$ref"));
    if (!ref) return NULL;
    json_t* target = strncmp(ref, "#/$defs/", 8) == 0
                         ? json_object_get(json_object_get(s->root, "$defs"), ref + 8)
                         : NULL;
    if (!target) fail_msg("%s leads nowhere", ref);
    return target;
}

static bool isValid(Schema* s, json_t* schema, json_t* value);

static inline bool broken(Schema* s, const char* word, const json_t* rule)
{
    char* text = json_dumps(rule, JSON_ENCODE_ANY | JSON_COMPACT);
    snprintf(s->why, sizeof s->why, "%s %.200s", word, text);
    free(text);
    return false;
}

static inline bool isType(const char* type, const json_t* value)
{
    if (strcmp(type, "integer") == 0)
        return json_is_number(value) && json_number_value(value) == floor(json_number_value(value));
    return (strcmp(type, "object") == 0 && json_is_object(value)) ||
           (strcmp(type, "array") == 0 && json_is_array(value)) ||
           (strcmp(type, "string") == 0 && json_is_string(value)) ||
           (strcmp(type, "number") == 0 && json_is_number(value)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
           (strcmp(type, "null") == 0 && json_is_null(value));
}

static inline bool hasType(const json_t* rule, const json_t* value)
{
    size_t i;
    json_t* one;
    if (json_is_string(rule)) return isType(json_string_value(rule), value);
    json_array_foreach(rule, i, one) if (isType(json_string_value(one), value)) return true;
    return false;
}

/// 1 and 1.0 are one value.
static inline bool isEqual(const json_t* a, const json_t* b)
{
    if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
    return json_equal(a, b);
}

static inline bool isAmong(const json_t* list, const json_t* value)
{
    size_t i;
    json_t* one;
    json_array_foreach(list, i, one) if (isEqual(one, value)) return true;
    return false;
}

/// The only class that regex.h does not spell is that of control characters.
static inline bool matches(const char* pattern, const char* text)
{
    regex_t regex;
    if (strcmp(pattern, "^[^\\u0000-\\u001f]*$") == 0 || strchr(pattern, 0x1f))
        pattern = "^[^[:cntrl:]]*$";
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    const bool good = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return good;
}

static inline bool numberFits(const char* word, double rule, double x)
{
    if (strcmp(word, "minimum") == 0) return x >= rule;
    if (strcmp(word, "maximum") == 0) return x <= rule;
    if (strcmp(word, "exclusiveMinimum") == 0) return x > rule;
    if (strcmp(word, "multipleOf") == 0) return fmod(x, rule) == 0;
    return x < rule;
}

static inline bool isUnique(const json_t* array)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        for (size_t k = 0; k < i; k++)
            if (json_equal(json_array_get(array, i), json_array_get(array, k))) return false;
    return true;
}

static inline bool objectFits(Schema* s, const char* word, json_t* schema, json_t* rule,
                              json_t* value)
{
    const char* key;
    json_t* one;
    size_t i;
    if (strcmp(word, "required") == 0) {
        json_array_foreach(rule, i,
                           one) if (!json_object_get(value, json_string_value(one))) return false;
    } else if (strcmp(word, "properties") == 0) {
        json_object_foreach(value, key, one)
        {
            json_t* property = json_object_get(rule, key);
            if (property && !isValid(s, property, one)) return false;
        }
    } else if (strcmp(word, "additionalProperties") == 0) {
        assert_true(json_is_false(rule));
        json_object_foreach(
            value, key,
            one) if (!json_object_get(json_object_get(schema, "properties"), key)) return false;
    } else {
        json_object_foreach(value, key, one)
        {
            json_t* name = json_string(key);
            const bool good = isValid(s, rule, name);
            json_decref(name);
            if (!good) return false;
        }
    }
    return true;
}

static inline bool arrayFits(Schema* s, const char* word, json_t* rule, json_t* value)
{
    const size_t count = json_array_size(value);
    size_t i;
    json_t* one;
    if (strcmp(word, "minItems") == 0) return count >= (size_t)json_integer_value(rule);
    if (strcmp(word, "maxItems") == 0) return count <= (size_t)json_integer_value(rule);
    if (strcmp(word, "uniqueItems") == 0) return isUnique(value);
    json_array_foreach(value, i, one) if (!isValid(s, rule, one)) return false;
    return true;
}

static inline bool stringFits(const char* word, const json_t* rule, const json_t* value)
{
    const char* text = json_string_value(value);
    if (strcmp(word, "pattern") == 0) return matches(json_string_value(rule), text);
    if (strcmp(word, "minLength") == 0) return strlen(text) >= (size_t)json_integer_value(rule);
    return strlen(text) <= (size_t)json_integer_value(rule);
}

static inline bool branchesFit(Schema* s, const char* word, json_t* rule, json_t* value)
{
    size_t i, valid = 0;
    json_t* one;
    json_array_foreach(rule, i, one) valid += isValid(s, one, value);
    if (strcmp(word, "allOf") == 0) return valid == json_array_size(rule);
    return strcmp(word, "oneOf") == 0 ? valid == 1 : valid >= 1;
}

static inline bool isOneOf(const char* word, const char* const* words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static inline bool wordFits(Schema* s, const char* word, json_t* schema, json_t* rule,
                            json_t* value)
{
    static const char* const silent[] = {"$schema", "$defs", "title", "description",
                                         "default", "then",  "else",  NULL};
    static const char* const ofObjects[] = {"required", "properties", "additionalProperties",
                                            "propertyNames", NULL};
    static const char* const ofArrays[] = {"items", "minItems", "maxItems", "uniqueItems", NULL};
    static const char* const ofNumbers[] = {"minimum",          "maximum",    "exclusiveMinimum",
                                            "exclusiveMaximum", "multipleOf", NULL};
    static const char* const ofStrings[] = {"pattern", "minLength", "maxLength", NULL};
    static const char* const branches[] = {"oneOf", "anyOf", "allOf", NULL};
    if (isOneOf(word, silent)) return true;
    if (strcmp(word, "$ref") == 0) return isValid(s, referred(s, schema), value);
    if (strcmp(word, "type") == 0) return hasType(rule, value);
    if (strcmp(word, "const") == 0) return isEqual(rule, value);
    if (strcmp(word, "enum") == 0) return isAmong(rule, value);
    if (strcmp(word, "not") == 0) return !isValid(s, rule, value);
    if (isOneOf(word, branches)) return branchesFit(s, word, rule, value);
    if (isOneOf(word, ofObjects))
        return !json_is_object(value) || objectFits(s, word, schema, rule, value);
    if (isOneOf(word, ofArrays)) return !json_is_array(value) || arrayFits(s, word, rule, value);
    if (isOneOf(word, ofStrings)) return !json_is_string(value) || stringFits(word, rule, value);
    if (isOneOf(word, ofNumbers))
        return !json_is_number(value) ||
               numberFits(word, json_number_value(rule), json_number_value(value));
    if (strcmp(word, "if") == 0) {
        json_t* next = json_object_get(schema, isValid(s, rule, value) ? "then" : "else");
        return !next || isValid(s, next, value);
    }
    fail_msg("the schema says \"%s\", which is not known here", word);
    return false;
}

static bool isValid(Schema* s, json_t* schema, json_t* value)
{
    const char* word;
    json_t* rule;
    if (json_is_boolean(schema)) return json_is_true(schema);
    json_object_foreach(schema, word, rule)
    {
        if (!wordFits(s, word, schema, rule, value)) return broken(s, word, rule);
    }
    return true;
}

// --------------------------------------------------------------- what speaks of a value

enum { mostParts = 96 };

/// All parts of the schema that speak of one value: what is referred to, and the branches that it takes.
typedef struct {
    int count;
    json_t* parts[mostParts];
} Parts;

/// Null for the value: it is not there, and all branches count.
static inline void gather(Schema* s, json_t* schema, json_t* value, Parts* out)
{
    static const char* const branches[] = {"oneOf", "anyOf", "allOf"};
    if (!json_is_object(schema)) return;
    assert_true(out->count < mostParts);
    out->parts[out->count++] = schema;
    if (json_object_get(schema, "$ref")) gather(s, referred(s, schema), value, out);
    for (int i = 0; i < 3; i++) {
        size_t k;
        json_t* one;
        json_array_foreach(json_object_get(schema, branches[i]), k, one)
        {
            if (!value || isValid(s, one, value)) gather(s, one, value, out);
        }
    }
    json_t* condition = json_object_get(schema, "if");
    if (condition && value)
        gather(s, json_object_get(schema, isValid(s, condition, value) ? "then" : "else"), value,
               out);
}

/// What speaks of the value under a key, or of the elements of an array (a null key).
static inline Parts within(Schema* s, const Parts* of, const char* key, json_t* value)
{
    Parts parts = {0};
    for (int i = 0; i < of->count; i++) {
        json_t* next = key ? json_object_get(json_object_get(of->parts[i], "properties"), key)
                           : json_object_get(of->parts[i], "items");
        gather(s, next, value, &parts);
    }
    return parts;
}

#endif
