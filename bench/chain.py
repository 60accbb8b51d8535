"""The closed-form planar chain: what its tables cost, beside a dense solve of all equations and beside the engine.

A three-link chain with five muscles over 1,000 to 100,000 frames; the packaged spine of 24 vertebrae with 40 muscles
over 1,000 frames; torques and reactions alone beside the 12 x 12 system of Newton's and Euler's equations, and torques
beside the engine's inverse dynamics of the same chain, which is compiled. One process, one thread, in turns.

    python bench/chain.py [--json] [--quick]      or: softstride bench chain [--json] [--quick]
"""

import functools
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy is loaded

import numpy as np  # noqa: E402

from bench._planar_solve import joint_angles, random_state, simultaneous, tree  # noqa: E402
from softstride import engine  # noqa: E402
from softstride.planar import Chain, State  # noqa: E402
from softstride.planar.library import load_chain  # noqa: E402
from softstride.selfcheck.planar import reference_chain  # noqa: E402

FRAMES = (1_000, 10_000, 100_000)
SPINE_FRAMES = 1_000
SPINE_RATE = 1.0  # target: full tables of the spine in a second
FLAT = 0.67  # target: cost a frame of 10,000 over that of 100,000


def totals(chain: Chain, state: State) -> object:
    return chain.reactions(state), chain.torques(state)


def grown(state: State, frames: int) -> State:
    """Return the first frames of a state."""
    cut = {
        field: {name: np.asarray(value)[:frames] for name, value in getattr(state, field).items()}
        for field in ("tension", "force")
    }
    theta, omega, alpha = (np.asarray(x)[:frames] for x in (state.theta, state.omega, state.alpha))
    return State(theta=theta, omega=omega, alpha=alpha, **cut)


def measure_frames(quick: bool, say: _script.Say) -> dict[str, float]:
    """Return the cost of a frame of the whole table against the number of frames."""
    chain, figures = reference_chain(), {}
    sizes = FRAMES[:2] if quick else FRAMES
    whole = random_state(chain, sizes[-1])
    states = {n: grown(whole, n) for n in sizes}
    for name in ("contributions", "induced"):
        tasks = {str(n): functools.partial(getattr(chain, name), states[n]) for n in sizes}
        best = _timing.best_of(tasks, rounds=2 if quick else 5)
        each = {n: 1e6 * best[str(n)] / n for n in sizes}
        for n, micro in each.items():
            figures[f"{name}_us_per_frame_{n}"] = micro
            _script.line(say, f"  {name} of three links and five muscles, {n} frames", f"{micro:.2f} us")
        ratio = each[sizes[-2]] / each[sizes[-1]]
        figures[f"{name}_flatness"] = ratio
        told = f"  {name}: cost of a frame, {sizes[-2]} over {sizes[-1]} frames"
        _script.line(say, told, f"{ratio:.2f}", FLAT, ratio)
    return figures


def measure_spine(quick: bool, say: _script.Say) -> dict[str, float]:
    """Return the seconds of the full table of the spine, wall clock."""
    chain = load_chain("spine").chain
    state = random_state(chain, SPINE_FRAMES)
    tasks = {
        "table": lambda: chain.contributions(state),
        "induced": lambda: chain.induced(state),
        "totals": lambda: totals(chain, state),
    }
    best = _timing.best_of(tasks, rounds=2 if quick else 5, clock=time.perf_counter)
    error = chain.contributions(state).sum_error(state)
    count = len(chain.contributions(grown(state, 1)).labels)
    label = f"  spine, 24 joints x {count} sources x {SPINE_FRAMES} frames"
    _script.line(say, label, f"{best['table']:.3f} s")
    _script.line(
        say, "  such tables in a second", f"{1.0 / best['table']:.1f}", SPINE_RATE, 1.0 / best["table"]
    )
    _script.line(say, "  the same, induced effects", f"{best['induced']:.3f} s")
    _script.line(say, "  the same, totals alone", f"{best['totals']:.4f} s")
    _script.line(say, "  columns against totals, largest relative error", f"{error:.1e}")
    return {
        "spine_table_s": best["table"],
        "spine_induced_s": best["induced"],
        "spine_totals_s": best["totals"],
        "spine_sum_error": error,
    }


def measure_peers(quick: bool, say: _script.Say) -> dict[str, float]:
    """Return ratios and differences of totals against a dense solve, and of torques against the engine."""
    frames = 2_000 if quick else 20_000
    chain = reference_chain().changed(muscles=())
    state = random_state(chain, frames)
    model = tree(chain)
    bare = chain.changed(contacts=())
    alone = State(theta=state.theta, omega=state.omega, alpha=state.alpha)
    q, v, a = (joint_angles(np.asarray(x)) for x in (state.theta, state.omega, state.alpha))
    tasks = {
        "totals": lambda: totals(chain, state),
        "solve": lambda: simultaneous(chain, state),
        "torques": lambda: bare.torques(alone),
        "engine": lambda: engine.inverse_dynamics(model, q, v, a, threads=1),
    }
    best = _timing.best_of(tasks, rounds=2 if quick else 5)
    force, torque = simultaneous(chain, state)
    gaps = (
        np.abs(chain.reactions(state).force - force).max() / np.abs(force).max(),
        np.abs(chain.torques(state).required - torque).max() / np.abs(torque).max(),
    )
    tau = engine.inverse_dynamics(model, q, v, a, threads=1)
    apart = np.abs(bare.torques(alone).required - tau).max() / np.abs(tau).max()
    _script.line(
        say,
        "  reactions and torques: 12 x 12 solve over closed form",
        f"{best['solve'] / best['totals']:.1f}",
    )
    _script.line(say, "  largest relative difference", f"{max(gaps):.1e}")
    _script.line(
        say,
        "  torques alone: the engine's recursion over closed form",
        f"{best['engine'] / best['torques']:.2f}",
    )
    _script.line(say, "  largest relative difference", f"{apart:.1e}")
    return {
        "chain_vs_solve": best["solve"] / best["totals"],
        "chain_vs_engine": best["engine"] / best["torques"],
        "solve_difference": float(max(gaps)),
        "engine_difference": float(apart),
        "totals_us_per_frame": 1e6 * best["totals"] / frames,
        "engine_us_per_frame": 1e6 * best["engine"] / frames,
    }


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure everything and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: Few frames and turns: rough figures.

    Returns:
        Microseconds a frame by number of frames, `spine_table_s`, ratios of times, peer over ours, and differences.
    """
    say: _script.Say = (lambda _: None) if json else (lambda line: print(line, flush=True))
    say("planar chain, one thread")
    figures = measure_frames(quick, say)
    figures |= measure_spine(quick, say)
    return figures | measure_peers(quick, say)


if __name__ == "__main__":
    _script.run(main, __doc__)
