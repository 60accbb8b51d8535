"""What is seen at places on the tree: poses, twists, accelerations."""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import kernel
from softstride.engine.kernels.records import mat, vec
from softstride.engine.kernels.sweep import (
    ACCELERATION,
    POSITION,
    ROTATION,
    STATION_ROWS,
    TWIST,
    accelerate,
    pair,
    shift,
    sweep,
)
from softstride.engine.lanes import LANES, Frames, Index, Params, Rows, straight


@straight
def put_pose(m: Rows, me: Index, offsets: Params, i: Index, out: Frames, f: Index) -> None:
    """Write the homogeneous matrix of place i."""
    R0 = mat(m, me + ROTATION)
    R = R0 @ mat(offsets, i * 12)
    p = vec(m, me + POSITION) + R0 @ vec(offsets, i * 12 + 9)
    entries = [*R[0], p.x, *R[1], p.y, *R[2], p.z, 0.0, 0.0, 0.0, 1.0]
    for first in range(0, 16, LANES):
        out.put_tile(f, i * 16 + first, entries[first : first + LANES])


def put_motion(m: Rows, me: Index, offsets: Params, i: Index, out: Frames, f: Index, row: int) -> None:
    """Write a spatial vector of the station about place i, in the axes of the place."""
    R0 = mat(m, me + ROTATION)
    R = R0 @ mat(offsets, i * 12)
    w, u = shift(*pair(m, me + row), R0 @ vec(offsets, i * 12 + 9))
    for k, x in enumerate((*(R.T @ w), *(R.T @ u))):
        out[f, i * 6 + k] = x


put_twist = straight(put_motion, row=TWIST)
put_acceleration = straight(put_motion, row=ACCELERATION)


@kernel
def observe_poses(
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    terms: Any,
    c: Any,
    pieces: Any,
    places: Any,
    offsets: Any,
    rest: Any,
    q: Any,
    out: Any,
    m: Any,
    first: int,
    last: int,
) -> None:
    """Poses of places, out (n_frames, 16 n_places)."""
    for block in range(first, last):
        f = block * LANES
        sweep(sizes, nodes, stations, strains, terms, c, pieces, q, f, rest, rest, 0, m, False)
        for i in range(places.shape[0]):
            put_pose(m, places[i] * STATION_ROWS, offsets, i, out, f)


@kernel
def observe_motions(
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    terms: Any,
    c: Any,
    pieces: Any,
    places: Any,
    offsets: Any,
    rest: Any,
    second: int,
    q: Any,
    v: Any,
    a: Any,
    out: Any,
    m: Any,
    first: int,
    last: int,
) -> None:
    """Twists of places (``second`` 0), or their accelerations with gravity (1); out (n_frames, 6 n_places)."""
    for block in range(first, last):
        f = block * LANES
        sweep(sizes, nodes, stations, strains, terms, c, pieces, q, f, v, rest, f, m, True)
        if second:
            accelerate(nodes, stations, a, f, m)
        for i in range(places.shape[0]):
            if second:
                put_acceleration(m, places[i] * STATION_ROWS, offsets, i, out, f)
            else:
                put_twist(m, places[i] * STATION_ROWS, offsets, i, out, f)
