"""Sides and words in the names of links, coordinates, muscles, forces, markers and channels.

A side is told by a word of its own that is r, right, l or left, wherever it stands: knee_angle_r, r_thigh, left.foot,
tibia_r_amputated, "EMG R soleus". Digits belong to words, so that L5 is a vertebra and Abs_r1 is on neither side.
A name that tells both sides tells none, nor does one that is nothing else: l may be a length. Why: docs/decisions/0025.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

Side = Literal["left", "right"]

SIDES: tuple[Side, Side] = ("right", "left")

LETTERS: Mapping[str, Side] = {"r": "right", "l": "left"}
"""Sides by the letter that stands for them in names of models."""

SIDE_WORDS: Mapping[str, Side] = {"r": "right", "right": "right", "l": "left", "left": "left"}
"""What tells a side where it is a word of its own, in lower case."""

_SIDE = re.compile(r"(?:^|[\W_])(right|left|r|l)(?![^\W_])[)\]]?", re.IGNORECASE)
_IN_FRONT = re.compile(r"^(?P<word>left|right|[lr])(?P<gap>[ ._-]*)(?P<rest>.+)$", re.IGNORECASE)
_AT_THE_END = re.compile(r"^(?P<rest>.+?)(?P<gap>[ ._-]+)(?P<word>left|right|[lr])$", re.IGNORECASE)
_MIRRORED = (
    (re.compile(r"(?<![A-Za-z])r(?![A-Za-z])"), "l"),
    (re.compile(r"(?<![A-Za-z])R(?![A-Za-z])"), "L"),
    (re.compile(r"right"), "left"),
    (re.compile(r"Right"), "Left"),
)


def other_side(side: Side) -> Side:
    """Return the other side."""
    return "left" if side == "right" else "right"


def words_of(name: str) -> set[str]:
    """Return the words in a name, in lower case; digits are no part of them: "arm_flex_R2" is arm, flex, r."""
    return set(re.findall(r"[a-z]+", name.lower()))


def split_side(name: str) -> tuple[Side | None, str]:
    """Return the side that a name tells, and the name without it; None and the name if it tells none.

    >>> split_side("knee_angle_r"), split_side("l_thigh"), split_side("L5_S1"), split_side("r_l_swap")
    (('right', 'knee_angle'), ('left', 'thigh'), (None, 'L5_S1'), (None, 'r_l_swap'))
    """
    sides = {LETTERS[word[0].lower()] for word in _SIDE.findall(name)}
    rest = _SIDE.sub("", name).strip("_.- ")
    return (sides.pop(), rest) if len(sides) == 1 and rest else (None, name)


def side_of(name: str) -> Side | None:
    """Return the side that a name tells."""
    return split_side(name)[0]


def label_sides(label: str) -> Iterator[tuple[Side, str, bool]]:
    """Yield what the label of a marker or a channel may tell: a side, the rest, and whether it is beyond doubt.

    Laboratories write a side in front without a gap (RASI, LTOE, rKnee), as nobody does in a model. Whether such a
    letter is a side (RASI) or begins a word (Rib) is for those to say who know the words that may follow; a side that
    is written out or stands apart is beyond doubt.

    >>> list(label_sides("RASI")), list(label_sides("Toe.L"))
    ([('right', 'ASI', False)], [('left', 'Toe', True)])
    """
    for pattern in (_IN_FRONT, _AT_THE_END):
        found = pattern.match(label)
        if found is not None:
            yield (
                SIDE_WORDS[found["word"].lower()],
                found["rest"],
                len(found["word"]) > 1 or bool(found["gap"]),
            )


def mirrored(name: str) -> str | None:
    """Return what a name of the right side would be on the left ("femur_r": "femur_l"); None: there is no right in it.

    Right may be anywhere in a word, as in rightFoot: whoever looks for pairs finds one only where both names exist.
    """
    for right, left in _MIRRORED:
        if right.search(name):
            return right.sub(left, name, count=1)
    return None
