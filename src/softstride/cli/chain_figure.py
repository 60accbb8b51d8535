"""The picture of `softstride chain`: contributions stacked over time, one row a joint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from softstride.cli.chain_table import View
from softstride.cli.picture_style import DPI, GREY, INK, STYLE
from softstride.planar.table import Contributions

Floats = NDArray[np.float64]

MUSCLES = ("#a50f15", "#fc8d59", "#fdd49e", "#7f2704", "#f768a1", "#fee391", "#ae017e", "#e34a33")
CONTACTS = ("#1b7837", "#a6d96a", "#00695c", "#7fbc41", "#35978f", "#d9f0d3", "#4d9221", "#80cdc1")
MOST_MUSCLES = len(MUSCLES)
"""Muscles, or contacts, drawn one by one; the others together."""

MOTION = {
    "weight": ("weights", "#8d6e53"),
    "omega2": ("velocities", "#7b5ea7"),
    "alpha": ("accelerations", "#4f9bb8"),
    "base_acceleration": ("base acceleration", "#2b5d73"),
    "stretch": ("stretch of links", "#b7a8d6"),
    "torque": ("motors", "#d08c3f"),
    "residual": ("residual", "#c9ced2"),
}
"""Kinds whose sources are drawn together, with name and colour."""

VISIBLE = 0.02
"""Share of the height of a panel below which a layer is not seen, and not in the legend."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Sources that are drawn as one: label, colour, columns, and whether they are actuators."""

    label: str
    colour: str
    columns: tuple[int, ...]
    actuator: bool


def layers(view: View) -> list[Layer]:
    """Return what is drawn: muscles and contacts one by one, the largest of them, other kinds together."""
    sources = view.result.sources
    each = np.abs(view.result.force[:, list(view.joints)]).max(axis=(0, 3))  # (joints, sources)
    size = (each / np.maximum(each.max(axis=1, keepdims=True), 1e-12)).max(axis=0)
    found: list[Layer] = []
    for kind, names, colours in (("muscle", "muscles", MUSCLES), ("contact", "contacts", CONTACTS)):
        columns = [k for k, source in enumerate(sources) if source.kind == kind and size[k] > 0.0]
        columns.sort(key=lambda k: -size[k])
        alone, rest = columns[:MOST_MUSCLES], columns[MOST_MUSCLES:]
        for column, colour in zip(alone, colours, strict=False):
            label = sources[column].label.partition(":")[2]
            found.append(Layer(label, colour, (column,), kind == "muscle"))
        if rest:
            found.append(Layer(f"{len(rest)} other {names}", GREY, tuple(rest), kind == "muscle"))
    for kind, (label, colour) in MOTION.items():
        columns = [k for k, source in enumerate(sources) if source.kind == kind]
        if view.result.force[:, :, columns].any() or (kind == "torque" and columns):
            found.append(Layer(label, colour, tuple(columns), kind == "torque"))
    return found


def draw_contributions(view: View, file: Path) -> None:
    """Write the picture of a case as PNG or SVG, by the suffix of the file."""
    drawn = layers(view)
    panels = _panels(view, drawn)
    rows = len(view.joints)
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "softstride"}):
        figure = Figure(figsize=(2.9 * len(panels) + 1.9, 1.75 * rows + 0.9), layout="constrained")
        axes = figure.subplots(rows, len(panels), sharex=True, squeeze=False)
        seen: set[str] = set()
        for row, joint in enumerate(view.joints):
            for column, (title, unit, values, total, chosen) in enumerate(panels):
                ax = axes[row, column]
                seen |= _stack(ax, view, values[:, joint], total[:, joint], chosen)
                if row == 0:
                    ax.set_title(title, loc="left")
                where = view.case.chain.joints[joint] if column == 0 else _along(view, title, joint)
                ax.set_ylabel(f"{where}  [{unit}]".strip())
        figure.align_ylabels(axes)
        for ax in axes[-1]:
            ax.set_xlabel("time [s]" if view.time is not None else "")
        handles: list[Artist] = [
            Patch(color=layer.colour, label=layer.label) for layer in drawn if layer.label in seen
        ]
        handles.append(Line2D([], [], color=INK, linewidth=1.3, label="total"))
        figure.legend(handles=handles, loc="outside right upper", fontsize=7.5, handlelength=1.2)
        what = f"{view.case.form} form" if isinstance(view.result, Contributions) else "induced effects"
        figure.suptitle(
            f"{view.case.chain.name}: contributions by source, {what}", x=0.01, ha="left", fontsize=10
        )
        metadata = (
            {"Date": None, "Creator": "softstride"} if file.suffix == ".svg" else {"Software": "softstride"}
        )
        figure.savefig(file, dpi=DPI, metadata=metadata)


Panel = tuple[str, str, Floats, Floats, list[Layer]]


def _panels(view: View, drawn: list[Layer]) -> list[Panel]:
    """Return title, unit, columns, totals and layers of each column of the picture."""
    result = view.result
    panels: list[Panel] = []
    if isinstance(result, Contributions):
        required = [layer for layer in drawn if not layer.actuator]
        given = [layer for layer in drawn if layer.actuator]
        panels.append(("torque required by", "N·m", result.torque, view.torques.required, required))
        if given:
            panels.append(("torque given by", "N·m", result.torque, view.torques.given, given))
    else:
        total = result.total_acceleration
        panels.append(("acceleration of the link beyond", "rad/s²", result.acceleration, total, drawn))
    panels.append(("compression", "N", result.compression, view.reactions.compression, drawn))
    panels.append(("shear", "N", result.shear, view.reactions.shear, drawn))
    return panels


def _along(view: View, title: str, joint: int) -> str:
    """Return whose axis a compression or a shear is told by: the link beyond the joint."""
    words = {"compression": "along", "shear": "across"}
    return f"{words[title]} the {view.case.chain.links[joint + 1]}" if title in words else ""


def _stack(ax: Axes, view: View, values: Floats, total: Floats, drawn: list[Layer]) -> set[str]:
    """Stack layers upward where they are positive and downward where they are negative; return those that are seen."""
    sizes: dict[str, float] = {}
    up, down = np.zeros(len(values)), np.zeros(len(values))
    time = np.arange(len(values)) if view.time is None else view.time
    for layer in drawn:
        part = values[:, list(layer.columns)].sum(axis=1)
        sizes[layer.label] = float(np.abs(part).max())
        above, below = up + np.maximum(part, 0.0), down + np.minimum(part, 0.0)
        if view.single:
            ax.bar(0.0, above - up, bottom=up, color=layer.colour, width=0.8)
            ax.bar(0.0, below - down, bottom=down, color=layer.colour, width=0.8)
        else:
            for edge, far in ((up, above), (down, below)):
                ax.fill_between(time, edge, far, facecolor=layer.colour, edgecolor="white", linewidth=0.25)
        up, down = above, below
    if view.single:
        ax.plot([-0.45, 0.45], [total[0], total[0]], color=INK, linewidth=1.6)
        ax.set_xticks([])
        ax.use_sticky_edges = False
        ax.margins(y=0.08)
    else:
        ax.plot(time, total, color=INK, linewidth=1.3)
        ax.set_xlim(time[0], time[-1])
    ax.axhline(0.0, color=INK, linewidth=0.5)
    ax.grid(axis="y", color="#e3e6e8", linewidth=0.6)
    ax.set_axisbelow(True)
    height = float(up.max() - down.min())
    return {label for label, size in sizes.items() if size > VISIBLE * height}
