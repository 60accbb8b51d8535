"""Landmarks that only a standing trial shows, carried along by the markers that move with their segment.

Medial markers are in the way of walking, so they are worn for a standing trial alone. There the place of a landmark in
the frame of its segment's cluster is found, and in the walking trial the cluster carries it [Cappozzo1995].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.naming import Side
from softstride.notes import Note
from softstride.segments.clusters import COLLINEAR, LEAST, rigid_fit
from softstride.segments.landmark_definitions import SegmentDefinition, definitions
from softstride.segments.landmarks import Landmarks

Array = NDArray[np.float64]

STANDING = "standing trial"

NOT_CARRIED, ADDS_NOTHING = "standing-trial.not-carried", "standing-trial.adds-nothing"
NO_HELP = (NOT_CARRIED, ADDS_NOTHING)
"""Codes of notes on what it could not give."""

SEEN = 0.9
"""Share of the frames in which a landmark must be seen for its own marker to be used."""

LOOSE = 0.008
"""Root mean square misfit of a cluster between the two trials [m] above which its landmarks are doubtful."""


def carry_landmarks(landmarks: Landmarks, static: Landmarks) -> Landmarks:
    """Return the landmarks of a trial with those that only its standing trial shows.

    A landmark that the trial shows itself in nine of ten frames or more is left alone. Those that cannot be carried,
    because no cluster has three markers in both trials, are noted: the trial may do without them.

    Args:
        landmarks: Of the trial.
        static: Of a standing trial of the same person, read with the same table.
    """
    found, tried, added = landmarks, [], False
    for name in definitions().names():
        each, side = definitions().segment(name)
        wanted = [key for key in _anchors(each, side) if key in static and not _well_seen(landmarks, key)]
        if not wanted:
            continue
        shared = _shared(landmarks, static, name)
        if shared is None:
            tried.append(f"{', '.join(wanted)} of the {name}")
            continue
        labels, here, there = shared
        shape = _mean_shape(there)
        poses = rigid_fit(here, shape)
        stood = rigid_fit(there, shape)
        misfit = float(np.sqrt(np.nanmean(poses.residual**2)))
        points = {}
        for key in wanted:
            local = stood.inverse(static[key])
            points[key] = poses.apply(np.nanmean(local, axis=0))
        words = f"{name}: {', '.join(wanted)} of the standing trial, carried by {', '.join(labels)}"
        facts: dict[str, Any] = {"topic": STANDING, "names": wanted, "values": {"misfit_mm": 1e3 * misfit}}
        notes = [Note("standing-trial.carried", f"{words} (misfit {1e3 * misfit:.1f} mm)", **facts)]
        if misfit > LOOSE:
            words = f"{name}: its markers sit differently in the standing trial: these landmarks are doubtful"
            notes.append(Note("standing-trial.markers-moved", words, "warning", **facts))
        found = found.with_points(points, STANDING, *notes)
        added = True
    notes = []
    if tried:
        words = f"{STANDING}: not carried over, no {LEAST} markers of a cluster in both: {'; '.join(tried)}"
        notes.append(Note(NOT_CARRIED, words, "warning", topic=STANDING))
    if not added:
        words = (
            "none of its landmarks could be carried over" if tried else "the trial shows all that it shows"
        )
        notes.append(Note(ADDS_NOTHING, f"{STANDING}: adds nothing, {words}", topic=STANDING))
    return found.with_points({}, "", *notes)


def _anchors(each: SegmentDefinition, side: Side | None) -> list[str]:
    return [f"{side} {name}" if side else name for name in each.anchors]


def _well_seen(landmarks: Landmarks, key: str) -> bool:
    return key in landmarks and bool(np.isfinite(landmarks[key]).all(axis=1).mean() >= SEEN)


def _shared(
    landmarks: Landmarks, static: Landmarks, name: str
) -> tuple[tuple[str, ...], Array, Array] | None:
    """Return labels and markers of a cluster that both trials show; None where they are fewer than three."""
    if name not in landmarks.clusters or name not in static.clusters:
        return None
    here_labels, here = landmarks.clusters[name]
    there_labels, there = static.clusters[name]
    plain = {label.rpartition(":")[2].casefold(): i for i, label in enumerate(there_labels)}
    pairs = [
        (label, i, plain[label.rpartition(":")[2].casefold()])
        for i, label in enumerate(here_labels)
        if label.rpartition(":")[2].casefold() in plain
    ]
    often = np.array([np.isfinite(here[:, i]).all(axis=1).mean() for _, i, _ in pairs])
    pairs = [pair for pair, share in zip(pairs, often, strict=True) if share > 0.5 * often.max()]
    if len(pairs) < LEAST:
        return None
    labels, first, second = zip(*pairs, strict=True)
    chosen = there[:, list(second)]
    values = np.linalg.svd(_mean_shape(chosen), compute_uv=False)
    if not values[1] > COLLINEAR * values[0]:
        return None
    return labels, here[:, list(first)], chosen


def _mean_shape(markers: Array) -> Array:
    """Return the mean shape of a cluster that stands still, about its middle, shape (p, 3)."""
    whole = markers[np.isfinite(markers).all(axis=(1, 2))]
    if not len(whole):
        raise InputError("no frame of the standing trial shows all markers of a cluster")
    first = whole[0] - whole[0].mean(axis=0)
    local = rigid_fit(whole, first).inverse(whole)
    mean = local.mean(axis=0)
    return np.asarray(mean - mean.mean(axis=0))
