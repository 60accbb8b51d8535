"""A motion as labelled tables: `xarray.Dataset` and `pandas.DataFrame`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softstride.kinematics.motion_table import describe_columns, table_of
from softstride.model.joints import Free, Spherical
from softstride.model.model import Model

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from softstride.kinematics.motion import Motion

QUATERNION = ("qx", "qy", "qz", "qw")


def motion_dataset(motion: Motion) -> xr.Dataset:
    """Return q, v, a and the errors of the markers with their names and units; see `Motion.to_xarray`."""
    import xarray as xr

    model = motion.model
    columns = describe_columns(model)
    places = describe_places(model)
    coords: dict[str, Any] = {
        "time": ("time", motion.time, {"units": "s"}),
        "place": ("place", [name for name, _ in places]),
        "place_unit": ("place", [unit for _, unit in places]),
        "coordinate": ("coordinate", list(model.coordinate_names)),
        "coordinate_unit": ("coordinate", [column.unit for column in columns]),
    }
    data: dict[str, Any] = {
        "q": (("time", "place"), motion.q, {"units": "place_unit"}),
        "v": (("time", "coordinate"), motion.v, {"units": "coordinate_unit / s"}),
        "a": (("time", "coordinate"), motion.a, {"units": "coordinate_unit / s^2"}),
    }
    if motion.fit is not None:
        coords["marker"] = ("marker", list(motion.fit.names))
        data["marker_error"] = (("time", "marker"), motion.fit.error, {"units": "m"})
    return xr.Dataset(
        data, coords=coords, attrs={"model": model.name, "notes": "\n".join(map(str, motion.notes))}
    )


def motion_dataframe(motion: Motion, *, degrees: bool = False) -> pd.DataFrame:
    """Return the columns of the files of a motion; see `Motion.to_dataframe`."""
    import pandas as pd

    values = table_of(motion.model, motion.q, degrees=degrees)
    index = pd.Index(motion.time, name="time")
    return pd.DataFrame(values, index=index, columns=list(motion.model.coordinate_names))


def describe_places(model: Model) -> list[tuple[str, str]]:
    """Return name and unit of every place in q: "hip.qx" to "hip.qw" for quaternions, coordinates for the rest."""
    units = {column.name: column.unit for column in describe_columns(model)}
    found: dict[int, tuple[str, str]] = {}
    for link in model.links:
        names = link.coordinate_names
        own = [(name, units[name]) for name in names]
        if isinstance(link.joint, Spherical | Free):
            own = [*own[3:], *((f"{link.name}.{part}", "1") for part in QUATERNION)]
        for place, name in zip(model.q_indices(link.name), own, strict=True):
            found.setdefault(place, name)
    return [found[place] for place in range(model.nq)]
