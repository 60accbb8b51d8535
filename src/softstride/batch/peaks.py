"""Peaks of a study by side, for statistics: one number each, by name, with units in the names.

Right and left are told by the names of coordinates and links; what has no side has no peaks here. Loads count only in
frames that are known and not doubtful.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.dynamics.validation.feet import foot_loads
from softstride.files import write_whole
from softstride.kinematics.motion_table import describe_columns, table_of
from softstride.naming import SIDES, side_of
from softstride.study.study import Study

PEAKS = "peaks.json"


def find_peaks(study: Study) -> dict[str, float]:
    """Return extremes of angles [deg], moments [N·m/kg] and the upward ground reaction [body weights], by name.

    `knee_angle_r_max_deg`, `knee_angle_r_moment_min_Nm_kg`, `grf_right_up_peak_bw` and so on; what is not known is left
    out.
    """
    found: dict[str, float] = {}
    angles = np.rad2deg(table_of(study.model, study.motion.q))
    for i, name in _sided_angles(study):
        found |= _extremes(name, "deg", angles[:, i])
    loads = study.loads
    if loads is None:
        return found
    believed = loads.known & ~loads.doubtful
    for i, name in _sided_angles(study):
        found |= _extremes(f"{name}_moment", "Nm_kg", loads.tau[believed, i] / study.model.mass)
    return found | _ground(loads, believed, study.weight)


def write_peaks(study: Study, path: Path) -> None:
    """Write the peaks of a study as a JSON object."""
    write_whole(path, (json.dumps(find_peaks(study), indent=1) + "\n").encode("utf-8"))


def _sided_angles(study: Study) -> Iterator[tuple[int, str]]:
    """Yield column and name of the angles of one side."""
    for i, column in enumerate(describe_columns(study.model)):
        if column.unit == "rad" and side_of(column.name):
            yield i, column.name


def _ground(loads: Loads, believed: NDArray[np.bool_], weight: float) -> dict[str, float]:
    found: dict[str, float] = {}
    for side, foot in foot_loads(loads.wrenches).items():
        up = foot.vertical[believed]
        if side in SIDES and np.isfinite(up).any():
            found[f"grf_{side}_up_peak_bw"] = float(np.nanmax(up)) / weight
    return found


def _extremes(name: str, unit: str, values: NDArray[np.float64]) -> dict[str, float]:
    if not np.isfinite(values).any():
        return {}
    return {
        f"{name}_max_{unit}": float(np.nanmax(values)),
        f"{name}_min_{unit}": float(np.nanmin(values)),
    }
