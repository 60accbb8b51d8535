"""The tables of a study for spreadsheets: a unit in each heading, angles in degrees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.dynamics.blade.load_cell import BladeForce
from softstride.dynamics.loads import Loads, force_units
from softstride.kinematics.motion_table import describe_columns
from softstride.model.model import Model
from softstride.results import heading
from softstride.study.figures import knee_kind
from softstride.study.study import Study

if TYPE_CHECKING:
    import pandas as pd


def tables_of(study: Study) -> dict[str, pd.DataFrame]:
    """Return what goes into spreadsheets, by name."""
    found: dict[str, Any] = {"coordinates": _coordinates(study)}
    for label, loads in (("measured", study.measured), ("estimated", study.estimated)):
        if loads is not None:
            found |= {f"{name}_{label}": table for name, table in loads.tables().items()}
            found[f"ground_reaction_{label}"] = _ground(loads)
            bands = study.bands.get(label)
            if bands is not None:
                found[f"joint_loads_{label}_std"] = _united(bands.to_dataframe(), _load_units(loads))
    if study.validation is not None:
        found["strikes"] = study.validation.to_dataframe().set_index("strike")
    for link, blade in study.blades.items():
        found[f"{link}_force"] = _blade(blade)
    if study.forces is not None:
        found["muscle_forces_N"] = study.forces.to_dataframe()
        found["activations"] = study.forces.to_dataframe("activation")
    if study.emg:
        found["emg_envelopes"] = study.emg.to_dataframe()
    if study.emg_forces is not None:
        found["emg_muscle_forces_N"] = study.emg_forces.to_dataframe()
    if study.reactions is not None:
        found["joint_reactions"] = study.reactions.to_dataframe()
    for side, knee in study.knees.items():
        found[f"knee_{side}_{knee_kind(study)}_N"] = knee.to_dataframe()
    for name, table in found.items():
        if name != "strikes":
            table.index.name = "time_s"
    return found


def _coordinates(study: Study) -> pd.DataFrame:
    return _united(study.motion.to_dataframe(degrees=True), _coordinate_units(study.model))


def _coordinate_units(model: Model) -> dict[str, str]:
    return {column.name: column.unit for column in describe_columns(model)}


def _load_units(loads: Loads) -> dict[str, str]:
    return dict(zip(loads.model.coordinate_names, force_units(loads), strict=True))


def _united(table: pd.DataFrame, units: Mapping[str, str]) -> pd.DataFrame:
    """Return a table with the unit behind the name of each column that has one."""
    return table.rename(columns={name: heading(name, units.get(name, "")) for name in table.columns})


def _ground(loads: Loads) -> pd.DataFrame:
    """Return forces, points and moments of what acts from outside, a column for each component."""
    import pandas as pd

    columns = {
        f"{name}_{part}_{axis}_{unit}": getattr(wrench, part)[:, i]
        for name, wrench in loads.wrenches.items()
        for part, unit in (("force", "N"), ("point", "m"), ("moment", "Nm"))
        for i, axis in enumerate("xyz")
    }
    return pd.DataFrame(columns, index=pd.Index(loads.time))


def _blade(blade: BladeForce) -> pd.DataFrame:
    """Return the force of the ground on a blade, by its deformation alone."""
    import pandas as pd

    force = np.asarray(blade.force)
    columns = {f"force_{axis}_N": force[:, i] for i, axis in enumerate("xyz")}
    return pd.DataFrame(columns, index=pd.Index(blade.time))
