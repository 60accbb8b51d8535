"""Where a step is collocated: intervals that end at phase ends and at the nodes of the moments."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_SAME = 1e-9
"""Instants closer than this are one [s]."""


@dataclass(frozen=True, eq=False)
class PhaseMesh:
    """Intervals of one phase, K of them.

    Attributes:
        start: Where each begins, as a fraction of the phase, shape (K,).
        length: Its length, as a fraction of the phase, shape (K,).
        knot: The node of the moments before it, shape (K,).
        weight: Share of the node after it at its beginning and at its end, shape (K, 2).
    """

    start: Floats
    length: Floats
    knot: Integers
    weight: Floats

    def table(self) -> Floats:
        """Return start, length and both weights of each interval, shape (K, 4)."""
        return np.column_stack([self.start, self.length, self.weight])


def make_knots(times: Floats, spacing: float, at_phase_ends: bool) -> Floats:
    """Return nodes of the moments from 0 to the end of the step, about `spacing` apart [s].

    Args:
        times: Ends of the phases, shape (4,), [s].
        spacing: Wanted distance [s].
        at_phase_ends: Whether phase ends are nodes too; then nodes move with the phases.
    """
    if not at_phase_ends:
        return np.linspace(0.0, times[-1], max(1, round(times[-1] / spacing)) + 1)
    ends = np.concatenate([[0.0], times])
    parts = [np.linspace(a, b, max(1, round((b - a) / spacing)) + 1)[1:] for a, b in pairwise(ends)]
    return np.concatenate([[0.0], *parts])


def make_mesh(times: Floats, knots: Floats, longest: Floats) -> tuple[PhaseMesh, ...]:
    """Return the intervals of the four phases.

    Args:
        times: Ends of the phases, shape (4,), [s].
        knots: Nodes of the moments, increasing from 0, [s]; after the last one moments are constant.
        longest: Longest interval of each phase, shape (4,), [s].
    """
    ends = np.concatenate([[0.0], times])
    meshes = []
    for begin, end, step in zip(ends[:-1], ends[1:], longest, strict=True):
        inner = knots[(knots > begin + _SAME) & (knots < end - _SAME)]
        breaks = np.concatenate([[begin], inner, [end]])
        parts = [np.linspace(a, b, int(np.ceil((b - a) / step - 1e-6)) + 1)[:-1] for a, b in pairwise(breaks)]
        nodes = np.append(np.concatenate(parts), end)
        left, right = nodes[:-1], nodes[1:]
        middle = 0.5 * (left + right)
        knot = np.clip(np.searchsorted(knots, middle) - 1, 0, len(knots) - 2)
        gap = knots[knot + 1] - knots[knot]
        weight = np.clip(
            np.stack([(left - knots[knot]) / gap, (right - knots[knot]) / gap], axis=1), 0.0, 1.0
        )
        meshes.append(
            PhaseMesh(
                (left - begin) / (end - begin), (right - left) / (end - begin), knot.astype(np.int64), weight
            )
        )
    return tuple(meshes)
