"""Friction: projections against an optimiser and by their optimality, margins, and bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, nnls

from softstride.contact import (
    friction_margin,
    project_cone,
    project_pyramid,
    pyramid_rows,
    split_force,
    tangents,
)
from softstride.errors import InputError

NORMALS = [(0.0, 1.0, 0.0), (0.0, 0.0, 3.0), (1.0, 0.0, 0.0), (0.2, -0.9, 0.4), (-0.9, 0.1, 0.2)]
RNG = np.random.default_rng(7)
FORCES = RNG.normal(size=(40, 3)) * 100.0

vectors = st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3).map(np.array)
frictions = st.floats(0.0, 2.0)


@pytest.mark.parametrize("normal", NORMALS)
def test_tangents_and_parts(normal):
    n = np.array(normal) / np.linalg.norm(normal)
    first, second = tangents(normal)
    np.testing.assert_allclose(np.cross(first, second), n, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm([first, second], axis=1), 1.0)
    N, T = split_force(FORCES, normal)
    np.testing.assert_allclose(N[:, None] * n + T, FORCES, atol=1e-12)
    np.testing.assert_allclose(T @ n, 0.0, atol=1e-12)


def test_margin():
    force = [[3.0, 10.0, 4.0], [0.0, 10.0, 9.0], [0.0, -1.0, 0.0]]
    np.testing.assert_allclose(friction_margin(force, 0.8), [3.0, -1.0, -0.8])
    np.testing.assert_allclose(friction_margin(force, [0.8, 1.0, 0.5]), [3.0, 1.0, -0.5])
    assert np.isnan(friction_margin([np.nan, 1.0, 0.0], 0.8))


@pytest.mark.slow
@pytest.mark.parametrize("normal", NORMALS)
def test_the_cone_by_an_optimiser(normal):
    n = np.array(normal) / np.linalg.norm(normal)
    for force in FORCES[:8]:
        found = project_cone(force, 0.6, normal)
        other = minimize(
            lambda f, force=force: np.sum((f - force) ** 2) / 1e4,
            n,
            constraints={"type": "ineq", "fun": lambda f: friction_margin(f, 0.6, normal)},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        ).x
        np.testing.assert_allclose(found, other, atol=0.05)


@given(vectors, frictions, st.sampled_from(NORMALS))
def test_the_cone_by_its_optimality(force, mu, normal):
    """Moreau: p in the cone, force − p in its polar cone, both orthogonal; so p is the nearest point."""
    p = project_cone(force, mu, normal)
    size = 1e-12 * (1.0 + np.abs(force).max())
    N, _ = split_force(p, normal)
    assert -size <= N and friction_margin(p, mu, normal) >= -size
    rest = force - p
    assert abs(rest @ p) <= size * (1.0 + np.abs(force).max())
    pull, T = split_force(rest, normal)
    assert pull + mu * np.linalg.norm(T) <= 4 * size
    np.testing.assert_allclose(project_cone(p, mu, normal), p, atol=4 * size)


@pytest.mark.parametrize("facets", [3, 4, 5, 8, 16])
@pytest.mark.parametrize("normal", NORMALS)
def test_the_pyramid_by_its_edges(facets, normal):
    """The pyramid is what its edges span: nonnegative least squares over them is an independent projection."""
    mu, n = 0.7, np.array(normal) / np.linalg.norm(normal)
    angle = 2 * np.pi * np.arange(facets) / facets
    edges = n[:, None] + mu * (tangents(normal).T @ np.stack([np.cos(angle), np.sin(angle)]))
    found = project_pyramid(FORCES, mu, normal, facets=facets)
    for force, p in zip(FORCES, found, strict=True):
        weights, _ = nnls(edges, force)
        np.testing.assert_allclose(p, edges @ weights, atol=1e-10)


@given(vectors, frictions, st.integers(3, 12), st.sampled_from(NORMALS))
def test_the_pyramid_keeps_to_its_rows_and_to_the_cone(force, mu, facets, normal):
    p = project_pyramid(force, mu, normal, facets=facets)
    size = 1e-12 * (1.0 + np.abs(force).max())
    assert (pyramid_rows(mu, normal, facets=facets) @ p <= size).all()
    assert friction_margin(p, mu, normal) >= -size
    distance = np.linalg.norm(force - p) - np.linalg.norm(force - project_cone(force, mu, normal))
    assert distance >= -size
    np.testing.assert_allclose(project_pyramid(p, mu, normal, facets=facets), p, atol=10 * size)


def test_many_facets_are_the_cone():
    fine = project_pyramid(FORCES, 0.7, facets=1_000_000)  # edges less than a millinewton apart
    np.testing.assert_allclose(fine, project_cone(FORCES, 0.7), atol=1e-3)


def test_without_friction_only_the_normal_is_left():
    for project in (project_cone, project_pyramid):
        np.testing.assert_allclose(project([3.0, 10.0, 4.0], 0.0), [0.0, 10.0, 0.0], atol=1e-15)
        np.testing.assert_allclose(project([0.0, -10.0, 0.0], 0.0), 0.0)
        np.testing.assert_allclose(project([0.0, 0.0, 0.0], 0.5), 0.0)


def test_any_leading_shape_and_friction_for_each():
    forces = FORCES.reshape(5, 8, 3)
    mu = np.linspace(0.1, 1.0, 8)
    for project in (project_cone, project_pyramid):
        found = project(forces, mu)
        assert found.shape == forces.shape
        np.testing.assert_allclose(found[2, 3], project(forces[2, 3], mu[3]), atol=1e-12)


def test_what_was_not_measured_stays_unknown():
    for project in (project_cone, project_pyramid):
        found = project([[np.nan, 1.0, 0.0], [0.0, 1.0, 0.0]], 0.5)
        assert np.isnan(found[0]).all()
        np.testing.assert_allclose(found[1], [0.0, 1.0, 0.0], atol=1e-15)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: project_cone(FORCES, -0.1), "friction must be at least 0, however it is -0.1"),
        (lambda: project_pyramid(FORCES, [0.5, np.nan]), "friction must be finite"),
        (lambda: friction_margin(FORCES, -1.0), "friction must be at least 0"),
        (lambda: pyramid_rows(-1.0), "friction must be at least 0"),
        (lambda: project_cone(FORCES, np.ones(3)), r"fit the forces, shape \(40,\)"),
        (lambda: project_cone(FORCES[:, :2], 0.5), r"force must have shape \(\.\.\., 3\)"),
        (lambda: project_cone(FORCES, 0.5, (0.0, 0.0, 0.0)), "normal must have a length above zero"),
        (lambda: project_pyramid(FORCES, 0.5, facets=2), "facets must be a whole number of at least 3"),
        (lambda: project_pyramid(FORCES, 0.5, facets=4.5), "facets"),
        (lambda: project_cone(["a", "b", "c"], 0.5), "real numbers"),
        (lambda: project_cone([[1.0, 2.0], [1.0]], 0.5), "real numbers"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()
