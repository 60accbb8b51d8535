"""The panel of a trial's page: replay, curves, layers, cameras."""

from __future__ import annotations

import html
from typing import Any

from softstride.viewer.chart import Chart
from softstride.viewer.controls import Look, Replay, dock, padded
from softstride.viewer.curves import LEFT, OTHER, RIGHT, Plots
from softstride.viewer.stage import ARROW, LAYERS
from softstride.viewer.view import View
from softstride.viewer.words import frame_words

FAVOURITES = ("knee_angle", "up", "knee_angle", "vaslat")
"""What is shown first of each kind of curve, by how its name begins."""


class Panel:
    """The controls of a view; they call it, and follow it."""

    def __init__(self, server: Any, view: View, plots: Plots) -> None:
        self._gui, self._view, self._plots = server.gui, view, plots
        self._charts: list[Chart] = []
        dock(server.gui)
        self._replay = Replay(server.gui, view, self._words)
        self._curves()
        self._layers()
        Look(server.gui, view)
        view.on_change(self._follow)
        self._follow()

    def _words(self) -> str:
        scene = self._view.scene
        name = f"<span style='opacity:0.7'>{html.escape(scene.name)}</span>"
        return f"{name}<br>{frame_words(scene, self._view.frame)}"

    def _curves(self) -> None:
        if not self._plots:
            return
        gui, view = self._gui, self._view
        with gui.add_folder("Curves"):
            gui.add_html(padded(_legend()))
            for (group, plots), favourite in zip(self._plots.items(), FAVOURITES, strict=False):
                names = tuple(plots)
                first = next((name for name in names if name.startswith(favourite)), names[0])
                choice = gui.add_dropdown(f"{group} [{plots[first].unit}]", names, initial_value=first)
                chart = Chart(gui, view.scene.time, plots[first], view.theme.ink)
                self._charts.append(chart)
                self._choose(choice, chart, group)

    def _choose(self, choice: Any, chart: Chart, group: str) -> None:
        choice.on_update(lambda _: chart.show(self._plots[group][choice.value]))

    def _layers(self) -> None:
        gui, view = self._gui, self._view
        with gui.add_folder("Layers"):
            for layer in view.layers:
                self._switch(gui.add_checkbox(LAYERS[layer], view.stage.visible[layer]), layer)
            gui.add_html(padded(_key(view)))
            if view.ghost is not None:
                self._switch(gui.add_checkbox(f"Ghost: {view.ghost.scene.name}", True), "ghost")
                aside = gui.add_slider("Ghost aside [m]", min=-2.0, max=2.0, step=0.05, initial_value=0.0)
                aside.on_update(lambda _: view.set_aside(aside.value))

    def _switch(self, box: Any, layer: str) -> None:
        box.on_update(lambda _: self._view.show(layer, box.value))

    def _follow(self) -> None:
        """Let the controls show where the view is."""
        view = self._view
        for chart in self._charts:
            chart.paint(view.theme.ink)
        if self._replay.follow():
            for chart in self._charts:
                chart.go(float(view.scene.time[view.frame]))


def _legend() -> str:
    words = " ".join(
        f"<span style='color:{colour}'>&#9632;</span>&nbsp;{side} &nbsp;"
        for side, colour in (("right", RIGHT), ("left", LEFT), ("neither", OTHER))
    )
    return f"{words} <span style='opacity:0.7'>broken: measured forces</span>"


def _key(view: View) -> str:
    """Return what colours and lengths in the picture mean."""
    lines = []
    if view.scene.muscles is not None:
        shades = "linear-gradient(90deg,rgb(38,150,70),rgb(226,190,40),rgb(214,40,32))"
        bar = f"<span style='display:inline-block;width:5em;height:0.7em;background:{shades}'></span>"
        lines.append(f"muscles: 0 {bar} 100 % active")
    if view.scene.arrows:
        lines.append(
            f"<span style='color:rgb(31,97,178)'>&#9632;</span> measured "
            f"<span style='color:rgb(222,106,16)'>&#9632;</span> estimated: {ARROW:g} m for a body weight"
        )
    return "<br>".join(lines)
