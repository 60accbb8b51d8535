"""How twist columns and bias of curved joints (custom, soft) change with their own coordinates.

For a station with columns s_a (world axes) and coordinate b: D_ab = R d_b S_a, sigma_b = R d_b(S v),
zeta_b = R d_b(S a + dS/dt v). Rigid joints have none: their columns are constant in the body.
"""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import inner
from softstride.engine.kernels.joints import custom
from softstride.engine.kernels.placing import extra_row, pick_column
from softstride.engine.kernels.records import COLUMN_ROWS, ROTATION, STATION_ROWS, Row, mat, pair, put, vec
from softstride.engine.kernels.rods import load_strain, stumpff
from softstride.engine.kernels.sweep import columns_of
from softstride.engine.kernels.tables import (
    AXES,
    COLUMNS,
    EXTRA,
    IV,
    PLACE,
    RECORD,
    SLOPES,
    STRAIN,
    SUMS,
    Array,
    N,
    Tree,
)
from softstride.engine.lanes import Frames, Index, Lane, Rows, straight
from softstride.spatial import segment
from softstride.spatial.dual import Dual, dual_vec, slope

# of a coordinate of the station at work: its own column, sigma, zeta, dS/dt
OWN, SIGMA, ZETA, RATE = 0, 6, 12, 18
SPARE_ROWS = 24
EXTRA_SPARE = 20  # velocity and acceleration of a coordinate, slopes of six elementary columns

# rows of a rod segment's record that are free after the sweep
DIRECTION = SUMS  # unit strain, 6 rows
SLOPE = SUMS + 6  # derivative of the tangent map: R dD, R dE column by column, 18 rows


def dual_coefficients(m: Rows, node: Row, s: Lane, rate: Any) -> segment.Coefficients:
    """Return the weights of a station with their derivatives; ``rate`` is that of |kappa|^2.

    beta and gamma are the derivatives of alpha and beta; those of alpha1 and gamma follow from
    c_k' = (k c_{k+2} - c_{k+1}) / 2.
    """
    kappa, _ = load_strain(m, node)
    c = stumpff(kappa.dot(kappa) * (s * s), 9)
    k = segment.coefficients(c, s)
    # d c_k / d|kappa|^2 = s^2 c_k'
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
def soft_partial(tree: Tree, k: Index, m: Rows, node: Index, out: Index) -> None:
    """Compute sigma and zeta (12 rows at ``out``) and the derivative of the tangent map along the chosen strain."""
    R = mat(m, k * STATION_ROWS + ROTATION)
    kappa, eps, dkappa, deps, ddkappa, ddeps = (vec(m, node + STRAIN + 3 * i) for i in range(6))
    along, across = pair(m, node + DIRECTION)
    s = tree.constants[tree.stations[k, PLACE]]
    weights = dual_coefficients(m, node, s, 2.0 * kappa.dot(along))
    # Strain and weights vary along one strain, rates are held: the slopes of j and b are sigma and zeta.
    kappa, eps = dual_vec(kappa, along), dual_vec(eps, across)
    rates = segment.rates(kappa, eps, dkappa, deps)
    j = segment.velocity(rates, weights)
    b = segment.acceleration(rates, segment.seconds(kappa, eps, rates, ddkappa, ddeps), weights)
    put(m, out, *(R @ slope(x) for x in (*j, *b)))
    # D_ab = R d_b T_R e_a: column a of R dD and R dE, picked like a twist column.
    D, E = (R @ slope(x) for x in segment.tangent(kappa, eps, weights))
    put(m, node + SLOPE, *D.columns(), *E.columns())


@straight
def copy_column(m: Rows, column: Index, out: Index) -> None:
    """Copy a spatial vector."""
    put(m, out, *pair(m, column))


@inner
def soft_partials(tree: Tree, i: int, k: int, m: Array, partial: int, spare: int) -> None:
    """Fill own columns, sigma, zeta and D of a rod station."""
    n = tree.nodes[i, N]
    strains = tree.strains[tree.nodes[i, IV] : tree.nodes[i, IV] + n]
    node = extra_row(tree) + tree.nodes[i, EXTRA]
    for b in range(n):
        own = spare + SPARE_ROWS * b
        copy_column(m, columns_of(tree, k) + COLUMN_ROWS * b, own + OWN)
        set_direction(m, node, strains[b])
        soft_partial(tree, k, m, node, own + SIGMA)
        for j in range(n):
            pick_column(m, node + SLOPE, strains[j] % 3, partial + 6 * (j * n + b), strains[j] >= 3)


@straight
def custom_partial(
    tree: Tree, k: Index, m: Rows, record: Index, n: Index, b: Index, rates: Index, out: Index
) -> None:
    """Compute sigma and zeta (12 rows at ``out``) along coordinate b, and slopes of the six elementary columns.

    Velocity and acceleration of the coordinate stand at ``rates``; the slopes go to the 18 rows behind them.
    """
    speed, second = m[rates], m[rates + 1]
    x: list[list[Dual]] = [[], [], []]
    for i in range(6):
        # Each term has one coordinate, so there are no mixed derivatives: along q_b an axis changes by x1,
        # its rate by x2 v_b, its second rate by x2 a_b + x3 v_b^2.
        x1, x2, x3 = (m[record + SLOPES + n * (6 * order + i) + b] for order in range(3))
        slopes = (x1, x2 * speed, x2 * second + x3 * (speed * speed))
        for order in range(3):
            x[order].append(Dual(m[record + AXES + 6 * order + i], slopes[order]))
    axes = [vec(tree.constants, tree.stations[k, PLACE] + 12 + 3 * i) for i in range(6)]
    motion = custom(axes, *x)
    R = mat(m, k * STATION_ROWS + ROTATION)
    put(m, out, *(R @ slope(part) for part in (*motion.j, *motion.b)))
    put(m, rates + 2, *(R @ slope(part) for part in (*motion.angular, *motion.linear)))


@straight
def combine_columns(m: Rows, record: Index, columns: Index, n: Index, a: Index, out: Index) -> None:
    """Combine six elementary columns (18 rows) by the first derivatives of the axes along coordinate a."""
    parts = [vec(m, columns + 3 * i) * m[record + SLOPES + n * i + a] for i in range(6)]
    put(m, out, parts[0] + parts[1] + parts[2], parts[3] + parts[4] + parts[5])


@straight
def add_curvature(m: Rows, record: Index, n: Index, a: Index, out: Index) -> None:
    """Add to D_aa what the second derivative of the axis functions gives."""
    parts = [vec(m, record + COLUMNS + 3 * i) * m[record + SLOPES + n * (6 + i) + a] for i in range(6)]
    w, u = pair(m, out)
    put(m, out, w + parts[0] + parts[1] + parts[2], u + parts[3] + parts[4] + parts[5])


@straight
def set_rates_of(m: Rows, row: Index, v: Frames, a: Frames, f: Index, i: Index) -> None:
    """Keep velocity and acceleration of one coordinate in two rows."""
    m[row], m[row + 1] = v[f, i], a[f, i]


@straight
def add_axis_seconds(m: Rows, record: Index, n: Index, b: Index, a: Frames, f: Index, i: Index) -> None:
    """Add the acceleration of coordinate b to the second rates of the axes, which the sweep left out."""
    for k in range(6):
        row = record + AXES + 12 + k
        m[row] = m[row] + m[record + SLOPES + n * k + b] * a[f, i]


@inner
def custom_partials(
    tree: Tree, i: int, k: int, m: Array, v: Array, a: Array, f: int, partial: int, spare: int
) -> None:
    """Fill own columns, sigma, zeta and D of a custom station."""
    n, iv = tree.nodes[i, N], tree.nodes[i, IV]
    record = extra_row(tree) + tree.stations[k, RECORD]
    rates = spare + 6 * SPARE_ROWS
    for b in range(n):
        add_axis_seconds(m, record, n, b, a, f, iv + b)
    for b in range(n):
        own = spare + SPARE_ROWS * b
        set_rates_of(m, rates, v, a, f, iv + b)
        combine_columns(m, record, record + COLUMNS, n, b, own + OWN)
        custom_partial(tree, k, m, record, n, b, rates, own + SIGMA)
        for j in range(n):
            # D_jb = sum_i (d_b e_i) dx_i/dq_j, and on the diagonal also sum_i e_i d2x_i/dq_b^2.
            combine_columns(m, record, rates + 2, n, j, partial + 6 * (j * n + b))
        add_curvature(m, record, n, b, partial + 6 * (b * n + b))
