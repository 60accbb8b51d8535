"""Mass matrix and momentum matrix by composite inertias.

For node i, with composite inertias of its stations: Q = sum I_k s_k (momentum of a unit velocity, about the origin of
the parent station), M_ii = sum s_k^T I_k s_k; then up the path, M_ij = Q^T s_j with the columns of the station through
which the path leads.
"""

from __future__ import annotations

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.composite import (
    INERTIA_ROWS,
    compose_node,
    load_inertia,
    momentum,
    own_inertias,
)
from softstride.engine.kernels.matrices import clear_rows, put_matrix, put_one
from softstride.engine.kernels.records import ARM, COLUMN_ROWS, STATION_ROWS, accumulate, dot, pair, put, vec
from softstride.engine.kernels.sweep import columns_of, own_rows, sweep_still
from softstride.engine.kernels.tables import COUNT, FIRST, IV, NODE, PARENT, Array, IntArray, N, Tree
from softstride.engine.lanes import LANES, Index, Rows, straight


def crba_rows(tree: Tree) -> int:
    """Return the scratch rows behind the sweep's: composites, momenta of one node, the matrix."""
    return INERTIA_ROWS * len(tree.stations) + 36 + tree.nv * tree.nv


def station_block(
    m: Rows, me: Index, column: Index, row: Index, Q: Index, M: Index, n: Index, size: int, more: bool
) -> None:
    """Compute a station's share of Q (about the parent's origin) and of the node's own block of M."""
    # With composite I_k [Featherstone2008, table 6.2]: Q_a = sum I_k s_a about the parent's origin and
    # M_ab = sum s_b^T I_k s_a, sums over the stations of the node.
    inertia, arm = load_inertia(m, row), vec(m, me + ARM)
    columns = [pair(m, column + COLUMN_ROWS * k) for k in range(size)]
    for a in range(size):
        p = momentum(inertia, *columns[a])
        moved = p[0] + arm.cross(p[1]), p[1]
        (accumulate if more else put)(m, Q + 6 * a, *moved)
        for b in range(a + 1):
            value = dot(columns[b], p)
            if more:
                value = value + m[M + n * a + b]
            m[M + n * a + b] = value
            if a != b:
                m[M + n * b + a] = value


own_block = straight(station_block, size=tuple(range(1, 7)), more=(0, 1))


def pair_block(
    m: Rows, Q: Index, column: Index, below: Index, above: Index, n: Index, size: int, width: int
) -> None:
    """Set M of ``size`` coordinates below (row ``below``) and ``width`` above (row ``above``), both ways."""
    # M_ij = Q^T s_j, both about the origin of the station on the path.
    momenta = [pair(m, Q + 6 * a) for a in range(size)]
    for b in range(width):
        s = pair(m, column + COLUMN_ROWS * b)
        for a in range(size):
            value = dot(s, momenta[a])
            m[below + n * a + b] = value
            m[above + n * b + a] = value


pair_blocks = straight(pair_block, size=tuple(range(1, 7)), width=(1, 2, 3, 6))


@straight
def lift(m: Rows, Q: Index, me: Index) -> None:
    """Take a momentum about the origin of the next station up."""
    n, f = pair(m, Q)
    put(m, Q, n + vec(m, me + ARM).cross(f))


@inner
def climb(tree: Tree, m: Array, i: int, Q: int, M: int, n: int) -> None:
    """Set M of node i with all nodes above it."""
    nodes, stations = tree.nodes, tree.stations
    size = nodes[i, N]
    k = nodes[i, PARENT]
    while k:
        j = stations[k, NODE]
        column = columns_of(tree, k)
        below = M + n * nodes[i, IV] + nodes[j, IV]
        above = M + n * nodes[j, IV] + nodes[i, IV]
        # Widths without a variant of their own go column by column.
        width = nodes[j, N]
        if width <= 3 or width == 6:
            pair_blocks(m, Q, column, below, above, n, size, width)
        else:
            for b in range(width):
                pair_blocks(m, Q, column + COLUMN_ROWS * b, below + b, above + n * b, n, size, 1)
        for a in range(size):
            lift(m, Q + 6 * a, k * STATION_ROWS)
        k = nodes[j, PARENT]


@kernel
def crba(tree: Tree, related: IntArray, q: Array, out: Array, m: Array, first: int, last: int) -> None:
    """Mass matrices, out (n_frames, nv nv)."""
    nodes, stations = tree.nodes, tree.stations
    inertias = own_rows(tree)
    Q = inertias + INERTIA_ROWS * stations.shape[0]
    n = tree.nv
    M = Q + 36
    for block in range(first, last):
        f = block * LANES
        sweep_still(tree, q, f, m)
        own_inertias(tree, m, inertias)
        # Leaves first: what hangs on a node has passed its composite on before the node uses its own.
        for i in range(nodes.shape[0] - 1, -1, -1):
            k0 = nodes[i, FIRST]
            for k in range(k0, k0 + nodes[i, COUNT]):
                column, row = columns_of(tree, k), inertias + INERTIA_ROWS * k
                own_block(
                    m, k * STATION_ROWS, column, row, Q, M + (n + 1) * nodes[i, IV], n, nodes[i, N], k > k0
                )
            compose_node(tree, m, inertias, i)
            climb(tree, m, i, Q, M, n)
        put_matrix(m, M, n, related, out, f)


@straight
def column_momentum(m: Rows, me: Index, column: Index, row: Index, Q: Index) -> None:
    """Add the momentum of a unit velocity of one column about the parent's origin."""
    # I_k s_k with composite I_k: momentum of all behind the station if this coordinate alone moves.
    p = momentum(load_inertia(m, row), *pair(m, column))
    accumulate(m, Q, p[0] + vec(m, me + ARM).cross(p[1]), p[1])


@kernel
def momentum_matrices(
    tree: Tree, q: Array, out: Array, whole: Array, m: Array, first: int, last: int
) -> None:
    """Momentum of unit velocities about the world's origin, out (n_frames, 6 nv).

    Also the inertia of the whole tree there, (n_frames, 10).
    """
    nodes, stations = tree.nodes, tree.stations
    inertias = own_rows(tree)
    Q = inertias + INERTIA_ROWS * stations.shape[0]
    n = tree.nv
    for block in range(first, last):
        f = block * LANES
        sweep_still(tree, q, f, m)
        own_inertias(tree, m, inertias)
        for i in range(nodes.shape[0] - 1, -1, -1):
            for j in range(nodes[i, N]):
                clear_rows(m, Q, 6)
                for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
                    column = columns_of(tree, k) + COLUMN_ROWS * j
                    column_momentum(m, k * STATION_ROWS, column, inertias + INERTIA_ROWS * k, Q)
                # Up to the world's origin; [Orin2013] has the matrix about the centre of mass.
                k = nodes[i, PARENT]
                while k:
                    lift(m, Q, k * STATION_ROWS)
                    k = nodes[stations[k, NODE], PARENT]
                for r in range(6):
                    put_one(m, Q + r, out, f, r * n + nodes[i, IV] + j)
            compose_node(tree, m, inertias, i)
        # By now the world has the composite of the whole tree.
        for r in range(INERTIA_ROWS):
            put_one(m, inertias + r, whole, f, r)
