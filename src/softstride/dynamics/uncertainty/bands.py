"""`LoadBands`: how well loads are known, in total and by what makes them uncertain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.capture.series import frozen_floats
from softstride.dynamics.loads import Loads
from softstride.dynamics.option_checks import number
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.model.checks import names_hint
from softstride.notes import Note, as_notes

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Array = NDArray[np.float64]

RESIDUAL = "residual"
"""Name of the residual among the curves of `LoadBands.band`."""


@dataclass(frozen=True, eq=False, repr=False)
class WrenchStd:
    """Standard deviations of a load from outside, along the world axes.

    Attributes:
        force: Shape (n, 3), [N].
        point: Of the centre of pressure, shape (n, 3), [m]; NaN where nothing acts, or too little to have one.
    """

    force: Array
    point: Array

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        for name in ("force", "point"):
            array = frozen_floats(getattr(self, name))
            if array.shape != (len(self.force), 3):
                raise InputError(f"{name} of a deviation must be ({len(self.force)}, 3), not {array.shape}")
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"WrenchStd({len(self.force)} frames, force {rms(self.force):.3g} N rms)"


@dataclass(frozen=True, eq=False, repr=False)
class Deviations:
    """Standard deviations of loads from one source, or from all.

    Attributes:
        tau: Of the generalized forces, shape (n, nv), units of `Loads.tau`.
        residual: Of the residual on the floating base, shape (n, 6), [N·m] and [N].
        ground: Of what acts from outside, by the name of the wrench.
    """

    tau: Array
    residual: Array
    ground: Mapping[str, WrenchStd] = field(default_factory=Table)

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        for name in ("tau", "residual"):
            object.__setattr__(self, name, frozen_floats(getattr(self, name)))
        n = len(self.tau)
        if self.tau.ndim != 2 or self.residual.shape != (n, 6):
            raise InputError(
                f"deviations must be (n, nv) and (n, 6), not {self.tau.shape} and {self.residual.shape}"
            )
        object.__setattr__(self, "ground", Table(self.ground))

    def __repr__(self) -> str:
        """Say what it is in one line."""
        on = f", {len(self.ground)} wrenches" if self.ground else ""
        force = rms(self.residual[:, 3:])
        return (
            f"Deviations({len(self.tau)} frames, {self.tau.shape[1]} forces, residual {force:.3g} N rms{on})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class LoadBands:
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

    def __post_init__(self) -> None:
        """Check that all belong together."""
        shape = self.loads.tau.shape
        for name, part in {**self.sources, "all": self.total}.items():
            if part.tau.shape != shape:
                raise InputError(f"deviations from {name} must be {shape}, not {part.tau.shape}")
        object.__setattr__(self, "sources", Table(self.sources))
        object.__setattr__(self, "notes", as_notes(self.notes))

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
        width = number(k, "k")
        if not width >= 0.0:
            raise InputError(f"k must be at least 0, however it is {width:g}")
        away = width * self.std(name)
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

    def to_xarray(self) -> xr.Dataset:
        """Return an `xarray.Dataset`: deviations of tau, residual and wrenches, in total and by source."""
        from softstride.dynamics.uncertainty.labels import bands_dataset

        return bands_dataset(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the deviations of the generalized forces as a `pandas.DataFrame`, one column a coordinate."""
        from softstride.dynamics.uncertainty.labels import bands_dataframe

        return bands_dataframe(self)


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
