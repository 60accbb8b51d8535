"""Scratch of a rod segment: strain, rates and the vectors that all its stations share."""

from __future__ import annotations

from math import factorial
from typing import Any

from softstride.engine.kernels.records import Row, put, vec
from softstride.engine.kernels.tables import RATES, REAL, SECONDS, STRAIN, Tree
from softstride.engine.lanes import Frames, Index, Lane, Rows, select, sincos, sqrt, straight
from softstride.spatial import segment
from softstride.spatial.small import Vec


@straight
def set_reference(tree: Tree, i: Index, m: Rows, node: Index) -> None:
    """Set the strain of node i to its reference shape and the rates to zero."""
    reference = tree.nodes[i, REAL] + 12
    for k in range(6):
        m[node + STRAIN + k] = tree.constants[reference + k]
        m[node + STRAIN + 6 + k] = 0.0
        m[node + STRAIN + 12 + k] = 0.0


@straight
def set_strain(m: Rows, row: Index, q: Frames, f: Index, iq: Index) -> None:
    """Add one free strain: xi = xi0 + B q."""
    m[row + STRAIN] = m[row + STRAIN] + q[f, iq]


@straight
def set_rate(m: Rows, row: Index, v: Frames, f: Index, iv: Index) -> None:
    """Set the rate of one free strain."""
    m[row + STRAIN + 6] = v[f, iv]


@straight
def set_second(m: Rows, row: Index, a: Frames, f: Index, iv: Index) -> None:
    """Set the second rate of one free strain."""
    m[row + STRAIN + 12] = a[f, iv]


@straight
def set_rates(m: Rows, node: Index) -> None:
    """Compute the vectors that do not depend on the station."""
    # All products of strain and rates in j = T_R xi' and b = T_R xi'' + T_R' xi' (docs/theory/rods.md):
    # a station only weighs them with alpha, beta and gamma of its own arc length.
    kappa, eps, dkappa, deps, ddkappa, ddeps = (vec(m, node + STRAIN + 3 * i) for i in range(6))
    rates = segment.rates(kappa, eps, dkappa, deps)
    seconds = segment.seconds(kappa, eps, rates, ddkappa, ddeps)
    put(m, node + RATES, rates.A, rates.B, rates.G1, rates.G2, Vec(rates.y, rates.dx, rates.dy))
    put(m, node + SECONDS, seconds.A, seconds.B, seconds.G1, seconds.G2, seconds.P2, seconds.P3)


def load_strain(m: Rows, node: Row) -> tuple[Vec, Vec]:
    """Return kappa and eps."""
    return vec(m, node + STRAIN), vec(m, node + STRAIN + 3)


def load_rates(m: Rows, node: Row, angular: bool = False) -> segment.Rates:
    """Return what `set_rates` stored; ``angular`` says that no linear strain moves."""
    vectors = [vec(m, node + RATES + 3 * i) for i in range(5)]
    deps = Vec.zero() if angular else vec(m, node + STRAIN + 9)
    return segment.Rates(vec(m, node + STRAIN + 6), deps, *vectors[:4], *vectors[4])


def load_seconds(m: Rows, node: Row, angular: bool = False) -> segment.Seconds:
    """Return what `set_rates` stored of the second rates."""
    ddeps = Vec.zero() if angular else vec(m, node + STRAIN + 15)
    return segment.Seconds(
        vec(m, node + STRAIN + 12), ddeps, *(vec(m, node + SECONDS + 3 * i) for i in range(6))
    )


def stumpff(x: Lane, top: int = 7) -> tuple[Any, ...]:
    """Return c0 ... c_top of x >= 0: the series up to 40, above it cosine and sine and the upward recurrence.

    Above 40, c0 = cos sqrt(x), c1 = sin sqrt(x) / sqrt(x), c_k = (1/(k-2)! - c_{k-2}) / x.
    """
    # Both ways are computed in every lane, each at an argument it can bear (series at most 40, recurrence at
    # least 40: no division by zero); the choice comes last.
    limit = segment.SERIES_LIMIT
    series = segment.stumpff_series(select(x, "<=", limit, x, limit), top)
    large = select(x, "<=", limit, limit, x)
    root = sqrt(large)
    sine, cosine = sincos(root)
    inverse = 1.0 / large
    wide: list[Any] = [cosine, sine * root * inverse]
    for k in range(2, top + 1):
        wide.append((1.0 / factorial(k - 2) - wide[k - 2]) * inverse)
    return tuple(select(x, "<=", limit, low, high) for low, high in zip(series, wide, strict=True))


def station_coefficients(m: Rows, node: Row, s: Lane) -> segment.Coefficients:
    """Return the weights of the station at arc length s."""
    # c_k at x = s^2 |kappa|^2, regular at kappa = 0: a straight segment is no special case.
    kappa, _ = load_strain(m, node)
    return segment.coefficients(stumpff(kappa.dot(kappa) * (s * s)), s)
