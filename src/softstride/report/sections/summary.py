"""What somebody wants to know first: what this is, whether to believe it, and the numbers of gait."""

from __future__ import annotations

from softstride.naming import SIDES
from softstride.report.context import Context, Section
from softstride.report.gait import Measure, belt_of, measures_of
from softstride.report.html import paragraph, table, text
from softstride.report.numbers import Number, plain
from softstride.report.peaks import apart
from softstride.report.verdicts import WORDS, Light, Verdict, verdicts_of, worst

SIGNS: dict[Light, str] = {"good": "✓", "look": "!", "bad": "✕", "info": "i"}
"""Beside the colours, for those who do not tell them apart."""


def section(context: Context) -> Section:
    """Return the summary."""
    verdicts = verdicts_of(context.study)
    measures = measures_of(context.study, context.strides)
    html = _facts(context, measures) + _verdict(context, verdicts) + _measures(measures)
    return Section("summary", "Summary", html)


def light(which: Light, words: str = "") -> str:
    """Return a traffic light with what it means."""
    return f'<span class="light {which}"><b aria-hidden="true">{SIGNS[which]}</b> {text(words or WORDS[which])}</span>'


def _facts(context: Context, measures: tuple[Measure, ...]) -> str:
    study = context.study
    motion = study.motion
    rate = f" at {motion.rate:.4g} Hz" if motion.n_frames > 1 else ""
    running = context.strides.running
    kind = {True: "running", False: "walking", None: ""}[running]
    facts = {
        "trial": ", ".join(study.recording.files) or study.name,
        "movement": kind,
        "length": f"{motion.duration:.2f} s, {motion.n_frames} frame{'' if motion.n_frames == 1 else 's'}{rate}",
        "model": f"{study.model.name}, {study.model.mass:.1f} kg, {study.model.nv} coordinates, "
        f"{len(study.model.muscles)} muscles",
        **{each.name: f"{each.both} {each.unit}" for each in measures if each.both is not None},
        "ground reaction": _ground(context),
        "cycles": _cycles(context),
        "made by": f"softstride {study.version}",
    }
    speed = float((belt_of(study) ** 2).sum() ** 0.5)
    if speed > 0.0:
        facts["treadmill"] = f"belt at {plain(speed)} m/s"
    rows = "".join(f"<dt>{text(name)}</dt><dd>{text(words)}</dd>" for name, words in facts.items() if words)
    return f'<dl class="facts">{rows}</dl>'


def _ground(context: Context) -> str:
    pairs = (("measured", context.study.measured), ("estimated from the motion", context.study.estimated))
    found = [name for name, loads in pairs if loads is not None]
    return " and ".join(found) or "not known"


def _cycles(context: Context) -> str:
    strides = context.strides
    if not strides.source:
        return "no gait events are known: everything is shown over time"
    counts = " and ".join(
        f"{strides.count(side)} {side}{' (taken to last as long)' if side in strides.guessed else ''}"
        for side in sorted(SIDES, key=lambda side: side in strides.guessed)
    )
    if not strides.any:
        return f"no whole cycle (by {strides.source}): everything is shown over time"
    return f"{counts}, by {strides.source}"


def _verdict(context: Context, verdicts: tuple[Verdict, ...]) -> str:
    judged = [verdict for verdict in verdicts if verdict.light != "info"]
    failed, unwritten = context.study.failed, context.study.unwritten
    lights: list[Light] = [verdict.light for verdict in judged]
    overall = worst([*lights, *(["bad"] if failed else []), *(["look"] if unwritten else [])])  # type: ignore[list-item]
    good = sum(each == "good" for each in lights)
    told = f"{good} of {len(judged)} checks are good" if judged else "nothing could be checked"
    html = f'<p class="overall">{light(overall, _overall(overall))} {text(told)}.</p>'
    lines = [
        f"<li>{light(verdict.light)} {text(verdict.rule.name)}: {text(value(verdict))} "
        f'<span class="limits">({text(verdict.rule.limits)})</span></li>'
        for verdict in sorted(judged, key=lambda each: each.light != "bad")
        if verdict.light != "good"
    ]
    lines += [
        f"<li>{light('bad', 'failed')} {text(stage.name)}: {text(stage.words)}</li>" for stage in failed
    ]
    lines += [
        f"<li>{light('look', 'not written')} {text(stage.name)}: {text(stage.words)}</li>"
        for stage in unwritten
    ]
    return html + (f'<ul class="checks">{"".join(lines)}</ul>' if lines else "")


def value(verdict: Verdict) -> str:
    """Return the value of a verdict with its unit."""
    number = f"{verdict.value:.1e}" if 0.0 < abs(verdict.value) < 1e-3 else plain(verdict.value)
    return f"{number} {verdict.rule.unit}".strip()


def _overall(which: Light) -> str:
    words = {
        "good": "all good",
        "look": "look closer before you rely on it",
        "bad": "do not rely on all of it",
        "info": "not judged",
    }
    return words[which]


def _measures(measures: tuple[Measure, ...]) -> str:
    rows = [
        [
            f"{each.name} [{each.unit}]",
            _cell(each.right),
            _cell(each.left),
            _cell(apart(each.right, each.left)),
        ]
        for each in measures
        if each.both is None
    ]
    if not rows:
        return paragraph("No gait events are known: nothing can be said about steps.", "missing")
    return table(
        ["", "right", "left", "right − left"],
        rows,
        caption="Steps. ± 1 standard deviation over cycles, steps or contacts; what has none was seen once.",
        kind="numbers",
    )


def _cell(number: Number | None) -> str:
    return "–" if number is None else str(number)
