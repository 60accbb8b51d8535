"""The parameter section: a chain of records, each a group or a parameter.

A record is: length of the name (one byte, negative if locked), number of the group (one byte, negative if the record
is the group itself), the name, the distance from here to the next record (two bytes, 0 at the last one), then for a
group its description, for a parameter its type, dimensions, values and description. Descriptions start with their
length in a byte. Some programs exchanged the two bytes of a distance: where the given one contradicts what the record
holds and the exchanged one is exactly that, the exchanged one is read.

Source: The C3D File Format User Guide, "The parameter section".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from softstride.capture.c3d.file import (
    BYTE,
    DTYPES,
    INTEGER,
    REAL,
    TEXT,
    GroupHeader,
    Groups,
    Kind,
    Parameter,
)
from softstride.capture.c3d.findings import Findings
from softstride.capture.c3d.numbers import NumberFormat
from softstride.capture.c3d.text import decode_text

SECTION_HEADER = 4  # bytes: two without use, number of blocks, processor
MOST_DIMENSIONS = 7
MOST_STRINGS = 65535
# A damaged record in one of these leaves the data without meaning; elsewhere it is left out with a note.
ESSENTIAL_GROUPS = frozenset({"POINT", "ANALOG", "FORCE_PLATFORM", "TRIAL"})
_REPAIR = "write the file again from its source, or repair it with the program that made it"


class Section(NamedTuple):
    """The parameters of a file, and where they end in it [bytes]."""

    groups: Groups
    headers: Mapping[str, GroupHeader]
    end: int


class _Record(NamedTuple):
    name: str
    group: int
    locked: bool
    start: int
    end: int


class _DamagedError(Exception):
    """A record does not hold what it says."""


def parse_parameters(data: bytes, start: int, form: NumberFormat, findings: Findings) -> Section:
    """Return the parameters in a file.

    Args:
        data: The whole file.
        start: Where the section starts [bytes].
        form: How its processor writes numbers.
        findings: Receives notes on duplicates and on damaged records.

    Returns:
        Groups and parameters by their upper-case names; of two with one name the first.

    Raises:
        CaptureError: If the chain of records leaves the file, or a record in an essential group is damaged.
    """
    records, end = _follow_chain(data, start + SECTION_HEADER, form, findings)
    groups: dict[str, dict[str, Parameter]] = {}
    headers: dict[str, GroupHeader] = {}
    names: dict[int, str] = {}
    for record in records:
        if record.group < 0:
            if record.name in headers:
                line = f"group {record.name} is declared twice; its parameters are joined"
                findings.note("group-twice", line, record.name)
            names.setdefault(-record.group, record.name)
            headers.setdefault(record.name, GroupHeader(_description(data, record), record.locked))
            groups.setdefault(record.name, {})
    for record in records:
        if record.group < 0:
            continue
        group = names.get(record.group)
        if group is None:
            group = names[record.group] = f"GROUP_{record.group}"
            groups.setdefault(group, {})
            headers.setdefault(group, GroupHeader())
            line = f"group number {record.group} has parameters but no name; named {group}"
            findings.note("group-without-name", line, group)
        if record.name in groups[group]:
            name = f"{group}:{record.name}"
            findings.note("parameter-twice", f"{name} appears twice; the first is used", name)
            continue
        try:
            groups[group][record.name] = _parse_values(data, record, form)
        except _DamagedError as damage:
            if group in ESSENTIAL_GROUPS:
                raise findings.error(f"{group}:{record.name}", str(damage), _REPAIR) from None
            name = f"{group}:{record.name}"
            findings.note("parameter-damaged", f"{name} is left out: {damage}", name)
    return Section(groups, headers, end)


def _follow_chain(
    data: bytes, position: int, form: NumberFormat, findings: Findings
) -> tuple[list[_Record], int]:
    """Return all records and where the last one ends. Each step goes forward, so the walk ends."""
    records: list[_Record] = []
    while True:
        if position + 2 > len(data):
            raise findings.error(
                "parameter section", f"the list of parameters leaves the file at byte {position}", _REPAIR
            )
        length = int.from_bytes(data[position : position + 1], signed=True)
        if length == 0:
            return records, position + 1
        group = int.from_bytes(data[position + 1 : position + 2], signed=True)
        link = position + 2 + abs(length)
        where = f"record {len(records) + 1} at byte {position}"
        if group == 0 or link + 2 > len(data):
            raise findings.error(
                "parameter section", f"{where} is neither a group nor a parameter of one", _REPAIR
            )
        name = decode_text(data[position + 2 : link]).strip(" \0").upper()
        step = int(form.unsigned(data, link, 1)[0])
        swapped = int.from_bytes(data[link : link + 2], "little" if form.order == ">" else "big")
        if swapped != step and swapped == _length(data, link, group < 0) != step:
            line = f"{where} ({name!r}) has the two bytes of its length exchanged; read as {swapped}"
            findings.note("length-bytes-exchanged", line, name, read=swapped)
            step = swapped
        end = link + step if step else len(data)
        if step == 1 or end > len(data):
            raise findings.error(
                "parameter section",
                f"{where} ({name!r}) points to its successor at byte {end}, outside of the section",
                _REPAIR,
            )
        records.append(_Record(name, group, length < 0, link + 2, end))
        if step == 0:
            return records, link + 2
        position = end


def _length(data: bytes, link: int, is_group: bool) -> int | None:
    """Return the distance from a link to the next record that the contents of this one ask for; None if they leave."""
    at = link + 2
    if not is_group:
        head = data[at : at + 2]
        if len(head) < 2 or head[1] > MOST_DIMENSIONS:
            return None
        size = abs(int.from_bytes(head[:1], signed=True))
        at += 2 + head[1] + size * math.prod(data[at + 2 : at + 2 + head[1]])
    return at + 1 + data[at] - link if at < len(data) else None


def _description(data: bytes, record: _Record, at: int | None = None) -> str:
    """Return the description at a position; cut short where the record ends."""
    start = record.start if at is None else at
    if start >= record.end:
        return ""
    return decode_text(data[start + 1 : min(start + 1 + data[start], record.end)])


def _parse_values(data: bytes, record: _Record, form: NumberFormat) -> Parameter:
    if record.start + 2 > record.end:
        raise _DamagedError("the record ends before its type")
    kind = int.from_bytes(data[record.start : record.start + 1], signed=True)
    n_dims = data[record.start + 1]
    if kind not in (TEXT, BYTE, INTEGER, REAL):
        raise _DamagedError(f"type {kind} does not exist; the types are -1, 1, 2 and 4")
    if n_dims > MOST_DIMENSIONS:
        raise _DamagedError(f"{n_dims} dimensions, where at most {MOST_DIMENSIONS} are allowed")
    at = record.start + 2 + n_dims
    dims = tuple(data[record.start + 2 : at])
    count = math.prod(dims)
    size = count * abs(kind)
    if len(dims) < n_dims or at + size > record.end:
        raise _DamagedError(f"{size} bytes of values, but only {max(0, record.end - at)} in the record")
    description = _description(data, record, at + size)
    if kind == TEXT:
        width, n_strings = (dims[0], math.prod(dims[1:])) if dims else (1, 1)
        if n_strings > MOST_STRINGS:
            raise _DamagedError(f"{n_strings} strings of no length")
        texts = tuple(decode_text(data[at + i * width : at + (i + 1) * width]) for i in range(n_strings))
        return Parameter(record.name, TEXT, dims, texts, description, record.locked)
    if kind == BYTE:
        values: NDArray[Any] = np.frombuffer(data, np.uint8, count, at)
    elif kind == INTEGER:
        values = form.words(data, at, count)
    else:
        values = form.floats(data, at, count)
    with np.errstate(over="ignore", invalid="ignore"):
        array = values.astype(DTYPES[kind]).reshape(dims[::-1])
        if kind == REAL:
            array[np.isnan(array)] = np.nan  # one that does not signal
    array.setflags(write=False)
    return Parameter(record.name, cast(Kind, kind), dims, array, description, record.locked)
