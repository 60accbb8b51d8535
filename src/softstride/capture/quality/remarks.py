"""Remarks: doubts that reading left in the notes, which the user should not overlook."""

import re

from softstride.capture.quality.finding import Finding
from softstride.capture.recording import Recording

# "plate 2: 1.90 s to 2.78 s the right foot reaches 16 cm over the edge": a contact that was given to no foot
CONTACT = re.compile(
    r"(?:feet: )?(?P<subject>[^:]+): (?P<start>-?\d+\.\d+) s to (?P<stop>-?\d+\.\d+) s (?P<doubt>.+)"
)
SETTLED = "split by side"


def is_doubt(note: str) -> bool:
    """Whether a note leaves open which foot was on a plate."""
    return CONTACT.fullmatch(note) is not None and SETTLED not in note


def check_notes(recording: Recording) -> list[Finding]:
    """Find notes that leave a question open: which foot was on a plate."""
    findings = []
    for note in filter(is_doubt, recording.notes):
        match = CONTACT.fullmatch(note)
        if match is not None:
            start, stop = float(match["start"]), float(match["stop"])
            findings.append(Finding("warning", "feet", match["subject"], match["doubt"], start, stop))
    return findings
