"""The picture of `softstride walk`: stick figures, joint angles, moments, ground reaction and energy over time."""

from __future__ import annotations

import io
import textwrap
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from softstride.cli.picture_style import BLUE, DPI, GREY, INK, SAND, STYLE
from softstride.cli.walk_measured import STANCE, Measured, clinical_angles, stride_percent
from softstride.cli.walk_peaks import cut_peaks
from softstride.cli.walk_sticks import COLOURS, LONGEST_STRIP, draw_strip, draw_strobe, strobe_height
from softstride.cli.walk_study import WalkStudy
from softstride.cli.walk_table import title
from softstride.gait.body import JOINTS
from softstride.gait.walk import Walk
from softstride.naming import SIDES

Floats = NDArray[np.float64]

SHADE = "#eff2f4"
DOTS = (0, (1, 1.4))
ANGLES = {"hip": "hip flexion [°]", "knee": "knee flexion [°]", "ankle": "ankle dorsiflexion [°]"}
MOMENTS = {
    "hip": "hip moment, flexion + [N·m]",
    "knee": "knee moment, extension + [N·m]",
    "ankle": "ankle moment, dorsiflexion + [N·m]",
}
FORCES = {1: "upward ground force [body weights]", 0: "forward ground force [body weights]"}
PULL = -0.3
"""How far below zero upward forces are drawn [body weights]."""

WIDTH, LETTERS = 11.0, 115
"""Of the picture [inches], and of a line of its title."""


def draw_walk(study: WalkStudy, measured: Measured | None, form: str) -> bytes:
    """Return the picture of a study as a file of this form, "png" or "svg"."""
    walks = [walk for walk in (study.baseline, study.walk) if walk is not None]
    strobes = walks if study.longest > LONGEST_STRIP else []
    above = [min(strobe_height(walk, WIDTH), 3.0) + 0.5 for walk in strobes] or [2.35]
    heights = [*above, 1.85, 1.85, 1.85]
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "softstride"}):
        figure = Figure(figsize=(WIDTH, sum(heights) + 0.8), layout="constrained")
        grid = figure.add_gridspec(len(heights), 3, height_ratios=heights)
        for row, walk in enumerate(strobes):
            which = "" if len(strobes) == 1 else "changed: " if walk is study.walk else "as it is: "
            draw_strobe(figure.add_subplot(grid[row, :]), walk, which)
        if not strobes:
            draw_strip(figure.add_subplot(grid[0, :]), study)
        first = len(heights) - 3
        plots = [[figure.add_subplot(grid[first + row, column]) for column in range(3)] for row in range(3)]
        for axes in (each for line in plots for each in line):
            axes.margins(y=0.08)
        _draw_angles(plots[0], study, measured)
        _draw_moments(plots[1], study)
        _draw_forces(plots[2][:2], study, measured)
        for axes in (*plots[1], *plots[2][:2]):
            cut_peaks(axes)
        _draw_energy(plots[2][2], study)
        for row, axes in enumerate(each for line in plots for each in line):
            _finish(axes, study, row >= 6, row < 3)
        figure.suptitle(_told(study), x=0.01, ha="left", fontsize=11)
        figure.legend(
            *_legend(study, measured),
            loc="outside lower center",
            ncols=6,
            fontsize=8.5,
            handler_map={tuple: HandlerTuple(ndivide=None, pad=0.3)},
        )
        return save(figure, form)


def save(figure: Figure, form: str) -> bytes:
    """Return a picture as a file that is the same each time."""
    stream = io.BytesIO()
    metadata = {"Date": None, "Creator": "softstride"} if form == "svg" else {"Software": "softstride"}
    figure.savefig(stream, format=form, dpi=DPI, metadata=metadata)
    return stream.getvalue()


def _told(study: WalkStudy) -> str:
    """Return the title: what was simulated, and how it ended or what a floor would not allow."""
    told = title(study)
    if study.changes:
        changes = (
            ", ".join(study.changes).replace(" N·m", "\u00a0N·m").replace(" %", "\u00a0%")
        )  # kept in one line
        told = textwrap.fill(f"{told}; {changes}", LETTERS)
    if not study.walk.completed:
        return f"{told}\nended {study.walk.reason}"
    return f"{told}\n{study.walk.notes[-1]}" if study.walk.notes else told


def _walks(study: WalkStudy) -> list[tuple[Walk, dict[str, Any]]]:
    """Return what is drawn: the walk without changes broad and pale, the other above it."""
    drawn: list[tuple[Walk, dict[str, Any]]] = []
    if study.baseline is not None:
        drawn.append((study.baseline, {"linewidth": 3.2, "alpha": 0.28}))
    return [*drawn, (study.walk, {"linewidth": 1.3})]


def _draw_angles(plots: list[Axes], study: WalkStudy, measured: Measured | None) -> None:
    for axes, (joint, label) in zip(plots, ANGLES.items(), strict=True):
        for walk, style in _walks(study):
            angles = clinical_angles(walk)
            for side, colour in COLOURS.items():
                axes.plot(walk.time, angles[:, JOINTS.index(f"{side}_{joint}")], color=colour, **style)
        if measured is not None:
            _draw_measured(axes, study, measured, joint)
        axes.set_title(label, loc="left", pad=13.0)


def _draw_measured(axes: Axes, study: WalkStudy, measured: Measured, joint: str) -> None:
    """Draw a measured angle over the steps of the walk without changes, with its band."""
    walk = study.walk if study.baseline is None else study.baseline
    percent = stride_percent(walk)
    for leg, (side, colour) in enumerate(COLOURS.items()):
        name = f"{side}_{joint}"
        if name not in measured.angles:
            continue
        mean = measured.at(measured.angles[name], percent[:, leg])
        axes.plot(walk.time, mean, color=colour, linewidth=1.2, linestyle=DOTS)
        if name in measured.bands:
            band = measured.at(measured.bands[name], percent[:, leg])
            axes.fill_between(walk.time, mean - band, mean + band, color=colour, alpha=0.10, linewidth=0.0)


def _draw_moments(plots: list[Axes], study: WalkStudy) -> None:
    for axes, (joint, label) in zip(plots, MOMENTS.items(), strict=True):
        for walk, style in _walks(study):
            for side, colour in COLOURS.items():
                axes.plot(walk.time, walk.moment(f"{side}_{joint}"), color=colour, **style)
        axes.set_title(label, loc="left")


def _draw_forces(plots: list[Axes], study: WalkStudy, measured: Measured | None) -> None:
    """Draw forces where there are any; of one that pulls only the beginning, and nothing forward."""
    for axes, (axis, label) in zip(plots, FORCES.items(), strict=True):
        for walk, style in _walks(study):
            weight = walk.body.mass * walk.body.gravity
            for k, side in enumerate(SIDES):
                upward = walk.ground_force[:, k, 1]
                loaded = upward != 0.0 if axis else upward > 0.0
                force = np.where(loaded, walk.ground_force[:, k, axis] / weight, np.nan)
                axes.plot(walk.time, force, color=COLOURS[side], **style)
        name = "vertical" if axis else "forward"
        if measured is not None and name in measured.forces:
            _draw_measured_force(axes, study, measured, name)
        axes.set_title(label, loc="left")
    plots[0].set_ylim(bottom=max(plots[0].get_ylim()[0], PULL))


def _draw_measured_force(axes: Axes, study: WalkStudy, measured: Measured, name: str) -> None:
    """Draw a measured ground force over the stances of the walk without changes."""
    walk = study.walk if study.baseline is None else study.baseline
    percent = stride_percent(walk)
    for foot, colour in enumerate(COLOURS.values()):
        force = measured.at(measured.forces[name], percent[:, foot]) / walk.body.gravity
        force = np.where(percent[:, foot] <= STANCE, force, np.nan)
        axes.plot(walk.time, force, color=colour, linewidth=1.2, linestyle=DOTS)


def _draw_energy(axes: Axes, study: WalkStudy) -> None:
    """Draw kinetic energy, and changes of potential and total energy."""
    for walk, style in _walks(study):
        drawn = (
            (walk.kinetic, BLUE),
            (walk.gravity - walk.gravity[0], SAND),
            (walk.energy - walk.energy[0], INK),
        )
        for values, colour in drawn:
            axes.plot(walk.time, values, color=colour, **style)
    axes.set_title("energy [J]", loc="left")
    for text, colour, at in (("kinetic", BLUE, 0.33), ("Δ potential", SAND, 0.52), ("Δ total", INK, 0.80)):
        axes.text(at, 1.035, text, color=colour, fontsize=8.5, transform=axes.transAxes)


def _finish(axes: Axes, study: WalkStudy, lowest: bool, highest: bool) -> None:
    """Shade every second phase, and number them."""
    phases = study.walk.phases
    for each in phases:
        if each.phase % 2 == 1:
            axes.axvspan(each.start, each.end, color=SHADE, zorder=-1, linewidth=0.0)
        if highest and study.longest <= LONGEST_STRIP:
            middle, above = 0.5 * (each.start + each.end), axes.get_xaxis_transform()
            axes.text(middle, 1.015, str(each.phase), color=GREY, fontsize=7, ha="center", transform=above)
    axes.axhline(0.0, color=GREY, linewidth=0.6, zorder=0)
    axes.grid(axis="y", color="#e3e6e8", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlim(0.0, study.longest)
    if lowest:
        axes.set_xlabel("time [s]")


def _legend(study: WalkStudy, measured: Measured | None) -> tuple[list[Any], list[str]]:
    """Return what is explained, in the colours of both legs where it has both, and how."""
    handles: list[Any] = [Line2D([], [], color=colour) for colour in COLOURS.values()]
    labels = [f"{side} leg" for side in COLOURS]
    if study.baseline is not None:
        handles.append(Line2D([], [], color=GREY, linewidth=3.2, alpha=0.5))
        labels.append("without the change")
    if measured is not None:
        handles.append(tuple(Line2D([], [], color=colour, linestyle=DOTS) for colour in COLOURS.values()))
        labels.append(f"measured, {measured.name}")
        if measured.bands:
            handles.append(
                tuple(Patch(color=colour, alpha=0.15, linewidth=0.0) for colour in COLOURS.values())
            )
            labels.append("its band of one standard deviation")
    return handles, labels
