"""Pinocchio as the peer: the same model, and its algorithms in a loop over frames.

Its Python interface has compiled loops for RNEA and ABA only. For the rest `pinocchio_loop.cpp` is compiled, if a C++
compiler and the headers of Eigen are there; otherwise a loop in Python, less what calling from Python costs.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from llvmlite.binding import get_host_cpu_name
from numpy.typing import NDArray
from tests.oracles.pinocchio import SWAP, Pinocchio

from bench._timing import best_of
from softstride.model import Model

Array = NDArray[np.float64]

SOURCE = Path(__file__).with_name("pinocchio_loop.cpp")
CACHE = SOURCE.parents[1] / ".cache" / "bench"
KINDS = {"Revolute": 0, "Prismatic": 1, "Spherical": 2, "FreeFlyer": 3}
# Definitions as in Pinocchio's own CMake target. Headers only: for this processor Eigen lays out its types otherwise
# than in the installed library, so that no symbol may be taken from there.
FLAGS = (
    *("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC", "-w"),
    *("-fno-gnu-unique", "-Wl,-Bsymbolic"),
    *("-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30"),
    *("-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"),
)


class NotBuilt(Exception):
    """The compiled loop cannot be had; the message says why."""


class Peer:
    """A rigid Model in Pinocchio, and the way from softstride's order of coordinates to Pinocchio's and back."""

    def __init__(self, model: Model, links: Sequence[str] | None = None) -> None:
        """Take a model over, and the links whose Jacobians are wanted (None: all)."""
        self.oracle = Pinocchio(model)
        self.model: Any = self.oracle.model
        self.data: Any = self.oracle.data
        self.frames: list[int] = [self.oracle.frame[name] for name in links or model.link_names]
        self.nv: int = model.nv

    def q(self, q: Array) -> Array:
        """Return configurations as Pinocchio orders them."""
        return np.ascontiguousarray(q[:, self.oracle.q_map])

    def v(self, v: Array) -> Array:
        """Return velocities, accelerations or forces as Pinocchio orders them."""
        return np.ascontiguousarray(v[:, self.oracle.v_map])

    def back(self, x: Array) -> Array:
        """Return vectors (n_frames, nv) in softstride's order."""
        out = np.empty_like(x)
        out[:, self.oracle.v_map] = x
        return out

    def back_matrix(self, x: Array) -> Array:
        """Return matrices (n_frames, nv, nv) in softstride's order."""
        out = np.empty_like(x)
        out[:, self.oracle.v_map[:, None], self.oracle.v_map] = x
        return out

    def back_jacobian(self, x: Array) -> Array:
        """Return Jacobians (n_frames, n, 6, nv) in softstride's order, angular rows first."""
        out = np.empty_like(x)
        out[..., self.oracle.v_map] = x[..., SWAP, :]
        return out

    @cached_property
    def _pool(self) -> Any:
        return pin.ModelPool(self.model, 1)

    def in_parallel(self, name: str, *inputs: Array) -> Callable[[], None]:
        """Return Pinocchio's own compiled loop, `rneaInParallel` or `abaInParallel`, on one thread."""
        loop = getattr(pin, f"{name}InParallel")
        columns = [np.asfortranarray(x.T) for x in inputs]
        result = np.zeros((self.nv, len(inputs[0])), order="F")
        return lambda: loop(1, self._pool, *columns, result)


class CompiledLoop:
    """`pinocchio_loop.cpp` on a peer's model; a result of None is computed and not stored."""

    description = "Pinocchio in a C++ loop, -O3 -march=native (bench/pinocchio_loop.cpp)"

    def __init__(self, peer: Peer, compile_it: bool = True) -> None:
        self._library = ctypes.CDLL(str(build(compile_it)))
        self._library.loop_new.restype = ctypes.c_void_p
        model = peer.model
        joints = [model.joints[i] for i in range(1, model.njoints)]
        kinds = [next(code for key, code in KINDS.items() if key in joint.shortname()) for joint in joints]
        axes = [
            joint.extract().axis if kind < 2 else np.zeros(3)
            for joint, kind in zip(joints, kinds, strict=True)
        ]
        bodies = [model.inertias[i] for i in range(1, model.njoints)]
        frames = [model.frames[i] for i in peer.frames]
        tables: list[NDArray[Any]] = [
            np.array(kinds, dtype=np.int32),
            np.array([model.parents[i] for i in range(1, model.njoints)], dtype=np.int32),
            np.array(axes, dtype=np.float64),
            np.array([model.jointPlacements[i].homogeneous for i in range(1, model.njoints)]),
            np.array([np.concatenate([[body.mass], body.lever, body.inertia.ravel()]) for body in bodies]),
            np.array(model.gravity.linear),
        ]
        places: list[NDArray[Any]] = [
            np.array([frame.parentJoint for frame in frames], dtype=np.int32),
            np.array([frame.placement.homogeneous for frame in frames]),
        ]
        self._loop = ctypes.c_void_p(
            self._library.loop_new(len(joints), *map(_pointer, tables), len(frames), *map(_pointer, places))
        )

    def __del__(self) -> None:
        if hasattr(self, "_loop"):
            self._library.loop_delete(self._loop)

    def task(self, name: str, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> Callable[[], None]:
        """Return one pass over all frames: name is rnea, aba, crba, jacobians or derivatives."""
        function = getattr(self._library, f"loop_{name}")
        function.restype = None
        n = ctypes.c_long(len(inputs[0]))
        pointers = [_pointer(x) for x in (*inputs, *outputs)]
        return lambda: function(self._loop, n, *pointers)

    def correct(self, name: str, seconds: float, frames: int) -> float:
        """Return the time as it is: nothing to take off."""
        return seconds

    def full(self, name: str, results: Sequence[Array]) -> list[Array]:
        """Return the results as they are: the loop wrote both triangles of M."""
        return list(results)


class PythonLoop:
    """The same passes in a Python loop, where the compiled loop cannot be had."""

    def __init__(self, peer: Peer, reason: str) -> None:
        self.description = f"Pinocchio in a Python loop, less the cost of calling from Python ({reason})"
        self._peer = peer
        self._calls = {"jacobians": 1 + len(peer.frames)}
        self.overhead = 0.0  # of one call [s]

    def calibrate(self, q: Array, v: Array, a: Array) -> float:
        """Learn what a call from Python costs: RNEA so called against `rneaInParallel`; return the former [s]."""
        compiled = self._peer.in_parallel("rnea", q, v, a)
        best = best_of({"python": self.task("rnea", (q, v, a), (None,)), "compiled": compiled}, rounds=5)
        self.overhead = max(0.0, best["python"] - best["compiled"]) / len(q)
        return best["python"]

    def task(self, name: str, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> Callable[[], None]:
        """Return one pass over all frames; results as Pinocchio leaves them, M in its upper triangle."""
        model, data, frames = self._peer.model, self._peer.data, self._peer.frames

        def jacobians(q: Array) -> list[Array]:
            pin.computeJointJacobians(model, data, q)
            return [pin.getFrameJacobian(model, data, frame, pin.ReferenceFrame.LOCAL) for frame in frames]

        calls: dict[str, Callable[..., Any]] = {
            "rnea": lambda *x: pin.rnea(model, data, *x),
            "aba": lambda *x: pin.aba(model, data, *x),
            "crba": lambda q: pin.crba(model, data, q),
            "jacobians": jacobians,
            "derivatives": lambda *x: pin.computeRNEADerivatives(model, data, *x),
        }
        call = calls[name]

        def run() -> None:
            for f, row in enumerate(zip(*inputs, strict=True)):
                result = call(*row)
                if outputs[0] is not None:
                    for out, x in zip(outputs, result if name == "derivatives" else (result,), strict=True):
                        out[f] = x  # type: ignore[index]

        return run

    def correct(self, name: str, seconds: float, frames: int) -> float:
        """Return a time less the cost of the calls that it holds."""
        return max(seconds - frames * self._calls.get(name, 1) * self.overhead, 0.1 * seconds)

    def full(self, name: str, results: Sequence[Array]) -> list[Array]:
        """Return the results with both triangles of M, which is the last of them."""
        if name == "jacobians":
            return list(results)
        upper = np.triu(results[-1])
        return [*results[:-1], upper + np.swapaxes(np.triu(upper, 1), 1, 2)]


def best_loop(peer: Peer, compile_it: bool = True) -> CompiledLoop | PythonLoop:
    """Return the compiled loop, or the Python loop with the reason why."""
    try:
        return CompiledLoop(peer, compile_it)
    except NotBuilt as error:
        return PythonLoop(peer, str(error))


def build(compile_it: bool = True) -> Path:
    """Return the compiled loop, built once for each source, compiler and Pinocchio; that takes minutes.

    Args:
        compile_it: Whether to compile it if need be.

    Raises:
        NotBuilt: No compiler, no headers, or they do not fit each other.
    """
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    if compiler is None:
        raise NotBuilt("no C++ compiler found: install g++, or name one in CXX")
    prefix = Path(pin.__file__).parents[4]
    if not (prefix / "include" / "pinocchio").is_dir():
        raise NotBuilt("this installation of Pinocchio has no headers")
    includes = [Path(os.environ["EIGEN3_INCLUDE_DIR"])] if "EIGEN3_INCLUDE_DIR" in os.environ else []
    roots = (prefix, Path("/usr"), Path("/usr/local"), Path("/opt/homebrew"))
    includes += [root / "include" / "eigen3" for root in roots]
    eigen = next((folder for folder in includes if (folder / "Eigen" / "Core").is_file()), None)
    if eigen is None:
        raise NotBuilt(
            "no headers of Eigen found: install libeigen3-dev, or name their folder in EIGEN3_INCLUDE_DIR"
        )
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    state = "".join([SOURCE.read_text(), version, pin.__version__, get_host_cpu_name(), *FLAGS])
    library = CACHE / f"pinocchio_loop-{hashlib.sha256(state.encode()).hexdigest()[:16]}.so"
    if not library.exists():
        if not compile_it:
            raise NotBuilt("the compiled loop is built by a run without --quick")
        print(f"compiling {SOURCE.name} once, which takes minutes ...", file=sys.stderr, flush=True)
        library.parent.mkdir(parents=True, exist_ok=True)
        unfinished = library.with_suffix(f".{os.getpid()}")
        headers = (f"-I{prefix / 'include'}", f"-I{eigen}")
        command = [compiler, *FLAGS, *headers, str(SOURCE), "-o", str(unfinished)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotBuilt(
                f"{Path(compiler).name} failed: {(done.stderr.strip().splitlines() or ['no message'])[0]}"
            )
        unfinished.replace(library)
    return library


def _pointer(x: Array | NDArray[Any] | None) -> ctypes.c_void_p:
    if x is not None and not x.flags.c_contiguous:
        raise ValueError("a compiled loop takes C-contiguous arrays")
    return ctypes.c_void_p(None) if x is None else x.ctypes.data_as(ctypes.c_void_p)  # keeps the array alive
