// What may be changed in a world that runs, between two ticks.
#include "world/inside.h"

// Histories are of the law that wrote them: a wall's tells a cone nothing. Impulses stay, as a first
// guess. What walls then store more than before is work of who changed them.
static void forget(plWorld* w)
{
    plLedger_Adjust(w);
    for (int i = 0; w->collide && i < *w->contacts.lastCount; ++i) {
        plContactRecord* r = &w->contacts.last[i];
        r->wall = (plWallMemory){0};
        r->friction = (plFrictionMemory){0};
        r->owed = 0;
    }
}

plStatus plWorld_SetLaw(plWorld* w, plLawName law)
{
    if (!plLaw_For(&w->work, law))
        return plWorld_Fail(w, pl_statusBadArgument, "there is no such law");
    if (law == w->def.contact.law) return pl_statusOk;
    if (plWorld_HasSoft(w) && !plWorld_MeetsSoft(plLaw_Of(law))) {
        return plWorld_Fail(w, pl_statusBadArgument, plSoftLaws);
    }
    w->def.contact.law = law;
    w->law = plLaw_Of(law);
    forget(w);
    return pl_statusOk;
}

plStatus plWorld_SetIntegrator(plWorld* w, plMechanismId id, plIntegrator integrator)
{
    plMechanism* m = plWorld_Inside(w, id);
    if (!m) return plWorld_Fail(w, plWorld_Look(w, id), NULL);
    const char* why = plMechanism_RefusesIntegrator(m, integrator);
    if (why) return plWorld_Fail(w, pl_statusBadArgument, why);
    plMechanism_SetIntegrator(m, integrator);
    return pl_statusOk;
}

int plWorld_TendonCount(const plWorld* w, plMechanismId id)
{
    const plMechanism* m = plWorld_Inside(w, id);
    return m ? plMechanism_Tendons(m) : 0;
}

plStatus plWorld_CommandTendon(plWorld* w, plMechanismId id, int tendon, double angle)
{
    if (plWorld_Look(w, id) == pl_statusStale) return plWorld_Fail(w, pl_statusStale, NULL);
    if (tendon < 0 || tendon >= plWorld_TendonCount(w, id)) {
        return plWorld_Fail(w, pl_statusNotFound, "there is no such tendon");
    }
    if (!isfinite(angle)) {
        return plWorld_Fail(w, pl_statusBadArgument, "the angle of a motor must be finite");
    }
    plMechanism_CommandTendon(plWorld_Inside(w, id), tendon, angle);
    return pl_statusOk;
}

plStatus plWorld_Tendon(const plWorld* w, plMechanismId id, int tendon, double* angle, double* pull)
{
    if (plWorld_Look(w, id) == pl_statusStale) return pl_statusStale;
    if (tendon < 0 || tendon >= plWorld_TendonCount(w, id)) return pl_statusNotFound;
    const plMechanism* m = plWorld_Inside(w, id);
    if (angle) *angle = plMechanism_TendonAngle(m, tendon);
    if (pull) *pull = plMechanism_TendonPull(m, tendon);
    return pl_statusOk;
}

plLawName plWorld_Law(const plWorld* w) { return w->def.contact.law; }

plStatus plWorld_SetLimit(plWorld* w, plCouplingId id, plLimit limit)
{
    if (id.generation != 1 || id.index1 < 1 || id.index1 > (uint32_t)w->couplingCount) {
        return plWorld_Fail(w, pl_statusBadId, NULL);
    }
    plCoupling* c = &w->couplings[id.index1 - 1].coupling;
    plCouplingDef def = c->def;
    def.limit = limit;
    const char* complaint = plCoupling_Complaint(&def);
    if (complaint) return plWorld_Fail(w, pl_statusBadArgument, complaint);
    c->def.limit = limit;
    plCoupling_Keep(c, false);
    return pl_statusOk;
}
