r"""What a blade does in a step: how far its tip moves, how much energy it holds, takes and gives back.

The deflection is where the tip is, seen from the base, away from where it is on the unloaded blade; it is from the
markers alone. Energy from them would be mostly noise: of twist and sideways bending, which are stiff, so that errors of
a strain weigh much. It is found from the load in place of it. At rest K x = J^T w, so that the load w at its place
bends the blade by x = K^-1 J^T w, and it holds x^T K x / 2; the power that it gives to the body is -x' (K x + D x').
Over a contact, what it takes is the integral of the power where it is below zero, what it returns where it is above.
The inertia of the blade itself is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.blade.rows import load_rows
from softstride.dynamics.loads import AppliedWrench
from softstride.engine.kinematics import poses
from softstride.engine.passive import passive_derivatives
from softstride.errors import InputError
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.model.rod import Rod
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BladeWork:
    """A blade under its load over time.

    Attributes:
        time: Shape (n,), [s].
        energy: That it holds, shape (n,), [J]; NaN where the load is not known.
        power: That it gives to the body, shape (n,), [W].
    """

    time: Array
    energy: Array
    power: Array


@dataclass(frozen=True)
class Rebound:
    """A blade in one contact.

    Attributes:
        start: First instant [s].
        end: Last instant [s].
        energy: Largest that it held [J].
        taken: Energy that it took [J].
        returned: Energy that it gave back [J].
    """

    start: float
    end: float
    energy: float
    taken: float
    returned: float

    @property
    def share(self) -> float:
        """What it returned of what it took."""
        return self.returned / self.taken if self.taken > 0.0 else float("nan")


def blade_links(model: Model) -> tuple[str, ...]:
    """Return the names of the blades of a model."""
    return tuple(link.name for link in model.links if isinstance(link.joint, Rod))


def deflection(model: Model, q: Array, link: str) -> Array:
    """Return how far the tip of a blade is from where it is on the unloaded blade, shape (n,), [m]."""
    rod = _rod(model, link)
    rest = q[:1].copy()
    rest[:, list(model.q_indices(link))] = 0.0
    places = [Frame(link, at=0.0), Frame(link, at=rod.length)]
    away = _seen_from_base(poses(model, q, places)) - _seen_from_base(poses(model, rest, places))
    return np.asarray(np.linalg.norm(away, axis=1))


def blade_work(
    model: Model, time: Array, q: Array, link: str, wrenches: Mapping[str, AppliedWrench]
) -> BladeWork:
    """Return energy and power of a blade under what acts on it.

    Args:
        model: The model.
        time: Shape (n,), [s], at least two instants.
        q: Configurations, shape (n, nq).
        link: The blade.
        wrenches: What acts from outside; that on the blade counts.
    """
    _rod(model, link)
    own = list(model.v_indices(link))
    dq, dv = passive_derivatives(model, q[:1], np.zeros((1, model.nv)))
    K, D = -dq[0][np.ix_(own, own)], -dv[0][np.ix_(own, own)]
    point, wrench = _total([each for each in wrenches.values() if each.link == link], len(q))
    known = np.asarray(np.isfinite(wrench).all(axis=1))
    place = np.where(np.isfinite(point), point, poses(model, q, [Frame(link)])[:, 0, :3, 3])
    rows = load_rows(model, q, link, place, np.where(known[:, None], wrench, 0.0))  # (n, k)
    strain = rows @ np.linalg.pinv(K).T
    rate = np.gradient(strain, time, axis=0)
    energy = 0.5 * np.sum(strain * rows, axis=1)
    power = -np.sum(rate * (rows + rate @ D.T), axis=1)
    return BladeWork(time, np.where(known, energy, np.nan), np.where(known, power, np.nan))


def rebounds(work: BladeWork, contacts: Array) -> tuple[Rebound, ...]:
    """Return what a blade did in each contact that is known from beginning to end.

    Args:
        work: The blade over time.
        contacts: Their first and last instants, shape (k, 2), [s].
    """
    found = []
    for start, end in contacts.tolist():
        frames = np.flatnonzero((work.time >= start) & (work.time <= end))
        inside = len(frames) > 2 and start >= work.time[0] and end <= work.time[-1]
        if not inside or not np.isfinite(work.energy[frames]).all() or not work.energy[frames].any():
            continue
        around = np.arange(max(frames[0] - 1, 0), min(frames[-1] + 2, len(work.time)))
        time, power = work.time[around], np.nan_to_num(work.power[around])
        taken, returned = (float(np.trapezoid(np.maximum(s * power, 0.0), time)) for s in (-1.0, 1.0))
        found.append(Rebound(start, end, float(work.energy[frames].max()), taken, returned))
    return tuple(found)


def _total(parts: list[AppliedWrench], n: int) -> tuple[Array, Array]:
    """Return where the largest force acts, shape (n, 3), and the sum of all about it, [moment; force], shape (n, 6)."""
    if not parts:
        return np.full((n, 3), np.nan), np.zeros((n, 6))
    size = np.stack([np.nan_to_num(np.linalg.norm(part.force, axis=1)) for part in parts])
    points = np.stack([part.point for part in parts])  # (m, n, 3)
    point = points[size.argmax(axis=0), np.arange(n)]
    arm = np.nan_to_num(points - point)
    force = np.stack([part.force for part in parts])
    moment = np.stack([part.moment for part in parts]) + cross(arm, force)
    return point, np.concatenate([moment.sum(axis=0), force.sum(axis=0)], axis=1)


def _rod(model: Model, link: str) -> Rod:
    rod = model.link(link).joint
    if not isinstance(rod, Rod):
        raise InputError(f"{link!r} is no blade; blades are: {', '.join(blade_links(model)) or 'none'}")
    return rod


def _seen_from_base(T: Array) -> Array:
    """Return the tip in axes of the base, shape (n, 3), of poses of both, shape (n, 2, 4, 4)."""
    return np.einsum("nji,nj->ni", T[:, 0, :3, :3], T[:, 1, :3, 3] - T[:, 0, :3, 3])
