"""Cone programs coupled in time: the same steps as frame by frame, taken by all frames together (see the kernel)."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from softstride.engine.cone_rows import cone_frames, largest_slope, lay_rows
from softstride.engine.kernels import cone_time as stages
from softstride.engine.kernels.cone_judge import (
    CHOICES,
    CLOSE,
    MUCH_WORSE,
    PATIENCE,
    STUCK,
    WARM_GROWTH,
    WORSE,
)
from softstride.engine.kernels.cone_lane import FIRST_LEVEL, LEAST_LEVEL
from softstride.engine.kernels.cone_points import (
    CROSS,
    FAILED,
    FINISH,
    FRESH,
    GAP,
    HIGH,
    IDLE,
    INTERIOR,
    LENGTH,
    MISS,
    MODE,
    MOVED,
    NATURAL,
    NEED,
    PUSH,
    SQUARE,
    TARGET,
)
from softstride.engine.kernels.cone_qp import SHY
from softstride.engine.lanes import LANES
from softstride.engine.run import in_threads, worker_count
from softstride.solvers.cone_problem import ConeProblem, ConeSolution
from softstride.solvers.time_coupling import TimeCoupling

Array = NDArray[np.float64]

_BLOCKS = 8  # that are worth a thread
LONGEST, MARGIN = 4096, 512  # frames of a window, of its overlap with the next
LESS = 1e-2  # next gap at which to try the finish, after a failure


class _Trial:
    """All frames and where they are."""

    def __init__(
        self, problem: ConeProblem, numbers: Array, threads: int | None, unit: float | None = None
    ) -> None:
        n, width = problem.g.shape
        self.n, self.c = n, width // 3
        unit = unit or largest_slope(problem)
        self.sums = len(problem.smoothness)
        self.rows = lay_rows(self.c, problem.facets or 0, self.sums)
        self.frames = cone_frames(problem, np.array([*numbers[:3], unit]))
        self.seats = problem.groups
        self.coupling = TimeCoupling(n, problem.order, problem.smoothness / unit**2)
        self.blocks = -(-n // LANES)
        padded = self.blocks * LANES
        self.cones = n * self.c * max(1, problem.facets or 1)
        self.y, self.q = np.zeros((padded, self.sums)), np.zeros((padded, self.sums))
        self.flex = np.zeros((padded, self.sums**2))
        self.figures = np.zeros((padded, len(stages.FIGURES)))
        self.x = np.zeros((padded, width))
        self.store = _aligned(self.blocks * self.rows.end)
        self.workers = min(worker_count(threads), max(1, self.blocks // _BLOCKS))
        self.orders = dict.fromkeys(stages.ORDERS, 0.0)
        self.cold = cone_frames(problem, self.frames.numbers, warm=False)
        self.run(stages.LOAD)

    def begin_there(self) -> None:
        """Go to the finish at once, from the x of the caller and z = its slope."""
        self.orders[MODE] = IDLE
        self.run(stages.MOVE)  # sums of x
        self.measure()
        self.run(stages.WARM)
        self.note()
        self.orders[MODE] = FINISH
        self.run(stages.WARM)

    def begin_cold(self) -> None:
        """Forget where the caller wanted to begin."""
        self.frames = self.cold
        self.run(stages.LOAD)
        self.orders[MODE] = FRESH

    def run(self, stage: int) -> None:
        """Do one stage in all frames."""
        orders = np.array(list(self.orders.values()))

        def work(first: int, last: int) -> None:
            stages.cone_stage(
                stage, self.frames, self.rows, self.seats, orders, self.y, self.flex, self.q, self.figures, self.x,
                first, last, self.store,
            )  # fmt: skip

        if self.workers > 1:
            work(0, 0)  # compiles if need be, once
        pieces = 1 if self.workers == 1 else min(4 * self.workers, self.blocks)
        in_threads(work, np.linspace(0, self.blocks, pieces + 1).astype(int).tolist(), self.workers)

    def figure(self, which: int) -> Array:
        """Return one number of each frame."""
        return self.figures[: self.n, stages.FIGURES.index(which)]

    def bend(self) -> None:
        """Solve in time for what holds the frames together, and change the steps by it."""
        self.q[: self.n] = self.coupling.solve(self.y[: self.n])
        self.run(stages.REACH)

    def step(self) -> None:
        """Take one step in the mode that is set, and measure."""
        self.run(stages.PREDICT)
        self.coupling.prepare(self.flex[: self.n].reshape(self.n, self.sums, self.sums))
        self.bend()
        length = 1.0
        if self.orders[MODE] == INTERIOR:
            gap = self.orders[GAP] * self.share
            a = 1.0 / max(self.need, 1.0)
            cross, square = self.figure(CROSS).sum(), self.figure(SQUARE).sum()
            share = min(max((gap + a * cross + a * a * square) / gap, 0.0), 1.0)
            self.orders[TARGET] = share**3 * gap / self.cones
            self.run(stages.CORRECT)
            self.bend()
            length = min(1.0, SHY / max(self.need, SHY))
        self.orders[LENGTH] = length
        self.run(stages.MOVE)
        if self.orders[MODE] == FRESH:
            self.orders[MODE] = INTERIOR
        self.measure()

    @property
    def share(self) -> float:
        """Number of frames: the gap is kept as that of one. Padded frames, which nothing couples, do not count."""
        return float(self.n)

    @property
    def need(self) -> float:
        """1 / step to the boundary."""
        return float(self.figure(NEED).max())

    def measure(self) -> None:
        """Write slopes, gap, residuals and sizes."""
        self.q[: self.n] = self.coupling.force(self.y[: self.n])
        self.run(stages.MEASURE)
        self.note()

    def back(self) -> None:
        """Return to where the finish began."""
        self.run(stages.BACK)
        self.note()

    def note(self) -> None:
        """Keep gap and sizes of the whole."""
        self.orders[GAP] = float(self.figure(GAP).sum()) / self.share
        self.orders[HIGH] = float(self.figure(HIGH).max())
        self.orders[PUSH] = float(self.figure(PUSH).max())


def _aligned(rows: int) -> Array:
    flat = np.zeros(rows * LANES + 8)
    first = (-flat.ctypes.data // 8) % 8
    return flat[first : first + rows * LANES].reshape(rows, LANES)


def solve_in_time(problem: ConeProblem, numbers: Array, threads: int | None) -> ConeSolution:
    """Solve all frames together; `numbers`: tolerance, that of steps, most steps.

    A step keeps about twice the memory of H. Long trials are therefore solved in windows that overlap by far more than
    the frames that feel each other; if two windows do not agree within the tolerance, all frames are solved at once.
    """
    n = len(problem.g)
    if n <= LONGEST:
        return _solve_window(problem, numbers, threads)
    edges = np.linspace(0, n, -(-n // (LONGEST - 2 * MARGIN)) + 1).astype(int)
    x, residual, steps = np.zeros_like(problem.g), np.zeros(n), np.zeros(n, dtype=np.int64)
    unit = largest_slope(problem)
    beyond: Array | None = None  # what the last window says of the first frames of this one
    mismatch = 0.0
    for first, last in itertools.pairwise(edges.tolist()):
        begin, end = max(first - MARGIN, 0), min(last + MARGIN, n)
        part = _solve_window(problem.part(begin, end), numbers, threads, unit)
        own = slice(first - begin, last - begin)
        x[first:last], residual[first:last], steps[first:last] = (
            part.x[own],
            part.residual[own],
            part.iterations[own],
        )
        if beyond is not None:
            mismatch = max(mismatch, float(np.abs(beyond - x[first : first + len(beyond)]).max()))
        beyond = part.x[last - begin : last - begin + problem.order]
    if mismatch > 10.0 * numbers[0] * np.abs(x).max():
        return _solve_window(problem, numbers, threads)
    return ConeSolution(x, residual <= numbers[0], steps, residual)


def _solve_window(
    problem: ConeProblem, numbers: Array, threads: int | None, unit: float | None = None
) -> ConeSolution:
    trial = _Trial(problem, numbers, threads, unit)
    steps = _descend(trial, numbers)
    trial.run(stages.WRITE)
    size = max(trial.orders[HIGH], 1.0 / (3 * trial.c))
    residual = trial.figure(NATURAL) / size
    x = trial.x[: trial.n].copy()
    return ConeSolution(x, residual <= numbers[0], np.full(trial.n, steps), residual.copy())


class _Finish:
    """What is known of the attempts to finish."""

    def __init__(self, trial: _Trial) -> None:
        self.trial = trial
        self.level = FIRST_LEVEL
        self.known = self.last = False
        self.tries = self.failures = 0
        self.before: Array = np.full(trial.n, np.inf)

    def begin(self) -> None:
        """Remember where everything is and go on to the finish."""
        self.before = self.trial.figure(NATURAL).copy()
        self.trial.orders[MODE] = FINISH
        self.trial.run(stages.KEEP)
        self.known, self.tries = True, 0

    def goes_on(self, sound: bool) -> bool:
        """Return whether one more step is worth while."""
        self.tries += 1
        natural = self.trial.figure(NATURAL)
        growth = natural.max() / max(self.before.max(), 1e-300)
        if not self.known:
            self.before = natural.copy()
            return sound and bool(growth <= WARM_GROWTH) and self.tries < PATIENCE
        hopeless = not self.last and (growth > MUCH_WORSE or (growth > WORSE and self.tries > 1))
        return sound and not hopeless and self.tries < PATIENCE

    def fail(self) -> None:
        """Go back; frames that became worse choose differently next time."""
        if not self.known:
            self.trial.begin_cold()
            return
        worse = ~(self.trial.figure(NATURAL) <= self.before)
        self.trial.back()
        self.trial.figure(FAILED)[worse] += 1.0
        self.level *= LESS
        self.failures += 1
        self.trial.orders[MODE] = INTERIOR


def _descend(trial: _Trial, numbers: Array) -> int:
    """Take steps until the end, as `judge` does for one frame; return their number."""
    finish = _Finish(trial)
    orders = trial.orders
    if len(trial.frames.start):
        trial.begin_there()
    else:
        trial.begin_cold()
    for count in range(1, int(numbers[2]) + 1):
        trial.step()
        size = max(orders[HIGH], 1.0 / (3 * trial.c))
        natural, moved = float(trial.figure(NATURAL).max()), float(trial.figure(MOVED).max())
        sound = bool(np.isfinite(orders[GAP]) and np.isfinite(natural))
        settled = sound and natural <= numbers[0] * size and moved <= numbers[1] * size
        if settled and (orders[MODE] == FINISH or finish.failures > 0):
            return count
        if orders[MODE] == FINISH:
            if finish.goes_on(sound):
                continue
            finish.fail()
            if finish.last and finish.failures >= CHOICES:
                return count
            if finish.last:
                finish.begin()
            continue
        push = orders[PUSH]
        if not sound or trial.need > STUCK or finish.level < LEAST_LEVEL:
            if not finish.known:
                return count
            trial.back()
            finish.last, finish.failures = True, 0
            finish.begin()
            continue
        few = finish.level * size * max(push, 1e-300) * trial.c
        near = float(trial.figure(MISS).max()) <= CLOSE * push
        if settled or (near and orders[GAP] <= few):
            finish.begin()
    if orders[MODE] == FINISH and finish.known:
        trial.back()
    return int(numbers[2])
