"""What a world is asked and told beside its ticks: contact events, queries, things that come and go."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Optional, Sequence, Union

from . import _structs, values
from .errors import Error
from .scene import library, status_name

if TYPE_CHECKING:
    import numpy

Part = Union[int, str]  #: of a mechanism: its index, or the name of a chain's body
Name = Union[str, values.Id]  #: of what is in a world
Vector = Sequence[float]


def vector(v: Vector) -> _structs.Vec3:
    x, y, z = v
    return _structs.Vec3(x, y, z)


def pose(position: Vector, orientation: Vector) -> _structs.Pose:
    w, x, y, z = orientation
    return _structs.Pose(vector(position), _structs.Quat(w, x, y, z))


def id_of(id: ctypes.Structure) -> values.Id:
    return values.Id(type(id).__name__[:-2], id.index1 - 1, id.generation)


def shape_of(kind: str, numbers: dict) -> tuple[_structs.ShapeDef, object]:
    """A definition, and what must live as long as it is used."""
    shape = library.plDefaultShapeDef(index_of(kind, library.plShapeKind_Name))
    numbers, keep = dict(numbers), None
    shape.frame = pose(numbers.pop("position", (0, 0, 0)), numbers.pop("orientation", (1, 0, 0, 0)))
    for name in ("half", "normal"):
        if name in numbers:
            setattr(shape, name, vector(numbers.pop(name)))
    for name in ("radius", "length", "thickness"):
        if name in numbers:
            setattr(shape, name, numbers.pop(name))
    if "points" in numbers:
        points = [vector(point) for point in numbers.pop("points")]
        keep = (_structs.Vec3 * len(points))(*points)
        shape.points, shape.pointCount = keep, len(points)
    if numbers:
        raise TypeError(f'a shape has no {", ".join(numbers)}')
    return shape, keep


def doubles(array: numpy.ndarray):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def names(name_of) -> list[str]:
    """The list of an enumeration of the engine."""
    found: list[str] = []
    while (name := name_of(len(found)).decode()) != "unknown":
        found.append(name)
    return found


def index_of(name: str, name_of) -> int:
    known = names(name_of)
    if name not in known:
        raise Error("NotFound", f'expected one of {", ".join(known)}, found "{name}"')
    return known.index(name)


class Open:
    """A part of `World`."""

    @property
    def events(self) -> values.Events:
        """What began and ended to touch in the last tick, and what hit."""
        e, n = self._ask("plWorld_ContactEvents"), values.numbers

        def touch(t):
            return values.Touch(id_of(t.shapeA), id_of(t.shapeB))

        with self._alone():
            hits = [e.hits[i] for i in range(e.hitCount)]
            return values.Events([touch(e.begins[i]) for i in range(e.beginCount)],
                                 [touch(e.ends[i]) for i in range(e.endCount)],
                                 [values.Hit(id_of(h.shapeA), id_of(h.shapeB), n(h.point), n(h.normal), h.speed)
                                  for h in hits])

    # --- queries: what is where

    def cast_ray(self, origin: Vector, way: Vector, group: int = 1, mask: int = 0xFFFFFFFF) -> Optional[values.Spot]:
        """The first surface on the way from a point, entered from outside; None: there is none."""
        return self._query("plWorld_CastRay", vector(origin), vector(way), _structs.QueryFilter(group, mask))

    def closest_point(self, point: Vector, most: float = math.inf, group: int = 1,
                      mask: int = 0xFFFFFFFF) -> Optional[values.Spot]:
        """The nearest surface within `most` [m]; inside of solids the distance is negative."""
        return self._query("plWorld_ClosestPoint", vector(point), most, _structs.QueryFilter(group, mask))

    def _query(self, call: str, *arguments) -> Optional[values.Spot]:
        hit = _structs.QueryHit()
        status = self._ask(call, *arguments, ctypes.byref(hit))
        if status and status_name(status) == "NotFound":
            return None
        if status:
            raise Error(status_name(status), library.plStatus_Sentence(status).decode())
        return values.Spot(id_of(hit.shape), self._owner(hit.site), hit.site.part, values.numbers(hit.site.point),
                           values.numbers(hit.point), values.numbers(hit.normal), hit.distance)

    def overlap(self, kind: str, position: Vector, orientation: Vector = (1, 0, 0, 0), group: int = 1,
                mask: int = 0xFFFFFFFF, **numbers) -> list[values.Id]:
        """All shapes that a sphere, capsule, box or hull at a pose touches; its numbers as of `add_shape`."""
        shape, keep = shape_of(kind, numbers)
        count = ctypes.c_int()
        with self._alone():
            most = self._ask("plWorld_ShapeCount")
            found = (_structs.ShapeId * max(most, 1))()
            self._do("plWorld_Overlap", ctypes.byref(shape), pose(position, orientation),
                     _structs.QueryFilter(group, mask), most, found, ctypes.byref(count))
        del keep
        return [id_of(found[i]) for i in range(count.value)]

    # --- things that come and go

    def add_body(self, name: str, mass: float = 1, inertia: Vector = (1, 1, 1), position: Vector = (0, 0, 0),
                 orientation: Vector = (1, 0, 0, 0), velocity: Vector = (0, 0, 0), spin: Vector = (0, 0, 0),
                 data: object = None) -> values.Id:
        """A rigid body, its frame at the centre of mass; inertia about x, y and z of the body [kg m^2]. The scene needs
        room for it: `capacity`."""
        body, id = library.plDefaultAssemblyDef(), _structs.MechanismId()
        body.name, body.mass, body.pose = name.encode(), mass, pose(position, orientation)
        body.velocity, body.spin = vector(velocity), vector(spin)
        body.inertia.x.x, body.inertia.y.y, body.inertia.z.z = inertia
        self._do("plWorld_AddAssembly", ctypes.byref(body), ctypes.byref(id))
        return self._keep(id_of(id), data)

    def add_shape(self, mechanism: Optional[Name], kind: str, part: Part = 0, material: Optional[str] = None,
                  group: int = 1, mask: int = 0xFFFFFFFF, data: object = None, **numbers) -> values.Id:
        """A shape on a part; None is the ground. Numbers: position, orientation; radius of a sphere; radius and length of
        a capsule; half of a box; normal of a plane; points of a hull."""
        shape, keep = shape_of(kind, numbers)
        d, id = library.plDefaultPartShapeDef(shape.kind), _structs.ShapeId()
        site = self._site(mechanism, part, (0, 0, 0))
        d.mechanism, d.part, d.shape, d.group, d.mask = site.mechanism, site.part, shape, group, mask
        if material is not None:
            d.material = self._find("Material", material)
        self._do("plWorld_AddShape", ctypes.byref(d), ctypes.byref(id))
        del keep
        return self._keep(id_of(id), data)

    def remove(self, thing: Name) -> None:
        """A mechanism, by its name or id, with its shapes and links; a link or a shape by its id."""
        kind = thing.kind if isinstance(thing, values.Id) else "Mechanism"
        if kind not in ("Mechanism", "Link", "Shape"):
            raise Error("BadArgument", f"a {kind.lower()} stays in its world")
        self._do(f"plWorld_Remove{kind}", self._find(kind, thing))
        self._found = {name: channel for name, channel in self._found.items()
                       if not math.isnan(self._ask("plWorld_ReadChannel", channel))}
        self._objects = {id: data for id, data in self._objects.items() if self.has(id)}

    def id(self, name: str, kind: str = "Mechanism") -> values.Id:
        """Of what has the name now: of a Mechanism, Link, Device or Coupling."""
        if kind not in ("Mechanism", "Link", "Device", "Coupling"):
            raise Error("BadArgument", f'expected Mechanism, Link, Device or Coupling, found "{kind}"')
        return id_of(self._find(kind, name))

    def has(self, thing: values.Id) -> bool:
        """It is still there."""
        try:
            self._find(thing.kind, thing)
        except Error as error:
            if error.status in ("Stale", "BadId"):
                return False
            raise
        return True

    @property
    def shapes(self) -> list[values.Id]:
        found = (self._ask("plWorld_Shape", i) for i in range(self._ask("plWorld_ShapeCount")))
        return [id_of(id) for id in found if id.index1]

    def carrier(self, shape: values.Id) -> tuple[Optional[str], int]:
        """The mechanism (None is the ground) and part that carry a shape."""
        site = _structs.Site()
        self._do("plWorld_ShapeSite", self._find("Shape", shape), ctypes.byref(site))
        return self._owner(site), site.part

    def data(self, thing: values.Id) -> object:
        """The object that was set for it; None: none was."""
        self._find(thing.kind, thing)
        return self._objects.get(thing)

    def set_data(self, thing: values.Id, data: object) -> None:
        """Any object of yours, which goes when the thing is removed. No part of snapshots."""
        self._find(thing.kind, thing)
        self._keep(thing, data)

    def _keep(self, thing: values.Id, data: object) -> values.Id:
        if data is None:
            self._objects.pop(thing, None)
        else:
            self._objects[thing] = data
        return thing
