"""Surface EMG: from raw channels to envelopes, their normalisation, and the delay until force follows."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.signals.butterworth import butterworth
from softstride.signals.critically_damped import critically_damped as smooth_critically
from softstride.signals.inputs import FloatArray, as_signal, as_time


def emg_envelope(
    x: ArrayLike,
    rate: float,
    *,
    band: tuple[float, float | None] = (50.0, 500.0),
    band_order: int = 12,
    lowpass: float = 7.5,
    lowpass_order: int = 8,
    critically_damped: float | None = 15.0,
    critically_damped_order: int = 4,
    passes: int = 2,
    corrected: bool = False,
) -> FloatArray:
    """Turn raw EMG into its linear envelope.

    Band-pass, full-wave rectification |x|, Butterworth low-pass, critically damped low-pass; all without phase by
    default. The defaults are the recipe behind the EMG of the Rajagopal walking trial [Rajagopal2016]:
    50 to 500 Hz of order 6, 7.5 Hz of order 4, 15 Hz of order 4, where the Butterworth filters of 6th and 4th order
    run forward and backward with the cutoffs of a single pass (orders 12 and 8 in all, `corrected` false), while the
    critically damped one is of 2nd order each way and has its half-power point at 15 Hz.

    A Butterworth low-pass undershoots, so an envelope may fall slightly below zero after a burst; nothing is clipped.

    Args:
        x: Raw EMG, shape (n_frames, ...), in any unit; NaN stays NaN.
        rate: Sampling rate, in [Hz].
        band: Band-pass, in [Hz]; an upper edge of None leaves a high-pass.
        band_order: Order of each skirt of the band-pass, all passes together.
        lowpass: Cutoff of the Butterworth low-pass, in [Hz].
        lowpass_order: Its order, all passes together.
        critically_damped: Half-power frequency of the last filter, in [Hz]; None leaves it out.
        critically_damped_order: Its order, all passes together.
        passes: Passes of each filter; 1 is causal.
        corrected: Whether the Butterworth cutoffs are half-power points after all passes (see `butterworth`).

    Returns:
        Envelope, shape (n_frames, ...), in the unit of x.

    Raises:
        InputError: If a cutoff reaches half the rate, or orders and passes do not fit.

    References:
        [Rajagopal2016] IEEE Trans Biomed Eng 63:2068.
    """
    lower, upper = band
    if upper is None:
        bursts = butterworth(
            x, rate, lower, order=band_order, kind="high", passes=passes, corrected=corrected
        )
    else:
        bursts = butterworth(
            x, rate, (lower, upper), order=band_order, kind="band", passes=passes, corrected=corrected
        )
    envelope = butterworth(
        np.abs(bursts), rate, lowpass, order=lowpass_order, passes=passes, corrected=corrected
    )
    if critically_damped is None:
        return envelope
    return smooth_critically(envelope, rate, critically_damped, order=critically_damped_order, passes=passes)


def normalize(envelope: ArrayLike, reference: Literal["max"] | ArrayLike = "max") -> FloatArray:
    """Divide each channel by a reference: its own maximum, or that of a maximal voluntary contraction.

    Args:
        envelope: Envelopes, shape (n_frames, ...).
        reference: "max" for the largest value of each channel in this trial, or values, shape (...), in the unit of
            the envelope.

    Returns:
        Envelopes without unit, shape (n_frames, ...).

    Raises:
        InputError: If a reference is not above zero (a silent channel has no maximum to divide by) or does not fit.
    """
    signal = as_signal(envelope, "envelope")
    if isinstance(reference, str):
        if reference != "max":
            raise InputError(f"reference must be 'max' or values, however it is {reference!r}.")
        values = np.max(np.where(np.isnan(signal), -np.inf, signal), axis=0, initial=-np.inf)
        # A channel that was never measured stays NaN: there is nothing to divide.
        values = np.where(np.isneginf(values), 1.0, values)
    else:
        values = np.asarray(as_signal(np.atleast_1d(np.asarray(reference)), "reference"))
        values = values.reshape(np.shape(reference))
    if values.shape not in ((), signal.shape[1:]):
        raise InputError(
            f"reference must have one value a channel, shape {signal.shape[1:]}, however it has {values.shape}."
        )
    if not (values > 0).all():
        raise InputError(
            "every channel needs a reference above zero; leave silent channels out, or give their MVC."
        )
    return signal / values


def delay(time: ArrayLike, x: ArrayLike, seconds: float) -> FloatArray:
    """Shift a signal in time, as the electromechanical delay from EMG to force: y(t) = x(t - seconds).

    Between samples x is taken as linear. NaN where the shifted instant lies outside the record or beside a
    sample that was not measured.

    Args:
        time: Instants, shape (n_frames,), in [s].
        x: Samples, shape (n_frames, ...).
        seconds: Delay, in [s]; negative moves the signal forward in time.

    Returns:
        Shape (n_frames, ...), at the same instants, in the unit of x.

    Raises:
        InputError: If shapes or instants do not fit, or the delay is not finite.
    """
    signal = as_signal(x)
    t = as_time(time, len(signal))
    if np.ndim(seconds) or not np.isfinite(seconds):
        raise InputError(f"seconds must be one finite number, however it is {seconds!r}.")
    if not len(t):
        return signal
    # Rounding must not cost a sample where the delay is a whole number of intervals.
    slack = 4.0 * np.finfo(np.float64).eps * max(abs(t[0]), abs(t[-1]), abs(seconds))
    wanted = t - seconds
    after = np.clip(np.searchsorted(t, wanted - slack), 0, len(t) - 1)
    exact = np.abs(t[after] - wanted) <= slack
    before = np.where(exact, after, np.maximum(after - 1, 0))
    span = np.where(after > before, t[after] - t[before], 1.0)
    share = np.where(exact, 0.0, (wanted - t[before]) / span).reshape(-1, *[1] * (signal.ndim - 1))
    shifted = (1.0 - share) * signal[before] + share * signal[after]
    shifted[(wanted < t[0] - slack) | (wanted > t[-1] + slack)] = np.nan
    return shifted
