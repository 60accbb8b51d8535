"""A quadratic program over friction cones in every frame: what it consists of, checked, and what a solution says.

    minimise    sum_t  1/2 x_t' H_t x_t + g_t' x_t  +  1/2 sum_t | L^(1/2) (D S x)_t |²
    subject to  |(x_1, x_2)| <= mu x_0    for each point, its normal component x_0 first

S sums the points of each group (each foot), D takes first or second differences in time, L is diagonal.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError

Array = NDArray[np.float64]

LEAST_FACETS = 4
_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class ConeSolution:
    """Loads of all points in all frames, with their certificate.

    Attributes:
        x: Solution, shape (n, 3 c); every point lies in its cone, points switched off are zero.
        converged: Whether the residual is within the tolerance, shape (n,).
        iterations: Newton steps, shape (n,).
        residual: |x - P(x - s)|, shape (n,): s the slope H x + g (with that of the temporal term), P the projection
            onto the cones, largest component, over the largest of x in the frame (with a temporal term: in the trial);
            each point in units in which its block of H has a mean diagonal of one and its cone is a right angle.
    """

    x: Array
    converged: NDArray[np.bool_]
    iterations: NDArray[np.int64]
    residual: Array


@dataclass(frozen=True, eq=False)
class ConeProblem:
    """Checked arrays of the program.

    Attributes:
        H: Shape (n, 3 c, 3 c).
        g: Shape (n, 3 c).
        friction: Shape (1 or n, c).
        groups: Group of each point, 0 .. n_groups - 1, shape (c,).
        smoothness: Diagonal of L, shape (3 n_groups,); all zero: frames do not know each other.
        order: Order of the differences, 1 or 2.
        facets: None for second-order cones, else the number of sides of the pyramid within them.
        mask: Which points may carry load, shape (1 or n, c).
        start: Where to begin, shape (n, 3 c), or None.
    """

    H: Array
    g: Array
    friction: Array
    groups: NDArray[np.int64]
    smoothness: Array
    order: int
    facets: int | None
    mask: NDArray[np.bool_]
    start: Array | None

    def part(self, first: int, last: int) -> ConeProblem:
        """Return the program of frames first .. last - 1; nothing is copied."""
        frames = slice(first, last)
        return dataclasses.replace(
            self,
            H=self.H[frames],
            g=self.g[frames],
            friction=self.friction if len(self.friction) == 1 else self.friction[frames],
            mask=self.mask if len(self.mask) == 1 else self.mask[frames],
            start=None if self.start is None else self.start[frames],
        )


def check_cone_problem(
    H: ArrayLike,
    g: ArrayLike,
    friction: ArrayLike,
    groups: ArrayLike | None = None,
    smoothness: ArrayLike = 0.0,
    order: int = 2,
    facets: int | None = None,
    mask: ArrayLike | None = None,
    start: ArrayLike | None = None,
) -> ConeProblem:
    """Return the program as contiguous arrays of the right shape, or say what is wrong.

    Whether H is finite, symmetric and positive definite is left to the solver, which looks at it anyway.
    """
    slopes = _numbers(g, "g")
    if slopes.ndim != 2 or slopes.shape[1] % 3 or slopes.shape[1] == 0:
        raise InputError(f"g must have shape (n_frames, 3 points), however it has {slopes.shape}")
    n, width = slopes.shape
    c = width // 3
    matrices = _numbers(H, "H")
    if matrices.shape != (n, width, width):
        raise InputError(f"H must have shape {(n, width, width)} to fit g, however it has {matrices.shape}")
    _refuse(~np.isfinite(slopes), "g must be finite", slopes)
    belongs = _groups(groups, c)
    return ConeProblem(
        matrices,
        slopes,
        _friction(friction, n, c),
        belongs,
        _smoothness(smoothness, 3 * (int(belongs.max()) + 1)),
        _order(order),
        _facets(facets),
        _mask(mask, n, c),
        _start(start, n, width),
    )


def _numbers(x: ArrayLike, what: str) -> Array:
    try:
        array = np.asarray(x)
        if not np.iscomplexobj(array):
            return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be made of numbers, however: {error}") from error
    raise InputError(f"{what} must be made of real numbers, however it is complex")


def _refuse(bad: NDArray[np.bool_], rule: str, values: Array) -> None:
    if bad.any():
        first = tuple(int(k) for k in np.argwhere(bad)[0])
        raise InputError(f"{rule}, however it is {values[first]} in frame {first[0]}, column {first[1]}")


def _friction(friction: ArrayLike, n: int, c: int) -> Array:
    given = _numbers(friction, "friction")
    if given.shape not in ((), (c,), (n, c)):
        raise InputError(
            f"friction must be one number, ({c},) or {(n, c)}, however its shape is {given.shape}"
        )
    rows = np.ascontiguousarray(np.broadcast_to(given, (n, c) if given.ndim == 2 else (1, c)))
    _refuse(~((rows >= 0.0) & np.isfinite(rows)), "friction must be zero or above", rows)
    return rows


def _groups(groups: ArrayLike | None, c: int) -> NDArray[np.int64]:
    if groups is None:
        return np.zeros(c, dtype=np.int64)
    given = np.asarray(groups)
    if given.shape != (c,) or given.dtype.kind not in "iu" or given.min() < 0:
        raise InputError(
            f"groups must name the group of each of {c} points by whole numbers from 0, however: {groups!r}"
        )
    return np.ascontiguousarray(given, dtype=np.int64)


def _smoothness(smoothness: ArrayLike, width: int) -> Array:
    given = _numbers(smoothness, "smoothness")
    if given.shape not in ((), (width,)):
        raise InputError(f"smoothness must be one number or ({width},), however its shape is {given.shape}")
    if not (np.isfinite(given).all() and (given >= 0.0).all()):
        raise InputError(f"smoothness must be zero or above, however it is {smoothness!r}")
    return np.ascontiguousarray(np.broadcast_to(given, (width,)))


def _order(order: int) -> int:
    if isinstance(order, bool) or order not in (1, 2):
        raise InputError(f"order of the differences in time must be 1 or 2, however it is {order!r}")
    return int(order)


def _facets(facets: int | None) -> int | None:
    if facets is None:
        return None
    if isinstance(facets, bool) or not isinstance(facets, Integral) or facets < LEAST_FACETS:
        raise InputError(
            f"facets must be a whole number from {LEAST_FACETS} on, or None for true cones, however it is {facets!r}"
        )
    return int(facets)


def _mask(mask: ArrayLike | None, n: int, c: int) -> NDArray[np.bool_]:
    if mask is None:
        return np.ones((1, c), dtype=np.bool_)
    given = np.asarray(mask)
    if given.shape not in ((c,), (n, c)) or given.dtype != np.bool_:
        raise InputError(
            f"mask must be true or false for {c} points, shape {(n, c)}, however: {given.dtype}, {given.shape}"
        )
    return np.ascontiguousarray(given.reshape(-1, c))


def _start(start: ArrayLike | None, n: int, width: int) -> Array | None:
    if start is None:
        return None
    given = _numbers(start, "start")
    if given.shape != (n, width):
        raise InputError(f"start must have the shape of g, {(n, width)}, however it has {given.shape}")
    _refuse(~np.isfinite(given), "start must be finite", given)
    return given


def check_tolerance(tolerance: float, max_iterations: int) -> None:
    """Refuse a tolerance or a number of steps that cannot be meant."""
    if isinstance(tolerance, bool) or not isinstance(tolerance, Real) or not 0.0 < float(tolerance) < 1.0:
        raise InputError(f"tolerance must lie between 0 and 1, however it is {tolerance!r}")
    if isinstance(max_iterations, bool) or not isinstance(max_iterations, Integral) or max_iterations < 1:
        raise InputError(
            f"max_iterations must be a whole number above zero, however it is {max_iterations!r}"
        )


def put_inside(x: Array, problem: ConeProblem) -> None:
    """Take off in place what rounding has left outside the cones, a few units in the last place."""
    points = x.reshape(len(x), x.shape[1] // 3, 3)
    np.maximum(points[..., 0], 0.0, out=points[..., 0])
    limit = problem.friction * points[..., 0]
    if problem.facets is None:
        size = np.sqrt(points[..., 1] ** 2 + points[..., 2] ** 2)
    else:
        limit *= np.cos(np.pi / problem.facets)
        size = np.zeros_like(limit)
        for direction in facet_directions(problem.facets):
            np.maximum(size, points[..., 1:] @ direction, out=size)
    outside = size > limit * (1.0 - _ROUNDING)
    if outside.any():
        share = limit[outside] * (1.0 - _ROUNDING) / size[outside]
        points[outside, 1:] *= share[:, None]


def facet_directions(facets: int) -> Array:
    """Return the outward directions of the sides of the pyramid in the tangential plane, shape (facets, 2)."""
    angles = (2 * np.arange(facets) + 1) * np.pi / facets
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)
