"""How the motion of a subtree changes with the coordinates of the station that carries it.

Moving coordinate b changes the body twists of everything behind its station by one constant motion vector u, and the
body accelerations by w + u x V. With V', A' twist and acceleration of the base station carried to the origin of the
station, s its own column and D, sigma, zeta of `partials`:

    by q:  u = V' x s + sigma,   w = A' x s + zeta + V' x u + V x sigma
    by v:  u = s,                w = (V + V') x s + dS/dt + sigma

Where several stations of a node hang one on another these add up along the chain.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softstride.engine.jit import inner
from softstride.engine.kernels.matrices import clear_rows
from softstride.engine.kernels.partials import (
    EXTRA_SPARE,
    OWN,
    RATE,
    SIGMA,
    SPARE_ROWS,
    custom_partials,
    soft_partials,
)
from softstride.engine.kernels.records import (
    ACCELERATION,
    ARM,
    COLUMN_ROWS,
    STATION_ROWS,
    TWIST,
    Spatial,
    accumulate,
    pair,
    plus,
    put,
    shift,
    vec,
)
from softstride.engine.kernels.sweep import columns_of, own_rows
from softstride.engine.kernels.tables import (
    BASE,
    COLUMN,
    CUSTOM,
    IV,
    KIND,
    NODE,
    PARENT,
    PARTIAL,
    SOFT,
    Array,
    N,
    Tree,
)
from softstride.engine.lanes import Frames, Index, Rows, straight

BODY_ROWS = 28  # composite of a station, see `derivatives`
CHANGE_ROWS = 18  # of a column: u by q, w by q, w by v
TERM_ROWS = 21  # of a coordinate of the node at work: P by q, P by v, Q, Z
LOCAL_ROWS = 18  # wrenches of one column at its station: by q, by v, by a


class Layout(NamedTuple):
    """First rows of what the derivatives keep in scratch."""

    bodies: Any  # composites, BODY_ROWS a station
    changes: Any  # CHANGE_ROWS a column
    partials: Any  # D_ab of curved stations
    spare: Any  # SPARE_ROWS a coordinate of the station at work
    terms: Any  # TERM_ROWS a coordinate of the node at work
    local: Any  # LOCAL_ROWS
    matrices: Any  # three matrices of ``size`` rows, entry (a, b) at a n + b
    n: Any
    size: Any


@inner
def layout_from(tree: Tree, bodies: int) -> Layout:
    """Lay out the scratch from a row on."""
    changes = bodies + BODY_ROWS * tree.stations.shape[0]
    partials = changes + CHANGE_ROWS * tree.n_columns
    spare = partials + tree.partial_rows
    terms = spare + 6 * SPARE_ROWS + EXTRA_SPARE
    local = terms + 6 * TERM_ROWS
    size = tree.nv * tree.nv
    return Layout(bodies, changes, partials, spare, terms, local, local + LOCAL_ROWS, tree.nv, size)


@inner
def layout(tree: Tree) -> Layout:
    """Lay out the scratch behind the sweep's."""
    return layout_from(tree, own_rows(tree))


def derivatives_rows(tree: Tree) -> int:
    """Return the scratch rows behind the sweep's."""
    at = layout_from.py_func(tree, 0)
    return int(at.matrices + 3 * at.size)


def cross(a: Spatial, b: Spatial) -> Spatial:
    """Return the cross product of two motion vectors."""
    return a[0].cross(b[0]), a[0].cross(b[1]) + a[1].cross(b[0])


def change(
    tree: Tree, k: Index, m: Rows, own: Index, before: Index, out: Index, curved: bool, chain: bool
) -> None:
    """Compute u and w of one column of station k from its own column (and sigma, zeta, dS/dt behind it)."""
    me, base = k * STATION_ROWS, tree.stations[k, BASE] * STATION_ROWS
    d = vec(m, me + ARM) - vec(m, base + ARM) if chain else vec(m, me + ARM)
    # V', A' of the base, carried to the station's origin; V of the station itself.
    V0, A0 = shift(*pair(m, base + TWIST), d), shift(*pair(m, base + ACCELERATION), d)
    V, s = pair(m, me + TWIST), pair(m, own + OWN)
    u, w_q, w_v = cross(V0, s), cross(A0, s), cross(plus(V, V0), s)
    if curved:
        sigma, zeta, rate = (pair(m, own + SIGMA + 6 * part) for part in range(3))
        u = plus(u, sigma)
        w_q = plus(w_q, zeta, cross(V, sigma))
        w_v = plus(w_v, rate, sigma)
    # In w by q, V' x u takes the whole u, sigma included.
    parts = [u, plus(w_q, cross(V0, u)), w_v]
    if chain:
        parts = [plus(x, shift(*pair(m, before + 6 * part), d)) for part, x in enumerate(parts)]
    put(m, out, *(x for part in parts for x in part))


set_change = straight(change, curved=(0, 1), chain=(0, 1))


@straight
def chain_partial(
    tree: Tree, k: Index, m: Rows, own: Index, column: Index, before: Index, out: Index
) -> None:
    """Add to D_ab what the base station does: D_ab of the base, minus own s_b x its s_a."""
    d = vec(m, k * STATION_ROWS + ARM) - vec(m, tree.stations[k, BASE] * STATION_ROWS + ARM)
    # The S_a of the base, seen from here: R d_b (Ad(g)^-1 S_a) = shift(D_ab) - s_b x shift(s_a), s_b our own.
    turned = cross(pair(m, own), shift(*pair(m, column), d))
    put(m, out, *plus(pair(m, out), shift(*pair(m, before), d), (-turned[0], -turned[1])))


@straight
def add_scaled(m: Rows, out: Index, row: Index, v: Frames, f: Index, i: Index) -> None:
    """Add a spatial vector times a velocity."""
    w, u = pair(m, row)
    accumulate(m, out, w * v[f, i], u * v[f, i])


@inner
def change_station(tree: Tree, k: int, m: Array, v: Array, a: Array, f: int, at: Layout) -> None:
    """Compute u and w of all columns of station k, and D of curved joints."""
    stations = tree.stations
    i = stations[k, NODE]
    kind, n = tree.nodes[i, KIND], tree.nodes[i, N]
    before = stations[k, BASE]
    chain = before != tree.nodes[i, PARENT]
    curved = kind in (CUSTOM, SOFT)
    partial = at.partials + stations[k, PARTIAL]
    if kind == CUSTOM:
        custom_partials(tree, i, k, m, v, a, f, partial, at.spare)
    elif kind == SOFT:
        soft_partials(tree, i, k, m, partial, at.spare)
    for b in range(n):
        own = columns_of(tree, k) + COLUMN_ROWS * b
        if curved:
            own = at.spare + SPARE_ROWS * b
            # R dS_b/dt = sum_j D_bj v_j
            clear_rows(m, own + RATE, 6)
            for j in range(n):
                add_scaled(m, own + RATE, partial + 6 * (b * n + j), v, f, tree.nodes[i, IV] + j)
        base = at.changes + CHANGE_ROWS * (stations[before, COLUMN] + b)
        out = at.changes + CHANGE_ROWS * (stations[k, COLUMN] + b)
        set_change(tree, k, m, own, base, out, curved, chain)
    if chain:
        for b in range(n):
            for j in range(n):
                entry = 6 * (j * n + b)
                column = columns_of(tree, before) + COLUMN_ROWS * j
                base = at.partials + stations[before, PARTIAL] + entry
                chain_partial(tree, k, m, at.spare + SPARE_ROWS * b, column, base, partial + entry)
