"""Spline surfaces: their identities by differences and quadrature, closed forms, shape, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from tests.contact.surfaces import derivative, reference

from softstride.contact import RollingJoint, SplineSurface, Surface
from softstride.contact.spline_pieces import shifted, sine_integrals
from softstride.errors import InputError

TILTS = np.linspace(-0.3, 0.7, 9)
RADII = np.array([0.05, 0.1, 0.3, 2.0, 1.0, 0.2, 0.08, 0.0, 0.07])
INSIDE = np.array([-0.5, -0.28, -0.11, -0.004, 0.013, 0.21, 0.4, 0.66, 0.9])  # away from the breaks


def bumpy(contact=(0.02, -0.03)):
    return SplineSurface.from_radius(TILTS, RADII, contact)


@pytest.mark.parametrize("u", [-3.0, -0.4, -1e-3, 0.0, 1e-4, 0.7, 2.5])
def test_sine_integrals(u):
    for k, value in enumerate(sine_integrals(np.array(u), 6)):
        expected, _ = quad(lambda t, k=k: t**k * np.sin(u - t), 0.0, u, epsabs=1e-14)
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-13)
    assert sine_integrals(np.array(u), 1)[0] == pytest.approx(2.0 * np.sin(u / 2) ** 2, rel=1e-14)


def test_derivatives_by_finite_difference():
    surface = bumpy()
    s, h, dh, rho = surface.roll(INSIDE)
    np.testing.assert_allclose(derivative(surface.s, INSIDE), rho, atol=1e-9)
    np.testing.assert_allclose(derivative(surface.h, INSIDE), dh, atol=1e-9)
    np.testing.assert_allclose(derivative(surface.dh, INSIDE), rho - h, atol=1e-8)
    np.testing.assert_allclose(derivative(surface.X, INSIDE), h, atol=1e-9)
    np.testing.assert_allclose(derivative(surface.rho, INSIDE), surface.drho(INSIDE), atol=1e-6)
    np.testing.assert_allclose(surface.X(INSIDE), s - dh, atol=1e-16)
    np.testing.assert_allclose(surface.rho(INSIDE), rho, rtol=1e-14)


@pytest.mark.parametrize("a", [-0.5, -0.07, 0.33, 1.0])
def test_rolled_length_and_height_are_the_integrals_of_the_radius(a):
    """s = ξ + ∫ρ and h = −ζ cos a + ξ sin a + ∫ρ(t) sin(a − t) dt from zero, by quadrature."""
    surface = bumpy()
    breaks = TILTS[np.abs(2.0 * TILTS - a) < abs(a)]  # between zero and a
    rolled, _ = quad(surface.rho, 0.0, a, points=breaks, epsabs=1e-13)
    raised, _ = quad(lambda t: surface.rho(t) * np.sin(a - t), 0.0, a, points=breaks, epsabs=1e-13)
    assert surface.s(a) == pytest.approx(0.02 + rolled, abs=1e-13)
    assert surface.h(a) == pytest.approx(0.03 * np.cos(a) + 0.02 * np.sin(a) + raised, abs=1e-13)


def test_the_contact_at_zero_tilt_is_where_it_was_put():
    surface = bumpy((0.02, -0.03))
    np.testing.assert_allclose(surface.outline(0.0), [0.02, -0.03], atol=1e-16)
    assert surface.X(0.0) == pytest.approx(0.0, abs=1e-16) and surface.s(0.0) == pytest.approx(0.02)


def test_all_functions_are_continuous_at_the_breaks():
    surface = bumpy()
    before, after = np.nextafter(TILTS, -1.0), np.nextafter(TILTS, 2.0)
    for f in (surface.s, surface.h, surface.dh, surface.rho):
        np.testing.assert_allclose(f(after), f(before), atol=1e-14)


def test_a_circle():
    surface = SplineSurface.arc(0.3, (0.0, -0.3))
    a = np.linspace(-3.0, 3.0, 13)
    s, h, dh, rho = surface.roll(a)
    np.testing.assert_allclose(s, 0.3 * a, atol=1e-15)
    np.testing.assert_allclose(h, 0.3, atol=1e-14)
    np.testing.assert_allclose(dh, 0.0, atol=1e-14)
    np.testing.assert_allclose(rho, 0.3)


def test_beyond_the_breaks_the_sole_is_round():
    surface = bumpy()
    np.testing.assert_allclose(surface.rho([-1.5, -0.31]), RADII[0])
    np.testing.assert_allclose(surface.rho([0.71, 1.5]), RADII[-1])
    np.testing.assert_array_equal(surface.drho([-1.0, 1.0]), 0.0)


@given(st.lists(st.floats(0.0, 3.0), min_size=2, max_size=8), st.integers(0, 2**31))
def test_radii_stay_between_their_neighbours(radii, seed):
    """Shape is kept: no overshoot, so a convex sole stays convex between the tilts."""
    a = np.cumsum(np.random.default_rng(seed).uniform(0.01, 0.3, len(radii))) - 0.4
    surface = SplineSurface.from_radius(a, radii)
    for left, right, low, high in zip(a[:-1], a[1:], radii[:-1], radii[1:], strict=True):
        between = surface.rho(np.linspace(left, right, 9))
        assert between.min() >= min(low, high) - 1e-12 and between.max() <= max(low, high) + 1e-12


def test_through_places():
    truth = reference()
    a = np.linspace(-0.22, 0.6, 42)
    surface = SplineSurface.from_places(a, truth.s(a) + 0.5, (0.01, 0.0), rho_min=0.02)
    shift = surface.s(0.0) - 0.01
    assert shift == pytest.approx(0.0, abs=1e-16)
    np.testing.assert_allclose(np.diff(surface.s(a)), np.diff(truth.s(a)), atol=1e-15)
    fine = np.linspace(-0.22, 0.6, 4001)
    assert surface.rho(fine).min() >= 0.02 - 1e-12
    np.testing.assert_allclose(surface.s(fine) - surface.s(0.0), truth.s(fine), atol=2e-4)


def test_no_other_point_of_the_sole_is_below_the_ground():
    surface, a = bumpy(), np.linspace(-1.4, 1.4, 81)
    xi, zeta = surface.outline(a).T
    heights = surface.h(a)[:, None] - np.outer(np.sin(a), xi) + np.outer(np.cos(a), zeta)
    assert heights.min() > -1e-14


def test_it_rolls_without_slip_and_answers_the_protocol():
    surface = bumpy()
    assert isinstance(surface, Surface) and surface.valid == (-np.pi / 2, np.pi / 2)
    joint = RollingJoint(surface)
    _, first, _ = joint.motion(INSIDE, surface.outline(INSIDE))
    np.testing.assert_allclose(first, 0.0, atol=1e-14)
    assert surface.outline(INSIDE.reshape(3, 3)).shape == (3, 3, 2)
    assert surface.s([]).shape == (0,) and np.isnan(surface.s(np.nan))


def test_scaling_and_mirroring():
    surface = bumpy()
    large, mirrored = surface.scaled(1.2), surface.mirror()
    for name in ("s", "h", "dh", "X", "rho"):
        np.testing.assert_allclose(
            getattr(large, name)(INSIDE), 1.2 * getattr(surface, name)(INSIDE), atol=1e-14
        )
    np.testing.assert_allclose(mirrored.s(-INSIDE), -surface.s(INSIDE), atol=1e-14)
    np.testing.assert_allclose(mirrored.outline(-INSIDE), surface.outline(INSIDE) * [-1, 1], atol=1e-14)


def test_polynomials_about_another_point():
    c = np.array([[1.0, 2.0], [-3.0, 0.5], [0.7, 1.1], [2.0, -0.4]])
    by, u = np.array([0.3, -0.2]), 0.17
    for j in range(2):
        moved = np.polynomial.Polynomial(shifted(c, by)[:, j])
        assert moved(u) == pytest.approx(np.polynomial.Polynomial(c[:, j])(u + by[j]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: SplineSurface([0.0], [[]]), "at least two increasing tilts"),
        (lambda: SplineSurface([0.0, 0.0], [[1.0]]), "increasing"),
        (lambda: SplineSurface([-1, 0, 1], [[1.0]]), r"shape \(m, 2\), one column for each piece"),
        (lambda: SplineSurface([-1, 1], [[0.5], [-1.0]]), r"-1.5 m at tilt 1 rad.*concave"),
        (lambda: SplineSurface([-1, 1], [[0.5], [-2.0], [1.0]]), r"-0.5 m at tilt 0 rad"),
        (lambda: SplineSurface.from_radius([0, 1], [0.1, -0.1]), "rho of a spline surface must be at least"),
        (lambda: SplineSurface.from_radius([0, 0], [0.1, 0.1]), "the tilts increasing"),
        (lambda: SplineSurface.from_places([-1, 0, 1], [0.0, 0.2, 0.1]), "after row 1; fit_spline_surface"),
        (lambda: SplineSurface.arc(-0.1), "radius of an arc"),
        (lambda: bumpy((1.0,)), r"contact of a spline surface must have shape \(2,\)"),
    ],
)
def test_what_cannot_roll_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
