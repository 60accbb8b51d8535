"""What was noticed while reading one file: notes on its lies, and the errors that name it."""

from __future__ import annotations

from typing import Any

from softstride.errors import CaptureError
from softstride.notes import Note, Severity

MOST_NOTES = 100  # a damaged file can be wrong in thousands of places; nobody reads more than these


class Findings:
    """Notes about one file, in the order in which they were found, each once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._notes: dict[Note, None] = {}
        self._unlisted = 0

    def note(self, what: str, line: str, *names: str, severity: Severity = "info", **values: float) -> None:
        """Keep one line that the user should see: what it is, its sentence, parameters and numbers in it."""
        note = Note(f"c3d.{what}", line, severity, "c3d", names=names, values=values)
        if note in self._notes:
            return
        if len(self._notes) < MOST_NOTES:
            self._notes[note] = None
        else:
            self._unlisted += 1

    def error(self, field: str, problem: str, fix: str, **facts: Any) -> CaptureError:
        """Return the error to raise about a field of this file."""
        return CaptureError(self.path, field, problem, fix, **facts)

    def notes(self) -> tuple[Note, ...]:
        """Return all notes, the last one counting those beyond the limit."""
        if not self._unlisted:
            return tuple(self._notes)
        said = f"and {self._unlisted} more notes of this kind"
        return (*self._notes, Note("c3d.more", said, topic="c3d", values={"notes": self._unlisted}))
