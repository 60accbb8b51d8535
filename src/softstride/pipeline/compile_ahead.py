"""Kernels compiled by several processes at once, before an analysis would compile them one after the other.

`python -m softstride.pipeline.compile_ahead TASK ...` is one of these processes.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time as clock
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from softstride.engine.jit import cache_root

if TYPE_CHECKING:
    from softstride.model.model import Model
    from softstride.pipeline.analysis import Progress

STEP = "compiling once"

KERNELS = {
    "poses": ("observe_points", "fit_poses", "pose_variances", "jacobians", "scan_finite"),
    "contact": ("cone_definite", "cone_stage"),
    "torques": ("rnea", "transmit"),
    "forces": ("locate_frames", "sample_force"),
    "momenta": ("momenta", "momentum_matrices", "observe_motions"),
    "derivatives": ("rnea_derivatives",),
    "sharing": ("share_frames",),
    "fibres": ("hill_rigid", "activation_steps"),
    "paths": ("walk_paths", "path_arms", "path_pulls", "observe_poses"),
}
"""Kernels of an analysis by the task that compiles them, in the order in which a process takes its tasks.

Poses come first and paths last: they share a kernel, which is there when paths need it.
"""

COST = {
    "poses": 22.0,
    "contact": 9.0,
    "torques": 5.5,
    "forces": 3.5,
    "momenta": 6.5,
    "derivatives": 6.5,
    "sharing": 7.0,
    "fibres": 1.5,
    "paths": 28.0,
}
"""How long each task takes, about [s]."""

PATIENCE = 0.1
"""Between two looks at the processes [s]."""


def compile_ahead(progress: Progress | None = None, tasks: Iterable[str] = KERNELS) -> float:
    """Compile what is not in the cache on all cores; return how long it took [s].

    On one core, or without a cache to share, nothing is done: kernels are then compiled when they are needed. A
    process that fails leaves its kernels to the same fate.

    Args:
        progress: Called with a name and the share of the kernels that are done.
        tasks: Names in `KERNELS`.
    """
    empty = not any(cache_root().glob("kernels-*"))
    waiting = [task for task in tasks if empty or _missing(task)]
    cores = min(os.cpu_count() or 1, len(waiting))
    if cores < 2 or not _can_keep():
        return 0.0
    start = clock.perf_counter()
    running = [_start(share) for share in shares(waiting, cores)]
    names = sum(len(_missing(task)) for task in waiting)
    try:
        while any(process.poll() is None for process in running):
            if progress is not None:
                left = sum(len(_missing(task)) for task in waiting)
                progress(STEP, max(1.0 - left / max(names, 1), 0.0))
            clock.sleep(PATIENCE)
    finally:
        for process in running:
            process.kill()
            process.wait()
    return clock.perf_counter() - start


def shares(tasks: Iterable[str], count: int) -> list[list[str]]:
    """Return tasks dealt out to so many processes, about the same work to each, each in the order of `KERNELS`."""
    dealt: list[list[str]] = [[] for _ in range(count)]
    for task in sorted(tasks, key=lambda name: -COST[name]):
        min(dealt, key=lambda share: sum(COST[name] for name in share)).append(task)
    return [sorted(share, key=list(KERNELS).index) for share in dealt]


def _start(tasks: list[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "softstride.pipeline.compile_ahead", *tasks]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _missing(task: str) -> list[str]:
    """Return the kernels of a task that the cache does not have."""
    from softstride.engine.jit import Kernel, cache_folder

    _import_kernels()
    homes = {name: cache_folder(Kernel.registry[name].function.__module__) for name in KERNELS[task]}
    return [name for name, home in homes.items() if not any(home.glob(f"*.{name}-*.nbi"))]


def _can_keep() -> bool:
    """Return whether kernels can be kept, so that one process has what another compiled."""
    with contextlib.suppress(OSError):
        cache_root().mkdir(parents=True, exist_ok=True)
        return os.access(cache_root(), os.W_OK)
    return False


def _import_kernels() -> None:
    """Make all kernels of an analysis known."""
    from softstride.pipeline import steps  # noqa: F401


def compile_task(task: str) -> None:
    """Compile the kernels of a task by calls on as little as possible."""
    _CALLS[task]()


def _paths() -> None:
    from softstride.model.builder import ModelBuilder
    from softstride.model.muscle import Muscle
    from softstride.model.path import Path, PathPoint, PathWrap, WrapCylinder
    from softstride.muscles.paths.paths import muscle_paths
    from softstride.muscles.paths.wrenches import muscle_wrenches

    builder = ModelBuilder("arm")
    builder.revolute("arm", axis=(0.0, 0.0, 1.0), mass=1.0, com=(0.0, -0.3, 0.0))
    points = PathPoint("world", np.array([0.1, 0.1, 0.0])), PathPoint("arm", np.array([0.05, -0.2, 0.0]))
    muscle = Muscle("muscle", Path(points, (PathWrap("joint"),)), 100.0, 0.1, 0.1)
    wraps = {"joint": WrapCylinder("world", radius=0.02)}
    model = builder.build().replace(muscles={"muscle": muscle}, wraps=wraps)
    muscle_paths(model, model.neutral(), np.zeros(model.nv))
    muscle_wrenches(model, model.neutral(), [1.0])


def _poses() -> None:
    from softstride.capture.recording import Recording
    from softstride.capture.series import Points
    from softstride.engine.kinematics import positions
    from softstride.kinematics.ik.solve import solve_ik
    from softstride.model.load import load_model

    model = load_model("gait")
    labels = tuple(model.markers)
    places = positions(model, np.tile(model.neutral(), (4, 1)), labels)
    solve_ik(model, Recording("still", markers=Points(np.arange(4.0) / 100.0, labels, places)))


def _derivatives() -> None:
    from softstride.engine.dynamics import inverse_dynamics_derivatives

    model, q, v = _pendulum()
    inverse_dynamics_derivatives(model, q, v, v)


def _torques() -> None:
    from softstride.engine.dynamics import generalized_forces, inverse_dynamics

    model, q, v = _pendulum()
    inverse_dynamics(model, q, v, v)
    generalized_forces(model, q, {"arm": np.zeros((1, 6))})


def _forces() -> None:
    from softstride.capture.force import ExternalForce
    from softstride.dynamics.resample import at_frames

    time, zero = np.arange(4.0), np.zeros((4, 3))
    at_frames(ExternalForce("plate", time, zero, zero, zero), time + 0.5)


def _momenta() -> None:
    from softstride import engine

    model, q, v = _pendulum()
    engine.momentum(model, q, v)
    engine.momentum_matrix(model, q)
    engine.velocities(model, q, v)


def _contact() -> None:
    from softstride.engine.cone_qp import solve_cone_qp

    solve_cone_qp(np.tile(np.eye(3), (4, 1, 1)), np.tile([-1.0, 0.5, 0.0], (4, 1)), 0.8, smoothness=1.0)


def _sharing() -> None:
    from softstride.engine.force_sharing import share_forces

    share_forces(np.ones((2, 2, 1)), np.ones((2, 1)))


def _fibres() -> None:
    from softstride.model.builder import ModelBuilder
    from softstride.model.muscle import Muscle
    from softstride.model.path import Path, PathPoint
    from softstride.muscles.activation import activation_dynamics
    from softstride.muscles.hill import hill_muscles, rigid_tendon

    builder = ModelBuilder("slider")
    builder.prismatic("block", axis=(1.0, 0.0, 0.0), mass=1.0)
    line = Path((PathPoint("world", np.zeros(3)), PathPoint("block", np.zeros(3))))
    model = builder.build().replace(muscles={"m": Muscle("m", line, 1000.0, 0.1, 0.2)})
    rigid_tendon(hill_muscles(model), np.full((2, 1), 0.3))
    activation_dynamics(np.arange(2.0), np.zeros((2, 1)), 0.01, 0.04)


def _pendulum() -> tuple[Model, np.ndarray, np.ndarray]:
    from softstride.model.builder import ModelBuilder

    builder = ModelBuilder("pendulum")
    builder.revolute("arm", axis=(0.0, 0.0, 1.0), mass=1.0, com=(0.0, -0.3, 0.0))
    model = builder.build()
    return model, model.neutral()[None], np.zeros((1, model.nv))


_CALLS: dict[str, Callable[[], None]] = {
    "poses": _poses,
    "contact": _contact,
    "torques": _torques,
    "forces": _forces,
    "momenta": _momenta,
    "derivatives": _derivatives,
    "sharing": _sharing,
    "fibres": _fibres,
    "paths": _paths,
}


if __name__ == "__main__":
    for name in sys.argv[1:]:
        compile_task(name)
