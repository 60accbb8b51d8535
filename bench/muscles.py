"""Muscle forces beside OpenSim 4.6's StaticOptimization, frame by frame, lengths and moment arms included.

Both run in one process and one thread each and are charged the processor time (`_opensim_so.py` says what is in each).
The trials are recordings in SOFTSTRIDE_TEST_DATA or ../shared/data; without them there is nothing to compare, and it
says so.

    python bench/muscles.py [--json] [--quick]      or: softstride bench muscles [--json] [--quick]
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself and for tests/oracles

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy and OpenSim are loaded

TARGET = 300.0  # times OpenSim's frames per second


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure everything and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: Few frames and turns: rough figures.

    Returns:
        Ratios `*_vs_opensim`, times of a frame `*_us`, `*_long_us` of a long trial and `*_opensim_us`, the `*_growth`
        of the cost of a frame with the length of the trial, and the mean difference of activations; nothing where
        there are no recordings.
    """
    say: _script.Say = (lambda _: None) if json else (lambda line: print(line, flush=True))
    from bench import _opensim_ik, _opensim_so  # need the peer

    folder = _opensim_ik.data_folder()
    if folder is None:
        say(
            "no recordings: set SOFTSTRIDE_TEST_DATA to their folder; the comparison with OpenSim is left out"
        )
        return {}
    figures: dict[str, float] = {}
    for name, trial in _opensim_so.TRIALS.items():
        outcome = _opensim_so.compete(name, folder, quick)
        long, growth = outcome.long[max(outcome.long)], outcome.long[max(outcome.long)] / outcome.ours
        say(f"{trial}: {outcome.frames} frames, one thread each, processor time")
        _script.line(
            say, "  frames per second, ours (whole call, low pass included)", f"{1.0 / outcome.ours:.0f}"
        )
        _script.line(
            say, f"  frames per second, OpenSim ({outcome.solved} frames)", f"{1.0 / outcome.theirs:.1f}"
        )
        _script.line(say, "  ratio", f"{outcome.ratio:.0f}", TARGET, outcome.ratio)
        _script.line(
            say, "  of which lengths and moment arms [us a frame]", f"{1e6 * outcome.parts['paths']:.0f}"
        )
        _script.line(
            say, "  inverse dynamics beside it [us a frame]", f"{1e6 * outcome.parts['dynamics']:.1f}"
        )
        for times, cost in outcome.long.items():
            _script.line(say, f"  us a frame, the trial {times} times over", f"{1e6 * cost:.0f}")
        _script.line(say, "  mean difference of activations", f"{outcome.difference:.5f}")
        figures |= {
            f"{name}_vs_opensim": outcome.ratio,
            f"{name}_us": 1e6 * outcome.ours,
            f"{name}_paths_us": 1e6 * outcome.parts["paths"],
            f"{name}_long_us": 1e6 * long,
            f"{name}_growth": growth,
            f"{name}_opensim_us": 1e6 * outcome.theirs,
            f"{name}_difference": outcome.difference,
        }
    return figures


if __name__ == "__main__":
    _script.run(main, __doc__)
