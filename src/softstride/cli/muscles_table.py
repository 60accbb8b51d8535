"""What `softstride muscles` says: figures for programs, lines and tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.cli.output import print_lines, print_table
from softstride.cli.spelling import shell_words
from softstride.kinematics.frames import spans
from softstride.muscles.sharing.forces import moment_units
from softstride.muscles.sharing.notes import LEAST

if TYPE_CHECKING:
    from softstride.muscles.sharing.forces import MuscleForces
    from softstride.notes import Said


def muscle_figures(forces: MuscleForces, seconds: float, notes: Iterable[Said] = ()) -> dict[str, Any]:
    """Return the key numbers as one flat mapping, in [N], [N m] and seconds."""
    n, known = len(forces), forces.known
    count = int(np.count_nonzero(known))
    peaks = _largest(np.abs(forces.demand))
    reserves, left = _largest(np.abs(forces.reserve)), _largest(np.abs(forces.moment_residual))
    figures: dict[str, Any] = {
        "frames": n,
        "frames_known": count,
        "frames_without_loads": n - count,
        "frames_converged": int(np.count_nonzero(forces.converged)),
        "seconds": seconds,
        "frames_per_second": n / max(seconds, 1e-9),
        "kkt": float(forces.kkt[known].max(initial=0.0)),
        "muscles": list(forces.names),
        "force_peaks_n": _largest(forces.force).tolist(),
        "activation_peaks": _largest(forces.activation).tolist(),
        "coordinates": list(forces.coordinates),
        "demand_peaks": peaks.tolist(),
        "reserve_peaks": reserves.tolist(),
        "moment_residual_peaks": left.tolist(),
        "moment_residual_percent": (100.0 * float((left / np.maximum(peaks, 1e-12)).max(initial=0.0))),
        "muscle_residual_peaks": _largest(np.abs(forces.muscle_residual)).tolist(),
        "actuators": list(forces.actuators),
        "actuator_peaks": _largest(np.abs(forces.actuator_force)).tolist(),
    }
    return figures | {"notes": [shell_words(note) for note in notes]}


def print_muscles(forces: MuscleForces, figures: dict[str, Any]) -> None:
    """Print how it went, forces of muscles, reserves of coordinates, and what was decided on the way."""
    print_lines(_lines(forces, figures), title=f"{forces.model.name}: muscle forces")
    print_table(
        ("muscle", "peak [N]", "at [s]", "mean [N]", "activation", "at [s]"),
        _muscles(forces),
        title="\nMuscles",
        numbers=range(1, 6),
    )
    print_table(
        ("coordinate", "unit", "demand", "reserve", "at [s]", "of peak"),
        _coordinates(forces),
        title="\nMoments: largest demand, and the most that muscles and actuators of the model leave to reserves",
        numbers=range(2, 6),
    )
    if figures["notes"]:
        notes = [("-", "", note) for note in figures["notes"]]
        print_lines(notes, title="\nNotes: what was decided on the way")


def muscle_problem(forces: MuscleForces) -> str:
    """Return what is wrong with the result as a whole, "" if nothing."""
    bad = np.flatnonzero(forces.known & ~forces.converged)
    if len(bad):
        worst = int(
            np.nanargmax(np.where(forces.converged[:, None], 0.0, np.abs(forces.missing)).max(axis=0))
        )
        return (
            f"{len(bad)} of {len(forces)} frames are not solved: {spans(bad, forces.time)}; most is missing at "
            f"{forces.coordinates[worst]}"
        )
    return ""


def _lines(forces: MuscleForces, figures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    n, time = figures["frames"], forces.time
    speed = f"{figures['frames_per_second']:.0f} frames per second"
    yield "frames", "", f"{n}, {time[0]:.3f} to {time[-1]:.3f} s"
    yield (
        "solved in",
        "",
        f"{1e3 * figures['seconds']:.1f} ms with inverse dynamics, {speed}",
    )
    if figures["frames_without_loads"]:
        yield (
            "not known",
            "yellow",
            f"{figures['frames_without_loads']} of {n} frames, in which loads are not known: nan",
        )
    bad = figures["frames_known"] - figures["frames_converged"]
    yield (
        "optimal",
        "bold red" if bad else "",
        f"{figures['frames_converged']} of {figures['frames_known']} frames, conditions met to {figures['kkt']:.1e}",
    )
    yield "moments", "", _left_over(forces, figures)
    yield "forces", "", figures["force_out"]
    yield "activations", "", figures["activation_out"]


def _left_over(forces: MuscleForces, figures: dict[str, Any]) -> str:
    """Say where muscles and actuators leave most of a moment to reserves, over its peak or 1 N·m if that is more."""
    left, peaks = (np.array(figures[f"{name}_peaks"]) for name in ("moment_residual", "demand"))
    if not np.isfinite(left).any():
        return "none is known"
    j = int(np.nan_to_num(left / np.maximum(peaks, LEAST)).argmax())
    most = f"{left[j]:.2g} of {peaks[j]:.3g} {moment_units(forces)[j]}"
    return f"muscles leave most to a reserve at {forces.coordinates[j]}: {most}"


def _muscles(forces: MuscleForces) -> Iterator[tuple[str, ...]]:
    for i, name in enumerate(forces.names):
        force, activation = forces.force[:, i], forces.activation[:, i]
        if not np.isfinite(force).any():
            yield name, "-", "-", "-", "-", "-"
            continue
        at, when = int(np.nanargmax(force)), int(np.nanargmax(activation))
        yield (
            name,
            f"{force[at]:.1f}",
            f"{forces.time[at]:.3f}",
            f"{np.nanmean(force):.1f}",
            f"{activation[when]:.3f}",
            f"{forces.time[when]:.3f}",
        )


def _coordinates(forces: MuscleForces) -> Iterator[tuple[str, ...]]:
    for j, (name, unit) in enumerate(zip(forces.coordinates, moment_units(forces), strict=True)):
        demand, left = np.abs(forces.demand[:, j]), np.abs(forces.moment_residual[:, j])
        if not np.isfinite(left).any():
            yield name, unit, "-", "-", "-", "-"
            continue
        at, peak = int(np.nanargmax(left)), float(np.nanmax(demand))
        share = f"{100.0 * left[at] / peak:.2g} %" if peak > 0.0 else "-"
        yield name, unit, f"{peak:.2f}", f"{left[at]:.2g}", f"{forces.time[at]:.3f}", share


def _largest(x: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the largest of each column, NaN where there is none."""
    known = np.isfinite(x)
    return np.where(known.any(axis=0), np.where(known, x, -np.inf).max(axis=0, initial=-np.inf), np.nan)
