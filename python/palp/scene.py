"""Scenes: descriptions of worlds, from files, by name, or as dictionaries."""

import ctypes
import json
import os
import sys
import weakref
from pathlib import Path
from typing import Any, Mapping, Sequence, Union

from . import _library, _structs
from .errors import Error, SceneError

library = _library.load()

Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Settings = Union[Mapping[str, Any], Sequence[str]]


def status_name(status: int) -> str:
    return library.plStatus_Name(status).decode()


def folders() -> list[Path]:
    """Where scenes are looked for by name: PALP_SCENES, ./scenes, those of the sources, those that
    were installed."""
    here = Path(__file__).resolve()
    own = os.environ.get("PALP_SCENES")
    found = [Path(own)] if own else []
    found += [Path("scenes"), here.parents[2] / "scenes"]
    if len(here.parents) > 4:  # PREFIX/lib/python3/dist-packages/palp/scene.py
        found.append(here.parents[4] / "share" / "palp" / "scenes")
    found.append(Path(sys.prefix) / "share" / "palp" / "scenes")
    return found


def file_of(name: str) -> Path:
    """The file of a scene. What has a slash or ends in .json is a path; any other name is looked for
    in the folders."""
    if "/" in name or name.endswith(".json"):
        return Path(name)
    for folder in folders():
        if (folder / f"{name}.json").is_file():
            return folder / f"{name}.json"
    raise SceneError("NotFound", f'there is no scene "{name}"')


def setting_texts(settings: Settings) -> list[bytes]:
    if isinstance(settings, str):
        raise TypeError('settings are a dictionary, or a list of texts "PATH=VALUE"')
    if isinstance(settings, Mapping):
        return [f"{path}={json.dumps(value)}".encode() for path, value in settings.items()]
    return [text.encode() for text in settings]


def raise_scene(error: _structs.SceneError) -> None:
    raise SceneError(status_name(error.status), error.message.decode(errors="replace"), error.line,
                     error.column, error.path.decode(errors="replace"))


class Scene:
    """A scene that was read and checked. It makes any number of worlds.

    source    a path, the name of a scene of the gallery, or the scene itself as a dictionary
    settings  values in place of the scene's: {"mechanisms.arm.bodies[0].mass": 2}, or texts
              "PATH=VALUE" as of `palp run --set`
    name      stands for the file in messages about a dictionary
    """

    def __init__(self, source: Source, settings: Settings = (), name: str = "scene") -> None:
        texts = setting_texts(settings)
        array = (ctypes.c_char_p * len(texts))(*texts)
        pointer, error = ctypes.c_void_p(), _structs.SceneError()
        if isinstance(source, Mapping):
            text = json.dumps(source).encode()
            status = library.plScene_Parse(name.encode(), text, len(text), array, len(texts),
                                           ctypes.byref(pointer), ctypes.byref(error))
        else:
            file = file_of(source) if isinstance(source, str) else source
            status = library.plScene_Load(os.fsencode(file), array, len(texts),
                                          ctypes.byref(pointer), ctypes.byref(error))
        if status != 0:
            raise_scene(error)
        self._pointer = pointer
        self._end = weakref.finalize(self, library.plScene_Destroy, pointer)

    def close(self) -> None:
        """Frees it now; worlds that it made live on. A second time does nothing."""
        self._end()

    def __enter__(self) -> "Scene":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<palp.Scene {self.title!r}>" if self._end.alive else "<palp.Scene, closed>"

    @property
    def _alive(self) -> ctypes.c_void_p:
        if not self._end.alive:
            raise Error("Closed", "the scene is closed")
        return self._pointer

    @property
    def title(self) -> str:
        return library.plScene_Title(self._alive).decode()

    @property
    def description(self) -> str:
        """One line."""
        return library.plScene_Description(self._alive).decode()

    @property
    def time(self) -> float:
        """How long it wants to run [s]."""
        return library.plScene_Time(self._alive)

    @property
    def step(self) -> float:
        """Nominal step [s]."""
        return library.plScene_Step(self._alive)

    @property
    def channels(self) -> tuple[str, ...]:
        """What it wants recorded."""
        count = library.plScene_ChannelCount(self._alive)
        return tuple(library.plScene_Channel(self._alive, i).decode() for i in range(count))

    @property
    def data(self) -> dict[str, Any]:
        """The scene with all settings in place."""
        return json.loads(library.plScene_Text(self._alive))


def gallery() -> list[str]:
    """Names of all scenes that are found by name."""
    names = {file.stem for folder in folders() if folder.is_dir() for file in folder.glob("*.json")}
    return sorted(names - {"scene.schema"})
