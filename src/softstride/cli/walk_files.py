"""Files of `softstride walk`: frames, events and energy as tables, the motion for other tools, the recipe to edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.cli.files import filled
from softstride.cli.walk_study import WalkStudy
from softstride.errors import InputError
from softstride.files import write_whole
from softstride.gait.body import JOINTS
from softstride.gait.walk import Walk
from softstride.harmless import csv_line
from softstride.kinematics.motion import Motion
from softstride.kinematics.motion_files import format_motion

TABLES = ("walk.csv", "baseline.csv", "events.csv", "energy.csv", "walk.mot", "recipe.toml")
"""Names that a run may take."""


def check_folder(out: Path, names: Iterable[str], overwrite: bool) -> None:
    """Refuse a folder that cannot take these files."""
    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out}: is no folder; choose another name")
    there = [name for name in names if (out / name).exists()]
    if there and not overwrite:
        raise InputError(
            f"--out {out}: {', '.join(there)} exist already; choose another folder, or give --overwrite"
        )


def write_files(out: Path, files: Mapping[str, bytes], overwrite: bool) -> list[str]:
    """Write files, each whole or not at all, into a folder that is made if missing; return their names."""
    with filled(out):
        check_folder(out, files, overwrite)
        for name, data in files.items():
            write_whole(out / name, data, overwrite=overwrite)
    return list(files)


def walk_files(study: WalkStudy) -> dict[str, bytes]:
    """Return the files of a study by name; units are SI, angles in radians but in the .mot."""
    walks = {"walk": study.walk} | ({} if study.baseline is None else {"baseline": study.baseline})
    files = {f"{name}.csv": frames_table(walk.table()) for name, walk in walks.items()}
    return files | {
        "events.csv": _event_table(walks),
        "energy.csv": _energy_table(walks),
        "walk.mot": motion_file(study.walk.plain),
        "recipe.toml": study.recipe.to_toml().encode("utf-8"),
    }


def frames_table(columns: Mapping[str, NDArray[np.float64]]) -> bytes:
    """Return named columns as CSV; every digit is kept, and what is not there is empty."""
    rows = np.stack(list(columns.values()), axis=1)
    return _csv(columns, rows.tolist())


def motion_file(motion: Motion) -> bytes:
    """Return a motion as OpenSim's .mot."""
    return format_motion(motion)[0]


def _event_table(walks: Mapping[str, Walk]) -> bytes:
    rows = []
    for run, walk in walks.items():
        for step in walk.steps:
            for each in walk.transitions:
                if step.events.get(each.name) == each.time:
                    share = 100.0 * (each.time - step.start) / step.duration
                    rows.append((run, step.number, each.name, each.time, share, each.energy_lost))
    return _csv(("run", "step", "event", "time", "percent_of_step", "energy_lost"), rows)


def _energy_table(walks: Mapping[str, Walk]) -> bytes:
    head = ("run", "step", "phase", "start", "end", "energy_start", "energy_end")
    rows = []
    for run, walk in walks.items():
        for each in walk.phases:
            span = (each.start, each.end, each.energy_start, each.energy_end)
            rows.append(
                (run, each.step, each.phase, *span, *each.work, each.passive, each.damper, each.error)
            )
    return _csv((*head, *(f"work_{name}" for name in JOINTS), "passive", "damper", "error"), rows)


def _csv(head: Iterable[str], rows: Iterable[Iterable[object]]) -> bytes:
    lines = [csv_line(head), *(csv_line(_cell(cell) for cell in row) for row in rows)]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _cell(value: object) -> str:
    if isinstance(value, (str, int)):
        return str(value)
    number = float(value)  # type: ignore[arg-type]
    return repr(number) if np.isfinite(number) else ""
