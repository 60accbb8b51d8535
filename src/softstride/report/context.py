"""What all sections of a report share: the study, its cycles, norms, and the panels that were drawn so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.prepare import State, prepare
from softstride.errors import InputError
from softstride.naming import SIDES
from softstride.report.curves import Clocks, Figure, Panel, drawn
from softstride.report.html import text
from softstride.report.norms import Norms
from softstride.report.numbers import extreme, written
from softstride.report.strides import Strides
from softstride.study.study import Study

Array = NDArray[np.float64]

FEW = 3
"""Panels that share the whole width between them."""


@dataclass(eq=False)
class Context:
    """The study on its way into a page.

    Attributes:
        study: What is reported on.
        strides: Its gait cycles.
        norms: To lay behind curves; None: there are none.
        panels: Drawn so far, in order: what the page draws from.
        clocks: Instants of their curves.
    """

    study: Study
    strides: Strides
    norms: Norms | None = None
    panels: list[Panel] = field(default_factory=list)
    clocks: Clocks = field(default_factory=Clocks)

    @cached_property
    def state(self) -> State:
        """Coordinates and rates as the loads have them: at their frames, low-passed alike."""
        loads = self.study.loads
        if loads is None:
            return prepare(self.study.model, self.study.motion)
        if loads.state is not None:
            return loads.state
        span = (float(loads.time[0]), float(loads.time[-1])) if len(loads) else None
        return prepare(self.study.model, self.study.motion, loads.lowpass, span)

    @cached_property
    def std(self) -> Array | None:
        """Standard deviations of the coordinates, shape (n, nv); None: not known."""
        try:
            return self.study.motion.std
        except InputError:  # the motion is not from markers
            return None

    @property
    def weight(self) -> float:
        """Body weight [N]."""
        return self.study.weight

    def why(self, *names: str) -> str:
        """Return why a part is missing, from the steps of the analysis that could have made it."""
        for stage in self.study.stages:
            if stage.name in names and stage.state != "done":
                word = "failed" if stage.state == "failed" else "was skipped"
                return f"The step “{stage.name}” {word}: {stage.words or 'it does not say why'}."
        return "This analysis did not ask for it."

    def figure(self, figure: Figure) -> str:
        """Return the HTML of a figure; its panels are drawn by the page."""
        cells = []
        for panel in figure.panels:
            self.panels.append(panel)
            said = text(f"{panel.title} in {panel.unit or 'no unit'}. {_said(panel, self.strides)}")
            unit = f' <span class="unit">[{text(panel.unit)}]</span>' if panel.unit else ""
            cells.append(
                f'<div class="panel"><h4>{text(panel.title)}{unit}</h4>'
                f'<div class="plot" role="img" aria-label="{said}" data-panel="{len(self.panels) - 1}"></div></div>'
            )
        kind = "grid few" if len(cells) <= FEW else "grid"
        return (
            f'<figure id="{text(figure.ident)}"><h3>{text(figure.title)}</h3>{_legend(figure, self.strides)}'
            f'<div class="{kind}">{"".join(cells)}</div><figcaption>{text(figure.caption)} '
            f'<span class="bandwords">{text(self.band_words(figure))}</span></figcaption></figure>'
        )

    def drawn(self) -> list[dict[str, object]]:
        """Return the plain values of all panels so far."""
        return [drawn(panel, self.strides, self.clocks) for panel in self.panels]

    def band_words(self, figure: Figure) -> str:
        """Return what bands mean in a figure."""
        curves = [curve for panel in figure.panels for curve in panel.curves]
        errors = any(curve.std is not None for curve in curves)
        words = []
        for side in SIDES:
            n = self.strides.count(side)
            if not any(curve.side in (None, side) for curve in curves):
                continue
            if n > 1:
                words.append(f"{side}: mean of {n} cycles, band ± 1 standard deviation over them")
            elif side in self.strides.guessed:
                words.append(f"{side}: one cycle, taken to last as long as those of the other side")
            elif n == 1:
                band = ", band ± 2 standard deviations of its error" if errors else ""
                words.append(f"{side}: one cycle{band}")
            elif self.strides.any:
                words.append(f"{side}: no whole cycle, shown over time only")
        over = f"Over time: {'band ± 2 standard deviations of the error' if errors else 'no band is known'}."
        if any(curve.doubtful is not None and curve.doubtful.any() for curve in curves):
            over += " Doubtful frames are shaded over time, and left out over the cycle."
        return (f"Over the cycle: {'; '.join(words)}. " if words else "") + over


def _legend(figure: Figure, strides: Strides) -> str:
    sides = {curve.side for panel in figure.panels for curve in panel.curves}
    entries = [
        f'<li><i class="swatch {side}"></i>{side}</li>'
        for side in SIDES
        if side in sides or (None in sides and strides.count(side))
    ]
    if None in sides:
        entries.append('<li class="overtime"><i class="swatch trunk"></i>trunk</li>')
    entries += [f'<li><i class="line {style}"></i>{text(name)}</li>' for name, style in figure.legend if name]
    if any(panel.norm is not None for panel in figure.panels):
        entries.append('<li class="overcycle"><i class="swatch norm"></i>norm</li>')
    return f'<ul class="legend" aria-label="Legend">{"".join(entries)}</ul>'


def _said(panel: Panel, strides: Strides) -> str:
    """Return the curves of a panel in words, for those who do not see them."""
    parts = []
    for curve in panel.curves:
        name = " ".join(word for word in (curve.side or "trunk", curve.name) if word)
        if np.isfinite(curve.values).any():
            low, high = extreme(curve, "min", strides), extreme(curve, "max", strides)
            parts.append(f"{name}: from {written(low.value)} to {written(high.value)}")
    return "; ".join(parts) + "."


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes:
        ident: Anchor in the page.
        title: Heading.
        html: What is in it.
        short: What links to it are called; "": as the title.
    """

    ident: str
    title: str
    html: str
    short: str = ""


def missing(ident: str, title: str, words: str, short: str = "") -> Section:
    """Return a section that says why there is nothing in it."""
    return Section(ident, title, f'<p class="missing">{text(words)}</p>', short)
