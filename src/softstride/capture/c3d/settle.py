"""Make the parameters of a `C3DFile` agree with its arrays before it is written.

A parameter that already says what the arrays say is kept as it is, so that a file read and written again is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from softstride.capture.c3d.file import (
    INTEGER,
    MOST_IN_A_DIMENSION,
    C3DFile,
    Groups,
    Kind,
    Parameter,
    number_parameter,
    text_parameter,
)
from softstride.capture.c3d.findings import Findings
from softstride.capture.c3d.lookup import Lookup, padded, unique_names
from softstride.capture.c3d.plausible import is_scale

_MOST_COUNTS = 32000.0  # a little room below 32767
_USUAL_SCALE = 0.1
_Item = TypeVar("_Item")


class _Draft:
    """Groups under change."""

    def __init__(self, groups: Groups, findings: Findings) -> None:
        self.groups = {name: dict(group) for name, group in groups.items()}
        self.lookup = Lookup(self.groups, findings)

    def put(self, group: str, parameter: Parameter) -> None:
        """Add a parameter, or replace one in its place, keeping its description and lock."""
        members = self.groups.setdefault(group, {})
        old = members.get(parameter.name)
        if old is not None:
            parameter = replace(parameter, description=old.description, locked=old.locked)
        members[parameter.name] = parameter

    def count(self, group: str, name: str, value: int) -> None:
        """Let a parameter hold a count; counts beyond 16 bits become 65535."""
        held = min(value, 65535)
        if self.lookup.count(group, name) != held:
            self.put(group, number_parameter(name, held, INTEGER))

    def long_count(self, group: str, name: str, value: int) -> None:
        """Let a parameter hold a count in two words, the lower first."""
        if self.lookup.long_count(group, name) != value:
            self.put(group, number_parameter(name, [value % 65536, value // 65536], INTEGER))

    def real(self, group: str, name: str, value: float) -> None:
        """Let a parameter hold a number, to the precision of a 32-bit float."""
        said = self.lookup.number(group, name)
        if said is None or np.float32(said) != np.float32(value):
            self.put(group, number_parameter(name, value))

    def list_texts(self, group: str, name: str, texts: Sequence[str]) -> None:
        """Let a parameter and its continuations hold a list of strings."""
        self._remove_parts(group, name)
        for key, part in _parts(name, texts):
            self.put(group, text_parameter(key, tuple(part)))

    def list_numbers(self, group: str, name: str, numbers: NDArray[np.float64], kind: Kind = 4) -> None:
        """Let a parameter and its continuations hold a list of numbers."""
        self._remove_parts(group, name)
        for key, part in _parts(name, numbers.tolist()):
            self.put(group, number_parameter(key, part, kind))

    def _remove_parts(self, group: str, name: str) -> None:
        part = 2
        while self.groups.get(group, {}).pop(f"{name}{part}", None) is not None:
            part += 1


def _parts(name: str, items: Sequence[_Item]) -> list[tuple[str, Sequence[_Item]]]:
    """Return a long list in pieces with their names: NAME, NAME2, NAME3, ..."""
    size = MOST_IN_A_DIMENSION
    starts = range(0, max(len(items), 1), size)
    return [(name if s == 0 else f"{name}{s // size + 1}", items[s : s + size]) for s in starts]


def settle_groups(file: C3DFile, findings: Findings) -> Groups:
    """Return the parameters to write: those of the file, changed and added to where the arrays ask for it.

    Raises:
        CaptureError: If a parameter that counts, scales or names the data is text instead of numbers, or the reverse.
    """
    draft = _Draft(file.groups, Findings(findings.path))
    _settle_points(draft, file)
    _settle_frames(draft, file)
    if file.analog_labels:
        _settle_analog(draft, file)
    elif draft.lookup.find("ANALOG", "USED") is not None:
        draft.count("ANALOG", "USED", 0)
    return draft.groups


def with_data_start(groups: Groups, block: int) -> Groups:
    """Return the parameters with POINT:DATA_START set, its shape as it was."""
    point = groups["POINT"]
    old = point["DATA_START"]
    values = np.full(old.numbers().shape, block)
    new = number_parameter("DATA_START", values, INTEGER, old.description, old.locked)
    return {**groups, "POINT": {**point, "DATA_START": new}}


def _settle_points(draft: _Draft, file: C3DFile) -> None:
    lookup, m = draft.lookup, len(file.point_labels)
    draft.count("POINT", "USED", m)
    draft.real("POINT", "SCALE", _point_scale(lookup.number("POINT", "SCALE"), file))
    draft.real("POINT", "RATE", file.rate)
    start = lookup.find("POINT", "DATA_START")
    if start is None or start.kind != INTEGER or start.numbers().size == 0:
        draft.put("POINT", number_parameter("DATA_START", 1, INTEGER))
    if _names(lookup, "POINT", m, "point") != file.point_labels:
        draft.list_texts("POINT", "LABELS", file.point_labels)
    if padded(lookup.texts("POINT", "DESCRIPTIONS"), m) != file.point_descriptions:
        draft.list_texts("POINT", "DESCRIPTIONS", file.point_descriptions)
    if next((unit for unit in lookup.texts("POINT", "UNITS") if unit), "") != file.point_units:
        draft.put("POINT", text_parameter("UNITS", file.point_units))


def _point_scale(said: float | None, file: C3DFile) -> float:
    """Return POINT:SCALE with the sign of the storage; integers without a scale get one that holds all points."""
    if said is not None and is_scale(said) and (said < 0) == (file.storage == "real"):
        return said
    if file.storage == "real":
        return -abs(said) if said is not None and is_scale(said) else -1.0
    sizes = np.abs(file.points[np.isfinite(file.points)])
    scale = float(sizes.max()) / _MOST_COUNTS if sizes.size else _USUAL_SCALE
    return scale if is_scale(scale) else _USUAL_SCALE


def _settle_frames(draft: _Draft, file: C3DFile) -> None:
    """Write the number of frames, and beyond 16 bits the parameters that hold more."""
    n, first = file.n_frames, file.first_frame
    last = max(first + n - 1, 0)
    long = n > 65535 or last > 65535
    draft.count("POINT", "FRAMES", n)
    if long or draft.lookup.find("POINT", "LONG_FRAMES") is not None:
        draft.real("POINT", "LONG_FRAMES", float(n))
    for name, value in (("ACTUAL_START_FIELD", first), ("ACTUAL_END_FIELD", last)):
        if long or draft.lookup.find("TRIAL", name) is not None:
            draft.long_count("TRIAL", name, value)


def _settle_analog(draft: _Draft, file: C3DFile) -> None:
    lookup, c = draft.lookup, len(file.analog_labels)
    draft.count("ANALOG", "USED", c)
    draft.real("ANALOG", "RATE", file.analog_rate)
    if _names(lookup, "ANALOG", c, "analog") != file.analog_labels:
        draft.list_texts("ANALOG", "LABELS", file.analog_labels)
    if padded(lookup.texts("ANALOG", "UNITS"), c) != file.analog_units:
        draft.list_texts("ANALOG", "UNITS", file.analog_units)
    if lookup.number("ANALOG", "GEN_SCALE") is None:
        draft.put("ANALOG", number_parameter("GEN_SCALE", 1.0))
    scale = lookup.numbers("ANALOG", "SCALE")
    if len(scale) < c:
        rest = np.ones(c - len(scale))
        if file.storage == "integer" and not len(scale):
            sizes = np.nan_to_num(np.abs(file.analog)).max(axis=0, initial=0.0)
            general = lookup.number("ANALOG", "GEN_SCALE") or 1.0
            rest = np.where(sizes > 0, sizes, 1.0) / (_MOST_COUNTS * abs(general))
        draft.list_numbers("ANALOG", "SCALE", np.concatenate([scale, rest]))
    unsigned = any(text.upper() == "UNSIGNED" for text in lookup.texts("ANALOG", "FORMAT"))
    offset = lookup.numbers("ANALOG", "OFFSET", unsigned=unsigned)
    if len(offset) < c:
        old = lookup.find("ANALOG", "OFFSET")
        kind = INTEGER if old is None else old.kind
        draft.list_numbers("ANALOG", "OFFSET", np.concatenate([offset, np.zeros(c - len(offset))]), kind)


def _names(lookup: Lookup, group: str, count: int, word: str) -> tuple[str, ...]:
    """Return the names that a reader would give, without notes."""
    return unique_names(lookup.texts(group, "LABELS"), count, word, group, Findings(lookup.findings.path))
