"""One constant-strain rod segment: the closed forms, on scalars of any type.

A segment of constant strain xi = [kappa; eps] has the pose g(s) = exp(s hat(xi)) at arc length s.
Everything below is polynomial in the strain, its rates and the Stumpff functions c_k(x) of x = s^2
|kappa|^2, so there is no division, no branch and no singularity at zero strain. Lengths are absorbed in the
`Coefficients` of a station s; the vectors that do not depend on s (`Rates`, `Seconds`) are computed once
for a segment and shared by its stations.

The same forms serve rigid motions: at s = 1, with xi the exponential coordinates, `pose` is the exponential
map of SE(3) and `tangent` its right tangent map.

Units: s in [m], kappa in [rad/m], eps without unit, poses in [m]; for s = 1, kappa in [rad] and eps in [m].
Source: docs/theory/rods.md; model class of arXiv 2605.13192 [Hybrid2026].
"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

from softstride.spatial.small import Mat, Scalar, Vec

SERIES_TERMS = 16  # truncation error of c6, c7 below 1e-16 of their value at zero up to SERIES_LIMIT
SERIES_LIMIT = 40.0  # largest x for which the series holds: just above one full turn, (2 pi)^2 = 39.5


class Coefficients(NamedTuple):
    """Weights of one station: alpha_k = s^k c_k, and beta, gamma their derivatives in |kappa|^2."""

    s: Scalar
    a1: Scalar
    a2: Scalar
    a3: Scalar
    b2: Scalar
    b3: Scalar
    g2: Scalar
    g3: Scalar


class Rates(NamedTuple):
    """Station-independent vectors of a strain rate (or of any strain-like 6-vector)."""

    dkappa: Vec
    deps: Vec
    A: Vec  # kappa x dkappa
    B: Vec  # kappa x A
    G1: Vec  # kappa x deps + eps x dkappa
    G2: Vec  # kappa x G1 + eps x A
    y: Scalar  # y0 = 2 kappa . eps
    dx: Scalar  # x0' = 2 kappa . dkappa
    dy: Scalar  # y0' = 2 (dkappa . eps + kappa . deps)


class Seconds(NamedTuple):
    """Station-independent vectors of the second strain rate; P* collect all that beta multiplies."""

    ddkappa: Vec
    ddeps: Vec
    A: Vec  # A*
    B: Vec  # B* + dkappa x A
    G1: Vec  # G1*
    G2: Vec  # G2* + dkappa x G1 + deps x A
    P2: Vec  # y0 A* + y0' A + x0' G1
    P3: Vec  # y0 (B* + dkappa x A) + y0' B + x0' G2


class WrenchSums(NamedTuple):
    """Weighted sums over stations of body moments n and forces f."""

    N0: Vec  # sum s n
    N2: Vec  # sum alpha2 n
    N3: Vec  # sum alpha3 n
    F0: Vec  # sum s f
    F2: Vec  # sum alpha2 f
    F3: Vec  # sum alpha3 f
    Y2: Vec  # sum beta2 f
    Y3: Vec  # sum beta3 f


def stumpff_series(x: Scalar, top: int = 7) -> tuple[Scalar, ...]:
    """Return the Stumpff functions (c0, ..., c_top) of 0 <= x <= 40, without a branch.

    c_k(x) = sum_j (-x)^j / (2j + k)!; the last two by a 16-term Horner series, the others downward by
    c_k = 1/k! - x c_{k+2}. Error below 4e-15 / k! for k > 0, below 2e-14 for c0.

    Args:
        x: Argument s^2 |kappa|^2 in [rad^2], at most `SERIES_LIMIT`.
        top: Last function wanted, at least 7.

    Returns:
        Tuple with c_k at index k.
    """
    c: list[Scalar] = [0.0] * (top + 1)
    for k in (top - 1, top):
        value: Scalar = 1.0 / factorial(2 * SERIES_TERMS - 2 + k)
        for j in range(SERIES_TERMS - 2, -1, -1):
            value = 1.0 / factorial(2 * j + k) - x * value
        c[k] = value
    for k in range(top - 2, -1, -1):
        c[k] = 1.0 / factorial(k) - x * c[k + 2]
    return tuple(c)


def coefficients(c: tuple[Scalar, ...], s: Scalar) -> Coefficients:
    """Return the weights of the station at arc length s.

    alpha_k = s^k c_k (k = 1, 2, 3); beta2 = s^4 (c4 - c3/2), beta3 = s^5 (3 c5 - c4)/2,
    gamma2 = s^6 (8 c6 - 5 c5 + c4)/4, gamma3 = s^7 (15 c7 - 7 c6 + c5)/4.

    Args:
        c: Stumpff functions of x = s^2 |kappa|^2, c_k at index k, up to c7.
        s: Arc length from the base of the segment, in [m].
    """
    s2 = s * s
    s3 = s2 * s
    s4 = s2 * s2
    return Coefficients(
        s=s,
        a1=s * c[1],
        a2=s2 * c[2],
        a3=s3 * c[3],
        b2=s4 * (c[4] - 0.5 * c[3]),
        b3=s4 * s * (1.5 * c[5] - 0.5 * c[4]),
        g2=s4 * s2 * (2.0 * c[6] - 1.25 * c[5] + 0.25 * c[4]),
        g3=s4 * s3 * (3.75 * c[7] - 1.75 * c[6] + 0.25 * c[5]),
    )


def rotation(kappa: Vec, k: Coefficients) -> Mat:
    """Return R = E + alpha1 hat(kappa) + alpha2 hat(kappa)^2, section axes to base axes."""
    return _polynomial(1.0, kappa * k.a1, kappa, k.a2)


def pose(kappa: Vec, eps: Vec, k: Coefficients) -> tuple[Mat, Vec]:
    """Return the pose (R, p) of a station relative to the segment's base, g = exp(s hat(xi)).

    p = s eps + alpha2 kappa x eps + alpha3 kappa x (kappa x eps), in base axes, [m].
    """
    u = kappa.cross(eps)
    return rotation(kappa, k), eps * k.s + u * k.a2 + kappa.cross(u) * k.a3


def tangent_angular(kappa: Vec, k: Coefficients) -> Mat:
    """Return D = s 1 - alpha2 hat(kappa) + alpha3 hat(kappa)^2, the angular block of T_R."""
    return _polynomial(k.s, -(kappa * k.a2), kappa, k.a3)


def tangent_angular_derivative(kappa: Vec, dkappa: Vec, k: Coefficients) -> Mat:
    """Return the derivative of D along dkappa, d/dh D(kappa + h dkappa) at h = 0."""
    dx = 2.0 * kappa.dot(dkappa)
    skew = kappa * (k.b2 * dx) + dkappa * k.a2
    dD: Mat = _polynomial(0.0, -skew, kappa, k.b3 * dx) + _anticommutator(kappa, dkappa) * k.a3
    return dD


def tangent(kappa: Vec, eps: Vec, k: Coefficients) -> tuple[Mat, Mat]:
    """Return (D, E) of the right tangent map T_R = [[D, 0], [E, D]] = int_0^s exp(-y ad xi) dy.

    E is the derivative of D(kappa) along eps. The station's body twist is
    Ad(g)^-1 (twist of the base) + T_R (strain rate).
    """
    return tangent_angular(kappa, k), tangent_angular_derivative(kappa, eps, k)


def tangent_derivative(kappa: Vec, eps: Vec, dkappa: Vec, deps: Vec, k: Coefficients) -> tuple[Mat, Mat]:
    """Return (dD, dE), the derivative of `tangent` along (dkappa, deps): d/dh T_R(xi + h dxi) at h = 0.

    dE = D''(kappa)[eps, dkappa] + D'(kappa)[deps]. With dxi the strain rate this is the time derivative of
    T_R.
    """
    y = 2.0 * kappa.dot(eps)
    dx = 2.0 * kappa.dot(dkappa)
    dy = 2.0 * (dkappa.dot(eps) + kappa.dot(deps))
    skew = kappa * (k.b2 * dy + k.g2 * (dx * y)) + (eps * dx + dkappa * y) * k.b2 + deps * k.a2
    dE = (
        _polynomial(0.0, -skew, kappa, k.b3 * dy + k.g3 * (dx * y))
        + _anticommutator(kappa, eps * dx + dkappa * y) * k.b3
        + (_anticommutator(kappa, deps) + _anticommutator(dkappa, eps)) * k.a3
    )
    return tangent_angular_derivative(kappa, dkappa, k), dE


def tangent_inverse(kappa: Vec, eps: Vec, b: Scalar, db: Scalar) -> tuple[Mat, Mat]:
    """Return (D^-1, -D^-1 E D^-1), the blocks of the inverse of T_R at s = 1.

    D^-1 = 1 + hat(kappa)/2 + b hat(kappa)^2 and the second block is its derivative along eps.

    Args:
        kappa: Rotation vector, in [rad].
        eps: Linear part, in [m].
        b: (c3 - 2 c4) / (2 c2) at x = |kappa|^2.
        db: Derivative of b in x.
    """
    y = 2.0 * kappa.dot(eps)
    linear = _polynomial(0.0, eps * 0.5, kappa, db * y) + _anticommutator(kappa, eps) * b
    return _polynomial(1.0, kappa * 0.5, kappa, b), linear


def rates(kappa: Vec, eps: Vec, dkappa: Vec, deps: Vec) -> Rates:
    """Return the station-independent vectors of the strain rate (dkappa, deps), for `velocity`."""
    A = kappa.cross(dkappa)
    G1 = kappa.cross(deps) + eps.cross(dkappa)
    return Rates(
        dkappa=dkappa,
        deps=deps,
        A=A,
        B=kappa.cross(A),
        G1=G1,
        G2=kappa.cross(G1) + eps.cross(A),
        y=2.0 * kappa.dot(eps),
        dx=2.0 * kappa.dot(dkappa),
        dy=2.0 * (dkappa.dot(eps) + kappa.dot(deps)),
    )


def seconds(kappa: Vec, eps: Vec, rate: Rates, ddkappa: Vec, ddeps: Vec) -> Seconds:
    """Return the station-independent vectors of the second strain rate, for `acceleration`.

    Zero vectors for ddkappa, ddeps leave the velocity-dependent part, Tdot_R xidot.
    """
    A = kappa.cross(ddkappa)
    G1 = kappa.cross(ddeps) + eps.cross(ddkappa)
    B = kappa.cross(A) + rate.dkappa.cross(rate.A)
    return Seconds(
        ddkappa=ddkappa,
        ddeps=ddeps,
        A=A,
        B=B,
        G1=G1,
        G2=kappa.cross(G1) + eps.cross(A) + rate.dkappa.cross(rate.G1) + rate.deps.cross(rate.A),
        P2=A * rate.y + rate.A * rate.dy + rate.G1 * rate.dx,
        P3=B * rate.y + rate.B * rate.dy + rate.G2 * rate.dx,
    )


def velocity(rate: Rates, k: Coefficients) -> tuple[Vec, Vec]:
    """Return j = T_R xidot = (j_omega, j_v), the station's twist relative to the base, in station axes."""
    j_omega = rate.dkappa * k.s - rate.A * k.a2 + rate.B * k.a3
    j_v = rate.deps * k.s - rate.G1 * k.a2 + rate.G2 * k.a3 + (rate.B * k.b3 - rate.A * k.b2) * rate.y
    return j_omega, j_v


def acceleration(rate: Rates, second: Seconds, k: Coefficients) -> tuple[Vec, Vec]:
    """Return a = T_R xiddot + Tdot_R xidot = (a_omega, a_v), in station axes.

    The station's acceleration is Ad(g)^-1 (acceleration of the base) + a + ad(eta) j.
    """
    a_omega = (
        second.ddkappa * k.s - second.A * k.a2 + second.B * k.a3 + (rate.B * k.b3 - rate.A * k.b2) * rate.dx
    )
    a_v = (
        second.ddeps * k.s
        - second.G1 * k.a2
        + second.G2 * k.a3
        - second.P2 * k.b2
        + second.P3 * k.b3
        + (rate.B * k.g3 - rate.A * k.g2) * (rate.dx * rate.y)
    )
    return a_omega, a_v


def rate_terms(
    kappa: Vec, eps: Vec, dkappa: Vec, deps: Vec, ddkappa: Vec, ddeps: Vec, k: Coefficients
) -> tuple[Vec, Vec, Vec, Vec]:
    """Return (j_omega, j_v, a_omega, a_v) of one station; `velocity` and `acceleration` in one call."""
    rate = rates(kappa, eps, dkappa, deps)
    return *velocity(rate, k), *acceleration(rate, seconds(kappa, eps, rate, ddkappa, ddeps), k)


def weigh(n: Vec, f: Vec, k: Coefficients) -> WrenchSums:
    """Return one station's share of the sums for `project`, from its body wrench n in [N m], f in [N]."""
    return WrenchSums(n * k.s, n * k.a2, n * k.a3, f * k.s, f * k.a2, f * k.a3, f * k.b2, f * k.b3)


def add_sums(first: WrenchSums, second: WrenchSums) -> WrenchSums:
    """Return the sums over the stations of both."""
    return WrenchSums(*(a + b for a, b in zip(first, second, strict=True)))


def project(kappa: Vec, eps: Vec, w: WrenchSums) -> tuple[Vec, Vec]:
    """Return the generalized forces (tau_kappa, tau_eps) = sum T_R^T (n, f) of the strains.

    tau_kappa = N0 + kappa x [N2 + y0 Y2 + eps x F3 + kappa x (N3 + y0 Y3)] + eps x [F2 + kappa x F3],
    tau_eps = F0 + kappa x F2 + kappa x (kappa x F3), with y0 = 2 kappa . eps.
    """
    y = 2.0 * kappa.dot(eps)
    u = kappa.cross(w.F3)
    inner = w.N2 + w.Y2 * y + eps.cross(w.F3) + kappa.cross(w.N3 + w.Y3 * y)
    return w.N0 + kappa.cross(inner) + eps.cross(w.F2 + u), w.F0 + kappa.cross(w.F2 + u)


def _polynomial(constant: Scalar, skew: Vec, kappa: Vec, square: Scalar) -> Mat:
    """Return constant 1 + hat(skew) + square hat(kappa)^2.

    hat(kappa)^2 = kappa kappa^T - |kappa|^2 1.
    """
    u = kappa * square
    xx, yy, zz = u.x * kappa.x, u.y * kappa.y, u.z * kappa.z
    diagonal = Vec(constant - (yy + zz), constant - (zz + xx), constant - (xx + yy))
    return Mat.skew_symmetric(skew, diagonal, Vec(u.y * kappa.z, u.z * kappa.x, u.x * kappa.y))


def _anticommutator(a: Vec, b: Vec) -> Mat:
    """Return hat(a) hat(b) + hat(b) hat(a) = a b^T + b a^T - 2 (a . b) 1."""
    xx, yy, zz = a.x * b.x, a.y * b.y, a.z * b.z
    off = Vec(a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x)
    diagonal = Vec(-2.0 * (yy + zz), -2.0 * (zz + xx), -2.0 * (xx + yy))
    return Mat.symmetric(diagonal, off)
