"""What the checks look at: markers on a body, not points that were computed or never labelled; finite numbers."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from softstride.capture.labels import is_virtual
from softstride.capture.quality.finding import Finding
from softstride.capture.quality.spans import Mask
from softstride.capture.recording import Recording
from softstride.capture.series import Channels, Points

SEGMENT_AXES = "OALP"  # Plug-in Gait writes four points a segment: PELO, PELA, PELL, PELP
SERIES = ("markers", "analog", "emg")


def bodily_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the labels of markers, without computed points, axes of segments and unlabelled trajectories."""
    known = tuple(labels)
    every = set(known)

    def names_axis(label: str) -> bool:
        return label[-1:] in SEGMENT_AXES and all(label[:-1] + letter in every for letter in SEGMENT_AXES)

    return tuple(label for label in known if not (is_virtual(label) or names_axis(label)))


def bodily(recording: Recording) -> Recording:
    """Return the recording with no other points than markers on the body, and NaN where a number is infinite."""
    labels = bodily_labels(recording.markers.labels)
    changes: dict[str, Points | Channels] = {}
    if len(labels) < len(recording.markers.labels):
        changes["markers"] = recording.markers.select(labels)
    for name in SERIES:
        part = changes.get(name, getattr(recording, name))
        if np.isinf(part.values).any():
            changes[name] = replace(part, values=np.where(np.isinf(part.values), np.nan, part.values))
    return recording.replace(**changes) if changes else recording


def check_infinite(recording: Recording) -> list[Finding]:
    """Find numbers without end; in all other checks they count as not measured."""
    findings = []
    for name in SERIES:
        part: Points | Channels = getattr(recording, name)
        infinite: Mask = np.isinf(part.values)
        if infinite.ndim == 3:
            infinite = np.asarray(infinite.any(axis=2))
        for i in np.flatnonzero(infinite.any(axis=0)):
            frames = np.flatnonzero(infinite[:, i])
            start, stop = float(part.time[frames[0]]), float(part.time[frames[-1]])
            message = f"infinite in {len(frames)} of {len(part)} samples"
            findings.append(Finding("error", "numbers", part.labels[i], message, start, stop))
    return findings
