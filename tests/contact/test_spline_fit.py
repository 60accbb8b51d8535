"""The fit of a spline surface: how near it comes, that it is convex, that its errors are what they say."""

import numpy as np
import pytest
from tests.contact.surfaces import reference, synthetic, synthetic_tilts

from softstride.contact import fit_rolling_surface, fit_spline_surface
from softstride.contact.fit_errors import alike, variance
from softstride.errors import InputError

A = synthetic_tilts()
S = synthetic(A)


def test_it_comes_ten_times_nearer_than_four_exponentials():
    fit = fit_spline_surface(A, S)
    assert fit.rms < 1.54e-3 / 10
    assert fit.least_rho > 0.0
    assert abs(fit.offset) < 5e-4
    np.testing.assert_allclose(fit.offset + fit.surface.s(A), S, atol=6e-4)
    np.testing.assert_allclose(fit.rms, np.sqrt(np.mean((fit.offset + fit.surface.s(A) - S) ** 2)))


def test_data_from_any_origin():
    here, there = fit_spline_surface(A, S, smoothing=1e-6), fit_spline_surface(A, S + 3.0, smoothing=1e-6)
    assert there.offset - here.offset == pytest.approx(3.0)
    np.testing.assert_allclose(there.surface.s(A), here.surface.s(A), atol=1e-9)
    assert there.surface.s(0.0) == 0.0


@pytest.mark.parametrize("rho_min", [0.0, 0.005, 0.08])
def test_it_is_convex_whatever_the_data(rho_min):
    """Places that run back still give a sole that does not: ρ ≥ rho_min at every tilt."""
    s = np.where(A > 0.3, S - 0.3 * (A - 0.3), S)
    fit = fit_spline_surface(A, s, rho_min=rho_min)
    assert fit.surface.rho(np.linspace(-1.5, 1.5, 6001)).min() >= rho_min - 1e-12
    assert fit.least_rho == pytest.approx(rho_min, abs=1e-6), "the bound is reached where the data run back"


def test_standard_errors_are_those_of_repeated_noise():
    """With noise of 2 mm, errors over their standard errors have a size of one; a tenth more is bias."""
    rng = np.random.default_rng(7)
    shares = []
    for _ in range(60):
        fit = fit_spline_surface(A, S + 0.002 * rng.normal(size=len(A)))
        shares.append((fit.offset + fit.surface.s(A) - S) / fit.place_error(A))
    assert np.sqrt(np.mean(np.square(shares))) == pytest.approx(1.0, abs=0.25)
    assert fit.rms == pytest.approx(0.002, rel=0.15)
    assert (fit.radius_error([-0.1, 0.0, 0.3]) > 0.0).all()


@pytest.mark.slow
def test_errors_of_the_exponentials_too():
    rng = np.random.default_rng(8)
    truth, shares = reference(), []
    keep = A > -0.22
    a = A[keep]
    for seed in range(12):
        noisy = truth.s(a) + 0.1 + 0.002 * rng.normal(size=len(a))
        fit = fit_rolling_surface(a, noisy, rho0=None, shift=True, starts=3, seed=seed)
        shares.append((fit.offset + fit.surface.s(a) - truth.s(a) - 0.1) / fit.place_error(a))
        assert fit.rms == pytest.approx(0.002, rel=0.2)
    assert 0.5 < np.sqrt(np.mean(np.square(shares))) < 2.0


@pytest.mark.slow
def test_size_and_origin_of_the_exponentials_are_found():
    truth = reference().scaled(0.7)
    a = A[A > -0.22]
    fit = fit_rolling_surface(a, truth.s(a) - 0.25, rho0=None, shift=True, starts=6)
    assert fit.offset == pytest.approx(-0.25, abs=1e-8)
    assert fit.surface.rho(0.0) == pytest.approx(0.7, rel=1e-5)
    assert fit.rms < 1e-8
    moved = fit_rolling_surface(a, truth.s(a) - 0.25, rho0=0.7, shift=True, starts=4)
    assert moved.offset == pytest.approx(-0.25, abs=1e-8)


def test_neighbours_that_miss_alike_count_less():
    rng = np.random.default_rng(1)
    white = rng.normal(size=4000)
    assert alike(white) < 0.05 and alike(np.zeros(9)) == 0.0
    assert variance(white, 10) == pytest.approx(1.0, rel=0.15)
    red = np.zeros(4000)
    for i in range(1, len(red)):
        red[i] = 0.8 * red[i - 1] + white[i]
    assert alike(red) == pytest.approx(0.8, abs=0.03)
    # the variance of a mean of red noise: σ²/(1 − φ)² over n
    assert variance(red, 0) == pytest.approx(1.0 / 0.2**2, rel=0.2)


def test_few_tilts_make_few_pieces():
    few, many = fit_spline_surface(A[::20], S[::20]), fit_spline_surface(A, S)
    assert [len(np.unique(fit.knots)) - 1 for fit in (few, many)] == [4, 16]
    assert few.freedom <= len(A[::20])


@pytest.mark.parametrize(
    ("a", "s", "options", "words"),
    [
        (A[:5], S[:5], {}, "at least 8 numbers"),
        (A, S[:-1], {}, "shapes"),
        (A, np.where(A > 0.59, np.nan, S), {}, "row 169"),
        (A[:45], S[:45], {}, "both sides of zero"),
        (A, S, {"rho_min": -0.1}, "rho_min must be at least 0 m"),
        (A, S, {"pieces": 0}, "pieces must be a whole number"),
        (A, S, {"smoothing": -1.0}, "smoothing must be at least 0"),
    ],
)
def test_data_that_cannot_be_fitted(a, s, options, words):
    with pytest.raises(InputError, match=words):
        fit_spline_surface(a, s, **options)
