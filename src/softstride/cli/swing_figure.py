"""The picture of `softstride demo`: the leg at equal intervals, the bent blade, and four plots over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from softstride.cli.swing import Swing

INK = "#22303c"
BLADE = "#c8442e"
BLUE = "#2f6690"
SAND = "#d9a441"
GREY = "#9aa5ad"
DPI = 200

STROBE_FRAMES = 75  # between two poses
STROBE_POSES = 10

STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "legend.frameon": False,
}


def draw_swing(swing: Swing, file: Path) -> None:
    """Write the picture of a swing as PNG."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 8.4), layout="constrained")
        grid = figure.add_gridspec(2, 1, height_ratios=(1.25, 1.0))
        above, below = (figure.add_subfigure(grid[row]) for row in (0, 1))
        strobe, shape = above.subplots(1, 2, width_ratios=(1.9, 1.0))
        _draw_strobe(strobe, swing)
        _draw_shape(shape, swing)
        _draw_plots(below.subplots(2, 2, sharex=True).ravel().tolist(), swing)
        figure.savefig(file, dpi=DPI, metadata={"Software": "softstride"})


def _draw_strobe(axes: Axes, swing: Swing) -> None:
    """Draw the leg at equal intervals while it swings back for the first time."""
    frames = np.arange(0, min(len(swing.motion.time), STROBE_FRAMES * STROBE_POSES), STROBE_FRAMES)
    shades = colormaps["cividis"](np.linspace(0.0, 0.85, len(frames)))
    for frame, shade in zip(frames, shades, strict=True):
        leg, blade = swing.joints[frame], swing.centreline[frame]
        axes.plot(leg[:, 0], leg[:, 1], color=shade, linewidth=3.0, alpha=0.9, solid_capstyle="round")
        axes.plot(leg[1, 0], leg[1, 1], "o", color=shade, markersize=5.0)
        axes.plot(blade[:, 0], blade[:, 1], color=shade, linewidth=1.5)
        axes.plot(blade[-1, 0], blade[-1, 1], "o", color=BLADE, markersize=3.0)
    axes.plot(*swing.joints[0, 0, :2], "o", color="white", markeredgecolor=INK, markersize=8.0, zorder=3)
    interval = 1e3 * float(swing.motion.time[STROBE_FRAMES] - swing.motion.time[0])
    axes.set_title(f"leg and blade every {interval:.0f} ms, dark to light", loc="left")
    axes.set_aspect("equal")
    axes.set_xlabel("forward [m]")
    axes.set_ylabel("up [m]")


def _draw_shape(axes: Axes, swing: Swing) -> None:
    """Draw the blade unloaded and at its largest deflection, as the shank sees it."""
    for shape, colour, words in zip(swing.shapes, (GREY, BLADE), ("unloaded", "largest load"), strict=True):
        axes.plot(1e3 * shape[:, 0], 1e3 * shape[:, 1], color=colour, linewidth=2.5, label=words)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_title(f"blade on the shank, toe {1e3 * swing.tip_deflection.max():.1f} mm away", loc="left")
    axes.set_xlabel("forward [mm]")
    axes.set_ylabel("up [mm]")
    axes.legend(loc="upper right")


def _draw_plots(plots: list[Axes], swing: Swing) -> None:
    """Draw angles, deflection, energy and moment over time."""
    angles, deflection, energy, moment = plots
    t, q = swing.motion.time, swing.motion.q
    for link, joint, colour in (("thigh", "hip", BLUE), ("shank", "knee", SAND)):
        angles.plot(t, np.degrees(q[:, swing.model.q_indices(link)[0]]), color=colour, label=joint)
    deflection.plot(t, 1e3 * swing.tip_deflection, color=BLADE, linewidth=0.9)
    parts, total = swing.motion.energy, swing.motion.energy.total
    energy.plot(t, parts.kinetic, color=BLUE, label="kinetic")
    energy.plot(t, total - parts.kinetic - total[0], color=SAND, label="potential")
    energy.plot(t, total - total[0], color=INK, label="total")
    middle = swing.moments.shape[1] // 2
    moment.plot(t, swing.moments[:, 0], color=BLADE, linewidth=0.9, label="at the socket")
    moment.plot(t, swing.moments[:, middle], color=INK, linewidth=0.7, label="in the bend")
    labels = ("joint angle [°]", "toe deflection [mm]", "energy [J]", "blade moment [N·m]")
    for axes, label in zip(plots, labels, strict=True):
        axes.set_ylabel(label)
        axes.grid(color="#e3e6e8", linewidth=0.6)
        axes.set_xlim(t[0], t[-1])
        if axes is not deflection:
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=3, fontsize=8)
    for axes in (energy, moment):
        axes.set_xlabel("time [s]")
