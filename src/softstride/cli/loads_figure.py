"""The picture of `softstride grf` and `softstride id`: ground reaction over time, joint moments over stance, bands."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from softstride.cli.picture_style import BLADE, BLUE, DPI, INK, STYLE
from softstride.dynamics.uncertainty.propagate import load_bands
from softstride.dynamics.validation.curves import GaitCurves, gait_cycles
from softstride.dynamics.validation.feet import foot_loads
from softstride.errors import InputError
from softstride.files import write_whole
from softstride.model.roles import FLEXIONS
from softstride.naming import side_of, split_side
from softstride.notes import Note
from softstride.signals.cycles import time_normalize

if TYPE_CHECKING:
    from softstride.dynamics.loads import Loads
    from softstride.dynamics.uncertainty.bands import LoadBands
    from softstride.naming import Side

Array = NDArray[np.float64]

FEET: tuple[tuple[Side, str], tuple[Side, str]] = (("right", BLUE), ("left", BLADE))
AXES = ("forward", "up", "to the right")
WIDTH = 2.0
"""Half the width of a band of errors, in standard deviations."""


def bands_of(loads: Loads, **options: Any) -> tuple[LoadBands | None, tuple[Note, ...]]:
    """Return bands of the errors of loads, or None and a note that says why there are none."""
    try:
        return load_bands(loads, **options), ()
    except InputError as error:
        told = f"the picture has no bands of errors: {error}"
        return None, (Note("figure.no-bands", told, topic="bands", options=error.options),)


def draw_loads(
    loads: Loads,
    file: Path,
    bands: LoadBands | None = None,
    measured: Loads | None = None,
    overwrite: bool = False,
) -> None:
    """Draw what acts on the feet over time, and the moments of hip, knee and ankle over stance.

    Args:
        loads: The loads.
        file: PNG, SVG or PDF.
        bands: Of their errors: two standard deviations are shaded.
        measured: Loads with measured forces, drawn as broken lines.
        overwrite: Whether a file that exists may be replaced.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(10.0, 5.6), layout="constrained")
        above, below = figure.subplots(2, 3)
        _draw_ground(above, loads, bands, measured)
        _draw_joints(below, loads, bands, measured)
        handles: dict[str, Artist] = {}
        for axes in (*above, *below):
            handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        figure.legend(
            list(handles.values()), list(handles), loc="outside lower center", ncols=len(handles) or 1
        )
        figure.suptitle(f"{loads.model.name}: ground reaction and joint moments")
        page = io.BytesIO()
        figure.savefig(page, format=file.suffix[1:].lower(), dpi=DPI)
    write_whole(file, page.getvalue(), overwrite=overwrite)


def _draw_ground(panels: Array, loads: Loads, bands: LoadBands | None, measured: Loads | None) -> None:
    weight = loads.model.mass * float(np.linalg.norm(loads.model.gravity))
    feet, plates = foot_loads(loads.wrenches), {} if measured is None else foot_loads(measured.wrenches)
    for k, axes in enumerate(panels):
        for side, colour in FEET:
            if side in plates and measured is not None:
                axes.plot(
                    measured.time,
                    plates[side].force[:, k] / weight,
                    "--",
                    color=INK,
                    lw=1.0,
                    label="measured",
                )
            if side not in feet:
                continue
            value = feet[side].force[:, k] / weight
            axes.plot(loads.time, value, color=colour, lw=1.4, label=f"{side} foot")
            if bands is not None:
                spread = [bands.std(name)[:, k] for name in feet[side].parts]
                _shade(
                    axes,
                    loads.time,
                    value,
                    np.sqrt(np.sum(np.square(spread), axis=0)) / weight,
                    colour,
                    "errors",
                )
        axes.axhline(0.0, color=INK, lw=0.5)
        axes.set(
            title=f"ground reaction, {AXES[k]}",
            xlabel="time [s]",
            ylabel="force [body weights]" if k == 0 else "",
        )


def _draw_joints(panels: Array, loads: Loads, bands: LoadBands | None, measured: Loads | None) -> None:
    mass = loads.model.mass
    for axes, (joint, words) in zip(panels, FLEXIONS.items(), strict=True):
        along = ""
        for side, colour in FEET:
            name = _coordinate(loads, words, side)
            curves = _stances(loads, side)
            if name is None or curves is None:
                continue
            along = f" along {split_side(name)[1]}"
            column = curves.labels.index(name)
            mean, std, of = curves.mean[:, column], curves.sd[:, column], "stances"
            if bands is not None:
                over = time_normalize(
                    loads.time, bands.std(name), curves.starts, curves.ends, len(curves.percent)
                )
                std, of = over.mean(axis=0), "errors"
            axes.plot(curves.percent, mean / mass, color=colour, lw=1.4, label=f"{side} foot")
            _shade(axes, curves.percent, mean / mass, std / mass, colour, of)
            beside = None if measured is None else _stances(measured, side)
            if beside is not None:
                axes.plot(
                    beside.percent, beside.mean[:, column] / mass, "--", color=INK, lw=1.0, label="measured"
                )
        axes.axhline(0.0, color=INK, lw=0.5)
        axes.set(
            title=f"{joint} moment{along}",
            xlabel="stance [%]",
            ylabel="moment [N·m/kg]" if joint == "hip" else "",
        )


def _shade(axes: Axes, x: Array, value: Array, std: Array, colour: str, of: str) -> None:
    if np.isfinite(std).any():
        low, high = value - WIDTH * std, value + WIDTH * std
        axes.fill_between(
            x, low, high, color=colour, alpha=0.2, lw=0.0, label=f"{of}, ±2 standard deviations"
        )


def _coordinate(loads: Loads, words: tuple[str, ...], side: Side) -> str | None:
    """Return the coordinate that is the flexion of a joint of one side."""
    own = {name: split_side(name)[1] for name in loads.model.coordinate_names if side_of(name) == side}
    return next((name for word in words for name, rest in own.items() if rest.startswith(word)), None)


def _stances(loads: Loads, side: Side) -> GaitCurves | None:
    try:
        return gait_cycles(loads, side=side, over="stance")
    except InputError:  # no whole stance in this part of the motion
        return None
