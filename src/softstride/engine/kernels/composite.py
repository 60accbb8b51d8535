"""Rigid composite inertias in world axes about a station's origin: mass, first moment, inertia matrix (ten rows)."""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import inner
from softstride.engine.kernels.matrices import clear_rows
from softstride.engine.kernels.records import ARM, ROTATION, STATION_ROWS, Row, Spatial, mat, put, rigid, vec
from softstride.engine.kernels.tables import COUNT, FIRST, FORM, INERTIA, PARENT, Array, Tree
from softstride.engine.lanes import Index, Rows, straight
from softstride.spatial.small import Mat, Vec

INERTIA_ROWS = 10
Inertia = tuple[Any, Vec, Mat]


def symmetric(xx: Any, xy: Any, xz: Any, yy: Any, yz: Any, zz: Any) -> Mat:
    """Return the symmetric matrix of its six entries."""
    return Mat(Vec(xx, xy, xz), Vec(xy, yy, yz), Vec(xz, yz, zz))


def entries(M: Mat) -> tuple[Any, ...]:
    """Return the six entries of a symmetric matrix."""
    return M[0, 0], M[0, 1], M[0, 2], M[1, 1], M[1, 2], M[2, 2]


def load_inertia(m: Rows, row: Row) -> Inertia:
    """Return mass, first moment, inertia matrix."""
    return m[row], vec(m, row + 1), symmetric(*(m[row + 4 + k] for k in range(6)))


def world_inertia(tree: Tree, k: Row, m: Rows, form: int) -> Inertia:
    """Return the inertia of station k's own body in world axes."""
    mass, h, inertia = rigid(tree.constants, tree.stations[k, INERTIA], form)
    R = mat(m, k * STATION_ROWS + ROTATION)
    turned = R @ inertia
    return mass, R @ h, Mat(*(turned @ R[i] for i in range(3)))  # R I R^T, column by column


def shift_inertia(inertia: Inertia, d: Vec) -> Inertia:
    """Return an inertia about the origin at -d: I + 2 (h . d) 1 - h d^T - d h^T + m (|d|^2 1 - d d^T)."""
    mass, h, matrix = inertia
    # h . d + moved . d = 2 h . d + m |d|^2,    h d^T + d moved^T = h d^T + d h^T + m d d^T
    moved = h + d * mass  # first moment about the new origin
    cross = Mat.outer(h, d) + Mat.outer(d, moved)
    return mass, moved, matrix + Mat.diagonal(*[h.dot(d) + moved.dot(d)] * 3) - cross


def momentum(inertia: Inertia, w: Vec, u: Vec) -> Spatial:
    """Return the momentum (angular, linear) about the origin of a body with twist (w, u)."""
    mass, h, matrix = inertia
    # [L; P] = [[I, hat(h)], [-hat(h), m E]] [w; u]
    return matrix @ w + h.cross(u), u * mass - h.cross(w)


def put_inertia(m: Rows, row: Row, inertia: Inertia) -> None:
    """Store mass, first moment, inertia matrix."""
    m[row] = inertia[0]
    put(m, row + 1, inertia[1])
    for k, x in enumerate(entries(inertia[2])):
        m[row + 4 + k] = x


def add_rows(m: Rows, row: Row, values: Any) -> None:
    """Add scalars to consecutive rows."""
    for k, x in enumerate(values):
        m[row + k] = m[row + k] + x


def own(tree: Tree, k: Index, m: Rows, row: Index, form: int) -> None:
    """Store the inertia of station k's own body."""
    put_inertia(m, row, world_inertia(tree, k, m, form))


own_inertia = straight(own, form=(1, 2))


@straight
def compose(m: Rows, me: Index, row: Index, parent: Index) -> None:
    """Add a station's composite inertia to that of the station on which its node hangs."""
    # The parent's origin is at -arm from here.
    mass, h, matrix = shift_inertia(load_inertia(m, row), vec(m, me + ARM))
    add_rows(m, parent, (mass, *h, *entries(matrix)))


@inner
def own_inertias(tree: Tree, m: Array, first: int) -> None:
    """Set the inertia of every station to that of its own body."""
    for k in range(tree.stations.shape[0]):
        row = first + INERTIA_ROWS * k
        if tree.stations[k, FORM] == 0:
            clear_rows(m, row, INERTIA_ROWS)
        else:
            own_inertia(tree, k, m, row, tree.stations[k, FORM])


@inner
def compose_node(tree: Tree, m: Array, first: int, i: int) -> None:
    """Pass the composite inertias of a node's stations on to its parent."""
    nodes = tree.nodes
    for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
        compose(m, k * STATION_ROWS, first + INERTIA_ROWS * k, first + INERTIA_ROWS * nodes[i, PARENT])
