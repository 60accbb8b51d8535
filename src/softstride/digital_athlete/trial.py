"""`load_athlete`: a trial of the digital athlete, with its truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.digital_athlete.curve import Curve
from softstride.digital_athlete.emg import DELAY, ELECTRODES, maximal_contractions
from softstride.digital_athlete.laboratory import record
from softstride.digital_athlete.person import estimator_model, true_model
from softstride.digital_athlete.truth import AthleteTruth, build_truth
from softstride.errors import InputError
from softstride.model.model import Model

TRIALS = ("running", "walking")


@dataclass(frozen=True, eq=False)
class AthleteTrial:
    """A trial of the digital athlete.

    Attributes:
        name: "running" or "walking".
        model: What an analyst has: a blade of six segments, inertia and muscles from tables, places of contact on its
            soles.
        truth_model: What moved: a blade of 24 segments, inertia up to 5 % different, other muscles.
        recording: Markers at 200 Hz, force plates, one under each foot strike, and EMG at 1000 Hz.
        truth: Motion, torques, ground forces, socket load, activations and forces of the muscles.
        electrodes: Channels of EMG by the names of the muscles that they are on.
        mvc: Envelope of each channel in a maximal voluntary contraction [V].
        emg_delay: True delay from EMG to excitation [s]; an analyst would assume one.
        description: What was chosen, in words.
    """

    name: str
    model: Model
    truth_model: Model
    recording: Recording
    truth: AthleteTruth
    electrodes: Mapping[str, str]
    mvc: Mapping[str, float]
    emg_delay: float
    description: str


def load_athlete(trial: str = "running", *, noise: bool = True, artefact: bool = True) -> AthleteTrial:
    """Return a trial of the digital athlete, a runner with a blade below the right knee.

    Truth and analyst differ: in the division of the blade, in inertia, in the parameters of muscles, and in the
    contact, an elastic foundation with regularised friction. To take the first three away use `truth_model` in place of
    `model`. The athlete shares moments among muscles by a criterion of its own, and tenses antagonists.

    Args:
        trial: "running" (3 m/s, five strikes) or "walking" (1.3 m/s).
        noise: Whether markers (1 mm) and plates are noisy, always by the same draw, and whether EMG is noise, as it is;
            without, its carrier is a sine, so that envelopes are clean, and maximal contractions are full ones.
        artefact: Whether skin moves over bone.

    Raises:
        InputError: No such trial.
    """
    truth = _truth(trial)
    words = [
        f"digital athlete, {trial}: {truth.model.mass:.1f} kg, a blade below the right knee",
        "truth: 24 segments, inertia up to 5 % and muscles up to 10 % off the tables, elastic foundation under shoe "
        "and blade, least sum of volume times activation cubed, co-contraction",
        "markers with 1 mm of noise, plates with 1.5 N, raw EMG" if noise else "without noise, EMG on a sine",
        "with soft-tissue artefact" if artefact else "without soft-tissue artefact",
    ]
    return AthleteTrial(
        trial,
        estimator_model(),
        true_model(),
        record(truth, trial, noise=noise, artefact=artefact),
        truth,
        ELECTRODES,
        maximal_contractions(noise=noise),
        DELAY,
        "; ".join(words),
    )


@cache
def _truth(trial: str) -> AthleteTruth:
    data = _packaged(trial)
    return build_truth(
        Curve(0.0, float(data["step"]), data["coefficients"]), data["activation"].astype(np.float64)
    )


def packaged_curve(trial: str) -> Curve:
    """Return the motion of a packaged trial."""
    data = _packaged(trial)
    return Curve(0.0, float(data["step"]), data["coefficients"])


def _packaged(trial: str) -> dict[str, NDArray[np.float64]]:
    if trial not in TRIALS:
        raise InputError(f"no trial {trial!r} of the digital athlete; there are: {', '.join(TRIALS)}")
    with as_file(files(__package__).joinpath("data", f"{trial}_truth.npz")) as path, np.load(path) as data:
        return dict(data)


__all__ = ["TRIALS", "AthleteTrial", "load_athlete", "packaged_curve"]
