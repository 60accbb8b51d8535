"""Further actuators of a model, from OpenSim's ForceSet files: the reserves that its tools are run with."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from softstride.errors import ModelError
from softstride.kinematics.task_xml import SetupReader
from softstride.model.actuator import CoordinateActuator
from softstride.model.checks import names_hint
from softstride.model.formats.xml import read_xml
from softstride.model.model import Model
from softstride.notes import Note


def add_actuators(model: Model, files: Iterable[str | Path]) -> tuple[Model, tuple[Note, ...]]:
    """Return the model with the coordinate actuators of ForceSet files beside its own, and notes.

    Forces at points and torques on bodies, which carry what a floating base lacks, are left out: nothing of the body
    moves its base here. So are actuators on coordinates that the model has not, or that follow others.

    Args:
        model: The model.
        files: ForceSet documents (.xml).

    Raises:
        ModelError: Not such a file, or an actuator of the name of another one.
    """
    found: dict[str, CoordinateActuator] = {}
    notes: list[Note] = []
    for each in files:
        file = Path(each)
        root, _ = read_xml(file)
        forces = root if root.tag == "ForceSet" else root.find("ForceSet")
        if forces is None:
            raise ModelError(f"{file}: has no <ForceSet>; is it another document?")
        reader = SetupReader(file)
        left: list[str] = []
        group = forces.find("objects")
        for element in () if group is None else group:
            name = (element.get("name") or "").strip()
            place = reader.text(element, "coordinate") or reader.text(element, "socket_coordinate")
            coordinate = place.rstrip("/").rsplit("/", 1)[-1]
            if element.tag != "CoordinateActuator" or coordinate not in model.coordinates:
                left.append(name)
                continue
            if name in found or name in model.actuators or name in model.muscles:
                raise ModelError(f"{file}: actuator {name!r} exists already; give each its own name.")
            size = reader.number(element, "optimal_force")
            lower, upper = (
                reader.number(element, tag, infinite=True) for tag in ("min_control", "max_control")
            )
            off = reader.flag(element, "isDisabled", False) or not reader.flag(element, "appliesForce", True)
            found[name] = CoordinateActuator(
                name,
                1.0 if size is None else size,
                -math.inf if lower is None else lower,
                math.inf if upper is None else upper,
                not off,
                coordinate=coordinate,
            )
        if left:
            notes.append(
                Note(
                    "actuators.left-out",
                    f"{file.name}: not on a coordinate of {model.name!r}, left out: {names_hint(left)}",
                    topic="actuators",
                    names=tuple(left),
                )
            )
    return (model.replace(actuators={**model.actuators, **found}) if found else model), tuple(notes)
