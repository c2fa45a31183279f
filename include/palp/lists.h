// Lists that C, the page, Python and the documents share, each written once. `./dev lists` makes view/lists.js,
// python/palp/_lists.py and doc/lists.md of them, and a test checks that these are current.
#ifndef PALP_LISTS_H
#define PALP_LISTS_H

/// Trouble inside a tick: name, bit, whether the page shows it as a fault, what happened, what to change.
/// The step goes on.
#define PL_TROUBLE_LIST(X)                                                                         \
    X(NotFinite, 1, true, "a motion was not finite and was thrown away",                           \
      "lower the step or the stiffness")                                                           \
    X(NotConverged, 2, true, "the symplectic integrator did not converge", "lower the step")       \
    X(Guarded, 4, false, "the guard took over 1e-6 of the kinetic energy", "raise passes")         \
    X(Stopped, 8, true, "no safe step was found and a group was stopped", "lower the step")        \
    X(BadStep, 16, true, "the step was not a positive number and nothing was done",                \
      "correct the step")                                                                          \
    X(Apart, 32, true, "a rigid link was open by over 1e-6 m or rad", "raise passes")              \
    X(ContactsFull, 64, true, "contacts were left out", "raise capacity.contacts, pairs or rows")  \
    X(Law, 128, false, "the contact law was met no better than to 1e-6", "lower the step")         \
    X(FellBack, 256, false,                                                                        \
      "a group was too hard for the law, and was solved by another one or by its bias",            \
      "take the law cone")                                                                         \
    X(Device, 512, true, "a device was lost or a force was not finite, and zero was written",      \
      "look at the device")                                                                        \
    X(Deep, 1024, true, "a contact stayed deeper than contact.slop for over 3 ticks",              \
      "lower the step")                                                                            \
    X(Cut, 2048, false, "a real device gave less than was asked, by its limit or slew limit",      \
      "lower the stiffness of what it touches")                                                    \
    X(Gained, 4096, false, "a step created more energy than there was",                            \
      "lower the step or the stiffness")                                                           \
    X(Fast, 8192, true,                                                                            \
      "bodies came nearer in the step than they are thick, and may have passed each other",        \
      "lower the step, or take the bias gap")                                                      \
    X(Budget, 16384, true,                                                                         \
      "the budget of the tick was spent, and the best answer so far was taken",                    \
      "fewer contacts, a longer step, or a larger budget")

/// Contact laws: name in C, name in scenes, what it does, and the equations that it is from.
#define PL_LAW_LIST(X)                                                                             \
    X(Penalty, "penalty", "walls of springs and dampers, smoothed friction", "iapb eq. 5, 6")      \
    X(Impulse, "impulse", "restitution when something new hits, else penalty", "iapb eq. 15, 20")  \
    X(Lcp, "lcp", "friction pyramids, exact by pivoting", "pmi eq. 28-34")                         \
    X(Cone, "cone", "Signorini and the exact friction cone (the default)", "signorini 2006")       \
    X(Multiplier, "multiplier", "impacts of surfaces, forces first; takes depth back",             \
      "nurbs eq. 1-4")

/// How a mechanism steps: name in C, name in scenes, what it does.
#define PL_INTEGRATOR_LIST(X)                                                                      \
    X(Midpoint, "midpoint", "passive midpoint: lossless at any step (pmi eq. 9-40)")               \
    X(Explicit, "explicit", "explicit Euler: gains energy")                                        \
    X(Symplectic, "symplectic", "symplectic Euler in momenta, by a bounded Newton (pmi eq. 43)")   \
    X(SemiImplicit, "semi-implicit", "the linear form of it, Coriolis forces explicit")            \
    X(Implicit, "implicit", "implicit Euler, linearised once: loses energy")                       \
    X(ImplicitMidpoint, "implicit-midpoint",                                                       \
      "implicit midpoint in momenta, by a bounded Newton (pmi eq. 44)")                            \
    X(RungeKutta, "runge-kutta",                                                                   \
      "Runge and Kutta of fourth order, joints by multipliers: only jointed assemblies "           \
      "(nurbs eq. 6, 7)")

/// What may be asked of a running world: name in C, name in sessions, what of plCommand it reads.
#define PL_COMMAND_LIST(X)                                                                         \
    X(Pause, "pause", "nothing")                                                                   \
    X(Resume, "resume", "nothing")                                                                 \
    X(Ticks, "ticks", "`index` ticks (1 .. 1000), then a pause")                                   \
    X(Reset, "reset",                                                                              \
      "state, law, integrators, surfaces and limits of the start; step and speed stay")            \
    X(Speed, "speed", "`value`: seconds of the world in a second, 0.01 .. 10")                     \
    X(Step, "step", "`value`: step of the world [s], 1e-5 .. 0.1")                                 \
    X(Law, "law", "`index`: a contact law")                                                        \
    X(Integrator, "integrator", "`index`: an integrator, of all mechanisms")                       \
    X(Material, "material",                                                                        \
      "`index`: a material, 0 is the world's own; `choice`: 0 friction, 1 restitution, "           \
      "2 stiffness, 3 damping; `value`")                                                           \
    X(Limit, "limit", "`index`: a coupling; `choice`: a limit")                                    \
    X(Hold, "hold", "`index`: a device; `pose`: where the hand wants it")                          \
    X(LetGo, "let-go", "`index`: a device")                                                        \
    X(Script, "script", "`index`: a device, whose scripted hand goes on")                          \
    X(Grab, "grab", "`index`: a coupling; `choice`, `part`, `pose.p`: mechanism, part, point")     \
    X(Release, "release", "`index`: a coupling")                                                   \
    X(Alarm, "alarm",                                                                              \
      "something outside went wrong: no force for 20 ms, recorded tick by tick; `value`: share "   \
      "of the force that is gone already, 0 .. 1")                                                 \
    X(Model, "model", "`index`: a device; `choice`: a model whose limits it gets, -1: its own")

#endif
