"""Inverse dynamics beside OpenSim 4.6: frame by frame, and from files to file.

Both run in one process and one thread each, take turns, and are charged the processor time; the best turn counts
(`_opensim_id.py` says what is in each). The trials are recordings in SOFTSTRIDE_TEST_DATA or ../shared/data; without
them there is nothing to compare, and it says so.

    python bench/id.py [--json] [--quick]      or: softstride bench id [--json] [--quick]
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
    from bench import _opensim_id, _opensim_ik  # need the peer

    folder = _opensim_ik.data_folder()
    if folder is None:
        say(
            "no recordings: set SOFTSTRIDE_TEST_DATA to their folder; the comparison with OpenSim is left out"
        )
        return {}
    figures: dict[str, float] = {}
    for name, trial in _opensim_id.TRIALS.items():
        outcome = _opensim_id.compete(name, folder, quick)
        n = outcome.frames
        ours, theirs = 1e6 * outcome.ours / n, 1e6 * outcome.theirs / n
        filtered = 1e6 * outcome.filtered / outcome.recorded
        say(f"{trial}: {n} frames at {_opensim_id.RATE:g} Hz, with loads, one thread each, processor time")
        _script.line(say, "  frames per second, ours (whole call)", f"{1e6 / ours:.0f}")
        _script.line(say, "  frames per second, OpenSim (solver, muscles excluded)", f"{1e6 / theirs:.0f}")
        _script.line(say, "  ratio", f"{outcome.ratio:.0f}", FRAMES_TARGET, outcome.ratio)
        _script.line(
            say,
            f"  ratio of the trial {_opensim_id.LONG} times over",
            f"{outcome.long_ratio:.0f}",
            FRAMES_TARGET,
            outcome.long_ratio,
        )
        _script.line(
            say,
            f"  ratio with the low pass in ours, {outcome.recorded} frames as recorded",
            f"{outcome.filtered_ratio:.1f}",
        )
        recursion = 1e6 * outcome.recursion / n
        _script.line(say, "  ratio of our recursion alone, without loads", f"{theirs / recursion:.0f}")
        _script.line(say, "  largest difference of forces", f"{100.0 * outcome.difference:.3f} %")
        figures |= {
            f"{name}_vs_opensim": outcome.ratio,
            f"{name}_long_vs_opensim": outcome.long_ratio,
            f"{name}_lowpass_vs_opensim": outcome.filtered_ratio,
            f"{name}_us": ours,
            f"{name}_long_us": 1e6 * outcome.long / (_opensim_id.LONG * n),
            f"{name}_lowpass_us": filtered,
            f"{name}_recursion_us": recursion,
            f"{name}_opensim_us": theirs,
            f"{name}_difference": outcome.difference,
        }
    mine, tool = _opensim_id.compete_with_files("rajagopal", folder, quick)
    say(f"{_opensim_id.TRIALS['rajagopal']}: from files to file, processor time")
    _script.line(say, "  softstride id, in this process", f"{1e3 * mine:.0f} ms")
    _script.line(say, "  OpenSim's InverseDynamicsTool", f"{1e3 * tool:.0f} ms")
    _script.line(say, "  ratio", f"{tool / mine:.1f}", FILES_TARGET, tool / mine)
    return figures | {
        "files_vs_opensim": tool / mine,
        "files_ms": 1e3 * mine,
        "files_opensim_ms": 1e3 * tool,
    }


if __name__ == "__main__":
    _script.run(main, __doc__)
