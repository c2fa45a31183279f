"""Events, queries, bodies that come and go, and objects of the user, from Python.

usage: python3 -m unittest discover -s python    needs build/release and numpy
"""

import os
import unittest
from pathlib import Path

import palp

root = Path(__file__).resolve().parent.parent
os.environ["PALP_SCENES"] = str(root / "scenes")

floor = {
    "gravity": [0, 0, -10],
    "law": "cone",
    "capacity": {"mechanisms": 6, "shapes": 8, "contacts": 128},
    "ground": {"shapes": [{"type": "plane", "normal": [0, 0, 1]}]},
    "mechanisms": [{"type": "assembly", "name": "box", "mass": 2, "inertia": [0.01, 0.01, 0.01],
                    "position": [0, 0, 0.3], "shapes": [{"type": "box", "half": [0.1, 0.1, 0.1]}]}],
}


def fall(world, ticks):
    begins, ends, hits = [], [], []
    for _ in range(ticks):
        world.step(1e-3)
        begins += world.events.begins
        ends += world.events.ends
        hits += world.events.hits
    return begins, ends, hits


class Open(unittest.TestCase):
    def setUp(self):
        self.world = palp.World(floor)

    def refused(self, status, call, *arguments, **more):
        with self.assertRaises(palp.Error) as caught:
            call(*arguments, **more)
        self.assertEqual(caught.exception.status, status)
        return str(caught.exception)

    def test_eventsTellBeginsEndsAndHits(self):
        ground, box = self.world.shapes
        begins, ends, hits = fall(self.world, 400)
        self.assertEqual([(t.a, t.b) for t in begins], [(ground, box)])
        self.assertEqual(ends, [])
        self.assertEqual(len(hits), 1)
        self.assertAlmostEqual(hits[0].speed, 2, delta=0.03)  # a fall of 0.2 m at 10 m/s^2
        self.assertAlmostEqual(hits[0].normal[2], -1)  # from the box to the ground
        self.world.set_state("box", q=[0, 0, 1, 1, 0, 0, 0])
        self.assertEqual([(t.a, t.b) for t in fall(self.world, 1)[1]], [(ground, box)])

    def test_queriesFindSurfaces(self):
        ground, box = self.world.shapes
        spot = self.world.cast_ray((0.05, 0, 2), (0, 0, -3))
        self.assertEqual((spot.shape, spot.mechanism, spot.part), (box, "box", 0))
        self.assertAlmostEqual(spot.point[2], 0.4)
        self.assertAlmostEqual(spot.distance, 1.6)
        self.assertIsNone(self.world.cast_ray((0.05, 0, 2), (0, 0, 3)))
        self.assertIsNone(self.world.cast_ray((0.05, 0, 2), (0, 0, -3), mask=2))
        near = self.world.closest_point((0.5, 0, 0.3))
        self.assertEqual(near.shape, ground)
        self.assertIsNone(near.mechanism)
        self.assertAlmostEqual(near.distance, 0.3)
        self.assertLess(self.world.closest_point((0, 0, 0.3)).distance, 0)
        self.assertIsNone(self.world.closest_point((0, 5, 9), most=1))
        self.assertEqual(self.world.overlap("sphere", (0, 0, 0.45), radius=0.04), [])
        self.assertEqual(self.world.overlap("sphere", (0, 0, 0.45), radius=0.06), [box])
        self.assertEqual(self.world.overlap("box", (0, 0, 0.2), half=(0.5, 0.5, 0.5)), [ground, box])
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        self.assertEqual(self.world.overlap("hull", (0, 0, 0.25), points=corners), [box])
        self.refused("BadArgument", self.world.cast_ray, (0, 0, 0), (0, 0, 0))
        self.refused("BadArgument", self.world.overlap, "plane", (0, 0, 0))
        self.refused("NotFound", self.world.overlap, "teapot", (0, 0, 0))
        self.assertRaises(TypeError, self.world.overlap, "sphere", (0, 0, 0), weight=3)

    def test_bodiesComeAndGo(self):
        world = self.world
        for k in range(200):
            ball = world.add_body("ball", mass=0.5, inertia=(1e-3,) * 3, position=(0.5, 0, 0.2), data={"number": k})
            shape = world.add_shape(ball, "sphere", radius=0.05, data="skin")
            world.step(1e-3)
            self.assertEqual(world.data(ball), {"number": k})
            self.assertEqual(world.carrier(shape), ("ball", 0))
            self.assertEqual(world.mechanisms, ("box", "ball"))
            height = world.read("ball.z")
            self.assertAlmostEqual(height, 0.2, delta=1e-4)
            world.remove("ball" if k % 2 else ball)
            self.assertFalse(world.has(ball) or world.has(shape))
            self.assertEqual(world.mechanisms, ("box",))
            self.assertEqual(len(world.shapes), 2)
            self.refused("NotFound", world.read, "ball.z")
        self.assertEqual((ball.index, ball.generation), (1, 200))
        self.assertAlmostEqual(world.ledger.residual, 0, delta=1e-9)

    def test_staleIdsAreToldByEveryCall(self):
        world = self.world
        ball = world.add_body("ball", position=(1, 0, 1))
        shape = world.add_shape(ball, "sphere", radius=0.05)
        world.remove(ball)
        calls = [lambda: world.state(ball), lambda: world.set_state(ball, q=[0] * 7), lambda: world.motion(ball),
                 lambda: world.inertia(ball), lambda: world.kind(ball), lambda: world.part_count(ball),
                 lambda: world.apply_wrench(ball), lambda: world.apply_effort(ball, 0, 1),
                 lambda: world.mechanism_ledger(ball), lambda: world.contact_state(ball),
                 lambda: world.integrator(ball), lambda: world.set_integrator(ball, "midpoint"),
                 lambda: world.steer(ball, (0, 0, 0)), lambda: world.add_shape(ball, "sphere"),
                 lambda: world.data(ball), lambda: world.set_data(ball, 1), lambda: world.remove(ball),
                 lambda: world.remove(shape), lambda: world.carrier(shape), lambda: world.soft_faces(ball),
                 lambda: world.soft_points(ball)]
        for again in range(2):
            for call in calls:
                self.assertIn("removed", self.refused("Stale", call))
            if not again:
                world.add_body("ball", position=(1, 0, 1))
        self.refused("BadId", world.state, shape)  # the id of another kind
        self.refused("NotFound", world.remove, "nobody")

    def test_objectsOfTheUserGoWithTheirThing(self):
        box, thing = self.world.id("box"), object()
        self.assertIsNone(self.world.data(box))
        self.world.set_data(box, thing)
        self.assertIs(self.world.data(box), thing)
        self.world.set_data(box, None)
        self.assertIsNone(self.world.data(box))
        self.refused("BadArgument", self.world.id, "box", "Shape")
        self.refused("NotFound", self.world.id, "nobody")

    def test_repeatsAndSnapshotsStayExact(self):
        def course():
            world, hashes = palp.World(floor), []
            for k in range(30):
                ball = world.add_body(f"ball{k % 3}", inertia=(0.01,) * 3, position=(0.05 * (k % 3), 0, 0.6))
                world.add_shape(ball, "sphere", radius=0.05)
                world.step(1e-3, 20)
                before = world.snapshot()
                world.step(1e-3, 5)
                hashes.append(world.hash)
                world.restore(before)
                world.step(1e-3, 5)
                self.assertEqual(world.hash, hashes[-1])
                if k % 3 == 2:
                    for i in range(3):
                        world.remove(f"ball{i}")
                    self.refused("Mismatch", world.restore, before)
            return hashes

        self.assertEqual(course(), course())

    def test_fullWorldsSaySo(self):
        for i in range(5):
            self.world.add_body(f"body{i}", position=(i, 0, 1))
        self.assertIn("capacity", self.refused("Capacity", self.world.add_body, "more"))
        self.refused("Duplicate", palp.World(floor).add_body, "box")
        self.refused("BadArgument", palp.World(floor).add_body, "light", mass=0)


if __name__ == "__main__":
    unittest.main()
