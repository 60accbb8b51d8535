"""How well a pose is known: the diagonal of (J^T W J + Λ)^-1, in O(n), without the matrix.

The elimination of a pose fit writes a node's step as a = L^-T (y - W A_parent) with D = L L^T, so that the covariance P
of twists runs from the root to the leaves. With K = L^-T W,

    cov(a) = L^-T L^-1 + K P_parent K^T,      P = V P_parent V^T + s L^-T L^-1 s^T,      V = shift - s K,

which is exactly the block of the inverse: a Kalman smoother in space instead of time.
"""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.aba import NODE_ROWS
from softstride.engine.kernels.matrices import clear_row, clear_rows
from softstride.engine.kernels.pose_masses import (
    TARGET_ROWS,
    TURN_ROWS,
    Rooms,
    Sights,
    eliminate,
    weigh_poses,
)
from softstride.engine.kernels.records import ARM, COLUMN_ROWS, STATION_ROWS, vec
from softstride.engine.kernels.sweep import columns_of, sweep_still
from softstride.engine.kernels.tables import COUNT, FIRST, IV, PARENT, Array, IntArray, N, Tree
from softstride.engine.lanes import LANES, Frames, Index, Rows, straight

SPREAD_ROWS = 21  # covariance of a station's twist, upper triangle
PAIRS = [(i, j) for i in range(6) for j in range(i, 6)]


def load_spread(m: Rows, row: Index) -> list[list[Any]]:
    """Return the covariance of a twist."""
    P: list[list[Any]] = [[None] * 6 for _ in range(6)]
    for k, (i, j) in enumerate(PAIRS):
        P[i][j] = P[j][i] = m[row + k]
    return P


def total(terms: Any) -> Any:
    """Return a sum that begins with its first term."""
    result: Any = 0.0
    for term in terms:
        result = result + term
    return result


def load_factors(m: Rows, node: Index, size: int) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return T = L^-1 (lower triangle, as rows) and K = T^T W of a node."""
    # T = L^-1 by forward substitution; the diagonal holds 1 / L_aa already. K = L^-T W.
    rows = [node + (NODE_ROWS + size) * a for a in range(size)]
    T: list[list[Any]] = [[0.0] * size for _ in range(size)]
    for a in range(size):
        inverse = m[rows[a] + NODE_ROWS + a]
        T[a][a] = inverse
        for b in range(a):
            T[a][b] = -(total(m[rows[a] + NODE_ROWS + k] * T[k][b] for k in range(b, a)) * inverse)
    W = [[m[rows[a] + k] for k in range(6)] for a in range(size)]
    K = [[total(T[b][a] * W[b][k] for b in range(a, size)) for k in range(6)] for a in range(size)]
    return T, K


def know(m: Rows, node: Index, parent: Index, out: Frames, f: Index, iv: Index, size: int) -> None:
    """Write the variances of a node's coordinates."""
    T, K = load_factors(m, node, size)
    P = load_spread(m, parent)
    for a in range(size):
        # Diagonal of L^-T L^-1 + K P_parent K^T.
        own = total(T[b][a] * T[b][a] for b in range(a, size))
        out[f, iv + a] = own + total(K[a][i] * total(P[i][j] * K[a][j] for j in range(6)) for i in range(6))


def spread(m: Rows, me: Index, column: Index, node: Index, parent: Index, row: Index, size: int) -> None:
    """Pass the covariance on from a node's parent to one of its stations."""
    d = vec(m, me + ARM)
    # shift as a matrix: the lower left block is -hat(d), for u + w x d.
    V: list[list[Any]] = [[1.0 if i == j else 0.0 for j in range(6)] for i in range(6)]
    V[3][1], V[3][2], V[4][0], V[4][2], V[5][0], V[5][1] = d.z, -d.y, -d.z, d.x, d.y, -d.x
    P = load_spread(m, parent)
    root: list[list[Any]] = [[] for _ in range(6)]  # s L^-T
    if size:
        # A = shift(A_parent) + s a, a = L^-T y - K A_parent, y independent of A_parent with unit covariance.
        T, K = load_factors(m, node, size)
        S = [[m[column + COLUMN_ROWS * a + i] for a in range(size)] for i in range(6)]
        V = [[V[i][j] - total(S[i][a] * K[a][j] for a in range(size)) for j in range(6)] for i in range(6)]
        root = [[total(S[i][a] * T[b][a] for a in range(b + 1)) for b in range(size)] for i in range(6)]
    VP = [[total(V[i][k] * P[k][j] for k in range(6)) for j in range(6)] for i in range(6)]
    for k, (i, j) in enumerate(PAIRS):
        m[row + k] = total(VP[i][n] * V[j][n] for n in range(6)) + total(
            root[i][b] * root[j][b] for b in range(size)
        )


know_node = straight(know, size=tuple(range(1, 7)))
spread_station = straight(spread, size=tuple(range(7)))


@straight
def load_weight(m: Rows, row: Index, weights: Frames, f: Index, i: Index) -> None:
    """Take a weight of LANES frames."""
    m[row] = weights[f, i]


@straight
def load_strength(m: Rows, row: Index, strengths: Frames, f: Index, i: Index) -> None:
    """Take the strength of a coordinate's goal."""
    m[row] = strengths[f, i]


@inner
def load_weights(sights: Sights, rooms: Rooms, weights: Array, strengths: Array, f: int, m: Array) -> None:
    """Take all weights of LANES frames."""
    n = sights.stations.shape[0]
    for i in range(n):
        load_weight(m, rooms.targets + TARGET_ROWS * i + 3, weights, f, i)
    for i in range(sights.frames.shape[0]):
        load_weight(m, rooms.turns + TURN_ROWS * i + 9, weights, f, n + i)
    for j in range(strengths.shape[1]):
        load_strength(m, rooms.strengths + j, strengths, f, j)


@kernel
def pose_variances(
    tree: Tree,
    sights: Sights,
    rooms: Rooms,
    needed: IntArray,
    q: Array,
    weights: Array,
    strengths: Array,
    out: Array,
    m: Array,
    first: int,
    last: int,
) -> None:
    """Variances of coordinates, out (n_frames, nv), of weights (n_frames, markers + frames) and strengths."""
    nodes = tree.nodes
    clear_rows(m, rooms.targets, rooms.end - rooms.targets)
    for block in range(first, last):
        f = block * LANES
        load_weights(sights, rooms, weights, strengths, f, m)
        sweep_still(tree, q, f, m)
        # Only the factors L and W are used: forces, targets and goals do not matter.
        weigh_poses(tree, sights, rooms, 0, q, f, m)
        eliminate(tree, rooms, m)
        # The world stands still: P = 0.
        for k in range(SPREAD_ROWS):
            clear_row(m, rooms.end + k)
        for i in range(nodes.shape[0]):
            size = nodes[i, N]
            node = rooms.nodes + (NODE_ROWS + 6) * nodes[i, IV]
            parent = rooms.end + SPREAD_ROWS * nodes[i, PARENT]
            know_node(m, node, parent, out, f, nodes[i, IV], size)
            for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
                if needed[k]:
                    row = rooms.end + SPREAD_ROWS * k
                    spread_station(m, k * STATION_ROWS, columns_of(tree, k), node, parent, row, size)
