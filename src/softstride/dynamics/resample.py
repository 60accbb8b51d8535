"""A measured force at other instants: what OpenSim's ExternalForce does, without what a spline makes up.

Inverse dynamics is a balance at an instant, so a force is wanted at the frames as it was then; nothing is averaged.
Between samples OpenSim lays a natural cubic spline through each column of force, point and moment (straight lines
through two or three samples). So it is done here, with two differences. The spline goes through the *wrench* about a
fixed point, M = m + (p - o) x f, instead of the point: where a foot comes down the point jumps, or is not known, while
the wrench is continuous. And between two unloaded samples there is no load, where a spline would ring.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce
from softstride.engine.kernels.locating import locate_frames
from softstride.engine.kernels.sampling import MARKS, WORK, sample_force
from softstride.engine.run import sealed
from softstride.errors import InputError

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SAME = 1e-9
"""Instants that differ by less [s] are the same one: at 100 kN/s, more than any step, a force changes by 0.1 mN."""

REACH = 40
"""Samples beyond the frames that a spline is laid through: what is farther has an effect of 0.27^40, below rounding."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """A force at the frames of a motion, in the frames that it was given in.

    Attributes:
        force: Shape (n, 3), [N]; zero where nothing acts or nothing is known.
        point: Shape (n, 3), [m]; any place where nothing acts.
        moment: About the point, shape (n, 3), [N·m].
        acting_point: The point, NaN where nothing acts.
        acts: Where a load acts, shape (n,).
        covered: Where the time of the frame is within that of the samples, shape (n,).
        known: Where the force was measured, shape (n,): covered, and no NaN next to the frame.
        complete: Whether it is known in all frames.
    """

    force: Array
    point: Array
    moment: Array
    acting_point: Array
    acts: Mask
    covered: Mask
    known: Mask
    complete: bool


class Clock:
    """Instants of samples beside those of frames: what forces with the same samples share.

    A frame is covered up to half a sample before the first and after the last sample.

    Attributes:
        samples: Instants of all samples [s].
        rows: Those that matter.
        exact: Whether each frame has a sample at its own instant.
        at: Of the rows, the one of each frame if they are exact, or else the one before it, shape (n,).
        x: Instants of the frames [s], moved to the first or the last sample where they are beyond, shape (n,).
        covered: Where the frame is within the time of the samples, shape (n,).
    """

    def __init__(self, samples: Array, time: Array) -> None:
        """Compare samples, which increase, and frames."""
        t = self.samples = samples
        n = len(time)
        inside = len(t) == 1 or bool(time.min() >= t[0] and time.max() <= t[-1])
        half = 0.0 if inside else 0.5 * float(np.median(np.diff(t)))
        self.x, self.at = np.empty(n), np.empty(n, dtype=np.int64)
        self.covered, found = np.empty(n, dtype=bool), np.empty(3, dtype=np.int64)
        given = (sealed(np.ascontiguousarray(x)) for x in (t, time))
        locate_frames(*given, half, SAME, self.x, self.at, self.covered, found)
        exact, first, last = found.tolist()
        self.exact = bool(exact)
        reach = 0 if exact else REACH
        start = max(first - reach, 0)
        self.rows = slice(start, last + 2 + reach)
        self.at -= start


def at_frames(
    force: ExternalForce,
    time: Array,
    clocks: list[Clock] | None = None,
    table: Array | None = None,
    column: int = 0,
) -> Sampled:
    """Return a force at the frames of a motion.

    Args:
        force: The force.
        time: Instants of the frames [s], shape (n,).
        clocks: Of other forces at these frames, to be used again; a new one is added.
        table: Where moment, force and point are written besides, shape (n, 9 or more); None: nowhere.
        column: The first of nine columns there.

    Raises:
        InputError: It has no samples, times that do not increase, or a load without any point.
    """
    clock = _clock(force, time, [] if clocks is None else clocks)
    n, count = len(time), len(clock.samples[clock.rows])
    table = np.empty((n, 9)) if table is None else table
    samples = [sealed(np.ascontiguousarray(x[clock.rows])) for x in _columns(force)]
    f, p, m, told = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    acts, known = np.empty(n, dtype=bool), np.empty(n, dtype=bool)
    found = np.zeros(2, dtype=np.int64)
    sample_force(
        *samples,
        *(sealed(x) for x in (clock.x, clock.at, clock.covered)),
        int(clock.exact),
        int(force.force_in == force.point_in),
        SAME,
        *(f, p, m, told, table, column, acts, known),
        np.empty((count, MARKS), dtype=np.int64),
        np.empty((0 if clock.exact else count, WORK)),
        np.empty(3),
        found,
    )
    if found[0]:
        raise InputError(
            f"force {force.name!r} has no point: where it acts is not known. Give the columns of its point (an "
            "external-loads file names them)"
        )
    return Sampled(f, p, m, told, acts, clock.covered, known, not found[1])


def _columns(force: ExternalForce) -> tuple[Array, Array, Array, Array]:
    return force.time, force.force, force.point, force.moment


def _clock(force: ExternalForce, time: Array, known: list[Clock]) -> Clock:
    t = force.time
    for clock in known:
        if clock.samples is t or np.array_equal(clock.samples, t):
            return clock
    if not len(t):
        raise InputError(f"force {force.name!r} has no samples")
    if not (math.isfinite(t[0]) and math.isfinite(t[-1]) and (t[1:] > t[:-1]).all()):
        raise InputError(f"force {force.name!r}: its times must increase from sample to sample")
    known.append(Clock(t, time))
    return known[-1]
