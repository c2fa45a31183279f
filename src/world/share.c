// Collisions of tools: what the limits of their couplings leave of an impulse, and what the contacts
// did to them.
#include "world/inside.h"

bool plDevices_InGroup(const plGroup* g, const plWorldCoupling* c)
{
    const int tool = (int)c->coupling.def.tool.mechanism.index1 - 1;
    for (int i = 0; i < g->mechanismCount; ++i) {
        if (g->mechanismList[i] == tool) return true;
    }
    return false;
}

bool plDevices_Pending(const plWorld* w, const plGroup* g)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        const plWorldCoupling* c = &w->couplings[i];
        if (c->coupling.state->pending > 0 && plDevices_InGroup(g, c)) return true;
    }
    return false;
}

void plDevices_SiteRows(const plWorldCoupling* c, plRow rows[6])
{
    for (int i = 0; i < 6; ++i) {
        const plVec3 axis = plVec(i % 3 == 0, i % 3 == 1, i % 3 == 2);
        rows[i] = (plRow){.a = c->coupling.def.tool};
        *(i < 3 ? &rows[i].lin : &rows[i].ang) = axis;
    }
}

// Impulses at the tool's site, at the instant of the start.
static double strikeTool(plWorld* w, const plWorldCoupling* c, const double* impulse)
{
    const plSite tool = c->coupling.def.tool;
    plRow rows[6];
    plDevices_SiteRows(c, rows);
    return plMechanism_Strike(w->mechanisms[tool.mechanism.index1 - 1], rows, 6, impulse);
}

void plDevices_Rest(plWorld* w, const plGroup* g)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        if (plDevices_InGroup(g, &w->couplings[i])) plCoupling_Rest(&w->couplings[i].coupling);
    }
}

bool plDevices_Pay(plWorld* w, const plGroup* g, double T)
{
    bool pays = false;
    plLinkages_Meet(w, g, T);
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        double owed = 0;
        if (!plDevices_InGroup(g, c)) continue;
        for (int k = 0; k < 6; ++k) owed = fmax(owed, fabs(c->coupling.state->bank[k]));
        plCoupling_Pay(&c->coupling, T);
        if (owed == 0) continue;
        double* paid = c->coupling.nextPaid;
        w->groupStrike +=
            c->linkage.holds ? plLinkage_Strike(w, g, c, paid) : strikeTool(w, c, paid);
        pays = true;
    }
    return pays;
}

// Impulses on a and on b at their contact: the wrench at the tool's place at the start of the tick of
// the one that the tool gets.
static void addAt(plWrench* sum, const plWorldCoupling* c, const plContact* contact,
                  const plVec3 impulses[2])
{
    const plSite tool = c->coupling.def.tool;
    const plSite sites[2] = {contact->siteA, contact->siteB};
    for (int i = 0; i < 2; ++i) {
        if (sites[i].mechanism.index1 != tool.mechanism.index1 || sites[i].part != tool.part) {
            continue;
        }
        const plVec3 f = impulses[i];
        const plVec3 arm = plSub(contact->at, plGet3(c->coupling.state->tool));
        sum->force = plAdd(sum->force, f);
        sum->torque = plAdd(sum->torque, plCross(arm, f));
    }
}

static plWrench sumAt(const plWorld* w, const plGroup* g, const plWorldCoupling* c,
                      const double* impulses)
{
    const plSystem* s = &w->system;
    plWrench sum = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < s->contactRows; ++k) {
        const plContact* contact = &g->contacts[g->contactList[s->source[k / s->size.dim]]];
        const plRow* row = &s->set.rows[k];
        const double onA = row->a.mechanism.index1 ? impulses[k] : 0;
        const double onB = row->b.mechanism.index1 ? -impulses[k] : 0;
        addAt(&sum, c, contact, (plVec3[2]){plScale(onA, row->lin), plScale(onB, row->lin)});
    }
    return sum;
}

double plDevices_Share(plWorld* w, const plGroup* g, const double* impulses, double T)
{
    double share = 1;
    plLinkages_Meet(w, g, T);
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        if (!plDevices_InGroup(g, c)) continue;
        const plWrench sum =
            c->linkage.holds ? plLinkage_Felt(w, c, impulses) : sumAt(w, g, c, impulses);
        share = fmin(share, plCoupling_Share(&c->coupling, &sum, T));
    }
    return share;
}

static void addContact(plWorldCoupling* c, const plContact* contact)
{
    plVec3 step = plScale(contact->p[0], contact->n);
    for (int t = 0; t < 2; ++t) step = plAddScaled(step, contact->p[1 + t], contact->t[t]);
    addAt(&c->reaction, c, contact,
          (plVec3[2]){plAdd(contact->struck[0], step), plSub(contact->struck[1], step)});
}

static void addThroughLinkage(plWorldCoupling* c, const plContact* contact, int index)
{
    const plVec3 axes[3] = {contact->n, contact->t[0], contact->t[1]};
    const bool onB = contact->siteB.mechanism.index1 == c->coupling.def.tool.mechanism.index1;
    const plVec3 struck = onB ? plScale(-1, contact->struck[1]) : contact->struck[0];
    double p[3];
    for (int k = 0; k < 3; ++k) p[k] = contact->p[k] + plDot(struck, axes[k]);
    const plWrench felt = plLinkage_FeltOf(c, index, p);
    c->reaction.force = plAdd(c->reaction.force, felt.force);
    c->reaction.torque = plAdd(c->reaction.torque, felt.torque);
}

// --- pulses on a device that is its own tool

static bool standsStill(const plWorld* w, plSite site)
{
    return site.mechanism.index1 == 0 ||
           !plMechanism_Traits(w->mechanisms[site.mechanism.index1 - 1])->yields;
}

// +1, -1: which side of a contact the tool is, with something on the other that yields to nothing; 0: none.
static int sideOf(const plWorld* w, const plWorldCoupling* c, const plContact* contact)
{
    const uint32_t tool = c->coupling.def.tool.mechanism.index1;
    if (contact->siteA.mechanism.index1 == tool) return standsStill(w, contact->siteB) ? 1 : 0;
    if (contact->siteB.mechanism.index1 == tool) return standsStill(w, contact->siteA) ? -1 : 0;
    return 0;
}

// How the device answers to a unit impulse on a contact: its motion times the root of its masses.
static void respondDevice(const plWorldCoupling* c, const double masses[6],
                          const plContact* contact, int side, double row[6])
{
    const plVec3 arm = plSub(contact->at, plGet3(c->coupling.state->tool));
    plPut3(plScale(side, contact->n), row);
    plPut3(plScale(side, plCross(arm, contact->n)), row + 3);
    for (int i = 0; i < 6; ++i) row[i] /= sqrt(masses[i]); // a locked axis: 0
}

// The tool of a direct coupling is a frame: where it meets what stands still, no mass is in the contacts, and
// no impulse. What collides there is the device, with its own mass: p = (1 + e) m |v| at one wall, given as a
// force p/T in the tick of the collision; the walls' springs follow in the next one.
// (Constantinescu et al. 2000, wall with pulse)
static void strikeDevice(plWorld* w, const plGroup* g, const plWorldCoupling* c)
{
    enum { most = 32 };
    plContact* list[most];
    double masses[6], rows[most][6], A[most * most], v[most], e[most], p[most];
    int n = 0;
    plSimulated_Masses(&w->devices[c->device].simulated, masses);
    const int room = (int)fmin(most, fmin(w->work.eigen.n, w->work.lcp.capacity));
    for (int k = 0; k < g->contactCount && n < room; ++k) {
        plContact* contact = &g->contacts[g->contactList[k]];
        const int side = sideOf(w, c, contact);
        if (side == 0 || contact->gap > 0 || !(contact->uStart[0] < 0)) continue;
        respondDevice(c, masses, contact, side, rows[n]);
        v[n] = contact->uStart[0];
        e[n] = contact->pair.e;
        list[n++] = contact;
    }
    for (int i = 0; i < n * n; ++i) A[i] = plDotN(rows[i / n], rows[i % n], 6);
    if (n == 0 || plRestitution_Impulses(w->def.contact.collision, A, v, e, n, p, &w->work) < 0) {
        return;
    }
    plRestitution_Passive(A, v, n, p);
    for (int i = 0; i < n; ++i) {
        list[i]->struck[0] = plAddScaled(list[i]->struck[0], p[i], list[i]->n);
        list[i]->struck[1] = plAddScaled(list[i]->struck[1], -p[i], list[i]->n);
    }
}

void plDevices_Keep(plWorld* w, const plGroup* g, bool keep)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        if (!plDevices_InGroup(g, c)) continue;
        plCoupling_Keep(&c->coupling, keep);
        if (keep && w->groupCollides && w->law->strikes && c->coupling.ops->traits.isTool) {
            strikeDevice(w, g, c);
        }
        for (int k = 0; k < g->contactCount && keep; ++k) {
            const plContact* contact = &g->contacts[g->contactList[k]];
            if (c->linkage.holds) {
                addThroughLinkage(c, contact, k);
            } else {
                addContact(c, contact);
            }
        }
    }
}
