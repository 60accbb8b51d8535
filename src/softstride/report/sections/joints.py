"""Joint moments and powers over the cycle, and the work of each joint."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.kinematics.motion_table import describe_columns
from softstride.model.roles import ARMS
from softstride.naming import SIDES, split_side, words_of
from softstride.report.context import Context, Section, missing
from softstride.report.curves import Curve, Figure, Panel
from softstride.report.html import folded, table
from softstride.report.names import by_base, common_words, in_words
from softstride.report.numbers import mean_of
from softstride.report.peaks import peaks_table
from softstride.report.sections.ground import STYLES, kinds
from softstride.report.strides import Strides

Array = NDArray[np.float64]

UNITS = {"rad": "N·m/kg", "m": "N/kg", "": "J/kg"}
"""Of a generalized force over the mass, by the unit of its coordinate."""

PLAIN = {"angle", "flexion", "flex"}
"""Words that a joint of one coordinate does not need in its name."""


def section(context: Context) -> Section:
    """Return the section of moments and powers."""
    title = "Joint moments and powers"
    if context.study.loads is None:
        why = context.why("estimated loads", "measured loads")
        return missing("joints", title, f"No joint moments. {why}", "Joints")
    sources = kinds(context)
    first = next(iter(sources))
    legend = tuple((name, STYLES[name]) for name in sources) if len(sources) > 1 else ()
    mass = f"divided by the mass of {context.study.model.mass:.1f} kg"
    moments = _moments(context, sources)
    powers = _powers(context, context.study.loads)
    html = ""
    for fold in (False, True):
        own = tuple(panel for panel, arm in moments if arm is fold)
        worked = tuple(panel for panel, arm in powers if arm is fold)
        inside = ""
        if own:
            caption = (
                f"Net moment of each joint, {mass}: what muscles, ligaments and springs give together, with the sign "
                f"of its coordinate. With {first} ground reaction{_broken(sources)}."
            )
            name = "other-moments" if fold else "moments"
            inside += context.figure(Figure(name, "Moments", caption, own, legend))
            inside += peaks_table(own, ("max", "min"), context.strides, caption="Moments.", name=first)
        if worked:
            caption = (
                f"Power of each joint, {mass}: the sum of moments times rates of its coordinates, with {first} ground "
                "reaction; above zero it adds energy to the body. Bands are of the moments alone."
            )
            name = "other-powers" if fold else "powers"
            if context.norms is not None and any(panel.norm is not None for panel in worked):
                caption += f" Norm: {context.norms.source}."
            inside += context.figure(Figure(name, "Powers", caption, worked))
            inside += _work(worked, context.strides)
        html += folded("Arms", inside) if fold and inside else inside
    return Section("joints", title, html, "Joints")


def _broken(sources: dict[str, Loads]) -> str:
    return " (solid line) and estimated (broken line, without its band)" if len(sources) > 1 else ""


def _moments(context: Context, sources: dict[str, Loads]) -> list[tuple[Panel, bool]]:
    """Return panels with whether they are of arms."""
    model, mass = context.study.model, context.study.model.mass
    columns = {column.name: (i, column) for i, column in enumerate(describe_columns(model))}
    base = context.study.loads.base if context.study.loads is not None else None
    left_out = set(model.link(base).coordinate_names) if base else set()
    names = [name for name, (_, column) in columns.items() if not column.strain and name not in left_out]
    found = []
    for title, sides in by_base(names).items():
        curves = []
        for number, (source, loads) in enumerate(sources.items()):
            bands = context.study.bands.get(source) if number == 0 else None
            for side, name in sides.items():
                i = columns[name][0]
                std = None if bands is None else bands.tau_std[:, i] / mass
                curves.append(
                    Curve(
                        source, side, loads.time, loads.tau[:, i] / mass, std, STYLES[source], loads.doubtful
                    )
                )
        unit = UNITS[columns[next(iter(sides.values()))][1].unit]
        found.append((Panel(in_words(title), unit, tuple(curves)), bool(words_of(title) & ARMS)))
    return found


def _powers(context: Context, loads: Loads) -> list[tuple[Panel, bool]]:
    """Return the power of each joint, with whether it is of an arm."""
    model, state = context.study.model, context.state
    if len(state.time) != len(loads):
        return []
    bands = context.study.bands.get("measured" if context.study.measured is not None else "estimated")
    seen: set[int] = set()
    joints: dict[str, dict[str | None, list[int]]] = {}
    for link in model.links:
        own = [i for i in model.v_indices(link.name) if i not in seen]
        seen |= set(own)
        if link.name == loads.base or link.soft or not own:
            continue
        names = [split_side(model.coordinate_names[i]) for i in own]
        joint = _joint_name([base for _, base in names], link.name)
        joints.setdefault(joint, {}).setdefault(names[0][0], []).extend(own)
    found = []
    for joint, sides in joints.items():
        curves = []
        for side, own in sides.items():
            rate = state.v[:, own]
            power = np.sum(loads.tau[:, own] * rate, axis=1) / model.mass
            std = (
                None
                if bands is None
                else np.sqrt(np.sum((bands.tau_std[:, own] * rate) ** 2, axis=1)) / model.mass
            )
            curves.append(Curve("", side, loads.time, power, std, doubtful=loads.doubtful))
        norm = None if context.norms is None else context.norms.get(f"{joint}_power")
        found.append((Panel(joint, "W/kg", tuple(curves), norm), bool(words_of(joint) & ARMS)))
    return found


def _joint_name(bases: list[str], link: str) -> str:
    """Return what a joint is called, by what its coordinates are called alike."""
    alike = common_words(bases)
    words = alike.split()
    if len(words) > 1 and words[-1] in PLAIN:
        words = words[:-1]
    return " ".join(words) or in_words(split_side(link)[1])


def _work(panels: tuple[Panel, ...], strides: Strides) -> str:
    """Return a table of the work that each joint adds and takes in a cycle."""
    rows = []
    for panel in panels:
        row = [panel.title]
        for sign in (1.0, -1.0):
            for side in SIDES:
                curve = next((each for each in panel.curves if each.side == side), None)
                if curve is None or not strides.count(side):
                    row.append("–")
                    continue
                cut = np.maximum(sign * strides.cut(side, curve.time, curve.believed), 0.0)
                step = (strides.ends[side] - strides.starts[side]) / (cut.shape[1] - 1)
                row.append(str(mean_of(sign * np.trapezoid(cut, axis=1) * step)))
        rows.append(row)
    rows = [row for row in rows if any(cell != "–" for cell in row[1:])]
    if not rows:
        return ""
    return table(
        ["", "added, right", "added, left", "taken, right", "taken, left"],
        rows,
        caption="Work of each joint in a cycle [J/kg]: added to the body, and taken from it. ± 1 standard deviation "
        "over cycles where there are several.",
        kind="numbers",
    )
