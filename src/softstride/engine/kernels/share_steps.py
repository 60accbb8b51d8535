"""Steps of sharing a demand: the parts of one Newton step on the dual of an independent part of a frame.

See `softstride.engine.kernels.share_forces` for the method. No recursion over a tree and no lanes: columns touch few
rows, and every frame has its own bounds to run into.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softstride.engine.jit import inner
from softstride.engine.kernels.tables import Array, IntArray

HARD, HARDER = 1e-8, 1e-4  # share of the least stiffness of rows that those without reserve get, and at most
SOFTER, HARDEST = (
    1e-3,
    1e-12,
)  # no more than this share of the softest reserve beside them; least share of their own
LEAST_PIVOT = 1e-14
GOOD, ROUNDING = 1e-13, 1e-15  # relative miss of rows that cannot be told from none, and that of slopes
EASY, FINE = (
    0.25,
    0.1,
)  # slopes along a step, over the first, that will do: of a full step, and of one searched for
FURTHER, NARROWINGS = 40, 60  # most doublings and narrowings of a search
APART = 100.0  # ends of a search, one over the other, between which the middle is geometric
STIFF = 1e-7  # least curvature of a cubic cost, over that at the size of the unknown


class ShareParts(NamedTuple):
    """Independent parts of the program: rows and columns that touch, directly or through others."""

    parts: IntArray  # (n_parts, 4): first row and number of rows, first column and number of columns, in the lists
    rows: IntArray  # (k,) rows, part by part
    columns: IntArray  # (m,) columns, part by part
    starts: IntArray  # (m + 1,) first entry of each column of the list
    entries: IntArray  # (n_entries,) row of each entry, counted within its part


class ShareRoom(NamedTuple):
    """Where one thread keeps a part of a frame. Rows are divided by their scale."""

    value: Array  # (n_entries,) matrix
    scale: Array  # rows: what they were multiplied with
    target: Array  # rows: demand
    soft: Array  # rows: S², or a little
    bare: Array  # rows: 1 without reserve, else 0
    anchor: Array  # rows: multiplier at which a row without reserve gives nothing
    dual: Array  # rows: multipliers
    gap: Array  # rows: what is missing
    size: Array  # rows: sum of the sizes of its terms
    least: Array  # rows: least such size
    blur: Array  # rows: what rounding of the multipliers may make of the gap
    step: Array  # rows
    stiff: Array  # (rows, rows), lower triangle
    x: Array  # columns
    give: Array  # columns: dx / dslope
    base: Array  # columns: r ref
    slope: Array  # columns: A multipliers + r ref
    change: Array  # columns: A step
    weight: Array  # columns
    pull: Array  # columns
    lower: Array  # columns
    upper: Array  # columns
    floor: Array  # columns: least curvature


OF_ROWS = ("scale", "target", "soft", "bare", "anchor", "dual", "gap", "size", "least", "blur", "step")


@inner
def respond(
    slope: float, weight: float, pull: float, lower: float, upper: float, floor: float, power: int
) -> tuple[float, float]:
    """Return the cheapest x at this slope, and its derivative: zero at a bound."""
    # The least of w |x|^p / p + r x² / 2 - c x: w x + r x = c, or w x |x| + r x = c, whose root is written
    # without cancellation. dx/dc is 1 / (w + r), or 1 / (2 w |x| + r) = 1 / root, kept finite by the floor.
    if power == 2:
        curvature = weight + pull
        x = slope / curvature
    else:
        root = math.sqrt(pull * pull + 4.0 * weight * abs(slope))
        x = 2.0 * slope / (pull + root) if root > 0.0 else 0.0
        curvature = max(root, floor)
    if x <= lower:
        return lower, 0.0
    if x >= upper:
        return upper, 0.0
    return x, 1.0 / curvature


@inner
def add_up(s: ShareParts, room: ShareRoom, part: int, power: int) -> bool:
    """Write x, its derivative, gaps and sizes at the multipliers; return whether the gaps are but rounding."""
    n_rows, first, n_columns = s.parts[part, 1], s.parts[part, 2], s.parts[part, 3]
    # Slope of the dual, row by row: b - A' x - S² (y - anchor).
    for j in range(n_rows):
        rest = room.soft[j] * (room.dual[j] - room.anchor[j])
        room.gap[j] = room.target[j] - rest
        room.size[j] = room.least[j] + abs(room.target[j]) + abs(rest)
        room.blur[j] = 0.0
    base = s.starts[first]
    for i in range(n_columns):
        a, b = s.starts[first + i] - base, s.starts[first + i + 1] - base
        slope = room.base[i]
        large = abs(slope)
        for e in range(a, b):
            term = room.value[e] * room.dual[s.entries[base + e]]
            slope += term
            large += abs(term)
        x, give = respond(
            slope, room.weight[i], room.pull[i], room.lower[i], room.upper[i], room.floor[i], power
        )
        room.x[i], room.give[i], room.slope[i] = x, give, slope
        # c is a sum that is known to ROUNDING of its terms; x is off by dx/dc times that, and rows with it.
        large *= ROUNDING * give
        for e in range(a, b):
            j, made = s.entries[base + e], room.value[e] * x
            room.gap[j] -= made
            room.size[j] += abs(made)
            room.blur[j] += abs(room.value[e]) * large
    open_rows = 0
    for j in range(n_rows):
        open_rows += abs(room.gap[j]) > GOOD * room.size[j] + room.blur[j]
    return open_rows == 0


@inner
def newton_step(s: ShareParts, room: ShareRoom, part: int) -> float:
    """Write the step (A' D A + S²)^-1 gap; return gap · step."""
    n_rows, first, n_columns = s.parts[part, 1], s.parts[part, 2], s.parts[part, 3]
    stiff, step = room.stiff, room.step
    # A' D A + S², lower triangle; unknowns at a bound have D = 0 and drop out.
    for j in range(n_rows):
        for i in range(j):
            stiff[j, i] = 0.0
        stiff[j, j] = room.soft[j]
    base = s.starts[first]
    for i in range(n_columns):
        give = room.give[i]
        if give > 0.0:
            a, b = s.starts[first + i], s.starts[first + i + 1]
            for e in range(a, b):
                share, j = give * room.value[e - base], s.entries[e]
                for f in range(a, e + 1):
                    stiff[j, s.entries[f]] += share * room.value[f - base]
    # Cholesky factor L row by row, the reciprocals of L_jj on its diagonal, and step = L^-1 gap beside it;
    # its square is gap . step, the slope of the dual along the step. Pivots stay above rounding where the
    # rows of free unknowns depend on each other.
    slope = 0.0
    for j in range(n_rows):
        least = LEAST_PIVOT * stiff[j, j]
        for i in range(j + 1):
            total = stiff[j, i]
            for k in range(i):
                total -= stiff[j, k] * stiff[i, k]
            stiff[j, i] = 1.0 / math.sqrt(max(total, least)) if i == j else total * stiff[i, i]
        total = room.gap[j]
        for k in range(j):
            total -= stiff[j, k] * step[k]
        step[j] = total * stiff[j, j]
        slope += step[j] * step[j]
    for j in range(n_rows - 1, -1, -1):
        total = step[j]
        for k in range(j + 1, n_rows):
            total -= stiff[k, j] * step[k]
        step[j] = total * stiff[j, j]
    return slope


@inner
def slope_at(t: float, rows: float, bend: float, n_columns: int, room: ShareRoom, power: int) -> float:
    """Return the slope of the dual along the step, at t steps."""
    total = rows - t * bend
    for i in range(n_columns):
        x, _ = respond(
            room.slope[i] + t * room.change[i],
            room.weight[i],
            room.pull[i],
            room.lower[i],
            room.upper[i],
            room.floor[i],
            power,
        )
        total -= room.change[i] * x
    return total


@inner
def how_far(rows: float, bend: float, n_columns: int, room: ShareRoom, power: int, slope: float) -> float:
    """Return how many steps to go: one if the slope of the dual is small there, else about where it vanishes.

    The dual is concave, so that its slope only falls: doubled until it is below zero, then narrowed by secants, and by
    halves (of the logarithm, if the ends are far apart) where secants are slow.
    """
    near, far, at_near = 0.0, 1.0, slope
    at_far = slope_at(far, rows, bend, n_columns, room, power)
    if abs(at_far) <= EASY * slope:
        return far
    for _ in range(FURTHER):
        if at_far <= 0.0:
            break
        near, at_near = far, at_far
        far *= 2.0
        at_far = slope_at(far, rows, bend, n_columns, room, power)
        if abs(at_far) <= FINE * slope:
            return far
    if at_far > 0.0:
        return far
    # Two secants, then a halving: the slope has kinks where unknowns reach bounds.
    for k in range(NARROWINGS):
        if k % 3 < 2:
            middle = near + (far - near) * at_near / (at_near - at_far)
        elif far > APART * near:
            middle = math.sqrt(max(near, far / APART**3) * far)
        else:
            middle = 0.5 * (near + far)
        at = slope_at(middle, rows, bend, n_columns, room, power)
        if abs(at) <= FINE * slope:
            return middle
        if at > 0.0:
            near, at_near = middle, at
        else:
            far, at_far = middle, at
    return near
