"""Loads without force plates: how fast the person of 50 links with a blade is solved.

No peer estimates the ground reaction under friction cones of a whole trial in one call, so there is no ratio: frames
per second on two threads, the processor time of a frame, and how the cost grows with the frames. The motion is that of
the digital athlete's run, found from its markers, there and back until it is long enough; once as it is, as after a
smoothing, and once as `estimate_loads` takes it unless told otherwise, with a low pass that it chooses.

    python bench/grf.py [--json] [--quick]      or: softstride bench grf [--json] [--quick]
"""

import sys
import time
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy is loaded

import numpy as np  # noqa: E402

import softstride as ss  # noqa: E402
from softstride.digital_athlete import person  # noqa: E402

TARGET = 5000.0  # frames per second on two threads
FRAMES = 8192
GROWING = (1024, 4096, 16384)
QUICK = 1024


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure everything and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: Short trials and few turns: rough figures.

    Returns:
        `athlete_fps` and its processor time, and `athlete_growth`, the exponent p of cost ~ frames^p.
    """
    say: _script.Say = (lambda _: None) if json else (lambda line: print(line, flush=True))
    model = runner()
    n = QUICK if quick else FRAMES
    once = ss.solve_ik(model, ss.load_athlete("running", noise=False, artefact=False).recording)
    motion = there_and_back(once, n)
    solve = {
        f"{words}{k}": partial(ss.estimate_loads, model, motion, threads=k, **given)
        for words, given in (("", {"lowpass": None}), ("default ", {}))
        for k in (1, 2)
    }
    best = _timing.best_of(solve, 2 if quick else 5, clock=time.perf_counter, least=0.0)
    started = time.process_time()
    loads = solve["2"]()
    processor = time.process_time() - started
    ground = loads.ground
    if ground is None:
        raise RuntimeError("an estimate has a ground")
    figures = {
        "athlete_fps": n / best["2"],
        "athlete_default_fps": n / best["default 2"],
        "athlete_processor_us": 1e6 * processor / n,
        "athlete_threads_speedup": best["1"] / best["2"],
        "athlete_converged": float(ground.converged.mean()),
        "athlete_believed": float(1.0 - loads.doubtful.mean()),
    }
    rate = once.rate
    say(
        f"{len(model.links)} links, {model.nv} dof, {len(ground.names)} places of contact: {n} frames at {rate:g} Hz"
    )
    for name, words in (
        ("athlete_fps", "frames per second, two threads, wall clock"),
        ("athlete_default_fps", "the same with the low pass chosen and applied"),
    ):
        _script.line(say, f"  {words}", f"{figures[name]:.0f}", TARGET, figures[name])
    _script.line(
        say, "  processor time of a frame, both threads", f"{figures['athlete_processor_us']:.1f} us"
    )
    _script.line(say, "  two threads over one", f"{figures['athlete_threads_speedup']:.2f}")
    _script.line(say, "  frames converged", f"{100.0 * figures['athlete_converged']:.2f} %")
    _script.line(say, "  frames that can be believed", f"{100.0 * figures['athlete_believed']:.2f} %")
    if not quick:
        costs = []
        for frames in GROWING:
            longer = there_and_back(once, frames)
            call = {"call": partial(ss.estimate_loads, model, longer, lowpass=None, threads=1)}
            costs.append(_timing.best_of(call, 3)["call"])
        figures["athlete_growth"] = _timing.slope(GROWING, costs)
        _script.line(
            say,
            f"  cost ~ frames^p, {GROWING[0]} to {GROWING[-1]} frames, p",
            f"{figures['athlete_growth']:.2f}",
        )
    return figures


def runner() -> ss.Model:
    """Return the person of 50 links with the digital athlete's size and blade."""
    whole = ss.load_model("human", mass=person.MASS, height=person.HEIGHT, sex=person.SEX)
    cut = ss.amputate(whole, "right", below_knee=person.BELOW_KNEE)
    return ss.attach_blade(cut, "right", person.blade_of(6), shift=person.SHIFT)


def there_and_back(motion: ss.Motion, frames: int) -> ss.Motion:
    """Return a motion that is run forward and backward in turn, with rates that are known."""
    n = len(motion)
    turn, at = np.divmod(np.arange(frames), n)
    back = turn % 2 == 1
    at = np.where(back, n - 1 - at, at)
    v = np.where(back[:, None], -motion.v[at], motion.v[at])
    return ss.Motion(motion.model, np.arange(frames) / motion.rate, motion.q[at], rates=(v, motion.a[at]))


if __name__ == "__main__":
    _script.run(main, __doc__)
