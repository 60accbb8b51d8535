"""Neural input from EMG: its envelope over that of a maximal voluntary contraction (MVC)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np

from softstride.capture import Channels
from softstride.errors import Blank, InputError, Option
from softstride.muscles.hill.curve import Array
from softstride.notes import Note, Notes

Mvc = Literal["trial"] | float | Mapping[str, float] | Channels
"""What counts as 1: see `neural_input`."""

RAW = 0.2
"""Part of its maximum that an envelope may fall below zero: filters undershoot a little, raw EMG swings both ways."""


def neural_input(emg: Channels, channels: list[str], mvc: Mvc | None) -> tuple[Array, tuple[Note, ...]]:
    """Return u = EMG / MVC of some channels, clipped to 0 to 1 [Hybrid2026, eq. 43], and notes.

    Args:
        emg: Envelopes, not raw EMG; NaN where not measured.
        channels: Which.
        mvc: Value of each channel in a maximal voluntary contraction, in its own unit; or envelopes of such
            contractions, of which the largest value counts; or one number for all, 1 for envelopes that were divided
            already; or "trial" for the largest value of this trial.

    Returns:
        Shape (n, k), in the order of `channels`; and what was decided.

    Raises:
        InputError: A channel without MVC, an MVC that is not above zero, raw EMG.
    """
    values = np.stack([emg[channel] for channel in channels], axis=1)
    for channel, column in zip(channels, values.T, strict=True):
        _refuse_raw(channel, column)
    reference, notes = _references(emg, channels, mvc)
    u = values / reference
    return np.clip(u, 0.0, 1.0), (*notes, *_clipping(channels, u))


def _refuse_raw(channel: str, column: Array) -> None:
    known = column[~np.isnan(column)]
    if len(known) and known.min() < -RAW * max(known.max(), 0.0):
        option = Option("emg_envelopes")
        raise InputError(
            f"EMG channel {channel!r} falls to {known.min():g} below zero (its largest value is {known.max():g}): it "
            f"looks raw, and an envelope is needed; make one with {option}",
            parameter="emg",
            names=[channel],
            options=[option],
        )


def _references(emg: Channels, channels: list[str], mvc: Mvc | None) -> tuple[Array, list[Note]]:
    """Return what each channel is divided by, and say so where it was chosen here."""
    if mvc is None:
        raise _without(channels[0], emg)
    if isinstance(mvc, str):
        if mvc != "trial":
            option = Option("mvc")
            raise InputError(
                f"{option} must be 'trial', a number, or values by channel, however it is {mvc!r}",
                parameter="mvc",
                value=mvc,
                options=[option],
            )
        peaks = {channel: _largest(emg[channel]) for channel in channels}
        reference = _checked(channels, peaks)
        note = Note(
            "emg.no-mvc",
            "EMG was divided by the largest value of the trial, since no MVC was measured: activations are too high by "
            f"as much as the trial stayed below it ({', '.join(f'{c} {p:.3g}' for c, p in peaks.items())})",
            severity="warning",
            topic="EMG",
            names=tuple(channels),
            values=peaks,
        )
        return reference, [note]
    if isinstance(mvc, Channels):
        missing = [channel for channel in channels if channel not in mvc]
        if missing:
            raise _without(missing[0], mvc)
        return _checked(channels, {channel: _largest(mvc[channel]) for channel in channels}), []
    if isinstance(mvc, Mapping):
        missing = [channel for channel in channels if channel not in mvc]
        if missing:
            raise _without(missing[0], emg)
        return _checked(channels, {channel: _number(mvc[channel]) for channel in channels}), []
    return _checked(channels, dict.fromkeys(channels, _number(mvc))), []


def _without(channel: str, emg: Channels) -> InputError:
    unit = emg.units[emg.index(channel)] if channel in emg else ""
    one = Option("mvc", {channel: Blank("value", unit)})
    divided, trial = Option("mvc", 1), Option("mvc", "trial")
    return InputError(
        f"EMG channel {channel!r} has no MVC: give its value in a maximal voluntary contraction, {one}; or {divided} "
        f"if the envelopes were divided by it already; or {trial} to take the largest value of this trial instead",
        parameter="mvc",
        names=[channel],
        options=[one, divided, trial],
    )


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def _largest(column: Array) -> float:
    return float(np.max(column, where=~np.isnan(column), initial=-np.inf))


def _checked(channels: list[str], reference: Mapping[str, float]) -> Array:
    for channel in channels:
        if not 0.0 < reference[channel] < np.inf:
            raise InputError(
                f"MVC of EMG channel {channel!r} must be a number above zero, however it is {reference[channel]:g}: a "
                "silent channel has none"
            )
    return np.array([reference[channel] for channel in channels])


def _clipping(channels: list[str], u: Array) -> Notes:
    """Say what was beyond 0 to 1."""
    notes = Notes()
    for channel, column in zip(channels, u.T, strict=True):
        known = max(int((~np.isnan(column)).sum()), 1)
        above, below = int((column > 1.0 + 1e-9).sum()), int((column < -1e-9).sum())
        if above:
            share, most = 100.0 * above / known, 100.0 * (float(np.nanmax(column)) - 1.0)
            notes.add(
                "emg.above-mvc",
                f"EMG channel {channel!r} exceeds its MVC in {share:.1f} % of its samples, by up to {most:.0f} %: "
                "taken as 1",
                severity="warning",
                topic="EMG",
                names=[channel],
                values={"samples": above, "samples_percent": share, "most_percent": most},
            )
        if below:
            share, least = 100.0 * below / known, float(np.nanmin(column))
            notes.add(
                "emg.below-zero",
                f"EMG channel {channel!r} is below zero in {share:.1f} % of its samples, down to {least:.3g} of its "
                "MVC: taken as 0",
                topic="EMG",
                names=[channel],
                values={"samples": below, "samples_percent": share, "least": least},
            )
    return notes
