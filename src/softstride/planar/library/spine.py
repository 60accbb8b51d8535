"""A spine of 24 vertebrae that bends forward to lift a load: segmental and global muscles."""

from __future__ import annotations

import numpy as np

from softstride.planar.case import Case
from softstride.planar.chain import Chain
from softstride.planar.library.sharing import rates, share
from softstride.planar.parts import Contact, Muscle
from softstride.planar.state import State
from softstride.planar.vectors import Floats

VERTEBRAE = (
    *(f"L{i}" for i in range(5, 0, -1)),
    *(f"T{i}" for i in range(12, 0, -1)),
    *(f"C{i}" for i in range(7, 0, -1)),
)
"""From the sacrum up."""

HEIGHT = {"L": 0.036, "T": 0.024, "C": 0.018}
SLICE = {"L": 2.2, "T": 2.1, "C": 0.25}
"""Mass of the trunk at the height of a vertebra [kg]; arms hang on the thorax."""

TILT_KNOTS = (0, 4, 9, 16, 20, 23), (68.0, 99.0, 100.0, 72.0, 80.0, 92.0)
"""Angles of vertebrae upright, by number from L5 [degrees]: lordosis, kyphosis, lordosis."""

BEND = 42.0
LOAD = (0.0, -118.0)  # [N]
SEGMENTAL, GLOBAL = 800.0, 2500.0  # largest tensions [N]; plausible, not measured


def muscles() -> tuple[Muscle, ...]:
    """Return 24 segmental muscles, one across each joint, and 16 that cross many; the back is along +y."""
    whole = ("sacrum", *VERTEBRAE)
    found = [
        Muscle(f"multifidus {high}", ((low, 0.010, 0.045), (high, 0.012, 0.050)))
        for low, high in zip(whole[:-1], VERTEBRAE, strict=True)
    ]
    tops = ("L3", "L2", "L1", "T12", "T11", "T10", "T9", "T8", "T7", "T6")
    for top in tops:
        held = [name for name in ("L4", "L2", "T12", "T9") if whole.index(name) < whole.index(top)]
        path = [("sacrum", 0.07, 0.065), *((name, 0.015, 0.055) for name in held), (top, 0.012, 0.055)]
        found.append(Muscle(f"longissimus {top}", tuple(path)))
    for low, high in (("T8", "C5"), ("T6", "C4"), ("T5", "C3"), ("T4", "C2"), ("T3", "C1")):
        found.append(
            Muscle(f"semispinalis {high}", ((low, 0.010, 0.050), ("T1", 0.012, 0.045), (high, 0.008, 0.035)))
        )
    found.append(
        Muscle("rectus abdominis", (("sacrum", 0.02, -0.11), ("L3", 0.018, -0.13), ("T8", 0.012, -0.12)))
    )
    return tuple(found)


def chain() -> Chain:
    """Return sacrum and 24 vertebrae with the slices of the trunk; the head is on C1; facing +x."""
    kind = [name[0] for name in VERTEBRAE]
    height = np.array([HEIGHT[k] for k in kind])
    mass = np.array([SLICE[k] for k in kind])
    mass[-1] += 4.6
    ahead = np.array([{"L": -0.035, "T": -0.045, "C": -0.015}[k] for k in kind])
    com = np.stack([0.5 * height, ahead], axis=1)
    com[-1] = 0.075, -0.025
    inertia = mass * (0.08**2 + height**2) / 4.0
    return Chain(
        length=np.concatenate([[0.10], height]),
        mass=np.concatenate([[11.0], mass]),
        com=np.concatenate([[[0.05, -0.02]], com]),
        inertia=np.concatenate([[0.08], inertia]),
        muscles=muscles(),
        contacts=(Contact("load", "T3", (0.01, -0.02)),),
        links=("sacrum", *VERTEBRAE),
        joints=tuple(f"{low}-{high}" for low, high in zip(("S1", *VERTEBRAE[:-1]), VERTEBRAE, strict=True)),
        name="spine",
    )


def motion(time: Floats) -> Floats:
    """Return the angles: bent at the start, upright at the end, shape (n_frames, 25) [rad]."""
    upright = np.interp(np.arange(24), *TILT_KNOTS)
    share = np.clip(np.arange(1, 25) / 7.0, 0.0, 1.0)  # the lumbar joints bend
    phase = (time - time[0]) / (time[-1] - time[0])
    bent = 1.0 - phase**3 * (10.0 - 15.0 * phase + 6.0 * phase**2)
    angles = upright - BEND * bent[:, None] * share
    return np.asarray(np.radians(np.concatenate([np.full((len(time), 1), 100.0), angles], axis=1)))


def spine() -> Case:
    """Return the lift with tensions to match."""
    back, time = chain(), np.round(np.arange(41) * 0.03, 2)
    theta = np.round(motion(time), 7)
    omega, alpha = rates(time, theta)
    strength = {m.name: SEGMENTAL if m.name.startswith("multifidus") else GLOBAL for m in back.muscles}
    idle = dict.fromkeys(strength, 0.0)
    state = State(
        theta=theta, time=time, tension=idle, force={"load": np.array(LOAD)}, omega=omega, alpha=alpha
    )
    return Case(back, share(back, state, strength), "distal")
