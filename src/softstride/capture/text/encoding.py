"""Bytes of a text file as one kind of text: UTF-8 with LF line ends and nothing behind the last line."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

from softstride.capture.c3d.findings import Findings
from softstride.capture.c3d.lookup import unique_names as different_names
from softstride.errors import CaptureError
from softstride.notes import Note, Notes

# The mark of UTF-32 begins with that of UTF-16, so it is looked for first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PADDING = b"\x00\x1a"  # zeros of a preallocated file, Ctrl-Z of DOS


def plain_text(data: bytes, path: object) -> tuple[bytes, Notes]:
    r"""Return the text of a file without byte-order mark, with ``\n`` line ends, and notes on what was odd.

    Args:
        data: The whole file.
        path: Its name, for errors.

    Returns:
        The text in UTF-8 (or in whatever 8-bit encoding the file has), and the notes.

    Raises:
        CaptureError: The file is empty, or its UTF-16 or UTF-32 is broken.
    """
    notes = Notes()
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            if encoding == "utf-8":
                data = data[len(mark) :]
            else:
                data = _recode(data, encoding, path)
            break
    trimmed = data.rstrip(_PADDING)
    if len(trimmed) < len(data):
        count = len(data) - len(trimmed)
        said = f"{count} padding bytes behind the last line ignored"
        notes.add("file.padding-ignored", said, topic="file", values={"bytes": count})
    if b"\r" in trimmed:
        trimmed = trimmed.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not trimmed or trimmed.isspace():
        raise CaptureError(path, "file", "holds no text", "export the trial again")
    return trimmed, notes


def _recode(data: bytes, encoding: str, path: object) -> bytes:
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        name = encoding.upper()
        raise CaptureError(
            path, "encoding", f"begins as {name} but is not ({error})", "save it as UTF-8"
        ) from error


def decoded(text: bytes) -> str:
    """Return text as a string: UTF-8, else Windows-1252, in which labs of western Europe write."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("cp1252", errors="replace")


def iter_lines(text: bytes, start: int = 0) -> Iterator[tuple[int, int, bytes]]:
    """Yield line number from 1, the offset behind the line, and the line; splits no further than it is asked."""
    number = 0
    while start < len(text):
        end = text.find(b"\n", start)
        end = len(text) if end < 0 else end
        number += 1
        yield number, min(end + 1, len(text)), text[start:end]
        start = end + 1


def cells_of(line: bytes) -> list[str]:
    """Return the cells of a row of names, stripped: by tabs, or by blanks where there are no tabs."""
    text = decoded(line)
    return [cell.strip() for cell in text.split("\t")] if "\t" in text.strip() else text.split()


def unique_names(names: Sequence[str], kind: str) -> tuple[tuple[str, ...], list[Note]]:
    """Return names that differ: the second "RASI" becomes "RASI_2", as in C3D files; and a note on those renamed."""
    result = different_names(tuple(names), len(names), kind, kind, Findings(""))
    renamed = [new for old, new in zip(names, result, strict=True) if new != old]
    said = f"{kind} that appear twice renamed: {listed(renamed)}"
    return result, [Note("file.names-repeated", said, topic="file", names=tuple(renamed))] if renamed else []


def listed(names: Sequence[object], most: int = 6) -> str:
    """Return names as "a, b, c and 4 more"."""
    shown = ", ".join(str(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
