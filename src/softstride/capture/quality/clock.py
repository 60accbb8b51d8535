"""Time: does it run forward, in equal steps, and do the events lie within it?"""

from collections.abc import Iterator

import numpy as np

from softstride.capture.quality.finding import Finding
from softstride.capture.recording import Recording
from softstride.capture.series import Floats

LOST = 1.5  # steps; nearer to two than to one, so a frame is missing in between
UNEVEN = 0.1  # of a step; cameras and converters run on quartz, so more is a fault of the file
DIGITS = 6  # decimals; a time column with fewer is rounded, and its steps differ by a unit of the last one
BESIDE = 1.0  # steps; an event may lie between the last frame and the one that would have followed


def _clocks(recording: Recording) -> Iterator[tuple[str, Floats]]:
    """Yield each clock of the recording once, by the name of what it belongs to."""
    known: list[Floats] = []
    series = (
        ("markers", recording.markers),
        ("analog channels", recording.analog),
        ("table", recording.table),
    )
    named = [*((name, part.time) for name, part in series)]
    named += [("EMG", recording.emg.time), *((force.name, force.time) for force in recording.forces)]
    for name, time in named:
        if len(time) > 1 and not any(np.array_equal(time, other) for other in known):
            known.append(time)
            yield name, time


def check_time(recording: Recording) -> list[Finding]:
    """Find clocks that run backwards, skip frames, tick unevenly, or have no instant in common."""
    clocks = list(_clocks(recording))
    findings = [finding for name, time in clocks for finding in _check_clock(name, time)]
    first, last = (np.nanmin(clocks[0][1]), np.nanmax(clocks[0][1])) if clocks else (0.0, 0.0)
    for name, time in clocks[1:]:
        start, stop = float(np.nanmin(time)), float(np.nanmax(time))
        if start > last or stop < first:
            message = f"recorded from {start:.2f} s to {stop:.2f} s, when there are no {clocks[0][0]}"
            findings.append(Finding("error", "time", name, message, start, stop))
    return findings


def _check_clock(name: str, time: Floats) -> list[Finding]:
    steps = np.diff(time)
    findings = []
    backward = np.flatnonzero(~(steps > 0.0))
    if len(backward):
        at = float(time[backward[0] + 1])
        message = (
            f"time does not run forward in {len(backward)} of {len(steps)} steps, the first to {at:.3f} s"
        )
        findings.append(Finding("error", "time", name, message, at, at, float(len(backward)), "frames"))
    forward = steps[steps > 0.0]
    if len(forward) == 0:
        return findings
    step = float(np.median(forward))
    lost = np.flatnonzero(steps > LOST * step)
    if len(lost):
        count = int(np.rint(steps[lost] / step - 1.0).sum())
        message = f"{count} frame{'s are' if count > 1 else ' is'} missing in {len(lost)} place"
        message += "s" if len(lost) > 1 else ""
        start, stop = float(time[lost[0]]), float(time[lost[-1] + 1])
        findings.append(Finding("warning", "time", name, message, start, stop, float(count), "frames"))
    small = forward[forward <= LOST * step]
    uneven = float(np.abs(small - step).max()) / step
    if uneven > UNEVEN and uneven * step > 1.01 * _resolution(time):
        message = f"steps of time differ by up to {100.0 * uneven:.0f} % from {1e3 * step:.3g} ms"
        findings.append(Finding("warning", "time", name, message, value=100.0 * uneven, unit="%"))
    return findings


def _resolution(time: Floats) -> float:
    """Return the unit of the last decimal to which all times are rounded, in [s]; 0 where they are not."""
    rounded = (d for d in range(DIGITS) if np.allclose(time, np.round(time, d), rtol=0.0, atol=1e-9))
    return next((10.0**-decimals for decimals in rounded), 0.0)


def check_events(recording: Recording) -> list[Finding]:
    """Find events before the first or after the last sample."""
    clocks = [time for _, time in _clocks(recording)]
    if not clocks:
        return []
    margin = BESIDE * max(abs(float(np.median(np.diff(time)))) for time in clocks)
    first, last = min(float(t.min()) for t in clocks), max(float(t.max()) for t in clocks)
    outside = [e for e in recording.events if not first - margin <= e.time <= last + margin]
    return [
        Finding(
            "warning",
            "events",
            f"{event.side} {event.label}" if event.side else event.label,
            f"lies outside the recording, which runs from {first:.2f} to {last:.2f} s",
            event.time,
            event.time,
        )
        for event in outside
    ]
