"""Kernels: compiled on first need, kept on disk, vectors only.

Numba's own cache looks at one source file. A kernel here is traced from several, so the cache folder is named after
a digest of all of them and of the versions involved: an edit anywhere makes a new folder.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import caching

import softstride.engine
import softstride.spatial
from softstride.engine.lanes import BOUNDSCHECK, LANES
from softstride.errors import SoftstrideError

_UNUSED_DAYS = 30  # after which the kernels of other versions are removed


@functools.cache
def cache_folder() -> Path:
    """Return the folder of compiled kernels: SOFTSTRIDE_CACHE_DIR or the user's cache, by digest of the sources."""
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {LANES} {BOUNDSCHECK}".encode())
    for file in _sources():
        digest.update(file.name.encode() + file.read_bytes())
    given = os.environ.get("SOFTSTRIDE_CACHE_DIR")
    root = (
        Path(given)
        if given
        else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "softstride"
    )
    return root / f"kernels-{digest.hexdigest()[:16]}"


def _sources() -> list[Path]:
    """Return the files that kernels are traced from."""
    engine, spatial = Path(softstride.engine.__path__[0]), Path(softstride.spatial.__path__[0])
    return [
        engine / "jit.py",
        engine / "lanes.py",
        *sorted((engine / "kernels").glob("*.py")),
        *sorted(spatial.glob("*.py")),
    ]


def _remove_unused(folder: Path) -> None:
    """Remove the kernels of other versions that nobody has used for a while."""
    oldest = time.time() - _UNUSED_DAYS * 86400
    for other in folder.parent.glob("kernels-*"):
        if other == folder or not re.fullmatch(r"kernels-[0-9a-f]{16}", other.name):
            continue
        with contextlib.suppress(OSError):
            files = list(other.iterdir())
            if other.stat().st_mtime < oldest and all(file.suffix in (".nbi", ".nbc") for file in files):
                shutil.rmtree(other)


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return cache_folder().name

    def get_disambiguator(self) -> str:
        return hashlib.sha256(self._name.encode()).hexdigest()[:8]

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Locator | None:
        locator = cls(function)
        try:
            locator.ensure_cache_path()
            os.utime(cache_folder())
            _remove_unused(cache_folder())
        except OSError:
            return None  # a read-only home: compile in every process
        return locator


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_Locator]  # noqa: RUF012


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _Implementation


def _compiled(function: Callable[..., Any]) -> Any:
    """Return a lazy Numba function.

    Reference counting is off: arrays belong to the caller, and counting costs as much as the smaller recursions. Sums
    in plain loops may be reordered, so that they vectorise.
    """
    options: dict[str, Any] = {
        "nogil": True,
        "boundscheck": BOUNDSCHECK,
        "_nrt": False,
        "error_model": "numpy",
    }
    return numba.njit(fastmath={"reassoc", "contract", "nsz"}, **options)(function)


class Kernel:
    """A compiled function of arrays; compiles, or loads what is cached, at its first call."""

    registry: dict[str, Kernel] = {}  # noqa: RUF012

    def __init__(self, function: Callable[..., None]) -> None:
        self.name = function.__name__
        self.function = function
        self._dispatcher: Any = None
        self._lock = threading.Lock()
        Kernel.registry[self.name] = self

    @property
    def dispatcher(self) -> Any:
        """The Numba dispatcher, with the cache of this package."""
        if self._dispatcher is None:
            with self._lock:
                if self._dispatcher is None:
                    self._dispatcher = self._make()  # complete before any other thread sees it
        return self._dispatcher

    def _make(self) -> Any:
        if numba.config.DISABLE_JIT:
            raise SoftstrideError("NUMBA_DISABLE_JIT is set, but kernels only run compiled: unset it")
        dispatcher = _compiled(self.function)
        with contextlib.suppress(RuntimeError):  # no folder can be written: not cached
            dispatcher._cache = _Cache(self.function)
        return dispatcher

    def __call__(self, *arguments: Any) -> None:
        """Run on arrays; compile on first need and say so."""
        dispatcher = self.dispatcher
        if not dispatcher.overloads:
            with self._lock:
                if not dispatcher.overloads:
                    self._prepare(dispatcher, tuple(numba.typeof(x) for x in arguments))
        dispatcher(*arguments)

    def _prepare(self, dispatcher: Any, kinds: tuple[Any, ...]) -> None:
        if not any(cache_folder().glob(f"*.{self.name}-*.nbi")):
            print(f"softstride: compiling {self.name} once ...", file=sys.stderr, flush=True)
        dispatcher.compile(kinds)


def kernel(function: Callable[..., None]) -> Kernel:
    """Make a :class:`Kernel` of a function on arrays and integers."""
    return Kernel(function)


def inner(function: Callable[..., Any]) -> Any:
    """Mark a loop that kernels share; it is compiled into each kernel that calls it."""
    return _compiled(function)
