"""Four ways of inverse dynamics by segments over long trials: microseconds a frame, and whether a frame costs the same.

Three segments of a leg with derivatives that are given, as in the reference limb. The closed solution in
non-orthonormal axes is the default; beside it the 12 x 12 system that also finds the multipliers, and the three
classical methods. No peer computes in non-orthonormal axes; the methods are each other's peers. Processor time, one
thread, in turns.

    python bench/segments.py [--json] [--quick]      or: softstride bench segments [--json] [--quick]
"""

import functools
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself and for tests/oracles

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy is loaded

import numpy as np  # noqa: E402
from tests.oracles.segment_leg import engine_leg  # noqa: E402

from softstride import engine  # noqa: E402
from softstride.segments import METHODS, inverse_dynamics, reference_limb  # noqa: E402
from softstride.segments.motion import SegmentMotion  # noqa: E402

SIZES = (1_000, 10_000, 100_000)
RATE = 100.0  # Hz
FLAT = 1.5  # times the cost of a frame in a short trial that one in a long trial may have


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure everything and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: Shorter trials and few turns: rough figures.

    Returns:
        Microseconds a frame of each method and length, the ratio of the longest to the shortest trial (`..._growth`),
        times of others over the closed solution (`..._over_closed`), and by how much the methods differ.
    """
    say: _script.Say = (lambda _: None) if json else (lambda line: print(line, flush=True))
    sizes = SIZES[:2] if quick else SIZES
    figures: dict[str, float] = {}
    for n in sizes:
        limb = reference_limb(np.arange(n) / RATE)
        solve = functools.partial(
            inverse_dynamics, limb.segments, limb.motion, limb.external, gravity=limb.gravity
        )
        tasks = {method: functools.partial(solve, method=method) for method in METHODS}
        tasks["multipliers"] = functools.partial(solve, multipliers=True)
        samples = {name: SegmentMotion(moved.time, moved.coordinates) for name, moved in limb.motion.items()}
        tasks["sampled"] = functools.partial(
            inverse_dynamics, limb.segments, samples, limb.external, gravity=limb.gravity
        )
        model, q, v, a, pushes = engine_leg(limb)
        tasks["engine"] = functools.partial(engine.inverse_dynamics, model, q, v, a, pushes, threads=1)
        times = _timing.best_of(tasks, rounds=2 if quick else 4)
        figures |= {f"{name}_{n}_us": 1e6 * seconds / n for name, seconds in times.items()}
    first, last = sizes[0], sizes[-1]
    say(f"three segments, microseconds a frame, {' / '.join(f'{n:,}' for n in sizes)} frames")
    for name in (*METHODS, "multipliers", "sampled", "engine"):
        figures[f"{name}_growth"] = figures[f"{name}_{last}_us"] / figures[f"{name}_{first}_us"]
        told = " / ".join(f"{figures[f'{name}_{n}_us']:.2f}" for n in sizes)
        words = {
            "nonorthonormal": "nonorthonormal, closed solution",
            "multipliers": "nonorthonormal, 12 x 12 system with multipliers",
            "sampled": "nonorthonormal, derivatives by splines included",
            "engine": "our engine, the leg as 12 coordinates, compiled",
        }
        say(f"  {words.get(name, name):<52}{told:>24}")
    for name in (*METHODS[1:], "multipliers", "engine"):
        ratio = figures[f"{name}_{last}_us"] / figures[f"nonorthonormal_{last}_us"]
        figures[f"{name}_over_closed"] = ratio
        _script.line(say, f"  {name}: times the closed solution", f"{ratio:.2f}")
    growth = {name: figures[f"{name}_growth"] for name in (*METHODS, "multipliers", "sampled")}
    worst = max(growth, key=lambda name: growth[name])
    figures["cost_flat"] = FLAT / growth[worst]
    _script.line(say, f"  a frame in {last:,} over one in {first:,}, worst: {worst}", f"{growth[worst]:.2f}")
    told = f"  allowed growth of {FLAT:g} over that"
    _script.line(say, told, f"{figures['cost_flat']:.2f}", 1.0, figures["cost_flat"])
    limb = reference_limb(np.arange(1000) / RATE)
    moments = [
        inverse_dynamics(
            limb.segments, limb.motion, limb.external, gravity=limb.gravity, method=method
        ).moment
        for method in METHODS
    ]
    figures["methods_apart"] = float(
        max(np.abs(m - moments[0]).max() for m in moments) / np.abs(moments[0]).max()
    )
    model, q, v, a, pushes = engine_leg(limb)
    sizes_of = [
        np.linalg.norm(engine.inverse_dynamics(model, q, v, a, pushes)[:, k : k + 3], axis=1)
        for k in (9, 6, 0)
    ]
    gap = np.abs(np.stack(sizes_of, axis=1) - np.linalg.norm(moments[0], axis=2)).max()
    figures["engine_apart"] = float(gap / np.abs(moments[0]).max())
    apart = (figures["methods_apart"], figures["engine_apart"])
    say("  methods differ by {:.1e}, the engine by {:.1e} of the largest moment".format(*apart))
    return figures


if __name__ == "__main__":
    _script.run(main, __doc__)
