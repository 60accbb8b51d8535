"""Analytic derivatives of inverse dynamics, for all kinds of joints, O(n depth).

Moving coordinate b of a node changes the body twists of everything behind its station by one constant motion vector
u, and the body accelerations by w + u x V. The wrench that a subtree with composite inertia I then needs changes by
I w + B u, where B adds up over bodies and acts on the angular part alone:

    B u = [B1 u_w; 2 u_w x P],    B1 = -hat(L) + hat(w) I - I hat(w) - hat(u) hat(h) - hat(h) hat(u),

L, P momentum, h first moment, (w, u) twist of a body, about the station's origin. With V', A' twist and acceleration of
the base station carried to the origin of the station, s its column and D, sigma, zeta of `partials`:

    by q:  u = V' x s + sigma,   w = A' x s + zeta + V' x u + V x sigma
    by v:  u = s,                w = (V + V') x s + dS/dt + sigma

Then for a above b: d tau_a = s_a^T P_b with P_b = sum (I w + B u [+ s_b x* F by q]); for a below b:
d tau_a = Q_a^T w_b + Z_a^T u_b with Q_a = sum I s_a, Z_a = sum B^T s_a; and within a node sum s_a^T (I w + B u) plus,
by q, D_ab^T F with F the wrench of the subtree.
"""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.composite import (
    add_rows,
    entries,
    load_inertia,
    momentum,
    put_inertia,
    shift_inertia,
    world_inertia,
)
from softstride.engine.kernels.crba import dot
from softstride.engine.kernels.matrices import clear_row, clear_rows, put_rows
from softstride.engine.kernels.partials import (
    add_axis_seconds,
    add_curvature,
    combine_columns,
    custom_partial,
    set_direction,
    set_rates_of,
    soft_partial,
    soft_partial_angular,
    soft_partial_linear,
)
from softstride.engine.kernels.records import accumulate, mat, put, vec
from softstride.engine.kernels.rods import set_second
from softstride.engine.kernels.sweep import (
    ACCELERATION,
    ARM,
    COLUMN_ROWS,
    STATION_ROWS,
    TWIST,
    accelerate,
    own_rows,
    pair,
    shift,
    sweep,
)
from softstride.engine.kernels.tables import (
    BASE,
    COLUMN,
    COLUMNS,
    COUNT,
    CUSTOM,
    EXTRA,
    FIRST,
    FORM,
    INERTIA,
    IV,
    KIND,
    NODE,
    PARENT,
    PARTIAL,
    PLACE,
    RECORD,
    SOFT,
    N,
)
from softstride.engine.lanes import LANES, Frames, Index, Params, Rows, straight
from softstride.spatial.small import Mat, Vec

BODY, B1, LINEAR, WRENCH = 0, 10, 19, 22  # composite of a station: inertia, B1, linear momentum, wrench
BODY_ROWS = 28
CHANGE_ROWS = 18  # of a column: u by q (6), w by q (6), w by v (6)
TERM_ROWS = 21  # of a coordinate of the node at work: P by q, P by v, Q, Z
LOCAL_ROWS = 18  # I w + B u by q, by v, and I s of one column
SPARE_ROWS = 24  # of a coordinate of the station at work: its own column, sigma, zeta, dS/dt


def rows(plan: Any) -> int:
    """Return the scratch rows behind the sweep's."""
    n = len(plan.stations) * BODY_ROWS + plan.n_columns * CHANGE_ROWS + plan.partial_rows
    return int(n + 6 * SPARE_ROWS + 20 + 6 * TERM_ROWS + LOCAL_ROWS + 3 * plan.nv * plan.nv)


def cross(a: tuple[Vec, Vec], b: tuple[Vec, Vec]) -> tuple[Vec, Vec]:
    """Return the cross product of two motion vectors."""
    return a[0].cross(b[0]), a[0].cross(b[1]) + a[1].cross(b[0])


def plus(*vectors: tuple[Vec, Vec]) -> tuple[Vec, Vec]:
    """Return the sum of spatial vectors."""
    w, u = vectors[0]
    for x, y in vectors[1:]:
        w, u = w + x, u + y
    return w, u


def apply_b(m: Rows, body: Index, w: Vec) -> tuple[Vec, Vec]:
    """Return B u for a motion vector with angular part w."""
    return mat(m, body + B1) @ w, w.cross(vec(m, body + LINEAR)) * 2.0


def _begin_body(m: Rows, me: Index, c: Params, ic: Index, body: Index, form: int) -> None:
    inertia = world_inertia(m, me, c, ic, form)
    _, h, matrix = inertia
    w, u = pair(m, me + TWIST)
    L, P = momentum(inertia, w, u)
    n, f = momentum(inertia, *pair(m, me + ACCELERATION))
    turn, slide, arm = Mat.hat(w), Mat.hat(u), Mat.hat(h)
    half = (
        turn @ matrix - slide @ arm
    )  # with its transpose: hat(w) I - I hat(w) - hat(u) hat(h) - hat(h) hat(u)
    put_inertia(m, body + BODY, inertia)
    put(m, body + B1, half + half.T - Mat.hat(L), P, n + w.cross(L) + u.cross(P), f + w.cross(P))


begin_body = straight(_begin_body, form=(1, 2))


@straight
def compose(m: Rows, me: Index, body: Index, parent: Index) -> None:
    """Add a station's composite to that of the station on which its node hangs."""
    arm, P, f = vec(m, me + ARM), vec(m, body + LINEAR), vec(m, body + WRENCH + 3)
    mass, h, matrix = shift_inertia(load_inertia(m, body + BODY), arm)
    add_rows(m, parent + BODY, (mass, *h, *entries(matrix)))
    moved = mat(m, body + B1) - Mat.hat(arm) @ Mat.hat(P) * 2.0
    add_rows(m, parent + B1, [x for row in moved for x in row])
    accumulate(m, parent + LINEAR, P, vec(m, body + WRENCH) + arm.cross(f), f)


def change(
    m: Rows,
    me: Index,
    base: Index,
    column: Index,
    spare: Index,
    before: Index,
    out: Index,
    curved: bool,
    chain: bool,
) -> None:
    """Compute u and w of one column of a station (docstring of the module)."""
    d = vec(m, me + ARM) - vec(m, base + ARM) if chain else vec(m, me + ARM)
    V0, A0 = shift(*pair(m, base + TWIST), d), shift(*pair(m, base + ACCELERATION), d)
    V, s = pair(m, me + TWIST), pair(m, column)
    u = cross(V0, s)
    w_q, w_v = cross(A0, s), cross(plus(V, V0), s)
    if curved:
        sigma, zeta, rate = (pair(m, spare + 6 + 6 * k) for k in range(3))
        u = plus(u, sigma)
        w_q = plus(w_q, zeta, cross(V, sigma))
        w_v = plus(w_v, rate, sigma)
    w_q = plus(w_q, cross(V0, u))
    parts = [u, w_q, w_v]
    if chain:
        parts = [plus(x, shift(*pair(m, before + 6 * k), d)) for k, x in enumerate(parts)]
    put(m, out, *(x for part in parts for x in part))


set_change = straight(change, curved=(0, 1), chain=(0, 1))


@straight
def chain_partial(
    m: Rows, me: Index, base: Index, own: Index, column: Index, before: Index, out: Index
) -> None:
    """Add to D_ab what the base station does: D_ab of the base, minus own s_b x its s_a."""
    d = vec(m, me + ARM) - vec(m, base + ARM)
    turned = cross(pair(m, own), shift(*pair(m, column), d))
    put(m, out, *plus(pair(m, out), shift(*pair(m, before), d), (-turned[0], -turned[1])))


@straight
def add_scaled(m: Rows, out: Index, row: Index, v: Frames, f: Index, i: Index) -> None:
    """Add a spatial vector times a velocity."""
    accumulate(m, out, vec(m, row) * v[f, i], vec(m, row + 3) * v[f, i])


def column_terms(
    m: Rows, me: Index, body: Index, column: Index, changed: Index, local: Index, term: Index, more: bool
) -> None:
    """Compute the wrenches of one column of a station: at its origin (local), and summed at the parent's (term)."""
    inertia, F, arm = load_inertia(m, body + BODY), pair(m, body + WRENCH), vec(m, me + ARM)
    s, u, w_q, w_v = (pair(m, column), *(pair(m, changed + 6 * k) for k in range(3)))
    f_q = plus(momentum(inertia, *w_q), apply_b(m, body, u[0]))
    f_v = plus(momentum(inertia, *w_v), apply_b(m, body, s[0]))
    f_a = momentum(inertia, *s)
    put(m, local, *f_q, *f_v, *f_a)
    carried = plus(f_q, (s[0].cross(F[0]) + s[1].cross(F[1]), s[0].cross(F[1])))
    z = mat(m, body + B1).T @ s[0] + vec(m, body + LINEAR).cross(s[1]) * 2.0
    values = [x for n, f in (carried, f_v, f_a) for x in (n + arm.cross(f), f)]
    (accumulate if more else put)(m, term, *values, z)


add_terms = straight(column_terms, more=(0, 1))


@straight
def own_entries(m: Rows, column: Index, local: Index, out: Index, size: Index) -> None:
    """Add s_a^T of the local wrenches of b to entry (a, b) of the three matrices."""
    s = pair(m, column)
    for k in range(3):
        m[out + size * k] = m[out + size * k] + dot(s, pair(m, local + 6 * k))


@straight
def curved_entry(m: Rows, partial: Index, body: Index, out: Index) -> None:
    """Add D_ab^T F to an entry of the derivative by q."""
    m[out] = m[out] + dot(pair(m, partial), pair(m, body + WRENCH))


def relate(
    m: Rows,
    term: Index,
    column: Index,
    changed: Index,
    below: Index,
    above: Index,
    n: Index,
    size: Index,
    count: int,
    width: int,
) -> None:
    """Set the entries of ``count`` coordinates below and ``width`` above, both ways, in the three matrices."""
    for b in range(width):
        here = changed + CHANGE_ROWS * b
        s, u_w, w_q, w_v = (
            pair(m, column + COLUMN_ROWS * b),
            vec(m, here),
            pair(m, here + 6),
            pair(m, here + 12),
        )
        for a in range(count):
            of = term + TERM_ROWS * a
            P_q, P_v, Q, Z = pair(m, of), pair(m, of + 6), pair(m, of + 12), vec(m, of + 18)
            mass = dot(s, Q)
            upper, lower = above + n * b + a, below + n * a + b
            m[upper], m[upper + size], m[upper + size * 2] = dot(s, P_q), dot(s, P_v), mass
            m[lower], m[lower + size], m[lower + size * 2] = (
                dot(w_q, Q) + u_w.dot(Z),
                dot(w_v, Q) + s[0].dot(Z),
                mass,
            )


relate_all = straight(relate, count=tuple(range(1, 7)), width=(1, 3))


@straight
def lift(m: Rows, term: Index, me: Index) -> None:
    """Take the wrenches of a coordinate about the origin of the next station up."""
    arm = vec(m, me + ARM)
    for k in range(3):
        n, f = pair(m, term + 6 * k)
        put(m, term + 6 * k, n + arm.cross(f))


@straight
def copy_column(m: Rows, column: Index, out: Index) -> None:
    """Copy a spatial vector."""
    put(m, out, *pair(m, column))


@inner
def partials_custom(
    nodes: Any,
    stations: Any,
    c: Any,
    v: Any,
    a: Any,
    f: int,
    m: Any,
    i: int,
    k: int,
    record: int,
    partial: int,
    spare: int,
) -> None:
    """Fill own columns, sigma, zeta and D of a custom station."""
    n = nodes[i, N]
    iv = nodes[i, IV]
    rates = spare + 6 * SPARE_ROWS
    slopes = rates + 2
    for b in range(n):
        add_axis_seconds(m, record, n, b, a, f, iv + b)
    for b in range(n):
        own = spare + SPARE_ROWS * b
        set_rates_of(m, rates, v, a, f, iv + b)
        combine_columns(m, record, record + COLUMNS, n, b, own)
        custom_partial(m, k * STATION_ROWS, c, stations[k, PLACE], record, n, b, rates, own + 6, slopes)
        for j in range(n):
            combine_columns(m, record, slopes, n, j, partial + 6 * (j * n + b))
        add_curvature(m, record, n, b, partial + 6 * (b * n + b))


@inner
def partials_soft(
    nodes: Any,
    stations: Any,
    strains: Any,
    c: Any,
    m: Any,
    i: int,
    k: int,
    node: int,
    partial: int,
    spare: int,
) -> None:
    """Fill own columns, sigma, zeta and D of a rod station."""
    n = nodes[i, N]
    iv = nodes[i, IV]
    columns = stations.shape[0] * STATION_ROWS
    for b in range(n):
        own = spare + SPARE_ROWS * b
        copy_column(m, columns + COLUMN_ROWS * (stations[k, COLUMN] + b), own)
        set_direction(m, node, strains[iv + b])
        soft_partial(m, k * STATION_ROWS, node, c, stations[k, PLACE], own + 6)
        for j in range(n):
            strain = strains[iv + j]
            if strain < 3:
                soft_partial_angular(m, node, strain, partial + 6 * (j * n + b))
            else:
                soft_partial_linear(m, node, strain - 3, partial + 6 * (j * n + b))


@inner
def change_station(
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    c: Any,
    v: Any,
    a: Any,
    f: int,
    m: Any,
    k: int,
    changes: int,
    partials: int,
    spare: int,
) -> None:
    """Compute u and w of all columns of a station, and D of curved joints."""
    columns = stations.shape[0] * STATION_ROWS
    extra = columns + COLUMN_ROWS * sizes[0]
    i = stations[k, NODE]
    kind = nodes[i, KIND]
    n = nodes[i, N]
    iv = nodes[i, IV]
    me = k * STATION_ROWS
    before = stations[k, BASE]
    chain = before != nodes[i, PARENT]
    curved = kind == CUSTOM or kind == SOFT
    partial = partials + stations[k, PARTIAL]
    if kind == CUSTOM:
        partials_custom(nodes, stations, c, v, a, f, m, i, k, extra + stations[k, RECORD], partial, spare)
    elif kind == SOFT:
        partials_soft(nodes, stations, strains, c, m, i, k, extra + nodes[i, EXTRA], partial, spare)
    for b in range(n):
        own = columns + COLUMN_ROWS * (stations[k, COLUMN] + b)
        if curved:
            own = spare + SPARE_ROWS * b
            clear_rows(m, own + 18, 6)
            for j in range(n):  # dS_b/dt
                add_scaled(m, own + 18, partial + 6 * (b * n + j), v, f, iv + j)
        base = changes + CHANGE_ROWS * (stations[before, COLUMN] + b)
        set_change(
            m,
            me,
            before * STATION_ROWS,
            own,
            own,
            base,
            changes + CHANGE_ROWS * (stations[k, COLUMN] + b),
            curved,
            chain,
        )
    if chain:
        for b in range(n):
            for j in range(n):
                entry = 6 * (j * n + b)
                column = columns + COLUMN_ROWS * (stations[before, COLUMN] + j)
                base = partials + stations[before, PARTIAL] + entry
                chain_partial(
                    m, me, before * STATION_ROWS, spare + SPARE_ROWS * b, column, base, partial + entry
                )


@inner
def own_node(
    nodes: Any,
    stations: Any,
    m: Any,
    i: int,
    bodies: int,
    changes: int,
    partials: int,
    terms_row: int,
    X: int,
    n: int,
    size: int,
) -> None:
    """Compute the wrenches of a node's coordinates and its own entries; pass its composites on."""
    columns = stations.shape[0] * STATION_ROWS
    count = nodes[i, N]
    local = terms_row + 6 * TERM_ROWS
    corner = X + n * nodes[i, IV] + nodes[i, IV]
    curved = nodes[i, KIND] == CUSTOM or nodes[i, KIND] == SOFT
    for a in range(count):
        for b in range(count):
            for k in range(3):
                clear_row(m, corner + k * size + n * a + b)
    for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
        me = k * STATION_ROWS
        body = bodies + BODY_ROWS * k
        column = columns + COLUMN_ROWS * stations[k, COLUMN]
        changed = changes + CHANGE_ROWS * stations[k, COLUMN]
        for b in range(count):
            add_terms(
                m,
                me,
                body,
                column + COLUMN_ROWS * b,
                changed + CHANGE_ROWS * b,
                local,
                terms_row + TERM_ROWS * b,
                k > nodes[i, FIRST],
            )
            for a in range(count):
                own_entries(m, column + COLUMN_ROWS * a, local, corner + n * a + b, size)
                if curved:
                    curved_entry(
                        m, partials + stations[k, PARTIAL] + 6 * (a * count + b), body, corner + n * a + b
                    )
        compose(m, me, body, bodies + BODY_ROWS * nodes[i, PARENT])


@inner
def climb(
    nodes: Any, stations: Any, m: Any, i: int, changes: int, terms_row: int, X: int, n: int, size: int
) -> None:
    """Set the entries of a node with all nodes above it."""
    columns = stations.shape[0] * STATION_ROWS
    count = nodes[i, N]
    k = nodes[i, PARENT]
    while k:
        j = stations[k, NODE]
        below = X + n * nodes[i, IV] + nodes[j, IV]
        above = X + n * nodes[j, IV] + nodes[i, IV]
        column = columns + COLUMN_ROWS * stations[k, COLUMN]
        changed = changes + CHANGE_ROWS * stations[k, COLUMN]
        step = 3 if nodes[j, N] % 3 == 0 else 1
        for b in range(0, nodes[j, N], step):
            relate_all(
                m,
                terms_row,
                column + COLUMN_ROWS * b,
                changed + CHANGE_ROWS * b,
                below + b,
                above + n * b,
                n,
                size,
                count,
                step,
            )
        for a in range(count):
            lift(m, terms_row + TERM_ROWS * a, k * STATION_ROWS)
        k = nodes[j, PARENT]


@kernel
def rnea_derivatives(
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    terms: Any,
    c: Any,
    pieces: Any,
    rest: Any,
    related: Any,
    q: Any,
    v: Any,
    a: Any,
    by_q: Any,
    by_v: Any,
    by_a: Any,
    m: Any,
    first: int,
    last: int,
) -> None:
    """Derivatives of tau by q, v, a; each (n_frames, nv nv)."""
    bodies = own_rows(sizes, stations)
    changes = bodies + BODY_ROWS * stations.shape[0]
    partials = changes + CHANGE_ROWS * sizes[0]
    spare = partials + sizes[3]
    terms_row = spare + 6 * SPARE_ROWS + 20
    n = sizes[2]
    size = n * n
    X = terms_row + 6 * TERM_ROWS + LOCAL_ROWS
    extra = stations.shape[0] * STATION_ROWS + COLUMN_ROWS * sizes[0]
    for block in range(first, last):
        f = block * LANES
        sweep(sizes, nodes, stations, strains, terms, c, pieces, q, f, v, rest, f, m, True)
        accelerate(nodes, stations, a, f, m)
        for i in range(nodes.shape[0]):
            if nodes[i, KIND] == SOFT:
                for j in range(nodes[i, N]):
                    set_second(m, extra + nodes[i, EXTRA] + strains[nodes[i, IV] + j], a, f, nodes[i, IV] + j)
        for k in range(stations.shape[0]):
            if stations[k, FORM] == 0:
                clear_rows(m, bodies + BODY_ROWS * k, BODY_ROWS)
            else:
                begin_body(
                    m, k * STATION_ROWS, c, stations[k, INERTIA], bodies + BODY_ROWS * k, stations[k, FORM]
                )
            if k:
                change_station(sizes, nodes, stations, strains, c, v, a, f, m, k, changes, partials, spare)
        for i in range(nodes.shape[0] - 1, -1, -1):
            own_node(nodes, stations, m, i, bodies, changes, partials, terms_row, X, n, size)
            climb(nodes, stations, m, i, changes, terms_row, X, n, size)
        put_rows(m, X, n, n, related, 0, by_q, f, 0)
        put_rows(m, X + size, n, n, related, 0, by_v, f, 0)
        put_rows(m, X + 2 * size, n, n, related, 0, by_a, f, 0)
