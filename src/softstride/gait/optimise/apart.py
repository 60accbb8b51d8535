"""Functions that run in an interpreter of their own, because their libraries cannot be loaded beside others.

OpenSim's Python package brings a CasADi of another build: whichever of the two is loaded second fails. So where OpenSim
is loaded, or could be later, a step is looked for in a fresh process. What goes there and comes back goes through pipes
between the two, never through a file.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from softstride.errors import SimulationError

R = TypeVar("R")

CHILD = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from softstride.gait.optimise.apart import serve
serve()
"""

SEARCHED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Where libraries are looked for; OpenSim puts its own folder there, and a child would find the wrong CasADi in it."""


def must_run_apart() -> bool:
    """Return whether CasADi cannot be loaded in this process, or would keep OpenSim from being loaded after it."""
    if "casadi" in sys.modules:
        return False
    return "opensim" in sys.modules or find_spec("opensim") is not None


def run_apart(function: Callable[..., R], *arguments: Any, **options: Any) -> R:
    """Return what a function of this package returns in a fresh interpreter; raise what it raises.

    Args:
        function: A function at the top of a module.
        *arguments: Its arguments.
        **options: Its options.

    Raises:
        SimulationError: The other process ended without an answer.
    """
    request = pickle.dumps((function.__module__, function.__name__, arguments, options))
    command = [sys.executable, "-c", CHILD, json.dumps(sys.path)]
    done = subprocess.run(command, input=request, stdout=subprocess.PIPE, check=False, env=environment())
    if done.returncode != 0:
        raise SimulationError(
            f"{function.__name__} was run in a process of its own, since OpenSim is there as well, and that ended "
            f"with code {done.returncode}; what it said is above"
        )
    answer, failed = pickle.loads(done.stdout)  # from our own child
    if failed:
        raise answer
    return answer


def environment() -> dict[str, str]:
    """Return the environment of a process that is to find no libraries of OpenSim's."""
    kept = dict(os.environ)
    theirs = getattr(sys.modules.get("opensim"), "__file__", None)
    if theirs is not None:
        folder = str(Path(theirs).resolve().parent)
        for name in SEARCHED:
            parts = [part for part in kept.pop(name, "").split(os.pathsep) if part and part != folder]
            kept |= {name: os.pathsep.join(parts)} if parts else {}
    return kept


def serve() -> None:
    """Answer one request of `run_apart`; what libraries print goes to the standard error."""
    out = os.dup(1)
    os.dup2(2, 1)
    module, name, arguments, options = pickle.loads(sys.stdin.buffer.read())
    try:
        answer, failed = getattr(import_module(module), name)(*arguments, **options), False
    except Exception as error:  # noqa: BLE001 -- it is raised again where it was asked for
        answer, failed = error, True
    with os.fdopen(out, "wb") as stream:
        stream.write(pickle.dumps((answer, failed)))
