"""Inverse kinematics beside OpenSim 4.6, a person with a blade at full speed, growth of cost, and memory.

OpenSim's InverseKinematicsTool and `solve_ik` run in one process and one thread each, take turns, and are charged the
processor time; the best turn counts (`_opensim_ik.py` says what is in each). The trials are recordings in
SOFTSTRIDE_TEST_DATA or ../shared/data; without them that part is left out and says so. The others are made up: smooth
periodic running of the packaged models, markers with 1 mm of noise.

    python bench/ik.py [--json] [--quick]      or: softstride bench ik [--json] [--quick]
"""

import os
import sys
import time
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself and for tests/oracles

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy and OpenSim are loaded

import numpy as np  # noqa: E402

import softstride as ss  # noqa: E402
from bench import _memory, _running  # noqa: E402

TARGETS = {"rajagopal": 500.0, "gait2354": 200.0}
ATHLETE_TARGET = 30_000.0  # frames per second on two threads
MEMORY_TARGET = 1000.0  # MB
NOISE_TARGET = 1.8  # mm: noise alone is 1.73 mm of distance, and a fit takes some of it up
IDLE = 0.5  # load of a machine that has nothing else to do
ATHLETE_RATE, ATHLETE_FRAMES = 200.0, 16_384
SIZES = (4096, 8192, 16_384, 32_768, 65_536)
QUICK_FRAMES, QUICK_SIZES = 2048, (1024, 2048, 4096)
QUICK_HOUR = _memory.HOUR // 10


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure everything and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: Short trials and few turns: rough figures, printed without targets, which are for whole trials.

    Returns:
        Ratios `*_vs_opensim`, frames per second `*_fps`, marker errors `*_mm`, `slope_frames`, `memory_hour_mb`.
    """
    say: _script.Say = (lambda _: None) if json else (lambda line: print(line, flush=True))
    if quick:
        say("short trials and few turns: rough figures, which no target is set for")
    _warn_if_busy(say)
    figures = _compare(quick, say)
    figures |= _measure_athlete(quick, say)
    figures |= _measure_growth(quick, say)
    figures |= _measure_memory(quick, say)
    return figures


def _line(say: _script.Say, label: str, value: str, target: str = "") -> None:
    say(f"{label:<58}{value:>11}{target}")


def _at_least(value: float, target: float, quick: bool) -> str:
    """Return a target and whether it is missed; nothing of a quick run, whose short trials cannot meet it."""
    return "" if quick else f"   target {target:g}" + ("   MISSED" if value < target else "")


def _at_most(value: float, target: float, quick: bool) -> str:
    return "" if quick else f"   target {target:g}" + ("   MISSED" if value > target else "")


def _warn_if_busy(say: _script.Say) -> None:
    """Say so when others use the machine: the wall clock then measures them too."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if load > IDLE:
        cores = os.cpu_count() or 1
        say(f"load {load:.1f} on {cores} cores: others are at work, and wall-clock figures are too low")


def _compare(quick: bool, say: _script.Say) -> dict[str, float]:
    """Run both on the trials that have a target."""
    from bench import _opensim_ik  # needs the peer

    folder = _opensim_ik.data_folder()
    if folder is None:
        say(
            "no recordings: set SOFTSTRIDE_TEST_DATA to their folder; the comparison with OpenSim is left out"
        )
        return {}
    figures: dict[str, float] = {}
    for name, target in TARGETS.items():
        outcome = _opensim_ik.compete(name, folder, quick)
        n = outcome.frames
        say(f"{_opensim_ik.TRIALS[name]}: {n} frames, one thread each, processor time")
        _line(say, "  frames per second, ours (whole call)", f"{n / outcome.ours:.0f}")
        _line(say, "  frames per second, OpenSim (run, model loaded)", f"{n / outcome.theirs:.1f}")
        _line(say, "  ratio", f"{outcome.ratio:.0f}", _at_least(outcome.ratio, target, quick))
        _line(say, "  ratio to OpenSim's loop over the frames alone", f"{outcome.tracking_ratio:.0f}")
        _line(say, "  root of the mean objective, ours", f"{1e3 * outcome.our_error:.4f} mm")
        _line(say, "  root of the mean objective, OpenSim", f"{1e3 * outcome.their_error:.4f} mm")
        figures |= {
            f"{name}_vs_opensim": outcome.ratio,
            f"{name}_vs_opensim_tracking": outcome.tracking_ratio,
            f"{name}_fps": n / outcome.ours,
            f"{name}_opensim_fps": n / outcome.theirs,
            f"{name}_objective_mm": 1e3 * outcome.our_error,
            f"{name}_opensim_objective_mm": 1e3 * outcome.their_error,
        }
    return figures


def _measure_athlete(quick: bool, say: _script.Say) -> dict[str, float]:
    """Time the person of 50 links with a blade on two threads, and say how well it was found."""
    model = ss.load_model("athlete")
    truth = _running.running(model, QUICK_FRAMES if quick else ATHLETE_FRAMES, ATHLETE_RATE)
    recording = _running.record(model, truth, ATHLETE_RATE)
    solve = {str(n): partial(ss.solve_ik, model, recording, threads=n) for n in (1, 2)}
    best = _timing.best_of(solve, 2 if quick else 8, clock=time.perf_counter, least=0.0)
    started = time.process_time()
    motion = solve["2"]()
    processor = time.process_time() - started
    error = ss.difference(model, truth, motion.q)
    known = np.array([name not in motion.undetermined for name in model.coordinate_names])
    angles = known & np.array([not name.startswith("blade") for name in model.coordinate_names])
    angles &= np.array([not name.endswith((".tx", ".ty", ".tz")) for name in model.coordinate_names])
    bias = np.degrees(np.abs(error[:, angles].mean(axis=0)))
    spread = np.degrees(np.sqrt(np.mean(error[:, angles] ** 2)))
    figures = {
        "athlete_fps": len(truth) / best["2"],
        "athlete_processor_us": 1e6 * processor / len(truth),
        "athlete_threads_speedup": best["1"] / best["2"],
        "athlete_marker_mm": 1e3 * motion.marker_rms,
        "athlete_bias_deg": float(bias.mean()),
        "athlete_bias_max_deg": float(bias.max()),
        "athlete_error_deg": float(spread),
        "athlete_converged": float(np.mean(motion.fit.converged)),
        "athlete_undetermined": float(len(motion.undetermined)),
    }
    say(
        f"{model.name}: {len(truth)} frames at {ATHLETE_RATE:g} Hz, {len(model.markers)} markers, {model.nv} dof"
    )
    fps = figures["athlete_fps"]
    target = _at_least(fps, ATHLETE_TARGET, quick)
    _line(say, "  frames per second, two threads, wall clock", f"{fps:.0f}", target)
    _line(say, "  processor time of a frame, both threads", f"{figures['athlete_processor_us']:.1f} us")
    _line(say, "  two threads over one", f"{figures['athlete_threads_speedup']:.2f}")
    _line(say, "  marker error, with 1 mm of noise on each axis", f"{figures['athlete_marker_mm']:.2f} mm")
    _line(say, f"  mean bias of the {angles.sum()} determined angles", f"{bias.mean():.3f} deg")
    _line(say, "    largest", f"{bias.max():.3f} deg")
    _line(say, "    their error in a frame, root mean square", f"{spread:.3f} deg")
    _line(say, "  coordinates that the markers do not determine", f"{len(motion.undetermined)} of {model.nv}")
    _line(say, "  frames converged", f"{100.0 * figures['athlete_converged']:.2f} %")
    return figures


def _measure_growth(quick: bool, say: _script.Say) -> dict[str, float]:
    """Fit the growth of cost with frames."""
    model = ss.load_model("athlete")
    sizes = QUICK_SIZES if quick else SIZES
    q = _running.running(model, sizes[-1], ATHLETE_RATE)
    recordings = {n: _running.record(model, q[:n], ATHLETE_RATE) for n in sizes}
    tasks = {str(n): partial(ss.solve_ik, model, recordings[n], threads=1) for n in sizes}
    best = _timing.best_of(tasks, 1 if quick else 3, clock=time.process_time, least=0.0)
    slope = _timing.slope(sizes, [best[str(n)] for n in sizes])
    _line(
        say,
        f"cost ~ frames^p, {sizes[0]} to {sizes[-1]} frames, one thread: p",
        f"{slope:.3f}",
        "" if quick else "   target 1",
    )
    return {"slope_frames": slope}


def _measure_memory(quick: bool, say: _script.Say) -> dict[str, float]:
    """Solve an hour of data in a process of its own; a quick run solves six minutes and multiplies."""
    frames = QUICK_HOUR if quick else _memory.HOUR
    seen = _memory.measure(frames)
    scale = _memory.HOUR / frames / 1e6
    growth, data = scale * seen["growth"], scale * seen["recording"]
    rate = frames / seen["seconds"]
    label = "an hour at 100 Hz, gait model, all its markers" + (" (from six minutes)" if quick else "")
    say(label)
    target = _at_most(growth, MEMORY_TARGET, quick)
    _line(say, "  growth of the process, with v and a", f"{growth:.0f} MB", target)
    _line(say, "    of which the recording", f"{data:.0f} MB")
    error = 1e3 * seen["error"]
    _line(say, "  frames per second, all threads, wall clock", f"{rate:.0f}")
    target = _at_most(error, NOISE_TARGET, quick)
    _line(say, "  marker error, with 1 mm of noise on each axis", f"{error:.2f} mm", target)
    return {"memory_hour_mb": growth, "memory_recording_mb": data, "gait_fps": rate, "gait_marker_mm": error}


if __name__ == "__main__":
    _script.run(main, __doc__)
