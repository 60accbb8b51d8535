"""`View`: what the page of a trial does, apart from its buttons."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.scene.scene import Scene
from softstride.viewer import cameras
from softstride.viewer.player import Player
from softstride.viewer.stage import LAYERS, Stage
from softstride.viewer.theme import THEMES, Theme

Floats = NDArray[np.float64]

MAIN, GHOST = "/trial", "/ghost"


class View:
    """A trial on a server, with or without a second one as a ghost.

    Its methods may be called from several threads, as the callbacks of a page are.

    Attributes:
        scene: The trial.
        player: Where it is.
        stage: Where it is drawn.
        ghost: Where the second trial is drawn; None: there is none.
        following: Whether the camera goes with the person.
        dark: Whether the page is dark.
        aside: How far to the right the ghost is drawn [m].
        preset: The camera that was asked for last.

    Args:
        server: Of viser.
        scene: The trial.
        ghost: A second trial.
        dark: Whether the page is dark to begin with.
        following: Whether the camera goes with the person to begin with.
        apart: Whether the ghost walks its own way, on the clock of the trial; else it goes with the person, and events
            that both have fall together.
        aside: How far to the right the ghost is drawn to begin with [m].
    """

    def __init__(
        self,
        server: Any,
        scene: Scene,
        *,
        ghost: Scene | None = None,
        dark: bool = False,
        following: bool = True,
        apart: bool = False,
        aside: float = 0.0,
    ) -> None:
        self._server = server
        self._lock = threading.RLock()
        self._told: list[Callable[[], None]] = []
        self.scene = scene
        self.player = Player(_longer(scene, ghost if apart else None))
        self.dark = dark
        self.following = following
        self.aside = aside
        self.preset = "across"
        self._apart = apart
        self._middle = cameras.shift(scene, 0, following=False)
        server.scene.add_frame(MAIN, show_axes=False)
        self.stage = Stage(server, scene, MAIN, theme=self.theme)
        self.ghost: Stage | None = None
        if ghost is not None:
            server.scene.add_frame(GHOST, show_axes=False)
            self.ghost = Stage(server, ghost, GHOST, theme=self.theme, ghost=True)
            self._lag = 0.0 if apart else _lag(scene, ghost)
        self._aim()
        self._dress()
        self.draw()

    def on_change(self, tell: Callable[[], None]) -> None:
        """Call this after every change: of the frame, of what plays, of the trial, of light and dark."""
        self._told.append(tell)

    @property
    def theme(self) -> Theme:
        """Colours of the page."""
        return THEMES["dark" if self.dark else "light"]

    # time

    @property
    def frame(self) -> int:
        """The frame of the trial that is drawn."""
        return self.scene.frame_at(self.player.instant)

    def change(self, scene: Scene, ghost: Scene | None = None) -> None:
        """Show another motion of the same person, and of the ghost, from where the clock is.

        Raises:
            InputError: A scene of somebody else; see `Stage.recast`.
        """
        with self._lock:
            self.stage.recast(scene)
            self.scene = scene
            if ghost is not None and self.ghost is not None:
                self.ghost.recast(ghost)
            other = self.ghost.scene if self.ghost is not None and self._apart else None
            self.player.set_time(_longer(scene, other))
            self.draw()

    def tick(self, seconds: float) -> bool:
        """Let so much real time pass, and draw if the frame is another one; return whether it is."""
        with self._lock:
            moved = self.player.tick(seconds)
            if moved:
                self.draw()
        return moved

    def toggle(self) -> bool:
        """Play or pause; return whether it plays now."""
        with self._lock:
            playing = self.player.toggle()
            self.draw()
        return playing

    def seek(self, instant: float) -> None:
        """Go to an instant [s]."""
        with self._lock:
            self.player.seek(instant)
            self.draw()

    def step(self, frames: int) -> None:
        """Pause, and go some frames on or back."""
        with self._lock:
            self.player.step(frames)
            self.draw()

    def set_speed(self, speed: float) -> None:
        """Run at this part of real time."""
        with self._lock:
            self.player.set_speed(speed)

    # what is seen

    @property
    def layers(self) -> tuple[str, ...]:
        """Layers that there is something in, in the order of `LAYERS`."""
        return tuple(name for name in LAYERS if name in self.stage.visible)

    def show(self, layer: str, shown: bool) -> None:
        """Show or hide a layer, or "ghost".

        Raises:
            InputError: No such layer.
        """
        with self._lock:
            if layer == "ghost" and self.ghost is not None:
                for each in self.ghost.visible:
                    self.ghost.show(each, shown)
            elif layer in self.stage.visible:
                self.stage.show(layer, shown)
            else:
                raise InputError(f"{layer!r} is no layer of this view; there are: {', '.join(self.layers)}")

    def follow(self, wanted: bool) -> None:
        """Let the camera go with the person, or stand still."""
        with self._lock:
            self.following = wanted
            self._aim()
            self.draw()

    def set_aside(self, metres: float) -> None:
        """Draw the ghost so far to the right."""
        with self._lock:
            self.aside = float(metres)
            self.draw()

    def set_dark(self, dark: bool) -> None:
        """Make the page dark or light."""
        with self._lock:
            self.dark = dark
            self._dress()
            self.stage.paint(self.theme)
            if self.ghost is not None:
                self.ghost.paint(self.theme)
            self._tell()

    def camera(self, preset: str, client: Any = None) -> None:
        """Put a camera somewhere; see `cameras.DIRECTIONS`. Without a client, that of all who look."""
        with self._lock:
            self.preset = preset
            self._aim()
            for each in self._server.get_clients().values() if client is None else (client,):
                position, target = self._look(each.camera.aspect)
                with each.atomic():
                    each.camera.up_direction = (0.0, 1.0, 0.0)
                    each.camera.position = position
                    each.camera.look_at = target
                    each.camera.fov = cameras.FIELD

    # drawing

    def draw(self) -> None:
        """Draw the frame of the player."""
        with self._lock:
            frame = self.frame
            shift = cameras.shift(self.scene, frame, following=True) if self.following else self._middle
            with self._server.atomic():
                self.stage.draw(frame)
                self.stage.move(shift)
                if self.ghost is not None:
                    there = self.ghost.scene.frame_at(self.player.instant + self._lag)
                    self.ghost.draw(there)
                    self.ghost.move(shift + self._beside(frame, there))
        self._tell()

    def _tell(self) -> None:
        for tell in self._told:
            tell()

    def _beside(self, frame: int, there: int) -> Floats:
        """Return how the ghost is moved from its own place [m]."""
        if self.ghost is None or self._apart:
            return np.array([0.0, 0.0, self.aside])
        other = self.ghost.scene
        x, _, z = self.scene.base[frame] - other.base[there]
        return np.array([x, self.scene.floor - other.floor, z + self.aside])

    def _aim(self) -> None:
        """Let new pages begin with the camera that was asked for last."""
        position, target = self._look()
        first = self._server.initial_camera
        first.position, first.look_at = tuple(position), tuple(target)
        first.up, first.fov = (0.0, 1.0, 0.0), cameras.FIELD

    def _look(self, aspect: float = cameras.ASPECT) -> tuple[Floats, Floats]:
        beside = 0.0 if self.ghost is None else self.aside
        return cameras.look(self.scene, self.preset, self.following, aspect, beside)

    def _dress(self) -> None:
        self._server.gui.configure_theme(
            dark_mode=self.dark, show_logo=False, show_share_button=False, brand_color=self.theme.brand
        )


def _longer(scene: Scene, ghost: Scene | None) -> Floats:
    """Return the instants of the longer one [s]."""
    return scene.time if ghost is None or scene.time[-1] >= ghost.time[-1] else ghost.time


def _lag(scene: Scene, ghost: Scene) -> float:
    """Return what the ghost's clock is ahead [s], so that the first event that both have, or their starts, meet."""
    for event in scene.events:
        if not scene.time[0] <= event.time <= scene.time[-1]:
            continue
        for other in ghost.events:
            same = (other.label, other.side) == (event.label, event.side)
            if same and ghost.time[0] <= other.time <= ghost.time[-1]:
                return other.time - event.time
    return float(ghost.time[0] - scene.time[0])
