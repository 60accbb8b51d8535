"""What compiling costs: all kernels into an empty cache on two processes, again from the cache, and importing.

Run as a script it is one of these processes: it reads names of public functions, calls each, and answers with a line.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench._timing import ONE_THREAD  # noqa: E402
from bench._vectorised import Counts, compiled_counts  # noqa: E402

PROCESSES = 2
# One public function for each kernel, those that take longest to compile first.
FUNCTIONS = (
    "inverse_dynamics_derivatives",
    "muscle_paths",
    "pose_fit",
    "cone_programs",
    "cone_programs_in_time",
    "forward_dynamics",
    "inverse_dynamics",
    "mass_matrix",
    "momentum_matrix",
    "jacobian",
    "velocities",
    "generalized_forces",
    "momentum",
    "poses",
    "positions",
    "at_frames",
    "hill_muscles",
    "share_forces",
)
COUNTS, ALL = "counts", "all"  # other requests


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
        workers = [_Worker(Path(folder)) for _ in range(PROCESSES)]
        processor = sum(_share_out(list(FUNCTIONS), workers))
        cold = time.perf_counter() - start
        counts: dict[str, Counts] = {}
        for worker in workers:
            counts |= {name: Counts(*pair) for name, pair in worker.ask(COUNTS).items()}
            worker.close()
        start = time.perf_counter()
        worker = _Worker(Path(folder))
        warm = float(worker.ask(ALL)["seconds"])
        worker.close()
        return Compiling(cold, processor, warm, time.perf_counter() - start, counts)


def measure_counts() -> dict[str, Counts]:
    """Return packed and scalar instructions of every kernel, compiled anew for it."""
    return measure_compiling().counts


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


class _Worker:
    """A process of this script with its own cache folder; one request and one answer a line."""

    def __init__(self, cache: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,  # "compiling once" lines, or what went wrong
            text=True,
            env=os.environ | ONE_THREAD | {"SOFTSTRIDE_CACHE_DIR": str(cache)},
        )

    def ask(self, request: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        print(request, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"request {request!r} failed: {self._process.stderr.read()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        self._process.communicate()


def _share_out(functions: list[str], workers: list[_Worker]) -> list[float]:
    """Let each worker take the next function as soon as it is free; return processor seconds of each."""
    waiting: SimpleQueue[str] = SimpleQueue()
    for name in functions:
        waiting.put(name)

    def serve(worker: _Worker) -> float:
        seconds = 0.0
        while True:
            try:
                name = waiting.get_nowait()
            except Empty:
                return seconds
            seconds = float(worker.ask(name)["processor"])

    with ThreadPoolExecutor(len(workers)) as pool:
        return list(pool.map(serve, workers))


def _calls() -> dict[str, Callable[[], object]]:
    """Return the calls by name of the function, on a small model."""
    import numpy as np

    from softstride import engine
    from softstride.model import ModelBuilder

    builder = ModelBuilder("pendulum")
    builder.spherical("arm", mass=1.0, com=(0.0, -0.3, 0.0), inertia=(0.01, 0.01, 0.01))
    model = builder.build()
    q, v = model.neutral()[None], np.zeros((1, model.nv))
    arguments: dict[str, tuple[Any, ...]] = {
        "inverse_dynamics_derivatives": (q, v, v),
        "forward_dynamics": (q, v, v),
        "inverse_dynamics": (q, v, v),
        "mass_matrix": (q,),
        "momentum_matrix": (q,),
        "jacobian": (q, "arm"),
        "velocities": (q, v),
        "generalized_forces": (q, {"arm": np.zeros((1, 6))}),
        "momentum": (q, v),
        "poses": (q,),
        "positions": (q, "arm"),
    }
    calls: dict[str, Callable[[], object]] = {
        name: partial(getattr(engine, name), model, *given) for name, given in arguments.items()
    }
    cones = {"cone_programs": partial(_cones, 0.0), "cone_programs_in_time": partial(_cones, 1.0)}
    muscles = {"muscle_paths": partial(_wrap, model), "hill_muscles": _pull, "share_forces": _share}
    return calls | cones | muscles | {"pose_fit": partial(_fit, model), "at_frames": _sample}


def _cones(smoothness: float) -> None:
    """Solve programs over friction cones, frame by frame or coupled in time."""
    import numpy as np

    from softstride.engine.cone_qp import solve_cone_qp

    H, g = np.tile(np.eye(3), (4, 1, 1)), np.tile([-1.0, 0.5, 0.0], (4, 1))
    solve_cone_qp(H, g, 0.8, smoothness=smoothness)


def _share() -> None:
    """Share a demand among unknowns, smoothly in time: three kernels."""
    import numpy as np

    from softstride.engine.force_sharing import share_forces

    share_forces(np.ones((2, 2, 1)), np.ones((2, 1)), smoothness=1.0)


def _wrap(model: Any) -> None:
    """Find the path of a muscle over a surface and its pull: three kernels besides those of poses and positions."""
    from softstride.model.muscle import Muscle
    from softstride.model.path import Path as MusclePath
    from softstride.model.path import PathPoint, PathWrap, WrapCylinder
    from softstride.muscles import muscle_paths, muscle_wrenches

    points = PathPoint("world", (0.1, 0.1, 0.0)), PathPoint("arm", (0.05, -0.2, 0.0))
    muscle = Muscle("muscle", MusclePath(points, (PathWrap("joint"),)), 100.0, 0.1, 0.1)
    wraps = {"joint": WrapCylinder("world", radius=0.02)}
    pulled = model.replace(muscles={"muscle": muscle}, wraps=wraps)
    muscle_paths(pulled, model.neutral())
    muscle_wrenches(pulled, model.neutral(), [1.0])


def _sample() -> None:
    """Bring a force to frames: two kernels."""
    import numpy as np

    from softstride.capture import ExternalForce
    from softstride.dynamics.resample import at_frames

    time, zero = np.arange(4.0), np.zeros((4, 3))
    at_frames(ExternalForce("plate", time, zero, zero, zero), time + 0.5)


def _pull() -> None:
    """Let a muscle pull in every way: five kernels."""
    import numpy as np

    from softstride import muscles
    from softstride.model import ModelBuilder, Muscle
    from softstride.model.path import Path as Line
    from softstride.model.path import PathPoint

    builder = ModelBuilder("slider")
    builder.prismatic("block", axis=(1.0, 0.0, 0.0), mass=1.0)
    line = Line((PathPoint("world", np.zeros(3)), PathPoint("block", np.zeros(3))))
    model = builder.build().replace(muscles={"m": Muscle("m", line, 1000.0, 0.1, 0.2)})
    hill, time, length = muscles.hill_muscles(model), np.arange(2.0), np.full((2, 1), 0.3)
    hill.active_length(length)
    muscles.rigid_tendon(hill, length)
    muscles.equilibrium(hill, length)
    muscles.fibre_dynamics(hill, time, length)
    muscles.activation_dynamics(time, np.zeros((2, 1)), 0.01, 0.04)


def _fit(model: Any) -> None:
    """Fit a pose and ask how well it is known: two kernels."""
    import numpy as np

    from softstride.engine.pose_fit import Aims, Measured, PoseFit, Reins
    from softstride.model import Point

    fit = PoseFit(model, [Point("arm", (0.0, -0.3, 0.0))])
    one, q = np.ones(model.nv), model.neutral()[None].copy()
    measured = Measured(
        np.zeros((1, 1, 3)), np.zeros(1, dtype=np.int64), np.ones(1), np.zeros((1, 0, 3, 3)), np.zeros(0)
    )
    wide = np.full(model.nq, np.inf)
    reins = Reins(one, np.zeros(model.nv, dtype=bool), -wide, wide)
    fit.solve(measured, Aims(q, one[None]), reins, q, np.array([[0, 1, 1]]))
    fit.variances(q, np.ones((1, 1)), one)


def _serve() -> None:
    """Answer requests until the input ends."""
    calls = _calls()
    for line in sys.stdin:
        request = line.strip()
        if request == COUNTS:
            answer: dict[str, Any] = dict(compiled_counts())
        else:
            start = time.perf_counter()
            for name in FUNCTIONS if request == ALL else (request,):
                calls[name]()
            answer = {"seconds": time.perf_counter() - start, "processor": time.process_time()}
            if request == ALL:
                _check_all_compiled()
        print(json.dumps(answer), flush=True)


def _check_all_compiled() -> None:
    from softstride.engine.jit import Kernel

    missing = [kernel.name for kernel in Kernel.registry.values() if not kernel.dispatcher.overloads]
    if missing:
        raise RuntimeError(
            f"no function in FUNCTIONS of {Path(__file__).name} calls the kernels {', '.join(missing)}"
        )


if __name__ == "__main__":
    _serve()
