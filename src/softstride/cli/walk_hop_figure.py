"""The picture of a hop: leg and bent blade at several instants, height of the hip, ground force, energy."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from softstride.cli.picture_style import BLADE, BLUE, GREY, INK, SAND, STYLE
from softstride.cli.walk_figure import SHADE, save
from softstride.cli.walk_hop import hop_weight

if TYPE_CHECKING:
    from softstride.gait.hop import HopResult

SLOT = 0.42
"""From pose to pose [m]."""

WORDS = {"landing": "landing", "lowest": "lowest", "take-off": "take-off", "apex": "top"}


def draw_hop(result: HopResult, form: str) -> bytes:
    """Return the picture of a hop as a file of this form, "png" or "svg"."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "softstride"}):
        figure = Figure(figsize=(11.0, 6.6), layout="constrained")
        grid = figure.add_gridspec(2, 3, height_ratios=(1.55, 1.0))
        _draw_poses(figure.add_subplot(grid[0, :]), result)
        plots = [figure.add_subplot(grid[1, column]) for column in range(3)]
        _draw_height(plots[0], result)
        _draw_force(plots[1], result)
        _draw_energy(plots[2], result)
        for axes in plots:
            _finish(axes, result)
        told = f"A leg of {result.leg.model.mass:.1f} kg on a running blade: dropped, pushed off"
        figure.suptitle(
            told if result.completed else f"{told}\nended: {result.ended}", x=0.01, ha="left", fontsize=11
        )
        return save(figure, form)


def pose_instants(result: HopResult) -> list[tuple[float, str]]:
    """Return instants to draw with a word: start, events, and halfway between them."""
    found = [(float(result.motion.time[0]), "start")]
    found += sorted((at, WORDS[name]) for name, at in result.events.items() if name in WORDS)
    if not result.completed:
        found.append((float(result.motion.time[-1]), "end"))
    between = [(0.5 * (a[0] + b[0]), "") for a, b in pairwise(found)]
    return sorted(found + between)


def _draw_poses(axes: Axes, result: HopResult) -> None:
    """Draw leg and blade side by side; behind each the unloaded shape of the blade, held by the same shank."""
    time, lines, rest = result.motion.time, result.sticks(), unloaded_blade(result)
    floor = 0.0
    instants = pose_instants(result)
    for place, (instant, word) in enumerate(instants):
        frame = int(np.argmin(np.abs(time - instant)))
        shift = np.array([SLOT * place - lines["leg"][frame, 0, 0], 0.0])
        axes.plot(*(rest[frame] + shift).T, color=GREY, linewidth=1.2, linestyle=(0, (2, 1.5)))
        axes.plot(*(lines["leg"][frame] + shift).T, color=INK, linewidth=2.4, marker="o", markersize=3.5)
        axes.plot(*(lines["blade"][frame] + shift).T, color=BLADE, linewidth=2.4, solid_capstyle="round")
        force = result.ground.force[frame, :2] / hop_weight(result)
        if force[1] > 0.0:
            foot = np.array([result.ground.point[frame, 0], floor]) + shift
            axes.annotate(
                "",
                xy=tuple(foot + 0.12 * force),
                xytext=tuple(foot),
                arrowprops={"arrowstyle": "-|>", "color": BLUE, "linewidth": 1.2},
            )
        axes.text(SLOT * place, -0.13, f"{instant:.3f} s\n{word}", ha="center", va="top", fontsize=7.5)
    ends = -0.6 * SLOT, SLOT * (len(instants) - 0.4)
    axes.plot(ends, [floor, floor], color=INK, linewidth=0.8, zorder=0)
    axes.set_xlim(*ends)
    axes.set_ylim(-0.25, float(lines["leg"][..., 1].max()) + 0.05)
    axes.set_aspect("equal")
    axes.set_axis_off()
    told = "blade bent (red) and as it would be unloaded (dashed); arrows: ground force, 0.12 m a body weight"
    axes.set_title(told, loc="left", fontsize=8)


def unloaded_blade(result: HopResult) -> np.ndarray:
    """Return the middle line of the blade without its strains, on the shank as it is, shape (n, k, 2), [m]."""
    leg, q = result.leg, np.array(result.motion.q)
    q[:, list(leg.model.q_indices(leg.blade))] = leg.model.neutral()[list(leg.model.q_indices(leg.blade))]
    return np.asarray(leg.centreline(q, np.linspace(0.0, 1.0, 25))[..., :2])


def _draw_height(axes: Axes, result: HopResult) -> None:
    axes.plot(result.motion.time, result.motion.coordinate("hip_y"), color=INK)
    axes.set_title("height of the hip [m]", loc="left")


def _draw_force(axes: Axes, result: HopResult) -> None:
    for axis, colour, word, at in ((1, BLADE, "upward", 0.93), (0, BLUE, "forward", 0.86)):
        axes.plot(result.motion.time, result.ground.force[:, axis] / hop_weight(result), color=colour)
        axes.text(0.99, at, word, color=colour, fontsize=8.5, ha="right", transform=axes.transAxes)
    axes.set_title("ground force [body weights]", loc="left")


def _draw_energy(axes: Axes, result: HopResult) -> None:
    parts = result.energies
    total = parts["kinetic"] + parts["gravity"] + parts["elastic"]
    drawn = (
        (parts["elastic"], BLADE, "blade", 0.30),
        (parts["kinetic"], BLUE, "kinetic", 0.45),
        (parts["gravity"] - parts["gravity"][0], SAND, "Δ potential", 0.63),
        (total - total[0], INK, "Δ total", 0.86),
    )
    for values, colour, word, at in drawn:
        axes.plot(result.motion.time, values, color=colour)
        axes.text(at, 1.035, word, color=colour, fontsize=8.5, transform=axes.transAxes)
    axes.set_title("energy [J]", loc="left")


def _finish(axes: Axes, result: HopResult) -> None:
    for name, first, last in result.phases:
        if name in ("down", "push"):
            axes.axvspan(first, last, color=SHADE, zorder=-1, linewidth=0.0)
    lowest = result.events.get("lowest")
    if lowest is not None:
        axes.axvline(lowest, color=GREY, linewidth=0.6, linestyle=(0, (1, 2)))
    if axes.get_ylim()[0] < 0.0:
        axes.axhline(0.0, color=GREY, linewidth=0.6, zorder=0)
    axes.grid(axis="y", color="#e3e6e8", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlim(result.motion.time[0], result.motion.time[-1])
    axes.set_xlabel("time [s]")
