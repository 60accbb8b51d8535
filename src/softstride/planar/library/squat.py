"""A squat along a wall: feet stand on a force plate, the back slides on the wall, whose force nobody measures."""

from __future__ import annotations

import numpy as np

from softstride.planar.case import Case
from softstride.planar.chain import Chain
from softstride.planar.library.sharing import rates, share
from softstride.planar.parts import Contact, Muscle
from softstride.planar.state import State
from softstride.planar.vectors import Floats
from softstride.signals.derivatives import derivative

STRENGTH = {
    "soleus": 7000.0, "gastrocnemius": 3600.0, "tibialis anterior": 2000.0, "vasti": 10000.0, "rectus femoris": 2400.0,
    "hamstrings": 5200.0, "gluteus maximus": 3800.0,
}  # fmt: skip
"""Largest tensions, both legs [N]; plausible, not measured."""

HIP = -0.378
"""Where the hip slides up and down, ahead of the ankle [m]."""

SHANK, THIGH, TRUNK = 0.43, 0.43, 0.50
BEHIND = 0.05
"""How far J_0 is behind the ankle [m]."""
PLATE = (0.10, -0.08)
"""A point on the plate, in the frame of the feet [m]."""
SOLE = 0.12
"""How far from the ankle's line the feet are pressed at most [m]: J_0 is not where they end."""
FRICTION = 0.1


def chain() -> Chain:
    """Return the chain: feet, shanks, thighs, trunk with head and arms; facing +x."""
    return Chain(
        length=np.array([BEHIND, SHANK, THIGH, TRUNK]),
        mass=np.array([2.2, 7.0, 15.0, 50.8]),
        com=np.array([[0.09, -0.05], [0.244, 0.0], [0.244, 0.0], [0.30, -0.02]]),
        inertia=np.array([0.010, 0.12, 0.28, 4.2]),
        muscles=(
            Muscle("soleus", (("shank", 0.28, 0.03), ("feet", 0.0, -0.03))),
            Muscle("gastrocnemius", (("thigh", 0.03, 0.025), ("shank", 0.40, 0.045), ("feet", 0.0, -0.03))),
            Muscle(
                "tibialis anterior", (("shank", 0.28, -0.03), ("shank", 0.04, -0.035), ("feet", 0.12, -0.04))
            ),
            Muscle("vasti", (("thigh", 0.25, -0.04), ("thigh", -0.045, -0.04), ("shank", 0.37, -0.045))),
            Muscle(
                "rectus femoris",
                (
                    ("trunk", 0.06, -0.07),
                    ("thigh", 0.38, -0.06),
                    ("thigh", -0.045, -0.04),
                    ("shank", 0.37, -0.045),
                ),
            ),
            Muscle("hamstrings", (("trunk", -0.04, 0.06), ("shank", 0.39, 0.035))),
            Muscle("gluteus maximus", (("trunk", 0.06, 0.10), ("trunk", -0.02, 0.09), ("thigh", 0.32, 0.04))),
        ),
        contacts=(Contact("ground", "feet", PLATE), Contact("wall", "trunk", (0.35, 0.12))),
        links=("feet", "shank", "thigh", "trunk"),
        joints=("ankle", "knee", "hip"),
        reach=np.array([SOLE, 0.5 * SHANK, 0.5 * THIGH, 0.5 * TRUNK]),
        name="wall squat",
    )


def motion(time: Floats) -> Floats:
    """Return the angles: down and up once, the hip on a vertical line, the trunk upright, shape (n_frames, 4) [rad]."""
    thigh = np.radians(125.0 + 53.0 * _down(time))
    shank = np.arccos((HIP - THIGH * np.cos(thigh)) / SHANK)
    return np.stack([np.zeros_like(time), shank, thigh, np.full_like(time, np.pi / 2)], axis=1)


def wall_force(body: Chain, state: State) -> Floats:
    """Return the force of the wall on the back, the truth of this example, shape (n_frames, 2) [N].

    The wall rubs a little against the motion, and presses so that the feet are loaded 3 to 6 cm ahead of the ankle.
    """
    time, theta = np.asarray(state.time), np.asarray(state.theta)
    speed = derivative(time, SHANK * np.sin(theta[:, 1]) + THIGH * np.sin(theta[:, 2]))
    unit = np.stack([np.ones_like(time), -FRICTION * np.tanh(speed / 0.05)], axis=1)  # one newton of pressure
    none, one = (body.balanced(state.changed(force={"wall": k * unit}), "ground") for k in (0.0, 1.0))
    moment, lift = np.asarray(none.couple["ground"]), np.asarray(none.force["ground"])[:, 1]
    more_moment = np.asarray(one.couple["ground"]) - moment
    more_lift = np.asarray(one.force["ground"])[:, 1] - lift
    ahead = 0.03 + 0.03 * _down(time) - (PLATE[0] - BEHIND)
    press = (ahead * lift - moment) / (more_moment - ahead * more_lift)
    return np.asarray(press[:, None] * unit)


def squat_truth() -> State:
    """Return the motion with the force of the wall; tensions are zero."""
    body, time = chain(), np.round(np.arange(61) * 0.05, 2)
    theta = np.round(motion(time), 7)
    omega, alpha = rates(time, theta)
    idle = {muscle.name: 0.0 for muscle in body.muscles}
    state = State(theta=theta, omega=omega, alpha=alpha, time=time, tension=idle)
    return state.changed(force={"wall": wall_force(body, state)})


def squat() -> Case:
    """Return the squat with what a force plate shows and tensions to match; the wall's force is left out."""
    body, truth = chain(), squat_truth()
    stands = body.balanced(truth, "ground")
    force = np.asarray(stands.force["ground"])
    shift = np.asarray(stands.couple["ground"]) / force[:, 1]  # how far ahead of the point the force passes
    point = np.stack([PLATE[0] + shift, np.full_like(shift, PLATE[1])], axis=1)
    seen = truth.changed(force={"ground": np.round(force, 1)}, point={"ground": np.round(point, 4)})
    return Case(body, share(body, seen, STRENGTH, "proximal"), "proximal")


def _down(time: Floats) -> Floats:
    """Return 0 at the top and 1 at the bottom."""
    return np.asarray(0.5 - 0.5 * np.cos(2.0 * np.pi * (time - time[0]) / (time[-1] - time[0])))
