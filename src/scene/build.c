// The run over a scene's content.
#include "scene/build.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

bool plBuilder_Passed(plBuilder* b, plStatus status)
{
    if (status == pl_statusOk) return true;
    const char* reason = plWorld_Error(b->world);
    if (!reason || !reason[0]) reason = plStatus_Sentence(status);
    return plReader_Fail(b->reader, status, "%s", reason);
}

bool plBuilder_TakeName(plBuilder* b, json_t* names, const char* name, int index)
{
    if (json_object_get(names, name))
        return plReader_FailAt(b->reader, "name", "found \"%s\", expected a name that is not taken",
                               name);
    return json_object_set_new(names, name, json_integer(index)) == 0 ||
           plReader_FailMemory(b->reader);
}

// ------------------------------------------------------------------------------------ memory

struct plBlock {
    plBlock* next;
    alignas(max_align_t) unsigned char memory[];
};

void* plBuilder_Take(plBuilder* b, int count, size_t size)
{
    // Counts are those of arrays in a text of 16 MiB: the product is far from overflow.
    plBlock* block = calloc(1, sizeof *block + (size_t)count * size);
    if (!block) {
        plReader_FailMemory(b->reader);
        return NULL;
    }
    block->next = b->blocks;
    b->blocks = block;
    return block->memory;
}

void plBuilder_Free(plBuilder* b)
{
    for (int i = 0; i < b->mechanismCount; i++)
        if (b->mechanisms[i].tets) plTets_Free(b->mechanisms[i].tets);
    while (b->blocks) {
        plBlock* block = b->blocks;
        b->blocks = block->next;
        free(block);
    }
    json_decref(b->names);
    json_decref(b->materials);
    json_decref(b->devices);
    b->names = b->materials = b->devices = NULL;
    b->mechanisms = NULL;
    b->materialIds = NULL;
    b->deviceIds = NULL;
}

// -------------------------------------------------------------------------------- mechanisms

plBuiltMechanism* plBuilder_NewMechanism(plBuilder* b, const json_t* json, const char* name)
{
    const int index = b->mechanismCount;
    if (index == plMaxMechanisms) {
        plReader_Fail(b->reader, pl_statusSceneContent,
                      "found %d mechanisms up to here, expected at most %d", index + 1,
                      plMaxMechanisms);
        return NULL;
    }
    if (!plBuilder_TakeName(b, b->names, name, index)) return NULL;
    plBuiltMechanism* m = &b->mechanisms[b->mechanismCount++];
    *m = (plBuiltMechanism){.json = json, .id = {(uint32_t)index + 1, 1}, .group = index};
    return m;
}

void plBuilder_NoteMass(plBuilder* b, double mass)
{
    if (!(mass > 0)) return;
    if (b->lightest == 0 || mass < b->lightest) b->lightest = mass;
    if (mass > b->heaviest) b->heaviest = mass;
}

static const char* typeName(int i)
{
    static const char* const names[] = {"assembly", "chain", "prescribed", "soft", "jointed"};
    return names[i];
}

static bool buildMechanism(plBuilder* b, const json_t* json)
{
    // The type says which fields are legal, so it is read first.
    static const plField field = {
        .key = "type", .kind = pl_fieldChoice, .required = true, .choices = 5, .choice = typeName};
    int type = 0;
    if (!json_is_object(json)) return plReader_Expect(b->reader, json, "an object");
    if (!plReader_Field(b->reader, json, &field, &type)) return false;
    bool (*const build[])(plBuilder*, const json_t*) = {plBuilder_Assembly, plBuilder_Chain,
                                                        plBuilder_Prescribed, plBuilder_Soft,
                                                        plBuilder_Jointed};
    return build[type](b, json);
}

static bool buildMechanisms(plBuilder* b, const json_t* root)
{
    json_t* array;
    int count = plReader_EnterArray(b->reader, root, "mechanisms", plMaxMechanisms, &array);
    if (count == 0) plReader_Expect(b->reader, array, "at least one mechanism");
    // Grids make more of them than stand in the array.
    if (count > 0) b->mechanisms = plBuilder_Take(b, plMaxMechanisms, sizeof *b->mechanisms);
    for (int i = 0; i < count && !b->reader->failed; i++) {
        plReader_EnterIndex(b->reader, i);
        buildMechanism(b, json_array_get(array, (size_t)i));
        plReader_Leave(b->reader);
    }
    plReader_Leave(b->reader);
    return !b->reader->failed;
}

bool plBuilder_Run(plBuilder* b, const json_t* root)
{
    // Channels of all contacts together begin with it.
    b->names = json_pack("{s:i}", "contacts", -1);
    b->materials = json_object();
    b->devices = json_object();
    return plBuilder_Materials(b, root) && plBuilder_MaterialPairs(b, root) &&
           plBuilder_Ground(b, root) && buildMechanisms(b, root) && plBuilder_Links(b, root) &&
           plBuilder_Drives(b, root) && plBuilder_Devices(b, root) &&
           plBuilder_Couplings(b, root) && plBuilder_Ignored(b, root);
}
