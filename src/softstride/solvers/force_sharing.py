"""Sharing a demand among redundant actors in every frame: what the program consists of, and what a solution says.

    minimise    sum_i  w_i |x_i|^p / p  +  1/2 r_i (x_i - ref_i)²   +   1/2 sum_j (s_j / S_j)²
    subject to  sum_i A_ij x_i + s_j = b_j        for each row j
                lower_i <= x_i <= upper_i

x are activations, or forces, of muscles; a row is a joint coordinate, A_ij the moment of one unit of x_i about it, b_j
the moment to be made, s_j that of a reserve of optimal force S_j. S_j = 0: no reserve, the row is to be met. With
smoothness the frames know each other: 1/2 sum_i c_i sum_k (x_k+1,i - x_k,i)² is added.

The compiled solver of all frames at once is :func:`softstride.engine.force_sharing.share_forces`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

POWERS = (2, 3)


@dataclass(frozen=True, eq=False)
class SharingProblem:
    """Checked arrays of the program, n frames, m unknowns, k rows.

    Attributes:
        matrix: A, shape (n, m, k).
        demand: b, shape (n, k).
        weights: w, shape (1 or n, m).
        power: p, 2 or 3.
        lower: Shape (1 or n, m).
        upper: Shape (1 or n, m).
        pull: r, shape (1 or n, m); zero where there is no reference.
        reference: ref, shape (1 or n, m); zero where there is none.
        reserve: S, shape (k,).
        smoothness: c, shape (m,).
    """

    matrix: Array
    demand: Array
    weights: Array
    power: int
    lower: Array
    upper: Array
    pull: Array
    reference: Array
    reserve: Array
    smoothness: Array

    def part(self, first: int, last: int) -> SharingProblem:
        """Return the program of frames first .. last - 1; nothing is copied."""
        fields = ("matrix", "demand", "weights", "lower", "upper", "pull", "reference")
        cut: dict[str, Any] = {name: _frames(getattr(self, name), first, last) for name in fields}
        return dataclasses.replace(self, **cut)


def _frames(x: Array, first: int, last: int) -> Array:
    return x if len(x) == 1 else x[first:last]


@dataclass(frozen=True, eq=False)
class SharingSolution:
    """Unknowns of all frames, with their certificate.

    Attributes:
        x: Shape (n, m); within the bounds.
        reserve: s, shape (n, k); zero in rows without reserve.
        multipliers: Of the rows, shape (n, k): how much the cost rises with the demand.
        residual: b - A x - s, shape (n, k). In a row without reserve it is what cannot be made.
        stationarity: |x_i - y_i| over the size of x_i, y_i and the bounds, largest of the frame, shape (n,): y_i
            minimises cost_i(y) - y A_i' multipliers within the bounds (with smoothness: its neighbours in time held).
            It is zero if and only if the slope of the Lagrangian vanishes, bound multipliers have the right signs, and
            are zero away from the bounds.
        feasibility: |residual| over the sum of sizes of its terms (and a thousandth of what the row can hold), largest
            of the frame, shape (n,).
        converged: Whether both are within the tolerance, shape (n,).
        iterations: Newton steps, shape (n,): the most of any independent part of the frame.
    """

    x: Array
    reserve: Array
    multipliers: Array
    residual: Array
    stationarity: Array
    feasibility: Array
    converged: Mask
    iterations: NDArray[np.int64]


def check_sharing_problem(
    matrix: ArrayLike,
    demand: ArrayLike,
    weights: ArrayLike = 1.0,
    *,
    power: int = 2,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = 1.0,
    reference: ArrayLike | None = None,
    pull: ArrayLike = 1.0,
    reserve: ArrayLike = 0.0,
    smoothness: ArrayLike = 0.0,
) -> SharingProblem:
    """Return the program as contiguous arrays of the right shape, or say what is wrong."""
    if isinstance(power, bool) or power not in POWERS:
        raise InputError(f"power of the criterion must be 2 or 3, however it is {power!r}")
    wanted = _numbers(demand, "demand")
    if wanted.ndim != 2:
        raise InputError(f"demand must have shape (n_frames, n_rows), however it has {wanted.shape}")
    n, k = wanted.shape
    arms = _numbers(matrix, "matrix")
    if arms.ndim != 3 or arms.shape[0] != n or arms.shape[2] != k:
        raise InputError(
            f"matrix must have shape ({n}, n_unknowns, {k}) to fit demand, however it has {arms.shape}"
        )
    m = arms.shape[1]
    for name, array in (("demand", wanted), ("matrix", arms)):
        _refuse(~np.isfinite(array), f"{name} must be finite", array)
    low, high = (_columns(x, n, m, what) for x, what in ((lower, "lower"), (upper, "upper")))
    _refuse(np.isnan(low) | (low == np.inf), "lower must be a number or -inf", low)
    _refuse(np.isnan(high) | (high == -np.inf), "upper must be a number or inf", high)
    empty = np.broadcast_to(low, (n, m)) > np.broadcast_to(high, (n, m))
    _refuse(empty, "lower must not be above upper", np.broadcast_to(low, (n, m)))
    w = _columns(weights, n, m, "weights")
    _refuse(~((w >= 0.0) & np.isfinite(w)), "weights must be zero or above", w)
    r, ref = _pull(reference, pull, n, m)
    bare = np.broadcast_to(w, (n, m)) + np.broadcast_to(r, (n, m)) <= 0.0
    _refuse(bare, "weights must be above zero where there is no reference", np.broadcast_to(w, (n, m)))
    return SharingProblem(
        arms, wanted, w, int(power), low, high, r, ref, _of_rows(reserve, k), _of_unknowns(smoothness, m)
    )


def _numbers(x: ArrayLike, what: str) -> Array:
    try:
        array = np.asarray(x)
        if not np.iscomplexobj(array):
            return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be made of numbers, however: {error}") from error
    raise InputError(f"{what} must be made of real numbers, however it is complex")


def _refuse(bad: Mask, rule: str, values: Array) -> None:
    if bad.any():
        first = tuple(int(k) for k in np.argwhere(bad)[0])
        where = "frame {}, column {}" if len(first) == 2 else "frame {}, column {}, row {}"
        raise InputError(f"{rule}, however it is {values[first]} in {where.format(*first)}")


def _columns(x: ArrayLike, n: int, m: int, what: str) -> Array:
    given = _numbers(x, what)
    if given.shape not in ((), (m,), (n, m)):
        raise InputError(f"{what} must be one number, ({m},) or {(n, m)}, however its shape is {given.shape}")
    return np.ascontiguousarray(np.broadcast_to(given, (n, m) if given.ndim == 2 else (1, m)))


def _pull(reference: ArrayLike | None, pull: ArrayLike, n: int, m: int) -> tuple[Array, Array]:
    """Return weight and value of the reference, both zero where there is none."""
    if reference is None:
        return np.zeros((1, m)), np.zeros((1, m))
    ref, r = _columns(reference, n, m, "reference"), _columns(pull, n, m, "pull")
    _refuse(~((r >= 0.0) & np.isfinite(r)), "pull must be zero or above", r)
    _refuse(np.isinf(ref), "reference must be finite, or NaN for none", ref)
    known = np.isfinite(ref)
    return np.where(known, r, 0.0), np.where(known, ref, 0.0)


def _of_rows(reserve: ArrayLike, k: int) -> Array:
    given = _numbers(reserve, "reserve")
    if given.shape not in ((), (k,)):
        raise InputError(f"reserve must be one number or ({k},), however its shape is {given.shape}")
    if not (np.isfinite(given).all() and (given >= 0.0).all()):
        raise InputError(f"reserve must be zero (none) or above, however it is {reserve!r}")
    return np.ascontiguousarray(np.broadcast_to(given, (k,)))


def _of_unknowns(smoothness: ArrayLike, m: int) -> Array:
    given = _numbers(smoothness, "smoothness")
    if given.shape not in ((), (m,)):
        raise InputError(f"smoothness must be one number or ({m},), however its shape is {given.shape}")
    if not (np.isfinite(given).all() and (given >= 0.0).all()):
        raise InputError(f"smoothness must be zero or above, however it is {smoothness!r}")
    return np.ascontiguousarray(np.broadcast_to(given, (m,)))


def check_effort(tolerance: float, max_iterations: int) -> None:
    """Refuse a tolerance or a number of steps that cannot be meant."""
    if isinstance(tolerance, bool) or not isinstance(tolerance, Real) or not 0.0 < float(tolerance) < 1.0:
        raise InputError(f"tolerance must lie between 0 and 1, however it is {tolerance!r}")
    if isinstance(max_iterations, bool) or not isinstance(max_iterations, Integral) or max_iterations < 1:
        raise InputError(
            f"max_iterations must be a whole number above zero, however it is {max_iterations!r}"
        )
