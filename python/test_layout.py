"""The module and the C headers agree, as a C compiler sees them: every prototype, the size of every
structure and the place of each of its fields, the bits of trouble, the version.

usage: python3 -m unittest discover -s python    needs a C compiler ($CC, default cc)
"""

import ctypes
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from palp import _library, _lists, _structs

root = Path(__file__).resolve().parent.parent


def compile(source: str, *options: str) -> subprocess.CompletedProcess:
    command = [os.environ.get("CC", "cc"), "-std=c17", "-Wall", "-Werror", f"-I{root}/include", "-x", "c", "-",
               *options]
    return subprocess.run(command, input=source, text=True, capture_output=True)


def output(lines: list) -> list:
    """What a program of these statements prints."""
    source = ("#include <palp/palp.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines)
              + "\n}\n")
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/program"
        built = compile(source, "-o", program)
        if built.returncode != 0:
            raise AssertionError(built.stderr)
        return subprocess.run([program], check=True, text=True, capture_output=True).stdout.split()


class Layout(unittest.TestCase):
    def test_prototypesAreThoseOfTheHeaders(self):
        # C takes a second declaration only if it is the same; an array as a parameter is a pointer.
        built = compile("#include <palp/palp.h>\n" + _library.PROTOTYPES, "-fsyntax-only", "-Wno-array-parameter")
        self.assertEqual(built.returncode, 0, built.stderr)

    def test_anotherPrototypeIsRefused(self):
        wrong = _library.PROTOTYPES.replace("plWorld_Step(plWorld*, double)", "plWorld_Step(plWorld*, int)")
        self.assertNotEqual(wrong, _library.PROTOTYPES)
        built = compile("#include <palp/palp.h>\n" + wrong, "-fsyntax-only")
        self.assertNotEqual(built.returncode, 0)

    def test_everyPrototypeIsParsed(self):
        lines = [line for line in _library.PROTOTYPES.splitlines() if line]
        self.assertEqual(len(list(_library.prototypes())), len(lines))

    def test_structuresLieInMemoryAsInC(self):
        ours, lines = [], []
        for name, struct in _structs.STRUCTS.items():
            ours.append(f"{name}={ctypes.sizeof(struct)}")
            lines.append(f'printf("{name}=%zu\\n", sizeof({name}));')
            for field, _ in struct._fields_:
                place = getattr(struct, field)
                ours.append(f"{name}.{field}={place.offset}+{place.size}")
                lines.append(f'printf("{name}.{field}=%zu+%zu\\n", offsetof({name}, {field}), '
                             f"sizeof((({name}*)0)->{field}));")
        theirs = output(lines)
        print(f"{len(_structs.STRUCTS)} structures, {len(ours)} sizes and places", end=" ")
        self.assertEqual(ours, theirs)

    def test_enumerationsAreIntegers(self):
        names = [name for name in _structs.PLAIN if name.startswith("pl")]
        sizes = output([f'printf("%zu\\n", sizeof({name}));' for name in names])
        self.assertEqual(sizes, [str(ctypes.sizeof(ctypes.c_int))] * len(names))

    def test_troubleBitsAreThoseOfTheHeader(self):
        found = output([f'printf("%d\\n", pl_trouble{name});' for _, name, _ in _lists.TROUBLES])
        self.assertEqual(found, [str(bit) for bit, _, _ in _lists.TROUBLES])
        header = (root / "include/palp/lists.h").read_text()
        self.assertEqual(header.split("PL_LAW_LIST")[0].count(" X("), len(_lists.TROUBLES))

    def test_versionIsThatOfTheHeader(self):
        found = output(['printf("%d.%d\\n", PALP_VERSION_MAJOR, PALP_VERSION_MINOR);'])
        self.assertEqual(found, [_library.VERSION])


if __name__ == "__main__":
    unittest.main()
