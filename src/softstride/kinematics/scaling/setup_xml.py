"""Read the setup of OpenSim's ScaleTool (XML of versions 2 to 4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, cast
from xml.etree.ElementTree import Element

import numpy as np

from softstride.errors import ModelError
from softstride.kinematics.scaling.setup import (
    ORDERS,
    Array,
    CoordinateGoal,
    Measurement,
    ScaleSetup,
    SetupMarker,
)
from softstride.model import Point
from softstride.model.formats.xml import parse_xml, read_bytes

NOTHING = ("", "unassigned")


def read_scale_setup(path: str | Path) -> ScaleSetup:
    """Read a ScaleTool setup, and the marker set that it names in the same folder.

    The model and the static trial are given to `fit_scaling` by the caller; their names in the file are not followed.

    Args:
        path: The setup (.xml).

    Raises:
        ModelError: Not such a file, or a value in it that cannot be.
    """
    file = Path(path)
    root, _ = parse_xml(read_bytes(file), file)
    tool = root if root.tag == "ScaleTool" else root.find("ScaleTool")
    if tool is None:
        raise ModelError(f"{file}: has no <ScaleTool>; is it the setup of another tool?")
    reader = _Reader(file)
    maker, scaler, placer = (tool.find(tag) for tag in ("GenericModelMaker", "ModelScaler", "MarkerPlacer"))
    mass = reader.number(tool, "mass")
    notes = []
    coordinates = reader.text(placer, "coordinate_file")
    if coordinates.lower() not in NOTHING:
        notes.append(f"setup {file.name}: coordinate_file {coordinates!r} was not read")
    tasks = placer.find("IKTaskSet") if placer is not None else None
    return ScaleSetup(
        name=tool.get("name", ""),
        mass=mass if mass is not None and mass > 0.0 else None,
        markers=_marker_set(file, reader.text(maker, "marker_set_file")),
        measurements=tuple(_measurements(reader, scaler)),
        manual=dict(_manual(reader, scaler)),
        order=_order(file, reader.text(scaler, "scaling_order")),
        time_range=reader.range(scaler),
        keep_mass_distribution=reader.flag(scaler, "preserve_mass_distribution", False),
        scale=scaler is not None and reader.flag(scaler, "apply", True),
        place=placer is not None and reader.flag(placer, "apply", True),
        marker_weights=dict(_marker_tasks(reader, tasks)),
        goals=dict(_goals(reader, tasks, notes)),
        place_range=reader.range(placer),
        notes=tuple(notes),
    )


class _Reader:
    """Values of child elements; errors name the file and the element."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def text(self, element: Element | None, tag: str) -> str:
        return (element.findtext(tag) or "").strip() if element is not None else ""

    def numbers(self, element: Element | None, tag: str) -> list[float]:
        text = self.text(element, tag)
        try:
            values = [float(word) for word in text.split()]
        except ValueError:
            raise ModelError(
                f"{self.file}: <{tag}> must be made of numbers, however it is {text[:80]!r}."
            ) from None
        if not np.all(np.isfinite(values)):
            raise ModelError(f"{self.file}: <{tag}> must be finite, however it is {text[:80]!r}.")
        return values

    def number(self, element: Element | None, tag: str) -> float | None:
        values = self.numbers(element, tag)
        if len(values) > 1:
            raise ModelError(f"{self.file}: <{tag}> must be one number, however there are {len(values)}.")
        return values[0] if values else None

    def vector(self, element: Element | None, tag: str) -> Array:
        values = self.numbers(element, tag)
        if len(values) != 3:
            raise ModelError(f"{self.file}: <{tag}> must be three numbers, however there are {len(values)}.")
        return np.array(values)

    def range(self, element: Element | None) -> tuple[float, float] | None:
        values = self.numbers(element, "time_range")
        if not values:
            return None
        if len(values) != 2 or values[0] > values[1]:
            raise ModelError(f"{self.file}: <time_range> must be a start and an end, however it is {values}.")
        return values[0], values[1]

    def flag(self, element: Element | None, tag: str, default: bool) -> bool:
        word = self.text(element, tag).lower()
        if word not in ("", "true", "false", "1", "0"):
            raise ModelError(f"{self.file}: <{tag}> must be true or false, however it is {word[:80]!r}.")
        return word in ("true", "1") if word else default


def _objects(parent: Element | None, group: str, tag: str) -> Iterator[Element]:
    found = parent.find(f"{group}/objects") if parent is not None else None
    if found is not None:
        yield from found.findall(tag)


def _order(file: Path, text: str) -> tuple[Literal["measurements", "manualScale"], ...]:
    words = tuple(text.split())
    wrong = [word for word in words if word not in ORDERS]
    if wrong:
        raise ModelError(
            f"{file}: <scaling_order> must name {' and '.join(ORDERS)}, however it has {wrong[0]!r}."
        )
    return cast(tuple[Literal["measurements", "manualScale"], ...], words)


def _measurements(reader: _Reader, scaler: Element | None) -> Iterator[Measurement]:
    for item in _objects(scaler, "MeasurementSet", "Measurement"):
        if not reader.flag(item, "apply", True):
            continue
        name = item.get("name", "")
        pairs = []
        for pair in _objects(item, "MarkerPairSet", "MarkerPair"):
            names = reader.text(pair, "markers").split()
            if len(names) != 2:
                raise ModelError(
                    f"{reader.file}: measurement {name!r}: a pair must be two markers, not {names}."
                )
            pairs.append((names[0], names[1]))
        links = {
            scale.get("name", ""): "".join(reader.text(scale, "axes").lower().split())
            for scale in _objects(item, "BodyScaleSet", "BodyScale")
        }
        yield Measurement(name, tuple(pairs), links)


def _manual(reader: _Reader, scaler: Element | None) -> Iterator[tuple[str, Array]]:
    for item in _objects(scaler, "ScaleSet", "Scale"):
        if reader.flag(item, "apply", True):
            yield reader.text(item, "segment"), reader.vector(item, "scales")


def _marker_tasks(reader: _Reader, tasks: Element | None) -> Iterator[tuple[str, float]]:
    for task in tasks.iter("IKMarkerTask") if tasks is not None else ():
        if reader.flag(task, "apply", True):
            weight = reader.number(task, "weight")
            yield task.get("name", ""), _weight(reader, task, 1.0 if weight is None else weight)


def _goals(reader: _Reader, tasks: Element | None, notes: list[str]) -> Iterator[tuple[str, CoordinateGoal]]:
    for task in tasks.iter("IKCoordinateTask") if tasks is not None else ():
        if not reader.flag(task, "apply", True):
            continue
        name, kind = task.get("name", ""), reader.text(task, "value_type") or "default_value"
        weight = reader.number(task, "weight")
        if kind == "from_file":
            notes.append(
                f"setup {reader.file.name}: coordinate task {name!r} takes its value from a file; left out"
            )
            continue
        value = reader.number(task, "value") if kind == "manual_value" else None
        yield name, CoordinateGoal(_weight(reader, task, 1.0 if weight is None else weight), value)


def _weight(reader: _Reader, task: Element, weight: float) -> float:
    if weight < 0.0:
        raise ModelError(
            f"{reader.file}: task {task.get('name', '')!r}: weight must not be negative: {weight:g}."
        )
    return weight


def _marker_set(setup: Path, name: str) -> dict[str, SetupMarker]:
    """Read the marker set that a setup names; none if it names none."""
    if name.lower() in NOTHING:
        return {}
    file = setup.parent / name
    root, _ = parse_xml(read_bytes(file), file)
    group = root if root.tag == "MarkerSet" else root.find("MarkerSet")
    if group is None:
        raise ModelError(f"{file}: has no <MarkerSet>.")
    reader, markers = _Reader(file), {}
    for item in group.iter("Marker"):
        parent = (
            reader.text(item, "body")
            or reader.text(item, "socket_parent_frame")
            or reader.text(item, "socket_parent_frame_connectee_name")
        )
        link = parent.rsplit("/", 1)[-1]
        link = "world" if link == "ground" else link
        point = Point(link, reader.vector(item, "location"))
        markers[item.get("name", "")] = SetupMarker(point, reader.flag(item, "fixed", False))
    return markers
