"""Joint reactions beside OpenSim 4.6's JointReaction analysis: frame by frame, and from files to file.

Both run in one process and one thread each, take turns, and are charged the processor time; the best turn counts
(`_opensim_jr.py` says what is in each). The trials are recordings in SOFTSTRIDE_TEST_DATA or ../shared/data; without
them there is nothing to compare, and it says so.

    python bench/reactions.py [--json] [--quick]      or: softstride bench reactions [--json] [--quick]
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself and for tests/oracles

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy and OpenSim are loaded

FRAMES_TARGET = 100.0  # times OpenSim's frames per second
FILES_TARGET = 1.0
FILES = "gait2354"  # the other trial keeps OpenSim's tool busy for a minute, assembling frames


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure everything and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: Short trials and few turns: rough figures.

    Returns:
        Ratios `*_vs_opensim`, times of a frame `*_us` and of a run from files to file `files_*_ms`; nothing where
        there are no recordings.
    """
    say: _script.Say = (lambda _: None) if json else (lambda line: print(line, flush=True))
    from bench import _opensim_ik, _opensim_jr  # need the peer

    folder = _opensim_ik.data_folder()
    if folder is None:
        say(
            "no recordings: set SOFTSTRIDE_TEST_DATA to their folder; the comparison with OpenSim is left out"
        )
        return {}
    figures: dict[str, float] = {}
    target = None if quick else FRAMES_TARGET
    if quick:
        say(
            "quick: so few frames measure what a call costs, and one turn how busy the machine is; nothing is judged"
        )
    for name, trial in _opensim_jr.TRIALS.items():
        outcome = _opensim_jr.compete(name, folder, quick)
        n = outcome.frames
        ours, theirs = 1e6 * outcome.ours / n, 1e6 * outcome.theirs / n
        say(
            f"{trial}: {n} frames at {_opensim_jr.RATE:g} Hz, all joints, all muscles, one thread each, processor time"
        )
        _script.line(say, "  frames per second, ours (whole call)", f"{1e6 / ours:.0f}")
        _script.line(say, "  frames per second, OpenSim (step of the analysis)", f"{1e6 / theirs:.0f}")
        _script.line(say, "  ratio", f"{outcome.ratio:.0f}", target, outcome.ratio)
        _script.line(
            say,
            "  ratio of the trial 20 times over",
            f"{outcome.long_ratio:.0f}",
            target,
            outcome.long_ratio,
        )
        _script.line(say, "  microseconds a frame, ours without muscles", f"{1e6 * outcome.net / n:.2f}")
        _script.line(say, "  largest difference of forces", f"{100.0 * outcome.difference:.3f} %")
        figures |= {
            f"{name}_vs_opensim": outcome.ratio,
            f"{name}_long_vs_opensim": outcome.long_ratio,
            f"{name}_us": ours,
            f"{name}_net_us": 1e6 * outcome.net / n,
            f"{name}_opensim_us": theirs,
            f"{name}_difference": outcome.difference,
        }
    mine, tool = _opensim_jr.compete_with_files(FILES, folder, quick)
    say(f"{_opensim_jr.TRIALS[FILES]}: from files to file, processor time")
    _script.line(say, "  softstride reactions, in this process", f"{1e3 * mine:.0f} ms")
    _script.line(say, "  OpenSim's AnalyzeTool", f"{1e3 * tool:.0f} ms")
    _script.line(say, "  ratio", f"{tool / mine:.1f}", None if quick else FILES_TARGET, tool / mine)
    return figures | {
        "files_vs_opensim": tool / mine,
        "files_ms": 1e3 * mine,
        "files_opensim_ms": 1e3 * tool,
    }


if __name__ == "__main__":
    _script.run(main, __doc__)
