"""How far the data can be trusted: lights, steps of the analysis, doubtful frames, gaps, notes."""

from __future__ import annotations

import numpy as np

from softstride.errors import SoftstrideError
from softstride.kinematics.frames import spans
from softstride.report.context import Context, Section
from softstride.report.html import bullets, folded, paragraph, table, text
from softstride.report.numbers import plain
from softstride.report.sections.summary import light, value
from softstride.report.verdicts import Light, verdicts_of

STATES: dict[str, tuple[Light, str]] = {
    "done": ("good", "done"),
    "skipped": ("info", "skipped"),
    "failed": ("bad", "failed"),
    "unwritten": ("look", "not written"),
}
SEVERITIES: dict[str, Light] = {"error": "bad", "warning": "look", "info": "info"}

MOST = 40
"""Findings about the recording that are listed."""


def section(context: Context) -> Section:
    """Return the section of data quality."""
    html = _verdicts(context) + _steps(context) + _doubtful(context) + _findings(context)
    return Section("quality", "Data quality", html + _markers(context) + _notes(context), "Quality")


def _verdicts(context: Context) -> str:
    verdicts = verdicts_of(context.study)
    if not verdicts:
        return paragraph("There is nothing to judge.", "missing")
    rows = [
        [text(v.rule.name), light(v.light), text(value(v)), text(v.rule.limits), text(v.beside)]
        for v in verdicts
    ]
    return table(
        ["check", "verdict", "value", "limits", "beside it"],
        rows,
        caption="Checks. Limits tell where to look; the guide to reports says why they are so.",
        raw=True,
        kind="checks",
    )


def _steps(context: Context) -> str:
    if not context.study.stages:
        return paragraph("This study does not say how it was made.", "missing")
    rows = []
    for stage in context.study.stages:
        which, word = STATES[stage.state]
        compiled = f" (and {stage.compiling:.1f} to compile)" if stage.compiling > 0.05 else ""
        rows.append(
            [text(stage.name), light(which, word), text(stage.words), f"{stage.seconds:.2f}{compiled}"]
        )
    return table(
        ["step", "state", "why", "seconds"],
        rows,
        caption="Steps of the analysis: what was done, and why something was not.",
        raw=True,
        kind="checks steps",
    )


def _doubtful(context: Context) -> str:
    lines = []
    for name, loads in (("measured", context.study.measured), ("estimated", context.study.estimated)):
        if loads is None:
            continue
        doubtful, unknown = np.flatnonzero(loads.doubtful), np.flatnonzero(~loads.known)
        if len(doubtful):
            share = 100.0 * len(doubtful) / len(loads)
            lines.append(
                f"With {name} ground reaction the residual is too large to believe in {len(doubtful)} of {len(loads)} "
                f"frames ({plain(share, 2)} %): {spans(doubtful, loads.time)}."
            )
        if len(unknown):
            lines.append(
                f"With {name} ground reaction loads are not known in {len(unknown)} of {len(loads)} frames: "
                f"{spans(unknown, loads.time)}."
            )
    if not lines:
        said = (
            "No frame is doubtful."
            if context.study.loads is not None
            else "Without loads no frame is judged."
        )
        return f"<h3>Doubtful frames</h3>{paragraph(said)}"
    return f"<h3>Doubtful frames</h3>{bullets(lines)}{paragraph('Figures over time shade them.')}"


def _findings(context: Context) -> str:
    """Return what is wrong with the recording itself."""
    try:
        found = context.study.recording.quality().findings
    except SoftstrideError as error:
        return paragraph(f"The recording could not be checked: {error}", "missing")
    lines = [
        f"<li>{light(SEVERITIES[each.severity], each.severity)} {text(each.topic)}, {text(each.subject)}: "
        f"{text(each.message)}{text(each.when)}</li>"
        for each in found
        if each.severity != "info"
    ]
    head = "<h3>Recording</h3>"
    if not lines:
        return head + paragraph("The checks of markers, plates and channels found nothing to warn of.")
    more = f"<li>and {len(lines) - MOST} more</li>" if len(lines) > MOST else ""
    inside = f'<ul class="checks">{"".join(lines[:MOST])}{more}</ul>'
    return head + (inside if len(lines) <= 6 else folded(f"{len(lines)} findings", inside))


def _markers(context: Context) -> str:
    """Return how well each marker is met, and how often it was not seen."""
    fit, markers = context.study.motion.fit, context.study.recording.markers
    if fit is None:
        return paragraph(
            "The motion does not come from markers: nothing is known of their errors.", "missing"
        )
    lost = {}
    for label in markers.labels if markers else ():
        gone = markers.missing[:, markers.labels.index(label)]
        lost[label] = 100.0 * float(np.mean(gone))
    rows = []
    for name, rms in sorted(fit.marker_rms.items(), key=lambda item: -np.nan_to_num(item[1])):
        error = fit.error[:, fit.names.index(name)]
        largest = 1e3 * float(np.nanmax(error)) if np.isfinite(error).any() else float("nan")
        rows.append([name, plain(1e3 * rms), plain(largest), plain(lost.get(name, 0.0), 2)])
    words = table(
        ["marker", "distance, rms [mm]", "largest [mm]", "not seen [% of frames]"],
        rows,
        caption="Distance of each marker of the model from where it was seen, the worst first.",
        kind="numbers",
    )
    return folded(f"{len(rows)} markers", words)


def _notes(context: Context) -> str:
    study = context.study
    notes = [str(note) for note in study.all_notes]
    html = (
        folded(f"{len(notes)} notes: everything that was decided on the way", bullets(notes)) if notes else ""
    )
    chosen = [[name, str(option)] for name, option in study.options.items() if not hasattr(option, "items")]
    if chosen:
        html += folded(
            "Options of the analysis", table(["option", "value"], chosen, caption="As they were given.")
        )
    return html
