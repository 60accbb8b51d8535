"""How twist columns and bias of curved joints (custom, soft) change with their own coordinates.

For a station with columns s_a (world axes) and coordinate b: D_ab = R d_b S_a, sigma_b = R d_b(S v),
zeta_b = R d_b(S a + dS/dt v). Rigid joints have none: their columns are constant in the body.
"""

from __future__ import annotations

from typing import Any

from softstride.engine.kernels.joints import custom
from softstride.engine.kernels.records import mat, put, vec
from softstride.engine.kernels.rods import load_strain, stumpff
from softstride.engine.kernels.sweep import ROTATION
from softstride.engine.kernels.tables import AXES, COLUMNS, SLOPES, STRAIN, SUMS
from softstride.engine.lanes import Frames, Index, Lane, Params, Rows, straight
from softstride.spatial import segment
from softstride.spatial.dual import Dual, dual_vec, slope
from softstride.spatial.small import Vec

# rows of the node's record used here: behind the tangent map, in the place of the sums
DIRECTION = SUMS  # unit strain, 6 rows
COLUMNS_SLOPE = SUMS + 6  # derivative of the tangent map: R dD, R dE column by column, 18 rows


def dual_coefficients(m: Rows, node: Index, s: Lane, rate: Any) -> segment.Coefficients:
    """Return the weights of a station with their derivatives; ``rate`` is that of |kappa|^2.

    beta and gamma are the derivatives of alpha and beta; those of alpha1 and gamma follow from
    c_k' = (k c_{k+2} - c_{k+1}) / 2.
    """
    kappa, _ = load_strain(m, node)
    c = stumpff(kappa.dot(kappa) * (s * s), 9)
    k = segment.coefficients(c, s)
    dc = [0.5 * (i * c[i + 2] - c[i + 1]) for i in range(8)]
    s2 = s * s
    s8 = s2 * s2 * s2 * s2
    slopes = (
        0.0,
        s2 * s * dc[1],
        k.b2,
        k.b3,
        k.g2,
        k.g3,
        s8 * (2.0 * dc[6] - 1.25 * dc[5] + 0.25 * dc[4]),
        s8 * s * (3.75 * dc[7] - 1.75 * dc[6] + 0.25 * dc[5]),
    )
    return segment.Coefficients(*(Dual(x, y * rate) for x, y in zip(k, slopes, strict=True)))


@straight
def set_direction(m: Rows, node: Index, strain: Index) -> None:
    """Choose the strain to differentiate by."""
    for i in range(6):
        m[node + DIRECTION + i] = 0.0
    m[node + DIRECTION + strain] = 1.0


@straight
def soft_partial(m: Rows, me: Index, node: Index, c: Params, place: Index, out: Index) -> None:
    """Compute sigma_b, zeta_b (12 rows at ``out``) and the derivative of the tangent map along the chosen strain."""
    R = mat(m, me + ROTATION)
    kappa, eps, dkappa, deps, ddkappa, ddeps = (vec(m, node + STRAIN + 3 * i) for i in range(6))
    along, across = vec(m, node + DIRECTION), vec(m, node + DIRECTION + 3)
    k = dual_coefficients(m, node, c[place], 2.0 * kappa.dot(along))
    kappa, eps = dual_vec(kappa, along), dual_vec(eps, across)
    rates = segment.rates(kappa, eps, dkappa, deps)
    j = segment.velocity(rates, k)
    b = segment.acceleration(rates, segment.seconds(kappa, eps, rates, ddkappa, ddeps), k)
    put(m, out, *(R @ slope(x) for x in (*j, *b)))
    D, E = (R @ slope(x) for x in segment.tangent(kappa, eps, k))
    put(m, node + COLUMNS_SLOPE, *D.columns(), *E.columns())


@straight
def soft_partial_angular(m: Rows, node: Index, strain: Index, out: Index) -> None:
    """Pick D_ab of an angular strain a."""
    put(m, out, vec(m, node + COLUMNS_SLOPE + strain * 3), vec(m, node + COLUMNS_SLOPE + 9 + strain * 3))


@straight
def soft_partial_linear(m: Rows, node: Index, strain: Index, out: Index) -> None:
    """Pick D_ab of a linear strain a (0, 1, 2)."""
    put(m, out, Vec.zero(), vec(m, node + COLUMNS_SLOPE + strain * 3))


def _dual_axes(m: Rows, record: Index, n: Index, b: Index, speed: Any, second: Any) -> list[list[Dual]]:
    """Return axis values, rates and second rates with their derivatives by coordinate b."""
    result: list[list[Dual]] = [[], [], []]
    for i in range(6):
        x1, x2, x3 = (m[record + SLOPES + n * (6 * k + i) + b] for k in range(3))
        slopes = (x1, x2 * speed, x2 * second + x3 * (speed * speed))
        for k in range(3):
            result[k].append(Dual(m[record + AXES + 6 * k + i], slopes[k]))
    return result


@straight
def custom_partial(
    m: Rows,
    me: Index,
    c: Params,
    place: Index,
    record: Index,
    n: Index,
    b: Index,
    rates: Index,
    out: Index,
    columns: Index,
) -> None:
    """Compute sigma_b, zeta_b (12 rows at ``out``) and the derivatives of the six elementary columns (18 rows)."""
    R = mat(m, me + ROTATION)
    axes = [vec(c, place + 12 + 3 * i) for i in range(6)]
    motion = custom(axes, *_dual_axes(m, record, n, b, m[rates], m[rates + 1]))
    put(m, out, *(R @ slope(x) for x in (*motion.j, *motion.b)))
    put(m, columns, *(R @ slope(x) for x in (*motion.angular, *motion.linear)))


@straight
def combine_columns(m: Rows, record: Index, columns: Index, n: Index, a: Index, out: Index) -> None:
    """Combine six elementary columns (18 rows) by the first derivatives of the axes along coordinate a."""
    parts = [vec(m, columns + 3 * i) * m[record + SLOPES + n * i + a] for i in range(6)]
    put(m, out, parts[0] + parts[1] + parts[2], parts[3] + parts[4] + parts[5])


@straight
def add_curvature(m: Rows, record: Index, n: Index, a: Index, out: Index) -> None:
    """Add to D_aa what the second derivative of the axis functions gives."""
    parts = [vec(m, record + COLUMNS + 3 * i) * m[record + SLOPES + n * (6 + i) + a] for i in range(6)]
    put(
        m, out, vec(m, out) + parts[0] + parts[1] + parts[2], vec(m, out + 3) + parts[3] + parts[4] + parts[5]
    )


@straight
def set_rates_of(m: Rows, row: Index, v: Frames, a: Frames, f: Index, i: Index) -> None:
    """Keep velocity and acceleration of one coordinate in two rows."""
    m[row], m[row + 1] = v[f, i], a[f, i]


@straight
def add_axis_seconds(m: Rows, record: Index, n: Index, b: Index, a: Frames, f: Index, i: Index) -> None:
    """Add the acceleration of coordinate b to the second rates of the axes."""
    for k in range(6):
        row = record + AXES + 12 + k
        m[row] = m[row] + m[record + SLOPES + n * k + b] * a[f, i]
