"""Label switches: two trajectories that exchange their labels from one frame to the next."""

import numpy as np
from numpy.typing import NDArray

from softstride.capture.quality.finding import Finding
from softstride.capture.quality.spans import frame_rate
from softstride.capture.recording import Recording
from softstride.capture.series import Floats, Points

JUMP = 0.03  # m; no marker on a body leaves its straight path by as much in one frame at 100 Hz
ACCELERATION = 50.0  # m/s²; of a foot in fast gait: how far a path bends while the marker is not seen
LONGEST_GAP = 0.1  # s; beyond it nobody can say where the marker should have come back
ONTO = 0.3  # of the jump; how near to the other's path a marker must land
OFTEN = 4  # exchanges of one pair; more are told in one line
UNSORTED = 10  # pairs; labels that change hands among so many markers mean nothing
MOST = 4_000_000  # jumps times markers looked at; a recording with more of them is noise, which another check says


def check_switches(recording: Recording) -> list[Finding]:
    """Find markers that jump onto the path on which another one was expected.

    From the last two frames seen, each marker is expected at p = x + v dt. Markers a and b have exchanged their
    labels where both are far from their own p and near the other's; or a has taken over the label of b where b is
    not seen. A second exchange of the same pair ends the first.
    """
    markers = recording.markers
    if len(markers) < 3 or len(markers.labels) < 2:
        return []
    expected, wait = _expect(markers)
    error = np.linalg.norm(markers.values - expected, axis=2)
    limit = JUMP + 0.5 * ACCELERATION * wait**2
    with np.errstate(invalid="ignore"):
        frame, marker = np.nonzero(error > limit)
    most = MOST // len(markers.labels)
    if len(frame) > most:
        chosen = np.sort(np.argsort(-error[frame, marker])[:most])
        frame, marker = frame[chosen], marker[chosen]
    if len(frame) == 0:
        return []
    other = _landed(markers, expected, error, frame, marker)
    return _pair_up(markers, frame[other >= 0], marker[other >= 0], other[other >= 0])


def _expect(markers: Points) -> tuple[Floats, Floats]:
    """Return where each marker should be, from frames before, shape (n, m, 3), and the time since, (n, m)."""
    n, m = markers.values.shape[:2]
    seen = ~markers.missing
    rows = np.arange(n)[:, None]
    latest = np.maximum.accumulate(np.where(seen, rows, -1), axis=0)
    before = np.concatenate([np.full((1, m), -1), latest[:-1]])
    last = np.take_along_axis(markers.values, np.maximum(before, 0)[:, :, None], axis=0)
    earlier = np.take_along_axis(markers.values, np.maximum(before - 1, 0)[:, :, None], axis=0)
    frames = rows - before
    step = np.where(np.isfinite(earlier), last - earlier, 0.0) * (before > 0)[:, :, None]
    wait = frames / frame_rate(markers.time)
    known = (before >= 0) & ((wait <= LONGEST_GAP) | (frames == 1))
    return np.where(known[:, :, None], last + step * frames[:, :, None], np.nan), wait


def _landed(
    markers: Points, expected: Floats, error: Floats, frame: NDArray[np.int64], marker: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return for each jump the marker onto whose path it went, -1 where there is none."""
    rows = np.arange(len(frame))
    away = np.linalg.norm(markers.values[frame, marker][:, None] - expected[frame], axis=2)  # (jumps, m)
    away[rows, marker] = np.inf
    away = np.where(np.isfinite(away), away, np.inf)
    other = np.argmin(away, axis=1)
    onto = away[rows, other] < ONTO * error[frame, marker]
    back = np.linalg.norm(markers.values[frame, other] - expected[frame, marker], axis=1)
    with np.errstate(invalid="ignore"):
        exchanged = back < ONTO * error[frame, other]
    lost = markers.missing[frame, other]
    return np.where(onto & (exchanged | lost), other, -1)


def _pair_up(
    markers: Points, frame: NDArray[np.int64], marker: NDArray[np.int64], other: NDArray[np.int64]
) -> list[Finding]:
    """Join the jumps of each pair into stretches: from an exchange to the next one, or to the end."""
    frames: dict[tuple[int, int], set[int]] = {}
    for i, a, b in zip(frame, marker, other, strict=True):
        frames.setdefault((int(min(a, b)), int(max(a, b))), set()).add(int(i))
    if len(frames) > UNSORTED:
        every = sorted(set().union(*frames.values()))
        message = f"{len(frames)} pairs exchange their labels: these trajectories were never sorted"
        start, stop = float(markers.time[every[0]]), float(markers.time[every[-1]])
        return [
            Finding("error", "switches", "all markers", message, start, stop, float(len(frames)), "pairs")
        ]
    findings = []
    for (a, b), times in sorted(frames.items()):
        ordered = sorted(times)
        subject = f"{markers.labels[a]}/{markers.labels[b]}"
        if len(ordered) > OFTEN:
            message = f"exchange their labels {len(ordered)} times"
            start, stop = float(markers.time[ordered[0]]), float(markers.time[ordered[-1]])
            findings.append(Finding("error", "switches", subject, message, start, stop))
            continue
        for k in range(0, len(ordered), 2):
            ends = k + 1 < len(ordered)
            begin, end = ordered[k], ordered[k + 1] - 1 if ends else len(markers) - 1
            message = "exchange their labels" + ("" if ends else " and do not change back")
            start, stop = float(markers.time[begin]), float(markers.time[end])
            findings.append(Finding("error", "switches", subject, message, start, stop))
    return findings
