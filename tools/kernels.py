"""All kernels into the cache, on all cores, before the tests need them; and which of them are vector code.

    python -m tools.kernels

Only what the cache lacks is compiled, into SOFTSTRIDE_CACHE_DIR or the user's cache. What the assembly of a kernel is
made of can be counted only where it is compiled, so the counts are kept beside the cache, under the same digest of the
sources: a kernel that did not change is not compiled again to be looked at.

`python -m tools.kernels --serve` is one of the processes: it reads names of public functions, calls each, and answers
with a line.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from tools.vectors import SCANS, Counts, compiled_counts, count

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("dynamics", "engine", "gait", "muscles", "selfcheck.compiled_legs", "gait.simulate", "gait.states")
"""Modules that together register all kernels."""

# One public function for each kernel, those that take longest to compile first.
FUNCTIONS = (
    "muscle_paths",
    "pose_fit",
    "cone_programs_in_time",
    "walks",
    "inverse_dynamics_derivatives",
    "share_forces",
    "forward_dynamics",
    "inverse_dynamics",
    "legs",
    "cone_programs",
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
)
COUNTS, ALL = "counts", "all"  # other requests
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main() -> int:
    """Compile what is missing and say so."""
    start = time.perf_counter()
    missing = missing_kernels()
    if missing:
        fill()
        left = missing_kernels()
        if left:
            print(f"still not compiled: {', '.join(sorted(left))}", file=sys.stderr)
            return 1
    done = f"{len(missing)} kernels compiled" if missing else "all kernels are there"
    print(f"{done}, {time.perf_counter() - start:.0f} s")
    return 0


def missing_kernels() -> set[str]:
    """Return the names of the kernels that the cache does not have."""
    from softstride.engine.jit import cache_folder

    return {
        name
        for name, kernel in registry().items()
        if not any(cache_folder(kernel.function.__module__).glob(f"*.{name}-*.nbi"))
    }


def registry() -> dict[str, Any]:
    """Return all kernels of the package by name."""
    from softstride.engine.jit import Kernel

    for room in ROOMS:
        importlib.import_module(f"softstride.{room}")
    return {
        name: kernel
        for name, kernel in Kernel.registry.items()
        if kernel.function.__module__.startswith("softstride.")
    }


def fill(cache: Path | None = None, processes: int | None = None) -> float:
    """Compile all kernels into a cache (None: the one in use) and keep their counts; return the processor time [s]."""
    with workers(processes or os.cpu_count() or 1, cache) as running:
        seconds = sum(_share_out(FUNCTIONS, running), start=0.0)
        for worker in running:
            _keep({name: Counts(*pair) for name, pair in worker.ask(COUNTS).items()})
    return seconds


def vector_counts() -> dict[str, Counts]:
    """Return packed and scalar instructions of every kernel but those of `SCANS`.

    What was counted when a kernel was compiled is believed as long as its sources are the same; what was never counted
    is compiled for it, into a temporary cache.

    Raises:
        UnknownProcessor: Neither x86 nor aarch64.
    """
    count("")
    if set(_files()) - set(_kept()):
        with tempfile.TemporaryDirectory(prefix="softstride-vectors-") as folder:
            fill(Path(folder))
    return _kept()


def _files() -> dict[str, Path]:
    """Return where the counts of each kernel are kept."""
    from softstride.engine.jit import cache_folder, cache_root

    homes = {name: cache_folder(kernel.function.__module__).name for name, kernel in registry().items()}
    return {
        name: cache_root() / "vectors" / f"{home}.{name}.json"
        for name, home in homes.items()
        if name not in SCANS
    }


def _keep(counts: dict[str, Counts]) -> None:
    for name, file in _files().items():
        if name in counts:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(f".{os.getpid()}")
            part.write_text(json.dumps(counts[name]), encoding="utf-8")
            part.replace(file)


def _kept() -> dict[str, Counts]:
    return {
        name: Counts(*json.loads(file.read_text(encoding="utf-8")))
        for name, file in _files().items()
        if file.is_file()
    }


@contextmanager
def workers(count: int, cache: Path | None = None) -> Iterator[list[Worker]]:
    """Start processes that compile on request, and end them."""
    running: list[Worker] = []
    try:
        running += [Worker(cache) for _ in range(count)]
        yield running
    finally:
        for worker in running:
            worker.close()


class Worker:
    """A process of this script with a cache folder; one request and one answer a line."""

    def __init__(self, cache: Path | None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.kernels", "--serve"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,  # "compiling once" lines, or what went wrong
            text=True,
            env=os.environ | ONE_THREAD | ({"SOFTSTRIDE_CACHE_DIR": str(cache)} if cache else {}),
        )

    def ask(self, request: str) -> dict[str, Any]:
        """Return the answer to a request, or fail with what the process said at its end."""
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
        """End the process."""
        self._process.communicate()


def _share_out(functions: Iterable[str], workers: list[Worker]) -> list[float]:
    """Let each worker take the next function as soon as it is free; return processor seconds of each."""
    waiting: SimpleQueue[str] = SimpleQueue()
    for name in functions:
        waiting.put(name)

    def serve(worker: Worker) -> float:
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
    calls |= {"cone_programs": partial(_cones, 0.0), "cone_programs_in_time": partial(_cones, 1.0)}
    calls |= {"muscle_paths": partial(_wrap, model), "hill_muscles": _pull, "share_forces": _share}
    calls |= {"pose_fit": partial(_fit, model), "at_frames": _sample, "walks": _walk, "legs": _roll}
    return calls


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
    import numpy as np

    from softstride.model.muscle import Muscle
    from softstride.model.path import Path as MusclePath
    from softstride.model.path import PathPoint, PathWrap, WrapCylinder
    from softstride.muscles import muscle_paths, muscle_wrenches

    points = PathPoint("world", np.array([0.1, 0.1, 0.0])), PathPoint("arm", np.array([0.05, -0.2, 0.0]))
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


def _walk() -> None:
    """Let the walker of seven segments go for an instant, and look at its states: four kernels."""
    import numpy as np

    from softstride.gait import SevenSegment
    from softstride.gait.states import assemble_states

    model = SevenSegment()
    model.simulate("B")
    assemble_states(model.walker, 1, np.zeros((1, 7)), np.zeros((1, 7)))


def _roll() -> None:
    """Ask for the rates of a leg on a rolling foot, of two kinds, and on spheres: three kernels."""
    from softstride.contact import SplineSurface, three_sphere_foot
    from softstride.selfcheck.compiled_legs import rolling_rates, sphere_rates
    from softstride.selfcheck.rolling_leg import reference_surface

    for surface in (reference_surface(), SplineSurface.arc(0.3)):
        rolling_rates(surface)
    sphere_rates(three_sphere_foot())


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
    missing = [name for name, kernel in registry().items() if not kernel.dispatcher.overloads]
    if missing:
        raise RuntimeError(
            f"no function in FUNCTIONS of {Path(__file__).name} calls the kernels {', '.join(missing)}"
        )


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        _serve()
    else:
        sys.exit(main())
