"""What `softstride ik` says about a motion: figures for programs, lines for people, tables for files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.capture.text import StorageFile, format_storage
from softstride.cli.output import print_lines, print_table
from softstride.cli.spelling import shell_words
from softstride.errors import InputError
from softstride.kinematics.frames import spans
from softstride.kinematics.motion_files import file_names
from softstride.kinematics.motion_table import describe_columns

if TYPE_CHECKING:
    from softstride.kinematics.motion import MarkerFit, Motion
    from softstride.notes import Said

MOST_MARKERS = 10


def fit_of(motion: Motion) -> MarkerFit:
    """Return how well a motion meets its markers.

    Raises:
        InputError: It came from no markers.
    """
    if motion.fit is None:
        raise InputError("the motion did not come from markers, so it has no marker errors")
    return motion.fit


def ik_figures(motion: Motion, seconds: float, notes: Iterable[Said] = ()) -> dict[str, Any]:
    """Return the key numbers as one flat mapping; lengths in [mm], the objective in [m²]."""
    fit = fit_of(motion)
    n = len(motion.time)
    seen = bool(np.isfinite(fit.error).any())
    frame, marker = np.unravel_index(int(np.nanargmax(fit.error)), fit.error.shape) if seen else (0, 0)
    good = int(np.count_nonzero(fit.converged))
    return {
        "frames": n,
        "seconds": seconds,
        "frames_per_second": n / max(seconds, 1e-9),
        "marker_rms_mm": 1e3 * motion.marker_rms,
        "marker_max_mm": 1e3 * float(fit.error[frame, marker]) if seen else np.nan,
        "worst_marker": fit.names[marker] if seen else None,
        "worst_frame": int(frame) if seen else None,
        "worst_time_s": float(motion.time[frame]) if seen else None,
        "markers": len(fit.names),
        "objective_mean": float(np.nanmean(fit.objective)) if np.isfinite(fit.objective).any() else np.nan,
        "converged": int(good == n),
        "frames_converged": good,
        "frames_not_converged": n - good,
        "iterations_mean": float(np.mean(fit.iterations)),
        "undetermined": list(fit.undetermined),
        "swaps": [str(swap) for swap in fit.swaps],
        "notes": [shell_words(note) for note in notes],
    }


def print_ik(motion: Motion, figures: dict[str, Any]) -> None:
    """Print how well a motion meets its markers, the worst markers, and what was decided on the way."""
    fit = fit_of(motion)
    print_lines(_lines(motion, figures), title=f"{motion.model.name}: inverse kinematics")
    rows = list(_worst_markers(motion))
    more = len(fit.names) - len(rows)
    print_table(
        ("marker", "weight", "seen", "rms [mm]", "max [mm]", "at [s]"),
        rows,
        title=f"\nMarkers{f', the worst {len(rows)} of {len(fit.names)}' if more > 0 else ''}",
        numbers=range(1, 6),
    )
    if figures["notes"]:
        print_lines(
            [("-", "", note) for note in figures["notes"]], title="\nNotes: what was decided on the way"
        )


def unsolved(motion: Motion) -> str:
    """Return where frames did not converge, "" if all did."""
    bad = np.flatnonzero(~np.asarray(fit_of(motion).converged, dtype=bool))
    if not len(bad):
        return ""
    return f"{len(bad)} of {len(motion.time)} frames did not converge: {spans(bad, motion.time)}"


def error_table(motion: Motion, path: object) -> bytes:
    """Return distances of the markers [m] as a .sto file: OpenSim's three columns, then one for each marker."""
    fit = fit_of(motion)
    square = fit.error**2
    seen = np.isfinite(square)
    total = np.where(seen, square, 0.0).sum(axis=1)
    rms = np.sqrt(total / np.maximum(seen.sum(axis=1), 1))
    largest = np.sqrt(np.max(np.where(seen, square, 0.0), axis=1, initial=0.0))
    return format_storage(
        StorageFile(
            name="Model Marker Errors from IK",
            columns=("total_squared_error", "marker_error_RMS", "marker_error_max", *fit.names),
            time=motion.time,
            values=np.column_stack([total, rms, largest, fit.error]),
            in_degrees=False,
        ),
        path=path,
    )


def std_table(motion: Motion, path: object) -> bytes:
    """Return the standard deviation of each coordinate as a .sto file, angles in degrees as in the motion file."""
    columns = describe_columns(motion.model)
    scale = np.where([column.rotational for column in columns], 180.0 / np.pi, 1.0)
    return format_storage(
        StorageFile(
            name="Standard deviation of coordinates",
            columns=file_names(columns),
            time=motion.time,
            values=np.asarray(motion.std) * scale,
            in_degrees=True,
        ),
        path=path,
    )


def _lines(motion: Motion, figures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    time, n = motion.time, figures["frames"]
    yield "frames", "", f"{n}, {time[0]:.3f} to {time[-1]:.3f} s"
    yield "solved in", "", f"{figures['seconds']:.2f} s, {figures['frames_per_second']:.0f} frames per second"
    yield "marker rms", "", f"{figures['marker_rms_mm']:.2f} mm over {figures['markers']} markers"
    if figures["worst_marker"] is not None:
        place = f"frame {figures['worst_frame']} ({figures['worst_time_s']:.3f} s)"
        yield "worst", "", f"{figures['marker_max_mm']:.2f} mm, {figures['worst_marker']} in {place}"
    bad = figures["frames_not_converged"]
    yield (
        "converged",
        "bold red" if bad else "",
        f"NOT in {bad} of {n} frames" if bad else f"all frames, {figures['iterations_mean']:.1f} steps each",
    )
    if figures["undetermined"]:
        yield (
            "undetermined",
            "yellow",
            f"{len(figures['undetermined'])} coordinates, by the markers (see the notes)",
        )
    for swap in figures["swaps"]:
        yield "swap", "yellow", swap
    if "out" in figures:
        yield "motion", "", figures["out"]


def _worst_markers(motion: Motion) -> Iterator[tuple[str, ...]]:
    fit = fit_of(motion)
    rms = np.array(list(fit.marker_rms.values()))
    for j in np.argsort(np.where(np.isfinite(rms), -rms, np.inf), kind="stable")[:MOST_MARKERS]:
        seen = np.isfinite(fit.error[:, j])
        share = f"{100.0 * np.mean(seen):.0f} %"
        if not seen.any():
            yield fit.names[j], f"{fit.weights[j]:g}", share, "-", "-", "-"
            continue
        at = int(np.nanargmax(fit.error[:, j]))
        yield (
            fit.names[j],
            f"{fit.weights[j]:g}",
            share,
            f"{1e3 * rms[j]:.2f}",
            f"{1e3 * fit.error[at, j]:.2f}",
            f"{motion.time[at]:.3f}",
        )
