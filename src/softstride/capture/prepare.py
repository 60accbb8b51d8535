"""From a recording as measured to one fit for analysis: gaps filled, markers smoothed, EMG as envelopes.

Each function returns a new recording and adds a note that says what it did.
"""

from collections.abc import Mapping
from dataclasses import replace
from inspect import signature
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.capture.series import Floats
from softstride.errors import InputError
from softstride.notes import Note
from softstride.results import owned
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
from softstride.signals.gaps import Unfilled

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
    said = (
        f"gaps: filled {ways or 'nothing'} (marker frames); {left} of {result.method.size} are still missing"
    )
    values = {f"by_{method.name.lower()}": n for method, n in counts.items()}
    values |= {"missing": left, "marker_frames": result.method.size}
    left_open: dict[tuple[int, str], list[Unfilled]] = {}
    for gap in result.unfilled:
        left_open.setdefault((gap.marker, gap.reason), []).append(gap)
    return recording.replace(markers=filled).noted(
        Note("gaps.filled", said, topic="gaps", values=values),
        *(_still_open(markers.labels[gaps[0].marker], gaps, markers.time) for gaps in left_open.values()),
    )


def _still_open(label: str, gaps: list[Unfilled], time: Floats) -> Note:
    """Return the note on gaps of one marker that stay for one reason."""
    last = len(time) - 1
    spans = [(float(time[gap.start]), float(time[min(gap.stop, last)])) for gap in gaps]
    listed = ", ".join(f"{start:.2f} to {stop:.2f} s" for start, stop in spans[:3])
    more = f" and {len(gaps) - 3} more" if len(gaps) > 3 else ""
    said = f"gaps: {label} is still missing from {listed}{more}: {gaps[0].reason}"
    values = {"gaps": len(gaps), "frames": sum(gap.stop - gap.start for gap in gaps)}
    span = (spans[0][0], spans[-1][1])
    return Note(gaps[0].code, said, topic="gaps", names=(label,), span=span, values=values)


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
    if method in ("butterworth", "critically_damped"):
        apply = butterworth if method == "butterworth" else critically_damped
        stretches = np.split(markers.values, _holes(markers.time, markers.rate))
        values = np.concatenate([apply(part, markers.rate, cutoff, order=order) for part in stretches])
    elif method == "spline":
        values = fit_spline(markers.time, markers.values, cutoff=cutoff)(markers.time)
        values = np.where(np.isnan(markers.values), np.nan, values)
    else:
        raise InputError(f"method must be butterworth, critically_damped or spline, not {method!r}")
    name = "quintic spline" if method == "spline" else f"{method.replace('_', ' ')} filter of order {order}"
    said = f"markers: smoothed at {cutoff:g} Hz by a {name}, no phase shift"
    note = Note("markers.smoothed", said, topic="markers", values={"cutoff_Hz": cutoff})
    return recording.replace(markers=replace(markers, values=owned(values))).noted(note)


def _holes(time: Floats, rate: float) -> NDArray[np.intp]:
    """Return the frames after which the clock jumps; a filter must not run across them."""
    steps = np.diff(time) * rate
    jumps = steps > 1.5
    uneven = np.flatnonzero(~jumps & ~(np.abs(steps - 1.0) < 0.05))
    if len(uneven):
        raise InputError(
            f"a filter needs even steps of time, however step {uneven[0] + 1} is {steps[uneven[0]]:.3g} of the usual; "
            "resample the markers, or smooth them with method='spline'"
        )
    return np.flatnonzero(jumps) + 1


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
    unknown = set(recipe) - set(signature(emg_envelope).parameters)
    if unknown:
        raise InputError(f"the recipe of envelopes has no {', '.join(sorted(unknown))}")
    if "band" not in recipe and emg.rate < 2.1 * UPPER_EDGE:
        recipe["band"] = (50.0, None)  # the sampling itself ends the band
    envelope = emg_envelope(emg.values, emg.rate, **recipe)
    if isinstance(reference, Recording) and not reference.emg:
        raise InputError("the recording of maximal contractions has no EMG")
    if isinstance(reference, Recording):
        contraction = emg_envelope(reference.emg.values, reference.emg.rate, **recipe)
        reference = dict(zip(reference.emg.labels, np.nanmax(contraction, axis=0).tolist(), strict=True))
    if not isinstance(reference, (str, Mapping)):
        raise InputError(f"reference must be 'max', values by label or a recording, not {reference!r}")
    silent = [
        x
        for x, peak in zip(emg.labels, np.nanmax(envelope, axis=0, initial=0.0), strict=True)
        if not peak > 0
    ]
    if silent and reference == "max":
        raise InputError(
            f"silent channels have no maximum: {', '.join(silent)}; select the others, or give references"
        )
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
    said = f"emg: envelopes by {steps}, divided by {how}{shifted}"
    note = Note("emg.envelopes", said, topic="emg", names=emg.labels, values={"delay_s": delay_s})
    return recording.replace(emg=envelopes).noted(note)
