"""Documents of OpenSim as XML, each failure a `ModelError` that names the file."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element

from softstride import files
from softstride.errors import ModelError, inside
from softstride.notes import Note

MAX_BYTES = 64 * 1024 * 1024
"""Largest document that is read; published models stay below 2 MB."""

WHAT = "a document of OpenSim"

_DOUBLE_COLON = re.compile(rb"<(/?[A-Za-z_][\w.-]*)::([A-Za-z_][\w.-]*)")


def read_xml(path: str | Path) -> tuple[Element, tuple[Note, ...]]:
    """Read a document; see `parse_xml`.

    Raises:
        ModelError: The file is missing, no file, not readable or too large, or no such document.
    """
    with inside(raising=ModelError):
        return parse_xml(files.read_bytes(path, MAX_BYTES, WHAT), path)


def parse_xml(data: bytes, path: str | Path) -> tuple[Element, tuple[Note, ...]]:
    """Parse a document.

    Names with a double colon such as `<HuntCrossleyForce::ContactParameters>`, which OpenSim 3 writes and XML with
    namespaces forbids, are read with a dot in its place.

    Args:
        data: The document.
        path: Its name, for messages.

    Returns:
        The root element, and notes on what was repaired.

    Raises:
        ModelError: Not XML, too large, too deep, or with entities or a document type.
    """
    fixed, repairs = _DOUBLE_COLON.subn(rb"<\1.\2", data)
    with inside(raising=ModelError):
        root = files.parse_xml(fixed, path, MAX_BYTES, WHAT)
    if not repairs:
        return root, ()
    text = f"{repairs} tags with '::' in their name were read with '.' in its place"
    return root, (Note("xml.double-colons", text, values={"tags": repairs}),)
