"""Tensions of muscles as wrenches on links: unit tensions of all paths, weighed and summed link by link."""

from __future__ import annotations

from softstride.engine.jit import kernel
from softstride.engine.kernels.matrices import clear_rows, put_one
from softstride.engine.kernels.records import accumulate, pair
from softstride.engine.kernels.tables import Array, IntArray
from softstride.engine.lanes import LANES, Frames, Index, Rows, straight


@straight
def pull_link(
    wrenches: Rows, row: Index, tension: Frames, f: Index, path: Index, m: Rows, load: Index
) -> None:
    """Add the wrench of a slot of a path, at a row, times the tension of the path to the load of its link."""
    n, force = pair(wrenches, row)
    pull = tension[f, path]
    accumulate(m, load, n * pull, force * pull)


@kernel
def path_pulls(
    owners: IntArray,
    links: IntArray,
    wrenches: Array,
    tension: Array,
    out: Array,
    m: Array,
    first: int,
    last: int,
) -> None:
    """Sum the wrenches of paths on links; out (n_frames, 6 n_links).

    Args:
        owners: Path of each slot (n_slots,).
        links: Link of each slot (n_slots,); -1: one that is not asked for.
        wrenches: Of unit tension, in blocks of lanes (see `path_arms`).
        tension: Of each path (n_frames, n_paths), whole blocks.
        out: Result, whole blocks.
        m: Scratch (6 n_links, LANES).
        first: First block.
        last: Block after the last.
    """
    for block in range(first, last):
        f = block * LANES
        clear_rows(m, 0, out.shape[1])
        for i in range(owners.shape[0]):
            if links[i] >= 0:
                pull_link(wrenches, 6 * (block * owners.shape[0] + i), tension, f, owners[i], m, 6 * links[i])
        for k in range(out.shape[1]):
            put_one(m, k, out, f, k)
