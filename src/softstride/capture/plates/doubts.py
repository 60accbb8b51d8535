"""What `assign_feet` has to say: contacts that belong to no foot (`FeetDoubt`), and what else it did (`FeetNote`).

A recording keeps notes as text. A doubt is written there as "feet: plate 2: 1.90 s to 2.78 s: the right foot ...", and
`FeetDoubt.from_note` reads it back; both are in this module so that they stay together.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

PREFIX = "feet: "

_TIME = r"-?(?:\d+\.\d+|inf|nan)"
_NOTE = re.compile(
    rf"{PREFIX}(?P<force>.*?): (?:(?P<count>\d+) contacts from )?"
    rf"(?P<start>{_TIME}) s to (?P<stop>{_TIME}) s: (?P<reason>.+)",
    re.DOTALL,
)
_AMOUNT = re.compile(r"\d+(?:\.\d+)?(?= (?:s\b|cm\b|%))")  # a number that differs from contact to contact


@dataclass(frozen=True)
class FeetDoubt:
    """Contacts of one force that are given to no foot, or to another one than the markers show.

    Attributes:
        force: Name of the force.
        start: Begin of the first contact, in [s].
        stop: End of the last one, in [s].
        reason: Why; the rest of the sentence.
        count: How many contacts there are.
    """

    force: str
    start: float
    stop: float
    reason: str
    count: int = 1

    def __str__(self) -> str:
        many = f"{self.count} contacts from " if self.count > 1 else ""
        return f"{self.force}: {many}{self.start:.2f} s to {self.stop:.2f} s: {self.reason}"

    @classmethod
    def from_note(cls, note: str) -> Self | None:
        """Return the doubt that a note of a recording holds, None where it holds none."""
        match = _NOTE.fullmatch(note)
        if match is None:
            return None
        count = int(match["count"]) if match["count"] else 1
        return cls(match["force"], float(match["start"]), float(match["stop"]), match["reason"], count)

    @property
    def span(self) -> tuple[float, float] | tuple[None, None]:
        """Start and stop, None where the clock of the force gives no number."""
        if math.isfinite(self.start) and math.isfinite(self.stop):
            return self.start, self.stop
        return None, None


@dataclass(frozen=True)
class FeetNote:
    """What else was done with a force: split by side, rid of loads that are no step. It leaves no question open."""

    force: str
    text: str

    def __str__(self) -> str:
        return f"{self.force}: {self.text}"


def gathered(doubts: Iterable[FeetDoubt]) -> tuple[FeetDoubt, ...]:
    """Return one doubt for all contacts of a force that are doubtful for the same reason.

    Reasons are the same if they differ in amounts only; these become ranges ("for 0.12 to 0.35 s").
    """
    groups: dict[tuple[str, str], list[FeetDoubt]] = {}
    for doubt in doubts:
        groups.setdefault((doubt.force, _AMOUNT.sub("#", doubt.reason)), []).append(doubt)
    return tuple(
        replace(
            group[0],
            start=min(doubt.start for doubt in group),
            stop=max(doubt.stop for doubt in group),
            reason=_joined([doubt.reason for doubt in group]),
            count=sum(doubt.count for doubt in group),
        )
        for group in groups.values()
    )


def _joined(reasons: list[str]) -> str:
    amounts = zip(*(_AMOUNT.findall(reason) for reason in reasons), strict=True)
    ranges = [sorted(set(values), key=float) for values in amounts]
    texts = iter(values[0] if len(values) == 1 else f"{values[0]} to {values[-1]}" for values in ranges)
    return _AMOUNT.sub(lambda _: next(texts), reasons[0])
