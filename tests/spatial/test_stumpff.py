"""Stumpff functions against 50 digits, their identities, and the switch from series to trigonometry."""

from math import factorial

import mpmath
import numpy as np
import pytest

from softstride.errors import InputError
from softstride.spatial import stumpff
from softstride.spatial.segment import SERIES_LIMIT, stumpff_series
from softstride.spatial.stumpff import inverse_tangent_coefficients

SERIES_ERROR = 4e-15  # times 1/k!, the bound of docs/theory/rods.md for c1...c7
COSINE_ERROR = 2e-14  # c0 = 1 - x c2 multiplies the error of c2 by up to 40
PRINTED = 5e-16  # one unit in the last printed digit of numbers near 1

REFERENCE_AT_ONE = (
    0.8414709848078965,
    0.4596976941318603,
    0.1585290151921035,
    0.04030230586813972,
    0.008137651474563173,
    0.001364360798526949,
    0.00019568185877016,
)


def exact(k: int, x: float) -> mpmath.mpf:
    with mpmath.workdps(50):
        return mpmath.fsum((-mpmath.mpf(x)) ** j / mpmath.factorial(2 * j + k) for j in range(90))


def bound(k: int) -> float:
    return (SERIES_ERROR if k else COSINE_ERROR) / factorial(k)


def test_reference_numbers():
    np.testing.assert_allclose(stumpff(1.0)[1:], REFERENCE_AT_ONE, rtol=PRINTED)


def test_values_at_zero_are_inverse_factorials():
    assert [float(c) for c in stumpff(0.0)] == [1.0 / factorial(k) for k in range(8)]


@pytest.mark.parametrize("k", range(8))
def test_against_fifty_digits(k):
    x = np.concatenate(
        [[0.0], 10.0 ** np.arange(-24, 1.0), np.linspace(1.0, 39.999, 60), np.linspace(40.0, 90.0, 40)]
    )
    error = [abs(float(value - exact(k, argument))) for value, argument in zip(stumpff(x)[k], x, strict=True)]
    assert max(error) < bound(k)


def test_continuous_across_the_switch():
    """Series below and trigonometry above x = 40 meet within the error of both."""
    step = 1e-14  # distance of the two arguments, times |c_k'| < 1/k!
    for k, (below, above) in enumerate(stumpff(np.nextafter(SERIES_LIMIT, [0.0, 100.0]))):
        assert abs(below - above) < 2.0 * bound(k) + step / factorial(k)


def test_large_angles_match_trigonometry():
    angle = np.geomspace(7.0, 1e4, 50)
    c = stumpff(angle**2)
    rounding = 1e-15 * angle  # sqrt(angle^2) is one rounding off
    assert np.all(abs(c[0] - np.cos(angle)) < rounding)
    assert np.all(abs(c[1] - np.sin(angle) / angle) < rounding)


def test_recurrence_and_derivative():
    """c_k = 1/k! - x c_{k+2}, and c_k' = (k c_{k+2} - c_{k+1})/2 by central differences."""
    x, h = np.array([0.5, 3.0, 12.0, 38.0, 45.0, 200.0]), 1e-4
    c, up, down = stumpff(x), stumpff(x + h), stumpff(x - h)
    for k in range(6):
        np.testing.assert_allclose(c[k], 1.0 / factorial(k) - x * c[k + 2], atol=2.0 * COSINE_ERROR)
        slope = (up[k] - down[k]) / (2.0 * h)
        # differences of order 2: h^2 c'''/6, plus rounding / h
        np.testing.assert_allclose(slope, 0.5 * (k * c[k + 2] - c[k + 1]), atol=1e-9)


def test_any_shape_and_nothing_leaks_between_entries():
    x = np.array([[0.1, np.nan, 39.0], [41.0, 1e6, np.inf]])
    c = stumpff(x)
    assert all(value.shape == x.shape for value in c)
    for value in c:
        np.testing.assert_array_equal(np.isnan(value), ~np.isfinite(x))
    np.testing.assert_array_equal(c[3][0, 0], stumpff(0.1)[3])
    assert all(value.shape == (0,) for value in stumpff(np.empty(0)))


def test_series_is_the_same_function():
    x = np.linspace(0.0, 40.0, 9)
    np.testing.assert_array_equal(stumpff(x), stumpff_series(x))


def test_negative_argument_is_refused():
    with pytest.raises(InputError, match=r"not negative.*-0\.5"):
        stumpff([1.0, np.nan, -0.5])


def test_inverse_tangent_coefficients_against_the_cotangent():
    """b = (1 - (theta/2) cot(theta/2))/theta^2 and its derivative, 50 digits, up to nine tenths of a turn."""
    angles = np.concatenate([10.0 ** np.arange(-6.0, 0.0), np.linspace(0.5, 1.8 * np.pi, 30)])
    b, db = inverse_tangent_coefficients(stumpff(angles**2))
    with mpmath.workdps(50):

        def closed(x):
            theta = mpmath.sqrt(x)
            return (1 - theta / 2 * mpmath.cot(theta / 2)) / x

        for i, angle in enumerate(angles):
            x = mpmath.mpf(float(angle**2))
            assert abs(float(closed(x) / b[i] - 1)) < 1e-13  # c2 has lost a digit at nine tenths of a turn
            assert abs(float(mpmath.diff(closed, x) / db[i] - 1)) < 1e-12
    at_zero = inverse_tangent_coefficients(stumpff(0.0))
    np.testing.assert_allclose(at_zero, [1.0 / 12.0, 1.0 / 720.0], rtol=1e-14)


def test_inverse_tangent_coefficients_at_a_full_turn_do_not_warn():
    b, db = inverse_tangent_coefficients(stumpff((2.0 * np.pi) ** 2))
    assert not abs(b) < 1e6
    assert not abs(db) < 1e6
