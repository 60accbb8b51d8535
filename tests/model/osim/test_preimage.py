"""Ranges of a coordinate, carried over to the coordinate that drives it."""

import math

import numpy as np
import pytest

from softstride.model import Constant, Linear, PiecewiseLinear, Polynomial, SimmSpline
from softstride.model.formats.osim.preimage import preimage

ROOT = 1e-12  # of roots of polynomials up to degree three


@pytest.mark.parametrize(
    ("function", "lower", "upper", "expected"),
    [
        (Linear(2.0, 1.0), 0.0, 3.0, [(-0.5, 1.0)]),
        (Linear(-0.5), -1.0, 2.0, [(-4.0, 2.0)]),
        (Linear(1.0), -math.inf, 2.0, [(-math.inf, 2.0)]),
        (Polynomial(np.array([0.0, 0.0, 1.0])), 1.0, 4.0, [(-2.0, -1.0), (1.0, 2.0)]),
        (Polynomial(np.array([0.0, 0.0, 1.0])), -1.0, 4.0, [(-2.0, 2.0)]),
        (Polynomial(np.array([0.0, 0.0, 1.0])), -2.0, -1.0, []),
        (Constant(0.3), 0.0, 1.0, [(-math.inf, math.inf)]),
        (Constant(0.3), 1.0, 2.0, []),
        (PiecewiseLinear(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 3.0])), 0.5, 2.0, [(0.5, 1.5)]),
    ],
)
def test_by_hand(function, lower, upper, expected):
    found = preimage(function, lower, upper)
    assert len(found) == len(expected)
    for ours, by_hand in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, by_hand, rtol=0, atol=ROOT)


def test_of_a_spline():
    """Inside the interval the spline is within its bounds, outside it is not."""
    x = np.linspace(-2.0, 2.0, 9)
    spline = SimmSpline(x, np.sinh(x))
    ((a, b),) = preimage(spline, -0.7, 1.9)
    np.testing.assert_allclose(spline(np.array([a, b])), [-0.7, 1.9], rtol=0, atol=1e-12)
    inside = spline(np.linspace(a + 1e-9, b - 1e-9, 200))
    assert np.all((inside > -0.7) & (inside < 1.9))
    assert float(spline(a - 1e-6)) < -0.7
    assert float(spline(b + 1e-6)) > 1.9
