// What two materials do to each other: as given, or mixed from their own surfaces.
#include "contact/contact.h"

#include <string.h>

plSurface plDefaultSurface(void)
{
    return (plSurface){.friction = 0.5,
                       .stiffness = 1e4,
                       .damping = 20,
                       .slipSpeed = 1e-2,
                       .blockShares = {0.8 / 3, 0.8 / 3, 0.8 / 3},
                       .blockDepths = {1.875e-4, 3.75e-4, 7.5e-4},
                       .stiction = 0.2,
                       .bristle = 1e-4,
                       .bristleTime = 5e-3};
}

static bool notNegative(double x) { return x >= 0 && isfinite(x); }

static const char* wallComplaint(const plSurface* s)
{
    double sum = 0;
    if ((int)s->wall < 0 || s->wall >= pl_wallCount) return "wall must be one of its list";
    if (!notNegative(s->integral)) return "integral must be finite and >= 0";
    for (int i = 0; i < 3; ++i) {
        if (!notNegative(s->blockShares[i]) || !notNegative(s->blockDepths[i])) {
            return "blockShares and blockDepths must be finite and >= 0";
        }
        sum += s->blockShares[i];
    }
    return sum <= 1 + 1e-9 ? NULL : "blockShares must have a sum <= 1"; // thirds are rounded
}

static const char* frictionComplaint(const plSurface* s)
{
    if ((int)s->frictionModel < 0 || s->frictionModel >= pl_frictionCount) {
        return "frictionModel must be one of its list";
    }
    if (!notNegative(s->stiction) || !notNegative(s->bristleTime) || !notNegative(s->viscous)) {
        return "stiction, bristleTime and viscous must be finite and >= 0";
    }
    if (!(s->bristle > 0) || !isfinite(s->bristle)) return "bristle must be finite and > 0";
    return NULL;
}

const char* plSurface_Complaint(const plSurface* s)
{
    if (!(s->friction >= 0) || !isfinite(s->friction)) return "friction must be finite and >= 0";
    if (!(s->restitution >= -1 && s->restitution <= 1)) return "restitution must be -1 .. 1";
    if (!(s->tangentRestitution >= 0 && s->tangentRestitution <= 1)) {
        return "tangentRestitution must be 0 .. 1";
    }
    if (!(s->stiffness >= 0) || !isfinite(s->stiffness) || !(s->damping >= 0) ||
        !isfinite(s->damping)) {
        return "stiffness and damping of a surface must be finite and >= 0";
    }
    if (!(s->slipSpeed >= 0) || !isfinite(s->slipSpeed)) return "slipSpeed must be finite and >= 0";
    const char* complaint = wallComplaint(s);
    return complaint ? complaint : frictionComplaint(s);
}

// Two equal ones give themselves; a soft one decides.
static double harmonic(double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }

// The model is the later one in its list, so that any other wins over the default. Its numbers are
// those of the material that has it; where both have it, they are mixed: shares and strains by
// their means (of springs in a row, the stretches add), else the smaller, which is the safer.
static void mixWalls(const plSurface* a, const plSurface* b, plSurface* to)
{
    const plSurface* own = a->wall > b->wall ? a : b;
    to->wall = own->wall;
    to->integral = fmin(a->integral, b->integral);
    for (int i = 0; i < 3; ++i) {
        const bool both = a->wall == b->wall;
        to->blockShares[i] =
            both ? 0.5 * (a->blockShares[i] + b->blockShares[i]) : own->blockShares[i];
        to->blockDepths[i] =
            both ? fmin(a->blockDepths[i], b->blockDepths[i]) : own->blockDepths[i];
    }
}

static void mixFriction(const plSurface* a, const plSurface* b, plSurface* to)
{
    const bool both = a->frictionModel == b->frictionModel;
    const plSurface* own = a->frictionModel > b->frictionModel ? a : b;
    to->frictionModel = own->frictionModel;
    to->stiction = both ? fmin(a->stiction, b->stiction) : own->stiction;
    to->bristle = both ? 0.5 * (a->bristle + b->bristle) : own->bristle;
    to->bristleTime = both ? fmin(a->bristleTime, b->bristleTime) : own->bristleTime;
    to->viscous = both ? harmonic(a->viscous, b->viscous) : own->viscous;
}

static plSurface mix(const plSurface* a, const plSurface* b)
{
    plSurface to = {.friction = sqrt(a->friction * b->friction),
                    .restitution = fmin(a->restitution, b->restitution),
                    .tangentRestitution = fmin(a->tangentRestitution, b->tangentRestitution),
                    .stiffness = harmonic(a->stiffness, b->stiffness),
                    .damping = harmonic(a->damping, b->damping),
                    .slipSpeed = fmax(a->slipSpeed, b->slipSpeed),
                    .clamp = a->clamp || b->clamp};
    mixWalls(a, b, &to);
    mixFriction(a, b, &to);
    return to;
}

plStatus plSurfaces_Create(plSurfaces* s, int materials, const plSurface* first, plArena* arena)
{
    const size_t n = (size_t)materials + 1;
    int index;
    *s = (plSurfaces){.capacity = materials + 1};
    s->own = plArena_Alloc(arena, n, sizeof *s->own);
    s->mixed = plArena_Alloc(arena, n * n, sizeof *s->mixed);
    s->given = plArena_Alloc(arena, n * n, sizeof *s->given);
    if (arena->full) return pl_statusCapacity;
    return plSurfaces_Add(s, first, &index);
}

plStatus plSurfaces_Add(plSurfaces* s, const plSurface* surface, int* index)
{
    if (s->count == s->capacity) return pl_statusCapacity;
    *index = s->count++;
    plSurfaces_Set(s, *index, surface);
    return pl_statusOk;
}

void plSurfaces_Set(plSurfaces* s, int index, const plSurface* surface)
{
    s->own[index] = *surface;
    for (int i = 0; i < s->count; ++i) {
        const plSurface mixed = mix(&s->own[i], surface);
        if (s->given[i * s->capacity + index]) continue;
        s->mixed[i * s->capacity + index] = s->mixed[index * s->capacity + i] = mixed;
    }
}

void plSurfaces_Give(plSurfaces* s, int a, int b, const plSurface* surface)
{
    s->mixed[a * s->capacity + b] = s->mixed[b * s->capacity + a] = *surface;
    s->given[a * s->capacity + b] = s->given[b * s->capacity + a] = true;
}

plPair plSurfaces_Pair(const plSurfaces* s, int a, int b)
{
    const plSurface* m = &s->mixed[a * s->capacity + b];
    plPair pair = {.mu = m->friction,
                   .e = m->restitution,
                   .eTangent = m->tangentRestitution,
                   .stiffness = m->stiffness,
                   .damping = m->damping,
                   .slipSpeed = m->slipSpeed,
                   .clamp = m->clamp,
                   .wall = m->wall,
                   .integral = m->integral,
                   .friction = m->frictionModel,
                   .stiction = m->stiction,
                   .bristle = m->bristle,
                   .bristleTime = m->bristleTime,
                   .viscous = m->viscous};
    memcpy(pair.blockShares, m->blockShares, sizeof pair.blockShares);
    memcpy(pair.blockDepths, m->blockDepths, sizeof pair.blockDepths);
    return pair;
}
