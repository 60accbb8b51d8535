"""The panel of the bench: replay, verdict, table, a slider for each joint in each phase, curves."""

from __future__ import annotations

from typing import Any

from softstride.errors import SoftstrideError
from softstride.gait.body import JOINTS, PHASES
from softstride.gait.recipe import RECIPES
from softstride.scene.walker import walk_scene
from softstride.viewer.chart import Chart
from softstride.viewer.controls import Look, Replay, dock, padded
from softstride.viewer.view import View
from softstride.viewer.walk_bench import LEAST, MOST, MOST_STEPS, Settings, WalkBench
from softstride.viewer.walk_curves import walk_curves
from softstride.viewer.walk_words import (
    PHASE_WORDS,
    joint_words,
    place_words,
    trial_table,
    trial_words,
)

SPEED = 0.25
"""Of real time, to begin with: a step lasts half a second."""

FIRST_CURVE = {"Angle": "Left knee", "Moment": "Left ankle", "Ground": "Right foot, up"}


class WalkPanel:
    """The controls of a bench; sliders change it, and `tick` lets it walk when something has changed."""

    def __init__(self, server: Any, view: View, bench: WalkBench) -> None:
        self._gui, self._view, self._bench = server.gui, view, bench
        self._waiting = False
        self._sliders: dict[tuple[str, int], Any] = {}
        self._charts: dict[str, tuple[Any, Chart]] = {}
        dock(server.gui)
        self._replay = Replay(server.gui, view, self._words, SPEED)
        self._verdict = server.gui.add_html("")
        self._table = server.gui.add_html("")
        self._moments()
        self._curves()
        self._settings()
        Look(server.gui, view)
        self._tell()
        view.on_change(self._follow)
        self._follow()

    # sections

    def _moments(self) -> None:
        gui = self._gui
        with gui.add_folder("Joint moments, change in %"):
            self._live = gui.add_checkbox("Walk while sliders move", True)
            run = gui.add_button_group("", ("Run", "Reset"))
            run.on_click(lambda _: self._reset() if run.value == "Reset" else self._run())
            tabs = gui.add_tab_group()
            for phase in PHASES:
                name, words = PHASE_WORDS[phase]
                with tabs.add_tab(f"{phase} {name}"):
                    gui.add_html(padded(f"<span style='opacity:0.7'>Phase {phase}: {words}.</span>"))
                    for joint in JOINTS:
                        self._slider(joint, phase)

    def _slider(self, joint: str, phase: int) -> None:
        slider = self._gui.add_slider(
            joint_words(joint), min=LEAST, max=MOST, step=1, initial_value=0, hint=self._hint(joint, phase)
        )
        self._sliders[joint, phase] = slider

        @slider.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                self._bench.set(joint, phase, float(slider.value))
                if self._live.value:
                    self._waiting = True

    def _hint(self, joint: str, phase: int) -> str:
        return f"{self._bench.mean_moment(joint, phase):.0f} N·m on average in phase {phase} as it is"

    def _curves(self) -> None:
        gui, trial = self._gui, self._bench.trial
        time, plots = walk_curves(trial.walk, trial.baseline)
        with gui.add_folder("Curves"):
            gui.add_html(padded("<span style='opacity:0.7'>broken: as it is; full: changed</span>"))
            for group, each in plots.items():
                first = FIRST_CURVE[group]
                choice = gui.add_dropdown(f"{group} [{each[first].unit}]", tuple(each), initial_value=first)
                self._charts[group] = choice, Chart(gui, time, each[first], self._view.theme.ink)
                choice.on_update(lambda _: self._draw_curves())

    def _settings(self) -> None:
        gui, settings = self._gui, self._bench.settings
        with gui.add_folder("Walker"):
            names = tuple(dict.fromkeys((settings.recipe, *RECIPES)))
            recipe = gui.add_dropdown("Recipe", names, initial_value=settings.recipe)
            steps = gui.add_slider("Steps", min=1, max=MOST_STEPS, step=1, initial_value=settings.steps)
            held = gui.add_checkbox("Hold joints about the step", settings.held)
            ligaments = gui.add_checkbox("Ligaments of the knees", settings.ligaments)
            beside = gui.add_slider(
                "As it is, aside [m]", min=-2.0, max=2.0, step=0.05, initial_value=self._view.aside
            )
            beside.on_update(lambda _: self._view.set_aside(beside.value))

        def change(_: Any) -> None:
            self._configure(Settings(recipe.value, int(steps.value), held.value, ligaments.value))

        for each in (recipe, steps, held, ligaments):
            each.on_update(change)

    # what happens

    def tick(self, seconds: float) -> None:
        """Let so much real time pass: walk if a slider has moved, then go on with the replay."""
        if self._waiting:
            self._waiting = False
            self._run()
        self._view.tick(seconds)

    def _run(self) -> None:
        """Walk with what the sliders say, and show it."""
        trial = self._bench.run()
        self._view.change(walk_scene(trial.walk), walk_scene(trial.baseline))
        self._tell()

    def _reset(self) -> None:
        self._bench.reset()
        for slider in self._sliders.values():
            slider.value = 0
        self._run()

    def _configure(self, settings: Settings) -> None:
        try:
            self._bench.configure(settings)
        except SoftstrideError as error:
            self._verdict.content = padded(f"<b>{error}</b>")
            return
        self._run()
        for (joint, phase), slider in self._sliders.items():
            slider.hint = self._hint(joint, phase)

    # what is told

    def _words(self) -> str:
        walk, instant = self._bench.trial.walk, self._view.player.instant
        return f"<b>{instant:.3f} s</b>, {place_words(walk, instant)}"

    def _tell(self) -> None:
        trial = self._bench.trial
        self._verdict.content = padded(trial_words(trial))
        self._table.content = padded(trial_table(trial))
        self._draw_curves()

    def _draw_curves(self) -> None:
        trial = self._bench.trial
        time, plots = walk_curves(trial.walk, trial.baseline)
        for group, (choice, chart) in self._charts.items():
            chart.show(plots[group][choice.value], time)

    def _follow(self) -> None:
        for _, chart in self._charts.values():
            chart.paint(self._view.theme.ink)
        if self._replay.follow():
            for _, chart in self._charts.values():
                chart.go(float(self._view.player.instant))
