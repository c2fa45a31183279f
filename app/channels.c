// Channels to record: what was asked for, checked against the world.
#include "app.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int countOf(const plWorld* world)
{
    char name[plChannelNameSize];
    int count = 0;
    while (plWorld_ChannelName(world, count, name, sizeof name) > 0) ++count;
    return count;
}

static bool reserve(plChannelList* list, int capacity)
{
    list->names = calloc((size_t)capacity + 1, sizeof *list->names);
    list->channels = calloc((size_t)capacity + 1, sizeof *list->channels);
    return list->names && list->channels;
}

/// A name that is too long for a channel is cut here, and then not found.
static void addName(plChannelList* list, const char* name, size_t length)
{
    if (length >= plChannelNameSize) length = plChannelNameSize - 1;
    memcpy(list->names[list->count], name, length);
    list->names[list->count++][length] = '\0';
}

static int unknownChannel(const plWorld* world, const char* name)
{
    plChannelList all = {0};
    char hint[plChannelNameSize + 32] = "";
    const int count = countOf(world);
    const char** names = calloc((size_t)count + 1, sizeof *names);
    if (names && reserve(&all, count)) {
        for (int i = 0; i < count; ++i) {
            plWorld_ChannelName(world, i, all.names[i], sizeof all.names[i]);
            names[i] = all.names[i];
        }
        plDidYouMean(name, names, count, hint, sizeof hint);
    }
    free(names);
    plChannelList_Free(&all);
    return plComplain(pl_exitInput, "the scene has no channel \"%s\"%s", name,
                      hint[0] ? hint : "; palp list --channels SCENE shows them");
}

static bool nameAll(plChannelList* list, const plWorld* world)
{
    const int count = countOf(world);
    if (!reserve(list, count)) return false;
    for (int i = 0; i < count; ++i)
        plWorld_ChannelName(world, list->count++, list->names[i], sizeof list->names[i]);
    return true;
}

static bool nameGiven(plChannelList* list, const char* text)
{
    int commas = 0;
    for (const char* at = text; *at; ++at) commas += *at == ',';
    if (!reserve(list, commas + 1)) return false;
    for (const char* at = text;; ++at) {
        const size_t length = strcspn(at, ",");
        addName(list, at, length);
        at += length;
        if (*at == '\0') return true;
    }
}

static bool nameDefault(plChannelList* list, const plScene* scene)
{
    const int count = plScene_ChannelCount(scene);
    if (!reserve(list, count)) return false;
    for (int i = 0; i < count; ++i) {
        const char* name = plScene_Channel(scene, i);
        addName(list, name, strlen(name));
    }
    return true;
}

int plChannelList_Make(plChannelList* list, const plOpened* opened, const char* text)
{
    *list = (plChannelList){0};
    const bool named = !text                      ? nameDefault(list, opened->scene)
                       : strcmp(text, "all") == 0 ? nameAll(list, opened->world)
                                                  : nameGiven(list, text);
    if (!named) return plComplain(pl_exitInput, "no memory");
    for (int i = 0; i < list->count; ++i)
        if (plWorld_FindChannel(opened->world, list->names[i], &list->channels[i]) != pl_statusOk)
            return unknownChannel(opened->world, list->names[i]);
    return pl_exitOk;
}

void plChannelList_Free(plChannelList* list)
{
    free(list->names);
    free(list->channels);
    *list = (plChannelList){0};
}
