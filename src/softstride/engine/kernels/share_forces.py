"""Sharing a demand among bounded unknowns, frame by frame: a semismooth Newton method on the dual.

The cost is a sum over unknowns, so that at given multipliers y of the rows each unknown is known in closed form,

    x_i(y) = the least of cost_i(x) - x (A y)_i within its bounds,      s_j = S_j² y_j

and y maximises a concave function of few variables (a leg has seven) with

    slope  b - A' x(y) - S² y,       curvature  -(A' D A + S²),   D = dx / d(A y), zero for unknowns at a bound.

A Newton step is one small Cholesky factorisation. A search along the step, for which x alone is evaluated, makes it
converge from anywhere; near the solution full steps are taken, and for a quadratic cost the last one is exact. Rows
without reserve are given a little, all the same S, about anchors that are moved to the multipliers found (the proximal
point method), so that they are met exactly if they can be; if not, the sum of the squares of what they miss, in the
units of the rows, is the least there is.

Rows and unknowns that have nothing in common (left leg, right leg) are solved apart. Every frame begins at the
multipliers of its own cost without bounds, so that no result depends on other frames; to begin where the frame before
it ended would save half of the steps and a sixth of the time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.share_steps import (
    GOOD,
    HARD,
    HARDER,
    HARDEST,
    SOFTER,
    STIFF,
    ShareParts,
    ShareRoom,
    add_up,
    how_far,
    newton_step,
    respond,
)
from softstride.engine.kernels.tables import Array

ANCHORS = 20  # most moves of the anchor
FLAT = 1e-26  # gain of a step over the height reached that rounding hides: the square of a relative change of 1e-13
LEAST = 1e-3  # of what a row can hold: terms below are not asked to cancel more exactly


class ShareFrames(NamedTuple):
    """The programs of all frames."""

    matrix: Array  # (n, m, k)
    demand: Array  # (n, k)
    weights: Array  # (n or 1, m)
    lower: Array  # (n or 1, m)
    upper: Array  # (n or 1, m)
    pull: Array  # (n or 1, m)
    reference: Array  # (n or 1, m)
    reserve: Array  # (k,)


@inner
def of_frame(x: Array, f: int, i: int) -> float:
    """Return the number of a frame, or the one for all."""
    return x[f if x.shape[0] > 1 else 0, i]


@inner
def load_part(frames: ShareFrames, s: ShareParts, part: int, f: int, room: ShareRoom, power: int) -> None:
    """Copy a part of a frame, rows over the root of their stiffness without bounds."""
    row, n_rows, first, n_columns = s.parts[part, 0], s.parts[part, 1], s.parts[part, 2], s.parts[part, 3]
    base = s.starts[first]
    for j in range(n_rows):
        room.scale[j] = room.least[j] = 0.0
    for i in range(n_columns):
        c = s.columns[first + i]
        weight, pull = of_frame(frames.weights, f, c), of_frame(frames.pull, f, c)
        lower, upper = of_frame(frames.lower, f, c), of_frame(frames.upper, f, c)
        room.weight[i], room.pull[i], room.lower[i], room.upper[i] = weight, pull, lower, upper
        room.base[i] = pull * of_frame(frames.reference, f, c)
        # Curvature of the cost: w + r for squares; for cubes w |x|^3 / 3 the mean of 2 w |x| up to the bound,
        # plus r. The first Newton step uses it.
        usual = max(abs(lower), abs(upper))
        usual = usual if 0.0 < usual < math.inf else 1.0
        curvature = pull + (weight if power == 2 else weight * usual)
        room.floor[i] = STIFF * curvature
        room.give[i] = 1.0 / curvature
        for e in range(s.starts[first + i], s.starts[first + i + 1]):
            j = s.entries[e]
            value = frames.matrix[f, c, s.rows[row + j]]
            room.value[e - base] = value
            room.scale[j] += value * value / curvature
            room.least[j] += LEAST * abs(value) * usual
    # Rows are divided by the root of A' D A + S², D = 1 / curvature: the first Newton matrix has a unit
    # diagonal, whatever the units of a row. Rows without reserve then get one S² for all, in their own units:
    # small beside what muscles make and beside other reserves, but above rounding.
    share, least, most = HARD, math.inf, 0.0
    for j in range(n_rows):
        reserve = frames.reserve[s.rows[row + j]]
        stiffness = room.scale[j] + reserve * reserve
        room.scale[j] = 1.0 / math.sqrt(stiffness) if stiffness > 0.0 else 1.0
        room.least[j] *= room.scale[j]
        room.target[j] = frames.demand[f, s.rows[row + j]] * room.scale[j]
        room.soft[j] = (reserve * room.scale[j]) ** 2
        room.bare[j] = 0.0 if reserve > 0.0 else 1.0
        if reserve > 0.0:
            share = min(share, max(SOFTER * room.soft[j], HARDEST))
        elif stiffness > 0.0:
            least, most = min(least, stiffness), max(most, stiffness)
    little = min(max(share * least, HARDEST * most), HARDER * least) if most > 0.0 else share
    for j in range(n_rows):
        if room.bare[j] > 0.0:
            room.soft[j] = max(little * room.scale[j] ** 2, HARDEST)
    for e in range(s.starts[first + n_columns] - base):
        room.value[e] *= room.scale[s.entries[base + e]]


@inner
def begin(s: ShareParts, room: ShareRoom, part: int, power: int) -> None:
    """Write the multipliers of the unknowns without bounds, a cubic cost replaced by a quadratic one."""
    n_rows, first, n_columns = s.parts[part, 1], s.parts[part, 2], s.parts[part, 3]
    base = s.starts[first]
    # One Newton step on the dual from y = 0 without bounds; for p = 2 that is the maximum without bounds.
    for j in range(n_rows):
        room.gap[j], room.dual[j] = room.target[j], 0.0
    for i in range(n_columns):
        x, _ = respond(room.base[i], room.weight[i], room.pull[i], -math.inf, math.inf, room.floor[i], power)
        for e in range(s.starts[first + i], s.starts[first + i + 1]):
            room.gap[s.entries[e]] -= room.value[e - base] * x
    newton_step(s, room, part)
    for j in range(n_rows):
        room.dual[j] = room.step[j]


@inner
def move(s: ShareParts, room: ShareRoom, part: int, power: int) -> bool:
    """Take one step; false if there is no way up that rounding would not hide."""
    n_rows, first, n_columns = s.parts[part, 1], s.parts[part, 2], s.parts[part, 3]
    slope = newton_step(s, room, part)
    # Slope of the dual along the step, t steps ahead: rows - t bend - sum of change_i x_i(t),
    # change = A step. Gains below FLAT of `height`, the size of the terms of the dual's value, are lost in
    # rounding.
    rows = bend = height = 0.0
    for j in range(n_rows):
        step, dual = room.step[j], room.dual[j]
        rows += step * (room.target[j] - room.soft[j] * (dual - room.anchor[j]))
        bend += room.soft[j] * step * step
        height += abs(dual) * room.size[j]
    if not slope > FLAT * height:
        return False
    base = s.starts[first]
    for i in range(n_columns):
        change = 0.0
        for e in range(s.starts[first + i], s.starts[first + i + 1]):
            change += room.value[e - base] * room.step[s.entries[e]]
        room.change[i] = change
    t = how_far(rows, bend, n_columns, room, power, slope)
    for j in range(n_rows):
        room.dual[j] += t * room.step[j]
    return True


@inner
def climb(s: ShareParts, room: ShareRoom, part: int, power: int, most: int) -> int:
    """Go to the top from the multipliers written; return the steps."""
    for steps in range(most):
        if add_up(s, room, part, power) or not move(s, room, part, power):
            return steps
    add_up(s, room, part, power)
    return most


@inner
def solve_part(s: ShareParts, room: ShareRoom, part: int, power: int, most: int) -> int:
    """Climb, and move the anchors of rows without reserve as long as that brings them nearer; return the steps."""
    n_rows = s.parts[part, 1]
    total = 0
    before = math.inf
    for _ in range(ANCHORS + 1):
        total += climb(s, room, part, power, most - total)
        # Proximal point: with a reserve about the anchor, s = S² (y - anchor) is what a row still misses.
        # Anchors move to y until that is rounding, or no longer falls: such a row cannot be met.
        left = 0.0
        for j in range(n_rows):
            if room.bare[j] > 0.0 and room.size[j] > 0.0:
                left = max(left, abs(room.soft[j] * (room.dual[j] - room.anchor[j])) / room.size[j])
        if left <= GOOD or left > 0.9 * before or total >= most:
            break
        before = left
        for j in range(n_rows):
            if room.bare[j] > 0.0:
                room.anchor[j] = room.dual[j]
    return total


@kernel
def share_frames(
    frames: ShareFrames,
    s: ShareParts,
    power: int,
    most: int,
    first: int,
    last: int,
    x: Array,
    duals: Array,
    steps: Array,
    room: ShareRoom,
) -> None:
    """Solve frames first .. last - 1: writes x (n, m), duals (n, k) and steps (n, 1)."""
    for part in range(s.parts.shape[0]):
        row, n_rows, column, n_columns = (
            s.parts[part, 0],
            s.parts[part, 1],
            s.parts[part, 2],
            s.parts[part, 3],
        )
        for f in range(first, last):
            load_part(frames, s, part, f, room, power)
            begin(s, room, part, power)
            for j in range(n_rows):
                room.anchor[j] = 0.0
            taken = solve_part(s, room, part, power, most)
            steps[f, 0] = max(steps[f, 0], taken)
            for i in range(n_columns):
                x[f, s.columns[column + i]] = room.x[i]
            # The row was multiplied by its scale, so its multiplier has the same factor in given units.
            for j in range(n_rows):
                duals[f, s.rows[row + j]] = room.dual[j] * room.scale[j]
