"""Measured angles beside a walk: a table over the stride, as norms have it or as `softstride segments` writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from softstride.errors import CaptureError
from softstride.files import read_bytes
from softstride.gait.body import JOINTS

if TYPE_CHECKING:
    from softstride.capture.text.csv import CsvFile
    from softstride.gait.walk import Walk

Floats = NDArray[np.float64]

PERCENT = ("pct_stride", "percent")
FORCES = {"vertical": "grf_vertical_N_per_kg_mean", "forward": "grf_forward_N_per_kg_mean"}
CURVES = {"hip flexion angle": 1.0, "knee extension angle": -1.0, "ankle dorsiflexion angle": 1.0}
"""Curves of `softstride segments`, and the sign that makes them flexion and dorsiflexion."""

LARGEST = 16_000_000
"""Bytes of a table."""

FEWEST = 8
"""Numbers that a curve needs."""

STANCE = 62.0
"""End of stance where forces are compared [% of the stride]."""

_ANGLE = re.compile(r"(?:(right|left)_)?(hip|knee|ankle)_angle_deg(?:_(mean|sd))?")
_HOW = (
    "give a CSV table with a column percent and columns such as hip_angle_deg, knee_angle_deg and ankle_angle_deg "
    "(flexion and dorsiflexion positive), or the cycles.csv of softstride segments"
)


@dataclass(frozen=True, eq=False)
class Measured:
    """Angles over the stride of each leg, from its heel strike to its next one.

    Attributes:
        name: Of the file.
        percent: Of the stride, shape (n,).
        angles: By joint of the walker, flexion and dorsiflexion positive, shape (n,), [degrees].
        bands: Standard deviations of those that have one, shape (n,), [degrees].
        forces: "vertical" and "forward" on a foot over body mass, if the table has them, shape (n,), [N/kg].
    """

    name: str
    percent: Floats
    angles: Mapping[str, Floats]
    bands: Mapping[str, Floats]
    forces: Mapping[str, Floats]

    def at(self, values: Floats, percent: Floats) -> Floats:
        """Return a column of the table at other shares of the stride; NaN where these are, and beyond its numbers."""
        rows = np.isfinite(values)
        return np.asarray(CubicSpline(self.percent[rows], values[rows], extrapolate=False)(percent))


def clinical_angles(walk: Walk) -> Floats:
    """Return joint angles with flexion and dorsiflexion positive, shape (n, 6), [degrees], as `JOINTS`."""
    signs = np.array([-1.0 if name.endswith("knee") else 1.0 for name in JOINTS])
    return np.degrees(walk.joint_angles) * signs


def stride_percent(walk: Walk) -> Floats:
    """Return where right and left leg are in their strides, shape (n, 2), [%]; NaN in a step that was not completed.

    The leg that stands is in the first half of its stride, the other in the second.
    """
    percent = np.full((walk.n_frames, 2), np.nan)
    for step in walk.steps:
        if step.completed:
            own = np.flatnonzero((walk.time >= step.start) & (walk.time <= step.heel_strike))
            share = 50.0 * (walk.time[own] - step.start) / step.duration
            stands = ("right", "left").index(step.stance)
            percent[own, stands], percent[own, 1 - stands] = share, 50.0 + share
    return percent


def compare_measured(walk: Walk, measured: Measured) -> dict[str, float]:
    """Return root mean square differences of the angles by joint [degrees], and of the vertical force [%].

    The force is that on the standing foot from 0 to 50 % of the stride and that on the other one from there to
    `STANCE`, its difference over the mean of both ranges. Without a whole step there is nothing to compare.
    """
    percent, angles = stride_percent(walk), clinical_angles(walk)
    if not np.isfinite(percent).any():
        return {}
    found = {}
    for name, values in measured.angles.items():
        leg = 0 if name.startswith("right") else 1
        error = angles[:, JOINTS.index(name)] - measured.at(values, percent[:, leg])
        found[f"{name}_rms_deg"] = float(np.sqrt(np.nanmean(error**2)))
    if "vertical" in measured.forces:
        force = walk.ground_force[..., 1] / walk.body.mass
        norm = measured.at(measured.forces["vertical"], percent)
        rows = np.isfinite(norm) & (percent <= STANCE)
        rms = float(np.sqrt(np.mean((force[rows] - norm[rows]) ** 2)))
        found["vertical_force_rrmse_percent"] = 200.0 * rms / float(np.ptp(force[rows]) + np.ptp(norm[rows]))
    return found


def read_measured(path: Path) -> Measured:
    """Return the angles of a table.

    Raises:
        CaptureError: No such file, or none of the tables that are known.
    """
    from softstride.capture.text.csv import parse_csv

    table = parse_csv(read_bytes(path, LARGEST, "a table over the stride", _HOW), path)
    found = _cycles(table, path) if "curve" in table.text_columns else _norms(table, path)
    if not found.angles:
        raise CaptureError(path, "columns", "no angle of hip, knee or ankle is there", _HOW)
    for name, values in found.angles.items():
        if not _enough(values):
            raise CaptureError(
                path, name, f"has fewer than {FEWEST} numbers", "give more rows over the stride"
            )
        if name.endswith("knee") and np.nanmean(values) < -5.0:
            problem = f"counts flexion negative: its mean is {np.nanmean(values):.0f} degrees"
            raise CaptureError(path, name, problem, "turn its sign")
    return found


def _enough(values: Floats) -> bool:
    return int(np.isfinite(values).sum()) >= FEWEST


def _norms(table: CsvFile, path: Path) -> Measured:
    """Return columns for one leg, or for each, over the stride."""
    columns = dict(zip(table.columns, table.values.T, strict=True))
    key = next((name for name in PERCENT if name in columns), None)
    if key is None:
        raise CaptureError(path, "columns", f"none is called {' or '.join(PERCENT)}", _HOW)
    angles: dict[str, Floats] = {}
    bands: dict[str, Floats] = {}
    for name, values in columns.items():
        found = _ANGLE.fullmatch(name)
        if found is None:
            continue
        side, joint, what = found.groups()
        for leg in (side,) if side else ("right", "left"):
            (bands if what == "sd" else angles)[f"{leg}_{joint}"] = values
    forces = {word: columns[name] for word, name in FORCES.items() if name in columns}
    return _checked(Measured(path.name, columns[key], _ordered(angles), bands, forces), path)


def _cycles(table: CsvFile, path: Path) -> Measured:
    """Return the curves that `softstride segments` writes, one row for each side, curve and share of the cycle."""
    columns = dict(zip(table.columns, table.values.T, strict=True))
    missing = {"percent", "mean", "sd"} - columns.keys() | {"side", "curve"} - table.text_columns.keys()
    if missing:
        raise CaptureError(path, "columns", f"there is no {sorted(missing)[0]}", _HOW)
    side, curve = (np.array(table.text_columns[name]) for name in ("side", "curve"))
    angles: dict[str, Floats] = {}
    bands: dict[str, Floats] = {}
    percent = np.zeros(0)
    for leg in ("right", "left"):
        for label, sign in CURVES.items():
            rows = (side == leg) & (curve == label)
            if rows.any():
                name = f"{leg}_{label.partition(' ')[0]}"
                percent = columns["percent"][rows]
                angles[name], bands[name] = sign * columns["mean"][rows], columns["sd"][rows]
    if len({len(values) for values in angles.values()}) > 1:
        raise CaptureError(path, "rows", "curves differ in their number of rows", "write the table again")
    return _checked(Measured(path.name, percent, _ordered(angles), bands, {}), path)


def _ordered(angles: Mapping[str, Floats]) -> dict[str, Floats]:
    return {name: angles[name] for name in JOINTS if name in angles}


def _checked(measured: Measured, path: Path) -> Measured:
    """Return the table without bands and forces that are empty, as those of a single cycle are."""
    percent = measured.percent
    if measured.angles and not (
        len(percent) >= FEWEST
        and np.isfinite(percent).all()
        and np.all(np.diff(percent) > 0.0)
        and abs(percent[0]) < 1e-9
        and abs(percent[-1] - 100.0) < 1e-9
    ):
        problem = f"does not increase from 0 to 100 in {FEWEST} rows or more"
        raise CaptureError(path, "percent", problem, "give one whole stride")
    bands, forces = (
        {name: values for name, values in each.items() if _enough(values)}
        for each in (measured.bands, measured.forces)
    )
    return replace(measured, bands=bands, forces=forces)
