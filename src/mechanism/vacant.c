// What stands in the place of a mechanism that was removed: no parts, no coordinates, no energy, and no step, since
// groups leave it out.
#include "mechanism/kind.h"

static uint64_t identity(const plMechanism* m, uint64_t h)
{
    (void)m;
    return h;
}

static void place(const plMechanism* m, const double* q, plPlace* p) { (void)m, (void)q, (void)p; }
static void refresh(plMechanism* m) { (void)m; }

static const plMechanismOps ops = {
    .traits = {.type = "removed"}, .place = place, .refresh = refresh, .identity = identity};

// Shared by all worlds: nothing in it is ever written.
plMechanism* plMechanism_Vacant(void)
{
    static plMechanism vacant = {.ops = &ops, .traits = {.type = "removed"}, .index = -1};
    return &vacant;
}

bool plMechanism_IsVacant(const plMechanism* m) { return m->ops == &ops; }
