"""How tension of paths reaches the coordinates: up from the links of each path to the link that they have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softstride.engine.kernels import tables as t
from softstride.engine.kernels.path_arms import Climbs
from softstride.engine.kernels.tables import IntArray, Tree
from softstride.engine.plan import Plan, bits


def make_climbs(plan: Plan, stations: IntArray, slots: Sequence[tuple[int, int]]) -> Climbs:
    """Return how loads climb from the stations of each path to the lowest one that all of them hang on."""
    tree = plan.tree
    columns = np.arange(tree.nv) if plan.v_order is None else np.asarray(plan.v_order)
    ranges: list[list[int]] = []
    climbs: list[list[int]] = []
    own = np.full(len(stations), -1, dtype=np.int64)
    supports = np.zeros((len(slots), tree.nv), dtype=np.int64)
    for path, (first, count) in enumerate(slots):
        chains = [_chain(tree, int(k)) for k in stations[first : first + count]]
        common = max(set.intersection(*map(set, chains)))
        moving = sorted(
            {k for chain in chains for k in chain if k > common and common in _chain(tree, k)}, reverse=True
        )
        local = {k: i for i, k in enumerate(moving)}
        for i in range(first, first + count):
            own[i] = local.get(int(stations[i]), -1)
        ranges.append([first, count, len(climbs), len(moving), len(moving)])
        for k in moving:
            node = tree.nodes[tree.stations[k, t.NODE]]
            climbs.append([k, local[k], local.get(int(node[t.PARENT]), -1)])
            supports[path, columns[node[t.IV] : node[t.IV] + node[t.N]]] = 1
    return Climbs(
        ranges=np.array(ranges, dtype=np.int64).reshape(-1, 5),
        climbs=np.array(climbs, dtype=np.int64).reshape(-1, 3),
        locals=own,
        columns=columns.astype(np.int64),
        supports=bits(supports),
    )


def _chain(tree: Tree, station: int) -> list[int]:
    """Return a station and those that it hangs on, up to the world."""
    found = [station]
    while station:
        station = int(tree.nodes[tree.stations[station, t.NODE], t.PARENT])
        found.append(station)
    return found
