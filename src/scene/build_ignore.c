// Parts that pass through each other.
#include "scene/build.h"

#include <stddef.h>
#include <string.h>

static const plField ignoreFields[] = {
    {.key = "a", .kind = pl_fieldOther, .required = true, .unit = "a part, or \"ground\""},
    {.key = "b", .kind = pl_fieldOther, .required = true, .unit = "a part, or \"ground\""},
};

static const plField partFields[] = {
    {.key = "mechanism",
     .kind = pl_fieldName,
     .offset = offsetof(plSpot, mechanism),
     .required = true},
    {.key = "part", .kind = pl_fieldName, .offset = offsetof(plSpot, part)},
};

static bool readPart(plBuilder* b, const json_t* json, const char* key, plSite* site)
{
    plReader* r = b->reader;
    const json_t* value = json_object_get(json, key);
    const char* text = json_string_value(value);
    plSpot place = {.whole = true};
    int index;
    *site = (plSite){0};
    plReader_Enter(r, key);
    if (text && strcmp(text, "ground") != 0)
        plReader_Expect(r, value, "\"ground\", or an object that names a mechanism");
    if (!text && plReader_Object(r, value, partFields, PL_COUNT(partFields), &place))
        plBuilder_Site(b, &place, site, &index);
    plReader_Leave(r);
    return !r->failed;
}

static bool buildIgnored(plBuilder* b, const json_t* json)
{
    plReader* r = b->reader;
    plSite first = {0}, second = {0};
    if (!plReader_Object(r, json, ignoreFields, PL_COUNT(ignoreFields), &first) ||
        !readPart(b, json, "a", &first) || !readPart(b, json, "b", &second))
        return false;
    if (first.mechanism.index1 == second.mechanism.index1 && first.part == second.part)
        return plReader_FailAt(r, "b", "found the part of \"a\", expected another one");
    b->ignoredCount++;
    if (!b->world || !b->touches) return true;
    return plBuilder_Passed(b, plWorld_Ignore(b->world, first, second));
}

bool plBuilder_Ignored(plBuilder* b, const json_t* root)
{
    json_t* array;
    int count = plReader_EnterArray(b->reader, root, "ignore", plMaxIgnored, &array);
    for (int i = 0; i < count && !b->reader->failed; i++) {
        plReader_EnterIndex(b->reader, i);
        buildIgnored(b, json_array_get(array, (size_t)i));
        plReader_Leave(b->reader);
    }
    plReader_Leave(b->reader);
    return !b->reader->failed;
}
