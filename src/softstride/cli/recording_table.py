"""What `softstride info` says about a recording: figures for programs, lines for people."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from softstride.capture.force import ExternalForce
from softstride.capture.plates.doubts import FeetDoubt
from softstride.capture.quality import Finding, Quality
from softstride.capture.quality.bodily import bodily_labels
from softstride.capture.quality.body_weight import GRAVITY
from softstride.capture.quality.spans import find_spans
from softstride.capture.recording import Recording
from softstride.cli.output import print_lines, print_table
from softstride.cli.spelling import shell_words
from softstride.notes import Note

STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
MOST_LINES = 5  # of one topic and severity; --json has them all
FLICKER = 0.05  # s; shorter than any step and any swing
MOST_NAMES = 12  # in one line


def recording_figures(recording: Recording, quality: Quality) -> dict[str, Any]:
    """Return what a recording holds as one flat mapping; the unit is the end of the name."""
    markers, subject = recording.markers, recording.subject
    return {
        "name": recording.name,
        "files": recording.files,
        "markers": len(markers.labels),
        "other_points": len(markers.labels) - len(bodily_labels(markers.labels)),
        "frames": len(markers),
        "rate_hz": recording.rate,
        "duration_s": recording.duration,
        "analog_channels": len(recording.analog.labels),
        "analog_rate_hz": recording.analog.rate,
        "emg_channels": len(recording.emg.labels),
        "table_columns": len(recording.table.labels),
        "plates": len(recording.plates),
        "forces": len(recording.forces),
        "peak_vertical_N": [_peak(force) for force in recording.forces],
        "sides": [force.side for force in recording.forces],
        "contacts": [len(_contacts(force)) for force in recording.forces],
        "events": len(recording.events),
        "subject_name": subject.name,
        "subject_mass_kg": subject.mass,
        "subject_height_m": subject.height,
        "up": recording.axes.up,
        "forward": recording.axes.forward,
        **{f"outputs_{kind}": len(points.labels) for kind, points in recording.outputs.items()},
        **quality.figures,
        "errors": len(quality.errors),
        "warnings": len(quality.warnings),
        "findings": [str(finding) for finding in quality.findings],
        "notes": [shell_words(note) for note in recording.notes],
    }


def print_recording(recording: Recording, quality: Quality) -> None:
    """Print what a recording holds, what was decided when it was read, and what is wrong with it."""
    print_lines([(word, "", prose) for word, prose in _contents(recording, quality)], title=recording.name)
    if recording.forces:
        _print_forces(recording, quality)
    notes = [_headed(note) for note in recording.notes if FeetDoubt.of(note) is None]  # doubts are findings
    if notes:
        print_lines(notes, title="\nNotes: what was decided on the way")
    lines = [
        (f"{severity:<7}  {topic}", STYLES[severity], text)
        for severity, topic, text in finding_lines(quality)
    ]
    count = f"{_counted(len(quality.errors), 'error')}, {_counted(len(quality.warnings), 'warning')}"
    print_lines(lines, title=f"\nQuality: {count if quality.findings else 'nothing found'}")


def _headed(note: Note) -> tuple[str, str, str]:
    """Return what a note is about apart from the rest, where its sentence begins with that ("axes: ...")."""
    about, colon, rest = str(note).partition(": ")
    return (about, "", rest) if colon and about in (note.topic, *note.names[:1]) else ("", "", str(note))


def _contents(recording: Recording, quality: Quality) -> Iterator[tuple[str, str]]:
    markers, analog, emg, table = recording.markers, recording.analog, recording.emg, recording.table
    yield "files", ", ".join(recording.files)
    subject = recording.subject
    measures = [(subject.mass, "{:.1f} kg"), (subject.height, "{:.2f} m")]
    known = [subject.name, *(form.format(value) for value, form in measures if value is not None)]
    if any(known):
        yield "subject", ", ".join(filter(None, known))
    yield "duration", f"{recording.duration:.2f} s"
    if markers:
        missing = quality.figures.get("missing_percent", 0.0)
        noise = quality.figures.get("noise_mm")
        trembling = (
            "" if noise is None else f", noise {noise:.2f} mm" if noise > 0.005 else ", noise below 0.01 mm"
        )
        on_body = len(bodily_labels(markers.labels))
        computed = len(markers.labels) - on_body
        yield (
            "markers",
            f"{len(markers)} frames × {_counted(on_body, 'marker')}"
            f"{' and ' + _counted(computed, 'other point') if computed else ''} at {_rate(markers.rate)}, "
            f"{markers.time[0]:.2f} to {markers.time[-1]:.2f} s, {missing:.1f} % missing{trembling}",
        )
    if recording.outputs:
        kinds = [f"{len(points.labels)} {kind} [{points.unit}]" for kind, points in recording.outputs.items()]
        yield "model outputs", ", ".join(kinds)
    if analog:
        yield "analog", f"{_counted(len(analog.labels), 'channel')} at {_rate(analog.rate)}"
    if emg:
        units = ", ".join(sorted({unit for unit in emg.units if unit}))
        yield "EMG", f"{_names(emg.labels)}{f' [{units}]' if units else ''} at {_rate(emg.rate)}"
    if table:
        angles = {True: ", angles in degrees", False: ", angles in radians", None: ""}[table.in_degrees]
        yield (
            "table",
            f"{len(table)} rows × {_counted(len(table.labels), 'column')} at {_rate(table.rate)}{angles}",
        )
        yield "columns", _names(table.labels)
    if recording.events:
        yield "events", _names([f"{e.side or ''} {e.label} {e.time:.2f} s".strip() for e in recording.events])
    axes = recording.axes
    if markers or recording.forces:
        yield "axes", f"up is {axes.up} and forward {axes.forward} of the laboratory"


def _print_forces(recording: Recording, quality: Quality) -> None:
    mass = recording.subject.mass
    weight = mass * GRAVITY if mass else quality.figures.get("body_weight_N", float("nan"))
    kinds = {plate.name: f"type {plate.kind}" for plate in recording.plates}
    rows = []
    for force in recording.forces:
        peak = _peak(force)
        contacts = [f"{force.time[a]:.2f} to {force.time[b]:.2f}" for a, b in _contacts(force)]
        rows.append(
            (
                force.name,
                kinds.get(force.plate or "", force.body or ""),
                force.side or "?",
                f"{peak:.0f}",
                f"{peak / weight:.2f}" if np.isfinite(weight) else "-",
                _names(contacts, 3) or "none",
            )
        )
    print_table(
        ("force", "type or body", "side", "peak vertical [N]", "[BW]", "contacts [s]"),
        rows,
        title="\nForces",
        numbers=(3, 4),
    )


def finding_lines(quality: Quality) -> Iterator[tuple[str, str, str]]:
    """Yield severity, topic and text of each line: what is said of several subjects is said once."""
    groups: dict[tuple[str, str], dict[str, list[Finding]]] = {}
    for finding in quality.findings:
        said = groups.setdefault((finding.severity, finding.topic), {})
        said.setdefault(finding.message + finding.when, []).append(finding)
    for (severity, topic), said in groups.items():
        worst = sorted(said.items(), key=lambda item: -abs(item[1][0].value or 0.0))
        shown = len(worst) if len(worst) <= MOST_LINES + 1 else MOST_LINES
        for text, findings in worst[:shown]:
            yield severity, topic, f"{_names([finding.subject for finding in findings])}: {text}"
        rest = [finding.subject for _, findings in worst[shown:] for finding in findings]
        if rest:
            yield severity, topic, f"{len(rest)} more, less so: {_names(rest)}"


def _peak(force: ExternalForce) -> float:
    """Return the largest upward force, in [N]; 0 where nothing was measured."""
    upward = force.force[:, 1]
    return float(np.max(upward[np.isfinite(upward)], initial=0.0))


def _contacts(force: ExternalForce) -> list[tuple[int, int]]:
    """Return first and last sample of each contact; flicker at the threshold is part of one or none."""
    loaded = force.loaded & np.isfinite(force.force).all(axis=1)
    _, first, last = find_spans(~loaded)
    short = force.time[last] - force.time[first] < FLICKER
    for a, b in zip(first[short], last[short], strict=True):
        loaded[a : b + 1] = a > 0 and b + 1 < len(loaded)
    _, first, last = find_spans(loaded)
    return [
        (int(a), int(b)) for a, b in zip(first, last, strict=True) if force.time[b] - force.time[a] >= FLICKER
    ]


def _names(names: Any, most: int = MOST_NAMES) -> str:
    names = list(dict.fromkeys(names))
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _rate(rate: float) -> str:
    return f"{rate:.5g} Hz" if np.isfinite(rate) else "an unknown rate"
