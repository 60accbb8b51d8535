"""Critically damped low-pass: real poles only, so a step never overshoots.

A pole has the power gain 1 / (1 + (W/Wc)^2) on W = tan(pi f / rate); `order` poles in all give the half-power point
at the cutoff f if

    Wc = C W(f),    C = 1 / sqrt(2^(1/order) - 1)

[Robertson2003]: with n = order / 2 cascaded 2nd-order filters that is C = 1 / sqrt(2^(1/(2n)) - 1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softstride.signals.inputs import FloatArray, as_signal, check_cutoff, check_positive
from softstride.signals.passes import filter_runs, split_order


def critically_damped(
    x: ArrayLike,
    rate: float,
    cutoff: float,
    *,
    order: int = 4,
    passes: int = 2,
) -> FloatArray:
    """Smooth a signal with a critically damped low-pass, without phase by default.

    The gain is (1 + (W/Wc)^2)^(-order/2), exactly 1/sqrt(2) at the cutoff. `order` counts all passes: order 4 in
    2 passes is the 2nd-order critically damped filter forward and backward. The response to a step is monotone
    as long as the poles are not negative, Wc <= 1; for order 4 that is a cutoff below 0.13 of the rate.

    Every run between gaps is filtered on its own, whatever its length, continued beyond its ends by odd
    reflection (`passes`); with one pass the filter starts in the steady state of the first sample.

    Args:
        x: Samples, shape (n_frames, ...), evenly spaced; NaN stays NaN and is never bridged.
        rate: Sampling rate, in [Hz].
        cutoff: Half-power frequency, in [Hz].
        order: Number of poles of the whole filter, a multiple of `passes`.
        passes: 1 for a causal filter; 2, 4, ... for no phase.

    Returns:
        Smoothed samples, shape (n_frames, ...), in the unit of x.

    Raises:
        InputError: If the cutoff is not inside (0, rate/2), or rate, order or passes do not fit.

    References:
        [Robertson2003] Robertson and Dowling, J Electromyogr Kinesiol 13:569.
    """
    signal = as_signal(x)
    sections = critically_damped_sections(rate, cutoff, order=order, passes=passes)
    return filter_runs(signal, sections, passes)


def critically_damped_sections(rate: float, cutoff: float, *, order: int = 4, passes: int = 2) -> FloatArray:
    """Design one pass of `critically_damped`.

    Args:
        rate: Sampling rate, in [Hz].
        cutoff: Half-power frequency of the whole filter, in [Hz].
        order: Number of poles of the whole filter.
        passes: Number of passes.

    Returns:
        Sections of one pass, shape (n_sections, 6); the last is of first order where the pass has odd order.

    Raises:
        InputError: As `critically_damped`.
    """
    rate = check_positive("rate", rate, "Hz")
    each = split_order(order, passes)
    warped = np.tan(np.pi * check_cutoff("cutoff", cutoff, rate) / rate) / np.sqrt(2.0 ** (1.0 / order) - 1.0)
    gain, pole = warped / (1.0 + warped), (1.0 - warped) / (1.0 + warped)
    double = [gain**2, 2.0 * gain**2, gain**2, 1.0, -2.0 * pole, pole**2]
    single = [gain, gain, 0.0, 1.0, -pole, 0.0]
    return np.array([double] * (each // 2) + [single] * (each % 2))
