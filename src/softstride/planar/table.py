"""`Contributions`: what each source adds to each joint's reaction and torque, and how to sum it up."""

from __future__ import annotations

import dataclasses

import numpy as np

from softstride.errors import SimulationError
from softstride.notes import Note
from softstride.planar.results import Form, SourceResult
from softstride.planar.sources import Grouping, groups
from softstride.planar.state import State
from softstride.planar.totals import reactions, torques
from softstride.planar.vectors import Floats
from softstride.results import values

EXACT = 1e-12
"""Columns must add up to the total within this share of the largest of them."""


class Contributions(SourceResult, of="contributions", kw_only=True):
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

    form: Form
    torque: Floats = values("time? joint source", "N m")
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"Contributions({self.chain.name!r}, {self.form}, {self.chain.n} joints, {len(self.sources)} sources)"

    # sums

    @property
    def actuators(self) -> Floats:
        """1 for muscles and motors, 0 for others, shape (n_sources,)."""
        return np.array([float(source.actuator) for source in self.sources])

    @property
    def given_torque(self) -> Floats:
        """What muscles and motors give, shape (n_frames, n), [N·m]."""
        return np.asarray(self.torque @ self.actuators)

    @property
    def required_torque(self) -> Floats:
        """What the other sources ask for, shape (n_frames, n), [N·m]."""
        return np.asarray(self.torque @ (1.0 - self.actuators))

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

    def check(self, state: State | None = None) -> None:
        """Refuse to go on if the columns do not add up to the totals.

        Args:
            state: What the contributions were made from; None: there is nothing to compare with.

        Raises:
            SimulationError: They differ by more than 1e-12 of the largest column.
        """
        error = 0.0 if state is None else self.sum_error(state)
        if not error <= EXACT:
            raise SimulationError(
                f"contributions of {self.chain.name!r} must add up to the totals, however they are {error:.1e} of the "
                "largest of them apart: lengths, masses or rates are of sizes that cancel; check their units."
            )


def _relative(gap: Floats, columns: Floats) -> float:
    scale = float(np.max(np.abs(columns), initial=0.0))
    worst = float(np.max(np.abs(gap), initial=0.0))
    return worst / scale if scale > 0.0 else worst
