"""The rolling surface: its table, its identities by finite difference, its range, and what it refuses."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import quad
from tests.contact.surfaces import C_REFERENCE, SWITCH, derivative, reference

from softstride.contact import RollingSurface, Surface, check_range, outside
from softstride.errors import InputError
from softstride.selfcheck.contact import TABLE

AWAY = np.array(
    [-0.22, -0.1, -0.03, -0.004, 0.004, 0.015, 0.05, 0.2, 0.5]
)  # from the kinks at 0 and the switch


def one_term(A, C):
    return RollingSurface((A, 0.0, 0.0, 0.0), (C, 1.0, 1.0, 1.0))


def test_the_reference_table():
    surface = reference()
    a = TABLE[:, 0]
    found = [surface.s(a), surface.rho(a), surface.h(a), surface.dh(a), surface.X(a)]
    np.testing.assert_allclose(np.stack(found, axis=1), TABLE[:, 1:], rtol=1e-11, atol=2e-15)


def test_the_amplitudes_of_the_reference():
    A = [0.06835773178529361, -0.0011416145691764067, 0.21243644340312165, 0.0671977353554098]
    np.testing.assert_allclose(reference().A, A, rtol=1e-13)
    np.testing.assert_allclose(reference().correction, [-2.012682481937e-06, -1.952998142e-08], atol=1e-17)


def test_given_amplitudes_make_the_same_surface():
    A = [0.06835773178529361, -0.0011416145691764067, 0.21243644340312165, 0.0671977353554098]
    surface = RollingSurface(A, C_REFERENCE, SWITCH)
    np.testing.assert_allclose(surface.s(TABLE[:, 0]), TABLE[:, 1], rtol=1e-11)


@pytest.mark.parametrize("surface", [reference(), reference().mirror()], ids=["as is", "mirrored"])
def test_derivatives_by_finite_difference(surface):
    a = -AWAY if surface.mirrored else AWAY
    np.testing.assert_allclose(derivative(surface.s, a), surface.rho(a), atol=1e-9)
    np.testing.assert_allclose(derivative(surface.h, a), surface.dh(a), atol=1e-9)
    np.testing.assert_allclose(derivative(surface.dh, a), surface.rho(a) - surface.h(a), atol=1e-8)
    np.testing.assert_allclose(derivative(surface.X, a), surface.h(a), atol=1e-9)
    np.testing.assert_allclose(derivative(surface.rho, a), surface.drho(a), atol=1e-6)


def test_the_outline_runs_along_the_ground():
    """d(ξ, ζ)/da = ρ (cos a, sin a): the sole's tangent is level when the foot is tilted by a."""
    surface = reference()
    rho = surface.rho(AWAY)[:, None]
    tangent = np.stack([np.cos(AWAY), np.sin(AWAY)], axis=1)
    slope = derivative(surface.outline, AWAY)
    np.testing.assert_allclose(slope, rho * tangent, atol=1e-9)


def test_the_outline_of_the_first_branch_is_the_closed_form():
    surface = reference()
    a = AWAY[AWAY < SWITCH]
    first = derivative(surface.r, a)
    expected = np.stack([surface.r(a) + first * np.sin(a) * np.cos(a), first * np.sin(a) ** 2], axis=1)
    np.testing.assert_allclose(surface.outline(a), expected, atol=1e-9)


def test_the_contact_point_of_the_outline_stands_at_s_on_the_ground():
    surface = reference()
    a = np.linspace(-0.2, 0.6, 30)
    xi, zeta = surface.outline(a).T
    np.testing.assert_allclose(
        surface.X(a) + xi * np.cos(a) + zeta * np.sin(a), surface.s(a), rtol=0, atol=1e-16
    )
    np.testing.assert_allclose(surface.h(a) - xi * np.sin(a) + zeta * np.cos(a), 0.0, atol=1e-16)


def test_no_other_point_of_the_sole_is_below_the_ground():
    """The contact is the lowest point: the outline is convex and h its support function."""
    surface = reference()
    a = np.linspace(-0.22, 0.6, 83)
    xi, zeta = surface.outline(a).T
    heights = surface.h(a)[:, None] - np.outer(np.sin(a), xi) + np.outer(np.cos(a), zeta)
    assert heights.min() > -1e-15


def test_the_immaterial_point_with_signs():
    """A = .12, C = 20 at a = −.3: the integral of r' cos, not the unsigned formula (+0.119412908)."""
    surface = one_term(0.12, 20.0)
    assert surface.r_star(-0.3) == pytest.approx(-0.119421676, abs=5e-10)
    integral, _ = quad(lambda a: 0.12 * 20.0 * np.exp(-20.0 * abs(a)) * np.cos(a), 0.0, -0.3)
    assert surface.s(-0.3) == pytest.approx(
        quad(lambda a: float(surface.rho(a)), 0.0, -0.3, epsabs=1e-13)[0], abs=1e-12
    )
    assert surface.r_star(-0.3) == pytest.approx(integral, abs=1e-12)


def test_everything_is_odd_or_even_within_the_first_branch():
    surface, a = reference(), np.linspace(0.001, 0.025, 7)
    for odd in (surface.r, surface.r_star, surface.s, surface.dh, surface.X, surface.drho):
        np.testing.assert_allclose(odd(-a), -odd(a), rtol=0, atol=1e-15)
    for even in (surface.h, surface.rho):
        np.testing.assert_allclose(even(-a), even(a), rtol=0, atol=1e-15)


def test_one_term_has_a_kink_and_turns_concave():
    A, C = 0.05, 8.0
    surface = one_term(A, C)
    assert surface.rho(0.0) == pytest.approx(2 * A * C)
    assert surface.drho(1e-12) == pytest.approx(-3 * A * C**2)
    assert surface.valid == pytest.approx((-np.arctan(2 / C), np.arctan(2 / C)), abs=1e-12)


def test_two_terms_have_none():
    assert reference().rho(0.0) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(reference().drho([-1e-12, 0.0, 1e-12]), 0.0, atol=1e-7)


def test_all_functions_are_continuous_at_the_switch():
    surface = reference()
    at = np.array([SWITCH, np.nextafter(SWITCH, 1.0)])
    for f in (surface.s, surface.rho, surface.h, surface.dh, surface.X):
        assert abs(np.diff(f(at))[0]) < 1e-15


def test_a_rounded_exponent_moves_the_surface_far():
    """Why A is solved for again whenever C changes."""
    other = RollingSurface.from_exponents((8.4, 60.0, 0.25, 7.0), 1.0, SWITCH)
    assert reference().s(0.6) == pytest.approx(0.1228, abs=5e-5)
    assert other.s(0.6) == pytest.approx(0.1365, abs=5e-5)


def test_the_valid_range_of_the_reference():
    low, high = reference().valid
    assert -0.24 < low < -0.23 and high > 0.6
    assert reference().rho(low) == pytest.approx(0.0, abs=1e-10)
    assert reference().mirror().valid == (-high, -low)


def test_tilts_outside_the_valid_range_are_named():
    surface = reference()
    assert outside(surface, [-0.2, np.nan, 0.6]) == ""
    check_range(surface, [-0.2, 0.6])
    with pytest.raises(InputError, match=r"tilt -0\.3 rad of frame 2 \(1 of 4\) is outside -0\.2337 to"):
        check_range(surface, [0.0, 0.1, -0.3, 0.2])
    assert "of frame (0, 1)" in outside(surface, [[0.0, -0.3]])
    assert "frame " not in outside(surface, -0.3)


def test_scaling_and_mirroring():
    surface, a = reference(), np.linspace(-0.2, 0.5, 15)
    large, mirrored = surface.scaled(1.2), surface.mirror()
    for name in ("s", "h", "dh", "X", "rho"):
        np.testing.assert_allclose(getattr(large, name)(a), 1.2 * getattr(surface, name)(a), atol=1e-15)
    np.testing.assert_array_equal(mirrored.s(-a), -surface.s(a))
    np.testing.assert_array_equal(mirrored.h(-a), surface.h(a))
    np.testing.assert_array_equal(mirrored.outline(-a), surface.outline(a) * [-1, 1])
    np.testing.assert_array_equal(mirrored.correction, surface.correction)
    np.testing.assert_array_equal(mirrored.mirror().s(a), surface.s(a))


def test_it_answers_the_protocol_with_any_shape():
    surface = reference()
    assert isinstance(surface, Surface)
    a = np.linspace(-0.2, 0.5, 12).reshape(3, 4)
    np.testing.assert_array_equal(surface.s(a)[1, 2], surface.s(a[1, 2]))
    assert surface.outline(a).shape == (3, 4, 2)
    assert surface.s(0.1).shape == ()
    assert surface.s([]).shape == (0,)
    assert np.isnan(surface.s(np.nan))


@given(
    C1=st.floats(1.0, 20.0),
    C2=st.floats(1.5, 10.0),
    C3=st.floats(0.1, 5.0),
    C4=st.floats(1.5, 20.0),
    rho0=st.floats(0.1, 3.0),
    switch=st.floats(0.015, 0.08),
)
def test_any_exponents_roll_without_slip(C1, C2, C3, C4, rho0, switch):
    """The conditions hold, branches meet, and the velocity of the material contact is zero in both directions."""
    surface = RollingSurface.from_exponents((C1, C1 * C2, C3, C3 * C4), rho0, switch)
    scale = np.abs(surface.A).max()
    assume(scale < 1e3)
    assert surface.rho(0.0) == pytest.approx(rho0, rel=1e-9)
    a = np.array([-0.11, -0.007, 0.5 * switch, switch + 0.01, switch + 0.2])
    xi, zeta = surface.outline(a).T
    step = 1e-5

    def place(tilt):
        x = surface.X(tilt) + xi * np.cos(tilt) + zeta * np.sin(tilt)
        return np.stack([x, surface.h(tilt) - xi * np.sin(tilt) + zeta * np.cos(tilt)])

    velocity = (place(a + step) - place(a - step)) / (2 * step)
    np.testing.assert_allclose(velocity, 0.0, atol=1e-6 * max(1.0, scale))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: RollingSurface((1, 2, 3), C_REFERENCE, SWITCH),
            r"A and C of a rolling surface must have shape \(4,\).*they have \(3,\) and \(4,\)",
        ),
        (lambda: RollingSurface((1, 2, 3, np.nan), C_REFERENCE, SWITCH), "finite"),
        (
            lambda: RollingSurface((1, 2, 3, 4), (1, 2, 3), SWITCH),
            r"C of a rolling surface must have shape \(4,\)",
        ),
        (lambda: RollingSurface((1, 2, 3, 4), (1, 2, 0, 4), SWITCH), "above 0 1/rad"),
        (
            lambda: RollingSurface((1, 2, 3, 4), C_REFERENCE, -0.1),
            "switch of a rolling surface must be above 0",
        ),
        (lambda: RollingSurface((0.07, 0, 0.2, 0.07), C_REFERENCE, SWITCH), "do not meet.*from_exponents"),
        (lambda: RollingSurface.from_exponents((8, 8, 0.25, 7), 1.0, SWITCH), "have no amplitudes"),
        (lambda: RollingSurface.from_exponents((8, 60, 3, 3), 1.0, SWITCH), "have no amplitudes"),
        (lambda: RollingSurface.from_exponents((8, 60, 3), 1.0, SWITCH), "shape"),
        (lambda: RollingSurface.from_exponents(C_REFERENCE, 0.0, SWITCH), "rho0 must be above 0 m"),
        (lambda: RollingSurface.from_exponents(C_REFERENCE, 1.0, 0.0), "switch"),
        (lambda: reference().scaled(-1.0), "factor"),
        (lambda: reference().s("flat"), "tilt must be an array of real numbers"),
    ],
)
def test_what_cannot_roll_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
