#include "scene/scene.h"

#include "base/base.h"
#include "law/law.h"
#include "scene/content.h"

#include <stdio.h>
#include <string.h>

static const char* const defaultChannels[] = {"time", "step", "energy", "kinetic", "potential"};

const char* plScene_Title(const plScene* s) { return s->head.title; }
const char* plScene_Description(const plScene* s) { return s->head.description; }
const char* plScene_Paper(const plScene* s) { return s->head.paper; }
const char* plScene_PassiveVariant(const plScene* s) { return s->head.passiveVariant; }
double plScene_Rate(const plScene* s)
{
    return s->head.rate > 0 ? s->head.rate : 1 / plScene_Step(s);
}
bool plScene_IsPlanar(const plScene* s) { return s->head.world.planar; }
double plScene_Time(const plScene* s) { return s->head.time; }
double plScene_Step(const plScene* s) { return 0.5 * (s->head.stepMin + s->head.stepMax); }
const char* plScene_Text(const plScene* s) { return s->resolved ? s->resolved : s->text; }

int plScene_ChannelCount(const plScene* s)
{
    return s->head.channels ? (int)json_array_size(s->head.channels) : PL_COUNT(defaultChannels);
}

const char* plScene_Channel(const plScene* s, int i)
{
    PL_ASSERT(i >= 0 && i < plScene_ChannelCount(s));
    return s->head.channels ? json_string_value(json_array_get(s->head.channels, (size_t)i))
                            : defaultChannels[i];
}

// ------------------------------------------------------------------------------- the world

plWorldCapacity plScene_Capacity(const plScene* s) { return s->capacity; }

/// A name of the list may be without a law as yet.
static bool checkLaw(const plWorldDef* def, plReader* r)
{
    if (def->capacity.shapes == 0 || plLaw_Of(def->contact.law)) return true;
    plReader_Enter(r, "law");
    plReader_Fail(r, pl_statusSceneContent, "found \"%s\", which is not here yet: take another law",
                  plLawName_Name((int)def->contact.law));
    plReader_Leave(r);
    return false;
}

static bool createOnce(const plScene* s, const plWorldDef* def, bool touched, plReader* reader,
                       plWorld** world)
{
    *world = NULL;
    if (!checkLaw(def, reader)) return false;
    plStatus status = plWorld_Create(def, world);
    if (status != pl_statusOk) {
        *world = NULL;
        return plReader_Fail(reader, status, "no world of %zu bytes: %s", def->capacity.memory,
                             plStatus_Sentence(status));
    }
    plBuilder builder = plScene_Builder(s, reader, *world);
    builder.touched = touched;
    bool good = plBuilder_Run(&builder, s->root) && plHead_CheckChannels(&s->head, reader, *world);
    plBuilder_Free(&builder);
    if (good) return true;
    plWorld_Destroy(*world);
    *world = NULL;
    return false;
}

static plStatus create(const plScene* s, plWorldDef* def, bool touched, plWorld** world,
                       plSceneError* error)
{
    for (int i = 0;; i++) {
        plReader reader = plScene_Reader(s, error);
        *error = (plSceneError){0};
        if (createOnce(s, def, touched, &reader, world)) return pl_statusOk;
        // Counts were checked, so it is memory that was too small: an estimate may be.
        bool again = error->status == pl_statusCapacity && s->head.given.memory == 0;
        if (!again || i == plMemoryDoublings) return error->status;
        def->capacity.memory *= 2;
    }
}

plStatus plScene_CreateWorld(const plScene* s, plWorld** world, plSceneError* error)
{
    plSceneError own;
    plWorldDef def = s->head.world;
    def.capacity = plScene_Capacity(s);
    return create(s, &def, false, world, error ? error : &own);
}

plStatus plScene_CreateTouchable(const plScene* s, plWorld** world, plPointer* pointer,
                                 plSceneError* error)
{
    plSceneError own;
    plWorldDef def = s->head.world;
    def.capacity = plPointer_Capacity(s);
    if (def.budget == 0) def.budget = plBudgetOfHands;
    if (!error) error = &own;
    plStatus status = create(s, &def, true, world, error);
    if (status != pl_statusOk) return status;
    status = plPointer_Add(pointer, s, *world);
    if (status == pl_statusOk) return status;
    *error = (plSceneError){.status = status};
    snprintf(error->message, sizeof error->message, "%s: no pointer can be added: %s", s->file,
             plWorld_Error(*world));
    plWorld_Destroy(*world);
    *world = NULL;
    return status;
}

// --------------------------------------------------------------------------------- the steps

plStepper plScene_Stepper(const plScene* s)
{
    plStepper stepper = {.min = s->head.stepMin, .max = s->head.stepMax};
    plRng rng = plRng_Seed(s->head.seed);
    memcpy(stepper.state, rng.state, sizeof stepper.state);
    return stepper;
}

double plStepper_Next(plStepper* stepper)
{
    if (!(stepper->min < stepper->max)) return stepper->min;
    plRng rng;
    memcpy(rng.state, stepper->state, sizeof rng.state);
    double T = plRng_Uniform(&rng, stepper->min, stepper->max);
    memcpy(stepper->state, rng.state, sizeof rng.state);
    return T;
}
