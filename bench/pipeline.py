"""The whole chain from files to muscle forces beside OpenSim's tools: once compiled, and the first run of all.

Inverse kinematics, inverse dynamics and force sharing of one trial, Rajagopal's walking person with 80 muscles, files
in and files out on both sides (`_opensim_chain.py` says what is in each). Once compiled, both are charged the processor
time of one thread; the first run is compared by the wall clock, the compilation of kernels on all cores included. The
trial is in SOFTSTRIDE_TEST_DATA or ../shared/data; without it there is nothing to compare, and it says so.

    python bench/pipeline.py [--json] [--quick]      or: softstride bench pipeline [--json] [--quick]
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself and for tests/oracles

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy and OpenSim are loaded

TARGET, COLD_TARGET = 200.0, 1.0  # times OpenSim


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure everything and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: A few frames, and no first run: rough figures, which no target is set for.

    Returns:
        `pipeline_vs_opensim` and `pipeline_cold_vs_opensim`, times in seconds, and the mean difference of activations;
        nothing where there are no recordings.
    """
    say: _script.Say = (lambda _: None) if json else (lambda line: print(line, flush=True))
    from bench import _opensim_chain, _opensim_ik  # need the peer

    folder = _opensim_ik.data_folder()
    if folder is None:
        say(
            "no recordings: set SOFTSTRIDE_TEST_DATA to their folder; the comparison with OpenSim is left out"
        )
        return {}
    outcome = _opensim_chain.compete(folder, quick)
    say(f"{_opensim_chain.NAME}: {outcome.frames} frames, files to muscle forces")
    for tool, seconds in outcome.theirs.items():
        _script.line(say, f"  OpenSim, {tool} [s]", f"{seconds:.2f}")
    _script.line(say, "  ours, once compiled [s]", f"{outcome.ours:.3f}")
    _script.line(say, "  mean difference of activations", f"{outcome.difference:.4f}")
    _script.line(
        say,
        "  ratio, processor time of one thread",
        f"{outcome.ratio:.0f}",
        None if quick else TARGET,
        outcome.ratio,
    )
    figures = {
        "pipeline_vs_opensim": outcome.ratio,
        "pipeline_s": outcome.ours,
        "pipeline_opensim_s": sum(outcome.theirs.values()),
        "pipeline_difference": outcome.difference,
    }
    if not quick:
        _script.line(say, "  OpenSim, wall clock [s]", f"{outcome.wall:.1f}")
        _script.line(say, "  ours, first run with nothing compiled, wall clock [s]", f"{outcome.cold:.1f}")
        _script.line(
            say,
            "  ratio of the first run, wall clock",
            f"{outcome.cold_ratio:.2f}",
            COLD_TARGET,
            outcome.cold_ratio,
        )
        figures |= {"pipeline_cold_vs_opensim": outcome.cold_ratio, "pipeline_cold_s": outcome.cold}
    return figures


if __name__ == "__main__":
    _script.run(main, __doc__)
