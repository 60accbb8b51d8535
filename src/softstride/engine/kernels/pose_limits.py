"""Limits of coordinates in a pose fit: reached in agreement with all others, held, and let loose again.

A coordinate that a step would take beyond a limit is held there by armature beyond all measure, with a force that
takes it to the limit: the next step leads there while all other coordinates find their best places beside it. At the
limit its step is too small to matter, but its sign tells which way it wants to go.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softstride.engine.jit import inner
from softstride.engine.kernels.pose_masses import Rooms
from softstride.engine.kernels.tables import Array, Table

HOLD = 1e12  # armature of a held coordinate, in its own scale


class Rules(NamedTuple):
    """How steps are taken."""

    scales: Table  # (nv,) damping of one
    reaches: Table  # (nv,) longest step
    locked: Table  # (n_locked,) integers: places in v
    limited: Table  # (n_limited, 2) integers: places in q and v
    limits: Table  # (n_limited, 2) lower and upper
    numbers: Table  # (3,) share of the cost, least damping, most steps
    robust: Any  # 1: markers count linearly beyond a distance


class Work(NamedTuple):
    """Poses of the lanes: tried, best, of the frame before; steps; their fate."""

    trial: Table  # (LANES, nq)
    best: Table  # (LANES, nq)
    last: Table  # (LANES, nq)
    step: Table  # (LANES, nv)
    fate: Table  # (LANES, FATES) integers
    worth: (
        Table  # (LANES, 6): best cost, damping, absolute tolerance, promise, weight of a full view, last gain
    )


@inner
def confine(rules: Rules, rooms: Rooms, work: Work, m: Array, lane: int) -> None:
    """Put a lane's first pose inside the limits; what is not at a limit is not held."""
    for i in range(rules.limited.shape[0]):
        iq, iv = rules.limited[i, 0], rules.limited[i, 1]
        x = min(max(work.trial[lane, iq], rules.limits[i, 0]), rules.limits[i, 1])
        work.trial[lane, iq] = x
        m[rooms.pushes + iv, lane] = 0.0
        if rules.limits[i, 0] < x < rules.limits[i, 1]:
            m[rooms.held + iv, lane] = 0.0


@inner
def shorten(rules: Rules, work: Work, lane: int) -> None:
    """Shorten a step, in its own direction, to what its coordinates can reach: far away the equations say little."""
    share = 1.0
    for j in range(rules.scales.shape[0]):
        share = max(share, abs(work.step[lane, j]) / rules.reaches[j])
    if share > 1.0:
        for j in range(rules.scales.shape[0]):
            work.step[lane, j] /= share


@inner
def holds(rules: Rules, i: int, x: float) -> float:
    """Return the limit at which coordinate i is held."""
    lower, upper = rules.limits[i, 0], rules.limits[i, 1]
    return lower if x - lower < upper - x else upper


@inner
def arrive(rules: Rules, rooms: Rooms, work: Work, m: Array, lane: int) -> int:
    """Hold what the step would take beyond its limit, there; return how many are newly held.

    The step is not taken: the next one leads to these limits, with all other coordinates in agreement.
    """
    changed = 0
    for i in range(rules.limited.shape[0]):
        iq, iv = rules.limited[i, 0], rules.limited[i, 1]
        x = work.best[lane, iq]
        if m[rooms.held + iv, lane] > 0.0:
            continue
        limit = x
        if x + work.step[lane, iv] < rules.limits[i, 0]:
            limit = rules.limits[i, 0]
        elif x + work.step[lane, iv] > rules.limits[i, 1]:
            limit = rules.limits[i, 1]
        else:
            continue
        # h d = h (limit - x) + what else pulls: for so large an h the step is limit - x.
        m[rooms.held + iv, lane] = HOLD * rules.scales[iv]
        m[rooms.pushes + iv, lane] = HOLD * rules.scales[iv] * (limit - x)
        changed += 1
    return changed


@inner
def stay(rules: Rules, rooms: Rooms, work: Work, m: Array, lane: int) -> int:
    """Step to limits that are not reached yet, stay at those that are or let loose what wants to leave.

    Returns how many were on their way or let loose.
    """
    changed = 0
    for i in range(rules.limited.shape[0]):
        iv = rules.limited[i, 1]
        if m[rooms.held + iv, lane] == 0.0:
            continue
        # On its way: limit - x without the rounding of the solve. At the limit: h d is the force left on it,
        # of which only the sign counts.
        x = work.best[lane, rules.limited[i, 0]]
        if m[rooms.pushes + iv, lane] != 0.0:
            work.step[lane, iv] = m[rooms.pushes + iv, lane] / m[rooms.held + iv, lane]
            changed += 1
            continue
        inward = (
            work.step[lane, iv] > 0.0
            if holds(rules, i, x) <= rules.limits[i, 0]
            else work.step[lane, iv] < 0.0
        )
        if inward and rules.limits[i, 0] < rules.limits[i, 1]:
            m[rooms.held + iv, lane] = 0.0
            changed += 1
        work.step[lane, iv] = 0.0
    for i in range(rules.locked.shape[0]):
        work.step[lane, rules.locked[i]] = 0.0
    return changed


@inner
def let_loose(rules: Rules, rooms: Rooms, work: Work, m: Array, lane: int) -> None:
    """Let loose what was on its way to a limit when its step was taken back."""
    for i in range(rules.limited.shape[0]):
        iv = rules.limited[i, 1]
        if m[rooms.pushes + iv, lane] != 0.0:
            m[rooms.held + iv, lane] = 0.0
            m[rooms.pushes + iv, lane] = 0.0


@inner
def there(rules: Rules, rooms: Rooms, m: Array, lane: int) -> None:
    """Note that what was on its way to a limit has arrived."""
    for i in range(rules.limited.shape[0]):
        m[rooms.pushes + rules.limited[i, 1], lane] = 0.0


@inner
def snap(rules: Rules, rooms: Rooms, work: Work, m: Array, lane: int) -> None:
    """Put held coordinates exactly on their limits: a sum that ends there is off by its rounding."""
    for i in range(rules.limited.shape[0]):
        iq = rules.limited[i, 0]
        if m[rooms.held + rules.limited[i, 1], lane] > 0.0:
            work.trial[lane, iq] = holds(rules, i, work.trial[lane, iq])
