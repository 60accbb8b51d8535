"""What acts on a chain: muscles along straight lines between points of links, and contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from softstride.errors import ModelError
from softstride.fields import Anything, Frozen, declared
from softstride.model import checks

PathPoint = tuple[str | int, float, float]


@dataclass(frozen=True)
class Muscle:
    """A muscle: one tension along straight lines between points that are fixed on links.

    Two points on links i < j span the joints i+1 to j. With via points there is one line for each pair of consecutive
    points; a line between two points of one link crosses no joint.

    Attributes:
        name: Name of the muscle.
        path: Points from origin to insertion: (link, x, y), the link by name or number, x and y in its frame [m].
    """

    name: str
    path: tuple[PathPoint, ...]

    def __post_init__(self) -> None:
        """Check the points; whether the links exist is known to the chain."""
        what = f"muscle {checks.text(self.name, 'name of a muscle')!r}"
        points: list[PathPoint] = []
        try:
            given = [tuple(point) for point in self.path]
        except TypeError as error:
            raise ModelError(f"{what}: path must be a list of (link, x, y), not {self.path!r}.") from error
        for number, point in enumerate(given):
            if len(point) != 3:
                raise ModelError(f"{what}: point {number} must be (link, x, y), however it is {point!r}.")
            x, y = (checks.number(value, f"{what}: point {number}") for value in point[1:])
            points.append((cast(str | int, point[0]), x, y))
        if len(points) < 2:
            raise ModelError(f"{what}: a path needs two points or more, however it has {len(points)}.")
        object.__setattr__(self, "path", tuple(points))


@dataclass(frozen=True)
class Contact(Frozen, raising=ModelError):
    """A place where something outside the chain acts: a force, a couple, or both.

    Attributes:
        name: Name of the contact.
        link: The link that it acts on, by name or number.
        point: Where, in the frame of the link [m]; a `State` may give it frame by frame instead.
    """

    name: str = declared()
    link: str | int = declared(rule=Anything("a name or a number"))
    point: tuple[float, float] = declared((0.0, 0.0), unit="m")

    def whose(self) -> str:
        """Return the contact by its name; whether its link exists is known to the chain."""
        return f"contact {self.name!r}"


@dataclass(frozen=True, eq=False)
class Lines:
    """The straight lines of all muscles, each between two links, lower number first.

    Attributes:
        muscle: Which muscle each belongs to, shape (n_lines,).
        low: Link of the proximal end, shape (n_lines,).
        high: Link of the distal end, shape (n_lines,).
        start: Proximal end in the frame of `low`, complex, shape (n_lines,), [m].
        end: Distal end in the frame of `high`, complex, shape (n_lines,), [m].
    """

    muscle: np.ndarray
    low: np.ndarray
    high: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.muscle)

    def spans(self, n: int) -> np.ndarray:
        """Return which line crosses which joint, shape (n, n_lines)."""
        joints = np.arange(1, n + 1)[:, None]
        return np.asarray((self.low < joints) & (joints <= self.high))
