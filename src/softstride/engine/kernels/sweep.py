"""The forward sweep that all recursions but inverse dynamics share: every station in world axes.

Spatial vectors are in world axes about the station's own origin, so that passing them on costs one cross product and
no rotation, and nothing loses digits far from the world's origin. Each station has its rotation R, position p, arm
(from the origin of the station on which the node hangs), twist columns s (one a coordinate of the node), and if moving
its twist V and bias c with

    V = shift(V_parent, arm) + s v,    A = shift(A_parent, arm) + s a + c,    shift([w; u], d) = [w; u + w x d].
"""

from __future__ import annotations

from softstride.engine.jit import inner
from softstride.engine.kernels.placing import (
    place_custom,
    place_free,
    place_prismatic,
    place_revolute,
    place_soft,
    place_spherical,
)
from softstride.engine.kernels.records import (
    ACCELERATION,
    ARM,
    BIAS,
    COLUMN_ROWS,
    ROTATION,
    STATION_ROWS,
    pair,
    put,
    shift,
    vec,
)
from softstride.engine.kernels.tables import (
    COLUMN,
    CUSTOM,
    FREE,
    IV,
    KIND,
    NODE,
    PARENT,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    Array,
    N,
    Tree,
)
from softstride.engine.lanes import Frames, Index, Rows, straight
from softstride.spatial.small import Mat, Vec


@straight
def begin_world(tree: Tree, m: Rows) -> None:
    """Set the world: at the origin, at rest, accelerating against gravity."""
    # The zeros are position, arm, twist, bias and angular acceleration.
    gravity = vec(tree.constants, 0)
    put(m, ROTATION, Mat.identity(), *([Vec.zero()] * 7), -gravity)


@inner
def sweep(tree: Tree, q: Array, f: int, v: Array, g: int, m: Array, moving: bool) -> None:
    """Place every station of LANES frames; positions are read from frame f on, velocities from frame g on."""
    begin_world(tree, m)
    for i in range(tree.nodes.shape[0]):
        kind = tree.nodes[i, KIND]
        if kind == SPHERICAL:
            place_spherical(tree, i, m, q, f, v, g, moving)
        elif kind == REVOLUTE:
            place_revolute(tree, i, m, q, f, v, g, moving)
        elif kind == PRISMATIC:
            place_prismatic(tree, i, m, q, f, v, g, moving)
        elif kind == FREE:
            place_free(tree, i, m, q, f, v, g, moving)
        elif kind == CUSTOM:
            place_custom(tree, i, m, q, f, v, g, moving)
        else:
            place_soft(tree, i, m, q, f, v, g, moving)


@inner
def sweep_still(tree: Tree, q: Array, f: int, m: Array) -> None:
    """Place every station of LANES frames from f on."""
    sweep(tree, q, f, tree.rest, 0, m, False)


@inner
def sweep_moving(tree: Tree, q: Array, v: Array, f: int, m: Array) -> None:
    """Place every station of LANES frames from f on, and let them move."""
    sweep(tree, q, f, v, f, m, True)


@inner
def columns_of(tree: Tree, k: int) -> int:
    """Return the first scratch row of a station's twist columns."""
    return tree.stations.shape[0] * STATION_ROWS + COLUMN_ROWS * tree.stations[k, COLUMN]


@inner
def own_rows(tree: Tree) -> int:
    """Return the first scratch row behind the sweep's records, where a recursion keeps its own."""
    return tree.stations.shape[0] * STATION_ROWS + COLUMN_ROWS * tree.n_columns + tree.extra_rows


@straight
def carry_acceleration(m: Rows, me: Index, parent: Index) -> None:
    """Start a station's acceleration: the parent's, and the bias."""
    w, u = shift(*pair(m, parent + ACCELERATION), vec(m, me + ARM))
    b = pair(m, me + BIAS)
    put(m, me + ACCELERATION, w + b[0], u + b[1])


@straight
def add_acceleration(m: Rows, me: Index, column: Index, a: Frames, f: Index, i: Index) -> None:
    """Add s a of one coordinate."""
    s = pair(m, column)
    w, u = pair(m, me + ACCELERATION)
    put(m, me + ACCELERATION, w + s[0] * a[f, i], u + s[1] * a[f, i])


@inner
def accelerate(tree: Tree, a: Array, f: int, m: Array) -> None:
    """Compute the acceleration of every station after a moving sweep."""
    # A = shift(A_parent, arm) + s a + c, from the node's parent even in a chain.
    nodes, stations = tree.nodes, tree.stations
    for k in range(1, stations.shape[0]):
        i = stations[k, NODE]
        me = k * STATION_ROWS
        carry_acceleration(m, me, nodes[i, PARENT] * STATION_ROWS)
        for j in range(nodes[i, N]):
            add_acceleration(m, me, columns_of(tree, k) + COLUMN_ROWS * j, a, f, nodes[i, IV] + j)
