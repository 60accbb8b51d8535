"""Rod segments in inverse dynamics.

Stations at quadrature points have no children, so their wrenches are summed in the forward sweep; only stations on
which something hangs (the tip, branches) join in the backward sweep. To the strains, sum T_R^T F needs no more than
eight weighted sums (docs/theory/rods.md).
"""

from __future__ import annotations

from softstride.engine.jit import inner
from softstride.engine.kernels.records import Row, accumulate, mat, placement, put, rigid, vec
from softstride.engine.kernels.rnea_stations import (
    POSE,
    STATION_ROWS,
    TWIST,
    WEIGHTS,
    WRENCH,
    ZERO,
    Motion,
    advance,
    motion_of,
    newton_euler,
)
from softstride.engine.kernels.rods import (
    load_rates,
    load_seconds,
    load_strain,
    set_rate,
    set_rates,
    set_reference,
    set_second,
    set_strain,
    station_coefficients,
)
from softstride.engine.kernels.tables import (
    BASE_TWIST,
    BASE_WRENCH,
    COUNT,
    FIRST,
    FLAG,
    FORM,
    INERTIA,
    IQ,
    IV,
    LIVE,
    PARENT,
    PLACE,
    REAL,
    SOFT_ROWS,
    SUMS,
    Array,
    N,
    Tree,
)
from softstride.engine.lanes import Index, Rows, straight
from softstride.spatial import segment
from softstride.spatial.small import Mat, Vec


@straight
def begin_segment(tree: Tree, i: Index, m: Rows, node: Index) -> None:
    """Carry the motion of the parent station to the segment's base; clear its sums."""
    # Motion of the cross-section s = 0, once for all stations: they differ from it by g(s) and T_R(s) alone.
    Rt, pt = placement(tree.constants, tree.nodes[i, REAL])
    parent = motion_of(m, tree.nodes[i, PARENT] * STATION_ROWS + TWIST)
    put(m, node + BASE_TWIST, *advance(parent, Rt, pt, ZERO, ZERO))
    for row in range(SUMS, SOFT_ROWS):
        m[node + row] = 0.0


def soft_motion(m: Rows, node: Row, k: segment.Coefficients, angular: bool) -> tuple[Mat, Vec, Motion]:
    """Return pose relative to the segment's base and motion of the station with weights k."""
    kappa, eps = load_strain(m, node)
    rates, seconds = load_rates(m, node, angular), load_seconds(m, node, angular)
    # eta(s) = Ad(g)^-1 eta_base + T_R xi', with T_R = Ad(g)^-1 T, T the left tangent of [Hybrid2026, eq. 19];
    # j = T_R xi', b = T_R xi'' + T_R' xi'.
    R, p = segment.pose(kappa, eps, k)
    j, b = segment.velocity(rates, k), segment.acceleration(rates, seconds, k)
    return R, p, advance(motion_of(m, node + BASE_TWIST), R, p, j, b)


def add_wrench(m: Rows, node: Row, k: segment.Coefficients, R: Mat, p: Vec, n: Vec, f: Vec) -> None:
    """Add a station's wrench to the base wrench and to the sums for the strains."""
    # F_base += Ad(g)^-T F; for tau_xi = sum T_R^T F only sums weighted by alpha and beta are kept.
    force = R @ f
    accumulate(m, node + BASE_WRENCH, R @ n + p.cross(force), force)
    accumulate(m, node + SUMS, *segment.weigh(n, f, k))


def leaf(tree: Tree, s: Index, m: Rows, node: Index, form: int, angular: bool) -> None:
    """Add the inertia of a quadrature point."""
    k = station_coefficients(m, node, tree.constants[tree.stations[s, PLACE]])
    R, p, moving = soft_motion(m, node, k, angular)
    # A point of the distributed inertia: its Gauss weight w L / 2 is part of the constants.
    inertia = rigid(tree.constants, tree.stations[s, INERTIA], form)
    add_wrench(m, node, k, R, p, *newton_euler(*inertia, *moving))


add_leaf = straight(leaf, form=(1, 2), angular=(0, 1))


@straight
def move_live(tree: Tree, s: Index, m: Rows, node: Index) -> None:
    """Store pose, motion, wrench and weights of a rod station on which something may hang."""
    me = s * STATION_ROWS
    k = station_coefficients(m, node, tree.constants[tree.stations[s, PLACE]])
    R, p, moving = soft_motion(m, node, k, False)
    put(m, me + POSE, R, p, *moving)
    # The own body alone, often massless. Children add to it on the way back, and the weights are needed then.
    put(m, me + WRENCH, *newton_euler(*rigid(tree.constants, tree.stations[s, INERTIA], 1), *moving))
    for i, weight in enumerate(k):
        m[me + WEIGHTS + i] = weight


@straight
def add_live(m: Rows, me: Index, node: Index) -> None:
    """Add the finished wrench of a live station to its segment."""
    k = segment.Coefficients(*(m[me + WEIGHTS + i] for i in range(8)))
    add_wrench(
        m, node, k, mat(m, me + POSE), vec(m, me + POSE + 9), vec(m, me + WRENCH), vec(m, me + WRENCH + 3)
    )


@straight
def project(tree: Tree, i: Index, m: Rows, node: Index) -> None:
    """Turn the sums into forces of the six strains, at the first rows of the sums; pass the wrench on."""
    kappa, eps = load_strain(m, node)
    # [tau_kappa; tau_eps] = sum T_R^T F, for all six strains, free or not.
    sums = segment.WrenchSums(*(vec(m, node + SUMS + 3 * k) for k in range(8)))
    put(m, node + SUMS, *segment.project(kappa, eps, sums))
    Rt, pt = placement(tree.constants, tree.nodes[i, REAL])
    # F_parent += Ad(placement)^-T F_base
    force = Rt @ vec(m, node + BASE_WRENCH + 3)
    base = tree.nodes[i, PARENT] * STATION_ROWS
    accumulate(m, base + WRENCH, Rt @ vec(m, node + BASE_WRENCH) + pt.cross(force), force)


@inner
def load_segment(tree: Tree, i: int, m: Array, q: Array, v: Array, a: Array, f: int, node: int) -> None:
    """Move the stations of segment i; sum the wrenches of its quadrature points."""
    nodes, stations = tree.nodes, tree.stations
    begin_segment(tree, i, m, node)
    set_reference(tree, i, m, node)
    # xi = xi0 + B q, xi' = B v, xi'' = B a; B says which of the six strains each coordinate is.
    for j in range(nodes[i, N]):
        strain = node + tree.strains[nodes[i, IV] + j]
        set_strain(m, strain, q, f, nodes[i, IQ] + j)
        set_rate(m, strain, v, f, nodes[i, IV] + j)
        set_second(m, strain, a, f, nodes[i, IV] + j)
    set_rates(m, node)
    for s in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
        # Quadrature points go into the sums at once; a station that may carry something waits.
        if stations[s, LIVE] == 1:
            move_live(tree, s, m, node)
        else:
            add_leaf(tree, s, m, node, stations[s, FORM], nodes[i, FLAG])


@inner
def project_segment(tree: Tree, i: int, m: Array, node: int) -> int:
    """Finish segment i: the row of its first strain's force is returned, the wrench passed to its base."""
    for s in range(tree.nodes[i, FIRST], tree.nodes[i, FIRST] + tree.nodes[i, COUNT]):
        if tree.stations[s, LIVE] == 1:
            add_live(m, s * STATION_ROWS, node)
    project(tree, i, m, node)
    return node + SUMS
