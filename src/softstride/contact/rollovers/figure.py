"""The picture of a fitted rollover: places against tilt, radii of curvature, and the sole that rolls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.fit_errors import fit_data
from softstride.contact.inputs import FloatArray
from softstride.contact.rolling_fit import RollingFit
from softstride.contact.spline_fit import SplineFit
from softstride.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GREY = "#22303c", "#9aa5ad"
LINES = (("#c8442e", "-"), ("#2f6690", (0, (5, 2))), ("#d9a441", (0, (1.5, 1.5))))
STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "legend.frameon": False,
}
BAND = 2.0  # standard errors to both sides


def rollover_figure(
    a: ArrayLike, s: ArrayLike, fits: Mapping[str, SplineFit | RollingFit], title: str = ""
) -> Figure:
    """Return the picture of measured places and the surfaces fitted to them.

    Above: places of the contact with each fit and a band of two standard errors, and radii of curvature on a
    logarithmic scale; below: the soles in foot axes, undistorted. `figure.savefig("rollover.png", dpi=200)` keeps it.

    Args:
        a: Tilts, shape (n,), [rad].
        s: Places of the contact, shape (n,), [m], as the fits were given them.
        fits: One to three fits by the name of their line.
        title: Of the picture.

    Raises:
        InputError: Data that are too few, or no fit, or more than three.
    """
    import matplotlib
    from matplotlib.figure import Figure

    a, s = fit_data(a, s)
    if not 1 <= len(fits) <= len(LINES):
        raise InputError(
            f"a picture of a rollover shows 1 to {len(LINES)} fits, however there are {len(fits)}"
        )
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.6, 6.0), layout="constrained")
        grid = figure.add_gridspec(2, 2, height_ratios=(1.7, 1.0))
        places, radii = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[0, 1])
        outline = figure.add_subplot(grid[1, :])
        offset = next(iter(fits.values())).offset
        places.plot(
            np.degrees(a), 1e3 * (s - offset), "o", color=INK, ms=3.2, mew=0.0, label="measured", zorder=4
        )
        for (name, fit), (colour, dashes) in zip(fits.items(), LINES, strict=False):
            style: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 1.6}
            tilt = np.linspace(fit.tilts.min(), fit.tilts.max(), 601)
            _draw_places(places, tilt, fit, offset, f"{name}, rms {1e3 * fit.rms:.1f} mm", style)
            radii.semilogy(np.degrees(tilt), 1e3 * fit.surface.rho(tilt), **style)
            xi, zeta = 1e3 * fit.surface.outline(tilt).T
            outline.plot(xi, zeta, **style)
        _label(places, radii, outline)
        if title:
            figure.suptitle(title, fontsize=10.5, x=0.01, ha="left")
    return figure


def _draw_places(
    axes: Axes, tilt: FloatArray, fit: SplineFit | RollingFit, offset: float, told: str, style: dict[str, Any]
) -> None:
    middle, error = fit.offset - offset + fit.surface.s(tilt), BAND * fit.place_error(tilt)
    degrees = np.degrees(tilt)
    axes.plot(degrees, 1e3 * middle, label=told, **style)
    axes.fill_between(
        degrees,
        1e3 * (middle - error),
        1e3 * (middle + error),
        color=style["color"],
        alpha=0.18,
        linewidth=0.0,
    )


def _label(places: Axes, radii: Axes, outline: Axes) -> None:
    places.set(
        xlabel="tilt, heel up + [deg]",
        ylabel="centre of pressure [mm]",
        title="rolled distance, band of two standard errors",
    )
    places.legend(loc="lower right", fontsize=8.0)
    radii.set(xlabel="tilt, heel up + [deg]", ylabel="radius [mm]", title="radius of curvature")
    outline.set(xlabel="forward in the foot [mm]", ylabel="up [mm]", title="sole that rolls")
    outline.set_aspect("equal", adjustable="datalim")
    outline.axhline(0.0, color=GREY, linewidth=0.7, zorder=0)
    for axes in (places, radii):
        axes.axvline(0.0, color=GREY, linewidth=0.7, zorder=0)
        axes.grid(color="#e3e6e8", linewidth=0.6)
        axes.set_axisbelow(True)
