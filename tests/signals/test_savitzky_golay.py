"""Savitzky-Golay: exact on polynomials, to the ends and in short runs; known weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.errors import InputError
from softstride.signals.savitzky_golay import savitzky_golay

RATE = 50.0


@given(
    st.integers(0, 5),
    st.integers(0, 3),
    st.integers(1, 40),
    st.lists(st.floats(-2, 2), min_size=6, max_size=6),
)
def test_exact_on_polynomials(degree, k, n_frames, coefficients):
    """Also where the run (n_frames) is shorter than the window, as long as it carries the polynomial."""
    if k > degree:
        k = degree
    polynomial = np.polynomial.Polynomial(coefficients[: min(degree, n_frames - 1) + 1])
    t = np.arange(n_frames) / RATE
    y = savitzky_golay(polynomial(t), RATE, window=11, degree=degree, derivative=k)
    if n_frames <= k:
        assert np.isnan(y).all()
    else:
        exact = polynomial.deriv(k)(t) if k else polynomial(t)
        # Rounding of the values (1e-15) over h^k = 8e-6, and the conditioning of a fit of degree 5 to 6 points.
        assert np.max(np.abs(y - exact)) < 1e-13 * RATE**k * 100


def test_weights_of_the_paper():
    """Quadratic over five points: smoothing (-3, 12, 17, 12, -3) / 35, slope (-2, -1, 0, 1, 2) / 10."""
    impulse = np.zeros(21)
    impulse[10] = 1.0
    smooth = savitzky_golay(impulse, 1.0, window=5, degree=2)
    assert smooth[8:13] == pytest.approx(np.array([-3, 12, 17, 12, -3]) / 35, abs=1e-14)
    slope = savitzky_golay(impulse, 2.0, window=5, degree=2, derivative=1)
    assert slope[8:13] == pytest.approx(2.0 * np.array([2, 1, 0, -1, -2]) / 10, abs=1e-14)


def test_convergence_on_a_sine():
    """Degree 3, fixed window in samples: the first derivative is of order h^4 inside."""
    errors = []
    for n in (101, 201):
        t = np.linspace(0, 2, n)
        y = savitzky_golay(np.sin(5 * t), (n - 1) / 2, window=7, degree=3, derivative=1)
        errors.append(np.max(np.abs(y - 5 * np.cos(5 * t))[5:-5]))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.1)


def test_gaps_and_shapes():
    x = np.random.default_rng(0).normal(size=(40, 2, 3))
    x[17, 1] = np.nan
    y = savitzky_golay(x, RATE, window=7, degree=2)
    assert np.array_equal(np.isnan(x), np.isnan(y))
    assert y[18:, 1, 2] == pytest.approx(savitzky_golay(x[18:, 1, 2], RATE, window=7, degree=2))


def test_a_lone_sample_keeps_its_value_and_has_no_slope():
    x = [np.nan, 3.0, np.nan]
    assert savitzky_golay(x, RATE, window=5)[1] == pytest.approx(3.0)
    assert np.isnan(savitzky_golay(x, RATE, window=5, derivative=1)).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"window": 4}, "odd"),
        ({"window": 3, "degree": 3}, "above the degree"),
        ({"window": 5.0}, "window"),
        ({"window": 5, "degree": -1}, "degree"),
        ({"window": 5, "degree": 2, "derivative": 3}, "no 3th derivative"),
        ({"window": 5, "derivative": -1}, "derivative"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(InputError, match=words):
        savitzky_golay(np.zeros(10), RATE, **options)
    with pytest.raises(InputError, match="rate"):
        savitzky_golay(np.zeros(10), 0.0, window=5)
