"""Jacobians of places, and wrenches carried the other way."""

from __future__ import annotations

from softstride.engine.jit import kernel
from softstride.engine.kernels.matrices import clear_rows, put_one, put_row
from softstride.engine.kernels.records import (
    ARM,
    COLUMN_ROWS,
    ROTATION,
    STATION_ROWS,
    accumulate,
    dot,
    mat,
    pair,
    put,
    shift,
    take,
    vec,
)
from softstride.engine.kernels.sweep import columns_of, own_rows, sweep_still
from softstride.engine.kernels.tables import (
    COUNT,
    FIRST,
    IV,
    NODE,
    PARENT,
    Array,
    IntArray,
    N,
    Places,
    Tree,
)
from softstride.engine.lanes import LANES, Frames, Index, Rows, straight
from softstride.spatial.small import Mat

AXES_ROWS = 12  # axes in which a Jacobian is wanted (9), arm from the station at work to the place (3)


def transmit_rows(tree: Tree) -> int:
    """Return the scratch rows of `transmit` behind the sweep's."""
    return 6 * len(tree.stations) + tree.nv


def _begin(places: Places, i: Index, m: Rows, own: Index, rows: int) -> None:
    """Look from place i: in its own axes for a whole twist, in world axes for a velocity."""
    R0 = mat(m, places.stations[i] * STATION_ROWS + ROTATION)
    axes = R0 @ mat(places.offsets, i * 12) if rows == 6 else Mat.identity()
    put(m, own, axes, R0 @ vec(places.offsets, i * 12 + 9))


def _column(m: Rows, own: Index, column: Index, row: Index, n: Index, rows: int) -> None:
    """Set one column of the Jacobian: its entry k at ``row + n k``."""
    # s about the place: a body twist in the axes of the place, or its linear part in world axes.
    w, u = shift(*pair(m, column), vec(m, own + 9))
    if rows == 6:
        R = mat(m, own)
        w, u = R.T @ w, R.T @ u
    for k, x in enumerate((*w, *u) if rows == 6 else u):
        m[row + n * k] = x


begin_place = straight(_begin, rows=(3, 6))
set_column = straight(_column, rows=(3, 6))


@straight
def climb_arm(m: Rows, own: Index, me: Index) -> None:
    """Measure the arm from the next station up the path."""
    accumulate(m, own + 9, vec(m, me + ARM))


@kernel
def jacobians(
    tree: Tree,
    places: Places,
    supports: IntArray,
    rows: int,
    q: Array,
    out: Array,
    m: Array,
    first: int,
    last: int,
) -> None:
    """Jacobians of places: 6 rows, body-fixed, or 3 rows, linear in world axes; out (n_frames, n_places rows nv)."""
    nodes, stations = tree.nodes, tree.stations
    own = own_rows(tree)
    n = tree.nv
    J = own + AXES_ROWS
    for block in range(first, last):
        f = block * LANES
        sweep_still(tree, q, f, m)
        for i in range(places.stations.shape[0]):
            k = places.stations[i]
            begin_place(places, i, m, own, rows)
            # Up the path, which alone moves the place; the arm to it grows from station to station.
            while k:
                node = stations[k, NODE]
                for j in range(nodes[node, N]):
                    column = columns_of(tree, k) + COLUMN_ROWS * j
                    set_column(m, own, column, J + nodes[node, IV] + j, n, rows)
                climb_arm(m, own, k * STATION_ROWS)
                k = nodes[node, PARENT]
            for r in range(rows):
                put_row(m, J + r * n, n, supports, i, out, f, (i * rows + r) * n)


@straight
def push(places: Places, i: Index, m: Rows, wrenches: Frames, f: Index, loads: Index) -> None:
    """Add a wrench in world axes about place i to its station."""
    station = places.stations[i]
    n, force = take(wrenches, f, i * 6), take(wrenches, f, i * 6 + 3)
    # Moment from the place to the station's origin: n + r x f.
    arm = mat(m, station * STATION_ROWS + ROTATION) @ vec(places.offsets, i * 12 + 9)
    accumulate(m, loads + station * 6, n + arm.cross(force), force)


@straight
def work(m: Rows, column: Index, load: Index, total: Index) -> None:
    """Add s^T w of one column."""
    m[total] = m[total] + dot(pair(m, column), pair(m, load))


@straight
def pass_load(m: Rows, me: Index, load: Index, parent: Index) -> None:
    """Carry a station's wrench to the station on which its node hangs."""
    n, force = pair(m, load)
    accumulate(m, parent, n + vec(m, me + ARM).cross(force), force)


@kernel
def transmit(
    tree: Tree, places: Places, q: Array, wrenches: Array, out: Array, m: Array, first: int, last: int
) -> None:
    """Generalized forces sum J^T w of wrenches (n_frames, 6 n_places) in world axes; out (n_frames, nv)."""
    nodes, stations = tree.nodes, tree.stations
    loads = own_rows(tree)
    total = loads + 6 * stations.shape[0]
    for block in range(first, last):
        f = block * LANES
        sweep_still(tree, q, f, m)
        clear_rows(m, loads, 6 * stations.shape[0] + tree.nv)
        for i in range(places.stations.shape[0]):
            push(places, i, m, wrenches, f, loads)
        # tau_j = sum s_j^T w over the node's stations, w on the station and on all that hangs on it.
        for i in range(nodes.shape[0] - 1, -1, -1):
            for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
                for j in range(nodes[i, N]):
                    column = columns_of(tree, k) + COLUMN_ROWS * j
                    work(m, column, loads + 6 * k, total + nodes[i, IV] + j)
                pass_load(m, k * STATION_ROWS, loads + 6 * k, loads + 6 * nodes[i, PARENT])
        for j in range(tree.nv):
            put_one(m, total + j, out, f, j)
