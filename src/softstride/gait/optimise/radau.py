"""Radau IIA: implicit Runge-Kutta steps whose last stage is the end of the step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial import Legendre, Polynomial
from numpy.typing import NDArray

from softstride.errors import InputError

Floats = NDArray[np.float64]

MOST_STAGES = 7


class Tableau(NamedTuple):
    """A method of s stages, order 2 s − 1.

    Attributes:
        c: Stages as fractions of a step, shape (s,); the last is 1.
        a: Integrals from 0 to c_k of the polynomials that are 1 at one stage and 0 at the others, shape (s, s).
        b: Weights of the whole step, shape (s,); the last row of `a`.
    """

    c: Floats
    a: Floats
    b: Floats


def radau_iia(stages: int) -> Tableau:
    """Return the method of so many stages.

    Stages are the zeros of P_s(2c − 1) − P_{s−1}(2c − 1), P_s the polynomial of Legendre; with Lagrange polynomials l_j
    through them, a_kj = ∫_0^{c_k} l_j. Source: [Hairer1996], section IV.5.

    Raises:
        InputError: Fewer than two stages, or so many that rounding spoils the coefficients.
    """
    if not 2 <= stages <= MOST_STAGES:
        raise InputError(
            f"Radau IIA is offered with 2 to {MOST_STAGES} stages, however {stages} were asked for"
        )
    zeros = (Legendre.basis(stages) - Legendre.basis(stages - 1)).roots()
    c = np.append(np.sort((1.0 + np.real(zeros)) / 2.0)[:-1], 1.0)
    a = np.empty((stages, stages))
    for j in range(stages):
        others = np.delete(c, j)
        lagrange = Polynomial.fromroots(others) / np.prod(c[j] - others)
        a[:, j] = lagrange.integ()(c)
    return Tableau(c, a, a[-1].copy())
