"""Smoothing splines against scipy (cubic), dense algebra (any degree), limits, and closed-form gains."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline, make_smoothing_spline
from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.signals.smoothing_spline import fit_spline


def noisy(n=80, seed=0, even=False):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 3, n) if even else np.sort(rng.uniform(0, 3, n))
    return t, np.sin(4 * t) + 0.1 * rng.normal(size=n)


def dense_hat(t, m, p, w=None):
    """The hat matrix from the definition: all splines of degree 2m - 1 on the instants, the penalty by quadrature.

    Beyond its first and last instant the minimiser costs nothing, so splines without end conditions have the same
    minimum as natural ones.
    """
    k, n = 2 * m - 1, len(t)
    w = np.ones(n) if w is None else w
    knots = np.concatenate([[t[0]] * k, t, [t[-1]] * k])
    basis = BSpline(knots, np.eye(n + k - 1), k)
    nodes, shares = np.polynomial.legendre.leggauss(m + 2)
    width = np.diff(t)
    points = (t[:-1, None] + width[:, None] * (nodes + 1) / 2).ravel()
    bend = basis(points, m) * np.sqrt((width[:, None] * shares / 2).ravel())[:, None]
    N = basis(t)
    # One stacked least-squares problem: its condition is the root of that of the normal equations.
    rows = np.vstack([np.sqrt(w)[:, None] * N, np.sqrt(p) * bend])
    right = np.vstack([np.diag(np.sqrt(w)), np.zeros((len(bend), n))])
    return N @ np.linalg.lstsq(rows, right, rcond=None)[0]


@pytest.mark.parametrize("lam", [1e-8, 1e-5, 1e-3, 1.0])
@pytest.mark.parametrize("even", [True, False])
def test_cubic_equals_scipy(lam, even):
    """The same minimum by other algebra; the second derivative loses the square of the spacing (1e-3)."""
    t, y = noisy(even=even)
    theirs, ours = make_smoothing_spline(t, y, lam=lam), fit_spline(t, y, half_order=2, smoothing=lam)
    between = np.linspace(t[0], t[-1], 333)
    assert ours(between) == pytest.approx(theirs(between), abs=1e-9)
    assert ours(between, 2) == pytest.approx(theirs(between, 2), abs=1e-6)
    assert ours.smoothing == pytest.approx(lam)


def test_cubic_weights_equal_scipy():
    t, y = noisy()
    w = np.random.default_rng(3).uniform(0.2, 4.0, len(t))
    theirs, ours = (
        make_smoothing_spline(t, y, w=w, lam=1e-3),
        fit_spline(t, y, half_order=2, smoothing=1e-3, weights=w),
    )
    assert ours(t) == pytest.approx(theirs(t), abs=1e-9)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_gcv_choice_equals_scipy(seed):
    """Both look for the same minimum: the curves agree to a hundredth of the noise. Seed 1 has two minima."""
    t, y = noisy(seed=seed)
    theirs, ours = make_smoothing_spline(t, y), fit_spline(t, y, half_order=2)
    assert ours(t) == pytest.approx(theirs(t), abs=1e-3)
    for factor in (0.9, 1.1):
        assert fit_spline(t, y, half_order=2, smoothing=ours.smoothing * factor).gcv > ours.gcv


@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("p", [1e-9, 1e-5, 1e-2, 10.0])
def test_hat_matrix_and_trace_equal_dense_algebra(m, p):
    """Uneven instants and weights; the dense least squares itself is good to 1e-8 or so for m = 4."""
    rng = np.random.default_rng(m)
    t = np.cumsum(rng.uniform(0.02, 0.1, 40))
    w = rng.uniform(0.3, 3.0, 40)
    H = dense_hat(t, m, p, w)
    spline = fit_spline(t, np.eye(40), half_order=m, smoothing=p, weights=w)
    assert np.max(np.abs(spline(t) - H)) < 1e-7
    assert spline.dof == pytest.approx(np.trace(H), abs=1e-6)
    residual = np.sum(w[:, None] * (np.eye(40) - H) ** 2)
    assert spline.gcv == pytest.approx(residual / 1600 / (1 - np.trace(H) / 40) ** 2, rel=1e-5)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_limits(m):
    """p = 0 interpolates; a huge p gives the least-squares polynomial of degree m - 1 and dof m."""
    t, y = noisy(60)
    through = fit_spline(t, y, half_order=m, smoothing=0.0)
    assert through(t) == pytest.approx(y, abs=1e-12) and through.dof == pytest.approx(60.0)
    flat = fit_spline(t, y, half_order=m, smoothing=1e15)
    polynomial = np.polynomial.Polynomial.fit(t, y, m - 1)
    assert flat(t) == pytest.approx(polynomial(t), abs=1e-6)  # condition: root of p over the cubed spacing
    assert flat.dof == pytest.approx(m, abs=1e-6)
    if m > 1:
        assert flat(t, 1) == pytest.approx(polynomial.deriv()(t), abs=1e-4)


@given(st.integers(1, 4), st.integers(1, 30), st.floats(-12, 6), st.integers(0, 1000))
def test_polynomials_below_degree_m_pass(m, n, log_p, seed):
    """The penalty does not see them, whatever p, n and the spacing."""
    rng = np.random.default_rng(seed)
    t = np.cumsum(rng.uniform(0.005, 0.02, n))
    polynomial = np.polynomial.Polynomial(rng.normal(size=min(m, n)))
    spline = fit_spline(t, polynomial(t), half_order=m, smoothing=10.0**log_p)
    assert np.max(np.abs(spline(t) - polynomial(t))) < 1e-7
    if n > 1:
        assert np.max(np.abs(spline(t, 1) - polynomial.deriv()(t))) < 1e-4
    else:
        assert np.isnan(spline(t, 1)).all()


@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("cutoff", [2.0, 10.0, 30.0, 45.0])
def test_gain_one_half_at_the_cutoff(m, cutoff):
    """Exact on even samples far from the ends, also near half the rate (50 Hz)."""
    t = np.arange(1200) / 100.0
    wave = np.stack([np.cos(2 * np.pi * cutoff * t), np.sin(2 * np.pi * cutoff * t)], axis=1)
    spline = fit_spline(t, wave, half_order=m, cutoff=cutoff)
    middle = slice(400, 800)
    assert spline(t)[middle] == pytest.approx(0.5 * wave[middle], abs=1e-8)
    if cutoff < 5:  # the slow-sine form, 1/(1 + (f/fc)^(2m)), is a Butterworth filter run twice
        assert spline.cutoff == pytest.approx(cutoff, rel=2e-3)
        for f in (1.0, 3.0):
            other = np.cos(2 * np.pi * f * t)
            gain = (
                fit_spline(t, other, half_order=m, cutoff=cutoff)(t)[middle]
                @ other[middle]
                / np.sum(other[middle] ** 2)
            )
            assert gain == pytest.approx(1 / (1 + (f / cutoff) ** (2 * m)), abs=2e-3)


def test_slow_cutoff_at_a_fast_rate():
    """2000 Hz and 2 Hz: normal equations would keep no digit (condition 1e15); here a parabola passes to 1e-6."""
    t = np.arange(6000) / 2000.0
    spline = fit_spline(t, 1.0 + 2.0 * t - t**2, cutoff=2.0)
    assert spline(t) == pytest.approx(1.0 + 2.0 * t - t**2, abs=1e-6)
    assert spline(t, 2) == pytest.approx(-2.0 * np.ones(6000), abs=1e-3)
    gain_over_frequency = 2 * 3.0 * 2.0 * (np.pi / 6) / np.sin(np.pi / 6)  # of 1 / (1 + (f/fc)^6), over 3 s
    assert gain_over_frequency < spline.dof < gain_over_frequency + 3.0  # the ends are free and add up to m


@pytest.mark.parametrize("choice", ["gcv", "noise"])
def test_noisy_sine_and_its_derivatives(choice):
    """Against the closed form: the spline errs less than the noise, and GCV nearly as little as the best p."""
    rng = np.random.default_rng(5)
    t, sigma, w = np.arange(400) / 100.0, 0.02, 2 * np.pi * 1.5
    y = np.sin(w * t)[:, None] + sigma * rng.normal(size=(400, 4))
    truth = [np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)]
    spline = fit_spline(t, y, noise=sigma) if choice == "noise" else fit_spline(t, y)
    inner = slice(30, -30)

    def error(fitted, k):
        return np.sqrt(np.mean((fitted(t, k) - truth[k][:, None])[inner] ** 2))

    assert error(spline, 0) < 0.45 * sigma
    assert error(spline, 1) < 0.02 * w and error(spline, 2) < 0.05 * w**2
    best = min(error(fit_spline(t, y, cutoff=f), 0) for f in np.geomspace(2, 20, 25))
    assert error(spline, 0) < 1.15 * best
    assert np.sqrt(spline.gcv) == pytest.approx(sigma, rel=0.1)  # near its minimum V is the noise variance


def test_noise_choice_minimises_the_true_error_estimate():
    t, y = noisy(even=True)
    spline = fit_spline(t, y, noise=0.1)

    def estimate(p):
        s = fit_spline(t, y, smoothing=p)
        return np.mean((y - s(t)) ** 2) + 2 * 0.01 * s.dof / len(t)

    assert estimate(spline.smoothing) <= min(estimate(spline.smoothing * f) for f in (0.8, 0.95, 1.05, 1.25))


@pytest.mark.parametrize("choice", [{}, {"cutoff": 3.0}])
def test_a_common_factor_of_the_weights_changes_nothing(choice):
    t, y = noisy()
    one, other = (fit_spline(t, y, weights=np.full(80, factor), **choice) for factor in (1.0, 1e8))
    assert other(t) == pytest.approx(one(t), abs=1e-6) and other.smoothing == pytest.approx(
        1e8 * one.smoothing, rel=1e-3
    )


def test_exact_data_have_a_choice_too():
    """Zero residuals everywhere: any p is right, the choice must only not stumble."""
    t = np.arange(50) / 100.0
    for x in (np.zeros(50), 1.0 + t - t**2):
        assert fit_spline(t, x)(t) == pytest.approx(x, abs=1e-9)


def test_gaps_have_their_own_splines():
    t, y = np.arange(100) / 50.0, np.random.default_rng(1).normal(size=(100, 2, 3))
    y[40:45, 0] = np.nan
    y[70, 1, 1] = np.nan
    spline = fit_spline(t, y, smoothing=1e-8)
    s = spline(t)
    assert np.array_equal(np.isnan(s), np.isnan(y))
    assert s[45:, 0, 1] == pytest.approx(fit_spline(t[45:], y[45:, 0, 1], smoothing=1e-8)(t[45:]))
    assert spline.dof.shape == (2, 3)
    both = (
        fit_spline(t[:40], y[:40, 0, 0], smoothing=1e-8).dof
        + fit_spline(t[45:], y[45:, 0, 0], smoothing=1e-8).dof
    )
    assert spline.dof[0, 0] == pytest.approx(both)
    between = spline([t[39] + 0.001, t[44] + 0.019, -0.1, 5.0])
    assert (
        np.isnan(between[:, 0]).all() and np.isnan(between[2:]).all() and np.isfinite(between[:2, 1, 0]).all()
    )


def test_gcv_is_pooled_over_gaps():
    t, y = noisy(200, even=True)
    whole = fit_spline(t, y).smoothing
    y[90] = np.nan
    assert fit_spline(t, y).smoothing == pytest.approx(whole, rel=0.5)


def test_derivatives_are_consistent():
    """Each derivative is the slope of the one before, to the h^2 of a central difference."""
    t, y = noisy(even=True)
    spline = fit_spline(t, y, smoothing=1e-6)
    inner = np.linspace(0.2, 2.8, 50)
    for k in range(4):
        slope = (spline(inner + 1e-5, k) - spline(inner - 1e-5, k)) / 2e-5
        scale = np.max(np.abs(spline(inner, k + 1)))
        assert np.max(np.abs(slope - spline(inner, k + 1))) < 1e-4 * scale
    assert np.abs(spline(t[[0, -1]], 3)).max() < 1e-6 * np.abs(spline(t, 3)).max()  # natural ends


def test_empty_and_tiny():
    assert fit_spline([], np.empty((0, 3)))([0.0]).shape == (1, 3)
    nothing = fit_spline([0.0, 1.0], [np.nan, np.nan])
    assert np.isnan(nothing([0.5])).all() and np.isnan(nothing.gcv) and nothing.dof == 0.0
    lone = fit_spline([2.0], [[7.0]])
    assert lone([2.0, 2.5])[0, 0] == 7.0 and np.isnan(lone([2.5])).all()


@bad_input(
    InputError,
    ({"half_order": 0}, "half_order"),
    ({"half_order": 5}, "at most 4"),
    ({"half_order": 2.0}, "half_order"),
    ({"smoothing": -1.0}, "smoothing"),
    ({"smoothing": np.nan}, "smoothing"),
    ({"smoothing": "best"}, "'gcv' or a number"),
    ({"cutoff": 0.0}, "cutoff"),
    ({"cutoff": 50.0}, "below half"),
    ({"noise": 0.0}, "noise"),
    ({"noise": 1.0, "cutoff": 5.0}, "give one"),
    ({"smoothing": "gcv", "cutoff": 5.0}, "give one"),
    ({"weights": np.zeros(20)}, "positive"),
    ({"weights": np.ones(19)}, "positive"),
)
def test_refusals(refuses):
    t = np.arange(20) / 100.0
    refuses(fit_spline, time=t, x=np.sin(t))


def test_refusals_of_instants():
    t = np.arange(20) / 100.0
    spline = fit_spline(t, np.sin(t))
    with pytest.raises(InputError, match="up to 5"):
        spline(t, 6)
    with pytest.raises(InputError, match="list of instants"):
        spline(t[:, None])
    with pytest.raises(InputError, match="increase"):
        fit_spline(t[::-1], np.sin(t))
