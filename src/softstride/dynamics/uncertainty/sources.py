"""Errors of markers as sources of uncertainty: noise from frame to frame, and soft tissue that goes slowly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.prepare import lower
from softstride.dynamics.uncertainty.options import BandOptions
from softstride.dynamics.uncertainty.pose import Sights, sights
from softstride.dynamics.uncertainty.time import Filtering, Spectrum, noise_gram, sine_spectrum
from softstride.errors import InputError
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.notes import Note

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MarkerErrors:
    """Errors of the markers of a motion.

    Attributes:
        name: Of the source, "markers" or "artefact".
        seen: What was seen in all frames of the motion.
        frames: Those that loads are of.
        deviation: Of a coordinate of each marker [m], shape (m,).
        turn_deviation: The same of a marker of weight one, for measured orientations.
        spectrum: In time, of variance one.
        gram: In each frame of the motion, shape (n, 3, 3); None: the sum of the spectrum.
        notes: What was assumed.
    """

    name: str
    seen: Sights
    frames: slice
    deviation: Array
    turn_deviation: float
    spectrum: Spectrum
    gram: Array | None
    notes: tuple[Note, ...]


def marker_errors(
    model: Model, motion: Motion, options: BandOptions, lowpass: float | None, frames: slice
) -> list[MarkerErrors]:
    """Return the errors of the markers that count.

    Raises:
        InputError: Nothing says where markers are, the motion does not know its noise, or it was smoothed by another
            cutoff than the one that is given.
    """
    fit = motion.fit
    lowpass = lower(lowpass, motion.lowpass)
    slow = options.artefact
    known = np.zeros(0) if fit is None else fit.artefact
    if options.noise == 0.0 and (slow == 0.0 or (slow is None and not known.any())):
        return []
    cutoff = options.cutoff
    if fit is not None:
        if cutoff not in (None, fit.cutoff):
            how = "frame by frame" if fit.cutoff is None else f"with a cutoff of {fit.cutoff:g} Hz"
            raise InputError(
                f"the motion was solved {how}, however cutoff is {cutoff:g} Hz: leave it out, the motion remembers"
            )
        cutoff = fit.cutoff
    seen = sights(model, motion)
    filtering = Filtering(cutoff, lowpass)
    count = len(seen.markers)
    found = []
    if options.noise != 0.0:
        if isinstance(options.noise, str):
            noise = float("nan") if fit is None else fit.noise
            if fit is None or not np.isfinite(noise):
                raise InputError(
                    'noise="motion" needs a motion of solve_ik with residuals to tell the noise from; give noise [m]'
                )
            deviation = noise / np.sqrt(np.where(fit.weights > 0.0, fit.weights, np.inf))
            told = f"markers: {1000 * noise:.2g} mm from frame to frame, as their residuals say"
        else:
            noise = options.noise
            deviation = np.full(count, noise)
            told = f"markers: {1000 * noise:g} mm from frame to frame"
        gram, spectrum = noise_gram(motion.time, filtering)
        told += _through(filtering)
        notes = [Note("bands.marker-noise", told, topic="bands", values={"noise_m": noise})]
        if motion.rates is not None and lowpass is None:
            told = (
                "the motion brought its own velocities and accelerations, whose noise is taken as that of a curve "
                "through the frames"
            )
            notes.append(Note("bands.own-rates", told, topic="bands"))
        notes += _open(motion)
        found.append(MarkerErrors("markers", seen, frames, deviation, noise, spectrum, gram, tuple(notes)))
    deviation = known if slow is None else np.full(count, slow)
    if deviation.any():
        spectrum = sine_spectrum(motion.time, filtering, options.artefact_frequency)
        size = float(np.sqrt(np.mean(deviation**2)))
        told = f"soft tissue: {1000 * size:.3g} mm at {options.artefact_frequency:g} Hz"
        values = {"artefact_m": size, "frequency_hz": options.artefact_frequency}
        note = Note("bands.soft-tissue", told, topic="bands", values=values)
        found.append(MarkerErrors("artefact", seen, frames, deviation, 0.0, spectrum, None, (note,)))
    return found


def _through(filtering: Filtering) -> str:
    done = []
    if filtering.cutoff is not None:
        done.append(f"a smoothing spline of {filtering.cutoff:g} Hz")
    if filtering.lowpass is not None:
        done.append(f"a low pass of {filtering.lowpass:.3g} Hz")
    return ", through " + " and ".join(done) if done else ", not smoothed in time"


def _open(motion: Motion) -> list[Note]:
    if not motion.undetermined:
        return []
    names = motion.undetermined
    some = ", ".join(names[:4]) + (" and others" if len(names) > 4 else "")
    told = f"markers do not determine {some}: bands hold these at the values that the motion gives them"
    return [Note("bands.undetermined-coordinates", told, severity="warning", topic="bands", names=names)]
