"""Curves made of quintic Bézier corners, as [Millard2013] draws those of a muscle.

A corner joins two straight lines: it leaves (x0, y0) with slope s0, arrives at (x1, y1) with slope s1, and its six
control points are

    P0,  P0 + c (C - P0) twice,  P1 + c (C - P1) twice,  P1,

where C is where the lines meet and c says how closely the curve follows them. Doubled points make the curvature zero
at both ends, so corners in a row are twice continuously differentiable.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.muscles.hill.curve import Array, Pair, sections

PARALLEL = 1.5e-8
"""Slopes that differ by less make no corner: the lines are taken to meet half way."""

_SAMPLES = np.linspace(0.0, 1.0, 129)
_NEWTON_STEPS = 8  # from a guess between samples the error squares each time: 1e-4, 1e-8, 1e-16
_CLOSE = 1e-9  # a step after which the next one is below rounding
_BERNSTEIN = np.array(
    [
        [comb(5, i) * comb(5 - i, k - i) * (-1) ** (k - i) if k >= i else 0 for k in range(6)]
        for i in range(6)
    ],
    dtype=np.float64,
)  # powers of u in each Bernstein polynomial of degree 5


@dataclass(frozen=True)
class Node:
    """A point of a curve and its slope there."""

    x: float
    y: float
    slope: float


def closeness(curviness: float) -> float:
    """Return c of a curviness from 0 (wide) to 1 (a sharp corner): 0.1 + 0.8 curviness."""
    if not 0.0 <= curviness <= 1.0:
        raise ModelError(f"curviness must be between 0 and 1, however it is {curviness:g}")
    return 0.1 + 0.8 * curviness


def corner(first: Node, last: Node, c: float) -> Array:
    """Return the control points of a corner, shape (2, 6): x and y.

    Raises:
        ModelError: The lines do not meet between the points: the curve would be shaped like an S.
    """
    bend = first.slope - last.slope
    if abs(bend) > PARALLEL:
        x = (last.y - first.y - last.x * last.slope + first.x * first.slope) / bend
    else:
        x = 0.5 * (first.x + last.x)
    y = last.y + (x - last.x) * last.slope
    span = np.hypot(last.x - first.x, last.y - first.y)
    if not (span > np.hypot(x - first.x, y - first.y) and span > np.hypot(x - last.x, y - last.y)):
        raise ModelError(
            f"the slopes {first.slope:g} at {first.x:g} and {last.slope:g} at {last.x:g} do not make a corner: "
            "the lines must meet between the two points"
        )
    near = (first.x + c * (x - first.x), first.y + c * (y - first.y))
    far = (last.x + c * (x - last.x), last.y + c * (y - last.y))
    points = [(first.x, first.y), near, near, far, far, (last.x, last.y)]
    return np.array(points).T


class Bezier:
    """Corners from node to node, straight beyond the ends."""

    def __init__(self, nodes: list[Node], closeness: list[float]) -> None:
        """Draw one corner between neighbours; `closeness` has c of each."""
        self.nodes = nodes
        corners = [corner(a, b, c) for a, b, c in zip(nodes[:-1], nodes[1:], closeness, strict=True)]
        self.powers = np.array(corners) @ _BERNSTEIN  # (n, 2, 6): x and y as ascending powers of u

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """Where corners join."""
        return tuple(node.x for node in self.nodes)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        at, section = sections(x, self.breaks)
        value, slope = np.full(at.shape, np.nan), np.full(at.shape, np.nan)
        last = len(self.nodes) - 1
        for k in range(last):
            here = (section == k + 1) | ((section == last + 1) & (at == self.breaks[-1]) & (k == last - 1))
            value[here], slope[here] = _along(self.powers[k], at[here])
        for node, beyond in ((self.nodes[0], at < self.breaks[0]), (self.nodes[-1], at > self.breaks[-1])):
            value[beyond] = node.y + node.slope * (at[beyond] - node.x)
            slope[beyond] = node.slope
        return value, slope


def _along(powers: Array, x: Array) -> Pair:
    """Return value and slope of one corner at x within it: u of x(u) = x by Newton's method, then y(u)."""
    u = np.interp(x, _polynomial(powers[0], _SAMPLES)[0], _SAMPLES)
    for _ in range(_NEWTON_STEPS):
        there, rate = _polynomial(powers[0], u)
        step = (there - x) / rate
        u = np.clip(u - step, 0.0, 1.0)
        if not np.max(np.abs(step), initial=0.0) > _CLOSE:
            break
    _, rate = _polynomial(powers[0], u)
    value, rise = _polynomial(powers[1], u)
    return value, rise / rate


def _polynomial(c: Array, u: Array) -> Pair:
    """Return a quintic of ascending coefficients and its derivative (Horner)."""
    value, slope = c[5] * u + c[4], c[5]
    for k in (3, 2, 1, 0):
        slope = slope * u + value
        value = value * u + c[k]
    return value, slope
