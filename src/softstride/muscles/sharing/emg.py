"""What EMG says of activations, at the frames that forces are shared in."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.capture.series import Channels
from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.muscles.emg import EmgActivation, emg_activation
from softstride.muscles.hill import HillMuscles
from softstride.muscles.sharing.options import MuscleOptions
from softstride.notes import Note

Array = NDArray[np.float64]

Emg = EmgActivation | Channels | Mapping[str, ArrayLike]
"""Activations from EMG; or envelopes, with MVC and muscles of the channels among the options; or activations by muscle
at the frames of the loads."""

LITTLE = 0.02
"""By how much an activation may leave 0 to 1: what filters overshoot. It is cut off."""


def emg_reference(
    emg: Emg | None, hill: HillMuscles, time: Array, options: MuscleOptions
) -> tuple[Array | None, tuple[Note, ...]]:
    """Return activations at these instants, NaN for muscles and frames without EMG, shape (n, m); and notes.

    Args:
        emg: The EMG; None, or channels without any sample: no reference.
        hill: The muscles.
        time: Instants, shape (n,), [s].
        options: Say how channels become activations.

    Raises:
        InputError: Names that are no muscles, series of another length, activations beyond 0 to 1, EMG without MVC.
    """
    if emg is None:
        return None, ()
    if isinstance(emg, Channels) and not emg:
        said = "no EMG is there to be a reference: the recording has no channel of it"
        return None, (Note("emg.none", said, topic="EMG"),)
    if isinstance(emg, Channels):
        emg = emg_activation(
            emg, hill, options.emg_muscles, mvc=options.mvc, delay=options.emg_delay, time=time
        )
    notes: tuple[Note, ...] = ()
    if isinstance(emg, EmgActivation):
        notes = emg.notes
        parts = {name: np.interp(time, emg.time, emg.activation[:, j]) for j, name in enumerate(emg.names)}
        beyond = (time < emg.time[0] - 1e-9) | (time > emg.time[-1] + 1e-9)
        for part in parts.values():
            part[beyond] = np.nan
    elif isinstance(emg, Mapping):
        parts = {name: _series(name, values, len(time)) for name, values in emg.items()}
    else:
        raise InputError(
            "emg must be the result of emg_activation, EMG channels, or activations by muscle, not "
            f"{type(emg).__name__}"
        )
    reference = np.full((len(time), len(hill)), np.nan)
    for name, part in parts.items():
        if name not in hill.names:
            raise InputError(
                f"EMG of {name!r}: no such muscle takes part; these do: {names_hint(hill.names, name)}"
            )
        reference[:, hill.column(name)] = _within(name, part)
    if not np.isfinite(reference).any():
        raise InputError(
            f"the EMG says nothing of any frame from {time[0]:g} to {time[-1]:g} s: is it of another time?"
        )
    covered = int(np.isfinite(reference).any(axis=1).sum())
    told = Note(
        "emg.is-reference",
        f"EMG is the reference of {len(parts)} of {len(hill)} muscles, in {covered} of {len(time)} frames",
        topic="EMG",
        names=tuple(parts),
        values={
            "muscles": len(parts),
            "of_muscles": len(hill),
            "frames": covered,
            "of_frames": len(time),
        },
    )
    return reference, (*notes, told)


def _series(name: str, values: ArrayLike, n: int) -> Array:
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"EMG of {name!r} must be made of numbers, however: {error}") from error
    if found.shape != (n,):
        raise InputError(
            f"EMG of {name!r} must have one activation for each of {n} frames of the loads, however its shape is "
            f"{found.shape}"
        )
    return found


def _within(name: str, activation: Array) -> Array:
    known = activation[~np.isnan(activation)]
    if len(known) and not -LITTLE <= known.min() <= known.max() <= 1.0 + LITTLE:
        raise InputError(
            f"EMG of {name!r} runs from {known.min():g} to {known.max():g}, however an activation lies between 0 and "
            "1: divide its envelope by that of a maximal voluntary contraction, or use emg_activation"
        )
    return np.clip(activation, 0.0, 1.0)
