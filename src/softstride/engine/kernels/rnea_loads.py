"""External loads in inverse dynamics, and what joints transmit.

A recursion in body frames knows no world. Poses in the world are made for those stations only that a load is on or
hangs on, after the forward sweep, in rows that it has done with; then a load is one more wrench on its station:
F -= Ad^T w. A joint that is cut shows the wrench that the backward sweep has for its station: what the joint gives it
and all that it carries.
"""

from __future__ import annotations

from softstride.engine.kernels.records import Row, mat, pair, placement, put, take, vec
from softstride.engine.kernels.rnea_stations import POSE, STATION_ROWS, TWIST, WRENCH
from softstride.engine.kernels.tables import BASE, NODE, REAL, Places, Tree
from softstride.engine.lanes import Frames, Index, Rows, straight
from softstride.spatial.small import Mat, Vec

WORLD = TWIST  # pose in the world: twist and acceleration are not needed after the forward sweep

ABOUT_PLACE, ABOUT_POINT = 6, 9
"""Columns of a load in world axes: moment about its place and force; or moment, force and the point that the moment is
about."""

SHOWN = 9
"""Columns of a cut: moment about a point, force, and that point, in the axes and from the origin of a frame."""


def seen(m: Rows, row: Row) -> tuple[Mat, Vec]:
    """Return a stored pose."""
    return mat(m, row), vec(m, row + 9)


@straight
def stand_upright(m: Rows) -> None:
    """Set the pose of the world itself."""
    put(m, WORLD, Mat.identity(), Vec.zero())


def find_pose(tree: Tree, k: Index, m: Rows, soft: bool) -> None:
    """Set the pose of station k in the world, from that of its base; a rod's is relative to the segment's base."""
    # T_k = T_base g_k. The stored g_k of a rigid joint has the placement in it, the g(s) of a rod has not.
    R0, p0 = seen(m, tree.stations[k, BASE] * STATION_ROWS + WORLD)
    if soft:
        Rt, pt = placement(tree.constants, tree.nodes[tree.stations[k, NODE], REAL])
        R0, p0 = R0 @ Rt, p0 + R0 @ pt
    R, p = seen(m, k * STATION_ROWS + POSE)
    put(m, k * STATION_ROWS + WORLD, R0 @ R, p0 + R0 @ p)


orient = straight(find_pose, soft=(0, 1))


def take_load(places: Places, i: Index, m: Rows, loads: Frames, f: Index, column: Index, width: int) -> None:
    """Subtract the load on place i, in columns from ``column`` on, from the wrench that moves its station."""
    # A load with moment about a point x is the body wrench [R^T moment + r x R^T force; R^T force],
    # r = R^T (x - p) or the offset of the place. It acts on the link, so the joints give that much less.
    me = places.stations[i] * STATION_ROWS
    R, p = seen(m, me + WORLD)
    moment, force = take(loads, f, column), R.T @ take(loads, f, column + 3)
    arm = vec(places.offsets, i * 12 + 9)
    if width == ABOUT_POINT:
        arm = R.T @ (take(loads, f, column + 6) - p)
    n, total = pair(m, me + WRENCH)
    put(m, me + WRENCH, n - (R.T @ moment + arm.cross(force)), total - force)


pull = straight(take_load, width=(ABOUT_PLACE, ABOUT_POINT))


@straight
def put_origin(places: Places, i: Index, m: Rows, out: Frames, f: Index) -> None:
    """Write where place i is in the world."""
    R, p = seen(m, places.stations[i] * STATION_ROWS + WORLD)
    for k, x in enumerate(p + R @ vec(places.offsets, i * 12 + 9)):
        out[f, i * 3 + k] = x


def stand(places: Places, i: Index, m: Rows) -> tuple[Mat, Vec]:
    """Return the pose of place i in the world."""
    R, p = seen(m, places.stations[i] * STATION_ROWS + WORLD)
    Rt, pt = placement(places.offsets, i * 12)
    return R @ Rt, p + R @ pt


@straight
def show_cut(
    places: Places,
    seat: Index,
    about: Index,
    axes: Index,
    row: Index,
    m: Rows,
    out: Frames,
    f: Index,
    column: Index,
) -> None:
    """Write the wrench at a row, given about place ``seat``, about another place and in the axes of a third."""
    # Body wrench to world axes; moment from p0 to p by n + (p0 - p) x f; then into the axes asked for.
    R0, p0 = stand(places, seat, m)
    _, p = stand(places, about, m)
    R, origin = stand(places, axes, m)
    n, force = (R0 @ each for each in pair(m, row))
    n = n + (p0 - p).cross(force)
    for k, x in enumerate((*(R.T @ n), *(R.T @ force), *(R.T @ (p - origin)))):
        out[f, column + k] = x
