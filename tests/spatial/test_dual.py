"""Dual numbers: derivatives of formulas in +, - and *, to rounding."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from softstride.spatial import segment
from softstride.spatial.dual import Dual, dual_vec, slope
from softstride.spatial.small import Mat, Vec

ROUNDING = 1e-12  # a few hundred operations on numbers near one
numbers = st.floats(-2.0, 2.0)


@given(numbers, numbers)
def test_a_polynomial_and_its_derivative(x, d):
    y = Dual(x, d)
    result = 3.0 - y * y * y + 2.0 * y - (1.0 - y)
    assert abs(result.value - (2.0 - x**3 + 3.0 * x)) < ROUNDING
    assert abs(result.slope - (3.0 - 3.0 * x**2) * d) < ROUNDING


def test_vectors_and_matrices_carry_their_derivatives():
    a, da = Vec(1.0, 2.0, 3.0), Vec(0.5, -1.0, 2.0)
    b = Vec(-1.0, 0.3, 0.7)
    turned = slope(dual_vec(a, da).cross(b))
    np.testing.assert_allclose(list(turned), np.cross(list(da), list(b)), atol=ROUNDING)
    hat = slope(Mat.hat(dual_vec(a, da)))
    np.testing.assert_allclose([list(row) for row in hat], [list(row) for row in Mat.hat(da)], atol=ROUNDING)
    assert slope(1.5) == 0.0 and list(slope(b)) == [0.0, 0.0, 0.0]


def test_the_tangent_map_of_a_segment_agrees_with_its_closed_derivative():
    kappa, eps = Vec(0.3, 2.0, -0.4), Vec(1.01, 0.02, -0.03)
    dkappa, deps = Vec(2.0, -1.0, 0.5), Vec(0.1, -0.2, 0.05)
    s = 0.25
    square = kappa.dot(kappa) * s * s
    c = segment.stumpff_series(square, 9)
    rate = 2.0 * kappa.dot(dkappa)
    weights = segment.coefficients(c, s)
    dc = [0.5 * (k * c[k + 2] - c[k + 1]) * s * s * rate for k in range(8)]
    slopes = segment.coefficients(tuple(dc), s)
    dual = segment.Coefficients(
        *(Dual(x, 0.0 if i == 0 else y) for i, (x, y) in enumerate(zip(weights, slopes, strict=True)))
    )
    D, E = segment.tangent(dual_vec(kappa, dkappa), dual_vec(eps, deps), dual)
    for found, expected in zip(
        (D, E), segment.tangent_derivative(kappa, eps, dkappa, deps, weights), strict=True
    ):
        np.testing.assert_allclose(
            [list(row) for row in slope(found)], [list(row) for row in expected], atol=ROUNDING
        )
