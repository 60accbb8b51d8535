"""The keyword options that all methods of the builder share, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import FloatArray
from softstride.model.coordinate import Coordinate
from softstride.model.inertia import Inertia


class BodyOptions(TypedDict, total=False):
    """Options of every link: where it hangs and what it weighs.

    Attributes:
        position: Position of the joint in the parent frame, shape (3,), [m].
        rotation: Rotation of the joint frame against the parent frame, shape (3, 3).
        offset: Pose of the link frame in the joint's moving frame, shape (4, 4).
        at: Arc length on a parent rod where the link hangs [m]; None: its tip.
        mass: Mass [kg].
        com: Centre of mass in the link frame, shape (3,), [m].
        inertia: Rotational inertia about the centre of mass, shape (3, 3) or its diagonal (3,), [kg·m²]; or
            a whole `Inertia`, which then replaces mass and com.
    """

    position: ArrayLike
    rotation: ArrayLike | None
    offset: ArrayLike | None
    at: float | None
    mass: float
    com: ArrayLike
    inertia: ArrayLike | Inertia | None


class JointOptions(BodyOptions, total=False):
    """Options of every link with coordinates: one number for all, or one for each (see `Coordinate`).

    Attributes:
        default: Value in the default pose.
        range: Lower and upper limit; for several coordinates one pair, or one for each.
        stiffness: Spring stiffness.
        rest: Where the spring is slack.
        damping: Force per velocity.
        limit_stiffness: Stiffness beyond the range.
        limit_damping: Damping beyond the range.
    """

    default: ArrayLike
    range: ArrayLike | None
    stiffness: ArrayLike
    rest: ArrayLike
    damping: ArrayLike
    limit_stiffness: ArrayLike
    limit_damping: ArrayLike


BODY = frozenset(BodyOptions.__annotations__)
JOINT = frozenset(JointOptions.__annotations__)
"""Names of the options."""

_SCALARS = ("default", "stiffness", "rest", "damping", "limit_stiffness", "limit_damping")


def read_inertia(options: Mapping[str, Any]) -> Inertia:
    """Return the inertia that mass, com and inertia describe."""
    inertia = options.get("inertia")
    if isinstance(inertia, Inertia):
        if "mass" in options or "com" in options:
            raise ModelError("an Inertia holds mass and com already: leave out mass= and com=.")
        return inertia
    matrix = np.zeros((3, 3)) if inertia is None else inertia
    return Inertia(options.get("mass", 0.0), options.get("com", np.zeros(3)), matrix)


def read_coordinates(names: tuple[str, ...], options: Mapping[str, Any]) -> list[Coordinate]:
    """Return the coordinates that the passive options describe; none if there are no such options."""
    n = len(names)
    columns = {key: _spread(options[key], (n,), key) for key in _SCALARS if options.get(key) is not None}
    if options.get("range") is not None:
        limits = _spread(options["range"], (n, 2), "range", infinite=True)
        columns |= {"lower": limits[:, 0], "upper": limits[:, 1]}
    if not columns:
        return []
    return [
        replace(Coordinate(name), **{key: float(column[i]) for key, column in columns.items()})  # type: ignore[arg-type]
        for i, name in enumerate(names)
    ]


def _spread(value: ArrayLike, shape: tuple[int, ...], what: str, infinite: bool = False) -> FloatArray:
    """Return numbers given once, or once for each coordinate, as one row for each coordinate."""
    given = checks.any_array(value, what, infinite=infinite)
    if given.shape not in (shape, shape[1:]):
        raise ModelError(
            f"{what} must have shape {shape[1:]} or {shape}, however it has shape {given.shape}."
        )
    return np.broadcast_to(given, shape)
