"""The causal view: accelerations are redistributed to what causes them, and loads with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from softstride.notes import Note
from softstride.planar import matrices
from softstride.planar.chain import Chain
from softstride.planar.contributions import fill, named_sources
from softstride.planar.fixed import Holds, check_fixed
from softstride.planar.forward import differences, solved
from softstride.planar.frames import Frames
from softstride.planar.geometry import Geometry
from softstride.planar.results import SourceResult
from softstride.planar.sources import Grouping, Source, groups
from softstride.planar.state import State
from softstride.planar.totals import checked, squeezed
from softstride.planar.vectors import Complex, Floats, empty_vectors
from softstride.results import Labels, values

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


class Induced(SourceResult, of="induced accelerations", kw_only=True):
    """Accelerations and joint reactions by their causes.

    Columns of `acceleration` add up to the angular accelerations of the state, columns of `force` to the joint
    reactions. "residual" is what forces and motion leave unexplained: zero if they agree.

    Attributes:
        chain: The chain.
        time: Instants [s], shape (n_frames,); None if the state has none.
        sources: What the columns are; no source is an acceleration of a link.
        acceleration: Of links 1 to n, shape (n_frames, n, n_sources), [rad/s²].
        force: On link j-1 by link j, shape (n_frames, n, n_sources, 2), [N].
        direction: u_j of the link beyond each joint, shape (n_frames, n, 2).
        fixed: Contacts that hold their point instead of giving a force that is prescribed.
        contact_force: What each source makes the fixed contacts give, shape (n_frames, n_fixed, n_sources, 2), [N].
        notes: What was decided on the way.
    """

    acceleration: Floats = values("time? joint source", "rad/s^2")
    fixed: tuple[str, ...]
    contact_force: Floats = values("time? contact source axis", "N")
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {"contact": lambda own: own.fixed}

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"Induced({self.chain.name!r}, {self.chain.n} joints, {len(self.sources)} sources)"

    @property
    def total_acceleration(self) -> Floats:
        """Angular accelerations of links 1 to n, shape (n_frames, n), [rad/s²]."""
        return np.asarray(self.acceleration.sum(axis=-1))

    def by(self, grouping: Grouping) -> Induced:
        """Return the same by kind, by link, or by whether muscles span the joint ("spanning").

        Accelerations belong to links; in "spanning" link j counts with joint j.
        """
        named, member = groups(self.sources, self.chain, grouping)
        return dataclasses.replace(
            self,
            sources=tuple(named),
            force=np.einsum("...jsx,jsg->...jgx", self.force, member, optimize=True),
            acceleration=np.einsum("...js,jsg->...jg", self.acceleration, member, optimize=True),
            contact_force=np.einsum("...csx,sg->...cgx", self.contact_force, member[0], optimize=True),
        )

    def _variables(self) -> dict[str, Any]:
        found = super()._variables()
        if not self.fixed:
            del found["contact_force"]
        return found

    def _coords(self) -> dict[str, Any]:
        found = super()._coords() | {"link": ("joint", list(self.chain.links[1:]))}
        if not self.fixed:
            del found["contact"]
        return found

    def _tidy(self, dataset: xr.Dataset) -> pd.DataFrame:
        return super()._tidy(dataset.drop_dims("contact", errors="ignore"))


def induced(chain: Chain, state: State, *, fixed: tuple[str, ...] = ()) -> Induced:
    """Return what each cause does to every joint, through the accelerations that it causes.

    For a source s with generalized forces Q, of absolute angles, tau_k - tau_(k+1) of its column:

        thdd^(s) = M^-1 Q^(s)           phi_j^(s) = direct_j^(s) - sum_i thdd_i^(s) perp(e_ji)

    A muscle that does not span a joint has no direct effect there, and in general an induced one. Contacts are
    prescribed forces unless they are `fixed`: those hold their point, and each source makes them give a force of their
    own, found with M from one saddle system a frame.

    Args:
        chain: The chain.
        state: Motion and forces, all contacts known.
        fixed: Contacts that hold their point, for instance a foot that stands.

    Returns:
        Columns by source.

    Raises:
        InputError: The state does not fit the chain, a contact is unknown, or M has no inverse.
    """
    frames = checked(chain, state, "distal")
    held = check_fixed(chain, fixed)
    sources, kept = _causes(frames)
    n, count = chain.n, len(sources)
    acceleration = np.empty((len(frames), n, count))
    force, plane_force = empty_vectors(len(frames), n, count)
    contact_force, plane_contact = empty_vectors(len(frames), len(held), count)
    direction, plane_direction = empty_vectors(len(frames), n)
    result = (acceleration, plane_force, plane_contact)
    for rows, part in frames.blocks(n * (n + 2 * count)):
        place = Geometry.of(part)
        plane_direction[rows] = place.turn[:, 1:]
        for whole, block in zip(result, _block(place, sources, kept, held), strict=True):
            whole[rows] = block
    holding = f", but {', '.join(fixed)} hold their points." if fixed else "; none of them holds its point."
    words = f"Contacts are prescribed forces{holding}"
    return Induced(
        chain=chain,
        time=state.time,
        sources=tuple(sources),
        acceleration=squeezed(acceleration, state),
        force=squeezed(force, state),
        direction=squeezed(direction, state),
        fixed=tuple(fixed),
        contact_force=squeezed(contact_force, state),
        notes=(Note("contacts.prescribed", words, topic="contacts", names=tuple(fixed)),),
    )


def _causes(frames: Frames) -> tuple[list[Source], np.ndarray]:
    """Return the sources without accelerations, a residual last, and their columns in the table."""
    named = named_sources(frames)
    kept = np.array([k for k, source in enumerate(named) if source.kind != "alpha"])
    return [*(named[k] for k in kept), Source("residual", "residual")], kept


def _block(
    place: Geometry, sources: list[Source], kept: np.ndarray, held: tuple[int, ...]
) -> tuple[Floats, Complex, Complex]:
    """Return accelerations, joint reactions and contact forces of a block by source."""
    frames, n = place.frames, place.n
    count = len(kept) + n  # with the columns of accelerations
    free = place
    if held:
        force = frames.force.copy()
        force[:, list(held)] = 0.0
        free = Geometry.of(dataclasses.replace(frames, force=force))
    direct = np.empty((len(frames), n, count), dtype=np.complex128)
    torque = np.empty((len(frames), n, count))
    fill(free, "distal", direct, torque)
    sign = np.array([1.0 if source.actuator else -1.0 for source in sources[:-1]])
    Q = np.empty((len(frames), n, len(sources)))
    Q[:, :, :-1] = differences(torque[:, :, kept] * sign)
    holds = Holds(place, held)
    left = np.einsum("fij,fj->fi", matrices.mass_matrix(place), frames.alpha[:, 1:]) - holds.push()
    Q[:, :, -1] = left - Q[:, :, :-1].sum(axis=2)
    accelerations, reaction = (
        holds.solve(Q, sources) if held else (solved(place, Q), holds.none(len(sources)))
    )
    phi = -1j * (matrices.distal_force(place) @ accelerations)
    phi[:, :, :-1] += direct[:, :, kept]
    joints = np.arange(1, n + 1)
    for k, contact in enumerate(held):
        phi += (
            np.where(joints <= frames.chain.contact_links[contact], 1.0, 0.0)[:, None]
            * reaction[:, k, None, :]
        )
    return accelerations, phi, reaction
