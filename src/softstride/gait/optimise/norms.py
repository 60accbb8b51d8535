"""Norms of walking: what the legs of many people do on average, over a stride."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.errors import CaptureError, InputError
from softstride.files import read_text
from softstride.results import Result, values

Floats = NDArray[np.float64]

LARGEST = 4_000_000
"""Bytes of a table; a stride has some hundred rows."""

COLUMNS = {
    "percent": "pct_stride",
    "ankle": "ankle_angle_deg_mean",
    "knee": "knee_angle_deg_mean",
    "hip": "hip_angle_deg_mean",
    "vertical": "grf_vertical_N_per_kg_mean",
    "forward": "grf_forward_N_per_kg_mean",
}
"""Columns of a table as `read` takes it; angles in degrees."""


class GaitNorms(Result, of="norms"):
    """One leg over a stride, from heel strike to heel strike.

    Attributes:
        percent: Of the stride, from 0 to 100, increasing, shape (n,).
        ankle: Dorsiflexion, shape (n,), [rad].
        knee: Flexion, shape (n,), [rad].
        hip: Flexion, shape (n,), [rad].
        vertical: Force of the floor on this foot, upwards, over body mass, shape (n,), [N/kg].
        forward: The same, forwards, [N/kg].
    """

    percent: Floats = values("row", "%", finite=True)
    ankle: Floats = values("row", "rad", finite=True)
    knee: Floats = values("row", "rad", finite=True)
    hip: Floats = values("row", "rad", finite=True)
    vertical: Floats = values("row", "N/kg", finite=True)
    forward: Floats = values("row", "N/kg", finite=True)

    def check(self) -> None:
        """Check that it is a whole stride."""
        increasing = len(self.percent) >= 8 and bool(np.all(np.diff(self.percent) > 0.0))
        if not increasing or abs(self.percent[0]) > 1e-9 or abs(self.percent[-1] - 100.0) > 1e-9:
            raise InputError("percent of norms must increase from 0 to 100 in 8 rows or more")

    @classmethod
    def read(cls, path: str | Path) -> GaitNorms:
        """Return norms of a CSV file whose first line has the names of `COLUMNS`.

        Raises:
            CaptureError: No such file, a column is missing, or a value is no number.
        """
        text = read_text(path, LARGEST, "a table of norms", "give a CSV file of norms")
        table = csv.DictReader(io.StringIO(text))
        missing = [name for name in COLUMNS.values() if name not in (table.fieldnames or ())]
        if missing:
            raise CaptureError(
                path, "first line", f"no column {missing[0]}", "name the columns as `COLUMNS` does"
            )
        rows = list(table)
        columns = {}
        for name, column in COLUMNS.items():
            try:
                values = np.array([float(row[column]) for row in rows])
            except (TypeError, ValueError) as error:
                raise CaptureError(
                    path, column, f"a value is no number: {error}", "leave no row empty"
                ) from error
            columns[name] = np.radians(values) if column.endswith("deg_mean") else values
        return cls(**columns)
