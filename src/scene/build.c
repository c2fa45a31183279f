// The run over a scene's content, and what a world for it needs.
#include "scene/build.h"

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
    if (json_object_get(names, name)) {
        plReader_Enter(b->reader, "name");
        plReader_Fail(b->reader, pl_statusSceneContent,
                      "found \"%s\", expected a name that is not taken", name);
        plReader_Leave(b->reader);
        return false;
    }
    if (json_object_set_new(names, name, json_integer(index)) != 0)
        return plReader_Fail(b->reader, pl_statusNoMemory, "%s",
                             plStatus_Sentence(pl_statusNoMemory));
    return true;
}

static const char* typeName(int i)
{
    static const char* const names[] = {"assembly", "chain"};
    return names[i];
}

static bool buildMechanism(plBuilder* b, const json_t* json, plBuiltMechanism* m)
{
    // The type says which fields are legal, so it is read first.
    static const plField field = {
        .key = "type", .kind = pl_fieldChoice, .required = true, .choices = 2, .choice = typeName};
    int type = 0;
    if (!json_is_object(json)) return plReader_Expect(b->reader, json, "an object");
    if (!plReader_Field(b->reader, json, &field, &type)) return false;
    return type == 0 ? plBuilder_Assembly(b, json, m) : plBuilder_Chain(b, json, m);
}

static bool buildMechanisms(plBuilder* b, const json_t* root)
{
    json_t* array;
    int count = plReader_EnterArray(b->reader, root, "mechanisms", plMaxMechanisms, &array);
    if (count == 0) plReader_Expect(b->reader, array, "at least one mechanism");
    if (count > 0) b->mechanisms = calloc((size_t)count, sizeof *b->mechanisms);
    if (count > 0 && !b->mechanisms)
        plReader_Fail(b->reader, pl_statusNoMemory, "%s", plStatus_Sentence(pl_statusNoMemory));
    for (int i = 0; i < count && !b->reader->failed; i++) {
        plBuiltMechanism* m = &b->mechanisms[i];
        m->json = json_array_get(array, (size_t)i);
        m->group = i;
        m->id = (plMechanismId){(uint32_t)i + 1, 1};
        b->mechanismCount = i + 1;
        plReader_EnterIndex(b->reader, i);
        buildMechanism(b, m->json, m);
        plReader_Leave(b->reader);
    }
    plReader_Leave(b->reader);
    return !b->reader->failed;
}

bool plBuilder_Run(plBuilder* b, const json_t* root)
{
    b->names = json_object();
    return buildMechanisms(b, root) && plBuilder_Links(b, root) && plBuilder_Drives(b, root);
}

void plBuilder_Free(plBuilder* b)
{
    json_decref(b->names);
    free(b->mechanisms);
    b->names = NULL;
    b->mechanisms = NULL;
}

int plBuilder_Rows(const plBuilder* b)
{
    int most = 0;
    for (int i = 0; i < b->mechanismCount; i++)
        if (b->mechanisms[i].rows > most) most = b->mechanisms[i].rows;
    return most;
}

plWorldCapacity plBuilder_Capacity(const plBuilder* b)
{
    enum { spareElements = 8, spareRows = 48 };
    const size_t real = sizeof(double), base = 1u << 20, perElement = 4096;
    size_t memory = base, most = 0;
    for (int i = 0; i < b->mechanismCount; i++) {
        const plBuiltMechanism* m = &b->mechanisms[i];
        size_t n = (size_t)m->velocities;
        // Mass, Coriolis, stiffness, damping, their factors and workspaces: n x n matrices.
        memory += (2 + (size_t)m->parts) * perElement + 16 * n * n * real;
        if (n > most) most = n;
    }
    int rows = plBuilder_Rows(b) + spareRows;
    if (rows > plMaxRows) rows = plMaxRows;
    // Response of the rows and its factors, and their images in one mechanism.
    memory += (size_t)rows * (3 * (size_t)rows + 2 * most) * real;
    memory += (size_t)(b->linkCount + b->driveCount) * perElement;
    return (plWorldCapacity){.mechanisms = b->mechanismCount + spareElements,
                             .links = b->linkCount + spareElements,
                             .drives = b->driveCount + spareElements,
                             .rows = rows,
                             .memory = memory};
}
