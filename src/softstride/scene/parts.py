"""The parts of a scene that move: ribbons, markers, arrows, muscles; frames first, 32 bits as a screen takes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError

Drawn = NDArray[np.floating[Any]]
"""Kept in 32 bits, whatever is given."""

Frames = slice | NDArray[np.intp]


def drawn(values: ArrayLike, shape: tuple[int | None, ...], what: str) -> Drawn:
    """Return a constant copy in 32 bits of this shape (None: any length)."""
    array = np.array(values, dtype=np.float32)
    if array.ndim != len(shape) or any(
        want not in (None, have) for want, have in zip(shape, array.shape, strict=True)
    ):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise InputError(f"{what} must be ({wanted}), however it is {array.shape}")
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a scene; subclasses name the fields that change from frame to frame."""

    def _moving(self) -> tuple[str, ...]:
        raise NotImplementedError

    def take(self, frames: Frames) -> Self:
        """Return the part in these frames."""
        changes: dict[str, Any] = {name: getattr(self, name)[frames] for name in self._moving()}
        return replace(self, **changes)


@dataclass(frozen=True, eq=False)
class Ribbon(Part):
    """A rod that bends, as a strip: its centre line and, along it, which way its width points.

    Attributes:
        name: Name of the link.
        centre: Centre line from base to tip, shape (n, p, 3), [m].
        across: Unit vectors along the width, shape (n, p, 3).
        half_width: Shape (p,), [m].
        half_thickness: Shape (p,), [m].
    """

    name: str
    centre: Drawn
    across: Drawn
    half_width: Drawn
    half_thickness: Drawn

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        centre = drawn(self.centre, (None, None, 3), f"centre of ribbon {self.name!r}")
        n, p, _ = centre.shape
        object.__setattr__(self, "centre", centre)
        object.__setattr__(self, "across", drawn(self.across, (n, p, 3), f"across of ribbon {self.name!r}"))
        for name in ("half_width", "half_thickness"):
            value = drawn(getattr(self, name), (p,), f"{name} of ribbon {self.name!r}")
            object.__setattr__(self, name, value)

    def _moving(self) -> tuple[str, ...]:
        return "centre", "across"

    def corners(self, frame: int) -> Drawn:
        """Return the four corners of each section in a frame, shape (p, 4, 3), [m], in turn around it."""
        centre, across = self.centre[frame], self.across[frame]
        normal = np.cross(np.gradient(centre, axis=0), across)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        normal = normal / np.where(length > 0.0, length, 1.0)
        w, t = self.half_width[:, None] * across, self.half_thickness[:, None] * normal
        return np.stack([centre + w + t, centre + w - t, centre - w - t, centre - w + t], axis=1)

    def faces(self) -> NDArray[np.uint32]:
        """Return the triangles between the corners, counted section by section, shape (k, 3)."""
        p = len(self.half_width)
        faces = [(0, 1, 2), (0, 2, 3)]
        for i in range(p - 1):
            a, b = 4 * i, 4 * i + 4
            for k in range(4):
                m = (k + 1) % 4
                faces += [(a + k, b + k, b + m), (a + k, b + m, a + m)]
        last = 4 * (p - 1)
        faces += [(last, last + 2, last + 1), (last, last + 3, last + 2)]
        return np.array(faces, dtype=np.uint32)


@dataclass(frozen=True, eq=False)
class Markers(Part):
    """Markers as cameras saw them and where the model has them.

    Attributes:
        names: m of them.
        model: Shape (n, m, 3), [m].
        measured: Shape (n, m, 3), [m]; NaN where not seen.
    """

    names: tuple[str, ...]
    model: Drawn
    measured: Drawn

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        object.__setattr__(self, "names", tuple(self.names))
        m = len(self.names)
        for name in ("model", "measured"):
            object.__setattr__(self, name, drawn(getattr(self, name), (None, m, 3), f"{name} markers"))

    def _moving(self) -> tuple[str, ...]:
        return "model", "measured"


@dataclass(frozen=True, eq=False)
class Arrow(Part):
    """A force of the ground on the person.

    Attributes:
        name: Of the force.
        source: "measured" or "estimated".
        side: "right", "left" or "" where it is not known.
        point: Where it acts, shape (n, 3), [m]; NaN where nothing acts.
        force: Shape (n, 3), [N]; NaN where it is not known.
    """

    name: str
    source: str
    side: str
    point: Drawn
    force: Drawn

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        if self.source not in ("measured", "estimated"):
            raise InputError(
                f"source of arrow {self.name!r} must be 'measured' or 'estimated', however it is {self.source!r}"
            )
        for name in ("point", "force"):
            object.__setattr__(
                self, name, drawn(getattr(self, name), (None, 3), f"{name} of arrow {self.name!r}")
            )

    def _moving(self) -> tuple[str, ...]:
        return "point", "force"


@dataclass(frozen=True, eq=False)
class Muscles(Part):
    """Muscles as lines. The points of all of them stand in one array, one muscle after the other.

    A line that has fewer points in a frame, since it leaves a surface that it wraps in others, repeats its last one.

    Attributes:
        names: m of them.
        points: Shape (n, p, 3), [m].
        first: Where the points of each begin and, last, the number of all points, shape (m + 1,).
        activity: Shape (n, m), 0 to 1; NaN where it is not known.
    """

    names: tuple[str, ...]
    points: Drawn
    first: NDArray[np.intp]
    activity: Drawn

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        object.__setattr__(self, "names", tuple(self.names))
        first = np.array(self.first, dtype=np.intp)
        first.setflags(write=False)
        points = drawn(self.points, (None, None, 3), "points of muscles")
        if first.shape != (len(self.names) + 1,) or first[0] != 0 or first[-1] != points.shape[1]:
            raise InputError(
                f"first of muscles must be {len(self.names) + 1} numbers from 0 to {points.shape[1]}"
            )
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "points", points)
        shape = (len(points), len(self.names))
        object.__setattr__(self, "activity", drawn(self.activity, shape, "activity of muscles"))

    def _moving(self) -> tuple[str, ...]:
        return "points", "activity"

    def line(self, name: str) -> Drawn:
        """Return the line of one muscle, shape (n, k, 3), [m]."""
        if name not in self.names:
            raise InputError(f"{name!r} is no muscle of the scene; there are: {', '.join(self.names)}")
        i = self.names.index(name)
        return self.points[:, self.first[i] : self.first[i + 1]]

    def segments(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the two points of each straight piece, shape (s, 2), and the muscle that it is of, shape (s,)."""
        ends = [
            (k, k + 1) for i in range(len(self.names)) for k in range(self.first[i], self.first[i + 1] - 1)
        ]
        owner = np.repeat(np.arange(len(self.names)), np.diff(self.first) - 1)
        return np.array(ends, dtype=np.intp).reshape(-1, 2), owner


@dataclass(frozen=True, eq=False)
class Patch:
    """A force plate: four corners on the floor.

    Attributes:
        name: Of the plate.
        corners: Shape (4, 3), [m].
    """

    name: str
    corners: Drawn

    def __post_init__(self) -> None:
        """Freeze the corners."""
        object.__setattr__(self, "corners", drawn(self.corners, (4, 3), f"corners of {self.name!r}"))
