"""Butterworth filters with the cutoff where it was asked for, whatever the number of passes.

A pass of order N has the power gain 1 / (1 + (W/Wc)^(2N)) on the frequency axis W = tan(pi f / rate) of the bilinear
transform. After n passes the gain at Wc is 2^(-n/2), so the half-power point has moved. It stays at the cutoff f if
each pass is designed with

    Wc = W(f) / C  (low)        Wc = W(f) C  (high)        C = (2^(1/n) - 1)^(1/(2N))

[Winter2009, sec. 3.4.4.2; Robertson2003]. A band-pass is
the low-pass in (W^2 - W1 W2) / (W (W2 - W1)), so its width W2 - W1 is divided by C at a fixed W1 W2, and that of a
band-stop multiplied; moving each edge by itself would miss both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.signals.inputs import FloatArray, as_signal, check_cutoff, check_positive
from softstride.signals.passes import filter_runs, split_order

Kind = Literal["low", "high", "band", "stop"]


def butterworth(
    x: ArrayLike,
    rate: float,
    cutoff: float | Sequence[float],
    *,
    order: int = 4,
    kind: Kind = "low",
    passes: int = 2,
    corrected: bool = True,
) -> FloatArray:
    """Filter a signal with a Butterworth filter, without phase by default.

    The gain of a low-pass is (1 + C^(2N) (W/W(f))^(2N))^(-n/2) with n passes of order N = order / n, and exactly
    1/sqrt(2) at the cutoff. `order` counts all passes, as in "4th-order zero-lag": order 4 in 2 passes is
    a 2nd-order filter forward and backward. For a band it is the order of each of the two skirts.

    Every run between gaps is filtered on its own, whatever its length, continued beyond its ends by odd
    reflection (`passes`); with one pass the filter starts in the steady state of the first sample.

    Args:
        x: Samples, shape (n_frames, ...), evenly spaced; NaN stays NaN and is never bridged.
        rate: Sampling rate, in [Hz].
        cutoff: Half-power frequency, in [Hz]; two, rising, for "band" and "stop".
        order: Order of the whole filter, a multiple of `passes`.
        kind: "low", "high", "band" or "stop".
        passes: 1 for a causal filter; 2, 4, ... for no phase.
        corrected: False designs each pass for the cutoff itself, so that the gain there is 2^(-passes/2): what
            many published recipes do when they run a filter twice.

    Returns:
        Filtered samples, shape (n_frames, ...), in the unit of x.

    Raises:
        InputError: If a cutoff is not inside (0, rate/2), or rate, order, kind or passes do not fit.

    References:
        [Winter2009] Biomechanics and Motor Control of Human Movement, 4th ed., sec. 3.4.4.2.
        [Robertson2003] Robertson and Dowling, J Electromyogr Kinesiol 13:569.
    """
    signal = as_signal(x)
    sections = butterworth_sections(rate, cutoff, order=order, kind=kind, passes=passes, corrected=corrected)
    return filter_runs(signal, sections, passes)


def butterworth_sections(
    rate: float,
    cutoff: float | Sequence[float],
    *,
    order: int = 4,
    kind: Kind = "low",
    passes: int = 2,
    corrected: bool = True,
) -> FloatArray:
    """Design one pass of `butterworth`.

    Args:
        rate: Sampling rate, in [Hz].
        cutoff: Half-power frequency or band of the whole filter, in [Hz].
        order: Order of the whole filter.
        kind: "low", "high", "band" or "stop".
        passes: Number of passes.
        corrected: Whether the cutoff is that of the whole filter or of each pass.

    Returns:
        Second-order sections of one pass, shape (n_sections, 6): b0, b1, b2, 1, a1, a2.

    Raises:
        InputError: As `butterworth`.
    """
    from scipy.signal import butter  # loads half of SciPy: when it is needed

    rate = check_positive("rate", rate, "Hz")
    each = split_order(order, passes)
    if kind not in get_args(Kind):
        raise InputError(f"kind must be one of {', '.join(get_args(Kind))}, however it is {kind!r}.")
    warped = np.tan(np.pi * _cutoffs(cutoff, rate, kind) / rate)
    ratio = (2.0 ** (1.0 / passes) - 1.0) ** (0.5 / each) if corrected else 1.0
    if kind in ("high", "stop"):
        ratio = 1.0 / ratio
    if len(warped) == 1:
        warped = warped / ratio
    else:
        width = (warped[1] - warped[0]) / ratio
        upper = (width + np.hypot(width, 2.0 * np.sqrt(warped[0] * warped[1]))) / 2.0
        warped = np.array([warped[0] * warped[1] / upper, upper])
    design = np.arctan(warped) * (2.0 / np.pi)  # as a fraction of half the rate
    btype = {"low": "lowpass", "high": "highpass", "band": "bandpass", "stop": "bandstop"}[kind]
    return np.asarray(butter(each, design if len(design) == 2 else design[0], btype=btype, output="sos"))


def _cutoffs(cutoff: float | Sequence[float], rate: float, kind: str) -> FloatArray:
    """Return the cutoffs, one or two, each checked."""
    found = np.atleast_1d(np.asarray(cutoff, dtype=object))
    wanted = 2 if kind in ("band", "stop") else 1
    if found.shape != (wanted,):
        raise InputError(
            f"cutoff of a {kind} filter must be {wanted} frequency(s), however it is {cutoff!r}."
        )
    checked = np.array([check_cutoff("cutoff", value, rate) for value in found])
    if wanted == 2 and checked[0] >= checked[1]:
        raise InputError(f"the band must rise, (lower, upper) in Hz, however it is {cutoff!r}.")
    return checked
