"""Definitions of segments and joints, read from one table of recipes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from softstride.errors import InputError
from softstride.files import packaged_text, parse_toml
from softstride.frozen import Table
from softstride.naming import Side
from softstride.segments.jcs import Sequence
from softstride.segments.recipes import Recipe, parse

MIDDLE = ("pelvis", "trunk", "head")
"""Segments that there is one of."""

PARTS = ("proximal", "distal", "forward", "across")


@dataclass(frozen=True)
class InertiaEnds:
    """What a table of inertia scales a segment by.

    Attributes:
        row: Of the table.
        start: Recipes of the point that its centre of mass is told from, best first.
        end: Recipes of the other end.
    """

    row: str
    start: tuple[Recipe, ...]
    end: tuple[Recipe, ...]


@dataclass(frozen=True)
class SegmentDefinition:
    """How a segment is built; for the right side, or for the middle of the body.

    Attributes:
        kind: "foot", "thigh", ...
        parent: Kind of the segment that it hangs on; None for a root.
        joint: Joint at its proximal end.
        proximal: Recipes of that end, best first.
        distal: Recipes of the other end.
        forward: Recipes of u.
        across: Recipes of w.
        rises: Whether v = P - D points up the body.
        anchors: Landmarks that move with it.
        inertia: What tables of inertia scale it by, by the name of the table.
    """

    kind: str
    parent: str | None
    joint: str
    proximal: tuple[Recipe, ...]
    distal: tuple[Recipe, ...]
    forward: tuple[Recipe, ...]
    across: tuple[Recipe, ...]
    rises: bool
    anchors: tuple[str, ...]
    inertia: Mapping[str, InertiaEnds]

    @property
    def sided(self) -> bool:
        """Whether there is one on each side."""
        return self.kind not in MIDDLE

    def recipes(self, part: str) -> tuple[Recipe, ...]:
        """Return the recipes of "proximal", "distal", "forward" or "across"."""
        found: tuple[Recipe, ...] = getattr(self, part)
        return found


@dataclass(frozen=True)
class JointDefinition:
    """A joint.

    Attributes:
        name: "hip", ...
        sequence: Of its joint coordinate system.
        positive: Words for positive angles, and for moments on the distal segment, about the three axes.
    """

    name: str
    sequence: Sequence
    positive: tuple[str, str, str]


@dataclass(frozen=True)
class Definitions:
    """All of them.

    Attributes:
        segments: By kind, children before their parents.
        joints: By name.
        centres: Recipes of joint centres that follow from landmarks alone, by name; there is one on each side.
        middle: Recipes of points in the middle of the body that do.
    """

    segments: Mapping[str, SegmentDefinition]
    joints: Mapping[str, JointDefinition]
    centres: Mapping[str, tuple[Recipe, ...]]
    middle: Mapping[str, tuple[Recipe, ...]]

    def names(self) -> tuple[str, ...]:
        """Return the names of all segments of a body, such as "right thigh"."""
        return tuple(
            f"{side} {kind}" if side else kind
            for kind, each in self.segments.items()
            for side in (("right", "left") if each.sided else ("",))
        )

    def segment(self, name: str) -> tuple[SegmentDefinition, Side | None]:
        """Return the definition and the side of a segment by its name.

        Raises:
            InputError: There is none.
        """
        word, _, rest = name.partition(" ")
        side: Side | None = "right" if word == "right" else "left" if word == "left" else None
        kind = rest if side else name
        if kind not in self.segments or self.segments[kind].sided != (side is not None):
            raise InputError(f"no segment {name!r}; there are: {', '.join(self.names())}")
        return self.segments[kind], side

    def landmarks(self) -> tuple[str, ...]:
        """Return the names of all landmarks that something is made of, without sides, in the order of the table."""
        points = [*self.centres.items(), *self.middle.items()]
        recipes = [recipe for _, several in points for recipe in several]
        names = [name for name, _ in points]
        for each in self.segments.values():
            recipes += [recipe for part in PARTS for recipe in each.recipes(part)]
            recipes += [recipe for ends in each.inertia.values() for recipe in (*ends.start, *ends.end)]
            names += each.anchors
        names += [name for recipe in recipes for name in recipe.landmarks()]
        return tuple(dict.fromkeys(name.removeprefix("right ").removeprefix("left ") for name in names))

    def parent_of(self, name: str) -> str | None:
        """Return the name of the segment that a segment hangs on; None for a root."""
        each, side = self.segment(name)
        if each.parent is None:
            return None
        return f"{side} {each.parent}" if self.segments[each.parent].sided and side else each.parent


@cache
def definitions() -> Definitions:
    """Return the packaged definitions."""
    content = parse_toml(packaged_text(__package__, "data", "segments.toml"))
    segments = {kind: _segment(kind, each, content["inertia"]) for kind, each in content["segments"].items()}
    joints = {
        name: JointDefinition(name, each["sequence"], tuple(each["positive"]))
        for name, each in content["joints"].items()
    }
    centres, middle = (
        Table({name: _recipes(recipes) for name, recipes in content[part].items()})
        for part in ("centres", "middle")
    )
    return Definitions(Table(segments), Table(joints), centres, middle)


def _segment(kind: str, each: Mapping[str, Any], tables: Mapping[str, Any]) -> SegmentDefinition:
    ends = {
        table: InertiaEnds(rows[kind]["row"], _recipes(rows[kind]["from"]), _recipes(rows[kind]["to"]))
        for table, rows in tables.items()
        if kind in rows
    }
    return SegmentDefinition(
        kind,
        each.get("parent"),
        each["joint"],
        proximal=_recipes(each["proximal"]),
        distal=_recipes(each["distal"]),
        forward=_recipes(each["forward"]),
        across=_recipes(each["across"]),
        rises=each.get("rises", True),
        anchors=tuple(each["anchors"]),
        inertia=Table(ends),
    )


def _recipes(given: str | list[str]) -> tuple[Recipe, ...]:
    return tuple(map(parse, [given] if isinstance(given, str) else given))
