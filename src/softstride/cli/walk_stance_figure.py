"""The picture of a planar stance: stick figures, ankle, ground reaction and centre of pressure beside the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from softstride.cli.picture_style import BLADE, GREY, INK, STYLE
from softstride.cli.walk_figure import DOTS, save
from softstride.cli.walk_peaks import cut_peaks
from softstride.cli.walk_stance import NOTICED, body_weight, stance_events, swing_depth
from softstride.cli.walk_sticks import COLOURS, event_mark
from softstride.naming import LETTERS

if TYPE_CHECKING:
    from softstride.gait.planar_walk import StanceResult

POSES = 9
HEAD = 0.11  # [m]


def draw_stance(result: StanceResult, form: str) -> bytes:
    """Return the picture of a stance as a file of this form, "png" or "svg"."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "softstride"}):
        figure = Figure(figsize=(11.0, 6.4), layout="constrained")
        grid = figure.add_gridspec(2, 3, width_ratios=(0.95, 1.0, 1.0))
        _draw_poses(figure.add_subplot(grid[:, 0]), result)
        plots = [figure.add_subplot(grid[row, column]) for row in (0, 1) for column in (1, 2)]
        _draw_ankle(plots[0], result)
        _draw_force(plots[1], plots[3], result)
        _draw_pressure(plots[2], result)
        for axes in plots[1:]:
            cut_peaks(axes)
        for axes in plots:
            _finish(axes, result, marked=axes in plots[:2])
        for axes in plots[2:]:
            axes.set_xlabel("gait cycle [%]")
        foot = "a foot that rolls" if result.contact == "rolling" else "a foot on three spheres"
        told = f"Planar walker, {foot}; reference: {result.reference.source}"
        lines = [told, *([] if result.completed else [f"ended: {result.ended}"])]
        figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=11)
        handles = [
            Line2D([], [], color=BLADE, label="simulated"),
            Line2D([], [], color=INK, linestyle=DOTS, label="reference"),
        ]
        figure.legend(handles=handles, loc="outside lower right", ncols=2, fontsize=8.5)
        return save(figure, form)


def _percent(result: StanceResult, time: np.ndarray) -> np.ndarray:
    return np.asarray(100.0 * (time - result.reference.strike) / result.reference.cycle)


def _draw_poses(axes: Axes, result: StanceResult) -> None:
    """Draw the walker where it is at equal intervals; the swinging leg thin."""
    time, lines = result.motion.time, result.sticks()
    instants = np.linspace(time[0], time[-1], POSES)
    stands = result.reference.side
    for number, instant in enumerate(instants):
        frame = int(np.argmin(np.abs(time - instant)))
        strong = 0.35 + 0.65 * number / (POSES - 1)
        for name, places in lines.items():
            part, _, side = name.partition("_")
            colour = COLOURS[LETTERS[side]] if side else INK
            heavy = 2.0 if side == stands else 1.0 if part != "trunk" else 1.4
            axes.plot(*places[frame].T, color=colour, linewidth=heavy, alpha=strong, solid_joinstyle="round")
        shoulders, hips = lines["trunk"][frame, -1], lines["trunk"][frame, 0]
        up = (shoulders - hips) / np.linalg.norm(shoulders - hips)
        around = np.linspace(0.0, 2.0 * np.pi, 40)
        head = shoulders + up * (0.06 + HEAD)
        ring = head + HEAD * np.stack([np.cos(around), np.sin(around)], axis=1)
        axes.plot(*ring.T, color=INK, linewidth=1.0, alpha=strong)
    floor = float(np.nanmin(result.ground.point[:, 1]))
    ends = min(x[..., 0].min() for x in lines.values()), max(x[..., 0].max() for x in lines.values())
    axes.plot([ends[0] - 0.1, ends[1] + 0.1], [floor, floor], color=INK, linewidth=0.8, zorder=0)
    every = 1e3 * float(instants[1] - instants[0])
    below = swing_depth(result)
    sunk = (
        f"\nthe foot that swings follows its reference:\n{1e3 * below:.0f} mm below the floor at most"
        if below > NOTICED
        else ""
    )
    axes.set_title(
        f"every {every:.0f} ms, faint to strong; the leg that stands heavier{sunk}", loc="left", fontsize=7
    )
    axes.set_aspect("equal")
    axes.set_yticks([])
    axes.tick_params(axis="x", length=0.0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("forward [m]")


def _draw_ankle(axes: Axes, result: StanceResult) -> None:
    time, measured = result.measured(f"ankle_{result.reference.side}")
    axes.plot(_percent(result, result.motion.time), np.degrees(result.ankle), color=BLADE)
    axes.plot(_percent(result, time), np.degrees(measured), color=INK, linestyle=DOTS)
    axes.set_title(f"ankle dorsiflexion [°], rms {result.ankle_rms_deg:.2f}°", loc="left", pad=12.0)


def _draw_force(upward: Axes, forward: Axes, result: StanceResult) -> None:
    weight = body_weight(result)
    time, measured = result.measured_force()
    for axes, axis, word in ((upward, 1, "upward"), (forward, 0, "forward")):
        force = result.ground.force[:, axis] / weight
        axes.plot(_percent(result, result.motion.time), force, color=BLADE, linewidth=1.1)
        axes.plot(_percent(result, time), measured[:, axis] / weight, color=INK, linestyle=DOTS)
        axes.set_title(f"{word} ground force [body weights]", loc="left", pad=12.0 if axis else 6.0)


def _draw_pressure(axes: Axes, result: StanceResult) -> None:
    """Draw the centre of pressure, ahead of where it begins."""
    time = result.reference.time
    inside = (time >= result.motion.time[0]) & (time <= result.motion.time[-1])
    wrench = np.asarray(result.reference.wrenches[result.reference.side])[inside]
    floor = float(np.nanmin(result.ground.point[:, 1]))
    measured = (wrench[:, 2] + floor * wrench[:, 0]) / wrench[:, 1]
    pressed = result.ground.point[:, 0]
    origin = float(measured[0]) if len(measured) else float(pressed[np.isfinite(pressed)][0])
    axes.plot(_percent(result, result.motion.time), 1e3 * (pressed - origin), color=BLADE)
    axes.plot(_percent(result, time[inside]), 1e3 * (measured - origin), color=INK, linestyle=DOTS)
    axes.set_title("centre of pressure, forward [mm]", loc="left")


def _finish(axes: Axes, result: StanceResult, *, marked: bool) -> None:
    time = _percent(result, result.motion.time)
    reached = [(name, at) for name, at in stance_events(result).items() if at is not None]
    for number, (name, at) in enumerate(reached):
        place = 100.0 * at / result.reference.cycle
        axes.axvline(place, color=GREY, linewidth=0.6, linestyle=(0, (1, 2)))
        if marked:
            side = "left" if number % 2 else "right"  # so that neighbours do not meet
            above = axes.get_xaxis_transform()
            axes.text(place, 1.015, event_mark(name), color=GREY, fontsize=7, ha=side, transform=above)
    axes.grid(axis="y", color="#e3e6e8", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlim(time[0], time[-1])
