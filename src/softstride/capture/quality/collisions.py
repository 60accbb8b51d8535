"""Collisions: two labels at one place, and markers or whole frames that stand still."""

import numpy as np

from softstride.capture.quality.finding import Finding
from softstride.capture.quality.spans import find_spans, frame_rate, median
from softstride.capture.recording import Recording
from softstride.capture.series import Floats

TOUCHING = 3e-3  # m; centres of the smallest markers on a body, 6 mm wide, cannot come nearer
MOST_DISTANCES = (
    300_000_000  # a second of work; of longer recordings with more markers some frames are looked at
)
HEAP = 200  # pairs; more are told in one line
ALWAYS = 0.95  # share of the common frames that makes two labels one trajectory
FROZEN = 0.1  # s; longer than any marker on a moving body rests to the last digit
FRAMES = 5  # at slow rates; fewer may agree by chance in a file that keeps few digits
BODY_MOVES = 0.02  # m; by less the subject stands, and then rounded positions do repeat
ENOUGH_MARKERS = 3  # a frame of fewer may well repeat itself


def check_collisions(recording: Recording) -> list[Finding]:
    """Find labels that come nearer to each other than markers can."""
    markers = recording.markers
    labels = markers.labels
    skip = max(1, len(markers) * len(labels) ** 2 // MOST_DISTANCES)
    coordinates = np.ascontiguousarray(np.moveaxis(markers.values[::skip], 2, 0))  # (3, n, m)
    pairs: list[tuple[int, int]] = []
    for i in range(len(labels) - 1):
        squared = sum(
            ((part[:, i + 1 :] - part[:, i : i + 1]) ** 2 for part in coordinates), start=np.zeros(())
        )
        near = np.flatnonzero((squared < TOUCHING**2).any(axis=0))  # NaN is not near
        pairs += [(i, i + 1 + int(k)) for k in near]
    if len(pairs) > HEAP:
        message = f"{len(pairs)} pairs of labels come within {1e3 * TOUCHING:g} mm: not one marker each"
        return [Finding("error", "collisions", "all markers", message, value=float(len(pairs)), unit="pairs")]
    values = markers.values
    return [
        _collision(
            markers.time, f"{labels[i]}/{labels[k]}", np.linalg.norm(values[:, i] - values[:, k], axis=1)
        )
        for i, k in pairs
    ]


def _collision(time: Floats, subject: str, distance: Floats) -> Finding:
    both = np.isfinite(distance)
    near = both & (distance < TOUCHING)
    frames = np.flatnonzero(near)
    start, stop = float(time[frames[0]]), float(time[frames[-1]])
    closest = 1e3 * float(distance[frames].min())
    if near.sum() >= ALWAYS * both.sum():
        message = "are one trajectory under two labels"
        return Finding("info", "collisions", subject, message, value=closest, unit="mm")
    count = f"{len(frames)} frame{'s' if len(frames) > 1 else ''}"
    message = f"come within {closest:.1f} mm of each other in {count}"
    return Finding("warning", "collisions", subject, message, start, stop, closest, "mm")


def check_frozen(recording: Recording) -> list[Finding]:
    """Find frames that repeat the one before, and markers that stop to the last digit while others move."""
    markers = recording.markers
    if len(markers) < 2:
        return []
    same = (np.diff(markers.values, axis=0) == 0.0).all(axis=2)  # (n - 1, m); NaN is never the same
    seen = ~markers.missing[1:]
    repeated = (seen.sum(axis=1) >= ENOUGH_MARKERS) & (same == seen).all(axis=1)
    time = markers.time[1:]
    findings = []
    for _, a, b in zip(*find_spans(repeated), strict=True):
        message = f"{b - a + 1} frame{'s repeat' if b > a else ' repeats'} the one before exactly"
        findings.append(
            Finding(
                "warning", "frozen", "all markers", message, float(time[a]), float(time[b]), float(b - a + 1)
            )
        )
    if repeated.mean() > 0.5:
        return findings[:1]
    for i, a, b in zip(*find_spans(same & ~repeated[:, None]), strict=True):
        length = (b - a + 1) / frame_rate(markers.time)
        if length < FROZEN or b - a + 1 < FRAMES or _travel(markers.values[a : b + 2]) < BODY_MOVES:
            continue
        start, stop = float(time[a]), float(time[b])
        if same[:, i].sum() == seen[:, i].sum():
            fixed = "never moves: a point of the laboratory, not of the body"
            findings.append(Finding("info", "frozen", markers.labels[i], fixed, value=length, unit="s"))
        else:
            held = f"stands still to the last digit for {length:.2f} s while other markers move"
            findings.append(Finding("warning", "frozen", markers.labels[i], held, start, stop, length, "s"))
    return findings


def _travel(values: Floats) -> float:
    """Return how far the usual marker gets from where it was at the start, in [m]; 0 where none was seen."""
    way = np.linalg.norm(values - values[:1], axis=2)
    return float(np.nan_to_num(median(np.fmax.reduce(way, axis=0))))
