"""How things are timed: contenders take turns, and the best turn of each counts.

Turns make both meet the same moments of a busy machine; the best turn is the one that was disturbed least.
"""

import math
import os
import statistics
import time
from collections.abc import Callable, Iterable, Mapping

Task = Callable[[], object]

# One thread each, in libraries that read these when they are loaded.
THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
ONE_THREAD = dict.fromkeys(THREAD_SETTINGS, "1")


def use_one_thread() -> None:
    """Tell BLAS and OpenMP, if they are not loaded yet, to keep to one thread."""
    os.environ.update(ONE_THREAD)


def best_of(
    tasks: Mapping[str, Task],
    rounds: int,
    clock: Callable[[], float] = time.thread_time,
    least: float = 0.02,
) -> dict[str, float]:
    """Return the least time of one call of each task, over rounds in which the tasks take turns.

    Args:
        tasks: What to call, by name.
        rounds: Turns of each.
        clock: `time.thread_time` counts the processor time of this thread alone; `time.perf_counter` the wall.
        least: Shortest turn: a quicker task is called several times in a row, and the mean counts [s].

    Returns:
        Time of one call by name [s].
    """
    repeats = {}
    for name, task in tasks.items():
        task()  # compiles, loads, touches memory
        start = clock()
        task()
        repeats[name] = max(1, math.ceil(least / max(clock() - start, 1e-9)))
    best = dict.fromkeys(tasks, math.inf)
    for _ in range(rounds):
        for name, task in tasks.items():
            start = clock()
            for _ in range(repeats[name]):
                task()
            best[name] = min(best[name], (clock() - start) / repeats[name])
    return best


def slope(x: Iterable[float], y: Iterable[float]) -> float:
    """Return the exponent p of the power law y ~ x^p that fits best in the logarithms."""
    return statistics.linear_regression([math.log(a) for a in x], [math.log(b) for b in y]).slope
