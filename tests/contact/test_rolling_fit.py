"""The fit: the two known optima, the round trip, the penalty, and data that cannot be fitted."""

import numpy as np
import pytest
from tests.contact.surfaces import reference, synthetic, synthetic_tilts

from softstride.contact import RollingSurface, fit_rolling_surface, rolling_fit
from softstride.errors import InputError

A = synthetic_tilts()
S = synthetic(A)
BEST = (8.43807047651, 65.2636935518, 0.231865726755, 6.95597180264)  # with the switch at .026 rad
FREE = (9.144700112, 43.463443174, 0.240712187, 7.221365621)
FREE_SWITCH = 0.036057232


def test_the_optimum_with_a_given_switch():
    fit = fit_rolling_surface(A, S, rho0=1.0)
    # The sum of squares is flat: its gradient is zero to rounding within about 1e-6 of the exponents.
    np.testing.assert_allclose(fit.surface.C, BEST, rtol=1e-6)
    amplitudes = [0.0680541005403, -0.00113762020710, 0.205481102430, 0.0684184059419]
    np.testing.assert_allclose(fit.surface.A, amplitudes, rtol=1e-6)
    assert 1e3 * fit.rms == pytest.approx(1.54, abs=0.005)
    assert 1e3 * fit.largest == pytest.approx(4.00, abs=0.005)
    assert fit.least_rho == pytest.approx(-0.010, abs=5e-4)
    assert fit.at_bounds == ("C4/C3",), "so the second branch is weakly determined"
    assert fit.starts[0] == pytest.approx(len(A) * fit.rms**2) and (np.diff(fit.starts) >= 0).all()


def test_the_known_optimum_by_its_own_exponents():
    surface = RollingSurface.from_exponents(BEST, 1.0, 0.026)
    np.testing.assert_allclose(surface.A[0], 0.0680541005403, rtol=1e-11)
    np.testing.assert_allclose(surface.A[2], 0.205481102430, rtol=1e-9)
    error = surface.s(A) - S
    assert 1e3 * np.sqrt(np.mean(error**2)) == pytest.approx(1.54, abs=0.005)


@pytest.mark.slow
def test_the_optimum_with_a_free_switch():
    fit = fit_rolling_surface(A, S, rho0=1.0, switch=None)
    np.testing.assert_allclose(fit.surface.C, FREE, rtol=5e-6)
    assert fit.surface.switch == pytest.approx(FREE_SWITCH, rel=5e-6)
    assert 1e3 * fit.rms == pytest.approx(1.45, abs=0.005)
    assert 1e3 * fit.largest == pytest.approx(3.49, abs=0.005)
    assert fit.least_rho == pytest.approx(-0.021, abs=5e-4)


@pytest.mark.slow
def test_a_least_radius_can_be_asked_for():
    soft = fit_rolling_surface(A, S, rho0=1.0, rho_min=0.01, rho_weight=1.0, starts=8)
    assert 1e3 * soft.rms == pytest.approx(1.92, abs=0.005)
    assert 1e3 * soft.largest == pytest.approx(4.35, abs=0.005)
    assert soft.least_rho > 0.0
    hard = fit_rolling_surface(A, S, rho0=1.0, rho_min=0.01, rho_weight=100.0, starts=6)
    assert hard.least_rho == pytest.approx(0.01, abs=1e-5)
    assert hard.rms > soft.rms
    assert hard.surface.valid[0] < A.min()


def test_the_rounded_reference_fits_as_stated():
    error = reference().s(A) - S
    assert 1e3 * np.sqrt(np.mean(error**2)) == pytest.approx(2.3, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("switch", [0.026, None])
def test_round_trip(switch):
    C = (6.0, 40.0, 3.0, 12.0)
    truth = RollingSurface.from_exponents(C, 1.0, 0.026)
    fit = fit_rolling_surface(A, truth.s(A), rho0=1.0, switch=switch)
    np.testing.assert_allclose(fit.surface.C, C, rtol=1e-6)
    assert fit.surface.switch == pytest.approx(0.026, rel=1e-6)
    assert fit.rms < 1e-9 and fit.at_bounds == ()


def test_a_fit_repeats_exactly():
    first, again = (fit_rolling_surface(A, S, rho0=1.0, starts=3, seed=5) for _ in range(2))
    np.testing.assert_array_equal(first.surface.A, again.surface.A)


def test_exponents_without_a_surface_are_passed_over():
    """A start at which the conditions have no solution costs much instead of failing."""
    assert rolling_fit.made_surface(np.log([8.0, 1.0, 3.0, 4.0]), 1.0, 0.026) is None


@pytest.mark.parametrize(
    ("a", "s", "options", "words"),
    [
        (A[:5], S[:5], {}, "at least 8"),
        (A, S[:-1], {}, "shapes"),
        (A, np.where(A > 0.59, np.nan, S), {}, "row 169 of the data"),
        (A[:40], S[:40], {}, "no tilt is beyond the switch"),
        (A, S, {"rho0": 0.0}, "rho0 must be above 0 m"),
        (A, S, {"switch": -1.0}, "switch"),
        (A, S, {"starts": 0}, "starts must be"),
    ],
)
def test_data_that_cannot_be_fitted(a, s, options, words):
    with pytest.raises(InputError, match=words):
        fit_rolling_surface(a, s, **{"rho0": 1.0, **options})
