"""A state resolved for a chain: every name found, every value one array over frames, cut into blocks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.planar.chain import Chain
from softstride.planar.reach import check_point, line_distance
from softstride.planar.state import State
from softstride.planar.vectors import Complex, Floats, to_complex

ENTRIES = 150_000
"""About how many complex entries of a table are computed at once: a few megabytes, which stay in a cache."""


@dataclass(frozen=True, eq=False)
class Frames:
    """Arrays over frames, columns in the order of the chain; vectors are complex.

    Attributes:
        chain: The chain.
        theta: Angles, shape (f, n+1), [rad].
        omega: Angular velocities, [rad/s].
        alpha: Angular accelerations, [rad/s²].
        length: Lengths of the links, shape (f or 1, n+1), [m].
        com: Centres of mass in the frames of the links, shape (f or 1, n+1), [m].
        tension: Tensions of the muscles, shape (f, n_muscles), [N].
        point: Points of the contacts in the frames of their links, shape (f, n_contacts), [m].
        force: Forces at the contacts, shape (f, n_contacts), [N]; zero where unknown.
        couple: Couples at the contacts, shape (f, n_contacts), [N·m].
        known: Which contacts are known, shape (n_contacts,).
        torque: Ideal motors, shape (f, n), [N·m]; None without.
        base: Acceleration of the base, shape (f,), [m/s²]; None without.
        stretch: Rates (length, com) and accelerations (length, com) of links that are not rigid, each (f, n+1); None
            for rigid ones.
        turning: Rates of angular momenta beyond I thdd, shape (f, n+1), [N·m]; None for rigid links.
        first: Number of the first of these frames in the state.
    """

    chain: Chain
    theta: Floats
    omega: Floats
    alpha: Floats
    length: Floats
    com: Complex
    tension: Floats
    point: Complex
    force: Complex
    couple: Floats
    known: tuple[bool, ...]
    torque: Floats | None
    base: Complex | None
    stretch: tuple[Floats, Complex, Floats, Complex] | None
    turning: Floats | None
    first: int = 0

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.theta)

    def part(self, frames: slice) -> Frames:
        """Return some of the frames."""
        cut = {}
        for name in ("theta", "omega", "alpha", "tension", "point", "force", "couple"):
            cut[name] = getattr(self, name)[frames]
        for name in ("length", "com"):
            whole = getattr(self, name)
            cut[name] = whole if len(whole) == 1 else whole[frames]
        for name in ("torque", "base", "turning"):
            whole = getattr(self, name)
            cut[name] = None if whole is None else whole[frames]
        stretch = self.stretch
        if stretch is not None:
            stretch = (stretch[0][frames], stretch[1][frames], stretch[2][frames], stretch[3][frames])
        return dataclasses.replace(self, **cut, stretch=stretch, first=self.first + (frames.start or 0))

    def blocks(self, columns: int) -> Iterator[tuple[slice, Frames]]:
        """Cut the frames into blocks that fit a cache.

        Args:
            columns: Entries of the widest table in one frame.
        """
        size = int(np.clip(ENTRIES // max(columns, 1), 16, 4096))
        for first in range(0, len(self), size):
            frames = slice(first, min(first + size, len(self)))
            yield frames, self.part(frames)


def resolve(chain: Chain, state: State) -> Frames:
    """Return the state as arrays for a chain.

    Raises:
        InputError: The widths differ, a muscle has no tension, or a name is unknown.
        ModelError: A contact that moves leaves its link.
    """
    if not isinstance(state, State):
        raise InputError(f"state must be a State, however it is {state!r}.")
    n, f = chain.n, state.n_frames
    if np.shape(state.theta)[-1] != n + 1:
        raise InputError(
            f"theta must have {n + 1} columns, for the base and {n} links of {chain.name!r}, however it has "
            f"{np.shape(state.theta)[-1]}."
        )
    muscles, contacts = [m.name for m in chain.muscles], [c.name for c in chain.contacts]
    _check_names(state.tension, muscles, "tension", "muscle")
    for what in ("force", "couple", "point"):
        _check_names(getattr(state, what), contacts, what, "contact")
    missing = [name for name in muscles if name not in state.tension]
    if missing:
        raise InputError(
            f"muscle {missing[0]!r} has no tension: give tension={{{missing[0]!r}: ...}}, zero if it rests, or a chain "
            "without muscles, chain.changed(muscles=())."
        )
    shape = state.shape
    theta, omega, alpha = (np.atleast_2d(getattr(state, name)) for name in ("theta", "omega", "alpha"))
    frames = Frames(
        chain=chain,
        theta=theta,
        omega=omega,
        alpha=alpha,
        length=chain.length[None] if shape is None else shape.length,
        com=chain.com_complex[None] if shape is None else to_complex(shape.com),
        tension=_columns((state.tension[name] for name in muscles), f),
        point=_vectors((state.point.get(c.name, c.point) for c in chain.contacts), f),
        force=_vectors((state.force.get(name, (0.0, 0.0)) for name in contacts), f),
        couple=_columns((state.couple.get(name, 0.0) for name in contacts), f),
        known=tuple(name in state.force or name in state.couple for name in contacts),
        torque=None if state.torque is None else np.broadcast_to(state.torque, (f, n)),
        base=None
        if state.base_acceleration is None
        else np.broadcast_to(to_complex(state.base_acceleration), (f,)),
        stretch=None
        if shape is None
        else (
            shape.length_rate,
            to_complex(shape.com_rate),
            shape.length_acceleration,
            to_complex(shape.com_acceleration),
        ),
        turning=None if shape is None else shape.turning,
    )
    _check_moving_points(frames, state)
    return frames


def _check_names(given: Mapping[str, ArrayLike], known: list[str], what: str, kind: str) -> None:
    for name in given:
        if name not in known:
            there = ", ".join(known) or "none"
            raise InputError(
                f"{what} is given for {name!r}, which is no {kind} of the chain; there are: {there}."
            )


def _check_moving_points(frames: Frames, state: State) -> None:
    """Refuse points outside their links, in frames in which something acts there."""
    chain = frames.chain
    for k, (contact, link) in enumerate(zip(chain.contacts, chain.contact_links, strict=True)):
        if contact.name not in state.point:
            continue
        points = frames.point[:, k]
        far = line_distance(points, frames.length[:, link])
        acts = (frames.force[:, k] != 0.0) | (frames.couple[:, k] != 0.0)
        outside = np.flatnonzero(acts & (far > chain.reach[link]))
        if len(outside):
            check_point(chain, contact.name, link, complex(points[outside[0]]), int(outside[0]))


def _columns(values: Iterable[ArrayLike], f: int) -> Floats:
    columns = [np.broadcast_to(np.asarray(value, dtype=np.float64), (f,)) for value in values]
    return np.stack(columns, axis=1) if columns else np.zeros((f, 0))


def _vectors(values: Iterable[ArrayLike], f: int) -> Complex:
    columns = [np.broadcast_to(to_complex(value), (f,)) for value in values]
    return np.stack(columns, axis=1) if columns else np.zeros((f, 0), dtype=np.complex128)
