"""`Player`: where a replay is in time, and how fast it goes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError

SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0)
"""Speeds that a page offers, in parts of real time."""


class Player:
    """A clock that runs along a trial, over and over.

    Attributes:
        time: Instants of the frames [s].
        instant: Where it is [s].
        playing: Whether it runs.
        speed: In parts of real time.
    """

    def __init__(self, time: NDArray[np.float64], speed: float = 1.0) -> None:
        self.time = np.asarray(time, dtype=np.float64)
        self.instant = float(self.time[0])
        self.playing = False
        self.speed = 1.0
        self.set_speed(speed)

    @property
    def start(self) -> float:
        """Instant of the first frame [s]."""
        return float(self.time[0])

    @property
    def stop(self) -> float:
        """Instant of the last frame [s]."""
        return float(self.time[-1])

    @property
    def frame(self) -> int:
        """The frame nearest to where it is."""
        after = min(int(np.searchsorted(self.time, self.instant)), len(self.time) - 1)
        if after and self.instant - self.time[after - 1] <= self.time[after] - self.instant:
            return after - 1
        return after

    def set_time(self, time: NDArray[np.float64]) -> None:
        """Run along other frames, and stay where it is as far as they go."""
        self.time = np.asarray(time, dtype=np.float64)
        self.seek(self.instant)

    def set_speed(self, speed: float) -> None:
        """Run at this part of real time.

        Raises:
            InputError: No positive number.
        """
        if not (math.isfinite(speed) and speed > 0.0):
            raise InputError(f"speed must be a positive number, 1 for real time, however it is {speed!r}")
        self.speed = float(speed)

    def toggle(self) -> bool:
        """Play or pause; at the end, play from the start. Return whether it plays now."""
        self.playing = not self.playing and len(self.time) > 1
        if self.playing and self.instant >= self.stop:
            self.instant = self.start
        return self.playing

    def seek(self, instant: float) -> None:
        """Go to an instant [s]; beyond the ends, to the end."""
        if math.isfinite(instant):
            self.instant = min(max(float(instant), self.start), self.stop)

    def step(self, frames: int) -> None:
        """Pause, and go some frames on or back."""
        self.playing = False
        frame = min(max(self.frame + frames, 0), len(self.time) - 1)
        self.instant = float(self.time[frame])

    def tick(self, seconds: float) -> bool:
        """Let so much real time pass; return whether the frame is another one. Past the end it starts again."""
        if not self.playing:
            return False
        before = self.frame
        self.instant += self.speed * max(seconds, 0.0)
        if self.instant > self.stop:
            length = self.stop - self.start
            self.instant = (
                self.start + math.fmod(self.instant - self.start, length) if length > 0.0 else self.start
            )
        return self.frame != before
