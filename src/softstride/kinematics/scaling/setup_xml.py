"""Read the setup of OpenSim's ScaleTool (XML of versions 2 to 4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, cast
from xml.etree.ElementTree import Element

from softstride.errors import ModelError
from softstride.kinematics.scaling.setup import (
    ORDERS,
    Array,
    CoordinateGoal,
    Measurement,
    ScaleSetup,
    SetupMarker,
)
from softstride.kinematics.task_xml import NOTHING, SetupReader, coordinate_tasks, marker_tasks, objects
from softstride.model import Point
from softstride.model.formats.xml import read_xml
from softstride.notes import Notes


def read_scale_setup(path: str | Path) -> ScaleSetup:
    """Read a ScaleTool setup, and the marker set that it names in the same folder.

    The model and the static trial are given to `fit_scaling` by the caller; their names in the file are not followed.

    Args:
        path: The setup (.xml).

    Raises:
        ModelError: Not such a file, or a value in it that cannot be.
    """
    file = Path(path)
    root, _ = read_xml(file)
    tool = root if root.tag == "ScaleTool" else root.find("ScaleTool")
    if tool is None:
        raise ModelError(f"{file}: has no <ScaleTool>; is it the setup of another tool?")
    reader = SetupReader(file)
    maker, scaler, placer = (tool.find(tag) for tag in ("GenericModelMaker", "ModelScaler", "MarkerPlacer"))
    mass = reader.number(tool, "mass")
    notes = Notes()
    coordinates = reader.text(placer, "coordinate_file")
    if coordinates.lower() not in NOTHING:
        text = f"setup {file.name}: coordinate_file {coordinates!r} was not read"
        notes.add("setup.coordinate-file-not-read", text, topic="setup", names=[coordinates])
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
        marker_weights=marker_tasks(reader, tasks, notes),
        goals=dict(_goals(reader, tasks, notes)),
        place_range=reader.range(placer),
        notes=tuple(notes),
    )


def _order(file: Path, text: str) -> tuple[Literal["measurements", "manualScale"], ...]:
    words = tuple(text.split())
    wrong = [word for word in words if word not in ORDERS]
    if wrong:
        raise ModelError(
            f"{file}: <scaling_order> must name {' and '.join(ORDERS)}, however it has {wrong[0]!r}."
        )
    return cast(tuple[Literal["measurements", "manualScale"], ...], words)


def _measurements(reader: SetupReader, scaler: Element | None) -> Iterator[Measurement]:
    for item in objects(scaler, "MeasurementSet", "Measurement"):
        if not reader.flag(item, "apply", True):
            continue
        name = item.get("name", "")
        pairs = []
        for pair in objects(item, "MarkerPairSet", "MarkerPair"):
            names = reader.text(pair, "markers").split()
            if len(names) != 2:
                raise ModelError(
                    f"{reader.file}: measurement {name!r}: a pair must be two markers, not {names}."
                )
            pairs.append((names[0], names[1]))
        links = {
            scale.get("name", ""): "".join(reader.text(scale, "axes").lower().split())
            for scale in objects(item, "BodyScaleSet", "BodyScale")
        }
        yield Measurement(name, tuple(pairs), links)


def _manual(reader: SetupReader, scaler: Element | None) -> Iterator[tuple[str, Array]]:
    for item in objects(scaler, "ScaleSet", "Scale"):
        if reader.flag(item, "apply", True):
            yield reader.text(item, "segment"), reader.vector(item, "scales")


def _goals(reader: SetupReader, tasks: Element | None, notes: Notes) -> Iterator[tuple[str, CoordinateGoal]]:
    for name, task in coordinate_tasks(reader, tasks, notes).items():
        if task.source == "from_file":
            text = f"setup {reader.file.name}: coordinate task {name!r} takes its value from a file; left out"
            notes.add("setup.task-from-file", text, topic="setup", names=[name])
        else:
            yield name, CoordinateGoal(task.weight, task.value)


def _marker_set(setup: Path, name: str) -> dict[str, SetupMarker]:
    """Read the marker set that a setup names; none if it names none."""
    if name.lower() in NOTHING:
        return {}
    file = setup.parent / name
    root, _ = read_xml(file)
    group = root if root.tag == "MarkerSet" else root.find("MarkerSet")
    if group is None:
        raise ModelError(f"{file}: has no <MarkerSet>.")
    reader, markers = SetupReader(file), {}
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
