// Reading of objects by tables of fields.
#include "math/math.h"
#include "scene/reader.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { maxFields = 32 };

// Choices are read as int into fields of these types.
static_assert(sizeof(plIntegrator) == sizeof(int) && sizeof(plLinkForm) == sizeof(int) &&
                  sizeof(plJoint) == sizeof(int) && sizeof(plBias) == sizeof(int),
              "an enum is as wide as an int");

// ------------------------------------------------------------------------- what is expected

static void describeNumber(const plField* f, const char* noun, char* out, size_t size)
{
    static const char* const least[] = {"", " >= 0", " > 0", ""};
    char lower[48], upper[48] = "", unit[32] = "";
    snprintf(lower, sizeof lower, "%s", least[f->range]);
    if (f->range == pl_rangeWithin) snprintf(lower, sizeof lower, " >= %.15g", -f->max);
    if (f->max > 0)
        snprintf(upper, sizeof upper, "%s <= %.15g", f->range == pl_rangeAny ? "" : " and", f->max);
    if (f->unit) snprintf(unit, sizeof unit, " [%s]", f->unit);
    snprintf(out, size, "%s%s%s%s", noun, lower, upper, unit);
}

static void describeChoices(const plField* f, char* out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "one of");
    for (int i = 0; i < f->choices && used < size; i++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s \"%s\"", i > 0 ? "," : "", f->choice(i));
}

static void describeField(const plField* f, char* out, size_t size)
{
    const char* unit = f->unit ? f->unit : "1";
    switch (f->kind) {
    case pl_fieldOther:
        snprintf(out, size, "%s", f->unit ? f->unit : "a value");
        break;
    case pl_fieldText:
        snprintf(out, size, "a string of one line");
        break;
    case pl_fieldName:
        snprintf(out, size, "a name of 1 to 31 letters, digits, \"-\" or \"_\"");
        break;
    case pl_fieldBool:
        snprintf(out, size, "true or false");
        break;
    case pl_fieldInt:
    case pl_fieldSize:
        describeNumber(f, "an integer", out, size);
        break;
    case pl_fieldNumber:
        describeNumber(f, "a number", out, size);
        break;
    case pl_fieldStiffness:
        snprintf(out, size, "a number >= 0 [%s] or \"rigid\"", unit);
        break;
    case pl_fieldVec3:
        snprintf(out, size, "an array of 3 numbers [%s]", unit);
        break;
    case pl_fieldAxis:
        snprintf(out, size, "an array of 3 numbers, not all zero");
        break;
    case pl_fieldTurn:
        snprintf(out, size, "[w, x, y, z] or {\"axis\": [x, y, z], \"angle\": [rad]}");
        break;
    case pl_fieldInertia:
        snprintf(out, size, "an array of 3 numbers, or of 3 rows of 3 numbers [kg m^2]");
        break;
    case pl_fieldChoice:
        describeChoices(f, out, size);
        break;
    }
}

static bool expectField(plReader* r, const plField* f, const json_t* found)
{
    char expected[320];
    describeField(f, expected, sizeof expected);
    return plReader_Expect(r, found, "%s", expected);
}

// ---------------------------------------------------------------------------------- values

static bool inRange(const plField* f, double x)
{
    if (!isfinite(x) || (f->max > 0 && x > f->max)) return false;
    if (f->range == pl_rangeWithin) return x >= -f->max;
    return f->range == pl_rangeAny || x > 0 || (f->range == pl_rangeNotNegative && x == 0);
}

bool plReader_Numbers(plReader* r, const json_t* value, const char* unit, int count, double* out)
{
    const plField element = {.kind = pl_fieldNumber, .unit = unit};
    if (!json_is_array(value) || json_array_size(value) != (size_t)count)
        return plReader_Expect(r, value, "an array of %d number%s%s%s%s", count,
                               count == 1 ? "" : "s", unit ? " [" : "", unit ? unit : "",
                               unit ? "]" : "");
    for (int i = 0; i < count; i++) {
        const json_t* x = json_array_get(value, (size_t)i);
        out[i] = json_number_value(x);
        plReader_EnterIndex(r, i);
        if (!json_is_number(x) || !inRange(&element, out[i])) expectField(r, &element, x);
        plReader_Leave(r);
    }
    return !r->failed;
}

static bool readVec3(plReader* r, const plField* f, const json_t* value, void* out)
{
    double x[3];
    if (!plReader_Numbers(r, value, f->unit, 3, x)) return false;
    plVec3 v = plGet3(x);
    // Squares of what is smaller or larger are no numbers to divide by.
    double norm = plNorm(v);
    if (f->kind == pl_fieldAxis && !(norm > 1e-100 && norm < 1e100))
        return expectField(r, f, value);
    memcpy(out, &v, sizeof v);
    return true;
}

bool plReader_UnitQuat(plReader* r, double* q)
{
    double norm = sqrt(plDotN(q, q, 4));
    if (!(norm > 1e-6 && norm < 1e6))
        return plReader_Fail(r, pl_statusSceneContent,
                             "found a quaternion of length %g, expected about 1", norm);
    plPut4(plQuatUnit(plGet4(q)), q);
    return true;
}

bool plReader_Turn(plReader* r, const json_t* value, plQuat* out)
{
    static const plField field = {.kind = pl_fieldTurn};
    if (json_is_array(value)) {
        double q[4];
        if (!plReader_Numbers(r, value, NULL, 4, q) || !plReader_UnitQuat(r, q)) return false;
        *out = plGet4(q);
        return true;
    }
    if (!json_is_object(value)) return expectField(r, &field, value);
    struct {
        plVec3 axis;
        double angle;
    } turn;
    const plField fields[] = {
        {.key = "axis", .kind = pl_fieldAxis, .required = true},
        {.key = "angle",
         .kind = pl_fieldNumber,
         .offset = sizeof(plVec3),
         .required = true,
         .unit = "rad"},
    };
    if (!plReader_Object(r, value, fields, PL_COUNT(fields), &turn)) return false;
    *out = plRotor(plScale(1 / plNorm(turn.axis), turn.axis), turn.angle);
    return true;
}

static bool readInertia(plReader* r, const plField* f, const json_t* value, plMat3* out)
{
    if (!json_is_array(json_array_get(value, 0))) {
        double d[3];
        if (!json_is_array(value) || json_array_size(value) != 3) return expectField(r, f, value);
        if (!plReader_Numbers(r, value, "kg m^2", 3, d)) return false;
        *out = plDiagonal3(d[0], d[1], d[2]);
        return true;
    }
    if (json_array_size(value) != 3) return expectField(r, f, value);
    plVec3* rows[] = {&out->x, &out->y, &out->z};
    for (int i = 0; i < 3; i++) {
        double x[3] = {0};
        plReader_EnterIndex(r, i);
        plReader_Numbers(r, json_array_get(value, (size_t)i), "kg m^2", 3, x);
        plReader_Leave(r);
        *rows[i] = plGet3(x);
    }
    return !r->failed;
}

static bool readChoice(plReader* r, const plField* f, const json_t* value, int* out)
{
    const char* names[maxFields];
    int count = f->choices < maxFields ? f->choices : maxFields;
    for (int i = 0; i < count; i++) names[i] = f->choice(i);
    if (!json_is_string(value)) return expectField(r, f, value);
    *out = plName_Find(json_string_value(value), f->choices, f->choice);
    if (*out >= 0) return true;
    char expected[320];
    describeField(f, expected, sizeof expected);
    const char* near = plText_Nearest(json_string_value(value), names, count);
    return plReader_Expect(r, value, "%s%s%s%s", expected, near ? "; did you mean \"" : "",
                           near ? near : "", near ? "\"?" : "");
}

static bool isOneLine(const char* text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20) return false;
    return true;
}

static bool isName(const char* text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return n > 0 && n < plNameSize && text[n] == '\0';
}

static bool readText(plReader* r, const plField* f, const json_t* value, const char** out)
{
    const char* text = json_string_value(value);
    bool fits = text && (f->kind == pl_fieldName ? isName(text) : isOneLine(text));
    if (!fits) return expectField(r, f, value);
    *out = text;
    return true;
}

static bool readNumber(plReader* r, const plField* f, const json_t* value, void* out)
{
    double x = json_number_value(value);
    if (f->kind == pl_fieldStiffness && json_is_string(value) &&
        strcmp(json_string_value(value), "rigid") == 0) {
        x = (double)INFINITY;
    } else if (!json_is_number(value) || !inRange(f, x)) {
        return expectField(r, f, value);
    }
    if (f->kind == pl_fieldInt || f->kind == pl_fieldSize) {
        // Every integer field has a maximum below 2^53, so that the double is exact.
        PL_ASSERT(f->max > 0 && f->max < 9007199254740992.0 && f->range != pl_rangeAny);
        if (x != floor(x)) return expectField(r, f, value);
        if (f->kind == pl_fieldInt) {
            PL_ASSERT(f->max <= INT_MAX);
            memcpy(out, &(int){(int)x}, sizeof(int));
        } else {
            memcpy(out, &(size_t){(size_t)x}, sizeof(size_t));
        }
        return true;
    }
    memcpy(out, &x, sizeof x);
    return true;
}

static bool readField(plReader* r, const plField* f, const json_t* value, void* out)
{
    switch (f->kind) {
    case pl_fieldOther:
        return true;
    case pl_fieldText:
    case pl_fieldName:
        return readText(r, f, value, out);
    case pl_fieldBool:
        if (!json_is_boolean(value)) return expectField(r, f, value);
        memcpy(out, &(bool){json_is_true(value)}, sizeof(bool));
        return true;
    case pl_fieldInt:
    case pl_fieldSize:
    case pl_fieldNumber:
    case pl_fieldStiffness:
        return readNumber(r, f, value, out);
    case pl_fieldVec3:
    case pl_fieldAxis:
        return readVec3(r, f, value, out);
    case pl_fieldTurn:
        return plReader_Turn(r, value, out);
    case pl_fieldInertia:
        return readInertia(r, f, value, out);
    case pl_fieldChoice:
        return readChoice(r, f, value, out);
    }
    return false;
}

// --------------------------------------------------------------------------------- objects

static bool failUnknown(plReader* r, const char* key, const plField* fields, int count)
{
    const char* names[maxFields];
    char plain[64], known[320] = "";
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        names[i] = fields[i].key;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                                     names[i]);
    }
    plPlainText(key, plain, sizeof plain);
    const char* near = plText_Nearest(key, names, count);
    plReader_Enter(r, key);
    if (near)
        plReader_Fail(r, pl_statusSceneContent, "unknown key \"%s\", did you mean \"%s\"?", plain,
                      near);
    else
        plReader_Fail(r, pl_statusSceneContent, "unknown key \"%s\", expected one of %s", plain,
                      known);
    plReader_Leave(r);
    return false;
}

static bool isKnown(const char* key, const plField* fields, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(key, fields[i].key) == 0) return true;
    return false;
}

static void tell(const plReader* r, const json_t* object, const plField* fields, int count,
                 const void* out)
{
    if (r->watch) r->watch->call(r->watch->self, r, object, fields, count, out);
}

static bool readKey(plReader* r, const json_t* object, const plField* f, void* out)
{
    const json_t* value = json_object_get(object, f->key);
    if (!value && f->required) {
        char expected[320];
        describeField(f, expected, sizeof expected);
        return plReader_Fail(r, pl_statusSceneContent, "missing \"%s\", expected %s", f->key,
                             expected);
    }
    if (!value) return true;
    plReader_Enter(r, f->key);
    readField(r, f, value, (char*)out + f->offset);
    plReader_Leave(r);
    return !r->failed;
}

bool plReader_Field(plReader* r, const json_t* object, const plField* f, void* out)
{
    tell(r, object, f, 1, NULL); // its place may not be set yet
    return readKey(r, object, f, out);
}

bool plReader_Object(plReader* r, const json_t* object, const plField* fields, int count, void* out)
{
    PL_ASSERT(count <= maxFields);
    if (!json_is_object(object)) return plReader_Expect(r, object, "an object");
    tell(r, object, fields, count, out);
    // Jansson's iterator wants an object that is not const, but does not change it.
    json_t* o = (json_t*)object;
    for (void* i = json_object_iter(o); i; i = json_object_iter_next(o, i)) {
        const char* key = json_object_iter_key(i);
        if (!isKnown(key, fields, count)) return failUnknown(r, key, fields, count);
    }
    for (int i = 0; i < count; i++)
        if (!readKey(r, object, &fields[i], out)) return false;
    return true;
}

int plReader_EnterArray(plReader* r, const json_t* object, const char* key, int max, json_t** array)
{
    *array = json_object_get(object, key);
    plReader_Enter(r, key);
    if (!*array) return 0;
    if (!json_is_array(*array) || json_array_size(*array) > (size_t)max) {
        plReader_Expect(r, *array, "an array of at most %d", max);
        return -1;
    }
    return (int)json_array_size(*array);
}
