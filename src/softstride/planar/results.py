"""What the totals return: joint reaction forces and torques, with their names and what does not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from softstride.notes import Note, as_notes
from softstride.planar.chain import Chain
from softstride.planar.saving import Saved
from softstride.planar.vectors import Floats
from softstride.results import frozen_floats

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Form = Literal["distal", "proximal"]


def freeze(result: object, *names: str) -> None:
    """Make arrays of a frozen dataclass constant; None stays."""
    for name in names:
        value = getattr(result, name)
        if value is not None:
            object.__setattr__(result, name, frozen_floats(value))


def largest(values: Floats | None) -> float:
    """Return the largest magnitude; NaN for None."""
    return float("nan") if values is None else float(np.max(np.abs(values), initial=0.0))


@dataclass(frozen=True, eq=False, repr=False)
class Reactions(Saved):
    """Joint reaction forces phi_j: on link j-1 by link j at J_j, world axes. Link j receives the opposite.

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

    chain: Chain
    time: Floats | None
    form: Form
    force: Floats
    direction: Floats
    residual: Floats | None = None
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        freeze(self, "time", "force", "direction", "residual")
        object.__setattr__(self, "notes", as_notes(self.notes))

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
        return np.asarray(0.0 - np.sum(self.force * self.direction, axis=-1))

    @property
    def shear(self) -> Floats:
        """Force across the link beyond, phi_j . perp(u_j), shape (n_frames, n), [N]."""
        x, y = self.direction[..., 0], self.direction[..., 1]
        return np.asarray(x * self.force[..., 1] - y * self.force[..., 0])

    @property
    def consistency(self) -> float:
        """Largest `residual` [N]; NaN where there is none."""
        return largest(self.residual)

    def to_xarray(self) -> xr.Dataset:
        """Return an `xarray.Dataset`: force, compression and shear by time, joint and axis; the residual."""
        from softstride.planar.labels import reactions_dataset

        return reactions_dataset(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame`, one row for each frame and joint, in [N]."""
        from softstride.planar.labels import tidy

        return tidy(self.to_xarray().drop_vars("residual", errors="ignore"), ("fx", "fy"))


@dataclass(frozen=True, eq=False, repr=False)
class Torques(Saved):
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

    chain: Chain
    time: Floats | None
    form: Form
    given: Floats
    required: Floats
    residual: Floats | None = None
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        freeze(self, "time", "given", "required", "residual")
        object.__setattr__(self, "notes", as_notes(self.notes))

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

    def to_xarray(self) -> xr.Dataset:
        """Return an `xarray.Dataset`: given and required torques by time and joint; the residual."""
        from softstride.planar.labels import torques_dataset

        return torques_dataset(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame`, one row for each frame and joint, in [N·m]."""
        from softstride.planar.labels import tidy

        return tidy(self.to_xarray().drop_vars("residual", errors="ignore"), ())
