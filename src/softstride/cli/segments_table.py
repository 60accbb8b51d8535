"""What `softstride segments` says about a study: figures for programs, lines and tables for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from softstride.cli.output import print_lines, print_table
from softstride.cli.segments_tables import cycles_of
from softstride.cli.spelling import shell_words
from softstride.naming import SIDES
from softstride.segments.analysis import four_methods
from softstride.segments.body_size import UNITS, Normalisation, normalise
from softstride.segments.compare import compare_with_file, guessed_units, not_compared
from softstride.segments.cycle_sums import CycleWork, cycle_work
from softstride.segments.cycles import foot_events
from softstride.segments.quality import multiplier_excess
from softstride.segments.study import SegmentStudy

ENDS = 5
"""Frames at each end of a trial whose derivatives are worth little."""


def study_figures(study: SegmentStudy, by: Normalisation, seconds: float) -> dict[str, Any]:
    """Return the key numbers as one flat mapping."""
    figures: dict[str, Any] = {
        "frames": len(study),
        "seconds": seconds,
        "protocol": study.landmarks.protocol,
        "landmarks": len(study.landmarks.points),
        "segments": list(study.segments),
        "joints": list(study.joints),
        "mass_kg": study.person.mass,
        "height_m": study.person.height,
        "leg_m": study.person.leg,
        "method": study.options.method,
        "normalised_by": by,
    }
    cycles = cycles_of(study, by)
    figures |= {f"{side}_cycles": len(cycles[side].starts) if side in cycles else 0 for side in SIDES}
    for name, joint in study.joints.items():
        key = name.replace(" ", "_")
        known = np.isfinite(joint.projection).all(axis=1)
        figures[f"{key}_frames_known"] = int(known.sum())
        for k, word in enumerate(joint.words):
            plain = word.replace(" ", "_")
            figures[f"{key}_{plain}_min_deg"], figures[f"{key}_{plain}_max_deg"] = _range(
                np.degrees(joint.angles[:, k])
            )
            if known.any():
                low, high = _range(normalise(joint.projection[:, k], "moment", by, study.person))
                figures[f"{key}_{plain}_moment_min"], figures[f"{key}_{plain}_moment_max"] = low, high
    for (side, name), done in work_by_joint(study).items():
        key = name.replace(" ", "_") if name.startswith(side) else f"{name.replace(' ', '_')}_{side}_cycle"
        works = [each.work for each in done if each.work is not None]
        figures[f"{key}_work_cycles"] = len(works)
        for word in ("positive", "negative", "net"):
            values = [getattr(each, word) for each in works]
            figures[f"{key}_work_{word}_j"] = float(np.mean(values)) if values else float("nan")
    for name, each in study.deformation.items():
        key = name.replace(" ", "_")
        figures[f"{key}_length_rms_mm"] = 1e3 * each.length_rms
        figures[f"{key}_angles_rms_deg"] = float(np.degrees(each.angle_rms))
    for name, excess in multiplier_excess(study).items():
        figures[f"{name.replace(' ', '_')}_hold_rms_n"] = excess.stretch_rms
    if study.loads is not None:
        figures |= {f"{method}_apart_nm": gap for method, gap in methods_apart(study).items()}
    for channel in compare_with_file(study):
        parts = [*channel.joint.split(), *([channel.plane] if channel.plane else []), channel.quantity]
        figures[f"file_{'_'.join(parts)}_r"] = channel.r
        figures[f"file_{'_'.join(parts)}_rmse"] = channel.rmse
    notes = (*study.notes, *not_compared(study), *guessed_units(study))
    return figures | {"notes": [shell_words(note) for note in notes]}


def work_by_joint(study: SegmentStudy) -> dict[tuple[str, str], list[CycleWork]]:
    """Return the cycles of `cycle_work` by side of the cycle and joint."""
    found: dict[tuple[str, str], list[CycleWork]] = {}
    for each in cycle_work(study):
        found.setdefault((each.side, each.joint), []).append(each)
    return found


def methods_apart(study: SegmentStudy) -> dict[str, float]:
    """Return the largest difference of each method's moments from those in non-orthonormal axes, ends apart [N m].

    NaN where no load is known.
    """
    found = four_methods(study)
    inner = slice(ENDS, -ENDS) if len(study) > 2 * ENDS else slice(None)  # the ends of a spline are free
    base = found["nonorthonormal"].moment[inner]
    return {
        method: _largest(loads.moment[inner] - base)
        for method, loads in found.items()
        if method != "nonorthonormal"
    }


def print_study(study: SegmentStudy, figures: dict[str, Any], by: Normalisation) -> None:
    """Print what was found, how rigid the segments were, how methods and files compare, and what was decided."""
    print_lines(_lines(study, figures), title=f"{study.name}: joints from landmarks")
    unit = UNITS[by]["moment"]
    print_table(
        ("joint", "positive", "angle [deg]", f"moment [{unit}]", "known"),
        _joints(study, by),
        title="\nJoints: range of angles, and of moments projected on the axes of the joint",
        numbers=range(2, 5),
    )
    print_table(
        (
            "segment",
            "length [mm]",
            "alpha",
            "beta",
            "gamma [deg]",
            "stretch [mm]",
            "bend [deg]",
            "hold [N]",
            "mass [kg]",
            "inertia",
        ),
        _segments(study, figures),
        title="\nSegments: mean shape of their axes; how far from rigid (rms), and the force of the multipliers that "
        "would hold their length; inertia and its mark of confidence",
        numbers=range(1, 9),
    )
    done = list(_work(study, by))
    if done:
        print_table(
            ("joint", "cycles of", "known", "generated", "absorbed", "net"),
            done,
            title=f"\nWork of the moments over a gait cycle [{UNITS[by]['work']}]: mean, and standard deviation",
            numbers=range(2, 6),
        )
    channels = compare_with_file(study)
    if channels:
        print_table(
            ("joint", "", "plane", "r", "rmse", "bias", "range", "unit"),
            [
                (
                    c.joint,
                    c.quantity,
                    c.plane,
                    f"{c.r:.3f}",
                    f"{c.rmse:.3f}",
                    f"{c.bias:+.3f}",
                    f"{c.extent:.2f}",
                    c.unit,
                )
                for c in channels
            ],
            title="\nBeside the file's own channels (moments in the axes of the distal segment, as it has them)",
            numbers=range(3, 7),
        )
    notes = [("-", "", note) for note in figures["notes"]]
    print_lines(notes, title="\nNotes: what was decided on the way")


def _lines(study: SegmentStudy, figures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    yield "frames", "", f"{figures['frames']}, {study.time[0]:.2f} to {study.time[-1]:.2f} s"
    known = [
        f"{x:.4g} {word}"
        for x, word in ((study.person.mass, "kg"), (study.person.height, "m"))
        if x is not None
    ]
    leg = "" if study.person.leg is None else f", legs of {study.person.leg:.3f} m"
    yield (
        "person",
        "" if study.person.mass else "yellow",
        (", ".join(known) or "mass and height not known") + leg,
    )
    found = [
        side for side in SIDES if foot_events(study.recording, side, study.options.subject)[1] == "markers"
    ]
    whole = ", ".join(f"{figures[f'{side}_cycles']} {side}" for side in SIDES)
    yield (
        "cycles",
        "",
        whole + (f"; strikes of the {' and '.join(found)} foot found from markers" if found else ""),
    )
    apart = {name: gap for name, gap in figures.items() if name.endswith("_apart_nm") and np.isfinite(gap)}
    if apart:
        told = ", ".join(f"{name.removesuffix('_apart_nm')} {gap:.2g}" for name, gap in apart.items())
        yield "methods", "", f"moments differ from those in non-orthonormal axes by at most {told} N m"
    if "out" in figures:
        yield "written", "", f"{figures['out']}: {', '.join(figures['files'])}"


def _joints(study: SegmentStudy, by: Normalisation) -> Iterator[tuple[str, ...]]:
    for name, joint in study.joints.items():
        known = np.isfinite(joint.projection).all(axis=1)
        moments = normalise(joint.projection, "moment", by, study.person) if known.any() else joint.projection
        for k, word in enumerate(joint.words):
            frames = f"{int(known.sum())} of {len(study)}" if k == 0 else ""
            low, high = _range(np.degrees(joint.angles[:, k]))
            yield name if k == 0 else "", word, f"{low:.1f} to {high:.1f}", _span(moments[:, k]), frames


def _work(study: SegmentStudy, by: Normalisation) -> Iterator[tuple[str, ...]]:
    for (side, name), done in work_by_joint(study).items():
        known = [each.work for each in done if each.work is not None]
        columns = [[getattr(each, word) for each in known] for word in ("positive", "negative", "net")]
        told = []
        for joules in columns:
            values = normalise(joules, "work", by, study.person)
            spread = f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else ""
            told.append(f"{values.mean():.3f}{spread}" if len(values) else "-")
        yield name, f"the {side} foot", f"{len(known)} of {len(done)}", *told


def _segments(study: SegmentStudy, figures: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, each in study.segments.items():
        triad, loose, body = each.triad, study.deformation[name], study.bodies.get(name)
        source = "none" if body is None else body.table or "given"
        mark = f" ({body.confidence})" if body is not None and body.confidence else ""
        yield (
            name,
            f"{1e3 * triad.length:.0f}",
            *(f"{np.degrees(angle):.1f}" for angle in (triad.alpha, triad.beta, triad.gamma)),
            f"{1e3 * loose.length_rms:.1f}",
            f"{np.degrees(loose.angle_rms):.1f}",
            "-" if body is None else f"{figures[name.replace(' ', '_') + '_hold_rms_n']:.1f}",
            "-" if body is None else f"{body.mass:.2f}",
            f"{source}{mark}",
        )


def _largest(x: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    known = np.abs(x[np.isfinite(x)])
    return float(known.max()) if known.size else float("nan")


def _range(x: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[float, float]:
    seen = x[np.isfinite(x)]
    return (float(seen.min()), float(seen.max())) if len(seen) else (float("nan"), float("nan"))


def _span(x: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    low, high = _range(x)
    return f"{low:.2f} to {high:.2f}" if np.isfinite(low) else "-"
