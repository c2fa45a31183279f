"""palp: haptic rendering and interactive simulation.

    import palp

    world = palp.World("pendulum")
    world.run(until=1)
    q, v = world.state("pendulum")
    print(world.ledger.energy, world.ledger.residual, f"{world.hash:016x}")

It calls the engine's shared library and needs no compiler. Arrays need numpy; all else goes without.
What the engine refuses is an `Error` with its sentence. SI units, right-handed axes, unit quaternions
(w, x, y, z).
"""

from .errors import Error, SceneError
from .scene import Scene, gallery, library
from .values import Contact, Events, Hit, Id, Ledger, Memory, Motion, Port, Pose, Report, Sample, Spot, Touch, Wrench
from .world import World

__version__ = library.plVersion().decode()
__all__ = ["Contact", "Error", "Events", "Hit", "Id", "Ledger", "Memory", "Motion", "Port", "Pose", "Report", "Sample", "Scene",
           "SceneError", "Spot", "Touch", "World", "Wrench", "gallery"]
