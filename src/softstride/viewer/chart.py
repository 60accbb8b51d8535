"""A plot in the page with a cursor that goes with the replay."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.viewer.curves import Plot

Floats = NDArray[np.float64]

MOST = 500
"""Samples of a curve that are sent; a panel is not wider."""


class Chart:
    """A plot of curves over time, and a line at one instant.

    Args:
        gui: Of the server.
        time: Instants of the curves [s].
        plot: The curves.
        ink: Colour of the line, as CSS has it.
        height: In pixels.
    """

    def __init__(self, gui: Any, time: Floats, plot: Plot, ink: str, height: int = 150) -> None:
        self._plot, self._ink, self._instant = plot, ink, float(time[0])
        self._take(time)
        self._handle = gui.add_uplot(
            self._data(),
            self._series(),
            scales=self._scales(),
            axes=({"size": 30, "ticks": {"size": 4}}, {"size": 48, "ticks": {"size": 4}}),
            legend={"show": False},
            cursor={"show": False},
            height=height,
            padding=(8, 10, 0, 0),
        )

    def _take(self, time: Floats) -> None:
        self._every = max(1, -(-len(time) // MOST))
        self._time = np.asarray(time, dtype=np.float64)[:: self._every]

    def _scales(self) -> dict[str, Any]:
        stop = max(float(self._time[-1]), float(self._time[0]) + 1e-3)
        return {
            "x": {"time": False, "range": (float(self._time[0]), stop)},
            "y": {"range": self._plot.range},
        }

    def _series(self) -> tuple[dict[str, Any], ...]:
        lines = [
            {
                "label": curve.name,
                "stroke": curve.colour or self._ink,
                "width": 1 if curve.dashed else 2,
                **({"dash": (5, 4)} if curve.dashed else {}),
                "points": {"show": False},
            }
            for curve in self._plot.curves
        ]
        now = {"label": "now", "stroke": self._ink, "width": 1, "points": {"show": False}}
        return ({"label": "s"}, *lines, now)

    def _data(self) -> tuple[Floats, ...]:
        """Return time, curves and the line at the instant; two samples at that instant carry the line."""
        place = int(np.searchsorted(self._time, self._instant))
        x = np.insert(self._time, place, [self._instant, self._instant])
        columns = [x]
        for curve in self._plot.curves:
            values = curve.values[:: self._every]
            here = float(np.interp(self._instant, self._time, values))
            columns.append(np.insert(values, place, [here, here]))
        line = np.full(len(x), np.nan)
        line[place : place + 2] = self._plot.range
        return (*columns, line)

    @property
    def plot(self) -> Plot:
        """What is shown."""
        return self._plot

    def go(self, instant: float) -> None:
        """Move the line."""
        if instant != self._instant:
            self._instant = float(instant)
            self._handle.data = self._data()

    def show(self, plot: Plot, time: Floats | None = None) -> None:
        """Show another plot, over other instants where they are given."""
        self._plot = plot
        if time is not None:
            self._take(time)
            self._instant = float(np.clip(self._instant, self._time[0], self._time[-1]))
        self._handle.series = self._series()
        self._handle.scales = self._scales()
        self._handle.data = self._data()

    def paint(self, ink: str) -> None:
        """Draw the line, and curves that have no colour of their own, in another colour."""
        if ink != self._ink:
            self._ink = ink
            self._handle.series = self._series()
