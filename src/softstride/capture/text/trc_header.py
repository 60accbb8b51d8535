"""The header of a TRC file: names in one row, values in the next, labels of the markers in a third."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from softstride.capture.text.encoding import cells_of, decoded
from softstride.capture.text.table import is_number
from softstride.errors import CaptureError
from softstride.notes import Note, Notes

_NAMES = ("DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units")
_ORIGINAL = ("OrigDataRate", "OrigDataStartFrame", "OrigNumFrames")
_CANONICAL = {name.lower(): name for name in (*_NAMES, *_ORIGINAL)}
_UNIT = re.compile(r"[a-zA-Zµ]+")


@dataclass(frozen=True)
class Header:
    """What a header says.

    Attributes:
        values: Text by name.
        notes: How the row of values was read where it does not line up.
    """

    values: dict[str, str]
    notes: tuple[Note, ...]

    def number(self, name: str) -> float | None:
        """Return a value as a number, None if it is none."""
        text = self.values.get(name, "").strip()
        return float(text) if is_number(text) and math.isfinite(float(text)) else None

    def lies(self, n_frames: int, n_markers: int) -> list[Note]:
        """Return a note on each count that the rows contradict."""
        counts = {"NumFrames": n_frames, "NumMarkers": n_markers}
        stated = {name: self.number(name) for name in counts}
        return [
            Note(
                "trc.count-wrong",
                f"header states {name} {self.values[name]}, but the file holds {count}",
                topic="trc",
                names=(name,),
                values={"held": count},
            )
            for name, count in counts.items()
            if name in self.values and stated[name] != count
        ]


def read_header(lines: Sequence[bytes], path: object) -> Header:
    """Read the lines above the row of labels.

    Names and values are paired by their order, blanks left out, if there are as many of both; by their columns, if
    the rows are equally wide; else by meaning: the unit is the only word, four numbers come before it, three after.

    Args:
        lines: The lines above the labels.
        path: The file, for errors.
    """
    values: dict[str, str] = {}
    notes = Notes()
    rows = [(line, cells_of(line)) for line in lines]
    for i, (line, cells) in enumerate(rows):
        word = cells[0].lower() if cells else ""
        if word.startswith("pathfiletype"):
            values["PathFileType"] = decoded(line).strip()[len("PathFileType") :].strip()
        elif word == "datarate":
            below = next((row for _, row in rows[i + 1 :] if any(row)), [])
            pairs, note = _pair(cells, below)
            values.update(pairs)
            notes.extend(note)
            break
    else:
        notes.add("trc.no-header", "no header names and values: units and rate are not stated", topic="trc")
    unit = values.get("Units", "")
    if "DataRate" in values and not _UNIT.fullmatch(unit):
        said = f"header names no unit of length (Units is {unit!r})"
        notes.add("trc.no-unit", said, topic="trc", names=("Units",))
        values["Units"] = ""
    return Header(values, tuple(notes))


def _pair(names: list[str], cells: list[str]) -> tuple[dict[str, str], list[Note]]:
    canonical = [_CANONICAL.get(name.lower(), name) for name in names if name]
    filled = [cell for cell in cells if cell]
    pairs = dict(zip(canonical, filled, strict=False))
    if len(filled) == len(canonical) and _meaningful(pairs):
        return pairs, []
    by_column = {_CANONICAL.get(n.lower(), n): c for n, c in zip(names, cells, strict=False) if n}
    if len(names) == len(cells) and _meaningful(by_column, unit_needed=False):
        said = "header values are incomplete: paired with their names by column"
        return by_column, [Note("trc.values-by-column", said, topic="trc")]
    return _by_meaning(filled)


def _meaningful(pairs: dict[str, str], unit_needed: bool = True) -> bool:
    """Return whether the unit is a word and rate and count are numbers, so that the pairing is not shifted."""
    unit = pairs.get("Units", "")
    is_unit = bool(_UNIT.fullmatch(unit)) or not (unit or unit_needed)
    return is_unit and is_number(pairs.get("DataRate", "")) and is_number(pairs.get("NumMarkers", ""))


def _by_meaning(filled: list[str]) -> tuple[dict[str, str], list[Note]]:
    words = [i for i, cell in enumerate(filled) if _UNIT.fullmatch(cell)]
    if len(words) != 1:
        said = "header values do not line up with their names, and cannot be told apart: not used"
        return {}, [Note("trc.values-not-used", said, "warning", "trc")]
    unit = words[0]
    result = {"Units": filled[unit]}
    if unit == len(_NAMES) - 1:
        result.update(zip(_NAMES, filled[:unit], strict=False))
    if len(filled) - unit - 1 == len(_ORIGINAL):
        result.update(zip(_ORIGINAL, filled[unit + 1 :], strict=True))
    said = f"header values do not line up with their names: read by meaning ({', '.join(result)})"
    return result, [Note("trc.values-by-meaning", said, topic="trc", names=tuple(result))]


def labels_from_row(row: bytes, header: Header, path: object) -> list[str]:
    """Return the labels of the markers from the row that begins with Frame# and Time.

    A label stands above the first of three columns; some programs leave one blank instead of two between labels,
    or none, or repeat the label above all three.

    Args:
        row: The row.
        header: For the number of markers, which decides where labels repeat or are blank.
        path: The file, for errors.

    Raises:
        CaptureError: There is no label.
    """
    cells = cells_of(row)[2:]
    while cells and not cells[-1]:
        cells.pop()
    filled = [cell for cell in cells if cell]
    if not filled:
        raise CaptureError(path, "row of labels", "holds no label", "name the markers")
    first, others = cells[::3], [*cells[1::3], *cells[2::3]]
    if not any(others):
        return [label or f"unnamed_{i}" for i, label in enumerate(first, 1)]
    stripped = [re.sub(r"[ ._:-]?[xyzXYZ]$", "", cell) for cell in filled]
    for names in (filled, stripped):
        triples = list(zip(names[::3], names[1::3], names[2::3], strict=False))
        if len(filled) % 3 == 0 and all(a == b == c and a for a, b, c in triples) and len(filled) > 2:
            return [a for a, _, _ in triples]
    return filled
