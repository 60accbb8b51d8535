"""The search for labels that changed places: which rings of markers explain the errors of a fit, and when.

A ring (r_0, ..., r_{k-1}) says that what is labelled r_i is the marker r_{i+1}, and the last one the first. Two
markers that are exchanged are a ring of two. With x as labelled and p as the model has it, putting a ring right
changes the squared error of its markers from

    C = Σ_i |x_i - p_i|²    to    S = Σ_i |x_i - p_{i+1}|²,

for two markers by C - S = -2 (x_a - x_b)·(p_a - p_b): they are exchanged where the measured difference of the two
points against the fitted one. A marker that is merely off its place does not turn that difference round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Integers = NDArray[np.int64]
Ring = tuple[int, ...]

LARGE = 3.0  # times the usual error of the trial: errors from which a marker may be under a wrong label
LARGER = 6.0  # the same for a stretch of few frames
FEW = 3  # frames; fewer must be unmistakable
GAIN = 0.5  # share of the squared error that must go; what is left is how far the swap has bent the fit
CLEAR = 0.75  # the same for a stretch of few frames
OFTEN = 10  # frames of such stretches; as many in one trial speak for each other
RISE = (
    2.0  # times; squared error that one marker of a ring may gain, where the fit has followed its wrong label
)
STEADY = 0.5  # cosine; markers whose differences turn by more between frames have changed their labels, or may have
LEFT = 0.5  # of the error that the best pair among three leaves: a ring must leave less, since a bent fit invents rings
SAMPLE = 20_000  # frames from which the usual error is taken
BLOCK = 4_096  # frames at a time, where arrays of the size of the trial would be made
MOST_RINGS = 100  # rings of three that are tried; more than that come from labels that mean nothing


@dataclass(frozen=True, eq=False)
class Found:
    """A ring that explains errors.

    Attributes:
        ring: Columns of the markers; what is in each belongs into the next.
        frames: Where, increasing.
        gain: 1 - S/C over these frames.
    """

    ring: Ring
    frames: Integers
    gain: float


@dataclass(frozen=True, eq=False)
class _Stretch:
    """Frames, all markers of a ring seen, in which the labels stay as they are; `before` is C, `after` S [m²]."""

    ring: Ring
    frames: Integers
    before: Array
    after: Array

    @property
    def drop(self) -> float:
        """How far the squared error falls in the average frame [m²]."""
        return float((self.before - self.after).mean())

    @property
    def gain(self) -> float:
        """1 - S/C."""
        return float(1.0 - self.after.sum() / self.before.sum())

    def without(self, taken: Mask) -> _Stretch:
        keep = ~taken
        return _Stretch(self.ring, self.frames[keep], self.before[keep], self.after[keep])


def search(seen: Array, predicted: Array) -> list[Found]:
    """Return the rings that explain errors, those that explain most of them in a frame first.

    Args:
        seen: Marker positions as labelled, shape (n, m, 3), [m]; NaN where not seen.
        predicted: Where the fitted model has them, the same shape; NaN where not known.
    """
    usual = _usual_error(seen, predicted)
    if not usual > 0.0:  # nothing seen, or a perfect fit
        return []
    edges = _edges(seen, predicted, LARGE * usual)
    rings = [*edges, *_threes(edges)]
    stretches = [s for ring in rings for s in _stretches(ring, seen, predicted, usual)]
    return [
        Found(ring, _fill(ring, rows, seen, predicted), gain)
        for ring, rows, gain in _without_conflict(stretches, len(seen))
    ]


def _squared(a: Array, b: Array) -> Array:
    difference = a - b
    out: Array = np.einsum("...i,...i->...", difference, difference)
    return out


def _usual_error(seen: Array, predicted: Array) -> float:
    """Return the median error of a marker over the trial [m]; 0 where nothing was seen."""
    step = max(1, len(seen) // SAMPLE)
    squared = _squared(seen[::step], predicted[::step])
    squared = squared[np.isfinite(squared)]
    return float(np.sqrt(np.median(squared))) if squared.size else 0.0


def _above(seen: Array, predicted: Array, limit: float) -> Mask:
    """Return where an error is above the limit, shape (n, m)."""
    above = np.zeros(seen.shape[:2], dtype=bool)
    for i in range(0, len(seen), BLOCK):
        part = slice(i, i + BLOCK)
        above[part] = _squared(seen[part], predicted[part]) > limit**2  # NaN is not above
    return above


def _edges(seen: Array, predicted: Array, large: float) -> dict[Ring, float]:
    """Return the pairs that an exchange would clearly bring nearer in some frame, with the sum of C - S there [m²]."""
    edges: dict[Ring, float] = {}
    suspect = _above(seen, predicted, large)
    columns = np.ascontiguousarray(suspect.T)
    for a, b in combinations(np.flatnonzero(suspect.any(axis=0)).tolist(), 2):
        rows = np.flatnonzero(columns[a] & columns[b])
        if len(rows):
            measured, fitted = seen[rows, a] - seen[rows, b], predicted[rows, a] - predicted[rows, b]
            drop = -2.0 * np.einsum("ij,ij->i", measured, fitted)
            clear = drop > GAIN * large**2
            if clear.any():
                edges[a, b] = float(drop[clear].sum())
    return edges


def _threes(edges: dict[Ring, float]) -> list[Ring]:
    """Return rings of three, both ways round: a ring has at least two pairs whose exchange brings them nearer."""
    shared: dict[Ring, float] = {}
    for (one, drop), (other, more) in combinations(edges.items(), 2):
        three = tuple(sorted({*one, *other}))
        if len(three) == 3:
            shared[three] = max(shared.get(three, 0.0), drop + more)
    best = sorted(shared, key=lambda three: -shared[three])[:MOST_RINGS]
    return [ring for a, b, c in best for ring in ((a, b, c), (a, c, b))]


def _stretches(ring: Ring, seen: Array, predicted: Array, usual: float) -> Iterator[_Stretch]:
    """Yield the stretches in which putting the ring right clearly lowers the errors of all its markers.

    The labels of a stretch cannot have changed on the way: from each frame to the next in which all are seen, the
    markers keep their arrangement. So its frames are judged together, and a frame in which the fit gave way to the
    wrong labels follows the others.
    """
    x = seen[:, ring]
    rows = np.flatnonzero(np.isfinite(np.einsum("nij->n", x) + np.einsum("nij->n", predicted[:, ring])))
    if not len(rows):
        return
    x, p = x[rows], predicted[np.ix_(rows, np.array(ring))]
    before, after = _squared(x, p), _squared(np.roll(x, 1, axis=1), p)  # (rows, k), by the place of the model
    shape = x - x.mean(axis=1, keepdims=True)
    length = np.sqrt(np.einsum("nij,nij->n", shape, shape))
    cosine = np.einsum("nij,nij->n", shape[1:], shape[:-1]) / np.maximum(length[1:] * length[:-1], 1e-300)
    starts = np.concatenate([[0], np.flatnonzero(cosine < STEADY) + 1])
    count = np.diff(np.append(starts, len(rows)))
    old, new = np.add.reduceat(before, starts), np.add.reduceat(after, starts)  # (stretches, k)
    gain = 1.0 - new.sum(axis=1) / np.maximum(old.sum(axis=1), 1e-300)
    lower = (new < RISE * old).all(axis=1)
    error = np.sqrt(old / count[:, None]).min(axis=1) / usual
    large = lower & (error > LARGE)
    if len(ring) > 2 and large.any():
        large &= new.sum(axis=1) < LEFT * _left_by_pairs(x, p, starts)
    clear = large & (gain > CLEAR)
    often = count[clear & (count < FEW)].sum() >= OFTEN
    accepted = np.where(count < FEW, clear & (often | (error > LARGER)), large & (gain > GAIN))
    for k in np.flatnonzero(accepted):
        part = slice(starts[k], starts[k] + count[k])
        yield _Stretch(ring, rows[part], before[part].sum(axis=1), after[part].sum(axis=1))


def _left_by_pairs(x: Array, p: Array, starts: Integers) -> Array:
    """Return for each stretch of a ring of three the squared error that its best pair leaves [m²]."""
    pairs = [_squared(x[:, order], p).sum(axis=1) for order in ([1, 0, 2], [2, 1, 0], [0, 2, 1])]
    left: Array = np.add.reduceat(np.stack(pairs), starts, axis=1).min(axis=0)
    return left


def _without_conflict(stretches: Sequence[_Stretch], n: int) -> list[tuple[Ring, Integers, float]]:
    """Return ring, frames and gain, each marker in one ring at a time: the one that explains most of its error."""
    taken: dict[int, Mask] = {}
    parts: dict[Ring, list[_Stretch]] = {}
    for stretch in sorted(stretches, key=lambda s: -s.drop):
        columns = [taken.setdefault(i, np.zeros(n, dtype=bool)) for i in stretch.ring]
        rest = stretch.without(np.logical_or.reduce([column[stretch.frames] for column in columns]))
        if len(rest.frames) >= min(FEW, len(stretch.frames)) and rest.gain > GAIN:
            parts.setdefault(rest.ring, []).append(rest)
            for column in columns:
                column[rest.frames] = True
    return [
        (
            ring,
            np.sort(np.concatenate([part.frames for part in some])),
            float(1.0 - sum(part.after.sum() for part in some) / sum(part.before.sum() for part in some)),
        )
        for ring, some in parts.items()
    ]


def _fill(ring: Ring, rows: Integers, seen: Array, predicted: Array) -> Integers:
    """Return the frames of a ring with those added in which some of its markers were not seen.

    Between two frames of the ring the labels stay wrong, unless the markers seen there say otherwise together.
    Between a frame of the ring and another, and at the ends of the trial, each frame is judged by itself.
    """
    x, p = seen[:, ring], predicted[:, ring]
    old, new = _squared(x, p), _squared(x, np.roll(p, -1, axis=1))  # by the label
    known = np.isfinite(old) & np.isfinite(new)
    better = np.where(known, old - new, 0.0).sum(axis=1)
    inside = np.zeros(len(seen), dtype=bool)
    inside[rows] = True
    gap = ~known.all(axis=1)
    edges = np.diff(np.concatenate([[False], gap, [False]]).astype(np.int8))
    for start, stop in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
        left = start > 0 and inside[start - 1]
        right = stop < len(seen) and inside[stop]
        if left and right and better[start:stop].sum() >= 0.0:
            inside[start:stop] = True
        elif left or right:
            inside[start:stop] = better[start:stop] > 0.0
    return np.flatnonzero(inside)
