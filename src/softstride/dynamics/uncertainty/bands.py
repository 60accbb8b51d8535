"""`LoadBands`: how well loads are known, in total and by what makes them uncertain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads, force_units
from softstride.errors import InputError
from softstride.fields import AT_LEAST_0, checked
from softstride.frozen import Table
from softstride.model.checks import names_hint
from softstride.notes import Note
from softstride.results import Labels, Result, values

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

RESIDUAL = "residual"
"""Name of the residual among the curves of `LoadBands.band`."""

TOTAL = "total"
"""Name of all sources together, in `LoadBands.to_xarray`."""


class WrenchStd(Result, of="a deviation"):
    """Standard deviations of a load from outside, along the world axes.

    Attributes:
        force: Shape (n, 3), [N].
        point: Of the centre of pressure, shape (n, 3), [m]; NaN where nothing acts, or too little to have one.
    """

    force: Array = values("time axis", "N")
    point: Array = values("time axis", "m")

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"WrenchStd({len(self.force)} frames, force {rms(self.force):.3g} N rms)"


class Deviations(Result, of="deviations"):
    """Standard deviations of loads from one source, or from all.

    Attributes:
        tau: Of the generalized forces, shape (n, nv), units of `Loads.tau`.
        residual: Of the residual on the floating base, shape (n, 6), [N·m] and [N].
        ground: Of what acts from outside, by the name of the wrench.
    """

    tau: Array = values("time coordinate")
    residual: Array = values("time component", "N m, N")
    ground: Mapping[str, WrenchStd] = field(default_factory=Table)

    def __repr__(self) -> str:
        """Say what it is in one line."""
        on = f", {len(self.ground)} wrenches" if self.ground else ""
        force = rms(self.residual[:, 3:])
        return (
            f"Deviations({len(self.tau)} frames, {self.tau.shape[1]} forces, residual {force:.3g} N rms{on})"
        )


class LoadBands(Result, of="bands"):
    """How well loads are known: standard deviations in every frame, by source and in total.

    Sources are independent, so that their variances add. Frames without loads are NaN.

    Attributes:
        loads: The loads that the bands lie around.
        sources: Deviations by source: "markers" (noise), "artefact" (soft tissue), "inertia" (masses, centres, moments
            of inertia), "plates" (measured forces), "blades" (their stiffness, in an estimate); those asked for.
        total: Of all sources together.
        notes: What was assumed.
    """

    loads: Loads
    sources: Mapping[str, Deviations]
    total: Deviations
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "coordinate": lambda own: own.loads.model.coordinate_names,
        "source": lambda own: (TOTAL, *own.sources),
        "load": lambda own: tuple(own.ground_std),
    }

    def check(self) -> None:
        """Check that all belong together."""
        shape = self.loads.tau.shape
        for name, part in {**self.sources, "all": self.total}.items():
            if part.tau.shape != shape:
                raise InputError(
                    f"deviations from {name} must be {shape}, not {part.tau.shape}",
                    parameter="total" if part is self.total else "sources",
                )

    def __repr__(self) -> str:
        """Say what it is in one line."""
        of = ", ".join(self.sources) or "nothing"
        return f"LoadBands({self.loads.model.name!r}, {len(self.loads)} frames, from {of})"

    @property
    def time(self) -> Array:
        """Instants [s], shape (n,)."""
        return self.loads.time

    @property
    def tau_std(self) -> Array:
        """Standard deviation of the generalized forces, shape (n, nv)."""
        return self.total.tau

    @property
    def residual_std(self) -> Array:
        """Standard deviation of the residual, [moment; force], shape (n, 6), [N·m] and [N]."""
        return self.total.residual

    @property
    def ground_std(self) -> Mapping[str, WrenchStd]:
        """Standard deviation of each load from outside, by the name of the wrench."""
        return self.total.ground

    @cached_property
    def _column(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.loads.model.coordinate_names)}

    def std(self, name: str, source: str | None = None) -> Array:
        """Return the standard deviation of one curve.

        Args:
            name: A coordinate: shape (n,); a wrench: of its force, shape (n, 3), [N]; "residual": shape (n, 6).
            source: One source alone; None: all of them.

        Raises:
            InputError: No such curve or source.
        """
        if source is not None and source not in self.sources:
            raise InputError(f"{source!r} is no source of these bands; known: {names_hint(self.sources)}")
        part = self.total if source is None else self.sources[source]
        if name in self._column:
            return part.tau[:, self._column[name]]
        if name in part.ground:
            return part.ground[name].force
        if name == RESIDUAL:
            return part.residual
        known = (*self._column, *part.ground, RESIDUAL)
        raise InputError(f"{name!r} is no curve of these bands; known: {names_hint(known)}")

    def band(self, name: str, k: float = 2.0) -> tuple[Array, Array]:
        """Return the lower and the upper edge of a curve, k standard deviations away, shapes as in `std`.

        Args:
            name: As in `std`.
            k: Half the width in standard deviations; 2 holds about 95 % of what is normally distributed.

        Raises:
            InputError: No such curve, or k below zero.
        """
        away = checked(AT_LEAST_0, k, "k") * self.std(name)
        if name in self._column:
            middle = self.loads.coordinate(name)
        elif name == RESIDUAL:
            middle = self.loads.residual
        else:
            middle = self.loads.wrenches[name].force
        return middle - away, middle + away

    def share(self, name: str, source: str) -> Array:
        """Return the share of a source in the variance of a curve, from 0 to 1, shapes as in `std`.

        NaN where the curve has no variance.
        """
        part, whole = self.std(name, source) ** 2, self.std(name) ** 2
        return np.divide(part, whole, out=np.full_like(whole, np.nan), where=whole > 0.0)

    def dominant(self, name: str) -> str | None:
        """Return the source that gives the most variance of a curve over all frames; None if there is none."""
        sizes = {source: float(np.nansum(self.std(name, source) ** 2)) for source in self.sources}
        return max(sizes, key=lambda source: sizes[source]) if any(sizes.values()) else None

    def _variables(self) -> dict[str, Any]:
        parts = (self.total, *self.sources.values())
        tau, residual = (np.stack([getattr(part, name) for part in parts]) for name in ("tau", "residual"))
        found = {
            "tau_std": self._variable(("source", "time", "coordinate"), tau, force_units),
            "residual_std": self._variable(("source", "time", "component"), residual, "N m, N"),
        }
        if self.ground_std:
            for name, said in WrenchStd.ARRAYS.items():
                stack = [[getattr(part.ground[load], name) for load in self.ground_std] for part in parts]
                array = np.swapaxes(np.array(stack), 1, 2)
                found[f"{name}_std"] = self._variable(("source", "time", "load", "axis"), array, said.unit)
        return found

    def _coords(self) -> dict[str, Any]:
        dims = ("source", "coordinate", "component", *(("load", "axis") if self.ground_std else ()))
        found = {dim: (dim, list(self.labels_of(dim) or ())) for dim in dims}
        units = ("coordinate", force_units(self.loads))
        return {"time": ("time", self.time, {"units": "s"}), **found, "coordinate_unit": units}

    def _attrs(self) -> dict[str, Any]:
        return {"model": self.loads.model.name, "notes": list(map(str, self.notes))}

    def to_dataframe(self) -> pd.DataFrame:
        """Return the deviations of the generalized forces as a `pandas.DataFrame`, one column a coordinate."""
        import pandas as pd

        index = pd.Index(self.time, name="time")
        return pd.DataFrame(self.tau_std, index=index, columns=list(self.labels_of("coordinate") or ()))


def rms(x: Array) -> float:
    """Return the root mean square of what is known; NaN if nothing is."""
    seen = x[np.isfinite(x)]
    return float(np.sqrt(np.mean(seen * seen))) if len(seen) else float("nan")


def together(parts: Mapping[str, Deviations], n: int, nv: int) -> Deviations:
    """Return the deviations of independent sources together: variances add."""
    tau, residual = np.zeros((n, nv)), np.zeros((n, 6))
    force: dict[str, Array] = {}
    point: dict[str, Array] = {}
    for part in parts.values():
        tau += part.tau**2
        residual += part.residual**2
        for name, wrench in part.ground.items():
            force[name] = force.get(name, 0.0) + wrench.force**2
            point[name] = point.get(name, 0.0) + wrench.point**2
    ground = {name: WrenchStd(np.sqrt(force[name]), np.sqrt(point[name])) for name in force}
    return Deviations(np.sqrt(tau), np.sqrt(residual), ground)
