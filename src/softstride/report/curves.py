"""What is drawn, as data: curves in panels, panels in figures; and the plain values that a page draws them from."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from softstride.naming import SIDES
from softstride.report.strides import Strides
from softstride.scene.compact import packed

Array = NDArray[np.float64]
Style = Literal["solid", "dash", "dot"]

MOST = 400
"""Points of a curve over time that are drawn, at most."""

WIDTH = 2.0
"""Half the width of a band of errors in standard deviations: about 95 %."""

FINEST = 1e-9
"""Step of drawn values, at least; the true one is a 65,000th of their range."""


@dataclass(frozen=True, eq=False)
class Curve:
    """One quantity over time.

    Attributes:
        name: As in the legend: "measured", "total", ...; "" where the side says it all.
        side: The side whose cycles it is cut by; None: of the trunk, cut by the cycles of both.
        time: Shape (n,), [s].
        values: Shape (n,), in the unit of the panel; NaN where not known.
        std: Standard deviation of its error, shape (n,); None: not known.
        style: Of its line.
        doubtful: Frames that are not to be believed, shape (n,): shaded over time, left out over the cycle. None: none.
    """

    name: str
    side: str | None
    time: Array
    values: Array
    std: Array | None = None
    style: Style = "solid"
    doubtful: NDArray[np.bool_] | None = None

    @property
    def believed(self) -> Array:
        """The values without those of doubtful frames, which are NaN, shape (n,)."""
        return self.values if self.doubtful is None else np.where(self.doubtful, np.nan, self.values)


@dataclass(frozen=True, eq=False)
class Norm:
    """What others do, over the cycle.

    Attributes:
        percent: Shape (k,).
        mean: Shape (k,), in the unit of the panel.
        sd: Shape (k,); None: there is none.
    """

    percent: Array
    mean: Array
    sd: Array | None = None


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves with one axis.

    Attributes:
        title: What they are.
        unit: Of the axis.
        curves: In the order of drawing.
        norm: Behind them, over the cycle.
    """

    title: str
    unit: str
    curves: tuple[Curve, ...]
    norm: Norm | None = None


@dataclass(frozen=True, eq=False)
class Figure:
    """Panels that belong together.

    Attributes:
        ident: Anchor in the page.
        title: Of the figure.
        caption: What is drawn, in sentences.
        panels: At least one.
        legend: Names and styles of lines beside the two colours.
    """

    ident: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    legend: tuple[tuple[str, Style], ...] = field(default=())


class Clocks:
    """Instants that curves share, each kept once.

    Attributes:
        packed: As the page has them, see `softstride.scene.compact`.
    """

    def __init__(self) -> None:
        self.packed: list[dict[str, Any]] = []
        self._seen: dict[bytes, int] = {}

    def number(self, time: Array) -> int:
        """Return the number of some instants, kept if they are new."""
        key = time.tobytes()
        if key not in self._seen:
            self._seen[key] = len(self.packed)
            self.packed.append(packed(time, FINEST))
        return self._seen[key]


def drawn(panel: Panel, strides: Strides, clocks: Clocks) -> dict[str, Any]:
    """Return the plain values that a page draws a panel from: by cycle and over time.

    A curve is {"name", "side", "style", "x", "y", "lo", "hi", "n"}; x is the number of a clock, and is left out over
    the cycle, whose points are whole percents. Arrays are packed as those of scenes are. The band is ± 1 standard
    deviation over the cycles or, of one cycle and over time, ± 2 standard deviations of the error.
    """
    page: dict[str, Any] = {"title": panel.title, "unit": panel.unit}
    page["time"] = [over_time(curve, clocks) for curve in panel.curves if _known(curve.values)]
    by_cycle = [over_cycle(curve, side, strides) for curve in panel.curves for side in _sides(curve, strides)]
    page["cycle"] = [curve for curve in by_cycle if curve is not None]
    if panel.norm is not None:
        norm = panel.norm
        page["norm"] = {"x": _packed(norm.percent), "y": _packed(norm.mean)}
        if norm.sd is not None:
            page["norm"] |= {"lo": _packed(norm.mean - norm.sd), "hi": _packed(norm.mean + norm.sd)}
    return page


def over_time(curve: Curve, clocks: Clocks) -> dict[str, Any]:
    """Return a curve over time with about `MOST` points at most."""
    chosen = thinned(curve.values, MOST)
    page: dict[str, Any] = {"name": curve.name, "side": curve.side or "", "style": curve.style}
    page |= {"x": clocks.number(curve.time[chosen]), "y": _packed(curve.values[chosen])}
    if curve.std is not None and _known(curve.std[chosen]):
        away = WIDTH * curve.std[chosen]
        page |= {"lo": _packed(curve.values[chosen] - away), "hi": _packed(curve.values[chosen] + away)}
    return page


def over_cycle(curve: Curve, side: str, strides: Strides) -> dict[str, Any] | None:
    """Return the mean of a curve over the cycles of a side; None where nothing is known of it in them."""
    found = strides.mean(side, curve.time, curve.believed)
    if not _known(found.mean):
        return None
    n = int(found.n.max())
    page: dict[str, Any] = {"name": curve.name, "side": side, "style": curve.style, "n": n}
    page["y"] = _packed(found.mean)
    away = found.sd
    if n == 1 and curve.std is not None:
        away = WIDTH * strides.mean(side, curve.time, curve.std).mean
    if _known(away):
        page |= {"lo": _packed(found.mean - away), "hi": _packed(found.mean + away)}
    return page


def thinned(values: Array, most: int) -> NDArray[np.intp]:
    """Return the frames to draw: ends, and of equal stretches the lowest and the highest, so that peaks stay."""
    n = len(values)
    if n <= most:
        return np.arange(n)
    edges = np.linspace(0, n, most // 2).astype(np.intp)
    kept = {0, n - 1}
    for a, b in pairwise(edges.tolist()):
        part, seen = values[a:b], np.isfinite(values[a:b])
        if seen.any():
            kept |= {a + int(np.nanargmin(part)), a + int(np.nanargmax(part))}
        if not seen.all():
            kept.add(a + int(np.argmin(seen)))  # a gap stays a gap
    return np.array(sorted(kept))


def _packed(values: Array) -> dict[str, Any]:
    return packed(values, FINEST)


def _sides(curve: Curve, strides: Strides) -> list[str]:
    return [side for side in SIDES if strides.count(side) and curve.side in (None, side)]


def _known(values: Array) -> bool:
    return bool(np.isfinite(values).any())
