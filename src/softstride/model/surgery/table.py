"""What a surgeon does to the muscles that an amputation cuts: one row for each muscle, as data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from softstride.errors import ModelError
from softstride.frozen import Table
from softstride.model import checks
from softstride.model.checks import Frozen

DEEDS = ("secure", "join", "remove", "keep")
"""What can be done to a muscle: fixed to the bone, sewn to others, left out, or left as it is."""

PLACES = ("front", "back", "medial", "lateral", "end", "own")
"""Where on the bone end a muscle can be fixed; "own" is the side on which it came down."""

LEVELS = ("transtibial", "transfemoral", "any")

STRONGEST = 2.0
"""Largest share of the former strength that a table may give."""

FIBRES = (0.5, 1.5)
"""Shortest and longest fibre that a table may ask for, in optimal lengths."""

SIZES = {
    "front": (0.001, 0.2), "side": (0.001, 0.2), "depth": (0.001, 0.2), "height": (0.001, 0.9), "forward": (-0.2, 0.2),
    "outward": (-0.2, 0.2),
}  # fmt: skip
"""Smallest and largest sizes of the bone end: `height` over the length of the stump, the others over the bone's."""

KEYS = {
    "do": "deed", "to": "to", "with": "partners", "strength": "strength", "fibre": "fibre", "origin": "origin",
    "why": "why",
}  # fmt: skip
"""Keys of a row in a file, and the fields that they are."""


@dataclass(frozen=True)
class Treatment(Frozen):
    """What is done to one muscle.

    Attributes:
        deed: One of `DEEDS`.
        to: Where "secure" fixes it: one of `PLACES`, or coordinates (forward, up, outward) from the middle of the bone
            end; forward and outward (to the lateral side) in radii of the bone, up in lengths of the stump.
        partners: Muscles that "join" sews it to. A muscle that is only named as a partner of others needs none.
        strength: Its maximal force over that before.
        fibre: Length of its fibres in optimal lengths, in the pose in which the surgeon sets the tension, or "kept":
            as long there as before.
        origin: Where its origin is put if the cut takes the point away at which the model has it, as a share of the
            stump's length above the cut; None: the muscle is then left out.
        why: Reason, for the note.
    """

    deed: str = "remove"
    to: str | tuple[float, float, float] = "own"
    partners: tuple[str, ...] = ()
    strength: float = 1.0
    fibre: float | str = 1.0
    origin: float | None = None
    why: str = ""

    def __post_init__(self) -> None:
        """Check the fields."""
        if self.deed not in DEEDS:
            raise ModelError(f"do must be one of {', '.join(DEEDS)}, however it is {self.deed!r}.")
        if isinstance(self.to, str):
            if self.to not in PLACES:
                raise ModelError(
                    f"to must be one of {', '.join(PLACES)}, or three coordinates, however it is {self.to!r}."
                )
        else:
            self._set(to=tuple(checks.array(self.to, (3,), "to").tolist()))
        if isinstance(self.partners, str) or not all(isinstance(name, str) for name in self.partners):
            raise ModelError(f"with must be a list of names of muscles, however it is {self.partners!r}.")
        self._set(partners=tuple(self.partners), strength=_between(self.strength, "strength", 0.0, STRONGEST))
        if self.strength == 0.0:
            raise ModelError(
                "strength must be above zero, however it is 0: do = 'remove' leaves a muscle out."
            )
        if self.fibre != "kept":
            if isinstance(self.fibre, str):
                raise ModelError(f"fibre must be a number or 'kept', however it is {self.fibre!r}.")
            self._set(fibre=_between(self.fibre, "fibre", *FIBRES))
        if self.origin is not None:
            self._set(origin=_between(self.origin, "origin", 0.05, 0.95))
        if not isinstance(self.why, str):
            raise ModelError(f"why must be words, however it is {self.why!r}.")

    def changed(self, row: Mapping[str, Any]) -> Treatment:
        """Return the treatment with what a row says; `to` alone means "secure", `with` alone means "join"."""
        if not isinstance(row, Mapping):
            raise ModelError(f"a row is a table of {', '.join(KEYS)}, however it is {row!r}.")
        unknown = [key for key in row if key not in KEYS]
        if unknown:
            raise ModelError(f"unknown key {unknown[0]!r}; known: {', '.join(KEYS)}.")
        given = {KEYS[key]: value for key, value in row.items()}
        if "deed" not in given and "partners" in given:
            given["deed"] = "join"
        elif "deed" not in given and "to" in given:
            given["deed"] = "secure"
        if given.get("deed") == "keep" and self.deed != "keep":
            given = {"strength": 1.0} | given
        return dataclasses.replace(self, **given)


@dataclass(frozen=True)
class Surgery(Frozen):
    """How an amputation treats the muscles that it cuts.

    Attributes:
        name: "myodesis", "myoplasty", ... or any other.
        level: "transtibial", "transfemoral" or "any": which cuts it is for.
        front: Half the thickness of the bone end from front to back, over the length of the whole bone.
        side: Half its width from side to side, likewise.
        depth: How far below the bone end a muscle that is brought over it passes, likewise.
        height: How far above the bone end a muscle that was brought over it is fixed, over the length of the stump.
        forward: How far in front of the line between the joints the middle of the bone end is, over the length of the
            whole bone.
        outward: How far to the lateral side of that line it is, likewise.
        least_tendon: Shortest tendon over the length of the new path: where less would be left, fibres are shortened.
        strength: Of the muscles whose row does not say it, see `Treatment`.
        fibre: Likewise.
        others: What is done to muscles that have no row.
        muscles: Rows by name of the muscle.
        source: Where it is from.
    """

    name: str
    level: str = "any"
    front: float = 0.04
    side: float = 0.04
    depth: float = 0.04
    height: float = 0.1
    forward: float = 0.0
    outward: float = 0.0
    least_tendon: float = 0.1
    strength: float = 1.0
    fibre: float | str = 1.0
    others: Treatment = field(default_factory=Treatment)
    muscles: Mapping[str, Treatment] = field(default_factory=Table)
    source: str = ""

    def __post_init__(self) -> None:
        """Check the fields."""
        checks.text(self.name, "name of a surgery")
        if self.level not in LEVELS:
            raise ModelError(f"level must be one of {', '.join(LEVELS)}, however it is {self.level!r}.")
        for name, (least, most) in SIZES.items():
            self._set(**{name: _between(getattr(self, name), name, least, most)})
        self._set(least_tendon=_between(self.least_tendon, "least_tendon", 0.001, 0.9))
        plain = Treatment(strength=self.strength, fibre=self.fibre)
        self._set(strength=plain.strength, fibre=plain.fibre, muscles=Table(self.muscles))

    @property
    def plain(self) -> Treatment:
        """What a row says that says nothing but what to do."""
        return Treatment(strength=self.strength, fibre=self.fibre)

    def changed(self, **changes: Any) -> Surgery:
        """Return a surgery with some fields changed; an unknown field is an error that lists the known ones."""
        known = [each.name for each in dataclasses.fields(self)]
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise ModelError(f"{unknown[0]!r} is no field of a surgery; known: {', '.join(known)}.")
        return dataclasses.replace(self, **changes)


def _between(value: object, what: str, low: float, high: float) -> float:
    number = checks.number(value, what)
    if not low <= number <= high:
        raise ModelError(f"{what} must be from {low:g} to {high:g}, however it is {number:g}.")
    return number
