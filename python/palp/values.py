"""What a world tells: plain values, with numpy arrays for what has several numbers."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from . import _lists, _structs

if TYPE_CHECKING:
    import numpy


def arrays():
    """numpy, which all but arrays can do without."""
    try:
        import numpy
    except ImportError:
        raise ImportError("palp gives states, forces and places as numpy arrays, and numpy is not "
                          "there: install python3-numpy") from None
    return numpy


def numbers(value: ctypes.Structure) -> numpy.ndarray:
    """The doubles of a structure that has nothing else."""
    count = ctypes.sizeof(value) // ctypes.sizeof(ctypes.c_double)
    return arrays().array((ctypes.c_double * count).from_buffer_copy(value))


@dataclass(frozen=True)
class Wrench:
    """World axes."""

    force: numpy.ndarray  #: [N]
    torque: numpy.ndarray  #: [N m]


@dataclass(frozen=True)
class Pose:
    position: numpy.ndarray  #: [m]
    orientation: numpy.ndarray  #: unit quaternion w x y z


@dataclass(frozen=True)
class Motion:
    """Of a point of a body, in world axes."""

    position: numpy.ndarray  #: [m]
    rotation: numpy.ndarray  #: 3 x 3, body to world
    velocity: numpy.ndarray  #: [m/s]
    spin: numpy.ndarray  #: [rad/s]


@dataclass(frozen=True)
class Sample:
    """What a device told at the start of the last tick, in world axes."""

    pose: Pose
    velocity: numpy.ndarray  #: [m/s]
    spin: numpy.ndarray  #: [rad/s]
    hand: Wrench  #: of the hand on the handle; zero when it is not known
    buttons: int
    lost: bool  #: it does not answer
    stop: bool  #: it met a stop at the border of its workspace
    cut: bool  #: its motors could not give all that was asked


@dataclass(frozen=True)
class Contact:
    """A contact of the last tick."""

    a: Optional[str]  #: the mechanism that the force is on; None is the ground
    part_a: int
    point_a: numpy.ndarray  #: where it touched, in the frame of the part [m]
    b: Optional[str]
    part_b: int
    point_b: numpy.ndarray
    normal: numpy.ndarray  #: from b to a, world axes
    gap: float  #: at the start of the tick; < 0 is depth [m]
    force: numpy.ndarray  #: mean over the tick, on a, world axes [N]
    age: int  #: ticks since it was new


@dataclass(frozen=True)
class Id:
    """Of a mechanism, link, shape, device or coupling, as long as it is there. Where a name may be given, an Id may;
    what was removed is an Error with the status Stale."""

    kind: str  #: Mechanism, Link, Shape, Device, Coupling
    index: int  #: from 0; places of what was removed are used again
    generation: int


@dataclass(frozen=True)
class Touch:
    """Two shapes that touch since this tick, or no longer touch; the one with the lower index is a."""

    a: Id
    b: Id


@dataclass(frozen=True)
class Hit:
    """Two shapes that met faster than contact.hitSpeed, 1 m/s."""

    a: Id
    b: Id
    point: numpy.ndarray  #: world [m]
    normal: numpy.ndarray  #: from b to a, world axes
    speed: float  #: at which they approached [m/s]


@dataclass(frozen=True)
class Events:
    """Of the last tick, each in ascending order of (a, b)."""

    begins: list[Touch]
    ends: list[Touch]
    hits: list[Hit]


@dataclass(frozen=True)
class Spot:
    """A spot of a surface that a query found."""

    shape: Id
    mechanism: Optional[str]  #: that carries the shape; None is the ground
    part: int
    local: numpy.ndarray  #: on the part [m]; of a soft body's face the weights of its corners
    point: numpy.ndarray  #: the same, world [m]
    normal: numpy.ndarray  #: outward, world axes
    distance: float  #: [m]; a closest point: < 0 inside


@dataclass(frozen=True)
class Ledger:
    """Owners of the joules [J]; see plAccount of palp/world.h.

    change of energy = applied + rows + integrator + leak + drift - dissipated + residual
    """

    kinetic: float
    potential: float
    applied: float
    rows: float
    dissipated: float
    integrator: float
    leak: float
    drift: float
    residual: float  #: round-off, or a bug
    worst: float
    rise: float  #: of the total: largest rise of one tick, >= 0

    @property
    def energy(self) -> float:
        return self.kinetic + self.potential


@dataclass(frozen=True)
class Port:
    """Energy of a coupling [J]."""

    tool: float
    device: float
    stored: float


@dataclass(frozen=True)
class Report:
    """What the last tick did; see plStepReport of palp/world.h."""

    T: float  #: [s]
    trouble: tuple[str, ...]  #: what went wrong and what to change, in words; empty: nothing
    bits: int  #: the same as in C
    groups: int
    passes: int
    level: int
    halvings: int
    trials: int  #: most of any group, of all its steps
    impacts: int  #: groups whose velocities were solved for once more, behind the step
    gap: float
    contacts: int
    active: int
    sliding: int
    colliding: int
    iterations: int
    residual: float
    spent: float  #: operations, as the budget counts them
    depth: float
    rise: float  #: of the world's energy in the tick, less what was applied in it [J]


@dataclass(frozen=True)
class Memory:
    """Bytes of a world."""

    used: int
    high_water: int
    capacity: int


def wrench_of(w: _structs.Wrench) -> Wrench:
    return Wrench(numbers(w.force), numbers(w.torque))


def pose_of(p: _structs.Pose) -> Pose:
    return Pose(numbers(p.p), numbers(p.q))


def motion_of(m: _structs.Motion) -> Motion:
    return Motion(numbers(m.x), numbers(m.R).reshape(3, 3), numbers(m.v), numbers(m.w))


def sample_of(s: _structs.Sample) -> Sample:
    return Sample(pose_of(s.pose), numbers(s.velocity), numbers(s.spin), wrench_of(s.hand), s.buttons,
                  bool(s.flags & 1), bool(s.flags & 2), bool(s.flags & 4))


def ledger_of(a: _structs.Account) -> Ledger:
    return Ledger(*(getattr(a, name) for name, _ in a._fields_))


def report_of(r: _structs.StepReport) -> Report:
    words = tuple(words for bit, _, words in _lists.TROUBLES if r.trouble & bit)
    rest = {name: getattr(r, name) for name, _ in r._fields_ if name not in ("T", "trouble")}
    return Report(T=r.T, trouble=words, bits=r.trouble, **rest)
