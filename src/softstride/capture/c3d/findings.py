"""What was noticed while reading one file: notes on its lies, and the errors that name it."""

from __future__ import annotations

from softstride.errors import CaptureError

MOST_NOTES = 100  # a damaged file can be wrong in thousands of places; nobody reads more than these


class Findings:
    """Notes about one file, in the order in which they were found, each once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._notes: dict[str, None] = {}
        self._unlisted = 0

    def note(self, line: str) -> None:
        """Keep one line that the user should see."""
        if line in self._notes:
            return
        if len(self._notes) < MOST_NOTES:
            self._notes[line] = None
        else:
            self._unlisted += 1

    def error(self, field: str, problem: str, fix: str) -> CaptureError:
        """Return the error to raise about a field of this file."""
        return CaptureError(self.path, field, problem, fix)

    def notes(self) -> tuple[str, ...]:
        """Return all lines, the last one counting those beyond the limit."""
        more = (f"and {self._unlisted} more notes of this kind",) if self._unlisted else ()
        return (*self._notes, *more)
