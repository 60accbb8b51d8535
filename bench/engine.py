"""The engine beside Pinocchio: one ratio a line, above 1 we are ahead.

Both run in one process and one thread each, take turns, and are charged the processor time of that thread; the best
turn counts. Each works on all frames in one call. Matrix results go into one array, made and touched beforehand and
larger than the caches, every entry of every frame; "unstored" is the time when results stay in a cache.

    python bench/engine.py [--json] [--quick] [--out FOLDER]      or: softstride bench engine [--json] [--quick]
"""

import argparse
import json as json_format
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself and for tests/oracles

from bench import _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy and Pinocchio are loaded

import numpy as np  # noqa: E402

from bench import _compiling, _scaling  # noqa: E402
from softstride import engine  # noqa: E402
from softstride.model import athlete  # noqa: E402
from tools import vectors  # noqa: E402

Say = Callable[[str], None]

THREAD_FRAMES = 8000
TOLERANCE = 1e-9  # of the largest entry: both engines round in double precision
RESULTS = Path(__file__).with_name("results")


def main(json: bool = False, quick: bool = False, out: Path = RESULTS) -> dict[str, float]:
    """Measure everything and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: Fewer turns: rough figures.
        out: Folder of the plot.

    Returns:
        Ratios `*_vs_pinocchio` (frames per second, ours over theirs), times `*_us` a frame and `*_s`, slopes, shares.
    """
    say: Say = (lambda _: None) if json else _print
    figures = _compare(quick, say)
    figures |= _measure_threads(quick, say)
    figures |= _measure_scaling(quick, out, say)
    figures |= _measure_compiling(quick, say)
    return figures


def _print(line: str) -> None:
    print(line, flush=True)


def _line(say: Say, label: str, value: str, target: str = "") -> None:
    say(f"{label:<54}{value:>9}" + (f"   target {target}" if target else ""))


def _compare(quick: bool, say: Say) -> dict[str, float]:
    """Run all contests with Pinocchio; both engines must agree."""
    from bench import _contests, _pinocchio  # these need the peer

    peer = _pinocchio.Peer(athlete(False))
    loop = _pinocchio.best_loop(peer, compile_it=not quick)
    ends = _pinocchio.Peer(athlete(False), _contests.ENDS)
    ends_loop = _pinocchio.best_loop(ends, compile_it=not quick)
    say(f"peer: {loop.description}; rneaInParallel and abaInParallel where faster")
    if isinstance(loop, _pinocchio.PythonLoop):
        state = _scaling.random_motion(athlete(False), _contests.FRAMES)
        loop.calibrate(peer.q(state[0]), peer.v(state[1]), peer.v(state[2]))
        ends_loop.overhead = loop.overhead  # type: ignore[union-attr]
    say(f"{'microseconds a frame, one thread each':<36}{'ours':>9}{'theirs':>9}")
    figures: dict[str, float] = {"peer_compiled": float(isinstance(loop, _pinocchio.CompiledLoop))}
    for contest in _contests.contests(peer, loop, (ends, ends_loop)):
        key = contest.key
        if contest.difference is not None:
            figures[f"{key}_difference"] = contest.difference
            if not contest.difference < TOLERANCE:
                raise RuntimeError(
                    f"{key}: engines differ by {contest.difference:.1e}, not below {TOLERANCE:.0e}"
                )
        outcome = _contests.hold(contest, rounds=3 if quick else 25)
        figures[f"{key}_vs_pinocchio"] = outcome.ratio
        figures |= {f"{key}_us": outcome.ours, f"{key}_pinocchio_us": outcome.theirs}
        row = "{:<36}{:>6.2f} us{:>6.1f} us   ratio {:>4.1f}"
        say(
            row.format(contest.label, outcome.ours, outcome.theirs, outcome.ratio)
            + (f"   target {contest.target:g}" if contest.target else "")
            + ("   MISSED" if contest.target and outcome.ratio < contest.target else "")
        )
        if outcome.unstored:
            ours, theirs, ratio = outcome.unstored.ours, outcome.unstored.theirs, outcome.unstored.ratio
            figures |= {f"{key}_unstored_us": ours, f"{key}_pinocchio_unstored_us": theirs}
            figures[f"{key}_unstored_vs_pinocchio"] = ratio
            say(row.format("  unstored", ours, theirs, ratio))
        if outcome.fill:
            figures[f"{key}_fill_us"] = outcome.fill
            say(f"  a plain fill of the result{'':<9}{outcome.fill:>6.2f} us")
    if isinstance(loop, _pinocchio.PythonLoop):
        figures["python_call_us"] = 1e6 * loop.overhead
    figures["max_difference"] = max(value for key, value in figures.items() if key.endswith("_difference"))
    _line(
        say,
        "largest relative difference of the two engines",
        f"{figures['max_difference']:.1e}",
        f"{TOLERANCE:.0e}",
    )
    return figures


def _measure_threads(quick: bool, say: Say) -> dict[str, float]:
    """Compare one thread with two by the wall clock."""
    model = athlete(True)
    state = _scaling.random_motion(model, THREAD_FRAMES)
    out = np.zeros((THREAD_FRAMES, model.nv))
    tasks = {str(n): partial(engine.inverse_dynamics, model, *state, threads=n, out=out) for n in (1, 2)}
    best = _timing.best_of(tasks, 10 if quick else 150, clock=time.perf_counter, least=0.0)
    speedup = best["1"] / best["2"]
    _line(say, "rnea with blade, two threads over one (wall clock)", f"{speedup:.2f}", "1.4")
    return {"threads_speedup": speedup}


def _measure_scaling(quick: bool, out: Path, say: Say) -> dict[str, float]:
    """Fit the growth of cost with frames and with links, and draw it; the steepest curve counts."""
    frames, links = _scaling.measure_frames(quick), _scaling.measure_links(quick)
    file = out / "engine_scaling.png"
    _scaling.draw(frames, links, file)
    figures = {
        "slope_frames": max(curve.slope for curve in frames),
        "slope_frames_with_caches": max(curve.slope_from(_scaling.WHOLE_FRAMES) for curve in frames),
        "slope_links": max(curve.slope for curve in links),
    }
    _line(say, "cost ~ frames^p, from 16384 frames on, largest p", f"{figures['slope_frames']:.2f}", "1")
    _line(
        say,
        "  from 512 frames on, out of the caches into memory",
        f"{figures['slope_frames_with_caches']:.2f}",
    )
    _line(say, "cost ~ links^p, largest p", f"{figures['slope_links']:.2f}", "1")
    say(f"plot: {file}")
    return figures


def _measure_compiling(quick: bool, say: Say) -> dict[str, float]:
    """Compile all kernels anew, load them from the cache, look for vectors, and import."""
    times = _compiling.measure_compiling()
    kernel, share = vectors.worst(times.counts)
    imported, compiles = _compiling.measure_import(3 if quick else 10)
    if compiles:
        raise RuntimeError("importing softstride loads Numba, so importing may compile")
    _line(say, "all kernels, empty cache, two processes", f"{times.cold:.1f} s", "120")
    _line(say, "  processor time of both", f"{times.cold_processor:.1f} s")
    _line(say, "all kernels from the cache", f"{times.warm:.2f} s", "1")
    _line(say, "  whole process with interpreter, NumPy and Numba", f"{times.warm_process:.2f} s")
    target = f"{vectors.PACKED_SHARE}"
    _line(say, f"least share of packed arithmetic ({kernel})", f"{share:.3f}", target)
    _line(say, "import softstride", f"{imported:.3f} s", "0.5")
    return {
        "compile_cold_s": times.cold,
        "compile_cold_processor_s": times.cold_processor,
        "compile_warm_s": times.warm,
        "process_warm_s": times.warm_process,
        "packed_share_min": share,
        "import_s": imported,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--json", action="store_true", help="print the figures as one JSON object, nothing else"
    )
    parser.add_argument("--quick", action="store_true", help="fewer turns, rough figures")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the plot")
    options = parser.parse_args()
    measured = main(json=options.json, quick=options.quick, out=options.out)
    if options.json:
        print(json_format.dumps(measured))
