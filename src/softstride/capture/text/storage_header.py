"""The header of a MOT or STO file: OpenSim's `name=value`, SIMM's `name value`, free text, and names of columns."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from softstride.capture.text.clean_numbers import FloatArray
from softstride.capture.text.encoding import cells_of, decoded, iter_lines
from softstride.capture.text.table import is_number
from softstride.errors import CaptureError
from softstride.notes import Note, Notes

_HEADER_LINES = 2000
_SIZES = {"double": 1, "float": 1, "vec2": 2, "vec3": 3, "unitvec3": 3, "quaternion": 4, "vec4": 4, "vec5": 5}
_SIZES |= {"vec6": 6, "spatialvec": 6, "vec7": 7, "vec8": 8, "vec9": 9}
_SIMM = ("name", "datacolumns", "datarows", "otherdata", "range", "wrt")
_YES, _NO = ("yes", "y", "true", "1"), ("no", "n", "false", "0")
TIME = re.compile(r"(time|t|seconds)(\s*[\[(]\s*s(ec(onds)?)?\s*[\])])?", re.IGNORECASE)


def read_header(text: bytes, path: object, notes: Notes) -> tuple[str, dict[str, str], int, int]:
    """Return name, header, and offset and number of the line behind it."""
    header: dict[str, str] = {}
    free: list[str] = []
    name = ""
    start = 0
    for number, after, raw in iter_lines(text):
        line = decoded(raw).rstrip("\t ")
        if line.strip().lower() == "endheader":
            _close_header(header, free)
            return name or header.get("name", ""), header, after, number + 1
        first = re.split(r"[\t ]", line.strip(), maxsplit=1)[0]
        if TIME.fullmatch(first) and "\t" in decoded(raw).strip():
            said = "endheader is missing: the header ends at the names of the columns"
            notes.add("storage.no-endheader", said, topic="storage")
            _close_header(header, free)
            return name or header.get("name", ""), header, start, number
        key, value = _header_pair(line)
        if key:
            header.setdefault(key, value)
        elif number == 1:
            name = line.strip()
        else:
            free.append(line)
        start = after
        if number > _HEADER_LINES:
            break
    raise CaptureError(path, "endheader", "there is no such line", "check that this is a MOT or STO file")


def _header_pair(line: str) -> tuple[str, str]:
    """Return name and value of "nRows=3" or of SIMM's "datarows 3"; blank if the line is neither."""
    key, equals, value = (part.strip() for part in line.partition("="))
    if equals and len(key) < 80 and key[:1].isalpha():
        return key, value
    words = line.split(maxsplit=1)
    return (words[0], words[1].strip()) if len(words) == 2 and words[0].lower() in _SIMM else ("", "")


def _close_header(header: dict[str, str], free: list[str]) -> None:
    description = "\n".join(free).strip("\n")
    if description:
        header["description"] = description


def read_names(text: bytes, start: int, first_line: int, path: object) -> tuple[list[str], int, int]:
    """Return the names of the columns, and offset and number of the line behind them."""
    for number, after, line in iter_lines(text, start):
        if not line.strip():
            continue
        names = cells_of(line)
        while names and not names[-1]:
            names.pop()
        if all(is_number(cell) for cell in names):
            raise CaptureError(
                path, "names of columns", "the rows begin without them", "name the columns, time first"
            )
        filled = [name or f"column_{i}" for i, name in enumerate(names, 1)]
        return filled, after, first_line + number
    raise CaptureError(path, "names of columns", "nothing follows the header", "export the trial again")


def read_vector_size(header: Mapping[str, str], path: object) -> int:
    """Return how many numbers a cell holds, by DataType."""
    kind = header.get("DataType", "double").strip()
    if kind.lower() in _SIZES:
        return _SIZES[kind.lower()]
    raise CaptureError(
        path, "DataType", f"{kind!r} is not a type of numbers known here", "write double or Vec3"
    )


def find_lies(header: Mapping[str, str], n_rows: int, n_columns: int) -> list[Note]:
    """Return a note on each count that the rows contradict."""
    counts = {"nRows": n_rows, "datarows": n_rows, "nColumns": n_columns, "datacolumns": n_columns}
    held = {key.lower(): (key, value) for key, value in header.items()}
    said = [(*held[key.lower()], count) for key, count in counts.items() if key.lower() in held]
    return [
        Note(
            "storage.count-wrong",
            f"header states {key} {value}, but the file holds {count}",
            topic="storage",
            names=(key,),
            values={"held": count},
        )
        for key, value, count in said
        if not is_number(value) or float(value) != count
    ]


def read_in_degrees(header: Mapping[str, str], notes: Notes) -> bool | None:
    """Return whether the header says that angles are in degrees; None if it does not say."""
    word = next((value for key, value in header.items() if key.lower() == "indegrees"), "").strip().lower()
    if word and word not in (*_YES, *_NO):
        said = f"inDegrees is {word!r}, neither yes nor no: not used"
        notes.add("storage.degrees-unclear", said, topic="storage", names=("inDegrees",))
    return True if word in _YES else False if word in _NO else None


def time_from_range(header: Mapping[str, str], n: int, path: object, notes: Notes) -> FloatArray:
    """Return the times of a SIMM motion that only states its range."""
    words = header.get("range", "").split()
    if len(words) != 2 or not all(is_number(word) for word in words) or n < 2:
        raise CaptureError(path, "column 'time'", "there is none", "name the column of times 'time'")
    first, last = float(words[0]), float(words[1])
    said = f"no column of times: {n} even steps over the range {first:g} to {last:g} that the header states"
    notes.add("storage.time-from-range", said, topic="storage", span=(first, last), values={"rows": n})
    return np.linspace(first, last, n)
