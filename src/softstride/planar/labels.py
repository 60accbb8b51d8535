"""Results as labelled tables: `xarray.Dataset` and tidy `pandas.DataFrame`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from softstride.planar.induced import Induced
    from softstride.planar.results import Reactions, Torques
    from softstride.planar.simulate import Simulation
    from softstride.planar.table import Contributions

AXES = ("x", "y")


def reactions_dataset(result: Reactions) -> xr.Dataset:
    """Return joint reactions by time, joint and axis."""
    data = {
        "force": (("joint", "axis"), result.force, "N"),
        "compression": (("joint",), result.compression, "N"),
        "shear": (("joint",), result.shear, "N"),
    }
    if result.residual is not None:
        data["residual"] = (("axis",), result.residual, "N")
    return _dataset(result, data, {})


def torques_dataset(result: Torques) -> xr.Dataset:
    """Return torques by time and joint."""
    data: dict[str, Any] = {
        "given": (("joint",), result.given, "N m"),
        "required": (("joint",), result.required, "N m"),
    }
    if result.residual is not None:
        data["residual"] = ((), result.residual, "N m")
    return _dataset(result, data, {})


def contributions_dataset(result: Contributions) -> xr.Dataset:
    """Return forces and torques by time, joint, source and axis."""
    data = {
        "force": (("joint", "source", "axis"), result.force, "N"),
        "torque": (("joint", "source"), result.torque, "N m"),
    }
    return _dataset(result, data, _source_coordinates(result))


def induced_dataset(result: Induced) -> xr.Dataset:
    """Return forces and accelerations by time, joint, source and axis; link j stands with joint j."""
    coords = _source_coordinates(result) | {"link": ("joint", list(result.chain.links[1:]))}
    data = {
        "force": (("joint", "source", "axis"), result.force, "N"),
        "acceleration": (("joint", "source"), result.acceleration, "rad/s^2"),
    }
    if result.fixed:
        coords["contact"] = ("contact", list(result.fixed))
        data["contact_force"] = (("contact", "source", "axis"), result.contact_force, "N")
    return _dataset(result, data, coords)


def simulation_dataset(result: Simulation) -> xr.Dataset:
    """Return a simulated motion by time and link, energies by time, work by time and kind."""
    import xarray as xr

    state, by_link = result.state, ("time", "link")
    coords = {
        "time": ("time", state.time, {"units": "s"}),
        "link": list(result.chain.links),
        "kind": list(result.KINDS),
    }
    data = {
        "theta": (by_link, state.theta, {"units": "rad"}),
        "omega": (by_link, state.omega, {"units": "rad/s"}),
        "alpha": (by_link, state.alpha, {"units": "rad/s^2"}),
        "kinetic": ("time", result.kinetic, {"units": "J"}),
        "potential": ("time", result.potential, {"units": "J"}),
        "work": (("time", "kind"), result.work, {"units": "J"}),
    }
    return xr.Dataset(data, coords=coords, attrs={"chain": result.chain.name})


def simulation_dataframe(result: Simulation) -> pd.DataFrame:
    """Return a simulated motion with one row a frame."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for name in ("theta", "omega", "alpha"):
        values = np.asarray(getattr(result.state, name))
        columns |= {f"{name}:{link}": values[:, i] for i, link in enumerate(result.chain.links)}
    columns |= {"kinetic": result.kinetic, "potential": result.potential}
    columns |= {f"work:{kind}": result.work[:, k] for k, kind in enumerate(result.KINDS)}
    return pd.DataFrame(columns, index=pd.Index(result.state.time, name="time"))


def _source_coordinates(result: Contributions | Induced) -> dict[str, Any]:
    return {
        "source": ("source", list(result.labels)),
        "kind": ("source", [source.kind for source in result.sources]),
    }


def _dataset(
    result: Reactions | Torques | Contributions | Induced,
    data: dict[str, tuple[tuple[str, ...], Any, str]],
    coords: dict[str, Any],
) -> xr.Dataset:
    import xarray as xr

    frames: tuple[str, ...] = ()
    first, (dims, values, _) = next(iter(data.items()))
    del first
    if np.ndim(values) > len(dims):
        frames = ("time",) if result.time is not None else ("frame",)
        instants = result.time if result.time is not None else np.arange(len(values))
        coords = {frames[0]: (frames, instants, {"units": "s"} if result.time is not None else {}), **coords}
    coords["joint"] = ("joint", list(result.chain.joints))
    if any("axis" in dims for dims, _, _ in data.values()):
        coords["axis"] = ("axis", list(AXES))
    variables = {
        name: ((*frames, *dims), values, {"units": unit}) for name, (dims, values, unit) in data.items()
    }
    attributes = {"chain": result.chain.name, "notes": [*map(str, result.notes)]}
    if hasattr(result, "form"):
        attributes["form"] = result.form
    return xr.Dataset(variables, coords=coords, attrs=attributes)


def tidy(dataset: xr.Dataset, components: tuple[str, ...]) -> pd.DataFrame:
    """Return one row for each place of the dataset; components of force become columns of these names."""
    if components:
        x, y = components
        force = dataset["force"]
        dataset = dataset.drop_vars("force").assign(
            {x: force.sel(axis="x", drop=True), y: force.sel(axis="y", drop=True)}
        )
    return dataset.drop_vars("axis", errors="ignore").to_dataframe().reset_index()
