"""Joint angles over the cycle, with their bands, norms, and a table of ranges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.kinematics.motion_table import Column, describe_columns, table_of
from softstride.model.roles import ARMS
from softstride.naming import words_of
from softstride.report.context import Context, Section, missing
from softstride.report.curves import Curve, Figure, Norm, Panel
from softstride.report.html import folded
from softstride.report.names import by_base, in_words
from softstride.report.peaks import peaks_table

Array = NDArray[np.float64]

NORMS = {
    "hip_flexion": "hip_angle",
    "knee_angle": "knee_angle",
    "knee_flexion": "knee_angle",
    "ankle_angle": "ankle_angle",
    "ankle_flexion": "ankle_angle",
    "ankle_dorsiflexion": "ankle_angle",
}
"""Norm of each coordinate, by its name without the side."""


def section(context: Context) -> Section:
    """Return the section of joint angles."""
    panels, still = _panels(context)
    legs = tuple(panel for panel, first in panels if first)
    others = tuple(panel for panel, first in panels if not first)
    motion = context.study.motion
    caption = "Coordinates of the model as the markers tell them; signs are those of the model."
    strains = {column.name for column in describe_columns(motion.model) if column.strain}
    loose = [in_words(name) for name in motion.undetermined if name not in strains]
    if loose:
        caption += f" Markers do not determine {', '.join(loose)}."
    if still:
        caption += f" Not drawn, since they never change: {', '.join(still)}."
    if context.norms is not None and any(panel.norm is not None for panel in legs):
        caption += f" Norm: {context.norms.source}."
    html = ""
    if legs:
        html += context.figure(Figure("angles", "Pelvis, legs and trunk", caption, legs))
        html += peaks_table(legs, ("range", "max", "min"), context.strides, caption="Ranges of motion.")
    if others:
        figure = Figure("other-angles", "Arms and position", caption, others)
        inside = context.figure(figure) + peaks_table(
            others, ("range", "max", "min"), context.strides, caption="Ranges of motion."
        )
        html += folded("Arms, and where the person is", inside)
    if not html:
        return missing("kinematics", "Kinematics", "Nothing moves.")
    return Section("kinematics", "Kinematics", html)


def _panels(context: Context) -> tuple[list[tuple[Panel, bool]], list[str]]:
    """Return panels with whether they come first, and the names of what never changes."""
    motion = context.study.motion
    columns = {column.name: (i, column) for i, column in enumerate(describe_columns(motion.model))}
    table = table_of(motion.model, motion.q, degrees=True)
    found: list[tuple[Panel, bool]] = []
    still: list[str] = []
    for base, names in by_base(name for name, (_, column) in columns.items() if not column.strain).items():
        column = columns[next(iter(names.values()))][1]
        curves = []
        for side, name in names.items():
            i, own = columns[name]
            if np.ptp(table[:, i]) > 0.0:
                curves.append(Curve("", side, motion.time, table[:, i], _std(context, i, own)))
            else:
                still.append(in_words(name))
        if curves:
            unit = "°" if column.rotational else column.unit
            panel = Panel(in_words(base), unit, tuple(curves), _norm(context, base, curves))
            found.append((panel, column.rotational and not words_of(base) & ARMS))
    return found, still


def _std(context: Context, i: int, column: Column) -> Array | None:
    """Return the standard deviation of a column; that of successive angles is not that of the rotation."""
    if context.std is None or column.euler:
        return None
    return context.std[:, i] * (180.0 / np.pi if column.rotational else 1.0)


def _norm(context: Context, base: str, curves: list[Curve]) -> Norm | None:
    if context.norms is None or base not in NORMS:
        return None
    bent = np.concatenate([curve.values for curve in curves])
    backward = NORMS[base] == "knee_angle" and float(np.nanmean(bent)) < 0.0  # models with flexion below zero
    return context.norms.get(NORMS[base], -1.0 if backward else 1.0)
