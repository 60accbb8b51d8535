"""Inertia against closed forms, and its guards."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import bad_input

from softstride.errors import ModelError
from softstride.model import Inertia
from softstride.spatial import se3

coordinate = st.floats(-2.0, 2.0)
vector = st.tuples(coordinate, coordinate, coordinate).map(np.array)
mass = st.floats(0.01, 50.0)


def cloud(seed, n=6):
    """Return masses (n,) and positions (n, 3) of random particles."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 2, n), rng.normal(size=(n, 3))


def of_particles(m, x):
    """Return the Inertia of particles, from the definition."""
    com = m @ x / m.sum()
    r = x - com
    return Inertia(
        m.sum(), com, sum(k * (d @ d * np.eye(3) - np.outer(d, d)) for k, d in zip(m, r, strict=True))
    )


def assert_same(a, b):
    assert a.mass == pytest.approx(b.mass, rel=1e-13)
    np.testing.assert_allclose(a.com, b.com, atol=1e-12)
    np.testing.assert_allclose(a.matrix, b.matrix, atol=1e-11)


@given(st.integers(0, 10**6))
def test_sum_of_two_clouds_is_the_cloud_of_both(seed):
    (m, x), (n, y) = cloud(seed), cloud(seed + 1)
    assert_same(of_particles(m, x) + of_particles(n, y), of_particles(np.append(m, n), np.vstack([x, y])))


@given(st.integers(0, 10**6), vector, vector)
def test_shifted_moves_the_particles(seed, turn, shift):
    m, x = cloud(seed)
    T = se3.exp(np.concatenate([turn, shift]))
    assert_same(of_particles(m, x).shifted(T), of_particles(m, x @ T[:3, :3].T + T[:3, 3]))


@given(st.integers(0, 10**6), vector, vector)
def test_spatial_gives_the_kinetic_energy_of_the_particles(seed, w, v):
    m, x = cloud(seed)
    eta = np.concatenate([w, v])
    energy = 0.5 * m @ np.sum((v + np.cross(w, x)) ** 2, axis=1)
    assert 0.5 * eta @ of_particles(m, x).spatial() @ eta == pytest.approx(energy, rel=1e-11, abs=1e-11)


def test_zero_is_neutral():
    body = of_particles(*cloud(1))
    assert_same(body + Inertia.zero(), body)
    assert_same(Inertia.zero() + body, body)
    assert (Inertia.zero() + Inertia.zero()).mass == 0.0


def test_sum_needs_an_inertia():
    with pytest.raises(TypeError):
        Inertia(1.0) + 1.0


def test_ellipsoid_with_equal_axes_is_a_ball():
    ball = Inertia.ellipsoid(3.0, (0.5, 0.5, 0.5), com=(1, 2, 3))
    np.testing.assert_allclose(ball.matrix, 0.4 * 3.0 * 0.25 * np.eye(3), rtol=1e-14)
    np.testing.assert_array_equal(ball.com, [1, 2, 3])


def test_diagonal_is_accepted():
    np.testing.assert_array_equal(Inertia(1, matrix=(1, 2, 3)).matrix, np.diag([1, 2, 3]))


def test_flat_plate_touches_the_triangle_inequality():
    Inertia(1.0, matrix=np.array([0.1 + 0.2, 0.1, 0.2]))
    Inertia(0.8, matrix=(2e-4, 1e-5, 1.9e-4))


@given(mass, vector, st.integers(0, 10**6))
def test_rotated_flat_plates_are_accepted(m, turn, seed):
    a, b = np.random.default_rng(seed).uniform(0, 1, 2) * 10.0 ** np.random.default_rng(seed + 1).uniform(
        -8, 8
    )
    T = se3.exp(np.concatenate([turn, turn]))
    Inertia(m, matrix=(a + b, a, b)).shifted(T)


@bad_input(
    ModelError,
    ({"mass": -1e-9}, "mass must be at least 0"),
    ({"mass": math.nan}, "mass must be finite"),
    ({"mass": "heavy"}, "mass must be a number"),
    ({"mass": 1, "com": (0, math.nan, 0)}, "centre of mass must be finite"),
    ({"mass": 1, "com": (0, 0)}, "centre of mass must have shape"),
    ({"mass": 1, "matrix": np.ones((2, 2))}, "inertia matrix must have shape"),
    ({"mass": 1, "matrix": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}, "symmetric"),
    ({"mass": 1, "matrix": (1, 1, -0.1)}, "no negative principal moment"),
    ({"mass": 1, "matrix": (1, 2, 3.1)}, "triangle inequality"),
    ({"mass": 1, "matrix": (1e200, 1e200, 3e200)}, "triangle inequality"),
)
def test_guards(refuses):
    refuses(Inertia, mass=1.0)


def test_unphysical_inertias_are_kept_on_request_but_never_negative_ones():
    toes = Inertia(0.2, matrix=(1e-4, 2e-4, 1e-3), physical=False)
    assert not (toes + Inertia(1.0)).physical and not toes.shifted(np.eye(4)).physical
    with pytest.raises(ModelError, match="negative"):
        Inertia(0.2, matrix=(-1e-4, 2e-4, 1e-3), physical=False)


def test_shift_must_be_rigid():
    with pytest.raises(ModelError, match="shift of an inertia"):
        Inertia(1.0).shifted(2 * np.eye(4))
