// palp schema: what may stand in a scene, for editors and for people.
#include "app.h"

#include "base/base.h"
#include "scene/scene.h"
#include "schema.h"

static int copy(const char* file)
{
    char bytes[4096];
    size_t count;
    bool good = true;
    FILE* in = fopen(file, "rb");
    if (!in) return plComplain(pl_exitInput, "%s cannot be read", file);
    while (good && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        good = fwrite(bytes, 1, count, stdout) == count;
    fclose(in);
    return good ? pl_exitOk : plComplain(pl_exitOutput, "the schema could not be written");
}

static int writeMarkdown(const char* file)
{
    json_error_t error;
    json_t* schema = json_load_file(file, 0, &error);
    if (!schema) return plComplain(pl_exitInput, "%s:%d: %s", file, error.line, error.text);
    plSchema_WriteMarkdown(schema, stdout);
    json_decref(schema);
    return pl_exitOk;
}

static int schema(const plArguments* a)
{
    char file[plPathLength], message[256];
    if (!plGallery_Find("scene.schema", file, sizeof file, message, sizeof message))
        return plComplain(pl_exitInput, "scene.schema.json is in no folder of scenes");
    return plArguments_Has(a, "--markdown") ? writeMarkdown(file) : copy(file);
}

static const plOption options[] = {
    {"--markdown", NULL, "print tables for people in place of JSON Schema"},
};

const plVerb plSchemaVerb = {
    .name = "schema",
    .operands = "",
    .summary = "print what may stand in a scene, as JSON Schema",
    .optionCount = PL_COUNT(options),
    .options = options,
    .run = schema,
};
