"""Running a kernel on all frames: blocks of lanes, the padded rest, scratch, threads."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.engine.lanes import LANES
from softstride.errors import InputError

Array = NDArray[np.float64]

_BLOCKS_A_THREAD = 8  # below this a second thread costs more than it saves
_local = threading.local()
_pool: ThreadPoolExecutor | None = None
_threads = 1


def _forget_threads() -> None:
    """Start anew in a forked process: threads do not survive a fork."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def set_threads(n: int) -> None:
    """Set how many threads a call may use (default 1); 0 means all cores. Results do not depend on it."""
    global _threads
    _threads = _checked(n)


def _checked(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 0:
        raise InputError(
            f"number of threads must be 0 (all cores) or a whole number above, however it is {n!r}"
        )
    return int(n) or os.cpu_count() or 1


def get_threads() -> int:
    """Return how many threads a call may use."""
    return _threads


def scratch(rows: int) -> Array:
    """Return this thread's scratch of at least ``rows`` vectors, zero when new, aligned to 64 bytes."""
    kept: Array | None = getattr(_local, "scratch", None)
    if kept is None or len(kept) < rows:
        flat = np.zeros(rows * LANES + 8)
        first = (-flat.ctypes.data // 8) % 8
        kept = _local.scratch = flat[first : first + rows * LANES].reshape(rows, LANES)
    return kept


def _padded(x: Array, start: int) -> Array:
    """Return the frames from ``start`` on as one block, the last frame repeated."""
    block = np.empty((LANES, x.shape[1]))
    block[: len(x) - start] = x[start:]
    block[len(x) - start :] = x[-1]
    block.setflags(write=x.flags.writeable)
    return block


def sealed(x: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written: kernels that take such arrays are compiled for one kind of them."""
    view = x.view()
    view.setflags(write=False)
    return view


def run(
    kernel: Callable[..., None],
    tables: Sequence[Any],
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    rows: int,
    threads: int | None = None,
) -> None:
    """Call ``kernel(*tables, *inputs, *outputs, scratch, first, last)`` so that all frames are done.

    Args:
        kernel: Works on blocks first .. last - 1 of LANES frames; it is given views of the inputs that cannot be
            written, so that it is compiled for one kind of them.
        tables: Constant arguments.
        inputs: Arrays (n_frames, ...), C-contiguous float64.
        outputs: Arrays (n_frames, n), written.
        rows: Scratch rows of the kernel.
        threads: How many threads may share the blocks; None: as set by `set_threads`.
    """
    inputs = [sealed(x) for x in inputs]
    n_frames = len(inputs[0])
    blocks = n_frames // LANES
    workers = min(worker_count(threads), max(1, blocks // _BLOCKS_A_THREAD))
    if workers > 1:
        _run_threads(kernel, (*tables, *inputs, *outputs), rows, blocks, workers)
    elif blocks:
        kernel(*tables, *inputs, *outputs, scratch(rows), 0, blocks)
    rest = blocks * LANES
    if rest < n_frames:
        results = [np.empty((LANES, x.shape[1])) for x in outputs]
        kernel(*tables, *(_padded(x, rest) for x in inputs), *results, scratch(rows), 0, 1)
        for x, result in zip(outputs, results, strict=True):
            x[rest:] = result[: n_frames - rest]


def worker_count(threads: int | None) -> int:
    """Return how many threads a call may use; None: as set by `set_threads`."""
    return _threads if threads is None else _checked(threads)


def in_threads(work: Callable[[int, int], None], edges: Sequence[int], workers: int) -> None:
    """Call ``work(a, b)`` for each pair of neighbouring edges, on this many threads."""
    if workers == 1:
        for a, b in itertools.pairwise(edges):
            work(a, b)
        return
    global _pool
    if _pool is None or _pool._max_workers < workers:
        _pool = ThreadPoolExecutor(workers, thread_name_prefix="softstride")
    futures = [_pool.submit(work, a, b) for a, b in itertools.pairwise(edges)]
    for future in futures:
        future.result()


def _run_threads(
    kernel: Callable[..., None], arguments: tuple[Any, ...], rows: int, blocks: int, workers: int
) -> None:
    def work(first: int, last: int) -> None:
        kernel(*arguments, scratch(rows), first, last)

    # a few pieces a thread, so that a core that is busy elsewhere does not hold up the rest
    pieces = min(4 * workers, blocks // _BLOCKS_A_THREAD)
    edges = np.linspace(0, blocks, pieces + 1).astype(int).tolist()
    kernel(*arguments, scratch(rows), 0, 0)  # compiles if need be, once
    in_threads(work, edges, workers)
