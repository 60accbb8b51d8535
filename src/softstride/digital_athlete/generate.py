"""Make a trial: one stride first, then the whole trial from its repetition, then the same with half the step.

Muscles come last: the motion does not depend on them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.digital_athlete.co_contraction import LEVEL
from softstride.digital_athlete.consistency import LAST, LATER, STAGES, solve_consistent
from softstride.digital_athlete.curve import Curve, even_times, through
from softstride.digital_athlete.laboratory import synthesise
from softstride.digital_athlete.muscle_truth import solve_activation
from softstride.digital_athlete.person import true_model
from softstride.digital_athlete.reference import Gait, build_reference
from softstride.digital_athlete.truth import RATE, build_truth

Array = NDArray[np.float64]
Tell = Callable[[str], None]

LEAD, MARGIN = 0.06, 0.10
"""Time of the trial before the first strike, and what is solved beyond both of its ends and cut away [s]."""

SEAM = (-0.08, -0.02)
"""Where one stride passes into the next, in flight before the right foot strikes [s]."""


def generate(gait: Gait, tell: Tell = lambda text: None) -> Curve:
    """Return the motion of a trial, consistent at every frame, its clock at zero."""
    step = 1.0 / RATE
    before, after = round((LEAD + MARGIN - 0.02) / step), round((gait.stride + MARGIN) / step)
    time = even_times(-before * step, step, before + after)
    tell(f"{gait.name}: one stride, {len(time)} frames")
    stride = solve_consistent(build_reference(gait, time), STAGES, tell)
    first, count = round((LEAD + MARGIN) / step), round(gait.duration / step)
    time = even_times(-first * step, step, first + count + round((MARGIN - LEAD) / step))
    tell(f"{gait.name}: the trial, {len(time)} frames")
    guess = through(time, _repeated(gait, stride, time))
    whole = solve_consistent(build_reference(gait, time), LATER, tell, guess)
    guess = whole.finer()
    tell(f"{gait.name}: the trial with half the step")
    fine = solve_consistent(build_reference(gait, guess.time), LAST, tell, guess)
    return fine.cut(2 * (first - round(LEAD / step)), 2 * count - 1)


def _repeated(gait: Gait, stride: Curve, time: Array) -> Array:
    """Return a stride over and over, each passing smoothly into the next, shape (n, nq)."""
    forward = true_model().coordinate_names.index("pelvis_tx")
    shift = np.zeros(stride.coefficients.shape[1])
    shift[forward] = gait.speed
    number = np.floor((time - SEAM[0]) / gait.stride + 1e-9)
    phase = time - number * gait.stride
    here = stride.at(phase)[0] - phase[:, None] * shift
    seam = phase < SEAM[1]
    late = phase[seam] + gait.stride
    x = (phase[seam] - SEAM[0]) / (SEAM[1] - SEAM[0])
    w = (x**3 * (10.0 - 15.0 * x + 6.0 * x * x))[:, None]
    here[seam] = w * here[seam] + (1.0 - w) * (stride.at(late)[0] - late[:, None] * shift)
    return np.asarray(here + time[:, None] * shift)


def choose_activation(gait: Gait, curve: Curve, tell: Tell = lambda text: None) -> Array:
    """Return the activations of a motion as they are stored, in single precision, shape (n, m)."""
    truth = build_truth(curve)
    moment = truth.tau - truth.elastic
    found = solve_activation(
        truth.model, truth.time, truth.pull, moment, truth.wrenches, LEVEL[gait.name], tell
    )
    return found.astype(np.float32).astype(np.float64)


def save_trial(gait: Gait, curve: Curve, folder: Path, tell: Tell = lambda text: None) -> tuple[Path, Path]:
    """Choose activations and write the truth (.npz, the coefficients of the motion) and the recording (.c3d)."""
    folder.mkdir(parents=True, exist_ok=True)
    truth, recording = folder / f"{gait.name}_truth.npz", folder / f"{gait.name}.c3d"
    activation = choose_activation(gait, curve, tell)
    np.savez_compressed(
        truth,
        step=np.float64(curve.step),
        coefficients=curve.coefficients,
        activation=activation.astype(np.float32),
    )
    synthesise(build_truth(curve, activation), gait.name).save(recording, overwrite=True)
    return truth, recording


__all__ = ["choose_activation", "generate", "save_trial"]
