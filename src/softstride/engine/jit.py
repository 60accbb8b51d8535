"""Kernels: compiled on first need, kept on disk, vectors only.

Numba's own cache looks at one source file. A kernel here is traced from several, so the folder of a kernel is named
after a digest of all the sources that it is made from and of the versions involved: an edit makes a new folder for the
kernels that it concerns, and for no others.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import caching

from softstride.engine.lanes import BOUNDSCHECK, LANES
from softstride.errors import SoftstrideError

_PACKAGE = __name__.partition(".")[0]
_UNUSED_DAYS = 60  # after which kernels are removed


def cache_root() -> Path:
    """Return the folder of all compiled kernels: SOFTSTRIDE_CACHE_DIR, or one in the user's cache."""
    given = os.environ.get("SOFTSTRIDE_CACHE_DIR")
    return Path(given) if given else _user_cache() / "softstride"


def _user_cache() -> Path:
    """Return the folder in which programs of this user keep what can be made again: each system has its own."""
    given = os.environ.get("XDG_CACHE_HOME")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")


@functools.cache
def cache_folder(module: str) -> Path:
    """Return the folder of the kernels of a module, by digest of what they are made from."""
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {LANES} {BOUNDSCHECK}".encode())
    for name, source in sorted(_sources(module).items()):
        digest.update(name.encode() + source)
    return cache_root() / f"kernels-{digest.hexdigest()[:16]}"


def _sources(module: str) -> dict[str, bytes]:
    """Return the sources of a module and of all modules of this package that it imports, directly or not."""
    found: dict[str, bytes] = {}
    waiting = [module, __name__]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        source, imports = _source(name)
        if source:
            found[name] = source
            waiting += imports
    return found


@functools.cache
def _source(name: str) -> tuple[bytes, tuple[str, ...]]:
    """Return the source of a module and what it imports of this package; nothing of one that has none."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return b"", ()
    source = Path(spec.origin).read_bytes()
    return source, tuple(_imports(source))


def _imports(source: bytes) -> Iterator[str]:
    """Yield the modules of this package that a source imports; packages that only gather names stay out."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{_PACKAGE}."):
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [name for name in inside if name in sys.modules]
            yield from modules if len(modules) == len(inside) else [*modules, str(node.module)]


def _remove_unused(folder: Path) -> None:
    """Remove other kernels that nobody has used for a while, most of them of other versions."""
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
        self._folder = cache_folder(function.__module__)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return hashlib.sha256(self._name.encode()).hexdigest()[:8]

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Locator | None:
        locator = cls(function)
        try:
            locator.ensure_cache_path()
            os.utime(locator._folder)
            _remove_unused(locator._folder)
        except OSError:
            return None  # a read-only home: compile in every process
        return locator


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_Locator]  # noqa: RUF012


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _Implementation


def _compiled(function: Callable[..., Any], inlined: bool = False) -> Any:
    """Return a lazy Numba function.

    Reference counting is off: arrays belong to the caller, and counting costs as much as the smaller recursions. Sums
    in plain loops may be reordered, so that they vectorise.
    """
    options: dict[str, Any] = {
        "nogil": True,
        "boundscheck": BOUNDSCHECK,
        "_nrt": False,
        "error_model": "numpy",
        "forceinline": inlined,
    }
    return numba.njit(fastmath={"reassoc", "contract", "nsz"}, **options)(function)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Leave cyclic garbage alone: looking through the objects of a compilation takes a tenth of its time."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


class Kernel:
    """A compiled function of arrays; compiles, or loads what is cached, at its first call."""

    registry: dict[str, Kernel] = {}  # noqa: RUF012
    compiling = 0.0
    """How long all kernels of this process took to compile [s]; those that the cache had count nothing."""

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
        cached = any(cache_folder(self.function.__module__).glob(f"*.{self.name}-*.nbi"))
        if not cached:
            print(f"softstride: compiling {self.name} once ...", file=sys.stderr, flush=True)
        start = time.perf_counter()
        with _no_collection():
            dispatcher.compile(kinds)
        if not cached:
            Kernel.compiling += time.perf_counter() - start


def kernel(function: Callable[..., None]) -> Kernel:
    """Make a :class:`Kernel` of a function on arrays and integers."""
    return Kernel(function)


def inner(function: Callable[..., Any]) -> Any:
    """Mark a loop that kernels share; it is compiled into each kernel that calls it."""
    return _compiled(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Mark a short formula of scalar code that kernels share; its instructions go where it is called."""
    return _compiled(function, inlined=True)
