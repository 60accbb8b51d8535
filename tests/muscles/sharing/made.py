"""A small arm with seven muscles, hanging from the world or from a floating base, and how it swings."""

import numpy as np

import softstride as ss
from softstride.model.actuator import CoordinateActuator
from softstride.model.muscle import Muscle
from softstride.model.path import Path, PathPoint

N = 60
NAMES = ("front", "back", "inner", "outer", "long_front", "long_back", "weak")


def strand(name, points, force=150.0, fibre=0.14, slack=0.06, **more):
    """A muscle through points (link, x, y)."""
    path = Path(tuple(PathPoint(link, (x, y, 0.0)) for link, x, y in points))
    more = {"curves": "millard2012", "min_activation": 0.01} | more
    return Muscle(name, path, force, fibre, slack, **more)


def arm(base=False, actuators=(), muscles=None, **more):
    """Two links under gravity; `more` goes to all muscles."""
    builder = ss.ModelBuilder("arm")
    root = "world"
    if base:
        builder.free("trunk", mass=20.0, inertia=(1.0, 1.0, 1.0))
        root = "trunk"
    builder.revolute("upper", root, axis=(0, 0, 1), mass=2.0, com=(0, -0.15, 0), inertia=(0.02, 0.002, 0.02))
    builder.revolute(
        "fore",
        "upper",
        axis=(0, 0, 1),
        position=(0.0, -0.3, 0.0),
        mass=1.5,
        com=(0, -0.15, 0),
        inertia=(0.015, 0.0015, 0.015),
    )
    long = 70.0, 0.2, 0.16
    made = [
        strand("front", [(root, 0.04, 0.06), ("upper", 0.03, -0.15)], **more),
        strand("back", [(root, -0.04, 0.06), ("upper", -0.03, -0.15)], **more),
        strand("inner", [("upper", 0.03, -0.1), ("fore", 0.03, -0.05)], 90.0, **more),
        strand("outer", [("upper", -0.03, -0.1), ("fore", -0.02, 0.03)], 90.0, **more),
        strand(
            "long_front", [(root, 0.05, 0.06), ("upper", 0.04, -0.2), ("fore", 0.03, -0.06)], *long, **more
        ),
        strand(
            "long_back", [(root, -0.05, 0.06), ("upper", -0.04, -0.2), ("fore", -0.02, 0.03)], *long, **more
        ),
        strand("weak", [("upper", 0.02, -0.12), ("fore", 0.02, -0.04)], 15.0, **more),
    ]
    model = builder.build()
    motors = [CoordinateActuator(*numbers, coordinate=at) for *numbers, at in actuators]
    return model.replace(
        muscles={muscle.name: muscle for muscle in (made if muscles is None else muscles)},
        actuators={motor.name: motor for motor in motors},
    )


def swing(model, n=N, rate=100.0, size=1.0):
    """A motion of both joints."""
    t = np.arange(n) / rate
    q = np.tile(model.neutral(), (n, 1))
    angles = np.stack([0.5 * np.sin(4.0 * t), 0.7 + 0.4 * np.sin(6.0 * t + 1.0)], axis=1)
    q[:, -2:] = size * angles
    return ss.Motion(model, t, q)


def at_rest(model, n=N):
    """Motion and loads of a swing without anything from outside."""
    motion = swing(model, n)
    return motion, ss.solve_id(model, motion)
