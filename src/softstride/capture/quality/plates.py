"""Plates: what they show while nobody stands on them, and whether that changes."""

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import Plate
from softstride.capture.quality.finding import Finding
from softstride.capture.quality.spans import median
from softstride.capture.recording import Recording
from softstride.capture.series import Floats

BLOCK = 0.05  # s; short against a step, long against the noise of a plate
QUIET = 2.0  # N; deviation within a block; a foot on the plate makes more, electronics alone less
QUIET_NOISE = 3.0  # times the quietest blocks, for plates noisier than that
NEAR_LOWEST = 0.05  # of the range of the force; between it and a standing foot there is a wide gap
LOADED_ALL_ALONG = 100.0  # N; a plate that never shows less was never unloaded
FEWEST = 2  # blocks that make a baseline
OFFSET = 10.0  # N; half of the usual threshold of 20 N: from here on contacts begin too early or too late
DRIFT = 5.0  # N; about 0.7 % of a body weight, and of centres of pressure at toe-off far more


def check_plates(recording: Recording) -> list[Finding]:
    """Find plates whose unloaded force is not zero, or not the same at the start as at the end."""
    return [finding for plate in recording.plates for finding in _check_plate(plate)]


def _check_plate(plate: Plate) -> list[Finding]:
    force = plate.wrench[:, 3:] @ plate.normal
    if len(force) and not np.isfinite(force).any():
        return [Finding("error", "plates", plate.name, "no force was measured")]
    start, level = unloaded_blocks(plate.time, force)
    if len(level) < FEWEST:
        return []
    findings = []
    offset = float(np.median(level))
    if abs(offset) > OFFSET:
        message = f"shows {offset:+.0f} N while unloaded; take it away with zeroing"
        findings.append(Finding("warning", "plates", plate.name, message, value=offset, unit="N"))
    third = max(len(level) // 3, 1)
    drift = float(np.median(level[-third:]) - np.median(level[:third]))
    if abs(drift) > DRIFT:
        message = f"its unloaded force drifts by {drift:+.0f} N"
        stop = float(start[-1]) + BLOCK
        findings.append(
            Finding("warning", "plates", plate.name, message, float(start[0]), stop, drift, "N"),
        )
    return findings


def unloaded_blocks(time: Floats, force: Floats) -> tuple[Floats, Floats]:
    """Return start and mean force of the short blocks in which nobody touches a plate.

    These are quiet blocks near the lowest quiet level, on a plate that was not loaded all along.

    Args:
        time: Shape (n,), in [s].
        force: Along the plate's normal, shape (n,), in [N].

    Returns:
        Start of each block, in [s], and its mean force, in [N].
    """
    nothing = np.zeros(0), np.zeros(0)
    if len(time) < 3:
        return nothing
    length = max(round(BLOCK / float(np.median(np.diff(time)))), 2) if time[-1] > time[0] else len(time)
    count = len(time) // length
    if count < FEWEST:
        return nothing
    blocks = force[: count * length].reshape(count, length)
    level, deviation = blocks.mean(axis=1), blocks.std(axis=1)
    finite = np.isfinite(level)
    if not finite.any():
        return nothing
    limit = max(QUIET, QUIET_NOISE * float(np.quantile(deviation[finite], 0.1)))
    quiet: NDArray[np.bool_] = finite & (deviation <= limit)
    if not quiet.any() or float(level[quiet].min()) > LOADED_ALL_ALONG:
        return nothing
    lowest = float(level[quiet].min())
    highest = float(median(np.sort(force[np.isfinite(force)])[-length:]))
    unloaded = quiet & (level <= lowest + max(NEAR_LOWEST * (highest - lowest), 2.0 * OFFSET))
    return time[: count * length : length][unloaded], level[unloaded]
