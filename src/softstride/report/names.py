"""Names of models in words: what of a name tells the side, and what is left of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from softstride.naming import Side, split_side


def in_words(name: str) -> str:
    """Return a name as words: "hip_flexion" is "hip flexion"."""
    return name.replace("_", " ").strip() or name


def by_base(names: Iterable[str]) -> dict[str, dict[Side | None, str]]:
    """Return names by what they are without their side, then by side, in the order of their first."""
    found: dict[str, dict[Side | None, str]] = {}
    for name in names:
        side, base = split_side(name)
        found.setdefault(base, {})[side] = name
    return found


def common_words(names: Iterable[str]) -> str:
    """Return the words that names begin with alike: "hip_flexion" and "hip_rotation" are "hip"."""
    split = [re.split(r"[_.\s-]+", name) for name in names]
    alike = []
    for words in zip(*split, strict=False):
        if len(set(words)) > 1:
            break
        alike.append(words[0])
    return " ".join(alike)
