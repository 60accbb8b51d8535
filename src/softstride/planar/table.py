"""`Contributions`: what each source adds to each joint's reaction and torque, and how to sum it up."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softstride.errors import InputError, SimulationError
from softstride.notes import Note, as_notes
from softstride.planar.chain import Chain
from softstride.planar.results import Form, freeze
from softstride.planar.saving import Saved
from softstride.planar.sources import Grouping, Source, groups
from softstride.planar.state import State
from softstride.planar.totals import reactions, torques
from softstride.planar.vectors import Floats

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

EXACT = 1e-12
"""Columns must add up to the total within this share of the largest of them."""


@dataclass(frozen=True, eq=False, repr=False)
class Contributions(Saved):
    """Loads of the joints by source.

    All columns of `force` add up to the joint reaction. Of `torque`, the columns of muscles and motors add up to the
    torque that is given, and the others to the torque that is required.

    The split is not unique: distal and proximal form share totals, not columns. In the first, the base's weight and the
    force on it are zero everywhere; in the second, weights beyond a joint are.

    Attributes:
        chain: The chain.
        time: Instants [s], shape (n_frames,); None if the state has none.
        form: "distal" or "proximal".
        sources: What the columns are.
        force: Shape (n_frames, n, n_sources, 2), [N], on link j-1, world axes.
        torque: Shape (n_frames, n, n_sources), [N·m], on the links beyond.
        direction: u_j of the link beyond each joint, shape (n_frames, n, 2).
        notes: What was decided on the way.
    """

    chain: Chain
    time: Floats | None
    form: Form
    sources: tuple[Source, ...]
    force: Floats
    torque: Floats
    direction: Floats
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        object.__setattr__(self, "sources", tuple(self.sources))
        freeze(self, "time", "force", "torque", "direction")
        object.__setattr__(self, "notes", as_notes(self.notes))

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"Contributions({self.chain.name!r}, {self.form}, {self.chain.n} joints, {len(self.sources)} sources)"

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

    # sums

    @property
    def actuators(self) -> Floats:
        """1 for muscles and motors, 0 for others, shape (n_sources,)."""
        return np.array([float(source.actuator) for source in self.sources])

    @property
    def total_force(self) -> Floats:
        """Joint reactions, shape (n_frames, n, 2), [N]."""
        return np.asarray(self.force.sum(axis=-2))

    @property
    def given_torque(self) -> Floats:
        """What muscles and motors give, shape (n_frames, n), [N·m]."""
        return np.asarray(self.torque @ self.actuators)

    @property
    def required_torque(self) -> Floats:
        """What the other sources ask for, shape (n_frames, n), [N·m]."""
        return np.asarray(self.torque @ (1.0 - self.actuators))

    @property
    def compression(self) -> Floats:
        """How much each source presses the joints together along the link beyond, (n_frames, n, n_sources), [N]."""
        return np.asarray(0.0 - np.sum(self.force * self.direction[..., None, :], axis=-1))

    @property
    def shear(self) -> Floats:
        """How much each source pushes across the link beyond, shape (n_frames, n, n_sources), [N]."""
        x, y = self.direction[..., None, 0], self.direction[..., None, 1]
        return np.asarray(x * self.force[..., 1] - y * self.force[..., 0])

    def by(self, grouping: Grouping) -> Contributions:
        """Return the same loads by kind, by link, or by whether muscles span the joint.

        Args:
            grouping: "kind", "link" or "spanning".
        """
        named, member = groups(self.sources, self.chain, grouping)
        force = np.einsum("...jsx,jsg->...jgx", self.force, member, optimize=True)
        torque = np.einsum("...js,jsg->...jg", self.torque, member, optimize=True)
        return dataclasses.replace(self, sources=tuple(named), force=force, torque=torque)

    def sum_error(self, state: State) -> float:
        """Return how far the columns are from totals that are found without them, over the largest column.

        Args:
            state: What the contributions were made from.
        """
        total = reactions(self.chain, state, form=self.form)
        torque = torques(self.chain, state, form=self.form)
        gaps = (
            (self.total_force - total.force, self.force),
            (self.given_torque - torque.given, self.torque),
            (self.required_torque - torque.required, self.torque),
        )
        return max(_relative(gap, columns) for gap, columns in gaps)

    def check(self, state: State) -> None:
        """Refuse to go on if the columns do not add up to the totals.

        Args:
            state: What the contributions were made from.

        Raises:
            SimulationError: They differ by more than 1e-12 of the largest column.
        """
        error = self.sum_error(state)
        if not error <= EXACT:
            raise SimulationError(
                f"contributions of {self.chain.name!r} must add up to the totals, however they are {error:.1e} of the "
                "largest of them apart: lengths, masses or rates are of sizes that cancel; check their units."
            )

    # elsewhere

    def to_xarray(self) -> xr.Dataset:
        """Return an `xarray.Dataset`: force and torque by time, joint, source and axis; kinds beside the sources."""
        from softstride.planar.labels import contributions_dataset

        return contributions_dataset(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame`, one row for each frame, joint and source, in [N] and [N·m]."""
        from softstride.planar.labels import tidy

        return tidy(self.to_xarray(), ("fx", "fy"))


def _relative(gap: Floats, columns: Floats) -> float:
    scale = float(np.max(np.abs(columns), initial=0.0))
    worst = float(np.max(np.abs(gap), initial=0.0))
    return worst / scale if scale > 0.0 else worst
