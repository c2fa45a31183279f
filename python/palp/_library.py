"""The shared library: where it is, and which of its functions are called.

The prototypes are those of the C headers. A C compiler that sees both refuses any that differ
(python/test_layout.py).
"""

import ctypes
import os
import re
import sysconfig
from pathlib import Path
from typing import Iterator

from . import _structs

VERSION = "0.1"  #: of the headers that the prototypes and structures were taken from

PROTOTYPES = """
const char* plVersion(void);
const char* plStatus_Name(plStatus);
const char* plStatus_Sentence(plStatus);
const char* plLawName_Name(int);
const char* plIntegrator_Name(int);
const char* plContactState_Name(int);
const char* plShapeKind_Name(int);

plStatus plScene_Load(const char*, const char* const*, int, plScene**, plSceneError*);
plStatus plScene_Parse(const char*, const char*, size_t, const char* const*, int, plScene**, plSceneError*);
void plScene_Destroy(plScene*);
const char* plScene_Title(const plScene*);
const char* plScene_Description(const plScene*);
double plScene_Time(const plScene*);
double plScene_Step(const plScene*);
int plScene_ChannelCount(const plScene*);
const char* plScene_Channel(const plScene*, int);
const char* plScene_Text(const plScene*);
plStatus plScene_CreateWorld(const plScene*, plWorld**, plSceneError*);
plStepper plScene_Stepper(const plScene*);
double plStepper_Next(plStepper*);

void plWorld_Destroy(plWorld*);
const char* plWorld_Error(const plWorld*);
void plWorld_Step(plWorld*, double);
plStepReport plWorld_Report(const plWorld*);
double plWorld_Time(const plWorld*);
uint64_t plWorld_Tick(const plWorld*);
uint64_t plWorld_Hash(const plWorld*);
plMemory plWorld_Memory(const plWorld*);
int plWorld_Advice(const plWorld*, int, char*, size_t);
plStatus plWorld_Freeze(plWorld*, double, const char*);

plAccount plWorld_Ledger(const plWorld*);
plAccount plWorld_ContactLedger(const plWorld*);
plStatus plWorld_MechanismLedger(const plWorld*, plMechanismId, plAccount*);
plStatus plWorld_LinkLedger(const plWorld*, plLinkId, plAccount*);
plStatus plWorld_DeviceLedger(const plWorld*, plDeviceId, plAccount*);
plStatus plWorld_Port(const plWorld*, plCouplingId, plPort*);
double plWorld_Tank(const plWorld*);
void plWorld_ResetLedger(plWorld*);

int plWorld_MechanismCount(const plWorld*);
int plWorld_LinkCount(const plWorld*);
plMechanismId plWorld_Mechanism(const plWorld*, int);
plLinkId plWorld_Link(const plWorld*, int);
plStatus plWorld_FindMechanism(const plWorld*, const char*, plMechanismId*);
plStatus plWorld_FindLink(const plWorld*, const char*, plLinkId*);
plStatus plWorld_FindDevice(const plWorld*, const char*, plDeviceId*);
plStatus plWorld_FindCoupling(const plWorld*, const char*, plCouplingId*);
const char* plWorld_MechanismName(const plWorld*, plMechanismId);
const char* plWorld_LinkName(const plWorld*, plLinkId);
const char* plWorld_MechanismType(const plWorld*, plMechanismId);
int plWorld_PartCount(const plWorld*, plMechanismId);
int plWorld_PositionCount(const plWorld*, plMechanismId);
int plWorld_VelocityCount(const plWorld*, plMechanismId);

plStatus plWorld_State(const plWorld*, plMechanismId, double*, double*);
plStatus plWorld_SetState(plWorld*, plMechanismId, const double*, const double*);
plStatus plWorld_Motion(const plWorld*, plSite, plMotion*);
plStatus plWorld_Inertia(const plWorld*, plMechanismId, double*, double*);
plStatus plWorld_LinkForce(const plWorld*, plLinkId, double*);
int plWorld_JointCount(const plWorld*, plMechanismId);
plStatus plWorld_JointForce(const plWorld*, plMechanismId, int, double*);
plStatus plWorld_JointPosition(const plWorld*, plMechanismId, int, double*);
plStatus plWorld_ApplyWrench(plWorld*, plSite, plWrench);
plStatus plWorld_ApplyEffort(plWorld*, plMechanismId, int, double);
plStatus plWorld_Steer(plWorld*, plMechanismId, plPose);

int plWorld_ContactCount(const plWorld*);
plStatus plWorld_Contact(const plWorld*, int, plContactInfo*);
plContactState plWorld_ContactState(const plWorld*, plMechanismId);
plContactEvents plWorld_ContactEvents(const plWorld*);
plStatus plWorld_CastRay(const plWorld*, plVec3, plVec3, plQueryFilter, plQueryHit*);
plStatus plWorld_ClosestPoint(const plWorld*, plVec3, double, plQueryFilter, plQueryHit*);
plStatus plWorld_Overlap(plWorld*, const plShapeDef*, plPose, plQueryFilter, int, plShapeId*, int*);
plAssemblyDef plDefaultAssemblyDef(void);
plShapeDef plDefaultShapeDef(plShapeKind);
plPartShapeDef plDefaultPartShapeDef(plShapeKind);
plStatus plWorld_AddAssembly(plWorld*, const plAssemblyDef*, plMechanismId*);
plStatus plWorld_AddShape(plWorld*, const plPartShapeDef*, plShapeId*);
plStatus plWorld_RemoveMechanism(plWorld*, plMechanismId);
plStatus plWorld_RemoveLink(plWorld*, plLinkId);
plStatus plWorld_RemoveShape(plWorld*, plShapeId);
int plWorld_ShapeCount(const plWorld*);
plShapeId plWorld_Shape(const plWorld*, int);
plStatus plWorld_ShapeSite(const plWorld*, plShapeId, plSite*);
bool plWorld_HasMechanism(const plWorld*, plMechanismId);
bool plWorld_HasLink(const plWorld*, plLinkId);
bool plWorld_HasShape(const plWorld*, plShapeId);
plStatus plWorld_FindMaterial(const plWorld*, const char*, plMaterialId*);
plStatus plWorld_MechanismData(const plWorld*, plMechanismId, void**);
plStatus plWorld_LinkData(const plWorld*, plLinkId, void**);
plStatus plWorld_ShapeData(const plWorld*, plShapeId, void**);
plStatus plWorld_DeviceData(const plWorld*, plDeviceId, void**);
plStatus plWorld_CouplingData(const plWorld*, plCouplingId, void**);

plLawName plWorld_Law(const plWorld*);
plStatus plWorld_SetLaw(plWorld*, plLawName);
plIntegrator plWorld_MechanismIntegrator(const plWorld*, plMechanismId);
plStatus plWorld_SetIntegrator(plWorld*, plMechanismId, plIntegrator);

plStatus plWorld_DeviceSample(const plWorld*, plDeviceId, plSample*);
plStatus plWorld_DeviceForce(const plWorld*, plDeviceId, plWrench*);
plStatus plWorld_DevicePose(const plWorld*, plDeviceId, plPose*);
plStatus plWorld_Hold(plWorld*, plDeviceId, plPose);
plStatus plWorld_LetGo(plWorld*, plDeviceId);
plStatus plWorld_Script(plWorld*, plDeviceId);

plStatus plWorld_FindChannel(const plWorld*, const char*, plChannel*);
double plWorld_ReadChannel(const plWorld*, plChannel);
int plWorld_ChannelName(const plWorld*, int, char*, size_t);

const int* plWorld_SoftFaces(const plWorld*, plMechanismId, int*);
plStatus plWorld_SoftInfo(const plWorld*, plMechanismId, double, plSoftInfo*);
plStatus plWorld_SoftPoints(plWorld*, plMechanismId, plVec3*);

size_t plWorld_SnapshotSize(const plWorld*);
void plWorld_Save(const plWorld*, void*);
plStatus plWorld_Restore(plWorld*, const void*, size_t);
"""

OPAQUE = ("plScene", "plWorld")


def type_of(words: str):
    """The ctypes type of a C type."""
    stars = words.count("*")
    name = words.replace("const", " ").replace("*", " ").strip()
    if name == "char" and stars:
        found, stars = ctypes.c_char_p, stars - 1
    elif name in OPAQUE or (name == "void" and stars):
        found, stars = ctypes.c_void_p, stars - 1
    else:
        found = _structs.STRUCTS[name] if name in _structs.STRUCTS else _structs.PLAIN[name]
    for _ in range(stars):
        found = ctypes.POINTER(found)
    return found


def prototypes() -> Iterator[tuple[str, str, list[str]]]:
    """Name, result and arguments of every function."""
    for result, name, rest in re.findall(r"(\S.*?) ?\b(pl\w+)\((.*)\);", PROTOTYPES):
        arguments = [word.strip() for word in rest.split(",")]
        yield name, result, [] if arguments == ["void"] else arguments


def places() -> Iterator[str]:
    """Where the library may be, the first one that is there is taken: PALP_LIBRARY, the build of
    the sources that this file is part of, the tree that it was installed with, the system's own."""
    own = os.environ.get("PALP_LIBRARY")
    if own:
        yield own
        return
    name = f"libpalp.so.{VERSION}"
    here = Path(__file__).resolve().parent
    folders = [here.parent.parent / "build" / "release"]
    if len(here.parents) > 2:  # PREFIX/lib/python3/dist-packages/palp
        lib = here.parents[2]
        folders += [lib / (sysconfig.get_config_var("MULTIARCH") or ""), lib]
    for folder in folders:
        if (folder / name).exists():
            yield str(folder / name)
    yield name


def load() -> ctypes.CDLL:
    """The library with its functions declared. ImportError says where it was looked for."""
    tried, library = [], None
    for place in places():
        try:
            library = ctypes.CDLL(place)
            break
        except OSError as error:
            tried.append(str(error))
    if library is None:
        raise ImportError("palp's shared library cannot be loaded; set PALP_LIBRARY to its path, or "
                          "build it with ./dev build: " + "; ".join(tried))
    # Structures may differ between versions: that of the library is asked before all else.
    library.plVersion.restype = ctypes.c_char_p
    version = library.plVersion().decode()
    if not version.startswith(VERSION + "."):
        raise ImportError(f"this module is for palp {VERSION}, and the library is {version}")
    for name, result, arguments in prototypes():
        function = getattr(library, name)
        function.restype = type_of(result)
        function.argtypes = [type_of(argument) for argument in arguments]
    return library


#: Functions that change their world: only these leave a sentence of their own when they fail.
CHANGING = {name for name, _, arguments in prototypes() if arguments and arguments[0] == "plWorld*"}
