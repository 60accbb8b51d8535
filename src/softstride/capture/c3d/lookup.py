"""Look up parameters that may be missing, of the wrong type, too short, or continued in a second list."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from softstride.capture.c3d.file import Groups, Parameter
from softstride.capture.c3d.findings import Findings

_FIX = "write the file again with numbers and text where the format has them"


class Lookup:
    """The parameters of a file, asked for by group and name."""

    def __init__(self, groups: Groups, findings: Findings) -> None:
        self.groups = groups
        self.findings = findings

    def find(self, group: str, name: str) -> Parameter | None:
        """Return a parameter, or None."""
        return self.groups.get(group, {}).get(name)

    def number(self, group: str, name: str) -> float | None:
        """Return the first number of a parameter; None where it is missing, empty or no finite number."""
        values = self.numbers(group, name)
        return float(values[0]) if len(values) and math.isfinite(values[0]) else None

    def count(self, group: str, name: str) -> int | None:
        """Return the first number of a parameter as a count, 16 bits without sign; None where it is none."""
        parameter = self._checked(group, name, text=False)
        if parameter is None:
            return None
        counts = parameter.counts().ravel()
        return int(counts[0]) if len(counts) and counts[0] >= 0 else None

    def long_count(self, group: str, name: str) -> int | None:
        """Return a count stored in two words of 16 bits, the lower first, or in one number."""
        parameter = self._checked(group, name, text=False)
        if parameter is None or parameter.kind != 2 or len(parameter.counts().ravel()) < 2:
            return self.count(group, name)
        low, high = parameter.counts().ravel()[:2]
        return int(low) + 65536 * int(high)

    def numbers(self, group: str, name: str, unsigned: bool = False) -> NDArray[np.float64]:
        """Return all numbers of a parameter and of its continuations NAME2, NAME3, ..., flattened."""
        parts = [
            (p.counts() if unsigned and p.kind == 2 else p.numbers()).ravel()
            for p in self._continued(group, name, text=False)
        ]
        return np.concatenate(parts).astype(np.float64) if parts else np.empty(0)

    def texts(self, group: str, name: str) -> tuple[str, ...]:
        """Return all strings of a parameter and of its continuations NAME2, NAME3, ..., without blanks around."""
        return tuple(text.strip() for p in self._continued(group, name, text=True) for text in p.strings())

    def _checked(self, group: str, name: str, text: bool) -> Parameter | None:
        parameter = self.find(group, name)
        if parameter is not None and parameter.is_text != text:
            wanted, came = ("text", "numbers") if text else ("numbers", "text")
            raise self.findings.error(f"{group}:{name}", f"expected {wanted}, found {came}", _FIX)
        return parameter

    def _continued(self, group: str, name: str, text: bool) -> list[Parameter]:
        parts = []
        part, key = 1, name
        while (parameter := self._checked(group, key, text)) is not None:
            parts.append(parameter)
            part += 1
            key = f"{name}{part}"
        return parts


def unique_names(
    given: tuple[str, ...], count: int, word: str, field: str, findings: Findings
) -> tuple[str, ...]:
    """Return exactly one name for each of `count` points or channels, all different.

    Args:
        given: Names in the file; too few, too many, blank or repeated ones are allowed.
        count: How many there are.
        word: What to call those without a name: "point" gives "point_7" (counting from 1).
        field: Where the names stand, for the notes.
        findings: Receives a note on each decision.

    Returns:
        The names, shape (count,).
    """
    names = list(given[:count]) + [""] * (count - len(given))
    if len(given) < count:
        line = f"{field} has {len(given)} labels for {count}; the rest are named {word}_<number>"
        findings.note("labels-missing", line, field, labels=len(given), needed=count)
    blank = [i for i, name in enumerate(names) if not name]
    if any(i < len(given) for i in blank):
        findings.note("labels-blank", f"{field} has blank labels; they are named {word}_<number>", field)
    for i in blank:
        names[i] = f"{word}_{i + 1}"
    taken = set(names)
    seen: set[str] = set()
    repeated: dict[str, int] = {}
    for i, name in enumerate(names):
        if name in seen:
            number = repeated.get(name, 1) + 1
            while f"{name}_{number}" in taken:
                number += 1
            repeated[name] = number
            names[i] = f"{name}_{number}"
            taken.add(names[i])
        seen.add(names[i])
    if repeated:
        listed = ", ".join(repr(name) for name in list(repeated)[:10])
        line = f"{field} repeats {len(repeated)} labels ({listed}); the repetitions end in _2 and so on"
        findings.note("labels-repeated", line, field, *list(repeated)[:10], labels=len(repeated))
    return tuple(names)


def padded(given: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return exactly `count` strings: the first ones given, then empty ones."""
    return given[:count] + ("",) * (count - len(given))
