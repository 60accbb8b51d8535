"""How far a motion is from the markers of a recording, before and after a change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.engine.kinematics import positions
from softstride.kinematics.motion import Motion

Array = NDArray[np.float64]

SAME = 1e-3
"""Part of a frame by which the instants of a marker and of a motion may differ."""


def marker_rms(before: Motion, after: Motion, recording: Recording) -> tuple[float, float]:
    """Return the root mean square distance of the markers from their measured places [m]; NaN where there are none.

    Markers are those of the fit of the motion, or else all that model and recording both have; frames are those of
    `after` at which the recording has markers.
    """
    fitted = after.model.markers if before.fit is None else before.fit.names
    names = [name for name in fitted if name in after.model.markers and name in recording.markers.labels]
    if not names or len(recording.markers.time) < 2:
        return float("nan"), float("nan")
    points = recording.markers.select(names)
    slack = SAME / points.rate
    rows = [_matching(time, points.time, slack) for time in (before.time, after.time)]
    shared = (rows[1] >= 0) & np.isin(rows[1], rows[0][rows[0] >= 0])
    seen = rows[1][shared]
    measured = points.values[seen]
    found = []
    for motion, own in zip((before, after), rows, strict=True):
        frame = np.full(len(points.time), -1)
        frame[own[own >= 0]] = np.flatnonzero(own >= 0)
        at = positions(motion.model, np.ascontiguousarray(motion.q[frame[seen]]), names)
        away = np.sum((at - measured) ** 2, axis=2)
        away = away[np.isfinite(away)]
        found.append(float(np.sqrt(np.mean(away))) if len(away) else float("nan"))
    return found[0], found[1]


def _matching(time: Array, samples: Array, slack: float) -> NDArray[np.intp]:
    """Return the sample at each instant, -1 where there is none."""
    at = np.clip(np.searchsorted(samples, time), 1, len(samples) - 1)
    at -= (time - samples[at - 1]) < (samples[at] - time)
    return np.asarray(np.where(np.abs(samples[at] - time) <= slack, at, -1))
