"""Derivatives against closed forms, with the measured order of convergence."""

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.signals.derivatives import derivative
from softstride.signals.smoothing_spline import fit_spline


def sine_errors(k, method, sizes=(41, 81), **options):
    """Largest errors of the k-th derivative of sin(3t + 0.4), inside and at the ends."""
    inside, ends = [], []
    for n in sizes:
        t = np.linspace(0.0, 2.0, n)
        x = 3.0**k * np.sin(3 * t + 0.4 + k * np.pi / 2)
        error = np.abs(derivative(t, np.sin(3 * t + 0.4), k, method, **options) - x)
        inside.append(np.max(error[n // 4 : -n // 4]))
        ends.append(max(error[0], error[-1]))
    return [np.log2(e[0] / e[1]) for e in (inside, ends)] + [inside[-1]]


@pytest.mark.parametrize(
    ("k", "inside", "ends"), [(1, 6.0, 5.0), (2, 4.0, 4.0), (3, 4.0, 3.0), (4, 2.0, 2.0)]
)
def test_quintic_spline_converges(k, inside, ends):
    """h^(6-k) or better: at the samples, odd derivatives of a quintic gain an order inside."""
    order_inside, order_ends, error = sine_errors(k, "spline")
    assert order_inside > inside - 0.3 and order_ends > ends - 0.5
    assert error < 3.0**k * 10.0 ** (k - 7)


@pytest.mark.parametrize("k", [1, 2])
def test_central_differences_converge_with_the_second_order(k):
    order_inside, order_ends, _ = sine_errors(k, "central", sizes=(201, 401))
    assert order_inside == pytest.approx(2.0, abs=0.05) and order_ends == pytest.approx(2.0, abs=0.1)


def test_savgol_converges_with_the_fourth_order():
    order_inside, order_ends, _ = sine_errors(1, "savgol", window=5, degree=4)
    assert order_inside == pytest.approx(4.0, abs=0.1) and order_ends == pytest.approx(4.0, abs=0.2)


def test_central_differences_by_hand():
    x = np.array([1.0, 4.0, 2.0, 7.0])
    assert derivative(10.0, x, 1, "central") == pytest.approx([55.0, 5.0, 15.0, 85.0])
    assert derivative(10.0, x, 2, "central") == pytest.approx([-1700.0, -500.0, 700.0, 1900.0])


@pytest.mark.parametrize(("method", "degree"), [("spline", 5), ("central", 2)])
def test_exact_on_polynomials_with_uneven_instants(method, degree):
    t = np.cumsum(np.random.default_rng(0).uniform(0.5, 1.5, 30)) / 10
    polynomial = np.polynomial.Polynomial([1.0, -2.0, 0.5, 0.3, -0.1, 0.02][: degree + 1])
    for k in (1, 2):
        assert derivative(t, polynomial(t), k, method) == pytest.approx(polynomial.deriv(k)(t), abs=1e-8)


def test_smoothing_options_reach_the_spline():
    t = np.arange(200) / 100.0
    x = np.sin(5 * t) + 0.01 * np.random.default_rng(1).normal(size=200)
    assert np.array_equal(derivative(t, x, 2, cutoff=6.0), fit_spline(t, x, cutoff=6.0)(t, 2))
    smooth, rough = derivative(t, x, 2, smoothing="gcv"), derivative(t, x, 2)
    exact = -25 * np.sin(5 * t)
    assert np.std((smooth - exact)[20:-20]) < 2.0 < 50.0 < np.std((rough - exact)[20:-20])


@pytest.mark.parametrize(("method", "options"), [("spline", {}), ("central", {}), ("savgol", {"window": 5})])
def test_gaps_and_shapes(method, options):
    x = np.random.default_rng(2).normal(size=(30, 2, 3))
    x[10, 0] = np.nan
    x[12:, 0, 2] = np.nan  # leaves a lone sample, which has no slope
    v = derivative(100.0, x, 1, method, **options)
    expected = np.isnan(x)
    expected[11, 0, 2] = True
    assert np.array_equal(np.isnan(v), expected)
    assert v[11:, 0, 1] == pytest.approx(derivative(100.0, x[11:, 0, 1], 1, method, **options))
    assert v[:10, 0, 1] == pytest.approx(
        derivative(np.arange(10) / 100.0, x[:10, 0, 1], 1, method, **options)
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_short_runs(n):
    """n samples carry a polynomial of degree n - 1 and derivatives below n."""
    t = np.arange(n) / 10.0
    for k in (1, 2):
        found = derivative(t, t ** (n - 1), k)
        polynomial = np.polynomial.Polynomial.basis(n - 1).deriv(k)
        assert np.isnan(found).all() if n <= k else found == pytest.approx(polynomial(t), abs=1e-9)
        if n in (1, 2, 3):
            assert np.isnan(derivative(t, t, k, "central")).all() == (n <= k)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((0.0, 1, "spline"), {}, "rate"),
        ((np.nan, 1, "spline"), {}, "rate"),
        ((100.0, 0, "spline"), {}, "order"),
        ((100.0, 6, "spline"), {}, "no derivative of order 6"),
        ((100.0, 3, "central"), {}, "no derivative of order 3"),
        ((100.0, 1, "central"), {"cutoff": 6.0}, "takes no options"),
        ((100.0, 1, "savgol"), {}, "needs window"),
        ((100.0, 1, "fft"), {}, "method must be"),
        ((np.arange(20.0) ** 2, 1, "savgol"), {"window": 5}, "evenly spaced"),
        ((np.arange(19.0), 1, "spline"), {}, "shape"),
    ],
)
def test_refusals(arguments, options, words):
    with pytest.raises(InputError, match=words):
        derivative(arguments[0], np.zeros(20), *arguments[1:], **options)


def test_savgol_accepts_rounded_times():
    """600 Hz written with four decimals: instants off by 3 % of the interval, the rate by less than 1e-3."""
    exact = np.arange(50) / 600.0
    found = derivative(np.round(exact, 4), 2.0 * exact, 1, "savgol", window=5)
    assert found == pytest.approx(2.0 * np.ones(50), rel=1e-3)
    with pytest.raises(InputError, match="one instant"):
        derivative([0.0], [1.0], 1, "savgol", window=5)
