"""Remarks: doubts that reading left in the notes, which the user should not overlook."""

from softstride.capture.plates.doubts import FeetDoubt, doubts_in
from softstride.capture.quality.finding import Finding
from softstride.capture.recording import Recording


def check_notes(recording: Recording) -> list[Finding]:
    """Find notes that leave a question open: which foot was on a plate."""
    return [_finding(doubt) for doubt in doubts_in(recording.notes)]


def _finding(doubt: FeetDoubt) -> Finding:
    many = f", {doubt.count} contacts" if doubt.count > 1 else ""
    start, stop = (None, None) if doubt.span is None else (round(instant, 2) for instant in doubt.span)
    return Finding("warning", "feet", doubt.force, doubt.reason + many, start, stop)
