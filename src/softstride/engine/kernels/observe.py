"""What is seen at places on the tree: poses, twists, accelerations."""

from __future__ import annotations

from softstride.engine.jit import kernel
from softstride.engine.kernels.records import (
    ACCELERATION,
    POSITION,
    ROTATION,
    STATION_ROWS,
    TWIST,
    mat,
    pair,
    shift,
    vec,
)
from softstride.engine.kernels.sweep import accelerate, sweep_moving, sweep_still
from softstride.engine.kernels.tables import Array, Places, Tree
from softstride.engine.lanes import LANES, Frames, Index, Rows, straight


@straight
def put_pose(places: Places, i: Index, m: Rows, out: Frames, f: Index) -> None:
    """Write the homogeneous matrix of place i."""
    me, offsets = places.stations[i] * STATION_ROWS, places.offsets
    R0 = mat(m, me + ROTATION)
    R = R0 @ mat(offsets, i * 12)
    p = vec(m, me + POSITION) + R0 @ vec(offsets, i * 12 + 9)
    entries = [*R[0], p.x, *R[1], p.y, *R[2], p.z, 0.0, 0.0, 0.0, 1.0]
    for first in range(0, 16, LANES):
        out.put_tile(f, i * 16 + first, entries[first : first + LANES])


@straight
def put_point(places: Places, i: Index, m: Rows, out: Frames, f: Index) -> None:
    """Write the position of place i."""
    me = places.stations[i] * STATION_ROWS
    p = vec(m, me + POSITION) + mat(m, me + ROTATION) @ vec(places.offsets, i * 12 + 9)
    for k, x in enumerate(p):
        out[f, i * 3 + k] = x


def motion(places: Places, i: Index, m: Rows, out: Frames, f: Index, second: bool) -> None:
    """Write twist or acceleration about place i, in the axes of the place."""
    me, offsets = places.stations[i] * STATION_ROWS, places.offsets
    row = ACCELERATION if second else TWIST
    R0 = mat(m, me + ROTATION)
    R = R0 @ mat(offsets, i * 12)
    # R^T shift(V, r), and likewise A: the rate of that twist. The place itself accelerates by u' + w x u.
    w, u = shift(*pair(m, me + row), R0 @ vec(offsets, i * 12 + 9))
    for k, x in enumerate((*(R.T @ w), *(R.T @ u))):
        out[f, i * 6 + k] = x


put_motion = straight(motion, second=(0, 1))


@kernel
def observe_poses(tree: Tree, places: Places, q: Array, out: Array, m: Array, first: int, last: int) -> None:
    """Poses of places, out (n_frames, 16 n_places)."""
    for block in range(first, last):
        f = block * LANES
        sweep_still(tree, q, f, m)
        for i in range(places.stations.shape[0]):
            put_pose(places, i, m, out, f)


@kernel
def observe_points(tree: Tree, places: Places, q: Array, out: Array, m: Array, first: int, last: int) -> None:
    """Positions of places, out (n_frames, 3 n_places)."""
    for block in range(first, last):
        f = block * LANES
        sweep_still(tree, q, f, m)
        for i in range(places.stations.shape[0]):
            put_point(places, i, m, out, f)


@kernel
def observe_motions(
    tree: Tree,
    places: Places,
    second: int,
    q: Array,
    v: Array,
    a: Array,
    out: Array,
    m: Array,
    first: int,
    last: int,
) -> None:
    """Twists of places (``second`` 0), or their accelerations with gravity (1); out (n_frames, 6 n_places)."""
    for block in range(first, last):
        f = block * LANES
        sweep_moving(tree, q, v, f, m)
        if second:
            accelerate(tree, a, f, m)
        for i in range(places.stations.shape[0]):
            put_motion(places, i, m, out, f, second)
