"""ANC: analog channels as integers of the converter, written by Motion Analysis."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from softstride.capture.text.clean_numbers import FloatArray
from softstride.capture.text.clock import read_clock
from softstride.capture.text.encoding import cells_of, iter_lines, plain_text, unique_names
from softstride.capture.text.table import is_number, read_numbers
from softstride.errors import CaptureError
from softstride.fields import Frozen
from softstride.notes import Note, Notes

_HEADER_LINES = 60


@dataclass(frozen=True, eq=False)
class AncFile(Frozen):
    """The content of an ANC file.

    Attributes:
        labels: Names of the channels, all different.
        rate: Samples per second.
        time: Instants [s], shape (n,).
        counts: Integers of the converter, shape (n, k); NaN where missing.
        volts: The same in [V]: `counts · 2 range / 2^bits`, shape (n, k).
        ranges: Range of each channel in [V]: the converter spans minus to plus this, shape (k,).
        bits: Bits of the converter.
        header: What the header says, by its own names.
        notes: What had to be decided.
    """

    labels: tuple[str, ...]
    rate: float
    time: FloatArray
    counts: FloatArray
    volts: FloatArray
    ranges: FloatArray
    bits: int
    header: Mapping[str, str]
    notes: tuple[Note, ...] = ()


def parse_anc(data: bytes, path: object) -> AncFile:
    """Read an ANC file.

    The row `Range` is in millivolts and one-sided: a bipolar converter of `b` bits gives

        V = count · 2 range · 10⁻³ / 2^b .

    Source: BTK (btkMotionAnalysisFileIOUtils) and the load_anc of the UW Neuromuscular Biomechanics Lab agree on it.

    Args:
        data: The whole file.
        path: Its name, for errors.

    Returns:
        The content.

    Raises:
        CaptureError: A row of the header is missing, the converter is not bipolar, channels differ in rate.
    """
    text, notes = plain_text(data, path)
    header, rows, start, first_line = _split(text, path)
    labels, renamed = unique_names(_labels(rows["name"], path), "channels")
    notes.extend(renamed)
    table = read_numbers(text[start:], ("time", *labels), path, first_line=first_line)
    if not len(table.values):
        raise CaptureError(path, "rows", "there are none below the ranges", "export the trial again")
    notes.extend(table.notes)
    ranges = 1e-3 * _row_numbers(rows["range"], "Range", len(labels), path)
    bits = _bits(header, path, notes)
    rates = _row_numbers(rows["rate"], "Rate", len(labels), path)
    if np.any(rates != rates[0]):
        raise CaptureError(path, "Rate", "channels differ in their rate", "export them at one rate")
    stated = _stated_rate(header, float(rates[0]), notes)
    clock = read_clock(table.values[:, 0].copy(), path, stated)
    notes.extend([*clock.notes, *_lies(header, len(labels))])
    if not math.isfinite(clock.rate):
        raise CaptureError(path, "Rate", f"{stated:g} is no rate", "state the sampling rate")
    counts = np.ascontiguousarray(table.values[:, 1:])
    beyond = np.abs(counts) > 2 ** (bits - 1)
    if beyond.any():
        said = f"{int(beyond.sum())} counts are beyond {bits} bits"
        values = {"counts": int(beyond.sum()), "bits": bits}
        notes.add("anc.beyond-bits", said, severity="warning", topic="anc", values=values)
    volts = counts * (2 * ranges / 2.0**bits)
    return AncFile(labels, clock.rate, clock.time, counts, volts, ranges, bits, header, tuple(notes))


def _split(text: bytes, path: object) -> tuple[dict[str, str], dict[str, list[str]], int, int]:
    header: dict[str, str] = {}
    rows: dict[str, list[str]] = {}
    start = 0
    for number, after, line in iter_lines(text):
        cells = cells_of(line)
        word = cells[0].lower() if cells else ""
        if word in ("name", "rate", "range"):
            rows[word] = cells[1:]
        elif is_number(word):
            break
        else:
            keys = [i for i, cell in enumerate(cells) if cell.endswith(":")]
            header.update({cells[i].rstrip(":"): cells[i + 1] for i in keys if i + 1 < len(cells)})
        start = after
        if number > _HEADER_LINES:
            break
    missing = [word for word in ("name", "rate", "range") if word not in rows]
    if missing:
        field = f"row {missing[0].capitalize()!r}"
        raise CaptureError(path, field, "is missing in the header", "check that this is an ANC file")
    return header, rows, start, text[:start].count(b"\n") + 1


def _labels(cells: list[str], path: object) -> list[str]:
    while cells and not cells[-1]:
        cells.pop()
    if not cells:
        raise CaptureError(path, "row 'Name'", "holds no channel", "name the channels")
    return [cell or f"channel_{i}" for i, cell in enumerate(cells, 1)]


def _row_numbers(cells: list[str], name: str, n: int, path: object) -> FloatArray:
    filled = [cell for cell in cells if cell]
    bad = [cell for cell in filled if not is_number(cell) or not 0 < float(cell) < 1e9]
    if bad or len(filled) != n:
        problem = (
            f"{bad[0]!r} is not a positive number" if bad else f"has {len(filled)} values for {n} channels"
        )
        raise CaptureError(path, f"row {name!r}", problem, "give one number for each channel")
    return np.array([float(cell) for cell in filled])


def _bits(header: dict[str, str], path: object, notes: Notes) -> int:
    polarity = header.get("Polarity", "")
    if polarity and polarity.lower() != "bipolar":
        raise CaptureError(
            path, "Polarity", f"{polarity!r} is not Bipolar", "export with a bipolar converter"
        )
    word = header.get("BitDepth", "")
    if not word:
        said = "header states no BitDepth: 12 bits for generation 1, else 16, taken"
        notes.add("anc.no-bit-depth", said, topic="anc", names=("BitDepth",))
        return 12 if header.get("Generation#") == "1" else 16
    if not is_number(word) or float(word) not in range(4, 33):
        raise CaptureError(path, "BitDepth", f"{word!r} is not a number of bits", "state 12 or 16")
    return int(float(word))


def _stated_rate(header: dict[str, str], rate: float, notes: Notes) -> float:
    precise = header.get("PreciseRate", "")
    if not is_number(precise) or not 0 < float(precise) < 1e9:
        return rate
    if abs(float(precise) / rate - 1) > 0.01:
        said = f"header states PreciseRate {precise}, but its row Rate {rate:g}"
        values = {"precise_Hz": float(precise), "row_Hz": rate}
        notes.add("anc.rates-differ", said, topic="anc", values=values)
    return float(precise)


def _lies(header: dict[str, str], n_channels: int) -> list[Note]:
    stated = header.get("#Channels", "")
    if not stated or (is_number(stated) and float(stated) == n_channels):
        return []
    said = f"header states {stated} channels, but names {n_channels}"
    return [Note("anc.count-wrong", said, topic="anc", names=("#Channels",), values={"held": n_channels})]
