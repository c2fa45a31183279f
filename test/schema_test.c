// The schema of scenes and the reader agree: what one takes the other takes, key by key, with the same
// kinds, bounds, units, choices and defaults. What the reader asks for is told by itself. The page that is made
// from the schema is current.
#define _POSIX_C_SOURCE 200809L

#include "json_schema.h"

#include "palp/palp.h"
#include "scene/content.h"
#include "schema.h"

#include <dirent.h>
#include <stdlib.h>

enum { mostAsked = 1024 };

/// What was asked of all scenes so far, and by how many tables.
typedef struct {
    Schema schema;
    json_t* scene;
    int tables, fields, defaults, faults;
    int askedCount;
    const json_t* asked[mostAsked]; ///< declarations of keys
} Watch;

static char* readText(const char* path)
{
    FILE* in = fopen(path, "rb");
    if (!in) fail_msg("%s cannot be read", path);
    char* text = calloc(1, 1 << 18);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 18) - 1, in) < (1 << 18) - 1);
    fclose(in);
    return text;
}

/// Calls for every file of a folder with an ending.
static int forFiles(const char* folder, const char* ending, void (*call)(Watch*, const char* path),
                    Watch* w)
{
    DIR* d = opendir(folder);
    assert_non_null(d);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(d));) {
        const char* name = entry->d_name;
        const size_t n = strlen(name), e = strlen(ending);
        if (name[0] == '.' || n < e || strcmp(name + n - e, ending) != 0) continue;
        if (strcmp(name, "scene.schema.json") == 0) continue;
        char path[400];
        snprintf(path, sizeof path, "%s/%s", folder, name);
        call(w, path);
        count++;
    }
    closedir(d);
    return count;
}

// ----------------------------------------------------------------------------- validity

static void expectValid(Watch* w, const char* path)
{
    json_error_t error;
    json_t* scene = json_load_file(path, 0, &error);
    if (!scene) fail_msg("%s: %s", path, error.text);
    if (!isValid(&w->schema, w->schema.root, scene)) fail_msg("%s: %s", path, w->schema.why);
    json_decref(scene);
}

static void everySceneIsValid(void** state)
{
    (void)state;
    static Watch w;
    w.schema = loadSchema();
    const int count = forFiles("scenes", ".json", expectValid, &w);
    print_message("%d scenes\n", count);
    assert_true(count > 30);
    json_decref(w.schema.root);
}

/// Inputs that were found by fuzzing: what the reader takes is never more than the schema allows.
static void expectValidIfRead(Watch* w, const char* path)
{
    char* text = readText(path);
    plScene* scene;
    if (plScene_Parse(path, text, strlen(text), NULL, 0, &scene, NULL) == pl_statusOk) {
        json_t* root = json_loads(text, 0, NULL);
        if (!isValid(&w->schema, w->schema.root, root)) fail_msg("%s: %s", path, w->schema.why);
        json_decref(root);
        plScene_Destroy(scene);
        w->tables++;
    }
    free(text);
}

static void whatTheReaderTakesIsValid(void** state)
{
    (void)state;
    static Watch w;
    w.schema = loadSchema();
    const int count = forFiles("test/fuzz/corpus/scene_fuzz", "", expectValidIfRead, &w);
    print_message("%d of %d texts are scenes\n", w.tables, count);
    assert_true(w.tables > 0);
    json_decref(w.schema.root);
}

static void mistakesAreNotValid(void** state)
{
    (void)state;
    static const char* const mistakes[] = {
        "{}",
        "{\"mechanisms\": []}",
        "{\"mechanisms\": [{\"type\": \"ball\"}]}",
        "{\"mechanisms\": [{\"type\": \"prescribed\", \"name\": \"a b\"}]}",
        "{\"mechanisms\": [{\"type\": \"prescribed\", \"name\": \"a\", \"mass\": 1}]}",
        "{\"mechanisms\": [{\"type\": \"prescribed\", \"name\": \"a\"}], \"stepp\": 1}",
        "{\"mechanisms\": [{\"type\": \"prescribed\", \"name\": \"a\"}], \"step\": 0}",
        "{\"mechanisms\": [{\"type\": \"prescribed\", \"name\": \"a\"}], \"step\": {\"min\": 1}}",
        "{\"mechanisms\": [{\"type\": \"prescribed\", \"name\": \"a\"}], \"title\": \"a\\nb\"}",
        "{\"mechanisms\": [{\"type\": \"prescribed\", \"name\": \"a\"}], \"gravity\": [0, 0]}",
        "{\"mechanisms\": [{\"type\": \"assembly\", \"name\": \"a\", \"mass\": 1}]}",
        "{\"mechanisms\": [{\"type\": \"soft\", \"name\": \"a\", \"mesh\": {\"box\": {}}}]}",
        "{\"mechanisms\": [{\"type\": \"prescribed\", \"name\": \"a\", \"shapes\": [{}]}]}",
    };
    Schema schema = loadSchema();
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        json_t* scene = json_loads(mistakes[i], 0, NULL);
        assert_non_null(scene);
        if (isValid(&schema, schema.root, scene)) fail_msg("%s is valid", mistakes[i]);
        json_decref(scene);
    }
    json_decref(schema.root);
}

// ------------------------------------------------------------- what the reader asks for

/// One rule of all that speak of a value, or null.
static const json_t* ruleOf(const Parts* parts, const char* word)
{
    for (int i = 0; i < parts->count; i++) {
        const json_t* rule = json_object_get(parts->parts[i], word);
        if (rule) return rule;
    }
    return NULL;
}

static bool saysType(const Parts* parts, const char* type)
{
    for (int i = 0; i < parts->count; i++) {
        const char* said = json_string_value(json_object_get(parts->parts[i], "type"));
        if (said && strcmp(said, type) == 0) return true;
    }
    return false;
}

static bool refersTo(const Watch* w, const Parts* parts, const char* name)
{
    const json_t* definition = json_object_get(json_object_get(w->schema.root, "$defs"), name);
    assert_non_null(definition);
    for (int i = 0; i < parts->count; i++)
        if (parts->parts[i] == definition) return true;
    return false;
}

/// "[m]", alone or among others: "[N/m or N m/rad]".
static bool saysUnit(const Parts* parts, const char* unit)
{
    for (int i = 0; i < parts->count; i++) {
        const char* text = json_string_value(json_object_get(parts->parts[i], "description"));
        for (const char* at = text ? strchr(text, '[') : NULL; at; at = strchr(at + 1, '[')) {
            const char *found = strstr(at, unit), *end = strchr(at, ']');
            if (found && end && found + strlen(unit) <= end) return true;
        }
    }
    return false;
}

static bool isNumber(const json_t* rule, double x)
{
    return json_is_number(rule) && json_number_value(rule) == x;
}

static bool hasBounds(const plField* f, const Parts* parts)
{
    const json_t *least = ruleOf(parts, "minimum"), *above = ruleOf(parts, "exclusiveMinimum"),
                 *most = ruleOf(parts, "maximum");
    const bool isInt = f->kind == pl_fieldInt || f->kind == pl_fieldSize;
    if (f->max > 0 ? !isNumber(most, f->max) : most != NULL) return false;
    if (f->range == pl_rangeWithin) return isNumber(least, -f->max) && !above;
    if (f->range == pl_rangeNotNegative) return isNumber(least, 0) && !above;
    if (f->range == pl_rangePositive) return isInt ? isNumber(least, 1) : isNumber(above, 0);
    return !least && !above;
}

/// Where a table leaves to its owner what is narrower: the schema says what the owner takes.
static bool isNarrowedByItsOwner(const Parts* object, const plField* f)
{
    const json_t* of = ruleOf(object, "description");
    const bool isSoft = of && strcmp(json_string_value(of), "An elastic body of tetrahedra.") == 0;
    return isSoft && (strcmp(f->key, "nu") == 0 || strcmp(f->key, "integrator") == 0);
}

static bool hasChoices(const plField* f, const Parts* parts)
{
    const json_t *names = ruleOf(parts, "enum"), *one = ruleOf(parts, "const");
    if (one)
        return f->choices == 1 || plName_Find(json_string_value(one), f->choices, f->choice) >= 0;
    if ((int)json_array_size(names) != f->choices) return false;
    for (int i = 0; i < f->choices; i++)
        if (strcmp(json_string_value(json_array_get(names, (size_t)i)), f->choice(i)) != 0)
            return false;
    return true;
}

static const char* kindFault(const Watch* w, const plField* f, const Parts* parts)
{
    switch (f->kind) {
    case pl_fieldOther:
        return NULL;
    case pl_fieldText:
        return saysType(parts, "string") ? NULL : "is no string";
    case pl_fieldName:
        return refersTo(w, parts, "name") ? NULL : "is no name";
    case pl_fieldBool:
        return saysType(parts, "boolean") ? NULL : "is no boolean";
    case pl_fieldInt:
    case pl_fieldSize:
        if (!saysType(parts, "integer")) return "is no integer";
        return hasBounds(f, parts) ? NULL : "has other bounds";
    case pl_fieldNumber:
        if (!saysType(parts, "number")) return "is no number";
        return hasBounds(f, parts) ? NULL : "has other bounds";
    case pl_fieldStiffness:
        return refersTo(w, parts, "rigidity") ? NULL : "may not be rigid";
    case pl_fieldVec3:
    case pl_fieldAxis:
        return isNumber(ruleOf(parts, "minItems"), 3) && isNumber(ruleOf(parts, "maxItems"), 3)
                   ? NULL
                   : "is no vector";
    case pl_fieldTurn:
        return refersTo(w, parts, "orientation") ? NULL : "is no orientation";
    case pl_fieldInertia:
        return refersTo(w, parts, "inertia") ? NULL : "is no inertia";
    case pl_fieldChoice:
        return hasChoices(f, parts) ? NULL : "has other choices";
    }
    return "is of no kind";
}

static bool isVector(const json_t* given, const double* x, int count)
{
    if ((int)json_array_size(given) != count) return false;
    for (int i = 0; i < count; i++)
        if (json_number_value(json_array_get(given, (size_t)i)) != x[i]) return false;
    return true;
}

/// Whether what stands where the value goes is the default of the schema.
static bool isDefault(const plField* f, const json_t* given, const char* at)
{
    double x[4] = {0};
    int i = 0;
    size_t n = 0;
    bool flag = false;
    const char* text = NULL;
    switch (f->kind) {
    case pl_fieldOther:
    case pl_fieldInertia:
        return true;
    case pl_fieldText:
    case pl_fieldName:
        memcpy(&text, at, sizeof text);
        return text && strcmp(text, json_string_value(given)) == 0;
    case pl_fieldBool:
        memcpy(&flag, at, sizeof flag);
        return flag == json_is_true(given);
    case pl_fieldInt:
        memcpy(&i, at, sizeof i);
        return i == json_number_value(given);
    case pl_fieldSize:
        memcpy(&n, at, sizeof n);
        return (double)n == json_number_value(given);
    case pl_fieldNumber:
    case pl_fieldStiffness:
        memcpy(x, at, sizeof *x);
        return x[0] == json_number_value(given);
    case pl_fieldVec3:
    case pl_fieldAxis:
        memcpy(x, at, 3 * sizeof *x);
        return isVector(given, x, 3);
    case pl_fieldTurn:
        memcpy(x, at, 4 * sizeof *x);
        return isVector(given, x, 4);
    case pl_fieldChoice:
        memcpy(&i, at, sizeof i);
        return i >= 0 && i < f->choices && strcmp(f->choice(i), json_string_value(given)) == 0;
    }
    return false;
}

static bool isRequired(const Parts* object, const char* key)
{
    json_t* name = json_string(key);
    bool required = false;
    for (int i = 0; i < object->count; i++)
        required |= isAmong(json_object_get(object->parts[i], "required"), name);
    json_decref(name);
    return required;
}

static void note(Watch* w, const plReader* r, const char* key, const char* fault)
{
    char path[plPathSize];
    plReader_Path(r, path, sizeof path);
    print_message("%s: %s of %s: %s\n", r->file, key, path[0] ? path : "the scene", fault);
    w->faults++;
}

/// A key is declared where no other keys may stand beside those that are named.
static void markAsked(Watch* w, const Parts* object, const char* key)
{
    for (int i = 0; i < object->count; i++) {
        const json_t* one = json_object_get(json_object_get(object->parts[i], "properties"), key);
        if (!one || !json_is_false(json_object_get(object->parts[i], "additionalProperties")))
            continue;
        bool known = false;
        for (int k = 0; k < w->askedCount; k++) known |= w->asked[k] == one;
        assert_true(w->askedCount < mostAsked);
        if (!known) w->asked[w->askedCount++] = one;
    }
}

static void compareField(Watch* w, const plReader* r, const Parts* object, const plField* f,
                         const char* out)
{
    const Parts parts = within(&w->schema, object, f->key, NULL);
    // One that is read by itself may be one that the table of its object does not let in.
    if (parts.count == 0 && !out) return;
    if (parts.count == 0) {
        note(w, r, f->key, "is not in the schema");
        return;
    }
    const char* fault = isNarrowedByItsOwner(object, f) ? NULL : kindFault(w, f, &parts);
    if (fault) note(w, r, f->key, fault);
    if (f->kind != pl_fieldOther && f->unit && strcmp(f->unit, "1") != 0 &&
        !saysUnit(&parts, f->unit))
        note(w, r, f->key, "has another unit");
    if (f->required && !isRequired(object, f->key)) note(w, r, f->key, "is not required");
    const json_t* given = ruleOf(&parts, "default");
    if (given && out && !f->required) {
        if (!isDefault(f, given, out + f->offset)) note(w, r, f->key, "has another default");
        w->defaults++;
    }
    w->fields++;
    markAsked(w, object, f->key);
}

static void compareTable(void* self, const plReader* r, const json_t* object, const plField* fields,
                         int count, const void* out)
{
    Watch* w = self;
    Parts parts = {0};
    json_t* value = w->scene;
    (void)object;
    gather(&w->schema, w->schema.root, value, &parts);
    for (int i = 0; i < r->depth; i++) {
        const plPathPart* step = &r->path[i];
        value = step->key ? json_object_get(value, step->key)
                          : json_array_get(value, (size_t)step->index);
        parts = within(&w->schema, &parts, step->key, value);
    }
    for (int i = 0; i < count; i++) compareField(w, r, &parts, &fields[i], out);
    w->tables++;
}

static void watchScene(Watch* w, plScene* scene)
{
    const plReaderWatch watch = {compareTable, w};
    w->scene = json_loads(plScene_Text(scene), 0, NULL);
    assert_non_null(w->scene);
    if (!isValid(&w->schema, w->schema.root, w->scene))
        fail_msg("%s: %s", plScene_Title(scene), w->schema.why);
    assert_true(plScene_Watch(scene, &watch));
    json_decref(w->scene);
    plScene_Destroy(scene);
}

static void watchFile(Watch* w, const char* path)
{
    plScene* scene;
    plSceneError error;
    if (plScene_Load(path, NULL, 0, &scene, &error) != pl_statusOk) fail_msg("%s", error.message);
    watchScene(w, scene);
}

/// Every scene in a text, between lines of ```json and ```.
static void watchExamples(Watch* w, const char* path)
{
    char* text = readText(path);
    for (char* start = text; (start = strstr(start, "```json\n"));) {
        char* end = strstr(start + 8, "```");
        assert_non_null(end);
        *end = '\0';
        plScene* scene;
        plSceneError error;
        if (plScene_Parse(path, start + 8, strlen(start + 8), NULL, 0, &scene, &error) !=
            pl_statusOk)
            fail_msg("%s", error.message);
        watchScene(w, scene);
        start = end + 3;
    }
    free(text);
}

/// Kinds of objects that neither the gallery nor doc/scene.md has.
static const char rare[] =
    "{\"mechanisms\": ["
    "{\"type\": \"jointed\", \"name\": \"swing\", \"bodies\": [{\"name\": \"rod\", \"mass\": 1, "
    "\"inertia\": [1, 1, 1]}], \"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"a\": "
    "\"rod\", \"frameA\": {\"position\": [0, 0, 1]}, \"frameB\": {\"position\": [0, 0, 1]}}]},"
    "{\"type\": \"assembly\", \"name\": \"ball\", \"mass\": 1, \"inertia\": [1, 1, 1], \"shapes\": "
    "[{\"type\": \"compound\", \"pieces\": [{\"type\": \"sphere\", \"radius\": 0.1}]}]}],"
    "\"links\": [{\"name\": \"tie\", \"a\": {\"mechanism\": \"ball\"}, \"b\": {\"ground\": [0, 0, "
    "1]}, \"stiffness\": 1}]}";

/// Declarations of the schema that nobody asked for.
static int tellNotAsked(const Watch* w, const json_t* schema, const char* where)
{
    int count = 0;
    const char* key;
    json_t* one;
    size_t i;
    if (json_is_array(schema))
        json_array_foreach(schema, i, one) count += tellNotAsked(w, one, where);
    if (!json_is_object(schema)) return count;
    const bool declares = json_is_false(json_object_get(schema, "additionalProperties"));
    json_object_foreach(json_object_get(schema, "properties"), key, one)
    {
        bool asked = !declares;
        for (int k = 0; k < w->askedCount && !asked; k++) asked = w->asked[k] == one;
        if (!asked) print_message("%s: %s is never asked for\n", where, key);
        count += !asked;
    }
    json_object_foreach((json_t*)schema, key, one) count += tellNotAsked(w, one, key);
    return count;
}

static void readerAsksForWhatTheSchemaSays(void** state)
{
    (void)state;
    static Watch w;
    w.schema = loadSchema();
    forFiles("scenes", ".json", watchFile, &w);
    watchExamples(&w, "doc/scene.md");
    plScene* scene;
    plSceneError error;
    if (plScene_Parse("rare", rare, strlen(rare), NULL, 0, &scene, &error) != pl_statusOk)
        fail_msg("%s", error.message);
    watchScene(&w, scene);
    const int missed = tellNotAsked(&w, w.schema.root, "the scene");
    print_message("%d tables, %d fields, %d defaults; %d keys of the schema, %d not asked for\n",
                  w.tables, w.fields, w.defaults, w.askedCount, missed);
    assert_int_equal(w.faults, 0);
    assert_int_equal(missed, 0);
    json_decref(w.schema.root);
}

static void referenceIsMadeOfThisSchema(void** state)
{
    (void)state;
    Schema schema = loadSchema();
    char made[1 << 16] = "";
    FILE* out = fmemopen(made, sizeof made, "w");
    assert_non_null(out);
    plSchema_WriteMarkdown(schema.root, out);
    fclose(out);
    char* page = readText("doc/scene-reference.md");
    if (strcmp(made, page) != 0)
        fail_msg("doc/scene-reference.md is not what palp schema --markdown prints");
    free(page);
    json_decref(schema.root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everySceneIsValid),
        cmocka_unit_test(whatTheReaderTakesIsValid),
        cmocka_unit_test(mistakesAreNotValid),
        cmocka_unit_test(readerAsksForWhatTheSchemaSays),
        cmocka_unit_test(referenceIsMadeOfThisSchema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
