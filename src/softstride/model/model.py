"""The description of a person: a tree of links with coordinates, markers and frames."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from softstride.errors import ModelError
from softstride.frozen import Table
from softstride.model import checks, tree
from softstride.model.actuator import Actuator, CoordinateActuator, TorqueActuator
from softstride.model.checks import ArrayField, FloatArray, Frozen, constant
from softstride.model.contact_shape import ContactShape, ContactSphere
from softstride.model.coordinate import Coordinate
from softstride.model.frame import Frame, Point
from softstride.model.joints import Free, Spherical
from softstride.model.link import WORLD, Link
from softstride.model.muscle import Ligament, Muscle
from softstride.model.path import WrapSurface
from softstride.notes import Note, as_notes

GRAVITY = (0.0, -9.80665, 0.0)
"""Standard gravity along -y [m/s²]."""


@dataclass(frozen=True, eq=False, repr=False)
class Model(Frozen):
    """A tree of rigid and soft links.

    q is the concatenation, over links in their order, of the coordinates each link brings; v likewise.
    Quaternions make nq larger than nv. Custom links may share coordinates, which then stand with the first
    of them.

    Attributes:
        name: Name of the model.
        links: The links, parents before children.
        gravity: Acceleration of gravity in world axes, shape (3,), [m/s²].
        coordinates: One `Coordinate` for each velocity, in the order of v. Those left out are filled with
            defaults.
        markers: Points seen by the cameras, by name.
        frames: Further named frames and points. Their names differ from those of links and markers.
        muscles: Muscles by name.
        wraps: Surfaces that paths wrap around, by name.
        ligaments: Ligaments by name.
        actuators: Actuators that are no muscles, by name.
        contacts: Shapes by which links touch each other or the ground, by name.
        notes: What was assumed or changed on the way to this model, in words.
        credits: Whose work it is.
        publications: Where it was published.
    """

    name: str
    links: tuple[Link, ...]
    gravity: ArrayField = field(default_factory=constant(GRAVITY))
    coordinates: Mapping[str, Coordinate] = field(default_factory=Table)
    markers: Mapping[str, Point] = field(default_factory=Table)
    frames: Mapping[str, Frame | Point] = field(default_factory=Table)
    muscles: Mapping[str, Muscle] = field(default_factory=Table)
    wraps: Mapping[str, WrapSurface] = field(default_factory=Table)
    ligaments: Mapping[str, Ligament] = field(default_factory=Table)
    actuators: Mapping[str, Actuator] = field(default_factory=Table)
    contacts: Mapping[str, ContactShape] = field(default_factory=Table)
    notes: tuple[Note, ...] = ()
    credits: str = ""
    publications: str = ""

    def __post_init__(self) -> None:
        """Copy the fields and check the whole."""
        self._settle(_FIELDS)

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return (
            f"Model({self.name!r}, {len(self.links)} links, nq={self.nq}, nv={self.nv}, {self.mass:.4g} kg)"
        )

    # sizes and order

    @property
    def nq(self) -> int:
        """Length of q."""
        return self._layout.nq

    @property
    def nv(self) -> int:
        """Length of v, a and tau."""
        return self._layout.nv

    @cached_property
    def mass(self) -> float:
        """Mass of the whole model, rods included [kg]."""
        return float(sum(link.mass for link in self.links))

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links in order."""
        return tuple(self._index)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the coordinates in the order of v."""
        return self._layout.names

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Names of custom links that share coordinates, group by group (see `tree.coordinate_groups`)."""
        return tree.coordinate_groups(self.links)

    @cached_property
    def _layout(self) -> tree.Layout:
        return tree.lay_out(self.links)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {link.name: i for i, link in enumerate(self.links)}

    # look-ups

    def index(self, name: str) -> int:
        """Return the position of a link in `links`.

        Raises:
            ModelError: No such link.
        """
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise ModelError(
                f"{name!r} is no link of {self.name!r}; known: {checks.names_hint(self._index)}."
            ) from None

    def link(self, name: str) -> Link:
        """Return the link of this name."""
        return self.links[self.index(name)]

    def parent(self, name: str) -> Link | None:
        """Return the link that this one hangs on; None for the world."""
        parent = self.link(name).parent
        return None if parent == WORLD else self.link(parent)

    def children(self, name: str) -> tuple[Link, ...]:
        """Return the links that hang on this one ("world": the roots), in order."""
        if name != WORLD:
            self.index(name)
        return tuple(link for link in self.links if link.parent == name)

    def q_indices(self, name: str) -> tuple[int, ...]:
        """Return where the joint of a link has its coordinates in q, in its order, shared ones included."""
        return self._layout.q[self.index(name)]

    def v_indices(self, name: str) -> tuple[int, ...]:
        """Return where the joint of a link has its velocities in v, in its order, shared ones included."""
        return self._layout.v[self.index(name)]

    def q_slice(self, name: str) -> slice:
        """Return the part of q that a link brings; a shared coordinate belongs to its first link."""
        return self._layout.q_new[self.index(name)]

    def v_slice(self, name: str) -> slice:
        """Return the part of v that a link brings."""
        return self._layout.v_new[self.index(name)]

    def place(self, name: str) -> Frame | Point:
        """Return the frame of a link, or else the registered frame, or else the marker of this name."""
        if name in self._index or name == WORLD:
            return Frame(name)
        found = self.frames.get(name) or self.markers.get(name)
        if found is None:
            known = checks.names_hint([*self._index, *self.frames, *self.markers])
            raise ModelError(f"{name!r} is no link, frame or marker of {self.name!r}; known: {known}.")
        return found

    # values

    def neutral(self) -> FloatArray:
        """Return q of the default pose, shape (nq,): every coordinate at its `default`.

        Spherical and free joints take theirs as a rotation vector (and a position).
        """
        q = np.zeros(self.nq)
        for link in self.links:
            defaults = np.array([self.coordinates[name].default for name in link.coordinate_names])
            own = list(self.q_indices(link.name))
            if isinstance(link.joint, Spherical):
                q[own] = _quaternion(defaults)
            elif isinstance(link.joint, Free):
                q[own] = np.concatenate([defaults[3:], _quaternion(defaults[:3])])
            else:
                q[own] = defaults
        return q

    def summary(self) -> str:
        """Return what the model holds, for a person to read: tree, coordinates, masses, muscles, notes."""
        from softstride.model.summary import summarise

        return summarise(self)

    # models made of this one

    def replace(self, **changes: Any) -> Model:
        """Return a new model with some fields changed; these are checked, and what depends on them.

        Raises:
            ModelError: What is new is wrong, or what stays does not go with it.
            TypeError: A model has no such field.
        """
        unknown = [name for name in changes if name not in _FIELDS]
        if unknown:
            raise TypeError(f"{unknown[0]!r} is no field of a model; its fields are {', '.join(_FIELDS)}")
        new = self._with(changes)
        new._settle([name for name, value in changes.items() if value is not getattr(self, name)], self)
        return new

    def only(self, names: Iterable[str]) -> Model:
        """Return the links of these names and all that they hang on, in order, without anything on them.

        What is right in the whole is right in them: nothing is checked again.

        Raises:
            ModelError: No such link.
        """
        kept: set[str] = set()
        for name in names:
            while name != WORLD and name not in kept:
                kept.add(name)
                name = self.link(name).parent
        links = tuple(link for link in self.links if link.name in kept)
        bare: dict[str, object] = dict.fromkeys(_TABLES, Table())
        part = self._with(bare | {"links": links, "notes": (), "credits": "", "publications": ""})
        part._set(coordinates=Table({name: Coordinate(name) for name in part.coordinate_names}))
        return part

    def _with(self, changes: Mapping[str, object]) -> Model:
        """Return a model with other fields, as they are given."""
        new = object.__new__(type(self))
        new._set(**{name: getattr(self, name) for name in _FIELDS} | dict(changes))
        return new

    # checks

    def _settle(self, given: Collection[str], before: Model | None = None) -> None:
        """Copy and check the fields that are given, and check what depends on them; all others are as `before`."""
        if "name" in given:
            checks.text(self.name, "name of a model")
        if "links" in given:
            self._set(links=tuple(self.links))
            if not all(isinstance(link, Link) for link in self.links):
                raise ModelError("links of a model must be Link objects.")
        if "gravity" in given:
            self._set(gravity=checks.array(self.gravity, (3,), "gravity"))
        if "notes" in given:
            self._set(notes=as_notes(self.notes))
        for what in ("credits", "publications"):
            if not isinstance(getattr(self, what), str):
                raise ModelError(
                    f"{what} of a model must be a string, however it is {getattr(self, what)!r}."
                )
        changed = set(given)
        if before is None:
            self._check_links()
        elif "links" not in given:
            self._keep(before, ("mass", *_OF_OUTLINE))
        elif tree.outline(self.links) == tree.outline(before.links):
            self._keep(before, _OF_OUTLINE)
            changed.remove("links")  # in no way that another field could feel
        else:
            self._check_links()
        stale = {name for name, refers_to in _TABLES.items() if name in given or changed & refers_to}
        if "coordinates" in stale:
            self._set(coordinates=self._all_coordinates())
        self._set(**{name: Table(getattr(self, name)) for name in _TABLES if name in given})
        for name, kind, check in (
            ("markers", "marker", self._check_places),
            ("frames", "frame", self._check_places),
            ("muscles", "muscle", self._check_paths),
            ("ligaments", "ligament", self._check_paths),
            ("wraps", "wrapping surface", self._check_wraps),
            ("actuators", "actuator", self._check_actuators),
            ("contacts", "contact", self._check_contacts),
        ):
            if name in stale:
                check(kind, getattr(self, name))

    def _keep(self, before: Model, names: Iterable[str]) -> None:
        """Take over what another model has found of itself."""
        self._set(**{name: before.__dict__[name] for name in names if name in before.__dict__})

    def _check_links(self) -> None:
        tree.check_order(self.links)
        _ = self.groups

    def _all_coordinates(self) -> Table[Coordinate]:
        given = dict(self.coordinates)
        unknown = [name for name in given if name not in self._layout.names]
        if unknown:
            raise ModelError(
                f"coordinate {unknown[0]!r} belongs to no link; known: "
                f"{checks.names_hint(self._layout.names)}."
            )
        for name, coordinate in given.items():
            if not isinstance(coordinate, Coordinate) or coordinate.name != name:
                raise ModelError(
                    f"coordinate {name!r} must be a Coordinate of this name, however it is {coordinate!r}."
                )
        table = Table({name: given.get(name, Coordinate(name)) for name in self._layout.names})
        for link in self.links:
            own = [table[name] for name in link.coordinate_names]
            if isinstance(link.joint, Spherical):
                _check_spherical(link.name, own)
            if isinstance(link.joint, Free) and any(
                c.stiffness or c.limit_stiffness or c.limit_damping for c in own
            ):
                raise ModelError(
                    f"link {link.name!r}: a free joint has no spring and no limit; use a Custom joint with "
                    f"six coordinates."
                )
        return table

    def _check_places(self, kind: str, table: Mapping[str, Any]) -> None:
        types = (Point,) if kind == "marker" else (Frame, Point)
        for name, place in table.items():
            what = f"{kind} {checks.text(name, f'name of a {kind}')!r}"
            if not isinstance(place, types):
                raise ModelError(
                    f"{what} must be a Point{' or Frame' if kind == 'frame' else ''}, however it is {place!r}."
                )
            if place.link == WORLD:
                continue
            self._check_link(place.link, what)
            tree.check_at(place.at, self.link(place.link), what)
        for name in table if kind == "frame" else ():
            if name in self._index or name in self.markers or name == WORLD:
                raise ModelError(f"frame {name!r}: a link or marker has this name already, choose another.")

    def _check_paths(self, kind: str, table: Mapping[str, Any]) -> None:
        """Every path runs over links, coordinates and surfaces that exist."""
        for name, band in table.items():
            what = f"{kind} {name!r}"
            if not isinstance(band, (Muscle, Ligament)) or band.name != name:
                raise ModelError(f"{what} must be a {kind.title()} of this name, however it is {band!r}.")
            for link in band.path.links:
                self._check_link(link, what)
            for coordinate in band.path.coordinates:
                self._check_coordinate(coordinate, what)
            for wrap in band.path.wraps:
                if wrap.surface not in self.wraps:
                    raise ModelError(
                        f"{what}: {wrap.surface!r} is no wrapping surface; known: {checks.names_hint(self.wraps)}."
                    )

    def _check_wraps(self, kind: str, table: Mapping[str, Any]) -> None:
        for name, surface in table.items():
            self._check_link(surface.link, f"{kind} {name!r}")

    def _check_actuators(self, kind: str, table: Mapping[str, Any]) -> None:
        for name, actuator in table.items():
            what = f"{kind} {name!r}"
            if isinstance(actuator, CoordinateActuator):
                self._check_coordinate(actuator.coordinate, what)
                continue
            self._check_link(actuator.link, what)
            if isinstance(actuator, TorqueActuator):
                self._check_link(actuator.reaction, what)

    def _check_contacts(self, kind: str, table: Mapping[str, Any]) -> None:
        for name, shape in table.items():
            what = f"{kind} {name!r}"
            self._check_link(shape.link, what)
            if isinstance(shape, ContactSphere) and shape.link != WORLD:
                tree.check_at(shape.at, self.link(shape.link), what)

    def _check_link(self, link: str, what: str) -> None:
        if link != WORLD and link not in self._index:
            raise ModelError(
                f"{what}: {link!r} is no link; known: 'world', {checks.names_hint(self._index)}."
            )

    def _check_coordinate(self, coordinate: str, what: str) -> None:
        if coordinate not in self.coordinates:
            raise ModelError(
                f"{what}: {coordinate!r} is no coordinate; known: {checks.names_hint(self.coordinates)}."
            )


_FIELDS = tuple(each.name for each in dataclasses.fields(Model))

_TABLES: Mapping[str, frozenset[str]] = {
    "coordinates": frozenset({"links"}),
    "markers": frozenset({"links"}),
    "frames": frozenset({"links", "markers"}),
    "muscles": frozenset({"links", "wraps"}),
    "wraps": frozenset({"links"}),
    "ligaments": frozenset({"links", "wraps"}),
    "actuators": frozenset({"links"}),
    "contacts": frozenset({"links"}),
}
"""Fields that are tables, each with the fields that it refers to (names of coordinates are those of the links)."""

_OF_OUTLINE = ("groups", "_layout", "_index")
"""What is found from the outline of the links (see `tree.outline`) and holds as long as that does."""


def _check_spherical(link: str, own: list[Coordinate]) -> None:
    if len({c.stiffness for c in own}) > 1:
        raise ModelError(
            f"link {link!r}: the stiffness of a spherical joint must be equal about its three axes, "
            f"however it is "
            f"{[c.stiffness for c in own]}; use a Custom joint with three rotations for different ones."
        )
    if any(c.limit_stiffness or c.limit_damping for c in own):
        raise ModelError(
            f"link {link!r}: a spherical joint has no limit forces; use a Custom joint with three rotations."
        )


def _quaternion(rotation_vector: FloatArray) -> FloatArray:
    """Return the quaternion (x, y, z, w) of a rotation vector [rad], shape (3,)."""
    angle = math.hypot(*rotation_vector)
    scale = math.sin(angle / 2.0) / angle if angle > 0.0 else 0.5
    return np.append(scale * rotation_vector, math.cos(angle / 2.0))
