// What two materials do to each other: as given, or mixed from their own surfaces.
#include "contact/contact.h"

plSurface plDefaultSurface(void)
{
    return (plSurface){.friction = 0.5, .stiffness = 1e4, .damping = 20, .slipSpeed = 1e-2};
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
    return NULL;
}

// Two equal ones give themselves; a soft one decides.
static double harmonic(double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }

static plSurface mix(const plSurface* a, const plSurface* b)
{
    return (plSurface){.friction = sqrt(a->friction * b->friction),
                       .restitution = fmin(a->restitution, b->restitution),
                       .tangentRestitution = fmin(a->tangentRestitution, b->tangentRestitution),
                       .stiffness = harmonic(a->stiffness, b->stiffness),
                       .damping = harmonic(a->damping, b->damping),
                       .slipSpeed = fmax(a->slipSpeed, b->slipSpeed),
                       .clamp = a->clamp || b->clamp};
}

plStatus plSurfaces_Create(plSurfaces* s, int materials, const plSurface* first, plArena* arena)
{
    const size_t n = (size_t)materials + 1;
    int index;
    *s = (plSurfaces){.capacity = materials + 1};
    s->own = plArena_Alloc(arena, n, sizeof *s->own);
    s->mixed = plArena_Alloc(arena, n * n, sizeof *s->mixed);
    if (arena->full) return pl_statusCapacity;
    return plSurfaces_Add(s, first, &index);
}

plStatus plSurfaces_Add(plSurfaces* s, const plSurface* surface, int* index)
{
    if (s->count == s->capacity) return pl_statusCapacity;
    *index = s->count++;
    s->own[*index] = *surface;
    for (int i = 0; i < s->count; ++i) {
        const plSurface mixed = mix(&s->own[i], surface);
        s->mixed[i * s->capacity + *index] = s->mixed[*index * s->capacity + i] = mixed;
    }
    return pl_statusOk;
}

void plSurfaces_Give(plSurfaces* s, int a, int b, const plSurface* surface)
{
    s->mixed[a * s->capacity + b] = s->mixed[b * s->capacity + a] = *surface;
}

plPair plSurfaces_Pair(const plSurfaces* s, int a, int b)
{
    const plSurface* m = &s->mixed[a * s->capacity + b];
    return (plPair){.mu = m->friction,
                    .e = m->restitution,
                    .eTangent = m->tangentRestitution,
                    .stiffness = m->stiffness,
                    .damping = m->damping,
                    .slipSpeed = m->slipSpeed,
                    .clamp = m->clamp};
}
