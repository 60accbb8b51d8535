"""Places by name: links, registered frames and markers, or frames and points given on the spot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from softstride.errors import InputError
from softstride.model import Frame, Model, Point
from softstride.model.checks import names_hint

Place = Frame | Point
PlaceLike = str | Frame | Point
WORLD = "world"


def resolve(model: Model, place: PlaceLike) -> Place:
    """Return the frame or point meant; a link's name means its frame."""
    if isinstance(place, str):
        return model.place(place)
    if not isinstance(place, Frame | Point):
        raise InputError(f"a place must be a name, a Frame or a Point, however it is {type(place).__name__}")
    if place.link != WORLD and place.link not in model.link_names:
        raise InputError(
            f"{type(place).__name__} is on link {place.link!r}, but links are {names_hint(model.link_names)}"
        )
    return place


def contents(place: Place) -> tuple[object, ...]:
    """Return what a place says; two that say the same are one place."""
    turn = place.rotation.tobytes() if isinstance(place, Frame) else None
    return place.link, place.position.tobytes(), place.at, turn


def listed(
    model: Model, places: PlaceLike | Sequence[PlaceLike] | None
) -> tuple[tuple[PlaceLike, ...], bool]:
    """Return all places asked for, and whether it was a single one; None means every link."""
    if places is None:
        return model.link_names, False
    if isinstance(places, str | Frame | Point):
        return (places,), True
    if not isinstance(places, Iterable):
        raise InputError(f"places must be a name, a Frame, a Point or a list, however they are {places!r}")
    given = tuple(places)
    for place in given:
        if not isinstance(place, str | Frame | Point):
            raise InputError(f"a place must be a name, a Frame or a Point, however it is {place!r}")
    return given, False
