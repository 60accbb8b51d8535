"""Weights of markers from files of OpenSim's inverse kinematics."""

from __future__ import annotations

from pathlib import Path

from softstride.capture.recording import Recording
from softstride.errors import InputError, ModelError
from softstride.frozen import Table
from softstride.kinematics.ik.setup import IkSetup
from softstride.kinematics.ik.setup_xml import read_ik_setup, read_ik_tasks
from softstride.model.model import Model
from softstride.notes import Note


def task_weights(file: Path, model: Model, recording: Recording) -> tuple[Table[float], Note]:
    """Return the weights of the markers that model and recording share, and a note that says where they are from.

    Goals of coordinates in the file are left out.

    Raises:
        ModelError: The file cannot be read as tasks.
        InputError: No marker with a weight is in model and recording.
    """
    found = _read(file)
    shared = {
        name: weight
        for name, weight in found.marker_weights.items()
        if weight > 0.0 and name in model.markers and name in recording.markers
    }
    if not shared:
        raise InputError(
            f"{file}: no marker with a weight is both in the model and in the recording: give other weights (--tasks)"
        )
    goals = len(found.coordinate_tasks)
    left_out = f"; its goals of coordinates ({goals}) are left out" if goals else ""
    note = Note(
        "markers.weights-from-tasks",
        f"weights of {len(shared)} markers: {file.name}{left_out}",
        topic="markers",
        values={"markers": len(shared), "goals_left_out": goals},
    )
    return Table(shared), note


def _read(file: Path) -> IkSetup:
    try:
        return read_ik_tasks(file)
    except ModelError:
        return read_ik_setup(file)
