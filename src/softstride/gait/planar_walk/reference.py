"""What the planar walker is given: a stance as courses of its coordinates and of the forces on both feet.

The leg that stands is followed from its ankle upwards, so that its foot stays where it was on the ground; what bones of
constant length cannot follow, a few millimetres, is left to the hips.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline, PchipInterpolator, make_interp_spline

from softstride.dynamics.loads import AppliedWrench
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.gait.planar_walk.model import ROOT
from softstride.gait.planar_walk.rollover import Rollover
from softstride.gait.planar_walk.track import SagittalTrack
from softstride.model.model import Model
from softstride.naming import LETTERS
from softstride.signals import butterworth

Floats = NDArray[np.float64]

COORDINATES = (
    *ROOT,
    "lumbar",
    *(f"{joint}_{side}" for side in LETTERS for joint in ("hip", "knee", "ankle")),
)
"""Coordinates of a reference, in the order of its courses."""

LOWPASS = 8.0
"""Half-power frequency of the low pass of measured coordinates [Hz]."""

STRIKE = 20.0
"""Vertical force at which a foot is on the ground [N]."""


@dataclass(frozen=True, eq=False)
class StanceReference:
    """A stance of one leg, as measured or as made up.

    Attributes:
        side: The leg that stands, "r" or "l".
        time: Instants [s], shape (n,), evenly spaced.
        measured: Coordinates as measured, by the names of `COORDINATES`, each of shape (n,), [m] and [rad].
        wrenches: What the ground did to "r" and "l": (Fx, Fy, Mz about the origin of the world), shape (n, 3), [N] and
            [N m].
        strike: When the leg came down [s].
        cycle: Duration of a gait cycle [s].
        lowpass: Half-power frequency of the low pass of the courses [Hz]; None: as measured.
        source: Where it is from.
    """

    side: str
    time: Floats
    measured: Mapping[str, Floats]
    wrenches: Mapping[str, Floats]
    strike: float
    cycle: float
    lowpass: float | None = LOWPASS
    source: str = ""
    _rate: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check that everything is there."""
        if self.side not in LETTERS:
            raise InputError(f"side of a stance must be 'r' or 'l', however it is {self.side!r}")
        n = len(self.time)
        step = np.diff(self.time)
        if n < 8 or np.any(step <= 0.0) or np.ptp(step) > 0.01 * step.mean():
            raise InputError(
                f"time of a stance must be 8 evenly spaced instants or more, however it has {n} "
                f"with steps from {step.min(initial=np.nan):g} to {step.max(initial=np.nan):g} s"
            )
        for name in COORDINATES:
            if name not in self.measured:
                raise InputError(f"the reference of a stance lacks {name!r}")
            _complete(self.time, self.measured[name], (n,), name)
        for side in LETTERS:
            if side not in self.wrenches:
                raise InputError(
                    f"the reference of a stance lacks the wrench on foot {side!r}; zeros if it is off"
                )
            _complete(self.time, self.wrenches[side], (n, 3), f"wrench on foot {side!r}")
        if not (np.isfinite(self.strike) and np.isfinite(self.cycle) and self.cycle > 0.0):
            raise InputError(
                f"strike and cycle must be finite and the cycle above 0 s, however they are {self.strike!r} and "
                f"{self.cycle!r}"
            )
        object.__setattr__(self, "_rate", float(1.0 / step.mean()))
        object.__setattr__(self, "measured", Table(self.measured))
        object.__setattr__(self, "wrenches", Table(self.wrenches))

    @cached_property
    def course(self) -> BSpline:
        """All coordinates as one quintic spline, in the order of `COORDINATES`."""
        values = np.stack([self.measured[name] for name in COORDINATES], axis=1)
        if self.lowpass is not None:
            values = butterworth(values, self._rate, self.lowpass)
        return make_interp_spline(self.time, values, k=5)

    @cached_property
    def forces(self) -> Mapping[str, PchipInterpolator]:
        """Wrenches as functions of time, (F,) -> (F, 3)."""
        return Table({side: PchipInterpolator(self.time, self.wrenches[side]) for side in LETTERS})

    def part(self, names: tuple[str, ...]) -> BSpline:
        """Return the course of some of the coordinates, in this order."""
        whole = self.course
        columns = [COORDINATES.index(name) for name in names]
        return BSpline(whole.t, np.ascontiguousarray(whole.c[:, columns]), whole.k, extrapolate=False)

    def state(self, model: Model, t: float) -> tuple[Floats, Floats]:
        """Return q (nq,) and v (nv,) of a planar walker at t [s]; what the reference does not know is zero."""
        places = [model.coordinate_names.index(name) for name in COORDINATES]
        q, v = np.zeros(model.nq), np.zeros(model.nv)
        q[places], v[places] = self.course(t), self.course(t, 1)
        return q, v

    def instant(self, share: float) -> float:
        """Return the instant at a share of the gait cycle [s]."""
        return self.strike + share * self.cycle


def reference_from_track(
    track: SagittalTrack,
    wrenches: Mapping[str, AppliedWrench],
    side: str,
    rollover: Rollover,
    lengths: tuple[float, float],
    *,
    cycle: float | None = None,
    lowpass: float | None = LOWPASS,
    source: str = "",
) -> StanceReference:
    """Return the reference of a stance from a motion seen from the side.

    Args:
        track: The motion.
        wrenches: What the ground did to "r" and "l", at the frames of the track; a foot that is left out was off it.
        side: The leg that stands.
        rollover: Of its foot: which angle is flat.
        lengths: Of thigh and shank [m].
        cycle: Duration of a gait cycle [s]; None: twice the time between the strikes of both feet. The stance is the
            longest one that begins in the motion.
        lowpass: [Hz].
        source: Where it is from.

    Raises:
        InputError: A force was not measured while it is needed, or no second strike tells the gait cycle.
    """
    angle, points = track.angles, track.points
    turned = {name: np.stack([np.sin(each), -np.cos(each)], axis=1) for name, each in angle.items()}
    hips = (
        points[f"ankle_{side}"] - lengths[1] * turned[f"shank_{side}"] - lengths[0] * turned[f"thigh_{side}"]
    )
    measured = {
        "pelvis_x": hips[:, 0],
        "pelvis_y": hips[:, 1],
        "pelvis_tilt": angle["pelvis"],
        "lumbar": angle["trunk"] - angle["pelvis"],
    }
    for each in LETTERS:
        measured[f"hip_{each}"] = angle[f"thigh_{each}"] - angle["pelvis"]
        measured[f"knee_{each}"] = angle[f"thigh_{each}"] - angle[f"shank_{each}"]
        measured[f"ankle_{each}"] = angle[f"foot_{each}"] - rollover.flat - angle[f"shank_{each}"]
    planar = {each: _planar(wrenches.get(each), len(track)) for each in LETTERS}
    strikes = {each: _strikes(track.time, planar[each][:, 1]) for each in LETTERS}
    if not strikes[side]:
        raise InputError(
            f"foot {side!r} does not come down in this motion: its force never rises beyond {STRIKE:g} N"
        )
    strike = _longest(track.time, planar[side][:, 1], strikes[side])
    if cycle is None:
        other = [abs(each - strike) for each in strikes["l" if side == "r" else "r"]]
        if not other:
            raise InputError("only one foot comes down in this motion: give the duration of the gait cycle")
        cycle = 2.0 * min(other)
    return StanceReference(side, track.time, measured, planar, strike, cycle, lowpass, source)


def _planar(wrench: AppliedWrench | None, frames: int) -> Floats:
    """Return (Fx, Fy, Mz about the world's origin), shape (n, 3)."""
    if wrench is None:
        return np.zeros((frames, 3))
    whole = wrench.about()
    return np.stack([whole[:, 3], whole[:, 4], whole[:, 2]], axis=1)


def _strikes(time: Floats, force: Floats) -> list[float]:
    """Return when a vertical force rises beyond `STRIKE` [s]."""
    on = np.nan_to_num(force) > STRIKE
    return [float(time[i + 1]) for i in np.flatnonzero(~on[:-1] & on[1:])]


def _longest(time: Floats, force: Floats, strikes: list[float]) -> float:
    """Return the strike with the longest contact behind it [s]."""
    off = time[np.nan_to_num(force) <= STRIKE]
    return max(strikes, key=lambda strike: float(np.min(off[off > strike], initial=time[-1])) - strike)


def _complete(time: Floats, values: Floats, shape: tuple[int, ...], name: str) -> None:
    if np.shape(values) != shape:
        raise InputError(f"{name} of a stance must have shape {shape}, however it has {np.shape(values)}")
    missing = ~np.isfinite(np.reshape(values, (shape[0], -1))).all(axis=1)
    if missing.any():
        raise InputError(
            f"{name} of a stance is not known at {time[missing][0]:g} s ({int(missing.sum())} of {shape[0]} frames): "
            "cut the motion to where it is, or fill the gap first"
        )
