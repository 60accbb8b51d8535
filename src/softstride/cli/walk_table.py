"""What `softstride walk` prints about a walk: events, step, energy, and what fell; the same as figures for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import typer

from softstride.cli.output import print_lines, print_table
from softstride.cli.spelling import shell_words
from softstride.cli.walk_study import WalkStudy
from softstride.gait.body import JOINTS
from softstride.gait.records import transition_names
from softstride.gait.walk import Walk

EVENTS = transition_names("right")

ROWS = (  # figure, words, unit, digits
    ("step_time_s", "step time", "s", 4),
    ("step_length_m", "step length", "m", 3),
    ("speed_m_s", "speed", "m/s", 2),
    ("peak_vertical_force_bw", "largest upward force on a foot", "body weights", 2),
    ("muscle_work_J", "net work of the joint moments", "J", 1),
    ("foot_flat_loss_J", "lost as the sole meets the floor", "J", 2),
    ("heel_strike_loss_J", "lost as the heel strikes", "J", 2),
    ("energy_error_J", "error of the energy balance", "J", -1),
)


def walk_figures(study: WalkStudy) -> dict[str, Any]:
    """Return the figures of a study; those of the walk without changes begin with "baseline_"."""
    figures: dict[str, Any] = {
        "model": "seven-segment",
        "recipe": study.recipe.name,
        "perturb": list(study.perturb),
        "changes": list(study.changes),
        "feedback": study.feedback,
        **_one(study.walk),
        "notes": [shell_words(note) for note in study.walk.notes],
        "seconds": study.seconds,
    }
    if study.baseline is not None:
        figures |= {f"baseline_{name}": value for name, value in _one(study.baseline).items()}
    return figures


def _one(walk: Walk) -> dict[str, Any]:
    """Return the figures of one walk; events, times and losses are those of its first step."""
    first = walk.steps[0]
    weight = walk.body.mass * walk.body.gravity
    made = [step for step in walk.steps if step.completed]
    return {
        "completed": walk.completed,
        "reason": walk.reason,
        "steps": len(made),
        "duration_s": float(walk.time[-1]),
        "events": {name: first.events.get(name, math.nan) for name in EVENTS},
        "step_time_s": first.duration,
        "step_length_m": first.length,
        "speed_m_s": first.speed,
        "step_times_s": [step.duration for step in made],
        "step_lengths_m": [step.length for step in made],
        "foot_flat_loss_J": first.foot_flat_loss,
        "heel_strike_loss_J": first.heel_strike_loss,
        "peak_vertical_force_bw": float(walk.ground_force[..., 1].max()) / weight,
        "muscle_work_J": float(np.sum(walk.work[-1])),
        **{f"work_{name}_J": float(work) for name, work in zip(JOINTS, walk.work[-1], strict=True)},
        "energy_error_J": walk.certificate.energy_error,
        "hip_gap_mm": 1e3 * walk.certificate.hip_gap,
        "toe_clearance_mm": 1e3 * walk.certificate.toe_clearance,
    }


def print_walk(study: WalkStudy, figures: Mapping[str, Any], measured: str = "") -> None:
    """Print the tables of a study, then what went wrong, then what to know."""
    _print_events(study, figures)
    typer.echo()
    _print_step(study, figures)
    typer.echo()
    if len(study.walk.steps) > 1:
        _print_steps(study.walk)
    else:
        _print_phases(study)
    if measured:
        typer.echo()
        _print_measured(study, figures, measured)
    remarks = _remarks(study, figures)
    if remarks:
        typer.echo()
        print_lines(remarks)


def title(study: WalkStudy) -> str:
    """Return what was simulated, in a line."""
    made = "one step" if study.asked == 1 else f"{study.asked} steps"
    held = ", held about its nominal" if study.feedback else ""
    return f"Seven segments, recipe {study.recipe.name or 'without a name'}, {made}{held}"


def _print_events(study: WalkStudy, figures: Mapping[str, Any]) -> None:
    step_time = figures["step_time_s"]
    if study.baseline is None:
        rows = [
            (_words(name), _told(at, 4), _told(100.0 * at / step_time, 1))
            for name, at in figures["events"].items()
        ]
        print_table(("event", "time [s]", "% of step"), rows, title=title(study), numbers=(1, 2))
        return
    before = figures["baseline_events"]
    compared = [
        (_words(name), _told(before[name], 4), _told(at, 4), _change(before[name], at, 4))
        for name, at in figures["events"].items()
    ]
    columns = ("event", "as it is [s]", "changed [s]", "difference")
    print_lines([("changed", "bold", "; ".join(study.changes))], title=title(study))
    print_table(columns, compared, numbers=(1, 2, 3))


def _print_step(study: WalkStudy, figures: Mapping[str, Any]) -> None:
    if study.baseline is None:
        rows = [(words, _told(figures[name], digits), unit) for name, words, unit, digits in ROWS]
        print_table(("step", "value", "unit"), rows, numbers=(1,))
        return
    compared = []
    for name, words, unit, digits in ROWS:
        before, now = figures[f"baseline_{name}"], figures[name]
        change = "" if digits < 0 else _change(before, now, digits)
        compared.append((words, _told(before, digits), _told(now, digits), change, unit))
    print_table(("step", "as it is", "changed", "difference", "unit"), compared, numbers=(1, 2, 3))


def _print_steps(walk: Walk) -> None:
    """Print one row a step."""
    rows = []
    for step in walk.steps:
        own = [each for each in walk.phases if each.step == step.number]
        work = sum(float(np.sum(each.work)) for each in own)
        lost = np.nansum([step.foot_flat_loss, step.heel_strike_loss])
        numbers = (step.start, step.duration, step.length, step.speed, work, float(lost))
        told = [_told(x, digits) for x, digits in zip(numbers, (3, 4, 3, 2, 1, 2), strict=True)]
        rows.append((str(step.number), step.stance, *told))
    columns = (
        "step",
        "stands on",
        "from [s]",
        "lasts [s]",
        "length [m]",
        "speed [m/s]",
        "work [J]",
        "lost [J]",
    )
    print_table(columns, rows, numbers=(0, 2, 3, 4, 5, 6, 7))


def _print_phases(study: WalkStudy) -> None:
    """Print the balance of energy of each phase."""
    rows = []
    lost = [each.energy_lost for each in study.walk.transitions] + [
        math.nan
    ]  # the last phase may not have ended
    for each, ends in zip(study.walk.phases, lost, strict=False):
        numbers = (each.start, each.end, each.energy_end - each.energy_start, float(np.sum(each.work)))
        told = [_told(x, digits) for x, digits in zip(numbers, (4, 4, 1, 1), strict=True)]
        rows.append((str(each.phase), *told, _told(each.passive, 1), _told(each.damper, 2), _told(ends, 2)))
    columns = (
        "phase",
        "from [s]",
        "to [s]",
        "energy [J]",
        "moments [J]",
        "passive [J]",
        "damper [J]",
        "lost at its end [J]",
    )
    print_table(columns, rows, numbers=range(1, 8))


def _print_measured(study: WalkStudy, figures: Mapping[str, Any], measured: str) -> None:
    """Print how far angles are from a table, root mean squares over whole steps."""
    rows = []
    for name in (*(f"{joint}_rms_deg" for joint in JOINTS), "vertical_force_rrmse_percent"):
        keys = (name,) if study.baseline is None else (f"baseline_{name}", name)
        values = [figures.get(key, math.nan) for key in keys]
        if any(key in figures for key in keys):
            angle = name.endswith("_deg")
            words = _words(name.removesuffix("_rms_deg")) if angle else "upward force, over its range"
            rows.append((words, *(_told(x, 1) for x in values), "degrees" if angle else "%"))
    if rows:
        both = ("difference",) if study.baseline is None else ("as it is", "changed")
        print_table((f"rms against {measured}", *both, "unit"), rows, numbers=range(1, len(both) + 1))


def _remarks(study: WalkStudy, figures: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return how it ended, and notes."""
    lines = []
    if study.baseline is not None and not study.baseline.completed:
        lines.append(("ended", "bold", f"as it is: {study.baseline.reason}"))
    if not study.walk.completed:
        lines.append(("ended", "bold red", study.walk.reason))
    return lines + [("note", "bold", note) for note in figures["notes"]]


def _words(name: str) -> str:
    side, _, what = name.partition("_")
    return f"{side} {what.replace('toe_off', 'toe-off').replace('heel_off', 'heel-off').replace('_', ' ')}"


def _told(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return "-"
    return f"{value:.1e}" if digits < 0 else f"{round(value, digits) + 0.0:.{digits}f}"


def _change(before: float, now: float, digits: int) -> str:
    change = now - before
    return f"{round(change, digits) + 0.0:+.{digits}f}" if math.isfinite(change) else "-"
