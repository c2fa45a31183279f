# Made by ./dev lists of include/palp/lists.h and src/serve/wire.h.

#: Bits of a step's trouble: value, name in C, what happened and what to change.
TROUBLES = (
    (1, "NotFinite",
     "a motion was not finite and was thrown away: "
     "lower the step or the stiffness"),
    (2, "NotConverged",
     "the symplectic integrator did not converge: "
     "lower the step"),
    (4, "Guarded",
     "the guard took over 1e-6 of the kinetic energy: "
     "raise passes"),
    (8, "Stopped",
     "no safe step was found and a group was stopped: "
     "lower the step"),
    (16, "BadStep",
     "the step was not a positive number and nothing was done: "
     "correct the step"),
    (32, "Apart",
     "a rigid link was open by over 1e-6 m or rad: "
     "raise passes"),
    (64, "ContactsFull",
     "contacts were left out: "
     "raise capacity.contacts, pairs or rows"),
    (128, "Law",
     "the contact law was met no better than to 1e-6: "
     "lower the step"),
    (256, "FellBack",
     "a group was too hard for the law, and was solved by another one or by its bias: "
     "take the law cone"),
    (512, "Device",
     "a device was lost or a force was not finite, and zero was written: "
     "look at the device"),
    (1024, "Deep",
     "a contact stayed deeper than contact.slop for over 3 ticks: "
     "lower the step"),
    (2048, "Cut",
     "a real device gave less than was asked, by its limit or slew limit: "
     "lower the stiffness of what it touches"),
    (4096, "Gained",
     "a step created more energy than there was: "
     "lower the step or the stiffness"),
    (8192, "Fast",
     "bodies came nearer in the step than they are thick, and may have passed each other: "
     "lower the step, or take the bias gap"),
    (16384, "Budget",
     "the budget of the tick was spent, and the best answer so far was taken: "
     "fewer contacts, a longer step, or a larger budget"),
)

#: Contact laws, in the order of their indices.
LAWS = ("penalty", "impulse", "lcp", "cone", "multiplier")

#: Integrators, in the order of their indices.
INTEGRATORS = ("midpoint", "explicit", "symplectic", "semi-implicit", "implicit", "implicit-midpoint", "runge-kutta")
