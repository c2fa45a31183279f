"""The Python module against the command, against closed forms, and against misuse.

usage: python3 -m unittest discover -s python    needs build/release/palp ($PALP) and numpy
"""

import gc
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy

import palp

root = Path(__file__).resolve().parent.parent
command = os.environ.get("PALP", str(root / "build/release/palp"))
os.environ["PALP_SCENES"] = str(root / "scenes")

box = {
    "gravity": [0, 0, -10],
    "step": 0.001,
    "time": 1,
    "mechanisms": [{"type": "assembly", "name": "box", "mass": 2, "inertia": [0.1, 0.2, 0.3],
                    "position": [0, 0, 5]}],
}
resting = {
    "gravity": [0, 0, -10],
    "law": "cone",
    "ground": {"shapes": [{"type": "plane", "normal": [0, 0, 1]}]},
    "mechanisms": [{"type": "assembly", "name": "box", "mass": 2, "inertia": [0.1, 0.1, 0.1],
                    "position": [0, 0, 0.1], "shapes": [{"type": "box", "half": [0.1, 0.1, 0.1]}]}],
}


def hash_of_command(*arguments):
    done = subprocess.run([command, "run", *arguments], check=True, text=True, capture_output=True)
    return re.search(r"hash ([0-9a-f]{16})", done.stdout).group(1)


def python(text, **environment):
    """A script in a Python of its own, whose world is only what it is given."""
    return subprocess.run([sys.executable, "-c", text], text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(root / "python"), **environment})


class Hashes(unittest.TestCase):
    def test_runsAreBitEqualToTheCommands(self):
        # A chain, random steps, contacts, a device, a linkage, a twin pantograph, tendons, a soft body.
        scenes = ("pendulum", "chain12", "stack", "wall", "linkage", "pantograph", "tendon-hand", "clip")
        for scene in scenes:
            with self.subTest(scene), palp.World(scene, {"time": 0.1}) as world:
                world.run()
                self.assertEqual(f"{world.hash:016x}", hash_of_command(scene, "--time", "0.1"))
        print(f"{len(scenes)} scenes", end=" ")

    def test_aDictionaryIsItsFile(self):
        data = json.loads((root / "scenes/pendulum.json").read_text())
        with palp.World(data) as one, palp.World(root / "scenes/pendulum.json") as other:
            one.step(count=500)
            other.step(count=500)
            self.assertEqual(one.hash, other.hash)

    def test_settingsAreThoseOfTheCommand(self):
        path = "mechanisms.pendulum.bodies[0].mass"
        hashes = {hash_of_command("pendulum", "--time", "0.1", "--set", f"{path}=2")}
        for settings in ({"time": 0.1, path: 2}, ["time=0.1", f"{path}=2"]):
            world = palp.World("pendulum", settings)
            world.run()
            hashes.add(f"{world.hash:016x}")
        self.assertEqual(len(hashes), 1)

    def test_aSnapshotBringsBackStateAndSteps(self):
        world = palp.World("chain12")  # its steps are random
        world.step(count=20)
        before, hash = world.snapshot(), world.hash
        world.step(count=50)
        after = world.hash
        world.restore(before)
        self.assertEqual(world.hash, hash)
        world.step(count=50)
        self.assertEqual(world.hash, after)

        twin = palp.World("chain12")
        twin.restore(before)
        twin.step(count=50)
        self.assertEqual(twin.hash, after)


class Mechanics(unittest.TestCase):
    def test_aFreeFallIsThatOfGalilei(self):
        world = palp.World(box)
        world.run()
        q, v = world.state("box")
        # The midpoint rule is exact on a parabola: what is left is round-off of 1000 sums.
        self.assertLess(abs(q[2] - 0), 1e-11)
        self.assertLess(abs(v[2] + 10), 1e-11)
        self.assertAlmostEqual(world.time, 1, delta=1e-12)
        self.assertEqual(world.tick, 1000)
        self.assertLess(abs(world.ledger.residual), 1e-11)
        self.assertAlmostEqual(world.ledger.energy, 100, delta=1e-10)

    def test_aWrenchGivesItsImpulseAndIsForgotten(self):
        world = palp.World({**box, "gravity": [0, 0, 0]})
        world.apply_wrench("box", force=(4, 0, 0), torque=(0, 0, 0.3))
        world.step(0.01)
        _, v = world.state("box")
        numpy.testing.assert_allclose(v, [0.02, 0, 0, 0, 0, 0.01], atol=1e-15)
        self.assertAlmostEqual(world.ledger.applied, world.ledger.kinetic, delta=1e-16)
        world.step(0.01)
        numpy.testing.assert_allclose(world.state("box")[1], v, atol=1e-15)

    def test_anEffortActsOnOneVelocity(self):
        world = palp.World("pendulum", {"gravity": [0, 0, 0]})
        M, C = world.inertia("pendulum")
        numpy.testing.assert_allclose(M, M.T, atol=0)
        numpy.testing.assert_allclose(C, 0, atol=1e-18)
        world.apply_effort("pendulum", 1, 1e-6)
        world.step(1e-6)
        numpy.testing.assert_allclose(M @ world.state("pendulum")[1], [0, 1e-12], atol=1e-20)

    def test_sitesMoveAsTheirChain(self):
        world = palp.World("pendulum")
        world.set_state("pendulum", q=[0.3, 0.4], v=[1, -2])
        tip = world.motion("pendulum", "lower", (0.5, 0, 0))
        a, b = 0.3, 0.7  # about y: x turns towards -z
        x = 0.5 * numpy.array([numpy.cos(a) + numpy.cos(b), 0, -numpy.sin(a) - numpy.sin(b)])
        v = 0.5 * numpy.array([-numpy.sin(a) + numpy.sin(b), 0, -numpy.cos(a) + numpy.cos(b)])
        numpy.testing.assert_allclose(tip.position, x, atol=1e-15)
        numpy.testing.assert_allclose(tip.velocity, v, atol=1e-15)
        numpy.testing.assert_allclose(tip.spin, [0, -1, 0], atol=1e-15)
        numpy.testing.assert_allclose(tip.rotation @ tip.rotation.T, numpy.eye(3), atol=1e-15)
        self.assertEqual(world.motion(None, point=(1, 2, 3)).position.tolist(), [1, 2, 3])

    def test_contactsCarryTheWeight(self):
        world = palp.World(resting)
        world.step(1e-3, count=200)
        contacts = world.contacts
        self.assertTrue(all((c.a, c.b) == ("box", None) for c in contacts))
        total = sum(c.force for c in contacts)
        print(f"{len(contacts)} contacts, {total[2]:.12f} N of 20", end=" ")
        # The law iterates until its residual is below 1e-9: of 20 N.
        numpy.testing.assert_allclose(total, [0, 0, 20], atol=2e-8)
        self.assertEqual(world.contact_state("box"), "resting")
        self.assertEqual(world.report.contacts, len(contacts))

    def test_theLawCanBeChanged(self):
        world = palp.World(resting)
        self.assertEqual(world.law, "cone")
        world.law = "lcp"
        self.assertEqual(world.law, "lcp")
        with self.assertRaisesRegex(palp.Error, "expected one of penalty, .*found \"glue\""):
            world.law = "glue"

    def test_softBodiesTellTheirNodes(self):
        world = palp.World("clip")
        soft = [name for name in world.mechanisms if world.kind(name) == "soft"][0]
        points, faces = world.soft_points(soft), world.soft_faces(soft)
        self.assertEqual(points.shape[1], 3)
        self.assertEqual((faces.min() >= 0, faces.max() < len(points)), (True, True))
        with self.assertRaisesRegex(palp.Error, "is not soft"):
            palp.World(box).soft_faces("box")


class Told(unittest.TestCase):
    def test_devicesTellWhatChannelsTell(self):
        world = palp.World("wall")
        world.run()
        force, pose = world.device_force("stick"), world.device_pose("stick")
        self.assertEqual(force.force.tolist(), [world.read(f"stick.force[{i}]") for i in range(3)])
        self.assertEqual(pose.position.tolist(), [world.read(f"stick.{axis}") for axis in "xyz"])
        self.assertGreater(force.force[2], 0.1)
        sample = world.device_sample("stick")
        self.assertEqual((sample.lost, sample.stop, sample.cut), (False, False, False))
        self.assertEqual(world.device_ledger("stick").kinetic, world.read("stick.kinetic"))
        self.assertEqual(world.port("hold").device, world.read("hold.port.device"))

    def test_aHandThatHoldsMovesTheDevice(self):
        world = palp.World("wall")
        world.hold("stick", (0, 0, 0.05))
        world.run()
        self.assertLess(abs(world.device_pose("stick").position[2] - 0.05), 1e-3)

    def test_everyListedChannelCanBeRead(self):
        for scene in ("wall", "pendulum-links", "pantograph", "tendon-hand", "four-bar"):
            world = palp.World(scene)
            world.step()
            listed = subprocess.run([command, "list", "--channels", scene], check=True, text=True,
                                    capture_output=True).stdout.split()
            self.assertEqual(list(world.channels), listed)
            for name in world.channels:
                self.assertIsInstance(world.read(name), float)

    def test_recordedChannelsAreThoseOfTheCommand(self):
        names = ["time", "stick.z", "stick.force[2]"]
        channels = palp.World("wall", {"time": 0.6}).record(names)
        text = subprocess.run([command, "run", "wall", "--time", "0.6", "--record", "-", "--channels",
                               ",".join(names)], check=True, text=True, capture_output=True).stdout
        rows = [line.split(",") for line in text.splitlines() if not line.startswith("#")]
        columns = [rows[0].index(name) for name in names]
        theirs = numpy.array([[float(row[i]) for i in columns] for row in rows[1:]])
        ours = numpy.stack([channels[name] for name in names], axis=1)
        self.assertEqual(ours.shape, theirs.shape)
        numpy.testing.assert_array_equal(ours, theirs)

    def test_linksTellForceAndEnergy(self):
        world = palp.World("pendulum-links")
        world.step(count=10)
        for link in world.links:
            force = world.link_force(link)
            self.assertEqual(force.tolist(), [world.read(f"{link}.force[{i}]") for i in range(len(force))])
            self.assertEqual(world.link_ledger(link).dissipated, world.read(f"{link}.dissipated"))
        total = sum(world.mechanism_ledger(name).kinetic for name in world.mechanisms)
        self.assertAlmostEqual(total, world.ledger.kinetic, delta=1e-15)

    def test_jointsTellReactionsAndPositions(self):
        world = palp.World("four-bar")
        world.step(count=10)
        joints = world.joints("bar")
        self.assertEqual(len(joints), 4)
        for joint in joints:
            force = world.joint_force("bar", joint)
            self.assertEqual(force.tolist(), [world.read(f"bar.{joint}.force[{i}]") for i in range(6)])
        self.assertEqual(world.joint_position("bar", joints[0])[0],
                         world.read(f"bar.{joints[0]}.position[0]"))
        self.assertGreater(abs(world.joint_force("bar", 0)).max(), 0.1)
        with self.assertRaises(palp.Error):
            world.joint_force("bar", "j9")
        with self.assertRaises(palp.Error):
            world.joint_force("bar", 4)

    def test_troubleIsToldInWords(self):
        world = palp.World(box)
        hash = world.hash
        world.step(float("nan"))
        self.assertEqual(world.report.bits, 16)
        self.assertEqual(world.report.trouble, ("the step was not a positive number and nothing was done: correct the step",))
        self.assertEqual(world.hash, hash)
        world.step()
        self.assertEqual(world.report.trouble, ())

    def test_aSceneTellsWhatItIs(self):
        with palp.Scene("pendulum", {"time": 3}) as scene:
            self.assertEqual((scene.title, scene.time, scene.step), ("Double pendulum", 3, 0.001))
            self.assertIn("time", scene.channels)
            self.assertEqual(scene.data["time"], 3)
        self.assertIn("pendulum", palp.gallery())
        self.assertNotIn("scene.schema", palp.gallery())


class Refusals(unittest.TestCase):
    def test_aWrongSceneNamesThePlace(self):
        wrong = {**box, "mechanisms": [{**box["mechanisms"][0], "mass": -1}]}
        with self.assertRaises(palp.SceneError) as caught:
            palp.World(wrong)
        self.assertEqual(caught.exception.path, "mechanisms[0].mass")
        self.assertEqual(caught.exception.status, "SceneContent")
        self.assertIn("mechanisms[0].mass", str(caught.exception))

    def test_aFileThatIsNoJsonNamesTheLine(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{\n"time": 1,\n,}')
            file.flush()
            with self.assertRaises(palp.SceneError) as caught:
                palp.Scene(file.name)
        self.assertEqual((caught.exception.status, caught.exception.line), ("SceneSyntax", 3))

    def test_namesThatAreNotThereAreNamed(self):
        world = palp.World(box)
        for text, call in (
            ('no scene "nowhere"', lambda: palp.Scene("nowhere")),
            ('no mechanism "arm"', lambda: world.state("arm")),
            ('no link "rope"', lambda: world.link_force("rope")),
            ('no device "omega"', lambda: world.device_force("omega")),
            ('no coupling "omega"', lambda: world.port("omega")),
            ('no channel "box.colour"', lambda: world.read("box.colour")),
            ('"box" has no part "lid"', lambda: world.motion("box", "lid")),
        ):
            with self.subTest(text), self.assertRaisesRegex(palp.Error, text) as caught:
                call()
            self.assertEqual(caught.exception.status, "NotFound")

    def test_theEnginesSentenceIsTold(self):
        world = palp.World(box)
        with self.assertRaisesRegex(palp.Error, "positions must be finite"):
            world.set_state("box", q=[float("nan")] * 7)
        # A call that changes nothing leaves no sentence: that of before must not come back.
        with self.assertRaisesRegex(palp.Error, "an id does not name anything in this world"):
            world.motion("box", 7)
        with self.assertRaisesRegex(palp.Error, '"box" has 7 positions, found 3'):
            world.set_state("box", q=[1, 2, 3])
        with self.assertRaises(palp.Error):
            world.steer("box", (0, 0, 0))  # only prescribed frames are steered
        with self.assertRaises(palp.Error):
            world.apply_wrench("box", (float("inf"), 0, 0))

    def test_snapshotsOfOtherWorldsAreRefused(self):
        world, hash = palp.World(box), palp.World(box).hash
        for snapshot in (b"", world.snapshot()[:-1], palp.World("pendulum").snapshot()):
            with self.assertRaises(palp.Error) as caught:
                world.restore(snapshot)
            self.assertEqual(caught.exception.status, "Mismatch")
        self.assertEqual(world.hash, hash)

    def test_snapshotsThatAreDamagedAreRefused(self):
        world = palp.World(resting)
        world.step(count=3)
        whole, hash = world.snapshot(), world.hash
        for at in range(0, len(whole), max(1, len(whole) // 500)):
            damaged = bytearray(whole)
            damaged[at] ^= 4
            with self.assertRaises(palp.Error) as caught:
                world.restore(bytes(damaged))
            self.assertIn(caught.exception.status, ("Damaged", "Mismatch"))
        self.assertEqual(world.hash, hash)
        world.restore(whole)

    def test_aSecondThreadIsAnErrorAndNoCrash(self):
        for call in ("world.step()", "world.snapshot()", "world.record(['energy'], until=9)", "world.time",
                     "world.close()"):
            with self.subTest(call):
                # a process of its own: what it is about was a crash
                done = python("import threading, palp\n"
                              "world = palp.World('stack')\n"
                              "begun = threading.Event()\n"
                              "def go():\n"
                              "    begun.set()\n"
                              "    world.step(count=20000)\n"
                              "thread = threading.Thread(target=go)\n"
                              "thread.start()\n"
                              "begun.wait()\n"
                              "refused = 0\n"
                              "while thread.is_alive() and refused < 20:\n"
                              "    try:\n"
                              f"        {call}\n"
                              "    except palp.Error as error:\n"
                              "        refused += error.status == 'Busy'\n"
                              "thread.join()\n"
                              "print(refused > 0, world.tick >= 20000)\n"
                              "world.close()\n", PALP_SCENES=str(root / "scenes"))
                self.assertEqual(done.stdout.split(), ["True", "True"], done.stderr)

    def test_aThreadThatIsStillBusyAtTheEndIsNoCrash(self):
        done = python("import threading, time, palp\n"
                      "world = palp.World('stack')\n"
                      "threading.Thread(target=lambda: world.step(count=10**9), daemon=True).start()\n"
                      "time.sleep(0.2)\n", PALP_SCENES=str(root / "scenes"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_whatIsClosedIsRefused(self):
        scene = palp.Scene(box)
        world = palp.World(scene)
        scene.close()
        world.step()  # worlds do not need their scene any more
        world.close()
        world.close()
        for call in (world.step, world.snapshot, lambda: world.time, lambda: scene.title,
                     lambda: palp.World(scene)):
            with self.assertRaisesRegex(palp.Error, "is closed"):
                call()
        self.assertIn("closed", repr(world) + repr(scene))


class Lifetime(unittest.TestCase):
    def test_worldsThatNobodyHasAreFreed(self):
        def resident():
            return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for _ in range(50):
            palp.World(box).step()
        gc.collect()
        before, size = resident(), palp.World(box).memory.capacity
        for _ in range(200):
            palp.World(box).step()
        gc.collect()
        grown = resident() - before
        print(f"200 worlds of {size / 2**20:.1f} MiB: {grown / 2**20:+.2f} MiB", end=" ")
        self.assertLess(grown, 3 * size)


class Without(unittest.TestCase):
    def test_withoutNumpyAllButArraysGoes(self):
        done = python("import sys; sys.modules['numpy'] = None\n"
                      "import palp\n"
                      "world = palp.World('pendulum', {'time': 0.1})\n"
                      "world.run()\n"
                      "print(f'{world.hash:016x}', world.read('energy'), world.ledger.residual)\n"
                      "world.state('pendulum')")
        self.assertTrue(done.stdout.startswith(hash_of_command("pendulum", "--time", "0.1")), done.stderr)
        self.assertIn("install python3-numpy", done.stderr)

    def test_aLibraryThatIsNotThereIsExplained(self):
        done = python("import palp", PALP_LIBRARY="/nowhere/libpalp.so")
        self.assertIn("ImportError: palp's shared library cannot be loaded; set PALP_LIBRARY", done.stderr)


class Documents(unittest.TestCase):
    """Every program and command of doc/python.md runs."""

    def blocks(self, kind):
        return re.findall(rf"^```{kind}\n(.*?)^```", (root / "doc/python.md").read_text(), re.M | re.S)

    def test_programsRun(self):
        programs = self.blocks("python")
        self.assertGreaterEqual(len(programs), 2)
        for program in programs:
            done = python(program)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr, "")

    def test_commandsRun(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "python").symlink_to(root / "python")
            (Path(folder) / "python3").symlink_to(sys.executable)
            for script in self.blocks("sh"):
                done = subprocess.run(["bash", "-euc", script], cwd=folder, text=True, capture_output=True,
                                      env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(list(Path(folder).glob("force.csv")) or list(Path(folder).glob("force.png")))

    def test_withoutMatplotlibGnuplotDraws(self):
        with tempfile.TemporaryDirectory() as folder:
            done = python("import sys; sys.modules['matplotlib'] = None\n"
                          f"sys.path.insert(0, {str(root / 'python/examples')!r})\n"
                          f"import force; force.main('wall', {folder + '/force'!r})")
            self.assertEqual(done.returncode, 0, done.stderr)
            subprocess.run(["gnuplot", folder + "/force.gp"], check=True)
            self.assertGreater((Path(folder) / "force.svg").stat().st_size, 5000)


if __name__ == "__main__":
    unittest.main()
