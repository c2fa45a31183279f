// What becomes of the periods that a slow tick has taken.
#include "law/law.h"
#include "runtime/inside.h"

#include <math.h>
#include <string.h>

static const char* const names[] = {"skip", "stretch"};
_Static_assert(PL_COUNT(names) == pl_overrunCount, "one name for each policy");

const char* plOverrun_Name(int i) { return i >= 0 && i < pl_overrunCount ? names[i] : "unknown"; }

// --- may steps be stretched?

static const char badIntegrator[] =
    "steps are stretched only where all mechanisms go by midpoint or "
    "implicit: others are stable up to some step";
static const char badLaw[] =
    "steps are stretched only under lcp and cone: the walls of penalty and "
    "impulse are stable up to some step";

static bool takesAnyStep(plIntegrator i)
{
    return i == pl_integratorMidpoint || i == pl_integratorImplicit;
}

static bool lawTakesAnyStep(plLawName name)
{
    const plLaw* law = plLaw_Of(name);
    return law && law->exact;
}

const char* plOverrun_Complaint(plOverrun policy, const plWorld* w)
{
    if (policy != pl_overrunStretch) return NULL;
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        const plMechanismId id = plWorld_Mechanism(w, i);
        if (strcmp(plWorld_MechanismType(w, id), "prescribed") == 0) continue;
        if (!takesAnyStep(plWorld_MechanismIntegrator(w, id))) return badIntegrator;
    }
    return plWorld_ShapeCount(w) == 0 || lawTakesAnyStep(plWorld_Law(w)) ? NULL : badLaw;
}

// What a command would bring is looked at before it is obeyed. A name that is none is refused elsewhere.
const char* plOverrun_Refuses(plOverrun policy, const plWorld* w, const plCommand* c)
{
    if (policy != pl_overrunStretch || plCommand_Complaint(c)) return NULL;
    if (c->kind == pl_commandIntegrator) {
        return takesAnyStep((plIntegrator)c->index) ? NULL : badIntegrator;
    }
    if (c->kind != pl_commandLaw || plWorld_ShapeCount(w) == 0) return NULL;
    return lawTakesAnyStep((plLawName)c->index) ? NULL : badLaw;
}

// --- how long is the next step?

// What is more than a stall takes is not made up for: the forces went down, and the hand begins anew.
// Ticks that are counted one by one have no clock, and two that do the same have not one clock.
double plRuntime_NextStep(plRuntime* r, int periods, bool mayStretch)
{
    const double T = r->head.step, longest = fmin(plStretchMost * T, plStepMost);
    if (r->def.overrun != pl_overrunStretch || !mayStretch) {
        r->owed = 0;
        return T;
    }
    const double most = ceil(plRuntime_Patience(r) / r->pace.period);
    r->owed = (int)fmin(r->owed + periods - 1, most);
    const int room = (int)(longest / T * (1 + 1e-12)) - 1;
    const int more = r->owed < room ? r->owed : room;
    r->owed -= more;
    return (1 + more) * T;
}
