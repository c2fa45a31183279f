// Groups that stand still. A step is a function of the state of its bodies, the forces on them and their contacts. Where
// all of these are, to the last bit, what they were when the last step of a group ended where it began, the step would
// do the same again: its outcome is taken from then. So nothing is asleep; whatever changes is noticed.
#include "world/inside.h"

// Contacts that are older are all alike to the law; younger ones it solves more closely.
static const int oldEnough = 20;

static bool isTool(const plWorld* w, int mechanism)
{
    bool tool = false;
    for (int i = 0; i < w->couplingCount; ++i) {
        tool = tool || (int)w->couplings[i].coupling.def.tool.mechanism.index1 - 1 == mechanism;
    }
    return tool;
}

// Another one may stand in the place of what was removed.
static uint64_t placeOf(const plSlot* slots, int i)
{
    return (uint64_t)slots[i].generation << 32 | (uint64_t)i;
}

static bool addBodies(const plWorld* w, const plGroup* g, uint64_t* hash)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int k = g->mechanismList[i];
        const uint64_t place = placeOf(w->slots.mechanisms, k);
        if (isTool(w, k) || !plMechanism_HashRest(w->mechanisms[k], hash)) return false;
        *hash = plHash_Add(*hash, &place, sizeof place);
    }
    return true;
}

// A frame that is led elsewhere in this step takes what lies on it along.
static bool isLed(const plWorld* w, plSite site)
{
    const uint32_t index1 = site.mechanism.index1;
    return index1 && plMechanism_IsSteered(w->mechanisms[index1 - 1]);
}

static bool addContact(const plWorld* w, const plContact* c, uint64_t* hash)
{
    if (isLed(w, c->siteA) || isLed(w, c->siteB)) return false;
    const bool apart = c->memory.age == 0 && c->gap > 0;
    if (c->soft || (c->memory.age < oldEnough && !apart)) return false;
    const plGapModel* m = &c->model;
    const uint64_t names[] = {c->key, placeOf(w->slots.shapes, c->a),
                              placeOf(w->slots.shapes, c->b),
                              (uint64_t)m->kind << 3 | (uint64_t)c->fresh << 2 |
                                  (uint64_t)c->comes << 1 | (uint64_t)apart};
    const plVec3 vectors[] = {c->siteA.point, c->siteB.point, c->n,     m->a,
                              m->b,           m->n,           m->edgeA, m->edgeB};
    const double numbers[] = {c->gap,         c->gapTick,    c->pair.mu,     c->pair.e,
                              m->radiusA,     m->radiusB,    c->memory.p[0], c->memory.p[1],
                              c->memory.p[2], c->memory.owed};
    *hash = plHash_Add(*hash, names, sizeof names);
    *hash = plHash_Add(*hash, vectors, sizeof vectors);
    *hash = plHash_Add(*hash, numbers, sizeof numbers);
    return true;
}

uint64_t plRest_Inputs(const plWorld* w, const plGroup* g, double T)
{
    uint64_t hash = plHash_Start();
    if (g->linkCount > 0 || g->contactCount == 0 || w->meet) return 0;
    if (w->def.contact.bias != pl_biasGap || !w->law->exact || w->law->stored) return 0;
    if (!addBodies(w, g, &hash)) return 0;
    for (int i = 0; i < g->contactCount; ++i) {
        if (!addContact(w, &g->contacts[g->contactList[i]], &hash)) return 0;
    }
    const double settings[] = {T, w->def.contact.law, g->mechanismCount, g->contactCount};
    hash = plHash_Add(hash, settings, sizeof settings);
    return hash != 0 ? hash : 1;
}

bool plRest_Repeats(const plWorld* w, const plGroup* g, uint64_t inputs)
{
    const plRest* last = &w->rests[g->mechanismList[0]];
    const plBudget* b = &w->work.budget;
    return inputs != 0 && last->inputs == inputs && b->spent + last->spent < b->most;
}

void plRest_Recall(plWorld* w, const plGroup* g)
{
    const plRest* last = &w->rests[g->mechanismList[0]];
    for (int i = 0; i < g->contactCount; ++i) {
        plContact* c = &g->contacts[g->contactList[i]];
        w->after[i] = (plContactMemory){.age = c->memory.age + 1};
        for (int k = 0; k < 3; ++k) w->after[i].p[k] = c->p[k] = c->memory.p[k];
    }
    w->groupLaw = last->law;
    w->report.passes = w->report.passes > 1 ? w->report.passes : 1;
    plBudget_Spend(&w->work.budget, last->spent);
}

// Impulses that still change are other inputs in the next tick.
void plRest_Note(plWorld* w, const plGroup* g, uint64_t inputs, double spent)
{
    w->rests[g->mechanismList[0]] = (plRest){.inputs = inputs, .spent = spent, .law = w->groupLaw};
}
