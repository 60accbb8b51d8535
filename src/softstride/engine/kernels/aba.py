"""Forward dynamics by articulated bodies, O(n).

From the leaves: D = sum s_k^T I_k s_k, U = sum I_k s_k, u = tau - sum s_k^T (F_k + I_k c_k); with D = L L^T,
W = L^-1 U^T and y = L^-1 u the parent gets sum I_k - W^T W and sum (F_k + I_k c_k) + W^T y. From the root:
a = L^-T (y - W A_parent), A_k = shift(A_parent) + s_k a + c_k. Sums over stations are the only change against a rigid
tree (hybrid-link specification, section 4).
"""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import kernel
from softstride.engine.kernels.composite import add_rows, entries, momentum, symmetric, world_inertia
from softstride.engine.kernels.matrices import clear_rows
from softstride.engine.kernels.records import accumulate, mat, put, vec
from softstride.engine.kernels.sweep import (
    ACCELERATION,
    ARM,
    BIAS,
    COLUMN_ROWS,
    STATION_ROWS,
    TWIST,
    own_rows,
    pair,
    shift,
    sweep,
)
from softstride.engine.kernels.tables import COLUMN, COUNT, FIRST, FORM, INERTIA, IV, LIVE, PARENT, N
from softstride.engine.lanes import LANES, Frames, Index, Params, Rows, sqrt, straight
from softstride.spatial.small import Mat, Vec

BODY_ROWS = 27  # articulated inertia (angular 6, coupling 9, linear 6) and bias force of a station
NODE_ROWS = (
    8  # of a coordinate: row of W (6), y, then its row of L, so that n coordinates take n (NODE_ROWS + n)
)


def load_body(m: Rows, row: Index) -> tuple[Mat, Mat, Mat]:
    """Return the blocks A, B, C of the articulated inertia [[A, B], [B^T, C]]."""
    angular = symmetric(*(m[row + k] for k in range(6)))
    return angular, mat(m, row + 6), symmetric(*(m[row + 15 + k] for k in range(6)))


def apply_body(body: tuple[Mat, Mat, Mat], w: Vec, u: Vec) -> tuple[Vec, Vec]:
    """Return the force vector of an inertia and a motion vector."""
    A, B, C = body
    return A @ w + B @ u, B.T @ w + C @ u


def _begin(m: Rows, me: Index, c: Params, ic: Index, row: Index, form: int) -> None:
    inertia = world_inertia(m, me, c, ic, form)
    mass, h, matrix = inertia
    w, u = pair(m, me + TWIST)
    L, P = momentum(inertia, w, u)
    for k, x in enumerate(entries(matrix)):
        m[row + k] = x
    put(m, row + 6, Mat.hat(h))
    for k, x in enumerate((mass, 0.0, 0.0, mass, 0.0, mass)):
        m[row + 15 + k] = x
    put(m, row + 21, w.cross(L) + u.cross(P), w.cross(P))


begin_body = straight(_begin, form=(1, 2))


def station(
    m: Rows, me: Index, column: Index, row: Index, node: Index, parent: Index, size: int, more: bool
) -> None:
    """Add a station to D, U, u of its node and, unreduced, to the body of the parent."""
    body, arm = load_body(m, row), vec(m, me + ARM)
    bias = apply_body(body, *pair(m, me + BIAS))
    force = vec(m, row + 21) + bias[0], vec(m, row + 24) + bias[1]
    columns = [pair(m, column + COLUMN_ROWS * k) for k in range(size)]
    for a in range(size):
        here = node + (NODE_ROWS + size) * a
        n, f = apply_body(body, *columns[a])
        (accumulate if more else put)(m, here, n + arm.cross(f), f)
        m[here + 6] = m[here + 6] - (columns[a][0].dot(force[0]) + columns[a][1].dot(force[1]))
        for b in range(a + 1):
            value = columns[b][0].dot(n) + columns[b][1].dot(f)
            m[here + NODE_ROWS + b] = m[here + NODE_ROWS + b] + value if more else value
    A, B, C = body
    hat = Mat.hat(arm)
    coupling = B + hat @ C
    angular = A - B @ hat + hat @ coupling.T
    add_rows(m, parent, entries(angular))
    add_rows(m, parent + 6, [x for row_ in coupling for x in row_])
    add_rows(m, parent + 15, entries(C))
    accumulate(m, parent + 21, force[0] + arm.cross(force[1]), force[1])


def reduce(m: Rows, node: Index, parent: Index, size: int) -> None:
    """Factor D, store L, W, y and take the node's own motion out of the parent's body."""
    rows = [node + (NODE_ROWS + size) * a for a in range(size)]
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
    index = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    index += [(i, 3 + j) for i in range(3) for j in range(3)]
    index += [(3, 3), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5)]
    for k, (i, j) in enumerate(index):
        total = m[parent + k]
        for a in range(size):
            total = total - W[a][i] * W[a][j]
        m[parent + k] = total
    for i in range(6):
        total = m[parent + 21 + i]
        for a in range(size):
            total = total + W[a][i] * y[a]
        m[parent + 21 + i] = total


def solve(m: Rows, node: Index, parent: Index, out: Frames, f: Index, iv: Index, size: int) -> None:
    """Solve the node's accelerations from that of its parent station."""
    A = [m[parent + ACCELERATION + k] for k in range(6)]
    rows = [node + (NODE_ROWS + size) * a for a in range(size)]
    x: list[Any] = [None] * size
    for a in range(size - 1, -1, -1):
        total = m[rows[a] + 6]
        for k in range(6):
            total = total - m[rows[a] + k] * A[k]
        for b in range(a + 1, size):
            total = total - m[rows[b] + NODE_ROWS + a] * x[b]
        x[a] = total * m[rows[a] + NODE_ROWS + a]
    for a in range(size):
        m[rows[a] + 7] = x[a]
        out[f, iv + a] = x[a]


def accelerate(m: Rows, me: Index, parent: Index, column: Index, node: Index, size: int) -> None:
    """Set a station's acceleration."""
    w, u = shift(*pair(m, parent + ACCELERATION), vec(m, me + ARM))
    b = pair(m, me + BIAS)
    w, u = w + b[0], u + b[1]
    for a in range(size):
        s, x = pair(m, column + COLUMN_ROWS * a), m[node + (NODE_ROWS + size) * a + 7]
        w, u = w + s[0] * x, u + s[1] * x
    put(m, me + ACCELERATION, w, u)


add_station = straight(station, size=tuple(range(7)), more=(0, 1))
reduce_node = straight(reduce, size=tuple(range(1, 7)))
solve_node = straight(solve, size=tuple(range(1, 7)))
accelerate_station = straight(accelerate, size=tuple(range(7)))


@straight
def load_force(m: Rows, row: Index, tau: Frames, f: Index, i: Index) -> None:
    """Start u with the applied force."""
    m[row + 6] = tau[f, i]


@kernel
def aba(
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    terms: Any,
    c: Any,
    pieces: Any,
    rest: Any,
    q: Any,
    v: Any,
    tau: Any,
    out: Any,
    m: Any,
    first: int,
    last: int,
) -> None:
    """Accelerations, out (n_frames, nv)."""
    columns = stations.shape[0] * STATION_ROWS
    bodies = own_rows(sizes, stations)
    forces = bodies + BODY_ROWS * stations.shape[0]
    for block in range(first, last):
        f = block * LANES
        sweep(sizes, nodes, stations, strains, terms, c, pieces, q, f, v, rest, f, m, True)
        for k in range(stations.shape[0]):
            row = bodies + BODY_ROWS * k
            if stations[k, FORM] == 0:
                clear_rows(m, row, BODY_ROWS)
            else:
                begin_body(m, k * STATION_ROWS, c, stations[k, INERTIA], row, stations[k, FORM])
        for i in range(nodes.shape[0] - 1, -1, -1):
            size = nodes[i, N]
            node = forces + (NODE_ROWS + 6) * nodes[i, IV]
            parent = bodies + BODY_ROWS * nodes[i, PARENT]
            k0 = nodes[i, FIRST]
            for j in range(size):
                load_force(m, node + (NODE_ROWS + size) * j, tau, f, nodes[i, IV] + j)
            for k in range(k0, k0 + nodes[i, COUNT]):
                column = columns + COLUMN_ROWS * stations[k, COLUMN]
                add_station(m, k * STATION_ROWS, column, bodies + BODY_ROWS * k, node, parent, size, k > k0)
            reduce_node(m, node, parent, size)
        for i in range(nodes.shape[0]):
            size = nodes[i, N]
            node = forces + (NODE_ROWS + 6) * nodes[i, IV]
            parent = nodes[i, PARENT] * STATION_ROWS
            solve_node(m, node, parent, out, f, nodes[i, IV], size)
            for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
                if stations[k, LIVE]:
                    column = columns + COLUMN_ROWS * stations[k, COLUMN]
                    accelerate_station(m, k * STATION_ROWS, parent, column, node, size)
