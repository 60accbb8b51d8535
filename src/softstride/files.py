"""The one gate for files: what is read is a plain file of bounded size, what is written is whole or not there at all.

Files come from strangers. A folder, a pipe, a device, more bytes than a reader expects, another encoding, entities of
XML, lists without end: each is refused before it can do harm, as a `CaptureError` with the file, the part of it and the
reason. A room whose errors are of another class says so: ``with inside(raising=ModelError): ...``.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from io import BufferedReader
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from softstride.errors import CaptureError, InputError, SoftstrideError

PathLike = str | os.PathLike[str]

DEEPEST = 20
"""Tables and lists of TOML within each other; ours have four."""

MAX_DEPTH = 100
"""Deepest nesting of XML that is read; published models stay below 20."""

MAX_ELEMENTS = 300_000
"""Most elements of XML that are read; published models stay below 50 000."""

RIGHT = "check that it is the right file"

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}

# bytes and texts


def read_bytes(path: PathLike, limit: int, what: str, fix: str = RIGHT) -> bytes:
    """Return all that a file holds.

    Args:
        path: The file.
        limit: Most bytes; larger files are not opened.
        what: What it ought to be, "a table of surgery", for errors.
        fix: What to do about a file that is larger.

    Raises:
        CaptureError: No such file, no plain file, no right to read it, or too large.
    """
    with _opened(path, limit, what, fix) as (stream, size):
        data = stream.read(size + 1)
    if len(data) > size:
        raise CaptureError(path, "size", "grew while it was read", "wait until it is complete")
    return data


def read_digest(path: PathLike) -> bytes:
    """Return the SHA-256 of what a file holds, of whatever size.

    Raises:
        CaptureError: No such file, no plain file, or no right to read it.
    """
    with _opened(path, sys.maxsize, "a file") as (stream, _):
        return hashlib.file_digest(stream, "sha256").digest()


def read_text(path: PathLike, limit: int, what: str, fix: str = RIGHT) -> str:
    r"""Return the text of a file in UTF-8, with or without a byte order mark; lines end with \n.

    Raises:
        CaptureError: As of `read_bytes`, or no text in UTF-8.
    """
    return text_of(read_bytes(path, limit, what, fix), path)


def text_of(data: bytes, path: object) -> str:
    r"""Return bytes as the text in UTF-8 that they are; lines end with \n.

    Raises:
        CaptureError: They are none.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"is no text in UTF-8: byte {error.start} is {data[error.start]:#04x}"
        raise CaptureError(path, "text", problem, "save it as UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def _opened(path: PathLike, limit: int, what: str, fix: str = RIGHT) -> Iterator[tuple[BufferedReader, int]]:
    """Open a plain file that is not too large, and say how many bytes it has."""
    try:
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode):
            kind = KINDS.get(stat.S_IFMT(status.st_mode), "something else")
            raise CaptureError(
                path, "file", f"cannot be read: it is {kind}, not a plain file", "give a plain file"
            )
        if status.st_size > limit:
            problem = f"{status.st_size:,} bytes are too many for {what}; at most {limit:,} are read"
            raise CaptureError(path, "size", problem, fix)
        with Path(path).open("rb") as stream:
            yield stream, status.st_size
    except SoftstrideError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CaptureError(
            path, "file", f"cannot be read: {reason}", "check the name and the rights"
        ) from error


# TOML, JSON and XML


def read_toml(path: PathLike, limit: int, what: str, fix: str = RIGHT) -> dict[str, Any]:
    """Return a TOML file as tables.

    Raises:
        CaptureError: As of `read_text` and `parse_toml`.
    """
    return parse_toml(read_text(path, limit, what, fix), path, fix)


def parse_toml(text: str, path: object = "", fix: str = "correct it there") -> dict[str, Any]:
    """Return a TOML text as tables; `path` is where it is from.

    Raises:
        CaptureError: It is no TOML, is nested more than `DEEPEST` deep, or holds a number without end.
    """
    try:
        found = tomllib.loads(text)
        if _is_deep(found):
            raise RecursionError
    except RecursionError as error:
        problem = (
            f"is no TOML: expected tables and lists at most {DEEPEST} deep, however these are nested deeper"
        )
        raise CaptureError(path, "text", problem, fix) from error
    except ValueError as error:  # TOMLDecodeError, or a whole number with thousands of digits
        raise CaptureError(path, "text", f"is no TOML: {error}", fix) from error
    return found


def _is_deep(found: dict[str, Any]) -> bool:
    level: list[Any] = [found]
    for _ in range(DEEPEST):
        level = [
            inside
            for each in level
            for inside in (each.values() if isinstance(each, dict) else each)
            if isinstance(inside, dict | list)
        ]
    return bool(level)


def toml_value(value: Any) -> str:
    """Return how TOML writes a value: a text, a number, true or false, a list or a table of these."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_key(key)} = {toml_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, float):
        return float.__repr__(value)  # JSON has other words for what is infinite
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(name: str) -> str:
    """Return how TOML writes a name: bare where that is possible."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)


def read_json(path: PathLike, limit: int, what: str, fix: str = RIGHT) -> Any:
    """Return the value in a JSON file.

    Raises:
        CaptureError: As of `read_bytes` and `parse_json`.
    """
    return parse_json(read_bytes(path, limit, what, fix), path)


def parse_json(data: bytes, path: object, **hooks: Any) -> Any:
    """Return the value of JSON in UTF-8; `hooks` are those of `json.loads`.

    Raises:
        CaptureError: Not UTF-8, not JSON, or nested too deep to be read.
    """
    try:
        return json.loads(text_of(data, path), **hooks)
    except json.JSONDecodeError as error:
        problem = f"line {error.lineno}, column {error.colno}: {error.msg}; the file is no JSON from there on"
        fix = "it may be cut short, or a comma, quote or bracket is missing"
        raise CaptureError(path, "text", problem, fix) from error
    except RecursionError as error:
        problem = "lists and objects are nested too deep"
        raise CaptureError(path, "text", problem, "check the brackets") from error


def parse_xml(data: bytes, path: object, limit: int, what: str, padding: bytes = b"") -> Element:
    """Return the root element of a document that nobody vouches for.

    Args:
        data: The document.
        path: Its name, for errors.
        limit: Most bytes.
        what: What it ought to be, for errors.
        padding: Bytes that may stand around it.

    Raises:
        CaptureError: Not XML, too large, too deep, or with entities or a document type.
    """
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    if len(data) > limit:
        problem = f"{len(data):,} bytes are too many for {what}; at most {limit:,} are read"
        raise CaptureError(path, "size", problem, RIGHT)
    if not data.strip().strip(padding):
        raise CaptureError(path, "XML", "is empty", "save or export it again")
    parser = DefusedXMLParser(target=_BoundedBuilder(path), forbid_dtd=True)
    try:
        parser.feed(data.strip(padding))
        root: Element = parser.close()
    except SoftstrideError:
        raise
    except ParseError as error:
        problem = f"is not well-formed XML ({error}): it may be cut off or damaged"
        raise CaptureError(path, "XML", problem, "save or export it again") from error
    except DefusedXmlException as error:
        problem = f"holds a document type or an entity ({type(error).__name__}), which is refused"
        raise CaptureError(path, "XML", problem, "remove the <!DOCTYPE ...> part") from error
    except (ValueError, LookupError) as error:  # an encoding that does not exist or does not fit
        raise CaptureError(path, "XML", f"cannot be decoded ({error})", "save it as UTF-8") from error
    return root


class _BoundedBuilder(TreeBuilder):
    """Builds the tree and stops when it becomes too deep or too large."""

    def __init__(self, path: object) -> None:
        super().__init__()
        self.path = path
        self.depth = self.count = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        self.depth += 1
        self.count += 1
        if self.depth > MAX_DEPTH:
            place = tag if len(tag) <= 40 else tag[:37] + "..."
            problem = f"is refused, elements are nested more than {MAX_DEPTH} deep at <{place}>"
            raise CaptureError(self.path, "XML", problem, RIGHT)
        if self.count > MAX_ELEMENTS:
            raise CaptureError(
                self.path, "XML", f"is refused, it has more than {MAX_ELEMENTS} elements", RIGHT
            )
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        self.depth -= 1
        return super().end(tag)


# files that come with the package


def packaged_names(package: str, *folder: str, suffix: str = ".toml") -> tuple[str, ...]:
    """Return the names of the files in a folder of a package, sorted, without their suffix."""
    names = (each.name for each in files(package).joinpath(*folder).iterdir())
    return tuple(sorted(name.removesuffix(suffix) for name in names if name.endswith(suffix)))


def packaged_text(package: str, *place: str) -> str:
    """Return the text of a file in a package."""
    return files(package).joinpath(*place).read_text(encoding="utf-8")


def packaged(name: str | Path, known: Iterable[str], what: str, suffix: str = "") -> str | Path:
    """Return the name of something that comes with the package, or the path of one's own.

    Args:
        name: As the user gave it.
        known: Names of what comes with the package.
        what: What it is, for errors.
        suffix: What a file of one's own ends with; every `Path` is one. "": any suffix makes it a file.

    Returns:
        The name as text if it is known, a path if it is one.

    Raises:
        InputError: Neither.
    """
    if (isinstance(name, Path) or name.endswith(suffix)) if suffix else Path(name).suffix:
        return Path(name)
    names, given = tuple(known), str(name)
    if given not in names:
        own = f"give the path of a {suffix} file" if suffix else "a file needs its suffix"
        raise InputError(
            f"no {what} {given!r}; there are: {', '.join(names)}",
            value=given,
            known=names,
            fix=f"or {own}" if suffix else own,
        )
    return given


# writing


def write_whole(path: Path, data: bytes, *, overwrite: bool = False) -> None:
    """Write a file whole or not at all: beside its place first, then moved there in one step.

    Raises:
        CaptureError: The file exists and may not be replaced, or cannot be written.
    """
    if sys.platform == "win32" and ":" in path.name:  # it would become a hidden part of another file
        raise CaptureError(path, "name", "holds a colon, which Windows refuses", "choose another name")
    name = ""
    try:
        if path.exists() and not overwrite:
            raise FileExistsError
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as stream:
            name = stream.name
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)  # a temporary file is private, a result is not
        if overwrite:
            Path(name).replace(path)
        else:
            _move_where_nothing_is(Path(name), path)
    except FileExistsError as error:
        raise CaptureError(
            path, "file", "exists already", "choose another name or allow overwriting"
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CaptureError(path, "file", f"cannot be written: {reason}", "check folder and rights") from error
    finally:
        if name:
            Path(name).unlink(missing_ok=True)


def _move_where_nothing_is(source: Path, target: Path) -> None:
    """Give a file its name in one step that fails if somebody was quicker."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: claim the name first, then move onto it
        target.open("xb").close()
        source.replace(target)
