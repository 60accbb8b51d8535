"""Contacts that belong to no foot, or to another one than was given: who, when and why, and the notes that say so.

A recording keeps notes. A doubt is among them as "feet: plate 2: 1.90 s to 2.78 s: the right foot ...", and the fields
of that note hold all of it, so that `FeetDoubt.of` gets it back.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from softstride.notes import Note

TOPIC = "feet"


class Wording(NamedTuple):
    """How a reason is said: its sentence, how many names are in it, and which amounts; their units end their names."""

    sentence: str
    names: int = 0
    amounts: tuple[str, ...] = ()


WORDINGS = {
    "point-in-other-frame": Wording("the point is given in the frame of {0}", 1),
    "plate-not-level": Wording("the plate is not on the floor"),
    "foot-without-markers": Wording("markers of heel (or ankle) and toe are missing: {0}", 1),
    "feet-without-markers": Wording("markers of heel (or ankle) and toe are missing: right and left"),
    "seldom-seen": Wording(
        "both feet are seen during {seen_percent} % of the load only", 0, ("seen_percent",)
    ),
    "both-on-plate": Wording("both feet are on the plate for {both_s} s", 0, ("both_s",)),
    "foot-away": Wording(
        "no foot is at the centre of pressure, the {0} one is {away_cm} cm away", 1, ("away_cm",)
    ),
    "foot-in-the-air": Wording("no foot is at the centre of pressure, the {0} one is in the air", 1),
    "equally-near": Wording("the two feet are equally near, {apart_cm} cm apart", 0, ("apart_cm",)),
    "other-person-near": Wording("a foot of {0} is as near", 1),
    "other-person-on-plate": Wording("a foot of {0} is on the plate too", 1),
    "over-the-edge": Wording(
        "the {0} foot reaches {over_cm} cm over the edge of the plate for {over_s} s",
        1,
        ("over_cm", "over_s"),
    ),
    "several-people": Wording(
        "it is the {0} foot of {1}, but {2} both step on plates, and a side does not say whose foot it is", 3
    ),
    "not-as-given": Wording("the {0} foot is there, not the {1} as given", 2),
}
"""By what the reason is. More names than the sentence has places are told in the last of them."""

DECIMALS = {"s": 2, "cm": 0, "percent": 0}


class Range(NamedTuple):
    """What an amount is at least and at most, of all contacts."""

    least: float
    most: float


@dataclass(frozen=True)
class Reason:
    """Why a contact is doubtful.

    Attributes:
        kind: What it is, one of `WORDINGS`.
        names: Sides, people and frames that it is about.
        amounts: Its amounts in the order of the wording, to the decimals that are told.
        hardly_unloaded: Whether the load never ends and is sometimes close to nothing, as an offset is.
        person: Of whom this is the reason, where it is another one for another person.
    """

    kind: str
    names: tuple[str, ...] = ()
    amounts: tuple[Range, ...] = ()
    hardly_unloaded: bool = False
    person: str = ""

    @classmethod
    def of(cls, kind: str, *names: str, **amounts: float) -> Self:
        """Return a reason of one contact; amounts by their names."""
        told = [round(float(amounts[name]), _decimals(name)) for name in WORDINGS[kind].amounts]
        return cls(kind, names, tuple(Range(x, x) for x in told))

    def __str__(self) -> str:
        wording = WORDINGS[self.kind]
        last = max(wording.names - 1, 0)
        told = {name: _said(name, amount) for name, amount in zip(wording.amounts, self.amounts, strict=True)}
        sentence = wording.sentence.format(*self.names[:last], " and ".join(self.names[last:]), **told)
        return sentence + (
            "; it is hardly ever unloaded, so zeroing may help" if self.hardly_unloaded else ""
        )

    @property
    def apart_from_amounts(self) -> Self:
        """The same reason, whatever its amounts are; an amount that is no number is not the same as one that is."""
        nowhere = tuple(Range(0.0, 0.0) if _known(x) else Range(math.inf, math.inf) for x in self.amounts)
        return replace(self, amounts=nowhere)


def _decimals(name: str) -> int:
    return DECIMALS[name.rpartition("_")[2]]


def _said(name: str, amount: Range) -> str:
    least, most = (f"{value:.{_decimals(name)}f}" for value in amount)
    return least if least == most else f"{least} to {most}"


def _known(amount: Range) -> bool:
    return math.isfinite(amount.least) and math.isfinite(amount.most)


@dataclass(frozen=True)
class FeetDoubt:
    """Contacts of one force that are given to no foot, or to another one than the markers show.

    Attributes:
        force: Name of the force.
        start: Begin of the first contact, in [s].
        stop: End of the last one, in [s].
        reasons: Why; several where it is another one for each person.
        count: How many contacts there are.
    """

    force: str
    start: float
    stop: float
    reasons: tuple[Reason, ...]
    count: int = 1

    def __str__(self) -> str:
        many = f"{self.count} contacts from " if self.count > 1 else ""
        return f"{self.force}: {many}{self.start:.2f} s to {self.stop:.2f} s: {self.reason}"

    @property
    def reason(self) -> str:
        """Why, as a sentence."""
        if len(self.reasons) == 1:
            return str(self.reasons[0])
        return "; ".join(f"{each.person}: {each}" for each in self.reasons)

    @property
    def span(self) -> tuple[float, float] | None:
        """Start and stop, None where the clock of the force gives no number."""
        return (self.start, self.stop) if math.isfinite(self.start) and math.isfinite(self.stop) else None

    @property
    def note(self) -> Note:
        """The note of a recording.

        Its code is "feet.both-on-plate" and so on, with "+" between the reasons for several people. Its names begin
        with the force, followed by the names of each reason, behind the person where there are several.
        """
        names, values = [self.force], {"contacts": float(self.count)}
        for each in self.reasons:
            names += [*self._person(each), *each.names]
            values |= dict(_values(each, self._before(each)))
        code = f"{TOPIC}.{'+'.join(each.kind for each in self.reasons)}"
        facts: dict[str, Any] = {"names": names, "span": self.span, "values": values}
        return Note(code, f"{TOPIC}: {self}", severity="warning", topic=TOPIC, **facts)

    @classmethod
    def of(cls, note: Note) -> Self | None:
        """Return the doubt that a note of a recording is, None where it is none."""
        topic, _, code = note.code.partition(".")
        kinds = code.split("+")
        if topic != TOPIC or not set(kinds) <= WORDINGS.keys():
            return None
        force, *names = note.names or ("",)
        reasons: list[Reason] = []
        for kind in kinds:
            person = names.pop(0) if len(kinds) > 1 and names else ""
            own = WORDINGS[kind].names if len(kinds) > 1 else len(names)
            reasons.append(_reason(kind, names[:own], note.values, person, len(kinds) > 1))
            names = names[own:]
        start, stop = note.span or (math.nan, math.nan)
        return cls(force, start, stop, tuple(reasons), int(note.values.get("contacts", 1)))

    def _person(self, reason: Reason) -> tuple[str, ...]:
        return (reason.person,) if len(self.reasons) > 1 else ()

    def _before(self, reason: Reason) -> str:
        return "".join(f"{person}: " for person in self._person(reason))


def _values(reason: Reason, before: str) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a reason by their names in a note: "least_over_cm", "most_over_cm"."""
    for name, amount in zip(WORDINGS[reason.kind].amounts, reason.amounts, strict=True):
        yield f"{before}least_{name}", amount.least
        yield f"{before}most_{name}", amount.most
    if reason.hardly_unloaded:
        yield f"{before}hardly_unloaded", 1.0


def _reason(kind: str, names: list[str], values: Mapping[str, float], person: str, several: bool) -> Reason:
    """Return a reason from the fields of a note; what they lack is blank or NaN."""
    wording, before = WORDINGS[kind], f"{person}: " if several else ""
    padded = (*names, *[""] * (wording.names - len(names)))
    amounts = (
        Range(*(values.get(f"{before}{end}_{name}", math.nan) for end in Range._fields))
        for name in wording.amounts
    )
    hardly_unloaded = bool(values.get(f"{before}hardly_unloaded", 0.0))
    return Reason(kind, padded, tuple(amounts), hardly_unloaded, person)


def doubts_in(notes: Iterable[Note]) -> tuple[FeetDoubt, ...]:
    """Return the doubts among notes, in order."""
    return tuple(doubt for note in notes if (doubt := FeetDoubt.of(note)) is not None)


def gathered(doubts: Iterable[FeetDoubt]) -> tuple[FeetDoubt, ...]:
    """Return one doubt for all contacts of a force that are doubtful for the same reason.

    Reasons are the same if they differ in amounts only; these become ranges ("for 0.12 to 0.35 s").
    """
    groups: dict[tuple[str, tuple[Reason, ...]], list[FeetDoubt]] = {}
    for doubt in doubts:
        groups.setdefault((doubt.force, tuple(r.apart_from_amounts for r in doubt.reasons)), []).append(doubt)
    return tuple(
        replace(
            group[0],
            start=min(doubt.start for doubt in group),
            stop=max(doubt.stop for doubt in group),
            reasons=tuple(_joined(same) for same in zip(*(doubt.reasons for doubt in group), strict=True)),
            count=sum(doubt.count for doubt in group),
        )
        for group in groups.values()
    )


def _joined(same: tuple[Reason, ...]) -> Reason:
    """Return one reason for several that differ in amounts only."""
    amounts = zip(*(reason.amounts for reason in same), strict=True)
    ranges = (Range(min(x.least for x in each), max(x.most for x in each)) for each in amounts)
    return replace(same[0], amounts=tuple(ranges))
