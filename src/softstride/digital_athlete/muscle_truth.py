"""The true muscle forces of a trial: how they are chosen, and what follows from the activations that were.

Coordinates of the legs that muscles move, except that of the toes, are moved by muscles: their forces make the joint
torques of the motion. Of all ways to do so the athlete takes the one with the least

    sum V_i a_i³,     V_i = F_max,i l_opt,i, the volume of a muscle,

above a floor of co-contraction, with activations that are smooth and that an excitation between 0 and 1 can make.
Toes (shoe and plantar fascia), trunk and arms have torque motors: what they do is the reserve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.digital_athlete.co_contraction import floor
from softstride.digital_athlete.excitation import kept_share
from softstride.digital_athlete.recruitment import Recruitment, recruit
from softstride.dynamics.loads import AppliedWrench
from softstride.model.model import Model
from softstride.muscles.hill import HillMuscles, hill_muscles, rigid_tendon
from softstride.muscles.paths import muscle_paths

Array = NDArray[np.float64]
Tell = Callable[[str], None]

MUSCLED = {
    "r": ("hip_flexion_r", "hip_adduction_r", "hip_rotation_r", "knee_angle_r"),
    "l": (
        "hip_flexion_l",
        "hip_adduction_l",
        "hip_rotation_l",
        "knee_angle_l",
        "ankle_angle_l",
        "subtalar_angle_l",
    ),
}
"""Coordinates that muscles alone move, leg by leg: no muscle crosses from one leg to the other."""

MOST = 0.98
"""Largest activation."""

STANCE = 60.0
"""Vertical force of a foot that bears [N]."""


@dataclass(frozen=True, eq=False)
class Pull:
    """What the muscles of a model can do in a motion.

    Attributes:
        hill: The muscles.
        arms: Moment arms, shape (n, m, nv), [m].
        active: Force at activation one, shape (n, m), [N].
        passive: Force without activation, shape (n, m), [N].
    """

    hill: HillMuscles
    arms: Array
    active: Array
    passive: Array

    def force(self, activation: Array) -> Array:
        """Return the forces of activations, shape (n, m), [N]."""
        return activation * self.active + self.passive

    def moment(self, force: Array) -> Array:
        """Return generalized forces of muscle forces, shape (n, nv), [N·m]."""
        return np.einsum("nmv,nm->nv", self.arms, force)


def pull_of(model: Model, q: Array, v: Array) -> Pull:
    """Return what the muscles of a model can do, their tendons rigid and their fibres without damper."""
    hill = hill_muscles(model)
    paths = muscle_paths(model, q, v)
    fibres = rigid_tendon(hill, paths.length, paths.speed)
    return Pull(hill, paths.arms, fibres.active, fibres.passive)


def solve_activation(
    model: Model,
    time: Array,
    pull: Pull,
    moment: Array,
    wrenches: Mapping[str, AppliedWrench],
    level: float,
    tell: Tell = lambda text: None,
) -> Array:
    """Return the athlete's activations, shape (n, m).

    Args:
        model: The true model.
        time: Even instants, shape (n,), [s].
        pull: What its muscles can do.
        moment: Generalized forces that muscles and motors make, shape (n, nv), [N·m].
        wrenches: "ground_left" and "ground_right", for the instants of strikes.
        level: Of co-contraction.
        tell: Told how it goes.
    """
    hill, step = pull.hill, float(time[1] - time[0])
    spans = {side[0]: stances(time, wrenches[f"ground_{side}"]) for side in ("left", "right")}
    least = floor(hill.names, time, spans, level)
    volume = hill.max_force * hill.fibre_length
    out = least.copy()
    for side, rows in MUSCLED.items():
        columns = [model.coordinate_names.index(name) for name in rows]
        own = np.array([i for i, name in enumerate(hill.names) if name.endswith(f"_{side}")])
        arms = pull.arms[:, own][:, :, columns]
        program = Recruitment(
            matrix=arms * pull.active[:, own, None],
            moment=moment[:, columns] - np.einsum("nmk,nm->nk", arms, pull.passive[:, own]),
            weight=volume[own] / volume.mean(),
            least=least[:, own],
            most=MOST,
            rise=kept_share(step, hill.rise_time[own]),
            fall=kept_share(step, hill.fall_time[own]),
        )
        out[:, own] = recruit(program)
        tell(f"muscles of the leg {side}: largest activation {out[:, own].max():.2f}")
    return out


def stances(time: Array, wrench: AppliedWrench) -> list[tuple[float, float]]:
    """Return strike and toe-off of a foot [s]; one stance more before and after, by the time from strike to strike."""
    on = np.concatenate([[0], (wrench.force[:, 1] > STANCE).astype(int), [0]])
    starts, ends = np.flatnonzero(np.diff(on) == 1), np.flatnonzero(np.diff(on) == -1)
    spans = [(float(time[i]), float(time[j - 1])) for i, j in zip(starts, ends, strict=True)]
    if len(spans) < 2:
        return spans
    stride = spans[1][0] - spans[0][0]
    length = max(off - strike for strike, off in spans)
    before, after = spans[0][0] - stride, spans[-1][0] + stride
    return [(before, before + length), *spans, (after, after + length)]


__all__ = ["MUSCLED", "Pull", "pull_of", "solve_activation", "stances"]
