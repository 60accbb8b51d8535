"""Which muscles the channels of an EMG lie on, by their names: the words of data/electrodes.toml."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from softstride.files import packaged_text, parse_toml
from softstride.frozen import Table
from softstride.naming import LETTERS, Side, split_side

NOISE = ("emg", "voltage", "analog", "ch")
"""What channels are called beside their muscle."""


def find_electrodes(channels: Iterable[str], muscles: Iterable[str], side: str | None = None) -> Table[str]:
    """Return the channel of each muscle that one is called after; several muscles may share a channel.

    A channel that is called like a muscle of the model is that muscle's. Otherwise its side is taken from its name, and
    one without a side belongs to nobody: a wrong leg would be worse than none.

    Args:
        channels: Names of channels.
        muscles: Names of muscles of the model.
        side: "right" or "left", of channels whose names do not say it.
    """
    known = tuple(muscles)
    found: dict[str, str] = {}
    for channel in channels:
        for muscle in (channel,) if channel in known else _muscles_of(channel, known, side):
            found.setdefault(muscle, channel)
    return Table(found)


def _muscles_of(channel: str, known: tuple[str, ...], usual: str | None) -> list[str]:
    said, rest = _side(channel)
    side = said or usual
    letters = _letters(rest)
    if side is None or not letters:
        return []
    for word, names in _words():
        if word == letters or (len(word) > 2 and word in letters):
            wanted = {(side, name) for name in names}
            return [muscle for muscle in known if split_side(muscle) in wanted]
    return []


def _side(channel: str) -> tuple[Side | None, str]:
    """Return the side of a channel, and its name without it: "EMG R soleus", "L Hams", "soleus_l", "Left TA", "LTA".

    A letter in front counts only if the rest is a known word: RF is a rectus femoris of either side.
    """
    text = re.sub(r"[._\-:/]", " ", channel)
    whole = " ".join(part for part in text.split() if part.lower() not in NOISE)
    side, rest = split_side(whole)
    if side is not None:
        return side, rest
    letters, known = _letters(whole), {word for word, _ in _words()}
    if letters[:1] in LETTERS and letters[1:] in known:
        return LETTERS[letters[0]], letters[1:]
    return None, whole


@cache
def _words() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the words as letters, longest first, each with the muscles that it stands for."""
    rows = parse_toml(packaged_text(__package__, "data", "electrodes.toml"))["electrode"]
    pairs = [(_letters(word), tuple(row["muscles"])) for row in rows for word in row["words"]]
    return tuple(sorted(pairs, key=lambda pair: -len(pair[0])))


def _letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())
