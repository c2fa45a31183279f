// Warnings about shapes, bodies and materials that have no effect on contacts.
#include "world/inside.h"

#include <stdio.h>

// --- kinds of shapes without contacts

enum { soft = pl_shapeCount, kinds };

static int kindOf(const plWorld* w, int shape)
{
    return w->shapes[shape] ? (int)w->shapes[shape]->kind : soft;
}

static const char* nameOfKind(int kind)
{
    return kind == soft            ? "soft body"
           : kind == pl_shapeNurbs ? "sculpted surface"
                                   : plShapeKind_Name(kind);
}

static const char* nameOfCarrier(const plWorld* w, int shape)
{
    const plSite site = w->carriers[shape].site;
    if (site.mechanism.index1 == 0) return "the ground";
    const char* part = plWorld_PartName(w, site.mechanism, site.part);
    return part ? part : plWorld_MechanismName(w, site.mechanism);
}

/// Pairs of shapes of two kinds that pass through each other, and the first of them.
typedef struct {
    int count, a, b;
} Pairs;

static void findPairs(const plWorld* w, Pairs found[kinds][kinds])
{
    for (int a = 0; a < w->shapeCount; ++a) {
        for (int b = a + 1; b < w->shapeCount; ++b) {
            const int ka = kindOf(w, a), kb = kindOf(w, b);
            if (!plCollide_PassThrough(w->collide, a, b)) continue;
            Pairs* p = ka < kb ? &found[ka][kb] : &found[kb][ka];
            if (p->count++ == 0) p->a = a, p->b = b;
        }
    }
}

static int tellPairs(const plWorld* w, const Pairs* p, char* text, size_t size)
{
    char more[48] = "";
    if (p->count > 1) snprintf(more, sizeof more, ", and %d more such pairs", p->count - 1);
    return snprintf(text, size,
                    "%s (%s) and %s (%s) pass through each other%s: contacts of these kinds of "
                    "shapes are not computed (use hulls or compounds, or exclude the pair by mask)",
                    nameOfCarrier(w, p->a), nameOfKind(kindOf(w, p->a)), nameOfCarrier(w, p->b),
                    nameOfKind(kindOf(w, p->b)), more);
}

// --- mechanisms without shapes

static int rootOf(const plWorld* w, int mechanism)
{
    while (w->groupParent[mechanism] != mechanism) mechanism = w->groupParent[mechanism];
    return mechanism;
}

/// The frame of a virtual coupling may hold nothing yet.
static bool isFrame(const plWorld* w, int mechanism)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        const plCoupling* c = &w->couplings[i].coupling;
        if (c->ops->traits.takes && c->frame == mechanism) return true;
    }
    return false;
}

/// Is there no shape on a mechanism, nor on any that links join to it?
static bool isBare(const plWorld* w, int mechanism)
{
    const int root = rootOf(w, mechanism);
    for (int i = 0; i < w->shapeCount; ++i) {
        const uint32_t index1 = w->carriers[i].site.mechanism.index1;
        if (index1 > 0 && rootOf(w, (int)index1 - 1) == root) return false;
    }
    return !isFrame(w, mechanism);
}

// --- materials

static bool isUsed(const plWorld* w, int material)
{
    for (int i = 0; i < w->shapeCount; ++i) {
        if (w->carriers[i].material == material) return true;
    }
    return false;
}

int plAdvice_Shapes(const plWorld* w, int i, char* text, size_t size)
{
    Pairs found[kinds][kinds] = {0};
    findPairs(w, found);
    for (int k = 0; k < kinds * kinds; ++k) {
        const Pairs* p = &found[k / kinds][k % kinds];
        if (p->count > 0 && i-- == 0) return tellPairs(w, p, text, size);
    }
    for (int k = 0; k < w->mechanismCount && w->shapeCount > 0; ++k) {
        if (!plMechanism_IsVacant(w->mechanisms[k]) && isBare(w, k) && i-- == 0) {
            return snprintf(text, size,
                            "%s touches nothing: neither it nor anything that is linked to it has "
                            "a shape",
                            plWorld_MechanismName(w, plWorld_Mechanism(w, k)));
        }
    }
    for (int k = 1; k <= plWorld_MaterialCount(w); ++k) {
        if (!isUsed(w, k) && i-- == 0) {
            return snprintf(text, size, "no shape has the material %s: it has no effect",
                            plWorld_MaterialName(w, k));
        }
    }
    return 0;
}
