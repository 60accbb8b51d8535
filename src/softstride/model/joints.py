"""The kinds of joints: how the frame of a link moves against the frame it hangs on.

Each kind knows its number of coordinates `nq` and velocities `nv`, its neutral q and the names of its
coordinates, one for each velocity. Soft links are a kind too: `softstride.model.rod.Rod`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import FloatArray, Frozen
from softstride.model.functions import Constant, Function, Linear

ROTATIONS = ("x", "y", "z")
TWIST = ("rx", "ry", "rz", "tx", "ty", "tz")


@runtime_checkable
class Joint(Protocol):
    """What every kind of joint answers."""

    @property
    def nq(self) -> int:
        """Number of coordinates in q."""

    @property
    def nv(self) -> int:
        """Number of velocities in v."""

    def neutral(self) -> FloatArray:
        """Return q of the neutral pose, shape (nq,)."""

    def coordinate_names(self, link: str) -> tuple[str, ...]:
        """Return the names of the coordinates, one for each velocity, on the link of this name."""


@dataclass(frozen=True, eq=False)
class Fixed(Frozen):
    """No motion: T = E."""

    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0

    def neutral(self) -> FloatArray:
        """Return q of the neutral pose, shape (0,)."""
        return np.zeros(0)

    def coordinate_names(self, link: str) -> tuple[str, ...]:
        """Return no names."""
        return ()


@dataclass(frozen=True, eq=False)
class _OneAxis(Frozen):
    """A joint with one coordinate along or about one axis."""

    axis: FloatArray
    coordinate: str = ""
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    def __post_init__(self) -> None:
        """Normalise the axis."""
        self._set(axis=checks.unit(self.axis, f"axis of {type(self).__name__}"))
        if not isinstance(self.coordinate, str):
            raise ModelError(
                f"coordinate of {type(self).__name__} must be a name, however it is {self.coordinate!r}."
            )

    def neutral(self) -> FloatArray:
        """Return q of the neutral pose: zero, shape (1,)."""
        return np.zeros(1)

    def coordinate_names(self, link: str) -> tuple[str, ...]:
        """Return the given name, or the link's."""
        return (self.coordinate or link,)


@dataclass(frozen=True, eq=False)
class Revolute(_OneAxis):
    """Rotation by q [rad] about an axis: T = [exp(axis q), 0].

    Attributes:
        axis: Direction in the joint frame, shape (3,); stored with length 1.
        coordinate: Name of the coordinate; empty: the name of the link.
    """


@dataclass(frozen=True, eq=False)
class Prismatic(_OneAxis):
    """Translation by q [m] along an axis: T = [E, axis q].

    Attributes:
        axis: Direction in the joint frame, shape (3,); stored with length 1.
        coordinate: Name of the coordinate; empty: the name of the link.
    """


@dataclass(frozen=True, eq=False)
class Spherical(Frozen):
    """Ball joint: q = quaternion (x, y, z, w), v = angular velocity in the child frame [rad/s]."""

    nq: ClassVar[int] = 4
    nv: ClassVar[int] = 3

    def neutral(self) -> FloatArray:
        """Return q of the neutral pose: the unit quaternion, shape (4,)."""
        return np.array([0.0, 0.0, 0.0, 1.0])

    def coordinate_names(self, link: str) -> tuple[str, ...]:
        """Return "hip.x", "hip.y", "hip.z"."""
        return tuple(f"{link}.{suffix}" for suffix in ROTATIONS)


@dataclass(frozen=True, eq=False)
class Free(Frozen):
    """Free motion: q = [position (3) [m], quaternion (x, y, z, w)] in the placement frame, v = body twist."""

    nq: ClassVar[int] = 7
    nv: ClassVar[int] = 6

    def neutral(self) -> FloatArray:
        """Return q of the neutral pose: at the origin, unrotated, shape (7,)."""
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])

    def coordinate_names(self, link: str) -> tuple[str, ...]:
        """Return "pelvis.rx", "pelvis.ry", "pelvis.rz", "pelvis.tx", "pelvis.ty", "pelvis.tz"."""
        return tuple(f"{link}.{suffix}" for suffix in TWIST)


Terms = tuple[tuple[str, Function], ...]


@dataclass(frozen=True, eq=False)
class Axis(Frozen):
    """One axis of a custom joint: x = Σ_i function_i(q[coordinate_i]) along or about a direction.

    Attributes:
        direction: Shape (3,); stored with length 1.
        terms: Pairs of a coordinate name and a function. None: x = 0. A `Constant` may have the empty name. Products of
            coordinates cannot be written: an axis is a sum of functions of one coordinate each.
    """

    direction: FloatArray
    terms: Terms = ()

    def __post_init__(self) -> None:
        """Normalise the direction and check the terms."""
        self._set(
            direction=checks.unit(self.direction, "direction of an Axis"), terms=_checked_terms(self.terms)
        )

    @classmethod
    def along(cls, direction: ArrayLike, coordinate: str) -> Axis:
        """Return the axis that follows one coordinate: x = q[coordinate]."""
        return cls(checks.as_given(direction), ((coordinate, Linear(1.0)),))


def _checked_terms(terms: object) -> Terms:
    if not isinstance(terms, Sequence) or isinstance(terms, str):
        raise ModelError(
            f"terms of an Axis must be pairs (coordinate, function), however they are {terms!r}."
        )
    for term in terms:
        if not isinstance(term, Sequence) or isinstance(term, str) or len(term) != 2:
            raise ModelError(
                f"terms of an Axis must be pairs (coordinate, function), however one is {term!r}."
            )
        name, function = term
        if not isinstance(name, str) or not isinstance(function, Function) or isinstance(function, type):
            raise ModelError(
                f"terms of an Axis must be pairs (coordinate, function), however one is {term!r}."
            )
        if not name and not isinstance(function, Constant):
            raise ModelError(
                "only a Constant term of an Axis may have no coordinate: name the one that drives it."
            )
    return tuple((name, function) for name, function in terms)


Axes = tuple[Axis, Axis, Axis]


def _still() -> Axes:
    return tuple(Axis(row) for row in np.eye(3))  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Custom(Frozen):
    """Function-driven joint (OpenSim's SpatialTransform).

    T = [R1(x1) R2(x2) R3(x3), Σ_i t_i x_{3+i}]: rotations about successive body-fixed axes, translation in
    the parent-side frame, each x a sum of functions of coordinates. Several custom links may use one
    coordinate (a patella that follows the knee): it then exists once.

    Attributes:
        rotations: The three rotation axes.
        translations: The three translation axes.
        coordinates: Names in the order of q; empty: the order of first appearance in rotations, then
            translations.
    """

    rotations: Axes = field(default_factory=_still)
    translations: Axes = field(default_factory=_still)
    coordinates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the axes and collect the coordinates."""
        for what in ("rotations", "translations"):
            axes = getattr(self, what)
            if (
                not isinstance(axes, Sequence)
                or len(axes) != 3
                or not all(isinstance(axis, Axis) for axis in axes)
            ):
                raise ModelError(f"{what} of a Custom joint must be three Axis, however they are {axes!r}.")
            self._set(**{what: tuple(axes)})
        used = dict.fromkeys(
            name for axis in (*self.rotations, *self.translations) for name, _ in axis.terms if name
        )
        self._set(coordinates=_checked_order(self.coordinates, tuple(used)))

    @property
    def nq(self) -> int:
        """Number of coordinates that drive the joint, shared ones included."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of velocities, equal to `nq`."""
        return len(self.coordinates)

    def neutral(self) -> FloatArray:
        """Return q of the neutral pose: zeros, shape (nq,)."""
        return np.zeros(self.nq)

    def coordinate_names(self, link: str) -> tuple[str, ...]:
        """Return the given names."""
        return self.coordinates


def _checked_order(given: object, used: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ModelError(
            f"coordinates of a Custom joint must be a tuple of names, however they are {given!r}."
        )
    if not given:
        return used
    for name in given:
        checks.text(name, "coordinate of a Custom joint")
    if len(set(given)) != len(given):
        raise ModelError(
            f"coordinates of a Custom joint must be different, however they are {tuple(given)!r}."
        )
    missing = [name for name in used if name not in given]
    if missing:
        raise ModelError(f"coordinates of a Custom joint must list {missing}, which its axes use.")
    return tuple(given)
