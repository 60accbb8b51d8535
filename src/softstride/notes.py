"""`Note`: what was decided or found on the way, as data and as a sentence.

Results carry a tuple of notes. A program asks for their `code` and their facts; people read the sentence,
``str(note)``. Nothing is ever found out by reading a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from softstride.errors import Option, Spelling, respelt
from softstride.frozen import Table

Severity = Literal["error", "warning", "info"]

SAID = "said"
"""Code of a note of which only the sentence is known: a user's own, or one of a file that keeps no more."""


@dataclass(frozen=True)
class Note:
    """One thing that was decided or found.

    Attributes:
        code: What it is, the same for every note of the kind: "ik.frames-coupled".
        text: The sentence, with names, numbers and units.
        severity: "error": results would be wrong; "warning": look before using it; "info": good to know.
        topic: What it is about: "feet", "gaps", "EMG".
        names: Markers, links, coordinates, muscles, plates that it is about.
        frames: Frames that it is about, where they are few; of many, `span` and a number in `values`.
        span: Where it begins and ends, in [s]; None where it has no place in time.
        values: Numbers that it gives, by name, units at the end of the name: "rms_mm".
        fix: What to do about it; it follows the sentence.
        options: Options that the sentence names.
    """

    code: str
    text: str
    severity: Severity = "info"
    topic: str = ""
    names: tuple[str, ...] = ()
    frames: tuple[int, ...] = ()
    span: tuple[float, float] | None = None
    values: Mapping[str, float] = field(default_factory=Table, hash=False)
    fix: str = ""
    options: tuple[Option, ...] = ()

    def __post_init__(self) -> None:
        """Freeze what was given as lists and mappings."""
        plain: dict[str, Any] = {"names": tuple(self.names), "frames": tuple(int(i) for i in self.frames)}
        plain |= {"values": Table(self.values), "options": tuple(self.options)}
        plain["span"] = None if self.span is None else (float(self.span[0]), float(self.span[1]))
        for name, value in plain.items():
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        return f"{self.text}; {self.fix}" if self.fix else self.text

    def told(self, spelling: Spelling) -> str:
        """Return the sentence with the options that it names spelt in another way."""
        return respelt(str(self), self.options, spelling)


_CONSTANT: dict[str, Note] = {}


def constant(code: str, text: str, **facts: Any) -> Note:
    """Return a note whose sentence never changes: where a file keeps sentences alone it is `recognised` by it."""
    note = Note(code, text, **facts)
    _CONSTANT[str(note)] = note
    return note


def recognised(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return notes, with those that are constant in place of their sentences."""
    return tuple(_CONSTANT.get(str(each), each) if each.code == SAID else each for each in notes)


Said: TypeAlias = Note | str
"""A note, or the sentence of a user."""


class Notes:
    """Collects notes in order, each once.

    >>> notes = Notes()
    >>> notes.add("ik.frames-hidden", "no marker is seen in 3 frames", values={"frames": 3})
    >>> print(*notes)
    no marker is seen in 3 frames
    """

    def __init__(self, *parts: Iterable[Note]) -> None:
        self._notes: dict[Note, None] = {}
        for part in parts:
            self.extend(part)

    def add(self, code: str, text: str, **facts: Any) -> None:
        """Add one note; `facts` are the other fields of `Note`."""
        self._notes[Note(code, text, **facts)] = None

    def extend(self, notes: Iterable[Note]) -> None:
        """Add notes that others made."""
        self._notes.update(dict.fromkeys(notes))

    def __iter__(self) -> Iterator[Note]:
        return iter(self._notes)

    def __len__(self) -> int:
        return len(self._notes)


def as_notes(given: Iterable[Said]) -> tuple[Note, ...]:
    """Return what a result keeps: notes as they are, sentences of users and of older files as notes."""
    return tuple(each if isinstance(each, Note) else Note(SAID, str(each)) for each in given)


def united(*parts: Iterable[Note]) -> tuple[Note, ...]:
    """Return the notes of several parts in order, each once."""
    return tuple(Notes(*parts))


def sentences(notes: Iterable[Note]) -> tuple[str, ...]:
    """Return notes as people read them, each sentence once."""
    return tuple(dict.fromkeys(map(str, notes)))


def codes(notes: Iterable[Note]) -> tuple[str, ...]:
    """Return what the notes are, in order."""
    return tuple(note.code for note in notes)
