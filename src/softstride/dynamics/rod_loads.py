"""Wrenches on rods: a load acts on the section that it is at, which changes as a blade rolls.

The engine takes wrenches at places of constant arc length. Here sections at even steps along the rod stand for all of
it: in each frame the point of the load is projected on the line between the sections next to it, and the load is shared
between these two, the parts adding up to its wrench exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.branch import branch_of
from softstride.dynamics.loads import AppliedWrench
from softstride.engine.kinematics import positions
from softstride.engine.places import PlaceLike
from softstride.errors import InputError
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.model.rod import Rod
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

_places: WeakKeyDictionary[Model, dict[str, tuple[Frame, ...]]] = WeakKeyDictionary()

FEWEST = 16
"""Steps along a rod; not fewer than its segments, so that 16 steps of a 0.6 m blade are 4 cm long."""


def share_along(
    model: Model, q: Array, rod: str, point: Array, force: Array, moment: Array, threads: int | None = None
) -> dict[Frame, Array]:
    """Return the parts of a wrench at sections of a rod.

    Args:
        model: The model.
        q: Configurations, shape (n, nq).
        rod: Name of a link that is a rod.
        point: Where the load acts, shape (n, 3), [m], world axes.
        force: Shape (n, 3), [N].
        moment: About the point, shape (n, 3), [N·m].
        threads: How many threads may be used.

    Returns:
        [moment; force] about each section, world axes, shape (n, 6) each.
    """
    at, first, right = _shares(model, q, rod, point, threads)
    rows = np.arange(len(q))
    parts = np.zeros((at.shape[1], len(q), 6))
    for section, part in ((first, 1.0 - right), (first + 1, right)):
        arm = point - at[rows, section]
        parts[section, rows] += part * np.concatenate([moment + cross(arm, force), force], axis=1)
    return dict(zip(_sections(model, rod), parts, strict=True))


def table_along(
    model: Model, q: Array, rod: str, point: Array, force: Array, moment: Array, threads: int | None = None
) -> tuple[tuple[Frame, ...], Array]:
    """Return the sections of a rod and their parts of a wrench, all about its point; arguments as of `share_along`.

    Returns:
        The sections; and of each nine columns, [moment; force; point] in world axes, shape (n, 9 k).
    """
    places = _sections(model, rod)
    _, first, right = _shares(model, q, rod, point, threads)
    rows, whole = np.arange(len(q)), np.concatenate([moment, force], axis=1)
    parts = np.zeros((len(q), len(places), 9))
    parts[:, :, 6:] = point[:, None]
    parts[rows, first, :6], parts[rows, first + 1, :6] = (1.0 - right) * whole, right * whole
    return places, parts.reshape(len(q), 9 * len(places))


def load_table(
    model: Model, q: Array, wrenches: Iterable[AppliedWrench], threads: int | None = None
) -> tuple[tuple[PlaceLike, ...], Array]:
    """Return where wrenches act, and what there, as `balance_of_forces` takes them; nothing acts where they are NaN.

    Args:
        model: The model.
        q: Configurations, shape (n, nq).
        wrenches: On links and rods, in n frames.
        threads: How many threads may be used.

    Returns:
        Links and sections of rods; and of each nine columns, [moment; force; point] in world axes, shape (n, 9 k).
    """
    places: list[PlaceLike] = []
    parts: list[Array] = [np.empty((len(q), 0))]
    for wrench in wrenches:
        f, p, m = (np.nan_to_num(x) for x in (wrench.force, wrench.point, wrench.moment))
        if model.link(wrench.link).soft:
            sections, table = table_along(model, q, wrench.link, p, f, m, threads)
            places += sections
            parts.append(table)
        else:
            places.append(wrench.link)
            parts += [m, f, p]
    return tuple(places), np.concatenate(parts, axis=1)


def _shares(
    model: Model, q: Array, rod: str, point: Array, threads: int | None
) -> tuple[Array, NDArray[np.intp], Array]:
    """Return where the sections are, (n, k, 3), the one before the point, and what the one behind it carries."""
    part_of = branch_of(model, (rod,))
    at = positions(part_of.model, part_of.take(q), _sections(model, rod), threads=threads)
    along = np.diff(at, axis=1)
    squared = np.maximum((along**2).sum(axis=2), 1e-300)
    share = np.clip(((point[:, None] - at[:, :-1]) * along).sum(axis=2) / squared, 0.0, 1.0)
    gap = ((at[:, :-1] + share[..., None] * along - point[:, None]) ** 2).sum(axis=2)
    first = gap.argmin(axis=1)
    return at, first, share[np.arange(len(q)), first][:, None]


def _sections(model: Model, rod: str) -> tuple[Frame, ...]:
    """Return the sections that stand for a rod, the same objects for the same model."""
    found = _places.setdefault(model, {})
    if rod not in found:
        joint = model.link(rod).joint
        if not isinstance(joint, Rod):
            raise InputError(f"{rod!r} is no rod")
        count = max(FEWEST, len(joint.segments)) + 1
        found[rod] = tuple(Frame(rod, at=float(s)) for s in np.linspace(0.0, joint.length, count))
    return found[rod]
