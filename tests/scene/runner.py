"""The digital athlete in some frames of its true motion, for tests that look at a scene."""

from dataclasses import replace
from functools import cache

import numpy as np
from tests.trials import the_athlete

from softstride.capture.recording import Recording
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.scene import Scene, build_scene

EVERY = 10
"""Frames are 50 ms apart."""


@cache
def running() -> tuple[Model, Motion, Recording]:
    """Model, motion and recording of the runner with a blade below the right knee."""
    trial = the_athlete()
    truth = trial.truth
    some = slice(None, None, EVERY)
    motion = Motion(truth.model, truth.time[some], truth.q[some], (truth.v[some], truth.a[some]))
    sides = ("right", "left")  # the athlete steps from plate to plate
    forces = tuple(replace(force, side=sides[i % 2]) for i, force in enumerate(trial.recording.forces))
    return truth.model, motion, replace(trial.recording, forces=forces)


@cache
def running_scene() -> Scene:
    """What there is to see of it."""
    model, motion, recording = running()
    return build_scene(model, motion, recording=recording)


def seen(recording: Recording, name: str, instants: np.ndarray) -> np.ndarray:
    """Where a marker was seen at these instants, shape (n, 3), [m]."""
    points = recording.markers
    frames = np.searchsorted(points.time, instants - 1e-6)
    return points.select((name,)).values[frames, 0]
