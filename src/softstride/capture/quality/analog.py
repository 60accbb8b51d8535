"""Analog channels: flat tops, dead inputs, and hum of the mains in EMG."""

import numpy as np
from numpy.typing import NDArray

from softstride.capture.quality.finding import Finding, Severity
from softstride.capture.quality.spans import find_spans, frame_rate, median, whole
from softstride.capture.recording import Recording
from softstride.capture.series import Channels, Floats

PLATEAU = 3  # samples; two equal ones at the top happen by chance
PLATEAUS = 3  # or one that is three times as long; a single short one is a coincidence
DIGITAL = 16  # values; with fewer the channel is a switch or a trigger
RESTING = 0.2  # share of the samples; an extreme as frequent as this is where the channel rests
STEEP = 3.0  # quanta; a smooth peak enters its last digit in steps of one
MAINS = (50.0, 60.0)  # Hz
LINE = 1.0  # Hz; half width of a line in the spectrum
AROUND = (2.0, 8.0)  # Hz; distance of what it is compared with
BAND = (20.0, 450.0)  # Hz; where surface EMG has its power
HUM = 10.0  # %; of the power in the band, from here on an envelope shows the mains
SHORTEST = 1.0  # s; shorter recordings cannot tell a line from its surroundings


def check_dead(recording: Recording) -> list[Finding]:
    """Find channels that never change; of those that nothing uses, only as a remark."""
    used = _used(recording)
    findings = []
    for label, values in zip(recording.analog.labels, recording.analog.values.T, strict=True):
        seen = values[np.isfinite(values)]
        if len(values) > 1 and (len(seen) == 0 or np.ptp(seen) == 0.0):
            message = "no signal: never changes" if len(seen) else "never measured"
            findings.append(Finding("warning" if label in used else "info", "analog", label, message))
    return findings


def _used(recording: Recording) -> set[str]:
    return {*recording.emg.labels, *(label for plate in recording.plates for label in plate.channels)}


def check_clipping(recording: Recording) -> list[Finding]:
    """Find channels with flat tops: many samples in a row at exactly the largest or smallest value."""
    plates = {label for plate in recording.plates for label in plate.channels}
    findings = []
    for label, unit, values in _columns(recording.analog):
        for name, signal in (("maximum", values), ("minimum", -values)):
            first, last = _flat_tops(signal)
            if len(first) == 0:
                continue
            percent = 100.0 * float((last - first + 1).sum()) / len(values)
            level = float(np.nanmax(signal)) * (1.0 if name == "maximum" else -1.0)
            message = f"clipped: flat at its {name}, {level:.4g} {unit}".rstrip()
            message += f", {len(first)} time{'s' if len(first) > 1 else ''}, {whole(percent)} of the samples"
            severity: Severity = "error" if label in plates else "warning"
            start, stop = float(recording.analog.time[first[0]]), float(recording.analog.time[last[-1]])
            findings.append(Finding(severity, "analog", label, message, start, stop, percent, "%"))
    return findings


def _columns(channels: Channels) -> list[tuple[str, str, Floats]]:
    columns = np.ascontiguousarray(channels.values.T)
    return list(zip(channels.labels, channels.units, columns, strict=True))


def _flat_tops(signal: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return first and last sample of each flat top of a signal; none where it is not clipped."""
    none = (np.zeros(0, dtype=np.int64),) * 2
    top = np.nanmax(signal, initial=-np.inf)
    at_top = signal == top
    if top == 0.0 or at_top.sum() < PLATEAU or at_top.mean() > RESTING:  # zeros are samples left out
        return none
    _, first, last = find_spans(at_top)
    long = last - first + 1 >= PLATEAU
    first, last = first[long], last[long]
    if len(first) < PLATEAUS and not (last - first + 1 >= PLATEAUS * PLATEAU).any():
        return none
    steps = np.abs(np.diff(signal))
    steps = steps[steps > 0.0]
    if len(steps) == 0 or len(np.unique(signal[np.isfinite(signal)])) < DIGITAL:
        return none
    before = top - signal[np.maximum(first - 1, 0)]
    after = top - signal[np.minimum(last + 1, len(signal) - 1)]
    entry = np.concatenate([before[first > 0], after[last < len(signal) - 1]])
    if len(entry) == 0 or not float(median(entry)) >= STEEP * float(steps.min()):
        return none
    return first, last


def check_hum(recording: Recording) -> list[Finding]:
    """Find EMG in which the mains (50 or 60 Hz, with harmonics) holds more than a tenth of the power."""
    emg = recording.emg
    rate = frame_rate(emg.time)
    if not emg or not len(emg) > SHORTEST * rate or not rate > 2.0 * (MAINS[1] + AROUND[1]):
        return []
    shares = {mains: hum_share(emg, mains) for mains in MAINS}
    findings = []
    for i, label in enumerate(emg.labels):
        mains = max(MAINS, key=lambda frequency: float(np.nan_to_num(shares[frequency][i])))
        percent = 100.0 * float(shares[mains][i])
        if percent > HUM:
            message = (
                f"hum of the mains: {whole(percent)} of the power is at {mains:.0f} Hz and its multiples"
            )
            findings.append(Finding("warning", "emg", label, message, value=percent, unit="%"))
    return findings


def hum_share(emg: Channels, mains: float) -> Floats:
    """Return the share of each channel's power that stands out at the mains frequency and its harmonics.

    Args:
        emg: Channels with one rate.
        mains: Frequency, in [Hz].

    Returns:
        Shape (c,), 0 to 1; NaN for a channel without power.
    """
    rate = frame_rate(emg.time)
    values = np.where(np.isfinite(emg.values), emg.values, 0.0)
    frequency = np.fft.rfftfreq(len(values), 1.0 / rate)
    tapered = np.hanning(len(values))[:, None] * (values - values.mean(axis=0))
    power = np.abs(np.fft.rfft(tapered, axis=0)) ** 2
    highest = min(BAND[1], 0.5 * rate)
    band = (frequency >= BAND[0]) & (frequency <= highest)
    total = power[band].sum(axis=0)
    line = np.zeros(values.shape[1])
    for harmonic in np.arange(mains, highest - AROUND[1], mains):
        away = np.abs(frequency - harmonic)
        peak = power[away <= LINE]
        ground = power[(away >= AROUND[0]) & (away <= AROUND[1])].mean(axis=0)
        line += np.maximum(peak.sum(axis=0) - ground * len(peak), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0.0, line / total, np.nan)
