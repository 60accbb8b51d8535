"""What a surgeon does to the muscles that an amputation cuts: one row for each muscle, as data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from softstride.errors import ModelError
from softstride.fields import (
    Choice,
    Either,
    Frozen,
    Limits,
    Names,
    Number,
    Numbers,
    Rule,
    Text,
    checked,
    declared,
)

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
    name: Number(Limits(least=least, most=most))
    for name, (least, most) in {
        "front": (0.001, 0.2), "side": (0.001, 0.2), "depth": (0.001, 0.2), "height": (0.001, 0.9),
        "forward": (-0.2, 0.2), "outward": (-0.2, 0.2),
    }.items()
}  # fmt: skip
"""Sizes of the bone end, and what they may be: `height` over the length of the stump, the others over the bone's."""

KEYS = {
    "do": "deed", "to": "to", "with": "partners", "strength": "strength", "fibre": "fibre", "origin": "origin",
    "why": "why",
}  # fmt: skip
"""Keys of a row in a file, and the fields that they are."""

STRENGTH = Number(Limits(least=0.0, most=STRONGEST))
FIBRE = Either((Number(Limits(least=FIBRES[0], most=FIBRES[1])), Choice(("kept",))))
RULES: dict[str, Rule] = {
    "do": Choice(DEEDS),
    "to": Either((Numbers((3,), words="three coordinates"), Choice(PLACES))),
    "with": Names("muscles"),
    "strength": STRENGTH,
    "fibre": FIBRE,
    "origin": Either((Number(Limits(least=0.05, most=0.95)),), none=True),
    "why": Text("words", empty=True),
}
"""What each may be."""


@dataclass(frozen=True)
class Treatment:
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
        """Check the fields; refusals name them as rows do."""
        for key, rule in RULES.items():
            value = checked(rule, getattr(self, KEYS[key]), key, raising=ModelError)
            object.__setattr__(self, KEYS[key], value)
        if self.strength == 0.0:
            raise ModelError(
                "strength must be above zero, however it is 0: do = 'remove' leaves a muscle out.",
                parameter="strength",
            )

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
class Surgery(Frozen, of="a surgery", raising=ModelError):
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

    name: str = declared()
    level: str = declared("any", rule=Choice(LEVELS))
    front: float = declared(0.04, rule=SIZES["front"])
    side: float = declared(0.04, rule=SIZES["side"])
    depth: float = declared(0.04, rule=SIZES["depth"])
    height: float = declared(0.1, rule=SIZES["height"])
    forward: float = declared(0.0, rule=SIZES["forward"])
    outward: float = declared(0.0, rule=SIZES["outward"])
    least_tendon: float = declared(0.1, least=0.001, most=0.9)
    strength: float = declared(1.0, rule=STRENGTH)
    fibre: float | str = declared(1.0, rule=FIBRE)
    others: Treatment = declared(Treatment())
    muscles: Mapping[str, Treatment] = declared({}, of="muscles")
    source: str = declared("", rule=Text(empty=True))

    @property
    def plain(self) -> Treatment:
        """What a row says that says nothing but what to do."""
        return Treatment(strength=self.strength, fibre=self.fibre)
