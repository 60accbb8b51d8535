"""Gaps of single markers of a cluster, bridged by the motion of the others, so that what the cluster carries is smooth.

A rigid fit to four markers differs from one to five by the few millimetres that skin moves. Where a marker is lost for
three frames, all that the cluster carries would therefore jump twice, and accelerations would be made of those jumps.
The lost marker is put where the others carry it: its place in their frame goes on a straight line from the last frame
before the gap to the first after it, and is held at the ends of a trial. It has no say in the fit beyond that of the
others, and comes and goes without a step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softstride.notes import Note
from softstride.segments.clusters import LEAST, fixes_a_pose, rigid_fit
from softstride.segments.landmarks import Landmarks

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


RARE = 0.5
"""Share of the frames of the best seen marker up to which another of its cluster takes no part."""


def bridge_clusters(landmarks: Landmarks) -> Landmarks:
    """Return landmarks whose clusters have no gaps of single markers, with a note for each marker that had.

    A gap during which fewer than three others are seen, or only others on a line, stays open: a note says that what
    the cluster carries may jump there. A marker that is rarely seen is left out. Landmarks themselves are left as they
    are.
    """
    clusters: dict[str, tuple[tuple[str, ...], Array]] = {}
    notes: list[Note] = []
    for name, cluster in landmarks.clusters.items():
        labels, markers, rare = _often_seen(*cluster)
        notes += [_left_out(name, label, count, len(markers)) for label, count in rare.items()]
        filled = markers.copy()
        for p, label in enumerate(labels):
            bridged, left = _bridge(markers, p, landmarks.time, filled)
            if bridged:
                notes.append(_told(name, label, bridged, landmarks.time, bridged=True))
            if left:
                notes.append(_told(name, label, left, landmarks.time, bridged=False))
        clusters[name] = (labels, filled)
    return replace(landmarks, clusters=clusters, notes=(*landmarks.notes, *notes))


def _left_out(name: str, label: str, count: int, of: int) -> Note:
    return Note(
        "clusters.marker-rarely-seen",
        f"{name}: {label} is seen in {count} of {of} frames, and takes no part in its cluster",
        topic="clusters",
        names=(label,),
        values={"frames": count},
    )


def _told(name: str, label: str, frames: list[tuple[int, int]], time: Array, *, bridged: bool) -> Note:
    what = (
        "put where the others of its cluster carry it"
        if bridged
        else f"no {LEAST} others are seen throughout, and what its cluster carries may jump there"
    )
    return Note(
        "clusters.gap-bridged" if bridged else "clusters.gap-open",
        f"{name}: {label} is missing {_spans(frames, time)}: {what}",
        "info" if bridged else "warning",
        topic="clusters",
        names=(label,),
        span=(time[frames[0][0]], time[frames[-1][1]]),
        values={"gaps": len(frames)},
    )


def _often_seen(labels: tuple[str, ...], markers: Array) -> tuple[tuple[str, ...], Array, dict[str, int]]:
    """Return a cluster without rarely seen markers, where three are left, and in how many frames each of those is."""
    count = np.isfinite(markers).all(axis=2).sum(axis=0)
    often = count > RARE * count.max()
    if often.all() or often.sum() < LEAST:
        return labels, markers, {}
    rare = {labels[p]: int(count[p]) for p in np.flatnonzero(~often)}
    return tuple(labels[p] for p in np.flatnonzero(often)), markers[:, often], rare


def _bridge(
    markers: Array, p: int, time: Array, filled: Array
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Fill the gaps of marker p in `filled` and return which were bridged and which were left, first and last frame."""
    seen = np.asarray(np.isfinite(markers).all(axis=2))
    bridged, left = [], []
    for start, stop in _gaps(seen[:, p]):
        span = slice(max(start - 1, 0), min(stop + 1, len(markers)))
        others = [q for q in np.flatnonzero(seen[span].all(axis=0)) if q != p]
        ends = np.flatnonzero(seen[span, p])
        if not len(ends) or not fixes_a_pose(markers[span][ends[0], others]):
            left.append((start, stop - 1))
            continue
        beside = markers[span][:, others]
        poses = rigid_fit(beside, beside[ends[0]])
        edges = poses.inverse(markers[span, p])[ends]
        during = np.arange(start, stop) - span.start
        when = time[span]
        local = np.stack([np.interp(when[during], when[ends], edges[:, k]) for k in range(3)], axis=1)
        filled[start:stop, p] = (
            np.einsum("nij,nj->ni", poses.rotation[during], local) + poses.position[during]
        )
        bridged.append((start, stop - 1))
    return bridged, left


def _gaps(seen: Mask) -> Iterator[tuple[int, int]]:
    """Yield first and last frame + 1 of every stretch in which a marker is not seen."""
    edges = np.diff(np.concatenate([[False], ~seen, [False]]).astype(np.int8))
    yield from zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True)


def _spans(frames: list[tuple[int, int]], time: Array) -> str:
    told = ", ".join(
        f"at {time[a]:.2f} s" if a == b else f"from {time[a]:.2f} to {time[b]:.2f} s" for a, b in frames[:3]
    )
    return told + (f" and in {len(frames) - 3} more stretches" if len(frames) > 3 else "")
