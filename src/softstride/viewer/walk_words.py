"""What the page of the bench says: where the walk is, its events beside those of the step as it is, and how it fell."""

from __future__ import annotations

import html
import math

from softstride.gait.perturbation import Perturbation
from softstride.gait.walk import Walk
from softstride.viewer.walk_bench import Trial

PHASE_WORDS = {
    1: ("double support", "right heel and left toe are on the floor; ends with left toe-off"),
    2: ("heel", "the right heel is on the floor; ends as the right foot is flat"),
    3: ("flat foot", "the right foot is flat on the floor; ends as its heel rises"),
    4: ("toe", "the right toe is on the floor; ends with left heel strike"),
}
"""What each phase of a step that stands on the right leg is called, and what happens in it."""

DIGITS = {"step length [m]": 3, "step time [s]": 3, "speed [m/s]": 2, "largest force [BW]": 2}


def joint_words(joint: str) -> str:
    """Return a joint as it is said, "Left ankle"."""
    return joint.replace("_", " ").capitalize()


def event_words(name: str) -> str:
    """Return an event as it is said, "left toe-off"."""
    side, _, what = name.partition("_")
    return f"{side} {what.replace('_off', '-off').replace('_', ' ')}"


def change_words(change: Perturbation) -> str:
    """Return a change as it is said, "left ankle +20 % in phase 1"."""
    percent = 100.0 * (change.factor - 1.0)
    return f"{joint_words(change.joint).lower()} {percent:+.0f} % in phase {change.phases[0]}"


def place_words(walk: Walk, instant: float) -> str:
    """Return where a walk is at an instant [s]: its phase, or how it ended."""
    if instant > walk.time[-1] + 1e-9 or not len(walk.phases):
        return "the step is over" if walk.completed else "fallen"
    for record in walk.phases:
        if instant <= record.end + 1e-9:
            name = PHASE_WORDS[record.phase][0]
            step = f" of step {record.step}" if len(walk.steps) > 1 else ""
            return f"phase {record.phase}{step}, {name}"
    return "the step is over" if walk.completed else "fallen"


def trial_words(trial: Trial) -> str:
    """Return the verdict on a walk as HTML: what was changed, and whether the step is made; reasons are escaped."""
    changes = [change_words(each) for each in trial.changes]
    told = html.escape("; ".join(changes)) or "nothing is changed: move a slider"
    if trial.walk.completed:
        made = len(trial.walk.steps)
        end = "the step is made" if made == 1 else f"all {made} steps are made"
        colour = "#2b8a3e"
    else:
        end, colour = html.escape(trial.walk.reason), "#e03131"
    quick = f"<span style='opacity:0.7'>({1e3 * trial.seconds:.0f} ms)</span>" if trial.changes else ""
    return f"{told}<br><b style='color:{colour}'>{end}</b> {quick}"


def trial_table(trial: Trial) -> str:
    """Return events and figures of the first step as an HTML table: as it is, changed, difference."""
    rows = [_row(event_words(name), both, "s", 4) for name, both in trial.events.items()]
    for name, both in trial.figures.items():
        words, _, unit = name.partition(" [")
        rows.append(_row(words, both, unit.rstrip("]"), DIGITS.get(name, 1)))
    head = "".join(f"<th style='{_CELL}'>{word}</th>" for word in ("as it is", "changed", "difference"))
    return (
        "<table class='softstride-events' style='width:100%;border-collapse:collapse;font-size:0.95em'>"
        f"<tr><th></th>{head}<th></th></tr>{''.join(rows)}</table>"
    )


_CELL = "text-align:right;padding:0 0.3em;font-variant-numeric:tabular-nums;font-weight:normal"


def _row(words: str, both: tuple[float, float], unit: str, digits: int) -> str:
    before, now = both
    change = now - before
    moved = math.isfinite(change) and abs(change) > 0.5 * 10.0**-digits
    lost = math.isfinite(before) and not math.isfinite(now)
    told = (
        f"{change:+.{digits}f}" if moved else "not reached" if lost else "" if math.isfinite(change) else "-"
    )
    strong = ";font-weight:bold" if moved or lost else ";opacity:0.7"
    cells = "".join(
        f"<td style='{_CELL}'>{f'{value:.{digits}f}' if math.isfinite(value) else '-'}</td>" for value in both
    )
    return (
        f"<tr><td>{words}</td>{cells}<td style='{_CELL}{strong}'>{told}</td>"
        f"<td style='opacity:0.7'>{unit}</td></tr>"
    )
