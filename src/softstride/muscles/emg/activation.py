"""Muscle activation from EMG [Hybrid2026, appendix A]: neural input, electromechanical delay, activation dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from softstride.capture import Channels
from softstride.errors import InputError
from softstride.muscles.activation import Form, activation_dynamics
from softstride.muscles.emg.neural import Mvc, neural_input
from softstride.muscles.emg.pairs import Pairs, channel_of_muscle
from softstride.muscles.hill.curve import Array
from softstride.muscles.hill.inputs import numbers
from softstride.muscles.hill.muscles import HillMuscles
from softstride.notes import Note, Notes
from softstride.results import Labels, Result, values
from softstride.signals import delay as shifted

if TYPE_CHECKING:
    import pandas as pd


class EmgActivation(Result, of="activations"):
    """Activations of the muscles whose EMG was measured.

    Attributes:
        names: The muscles.
        channels: EMG channel of each muscle.
        time: Instants, shape (n,), [s].
        neural: Neural input, EMG over MVC, delayed, shape (n, m), 0 to 1; NaN where not measured.
        activation: Shape (n, m), 0 to 1; NaN where not measured.
        notes: What was decided.
    """

    names: tuple[str, ...]
    channels: Mapping[str, str]
    time: Array = values("time", "s")
    neural: Array = values("time muscle", "1")
    activation: Array = values("time muscle", "1")
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {"muscle": lambda own: own.names}

    def of(self, names: tuple[str, ...]) -> Array:
        """Return activations of any muscles, shape (n, len(names)); NaN for those without EMG."""
        result = np.full((len(self.time), len(names)), np.nan)
        for j, name in enumerate(names):
            if name in self.names:
                result[:, j] = self.activation[:, self.names.index(name)]
        return result

    def to_dataframe(self) -> pd.DataFrame:
        """Return the activations as a table indexed by time, one column a muscle."""
        return self._table("activation")


def emg_activation(
    emg: Channels,
    hill: HillMuscles,
    muscles: Pairs | None = None,
    *,
    mvc: Mvc | None = None,
    delay: float = 0.0,
    dynamics: Form | None = "constant",
    rise_time: float | None = None,
    fall_time: float | None = None,
    time: ArrayLike | None = None,
) -> EmgActivation:
    """Return activations from EMG envelopes.

        u(t) = EMG(t - delay) / MVC,   da/dt = (u - a) / τ_rise if u ≥ a, else / τ_fall     (eqs 41 to 43)

    Args:
        emg: Envelopes (see `emg_envelopes`), such as `recording.emg`; NaN where not measured.
        hill: The muscles: their names and time constants.
        muscles: Channel of each muscle, or muscle or muscles of each channel; None: channels called like muscles.
        mvc: What counts as 1: values by channel in the unit of the channel, envelopes of maximal contractions, one
            number for all (1 if the envelopes were divided already), or "trial". There is no default.
        delay: Electromechanical delay, from EMG to force [s]. The default is none: no value is right for every muscle
            and task, part of the delay is modelled anyway (the rise of activation, the stretch of the tendon), and
            `emg_envelopes` may have shifted already.
        dynamics: Form of the activation dynamics (see `activation_dynamics`); None: activation is neural input.
        rise_time: Time constant of rising for all muscles [s]; None: each its own.
        fall_time: Time constant of falling, likewise.
        time: Instants at which to return, [s], such as those of a motion; None: those of the EMG. Dynamics run at the
            rate of the EMG in any case; in between activations are straight lines, and beyond the EMG they are NaN.

    Raises:
        InputError: No EMG, a channel without MVC, raw EMG, names that do not exist, times that are no numbers.
    """
    if not isinstance(emg, Channels):
        raise InputError(f"emg must be Channels, such as recording.emg, however it is {type(emg).__name__}")
    if not emg:
        raise InputError("there is no EMG: the recording has no channel that names a muscle or says EMG")
    wait = numbers(delay, "delay")
    if wait.shape or not np.isfinite(wait):
        raise InputError(f"delay must be one finite number [s], however it is {delay!r}")
    if wait < 0.0:
        raise InputError(
            f"delay must be 0 s or above, since force comes after EMG, however it is {float(wait):g} s: correct the "
            "clock of a recording in its `time`"
        )
    at = emg.time if time is None else _instants(time)
    pairs = channel_of_muscle(emg, muscles, hill.names)
    used = list(dict.fromkeys(pairs.values()))
    u, found = neural_input(emg, used, mvc)
    notes = Notes(found)
    if delay:
        u = shifted(emg.time, u, float(wait))
        late = 1e3 * float(wait)
        notes.add("emg.delayed", f"EMG was delayed by {late:g} ms", topic="EMG", values={"delay_ms": late})
    else:
        notes.add("emg.not-delayed", "no electromechanical delay was added to EMG", topic="EMG")
    names = tuple(name for name in hill.names if name in pairs)
    neural = np.stack([u[:, used.index(pairs[name])] for name in names], axis=1)
    columns = [hill.column(name) for name in names]
    activation = neural
    if dynamics is not None:
        rise = hill.rise_time[columns] if rise_time is None else rise_time
        fall = hill.fall_time[columns] if fall_time is None else fall_time
        activation = activation_dynamics(emg.time, neural, rise, fall, form=dynamics)
    if time is not None:
        neural, activation = (_interpolated(at, emg.time, x) for x in (neural, activation))
    idle = [label for label in emg.labels if label not in used]
    if idle:
        notes.add(
            "emg.channels-unused",
            f"EMG channels that belong to no muscle were not used: {', '.join(idle)}",
            topic="EMG",
            names=idle,
        )
    return EmgActivation(names, pairs, at, neural, activation, tuple(notes))


def _instants(time: ArrayLike) -> Array:
    """Return instants at which to answer, in a new array."""
    at = np.array(numbers(time, "time"))
    if at.ndim != 1 or not np.isfinite(at).all():
        raise InputError(f"time must have shape (n,) and be finite, however it is {time!r}")
    return at


def _interpolated(at: Array, t: Array, x: Array) -> Array:
    """Return columns on straight lines; NaN beyond the ends and beside what is not known."""
    result = np.stack([np.interp(at, t, column) for column in x.T], axis=1)
    slack = 1e-9
    result[(at < t[0] - slack) | (at > t[-1] + slack)] = np.nan
    return result
