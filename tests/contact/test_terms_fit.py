"""Surfaces of several exponentials a branch: recovered where they are convex, and convex where the data are not."""

import numpy as np
import pytest
from tests.contact.surfaces import synthetic_tilts

from softstride.contact import RollingSurface, fit_exponential_surface
from softstride.errors import InputError

C = (6.0, 40.0, 3.0, 12.0)
TRUTH = RollingSurface.from_exponents(C, 1.0, 0.026)
TILTS = np.linspace(-0.25, 0.5, 150)  # here the surface is convex: radii of 34 mm and more


def missed(fit, tilts):
    """Largest distance from the true curve [m]."""
    return np.abs(fit.offset + fit.surface.s(tilts - fit.zero) - TRUTH.s(tilts)).max()


def test_two_terms_come_back():
    """Exact places of a convex surface: its exponents, switch, zero and origin."""
    fit = fit_exponential_surface(TILTS, TRUTH.s(TILTS) + 0.3, terms=2)
    np.testing.assert_allclose(fit.surface.C, C, rtol=1e-5)
    assert fit.surface.switch == pytest.approx(0.026, rel=1e-5) and abs(fit.zero) < 1e-6
    assert fit.offset == pytest.approx(0.3, abs=1e-8) and fit.rms < 1e-8
    assert fit.least_rho == pytest.approx(TRUTH.rho(TILTS).min(), rel=1e-3) and fit.tilt_rms == 0.0


def test_the_zero_of_the_tilt_is_found():
    """What a laboratory calls flat is a convention: tilts told 12 mrad off give the same surface."""
    fit = fit_exponential_surface(TILTS + 0.012, TRUTH.s(TILTS), terms=2)
    assert fit.zero == pytest.approx(0.012, abs=1e-6)
    np.testing.assert_allclose(fit.surface.C, C, rtol=1e-4)


def test_a_surface_that_turns_concave_is_not_copied():
    """Beyond 0.588 rad the same exponents have a negative radius: the fit keeps 5 mm, and misses by less than 1 mm.

    Its exponents are then others: what is recovered is the curve, as far as a convex one can follow it.
    """
    tilts = synthetic_tilts()
    assert TRUTH.rho(tilts).min() < 0.0
    fit = fit_exponential_surface(tilts, TRUTH.s(tilts), terms=2)
    assert fit.least_rho == pytest.approx(0.005, abs=1e-6)
    assert 2e-4 < missed(fit, tilts) < 1e-3 and fit.rms < 5e-4
    assert abs(fit.surface.C[3] - 12.0) > 5.0


@pytest.mark.slow
def test_a_third_term_follows_what_two_cannot():
    """A narrow peak where the foot is flat, and a long heel and toe."""
    wide = RollingSurface.from_exponents((2.0, 9.0, 1.5, 6.0), 0.25, 0.02)
    narrow = RollingSurface.from_exponents((60.0, 90.0, 40.0, 80.0), 1.5, 0.02)
    tilts = np.linspace(-0.3, 0.5, 150)
    places = wide.s(tilts) + narrow.s(tilts)
    two, three = (fit_exponential_surface(tilts, places, terms=terms) for terms in (2, 3))
    assert three.rms < 0.2 * two.rms
    assert min(two.least_rho, three.least_rho) >= 0.005 - 1e-6


@pytest.mark.slow
def test_errors_of_the_tilts_are_told_apart():
    """Noise of half a degree in the tilts: with exact ones places would be blamed, by four times what they are off."""
    rng = np.random.default_rng(2)
    noisy = TILTS + np.radians(0.5) * rng.standard_normal(len(TILTS))
    places = TRUTH.s(TILTS) + 0.001 * rng.standard_normal(len(TILTS))
    options = {"terms": 2, "starts": 2, "place_noise": 0.001}
    plain = fit_exponential_surface(noisy, places, **options)
    fit = fit_exponential_surface(noisy, places, tilt_noise=np.radians(0.5), **options)
    assert plain.rms > 0.003 and fit.rms < 0.001
    assert 0.35 < np.degrees(fit.tilt_rms) < 0.55 and fit.cost == pytest.approx(len(TILTS), rel=0.2)
    assert missed(fit, TILTS) < 0.004
    again = fit_exponential_surface(noisy, places, tilt_noise=np.radians(0.5), **options)
    np.testing.assert_array_equal(again.surface.A, fit.surface.A)


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (slice(0, 5), {}, "at least 8"),
        (slice(None), {"terms": 1}, "terms must be a whole number from 2 to 6"),
        (slice(None), {"starts": 0}, "starts must be a whole number from 1 to 200"),
        (slice(None), {"rho_min": -1.0}, "rho_min"),
        (slice(60, None), {}, "zero"),
    ],
)
def test_data_and_options_that_do_not_do(data, options, words):
    with pytest.raises(InputError, match=words):
        fit_exponential_surface(TILTS[data], TRUTH.s(TILTS)[data], **options)
