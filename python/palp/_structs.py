"""Structures of the C API, by the names and in the order of its headers.

Their layout is compared with what a C compiler makes of the headers (python/test_layout.py).
"""

import ctypes
from ctypes import c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p


class Vec3(ctypes.Structure):
    _fields_ = [("x", c_double), ("y", c_double), ("z", c_double)]


class Quat(ctypes.Structure):
    _fields_ = [("w", c_double), ("x", c_double), ("y", c_double), ("z", c_double)]


class Mat3(ctypes.Structure):
    _fields_ = [("x", Vec3), ("y", Vec3), ("z", Vec3)]


class Pose(ctypes.Structure):
    _fields_ = [("p", Vec3), ("q", Quat)]


class Wrench(ctypes.Structure):
    _fields_ = [("force", Vec3), ("torque", Vec3)]


class Motion(ctypes.Structure):
    _fields_ = [("x", Vec3), ("R", Mat3), ("v", Vec3), ("w", Vec3)]


class MechanismId(ctypes.Structure):
    _fields_ = [("index1", c_uint32), ("generation", c_uint32)]


class LinkId(ctypes.Structure):
    _fields_ = [("index1", c_uint32), ("generation", c_uint32)]


class ShapeId(ctypes.Structure):
    _fields_ = [("index1", c_uint32), ("generation", c_uint32)]


class DeviceId(ctypes.Structure):
    _fields_ = [("index1", c_uint32), ("generation", c_uint32)]


class CouplingId(ctypes.Structure):
    _fields_ = [("index1", c_uint32), ("generation", c_uint32)]


class MaterialId(ctypes.Structure):
    _fields_ = [("index1", c_uint32), ("generation", c_uint32)]


class Site(ctypes.Structure):
    _fields_ = [("mechanism", MechanismId), ("part", c_int), ("point", Vec3)]


class ContactInfo(ctypes.Structure):
    _fields_ = [
        ("shapeA", ShapeId),
        ("shapeB", ShapeId),
        ("a", Site),
        ("b", Site),
        ("normal", Vec3),
        ("gap", c_double),
        ("force", Vec3),
        ("age", c_int),
    ]


class StepReport(ctypes.Structure):
    _fields_ = [
        ("T", c_double),
        ("trouble", c_int),
        ("groups", c_int),
        ("passes", c_int),
        ("level", c_int),
        ("halvings", c_int),
        ("trials", c_int),
        ("impacts", c_int),
        ("gap", c_double),
        ("contacts", c_int),
        ("active", c_int),
        ("sliding", c_int),
        ("colliding", c_int),
        ("iterations", c_int),
        ("residual", c_double),
        ("spent", c_double),
        ("depth", c_double),
        ("rise", c_double),
    ]


class Account(ctypes.Structure):
    _fields_ = [
        ("kinetic", c_double),
        ("potential", c_double),
        ("applied", c_double),
        ("rows", c_double),
        ("dissipated", c_double),
        ("integrator", c_double),
        ("leak", c_double),
        ("drift", c_double),
        ("residual", c_double),
        ("worst", c_double),
        ("rise", c_double),
    ]


class Sample(ctypes.Structure):
    _fields_ = [
        ("pose", Pose),
        ("velocity", Vec3),
        ("spin", Vec3),
        ("hand", Wrench),
        ("buttons", c_uint),
        ("flags", c_uint),
    ]


class Port(ctypes.Structure):
    _fields_ = [("tool", c_double), ("device", c_double), ("stored", c_double)]


class Memory(ctypes.Structure):
    _fields_ = [("used", c_size_t), ("highWater", c_size_t), ("capacity", c_size_t)]


class Mass(ctypes.Structure):
    _fields_ = [("mass", c_double), ("center", Vec3), ("inertia", Mat3)]


class SoftInfo(ctypes.Structure):
    _fields_ = [
        ("model", c_int),
        ("nodes", c_int),
        ("tets", c_int),
        ("faces", c_int),
        ("candidates", c_int),
        ("rigid", Mass),
        ("omega", c_double),
        ("omegaT", c_double),
        ("settles", c_bool),
        ("stored", c_double),
    ]


class Channel(ctypes.Structure):
    _fields_ = [("kind", c_int), ("owner", c_int), ("index", c_int), ("part", c_int), ("generation", c_uint32)]


class Anchor(ctypes.Structure):
    _fields_ = [
        ("stiffness", c_double),
        ("damping", c_double),
        ("turnStiffness", c_double),
        ("turnDamping", c_double),
        ("anchor", Pose),
        ("action", c_int),
    ]


class AssemblyDef(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("integrator", c_int),
        ("coefficients", c_int),
        ("mass", c_double),
        ("inertia", Mat3),
        ("pose", Pose),
        ("velocity", Vec3),
        ("spin", Vec3),
        ("anchor", Anchor),
        ("userData", c_void_p),
    ]


class ShapeDef(ctypes.Structure):
    _fields_ = [
        ("kind", c_int),
        ("frame", Pose),
        ("radius", c_double),
        ("length", c_double),
        ("half", Vec3),
        ("normal", Vec3),
        ("thickness", c_double),
        ("pointCount", c_int),
        ("points", ctypes.POINTER(Vec3)),
        ("triangleCount", c_int),
        ("triangles", ctypes.POINTER(c_int)),
        ("pieceCount", c_int),
        ("pieces", c_void_p),
        ("patchCount", c_int),
        ("patches", c_void_p),
        ("inward", c_bool),
        ("loopCount", c_int),
        ("loops", c_void_p),
        ("support", c_void_p),
    ]


class PartShapeDef(ctypes.Structure):
    _fields_ = [
        ("mechanism", MechanismId),
        ("part", c_int),
        ("shape", ShapeDef),
        ("material", MaterialId),
        ("group", c_uint32),
        ("mask", c_uint32),
        ("userData", c_void_p),
    ]


class TouchEvent(ctypes.Structure):
    _fields_ = [("shapeA", ShapeId), ("shapeB", ShapeId)]


class HitEvent(ctypes.Structure):
    _fields_ = [("shapeA", ShapeId), ("shapeB", ShapeId), ("point", Vec3), ("normal", Vec3), ("speed", c_double)]


class ContactEvents(ctypes.Structure):
    _fields_ = [
        ("beginCount", c_int),
        ("endCount", c_int),
        ("hitCount", c_int),
        ("begins", ctypes.POINTER(TouchEvent)),
        ("ends", ctypes.POINTER(TouchEvent)),
        ("hits", ctypes.POINTER(HitEvent)),
    ]


class QueryFilter(ctypes.Structure):
    _fields_ = [("group", c_uint32), ("mask", c_uint32)]


class QueryHit(ctypes.Structure):
    _fields_ = [("shape", ShapeId), ("site", Site), ("point", Vec3), ("normal", Vec3), ("distance", c_double)]


class Stepper(ctypes.Structure):
    _fields_ = [("min", c_double), ("max", c_double), ("state", c_uint64 * 4)]


class SceneError(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("line", c_int),
        ("column", c_int),
        ("path", c_char * 256),
        ("message", c_char * 768),
    ]


#: C name of every structure.
STRUCTS = {
    "pl" + name: value
    for name, value in list(globals().items())
    if isinstance(value, type) and issubclass(value, ctypes.Structure)
}

#: What enumerations are in C, and what else has no parts.
PLAIN = {
    "void": None,
    "bool": c_bool,
    "int": c_int,
    "double": c_double,
    "size_t": c_size_t,
    "uint64_t": c_uint64,
    "plStatus": c_int,
    "plLawName": c_int,
    "plIntegrator": c_int,
    "plContactState": c_int,
    "plShapeKind": c_int,
}
