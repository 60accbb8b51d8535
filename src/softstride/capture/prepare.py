"""From a recording as measured to one fit for analysis: gaps filled, markers smoothed, EMG as envelopes.

Each function returns a new recording and adds a note that says what it did.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from softstride.capture.recording import Recording
from softstride.capture.series import owned
from softstride.errors import InputError
from softstride.signals import (
    FillMethod,
    butterworth,
    critically_damped,
    delay,
    emg_envelope,
    fill,
    fit_spline,
    normalize,
)

UPPER_EDGE = 500.0  # [Hz] of the default band
Smoother = Literal["butterworth", "critically_damped", "spline"]


def fill_gaps(recording: Recording, *, max_spline: float = 0.1, long_gaps: bool = True) -> Recording:
    """Fill gaps in the markers: short ones by a spline, long ones from rigid clusters and by low rank.

    What was made up is marked in `Recording.markers.filled`; what cannot be filled stays NaN.

    Args:
        recording: With markers.
        max_spline: Longest gap that a spline may bridge, in [s].
        long_gaps: Whether longer gaps are filled too.
    """
    markers = recording.markers
    if not markers:
        raise InputError("the recording has no markers to fill")
    result = fill(
        markers.values,
        markers.time,
        max_spline=max_spline,
        clusters="auto" if long_gaps else (),
        low_rank=long_gaps,
    )
    counts = {method: int((result.method == method).sum()) for method in FillMethod if method}
    left = int(np.isnan(result.values).any(axis=2).sum())
    ways = ", ".join(f"{n} by {method.name.lower().replace('_', ' ')}" for method, n in counts.items() if n)
    filled = replace(markers, values=owned(result.values), filled=markers.filled | result.mask)
    note = (
        f"gaps: filled {ways or 'nothing'} (marker frames); {left} of {result.method.size} are still missing"
    )
    named = (
        re.sub(r"marker (\d+)", lambda found: markers.labels[int(found[1])], text) for text in result.notes
    )
    return recording.replace(markers=filled).noted(note, *(f"gaps: {text}" for text in named))


def smooth_markers(
    recording: Recording, cutoff: float, *, method: Smoother = "butterworth", order: int = 4
) -> Recording:
    """Low-pass the markers without phase shift; gaps stay gaps.

    Args:
        recording: With markers.
        cutoff: In [Hz]; `softstride.signals.residual_analysis` proposes one.
        method: "butterworth", "critically_damped", or "spline" (quintic, of the equivalent cutoff).
        order: Of the Butterworth or critically damped filter, both passes together.
    """
    markers = recording.markers
    if not markers:
        raise InputError("the recording has no markers to smooth")
    if method == "butterworth":
        values = butterworth(markers.values, markers.rate, cutoff, order=order)
    elif method == "critically_damped":
        values = critically_damped(markers.values, markers.rate, cutoff, order=order)
    elif method == "spline":
        values = fit_spline(markers.time, markers.values, cutoff=cutoff)(markers.time)
        values = np.where(np.isnan(markers.values), np.nan, values)
    else:
        raise InputError(f"method must be butterworth, critically_damped or spline, not {method!r}")
    name = "quintic spline" if method == "spline" else f"{method.replace('_', ' ')} filter of order {order}"
    return recording.replace(markers=replace(markers, values=owned(values))).noted(
        f"markers: smoothed at {cutoff:g} Hz by a {name}, no phase shift"
    )


def emg_envelopes(
    recording: Recording,
    *,
    reference: Literal["max"] | Mapping[str, float] | Recording = "max",
    delay_s: float = 0.0,
    **recipe: Any,
) -> Recording:
    """Return the recording with its EMG as normalised envelopes.

    Args:
        recording: With raw EMG.
        reference: What counts as 1: "max" of each channel in this trial; values by label; or a recording
            of maximal contractions, processed by the same recipe.
        delay_s: Electromechanical delay that the envelopes are shifted by, in [s].
        recipe: Passed on to `softstride.signals.emg_envelope`: band, lowpass, orders.

    Raises:
        InputError: No EMG, or a channel without a reference.
    """
    emg = recording.emg
    if not emg:
        raise InputError("the recording has no EMG: no analog channel names a muscle or says EMG")
    if "band" not in recipe and emg.rate < 2.1 * UPPER_EDGE:
        recipe["band"] = (50.0, None)  # the sampling itself ends the band
    envelope = emg_envelope(emg.values, emg.rate, **recipe)
    if isinstance(reference, Recording):
        contraction = emg_envelope(reference.emg.values, reference.emg.rate, **recipe)
        reference = dict(zip(reference.emg.labels, np.nanmax(contraction, axis=0).tolist(), strict=True))
    if isinstance(reference, str):
        values, how = normalize(envelope, reference), "the largest value of the trial"
    else:
        missing = [label for label in emg.labels if label not in reference]
        if missing:
            raise InputError(
                f"no reference for {', '.join(missing)}; there are: {', '.join(reference) or 'none'}"
            )
        values, how = normalize(envelope, [reference[label] for label in emg.labels]), "given references"
    if delay_s:
        values = delay(emg.time, values, delay_s)
    envelopes = replace(emg, values=owned(values), units=("",) * len(emg.labels))
    steps = ", ".join(f"{key} {value}" for key, value in recipe.items()) or "the default recipe"
    shifted = f", shifted by {delay_s:g} s" if delay_s else ""
    return recording.replace(emg=envelopes).noted(f"emg: envelopes by {steps}, divided by {how}{shifted}")
