"""Joint impedance about a nominal step: what keeps an unstable column walking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError, Option
from softstride.gait.body import JOINTS
from softstride.gait.moments import frozen_array
from softstride.gait.states import joint_angles, joint_rates

if TYPE_CHECKING:
    from softstride.gait.walk import Walk

Floats = NDArray[np.float64]

STIFFNESS = 2000.0
"""Of every joint [N m/rad]: with recipe B the walk settles within a few steps; so it does from 1400 to 3000."""

DAMPING = 30.0
"""Of every joint [N m s/rad]."""


@dataclass(frozen=True, eq=False)
class Impedance:
    """M = M_nominal + K (x_nominal − x) + D (ẋ_nominal − ẋ) at every joint, time counted from heel strike.

    Joints are in the order of `JOINTS`, whose right leg stands; where the left one does they are exchanged. Between the
    instants of the nominal angles are cubic; after the last one the nominal rests.

    Attributes:
        step: Between instants of the nominal [s]; the first is heel strike.
        angles: Nominal joint angles, shape (m, 6), [rad], as `joint_angles` has them.
        rates: Their rates, shape (m, 6), [rad/s].
        stiffness: K, shape (6,), [N m/rad].
        damping: D, shape (6,), [N m s/rad].
    """

    step: float
    angles: Floats
    rates: Floats
    stiffness: Floats
    damping: Floats

    def __post_init__(self) -> None:
        """Freeze the arrays and check the whole."""
        m = len(np.atleast_2d(self.angles))
        if m < 2 or not (np.isfinite(self.step) and self.step > 0.0):
            raise InputError(
                f"a nominal needs two instants or more, however it has {m}, {self.step!r} s apart"
            )
        object.__setattr__(self, "step", float(self.step))
        for name in ("angles", "rates"):
            object.__setattr__(
                self, name, frozen_array(getattr(self, name), (m, len(JOINTS)), f"nominal {name}")
            )
        for name in ("stiffness", "damping"):
            gains = np.broadcast_to(np.asarray(getattr(self, name), dtype=np.float64), (len(JOINTS),))
            gains = frozen_array(gains, (len(JOINTS),), f"{name} of the feedback")
            if np.any(gains < 0.0):
                option = Option(name)
                raise InputError(
                    f"{option} of the feedback must not be negative, however it is {gains.tolist()}",
                    parameter=name,
                    options=[option],
                )
            object.__setattr__(self, name, gains)

    @classmethod
    def from_walk(
        cls, walk: Walk, stiffness: ArrayLike = STIFFNESS, damping: ArrayLike = DAMPING
    ) -> Impedance:
        """Return the impedance about the first step of a walk, whose frames must be evenly spaced.

        Raises:
            InputError: The first step was not completed.
        """
        if not walk.steps[0].completed:
            raise InputError(f"the nominal must be a whole step, however the walk ended {walk.reason}")
        within = (walk.time <= walk.steps[0].heel_strike) & ~walk.left_stance
        time = walk.time[within]
        spans = np.diff(time)
        even = int(
            np.sum(np.cumprod(np.abs(spans - spans[0]) < 1e-9))
        )  # the last instant is a frame of its own
        rows = np.flatnonzero(within)[: even + 1]
        gains = [np.broadcast_to(np.asarray(x, dtype=np.float64), (6,)) for x in (stiffness, damping)]
        return cls(float(spans[0]), joint_angles(walk.theta[rows]), joint_rates(walk.omega[rows]), *gains)

    def table(self) -> Floats:
        """Return angles and rates side by side, shape (m, 12)."""
        return np.concatenate([self.angles, self.rates], axis=1)

    def gains(self) -> Floats:
        """Return stiffness and damping, shape (2, 6)."""
        return np.stack([self.stiffness, self.damping])

    def changed(self, stiffness: ArrayLike | None = None, damping: ArrayLike | None = None) -> Impedance:
        """Return the same nominal with other gains, one for all joints or shape (6,)."""
        K = self.stiffness if stiffness is None else np.asarray(stiffness, dtype=np.float64)
        D = self.damping if damping is None else np.asarray(damping, dtype=np.float64)
        return Impedance(self.step, self.angles, self.rates, K, D)
