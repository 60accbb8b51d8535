"""Small machines whose joints can be worked out by hand, and forces over time."""

from types import SimpleNamespace

import numpy as np

import softstride as ss
from softstride.model import Muscle
from softstride.model.path import Path, PathPoint

G = 10.0  # m/s^2, for numbers that can be read


def cable(name, *points, max_force=1e6):
    """A muscle that runs straight through (link, position)."""
    path = Path(tuple(PathPoint(link, np.array(position, dtype=float)) for link, position in points))
    return Muscle(name, path, max_force, 0.1, 0.1)


def with_muscles(model, *muscles):
    """The model with muscles."""
    return model.replace(muscles={muscle.name: muscle for muscle in muscles})


def forces(names, time, values):
    """Forces over time, as `solve_muscles` returns them; one row stands for all instants."""
    values = np.broadcast_to(np.asarray(values, dtype=float), (len(time), len(names)))
    return SimpleNamespace(names=tuple(names), time=np.asarray(time), force=values)


def at_rest(model, q, frames=4):
    """A motion that does not move."""
    still = np.zeros((frames, model.nv))
    return ss.Motion(model, np.arange(frames) / 100.0, np.tile(q, (frames, 1)), rates=(still, still))


def crane():
    """A boom of 3 m on a pin at (0, 1, 0), 100 kg at its tip, a cable from the tip to a mast at (0, 4, 0).

        mast (0, 4)
          |  \\____ cable
          |       \\
        pin (0, 1)===== boom, level ==== tip (3, 1), 100 kg
    """
    b = ss.ModelBuilder("crane", gravity=(0.0, -G, 0.0))
    b.revolute("boom", axis=(0, 0, 1), position=(0.0, 1.0, 0.0), mass=100.0, com=(3.0, 0.0, 0.0))
    return with_muscles(b.build(), cable("cable", ("world", (0.0, 4.0, 0.0)), ("boom", (3.0, 0.0, 0.0))))


def elbow(angle_of_pull=np.pi / 2):
    """An upper arm on the world, hanging, and a level forearm of 2 kg at 0.2 m, with a muscle 0.04 m from the elbow.

    The muscle runs from the upper arm straight to the forearm, at an angle to it.
    """
    b = ss.ModelBuilder("elbow", gravity=(0.0, -G, 0.0))
    b.revolute("arm", axis=(0, 0, 1), mass=3.0, com=(0.0, -0.15, 0.0))
    b.revolute(
        "forearm", parent="arm", axis=(0, 0, 1), position=(0.0, -0.3, 0.0), mass=2.0, com=(0.2, 0.0, 0.0)
    )
    above = np.array([0.04, -0.3, 0.0]) + 0.2 * np.array([np.cos(angle_of_pull), np.sin(angle_of_pull), 0.0])
    return with_muscles(b.build(), cable("brachialis", ("arm", above), ("forearm", (0.04, 0.0, 0.0))))
