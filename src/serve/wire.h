// Numbers on the wire, in their order: their names for the page, where the server reads them, and what they are.
// p: the picture; r: report of the last tick, a: the ledger's total, c: all contacts, t: times of the loop.
#ifndef PALP_SERVE_WIRE_H
#define PALP_SERVE_WIRE_H

#define PL_PICTURE_NUMBERS(X)                                                                      \
    X(sequence, p->sequence, "of the picture")                                                     \
    X(tick, p->tick, "of the world")                                                               \
    X(time, p->time, "of the world [s]")                                                           \
    X(step, p->step, "of the world [s]")                                                           \
    X(speed, p->speed, "seconds of the world in a second")                                         \
    X(law, p->law, "index of the contact law")                                                     \
    X(hashUpper, p->hash >> 32,                                                                    \
      "upper 32 bits of the hash of the state; 0 but for the first "                               \
      "picture, while the world stands still, and when a session is "                              \
      "asked for")                                                                                 \
    X(hashLower, p->hash & 0xffffffffu, "its lower 32 bits")                                       \
    X(trouble, r->trouble, "bits, see above")                                                      \
    X(found, r->contacts, "contacts")                                                              \
    X(active, r->active, "contacts that push")                                                     \
    X(sliding, r->sliding, "contacts that slide")                                                  \
    X(colliding, r->colliding, "mechanisms that something new hits")                               \
    X(iterations, r->iterations, "of the law, most of any group")                                  \
    X(lawResidual, r->residual, "of the law, worst of any group")                                  \
    X(depth, r->depth, "deepest contact [m]")                                                      \
    X(kinetic, a->kinetic, "ledger [J]")                                                           \
    X(potential, a->potential, "ledger [J]")                                                       \
    X(applied, a->applied, "ledger [J]")                                                           \
    X(rows, a->rows, "ledger [J]")                                                                 \
    X(dissipated, a->dissipated, "ledger [J]")                                                     \
    X(integrator, a->integrator, "ledger [J]")                                                     \
    X(leak, a->leak, "ledger [J]")                                                                 \
    X(drift, a->drift, "ledger [J]")                                                               \
    X(residual, a->residual, "ledger [J]")                                                         \
    X(worst, a->worst, "largest residual of one tick [J]")                                         \
    X(contactPotential, c->potential, "of all contacts [J]")                                       \
    X(contactDissipated, c->dissipated, "of all contacts [J]")                                     \
    X(contactLeak, c->leak, "of all contacts [J]")                                                 \
    X(deadlines, t->deadlines, "since the start or the last reset, while the world moves")         \
    X(missed, t->missed, "of them: ticks left out, or begun late")                                 \
    X(workMean, t->tick.mean, "work of a tick [s]")                                                \
    X(workP50, t->tick.p50, "[s]")                                                                 \
    X(workP99, t->tick.p99, "[s]")                                                                 \
    X(workP999, t->tick.p999, "[s]")                                                               \
    X(workMost, t->tick.most, "[s]")                                                               \
    X(lateP50, t->lateness.p50, "lateness of a tick [s]")                                          \
    X(lateP99, t->lateness.p99, "[s]")                                                             \
    X(lateP999, t->lateness.p999, "[s]")                                                           \
    X(lateMost, t->lateness.most, "[s]")                                                           \
    X(refused, p->refused, "commands that the world refused")                                      \
    X(unrecorded, p->unrecorded, "commands that the session had no room for")                      \
    X(stalls, t->stalls, "how often a tick did not come")                                          \
    X(recorded, p->recorded, "commands of the session")

/// Accounts: of the world, then of each device, coupling, mechanism and link [J].
#define PL_WORLD_ACCOUNT(X)                                                                        \
    X(tick, p->tick)                                                                               \
    X(time, p->time)                                                                               \
    X(applied, a->applied)                                                                         \
    X(dissipated, a->dissipated)                                                                   \
    X(kinetic, a->kinetic)                                                                         \
    X(potential, a->potential)                                                                     \
    X(integrator, a->integrator)                                                                   \
    X(leak, a->leak)                                                                               \
    X(contactIntegrator, c->integrator)                                                            \
    X(contactLeak, c->leak)
#define PL_DEVICE_ACCOUNT(X)                                                                       \
    X(kinetic, o->kinetic)                                                                         \
    X(applied, o->applied)                                                                         \
    X(rows, o->rows)                                                                               \
    X(dissipated, o->dissipated)                                                                   \
    X(integrator, o->integrator)
#define PL_COUPLING_ACCOUNT(X) X(tool, o->tool) X(device, o->device) X(stored, o->stored)
#define PL_MECHANISM_ACCOUNT(X)                                                                    \
    X(kinetic, o->kinetic) X(applied, o->applied) X(integrator, o->integrator) X(leak, o->leak)
#define PL_LINK_ACCOUNT(X) X(integrator, o->integrator) X(leak, o->leak)

/// Messages of the server that are not text; the first byte, from 1 on.
#define PL_SERVER_MESSAGES(X)                                                                      \
    X(Picture, picture) X(Rows, rows) X(Surfaces, surfaces) X(Accounts, accounts) X(Look, look)
/// Messages of a client: the first word, from 0 on.
#define PL_CLIENT_MESSAGES(X)                                                                      \
    X(Command, command) X(Watch, watch) X(Take, take) X(Leave, leave) X(Look, look)

#endif
