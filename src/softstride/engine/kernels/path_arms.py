"""Moment arms: unit tensions carried from the links of each path up to the link that they have in common."""

from __future__ import annotations

from typing import NamedTuple

from softstride.engine.jit import kernel
from softstride.engine.kernels.jacobian import pass_load, work
from softstride.engine.kernels.matrices import clear_row, clear_rows, put_row
from softstride.engine.kernels.records import COLUMN_ROWS, ROTATION, STATION_ROWS, accumulate, mat, pair, vec
from softstride.engine.kernels.sweep import columns_of, own_rows, sweep_still
from softstride.engine.kernels.tables import IV, NODE, Array, N, Places, Table, Tree
from softstride.engine.lanes import LANES, Index, Rows, straight

# a climb of a path: from a station to the one on which it hangs
STATION, LOCAL, ABOVE = (
    0,
    1,
    2,
)  # the station, its load among those of the path, that of the one above (-1: common)
# ranges of a path
SLOT, SLOTS, CLIMB, CLIMBS, LOCALS = 0, 1, 2, 3, 4


class Climbs(NamedTuple):
    """How loads of paths climb the tree."""

    ranges: Table  # (n_paths, 5) first slot and number, first climb and number, number of loads
    climbs: Table  # (n_climbs, 3)
    locals: Table  # (n_slots,) load that a slot's wrench is added to; -1: on the common link, where it does no work
    columns: Table  # (nv,) column of the result for each velocity of the tree
    supports: Table  # (n_paths, ceil(nv / LANES)) bits of the columns that a path may have an arm about


@straight
def push_slot(seats: Places, i: Index, m: Rows, wrenches: Rows, row: Index, load: Index) -> None:
    """Add the wrench of slot i, in world axes about the origin of its link, to a load about the station's origin."""
    n, force = pair(wrenches, row)
    arm = mat(m, seats.stations[i] * STATION_ROWS + ROTATION) @ vec(seats.offsets, i * 12 + 9)
    accumulate(m, load, n + arm.cross(force), force)


def arm_rows(tree: Tree, locals_: int) -> int:
    """Return the scratch rows of `path_arms` behind the sweep's."""
    return 6 * locals_ + tree.nv


@kernel
def path_arms(
    tree: Tree,
    seats: Places,
    climbs: Climbs,
    most: int,
    q: Array,
    wrenches: Array,
    out: Array,
    m: Array,
    first: int,
    last: int,
) -> None:
    """Arms S^T w of unit tension; out (n_frames, n_paths nv).

    Wrenches are in blocks of lanes: row 6 i + k of block b is component k of slot i. ``most`` is the largest number of
    loads of a path.
    """
    nodes, stations = tree.nodes, tree.stations
    loads = own_rows(tree)
    total = loads + 6 * most
    n_slots = seats.stations.shape[0]
    for block in range(first, last):
        f = block * LANES
        sweep_still(tree, q, f, m)
        # The forces of a path are in balance with each other, so above the link that all its links hang on
        # nothing is left of them: the climb ends below it, and all other arms are exactly zero.
        for path in range(climbs.ranges.shape[0]):
            clear_rows(m, loads, 6 * climbs.ranges[path, LOCALS])
            slot = climbs.ranges[path, SLOT]
            for i in range(slot, slot + climbs.ranges[path, SLOTS]):
                if climbs.locals[i] >= 0:
                    push_slot(seats, i, m, wrenches, 6 * (block * n_slots + i), loads + 6 * climbs.locals[i])
            climb = climbs.ranges[path, CLIMB]
            end = climb + climbs.ranges[path, CLIMBS]
            for c in range(climb, end):
                node = stations[climbs.climbs[c, STATION], NODE]
                for j in range(nodes[node, N]):
                    clear_row(m, total + climbs.columns[nodes[node, IV] + j])
            # From the tips up: arm = S^T w for each coordinate of a node, then w goes on above.
            for c in range(climb, end):
                k = climbs.climbs[c, STATION]
                node = stations[k, NODE]
                load = loads + 6 * climbs.climbs[c, LOCAL]
                for j in range(nodes[node, N]):
                    column = columns_of(tree, k) + COLUMN_ROWS * j
                    work(m, column, load, total + climbs.columns[nodes[node, IV] + j])
                if climbs.climbs[c, ABOVE] >= 0:
                    pass_load(m, k * STATION_ROWS, load, loads + 6 * climbs.climbs[c, ABOVE])
            put_row(m, total, tree.nv, climbs.supports, path, out, f, path * tree.nv)
