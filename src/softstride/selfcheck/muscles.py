"""Checks of muscles: a wrapped length, arms, curves, shares and a joint that can be worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics import solve_id
from softstride.kinematics import Motion
from softstride.model import Model, ModelBuilder, Muscle
from softstride.model.load import load_model
from softstride.model.muscle import CURVES
from softstride.model.path import Path, PathPoint, PathWrap, WrapCylinder
from softstride.muscles import (
    activation_dynamics,
    hill_muscles,
    joint_reactions,
    muscle_paths,
    solve_muscles,
)
from softstride.selfcheck.kinematics import moving

Array = NDArray[np.float64]

FRAMES = 20
G = 10.0  # m/s², for numbers that can be read
RADIUS, AWAY, RISE = 0.03, 0.1, 0.04  # of a cylinder; of the ends of a path from its axis, and along it [m]
FITTED = "schutte1993"
STEP = 1e-6  # of differences [rad] or [m]


def wrapped_length() -> float:
    """Return the error of a path over a cylinder against its closed form [m].

    Both ends are AWAY from the axis on opposite sides, RISE apart along it. Unrolled, the path is a straight line:
    L² = S² + RISE², with S = 2 √(AWAY² - RADIUS²) + 2 RADIUS asin(RADIUS / AWAY) in the cross-section.
    """
    b = ModelBuilder("post")
    b.revolute("arm", axis=(0, 0, 1), mass=1.0)
    path = Path(
        (PathPoint("world", np.array((-AWAY, 0, 0))), PathPoint("arm", np.array((AWAY, 0, RISE)))),
        wraps=(PathWrap("post"),),
    )
    post = WrapCylinder("world", radius=RADIUS, length=1.0, quadrant="+y")
    model = b.build().replace(wraps={"post": post}, muscles={"cord": Muscle("cord", path, 100.0, 0.1, 0.1)})
    across = 2.0 * np.sqrt(AWAY**2 - RADIUS**2) + 2.0 * RADIUS * np.arcsin(RADIUS / AWAY)
    return float(muscle_paths(model, [0.0]).length[0] - np.hypot(across, RISE))


def arms() -> float:
    """Return the largest difference of moment arms from central differences of length, gait person [m]."""
    model = load_model("gait")
    q = moving(model, FRAMES)
    found = muscle_paths(model, q).arms
    off = 0.0
    for j in range(model.nv):
        step = np.zeros(model.nv)
        step[j] = STEP
        ahead, behind = (muscle_paths(model, q + sign * step).length for sign in (1.0, -1.0))
        off = max(off, float(np.abs((behind - ahead) / (2.0 * STEP) - found[:, :, j]).max()))
    return off


def hill_curves() -> float:
    """Return the largest error of four sets of curves at their known points.

    Force 1 at optimal length and at rest, none at the greatest velocity of shortening and in a slack tendon. The
    spline of Schutte and others is left out: it does not pass through 1.
    """
    path = Path((PathPoint("world", np.array((0, 0, 0))), PathPoint("arm", np.array((0, -0.2, 0)))))
    b = ModelBuilder("sets")
    b.revolute("arm", axis=(0, 0, 1), mass=1.0)
    muscles = {name: Muscle(name, path, 100.0, 0.1, 0.1, curves=name) for name in CURVES if name != FITTED}
    hill = hill_muscles(b.build().replace(muscles=muscles))
    one = np.ones(len(hill))
    points = (
        (hill.active_length(one)[0], 1.0),
        (hill.force_velocity(0.0 * one)[0], 1.0),
        (hill.force_velocity(-one)[0], 0.0),
        (hill.tendon_force(0.99 * one)[0], 0.0),
    )
    return float(max(np.abs(value - known).max() for value, known in points))


def activation() -> float:
    """Return the activation one time constant after a step of the excitation from 0 to 1."""
    time = np.arange(11) / 1000.0
    return float(activation_dynamics(time, np.ones(11), 0.010, 0.040, form="constant", initial=0.0)[-1])


def share() -> float:
    """Return the force of the farther of two muscles that hold a forearm [N].

    2 kg at 0.2 m of the elbow need 4 N·m. Two equal muscles pull across at 0.04 and 0.02 m. Least squares of
    activations make forces in proportion to arms: 4 · 0.04 / (0.04² + 0.02²) = 80 N, and 40 N for the other.
    """
    model, motion = _forearm()
    return float(solve_muscles(solve_id(model, motion), reserve=0.0).muscle("far")[0])


def elbow() -> float:
    """Return the force that presses the forearm of `share` on the upper arm [N]: 80 + 40 - 20 N."""
    model, motion = _forearm()
    loads = solve_id(model, motion)
    forces = solve_muscles(loads, reserve=0.0)
    return float(-joint_reactions(loads, forces, frame="ground").joint("forearm").force[0, 1])


def crane() -> float:
    """Return the force of the pin of a crane along its level boom [N].

    100 kg hang at the tip of a boom of 3 m; a cable runs from the tip to a mast 3 m above the pin, at 45 degrees. It
    carries √2 · 1000 N, and pushes the boom with 1000 N on its pin.
    """
    b = ModelBuilder("crane", gravity=(0.0, -G, 0.0))
    b.revolute("boom", axis=(0, 0, 1), position=(0.0, 1.0, 0.0), mass=100.0, com=(3.0, 0.0, 0.0))
    path = Path((PathPoint("world", np.array((0.0, 4.0, 0.0))), PathPoint("boom", np.array((3.0, 0.0, 0.0)))))
    model = b.build().replace(muscles={"cable": Muscle("cable", path, 1e5, 0.1, 0.1)})
    motion = _still(model)
    pull = _Pull(("cable",), motion.time, np.full((FRAMES, 1), 1000.0 * np.sqrt(2.0)))
    found = joint_reactions(solve_id(model, motion), pull, frame="ground").joint("boom")
    return float(found.force[0, 0])


def optimality() -> float:
    """Return how far the worst frame of a wild motion of the gait person is from the conditions of optimality."""
    model = load_model("gait")
    motion = Motion(model, np.arange(FRAMES) / 100.0, moving(model, FRAMES))
    return float(solve_muscles(solve_id(model, motion)).kkt.max())


@dataclass(frozen=True, eq=False)
class _Pull:
    """Tensions over time."""

    names: tuple[str, ...]
    time: Array
    force: Array


def _forearm() -> tuple[Model, Motion]:
    """Return a level forearm that two muscles hold, at rest."""
    b = ModelBuilder("arm", gravity=(0.0, -G, 0.0))
    b.revolute("upper", axis=(0, 0, 1), mass=3.0, com=(0.0, -0.15, 0.0))
    b.revolute(
        "forearm", parent="upper", position=(0.0, -0.3, 0.0), axis=(0, 0, 1), mass=2.0, com=(0.2, 0.0, 0.0)
    )
    muscles = {}
    for name, arm in (("far", 0.04), ("near", 0.02)):
        path = Path(
            (PathPoint("upper", np.array((arm, -0.1, 0.0))), PathPoint("forearm", np.array((arm, 0.0, 0.0))))
        )
        muscles[name] = Muscle(name, path, 900.0, 0.1, 0.1)
    model = b.build().replace(muscles=muscles)
    return model, _still(model)


def _still(model: Model) -> Motion:
    rest = np.zeros((FRAMES, model.nv))
    return Motion(model, np.arange(FRAMES) / 100.0, np.tile(model.neutral(), (FRAMES, 1)), rates=(rest, rest))
