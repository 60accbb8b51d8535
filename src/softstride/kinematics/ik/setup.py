"""What OpenSim's setup of an inverse kinematics asks for, and the same as `IkOptions`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.capture.reading import read_bytes
from softstride.capture.recording import Recording
from softstride.capture.text import StorageFile, parse_storage
from softstride.errors import InputError, ModelError, Option, inside
from softstride.fields import Frozen
from softstride.frozen import Table
from softstride.kinematics.ik.options import Goal, IkOptions
from softstride.kinematics.motion_table import describe_columns
from softstride.kinematics.task_xml import CoordinateTask
from softstride.model import Model
from softstride.notes import Note

Array = NDArray[np.float64]
Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class IkSetup(Frozen):
    """The content of an InverseKinematicsTool setup or of a task file. Paths are relative to the file's folder.

    Attributes:
        file: The file itself.
        name: Name of the tool or of the task set.
        model_file: The model (.osim); None: not named.
        marker_file: The trial (.trc); None: not named.
        coordinate_file: Motion file for tasks with the source "from_file"; None: not named.
        output_motion_file: Where the result is wanted; None: not named.
        time_range: First and last instant [s], an end may be infinite; None: all.
        marker_weights: By marker, applied tasks only; empty: every marker counts the same, as in OpenSim.
        coordinate_tasks: By coordinate, applied tasks only.
        accuracy: OpenSim's stopping criterion; None: not given.
        constraint_weight: With which OpenSim weighs broken constraints; None: not given, constraints hold exactly.
        report_errors: Whether a table of marker errors is wanted.
        report_marker_locations: Whether a table of marker positions is wanted.
        notes: What of the file was not used.
    """

    file: Path
    name: str = ""
    model_file: Path | None = None
    marker_file: Path | None = None
    coordinate_file: Path | None = None
    output_motion_file: Path | None = None
    time_range: Range | None = None
    marker_weights: Mapping[str, float] = field(default_factory=Table)
    coordinate_tasks: Mapping[str, CoordinateTask] = field(default_factory=Table)
    accuracy: float | None = None
    constraint_weight: float | None = None
    report_errors: bool = True
    report_marker_locations: bool = False
    notes: tuple[Note, ...] = ()

    def options(self, model: Model, recording: Recording | None = None) -> IkOptions:
        """Return the same as options of `solve_ik`.

        As in OpenSim, the time range begins and ends at the frames of the recording nearest to what the file says,
        and values from a motion file are interpolated to the frames.

        Args:
            model: Whose coordinates the tasks name.
            recording: The trial; without it the time range stays as it is, and values cannot come from a file.

        Raises:
            InputError: A task on a coordinate that the model does not have, a time range outside the recording, or
                values from a file without a recording or beyond the end of the file.
            ModelError: Values from a file, and none is named, cannot be read or lacks the coordinate.
        """
        unknown = [name for name in self.coordinate_tasks if name not in model.coordinates]
        if unknown:
            raise InputError(
                f"{self.file}: task on {unknown[0]!r}, however {model.name!r} has no such coordinate; it has: "
                f"{', '.join(model.coordinate_names)}"
            )
        wanted, span = self.time_range, slice(None)
        if recording is not None and wanted is not None:
            time = recording.markers.time
            span = _nearest(time, wanted, self.file)
            wanted = float(time[span][0]), float(time[span][-1])
        elif wanted is not None:
            most = float(np.finfo(np.float64).max)
            wanted = max(wanted[0], -most), min(wanted[1], most)
        goals = {}
        table: StorageFile | None = None
        for name, task in self.coordinate_tasks.items():
            value: float | Array | None = task.value
            if task.source == "from_file":
                if recording is None:
                    raise InputError(
                        f"{self.file}: task {name!r} takes its value from a file: give options() the recording, whose "
                        f"frames it is needed at"
                    )
                table = table or self._coordinates(name)
                value = self._column(table, model, name, recording.markers.time, span)
            goals[name] = Goal(task.weight, value)
        return IkOptions(weights=self.marker_weights or None, goals=goals, time_range=wanted)

    def _coordinates(self, name: str) -> StorageFile:
        if self.coordinate_file is None:
            raise ModelError(
                f"{self.file}: task {name!r} takes its value from a file, however <coordinate_file> names none."
            )
        with inside(raising=ModelError):
            data = read_bytes(self.coordinate_file)
        return parse_storage(data, self.coordinate_file)

    def _column(self, table: StorageFile, model: Model, name: str, frames: Array, span: slice) -> Array:
        """Return a column [rad], [m] at all frames of the recording, shape (n_frames,); NaN beyond the file's ends.

        Without `inDegrees=no` in its header, angles in the file are in degrees.
        """
        from scipy.interpolate import make_interp_spline

        names = (name, *(column for column in table.columns if column.endswith(f"/{name}/value")))
        column = next((table.columns.index(each) for each in names if each in table.columns), None)
        if column is None:
            raise ModelError(
                f"{self.coordinate_file}: has no column {name!r}, which a task of {self.file} needs; it has: "
                f"{', '.join(table.columns)}"
            )
        known = np.isfinite(table.values[:, column])
        time, values = table.time[known], table.values[known, column]
        slack = 0.5 * float(np.max(np.diff(frames), initial=0.0)) + 1e-9
        there = np.zeros(len(frames), dtype=bool)
        if len(time):
            there = (frames >= time[0] - slack) & (frames <= time[-1] + slack)
        if not there[span].all():
            needed = frames[span]
            has = f"{time[0]:g} to {time[-1]:g} s" if len(time) else "no values"
            option = Option("time_range")
            raise InputError(
                f"{self.coordinate_file}: {name!r} has {has}, however the trial needs {needed[0]:g} to "
                f"{needed[-1]:g} s: shorten {option}",
                parameter="time_range",
                names=[name],
                options=[option],
            )
        found = np.full(len(frames), np.nan)
        degree = max((d for d in (0, 1, 3, 5) if d < len(time)), default=0)
        if there.any():
            curve = make_interp_spline(time, values, k=degree)
            found[there] = curve(np.clip(frames[there], time[0], time[-1]))
        turns = any(each.rotational for each in describe_columns(model) if each.name == name)
        return np.radians(found) if turns and table.in_degrees is not False else found


def _nearest(time: Array, wanted: Range, file: Path) -> slice:
    """Return the frames between those nearest to the ends of a range."""
    option = Option("time_range")
    facts: dict[str, Any] = {"parameter": "time_range", "value": wanted, "options": [option]}
    if not wanted[0] <= wanted[1]:
        raise InputError(f"{file}: {option} must be a start and an end [s], however it is {wanted}", **facts)
    if not len(time) or wanted[0] > time[-1] or wanted[1] < time[0]:
        span = f"{time[0]:g} to {time[-1]:g} s" if len(time) else "no frames"
        raise InputError(
            f"{file}: {option} {wanted[0]:g} to {wanted[1]:g} s lies outside the recording, which has {span}",
            **facts,
        )
    first, last = (int(np.argmin(np.abs(time - np.clip(instant, time[0], time[-1])))) for instant in wanted)
    return slice(first, last + 1)
