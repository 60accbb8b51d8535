"""Reactions as labelled tables: `xarray.Dataset` and `pandas.DataFrame`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softstride.muscles.reactions.joints import body_name

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from softstride.muscles.reactions.result import JointReactions


def reactions_dataset(reactions: JointReactions) -> xr.Dataset:
    """Return all arrays with their names and units; see `JointReactions.to_xarray`."""
    import xarray as xr

    acting = [body_name(each.child if reactions.on == "child" else each.parent) for each in reactions.joints]
    coords: dict[str, Any] = {
        "time": ("time", reactions.time, {"units": "s"}),
        "joint": ("joint", list(reactions.names)),
        "on": ("joint", acting),
        "expressed_in": ("joint", list(reactions.axes)),
        "axis": ("axis", ["x", "y", "z"]),
        "coordinate": ("coordinate", list(reactions.model.coordinate_names)),
    }
    whole = ("time", "joint", "axis")
    data: dict[str, Any] = {
        "force": (whole, reactions.force, {"units": "N"}),
        "moment": (whole, reactions.moment, {"units": "N m"}),
        "point": (whole, reactions.point, {"units": "m"}),
        "rest": (("time", "coordinate"), reactions.rest),
    }
    attrs = {
        "model": reactions.model.name,
        "body_weight_n": reactions.body_weight,
        "muscles": "\n".join(reactions.muscles),
        "notes": "\n".join(map(str, reactions.notes)),
    }
    return xr.Dataset(data, coords=coords, attrs=attrs)


def reactions_dataframe(reactions: JointReactions) -> pd.DataFrame:
    """Return all columns of OpenSim's files; see `JointReactions.to_dataframe`."""
    import pandas as pd

    index = pd.Index(reactions.time, name="time")
    return pd.DataFrame(reactions.table, index=index, columns=list(reactions.columns))
