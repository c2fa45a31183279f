// Any bytes as a session: what is one is run again, if it is short and its world small.
#include "scene/scene.h"
#include "serve/serve.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { fewTicks = 5, memoryLimit = 64 << 20 };

static bool isShort(const json_t* root)
{
    const json_t* commands = json_object_get(root, "commands");
    const json_t* row;
    size_t i;
    if (json_integer_value(json_object_get(root, "ticks")) > fewTicks) return false;
    json_array_foreach(commands, i, row)
    {
        if (json_number_value(json_array_get(row, 0)) > fewTicks) return false;
    }
    return json_array_size(commands) < 100;
}

static bool isSmall(const json_t* root)
{
    char* text = json_dumps(json_object_get(root, "scene"), JSON_ENCODE_ANY);
    plScene* scene;
    plSceneError error;
    bool small = true;
    if (text &&
        plScene_Parse("fuzz.json", text, strlen(text), NULL, 0, &scene, &error) == pl_statusOk) {
        small = plScene_Capacity(scene).memory <= memoryLimit;
        plScene_Destroy(scene);
    }
    free(text);
    return small;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    plReplayed replayed;
    char message[400] = "";
    json_t* root = json_loadb((const char*)data, size, JSON_REJECT_DUPLICATES, NULL);
    const bool may = !root || (isShort(root) && isSmall(root));
    json_decref(root);
    if (!may) return 0;
    const plStatus status =
        plSession_Replay("fuzz.json", (const char*)data, size, &replayed, message, sizeof message);
    if (status != pl_statusOk && message[0] == '\0') abort();
    if (status == pl_statusOk && replayed.ticks > fewTicks) abort();
    return 0;
}
