"""The pictures of `softstride segments`: angles, moments and powers by cycle, four methods, and the file's channels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from softstride.cli.picture_style import BLADE, BLUE, DPI, GREY, INK, SAND, STYLE
from softstride.cli.segments_table import ENDS
from softstride.cli.segments_tables import cycles_of
from softstride.dynamics.validation.curves import GaitCurves
from softstride.naming import SIDES, Side
from softstride.segments.analysis import four_methods
from softstride.segments.body_size import Normalisation
from softstride.segments.compare import ChannelComparison, compare_with_file
from softstride.segments.cycles import curve_unit, side_curves
from softstride.segments.study import SegmentStudy

Array = NDArray[np.float64]

COLOURS = {"right": BLADE, "left": BLUE}
METHOD_STYLES = {
    "nonorthonormal": (INK, 2.6, "-"),
    "euler": (BLADE, 1.6, (0, (5, 2))),
    "homogeneous": (SAND, 1.4, (0, (2, 2))),
    "quaternion": (BLUE, 1.2, (0, (1, 1.5))),
}
ROUNDING = 1e-12
"""Differences of moments below which nothing is drawn [N m]."""

LIMBS = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")


def draw_study(study: SegmentStudy, out: Path, by: Normalisation) -> list[Path]:
    """Write the pictures that a study has and return their paths."""
    written: list[Path] = []
    cycles = cycles_of(study, by)
    for name, ending in (("angles", "angle"), ("moments", "moment"), ("powers", "power")):
        file = out / f"{name}.png"
        if _draw_curves(study, cycles, ending, file, by):
            written.append(file)
    if study.loads is not None:
        written.append(out / "methods.png")
        _draw_methods(study, written[-1])
    channels = compare_with_file(study)
    if channels:
        written.append(out / "file.png")
        _draw_channels(study, channels, written[-1])
    return written


def _draw_curves(
    study: SegmentStudy, cycles: dict[str, GaitCurves], ending: str, file: Path, by: Normalisation
) -> bool:
    """Draw one kind of curve for every joint of the limbs; False where there is none."""
    curves = {side: side_curves(study, side, by) for side in SIDES}
    labels = list(dict.fromkeys(x for each in curves.values() for x in each if x.endswith(ending)))
    joints = [limb for limb in LIMBS if any(x.startswith(f"{limb} ") for x in labels)]
    if not joints:
        return False
    wide = 1 if ending == "power" else 3
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(10.0 if wide == 3 else 6.0, 0.8 + 2.3 * len(joints)), layout="constrained")
        panels = figure.subplots(len(joints), wide, squeeze=False, sharex=True)
        for row, joint in enumerate(joints):
            mine = [x for x in labels if x.startswith(f"{joint} ")]
            for axes, label in zip(panels[row], mine, strict=False):
                _draw_panel(axes, study, cycles, curves, label)
                axes.set_ylabel(f"{label} [{curve_unit(label, by)}]", fontsize=8.0)
        for axes in panels[-1]:
            axes.set_xlabel("gait cycle [%]" if cycles else "time [s]")
        figure.suptitle(f"{study.name}: {ending}s", x=0.01, ha="left", fontsize=11)
        _explain(figure, panels)
        figure.savefig(file, dpi=DPI, metadata={"Software": "softstride"})
    return True


def _explain(figure: Figure, panels: np.ndarray) -> None:
    """Put a legend below, with every label once, of the first panel that has it."""
    told: dict[str, Artist] = {}
    for axes in panels.ravel():
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            told.setdefault(name, handle)
    figure.legend(list(told.values()), list(told), loc="outside lower center", ncols=4)


def _draw_panel(
    axes: Axes,
    study: SegmentStudy,
    cycles: dict[str, GaitCurves],
    curves: Mapping[Side, dict[str, Array]],
    label: str,
) -> None:
    axes.axhline(0.0, color=GREY, linewidth=0.7)
    for side in SIDES:
        colour = COLOURS[side]
        if cycles:
            each = cycles.get(side)
            if each is None or label not in each.labels:
                continue
            low, mean, high = each.band(label)
            count = len(each.starts)
            told = f"{side}, {count} cycle" if count == 1 else f"{side}, mean and sd of {count} cycles"
            axes.plot(each.percent, mean, color=colour, linewidth=1.6, label=told)
            if count > 1:
                axes.fill_between(each.percent, low, high, color=colour, alpha=0.2, linewidth=0.0)
        elif label in curves[side]:
            axes.plot(study.time, curves[side][label], color=colour, linewidth=1.4, label=side)
    axes.grid(color="#e3e6e8", linewidth=0.6)
    axes.margins(x=0.0)
    if cycles:
        axes.set_xlim(0.0, 100.0)


def _draw_methods(study: SegmentStudy, file: Path) -> None:
    """Draw the moment about the first axis of each joint by four methods, and what they differ by on a log axis."""
    found = four_methods(study)
    joints = [j for j in study.joints.values() if j.side is not None and np.isfinite(j.projection).any()]
    joints = [j for side in SIDES for j in joints if j.side == side]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(10.0, 0.8 + 1.9 * max(1, len(joints))), layout="constrained")
        panels = figure.subplots(max(1, len(joints)), 2, squeeze=False, sharex=True)
        for row, joint in enumerate(joints):
            series = {
                method: np.einsum("nj,nj->n", loads.moment_on(joint.distal), joint.axes[:, 0])
                for method, loads in found.items()
            }
            for method, values in series.items():
                colour, width, style = METHOD_STYLES[method]
                panels[row, 0].plot(
                    study.time, values, color=colour, linewidth=width, linestyle=style, label=method
                )
                if method != "nonorthonormal":
                    gap = np.maximum(np.abs(values - series["nonorthonormal"]), ROUNDING)
                    if len(gap) > 2 * ENDS:
                        gap[:ENDS] = gap[-ENDS:] = np.nan  # the ends of a spline are free
                    panels[row, 1].plot(study.time, gap, color=colour, linewidth=1.2, label=method)
            panels[row, 0].set_ylabel(f"{joint.name}\n{joint.words[0]} moment [N m]", fontsize=8.0)
            panels[row, 1].set_ylabel("apart from\nnonorthonormal [N m]", fontsize=8.0)
            panels[row, 1].set_yscale("log")
            panels[row, 1].set_ylim(ROUNDING, 1.0)
            panels[row, 1].set_yticks([1e-12, 1e-9, 1e-6, 1e-3, 1.0])
        for axes in panels.ravel():
            axes.grid(color="#e3e6e8", linewidth=0.6)
            axes.margins(x=0.0)
        for axes in panels[-1]:
            axes.set_xlabel("time [s]")
        figure.suptitle(
            f"{study.name}: four methods, and how far apart they are", x=0.01, ha="left", fontsize=11
        )
        handles, names = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=4)
        figure.savefig(file, dpi=DPI, metadata={"Software": "softstride"})


def _draw_channels(study: SegmentStudy, channels: tuple[ChannelComparison, ...], file: Path) -> None:
    """Draw sagittal angles and moments, and powers, beside those of the file."""
    shown = [c for c in channels if c.plane in ("sagittal", "")]
    joints = list(dict.fromkeys(c.joint for side in SIDES for c in shown if c.joint.startswith(side)))
    kinds = [kind for kind in ("angle", "moment", "power") if any(c.quantity == kind for c in shown)]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(3.6 * len(kinds), 0.8 + 1.8 * len(joints)), layout="constrained")
        panels = figure.subplots(len(joints), len(kinds), squeeze=False, sharex=True)
        for c in shown:
            axes = panels[joints.index(c.joint), kinds.index(c.quantity)]
            axes.plot(study.time, c.file, color=GREY, linewidth=3.0, label="in the file")
            axes.plot(study.time, c.own, color=INK, linewidth=1.2, label="from landmarks")
            axes.set_title(f"r = {c.r:.3f}", loc="right", fontsize=8.0, pad=2.0)
            axes.set_ylabel(f"{c.joint}\n{c.quantity} [{c.unit}]", fontsize=8.0)
            axes.grid(color="#e3e6e8", linewidth=0.6)
            axes.margins(x=0.0)
        for axes in panels[-1]:
            axes.set_xlabel("time [s]")
        figure.suptitle(f"{study.name}: beside the channels of its file", x=0.01, ha="left", fontsize=11)
        _explain(figure, panels)
        figure.savefig(file, dpi=DPI, metadata={"Software": "softstride"})
