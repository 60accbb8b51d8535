"""What `softstride id` says about loads: figures for programs, lines and tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.cli.output import print_lines, print_table
from softstride.cli.peaks import instant, peak_of, shown
from softstride.cli.spelling import shell_words
from softstride.dynamics.loads import force_units
from softstride.kinematics.frames import spans

if TYPE_CHECKING:
    from softstride.dynamics.loads import Loads
    from softstride.notes import Said


def id_figures(loads: Loads, seconds: float, notes: Iterable[Said] = ()) -> dict[str, Any]:
    """Return the key numbers as one flat mapping, in [N], [N m] and seconds."""
    n, known = len(loads), int(np.count_nonzero(loads.known))
    weight = loads.model.mass * float(np.linalg.norm(loads.model.gravity))
    figures: dict[str, Any] = {
        "frames": n,
        "frames_known": known,
        "frames_without_loads": n - known,
        "frames_doubtful": int(np.count_nonzero(loads.doubtful)),
        "seconds": seconds,
        "frames_per_second": n / max(seconds, 1e-9),
        "body_weight_n": weight,
        "base": loads.base,
        "residual_force_rms_n": loads.residual_force_rms,
        "residual_force_peak_n": loads.residual_force_peak,
        "residual_force_rms_bw": loads.residual_force_rms / weight,
        "residual_moment_rms_nm": loads.residual_moment_rms,
        "residual_moment_peak_nm": loads.residual_moment_peak,
        "forces": list(loads.wrenches),
        "links": [wrench.link for wrench in loads.wrenches.values()],
        "force_peaks_n": [peak_of(np.linalg.norm(w.force, axis=1))[0] for w in loads.wrenches.values()],
        "sockets": list(loads.socket),
        "socket_force_peaks_n": [peak_of(np.linalg.norm(w.force, axis=1))[0] for w in loads.socket.values()],
    }
    return figures | {"notes": [shell_words(note) for note in notes]}


def print_id(loads: Loads, figures: dict[str, Any]) -> None:
    """Print what acted, what is left over, the loads of each coordinate, and what was decided on the way."""
    print_lines(_lines(loads, figures), title=f"{loads.model.name}: inverse dynamics")
    if loads.wrenches:
        print_table(
            ("force", "on", "peak [N]", "[BW]", "at [s]", "acts in"),
            _forces(loads, figures["body_weight_n"]),
            title="\nForces from outside",
            numbers=range(2, 6),
        )
    print_table(
        ("coordinate", "unit", "rms", "peak", "at [s]"),
        _coordinates(loads),
        title="\nLoads",
        numbers=range(2, 5),
    )
    if figures["notes"]:
        notes = [("-", "", note) for note in figures["notes"]]
        print_lines(notes, title="\nNotes: what was decided on the way")


def doubts(loads: Loads) -> str:
    """Return where the residual is too large to believe, "" if nowhere."""
    bad = np.flatnonzero(loads.doubtful)
    if not len(bad):
        return ""
    share = f"{len(bad)} of {len(loads)} frames"
    return f"{share} have a residual that is too large to believe: {spans(bad, loads.time)}"


def _lines(loads: Loads, figures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    n, time = figures["frames"], loads.time
    yield "frames", "", f"{n}, {time[0]:.3f} to {time[-1]:.3f} s"
    speed = f"{figures['frames_per_second']:.0f} frames per second"
    yield "solved in", "", f"{1e3 * figures['seconds']:.1f} ms, {speed}"
    if figures["frames_without_loads"]:
        yield (
            "not known",
            "yellow",
            f"{figures['frames_without_loads']} of {n} frames, in which a force was not measured: nan",
        )
    if loads.base is None:
        yield "residual", "", "none: the model has no floating base"
    else:
        share = f"{100 * figures['residual_force_rms_bw']:.1f} % of body weight"
        yield (
            "residual",
            "",
            f"on {loads.base}: {figures['residual_force_rms_n']:.1f} N rms ({share}), "
            f"{figures['residual_force_peak_n']:.1f} N at most; "
            f"{figures['residual_moment_rms_nm']:.1f} N m rms, {figures['residual_moment_peak_nm']:.1f} N m at most",
        )
        bad = figures["frames_doubtful"]
        yield "doubtful", "bold red" if bad else "", f"{bad} of {n} frames" if bad else "no frame"
    for name, wrench in loads.socket.items():
        force, at = peak_of(np.linalg.norm(wrench.force, axis=1))
        moment, when = peak_of(np.linalg.norm(wrench.moment, axis=1))
        yield (
            "socket",
            "",
            f"{name} on {wrench.link}: {shown(force)} N at {instant(loads.time, at)} s, {shown(moment)} N m at "
            f"{instant(loads.time, when)} s at most",
        )
    if "out" in figures:
        yield "loads", "", figures["out"]


def _forces(loads: Loads, weight: float) -> Iterator[tuple[str, ...]]:
    for name, wrench in loads.wrenches.items():
        peak, at = peak_of(np.linalg.norm(wrench.force, axis=1))
        share = f"{int(np.count_nonzero(wrench.acts))} frames"
        yield name, wrench.link, shown(peak), f"{peak / weight:.2f}", instant(loads.time, at), share


def _coordinates(loads: Loads) -> Iterator[tuple[str, ...]]:
    units = force_units(loads)
    for i, name in enumerate(loads.model.coordinate_names):
        column = loads.tau[:, i]
        size, at = peak_of(np.abs(column))
        seen = column[np.isfinite(column)]
        rms = float(np.sqrt(np.mean(seen * seen))) if len(seen) else float("nan")
        peak = float(column[at]) if at is not None else size
        yield name, units[i], shown(rms), shown(peak), instant(loads.time, at)
