"""Names of models in words: what of a name tells the side, and what is left of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from softstride.model.leg import SIDES as WORDS

_SIDE = re.compile(r"(?:^|[_.\s-])(right|left|r|l)(?=$|[_.\s-])", re.IGNORECASE)
_LETTER = {word: side for side, words in WORDS.items() for word in words}


def split_side(name: str) -> tuple[str, str | None]:
    """Return a name without its side, and the side: "knee_angle_r" is "knee_angle", "right"."""
    found = list(_SIDE.finditer(name))
    if len(found) != 1:
        return name, None
    rest = name[: found[0].start()] + name[found[0].end() :]
    return rest.strip("_.- ") or name, _LETTER[found[0].group(1).lower()]


def in_words(name: str) -> str:
    """Return a name as words: "hip_flexion" is "hip flexion"."""
    return name.replace("_", " ").strip() or name


def by_base(names: Iterable[str]) -> dict[str, dict[str | None, str]]:
    """Return names by what they are without their side, then by side, in the order of their first."""
    found: dict[str, dict[str | None, str]] = {}
    for name in names:
        base, side = split_side(name)
        found.setdefault(base, {})[side] = name
    return found


def words_of(name: str) -> set[str]:
    """Return the words in a name, in lower case."""
    return {word for word in re.split(r"[^a-z]+", name.lower()) if word}


def common_words(names: Iterable[str]) -> str:
    """Return the words that names begin with alike: "hip_flexion" and "hip_rotation" are "hip"."""
    split = [re.split(r"[_.\s-]+", name) for name in names]
    alike = []
    for words in zip(*split, strict=False):
        if len(set(words)) > 1:
            break
        alike.append(words[0])
    return " ".join(alike)
