"""Paths over the skeleton: points that a muscle or ligament runs through, and surfaces it wraps around.

Data only: lengths and moment arms are computed by the muscles.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import ArrayField, FloatArray, Frozen, constant
from softstride.model.functions import Function

WrapMethod = Literal["hybrid", "midpoint", "axial"]
WRAP_METHODS = ("hybrid", "midpoint", "axial")
QUADRANTS = ("all", "x", "-x", "+x", "y", "-y", "+y", "z", "-z", "+z")


@dataclass(frozen=True, eq=False)
class PathPoint(Frozen):
    """A point of a path, fixed on a link.

    Attributes:
        link: Name of the link.
        position: In link axes, shape (3,), [m].
        name: Its own name, "" if it has none.
    """

    link: str
    position: FloatArray
    name: str = ""

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        checks.text(self.link, "link of a path point")
        self._set(position=checks.array(self.position, (3,), f"path point {self.name!r} on {self.link!r}"))


@dataclass(frozen=True, eq=False)
class ConditionalPathPoint(PathPoint):
    """A point that the path runs through only while a coordinate is in a range.

    Attributes:
        coordinate: Name of the coordinate.
        lower: Least value at which the point is used [rad] or [m].
        upper: Greatest value.
    """

    coordinate: str = ""
    lower: float = -np.inf
    upper: float = np.inf

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        super().__post_init__()
        what = f"conditional path point {self.name!r} on {self.link!r}"
        checks.text(self.coordinate, f"coordinate of {what}")
        self._set(
            lower=checks.number(self.lower, f"{what}: lower", infinite=True),
            upper=checks.number(self.upper, f"{what}: upper", infinite=True),
        )
        if self.lower > self.upper:
            raise ModelError(f"{what}: the range {self.lower:g} to {self.upper:g} is empty.")


@dataclass(frozen=True, eq=False)
class MovingPathPoint(Frozen):
    """A point whose coordinates in link axes are functions of coordinates of the model.

    Attributes:
        link: Name of the link.
        x: Coordinate that drives x and the function of it; a `Constant` may have the empty name. [m]
        y: Likewise.
        z: Likewise.
        name: Its own name, "" if it has none.
    """

    link: str
    x: tuple[str, Function]
    y: tuple[str, Function]
    z: tuple[str, Function]
    name: str = ""

    def __post_init__(self) -> None:
        """Check the fields."""
        checks.text(self.link, "link of a path point")
        for axis in ("x", "y", "z"):
            given = getattr(self, axis)
            if len(given) != 2 or not isinstance(given[0], str) or not isinstance(given[1], Function):
                raise ModelError(
                    f"moving path point {self.name!r} on {self.link!r}: {axis} must be a pair (coordinate, function), "
                    f"however it is {given!r}."
                )


AnyPathPoint = PathPoint | ConditionalPathPoint | MovingPathPoint


@dataclass(frozen=True, eq=False)
class WrapSurface(Frozen):
    """A surface on a link that paths do not enter.

    Attributes:
        link: Name of the link.
        pose: T_link_surface, shape (4, 4), [m].
        quadrant: Part of the surface that paths may touch: "all", or the side of an axis such as "+x".
        active: Whether it is switched on.
    """

    link: str
    pose: ArrayField = field(default_factory=constant(np.eye(4)))
    quadrant: str = "all"
    active: bool = True
    sizes: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        checks.text(self.link, "link of a wrapping surface")
        what = f"{type(self).__name__} on {self.link!r}"
        self._set(pose=checks.pose(self.pose, f"{what}: pose"))
        if self.quadrant not in QUADRANTS:
            raise ModelError(
                f"{what}: quadrant must be one of {', '.join(QUADRANTS)}, not {self.quadrant!r}."
            )
        for name in self.sizes:
            value = checks.number(getattr(self, name), f"{what}: {name}")
            if value <= 0.0:
                raise ModelError(f"{what}: {name} must be above zero, however it is {value:g}.")
            self._set(**{name: value})


@dataclass(frozen=True, eq=False)
class WrapCylinder(WrapSurface):
    """A cylinder about the z axis of its pose, of finite length, centred at the origin.

    Attributes:
        radius: [m].
        length: [m].
    """

    radius: float = 0.0
    length: float = 1.0
    sizes: ClassVar[tuple[str, ...]] = ("radius", "length")


@dataclass(frozen=True, eq=False)
class WrapSphere(WrapSurface):
    """A sphere.

    Attributes:
        radius: [m].
    """

    radius: float = 0.0
    sizes: ClassVar[tuple[str, ...]] = ("radius",)


@dataclass(frozen=True, eq=False)
class WrapEllipsoid(WrapSurface):
    """An ellipsoid with half axes a, b, c along x, y, z of its pose.

    Attributes:
        a: [m].
        b: [m].
        c: [m].
    """

    a: float = 0.0
    b: float = 0.0
    c: float = 0.0
    sizes: ClassVar[tuple[str, ...]] = ("a", "b", "c")


@dataclass(frozen=True, eq=False)
class WrapTorus(WrapSurface):
    """A torus about the z axis of its pose: paths run through its hole.

    Attributes:
        inner: Radius of the tube [m].
        outer: Radius of the ring, from its centre to that of the tube [m].
    """

    inner: float = 0.0
    outer: float = 0.0
    sizes: ClassVar[tuple[str, ...]] = ("inner", "outer")


@dataclass(frozen=True, eq=False)
class PathWrap(Frozen):
    """That a path wraps around a surface.

    Attributes:
        surface: Name of the surface in the model's `wraps`.
        method: How OpenSim looks for a path over an ellipsoid: "hybrid", "midpoint" or "axial". It is kept for files
            alone: here a path over any surface is a geodesic, whatever the method.
        first: Number of the first path point (from 0) between which and `last` it may wrap; None for the first.
        last: Number of the last one; None for the last.
    """

    surface: str
    method: WrapMethod = "hybrid"
    first: int | None = None
    last: int | None = None

    def __post_init__(self) -> None:
        """Check the fields."""
        checks.text(self.surface, "surface of a path wrap")
        if self.method not in WRAP_METHODS:
            raise ModelError(
                f"path wrap on {self.surface!r}: method must be one of {', '.join(WRAP_METHODS)}, not {self.method!r}."
            )


@dataclass(frozen=True, eq=False)
class Path(Frozen):
    """A path: points in order, and the surfaces it wraps around.

    Attributes:
        points: Two or more; the first is the origin and the last the insertion.
        wraps: In the order in which they are tried.
    """

    points: tuple[AnyPathPoint, ...]
    wraps: tuple[PathWrap, ...] = ()

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        self._set(points=tuple(self.points), wraps=tuple(self.wraps))
        if len(self.points) < 2:
            raise ModelError(f"a path needs two points or more, however it has {len(self.points)}.")

    @property
    def links(self) -> tuple[str, ...]:
        """Names of the links that it touches, in order, each once."""
        return tuple(dict.fromkeys(point.link for point in self.points))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates that its conditional and moving points depend on, each once."""
        names: list[str] = []
        for point in self.points:
            if isinstance(point, ConditionalPathPoint):
                names.append(point.coordinate)
            elif isinstance(point, MovingPathPoint):
                names += [name for name, _ in (point.x, point.y, point.z) if name]
        return tuple(dict.fromkeys(names))
