"""The functions against OpenSim's own, on random knots and on those of real models."""

from xml.etree import ElementTree

import numpy as np
import pytest

from softstride.model import Constant, Linear, PiecewiseLinear, Polynomial, Scaled, SimmSpline

osim = pytest.importorskip("opensim")

ROUNDING = 1e-13
"""Relative to the largest value: both sides do the same arithmetic in a different order."""


def evaluate(function, x):
    """Return value, first and second derivative of an OpenSim function, shape (n, 3)."""
    first, second = osim.StdVectorInt(1, 0), osim.StdVectorInt(2, 0)
    rows = []
    for value in x:
        at = osim.Vector(1, float(value))
        rows.append(
            [function.calcValue(at), function.calcDerivative(first, at), function.calcDerivative(second, at)]
        )
    return np.array(rows)


def ours(function, x):
    return np.stack([function(x, k) for k in range(3)], axis=1)


def with_points(kind, x, y):
    function = kind()
    for a, b in zip(x, y, strict=True):
        function.addPoint(float(a), float(b))
    return function


def random_knots(rng, n):
    return np.cumsum(rng.uniform(0.02, 1.0, n)) - 2.0, rng.normal(size=n)


def assert_same(mine, theirs, x):
    expected = evaluate(theirs, x)
    size = 1 + np.abs(expected).max(axis=0)
    np.testing.assert_allclose(ours(mine, x) / size, expected / size, atol=ROUNDING)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7, 12, 25])
def test_simm_spline(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        x, y = random_knots(rng, n)
        at = np.concatenate([rng.uniform(x[0] - 1, x[-1] + 1, 40), x])  # outside and on the knots too
        assert_same(SimmSpline(x, y), with_points(osim.SimmSpline, x, y), at)


@pytest.mark.parametrize("n", [2, 3, 4, 12])
def test_piecewise_linear(n):
    """Everywhere but on inner knots, where OpenSim takes one side or the other for the slope."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        x, y = random_knots(rng, n)
        at = np.concatenate([rng.uniform(x[0] - 1, x[-1] + 1, 40), x[[0, -1]]])
        assert_same(PiecewiseLinear(x, y), with_points(osim.PiecewiseLinearFunction, x, y), at)
        knots = with_points(osim.PiecewiseLinearFunction, x, y)
        np.testing.assert_allclose(PiecewiseLinear(x, y)(x), evaluate(knots, x)[:, 0], atol=ROUNDING)


def test_polynomial_is_stored_the_other_way_round():
    descending = np.array([1.0, -2.0, 3.0, 4.0])
    theirs = osim.PolynomialFunction(osim.Vector.createFromMat(descending))
    assert_same(Polynomial(descending[::-1]), theirs, np.linspace(-2, 2, 9))
    assert theirs.calcValue(osim.Vector(1, 0.0)) == 4.0


def test_linear_and_constant():
    x = np.linspace(-2, 2, 5)
    assert_same(Linear(2.0, 3.0), osim.LinearFunction(2.0, 3.0), x)
    assert osim.Constant(1.5).calcValue(osim.Vector(1, 0.7)) == Constant(1.5)(0.7)


def test_multiplier():
    x, y = random_knots(np.random.default_rng(0), 5)
    inner = with_points(osim.SimmSpline, x, y)
    inner.this.disown()  # the multiplier owns it from here on
    assert_same(Scaled(SimmSpline(x, y), 1.7), osim.MultiplierFunction(inner, 1.7), np.linspace(-3, 3, 21))


def splines(folder):
    """Yield (file name, x, y) of every SimmSpline in the readable .osim files below a folder."""
    for path in sorted(folder.rglob("*.osim")):
        try:
            root = ElementTree.parse(path).getroot()
        except ElementTree.ParseError:
            continue
        for element in root.iter("SimmSpline"):
            x, y = (np.array((element.findtext(tag) or "").split(), dtype=float) for tag in ("x", "y"))
            if len(x) > 1:
                yield path.name, x, y


@pytest.mark.slow
def test_splines_of_real_models(shared_data):
    """Knees, patellae and moving muscle points: value and derivatives, in the range and beyond it."""
    count = 0
    for _, x, y in splines(shared_data):
        at = np.concatenate([np.linspace(x[0] - 1, x[-1] + 1, 23), x])
        assert_same(SimmSpline(x, y), with_points(osim.SimmSpline, x, y), at)
        count += 1
    assert count > 100
