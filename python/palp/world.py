"""A world: what a scene describes, and one tick of it after the other."""

from __future__ import annotations

import ctypes
import math
import os
import threading
import weakref
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Iterator, Optional, Sequence, Union

from . import _library, _structs, values
from .errors import Error
from .open import Name, Open, Part, Vector, doubles, index_of, pose, vector
from .scene import Scene, Settings, Source, library, raise_scene, status_name

if TYPE_CHECKING:
    import numpy


class World(Open):
    """The world of a scene, at its start. To be used by one thread at a time: a call, or a close, while
    another thread is in one is an Error (Busy).

    source    a Scene, or what makes one: a path, a name of the gallery, a dictionary
    settings  as of a Scene; for all sources but a Scene
    """

    def __init__(self, source: Union[Scene, Source], settings: Settings = ()) -> None:
        if isinstance(source, Scene) and settings:
            raise TypeError("a Scene has its settings already")
        self.scene = source if isinstance(source, Scene) else Scene(source, settings)
        pointer, error = ctypes.c_void_p(), _structs.SceneError()
        if library.plScene_CreateWorld(self.scene._alive, ctypes.byref(pointer), ctypes.byref(error)):
            raise_scene(error)
        self._pointer = pointer
        self._end = weakref.finalize(self, library.plWorld_Destroy, pointer)
        self._end.atexit = False  # a daemon's thread may still be in a call then
        self._lock = threading.RLock()
        self._stepper = library.plScene_Stepper(self.scene._alive)
        self._total, self._data = self.scene.time, self.scene.data
        self._found: dict[str, _structs.Channel] = {}
        self._objects: dict[values.Id, object] = {}

    def close(self) -> None:
        """Frees it now; without it, when nobody has it any more. A second time does nothing."""
        with self._alone():
            self._end()

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._end.alive:
            return "<palp.World, closed>"
        return f"<palp.World {self._data.get('title', '')!r} at {self.time:g} s>"

    # --- calls

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """ctypes lets other threads run during a call: no two of them in one world."""
        if not self._lock.acquire(blocking=False):
            raise Error("Busy", "another thread uses the world: a world is for one at a time")
        try:
            yield
        finally:
            self._lock.release()

    def _ask(self, name: str, *arguments):
        if not self._lock.acquire(blocking=False):
            raise Error("Busy", "another thread uses the world: a world is for one at a time")
        try:
            if not self._end.alive:
                raise Error("Closed", "the world is closed")
            return getattr(library, name)(self._pointer, *arguments)
        finally:
            self._lock.release()

    def _do(self, name: str, *arguments) -> None:
        with self._alone():
            status = self._ask(name, *arguments)
            if status == 0:
                return
            own = self._ask("plWorld_Error") if name in _library.CHANGING else b""
        raise Error(status_name(status), (own or library.plStatus_Sentence(status)).decode())

    def _find(self, kind: str, name: Name):
        id = getattr(_structs, kind + "Id")()
        if isinstance(name, values.Id):
            if name.kind != kind:
                raise Error("BadId", f"expected the id of a {kind.lower()}, found that of a {name.kind.lower()}")
            id.index1, id.generation = name.index + 1, name.generation
            # some calls answer without a status: what is stale is told here, for all
            self._do(f"plWorld_{kind}Data", id, ctypes.byref(ctypes.c_void_p()))
            return id
        if self._ask("plWorld_Find" + kind, name.encode(), ctypes.byref(id)):
            raise Error("NotFound", f'there is no {kind.lower()} "{name}" in this world')
        return id

    def _get(self, call: str, kind: str, name: str, result):
        self._do("plWorld_" + call, self._find(kind, name), ctypes.byref(result))
        return result

    def _site(self, mechanism: Optional[str], part: Part, point: Vector) -> _structs.Site:
        if mechanism is None:
            return _structs.Site(_structs.MechanismId(), 0, vector(point))
        id = self._find("Mechanism", mechanism)
        if isinstance(part, str):
            known = self.parts(mechanism)
            if part not in known:
                raise Error("NotFound", f'"{mechanism}" has no part "{part}"')
            part = known.index(part)
        return _structs.Site(id, part, vector(point))

    # --- ticks

    def step(self, T: Optional[float] = None, count: int = 1) -> None:
        """Ticks of T seconds each; without it, of the steps that the scene asks for, which may be
        random. A tick cannot fail: see `report`."""
        with self._alone():
            for _ in range(count):
                self._ask("plWorld_Step", self._next() if T is None else T)

    def _next(self) -> float:
        return library.plStepper_Next(ctypes.byref(self._stepper))

    def _ticks(self, total: float) -> Iterator[None]:
        """As `palp run` counts: constant steps by their number, random ones by their sum."""
        least, most = self._stepper.min, self._stepper.max
        while (self.time < total - 1e-3 * least if least < most
               else self.tick < math.ceil(total / least - 1e-6)):
            self.step()
            yield

    def run(self, until: Optional[float] = None) -> None:
        """Steps as `palp run` does until this time [s]; default: as long as the scene wants."""
        with self._alone():
            for _ in self._ticks(self._total if until is None else until):
                pass

    def record(self, channels: Sequence[str], until: Optional[float] = None) -> dict[str, numpy.ndarray]:
        """The same, and the values of channels behind each tick."""
        np = values.arrays()
        with self._alone():
            found = [self._channel(name) for name in channels]
            rows = [[self._ask("plWorld_ReadChannel", channel) for channel in found]
                    for _ in self._ticks(self._total if until is None else until)]
        table = np.array(rows).reshape(len(rows), len(found))
        return {name: table[:, i] for i, name in enumerate(channels)}

    @property
    def time(self) -> float:
        """[s]"""
        return self._ask("plWorld_Time")

    @property
    def tick(self) -> int:
        """Count of steps."""
        return self._ask("plWorld_Tick")

    @property
    def hash(self) -> int:
        """Of the whole state: equal for equal runs of one build on one type of processor."""
        return self._ask("plWorld_Hash")

    @property
    def report(self) -> values.Report:
        """What the last tick did, and what was wrong with it."""
        return values.report_of(self._ask("plWorld_Report"))

    @property
    def memory(self) -> values.Memory:
        m = self._ask("plWorld_Memory")
        return values.Memory(m.used, m.highWater, m.capacity)

    def advice(self) -> list[str]:
        """What is known to go wrong with the devices and couplings, in plain words."""
        return list(self._texts("plWorld_Advice", 512))

    def _texts(self, call: str, size: int) -> Iterator[str]:
        text = ctypes.create_string_buffer(size)
        i = 0
        while self._ask(call, i, text, size) > 0:
            yield text.value.decode()
            i += 1

    # --- energy

    @property
    def ledger(self) -> values.Ledger:
        """Of the whole world."""
        return values.ledger_of(self._ask("plWorld_Ledger"))

    @property
    def contact_ledger(self) -> values.Ledger:
        """Of all contacts together."""
        return values.ledger_of(self._ask("plWorld_ContactLedger"))

    @property
    def tank(self) -> float:
        """What contacts dissipated, less what drift has spent [J]."""
        return self._ask("plWorld_Tank")

    def mechanism_ledger(self, mechanism: str) -> values.Ledger:
        return values.ledger_of(self._get("MechanismLedger", "Mechanism", mechanism, _structs.Account()))

    def link_ledger(self, link: str) -> values.Ledger:
        return values.ledger_of(self._get("LinkLedger", "Link", link, _structs.Account()))

    def device_ledger(self, device: str) -> values.Ledger:
        return values.ledger_of(self._get("DeviceLedger", "Device", device, _structs.Account()))

    def port(self, coupling: str) -> values.Port:
        """Energy that went through a coupling."""
        p = self._get("Port", "Coupling", coupling, _structs.Port())
        return values.Port(p.tool, p.device, p.stored)

    def reset_ledger(self) -> None:
        self._ask("plWorld_ResetLedger")

    # --- mechanisms and links

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Names of all."""
        return self._listed("Mechanism")

    @property
    def links(self) -> tuple[str, ...]:
        return self._listed("Link")

    def _listed(self, kind: str) -> tuple[str, ...]:
        """Places of what was removed have no name."""
        found = (self._ask(f"plWorld_{kind}Name", self._ask(f"plWorld_{kind}", i))
                 for i in range(self._ask(f"plWorld_{kind}Count")))
        return tuple(name.decode() for name in found if name is not None)

    def kind(self, mechanism: str) -> str:
        """assembly, chain, soft or prescribed"""
        return self._ask("plWorld_MechanismType", self._find("Mechanism", mechanism)).decode()

    def part_count(self, mechanism: str) -> int:
        return self._ask("plWorld_PartCount", self._find("Mechanism", mechanism))

    def parts(self, mechanism: str) -> list[str]:
        """Names of the bodies of a chain or jointed assembly, as the scene has them; empty for others."""
        return self._names_in(mechanism, "bodies")

    def joints(self, mechanism: str) -> list[str]:
        """Names of the joints of a jointed assembly; empty for others."""
        return self._names_in(mechanism, "joints")

    def _names_in(self, mechanism: str, key: str) -> list[str]:
        for described in self._data.get("mechanisms", []):
            if described.get("name") == mechanism:
                return [part.get("name", "") for part in described.get(key, [])]
        return []

    def _joint(self, mechanism: str, joint: Part) -> int:
        if not isinstance(joint, str):
            return joint
        known = self.joints(mechanism)
        if joint not in known:
            raise Error("NotFound", f'"{mechanism}" has no joint "{joint}"')
        return known.index(joint)

    def joint_force(self, mechanism: str, joint: Part) -> numpy.ndarray:
        """Force and torque on its body a that a joint of a jointed assembly gives [N, N m], world axes: at
        the end of the last tick, under the forces of that tick."""
        force = values.arrays().zeros(6)
        self._do("plWorld_JointForce", self._find("Mechanism", mechanism),
                 self._joint(mechanism, joint), doubles(force))
        return force

    def joint_position(self, mechanism: str, joint: Part) -> numpy.ndarray:
        """Free positions of a joint: its angle or way [rad or m], two for cylindrical and universal ones;
        what it has not is 0."""
        position = values.arrays().zeros(2)
        self._do("plWorld_JointPosition", self._find("Mechanism", mechanism),
                 self._joint(mechanism, joint), doubles(position))
        return position

    def state(self, mechanism: str) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Copies of positions and velocities. Of an assembly: x y z, then a quaternion w x y z;
        velocity in world axes, then spin in body axes."""
        id = self._find("Mechanism", mechanism)
        np = values.arrays()
        q = np.zeros(self._ask("plWorld_PositionCount", id))
        v = np.zeros(self._ask("plWorld_VelocityCount", id))
        self._do("plWorld_State", id, doubles(q), doubles(v))
        return q, v

    def set_state(self, mechanism: str, q: Optional[Vector] = None, v: Optional[Vector] = None) -> None:
        """Places a mechanism between ticks; what is not given stays. The energy that this brings counts
        as applied."""
        np = values.arrays()
        placed = []
        for what, old, new in zip(("positions", "velocities"), self.state(mechanism), (q, v)):
            new = old if new is None else np.array(new, dtype=float)
            if new.shape != old.shape:
                raise Error("BadArgument", f'"{mechanism}" has {old.size} {what}, found {new.size}')
            placed.append(new)
        self._do("plWorld_SetState", self._find("Mechanism", mechanism), *map(doubles, placed))

    def motion(self, mechanism: Optional[str], part: Part = 0, point: Vector = (0, 0, 0)) -> values.Motion:
        """Of a site: a point of a part, in the part's frame [m]. None is the ground."""
        motion = _structs.Motion()
        self._do("plWorld_Motion", self._site(mechanism, part, point), ctypes.byref(motion))
        return values.motion_of(motion)

    def inertia(self, mechanism: str) -> tuple[numpy.ndarray, numpy.ndarray]:
        """M(q) and C(q, v); dM/dt = C + C^T."""
        id = self._find("Mechanism", mechanism)
        n = self._ask("plWorld_VelocityCount", id)
        M, C = values.arrays().zeros((2, n, n))
        self._do("plWorld_Inertia", id, doubles(M), doubles(C))
        return M, C

    def link_force(self, link: str) -> numpy.ndarray:
        """Mean force on its site a in the last tick, world axes [N, N m]; three values, and three more
        where the link holds the orientation."""
        force = values.arrays().full(6, math.nan)
        self._do("plWorld_LinkForce", self._find("Link", link), doubles(force))
        return force[:3] if math.isnan(force[3]) else force

    def apply_wrench(self, mechanism: str, force: Vector = (0, 0, 0), torque: Vector = (0, 0, 0),
                     part: Part = 0, point: Vector = (0, 0, 0)) -> None:
        """At a site, world axes [N, N m]; held over the next tick and then forgotten."""
        self._do("plWorld_ApplyWrench", self._site(mechanism, part, point),
                 _structs.Wrench(vector(force), vector(torque)))

    def apply_effort(self, mechanism: str, coordinate: int, effort: float) -> None:
        """The same for one velocity of a mechanism [N or N m]."""
        self._do("plWorld_ApplyEffort", self._find("Mechanism", mechanism), coordinate, effort)

    def steer(self, mechanism: str, position: Vector, orientation: Vector = (1, 0, 0, 0)) -> None:
        """Where a prescribed frame is at the end of the next tick."""
        self._do("plWorld_Steer", self._find("Mechanism", mechanism), pose(position, orientation))

    def integrator(self, mechanism: str) -> str:
        id = self._find("Mechanism", mechanism)
        return library.plIntegrator_Name(self._ask("plWorld_MechanismIntegrator", id)).decode()

    def set_integrator(self, mechanism: str, name: str) -> None:
        """Another one from the next tick on."""
        self._do("plWorld_SetIntegrator", self._find("Mechanism", mechanism),
                 index_of(name, library.plIntegrator_Name))

    def soft_faces(self, mechanism: str) -> numpy.ndarray:
        """Faces of a soft body's surface: three nodes each, counter-clockwise seen from outside."""
        count = ctypes.c_int()
        faces = self._ask("plWorld_SoftFaces", self._find("Mechanism", mechanism), ctypes.byref(count))
        if not faces:
            raise Error("BadArgument", f'"{mechanism}" is not soft')
        return values.arrays().array(faces[:3 * count.value], dtype=int).reshape(-1, 3)

    def soft_points(self, mechanism: str) -> numpy.ndarray:
        """Where the nodes of a soft body are now, world axes [m]."""
        info = self._soft(mechanism)
        points = (_structs.Vec3 * info.nodes)()
        self._do("plWorld_SoftPoints", self._find("Mechanism", mechanism), points)
        return values.arrays().frombuffer(points, dtype=float).reshape(-1, 3).copy()

    def _soft(self, mechanism: str) -> _structs.SoftInfo:
        info = _structs.SoftInfo()
        self._do("plWorld_SoftInfo", self._find("Mechanism", mechanism), 1e-3, ctypes.byref(info))
        return info

    # --- contacts

    @property
    def contacts(self) -> list[values.Contact]:
        """Those of the last tick."""
        return [self._contact(i) for i in range(self._ask("plWorld_ContactCount"))]

    def _contact(self, i: int) -> values.Contact:
        c, n = _structs.ContactInfo(), values.numbers
        self._do("plWorld_Contact", i, ctypes.byref(c))
        return values.Contact(self._owner(c.a), c.a.part, n(c.a.point), self._owner(c.b), c.b.part,
                              n(c.b.point), n(c.normal), c.gap, n(c.force), c.age)

    def _owner(self, site: _structs.Site) -> Optional[str]:
        name = self._ask("plWorld_MechanismName", site.mechanism) if site.mechanism.index1 else None
        return name.decode() if name is not None else None

    def contact_state(self, mechanism: str) -> str:
        """free, colliding or resting"""
        state = self._ask("plWorld_ContactState", self._find("Mechanism", mechanism))
        return library.plContactState_Name(state).decode()

    @property
    def law(self) -> str:
        """The contact law; another one may be set between ticks."""
        return library.plLawName_Name(self._ask("plWorld_Law")).decode()

    @law.setter
    def law(self, name: str) -> None:
        self._do("plWorld_SetLaw", index_of(name, library.plLawName_Name))

    def freeze(self, T: float, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the contact problem that the next tick of T would meet, for `palp solve`."""
        self._do("plWorld_Freeze", T, os.fsencode(path))

    # --- devices and couplings

    @property
    def devices(self) -> tuple[str, ...]:
        return tuple(device["name"] for device in self._data.get("devices", []))

    @property
    def couplings(self) -> tuple[str, ...]:
        return tuple(coupling["name"] for coupling in self._data.get("couplings", []))

    def device_force(self, device: str) -> values.Wrench:
        """What was written to it in the last tick."""
        return values.wrench_of(self._get("DeviceForce", "Device", device, _structs.Wrench()))

    def device_pose(self, device: str) -> values.Pose:
        """Where a simulated device is now."""
        return values.pose_of(self._get("DevicePose", "Device", device, _structs.Pose()))

    def device_sample(self, device: str) -> values.Sample:
        """What it told when the last tick began."""
        return values.sample_of(self._get("DeviceSample", "Device", device, _structs.Sample()))

    def hold(self, device: str, position: Vector, orientation: Vector = (1, 0, 0, 0)) -> None:
        """A hand takes the handle of a simulated device and wants it at a pose, in place of its script."""
        self._do("plWorld_Hold", self._find("Device", device), pose(position, orientation))

    def let_go(self, device: str) -> None:
        self._do("plWorld_LetGo", self._find("Device", device))

    def script(self, device: str) -> None:
        """The hand of the scene goes on."""
        self._do("plWorld_Script", self._find("Device", device))

    # --- channels

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of all scalars that can be read."""
        return tuple(self._texts("plWorld_ChannelName", 256))

    def _channel(self, name: str) -> _structs.Channel:
        if name not in self._found:
            channel = _structs.Channel()
            if self._ask("plWorld_FindChannel", name.encode(), ctypes.byref(channel)):
                raise Error("NotFound", f'there is no channel "{name}" in this world')
            self._found[name] = channel
        return self._found[name]

    def read(self, name: str) -> float:
        """A scalar by the name of its channel: "energy", "arm.q[0]", "stick.force[2]" ..."""
        return self._ask("plWorld_ReadChannel", self._channel(name))

    # --- snapshots

    def snapshot(self) -> bytes:
        """The whole state, and how far the scene's steps are."""
        with self._alone():
            size = self._ask("plWorld_SnapshotSize")
            state = ctypes.create_string_buffer(size)
            self._ask("plWorld_Save", state)
            stepper = bytes(self._stepper)
        return stepper + zlib.crc32(stepper).to_bytes(4, "little") + state.raw

    def restore(self, snapshot: bytes) -> None:
        """Goes back to a snapshot of this world, or of another one of the same scene."""
        size = ctypes.sizeof(_structs.Stepper)
        head = size + 4
        if len(snapshot) < head:
            raise Error("Mismatch", "the snapshot is too short")
        if zlib.crc32(snapshot[:size]) != int.from_bytes(snapshot[size:head], "little"):
            raise Error("Damaged", "the snapshot is damaged")
        with self._alone():
            self._do("plWorld_Restore", snapshot[head:], len(snapshot) - head)
            self._stepper = _structs.Stepper.from_buffer_copy(snapshot)
