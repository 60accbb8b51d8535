"""Activations over a whole trial that make given moments: one convex program, solved by an interior-point method.

    minimise    sum w_i |a_ki|³ / 3  +  σ / 2 sum (a_k+1,i - 2 a_k,i + a_k-1,i)²  +  sum (r_kj / R)² / 2
    subject to  sum_i A_kij a_ki + r_kj = b_kj,          least_ki <= a_ki <= most,
                e_fall,i a_k,i  <=  a_k+1,i  <=  1 - e_rise,i (1 - a_k,i)

over the activations a of frames k and muscles i. The last line is what an excitation between 0 and 1 can do in a frame
(`softstride.digital_athlete.excitation`). The program shares neither criterion nor code with the estimator of muscle
forces. Each step of Mehrotra's method solves one banded system, unknowns and rows of a frame beside each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded
from scipy.sparse import coo_array, csr_array, diags_array, eye_array, vstack

from softstride.errors import SimulationError

Array = NDArray[np.float64]

SMOOTH = 20.0
"""σ: at 12 Hz and 200 frames a second a change of activation costs about as much by its curvature as by its size."""

RESERVE = 3e-3
"""R [N·m]: where muscles can make a moment, some 1e-5 N·m are left to the reserve."""

ENOUGH = 1e-9
"""Complementarity, and what is left of the conditions, at which the program counts as solved."""

MOST_STEPS = 80
REACH = 2
"""Frames on each side that a frame is coupled with."""


@dataclass(frozen=True, eq=False)
class Recruitment:
    """The program of muscles that share coordinates.

    Attributes:
        matrix: A, moment at activation one, shape (n, m, k), [N·m].
        moment: b, moment that is to be made, shape (n, k), [N·m].
        weight: w, shape (m,).
        least: Shape (n, m).
        most: Largest activation.
        rise: e_rise, shape (m,).
        fall: e_fall, shape (m,).
    """

    matrix: Array
    moment: Array
    weight: Array
    least: Array
    most: float
    rise: Array
    fall: Array


class _Program:
    """The same as sparse matrices over all frames: C a + d >= 0, A a + R² y = b."""

    def __init__(self, given: Recruitment) -> None:
        n, m, k = given.matrix.shape
        self.shape = n, m, k
        count = n * m
        here, ahead = eye_array(count - m, count), eye_array(count - m, count, k=m)
        rise, fall = np.tile(given.rise, n - 1), np.tile(given.fall, n - 1)
        limits = [
            eye_array(count),
            -eye_array(count),
            diags_array(rise) @ here - ahead,
            ahead - diags_array(fall) @ here,
        ]
        self.C = csr_array(vstack(limits))
        self.d = np.concatenate(
            [-given.least.ravel(), np.full(count, given.most), 1.0 - rise, np.zeros(count - m)]
        )
        second = csr_array(
            eye_array(count - 2 * m, count)
            - 2.0 * eye_array(count - 2 * m, count, k=m)
            + eye_array(count - 2 * m, count, k=2 * m)
        )
        self.bend = csr_array(SMOOTH * second.T @ second)
        self.weight = np.tile(given.weight, n)
        frame, muscle, row = (x.ravel() for x in np.indices((n, m, k)))
        self.A = csr_array(
            (given.matrix.ravel(), (frame * k + row, frame * m + muscle)), shape=(n * k, count)
        )
        self.b = given.moment.ravel()
        self.place = (np.arange(n)[:, None] * (m + k) + np.arange(m)).ravel()
        self.row_place = (np.arange(n)[:, None] * (m + k) + m + np.arange(k)).ravel()

    def slope(self, a: Array) -> Array:
        """Return the slope of the criterion."""
        return np.asarray(self.weight * a * np.abs(a) + self.bend @ a)

    def bands(self, a: Array, w: Array) -> Array:
        """Return the matrix of a step in LAPACK's banded form, w = z / s."""
        n, m, k = self.shape
        steep = diags_array(2.0 * self.weight * np.abs(a) + 1e-9)
        H, A = coo_array(steep + self.bend + self.C.T @ diags_array(w) @ self.C), coo_array(self.A)
        width = REACH * (m + k)
        bands = np.zeros((2 * width + 1, n * (m + k)))
        for rows, columns, values in (
            (self.place[H.row], self.place[H.col], H.data),
            (self.row_place[A.row], self.place[A.col], A.data),
            (self.place[A.col], self.row_place[A.row], -A.data),
            (self.row_place, self.row_place, np.full(n * k, RESERVE**2)),
        ):
            bands[width + rows - columns, columns] = values
        return bands


@dataclass(eq=False)
class _Point:
    """Activations a, multipliers of the rows y, of the inequalities z, and their slacks s."""

    a: Array
    y: Array
    z: Array
    s: Array

    def moved(self, share: float, by: _Point) -> _Point:
        return _Point(*(getattr(self, name) + share * getattr(by, name) for name in ("a", "y", "z", "s")))


def recruit(given: Recruitment) -> Array:
    """Return the activations, shape (n, m).

    Raises:
        SimulationError: No solution was found: the moments are far beyond the muscles.
    """
    program = _Program(given)
    n, m, k = program.shape
    a = np.full(n * m, 0.3)
    point = _Point(
        a, np.zeros(n * k), np.full(len(program.d), 0.1), np.maximum(program.C @ a + program.d, 0.05)
    )
    for _ in range(MOST_STEPS):
        slope = program.slope(point.a) - program.A.T @ point.y - program.C.T @ point.z
        left = program.b - program.A @ point.a - RESERVE**2 * point.y
        off = program.C @ point.a + program.d - point.s
        gap, size = float(np.mean(point.s * point.z)), max(1.0, float(point.z.max()))
        worst = max(
            float(np.abs(slope).max()) / size,
            float(np.abs(left).max()) / float(np.abs(program.b).max()),
            float(np.abs(off).max()),
        )
        if gap < ENOUGH * size and worst < ENOUGH:
            return point.a.reshape(n, m)
        bands = program.bands(point.a, point.z / point.s)
        ahead = _step(program, point, bands, (slope, left, off), -point.s * point.z)
        tried = point.moved(_reach(point, ahead), ahead)
        aim = max(gap * (float(np.mean(tried.s * tried.z)) / gap) ** 3, 0.1 * ENOUGH)
        step = _step(program, point, bands, (slope, left, off), aim - point.s * point.z - ahead.s * ahead.z)
        point = point.moved(0.995 * _reach(point, step), step)
    raise SimulationError(
        f"no activations were found that make the moments: after {MOST_STEPS} steps a gap of {gap:.2g} and "
        f"{worst:.2g} of the conditions are left"
    )


def _step(
    program: _Program, p: _Point, bands: Array, residuals: tuple[Array, Array, Array], centre: Array
) -> _Point:
    """Return the changes that let the residuals vanish, and s z change by `centre`."""
    slope, left, off = residuals
    right = np.zeros(bands.shape[1])
    right[program.place] = -slope + program.C.T @ ((centre - p.z * off) / p.s)
    right[program.row_place] = left
    width = (bands.shape[0] - 1) // 2
    found = solve_banded((width, width), bands, right, check_finite=False)
    a = found[program.place]
    s = program.C @ a + off
    return _Point(a, found[program.row_place], (centre - p.z * s) / p.s, s)


def _reach(p: _Point, by: _Point) -> float:
    """Return the largest share of a change, at most one, that keeps slacks and multipliers above zero."""
    shares = [
        float((-value[change < 0.0] / change[change < 0.0]).min(initial=np.inf))
        for value, change in ((p.s, by.s), (p.z, by.z))
    ]
    return min(1.0, *shares)


__all__ = ["Recruitment", "recruit"]
