"""Joint impedance about a nominal step: what keeps an unstable column walking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError, Option
from softstride.fields import Limits, Number, checked
from softstride.gait.body import JOINTS
from softstride.gait.states import joint_angles, joint_rates
from softstride.results import Labels, Result, values

if TYPE_CHECKING:
    from softstride.gait.walk import Walk

Floats = NDArray[np.float64]

STIFFNESS = 2000.0
"""Of every joint [N m/rad]: with recipe B the walk settles within a few steps; so it does from 1400 to 3000."""

DAMPING = 30.0
"""Of every joint [N m s/rad]."""


class Impedance(Result, of="a nominal"):
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
    angles: Floats = values("instant joint", "rad", finite=True)
    rates: Floats = values("instant joint", "rad/s", finite=True)
    stiffness: Floats = values("joint", "N m/rad", finite=True)
    damping: Floats = values("joint", "N m s/rad", finite=True)

    LABELS: ClassVar[Mapping[str, Labels]] = {"joint": lambda _: JOINTS}

    def __post_init__(self) -> None:
        """Take one gain for all joints."""
        for name in ("stiffness", "damping"):
            if np.shape(getattr(self, name)) in ((), (1,)):
                object.__setattr__(self, name, np.full(len(JOINTS), getattr(self, name)))
        super().__post_init__()

    def check(self) -> None:
        """Check the instants and the gains."""
        object.__setattr__(
            self, "step", checked(Number(Limits("s", above=0.0)), self.step, "step", of=self.OF)
        )
        if len(self.angles) < 2:
            raise InputError(
                f"a nominal needs two instants or more, however it has {len(self.angles)}",
                parameter="angles",
                value=len(self.angles),
            )
        for name in ("stiffness", "damping"):
            gains = getattr(self, name)
            if np.any(gains < 0.0):
                option = Option(name)
                raise InputError(
                    f"{option} of the feedback must not be negative, however it is {gains.tolist()}",
                    parameter=name,
                    value=float(gains.min()),
                    options=[option],
                )

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
        angles, rates = joint_angles(walk.theta[rows]), joint_rates(walk.omega[rows])
        return cls(float(spans[0]), angles, rates, stiffness, damping)  # type: ignore[arg-type]

    def table(self) -> Floats:
        """Return angles and rates side by side, shape (m, 12)."""
        return np.concatenate([self.angles, self.rates], axis=1)

    def gains(self) -> Floats:
        """Return stiffness and damping, shape (2, 6)."""
        return np.stack([self.stiffness, self.damping])

    def changed(  # type: ignore[override]  # gains only: the rest belongs to the step
        self, stiffness: ArrayLike | None = None, damping: ArrayLike | None = None
    ) -> Impedance:
        """Return the same nominal with other gains, one for all joints or shape (6,)."""
        K = self.stiffness if stiffness is None else np.asarray(stiffness, dtype=np.float64)
        D = self.damping if damping is None else np.asarray(damping, dtype=np.float64)
        return Impedance(self.step, self.angles, self.rates, K, D)
