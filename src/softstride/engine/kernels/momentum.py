"""Momentum, its rate, first moment and kinetic energy of the whole tree, summed over stations."""

from __future__ import annotations

from softstride.engine.jit import kernel
from softstride.engine.kernels.composite import add_rows, momentum, world_inertia
from softstride.engine.kernels.matrices import clear_rows, put_one
from softstride.engine.kernels.records import ACCELERATION, POSITION, STATION_ROWS, TWIST, pair, vec
from softstride.engine.kernels.sweep import accelerate, own_rows, sweep_moving
from softstride.engine.kernels.tables import FORM, Array, Tree
from softstride.engine.lanes import LANES, Index, Rows, straight

TOTALS = 17  # momentum 6, its rate 6, mass, first moment 3, kinetic energy


def station(tree: Tree, k: Index, m: Rows, total: Index, form: int) -> None:
    """Add what the body of station k contributes."""
    me = k * STATION_ROWS
    inertia = world_inertia(tree, k, m, form)
    p = vec(m, me + POSITION)
    w, u = pair(m, me + TWIST)
    L, P = momentum(inertia, w, u)
    # Rate of momentum, I A + V x* I V; without gravity if the tree is weightless.
    n, f = momentum(inertia, *pair(m, me + ACCELERATION))
    n, f = n + w.cross(L) + u.cross(P), f + w.cross(P)
    # T = V^T I V / 2. The other sums are about the world's origin: n + p x f, h + m p.
    kinetic = 0.5 * (w.dot(L) + u.dot(P))
    mass, h, _ = inertia
    add_rows(m, total, (*(L + p.cross(P)), *P, *(n + p.cross(f)), *f, mass, *(h + p * mass), kinetic))


add_station = straight(station, form=(1, 2))


@kernel
def momenta(tree: Tree, q: Array, v: Array, a: Array, out: Array, m: Array, first: int, last: int) -> None:
    """Sums about the world's origin, out (n_frames, TOTALS)."""
    stations = tree.stations
    total = own_rows(tree)
    for block in range(first, last):
        f = block * LANES
        sweep_moving(tree, q, v, f, m)
        accelerate(tree, a, f, m)
        clear_rows(m, total, TOTALS)
        for k in range(1, stations.shape[0]):
            add_station(tree, k, m, total, stations[k, FORM])
        for r in range(TOTALS):
            put_one(m, total + r, out, f, r)
