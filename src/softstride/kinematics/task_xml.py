"""What the setups of OpenSim's tools share: checked values of child elements, and the tasks of an IKTaskSet.

Meaning of a task as OpenSim 4.6 gives it: without `<apply>` it is applied, without `<weight>` it weighs nothing, of two
tasks on one marker the first counts, and a `manual_value` is in [rad] or [m], never in degrees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from softstride.errors import ModelError
from softstride.notes import Notes

Source = Literal["default_value", "manual_value", "from_file"]

NOTHING = ("", "unassigned")
SOURCES = ("default_value", "manual_value", "from_file")


@dataclass(frozen=True)
class CoordinateTask:
    """A value that a coordinate should have.

    Attributes:
        weight: Of its squared error.
        source: Where the value comes from: the model's default, the task itself, or a column of a motion file.
        value: In [rad] or [m]; None unless the source is "manual_value".
    """

    weight: float
    source: Source = "default_value"
    value: float | None = None


class SetupReader:
    """Values of child elements; errors name the file and the element."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def text(self, element: Element | None, tag: str) -> str:
        """Return the text of a child, "" if there is none."""
        return (element.findtext(tag) or "").strip() if element is not None else ""

    def numbers(self, element: Element | None, tag: str, *, infinite: bool = False) -> list[float]:
        """Return the numbers of a child, finite unless `infinite` allows others; none if there is no child."""
        text = self.text(element, tag)
        try:
            values = [float(word) for word in text.split()]
        except ValueError:
            raise ModelError(
                f"{self.file}: <{tag}> must be made of numbers, however it is {text[:80]!r}."
            ) from None
        if any(math.isnan(x) or (math.isinf(x) and not infinite) for x in values):
            raise ModelError(f"{self.file}: <{tag}> must be finite, however it is {text[:80]!r}.")
        return values

    def number(self, element: Element | None, tag: str, *, infinite: bool = False) -> float | None:
        """Return the number of a child, None if there is none."""
        values = self.numbers(element, tag, infinite=infinite)
        if len(values) > 1:
            raise ModelError(f"{self.file}: <{tag}> must be one number, however there are {len(values)}.")
        return values[0] if values else None

    def vector(self, element: Element | None, tag: str) -> NDArray[np.float64]:
        """Return the three numbers of a child."""
        values = self.numbers(element, tag)
        if len(values) != 3:
            raise ModelError(f"{self.file}: <{tag}> must be three numbers, however there are {len(values)}.")
        return np.array(values)

    def range(self, element: Element | None) -> tuple[float, float] | None:
        """Return `<time_range>` [s]; an end may be infinite; None if both are or if there is none."""
        values = self.numbers(element, "time_range", infinite=True)
        if not values:
            return None
        if len(values) != 2 or values[0] > values[1]:
            raise ModelError(
                f"{self.file}: <time_range> must be a start and an end, however it is {values[:4]}."
            )
        first, last = values
        return None if math.isinf(first) and math.isinf(last) and first < last else (first, last)

    def flag(self, element: Element | None, tag: str, default: bool) -> bool:
        """Return whether a child says true."""
        word = self.text(element, tag).lower()
        if word not in ("", "true", "false", "1", "0"):
            raise ModelError(f"{self.file}: <{tag}> must be true or false, however it is {word[:80]!r}.")
        return word in ("true", "1") if word else default

    def path(self, element: Element | None, tag: str) -> Path | None:
        """Return the file that a child names, relative to the setup; None if it names none."""
        return self.beside(self.text(element, tag))

    def beside(self, name: str) -> Path | None:
        """Return a file by its name in the setup; backslashes, as Windows writes them, part folders."""
        return None if name.lower() in NOTHING else self.file.parent / name.replace("\\", "/")


def objects(parent: Element | None, group: str, tag: str) -> Iterator[Element]:
    """Yield the objects of one kind in a group."""
    found = parent.find(f"{group}/objects") if parent is not None else None
    if found is not None:
        yield from found.findall(tag)


def marker_tasks(reader: SetupReader, tasks: Element | None, notes: Notes) -> dict[str, float]:
    """Return the weights of markers by name, applied tasks only."""
    return {name: weight for name, weight, _ in _applied(reader, tasks, "IKMarkerTask", notes)}


def coordinate_tasks(reader: SetupReader, tasks: Element | None, notes: Notes) -> dict[str, CoordinateTask]:
    """Return the tasks on coordinates by name, applied ones only."""
    found = {}
    for name, weight, task in _applied(reader, tasks, "IKCoordinateTask", notes):
        source = reader.text(task, "value_type").lower() or SOURCES[0]
        if reader.text(task, "from_file"):  # a flag in place of the type, in files before 2007
            source = "from_file" if reader.flag(task, "from_file", False) else "manual_value"
        if source not in SOURCES:
            raise ModelError(
                f"{reader.file}: task {name!r}: <value_type> must be one of {', '.join(SOURCES)}, however it is "
                f"{source[:80]!r}."
            )
        value = reader.number(task, "value")
        manual = (0.0 if value is None else value) if source == "manual_value" else None
        found[name] = CoordinateTask(weight, cast(Source, source), manual)
    return found


def _applied(
    reader: SetupReader, tasks: Element | None, tag: str, notes: Notes
) -> Iterator[tuple[str, float, Element]]:
    """Yield name, weight and element of each applied task of one kind, each name once."""
    seen, where = set(), f"setup {reader.file.name}"
    for task in tasks.iter(tag) if tasks is not None else ():
        if not reader.flag(task, "apply", True):
            continue
        name = task.get("name", "").strip()
        if not name:
            notes.add(
                "setup.task-without-name", f"{where}: <{tag}> without a name was left out", topic="setup"
            )
            continue
        if name in seen:
            text = f"{where}: task {name!r} comes twice; the first counts"
            notes.add("setup.task-twice", text, topic="setup", names=[name])
            continue
        seen.add(name)
        weight = reader.number(task, "weight")
        if weight is None:
            text = f"{where}: task {name!r} has no weight, which means 0"
            notes.add("setup.task-without-weight", text, topic="setup", names=[name])
            weight = 0.0
        if weight < 0.0:
            raise ModelError(f"{reader.file}: task {name!r}: weight must not be negative: {weight:g}.")
        yield name, weight, task
