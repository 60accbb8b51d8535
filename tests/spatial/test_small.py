"""Vec and Mat against NumPy, and on scalars of other types."""

from fractions import Fraction

import numpy as np
import pytest

from softstride.spatial.small import Mat, Vec

ROUNDING = 1e-15  # a handful of operations on numbers near 1


@pytest.fixture
def pair(rng):
    a, b = rng.normal(size=(2, 3))
    return a, b, Vec(*a), Vec(*b)


@pytest.fixture
def matrices(rng):
    m, n = rng.normal(size=(2, 3, 3))
    return m, n, Mat(*(Vec(*row) for row in m)), Mat(*(Vec(*row) for row in n))


def array(mat: Mat) -> np.ndarray:
    return np.array([list(row) for row in mat])


def test_vector_operations_agree_with_numpy(pair):
    a, b, u, v = pair
    np.testing.assert_array_equal(list(u + v), a + b)
    np.testing.assert_array_equal(list(u - v), a - b)
    np.testing.assert_array_equal(list(-u), -a)
    np.testing.assert_array_equal(list(u * 2.5), a * 2.5)
    np.testing.assert_array_equal(list(2.5 * u), a * 2.5)
    np.testing.assert_allclose(u.dot(v), a @ b, atol=ROUNDING)
    np.testing.assert_allclose(list(u.cross(v)), np.cross(a, b), atol=ROUNDING)
    assert (u[0], u[1], u[2], u[-1], len(u)) == (a[0], a[1], a[2], a[2], 3)


def test_matrix_operations_agree_with_numpy(matrices, pair):
    m, n, M, N = matrices
    a, b, u, v = pair
    np.testing.assert_array_equal(array(M + N), m + n)
    np.testing.assert_array_equal(array(M - N), m - n)
    np.testing.assert_array_equal(array(-M), -m)
    np.testing.assert_array_equal(array(M * 3.0), m * 3.0)
    np.testing.assert_array_equal(array(3.0 * M), m * 3.0)
    np.testing.assert_allclose(array(M @ N), m @ n, atol=4 * ROUNDING)
    np.testing.assert_allclose(list(M @ u), m @ a, atol=4 * ROUNDING)
    np.testing.assert_array_equal(array(M.T), m.T)
    np.testing.assert_array_equal([list(c) for c in M.columns()], m.T)
    np.testing.assert_array_equal(array(Mat.from_columns(*M.columns())), m)
    np.testing.assert_array_equal(array(Mat.outer(u, v)), np.outer(a, b))
    assert M[1, 2] == m[1, 2]
    assert list(M[1]) == list(m[1])
    assert len(M) == 3


def test_constructors(pair):
    a, b, u, v = pair
    np.testing.assert_array_equal(array(Mat.identity()), np.eye(3))
    np.testing.assert_array_equal(array(Mat.zero()), np.zeros((3, 3)))
    np.testing.assert_array_equal(array(Mat.diagonal(1.0, 2.0, 3.0)), np.diag([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(list(Mat.hat(u) @ v), list(u.cross(v)))
    np.testing.assert_array_equal([list(Vec.unit(i)) for i in range(3)], np.eye(3))
    assert list(Vec.zero()) == [0.0, 0.0, 0.0]
    symmetric = Mat.symmetric(u, v)
    np.testing.assert_array_equal(array(symmetric), array(symmetric.T))
    np.testing.assert_array_equal(np.diag(array(symmetric)), a)
    assert [symmetric[1, 2], symmetric[2, 0], symmetric[0, 1]] == list(b)
    both = Mat.skew_symmetric(u, v, u)
    np.testing.assert_allclose(array(both), array(Mat.hat(u) + Mat.symmetric(v, u)), atol=ROUNDING)


def test_array_times_vector_is_a_vector_of_arrays(pair):
    """NumPy must not iterate over a Vec or Mat that stands to its right."""
    *_, u, v = pair
    factor = np.array([1.0, 2.0, 3.0, 4.0])
    for product in (factor * u, u * factor, np.float64(2.0) * u):
        assert isinstance(product, Vec)
    np.testing.assert_array_equal((factor * u).y, factor * u.y)
    assert isinstance(factor * Mat.outer(u, v), Mat)
    assert isinstance(np.float64(2.0) * Mat.outer(u, v), Mat)


def test_exact_on_fractions():
    """The algebra is exact if the scalars are: Jacobi identity and (MN)^T = N^T M^T without tolerance."""
    a, b, c = Vec(*map(Fraction, (1, -2, 3))), Vec(*map(Fraction, (5, 7, -1))), Vec(*map(Fraction, (2, 0, 9)))
    jacobi = a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b))
    assert list(jacobi) == [0, 0, 0]
    M, N = Mat(a, b, c), Mat(c * Fraction(1, 3), a, b)
    assert [list(r) for r in (M @ N).T] == [list(r) for r in N.T @ M.T]


def test_ambiguous_products_are_refused(pair, matrices):
    *_, u, v = pair
    M = matrices[2]
    for wrong in (lambda: u * v, lambda: u * M, lambda: M * u, lambda: M * M):
        with pytest.raises(TypeError):
            wrong()
    for wrong in (lambda: u + 1.0, lambda: u - 1.0, lambda: M + u, lambda: M - 1.0, lambda: M @ 2.0):
        with pytest.raises(TypeError):
            wrong()


def test_unit_refuses_other_axes():
    with pytest.raises(IndexError, match="0, 1 or 2"):
        Vec.unit(3)


def test_representation_shows_the_components():
    assert repr(Vec(1.0, 2.0, 3.0)) == "Vec(1.0, 2.0, 3.0)"
    assert repr(Mat.zero()).startswith("Mat(Vec(0.0, 0.0, 0.0), ")
