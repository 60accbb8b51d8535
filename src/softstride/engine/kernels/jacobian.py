"""Jacobians of places, and wrenches carried the other way."""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import kernel
from softstride.engine.kernels.matrices import clear_rows, put_one, put_rows
from softstride.engine.kernels.records import accumulate, mat, put, vec
from softstride.engine.kernels.sweep import (
    ARM,
    COLUMN_ROWS,
    ROTATION,
    STATION_ROWS,
    own_rows,
    pair,
    shift,
    sweep,
)
from softstride.engine.kernels.tables import COLUMN, COUNT, FIRST, IV, NODE, PARENT, N
from softstride.engine.lanes import LANES, Frames, Index, Params, Rows, straight
from softstride.spatial.small import Mat

AXES_ROWS = (
    12  # axes in which a Jacobian is wanted, and the arm from the station under the column to the place
)


def _begin(m: Rows, me: Index, offsets: Params, i: Index, own: Index, rows: int) -> None:
    """Look from place i: in its own axes for a whole twist, in world axes for a velocity."""
    R0 = mat(m, me + ROTATION)
    axes = R0 @ mat(offsets, i * 12) if rows == 6 else Mat.identity()
    put(m, own, axes, R0 @ vec(offsets, i * 12 + 9))


def _column(m: Rows, own: Index, column: Index, row: Index, n: Index, rows: int) -> None:
    """Set one column of the Jacobian: its entry k at ``row + n k``."""
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
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    terms: Any,
    c: Any,
    pieces: Any,
    places: Any,
    offsets: Any,
    supports: Any,
    rows: int,
    rest: Any,
    q: Any,
    out: Any,
    m: Any,
    first: int,
    last: int,
) -> None:
    """Jacobians of places: 6 rows, body-fixed, or 3 rows, linear in world axes; out (n_frames, n_places rows nv)."""
    columns = stations.shape[0] * STATION_ROWS
    own = own_rows(sizes, stations)
    n = sizes[2]
    J = own + AXES_ROWS
    for block in range(first, last):
        f = block * LANES
        sweep(sizes, nodes, stations, strains, terms, c, pieces, q, f, rest, rest, 0, m, False)
        for i in range(places.shape[0]):
            k = places[i]
            begin_place(m, k * STATION_ROWS, offsets, i, own, rows)
            while k:
                node = stations[k, NODE]
                for j in range(nodes[node, N]):
                    column = columns + COLUMN_ROWS * (stations[k, COLUMN] + j)
                    set_column(m, own, column, J + nodes[node, IV] + j, n, rows)
                climb_arm(m, own, k * STATION_ROWS)
                k = nodes[node, PARENT]
            put_rows(m, J, n, rows, supports, rows * i, out, f, i * rows * n)


@straight
def push(m: Rows, me: Index, offsets: Params, i: Index, wrenches: Frames, f: Index, load: Index) -> None:
    """Add a wrench in world axes about place i to its station."""
    n, force = ([wrenches[f, i * 6 + 3 * h + k] for k in range(3)] for h in range(2))
    arm = mat(m, me + ROTATION) @ vec(offsets, i * 12 + 9)
    force = type(arm)(*force)
    accumulate(m, load, type(arm)(*n) + arm.cross(force), force)


@straight
def work(m: Rows, column: Index, load: Index, total: Index) -> None:
    """Add s^T w of one column."""
    (w, u), (n, force) = pair(m, column), pair(m, load)
    m[total] = m[total] + w.dot(n) + u.dot(force)


@straight
def pass_load(m: Rows, me: Index, load: Index, parent: Index) -> None:
    """Carry a station's wrench to the station on which its node hangs."""
    n, force = pair(m, load)
    accumulate(m, parent, n + vec(m, me + ARM).cross(force), force)


@kernel
def transmit(
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    terms: Any,
    c: Any,
    pieces: Any,
    places: Any,
    offsets: Any,
    rest: Any,
    q: Any,
    wrenches: Any,
    out: Any,
    m: Any,
    first: int,
    last: int,
) -> None:
    """Generalized forces sum J^T w of wrenches (n_frames, 6 n_places) in world axes; out (n_frames, nv)."""
    columns = stations.shape[0] * STATION_ROWS
    loads = own_rows(sizes, stations)
    total = loads + 6 * stations.shape[0]
    for block in range(first, last):
        f = block * LANES
        sweep(sizes, nodes, stations, strains, terms, c, pieces, q, f, rest, rest, 0, m, False)
        clear_rows(m, loads, 6 * stations.shape[0] + sizes[2])
        for i in range(places.shape[0]):
            push(m, places[i] * STATION_ROWS, offsets, i, wrenches, f, loads + 6 * places[i])
        for i in range(nodes.shape[0] - 1, -1, -1):
            for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
                for j in range(nodes[i, N]):
                    work(
                        m,
                        columns + COLUMN_ROWS * (stations[k, COLUMN] + j),
                        loads + 6 * k,
                        total + nodes[i, IV] + j,
                    )
                pass_load(m, k * STATION_ROWS, loads + 6 * k, loads + 6 * nodes[i, PARENT])
        for j in range(sizes[2]):
            put_one(m, total + j, out, f, j)
