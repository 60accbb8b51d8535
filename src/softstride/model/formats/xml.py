"""Read XML that nobody vouches for: bounded size and depth, no entities, no document types.

The result is an ordinary `xml.etree.ElementTree.Element`; every failure is a `ModelError` that names the file.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from softstride.errors import ModelError, inside
from softstride.notes import Note

MAX_BYTES = 64 * 1024 * 1024
"""Largest document that is read; published models stay below 2 MB."""

MAX_DEPTH = 100
"""Deepest nesting that is read; published models stay below 20."""

MAX_ELEMENTS = 300_000
"""Most elements that are read; published models stay below 50 000."""

_DOUBLE_COLON = re.compile(rb"<(/?[A-Za-z_][\w.-]*)::([A-Za-z_][\w.-]*)")


class _BoundedBuilder(TreeBuilder):
    """Builds the tree and stops when it becomes too deep or too large."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.count = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        self.depth += 1
        self.count += 1
        if self.depth > MAX_DEPTH:
            raise ModelError(
                f"is refused, elements are nested more than {MAX_DEPTH} deep at <{_short(tag)}>."
            )
        if self.count > MAX_ELEMENTS:
            raise ModelError(f"is refused, it has more than {MAX_ELEMENTS} elements.")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        self.depth -= 1
        return super().end(tag)


def read_bytes(path: str | Path) -> bytes:
    """Return the content of a file, at most `MAX_BYTES`.

    Raises:
        ModelError: The file is missing, no file, not readable or too large.
    """
    file = Path(path)
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"cannot be read ({error})", file=file, fix="check the name and the permissions."
        ) from error
    _check_size(data, file)
    return data


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
    _check_size(data, path)
    fixed, repairs = _DOUBLE_COLON.subn(rb"<\1.\2", data)
    notes: tuple[Note, ...] = ()
    if repairs:
        text = f"{repairs} tags with '::' in their name were read with '.' in its place"
        notes = (Note("xml.double-colons", text, values={"tags": repairs}),)
    parser = DefusedXMLParser(target=_BoundedBuilder(), forbid_dtd=True)
    try:
        with inside(file=path):
            parser.feed(fixed)
            root: Element = parser.close()
    except ModelError:
        raise
    except ParseError as error:
        raise ModelError(
            f"is not well-formed XML ({error}): it may be cut off or damaged", file=path, fix="save it again."
        ) from error
    except DefusedXmlException as error:
        raise ModelError(
            f"holds a document type or entity ({error}), which is refused: remove the <!DOCTYPE ...> part.",
            file=path,
        ) from error
    except (ValueError, LookupError) as error:  # an encoding that does not exist or does not fit
        raise ModelError(f"cannot be decoded ({error}): save it as UTF-8.", file=path) from error
    return root, notes


def _check_size(data: bytes, path: str | Path) -> None:
    if len(data) > MAX_BYTES:
        raise ModelError(f"is larger than {MAX_BYTES // 2**20} MB, which no model needs.", file=path)
    if not data.strip():
        raise ModelError("is empty.", file=path)


def _short(tag: str) -> str:
    return tag if len(tag) <= 40 else tag[:37] + "..."
