"""The plan of a model: its tables for kernels, made once and kept as long as the model lives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kept import Kept
from softstride.engine.kernels import tables as t
from softstride.engine.kernels.sweep import own_rows
from softstride.engine.kernels.tables import Array, IntArray, Places, Tree
from softstride.engine.lanes import LANES
from softstride.engine.places import Place, PlaceLike, contents, resolve
from softstride.engine.planner import write_down
from softstride.model import Model


@dataclass(frozen=True, eq=False)
class Plan:
    """Tables of one model, and of the places at which results are wanted."""

    tree: Tree
    places: Places
    kinds: tuple[type[Place], ...]  # whether each place is a point or a frame
    q_order: NDArray[np.intp] | None  # columns of q in node order, if that is not the model's order
    v_order: NDArray[np.intp] | None
    cuts: IntArray  # joints whose wrench is wanted: their station, or -1 minus the first node of a rod

    @cached_property
    def weightless(self) -> Tree:
        """The same tree without gravity."""
        constants = self.tree.constants.copy()
        constants[:3] = 0.0
        return self.tree._replace(constants=constants)

    @cached_property
    def sweep_rows(self) -> int:
        """Scratch rows of the forward sweep."""
        return int(own_rows.py_func(self.tree))

    def q_in(self, q: Array) -> Array:
        """Return positions in node order."""
        return q if self.q_order is None else np.ascontiguousarray(q[:, self.q_order])

    def v_in(self, v: Array) -> Array:
        """Return velocities (or forces) in node order."""
        return v if self.v_order is None else np.ascontiguousarray(v[:, self.v_order])

    def v_out(self, x: Array, axes: int = 1) -> Array:
        """Bring a result back to the model's order along its last axis or axes, in place."""
        if self.v_order is not None:
            back = np.argsort(self.v_order)
            x[...] = x[..., back] if axes == 1 else x[..., back[:, None], back]
        return x

    def path(self, station: int) -> IntArray:
        """Return the coordinates that move a station."""
        found: list[int] = []
        while station:
            node = self.tree.nodes[self.tree.stations[station, t.NODE]]
            found.extend(range(node[t.IV], node[t.IV] + node[t.N]))
            station = node[t.PARENT]
        return np.array(found, dtype=np.int64)

    @cached_property
    def paths(self) -> IntArray:
        """Stations that the places are on or hang on, bases first: whose poses say where the places are."""
        found = {0}
        for station in self.places.stations.tolist():
            while station not in found:
                found.add(station)
                station = int(self.tree.stations[station, t.BASE])
        return np.array(sorted(found - {0}), dtype=np.int64)

    @cached_property
    def related(self) -> IntArray:
        """Where a matrix over pairs of coordinates may differ from zero: bits, shape (nv, ceil(nv / LANES))."""
        support = np.zeros((self.tree.nv, self.tree.nv), dtype=np.int64)
        for node in self.tree.nodes:
            mine = slice(node[t.IV], node[t.IV] + node[t.N])
            above = self.path(node[t.FIRST])
            support[mine, above] = support[above, mine] = 1
        return bits(support)

    @cached_property
    def supports(self) -> IntArray:
        """Where the Jacobians of the places may differ from zero: bits, shape (n_places, ceil(nv / LANES))."""
        support = np.zeros((len(self.places.stations), self.tree.nv), dtype=np.int64)
        for i, station in enumerate(self.places.stations):
            support[i, self.path(station)] = 1
        return bits(support)


def bits(support: IntArray) -> IntArray:
    """Pack zeros and ones along the last axis, LANES in a number."""
    n, width = support.shape
    padded = np.zeros((n, -(-width // LANES) * LANES), dtype=np.int64)
    padded[:, :width] = support
    return np.ascontiguousarray(padded.reshape(n, padded.shape[1] // LANES, LANES) @ (1 << np.arange(LANES)))


def make_plan(
    model: Model,
    places: list[Place],
    weighed: bool = True,
    chained: bool = False,
    cuts: tuple[str, ...] = (),
) -> Plan:
    """Return a new plan.

    One that is not `weighed` serves kinematics only and leaves inertias out; one that is `chained` has simple custom
    joints as hinges and sliders. `cuts` are links whose joints transmit wrenches that are wanted.
    """
    planner, tree, seats = write_down(model, places, weighed, chained, cuts)
    cut = [-1 - planner.rods[name] if name in planner.rods else planner.where[name][0] for name in cuts]
    return Plan(
        tree,
        seats,
        tuple(type(place) for place in places),
        None if planner.q_order == list(range(model.nq)) else np.array(planner.q_order, dtype=np.intp),
        None if planner.v_order == list(range(model.nv)) else np.array(planner.v_order, dtype=np.intp),
        np.array(cut, dtype=np.int64),
    )


_KEPT = 64
"""How many plans of one model are kept."""

_plans: Kept[Plan] = Kept(_KEPT)
_asked: Kept[Plan] = Kept(_KEPT)
"""The same plans by what was asked for: names and objects that were seen before are found without their numbers."""


def plan(
    model: Model, places: tuple[PlaceLike, ...] = (), chained: bool = False, cuts: tuple[str, ...] = ()
) -> Plan:
    """Return the plan of a model and places, made once: names and objects that mean the same place are the same."""
    asked = (places, chained, cuts)
    found = _asked.get(model, asked)
    if found is None:
        meant = [resolve(model, place) for place in places]
        key = (tuple(contents(place) for place in meant), chained, cuts)
        found = _plans.get(model, key) or _plans.put(
            model, key, make_plan(model, meant, chained=chained, cuts=cuts)
        )
        _asked.put(model, asked, found)
    return found
