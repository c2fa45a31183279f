#!/usr/bin/env python3
"""A scene as a dictionary: a ball falls on a floor and bounces. Prints where its energy went."""

import palp

scene = {
    "title": "A ball",
    "time": 1,
    "step": 0.001,
    "materials": [{"name": "rubber", "friction": 0.8, "restitution": 0.7}],
    "ground": {"shapes": [{"type": "plane", "normal": [0, 0, 1], "material": "rubber"}]},
    "mechanisms": [
        {
            "type": "assembly",
            "name": "ball",
            "mass": 0.1,
            "inertia": [4e-5, 4e-5, 4e-5],
            "position": [0, 0, 0.5],
            "shapes": [{"type": "sphere", "radius": 0.03, "material": "rubber"}],
        }
    ],
}

if __name__ == "__main__":
    with palp.World(scene) as world:
        start = world.ledger.energy
        world.run()
        q, v = world.state("ball")
        print(f"height {q[2]:.4f} m, speed {v[2]:+.4f} m/s, {world.contact_state('ball')}")
        print(f"energy {start:.4f} J -> {world.ledger.energy:.4f} J, dissipated {world.ledger.dissipated:.4f} J, "
              f"residual {world.ledger.residual:.1e} J")
