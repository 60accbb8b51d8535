"""Markers in a table: which columns are the x, y and z of a position, by their names and units."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from softstride.capture.text.forces import Triple
from softstride.capture.units import LENGTH, read_unit

_TRIPLE = re.compile(r"(?P<label>.+?)[ ._:-]*(?P<axis>[xyz])", re.IGNORECASE)
FRAME_COUNTERS = ("frame", "frame#", "frames")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_QUANTITY = re.compile(
    r"(?:[lr]|left|right)?(?:grf|force|moment|torque|angle|cop|velocity|acceleration|rotation|flexion)s?"
    r"|acc|accel|accelerometer|gyro?|gyroscope|mag|magnetometer|vel|omega|euler|quat|quaternion|power|momentum"
)
_OF_A_PLATE = re.compile(r"(?:fp|plate|forceplate|platform)?[ _.-]*\d*[ _.-]*(?:f|m)", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<letter>[fm])[ _.-]*(?P<number>\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class MarkerColumns:
    """The markers among columns.

    Attributes:
        labels: What their names have in common, such as "RASI"; one for each marker.
        columns: Names of the columns of the x, y and z of each.
        unit: The unit that they name, "" if they name none.
        others: What comes in x, y and z too, but is no position by its name or its unit.
    """

    labels: tuple[str, ...] = ()
    columns: tuple[Triple, ...] = ()
    unit: str = ""
    others: tuple[str, ...] = ()


def find_marker_columns(columns: Sequence[str], units: Mapping[str, str]) -> MarkerColumns:
    """Return the markers among columns, none unless every column but a counter of frames is an x, y or z.

    A marker's unit is a length, or blank; with a blank unit its name must not be that of a force, a moment, an angle,
    a velocity, an acceleration and their kin.

    Args:
        columns: Names of the columns of a table.
        units: Unit of each, "" where it has none.
    """
    names = [name for name in columns if name.strip().lower() not in FRAME_COUNTERS]
    matches = [_TRIPLE.fullmatch(name.strip()) for name in names]
    found = [(match["label"], match["axis"].lower()) for match in matches if match]
    labels = list(dict.fromkeys(label for label, _ in found))
    where = dict(zip(found, names, strict=False))
    if not names or not len(where) == len(found) == len(names) == 3 * len(labels):
        return MarkerColumns()
    triples = {label: (where[label, "x"], where[label, "y"], where[label, "z"]) for label in labels}
    words = {label: {units[name].strip() for name in triples[label]} - {""} for label in labels}
    markers = [
        label
        for label in labels
        if (words[label] or not _is_quantity(label, labels))
        and all((unit := read_unit(word, LENGTH)) and not unit.per_mass for word in words[label])
    ]
    named = {read_unit(word, LENGTH): word for label in markers for word in sorted(words[label])}
    if len(named) > 1:
        return MarkerColumns(others=tuple(labels))
    return MarkerColumns(
        tuple(markers),
        tuple(triples[label] for label in markers),
        next(iter(named.values()), ""),
        tuple(label for label in labels if label not in markers),
    )


def _is_quantity(label: str, labels: Sequence[str]) -> bool:
    """Return whether a label is rather that of a force, a moment, an angle or a rate than that of a marker."""
    if any(_QUANTITY.fullmatch(word.lower()) for word in _WORD.findall(label)) or _OF_A_PLATE.fullmatch(
        label
    ):
        return True
    numbered = _NUMBERED.fullmatch(label)
    if numbered is None:
        return False
    # M1, M2, ... are markers more often than moments, unless there are forces to go with them.
    forces = {
        match["number"]
        for other in labels
        if (match := _NUMBERED.fullmatch(other)) and match["letter"] in "fF"
    }
    return numbered["letter"] in "fF" or numbered["number"] in forces
