"""What compiling costs: all kernels into an empty cache on two processes, again from the cache, and importing."""

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tools.vectors import Counts

from tools import kernels

PROCESSES = 2


@dataclass(frozen=True)
class Compiling:
    """Seconds, and what the kernels are made of."""

    cold: float  # all kernels, empty cache, two processes, their start included
    cold_processor: float  # the processor time of both
    warm: float  # first calls of all public functions in a new process, kernels from the cache
    warm_process: float  # that process from start to end: interpreter, NumPy, Numba, kernels
    counts: dict[str, Counts]


def measure_compiling() -> Compiling:
    """Compile all kernels into a new temporary cache, load them again from it, and count their instructions."""
    with tempfile.TemporaryDirectory(prefix="softstride-cold-") as folder:
        start = time.perf_counter()
        processor = kernels.fill(Path(folder), PROCESSES)
        cold = time.perf_counter() - start
        start = time.perf_counter()
        with kernels.workers(1, Path(folder)) as (worker,):
            warm = float(worker.ask(kernels.ALL)["seconds"])
        return Compiling(cold, processor, warm, time.perf_counter() - start, kernels.vector_counts())


def measure_import(rounds: int = 5) -> tuple[float, bool]:
    """Return the time of `import softstride` in a new process, best of several [s], and whether it loads Numba."""
    code = (
        "import sys, time; t = time.perf_counter(); import softstride; "
        "print(time.perf_counter() - t, int('numba' in sys.modules))"
    )
    command = [sys.executable, "-c", code]
    answers = [
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        for _ in range(rounds)
    ]
    return min(float(answer[0]) for answer in answers), any(answer[1] == "1" for answer in answers)
