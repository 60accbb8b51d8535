"""Functions of a coordinate: closed forms, derivatives, pieces and guards."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline, PPoly

from softstride.errors import ModelError
from softstride.model import (
    Constant,
    Function,
    Linear,
    Pieces,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    SimmSpline,
)


@st.composite
def knots(draw, least=2):
    """Return x (n,) increasing and y (n,)."""
    n = draw(st.integers(least, 12))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return np.cumsum(rng.uniform(0.02, 1.0, n)) - 2.0, rng.normal(size=n)


SAMPLES = [
    Constant(1.5),
    Linear(2.0, -1.0),
    Polynomial([1.0, -2.0, 0.5, 0.25, 0.1, -0.05, 0.01]),
    PiecewiseLinear([-1, 0.3, 2], [1, -1, 4]),
    SimmSpline([-1, 0.3, 1.1, 2], [1, -1, 0, 4]),
    Scaled(SimmSpline([-1, 0.3, 2], [1, -1, 4]), -2.5),
]


@pytest.mark.parametrize("function", SAMPLES, ids=lambda f: type(f).__name__)
def test_every_kind_is_a_function_of_any_shape(function):
    assert isinstance(function, Function)
    x = np.linspace(-2, 3, 12).reshape(3, 4)
    for derivative in range(4):
        assert function(x, derivative).shape == (3, 4)
        assert function(x, derivative)[1, 2] == function(x[1, 2], derivative)
    assert np.ndim(function(0.1)) == 0


@pytest.mark.parametrize("function", SAMPLES, ids=lambda f: type(f).__name__)
def test_derivatives_are_differences(function):
    x, h = np.linspace(-1.97, 2.93, 41), 1e-5  # no knot within h
    for derivative in range(3):
        difference = (function(x + h, derivative) - function(x - h, derivative)) / (2 * h)
        np.testing.assert_allclose(function(x, derivative + 1), difference, atol=2e-7)


@pytest.mark.parametrize("function", SAMPLES, ids=lambda f: type(f).__name__)
def test_pieces_are_the_function(function):
    """The documented rule, written out: piece i covers breaks[i-1] <= x < breaks[i]."""
    pieces = function.pieces()
    assert pieces.coefficients.shape[0] == len(pieces.origins) == len(pieces.breaks) + 1
    assert np.all(np.diff(pieces.breaks) > 0)
    for x in np.concatenate([np.linspace(-3, 4, 29), pieces.breaks]):
        i = int(sum(x >= pieces.breaks))
        value = sum(c * (x - pieces.origins[i]) ** k for k, c in enumerate(pieces.coefficients[i]))
        assert function(x) == pytest.approx(value, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("function", SAMPLES, ids=lambda f: type(f).__name__)
def test_nan_stays_nan(function):
    assert np.isnan(function([0.0, np.nan])).tolist() == [False, True]


def test_closed_forms():
    assert Constant(3.0)(7.0) == 3.0 and Constant(3.0)(7.0, 1) == 0.0
    assert Linear(2.0, 1.0)(3.0) == 7.0 and Linear(2.0, 1.0)(3.0, 1) == 2.0 and Linear()(0.25) == 0.25
    assert Polynomial([1, 2, 3])(2.0) == 17.0 and Polynomial([1, 2, 3])(2.0, 2) == 6.0
    assert Scaled(Linear(2.0), 3.0)(1.0) == 6.0
    broken = PiecewiseLinear([0, 1, 3], [0, 2, -1])
    np.testing.assert_allclose(broken([-1, 0, 0.5, 1, 2, 3, 5]), [-2, 0, 1, 2, 0.5, -1, -4], atol=1e-15)
    np.testing.assert_allclose(broken([-1, 0.5, 1, 5], 1), [2, 2, -1.5, -1.5])


@given(knots())
def test_interpolates_its_points(points):
    for kind in (PiecewiseLinear, SimmSpline):
        np.testing.assert_allclose(kind(*points)(points[0]), points[1], atol=1e-12)


@given(knots(least=3))
def test_spline_is_twice_continuous_inside_and_once_at_the_ends(points):
    f = SimmSpline(*points)
    p = f.pieces()
    curve = PPoly(p.coefficients[1:-1].T[::-1], points[0])
    inner = points[0][1:-1]
    for derivative in range(3):
        left = [
            PPoly(p.coefficients[i + 1][:, None][::-1], [0, 1])(x - points[0][i], derivative)
            for i, x in enumerate(inner)
        ]
        scale = 1 + np.max(np.abs(curve(points[0], derivative)))
        np.testing.assert_allclose(curve(inner, derivative), left, atol=1e-9 * scale)
    x0, xn = points[0][[0, -1]]
    np.testing.assert_allclose(f([x0 - 1, xn + 1], 1), f([x0, xn], 1), rtol=1e-12)
    np.testing.assert_array_equal(f([x0 - 1, xn + 1], 2), [0, 0])


@given(knots(least=4))
def test_spline_ends_have_the_third_derivative_of_the_end_cubic(points):
    x, y = points
    f = SimmSpline(x, y)
    for ends, at in ((slice(0, 4), (x[0] + x[1]) / 2), (slice(-4, None), (x[-2] + x[-1]) / 2)):
        cubic = np.polyfit(x[ends] - at, y[ends], 3)
        assert f(at, 3) == pytest.approx(6 * cubic[0], rel=1e-6, abs=1e-6)


@given(st.lists(st.floats(-3, 3), min_size=4, max_size=4), knots(least=4))
def test_spline_reproduces_cubics(coefficients, points):
    cubic = Polynomial(coefficients)
    x = points[0]
    np.testing.assert_allclose(
        SimmSpline(x, cubic(x))(np.linspace(x[0], x[-1], 30)), cubic(np.linspace(x[0], x[-1], 30)), atol=1e-8
    )


def test_spline_of_two_and_three_points_is_line_and_parabola():
    np.testing.assert_allclose(SimmSpline([0, 2], [1, 5])([-1, 1, 3]), [-1, 3, 7], atol=1e-15)
    parabola = SimmSpline([0, 1, 3], [0, 1, 9])
    np.testing.assert_allclose(parabola([0.5, 2.0]), [0.25, 4.0], atol=1e-14)
    assert parabola(4.0) == pytest.approx(9 + 6)  # a line beyond the end


def test_spline_is_not_natural():
    x, y = np.array([0.0, 1, 2, 3, 4]), np.array([0.0, 1, 0, 1, 0])
    natural = CubicSpline(x, y, bc_type="natural")
    assert abs(SimmSpline(x, y)(0.0, 2) - natural(0.0, 2)) > 1.0


def test_second_derivative_at_the_last_knot_is_that_of_the_cubic():
    f = SimmSpline([0, 1, 3], [0, 1, 9])
    np.testing.assert_allclose(f([0.0, 3.0], 2), [2.0, 2.0], rtol=1e-12)
    assert f(3.0 + 1e-9, 2) == 0.0


@pytest.mark.parametrize("kind", [PiecewiseLinear, SimmSpline])
@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([0.0], [1.0], "two or more points"),
        ([0, 1], [1], "as many x as y"),
        ([[0, 1]], [[0, 1]], "two or more points"),
        ([0, 0], [1, 2], r"must increase, however x\[0\] = 0 and x\[1\] = 0"),
        ([0, 2, 1], [1, 2, 3], r"x\[1\] = 2 and x\[2\] = 1"),
        ([0, math.nan], [1, 2], "must be finite"),
        ([0, 1], [1, math.inf], "must be finite"),
        ([0, 1], ["a", "b"], "numbers"),
        ([0, 1e-300], [-1e300, 1e300], "coefficients of a piecewise polynomial must be finite"),
    ],
)
def test_points_are_guarded(kind, x, y, message):
    with pytest.raises(ModelError, match=message):
        kind(x, y)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constant(math.nan), "value of Constant"),
        (lambda: Linear(math.inf), "slope of Linear"),
        (lambda: Linear(1.0, None), "intercept of Linear"),
        (lambda: Polynomial([]), "coefficients of Polynomial"),
        (lambda: Polynomial([[1, 2]]), "coefficients of Polynomial"),
        (lambda: Polynomial([1, math.nan]), "must be finite"),
        (lambda: Scaled(3.0, 1.0), "function of Scaled"),
        (lambda: Scaled(Linear, 1.0), "function of Scaled"),
        (lambda: Scaled(Linear(), math.nan), "factor of Scaled"),
        (lambda: Scaled(Linear(1e300), 1e300), "must be finite"),
        (lambda: Linear()(0.0, -1), "derivative must be 0 or more"),
        (lambda: Pieces([0.0], [0.0], [[1.0]]), "m - 1 breaks"),
        (lambda: Pieces([], [0.0], [1.0]), "m - 1 breaks"),
    ],
)
def test_guards(make, message):
    with pytest.raises(ModelError, match=message):
        make()
