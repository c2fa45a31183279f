// Any bytes as a scene: parsed, and if it is one, made into a world that does two steps. What
// follows a zero byte is a setting. Its ticks have the budget of hands: any scene may ask for more work than there is time.
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void run(const plScene* scene)
{
    enum { memoryLimit = 64 << 20 };
    plWorld* world;
    plSceneError error;
    if (plScene_Capacity(scene).memory > memoryLimit) return;
    if (plScene_CreateWorld(scene, &world, &error) != pl_statusOk) {
        if (error.message[0] == '\0') abort();
        return;
    }
    plStepper stepper = plScene_Stepper(scene);
    for (int i = 0; i < 2; i++) plWorld_Step(world, plStepper_Next(&stepper));
    plWorld_Destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char* text = malloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    size_t length = strlen(text);
    const char* const settings[] = {"budget=2e9", text + length + 1};
    const int count = length < size ? 2 : 1;

    plScene* scene;
    plSceneError error;
    if (plScene_Parse("fuzz.json", text, length, settings, count, &scene, &error) == pl_statusOk) {
        run(scene);
        plScene_Destroy(scene);
    } else if (error.message[0] == '\0' || scene) {
        abort();
    }
    free(text);
    return 0;
}
