"""Frames and points fixed on a link, where things are measured, attached or pushed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import ArrayField, Frozen, constant


@dataclass(frozen=True, eq=False)
class Point(Frozen):
    """A point on a link.

    Attributes:
        link: Name of the link; "world" for a fixed point.
        position: Position in link axes, shape (3,), [m]; on a rod with `at`, the offset in section axes
            there.
        at: Arc length from the base of a rod [m]; None: the link frame (of a rod: its tip).
    """

    link: str
    position: ArrayField = field(default_factory=constant(np.zeros(3)))
    at: float | None = None

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        _clean(self)


@dataclass(frozen=True, eq=False)
class Frame(Frozen):
    """A full frame on a link: pose T_link_frame = [[rotation, position], [0, 1]].

    Attributes:
        link: Name of the link; "world" for a fixed frame.
        position: Position of the origin in link axes, shape (3,), [m]; on a rod with `at`, in section axes
            there.
        rotation: Axes of the frame in link axes, shape (3, 3).
        at: Arc length from the base of a rod [m]; None: the link frame (of a rod: its tip).
    """

    link: str
    position: ArrayField = field(default_factory=constant(np.zeros(3)))
    rotation: ArrayField = field(default_factory=constant(np.eye(3)))
    at: float | None = None

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        _clean(self)
        self._set(rotation=checks.rotation(self.rotation, f"Frame on {self.link!r}: rotation"))


def _clean(place: Point | Frame) -> None:
    what = f"{type(place).__name__} on {checks.text(place.link, 'link of a point or frame')!r}"
    at = None if place.at is None else checks.number(place.at, f"{what}: at", lower=0.0)
    if at is not None and place.link == "world":
        raise ModelError(f"{what}: the world is no rod, leave out at={at:g}.")
    place._set(position=checks.array(place.position, (3,), f"{what}: position"), at=at)
