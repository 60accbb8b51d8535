"""Forward dynamics by articulated bodies, O(n).

From the leaves: D = sum s_k^T I_k s_k, U = sum I_k s_k, u = tau - sum s_k^T (F_k + I_k c_k); with D = L L^T,
W = L^-1 U^T and y = L^-1 u the parent gets sum I_k - W^T W and sum (F_k + I_k c_k) + W^T y. From the root:
a = L^-T (y - W A_parent), A_k = shift(A_parent) + s_k a + c_k. Sums over stations are the only change against a rigid
tree (docs/theory/engine.md).
"""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import kernel
from softstride.engine.kernels.composite import add_rows, entries, momentum, symmetric, world_inertia
from softstride.engine.kernels.matrices import clear_rows
from softstride.engine.kernels.records import (
    ACCELERATION,
    ARM,
    BIAS,
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
    shift,
    vec,
)
from softstride.engine.kernels.sweep import columns_of, own_rows, sweep_moving
from softstride.engine.kernels.tables import COUNT, FIRST, FORM, IV, LIVE, PARENT, Array, N, Tree
from softstride.engine.lanes import LANES, Frames, Index, Rows, sqrt, straight
from softstride.spatial.small import Mat

Body = tuple[Mat, Mat, Mat]
"""Blocks A, B, C of an articulated inertia [[A, B], [B^T, C]]."""

BODY_ROWS = 27  # articulated inertia (angular 6, coupling 9, linear 6) and bias force of a station
NODE_ROWS = (
    8  # of a coordinate: row of W (6), y, then its row of L, so that n coordinates take n (NODE_ROWS + n)
)


def aba_rows(tree: Tree) -> int:
    """Return the scratch rows behind the sweep's."""
    return BODY_ROWS * len(tree.stations) + (NODE_ROWS + 6) * tree.nv


def load_body(m: Rows, row: Row) -> Body:
    """Return the stored articulated inertia."""
    angular = symmetric(*(m[row + k] for k in range(6)))
    return angular, mat(m, row + 6), symmetric(*(m[row + 15 + k] for k in range(6)))


def apply_body(body: Body, motion: Spatial) -> Spatial:
    """Return the wrench of an inertia and a motion vector."""
    (A, B, C), (w, u) = body, motion
    return A @ w + B @ u, B.T @ w + C @ u


def own_body(tree: Tree, k: Index, m: Rows, row: Index, form: int) -> None:
    """Set a station's articulated body to its own rigid one."""
    inertia = world_inertia(tree, k, m, form)
    mass, h, matrix = inertia
    w, u = pair(m, k * STATION_ROWS + TWIST)
    L, P = momentum(inertia, w, u)
    # Its own: [[A, B], [B^T, C]] = [[I, hat(h)], [-hat(h), m E]] and the bias force V x* I V.
    for entry, x in enumerate(entries(matrix)):
        m[row + entry] = x
    put(m, row + 6, Mat.hat(h))
    for entry, x in enumerate((mass, 0.0, 0.0, mass, 0.0, mass)):
        m[row + 15 + entry] = x
    put(m, row + 21, w.cross(L) + u.cross(P), w.cross(P))


begin_body = straight(own_body, form=(1, 2))


def station(
    m: Rows,
    me: Index,
    column: Index,
    row: Index,
    node: Index,
    parent: Index,
    size: int,
    more: bool,
    moving: bool,
) -> None:
    """Add a station to D, U, u of its node and, unreduced, to the body of the parent; a still tree has no bias c."""
    body, arm = load_body(m, row), vec(m, me + ARM)
    # F_k + I_k c_k. In [Featherstone2008, table 7.1] c joins the acceleration from which a joint is solved;
    # here it joins u, since every station of a node has its own.
    force = pair(m, row + 21)
    if moving:
        force = plus(force, apply_body(body, pair(m, me + BIAS)))
    columns = [pair(m, column + COLUMN_ROWS * k) for k in range(size)]
    for a in range(size):
        # U_a = I_k s_a about the parent's origin, u_a -= s_a^T (F_k + I_k c_k), D_ab = s_b^T I_k s_a.
        here = node + (NODE_ROWS + size) * a
        n, f = apply_body(body, columns[a])
        (accumulate if more else put)(m, here, n + arm.cross(f), f)
        m[here + 6] = m[here + 6] - dot(columns[a], force)
        for b in range(a + 1):
            value = dot(columns[b], (n, f))
            m[here + NODE_ROWS + b] = m[here + NODE_ROWS + b] + value if more else value
    # X^T I_k X with X = [[E, 0], [-hat(d), E]], d the arm: the same body about the parent's origin.
    A, B, C = body
    hat = Mat.hat(arm)
    coupling = B + hat @ C
    add_rows(m, parent, entries(A - B @ hat + hat @ coupling.T))
    add_rows(m, parent + 6, [x for line in coupling for x in line])
    add_rows(m, parent + 15, entries(C))
    accumulate(m, parent + 21, force[0] + arm.cross(force[1]), force[1])


def reduce(m: Rows, node: Index, parent: Index, size: int) -> None:
    """Factor D, store L, W, y and take the node's own motion out of the parent's body."""
    rows = [node + (NODE_ROWS + size) * a for a in range(size)]
    # Cholesky D = L L^T row by row, with W = L^-1 U^T and y = L^-1 u alongside. The diagonal keeps 1 / L_aa.
    L: list[list[Any]] = [[None] * size for _ in range(size)]
    inverse: list[Any] = [None] * size
    W: list[list[Any]] = []
    y: list[Any] = []
    for a in range(size):
        w, r = [m[rows[a] + k] for k in range(6)], m[rows[a] + 6]
        for b in range(a):
            total = m[rows[a] + NODE_ROWS + b]
            for k in range(b):
                total = total - L[a][k] * L[b][k]
            L[a][b] = total * inverse[b]
            w = [x - L[a][b] * z for x, z in zip(w, W[b], strict=True)]
            r = r - L[a][b] * y[b]
        pivot = m[rows[a] + NODE_ROWS + a]
        for k in range(a):
            pivot = pivot - L[a][k] * L[a][k]
        inverse[a] = 1.0 / sqrt(pivot)
        W.append([x * inverse[a] for x in w])
        y.append(r * inverse[a])
        for k in range(6):
            m[rows[a] + k] = W[a][k]
        m[rows[a] + 6] = y[a]
        for b in range(a):
            m[rows[a] + NODE_ROWS + b] = L[a][b]
        m[rows[a] + NODE_ROWS + a] = inverse[a]
    # I -= W^T W = U D^-1 U^T, entries in the order of the rows: upper triangle of A, B, upper triangle of C.
    index = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    index += [(i, 3 + j) for i in range(3) for j in range(3)]
    index += [(3, 3), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5)]
    for k, (i, j) in enumerate(index):
        total = m[parent + k]
        for a in range(size):
            total = total - W[a][i] * W[a][j]
        m[parent + k] = total
    # F += W^T y = U D^-1 u
    for i in range(6):
        total = m[parent + 21 + i]
        for a in range(size):
            total = total + W[a][i] * y[a]
        m[parent + 21 + i] = total


def solve(m: Rows, node: Index, parent: Index, out: Frames, f: Index, iv: Index, size: int) -> None:
    """Solve the node's accelerations from that of its parent station."""
    A = [m[parent + ACCELERATION + k] for k in range(6)]
    rows = [node + (NODE_ROWS + size) * a for a in range(size)]
    # a = L^-T (y - W A_parent), backwards through the rows of L; A_parent about the parent's origin, as W is.
    x: list[Any] = [None] * size
    for a in range(size - 1, -1, -1):
        total = m[rows[a] + 6]
        for k in range(6):
            total = total - m[rows[a] + k] * A[k]
        for b in range(a + 1, size):
            total = total - m[rows[b] + NODE_ROWS + a] * x[b]
        x[a] = total * m[rows[a] + NODE_ROWS + a]
    for a in range(size):
        # Kept behind y for the stations of the node, which add s a.
        m[rows[a] + 7] = x[a]
        out[f, iv + a] = x[a]


def accelerate(
    m: Rows, me: Index, parent: Index, column: Index, node: Index, size: int, moving: bool
) -> None:
    """Set a station's acceleration."""
    # A_k = shift(A_parent, arm) + s a + c
    w, u = shift(*pair(m, parent + ACCELERATION), vec(m, me + ARM))
    if moving:
        w, u = plus((w, u), pair(m, me + BIAS))
    for a in range(size):
        s, x = pair(m, column + COLUMN_ROWS * a), m[node + (NODE_ROWS + size) * a + 7]
        w, u = w + s[0] * x, u + s[1] * x
    put(m, me + ACCELERATION, w, u)


add_station, add_still = (
    straight(station, moving=moving, size=tuple(range(7)), more=(0, 1)) for moving in (True, False)
)
reduce_node = straight(reduce, size=tuple(range(1, 7)))
solve_node = straight(solve, size=tuple(range(1, 7)))
accelerate_station, move_station = (
    straight(accelerate, moving=moving, size=tuple(range(7))) for moving in (True, False)
)


@straight
def load_force(m: Rows, row: Index, tau: Frames, f: Index, i: Index) -> None:
    """Start u with the applied force."""
    m[row + 6] = tau[f, i]


@kernel
def aba(tree: Tree, q: Array, v: Array, tau: Array, out: Array, m: Array, first: int, last: int) -> None:
    """Accelerations, out (n_frames, nv)."""
    nodes, stations = tree.nodes, tree.stations
    bodies = own_rows(tree)
    forces = bodies + BODY_ROWS * stations.shape[0]
    for block in range(first, last):
        f = block * LANES
        # Bodies and biases; from the leaves D, U, u; from the root a [Featherstone2008, table 7.1].
        sweep_moving(tree, q, v, f, m)
        for k in range(stations.shape[0]):
            row = bodies + BODY_ROWS * k
            if stations[k, FORM] == 0:
                clear_rows(m, row, BODY_ROWS)
            else:
                begin_body(tree, k, m, row, stations[k, FORM])
        for i in range(nodes.shape[0] - 1, -1, -1):
            size = nodes[i, N]
            node = forces + (NODE_ROWS + 6) * nodes[i, IV]
            parent = bodies + BODY_ROWS * nodes[i, PARENT]
            for j in range(size):
                load_force(m, node + (NODE_ROWS + size) * j, tau, f, nodes[i, IV] + j)
            for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
                row = bodies + BODY_ROWS * k
                more = k > nodes[i, FIRST]
                add_station(m, k * STATION_ROWS, columns_of(tree, k), row, node, parent, size, more)
            reduce_node(m, node, parent, size)
        for i in range(nodes.shape[0]):
            size = nodes[i, N]
            node = forces + (NODE_ROWS + 6) * nodes[i, IV]
            parent = nodes[i, PARENT] * STATION_ROWS
            solve_node(m, node, parent, out, f, nodes[i, IV], size)
            for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
                if stations[k, LIVE]:
                    accelerate_station(m, k * STATION_ROWS, parent, columns_of(tree, k), node, size)
