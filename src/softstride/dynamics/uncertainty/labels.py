"""Bands of loads as labelled tables: `xarray.Dataset` and `pandas.DataFrame`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.dynamics.loads_labels import AXES, WRENCH, force_units

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from softstride.dynamics.uncertainty.bands import LoadBands

TOTAL = "total"


def bands_dataset(bands: LoadBands) -> xr.Dataset:
    """Return deviations by source ("total" first) with names and units; see `LoadBands.to_xarray`."""
    import xarray as xr

    loads = bands.loads
    parts = {TOTAL: bands.total, **bands.sources}
    coords: dict[str, Any] = {
        "time": ("time", bands.time, {"units": "s"}),
        "source": ("source", list(parts)),
        "coordinate": ("coordinate", list(loads.model.coordinate_names)),
        "coordinate_unit": ("coordinate", force_units(loads)),
        "component": ("component", list(WRENCH)),
    }
    data: dict[str, Any] = {
        "tau_std": (
            ("source", "time", "coordinate"),
            np.stack([part.tau for part in parts.values()]),
            {"units": "coordinate_unit"},
        ),
        "residual_std": (
            ("source", "time", "component"),
            np.stack([part.residual for part in parts.values()]),
            {"units": "N m, N"},
        ),
    }
    names = list(bands.ground_std)
    if names:
        coords |= {"load": names, "axis": list(AXES)}
        for field, unit in (("force", "N"), ("point", "m")):
            stack = [[getattr(part.ground[name], field) for name in names] for part in parts.values()]
            data[f"{field}_std"] = (
                ("source", "time", "load", "axis"),
                np.swapaxes(np.array(stack), 1, 2),
                {"units": unit},
            )
    notes = list(map(str, bands.notes))
    return xr.Dataset(data, coords=coords, attrs={"model": loads.model.name, "notes": notes})


def bands_dataframe(bands: LoadBands) -> pd.DataFrame:
    """Return the deviations of the generalized forces by coordinate; see `LoadBands.to_dataframe`."""
    import pandas as pd

    index = pd.Index(bands.time, name="time")
    return pd.DataFrame(bands.tau_std, index=index, columns=list(bands.loads.model.coordinate_names))
