// Grips: a handle that closes fingers.
#include "scene/build.h"

#include <stddef.h>

typedef struct {
    const char* mechanism;
} Finger;

static const plField fingerFields[] = {
    {.key = "mechanism",
     .kind = pl_fieldName,
     .offset = offsetof(Finger, mechanism),
     .required = true},
    {.key = "open", .kind = pl_fieldOther, .required = true, .unit = "a position per velocity"},
    {.key = "closed", .kind = pl_fieldOther, .required = true, .unit = "a position per velocity"},
};

static bool readFinger(plBuilder* b, const json_t* json, plGripFinger* out)
{
    plReader* r = b->reader;
    Finger f = {0};
    plSite site;
    int index;
    if (!plReader_Object(r, json, fingerFields, PL_COUNT(fingerFields), &f) ||
        !plBuilder_Site(b, &(plSpot){.mechanism = f.mechanism}, &site, &index))
        return false;
    if (!b->mechanisms[index].isChain)
        return plReader_FailAt(r, "mechanism", "found \"%s\", expected a chain with tendons",
                               f.mechanism);
    out->mechanism = site.mechanism;
    out->open = plBuilder_Numbers(b, json, "open", b->mechanisms[index].velocities);
    out->closed = plBuilder_Numbers(b, json, "closed", b->mechanisms[index].velocities);
    return !r->failed;
}

static bool readFingers(plBuilder* b, const json_t* json, plGripDef* def)
{
    plReader* r = b->reader;
    plGripFinger* fingers = NULL;
    json_t* array;
    if (!json_object_get(json, "fingers"))
        return plReader_Fail(r, pl_statusSceneContent,
                             "missing \"fingers\", expected an array of at least one finger");
    const int count = plReader_EnterArray(r, json, "fingers", plGripFingers, &array);
    if (count == 0) plReader_Expect(r, array, "an array of at least one finger");
    if (count > 0) fingers = plBuilder_Take(b, count, sizeof *fingers);
    for (int i = 0; i < count && !r->failed; i++) {
        plReader_EnterIndex(r, i);
        readFinger(b, json_array_get(array, (size_t)i), &fingers[i]);
        plReader_Leave(r);
    }
    plReader_Leave(r);
    def->fingers = fingers;
    def->fingerCount = count;
    return !r->failed;
}

bool plBuilder_Grip(plBuilder* b, const json_t* json, plGripDef* def)
{
    plReader* r = b->reader;
    const double* range = plBuilder_Numbers(b, json, "range", 2);
    if (r->failed) return false;
    if (range && range[0] == range[1])
        return plReader_FailAt(r, "range", "found [%g, %g], expected two different places [m]",
                               range[0], range[1]);
    if (range) def->open = range[0], def->closed = range[1];
    return readFingers(b, json, def);
}
