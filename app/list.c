// palp list: the scenes of the gallery, or the channels of one.
#include "app.h"

#include "base/base.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

static void printScene(const char* name, int width)
{
    plSceneError error;
    plScene* scene;
    if (plScene_Load(name, NULL, 0, &scene, &error) != pl_statusOk) {
        printf("%-*s  cannot be read: palp check %s tells why\n", width, name, name);
        return;
    }
    const char* description = plScene_Description(scene);
    printf("%-*s  %s\n", width, name, description[0] ? description : plScene_Title(scene));
    plScene_Destroy(scene);
}

static int listScenes(void)
{
    plGallery gallery;
    int width = 0;
    if (!plGallery_List(&gallery)) {
        plGallery_Free(&gallery);
        return plComplain(pl_exitInput, "no memory");
    }
    for (int i = 0; i < gallery.count; ++i) {
        const int length = (int)strlen(gallery.names[i]);
        width = length > width ? length : width;
    }
    for (int i = 0; i < gallery.count; ++i) printScene(gallery.names[i], width);
    const int count = gallery.count;
    plGallery_Free(&gallery);
    if (count > 0) return pl_exitOk;
    return plComplain(pl_exitInput, "there are no scenes; set PALP_SCENES to a folder of them");
}

static int listChannels(const plArguments* a, const char* scene)
{
    plOpened opened;
    char name[plChannelNameSize];
    const int code = plOpen(a, scene, &opened);
    for (int i = 0; code == pl_exitOk; ++i) {
        if (plWorld_ChannelName(opened.world, i, name, sizeof name) <= 0) break;
        puts(name);
    }
    plClose(&opened);
    return code;
}

static int list(const plArguments* a)
{
    const char* scene = plArguments_Value(a, "--channels");
    return scene ? listChannels(a, scene) : listScenes();
}

static const plOption options[] = {
    {"--channels", "SCENE", "list what can be recorded of a scene instead"},
};

const plVerb plListVerb = {
    .name = "list",
    .operands = "",
    .summary = "list the scenes of the gallery",
    .details = "The gallery is in $PALP_SCENES, ./scenes, and where palp was built or installed.\n",
    .optionCount = PL_COUNT(options),
    .options = options,
    .run = list,
};
