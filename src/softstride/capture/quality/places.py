"""Places: are the markers where a person can be, and as far apart as those of a person?"""

import numpy as np

from softstride.capture.quality.finding import Finding, Severity
from softstride.capture.quality.spans import median
from softstride.capture.recording import Recording
from softstride.capture.series import Floats

FAR = 50.0  # m; no capture volume of people is larger
BELOW = 0.1  # m; markers sit on the skin, and soles on the floor
SMALL, LARGE = 0.2, 3.0  # m; from the markers of one foot to a tall person with the arms raised
ENOUGH_MARKERS = 4  # fewer may all sit on one bone
MILLIMETRES = 1e3  # the usual mistake


def check_places(recording: Recording) -> list[Finding]:
    """Find markers more than 50 m away or well below the floor."""
    markers = recording.markers
    if not markers:
        return []
    distance = np.abs(markers.values).max(axis=2)
    floor = _floor(recording)
    with np.errstate(invalid="ignore"):
        far, low = distance > FAR, markers.values[:, :, 1] < floor - BELOW
    findings = []
    for i in np.flatnonzero(far.any(axis=0)):
        frames = np.flatnonzero(far[:, i])
        most = float(distance[frames, i].max())
        message = f"up to {most:.0f} m from the origin"
        start, stop = (float(markers.time[k]) for k in frames[[0, -1]])
        findings.append(Finding("error", "places", markers.labels[i], message, start, stop, most, "m"))
    low &= ~far
    if np.median(low.any(axis=0)) > 0:
        depth = floor - float(np.nanmin(markers.values[:, :, 1]))
        message = f"reach {depth:.2f} m below the floor: the origin or the upward axis is in doubt"
        return [*findings, Finding("warning", "places", "most markers", message, value=depth, unit="m")]
    for i in np.flatnonzero(low.any(axis=0)):
        frames = np.flatnonzero(low[:, i])
        depth = floor - float(markers.values[frames, i, 1].min())
        message = f"up to {depth:.2f} m below the floor"
        start, stop = (float(markers.time[k]) for k in frames[[0, -1]])
        findings.append(Finding("warning", "places", markers.labels[i], message, start, stop, depth, "m"))
    return findings


def _floor(recording: Recording) -> float:
    """Return the height of the lowest plate, in [m]; without plates the floor is at zero."""
    return min((float(plate.corners[:, 1].min()) for plate in recording.plates), default=0.0)


def extent(values: Floats) -> float:
    """Return how far the markers of a usual frame lie apart: the longest side of their box, in [m].

    Args:
        values: Positions, shape (n, m, 3), in [m].
    """
    counted = np.isfinite(values).all(axis=2).sum(axis=1) >= ENOUGH_MARKERS
    if not counted.any():
        return float("nan")
    chosen = values[counted]
    sides = np.nanmax(chosen, axis=1) - np.nanmin(chosen, axis=1)
    return float(median(sides.max(axis=1)))


def check_extent(recording: Recording) -> list[Finding]:
    """Find a set of markers too small or too large for a person: its unit is probably wrong."""
    size = extent(recording.markers.values)
    if not (size < SMALL or size > LARGE):
        return []
    factor = next((f for f in (MILLIMETRES, 1.0 / MILLIMETRES) if SMALL <= size / f <= LARGE), None)
    hint = "is the unit in the file right?"
    if factor is not None:
        hint = f"the unit in the file is probably wrong by a factor of {max(factor, 1 / factor):.0f}"
    message = f"lie {size:.3g} m apart, and those of a person {SMALL} to {LARGE:.0f} m: {hint}"
    severity: Severity = "error" if factor is not None else "warning"
    return [Finding(severity, "unit", "markers", message, value=size, unit="m")]
