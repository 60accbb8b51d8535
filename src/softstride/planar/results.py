"""What the joints of a chain bear, with names beside the numbers: totals, and what all results of a chain share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from softstride.errors import InputError
from softstride.files import write_whole
from softstride.harmless import csv_text
from softstride.notes import Note
from softstride.planar.chain import Chain
from softstride.planar.sources import Source
from softstride.planar.vectors import AXES, Floats
from softstride.results import TIME, Labels, Result, values

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Form = Literal["distal", "proximal"]


def largest(values: Floats | None) -> float:
    """Return the largest magnitude; NaN for None."""
    return float("nan") if values is None else float(np.max(np.abs(values), initial=0.0))


def compression(force: Floats, direction: Floats) -> Floats:
    """Return how much forces press joints together along the links beyond, -f . u, shape (...), of (..., 2)."""
    return np.asarray(0.0 - np.sum(force * direction, axis=-1))


def shear(force: Floats, direction: Floats) -> Floats:
    """Return forces across the links beyond, f . perp(u), shape (...), of (..., 2)."""
    x, y = direction[..., 0], direction[..., 1]
    return np.asarray(x * force[..., 1] - y * force[..., 0])


class ChainResult(Result, kw_only=True):
    """A result that can be written as the table that `to_dataframe` returns."""

    def to_dataframe(self) -> pd.DataFrame:
        """Return the table."""
        raise NotImplementedError

    def save(self, path: str | Path, *, overwrite: bool = False) -> tuple[Note, ...]:
        """Write the table of `to_dataframe` (.csv), whole or not at all; numbers read back bit for bit.

        Args:
            path: Ending in .csv.
            overwrite: Whether an existing file may be replaced.

        Returns:
            Notes on what the file does not hold: none.

        Raises:
            CaptureError: The file exists already or cannot be written.
            InputError: The name of the file ends in something else.
        """
        target = Path(path)
        if target.suffix.lower() != ".csv":
            raise InputError(f"{target}: must end in .csv")
        frame = self.to_dataframe()
        text = csv_text(frame, index=frame.index.name is not None)
        write_whole(target, text.encode("utf-8"), overwrite=overwrite)
        return ()


class JointResult(ChainResult, kw_only=True):
    """What acts at the joints of a chain; of a state of one frame, arrays have no frame axis.

    Attributes:
        chain: The chain.
        time: Instants [s], shape (n_frames,); None if the state has none: frames then have numbers.
    """

    chain: Chain
    time: Floats | None = values("time?", "s", default=None)

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "joint": lambda own: own.chain.joints,
        "axis": lambda _: AXES,
    }

    def _variable(self, dims: Sequence[str], array: Any, unit: Any = "") -> tuple[Any, ...]:
        frames = "frame" if self.time is None else TIME
        return super()._variable([frames if dim == TIME else dim for dim in dims], array, unit)

    def _coords(self) -> dict[str, Any]:
        found = super()._coords()
        instants = found.pop(TIME)
        first, said = next((getattr(self, name), said) for name, said in self.ARRAYS.items() if name != TIME)
        if first.ndim < len(said.dims):  # one frame
            return found
        if self.time is None:
            return {"frame": np.arange(len(first)), **found}
        return {TIME: instants, **found}

    def _attrs(self) -> dict[str, Any]:
        form = {"form": self.form} if hasattr(self, "form") else {}
        return {"chain": self.chain.name, "notes": [*map(str, self.notes)]} | form  # type: ignore[attr-defined]

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame`, one row for each place of `to_xarray`, forces by component, in their units."""
        return self._tidy(self.to_xarray())

    def _tidy(self, dataset: xr.Dataset) -> pd.DataFrame:
        """Return one row for each place of a dataset; components of force become columns."""
        if "force" in dataset:
            parts = {f"f{axis}": dataset["force"].sel(axis=axis, drop=True) for axis in AXES}
            dataset = dataset.drop_vars("force").assign(parts)
        return dataset.drop_vars("axis", errors="ignore").to_dataframe().reset_index()


class Reactions(JointResult, of="reactions", kw_only=True):
    """Joint reaction forces phi_j: on link j-1 by link j at J_j, world axes. Link j receives the opposite.

    In `to_xarray` compression and shear stand beside the force.

    Attributes:
        chain: The chain.
        time: Instants [s], shape (n_frames,); None if the state has none.
        form: "distal" or "proximal": which data they are made from.
        force: phi_j, shape (n_frames, n, 2), [N].
        direction: u_j, the direction of the link beyond each joint, shape (n_frames, n, 2).
        residual: Sum of weights and contacts minus masses times accelerations, over all links, the base included (eq.
            4), shape (n_frames, 2), [N]: zero if all data agree. None if not all contacts are known, or none acts on
            the base.
        notes: What was decided on the way.
    """

    form: Form
    force: Floats = values("time? joint axis", "N")
    direction: Floats = values("time? joint axis")
    residual: Floats | None = values("time? axis", "N", default=None)
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return (
            f"Reactions({self.chain.name!r}, {self.form}, {len(self.chain.joints)} joints, at most "
            f"{largest(self.force):.4g} N)"
        )

    @property
    def magnitude(self) -> Floats:
        """Length of the forces, shape (n_frames, n), [N]."""
        return np.asarray(np.linalg.norm(self.force, axis=-1))

    @property
    def compression(self) -> Floats:
        """How much joints are pressed together along the link beyond, -phi_j . u_j, shape (n_frames, n), [N]."""
        return compression(self.force, self.direction)

    @property
    def shear(self) -> Floats:
        """Force across the link beyond, phi_j . perp(u_j), shape (n_frames, n), [N]."""
        return shear(self.force, self.direction)

    @property
    def consistency(self) -> float:
        """Largest `residual` [N]; NaN where there is none."""
        return largest(self.residual)

    def _variables(self) -> dict[str, Any]:
        found = super()._variables()
        dims = self.ARRAYS["force"].dims_of(self.force.ndim)[:-1]
        along = {name: self._variable(dims, getattr(self, name), "N") for name in ("compression", "shear")}
        del found["direction"]
        return {"force": found["force"], **along, **found}

    def _tidy(self, dataset: xr.Dataset) -> pd.DataFrame:
        return super()._tidy(dataset.drop_vars("residual", errors="ignore"))


class Torques(JointResult, of="torques", kw_only=True):
    """Torques tau_j about J_j on the links beyond: what actuators give, and what the motion requires.

    Attributes:
        chain: The chain.
        time: Instants [s], shape (n_frames,); None if the state has none.
        form: "distal" or "proximal": which data the required torques are made from.
        given: Of the muscles that span each joint and of ideal motors (eq. 22), shape (n_frames, n), [N·m].
        required: What weights, contacts and motion ask for (eqs. 13, 23), shape (n_frames, n), [N·m].
        residual: Balance of moments of the whole chain about J_1, base included, shape (n_frames,), [N·m]: zero if all
            data agree. None if not all contacts are known, or none acts on the base.
        notes: What was decided on the way.
    """

    form: Form
    given: Floats = values("time? joint", "N m")
    required: Floats = values("time? joint", "N m")
    residual: Floats | None = values("time?", "N m", default=None)
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return (
            f"Torques({self.chain.name!r}, {self.form}, {len(self.chain.joints)} joints, required at most "
            f"{largest(self.required):.4g} N·m)"
        )

    @property
    def mismatch(self) -> Floats:
        """Given minus required, shape (n_frames, n), [N·m]: zero if forces and motion agree."""
        return np.asarray(self.given - self.required)

    @property
    def consistency(self) -> float:
        """Largest `residual` [N·m]; NaN where there is none."""
        return largest(self.residual)

    def _tidy(self, dataset: xr.Dataset) -> pd.DataFrame:
        return super()._tidy(dataset.drop_vars("residual", errors="ignore"))


class SourceResult(JointResult, kw_only=True):
    """What each source adds to what acts at the joints.

    Attributes:
        sources: What the columns are.
        force: On link j-1 by link j, shape (n_frames, n, n_sources, 2), [N], world axes.
        direction: u_j of the link beyond each joint, shape (n_frames, n, 2).
    """

    sources: tuple[Source, ...]
    force: Floats = values("time? joint source axis", "N")
    direction: Floats = values("time? joint axis")

    LABELS: ClassVar[Mapping[str, Labels]] = {"source": lambda own: own.labels}

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the sources."""
        return tuple(source.label for source in self.sources)

    def column(self, label: str) -> int:
        """Return the number of a source.

        Raises:
            InputError: No source of this label.
        """
        if label not in self.labels:
            raise InputError(f"no source {label!r}; there are: {', '.join(self.labels)}.")
        return self.labels.index(label)

    @property
    def total_force(self) -> Floats:
        """Joint reactions, shape (n_frames, n, 2), [N]."""
        return np.asarray(self.force.sum(axis=-2))

    @property
    def compression(self) -> Floats:
        """How much each source presses the joints together along the link beyond, (n_frames, n, n_sources), [N]."""
        return compression(self.force, self.direction[..., None, :])

    @property
    def shear(self) -> Floats:
        """How much each source pushes across the link beyond, shape (n_frames, n, n_sources), [N]."""
        return shear(self.force, self.direction[..., None, :])

    def _variables(self) -> dict[str, Any]:
        found = super()._variables()
        del found["direction"]
        return found

    def _coords(self) -> dict[str, Any]:
        return super()._coords() | {"kind": ("source", [source.kind for source in self.sources])}
