"""From landmarks to the natural coordinates of segments: two ends, a forward and an across axis for each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError, ModelError
from softstride.naming import Side
from softstride.notes import Note
from softstride.segments.facing import check_facing
from softstride.segments.landmark_definitions import PARTS, SegmentDefinition, definitions
from softstride.segments.landmarks import Landmarks
from softstride.segments.motion import SegmentMotion
from softstride.segments.recipes import COLLINEAR, Recipe, evaluate, flatness
from softstride.segments.triad import Triad

Array = NDArray[np.float64]

SHORTEST = 0.02
"""Length of a segment below which its two ends are one place, as good as [m]."""

LONGEST = 1.5
"""Length of a segment above which its landmarks are not in metres, or not of one body [m]."""

TOGETHER = 1e-3
"""Distance of two landmarks below which they show no direction [m]."""

WORDS = {
    "proximal": "proximal end",
    "distal": "distal end",
    "forward": "forward axis",
    "across": "across axis",
}


@dataclass(frozen=True, eq=False)
class BuiltSegment:
    """A segment as landmarks show it.

    Attributes:
        name: "right thigh", "pelvis", ...
        definition: How it is built.
        side: Its side; None in the middle of the body.
        motion: Its natural coordinates.
        triad: The mean shape of its axes.
        recipes: What was used for each of its parts, in words.
    """

    name: str
    definition: SegmentDefinition
    side: Side | None
    motion: SegmentMotion
    triad: Triad
    recipes: dict[str, str]


def build_segment(landmarks: Landmarks, name: str) -> BuiltSegment:
    """Build one segment.

    Args:
        landmarks: With joint centres, see `joint_centres`.
        name: "right foot", "left shank", "pelvis", ...

    Raises:
        InputError: A landmark is missing (the message names the segment and what would do), landmarks are on a line, or
            the two ends are one place or farther apart than any body's. Nothing is computed then.
    """
    each, side = definitions().segment(name)
    chosen = {part: _choose(landmarks, name, each, side, part) for part in PARTS}

    def find(key: str) -> Array:
        return landmarks.find(key, side)

    proximal, distal = (evaluate(chosen[part], find) for part in ("proximal", "distal"))
    _check_length(landmarks.time, name, chosen, np.linalg.norm(proximal - distal, axis=1))
    for part in ("forward", "across"):
        _check_plane(landmarks, name, chosen[part], side, part)
    forward, across = (
        _unit(evaluate(chosen[part], find) * _sign(chosen[part], side, part))
        for part in ("forward", "across")
    )
    motion = SegmentMotion.of(landmarks.time, forward, proximal, distal, across)
    try:
        triad = Triad.of(motion.forward, motion.long, motion.across)
    except ModelError as error:
        raise InputError(f"segment {name!r}: {error}") from error
    used = {part: recipe.text for part, recipe in chosen.items()}
    return BuiltSegment(name, each, side, motion, triad, used)


def build_segments(
    landmarks: Landmarks, names: Iterable[str] | None = None
) -> tuple[dict[str, BuiltSegment], tuple[Note, ...]]:
    """Build segments.

    Args:
        landmarks: With joint centres.
        names: Which; None: all that the landmarks allow.

    Returns:
        The segments by name, and notes on those that were left out because a landmark is missing.

    Raises:
        InputError: A segment that was asked for cannot be built; or landmarks are at fault, not missing: see
            `build_segment` and `check_facing`.
    """
    if names is not None:
        asked = {name: build_segment(landmarks, name) for name in names}
        check_facing(asked)
        return asked, ()
    built: dict[str, BuiltSegment] = {}
    notes: list[Note] = []
    for name in definitions().names():
        each, side = definitions().segment(name)
        missing = lacking(landmarks, name)
        if missing is None:
            built[name] = build_segment(landmarks, name)
        elif _any_landmark(landmarks, each, side):
            notes.append(
                Note("segments.left-out", f"left out: {missing}", "warning", topic="segments", names=(name,))
            )
    check_facing(built)
    return built, tuple(notes)


def _choose(landmarks: Landmarks, name: str, each: SegmentDefinition, side: Side | None, part: str) -> Recipe:
    for recipe in each.recipes(part):
        if landmarks.can(recipe, side):
            return recipe
    raise InputError(lacking(landmarks, name) or f"segment {name!r} lacks its {WORDS[part]}")


def lacking(landmarks: Landmarks, name: str) -> str | None:
    """Return what a segment lacks and what would do, in words; None where it lacks nothing."""
    each, side = definitions().segment(name)
    for part in PARTS:
        recipes = each.recipes(part)
        if any(landmarks.can(recipe, side) for recipe in recipes):
            continue
        ways = "; or ".join(_way(landmarks, recipe, side) for recipe in recipes)
        return f"segment {name!r} lacks its {WORDS[part]}. What would do: {ways}"
    return None


def _way(landmarks: Landmarks, recipe: Recipe, side: Side | None) -> str:
    """Return a recipe with what it lacks, and for a joint centre how that is found."""
    if recipe.kind == "axis":
        return f"a functional axis of the {recipe.name} (functional_joint)"
    absent = [key for key in dict.fromkeys(recipe.landmarks()) if landmarks.key(key, side) is None]
    if recipe.kind == "landmark":
        return f"{recipe.text}{_source(recipe.name)}"
    verb = "is" if len(absent) == 1 else "are"
    return f"{recipe.text}, where {' and '.join(f'{key}{_source(key)}' for key in absent)} {verb} missing"


def _source(key: str) -> str:
    """Return how a joint centre is found, in brackets; nothing for other landmarks."""
    plain = key.removeprefix("right ").removeprefix("left ")
    return f" ({SOURCES[plain]})" if plain in SOURCES else ""


SOURCES = {
    "HJC": "a marker, a functional hip centre, or a regression from ASIS and PSIS or SACRUM",
    "KJC": "a marker, a functional knee, LFE and MFE of either trial, or LFE, a thigh wand and the knee width",
    "AJC": "a marker, a functional ankle, LM and MM of either trial, or LM, a shank wand and the ankle width",
    "LJC": "ASIS and PSIS or SACRUM",
    "CJC": "C7 and SUP, or SCJ of both sides for SUP",
    "SJC": "a functional shoulder, or ACR, C7 and SUP, or SCJ of both sides for SUP",
    "EJC": "a functional elbow, or LE and ME",
    "WJC": "RS and US",
}


def _any_landmark(landmarks: Landmarks, each: SegmentDefinition, side: Side | None) -> bool:
    return any(landmarks.key(name, side) is not None for name in each.anchors)


def _check_length(time: Array, name: str, chosen: dict[str, Recipe], length: Array) -> None:
    """Refuse ends that are never seen together, are one place, or are farther apart than any body's."""
    if not np.isfinite(length).any():
        raise InputError(f"segment {name!r}: its ends are never seen together")
    ends = f"its ends {chosen['proximal'].text} and {chosen['distal'].text} are"
    if np.nanmin(length) < SHORTEST:
        frame = int(np.nanargmin(length))
        raise InputError(
            f"segment {name!r} has no length: {ends} {1e3 * length[frame]:.1f} mm apart at {time[frame]:.3f} s; is a "
            "label used twice?"
        )
    if np.nanmedian(length) > LONGEST:
        raise InputError(
            f"segment {name!r} is too long for a body: {ends} {np.nanmedian(length):.3g} m apart; landmarks must be in "
            "metres, are they in millimetres or centimetres?"
        )


def _check_plane(landmarks: Landmarks, name: str, recipe: Recipe, side: Side | None, part: str) -> None:
    """Refuse a plane through points on a line, and points in one place."""

    def find(key: str) -> Array:
        return landmarks.find(key, side)

    places = [evaluate(each, find) for each in recipe.parts]
    for (i, first), (j, second) in combinations(enumerate(places), 2):
        apart = np.linalg.norm(first - second, axis=1)
        if np.isfinite(apart).any() and np.nanmin(apart) < TOGETHER:
            raise InputError(
                f"segment {name!r}: {recipe.parts[i].text} and {recipe.parts[j].text} are in one place at "
                f"{landmarks.time[int(np.nanargmin(apart))]:.3f} s, so that {recipe.text} gives no {WORDS[part]}; is a "
                "label used twice?"
            )
    sine = flatness(recipe, find)
    if np.isfinite(sine).any() and np.nanmin(sine) < COLLINEAR:
        frame = int(np.nanargmin(sine))
        points = ", ".join(dict.fromkeys(recipe.landmarks()))
        raise InputError(
            f"segment {name!r}: {points} are on a line at {landmarks.time[frame]:.3f} s "
            f"({np.degrees(np.arcsin(min(1.0, sine[frame]))):.2f} degrees), so that they give no {WORDS[part]}"
        )


def _sign(recipe: Recipe, side: Side | None, part: str) -> float:
    """Return -1 where a recipe of the right side must be reversed on the left; see `recipes`."""
    if side != "left" or recipe.kind == "axis":
        return 1.0
    flips = recipe.kind == "normal" if part == "forward" else recipe.kind == "arrow"
    return -1.0 if flips else 1.0


def _unit(x: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(x / np.linalg.norm(x, axis=-1, keepdims=True))
