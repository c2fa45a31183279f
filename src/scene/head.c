// The head of a scene: how to run it, and what to record.
#include "math/math.h"
#include "scene/content.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const plField headFields[] = {
    {.key = "$schema", .kind = pl_fieldText, .offset = offsetof(plHead, schema)},
    {.key = "title", .kind = pl_fieldText, .offset = offsetof(plHead, title)},
    {.key = "description", .kind = pl_fieldText, .offset = offsetof(plHead, description)},
    {.key = "paper", .kind = pl_fieldText, .offset = offsetof(plHead, paper)},
    {.key = "passiveVariant", .kind = pl_fieldText, .offset = offsetof(plHead, passiveVariant)},
    {.key = "rate",
     .kind = pl_fieldNumber,
     .offset = offsetof(plHead, rate),
     .range = pl_rangePositive,
     .max = 10000,
     .unit = "Hz"},
    {.key = "time",
     .kind = pl_fieldNumber,
     .offset = offsetof(plHead, time),
     .range = pl_rangePositive,
     .max = 1e7,
     .unit = "s"},
    {.key = "step", .kind = pl_fieldOther},
    {.key = "gravity",
     .kind = pl_fieldVec3,
     .offset = offsetof(plHead, world.gravity),
     .unit = "m/s^2"},
    {.key = "integrator",
     .kind = pl_fieldChoice,
     .offset = offsetof(plHead, integrator),
     .choices = pl_integratorCount,
     .choice = plIntegrator_Name},
    {.key = "law",
     .kind = pl_fieldChoice,
     .offset = offsetof(plHead, world.contact.law),
     .choices = pl_lawCount,
     .choice = plLawName_Name},
    {.key = "contact", .kind = pl_fieldOther},
    {.key = "planar", .kind = pl_fieldBool, .offset = offsetof(plHead, world.planar)},
    {.key = "passes",
     .kind = pl_fieldInt,
     .offset = offsetof(plHead, world.passes),
     .range = pl_rangeNotNegative,
     .max = 64},
    {.key = "budget",
     .kind = pl_fieldNumber,
     .offset = offsetof(plHead, world.budget),
     .range = pl_rangeNotNegative,
     .max = 1e15,
     .unit = "1/s"},
    {.key = "guard", .kind = pl_fieldBool, .offset = offsetof(plHead, world.guard)},
    {.key = "capacity", .kind = pl_fieldOther},
    {.key = "materials", .kind = pl_fieldOther},
    {.key = "pairs", .kind = pl_fieldOther},
    {.key = "ground", .kind = pl_fieldOther},
    {.key = "mechanisms",
     .kind = pl_fieldOther,
     .required = true,
     .unit = "an array of at least one mechanism"},
    {.key = "links", .kind = pl_fieldOther},
    {.key = "drives", .kind = pl_fieldOther},
    {.key = "devices", .kind = pl_fieldOther},
    {.key = "couplings", .kind = pl_fieldOther},
    {.key = "ignore", .kind = pl_fieldOther},
    {.key = "record", .kind = pl_fieldOther},
};

static const plField stepFields[] = {
    {.key = "min",
     .kind = pl_fieldNumber,
     .offset = offsetof(plHead, stepMin),
     .required = true,
     .range = pl_rangePositive,
     .max = 10,
     .unit = "s"},
    {.key = "max",
     .kind = pl_fieldNumber,
     .offset = offsetof(plHead, stepMax),
     .required = true,
     .range = pl_rangePositive,
     .max = 10,
     .unit = "s"},
    {.key = "seed",
     .kind = pl_fieldSize,
     .offset = offsetof(plHead, seed),
     .range = pl_rangeNotNegative,
     .max = 9007199254740991.0},
};

#define COUNT_FIELD(name, itsRange, itsMax)                                                        \
    {                                                                                              \
        .key = #name, .kind = pl_fieldInt, .offset = offsetof(plWorldCapacity, name),              \
        .range = itsRange, .max = itsMax                                                           \
    }

static const plField capacityFields[] = {
    COUNT_FIELD(mechanisms, pl_rangePositive, plMaxMechanisms),
    COUNT_FIELD(links, pl_rangeNotNegative, plMaxLinks),
    COUNT_FIELD(drives, pl_rangeNotNegative, plMaxDrives),
    COUNT_FIELD(rows, pl_rangeNotNegative, plMaxRows),
    COUNT_FIELD(shapes, pl_rangeNotNegative, plMaxShapes),
    COUNT_FIELD(materials, pl_rangeNotNegative, plMaxMaterials),
    COUNT_FIELD(contacts, pl_rangeNotNegative, plMaxContacts),
    COUNT_FIELD(pairs, pl_rangeNotNegative, plMaxPairs),
    COUNT_FIELD(ignored, pl_rangeNotNegative, plMaxIgnored),
    COUNT_FIELD(softFaces, pl_rangeNotNegative, plMostTets),
    COUNT_FIELD(softNodes, pl_rangeNotNegative, plMostTets),
    COUNT_FIELD(surfaces, pl_rangeNotNegative, plMaxSurfaces),
    COUNT_FIELD(devices, pl_rangeNotNegative, plMaxDevices),
    COUNT_FIELD(couplings, pl_rangeNotNegative, plMaxCouplings),
    {.key = "memory",
     .kind = pl_fieldSize,
     .offset = offsetof(plWorldCapacity, memory),
     .range = pl_rangePositive,
     .max = 1099511627776.0,
     .unit = "bytes"},
};

static const plField recordFields[] = {{.key = "channels", .kind = pl_fieldOther}};

static bool readStep(plHead* head, plReader* r, const json_t* root)
{
    static const plField constant = {.key = "step",
                                     .kind = pl_fieldNumber,
                                     .offset = offsetof(plHead, stepMin),
                                     .range = pl_rangePositive,
                                     .max = 10,
                                     .unit = "s"};
    const json_t* step = json_object_get(root, "step");
    if (!json_is_object(step)) {
        if (!plReader_Field(r, root, &constant, head)) return false;
        head->stepMax = head->stepMin;
        return true;
    }
    plReader_Enter(r, "step");
    if (plReader_Object(r, step, stepFields, PL_COUNT(stepFields), head) &&
        head->stepMin > head->stepMax)
        plReader_Fail(r, pl_statusSceneContent, "found min %g above max %g, expected it below",
                      head->stepMin, head->stepMax);
    plReader_Leave(r);
    return !r->failed;
}

static bool readChannel(plReader* r, const json_t* json, json_t* taken)
{
    const char* name = json_string_value(json);
    if (!name || !name[0] || strlen(name) >= plChannelSize)
        return plReader_Expect(r, json, "the name of a channel, such as \"energy\"");
    if (json_object_get(taken, name))
        return plReader_Expect(r, json, "a channel that is not in the list already");
    if (json_object_set_new(taken, name, json_true()) != 0)
        return plReader_Fail(r, pl_statusNoMemory, "%s", plStatus_Sentence(pl_statusNoMemory));
    return true;
}

static bool readRecord(plHead* head, plReader* r, const json_t* root)
{
    const json_t* record = json_object_get(root, "record");
    json_t* channels;
    if (!record) return true;
    plReader_Enter(r, "record");
    if (plReader_Object(r, record, recordFields, PL_COUNT(recordFields), head)) {
        json_t* taken = json_object();
        int count = plReader_EnterArray(r, record, "channels", plMaxChannels, &channels);
        for (int i = 0; i < count && !r->failed; i++) {
            plReader_EnterIndex(r, i);
            readChannel(r, json_array_get(channels, (size_t)i), taken);
            plReader_Leave(r);
        }
        plReader_Leave(r);
        json_decref(taken);
        if (count > 0) head->channels = channels;
    }
    plReader_Leave(r);
    return !r->failed;
}

bool plHead_Read(plHead* head, plReader* r, const json_t* root)
{
    *head = (plHead){.title = "untitled",
                     .description = "",
                     .paper = "",
                     .passiveVariant = "",
                     .time = 10,
                     .stepMin = 0.001,
                     .stepMax = 0.001,
                     .seed = 1,
                     .integrator = pl_integratorMidpoint,
                     .world = plDefaultWorldDef(),
                     .given = {.mechanisms = -1,
                               .links = -1,
                               .drives = -1,
                               .rows = -1,
                               .shapes = -1,
                               .materials = -1,
                               .contacts = -1,
                               .pairs = -1,
                               .ignored = -1,
                               .softFaces = -1,
                               .softNodes = -1,
                               .surfaces = -1,
                               .devices = -1,
                               .couplings = -1}};
    if (!plReader_Object(r, root, headFields, PL_COUNT(headFields), head)) return false;
    const json_t* capacity = json_object_get(root, "capacity");
    if (capacity) {
        plReader_Enter(r, "capacity");
        plReader_Object(r, capacity, capacityFields, PL_COUNT(capacityFields), &head->given);
        plReader_Leave(r);
    }
    if (r->failed || !readStep(head, r, root)) return false;
    head->world.step = head->stepMax;
    return plHead_ReadContact(head, r, root) && readRecord(head, r, root);
}

bool plHead_CheckCapacity(const plHead* head, plReader* r, const plWorldCapacity* needed)
{
    const struct {
        const char* key;
        int given, needed;
    } counts[] = {
        {"mechanisms", head->given.mechanisms, needed->mechanisms},
        {"links", head->given.links, needed->links},
        {"drives", head->given.drives, needed->drives},
        {"rows", head->given.rows, needed->rows},
        {"shapes", head->given.shapes, needed->shapes},
        {"materials", head->given.materials, needed->materials},
        {"ignored", head->given.ignored, needed->ignored},
        {"softFaces", head->given.softFaces, needed->softFaces},
        {"softNodes", head->given.softNodes, needed->softNodes},
        {"devices", head->given.devices, needed->devices},
        {"couplings", head->given.couplings, needed->couplings},
    };
    plReader_Enter(r, "capacity");
    for (int i = 0; i < PL_COUNT(counts); i++) {
        if (counts[i].given < 0 || counts[i].given >= counts[i].needed) continue;
        plReader_FailAt(r, counts[i].key, "found %d, expected at least %d for this scene",
                        counts[i].given, counts[i].needed);
    }
    plReader_Leave(r);
    return !r->failed;
}

/// A channel of the world whose name is near, or null. Only the first ones of a large world are
/// looked at: a hint is worth no more.
static const char* nearestChannel(const plWorld* world, const char* name, char* near)
{
    enum { most = 256 };
    char(*all)[plChannelSize] = calloc(most, sizeof *all);
    const char* names[most];
    int count = 0;
    if (!all) return NULL;
    while (count < most && plWorld_ChannelName(world, count, all[count], sizeof all[count]) > 0) {
        names[count] = all[count];
        count++;
    }
    const char* found = plText_Nearest(name, names, count);
    if (found) memcpy(near, found, plChannelSize);
    free(all);
    return found ? near : NULL;
}

static bool checkChannel(plReader* r, const plWorld* world, const json_t* json)
{
    plChannel channel;
    char buffer[plChannelSize];
    const char* name = json_string_value(json);
    if (plWorld_FindChannel(world, name, &channel) == pl_statusOk) return true;
    const char* near = nearestChannel(world, name, buffer);
    return plReader_Expect(r, json, "a channel of this world%s%s%s",
                           near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

bool plHead_CheckChannels(const plHead* head, plReader* r, const plWorld* world)
{
    int count = (int)json_array_size(head->channels);
    plReader_Enter(r, "record");
    plReader_Enter(r, "channels");
    for (int i = 0; i < count && !r->failed; i++) {
        plReader_EnterIndex(r, i);
        checkChannel(r, world, json_array_get(head->channels, (size_t)i));
        plReader_Leave(r);
    }
    plReader_Leave(r);
    plReader_Leave(r);
    return !r->failed;
}
