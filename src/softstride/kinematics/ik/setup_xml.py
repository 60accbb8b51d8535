"""Read the setups and task files of OpenSim's InverseKinematicsTool (XML of versions 1 to 4)."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree.ElementTree import Element

from softstride.errors import ModelError
from softstride.kinematics.ik.setup import IkSetup
from softstride.kinematics.task_xml import SetupReader, coordinate_tasks, marker_tasks
from softstride.model.formats.xml import read_xml
from softstride.notes import Notes

TOOLS = ("InverseKinematicsTool", "IKTool")  # the second until version 2.2
TASKS = "IKTaskSet"
SENSORS = "IMUInverseKinematicsTool"
KNOWN = {
    *("model_file", "marker_file", "coordinate_file", "output_motion_file", "time_range"),
    *("report_errors", "report_marker_locations", "constraint_weight"),
    *(TASKS, "task_set_file", "IKTrialSet", "defaults"),
}


def read_ik_setup(path: str | Path) -> IkSetup:
    """Read a setup of OpenSim's InverseKinematicsTool, or a file with an IKTaskSet alone.

    Tasks may be in the setup itself or in a file that it names. The files of model and trial are named in the result,
    not opened.

    Args:
        path: The setup or task file (.xml).

    Raises:
        ModelError: Not such a file, or a value in it that cannot be.
    """
    file = Path(path)
    root = _document(file)
    tool = _find(root, *TOOLS)
    if tool is not None:
        return _setup(SetupReader(file), tool)
    tasks = _find(root, TASKS)
    if tasks is not None:
        reader, notes = SetupReader(file), Notes()
        return IkSetup(
            file=file,
            name=tasks.get("name", ""),
            marker_weights=marker_tasks(reader, tasks, notes),
            coordinate_tasks=coordinate_tasks(reader, tasks, notes),
            notes=tuple(notes),
        )
    if _find(root, SENSORS) is not None:
        raise ModelError(
            f"{file}: <{SENSORS}> is a setup for inertial sensors, which is not read: give solve_ik their orientations "
            f"as `orientations`."
        )
    raise ModelError(f"{file}: has no <{TOOLS[0]}> and no <{TASKS}>; is it the setup of another tool?")


def read_ik_tasks(path: str | Path) -> IkSetup:
    """Read the tasks alone: those of a task file or of a setup, without the trial that a setup names.

    Args:
        path: The setup or task file (.xml).

    Raises:
        ModelError: Not such a file, or a value in it that cannot be.
    """
    full = read_ik_setup(path)
    return IkSetup(
        file=full.file,
        name=full.name,
        coordinate_file=full.coordinate_file,
        marker_weights=full.marker_weights,
        coordinate_tasks=full.coordinate_tasks,
        notes=full.notes,
    )


def _document(file: Path) -> Element:
    root, _ = read_xml(file)
    return root


def _find(root: Element, *tags: str) -> Element | None:
    if root.tag in tags:
        return root
    return next((found for tag in tags if (found := root.find(tag)) is not None), None)


def _setup(reader: SetupReader, tool: Element) -> IkSetup:
    notes = Notes()
    tasks_reader, tasks = _tasks(reader, tool)
    weights = marker_tasks(tasks_reader, tasks, notes)
    goals = coordinate_tasks(tasks_reader, tasks, notes)
    trial = _trial(reader, tool, notes)
    constraint_weight = reader.number(tool, "constraint_weight", infinite=True)
    unused = dict.fromkeys(str(child.tag) for child in (*tool, *trial) if child.tag not in KNOWN)
    if unused:
        text = f"setup {reader.file.name}: not used: {', '.join(list(unused)[:20])}"
        notes.add("setup.not-used", text, topic="setup", names=unused)
    if constraint_weight is not None and math.isfinite(constraint_weight):
        notes.add(
            "setup.constraints-hold-exactly",
            f"setup {reader.file.name}: constraints hold exactly, not with constraint_weight {constraint_weight:g}",
            topic="setup",
            values={"constraint_weight": constraint_weight},
        )
    return IkSetup(
        file=reader.file,
        name=tool.get("name", ""),
        model_file=reader.path(tool, "model_file"),
        marker_file=reader.path(trial, "marker_file"),
        coordinate_file=reader.path(trial, "coordinate_file"),
        output_motion_file=reader.path(trial, "output_motion_file"),
        time_range=reader.range(trial),
        marker_weights=weights,
        coordinate_tasks=goals,
        accuracy=reader.number(tool, "accuracy"),
        constraint_weight=constraint_weight,
        report_errors=reader.flag(trial, "report_errors", True),
        report_marker_locations=reader.flag(trial, "report_marker_locations", False),
        notes=tuple(notes),
    )


def _trial(reader: SetupReader, tool: Element, notes: Notes) -> Element:
    """Return the element that names the trial: until version 2.2 the first of several, then the tool itself."""
    trials = tool.findall("IKTrialSet/objects/IKTrial")
    if len(trials) > 1:
        first, *others = (each.get("name", "") for each in trials)
        left = ", ".join(map(repr, others))
        notes.add(
            "setup.first-trial-only",
            f"setup {reader.file.name}: only its first trial, {first!r}, is read; not {left}",
            topic="setup",
            names=others,
        )
    return trials[0] if trials else tool


def _tasks(reader: SetupReader, tool: Element) -> tuple[SetupReader, Element | None]:
    """Return the task set of a tool and who reads it: from the file that the tool names if it has none itself."""
    group = tool.find(TASKS)
    named = reader.text(tool, "task_set_file") or ("" if group is None else group.get("file", "").strip())
    file = reader.beside(named)
    if file is None or (group is not None and len(group)):
        return reader, group
    found = _find(_document(file), TASKS)
    if found is None:
        raise ModelError(f"{file}: has no <{TASKS}>, which {reader.file} looks for there.")
    return SetupReader(file), found
