"""Gaps: which markers are missing, how much, and for how long at a stretch."""

import numpy as np

from softstride.capture.quality.finding import Finding
from softstride.capture.quality.spans import Mask, find_spans, frame_rate, whole
from softstride.capture.recording import Recording
from softstride.capture.series import Points

LONG_GAP = 0.2  # s; a spline follows a walking marker for about this long, afterwards it makes motion up
MANY_MISSING = 10.0  # %; from here on a marker's mean path rests on what was filled in
BODY_SEEN = 0.5  # share of the markers; with fewer the subject has not entered the volume yet, or has left it


def check_gaps(recording: Recording) -> list[Finding]:
    """Find markers that are missing: never seen, seen for a part of the time, or lost in between.

    What is missing while the whole subject is out of sight is one finding of its own and not held against
    each marker.
    """
    markers = recording.markers
    if not markers:
        return []
    missing = markers.missing
    never: Mask = np.asarray(missing.all(axis=0))
    findings = [
        Finding("warning", "gaps", label, "never seen", value=100.0, unit="%")
        for label, absent in zip(markers.labels, never, strict=True)
        if absent
    ]
    if never.all():
        return findings
    present = (~missing[:, ~never]).mean(axis=1) >= BODY_SEEN
    if not present.any():
        present[:] = True
    findings += _subject_absent(markers, present)
    first, last = np.flatnonzero(present)[[0, -1]]
    return findings + _lost(markers, int(first), int(last))


def _subject_absent(markers: Points, present: Mask) -> list[Finding]:
    _, first, last = find_spans(~present)
    share = 100.0 * float((~present).mean())
    return [
        Finding(
            "info",
            "gaps",
            "all markers",
            f"fewer than half of the markers are seen for {_length(markers, a, b):.2f} s",
            float(markers.time[a]),
            float(markers.time[b]),
            share,
            "%",
        )
        for a, b in zip(first, last, strict=True)
    ]


def _lost(markers: Points, begin: int, end: int) -> list[Finding]:
    """Judge each marker between the first and the last frame that shows the subject."""
    missing = markers.missing[begin : end + 1]
    percent = 100.0 * missing.mean(axis=0)
    column, first, last = find_spans(missing)
    findings = []
    for i in np.flatnonzero((percent > 0.0) & ~markers.missing.all(axis=0)):
        own = np.flatnonzero(column == i)
        longest = own[np.argmax(last[own] - first[own])]
        a, b = begin + int(first[longest]), begin + int(last[longest])
        length = _length(markers, a, b)
        serious = length > LONG_GAP or percent[i] > MANY_MISSING
        findings.append(
            Finding(
                "warning" if serious else "info",
                "gaps",
                markers.labels[i],
                f"{whole(percent[i])} missing in {len(own)} gap{'s' if len(own) > 1 else ''}, "
                f"the longest {length:.2f} s",
                float(markers.time[a]),
                float(markers.time[b]),
                float(percent[i]),
                "%",
            )
        )
    return findings


def _length(markers: Points, first: int, last: int) -> float:
    """Return the duration of frames, in [s]; NaN where the clock stands still."""
    return (last - first + 1) / frame_rate(markers.time)


def missing_percent(markers: Points) -> float:
    """Return the share of marker positions that were not measured, in [%]; NaN without markers."""
    return 100.0 * float(markers.missing.mean()) if markers else float("nan")
