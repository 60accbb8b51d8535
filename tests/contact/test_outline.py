"""Outlines by points: against circle and polygon, the identities of a support function, and bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contact.surfaces import derivative, reference

from softstride.contact import OutlineSurface, Surface, check_range
from softstride.contact.outline import lower_hull
from softstride.errors import InputError

FLAT = np.array([[-0.05, 0.02], [-0.03, 0.0], [0.14, 0.0], [0.19, 0.03]])  # heel bevel, sole, toe spring


def arc(radius, n, centre=(0.0, 0.0), half=1.2):
    angle = np.linspace(-half, half, n)
    return np.stack([centre[0] + radius * np.sin(angle), centre[1] - radius * np.cos(angle)], axis=1)


def identities(surface, a):
    np.testing.assert_allclose(derivative(surface.s, a), surface.rho(a), atol=1e-6)
    np.testing.assert_allclose(derivative(surface.h, a), surface.dh(a), atol=1e-9)
    np.testing.assert_allclose(derivative(surface.dh, a), surface.rho(a) - surface.h(a), atol=1e-6)
    np.testing.assert_allclose(derivative(surface.X, a), surface.h(a), atol=1e-9)
    slope = surface.rho(a)[:, None] * np.stack([np.cos(a), np.sin(a)], axis=1)
    np.testing.assert_allclose(derivative(surface.outline, a), slope, atol=1e-6)


def test_it_answers_the_protocol():
    surface = OutlineSurface(FLAT)
    assert isinstance(surface, Surface)
    a = np.linspace(-0.5, 0.6, 12).reshape(3, 4)
    assert surface.outline(a).shape == (3, 4, 2)
    for one, all_of_them in zip(
        (surface.s, surface.h, surface.dh, surface.rho), surface.roll(a), strict=True
    ):
        np.testing.assert_array_equal(one(a), all_of_them)
    np.testing.assert_array_equal(surface.roll(a).X, surface.X(a))


def test_a_circle_rolls_as_a_wheel():
    """s = R a, height of the axle R, however dense the points; the polygon is inside by R (1 − cos(turn/2))."""
    R = 0.3
    surface = OutlineSurface(arc(R, 121), width=0.06)
    a = np.linspace(-1.0, 1.0, 41)
    np.testing.assert_allclose(surface.s(a), R * a, atol=2e-4)
    np.testing.assert_allclose(surface.h(a), R, atol=1e-4)
    np.testing.assert_allclose(surface.rho(a), R, rtol=2e-3)
    np.testing.assert_allclose(surface.X(a), R * a, atol=2e-4)


def test_identities_by_finite_difference():
    identities(OutlineSurface(FLAT, width=0.15), np.linspace(-1.0, 0.8, 37))
    identities(OutlineSurface(arc(0.2, 25, centre=(0.1, 0.25))), np.linspace(-1.0, 1.0, 31))


def test_vertices_stay_and_edges_sag():
    surface = OutlineSurface(FLAT, width=0.05)
    # between the slopes of two edges the foot turns on the vertex that they share
    np.testing.assert_allclose(surface.outline([-0.4, 0.3]), FLAT[1:3], atol=1e-15)
    np.testing.assert_array_equal(surface.rho([-0.4, 0.3]), 0.0)
    np.testing.assert_allclose(surface.h([-0.4]), FLAT[1] @ [np.sin(-0.4), -np.cos(-0.4)], atol=1e-15)
    lowest = surface.outline(np.linspace(-0.05, 0.05, 201))[:, 1].min()
    assert 0.0 > lowest > -0.15 * 0.17 * 0.05
    np.testing.assert_allclose(surface.outline(0.0)[0], 0.055, atol=1e-12)  # half-way along the sole


def test_the_height_is_that_of_the_polygon_within_the_sag():
    surface, a = OutlineSurface(FLAT, width=0.02), np.linspace(-1.2, 1.2, 241)
    corners = np.max(np.outer(np.sin(a), FLAT[:, 0]) - np.outer(np.cos(a), FLAT[:, 1]), axis=1)
    gap = surface.h(a) - corners
    assert gap.min() > -1e-15 and gap.max() < 0.15 * 0.17 * 0.02


def test_the_ground_starts_below_the_foot():
    surface = OutlineSurface(FLAT + np.array([0.03, 0.1]))
    assert surface.X(0.0) == pytest.approx(0.0, abs=1e-15)
    assert surface.s(0.0) == pytest.approx(surface.outline(0.0)[0], abs=1e-15)
    assert surface.h(0.0) == pytest.approx(-surface.outline(0.0)[1], abs=1e-15)


def test_the_reference_foot_by_its_outline():
    """Points of the closed form make the same rolling foot."""
    exact = reference()
    a = np.linspace(-0.2, 0.5, 15)
    surface = OutlineSurface(exact.outline(np.linspace(-0.233, 0.9, 800)), width=0.01)
    np.testing.assert_allclose(surface.h(a), exact.h(a), atol=5e-5)
    np.testing.assert_allclose(surface.s(a), exact.s(a), atol=5e-4)


def test_scaling_and_mirroring():
    surface, a = OutlineSurface(FLAT), np.linspace(-0.6, 0.7, 27)
    np.testing.assert_allclose(surface.scaled(1.3).s(a), 1.3 * surface.s(a), atol=1e-15)
    np.testing.assert_allclose(surface.mirror().s(-a), -surface.s(a), atol=1e-15)
    np.testing.assert_allclose(surface.mirror().h(-a), surface.h(a), atol=1e-15)


def test_what_is_above_the_sole_does_not_matter():
    upper = np.array([[0.0, 0.1], [0.1, 0.08], [0.05, 1e-6], [0.055, 0.0]])
    a = np.linspace(-0.6, 0.7, 9)
    mixed = np.random.default_rng(0).permutation(np.vstack([FLAT, upper]))
    np.testing.assert_allclose(OutlineSurface(mixed).s(a), OutlineSurface(FLAT).s(a), atol=1e-15)


def test_points_above_each_other():
    hull = lower_hull(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 2.0], [1.0, 0.5], [0.5, 0.1]]))
    np.testing.assert_array_equal(hull, [[0.0, 0.0], [0.5, 0.1], [1.0, 0.5]])


@given(st.integers(0, 10_000), st.floats(0.01, 0.5))
def test_any_points_make_a_convex_outline(seed, width):
    points = np.random.default_rng(seed).normal(size=(12, 2)) * [0.1, 0.03]
    surface, a = OutlineSurface(points, width), np.linspace(-1.0, 1.0, 81)
    assert (surface.rho(a) >= 0.0).all() and (np.diff(surface.s(a)) >= -1e-15).all()
    inside = np.outer(np.sin(a), points[:, 0]) - np.outer(np.cos(a), points[:, 1]) - surface.h(a)[:, None]
    # no point sinks into the ground by more than rounding off its corners moves it
    assert inside.max() < np.ptp(points[:, 0]) * width**2


def test_a_right_angle_is_the_limit():
    with pytest.raises(InputError, match=r"outside -1\.571 to 1\.571"):
        check_range(OutlineSurface(FLAT), 1.7)


@pytest.mark.parametrize(
    ("points", "width", "words"),
    [
        (np.zeros((4, 3)), 0.05, r"shape \(n, 2\)"),
        ([[0.0, 0.0]], 0.05, "at least two points"),
        ([[0.0, 0.0], [0.0, 1.0]], 0.05, "at least two points"),
        ([[0.0, 0.0], [np.nan, 1.0]], 0.05, "finite"),
        (FLAT, 0.0, "above 0 rad"),
        (FLAT, 1.0, "below 1 rad"),
    ],
)
def test_what_is_no_outline_is_refused(points, width, words):
    with pytest.raises(InputError, match=words):
        OutlineSurface(points, width)
