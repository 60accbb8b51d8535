"""Remarks: doubts that reading left in the notes, which the user should not overlook."""

from softstride.capture.plates.doubts import FeetDoubt
from softstride.capture.quality.finding import Finding
from softstride.capture.recording import Recording


def is_doubt(note: str) -> bool:
    """Whether a note leaves open which foot was on a plate."""
    return FeetDoubt.from_note(note) is not None


def check_notes(recording: Recording) -> list[Finding]:
    """Find notes that leave a question open: which foot was on a plate."""
    doubts = (FeetDoubt.from_note(note) for note in recording.notes)
    return [_finding(doubt) for doubt in doubts if doubt is not None]


def _finding(doubt: FeetDoubt) -> Finding:
    many = f", {doubt.count} contacts" if doubt.count > 1 else ""
    return Finding("warning", "feet", doubt.force, doubt.reason + many, *doubt.span)
