// A coupling of the user: his functions say what the tool and the hand get, from a memory that is state.
#include "coupling/kinds.h"

static const uint32_t cookie = 0x6c70430b; ///< "\vCpl": of the defaults

plCouplingCalls plDefaultCouplingCalls(void) { return (plCouplingCalls){.cookie = cookie}; }

typedef struct {
    plCouplingCalls calls;
    double* memory; ///< state
} Own;

static const char* validate(const plCouplingDef* d)
{
    if (!d->own) return "a coupling of the user needs `own`";
    if (d->own->cookie != cookie)
        return "`own` of a coupling is not made by plDefaultCouplingCalls";
    if (!d->own->command && !d->own->feedback)
        return "a coupling of the user needs a command or a feedback";
    return NULL;
}

static plStatus create(plCoupling* c, const plCouplingHost* host, const char** why)
{
    Own* own = plArena_Alloc(host->fixed, 1, sizeof *own);
    double* memory = plArena_Alloc(host->state, plCouplingMemory, sizeof *memory);
    *why = plCouplingFull;
    if (!own || !memory) return pl_statusCapacity;
    *own = (Own){*c->def.own, memory};
    c->own = own;
    c->def.own = &own->calls;
    if (plMechanism_Traits(plCoupling_Tool(c, host))->yields) return pl_statusOk;
    *why = "the tool of a coupling of the user is on something that can move";
    return pl_statusBadArgument;
}

static plWrench finite(plWrench f)
{
    return plFinite3(f.force) && plFinite3(f.torque) ? f : (plWrench){0};
}

static void command(plCoupling* c, const plCouplingView* v)
{
    const Own* own = c->own;
    plCouplingState* x = c->state;
    const plCouplingSight sight = {.device = *v->sample, .tool = v->tool, .T = v->T};
    plWrench f = {0};
    if (own->calls.command) f = finite(own->calls.command(own->calls.self, own->memory, &sight));
    for (int i = 0; i < plCouplingMemory; ++i) {
        if (!isfinite(own->memory[i])) own->memory[i] = 0;
    }
    plPut3(f.force, x->coordination);
    plPut3(f.torque, x->coordination + 3);
    const double stored = own->calls.stored ? own->calls.stored(own->calls.self, own->memory) : 0;
    x->stored = isfinite(stored) ? stored : 0;
    plMechanism_AddForce(plCoupling_Tool(c, v->host), c->def.tool, f);
}

static plWrench feedback(plCoupling* c, const plCouplingView* v, double at)
{
    const Own* own = c->own;
    const plCouplingSight sight = {.device = *v->sample,
                                   .tool = v->tool,
                                   .reaction = plWrench_Scaled(v->reaction, 1 / v->T),
                                   .T = v->T};
    if (!own->calls.feedback) return (plWrench){0};
    return finite(own->calls.feedback(own->calls.self, own->memory, &sight, at));
}

const plCouplingOps plOwnCouplingOps = {
    .traits = {.appliesAll = true, .moves = true},
    .validate = validate,
    .create = create,
    .command = command,
    .feedback = feedback,
};
