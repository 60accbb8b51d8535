"""Momentum, its rate, first moment and kinetic energy of the whole tree, summed over stations."""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import kernel
from softstride.engine.kernels.composite import add_rows, momentum, world_inertia
from softstride.engine.kernels.matrices import clear_rows, put_one
from softstride.engine.kernels.records import vec
from softstride.engine.kernels.sweep import (
    ACCELERATION,
    POSITION,
    STATION_ROWS,
    TWIST,
    accelerate,
    own_rows,
    pair,
    sweep,
)
from softstride.engine.kernels.tables import FORM, INERTIA
from softstride.engine.lanes import LANES, Index, Params, Rows, straight

TOTALS = 17  # momentum 6, its rate 6, mass, first moment 3, kinetic energy


def _add(m: Rows, me: Index, c: Params, ic: Index, total: Index, form: int) -> None:
    inertia = world_inertia(m, me, c, ic, form)
    p = vec(m, me + POSITION)
    w, u = pair(m, me + TWIST)
    L, P = momentum(inertia, w, u)
    n, f = momentum(inertia, *pair(m, me + ACCELERATION))
    n, f = n + w.cross(L) + u.cross(P), f + w.cross(P)
    kinetic = 0.5 * (w.dot(L) + u.dot(P))
    mass, h, _ = inertia
    add_rows(m, total, (*(L + p.cross(P)), *P, *(n + p.cross(f)), *f, mass, *(h + p * mass), kinetic))


add_station = straight(_add, form=(1, 2))


@kernel
def momenta(
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    terms: Any,
    c: Any,
    pieces: Any,
    rest: Any,
    q: Any,
    v: Any,
    a: Any,
    out: Any,
    m: Any,
    first: int,
    last: int,
) -> None:
    """Sums about the world's origin, out (n_frames, TOTALS)."""
    total = own_rows(sizes, stations)
    for block in range(first, last):
        f = block * LANES
        sweep(sizes, nodes, stations, strains, terms, c, pieces, q, f, v, rest, f, m, True)
        accelerate(nodes, stations, a, f, m)
        clear_rows(m, total, TOTALS)
        for k in range(1, stations.shape[0]):
            add_station(m, k * STATION_ROWS, c, stations[k, INERTIA], total, stations[k, FORM])
        for r in range(TOTALS):
            put_one(m, total + r, out, f, r)
