"""Sharing a demand smoothly in time: all frames are one program, solved by an interior-point method.

    minimise  (cost of `softstride.solvers.force_sharing` of all frames)  +  1/2 sum_i c_i sum_k (x_k+1,i - x_k,i)²

Predictor and corrector after S. Mehrotra, SIAM J. Optim. 2 (1992) 575; then a few Newton steps with the unknowns at
bounds held there, which leave nothing but rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.engine.frame_chain import FrameChain
from softstride.solvers.force_sharing import SharingProblem
from softstride.solvers.sharing_certificate import smoothing_curvature, smoothing_slope

Array = NDArray[np.float64]

_SHY = 0.995  # share of the way to a bound
_INSIDE = 1e-2  # of a range, how far from its ends to begin
_NARROW = 1e-9  # of its size: a range is made at least this wide
_LEAST = 1e-6  # unknown at which a cubic cost is taken to curve no less
_GAP = 1e-9  # of bounds, relative to the cost, at which to stop
_THIN = 1e-15
_HELD = 1e12  # curvature of an unknown that is held, over its own
_POLISHES, _SETTLED = 30, 1e-12


@dataclass
class _Point:
    """Unknowns, multipliers of rows, of lower and of upper bounds."""

    x: Array
    y: Array
    low: Array
    high: Array

    def moved(self, step: _Point, primal: float, dual: float) -> _Point:
        return _Point(
            self.x + primal * step.x,
            self.y + dual * step.y,
            self.low + dual * step.low,
            self.high + dual * step.high,
        )


def solve_smoothly(
    problem: SharingProblem, reserve: Array, x: Array, y: Array, most: int
) -> tuple[Array, Array, int]:
    """Solve one independent part of the program, all frames together.

    Args:
        problem: n frames, m unknowns, k rows, with smoothness.
        reserve: S of each frame in place of that of the program, shape (n, k).
        x: Where to begin, shape (n, m).
        y: Multipliers of the rows there, shape (n, k).
        most: Most steps.

    Returns:
        Unknowns (n, m), multipliers (n, k) and the steps taken.
    """
    soft = reserve**2
    lower, upper = _widened(problem)
    point = _begin(problem, lower, upper, x, y)
    steps = 0
    while steps < most:
        slacks = _slacks(point, lower, upper)
        slope, miss = _residuals(problem, soft, point)
        gap = _gap(point, slacks)
        if _done(problem, point, slope, miss, gap):
            break
        stiff = _curvature(problem, point.x) + point.low / slacks[0] + point.high / slacks[1]
        system = FrameChain(problem.matrix, soft, problem.smoothness, stiff)
        target = np.zeros_like(point.x), np.zeros_like(point.x)
        aim = _direction(system, point, slacks, slope, miss, target)
        ahead = point.moved(aim, *_reach(problem, point, slacks, aim))
        share = (_gap(ahead, _slacks(ahead, lower, upper)) / gap) ** 3 if gap > 0.0 else 0.0
        centre = min(1.0, share) * gap
        target = centre - aim.x * aim.low, centre + aim.x * aim.high
        step = _direction(system, point, slacks, slope, miss, target)
        point = point.moved(step, *_reach(problem, point, slacks, step))
        steps += 1
    return (*_polish(problem, soft, point.x, point.y), steps)


def _polish(problem: SharingProblem, soft: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Return the solution with unknowns at bounds exactly there and the others to rounding.

    Newton steps with the unknowns that are to be at a bound put there, until these are the same ones twice.
    """
    lower, upper = (np.broadcast_to(b, x.shape) for b in (problem.lower, problem.upper))
    x, before = np.clip(x, lower, upper), None
    for _ in range(_POLISHES):
        zero = np.zeros_like(x)
        slope, miss = _residuals(problem, soft, _Point(x, y, zero, zero))
        curvature = _curvature(problem, x)
        want = x - slope / curvature
        held = (want <= lower) | (want >= upper)
        to = np.where(held, np.where(want <= lower, lower, upper) - x, 0.0)
        stiff = np.where(held, _HELD * curvature, curvature)
        chain = FrameChain(problem.matrix, soft, problem.smoothness, stiff)
        dx, dy = chain.solve(np.where(held, stiff * to, -slope), miss)
        x, y = np.clip(np.where(held, x + to, x + dx), lower, upper), y + dy
        settled = before is not None and bool((held == before).all())
        if settled and float(np.abs(dx).max(initial=0.0)) <= _SETTLED * float(np.abs(x).max(initial=0.0)):
            break
        before = held
    return x, y


def _widened(problem: SharingProblem) -> tuple[Array, Array]:
    """Return bounds of the shape of x, none of them closer than rounding allows."""
    n, m, _ = problem.matrix.shape
    lower, upper = (np.broadcast_to(b, (n, m)).copy() for b in (problem.lower, problem.upper))
    bounded = np.isfinite(lower) & np.isfinite(upper)
    size = np.where(bounded, np.maximum(np.abs(lower), np.abs(upper)), 1.0)
    least = _NARROW * np.maximum(size, 1e-3)
    tight = upper - lower < least
    lower[tight] -= 0.5 * least[tight]
    upper[tight] += 0.5 * least[tight]
    return lower, upper


def _begin(problem: SharingProblem, lower: Array, upper: Array, x: Array, y: Array) -> _Point:
    """Return a point inside the bounds, near the one given."""
    width = np.minimum(upper - lower, 1.0)
    inside = np.clip(x, lower + _INSIDE * width, upper - _INSIDE * width)
    cost = problem.weights + problem.pull + smoothing_curvature(problem.smoothness, len(x))
    push = _INSIDE * np.broadcast_to(cost, x.shape) * width**2
    low = np.where(np.isfinite(lower), push / np.where(np.isfinite(lower), inside - lower, 1.0), 0.0)
    high = np.where(np.isfinite(upper), push / np.where(np.isfinite(upper), upper - inside, 1.0), 0.0)
    return _Point(inside, y.copy(), low, high)


def _residuals(problem: SharingProblem, soft: Array, p: _Point) -> tuple[Array, Array]:
    """Return the slope of the Lagrangian (n, m), and what rows miss (n, k)."""
    slope = problem.weights * p.x * (np.abs(p.x) if problem.power == 3 else 1.0)
    slope = slope + problem.pull * (p.x - problem.reference) + smoothing_slope(problem.smoothness, p.x)
    slope -= np.matmul(problem.matrix, p.y[:, :, None])[..., 0] + p.low - p.high
    made = np.matmul(p.x[:, None, :], problem.matrix)[:, 0]
    return slope, problem.demand - made - soft * p.y


def _gap(p: _Point, slacks: tuple[Array, Array]) -> float:
    """Return the mean product of slack and multiplier."""
    count = int(np.isfinite(slacks[0]).sum() + np.isfinite(slacks[1]).sum())
    total = sum(
        float((z * np.where(np.isfinite(s), s, 0.0)).sum())
        for z, s in zip((p.low, p.high), slacks, strict=True)
    )
    return total / max(count, 1)


def _done(problem: SharingProblem, p: _Point, slope: Array, miss: Array, gap: float) -> bool:
    """Return whether all conditions hold as well as they will."""
    cost = float(
        np.mean(
            problem.weights * np.abs(p.x) ** problem.power + problem.pull * (p.x - problem.reference) ** 2
        )
    )
    size = np.abs(problem.demand) + np.matmul(np.abs(p.x)[:, None, :], np.abs(problem.matrix))[:, 0]
    steep = np.abs(p.low) + np.abs(p.high) + np.abs(np.matmul(problem.matrix, p.y[:, :, None])[..., 0])
    flat = float(np.abs(slope).max(initial=0.0)) <= _GAP * float(steep.max(initial=0.0)) + 1e-300
    made = bool((np.abs(miss) <= _GAP * size.max(axis=0) + 1e-300).all())
    return flat and made and gap <= _GAP * cost + 1e-300


def _curvature(problem: SharingProblem, x: Array) -> Array:
    """Return the diagonal of the Hessian, shape (n, m)."""
    bend = np.maximum(2.0 * np.abs(x), _LEAST) if problem.power == 3 else np.ones_like(x)
    return problem.weights * bend + problem.pull + smoothing_curvature(problem.smoothness, len(x))


def _direction(
    system: FrameChain,
    p: _Point,
    slacks: tuple[Array, Array],
    slope: Array,
    miss: Array,
    target: tuple[Array, Array],
) -> _Point:
    """Return the step that brings slope and miss to zero, and slack times multiplier to the target."""
    below, above = np.where(p.low > 0.0, target[0], 0.0), np.where(p.high > 0.0, target[1], 0.0)
    push = below / slacks[0] - p.low - (above / slacks[1] - p.high)
    dx, dy = system.solve(push - slope, miss)
    low = np.where(p.low > 0.0, (below - p.low * dx) / slacks[0] - p.low, 0.0)
    high = np.where(p.high > 0.0, (above + p.high * dx) / slacks[1] - p.high, 0.0)
    return _Point(dx, dy, low, high)


def _reach(
    problem: SharingProblem, p: _Point, slacks: tuple[Array, Array], step: _Point
) -> tuple[float, float]:
    """Return how much of the step keeps slacks, and multipliers, well above zero; at most one."""
    primal = max(_need(-step.x, slacks[0]), _need(step.x, slacks[1]))
    dual = max(_need(-step.low, p.low), _need(-step.high, p.high))
    if problem.power != 2:
        primal = dual = max(primal, dual)
    return _SHY / max(primal, _SHY), _SHY / max(dual, _SHY)


def _need(fall: Array, room: Array) -> float:
    """Return the largest fall over the room for it."""
    return float(
        np.divide(fall, room, out=np.zeros_like(fall), where=(room > 0.0) & np.isfinite(room)).max(
            initial=0.0
        )
    )


def _slacks(p: _Point, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Return the distances from both bounds, above zero even where rounding has eaten them."""
    least = _THIN * np.maximum(np.abs(p.x), _THIN)
    return np.maximum(p.x - lower, least), np.maximum(upper - p.x, least)
