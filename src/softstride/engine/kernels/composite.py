"""Rigid composite inertias in world axes about a station's origin: mass, first moment, inertia matrix (ten rows)."""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import inner
from softstride.engine.kernels.matrices import clear_rows
from softstride.engine.kernels.records import mat, put, rigid, vec
from softstride.engine.kernels.sweep import ARM, ROTATION, STATION_ROWS
from softstride.engine.kernels.tables import COUNT, FIRST, FORM, INERTIA, PARENT
from softstride.engine.lanes import Index, Params, Rows, straight
from softstride.spatial.small import Mat, Vec

INERTIA_ROWS = 10
Inertia = tuple[Any, Vec, Mat]


def symmetric(xx: Any, xy: Any, xz: Any, yy: Any, yz: Any, zz: Any) -> Mat:
    """Return the symmetric matrix of its six entries."""
    return Mat(Vec(xx, xy, xz), Vec(xy, yy, yz), Vec(xz, yz, zz))


def entries(M: Mat) -> tuple[Any, ...]:
    """Return the six entries of a symmetric matrix."""
    return M[0, 0], M[0, 1], M[0, 2], M[1, 1], M[1, 2], M[2, 2]


def load_inertia(m: Rows, row: Index) -> Inertia:
    """Return mass, first moment, inertia matrix."""
    return m[row], vec(m, row + 1), symmetric(*(m[row + 4 + k] for k in range(6)))


def world_inertia(m: Rows, me: Index, c: Params, ic: Index, form: int) -> Inertia:
    """Return the inertia of a station's own body in world axes."""
    mass, h, inertia = rigid(c, ic, form)
    R = mat(m, me + ROTATION)
    turned = R @ inertia
    columns = [turned @ R[k] for k in range(3)]  # columns of R I R^T, symmetric
    return mass, R @ h, Mat(*columns)


def shift_inertia(inertia: Inertia, d: Vec) -> Inertia:
    """Return an inertia about the origin at -d: I + 2 (h . d) 1 - h d^T - d h^T + m (|d|^2 1 - d d^T)."""
    mass, h, matrix = inertia
    moved = h + d * mass  # first moment about the new origin
    cross = Mat.outer(h, d) + Mat.outer(d, moved)
    return mass, moved, matrix + Mat.diagonal(*[h.dot(d) + moved.dot(d)] * 3) - cross


def momentum(inertia: Inertia, w: Vec, u: Vec) -> tuple[Vec, Vec]:
    """Return the momentum (angular, linear) about the origin of a body with twist (w, u)."""
    mass, h, matrix = inertia
    return matrix @ w + h.cross(u), u * mass - h.cross(w)


def put_inertia(m: Rows, row: Index, inertia: Inertia) -> None:
    """Store mass, first moment, inertia matrix."""
    m[row] = inertia[0]
    put(m, row + 1, inertia[1])
    for k, x in enumerate(entries(inertia[2])):
        m[row + 4 + k] = x


def add_rows(m: Rows, row: Index, values: Any) -> None:
    """Add scalars to consecutive rows."""
    for k, x in enumerate(values):
        m[row + k] = m[row + k] + x


def _own(m: Rows, me: Index, c: Params, ic: Index, row: Index, form: int) -> None:
    put_inertia(m, row, world_inertia(m, me, c, ic, form))


own_inertia = straight(_own, form=(1, 2))


@straight
def compose(m: Rows, me: Index, row: Index, parent: Index) -> None:
    """Add a station's composite inertia to that of the station on which its node hangs."""
    mass, h, matrix = shift_inertia(load_inertia(m, row), vec(m, me + ARM))
    add_rows(m, parent, (mass, *h, *entries(matrix)))


@inner
def own_inertias(stations: Any, c: Any, m: Any, first: int) -> None:
    """Set the inertia of every station to that of its own body."""
    for k in range(stations.shape[0]):
        if stations[k, FORM] == 0:
            clear_rows(m, first + INERTIA_ROWS * k, INERTIA_ROWS)
        else:
            own_inertia(
                m, k * STATION_ROWS, c, stations[k, INERTIA], first + INERTIA_ROWS * k, stations[k, FORM]
            )


@inner
def compose_node(nodes: Any, stations: Any, m: Any, first: int, i: int) -> None:
    """Pass the composite inertias of a node's stations on to its parent."""
    for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
        compose(m, k * STATION_ROWS, first + INERTIA_ROWS * k, first + INERTIA_ROWS * nodes[i, PARENT])
