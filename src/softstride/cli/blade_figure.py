"""The picture of `softstride blade`: force against deflection, energy, and the blade as it bends."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from softstride.cli.picture_style import BLADE, DPI, GREY, INK, STYLE
from softstride.simulation.load_curve import LoadTest

FloatArray = NDArray[np.float64]

STATIONS = 121
SHAPES = 4
"""Loads at which the blade is drawn, besides none."""


def outline(test: LoadTest, angle: int, load: int) -> tuple[FloatArray, FloatArray]:
    """Return the two faces of a bent blade in the sagittal plane, clamp at the origin, shape (k, 2) each, [m]."""
    blade = test.blade
    s = np.linspace(0.0, blade.length, STATIONS)
    lengths = np.array([part.length for part in blade.rod.segments])
    middles = np.cumsum(lengths) - 0.5 * lengths
    half = 0.5 * np.interp(s, middles, blade.thickness)
    H = blade.poses(s, test.q[angle, load], float(test.angles[angle]))
    sole = np.array([blade.sole_offset(float(at)) for at in s])
    side = np.sign(sole[:, 2].mean())
    top = sole - np.array([0.0, 0.0, 2.0 * side]) * half[:, None]
    lower, upper = (H[:, :3, 3] + np.einsum("kij,kj->ki", H[:, :3, :3], offset) for offset in (sole, top))
    return lower[:, :2], upper[:, :2]


def draw_load_test(test: LoadTest, file: Path, measured: FloatArray | None = None) -> None:
    """Write the picture of a load test as PNG.

    Args:
        test: The test.
        file: Where to.
        measured: Rows of deflection [m], force [N] (and angle [°]) to draw beside it.
    """
    count = len(test.angles)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 7.6), layout="constrained")
        grid = figure.add_gridspec(2, 1, height_ratios=(1.0, 1.15))
        above, below = (figure.add_subfigure(grid[row]) for row in (0, 1))
        curves, energy = above.subplots(1, 2, width_ratios=(1.7, 1.0))
        shades = _shades(count)
        _draw_curves(curves, test, shades, measured)
        _draw_energy(energy, test, shades)
        panels = below.subplots(1, count, sharex=True, sharey=True, squeeze=False).ravel().tolist()
        for i, axes in enumerate(panels):
            _draw_shapes(axes, test, i)
        panels[0].set_ylabel("up from the clamp, which is held [mm]")
        figure.savefig(file, dpi=DPI, metadata={"Software": "softstride"})


def _shades(count: int) -> FloatArray:
    return np.asarray(colormaps["cividis"](np.linspace(0.05, 0.8, count)))


def _draw_curves(axes: Axes, test: LoadTest, shades: FloatArray, measured: FloatArray | None) -> None:
    for i, (fit, shade) in enumerate(zip(test.fits, shades, strict=True)):
        ok = test.converged[i]
        d, f = 1e3 * test.deflection[i][ok], test.force[i][ok]
        label = f"{np.degrees(test.angles[i]):g}°: {fit.linear / 1e3:.1f} kN/m"
        axes.plot(d, f, "o", color=shade, markersize=3.5, label=label)
        x = np.linspace(0.0, float(d[-1]), 60) / 1e3
        axes.plot(1e3 * x, fit.quadratic[0] * x + fit.quadratic[1] * x * x, color=shade, linewidth=1.4)
        axes.plot(1e3 * x, fit.linear * x, color=shade, linewidth=0.8, linestyle=(0, (4, 3)))
    if measured is not None:
        axes.plot(1e3 * measured[:, 0], measured[:, 1], "x", color=BLADE, markersize=5.0, label="measured")
    axes.set_title("force against deflection: points, parabola (line), straight line (dashed)", loc="left")
    axes.set_xlabel("deflection [mm]")
    axes.set_ylabel("force [N]")
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)
    axes.grid(color="#e3e6e8", linewidth=0.6)
    axes.legend(loc="upper left", title="angle and linear stiffness", title_fontsize=8, fontsize=8)


def _draw_energy(axes: Axes, test: LoadTest, shades: FloatArray) -> None:
    for i, shade in enumerate(shades):
        ok = test.converged[i]
        label = f"{np.degrees(test.angles[i]):g}°: {100.0 * test.energy_return[i]:.1f} % returned"
        axes.plot(test.force[i][ok], test.energy[i][ok], color=shade, linewidth=1.6, label=label)
    axes.set_title(f"energy stored; cycle of {1e3 * test.duration:.0f} ms", loc="left")
    axes.set_xlabel("force [N]")
    axes.set_ylabel("energy [J]")
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)
    axes.grid(color="#e3e6e8", linewidth=0.6)
    axes.legend(loc="upper left", fontsize=8)


def _draw_shapes(axes: Axes, test: LoadTest, i: int) -> None:
    """Draw the blade at one angle, unloaded and at some loads."""
    loads = np.flatnonzero(test.converged[i])
    chosen = np.unique(np.round(np.linspace(0, len(loads) - 1, SHAPES + 1)).astype(int))
    shades = colormaps["OrRd"](np.linspace(0.35, 0.95, len(chosen)))
    for k, shade in zip(chosen, shades, strict=True):
        load = int(loads[k])
        sole, top = (1e3 * face for face in outline(test, i, load))
        loop = np.concatenate([sole, top[::-1]])
        colour = GREY if load == 0 else shade
        axes.fill(loop[:, 0], loop[:, 1], facecolor=colour, edgecolor=INK, linewidth=0.3, alpha=0.95)
        low = float(sole[:, 1].min())
        at = float(
            np.interp(test.contact[i, load], np.linspace(0.0, test.blade.length, STATIONS), sole[:, 0])
        )
        axes.axhline(low, color=colour, linewidth=0.7, zorder=0)
        axes.plot(at, low, "^", color=INK, markersize=3.0, zorder=4)
    axes.plot(0.0, 0.0, "s", color=INK, markersize=5.0, zorder=5)
    axes.set_aspect("equal")
    axes.set_title(f"{np.degrees(test.angles[i]):g}°, 0 to {test.force[i, loads[-1]]:.0f} N", loc="left")
    axes.set_xlabel("forward [mm]")
