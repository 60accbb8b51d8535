"""A motion made ready for dynamics: coordinates, velocities and accelerations at its frames, low-passed if asked.

The low pass is the one of OpenSim's InverseDynamicsTool, so that results compare. Each coordinate is continued beyond
both ends by half its length, reflected in the end point (x(-t) = 2 x(0) - x(t)); then a third-order Butterworth filter
runs over it forward and backward, each pass with the cut-off itself, so that the gain there is 1/2; then a quintic
spline through the filtered samples, the continued ones included, is differentiated. A pass starts with three samples
as they are. The four numbers of a quaternion are filtered and brought back to length one; beyond the ends a rotation
is reflected as r(-t) = r(0) r(t)* r(0).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softstride.engine.manifold import layout
from softstride.errors import InputError, Option
from softstride.kinematics.curve import continuous, fit_curve
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.results import Frames, Result, values
from softstride.signals.smoothing_spline import fit_spline
from softstride.spatial.quaternion import quat_conjugate, quat_multiply

Array = NDArray[np.float64]

ORDER = 3
"""Of each of the two passes."""

FEWEST = 4
"""Frames that a low pass needs; OpenSim filters no fewer."""

UNEVEN = 1e-6
"""Relative difference of steps of time from which samples are put on an even clock before they are filtered."""

MOST_MORE = 20
"""How many times more samples an even clock may need than there are frames."""


class State(Result, of="a state"):
    """Where a model is and how it moves.

    Attributes:
        time: Instants [s], shape (n,).
        q: Configurations, shape (n, nq).
        v: Velocities, shape (n, nv).
        a: Accelerations, shape (n, nv).
        lowpass: Cut-off frequency of the low pass that they went through [Hz]; None: of none.
        motion: The motion that they are of, at some of its instants; None: nobody knows.
    """

    time: Array = values("time", "s")
    q: Array = values("time configuration")
    v: Array = values("time coordinate")
    a: Array = values("time coordinate")
    lowpass: float | None = None
    motion: Motion | None = None

    def take(self, frames: Frames) -> State:
        """Return some frames, of the same motion; all of them are this state."""
        n = len(self.time)
        if isinstance(frames, slice) and frames.indices(n) == (0, n, 1):
            return self
        parts = {name: getattr(self, name)[frames] for name in self.ARRAYS}
        return replace(self, **parts)


def prepare(
    model: Model,
    motion: Motion,
    lowpass: float | None = None,
    time_range: tuple[float, float] | None = None,
    known: State | None = None,
) -> State:
    """Return coordinates and their rates at the frames of a motion.

    Args:
        model: The model, with the coordinates of the motion.
        motion: The motion.
        lowpass: Cut-off frequency [Hz]; None: q, v and a of the motion as they are.
        time_range: First and last instant [s]; None: all.
        known: A state that is returned if it is this one: of this motion, low pass and time.

    Raises:
        InputError: The model has other coordinates than the motion, no frame lies in the range, or the frames are too
            few, too slow or too uneven for the low pass.
    """
    check_coordinates(model, motion)
    frames = frames_of(motion.time, time_range)
    if not isinstance(known, State | None):
        raise InputError(
            f"state must be one of loads of the same motion, however it is {known!r}", parameter="state"
        )
    same = known is not None and known.motion is motion and known.lowpass == lowpass
    if known is not None and same and np.array_equal(known.time, motion.time[frames]):
        return known
    if lowpass is None:
        return State(motion.time, motion.q, motion.v, motion.a, motion=motion).take(frames)
    return replace(low_passed(model, motion.time, motion.q, lowpass), motion=motion).take(frames)


def lower(*cutoffs: float | None) -> float | None:
    """Return the lowest of some cut-off frequencies, what is left after these low passes; None: there is none."""
    return min((each for each in cutoffs if each is not None), default=None)


def check_coordinates(model: Model, motion: Motion) -> None:
    """Refuse a motion of a model with other coordinates."""
    if motion.model is not model and (
        motion.model.coordinate_names != model.coordinate_names or motion.model.nq != model.nq
    ):
        raise InputError(
            f"the motion is one of model {motion.model.name!r} (nv = {motion.model.nv}), whose coordinates differ from "
            f"those of {model.name!r} (nv = {model.nv}): give the model that the motion was found with"
        )


def frames_of(time: Array, time_range: tuple[float, float] | None) -> slice:
    """Return the frames from a first to a last instant [s]; None: all."""
    if time_range is None:
        return slice(0, len(time))
    slack = 1e-9 * max(1.0, float(np.abs(time).max()))  # of instants that went through a file
    first = int(np.searchsorted(time, time_range[0] - slack, side="left"))
    last = int(np.searchsorted(time, time_range[1] + slack, side="right"))
    if first >= last:
        raise InputError(
            f"no frame lies from {time_range[0]:g} to {time_range[1]:g} s; the motion runs from {time[0]:g} to "
            f"{time[-1]:g} s",
            parameter="time_range",
            value=time_range,
        )
    return slice(first, last)


def low_passed(model: Model, time: Array, q: Array, cutoff: float) -> State:
    """Return coordinates that went through OpenSim's low pass, and their rates, at the same instants.

    Samples that are not evenly spaced are filtered on an even clock of their smallest step and brought back.
    """
    n = len(time)
    if n < FEWEST:
        raise InputError(f"a low pass needs at least {FEWEST} frames, however the motion has {n}")
    q = _one_sign(model, q)
    steps = np.diff(time)
    span, smallest = float(time[-1] - time[0]), float(steps.min())
    even = bool(steps.max() - smallest <= UNEVEN * smallest)
    count = n if even else round(span / smallest) + 1
    if count > MOST_MORE * n:
        raise InputError(
            f"frames are too uneven for a low pass: steps of time are {smallest:.3g} to {steps.max():.3g} s; "
            "give a motion with frames at a constant rate, or no low pass"
        )
    rate = (count - 1) / span
    if cutoff >= 0.5 * rate:
        option = Option("lowpass")
        raise InputError(
            f"{option} must be below half the rate of the motion, {0.5 * rate:g} Hz, however it is {cutoff:g} Hz",
            parameter="lowpass",
            value=cutoff,
            options=[option],
        )
    pad = n // 2
    long_time = np.concatenate(
        [2.0 * time[0] - time[pad:0:-1], time, 2.0 * time[-1] - time[-2 : -pad - 2 : -1]]
    )
    long_q = _reflected(model, q, pad)
    if even:
        smooth = _two_passes(long_q, cutoff / (0.5 * rate))
    else:
        clock = np.linspace(long_time[0], long_time[-1], round((long_time[-1] - long_time[0]) * rate) + 1)
        smooth = _two_passes(fit_spline(long_time, long_q, smoothing=0.0)(clock), cutoff / (0.5 * rate))
        smooth = fit_spline(clock, smooth, smoothing=0.0)(np.clip(long_time, clock[0], clock[-1]))
    curve = fit_curve(model, long_time, smooth)
    q, v, a = (part[pad : pad + n] for part in (curve.q, curve.v, curve.a))
    return State(time, q, v, a, cutoff)


def _one_sign(model: Model, q: Array) -> Array:
    q = q.copy()
    for at in layout(model).quaternions:
        q[:, at] = continuous(q[:, at])
    return q


def _reflected(model: Model, q: Array, pad: int) -> Array:
    """Return q with `pad` more frames at both ends, the motion reflected in the first and in the last pose."""
    before, after = q[pad:0:-1], q[-2 : -pad - 2 : -1]
    head, tail = 2.0 * q[:1] - before, 2.0 * q[-1:] - after
    for at in layout(model).quaternions:
        for end, part, pole in ((head, before, q[0, at]), (tail, after, q[-1, at])):
            end[:, at] = quat_multiply(quat_multiply(pole, quat_conjugate(part[:, at])), pole)
    return np.concatenate([head, q, tail])


def _two_passes(x: Array, relative: float) -> Array:
    """Filter forward and backward; each pass keeps its first three samples, as OpenSim's does."""
    from scipy.signal import butter, lfilter, lfiltic  # loads half of SciPy: when it is needed

    b, a = butter(ORDER, relative)
    unit = np.eye(ORDER)
    memory = np.stack([lfiltic(b, a, row, row) for row in unit], axis=1)  # of the last samples, latest first
    for _ in range(2):
        start = x[:ORDER]
        rest, _ = lfilter(b, a, x[ORDER:], axis=0, zi=memory @ start[::-1])
        x = np.concatenate([start, rest])[::-1]
    return np.ascontiguousarray(x)
