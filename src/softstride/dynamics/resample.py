"""A measured force at other instants: what OpenSim's ExternalForce does, without what a spline makes up.

Inverse dynamics is a balance at an instant, so a force is wanted at the frames as it was then; nothing is averaged.
Between samples OpenSim lays a natural cubic spline through each column of force, point and moment (straight lines
through two or three samples). So it is done here, with two differences. The spline goes through the *wrench* about a
fixed point, M = m + (p - o) x f, instead of the point: where a foot comes down the point jumps, or is not known, while
the wrench is continuous. And between two unloaded samples there is no load, where a spline would ring.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded

from softstride.capture.force import ExternalForce
from softstride.errors import InputError
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SAME = 1e-9
"""Instants that differ by less [s] are the same one: at 100 kN/s, more than any step, a force changes by 0.1 mN."""

REACH = 40
"""Samples beyond the frames that a spline is laid through: what is farther has an effect of 0.27^40, below rounding."""

LINEAR = 3
"""Samples, at most, between which lines are straight."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """A force at the frames of a motion, in the frames that it was given in.

    Attributes:
        force: Shape (n, 3), [N]; zero where nothing acts or nothing is known.
        point: Shape (n, 3), [m]; any place where nothing acts.
        moment: About the point, shape (n, 3), [N·m].
        acts: Where a load acts, shape (n,).
        covered: Where the time of the frame is within that of the samples, shape (n,).
        known: Where the force was measured, shape (n,): covered, and no NaN next to the frame.
    """

    force: Array
    point: Array
    moment: Array
    acts: Mask
    covered: Mask
    known: Mask


def at_frames(force: ExternalForce, time: Array) -> Sampled:
    """Return a force at the frames of a motion.

    A frame is covered up to half a sample before the first and after the last sample.

    Args:
        force: The force.
        time: Instants of the frames [s], shape (n,).

    Raises:
        InputError: It has no samples, times that do not increase, or a load without any point.
    """
    t = _clock(force)
    half = 0.5 * float(np.median(np.diff(t))) if len(t) > 1 else 0.0
    covered = (time >= t[0] - half - SAME) & (time <= t[-1] + half + SAME)
    x = np.clip(time, t[0], t[-1])
    rows, exact = _rows(t, x)
    f, p, m = force.force[rows], force.point[rows], force.moment[rows]
    pushes = _any(f != 0.0)  # NaN too, until it is known better
    loaded = pushes | _any(m != 0.0)
    placed = ~_any(~np.isfinite(p))
    valid = ~_any(~np.isfinite(f)) & ~_any(~np.isfinite(m)) & (placed | ~pushes)
    here = placed & loaded & valid
    if pushes.any() and not (pushes & placed).any() and np.isfinite(f[pushes]).all():
        raise InputError(
            f"force {force.name!r} has no point: where it acts is not known. Give the columns of its point (an "
            "external-loads file names them)"
        )
    if exact:
        known = valid & covered
        f, m = (np.where(known[:, None], part, 0.0) for part in (f, m))
        p = np.where((here & known)[:, None], p, 0.0)
    else:
        f, p, m, known = _interpolated(
            t[rows], f, p, m, valid, loaded, here, x, force.force_in == force.point_in
        )
        known &= covered
        f[~known], m[~known] = 0.0, 0.0
    acts = _any(f != 0.0) | _any(m != 0.0)
    return Sampled(f, p, m, acts, covered, known)


def _any(x: Mask) -> Mask:
    """Return whether any of three is true, shape (n,) from (n, 3); a reduction over so few is slow."""
    return np.asarray(x[:, 0] | x[:, 1] | x[:, 2])


def _clock(force: ExternalForce) -> Array:
    t = force.time
    if not len(t):
        raise InputError(f"force {force.name!r} has no samples")
    if not np.isfinite(t).all() or (np.diff(t) <= 0.0).any():
        raise InputError(f"force {force.name!r}: its times must increase from sample to sample")
    return t


def _rows(t: Array, x: Array) -> tuple[NDArray[np.intp] | slice, bool]:
    """Return the samples that matter at instants x inside t, and whether each instant has a sample of its own."""
    last = len(t) - 1
    right = np.clip(np.searchsorted(t, x), 0, last)
    left = np.maximum(right - 1, 0)
    nearest = np.where(x - t[left] < t[right] - x, left, right)
    if (np.abs(t[nearest] - x) <= SAME).all():
        return nearest, True
    return slice(max(int(left.min()) - REACH, 0), int(right.max()) + REACH + 1), False


def _interpolated(
    t: Array,
    f: Array,
    p: Array,
    m: Array,
    valid: Mask,
    loaded: Mask,
    here: Mask,
    x: Array,
    one_frame: bool,
) -> tuple[Array, Array, Array, Mask]:
    """Return force, point, moment about the point at instants x, and where they are known.

    Args:
        t: Instants of the samples [s].
        f: Force, with point and moment in one frame or in two.
        p: Point.
        m: Moment about it.
        valid: Where all is known that is needed.
        loaded: Where something acts.
        here: Where the point means something.
        x: Instants wanted, inside t.
        one_frame: Whether force and point are given in the same frame, so that their product means something.
    """
    point = np.zeros((len(x), 3))
    if here.any():
        point = np.stack([np.interp(x, t[here], p[here, i]) for i in range(3)], axis=1)
    centre = p[here].mean(axis=0) if here.any() and one_frame else np.zeros(3)
    if one_frame:
        m = m + cross(np.where(here[:, None], p - centre, 0.0), f)
    y = np.concatenate([f, m], axis=1)
    out, known = np.zeros((len(x), 6)), np.zeros(len(x), dtype=bool)
    for start, stop in _runs(valid):
        rows = np.flatnonzero((x >= t[start] - SAME) & (x <= t[stop - 1] + SAME))
        if len(rows):
            at = np.clip(x[rows], t[start], t[stop - 1])
            out[rows] = _spline(t[start:stop], y[start:stop], loaded[start:stop], at)
            known[rows] = True
    force, moment = out[:, :3].copy(), out[:, 3:].copy()
    if one_frame:
        moment -= cross(point - centre, force)
    return force, point, moment, known


def _runs(valid: Mask) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], valid, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _spline(t: Array, y: Array, loaded: Mask, x: Array) -> Array:
    """Return the natural cubic spline through y (n, k) at x inside t; zero between unloaded samples."""
    n = len(t)
    if n == 1:
        return np.repeat(y, len(x), axis=0)
    i = np.clip(np.searchsorted(t, x, side="right") - 1, 0, n - 2)
    h = np.diff(t)
    right = ((x - t[i]) / h[i])[:, None]
    left = 1.0 - right
    value = left * y[i] + right * y[i + 1]
    if n > LINEAR:
        slope = np.diff(y, axis=0) / h[:, None]
        band = np.stack([np.append(0.0, h[1:-1]), 2.0 * (h[:-1] + h[1:]), np.append(h[1:-1], 0.0)])
        bend = np.zeros_like(y)  # second derivatives; none at the ends
        bend[1:-1] = solve_banded((1, 1), band, 6.0 * np.diff(slope, axis=0), check_finite=False)
        square = (h[i] ** 2 / 6.0)[:, None]
        value += square * ((left**3 - left) * bend[i] + (right**3 - right) * bend[i + 1])
    value[~(loaded[i] | loaded[i + 1])] = 0.0
    return value
