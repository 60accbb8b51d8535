"""Which channel of an EMG belongs to which muscle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from softstride.capture import Channels
from softstride.errors import InputError, Option
from softstride.frozen import Table
from softstride.model.checks import names_hint

Pairs = Mapping[str, str] | Mapping[str, Iterable[str]]
"""Channel of each muscle, or muscles of each channel."""


def channel_of_muscle(emg: Channels, muscles: Pairs | None, known: tuple[str, ...]) -> Table[str]:
    """Return the channel of each muscle.

    Args:
        emg: The channels.
        muscles: Channel of each muscle, or muscle or muscles of each channel; None: channels called like muscles.
        known: Names of all muscles.

    Raises:
        InputError: A name that is neither a channel nor a muscle, two channels for one muscle, or no pair at all.
    """
    if muscles is None:
        pairs = {name: name for name in known if name in emg}
        if not pairs:
            raise _no_pairs(emg, known)
        return Table(pairs)
    if not isinstance(muscles, Mapping):
        raise InputError(
            f"muscles must map names of muscles to channels, or channels to muscles, not {muscles!r}"
        )
    found: dict[str, str] = {}
    for key, value in muscles.items():
        for muscle, channel in _pairs(key, value, emg, known):
            if found.get(muscle, channel) != channel:
                raise InputError(
                    f"muscle {muscle!r} has two EMG channels, {found[muscle]!r} and {channel!r}: choose one"
                )
            found[muscle] = channel
    if not found:
        raise InputError("muscles must name at least one muscle and its EMG channel, however it is empty")
    return Table(found)


def _no_pairs(emg: Channels, known: tuple[str, ...]) -> InputError:
    option = Option("emg_muscles", _example(emg, known), named=False)
    return InputError(
        "no EMG channel is called like a muscle; say which channel belongs to which muscle, for example "
        f"{option}; channels: {names_hint(emg.labels)}; muscles: {names_hint(known)}",
        parameter="emg_muscles",
        known=emg.labels,
        options=[option],
    )


def _example(emg: Channels, known: tuple[str, ...]) -> dict[str, str]:
    """Return a pair as it would be given, of names that are spelt alike if there are any."""
    for channel in emg.labels:
        for muscle in get_close_matches(channel, known, n=1):
            return {muscle: channel}
    return {known[0] if known else "muscle": emg.labels[0] if emg.labels else "channel"}


def _pairs(
    key: str, value: str | Iterable[str], emg: Channels, known: tuple[str, ...]
) -> list[tuple[str, str]]:
    """Return (muscle, channel) of one entry: either way round."""
    values = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else [value]
    if not all(isinstance(each, str) for each in (key, *values)):
        raise InputError(
            f"muscles must map names to names, or to lists of names, however {key!r} is mapped to {value!r}"
        )
    if key in known and len(values) == 1 and values[0] in emg:
        return [(key, values[0])]
    if key in emg and all(each in known for each in values):
        return [(each, key) for each in values]
    if key in known:
        raise InputError(
            f"no EMG channel {', '.join(map(repr, values))} for muscle {key!r}; there are "
            f"{names_hint(emg.labels, values[0] if values else None)}"
        )
    if key in emg:
        missing = [each for each in values if each not in known]
        raise InputError(
            f"EMG channel {key!r}: no muscle {missing[0]!r}; there are {names_hint(known, missing[0])}"
        )
    raise InputError(
        f"{key!r} is neither a muscle nor an EMG channel; muscles: {names_hint(known, key)}; "
        f"channels: {names_hint(emg.labels, key)}"
    )
