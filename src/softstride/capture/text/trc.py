"""TRC: trajectories of markers, as Motion Analysis and OpenSim write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softstride.capture.text.clean_numbers import FloatArray
from softstride.capture.text.clock import read_clock
from softstride.capture.text.encoding import iter_lines, plain_text, unique_names
from softstride.capture.text.numerals import check_names, joined, number_rows
from softstride.capture.text.table import is_number, read_numbers
from softstride.capture.text.trc_header import Header, labels_from_row, read_header
from softstride.errors import CaptureError
from softstride.fields import Frozen
from softstride.notes import Note, Notes

_HEADER_LINES = 40  # the rows of labels and of X1 Y1 Z1 come sooner in every file that is one
_FIRST_LINE = "4\t(X/Y/Z)\ttrial.trc"


@dataclass(frozen=True, eq=False)
class TrcFile(Frozen):
    """The content of a TRC file, in the file's own units and axes.

    Attributes:
        labels: Names of the markers, all different.
        time: Instants [s], shape (n,); regular where the rate explains the rounding of the file's column.
        positions: Shape (n, m, 3), in `units`; NaN where a marker was not seen.
        units: Unit of length as the header names it, "" where it does not.
        rate: Frames per second: the header's, unless the time column says otherwise.
        camera_rate: The header's camera rate; the rate itself if None.
        frame_numbers: Shape (n,); 1, 2, 3, ... if None.
        time_column: Instants as in the file [s], shape (n,); `time` if None.
        header: What the header says, by its own names, and the first line as "PathFileType".
        notes: What had to be decided.
    """

    labels: tuple[str, ...]
    time: FloatArray
    positions: FloatArray
    units: str
    rate: float
    camera_rate: float | None = None
    frame_numbers: NDArray[np.int64] | None = None
    time_column: FloatArray | None = None
    header: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def parse_trc(data: bytes, path: object) -> TrcFile:
    """Read a TRC file.

    A marker that is blank, NaN or exactly (0, 0, 0) is missing. Where the header disagrees with the rows about
    frames, markers or rate, the rows are believed and a note says so.

    Args:
        data: The whole file.
        path: Its name, for errors.

    Returns:
        The content.

    Raises:
        CaptureError: No row of labels, no rows, a cell that is not a number, more values than labels.
    """
    text, notes = plain_text(data, path)
    header, label_row, start, first_line = _split(text, path)
    labels, label_notes = unique_names(labels_from_row(label_row, header, path), "labels")
    columns = ("Frame#", "Time", *(f"{label}.{axis}" for label in labels for axis in "xyz"))
    separator = b"\t" if b"\t" in text[start : start + 10_000] else None
    table = read_numbers(text[start:], columns, path, first_line=first_line, separator=separator, group=3)
    if not len(table.values):
        raise CaptureError(path, "rows", "there are none below the labels", "export the trial again")
    notes.extend([*header.notes, *label_notes, *table.notes])
    if table.widest < len(columns):
        if header.number("NumMarkers") == (table.widest - 2) / 3:
            problem = f"names {len(labels)} markers, but rows and header have {(table.widest - 2) // 3}"
            raise CaptureError(path, "row of labels", problem, "name each marker once, above its x column")
        said = f"rows have {table.widest} values for {len(columns)} columns: the last markers are missing"
        values = {"values": table.widest, "columns": len(columns)}
        notes.add("trc.last-markers-missing", said, severity="warning", topic="trc", values=values)
    frames, frame_steps = _frame_numbers(table.values[:, 0], notes)
    clock = read_clock(table.values[:, 1].copy(), path, header.number("DataRate"), frame_steps)
    rate = _known_rate(clock.rate, header, path)
    notes.extend([*clock.notes, *header.lies(len(table.values), len(labels))])
    return TrcFile(
        labels=labels,
        time=clock.time,
        positions=_positions(table.values[:, 2:], labels, notes),
        units=header.values.get("Units", ""),
        rate=rate,
        camera_rate=header.number("CameraRate") or rate,
        frame_numbers=frames,
        time_column=table.values[:, 1].copy(),
        header=header.values,
        notes=tuple(notes),
    )


def _split(text: bytes, path: object) -> tuple[Header, bytes, int, int]:
    """Return the header, the row of labels, and the offset and line number where the rows of numbers begin."""
    above: list[bytes] = []
    label_row: bytes | None = None
    row_start = 0
    for number, after, line in iter_lines(text):
        first = line.replace(b"\t", b" ").split(maxsplit=1)[:1]
        word = first[0].lower() if first else b""
        if label_row is None:
            if word.rstrip(b"#").startswith(b"frame"):
                label_row = line
            elif number > _HEADER_LINES:
                break
            else:
                above.append(line)
        elif is_number(word.decode("latin-1")):
            return read_header(above, path), label_row, row_start, number
        elif number > len(above) + _HEADER_LINES:
            break
        row_start = after
    if label_row is None:
        raise CaptureError(
            path, "row of labels", "no line begins with 'Frame#'", "check that this is a TRC file"
        )
    raise CaptureError(path, "rows", "no row of numbers follows the labels", "export the trial again")


def _frame_numbers(column: FloatArray, notes: Notes) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Return the frame numbers, and the same as steps of a clock where they count upwards."""
    known = np.abs(np.nan_to_num(column, nan=0.5)) < 2**31
    if not np.all(known) or not np.array_equal(np.round(column), column):
        notes.add(
            "trc.frames-counted", "frame numbers are not whole numbers: counted from 1 instead", topic="trc"
        )
        return np.arange(1, column.size + 1), None
    frames = column.astype(np.int64)
    steps = np.diff(frames)
    if np.all(steps == 1):
        return frames, frames
    if np.any(steps <= 0):
        notes.add("trc.frames-backwards", "frame numbers do not increase", topic="trc")
        return frames, None
    left_out = int((steps - 1).sum())
    said = f"{left_out} frames are left out between the rows, by their numbers"
    notes.add("trc.frames-left-out", said, topic="trc", values={"frames": left_out})
    return frames, frames


def _known_rate(rate: float, header: Header, path: object) -> float:
    if np.isfinite(rate):
        return rate
    raise CaptureError(
        path, "DataRate", f"{header.values.get('DataRate', '')!r} is no rate", "state the frame rate"
    )


def _positions(values: FloatArray, labels: tuple[str, ...], notes: Notes) -> FloatArray:
    positions = values.reshape(len(values), len(labels), 3).copy()
    absent = np.isnan(positions)
    partly = absent.any(axis=2) & ~absent.all(axis=2)
    if partly.any():
        names = [labels[i] for i in np.flatnonzero(partly.any(axis=0))]
        count = int(partly.sum())
        said = f"{count} points lack a coordinate and count as missing: {', '.join(names[:6])}"
        notes.add("trc.coordinate-missing", said, topic="trc", names=names, values={"points": count})
    positions[partly | (positions == 0.0).all(axis=2)] = np.nan
    return positions


def format_trc(file: TrcFile, precision: int | None = None, path: object = "output") -> bytes:
    """Return the bytes of a TRC file that reads back bit for bit, here and in OpenSim.

    Times are written as `time_column` has them. Missing points are written as NaN, which OpenSim reads.

    Args:
        file: The content.
        precision: Significant digits of the positions; None for as many as each needs.
        path: The file to be written, for errors.

    Raises:
        CaptureError: A label that cannot be a cell, or a point at exactly (0, 0, 0), which would read as missing.
    """
    check_names(file.labels, "labels", path)
    n, m = len(file.time), len(file.labels)
    points = np.asarray(file.positions, dtype=np.float64)
    if points.shape != (n, m, 3):
        raise CaptureError(path, "positions", f"shape {points.shape} is not {(n, m, 3)}", "give all frames")
    origin = np.argwhere((points == 0.0).all(axis=2))
    if origin.size:
        where = f"frame {origin[0][0] + 1}, label {file.labels[origin[0][1]]!r}"
        raise CaptureError(
            path, where, "lies at exactly (0, 0, 0), which TRC takes for missing", "make it NaN"
        )
    frames = np.arange(1, n + 1) if file.frame_numbers is None else file.frame_numbers
    time = file.time if file.time_column is None else file.time_column
    given = {key: value for key, value in file.header.items() if key != "PathFileType"}
    counts = {"NumFrames": str(n), "NumMarkers": str(m), "Units": file.units}
    rates = {"DataRate": repr(float(file.rate)), "CameraRate": repr(float(file.camera_rate or file.rate))}
    original = {"OrigDataRate": rates["DataRate"], "OrigDataStartFrame": "1", "OrigNumFrames": str(n)}
    names = ("DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", *original)
    fields = {name: {**original, **given, **counts, **rates}[name] for name in names}
    head = [
        ["PathFileType", " ".join(file.header.get("PathFileType", _FIRST_LINE).splitlines())],
        list(fields),
        [value or " " for value in fields.values()],
        ["Frame#", "Time", *(cell for label in file.labels for cell in (label, "", ""))],
        ["", "", *(f"{axis}{i}" for i in range(1, m + 1) for axis in "XYZ")],
        [""],
    ]
    times = number_rows(np.asarray(time, dtype=np.float64)[:, None], None, "", path)
    coordinates = number_rows(points.reshape(n, 3 * m), precision, "NaN", path)
    rows = ([str(int(f)), *t, *xyz] for f, t, xyz in zip(frames, times, coordinates, strict=True))
    return (joined(head) + joined(rows)).encode()
