r"""The rows of a rod in the equation of motion: what ties the deformation of a blade to the force on it.

Nothing drives the strains q of a rod but its own elasticity, so that their rows (hybrid-link specification, section 6)

    (M a + b)_rod - (J^T w)_rod = -L B^T (K B q + D B v)

hold between the motion, the load w from outside and the stiffness K: with K known they give w, with w measured they
give K. Masses above the rod are in none of these rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.branch import branch_of
from softstride.dynamics.rod_loads import share_along
from softstride.engine.dynamics import generalized_forces
from softstride.engine.places import PlaceLike
from softstride.errors import InputError
from softstride.fields import ABOVE_0, checked
from softstride.kinematics.motion import Motion
from softstride.model.checks import names_hint
from softstride.model.model import Model
from softstride.model.rod import Rod

Array = NDArray[np.float64]

Finder = Callable[[Model, Array, str, int | None], Array]
"""Where a load acts, shape (n, 3), [m], from model, configurations, name of the rod and number of threads."""

STEP = 1e-4
"""Of strains in differences [1/m]."""

BLOCK = 256
"""Frames whose differences are taken at once."""

STRAIN_ERROR = 0.02
"""Standard deviation of the strains of a blade [1/m], [-], where the motion does not know it itself."""


def find_rod(model: Model, link: str | None = None) -> tuple[str, Rod]:
    """Return the name of a blade and its rod; None: the only one of the model.

    Raises:
        InputError: There is no such link, it is no rod, or there are several and none was named.
    """
    rods = [each.name for each in model.links if isinstance(each.joint, Rod)]
    if not rods:
        raise InputError(
            f"model {model.name!r} has no rod, so that no deformation tells of a force: put a blade on it with "
            "attach_blade"
        )
    if link is None:
        if len(rods) > 1:
            raise InputError(
                f"model {model.name!r} has several rods: name one with link=, of {', '.join(rods)}"
            )
        link = rods[0]
    if link not in model.link_names:
        raise InputError(
            f"link {link!r} is none of model {model.name!r}; links are {names_hint(model.link_names)}"
        )
    joint = model.link(link).joint
    if not isinstance(joint, Rod):
        raise InputError(f"link {link!r} is no rod and does not bend; rods are {', '.join(rods)}")
    return link, joint


def row_matrices(rod: Rod) -> tuple[Array, Array]:
    """Return L B^T K B and L B^T D B of all segments, each (k, k), block by block."""
    K, D = np.zeros((rod.nv, rod.nv)), np.zeros((rod.nv, rod.nv))
    start = 0
    for segment in rod.segments:
        own = np.ix_(segment.free_indices, segment.free_indices)
        stop = start + len(segment.free)
        K[start:stop, start:stop] = segment.length * segment.stiffness[own]
        D[start:stop, start:stop] = segment.length * segment.damping[own]
        start = stop
    return K, D


def check_stiff(link: str, K: Array) -> None:
    """Refuse a rod without stiffness.

    Raises:
        InputError: No strain has any.
    """
    if not (np.diag(K) > 0.0).any():
        raise InputError(
            f"rod {link!r} has no stiffness: give it that of a blade of its kind, and find its scale with "
            "identify_blade from a trial with plates"
        )


def strain_deviations(model: Model, motion: Motion, link: str, given: float | None) -> tuple[Array, str]:
    """Return standard deviations of the strains of a rod, shape (n, k), [1/m] and [-], and where they are from.

    Args:
        model: The model.
        motion: Its motion; one from markers knows them (`Motion.std`).
        link: The rod.
        given: For all strains in all frames, in place of what the motion knows.
    """
    own = list(model.v_indices(link))
    if given is not None:
        return np.full((len(motion), len(own)), checked(ABOVE_0, given, "strain_error")), "as given"
    if motion.fit is not None:
        return np.maximum(motion.std[:, own], 1e-9), "from the noise of the markers"
    return np.full((len(motion), len(own)), STRAIN_ERROR), f"taken as {STRAIN_ERROR:g}"


def unit_loads(model: Model, q: Array, link: str, point: Array, threads: int | None = None) -> Array:
    """Return what unit loads at a point do in the rows of a rod, shape (n, k, 6).

    Column j holds (J^T w)_rod of the j-th unit of w = [moment; force], world axes, on the sections next to the point.

    Args:
        model: The model.
        q: Configurations, shape (n, nq).
        link: The rod.
        point: Shape (n, 3), [m], world axes.
        threads: How many threads may be used.
    """
    n = len(q)
    unit = np.repeat(np.eye(6), n, axis=0)
    rows = load_rows(model, np.tile(q, (6, 1)), link, np.tile(point, (6, 1)), unit, threads)
    return np.moveaxis(rows.reshape(6, n, -1), 0, 2)


def load_rows(
    model: Model, q: Array, link: str, point: Array, wrench: Array, threads: int | None = None
) -> Array:
    """Return (J^T w)_rod of a load at a point, shape (n, k).

    Args:
        model: The model.
        q: Configurations, shape (n, nq).
        link: The rod.
        point: Shape (n, 3), [m], world axes.
        wrench: [moment; force] about the point, shape (n, 6), [N·m] and [N], world axes.
        threads: How many threads may be used.
    """
    parts = share_along(model, q, link, point, wrench[:, 3:], wrench[:, :3], threads)
    branch = branch_of(model, (link,))
    places: dict[PlaceLike, Array] = {place: np.ascontiguousarray(w) for place, w in parts.items()}
    tau = generalized_forces(branch.model, branch.take(q), places, threads=threads)
    return tau[:, list(branch.model.v_indices(link))]


def load_changes(
    model: Model, q: Array, link: str, point: Array | Finder, wrench: Array, threads: int | None = None
) -> Array:
    """Return d(J^T w)_rod / d(strains) of a load, shape (n, k, k), by central differences.

    A strain in error moves the sections against the load: under a body weight this is of the size of what the strain
    does through the stiffness, most of all in torsion.

    Args:
        model: The model.
        q: Configurations, shape (n, nq).
        link: The rod.
        point: Where the load acts, shape (n, 3), [m]; or a function that finds it from the configuration, with which it
            moves.
        wrench: [moment; force] about the point, shape (n, 6), world axes.
        threads: How many threads may be used.
    """
    columns = list(model.q_indices(link))
    k = len(columns)
    change = np.empty((len(q), k, k))
    for start in range(0, len(q), BLOCK):
        part = slice(start, start + BLOCK)
        moved = np.repeat(q[None, part], 2 * k, axis=0)
        for j, column in enumerate(columns):
            moved[j, :, column] += STEP
            moved[k + j, :, column] -= STEP
        every = moved.reshape(-1, model.nq)
        at = point(model, every, link, threads) if callable(point) else np.tile(point[part], (2 * k, 1))
        rows = load_rows(model, every, link, at, np.tile(wrench[part], (2 * k, 1)), threads)
        both = rows.reshape(2, k, -1, k)
        change[part] = np.moveaxis((both[0] - both[1]) / (2.0 * STEP), 0, 2)
    return change


def with_stiffness(model: Model, link: str, factors: Array) -> Model:
    """Return the model with a rod whose stiffness, and damping with it, is scaled.

    Args:
        model: The model.
        link: The rod.
        factors: For each segment and strain, shape (segments, 6): K becomes S K S with S = diag(sqrt(factors)).
    """
    rod = model.link(link).joint
    if not isinstance(rod, Rod):
        raise InputError(f"{link!r} is no rod")
    segments = tuple(
        dataclasses.replace(
            segment,
            stiffness=segment.stiffness * np.sqrt(np.outer(row, row)),
            damping=segment.damping * np.sqrt(np.outer(row, row)),
        )
        for segment, row in zip(rod.segments, factors, strict=True)
    )
    stiffer = Rod(segments, rod.quadrature)
    links = tuple(
        dataclasses.replace(each, joint=stiffer) if each.name == link else each for each in model.links
    )
    return model.replace(links=links)
