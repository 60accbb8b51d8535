"""Closed forms of one rod segment: reference numbers, matrix exponentials, 60 digits, traced scalars."""

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm, expm_frechet

from softstride.spatial import se3, segment, so3, stumpff
from softstride.spatial.small import Mat, Vec

PRINTED = 2e-15  # relative to the largest entry: the reference prints 16 digits, we round a few times more
EXPM = 1e-14  # SciPy's own error on these matrices, norm below 10
REFERENCE = (0.3, 2.0, -0.4, 1.01, 0.02, -0.03)
STRAIGHT = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
RATE = (2.0, -1.0, 0.5, 0.1, -0.2, 0.05)
S = 0.25


def halves(six) -> tuple[Vec, Vec]:
    return Vec(*six[:3]), Vec(*six[3:])


def station(kappa: Vec, s: float) -> segment.Coefficients:
    return segment.coefficients(segment.stumpff_series(kappa.dot(kappa) * (s * s)), s)


def blocks(D: Mat, E: Mat) -> np.ndarray:
    d, e = (np.array([list(row) for row in m], dtype=float) for m in (D, E))
    return np.block([[d, np.zeros((3, 3))], [e, d]])


def joined(*vectors: Vec) -> np.ndarray:
    return np.array([float(x) for v in vectors for x in v])


@pytest.mark.parametrize(
    ("strain", "p", "velocity", "bias"),
    [
        (
            REFERENCE,
            [2.401534785924159e-01, -5.466800010929153e-03, -6.909389111033384e-02],
            [
                4.585845954631270e-01,
                -2.182655663135087e-01,
                2.526106150298019e-01,
                1.745492795475892e-02,
                -1.903962951665335e-02,
                4.908507748428746e-02,
            ],
            [
                1.173286763983233e-02,
                2.338429393171026e-02,
                -1.178717724915533e-03,
                6.928866332399022e-03,
                7.789770130209614e-03,
                -4.636070961073269e-03,
            ],
        ),
        (
            STRAIGHT,
            [0.25, 0.0, 0.0],
            [0.5, -0.25, 0.125, 0.025, -0.034375, 0.04375],
            [0.0, 0.0, 0.0, 0.00325520833333333333, 0.00520833333333333333, -0.00260416666666666667],
        ),
    ],
    ids=["curved", "straight"],
)
def test_reference_numbers(strain, p, velocity, bias):
    (kappa, eps), (dkappa, deps) = halves(strain), halves(RATE)
    k = station(kappa, S)
    zero = Vec.zero()
    j_omega, j_v, a_omega, a_v = segment.rate_terms(kappa, eps, dkappa, deps, zero, zero, k)
    for ours, printed in (
        (joined(segment.pose(kappa, eps, k)[1]), p),
        (joined(j_omega, j_v), velocity),
        (joined(a_omega, a_v), bias),
    ):
        np.testing.assert_allclose(ours, printed, rtol=0.0, atol=PRINTED * np.abs(printed).max())


@pytest.mark.parametrize("curvature", [0.0, 1e-12, 1e-8, 1e-4, 1e-2, 1.0, 2.0, 6.0, 20.0])
def test_against_matrix_exponentials(curvature, rng):
    """Pose, tangent map, its derivative, rate terms, from block matrix exponentials, bend up to 5 rad."""
    for _ in range(5):
        axis = rng.normal(size=3)
        strain = np.concatenate(
            [curvature * axis / np.linalg.norm(axis), [1.0, 0.0, 0.0] + 0.1 * rng.normal(size=3)]
        )
        rate, second = rng.normal(size=(2, 6))
        (kappa, eps), (dkappa, deps), (ddkappa, ddeps) = halves(strain), halves(rate), halves(second)
        k = station(kappa, S)

        R, p = segment.pose(kappa, eps, k)
        hat = np.zeros((4, 4))
        hat[:3, :3], hat[:3, 3] = so3.hat(strain[:3]), strain[3:]
        expected = expm(S * hat)
        np.testing.assert_allclose([list(row) for row in R], expected[:3, :3], atol=EXPM)
        np.testing.assert_allclose(list(p), expected[:3, 3], atol=EXPM)

        T, dT = (
            blocks(*segment.tangent(kappa, eps, k)),
            blocks(*segment.tangent_derivative(kappa, eps, dkappa, deps, k)),
        )
        A, dA = np.zeros((2, 12, 12))
        A[:6, :6], A[:6, 6:], dA[:6, :6] = -S * se3.ad(strain), S * np.eye(6), -S * se3.ad(rate)
        integral, derivative = expm_frechet(A, dA)
        np.testing.assert_allclose(T, integral[:6, 6:], atol=EXPM)
        np.testing.assert_allclose(dT, derivative[:6, 6:], atol=EXPM)

        terms = segment.rate_terms(kappa, eps, dkappa, deps, ddkappa, ddeps, k)
        np.testing.assert_allclose(joined(*terms[:2]), T @ rate, atol=EXPM)
        np.testing.assert_allclose(joined(*terms[2:]), T @ second + dT @ rate, atol=EXPM)


def test_derivative_formulas_are_exact():
    """On 60-digit numbers the formulas meet central differences to 25 digits, so no term is missing."""
    with mpmath.workdps(60):
        kappa, eps = halves([mpmath.mpf(x) for x in REFERENCE])
        dkappa, deps = halves([mpmath.mpf(x) for x in RATE])
        s, h = mpmath.mpf("0.7"), mpmath.mpf(10) ** -16

        def at(step):
            curvature, stretch = kappa + dkappa * step, eps + deps * step
            x = s * s * curvature.dot(curvature)
            c = [mpmath.fsum((-x) ** j / mpmath.factorial(2 * j + k) for j in range(50)) for k in range(8)]
            return curvature, stretch, segment.coefficients(tuple(c), s)

        dD, dE = segment.tangent_derivative(kappa, eps, dkappa, deps, at(0)[2])
        (D1, E1), (D0, E0) = segment.tangent(*at(h)), segment.tangent(*at(-h))
        for exact, difference in ((dD, D1 - D0), (dE, E1 - E0)):
            error = exact - difference * (1 / (2 * h))
            assert max(abs(entry) for row in error for entry in row) < mpmath.mpf(10) ** -25


def test_base_and_strain_twist_compose(rng):
    """The body twist of g_base exp(s xi), by differences of poses, is Ad(g)^-1 eta_base + T_R xidot."""
    strain, rate, base = np.array(REFERENCE), np.array(RATE), rng.normal(size=6)
    h = 1e-5
    ahead, behind = (se3.exp(t * base) @ se3.exp(S * (strain + t * rate)) for t in (h, -h))
    pose = se3.exp(S * strain)
    body = se3.log(np.linalg.solve(behind, ahead)) / (2.0 * h)
    kappa, eps = halves(strain)
    j = joined(*segment.velocity(segment.rates(kappa, eps, *halves(rate)), station(kappa, S)))
    # the second-order difference leaves h^2 times third derivatives of order 10
    np.testing.assert_allclose(body, se3.Ad_inv(pose) @ base + j, atol=1e-8)


def test_projection_is_the_transpose_of_the_tangent(rng):
    """Sum over stations of T_R^T (n, f), from the weighted sums."""
    kappa, eps = halves(REFERENCE)
    sums, expected = None, np.zeros(6)
    for s in (0.05, 0.15, 0.25):
        wrench, k = rng.normal(size=6), station(kappa, s)
        share = segment.weigh(*halves(wrench), k)
        sums = share if sums is None else segment.add_sums(sums, share)
        expected += blocks(*segment.tangent(kappa, eps, k)).T @ wrench
    np.testing.assert_allclose(joined(*segment.project(kappa, eps, sums)), expected, atol=1e-15)


def test_component_arrays_are_frames(rng):
    """Scalars that are arrays give every frame the result of its own numbers."""
    strains, rates = rng.normal(size=(2, 7, 6))
    kappa, eps, dkappa, deps = (Vec(*part.T) for six in (strains, rates) for part in (six[:, :3], six[:, 3:]))
    k = segment.coefficients(stumpff(kappa.dot(kappa) * S**2), S)
    j = segment.velocity(segment.rates(kappa, eps, dkappa, deps), k)
    for i in range(7):
        (k1, e1), (d1, f1) = halves(strains[i]), halves(rates[i])
        single = segment.velocity(segment.rates(k1, e1, d1, f1), station(k1, S))
        np.testing.assert_allclose([x[i] for v in j for x in v], joined(*single), atol=1e-15)


class Traced:
    """A scalar that knows only +, -, * with its own kind and floats, as a compiler's tracer does."""

    def __init__(self, value: float) -> None:
        self.value = value

    def _other(self, other):
        if isinstance(other, (int, float)):
            return float(other)
        return other.value if isinstance(other, Traced) else None

    def _binary(self, other, operation):
        value = self._other(other)
        return NotImplemented if value is None else Traced(operation(self.value, value))

    def __add__(self, other):
        return self._binary(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._binary(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._binary(other, lambda a, b: b - a)

    def __mul__(self, other):
        return self._binary(other, lambda a, b: a * b)

    def __neg__(self):
        return Traced(-self.value)

    def __bool__(self):
        raise TypeError("a traced value has no truth")

    def __float__(self):
        return self.value

    __radd__, __rmul__ = __add__, __mul__


def test_every_formula_runs_on_traced_scalars():
    """No division, branch or comparison anywhere, and the same numbers as on floats."""

    def everything(wrap):
        kappa, eps, dkappa, deps, n, f = (
            Vec(*map(wrap, part))
            for six in (REFERENCE, RATE, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
            for part in (six[:3], six[3:])
        )
        s = wrap(S)
        k = segment.coefficients(segment.stumpff_series(s * s * kappa.dot(kappa)), s)
        sums = segment.add_sums(segment.weigh(n, f, k), segment.weigh(f, n, k))
        vectors = [
            segment.pose(kappa, eps, k)[1],
            *segment.rate_terms(kappa, eps, dkappa, deps, n, f, k),
            *segment.project(kappa, eps, sums),
            *segment.rotation(kappa, k),
        ]
        for matrices in (
            segment.tangent(kappa, eps, k),
            segment.tangent_derivative(kappa, eps, dkappa, deps, k),
            segment.tangent_inverse(kappa, eps, wrap(0.08), wrap(0.0014)),
        ):
            vectors += [row for matrix in matrices for row in matrix]
        assert (
            isinstance(2.0 * kappa, Vec)
            and isinstance(s * kappa, Vec)
            and isinstance(s * Mat.hat(kappa), Mat)
        )
        return joined(*vectors)

    np.testing.assert_array_equal(everything(Traced), everything(float))
