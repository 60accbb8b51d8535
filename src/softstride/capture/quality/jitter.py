"""Jitter: how much a marker trembles from frame to frame, and single frames that jump out of its path."""

from math import comb, sqrt

import numpy as np

from softstride.capture.quality.finding import Finding
from softstride.capture.quality.spans import median, spread
from softstride.capture.recording import Recording
from softstride.capture.series import Floats, Points

ORDER = 6  # of the difference; lets 1/64 of a motion at a tenth of the rate pass, and all of the white noise
ENOUGH = 20  # differences; a median of fewer says little
NOISY = 2e-3  # m; optical systems hold 0.1 to 1 mm, so twice the worst of them is a fault of this recording
SPIKE = 20e-3  # m; a foot that hits the ground bends a 100 Hz path by up to 10 mm, a false ray by far more
SPIKE_NOISE = 10.0  # times the marker's own noise; chance reaches this in no recording of human length


def noise_levels(markers: Points) -> Floats:
    """Estimate the noise of each marker from differences of high order.

    White noise of standard deviation s gives k-th differences of variance C(2k, k) s², while motion at the
    frequency f is damped by (2 sin(pi f / rate))^k. The median of the magnitude ignores impacts and spikes.

    Returns:
        Standard deviation of one coordinate, root mean square over the axes, shape (m,), in [m]; NaN where too
        few frames in a row were seen.
    """
    if len(markers) <= ORDER:
        return np.full(len(markers.labels), np.nan)
    differences = np.diff(markers.values, n=ORDER, axis=0)
    level = spread(differences, axis=0) / sqrt(comb(2 * ORDER, ORDER))  # (m, 3)
    noise = np.sqrt(np.mean(level**2, axis=1))
    counted = np.isfinite(differences).all(axis=2).sum(axis=0)
    return np.where(counted >= ENOUGH, noise, np.nan)


def check_noise(recording: Recording) -> list[Finding]:
    """Find markers that tremble more than a camera system does."""
    markers = recording.markers
    noise = noise_levels(markers)
    return [
        Finding(
            "warning",
            "jitter",
            markers.labels[i],
            f"trembles by {1e3 * noise[i]:.1f} mm from frame to frame",
            value=float(1e3 * noise[i]),
            unit="mm",
        )
        for i in np.flatnonzero(noise > NOISY)
    ]


def check_spikes(recording: Recording) -> list[Finding]:
    """Find single frames that lie off the cubic through their four neighbours, e = (x - p), both ways back.

    p_i = (4 (x_{i-1} + x_{i+1}) - (x_{i-2} + x_{i+2})) / 6, so e is the fourth difference over 6.
    """
    markers = recording.markers
    if len(markers) < 5:
        return []
    x = markers.values
    error = np.linalg.norm(np.diff(x, n=4, axis=0) / 6.0, axis=2)  # (n - 4, m), of the frame in the middle
    usual = spread(error, axis=0)
    aside = np.linalg.norm(x[2:-2] - 0.5 * (x[1:-3] + x[3:-1]), axis=2)
    passing = np.linalg.norm(x[3:-1] - x[1:-3], axis=2)
    with np.errstate(invalid="ignore"):
        spike = (error > SPIKE) & (error > SPIKE_NOISE * usual) & (aside > SPIKE) & (aside > passing)
    findings = []
    for i in np.flatnonzero(spike.any(axis=0)):
        frames = np.flatnonzero(spike[:, i])
        worst = frames[np.argmax(aside[frames, i])]
        size = 1e3 * float(aside[worst, i])
        times = "" if len(frames) == 1 else f", {len(frames)} times in all"
        findings.append(
            Finding(
                "warning",
                "spikes",
                markers.labels[i],
                f"jumps {size:.0f} mm out of its path and back in a single frame{times}",
                float(markers.time[worst + 2]),
                float(markers.time[worst + 2]),
                size,
                "mm",
            )
        )
    return findings


def typical_noise(markers: Points) -> float:
    """Return the median noise of the markers, in [mm]; NaN where it cannot be told."""
    return 1e3 * float(median(noise_levels(markers))) if markers else float("nan")
