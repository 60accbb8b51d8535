"""Cuts through joints: whose wrench a recursion shows, about which point and in whose axes."""

from __future__ import annotations

from dataclasses import dataclass

from softstride.engine.places import WORLD, PlaceLike


@dataclass(frozen=True)
class Cut:
    """A joint that is cut, and how the wrench that it transmits is looked at.

    Attributes:
        link: The link that the joint carries. The wrench is the one that the joint gives this link and all that hangs
            on it; of a rod, the one that its base is given.
        about: The place whose origin the moment is about.
        axes: The place in whose axes moment, force and that origin are given, the latter from its own origin.
    """

    link: str
    about: PlaceLike
    axes: PlaceLike = WORLD
