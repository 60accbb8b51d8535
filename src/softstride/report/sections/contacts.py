"""What joints transmit: the size of their forces, and how knees share it between compartments."""

from __future__ import annotations

from softstride.model.roles import CARRIED
from softstride.muscles.reactions.result import JointReactions
from softstride.naming import split_side, words_of
from softstride.report.context import Context, Section, missing
from softstride.report.curves import Curve, Figure, Panel
from softstride.report.html import folded, paragraph
from softstride.report.names import in_words
from softstride.report.peaks import peaks_table
from softstride.study.figures import knee_kind

WORDS = {"contact": "with the pull of muscles", "net": "without muscles, so that they are far too small"}
"""What forces are, by their kind."""


def section(context: Context) -> Section:
    """Return the section of joint contact forces."""
    title, found = "Joint contact forces", context.study.reactions
    if found is None:
        return missing(
            "contacts", title, f"No joint forces. {context.why('joint reactions')}", "Contact forces"
        )
    if not found.known.any():
        return missing("contacts", title, "No joint forces: loads are known in no frame.", "Contact forces")
    first, others = _panels(context, found)
    words = WORDS[found.kind]
    caption = f"Size of the force in each joint, {words}, in body weights (1 BW = {context.weight:.0f} N)."
    html = ""
    if first:
        html += context.figure(Figure("contact-forces", "Hip, knee and ankle", caption, first))
        html += peaks_table(first, ("max", "mean"), context.strides, caption="Forces in joints.")
    html += _knees(context)
    if others:
        inside = context.figure(Figure("other-contacts", "Other joints", caption, others))
        inside += peaks_table(others, ("max", "mean"), context.strides, caption="Forces in joints.")
        html += folded(f"{len(others)} other joints", inside)
    return Section("contacts", title, html, "Contact forces")


def _panels(context: Context, found: JointReactions) -> tuple[tuple[Panel, ...], tuple[Panel, ...]]:
    first: dict[str, list[Curve]] = {}
    others: dict[str, list[Curve]] = {}
    size = found.magnitude / context.weight
    for i, joint in enumerate(found.joints):
        if joint.parent == "world":
            continue
        side, base = split_side(joint.child)
        name = next((name for name, words in CARRIED.items() if words_of(base) & words), None)
        group, title = (others, in_words(base)) if name is None or side is None else (first, name)
        taken = any(curve.side == side for curve in group.get(title, ()))
        if taken:  # a second link with such a name: it keeps its own
            group, title = others, in_words(base)
        group.setdefault(title, []).append(Curve("", side, found.time, size[:, i]))
    ordered = {name: first[name] for name in CARRIED if name in first}
    return (
        tuple(Panel(title, "BW", tuple(curves)) for title, curves in ordered.items()),
        tuple(Panel(title, "BW", tuple(curves)) for title, curves in others.items()),
    )


def _knees(context: Context) -> str:
    knees = context.study.knees
    if not knees:
        told = [str(note) for note in context.study.notes if note.code == "knees.no-compartments"]
        return paragraph(
            f"Forces are not shared between the compartments of knees. {' '.join(told)}".strip(), "missing"
        )
    panels = tuple(
        Panel(
            title,
            "BW",
            tuple(
                Curve("", side, knee.time, getattr(knee, part) / knee.body_weight)
                for side, knee in knees.items()
            ),
        )
        for title, part in (("along the tibia", "total"), ("medial", "medial"), ("lateral", "lateral"))
    )
    caption = (
        f"Force along the tibia, {WORDS[knee_kind(context.study)]}, and its medial and lateral part by the moment in "
        "the frontal plane; below zero a "
        "compartment would have to pull: there it lifts off, and ligaments carry the difference. "
        + " ".join(f"{side}: {note}." for side, knee in knees.items() for note in knee.notes)
    )
    figure = context.figure(Figure("knees", "Compartments of the knee", caption, panels))
    return figure + peaks_table(panels, ("max", "mean"), context.strides, caption="Compartments of the knee.")
