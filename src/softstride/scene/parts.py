"""The parts of a scene that move: ribbons, markers, arrows, muscles; frames first, 32 bits as a screen takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.fields import Choice, declared
from softstride.results import Labels, Result, values

Drawn = NDArray[np.floating[Any]]
"""Kept in 32 bits, whatever is given."""

BITS = np.float32


class Ribbon(Result):
    """A rod that bends, as a strip: its centre line and, along it, which way its width points.

    Attributes:
        name: Name of the link.
        centre: Centre line from base to tip, shape (n, p, 3), [m].
        across: Unit vectors along the width, shape (n, p, 3).
        half_width: Shape (p,), [m].
        half_thickness: Shape (p,), [m].
    """

    name: str
    centre: Drawn = values("time point axis", "m", dtype=BITS)
    across: Drawn = values("time point axis", "1", dtype=BITS)
    half_width: Drawn = values("point", "m", dtype=BITS)
    half_thickness: Drawn = values("point", "m", dtype=BITS)

    def whose(self) -> str:
        """Say which one."""
        return f"ribbon {self.name!r}"

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


class Markers(Result, of="markers"):
    """Markers as cameras saw them and where the model has them.

    Attributes:
        names: m of them.
        model: Shape (n, m, 3), [m].
        measured: Shape (n, m, 3), [m]; NaN where not seen.
    """

    names: tuple[str, ...]
    model: Drawn = values("time marker axis", "m", dtype=BITS)
    measured: Drawn = values("time marker axis", "m", dtype=BITS)

    LABELS: ClassVar[Mapping[str, Labels]] = {"marker": lambda own: own.names}


class Arrow(Result):
    """A force of the ground on the person.

    Attributes:
        name: Of the force.
        source: "measured" or "estimated".
        side: "right", "left" or "" where it is not known.
        point: Where it acts, shape (n, 3), [m]; NaN where nothing acts.
        force: Shape (n, 3), [N]; NaN where it is not known.
    """

    name: str
    source: str = declared(rule=Choice(("measured", "estimated")))
    side: str
    point: Drawn = values("time axis", "m", dtype=BITS)
    force: Drawn = values("time axis", "N", dtype=BITS)

    def whose(self) -> str:
        """Say which one."""
        return f"arrow {self.name!r}"


class Muscles(Result, of="muscles"):
    """Muscles as lines. The points of all of them stand in one array, one muscle after the other.

    A line that has fewer points in a frame, since it leaves a surface that it wraps in others, repeats its last one.

    Attributes:
        names: m of them.
        points: Shape (n, p, 3), [m].
        first: Where the points of each begin and, last, the number of all points, shape (m + 1,).
        activity: Shape (n, m), 0 to 1; NaN where it is not known.
    """

    names: tuple[str, ...]
    points: Drawn = values("time point axis", "m", dtype=BITS)
    first: NDArray[np.intp] = values("end", dtype=np.intp)
    activity: Drawn = values("time muscle", "1", dtype=BITS)

    LABELS: ClassVar[Mapping[str, Labels]] = {"muscle": lambda own: own.names}

    def check(self) -> None:
        """Check that the muscles share out all points."""
        first, count = self.first, self.points.shape[1]
        if first.shape != (len(self.names) + 1,) or first[0] != 0 or first[-1] != count:
            raise InputError(
                f"first of muscles must be {len(self.names) + 1} numbers from 0 to {count}",
                parameter="first",
            )

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


class Patch(Result):
    """A force plate: four corners on the floor.

    Attributes:
        name: Of the plate.
        corners: Shape (4, 3), [m].
    """

    name: str
    corners: Drawn = values("corner axis", "m", dtype=BITS)

    LABELS: ClassVar[Mapping[str, Labels]] = {"corner": lambda _: ("1", "2", "3", "4")}

    def whose(self) -> str:
        """Say which one."""
        return repr(self.name)
