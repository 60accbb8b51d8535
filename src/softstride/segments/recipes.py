"""Points and directions of the body in words: how segments are built from landmarks, as text that a table can hold.

    point      LFE                        a landmark of the segment's own side, or one in the middle
               right ASIS                 a landmark of that side
               mid(LFE, MFE)              the mean of two or more points
               along(HJC, KJC, 0.433)     from the first towards the second, by this share
    direction  CAL -> mid(M1, M5)         from one point to another
               normal(HJC, LFE, MFE)      perpendicular to a plane, (B - A) x (C - A)
               axis(knee)                 a functional axis that was found for this joint

Recipes are written for the right side. A left segment is the mirror image, with its across axis reversed so that it
still points to the right: there a normal that points forward changes sign, and so does an arrow across.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.naming import SIDES
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

COLLINEAR = np.sin(np.radians(1.0))
"""Sine of the angle at A in normal(A, B, C) below which the three are on a line: noise would choose the plane."""

_TOKEN = re.compile(r"\s*(->|[(),]|-?\d*\.\d+|-?\d+|[A-Za-z_][A-Za-z0-9_']*)")
_FUNCTIONS = ("mid", "along", "normal", "axis")


@dataclass(frozen=True)
class Recipe:
    """A point or a direction.

    Attributes:
        text: As it was written.
        kind: "landmark", "mid", "along", "arrow", "normal" or "axis".
        name: Of a landmark, with "right " or "left " in front where the recipe says so, or of an axis.
        parts: Points that it is made of.
        share: Of `along`.
    """

    text: str
    kind: str
    name: str = ""
    parts: tuple[Recipe, ...] = ()
    share: float = 0.0

    @property
    def is_direction(self) -> bool:
        """Whether it is a direction, not a point."""
        return self.kind in ("arrow", "normal", "axis")

    def landmarks(self) -> Iterator[str]:
        """Yield the landmarks that it needs, as they are written."""
        if self.kind == "landmark":
            yield self.name
        for part in self.parts:
            yield from part.landmarks()


@cache
def parse(text: str) -> Recipe:
    """Return the recipe of a text.

    Raises:
        InputError: It is none; the message shows where.
    """
    tokens, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise InputError(
                f"{text!r} is no recipe for a point or a direction: nothing known at {text[at:]!r}"
            )
        tokens.append(match[1])
        at = match.end()
    recipe, rest = _expression(text, tokens)
    if rest:
        raise InputError(f"{text!r} is no recipe for a point or a direction: {' '.join(rest)!r} is left over")
    return recipe


def evaluate(recipe: Recipe, find: Callable[[str], Array]) -> Array:
    """Return a point [m], or a direction as a vector that is not yet of unit length, shape (n, 3).

    Args:
        recipe: The recipe.
        find: Returns a landmark by its name as written, or an axis by "axis NAME".
    """
    if recipe.kind == "landmark":
        return find(recipe.name)
    if recipe.kind == "axis":
        return find(f"axis {recipe.name}")
    points = [evaluate(part, find) for part in recipe.parts]
    if recipe.kind == "mid":
        return np.asarray(np.mean(points, axis=0))
    if recipe.kind == "along":
        return np.asarray(points[0] + recipe.share * (points[1] - points[0]))
    if recipe.kind == "arrow":
        return np.asarray(points[1] - points[0])
    return cross(points[1] - points[0], points[2] - points[0])


def flatness(recipe: Recipe, find: Callable[[str], Array]) -> Array:
    """Return the sine of the angle at A of normal(A, B, C), shape (n,); 1 for anything else."""
    points = [evaluate(part, find) for part in recipe.parts] if recipe.kind == "normal" else []
    if not points:
        return np.ones(1)
    first, second = points[1] - points[0], points[2] - points[0]
    size = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.linalg.norm(cross(first, second), axis=1) / size)


def _expression(text: str, tokens: list[str]) -> tuple[Recipe, list[str]]:
    first, rest = _term(text, tokens)
    if not rest or rest[0] != "->":
        return first, rest
    second, rest = _term(text, rest[1:])
    if first.is_direction or second.is_direction:
        raise InputError(f"{text!r}: an arrow goes from a point to a point")
    return Recipe(f"{first.text} -> {second.text}", "arrow", parts=(first, second)), rest


def _term(text: str, tokens: list[str]) -> tuple[Recipe, list[str]]:
    if not tokens or not re.match(r"[A-Za-z_]", tokens[0]):
        found = tokens[0] if tokens else "the end"
        raise InputError(
            f"{text!r} is no recipe for a point or a direction: a name was expected, not {found!r}"
        )
    word, rest = tokens[0], tokens[1:]
    if word in _FUNCTIONS and rest and rest[0] == "(":
        return _call(text, word, rest[1:])
    if word in SIDES and rest and re.match(r"[A-Za-z_]", rest[0]):
        name = f"{word} {rest[0]}"
        return Recipe(name, "landmark", name), rest[1:]
    return Recipe(word, "landmark", word), rest


def _call(text: str, word: str, tokens: list[str]) -> tuple[Recipe, list[str]]:
    parts: list[Recipe] = []
    share, numbers = 0.0, 0
    while True:
        if tokens and re.fullmatch(r"-?\d*\.?\d+", tokens[0]):
            share, numbers, tokens = float(tokens[0]), numbers + 1, tokens[1:]
        else:
            part, tokens = _term(text, tokens)
            parts.append(part)
        if not tokens or tokens[0] not in (",", ")"):
            raise InputError(f"{text!r} is no recipe for a point or a direction: {word}( is not closed")
        end, tokens = tokens[0], tokens[1:]
        if end == ")":
            break
    wanted = {
        "mid": len(parts) >= 2,
        "along": len(parts) == 2,
        "normal": len(parts) == 3,
        "axis": len(parts) == 1,
    }
    if not wanted[word] or numbers != (word == "along") or any(part.is_direction for part in parts):
        forms = "mid(A, B, ...), along(A, B, 0.5), normal(A, B, C), axis(knee)"
        raise InputError(f"{text!r} is no recipe for a point or a direction: the forms are {forms}")
    inner = ", ".join([*(part.text for part in parts), *([f"{share:g}"] if numbers else [])])
    name = parts[0].name if word == "axis" else ""
    return Recipe(f"{word}({inner})", word, name, () if word == "axis" else tuple(parts), share), tokens
