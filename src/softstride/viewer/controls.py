"""Controls that every page of the viewer has: the replay, and how to look at it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from softstride.viewer.cameras import DIRECTIONS
from softstride.viewer.player import SPEEDS
from softstride.viewer.view import View

OFTEN = 0.08
"""Least time between two updates of slider, words and plots while it plays [s]; the picture does not wait."""

WIDTH = 400  # [pixels] of the panel
PLAY, PAUSE = "Play", "Pause"


def dock(gui: Any) -> None:
    """Put the panel to the right of the picture."""
    gui.main_panel.dock_right()
    gui.main_panel.set_width(WIDTH)


class Replay:
    """Words on the frame, play and pause, time, single frames, speed.

    Args:
        gui: Of the server.
        view: What is replayed.
        words: Returns what to say about the frame, as HTML.
        speed: To begin with.
    """

    def __init__(self, gui: Any, view: View, words: Callable[[], str], speed: float = 1.0) -> None:
        self._view, self._say = view, words
        self._last = 0.0
        self._words = gui.add_html("")
        self._play = gui.add_button(PLAY, hint="Play or pause: space")
        self._play.on_click(lambda _: view.toggle())
        self._slider = gui.add_slider("Time [s]", min=0.0, max=1.0, step=1e-3, initial_value=0.0)
        self._slider.on_update(self._scrub)
        steps = gui.add_button_group("Frame", ("-10", "-1", "+1", "+10"))
        steps.on_click(lambda _: view.step(int(steps.value)))
        view.set_speed(speed)
        speeds = gui.add_dropdown(
            "Speed", tuple(f"{each:g}" for each in SPEEDS), initial_value=f"{speed:g}", hint="1: real time"
        )
        speeds.on_update(lambda _: view.set_speed(float(speeds.value)))
        key = gui.add_command("Play or pause", hotkey="space")
        key.on_trigger(lambda _: view.toggle())

    def _scrub(self, event: Any) -> None:
        if event.client is not None:  # somebody moved it; it does not only follow
            self._view.player.playing = False
            self._view.seek(float(self._slider.value))

    def follow(self) -> bool:
        """Show where the view is; while it plays, not at every frame. Return whether it was time to."""
        player, now = self._view.player, time.monotonic()
        label = PAUSE if player.playing else PLAY
        if self._play.label != label:
            self._play.label = label
        elif player.playing and now - self._last < OFTEN:
            return False
        self._last = now
        self._stretch(player.start, player.stop, len(player.time))
        instant = min(max(round(player.instant, 4), self._slider.min), self._slider.max)
        if self._slider.value != instant:
            self._slider.value = instant
        self._words.content = padded(self._say())
        return True

    def _stretch(self, start: float, stop: float, frames: int) -> None:
        """Let the slider go from start to stop."""
        ends = round(start, 4), max(round(stop, 4), round(start, 4) + 1e-4)
        if (self._slider.min, self._slider.max) != ends:
            self._slider.min, self._slider.max = ends
            self._slider.step = max(round((stop - start) / max(frames - 1, 1), 4), 1e-4)
            self._slider.disabled = frames < 2


class Look:
    """Cameras, light and dark."""

    def __init__(self, gui: Any, view: View) -> None:
        with gui.add_folder("Camera"):
            presets = gui.add_button_group("From", tuple(DIRECTIONS))
            presets.on_click(lambda event: view.camera(presets.value, event.client))
            follow = gui.add_checkbox("Follow the person", view.following)

            @follow.on_update
            def _(event: Any) -> None:
                view.follow(follow.value)
                view.camera(view.preset, event.client)

            dark = gui.add_checkbox("Dark", view.dark)
            dark.on_update(lambda _: view.set_dark(dark.value))
        for number, name in enumerate(DIRECTIONS, 1):
            self._key(gui, view, name, str(number))

    def _key(self, gui: Any, view: View, preset: str, key: str) -> None:
        command = gui.add_command(f"Camera: {preset}", hotkey=key)
        command.on_trigger(lambda event: view.camera(preset, event.client))


def padded(content: str) -> str:
    """Return HTML with the margins of the panel."""
    return f"<div style='padding:0 0.75em 0.5em 0.75em;font-size:0.85em;line-height:1.5'>{content}</div>"
