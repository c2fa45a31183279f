#include "summary.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

static double energyOf(const plAccount* a) { return a->kinetic + a->potential; }

plSummary plSummary_Start(const plWorld* w)
{
    const plAccount total = plWorld_Ledger(w);
    return (plSummary){.start = energyOf(&total)};
}

// ------------------------------------------------------------------------------------- forces

static double sizeOf(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

/// True when it is the largest so far: its owner is to be named then.
static bool isPeak(plPeak* p, double size, const plWorld* w)
{
    if (!(size > p->size)) return false;
    p->size = size;
    p->time = plWorld_Time(w);
    return true;
}

static const char* nameOf(const plWorld* w, plSite site)
{
    const char* name = plWorld_MechanismName(w, site.mechanism);
    return name ? name : "the ground";
}

static void addContacts(plSummary* s, const plWorld* w)
{
    const int count = plWorld_ContactCount(w);
    for (int i = 0; i < count; ++i) {
        plContactInfo c;
        if (plWorld_Contact(w, i, &c) != pl_statusOk) continue;
        if (isPeak(&s->contact, sizeOf(c.force.x, c.force.y, c.force.z), w))
            snprintf(s->contact.of, plSummaryName, "%s on %s", nameOf(w, c.b), nameOf(w, c.a));
    }
    s->touching += count > 0;
    s->contacts = count > s->contacts ? count : s->contacts;
    s->depth = fmax(s->depth, plWorld_Report(w).depth);
}

static void addLinks(plSummary* s, const plWorld* w)
{
    for (int i = 0; i < plWorld_LinkCount(w); ++i) {
        const plLinkId id = plWorld_Link(w, i);
        double f[6] = {0};
        if (plWorld_LinkForce(w, id, f) != pl_statusOk) continue;
        if (isPeak(&s->link, sizeOf(f[0], f[1], f[2]), w))
            snprintf(s->link.of, plSummaryName, "%s", plWorld_LinkName(w, id));
    }
}

static void addDevices(plSummary* s, const plWorld* w)
{
    for (int i = 0; i < plWorld_DeviceCount(w); ++i) {
        const plDeviceId id = {(uint32_t)i + 1, 1};
        plWrench f;
        plDeviceDef def;
        if (plWorld_DeviceForce(w, id, &f) != pl_statusOk) continue;
        if (isPeak(&s->device, sizeOf(f.force.x, f.force.y, f.force.z), w) &&
            plWorld_DeviceDef(w, id, &def) == pl_statusOk)
            snprintf(s->device.of, plSummaryName, "%s", def.name);
    }
}

void plSummary_Add(plSummary* s, const plWorld* w)
{
    ++s->steps;
    s->bad += plWorld_Report(w).trouble != 0;
    addContacts(s, w);
    addLinks(s, w);
    addDevices(s, w);
}

// ------------------------------------------------------------------------------------- energy

/// Energy that an owner created (> 0) or lost.
typedef struct {
    const char* name;
    double gain; ///< [J]
} Owner;

static Owner ownerOf(const char* name, const plAccount* a)
{
    return (Owner){name, a->integrator + a->leak + a->drift - a->dissipated};
}

static int byGain(const void* a, const void* b)
{
    const double x = ((const Owner*)a)->gain, y = ((const Owner*)b)->gain;
    return (x < y) - (x > y);
}

/// Sorted, the largest gain first. The caller frees.
static Owner* ownersOf(const plWorld* w, int* count)
{
    const int mechanisms = plWorld_MechanismCount(w), links = plWorld_LinkCount(w);
    Owner* list = calloc((size_t)(mechanisms + links + 1), sizeof *list);
    plAccount a;
    *count = 0;
    if (!list) return NULL;
    for (int i = 0; i < mechanisms; ++i) {
        const plMechanismId id = plWorld_Mechanism(w, i);
        plWorld_MechanismLedger(w, id, &a);
        list[(*count)++] = ownerOf(plWorld_MechanismName(w, id), &a);
    }
    for (int i = 0; i < links; ++i) {
        const plLinkId id = plWorld_Link(w, i);
        plWorld_LinkLedger(w, id, &a);
        list[(*count)++] = ownerOf(plWorld_LinkName(w, id), &a);
    }
    a = plWorld_ContactLedger(w);
    list[(*count)++] = ownerOf("contacts", &a);
    qsort(list, (size_t)*count, sizeof *list, byGain);
    return list;
}

/// Owners whose gain has the sign, the largest first, without round-off.
static void tellOwners(const char* what, const Owner* list, int count, int sign, FILE* out)
{
    enum { most = 3 };
    const double roundOff = 1e-9; // of all
    double sum = 0;
    int told = 0;
    for (int i = 0; i < count; ++i) sum += fmax(0, sign * list[i].gain);
    fprintf(out, "%-10s %.4g J", what, sum);
    for (int i = 0; i < count; ++i) {
        const Owner* o = &list[sign > 0 ? i : count - 1 - i];
        if (!(sign * o->gain > roundOff * sum)) break;
        if (told < most) fprintf(out, "%s %s %.4g J", told ? "," : ":", o->name, sign * o->gain);
        ++told;
    }
    if (told > most) fprintf(out, ", and %d more", told - most);
    fputc('\n', out);
}

static void tellPeak(const char* sort, const plPeak* p, bool* told, FILE* out)
{
    if (p->size == 0) return;
    fprintf(out, "%s %s %.4g N (%s) at %.4g s", *told ? ";" : "forces    ", sort, p->size, p->of,
            p->time);
    *told = true;
}

void plSummary_Tell(const plSummary* s, const plWorld* w, FILE* out)
{
    const plAccount total = plWorld_Ledger(w);
    int count;
    bool told = false;
    Owner* list = ownersOf(w, &count);
    fprintf(out, "%-10s %.6g J at the start, %.6g J at the end; applied from outside %.4g J\n",
            "energy", s->start, energyOf(&total), total.applied);
    tellOwners("created", list, count, 1, out);
    tellOwners("lost", list, count, -1, out);
    free(list);
    tellPeak("largest of a contact", &s->contact, &told, out);
    tellPeak("largest of a link", &s->link, &told, out);
    tellPeak("largest on a hand", &s->device, &told, out);
    if (told) fputc('\n', out);
    if (plWorld_ShapeCount(w) > 0)
        fprintf(out, "%-10s at most %d at a time, in %llu of %llu steps; deepest %.3g m\n",
                "contacts", s->contacts, (unsigned long long)s->touching,
                (unsigned long long)s->steps, s->depth);
    if (s->bad > 0)
        fprintf(out, "%-10s in %llu of %llu steps\n", "trouble", (unsigned long long)s->bad,
                (unsigned long long)s->steps);
    else
        fprintf(out, "%-10s none\n", "trouble");
}
