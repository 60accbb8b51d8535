"""Norms to lay behind curves of walking: round angles of textbooks, or a table of the laboratory's own."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.errors import CaptureError
from softstride.files import read_text
from softstride.frozen import Table
from softstride.gait.optimise import textbook
from softstride.report.curves import Norm

Array = NDArray[np.float64]

COLUMNS = {
    "hip_angle": "hip_angle_deg",
    "knee_angle": "knee_angle_deg",
    "ankle_angle": "ankle_angle_deg",
    "hip_power": "hip_power_W_per_kg",
    "knee_power": "knee_power_W_per_kg",
    "ankle_power": "ankle_power_W_per_kg",
    "vertical": "grf_vertical_N_per_kg",
    "forward": "grf_forward_N_per_kg",
}
"""Columns of a table are these with _mean and _sd behind; of joint moments every book has signs of its own."""

PERCENT = "pct_stride"

MAX_ROWS = 10_000

LARGEST = 16_000_000
"""Bytes of a table."""

HOW = "give a CSV file of norms"


@dataclass(frozen=True, eq=False)
class Norms:
    """What others do over a cycle of walking, from strike to strike.

    Attributes:
        source: Where it is from, in words.
        curves: By the names of `COLUMNS`: angles in [deg], flexion and dorsiflexion above zero; powers in [W/kg];
            forces in [N/kg].
    """

    source: str
    curves: Mapping[str, Norm]

    def __post_init__(self) -> None:
        """Freeze the table."""
        object.__setattr__(self, "curves", Table(self.curves))

    def get(self, name: str, factor: float = 1.0) -> Norm | None:
        """Return a norm times a factor; None: there is none."""
        norm = self.curves.get(name)
        if norm is None:
            return None
        sd = None if norm.sd is None else abs(factor) * norm.sd
        return Norm(norm.percent, factor * norm.mean, sd)


def textbook_norms() -> Norms:
    """Return round joint angles of walking, without a band: nobody's measurements."""
    percent = np.array(textbook.PERCENT)
    angles = {"hip_angle": textbook.HIP, "knee_angle": textbook.KNEE, "ankle_angle": textbook.ANKLE}
    return Norms(
        "round angles as textbooks draw them, nobody's measurements, so without a band",
        {name: Norm(percent, np.array(values)) for name, values in angles.items()},
    )


def read_norms(path: str | Path) -> Norms:
    """Return norms of a CSV file: `pct_stride`, and any of `COLUMNS` with _mean and, for a band, _sd behind.

    Raises:
        CaptureError: No such file, no column that is known, or a value that is no number.
    """
    file = Path(path)
    text = read_text(path, LARGEST, "a table of norms", HOW)
    try:
        rows = [row for row, _ in zip(csv.DictReader(io.StringIO(text)), range(MAX_ROWS + 1), strict=False)]
    except csv.Error as error:
        raise CaptureError(path, "text", f"is no table: {error}", HOW) from error
    if len(rows) > MAX_ROWS:
        raise CaptureError(
            path, "rows", f"more than {MAX_ROWS}", "norms have a row for each percent of the stride"
        )
    names = set(rows[0]) if rows else set()
    known = {name: column for name, column in COLUMNS.items() if f"{column}_mean" in names}
    if PERCENT not in names or not known:
        wanted = f"{PERCENT} and columns such as knee_angle_deg_mean and knee_angle_deg_sd"
        raise CaptureError(path, "first line", "names no norms", f"it needs {wanted}")
    percent = _column(path, rows, PERCENT)
    if len(percent) < 2 or np.any(np.diff(percent) <= 0.0) or percent[0] < 0.0 or percent[-1] > 100.0:
        raise CaptureError(path, PERCENT, "does not increase from 0 to 100", "sort the rows")
    found = {}
    for name, column in known.items():
        sd = _column(path, rows, f"{column}_sd") if f"{column}_sd" in names else None
        found[name] = Norm(percent, _column(path, rows, f"{column}_mean"), sd)
    return Norms(file.name, found)


def _column(path: str | Path, rows: list[dict[str, str]], name: str) -> Array:
    try:
        values = np.array([float(row[name]) for row in rows])
    except (TypeError, ValueError) as error:
        raise CaptureError(path, name, f"a value is no number: {error}", "leave no row empty") from error
    if not np.isfinite(values).all():
        raise CaptureError(path, name, "a value is not finite", "leave no row empty")
    return values
