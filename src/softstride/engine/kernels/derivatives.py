"""Analytic derivatives of inverse dynamics, for all kinds of joints, O(n depth).

With u, w of `changes`, the wrench that a subtree of composite inertia I needs changes by I w + B u, where B adds up
over bodies and acts on the angular part alone:

    B u = [B1 u_w; 2 u_w x P],    B1 = -hat(L) + hat(w) I - I hat(w) - hat(u) hat(h) - hat(h) hat(u),

L, P momentum, h first moment, (w, u) twist of a body, about the station's origin. For coordinate a above b:
d tau_a = s_a^T P_b with P_b = sum (I w + B u [+ s_b x* F by q]); for a below b: d tau_a = Q_a^T w_b + Z_a^T u_b with
Q_a = sum I s_a, Z_a = sum B^T s_a; and within a node sum s_a^T (I w + B u) plus, by q, D_ab^T F with F the wrench of
the subtree.
"""

from __future__ import annotations

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.changes import (
    BODY_ROWS,
    CHANGE_ROWS,
    TERM_ROWS,
    Layout,
    change_station,
    layout,
)
from softstride.engine.kernels.composite import (
    add_rows,
    entries,
    load_inertia,
    momentum,
    put_inertia,
    shift_inertia,
    world_inertia,
)
from softstride.engine.kernels.matrices import clear_row, clear_rows, put_matrix
from softstride.engine.kernels.placing import extra_row
from softstride.engine.kernels.records import (
    ACCELERATION,
    ARM,
    COLUMN_ROWS,
    STATION_ROWS,
    TWIST,
    Row,
    Spatial,
    accumulate,
    dot,
    mat,
    pair,
    plus,
    put,
    vec,
)
from softstride.engine.kernels.rods import set_second
from softstride.engine.kernels.sweep import accelerate, columns_of, sweep_moving
from softstride.engine.kernels.tables import (
    COLUMN,
    COUNT,
    CUSTOM,
    EXTRA,
    FIRST,
    FORM,
    IV,
    KIND,
    NODE,
    PARENT,
    PARTIAL,
    SOFT,
    Array,
    IntArray,
    N,
    Tree,
)
from softstride.engine.lanes import LANES, Index, Rows, straight
from softstride.spatial.small import Mat, Vec

BODY, B1, LINEAR, WRENCH = 0, 10, 19, 22  # composite of a station: inertia, B1, linear momentum, wrench


def apply_b(m: Rows, body: Row, w: Vec) -> Spatial:
    """Return B u for a motion vector with angular part w."""
    return mat(m, body + B1) @ w, w.cross(vec(m, body + LINEAR)) * 2.0


def own_body(tree: Tree, k: Index, m: Rows, body: Index, form: int) -> None:
    """Set a station's composite to its own body."""
    inertia = world_inertia(tree, k, m, form)
    _, h, matrix = inertia
    w, u = pair(m, k * STATION_ROWS + TWIST)
    L, P = momentum(inertia, w, u)
    # F = I A + V x* I V, with gravity in A.
    n, f = momentum(inertia, *pair(m, k * STATION_ROWS + ACCELERATION))
    half = Mat.hat(w) @ matrix - Mat.hat(u) @ Mat.hat(h)  # with its transpose all of B1 but -hat(L)
    put_inertia(m, body + BODY, inertia)
    put(m, body + B1, half + half.T - Mat.hat(L), P, n + w.cross(L) + u.cross(P), f + w.cross(P))


begin_body = straight(own_body, form=(1, 2))


@straight
def compose(m: Rows, me: Index, body: Index, parent: Index) -> None:
    """Add a station's composite to that of the station on which its node hangs."""
    arm, P, f = vec(m, me + ARM), vec(m, body + LINEAR), vec(m, body + WRENCH + 3)
    mass, h, matrix = shift_inertia(load_inertia(m, body + BODY), arm)
    add_rows(m, parent + BODY, (mass, *h, *entries(matrix)))
    # About the parent's origin the moment of B u grows by arm x (2 u_w x P) = -2 hat(arm) hat(P) u_w.
    moved = mat(m, body + B1) - Mat.hat(arm) @ Mat.hat(P) * 2.0
    add_rows(m, parent + B1, [x for row in moved for x in row])
    accumulate(m, parent + LINEAR, P, vec(m, body + WRENCH) + arm.cross(f), f)


def column_terms(
    m: Rows, me: Index, body: Index, column: Index, changed: Index, local: Index, term: Index, more: bool
) -> None:
    """Compute the wrenches of one column of a station: at its origin (local), and summed at the parent's (term)."""
    inertia, F, arm = load_inertia(m, body + BODY), pair(m, body + WRENCH), vec(m, me + ARM)
    s = pair(m, column)
    u, w_q, w_v = (pair(m, changed + 6 * k) for k in range(3))
    # I w + B u of what the station carries, if b is displaced, sped up, accelerated (then it is I s_b).
    f_q = plus(momentum(inertia, *w_q), apply_b(m, body, u[0]))
    f_v = plus(momentum(inertia, *w_v), apply_b(m, body, s[0]))
    f_a = momentum(inertia, *s)
    put(m, local, *f_q, *f_v, *f_a)
    # Seen from above, F turns with a displacement: + s_b x* F. P_q, P_v and Q are about the parent's origin.
    carried = plus(f_q, (s[0].cross(F[0]) + s[1].cross(F[1]), s[0].cross(F[1])))
    # Z = B^T s is angular alone, as B u depends on u_w alone; u_w has no origin, so Z is never moved.
    z = mat(m, body + B1).T @ s[0] + vec(m, body + LINEAR).cross(s[1]) * 2.0
    values = [x for n, f in (carried, f_v, f_a) for x in (n + arm.cross(f), f)]
    (accumulate if more else put)(m, term, *values, z)


add_terms = straight(column_terms, more=(0, 1))


@straight
def own_entries(m: Rows, column: Index, local: Index, out: Index, size: Index) -> None:
    """Add s_a^T of the local wrenches of b to entry (a, b) of the three matrices."""
    s = pair(m, column)
    # Same node: s_a^T (I w_b + B u_b)
    for k in range(3):
        m[out + size * k] = m[out + size * k] + dot(s, pair(m, local + 6 * k))


@straight
def curved_entry(m: Rows, partial: Index, body: Index, out: Index) -> None:
    """Add D_ab^T F to an entry of the derivative by q."""
    m[out] = m[out] + dot(pair(m, partial), pair(m, body + WRENCH))


def relate(
    m: Rows, at: Layout, column: Index, changed: Index, below: Index, above: Index, count: int, width: int
) -> None:
    """Set the entries of ``count`` coordinates below and ``width`` above, both ways, in the three matrices."""
    n, size = at.n, at.size
    for b in range(width):
        here = changed + CHANGE_ROWS * b
        s, u_w = pair(m, column + COLUMN_ROWS * b), vec(m, here)
        w_q, w_v = pair(m, here + 6), pair(m, here + 12)
        for a in range(count):
            of = at.terms + TERM_ROWS * a
            P_q, P_v, Q, Z = pair(m, of), pair(m, of + 6), pair(m, of + 12), vec(m, of + 18)
            # b is above a: dtau_b/dq_a = s_b^T P_a, dtau_a/dq_b = Q_a^T w_b + Z_a^T u_b (by v, u_b = s_b).
            upper, lower = above + n * b + a, below + n * a + b
            m[upper] = dot(s, P_q)
            m[upper + size] = dot(s, P_v)
            m[lower] = dot(w_q, Q) + u_w.dot(Z)
            m[lower + size] = dot(w_v, Q) + s[0].dot(Z)
            # dtau/da is the mass matrix, s_b^T Q_a.
            m[upper + size * 2] = m[lower + size * 2] = dot(s, Q)


relate_all = straight(relate, count=tuple(range(1, 7)), width=(1, 3))


@straight
def lift(m: Rows, term: Index, me: Index) -> None:
    """Take the wrenches of a coordinate about the origin of the next station up."""
    arm = vec(m, me + ARM)
    for k in range(3):
        n, f = pair(m, term + 6 * k)
        put(m, term + 6 * k, n + arm.cross(f))


@inner
def own_node(tree: Tree, i: int, m: Array, at: Layout) -> None:
    """Compute the wrenches of a node's coordinates and its own entries; pass its composites on."""
    nodes, stations = tree.nodes, tree.stations
    count = nodes[i, N]
    corner = at.matrices + (at.n + 1) * nodes[i, IV]
    curved = nodes[i, KIND] in (CUSTOM, SOFT)
    for a in range(count):
        for b in range(count):
            for matrix in range(3):
                clear_row(m, corner + matrix * at.size + at.n * a + b)
    # Composites of the node's stations are complete: all that hangs on them was done before.
    for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
        me, body = k * STATION_ROWS, at.bodies + BODY_ROWS * k
        column, changed = columns_of(tree, k), at.changes + CHANGE_ROWS * stations[k, COLUMN]
        more = k > nodes[i, FIRST]
        for b in range(count):
            term = at.terms + TERM_ROWS * b
            add_terms(m, me, body, column + COLUMN_ROWS * b, changed + CHANGE_ROWS * b, at.local, term, more)
            for a in range(count):
                entry = corner + at.n * a + b
                own_entries(m, column + COLUMN_ROWS * a, at.local, entry, at.size)
                if curved:
                    curved_entry(m, at.partials + stations[k, PARTIAL] + 6 * (a * count + b), body, entry)
        compose(m, me, body, at.bodies + BODY_ROWS * nodes[i, PARENT])


@inner
def climb(tree: Tree, i: int, m: Array, at: Layout) -> None:
    """Set the entries of a node with all nodes above it."""
    nodes, stations = tree.nodes, tree.stations
    count = nodes[i, N]
    k = nodes[i, PARENT]
    while k:
        j = stations[k, NODE]
        below = at.matrices + at.n * nodes[i, IV] + nodes[j, IV]
        above = at.matrices + at.n * nodes[j, IV] + nodes[i, IV]
        # Columns and their changes u, w are those of station k, through which the path leads.
        width = 3 if nodes[j, N] % 3 == 0 else 1
        for b in range(0, nodes[j, N], width):
            column = columns_of(tree, k) + COLUMN_ROWS * b
            changed = at.changes + CHANGE_ROWS * (stations[k, COLUMN] + b)
            relate_all(m, at, column, changed, below + b, above + at.n * b, count, width)
        for a in range(count):
            lift(m, at.terms + TERM_ROWS * a, k * STATION_ROWS)
        k = nodes[j, PARENT]


@inner
def set_strain_seconds(tree: Tree, m: Array, a: Array, f: int) -> None:
    """Give rod segments their second strain rates, which the sweep does not need."""
    nodes = tree.nodes
    for i in range(nodes.shape[0]):
        if nodes[i, KIND] == SOFT:
            for j in range(nodes[i, IV], nodes[i, IV] + nodes[i, N]):
                set_second(m, extra_row(tree) + nodes[i, EXTRA] + tree.strains[j], a, f, j)


@kernel
def rnea_derivatives(
    tree: Tree,
    related: IntArray,
    q: Array,
    v: Array,
    a: Array,
    by_q: Array,
    by_v: Array,
    by_a: Array,
    m: Array,
    first: int,
    last: int,
) -> None:
    """Derivatives of tau by q, v, a; each (n_frames, nv nv)."""
    nodes, stations = tree.nodes, tree.stations
    at = layout(tree)
    for block in range(first, last):
        f = block * LANES
        # From the root motion, u and w of every column; from the leaves composites, and entries up each path.
        sweep_moving(tree, q, v, f, m)
        accelerate(tree, a, f, m)
        set_strain_seconds(tree, m, a, f)
        for k in range(stations.shape[0]):
            body = at.bodies + BODY_ROWS * k
            if stations[k, FORM] == 0:
                clear_rows(m, body, BODY_ROWS)
            else:
                begin_body(tree, k, m, body, stations[k, FORM])
            if k:
                change_station(tree, k, m, v, a, f, at)
        for i in range(nodes.shape[0] - 1, -1, -1):
            own_node(tree, i, m, at)
            climb(tree, i, m, at)
        put_matrix(m, at.matrices, at.n, related, by_q, f)
        put_matrix(m, at.matrices + at.size, at.n, related, by_v, f)
        put_matrix(m, at.matrices + 2 * at.size, at.n, related, by_a, f)
