"""One lane of the cone program after a step: go on, try the finish, go back, or end."""

from __future__ import annotations

import numpy as np

from softstride.engine.jit import inner
from softstride.engine.kernels.cone_lane import (
    LEAST_LEVEL,
    LEAST_PROX,
    LESS_LEVEL,
    MOST_PROX,
    SHRINK,
    ConeFrames,
)
from softstride.engine.kernels.cone_points import (
    BEFORE,
    BEFORE_GAP,
    CONES,
    FAILED,
    FINISH,
    FRESH,
    GAP,
    HIGH,
    INTERIOR,
    KNOWN,
    LEVEL,
    MISS,
    MODE,
    MOVED,
    NATURAL,
    NEED,
    PUSH,
    STEPS,
    TRIES,
    ConeRows,
)
from softstride.engine.kernels.tables import Array

CLOSE = 1e-2  # |slope - z| over max z below which the finish may begin
PATIENCE = 12  # steps of the finish
WARM_GROWTH = (
    0.3  # of the residual, in each step from a start given by the caller, beyond which it is given up
)
WORSE, MUCH_WORSE = 3.0, 1e3  # growth of the residual at which the finish is given up: later, at once
LAST = 100.0  # failures from which the interior points are at their end
CHOICES = 5  # of e
GENTLE = 100.0  # e over the ratio of sizes
STUCK = 1e9  # 1 / step length


@inner
def keep(rows: ConeRows, m: Array, lane: int, n: int) -> None:
    """Remember where the finish begins."""
    for k in range(n):
        m[rows.kept + k, lane] = m[rows.x + k, lane]
        m[rows.kept + n + k, lane] = m[rows.z + k, lane]
        m[rows.kept + 2 * n + k, lane] = m[rows.slope + k, lane]
    for k in range(n // 3 * rows.facets):
        m[rows.kept + 3 * n + k, lane] = m[rows.y + k, lane]
    m[rows.one + KNOWN, lane] = 1.0
    m[rows.one + BEFORE, lane] = m[rows.one + NATURAL, lane]
    m[rows.one + BEFORE_GAP, lane] = m[rows.one + GAP, lane]


@inner
def go_back(rows: ConeRows, m: Array, lane: int, n: int) -> None:
    """Return to where the finish began."""
    for k in range(n):
        m[rows.x + k, lane] = m[rows.kept + k, lane]
        m[rows.z + k, lane] = m[rows.kept + n + k, lane]
        m[rows.slope + k, lane] = m[rows.kept + 2 * n + k, lane]
    for k in range(n // 3 * rows.facets):
        m[rows.y + k, lane] = m[rows.kept + 3 * n + k, lane]
    m[rows.one + NATURAL, lane] = m[rows.one + BEFORE, lane]
    m[rows.one + GAP, lane] = m[rows.one + BEFORE_GAP, lane]


@inner
def choose_prox(rows: ConeRows, m: Array, lane: int, c: int) -> None:
    """Choose e of each point: where x / e and z tell apart which of them is at rest.

    That is the ratio of the sizes of x and z in the frame, a little below or, in turn, far above; or its geometric mean
    with the scaling of the point itself, sqrt(det x / det z). What fails at one gap may do at the next.
    """
    one = rows.one
    # sqrt(mu) keeps the ratio of sizes finite where all x, or all z, vanish.
    root = np.sqrt(max(m[one + GAP, lane], 0.0) / m[one + CONES, lane])
    ratio = max(root, m[one + HIGH, lane]) / max(root, m[one + PUSH, lane], 1e-300)
    turn = int(m[one + FAILED, lane]) % CHOICES
    for i in range(c):
        e = ratio * (SHRINK if turn == 0 else GENTLE if turn == 1 else GENTLE * GENTLE)
        if turn == 2 or turn == 4:
            of_x = of_z = 0.0
            for k in range(3):
                sign = 1.0 if k == 0 else -1.0
                of_x += sign * m[rows.x + 3 * i + k, lane] ** 2
                of_z += sign * m[rows.z + 3 * i + k, lane] ** 2
            if of_x > 0.0 and of_z > 0.0:
                e = np.sqrt(np.sqrt(of_x / of_z) * ratio) * (1.0 if turn == 2 else GENTLE)
        m[rows.prox + i, lane] = min(max(e, LEAST_PROX), MOST_PROX)


@inner
def sharpen(rows: ConeRows, m: Array, lane: int, c: int) -> None:
    """Shrink e from one step of the finish to the next."""
    for i in range(c):
        m[rows.prox + i, lane] = max(SHRINK * m[rows.prox + i, lane], LEAST_PROX)


@inner
def try_again(rows: ConeRows, m: Array, lane: int, c: int, spent: bool) -> int:
    """Try the finish from the last return point with the next choice of e; return 2 when all have been tried."""
    if spent or m[rows.one + FAILED, lane] >= LAST + CHOICES:
        return 2
    choose_prox(rows, m, lane, c)
    m[rows.one + MODE, lane] = FINISH
    m[rows.one + TRIES, lane] = 0.0
    return 0


@inner
def judge(frames: ConeFrames, rows: ConeRows, m: Array, lane: int, scale: float) -> int:
    """Look at a lane after its step and choose its mode; return 1 when it has ended, 2 if without success."""
    one = rows.one
    c = frames.friction.shape[1]
    n = 3 * c
    m[one + STEPS, lane] += 1.0
    high, push = m[one + HIGH, lane], m[one + PUSH, lane]
    gap = m[one + GAP, lane]
    sound = abs(gap) < np.inf and abs(m[one + NATURAL, lane]) < np.inf
    size = max(high, scale)
    # x has to satisfy the certificate and to stand still. Interior points stay inside the cones, so a lane
    # that settles there goes on to the finish, unless the finish has failed on it.
    settled = (
        sound
        and m[one + NATURAL, lane] <= frames.numbers[0] * size
        and m[one + MOVED, lane] <= frames.numbers[1] * size
    )
    mode = m[one + MODE, lane]
    if settled and (mode == FINISH or m[one + FAILED, lane] > 0.0):
        return 1
    spent = m[one + STEPS, lane] >= frames.numbers[2]
    if mode == FINISH:
        # The penalty 1 / e grows with every step of the finish.
        m[one + TRIES, lane] += 1.0
        sharpen(rows, m, lane, c)
        # Semismooth steps without a line search may run away. The first one, which sorts points into those at
        # rest and others, may be a little worse; else the lane goes back to where the finish began.
        growth = m[one + NATURAL, lane] / max(m[one + BEFORE, lane], 1e-300)
        last = m[one + FAILED, lane] >= LAST
        if m[one + KNOWN, lane] == 0.0:  # a start from outside must do better with every step
            hopeless = growth > WARM_GROWTH
            m[one + BEFORE, lane] = m[one + NATURAL, lane]
        else:
            hopeless = not last and (growth > MUCH_WORSE or (growth > WORSE and m[one + TRIES, lane] > 1.0))
        if sound and not spent and not hopeless and m[one + TRIES, lane] < PATIENCE:
            return 0
        if m[one + KNOWN, lane] == 0.0:  # a start from outside that did not do
            for k in range(n):
                m[rows.x + k, lane] = 0.0
                m[rows.z + k, lane] = 0.0
                m[rows.slope + k, lane] = m[rows.g + k, lane]
            m[one + MODE, lane] = FRESH
            return 2 if spent else 0
        go_back(rows, m, lane, n)
        m[one + FAILED, lane] += 1.0
        if last or spent:
            return try_again(rows, m, lane, c, spent)
        # Interior points go on from there, to a smaller gap before the next attempt.
        m[one + LEVEL, lane] *= LESS_LEVEL
        m[one + MODE, lane] = INTERIOR
        return 0
    # Interior points can do no more: rounding leaves no step, no finite number or no smaller gap. There
    # remains the finish from the last return point, with each choice of e.
    if spent or not sound or m[one + NEED, lane] > STUCK or m[one + LEVEL, lane] < LEAST_LEVEL:
        if m[one + KNOWN, lane] == 0.0:
            return 2
        go_back(rows, m, lane, n)
        m[one + FAILED, lane] = LAST
        return try_again(rows, m, lane, c, spent)
    # The finish may begin: mean product x . z below LEVEL max x max z, and z nearly the slope.
    few = m[one + LEVEL, lane] * size * max(push, 1e-300) * m[one + CONES, lane]
    if settled or (gap <= few and m[one + MISS, lane] <= CLOSE * push):
        keep(rows, m, lane, n)
        choose_prox(rows, m, lane, c)
        m[one + MODE, lane] = FINISH
        m[one + TRIES, lane] = 0.0
    return 0
