"""Paths of muscles as labelled tables: `xarray.Dataset` and `pandas.DataFrame`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.errors import InputError
from softstride.model.checks import names_hint

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from softstride.muscles.paths.paths import MusclePaths


def paths_dataset(found: MusclePaths) -> xr.Dataset:
    """Return all arrays with their names and units; see `MusclePaths.to_xarray`."""
    import xarray as xr

    frames = ("frame",) if found.length.ndim == 2 else ()
    data: dict[str, Any] = {
        "length": ((*frames, "muscle"), found.length, {"units": "m"}),
        "arm": ((*frames, "muscle", "coordinate"), found.arms, {"units": "m, 1"}),
    }
    if found.speed is not None:
        data["speed"] = ((*frames, "muscle"), found.speed, {"units": "m/s"})
    coords = {"muscle": list(found.names), "coordinate": list(found.coordinates)}
    return xr.Dataset(data, coords=coords, attrs={"notes": "\n".join(map(str, found.notes))})


def paths_dataframe(found: MusclePaths, what: str) -> pd.DataFrame:
    """Return one column a muscle, one row a frame; see `MusclePaths.to_dataframe`."""
    import pandas as pd

    if what in found.coordinates:
        values = found.arms[..., found.coordinates.index(what)]
    elif what == "length":
        values = found.length
    elif what == "speed" and found.speed is not None:
        values = found.speed
    else:
        known = ("length", *(() if found.speed is None else ("speed",)), *found.coordinates)
        raise InputError(f"a table of paths holds one of {names_hint(known, what)}, not {what!r}")
    return pd.DataFrame(np.atleast_2d(values), columns=list(found.names)).rename_axis("frame")
