"""`operate`: what becomes of the muscles of a leg that is cut."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from softstride.errors import ModelError
from softstride.model.checks import FloatArray
from softstride.model.cut import Cut
from softstride.model.muscle import Muscle
from softstride.model.path import AnyPathPoint, Path, PathPoint
from softstride.model.path_places import PathPlaces, posed
from softstride.model.surgery.bone_end import BoneEnd
from softstride.model.surgery.names import plain_name
from softstride.model.surgery.rows import Rows, matched
from softstride.model.surgery.severed import Gone, Severed, reversed_path, severed
from softstride.model.surgery.suture import allotted, in_series
from softstride.model.surgery.table import Surgery
from softstride.model.surgery.tension import fibre_share, tensioned
from softstride.notes import Note

WHERE = {
    "front": "at its front",
    "back": "at its back",
    "end": "in its middle",
    "medial": "on its medial side",
    "lateral": "on its lateral side",
    "own": "on the muscle's own side",
}

SAME = 1e-6
"""Points of a path that are nearer than this are one [m]."""


@dataclass(frozen=True, eq=False)
class Operated:
    """The muscles after the operation, and a note on each that changed.

    Attributes:
        muscles: By name, in the order of the model; a pair stands where its first muscle stood.
        notes: One for each muscle that was cut, weakened or removed.
    """

    muscles: dict[str, Muscle]
    notes: tuple[Note, ...]


def operate(
    cut: Cut,
    surgery: Surgery,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    pose: Mapping[str, float] | None = None,
) -> Operated:
    """Return the muscles of a model whose leg is cut, treated as a table says.

    Args:
        cut: The cut.
        surgery: The table.
        changes: What differs from it, by muscle, as rows of such a table.
        pose: Values of coordinates in which tension is set; the others are at their defaults.

    Raises:
        ModelError: A table that does not fit the cut or the model.
    """
    if surgery.level not in ("any", cut.bone.level):
        raise ModelError(
            f"surgery {surgery.name!r} is for {surgery.level} amputations, however this one is {cut.bone.level}."
        )
    return _Operation(cut, surgery, matched(cut, surgery, changes or {}), pose).done()


class _Operation:
    def __init__(self, cut: Cut, surgery: Surgery, rows: Rows, pose: Mapping[str, float] | None) -> None:
        self.cut, self.surgery, self.rows = cut, surgery, rows
        self.end = BoneEnd.of(cut, surgery)
        self.places = PathPlaces(posed(cut.model, pose)) if pose else cut.places
        self.pose = "the pose given" if pose else "the default pose"
        self.made: dict[str, list[Muscle]] = {}
        self.told: dict[str, Note] = {}

    def done(self) -> Operated:
        model, rows = self.cut.model, self.rows
        parts: dict[str, Severed] = {}
        for name, treatment in rows.severed.items():
            left = severed(self.cut, self.end, model.muscles[name], treatment)
            if treatment.deed == "remove" and left is not Gone.BELOW:
                self.leave_out(name, "is cut", treatment.why)
            elif isinstance(left, Gone):
                self.leave_out(name, left.value)
            else:
                parts[name] = left
        for name, part in parts.items():
            if part.treatment.deed == "secure":
                self.secure(name, part)
        self.join({name: part for name, part in parts.items() if part.treatment.deed == "join"})
        for name in rows.removed:
            self.leave_out(name, "is not cut")
        for name, strength in rows.weakened.items():
            muscle = model.muscles[name]
            self.made[name] = [replace(muscle, max_force=strength * muscle.max_force)]
            words = f"is not cut and stays, strength {100.0 * strength:.0f} %"
            self.tell("surgery.weakened", name, words, values={"strength_percent": 100.0 * strength})
        muscles: dict[str, Muscle] = {}
        for name, muscle in model.muscles.items():
            for made in self.made.get(name, [muscle]):
                muscles[made.name] = made
        return Operated(muscles, tuple(self.told[name] for name in model.muscles if name in self.told))

    def tell(self, code: str, name: str, words: str, *others: str, **facts: Any) -> None:
        """Note what became of a muscle; `others` are the muscles that it has to do with now."""
        self.told[name] = Note(code, f"muscle {name!r} {words}", names=(name, *others), **facts)

    def leave_out(self, name: str, reason: str, why: str = "") -> None:
        self.made[name] = []
        self.tell("surgery.left-out", name, f"{reason} and is left out{f' ({why})' if why else ''}")

    def secure(self, name: str, part: Severed) -> None:
        """Fix a muscle to the bone."""
        treatment, end = part.treatment, self.end
        place, between = end.insertion(treatment.to, part.turn)
        points = self.joined(name, part.points, [part.turn, *between, place])
        muscle = replace(part.muscle, max_force=treatment.strength * part.muscle.max_force)
        path = Path(points, part.wraps)
        new, words = self.tensioned(muscle, path, [part])
        self.made[name] = [new]
        where = WHERE[treatment.to] if isinstance(treatment.to, str) else "at the place given"
        how = "brought over the bone end and secured" if between else "secured to the bone end,"
        told = "".join(f"; {word}" for word in part.told)
        strength = 100.0 * treatment.strength
        self.tell(
            "surgery.secured",
            name,
            f"is cut, {how} {where}: strength {strength:.0f} %, {words} in {self.pose}{told}",
            values={"strength_percent": strength, "tendon_m": new.tendon_length},
        )

    def join(self, parts: dict[str, Severed]) -> None:
        """Sew muscles together over the bone end, one new muscle for each pair."""
        pairs: list[tuple[str, str]] = []
        for name, part in parts.items():
            for word in part.treatment.partners:
                for other in self.rows.named(word):
                    if (
                        other in parts
                        and other != name
                        and (other, name) not in pairs
                        and (name, other) not in pairs
                    ):
                        pairs.append((name, other))
        self.check_partners(parts)
        strength = {name: self.pull(part) for name, part in parts.items()}
        forces = allotted(pairs, strength)
        sewn: dict[str, list[str]] = {name: [] for name in parts}
        for a, b in pairs:
            sewn[a].append(self.sew(parts[a], parts[b], forces[a, b]))
            sewn[b].append(f"to {a!r}")
        for name, part in parts.items():
            if sewn[name]:
                told = "".join(f"; {word}" for word in part.told)
                others = [b if a == name else a for a, b in pairs if name in (a, b)]
                words = f"is cut and sewn over the bone end {' and '.join(sewn[name])}{told}"
                self.tell("surgery.sewn", name, words, *others)
            else:
                wanted = ", ".join(map(repr, part.treatment.partners)) or "muscles that name it"
                self.leave_out(name, f"is cut, was to be sewn to {wanted}, of which none is there,")

    def check_partners(self, parts: dict[str, Severed]) -> None:
        """Refuse a muscle that is to be sewn to one whose own row says something else."""
        for name, part in parts.items():
            for word in part.treatment.partners:
                for other in self.rows.named(word):
                    deed = self.rows.severed[other].deed if other in self.rows.severed else "join"
                    if deed != "join":
                        raise ModelError(
                            f"surgery {self.surgery.name!r}: {name!r} is to be sewn to {other!r}, however the row of "
                            f"{other!r} says {deed!r}: let it be do = 'join'."
                        )

    @staticmethod
    def pull(part: Severed) -> float:
        """Return the maximal force of a muscle along its tendon, weakened [N]."""
        return part.treatment.strength * part.muscle.max_force * math.cos(part.muscle.pennation)

    def sew(self, a: Severed, b: Severed, force: float) -> str:
        """Make a muscle of two, and tell how it is made."""
        first, second = a.muscle.name, b.muscle.name
        name = self.pair_name(first, second)
        way = [a.turn, *self.end.over(a.turn, b.turn), b.turn]
        start = self.joined(name, a.points, way)
        tail, wraps = reversed_path(b, len(start) - 1)
        pair = in_series(name, a.muscle, b.muscle, force, Path((*start, *tail), (*a.wraps, *wraps)))
        new, words = self.tensioned(pair, pair.path, [a, b])
        self.made.setdefault(first, []).append(new)
        self.made.setdefault(second, [])
        return f"to {second!r} ({name!r}, one tension of at most {force:.0f} N, {words} in {self.pose})"

    def tensioned(self, muscle: Muscle, path: Path, parts: list[Severed]) -> tuple[Muscle, str]:
        """Return a muscle on its new path with the tension that its row asks for; a pair has the mean of both."""
        weight = [part.muscle.fibre_length for part in parts]
        share = sum(w * self.share(part) for w, part in zip(weight, parts, strict=True)) / sum(weight)
        return tensioned(muscle, path, self.places.length(path), share, self.surgery.least_tendon)

    def share(self, part: Severed) -> float:
        """Return the wanted length of fibres in optimal lengths."""
        fibre = part.treatment.fibre
        if isinstance(fibre, str):
            return fibre_share(part.muscle, self.places.length(part.muscle.path))
        return fibre

    def joined(
        self, name: str, points: tuple[AnyPathPoint, ...], way: list[FloatArray]
    ) -> tuple[AnyPathPoint, ...]:
        """Return the points of a path that goes on over places on the stump; two that coincide are one."""
        apart = [way[0], *(b for a, b in pairwise(way) if np.linalg.norm(b - a) > SAME)]
        new = [
            PathPoint(self.cut.bone.link, self.end.on_link(place), f"{name}-stump{i}")
            for i, place in enumerate(apart, start=1)
        ]
        return (*points, *new)

    def pair_name(self, first: str, second: str) -> str:
        """Return a name for two muscles as one: gasmed_r and tibant_r become gasmed_tibant_r."""
        letter = self.cut.letter
        a, b = plain_name(first, letter) or first, plain_name(second, letter) or second
        name = f"{a}_{second}" if first.startswith(a) else f"{first}_{b}"
        taken = {*self.cut.model.muscles, *(m.name for made in self.made.values() for m in made)}
        while name in taken:
            name += "_sewn"
        return name
