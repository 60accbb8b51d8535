"""Forces from outside as wrenches about the origin at the frames of a motion: summed, and low-passed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce
from softstride.dynamics.resample import at_frames
from softstride.errors import InputError
from softstride.signals import butterworth

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def summed(forces: Sequence[ExternalForce], time: Array) -> tuple[Array, Mask]:
    """Return moment about the origin and force of several forces together, shape (n, 6), and where they are known.

    Raises:
        InputError: A force is given in the axes of a body.
    """
    about, known = np.zeros((len(time), 6)), np.ones(len(time), dtype=bool)
    for force in forces:
        if force.force_in != "ground" or force.point_in != "ground":
            raise InputError(
                f"force {force.name!r} is given in the axes of a body, which segments do not have"
            )
        sampled = at_frames(force, time)
        known &= sampled.known
        arm = np.where(sampled.acts[:, None], sampled.point, 0.0)
        about[:, :3] += sampled.moment + np.cross(arm, sampled.force)
        about[:, 3:] += sampled.force
    return about, known


def low_passed(force: ExternalForce, cutoff: float) -> ExternalForce:
    """Return a force after a low pass of fourth order without phase shift, as a wrench about the origin of its axes.

    The centre of pressure jumps where a foot comes down; the wrench does not, so that it is what is filtered.

    Raises:
        InputError: The cut-off is not below half the rate of the force.
    """
    loaded = np.any(np.nan_to_num(force.force) != 0.0, axis=1)
    arm = np.where(loaded[:, None], force.point, 0.0)
    about = np.concatenate([force.force, force.moment + np.cross(arm, force.force)], axis=1)
    if len(force.time) < 2 or cutoff >= 0.5 * force.rate:
        raise InputError(
            f"force {force.name!r}: a low pass of {cutoff:g} Hz must be below half its rate of {force.rate:g} Hz",
            parameter="lowpass",
            value=cutoff,
            names=(force.name,),
        )
    smooth = butterworth(about, force.rate, cutoff)
    return replace(force, force=smooth[:, :3], point=np.zeros_like(force.point), moment=smooth[:, 3:])
