"""Muscle forces as labelled tables: `xarray.Dataset` and `pandas.DataFrame`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softstride.dynamics.loads import CONJUGATE
from softstride.errors import InputError
from softstride.kinematics.motion_table import describe_columns

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from softstride.muscles.sharing.forces import MuscleForces


def forces_dataset(forces: MuscleForces) -> xr.Dataset:
    """Return all arrays with their names and units; see `MuscleForces.to_xarray`."""
    import xarray as xr

    coords: dict[str, Any] = {
        "time": ("time", forces.time, {"units": "s"}),
        "muscle": ("muscle", list(forces.names)),
    }
    by_muscle, by_coordinate, by_actuator = ("time", "muscle"), ("time", "coordinate"), ("time", "actuator")
    data: dict[str, Any] = {
        "force": (by_muscle, forces.force, {"units": "N"}),
        "activation": (by_muscle, forces.activation, {"units": "1"}),
        "converged": ("time", forces.converged),
        "iterations": ("time", forces.iterations),
    }
    for name in ("stationarity", "feasibility"):
        data[name] = ("time", getattr(forces, name), {"units": "1"})
    if forces.coordinates:  # a dimension of no length means another thing in files
        coords["coordinate"] = ("coordinate", list(forces.coordinates))
        coords["coordinate_unit"] = ("coordinate", moment_units(forces))
        data["reserve_size"] = ("coordinate", forces.reserve_size, {"units": "coordinate_unit"})
        for name in ("demand", "moment", "reserve", "moment_residual"):
            data[name] = (by_coordinate, getattr(forces, name), {"units": "coordinate_unit"})
    if forces.actuators:
        coords["actuator"] = ("actuator", list(forces.actuators))
        coords["actuator_coordinate"] = ("actuator", list(forces.actuator_coordinates))
        data["actuator_force"] = (by_actuator, forces.actuator_force, {"units": "N m, N"})
        data["control"] = (by_actuator, forces.control, {"units": "1"})
    return xr.Dataset(
        data, coords=coords, attrs={"model": forces.model.name, "notes": "\n".join(map(str, forces.notes))}
    )


def forces_dataframe(forces: MuscleForces, what: str) -> pd.DataFrame:
    """Return one column a muscle; see `MuscleForces.to_dataframe`."""
    import pandas as pd

    if what not in ("force", "activation"):
        raise InputError(f"a table of muscles holds 'force' or 'activation', not {what!r}")
    index = pd.Index(forces.time, name="time")
    return pd.DataFrame(getattr(forces, what), index=index, columns=list(forces.names))


def moment_units(forces: MuscleForces) -> list[str]:
    """Return the unit of the generalized force of each coordinate."""
    units = {column.name: CONJUGATE[column.unit] for column in describe_columns(forces.model)}
    return [units[name] for name in forces.coordinates]
