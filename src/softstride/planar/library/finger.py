"""A finger that presses a key: the deep flexor crosses four joints, the superficial one three."""

from __future__ import annotations

import numpy as np

from softstride.planar.case import Case
from softstride.planar.chain import Chain
from softstride.planar.library.sharing import rates, share
from softstride.planar.parts import Contact, Muscle
from softstride.planar.state import State
from softstride.planar.vectors import Floats

STRENGTH = {
    "deep flexor": 150.0, "superficial flexor": 180.0, "extensor": 100.0, "interosseous": 90.0,
    "wrist extensor": 400.0, "wrist flexor": 300.0,
}  # fmt: skip
"""Largest tensions [N]; plausible, not measured."""


def tendon(*points: tuple[str, float, float]) -> tuple[tuple[str, float, float], ...]:
    """Return a path from points in millimetres."""
    return tuple((link, 1e-3 * x, 1e-3 * y) for link, x, y in points)


def chain() -> Chain:
    """Return forearm, hand and three phalanges, palm down, pointing along +x."""
    common = (("forearm", 60, -10), ("forearm", 194, -12), ("hand", 10, -12), ("hand", 64, -11))
    pulleys = (("proximal", 8, -10), ("proximal", 38, -8))
    hood = (("middle", 5, 4), ("middle", 21, 3), ("distal", 3, 3))
    return Chain(
        length=np.array([0.200, 0.070, 0.045, 0.027, 0.020]),
        mass=np.array([1.0, 0.120, 0.022, 0.009, 0.005]),
        com=np.array([[0.10, 0.0], [0.040, 0.0], [0.022, 0.0], [0.013, 0.0], [0.009, 0.0]]),
        inertia=np.array([4e-3, 6e-5, 4.5e-6, 7e-7, 2e-7]),
        muscles=(
            Muscle(
                "deep flexor",
                tendon(*common, *pulleys, ("middle", 6, -8), ("middle", 21, -6), ("distal", 4, -5.5)),
            ),
            Muscle("superficial flexor", tendon(*common, *pulleys, ("middle", 7, -7.5))),
            Muscle(
                "extensor",
                tendon(
                    ("forearm", 80, 10), ("forearm", 194, 11), ("hand", 10, 11), ("hand", 64, 9), ("proximal", 6, 8),
                    ("proximal", 38, 5.5), *hood,
                ),
            ),
            Muscle("interosseous", tendon(("hand", 30, -6), ("proximal", 10, -6), ("proximal", 36, 4), *hood)),
            Muscle("wrist extensor", tendon(("forearm", 50, 10), ("forearm", 190, 14), ("hand", 20, 10))),
            Muscle("wrist flexor", tendon(("forearm", 50, -10), ("forearm", 190, -14), ("hand", 15, -12))),
        ),
        contacts=(Contact("key", "distal", (0.012, -0.006)),),
        links=("forearm", "hand", "proximal", "middle", "distal"),
        joints=("wrist", "MCP", "PIP", "DIP"),
        name="finger",
    )  # fmt: skip


def motion(time: Floats) -> Floats:
    """Return the angles: the finger comes down, holds, and lifts, shape (n_frames, 5) [rad]."""
    press = np.sin(np.pi * (time - time[0]) / (time[-1] - time[0])) ** 2
    bent = np.array([0.0, 0.0, -10.0, -22.0, -30.0]) + press[:, None] * np.array([0.0, 0.0, -5.0, -6.0, -6.0])
    return np.asarray(np.radians(bent))


def finger() -> Case:
    """Return the finger with the force of the key and tensions to match."""
    hand, time = chain(), np.round(np.arange(41) * 0.02, 2)
    theta = np.round(motion(time), 7)
    omega, alpha = rates(time, theta)
    push = 12.0 * np.sin(np.pi * time / time[-1]) ** 4
    key = np.round(np.stack([-0.1 * push, push], axis=1), 3)
    idle = {muscle.name: 0.0 for muscle in hand.muscles}
    state = State(theta=theta, time=time, tension=idle, force={"key": key}, omega=omega, alpha=alpha)
    return Case(hand, share(hand, state, STRENGTH), "distal")
