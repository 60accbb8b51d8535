"""Loads as labelled tables: `xarray.Dataset` and `pandas.DataFrame`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.kinematics.motion_table import describe_columns

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from softstride.dynamics.loads import Loads

CONJUGATE = {"rad": "N m", "m": "N", "1/m": "N m^2", "1": "N m", "": "J"}
"""Unit of a generalized force by that of its coordinate; "J" for a coordinate without a unit."""

WRENCH = ("mx", "my", "mz", "fx", "fy", "fz")
AXES = ("x", "y", "z")


def loads_dataset(loads: Loads) -> xr.Dataset:
    """Return all arrays of loads with their names and units; see `Loads.to_xarray`."""
    import xarray as xr

    names, units = list(loads.model.coordinate_names), force_units(loads)
    coords: dict[str, Any] = {
        "time": ("time", loads.time, {"units": "s"}),
        "coordinate": ("coordinate", names),
        "coordinate_unit": ("coordinate", units),
        "component": ("component", list(WRENCH)),
    }
    data: dict[str, Any] = {
        "tau": (("time", "coordinate"), loads.tau, {"units": "coordinate_unit"}),
        "elastic": (("time", "coordinate"), loads.elastic, {"units": "coordinate_unit"}),
        "residual": (("time", "component"), loads.residual, {"units": "N m, N", "link": loads.base or ""}),
        "doubtful": ("time", loads.doubtful),
    }
    if loads.wrenches:
        coords |= {"load": list(loads.wrenches), "axis": list(AXES)}
        coords["load_link"] = ("load", [wrench.link for wrench in loads.wrenches.values()])
        for name, unit in (("force", "N"), ("point", "m"), ("moment", "N m")):
            stack = np.stack([getattr(wrench, name) for wrench in loads.wrenches.values()], axis=1)
            data[f"applied_{name}"] = (("time", "load", "axis"), stack, {"units": unit})
    if loads.socket:
        coords["socket_link"] = list(loads.socket)
        stack = np.stack([wrench.values for wrench in loads.socket.values()], axis=1)
        data["socket"] = (("time", "socket_link", "component"), stack, {"units": "N m, N"})
    notes = "\n".join(map(str, loads.notes))
    return xr.Dataset(data, coords=coords, attrs={"model": loads.model.name, "notes": notes})


def loads_dataframe(loads: Loads) -> pd.DataFrame:
    """Return the generalized forces by coordinate; see `Loads.to_dataframe`."""
    import pandas as pd

    index = pd.Index(loads.time, name="time")
    return pd.DataFrame(loads.tau, index=index, columns=list(loads.model.coordinate_names))


def force_units(loads: Loads) -> list[str]:
    """Return the unit of each column of tau."""
    return [CONJUGATE[column.unit] for column in describe_columns(loads.model)]
