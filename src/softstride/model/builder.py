"""Write a model down link by link.

>>> leg = ModelBuilder("leg")
>>> leg.revolute("thigh", axis=(0, 0, 1), mass=8.0, com=(0, -0.2, 0), inertia=(0.13, 0.03, 0.13))
>>> leg.revolute("shank", parent="thigh", axis=(0, 0, 1), position=(0, -0.4, 0), mass=3.5)
>>> leg.build().nv
2
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError, inside
from softstride.model import checks
from softstride.model.coordinate import Coordinate
from softstride.model.frame import Frame, Point
from softstride.model.joints import Axes, Custom, Fixed, Free, Joint, Prismatic, Revolute, Spherical
from softstride.model.link import Link
from softstride.model.model import GRAVITY, Model
from softstride.model.options import BODY, JOINT, BodyOptions, JointOptions, read_coordinates, read_inertia
from softstride.model.rod import Rod
from softstride.model.tree import sort_links
from softstride.notes import SAID, Note, Said


class ModelBuilder:
    """Collects links, markers and frames in any order; `build` sorts and checks them.

    Every method that adds a link takes its `name`, its `parent` ("world" when left out) and the
    `BodyOptions`; joints with coordinates take the `JointOptions` too.
    """

    def __init__(self, name: str, gravity: ArrayLike = GRAVITY) -> None:
        """Start an empty model with this name and gravity [m/s²], shape (3,), world axes."""
        self._name = checks.text(name, "name of a model")
        self._gravity = checks.array(gravity, (3,), "gravity")
        self._links: dict[str, Link] = {}
        self._coordinates: dict[str, Coordinate] = {}  # as links say
        self._overrides: dict[str, Coordinate] = {}  # as `coordinate` says
        self._markers: dict[str, Point] = {}
        self._frames: dict[str, Frame | Point] = {}
        self._notes: list[Note] = []

    def fixed(self, name: str, parent: str = "world", **options: Unpack[BodyOptions]) -> None:
        """Add a link welded to its parent."""
        self._add(name, parent, Fixed, options, BODY)

    def revolute(
        self,
        name: str,
        parent: str = "world",
        *,
        axis: ArrayLike,
        coordinate: str = "",
        **options: Unpack[JointOptions],
    ) -> None:
        """Add a hinge about `axis`, shape (3,); its coordinate [rad] is called like the link unless named."""
        self._add(name, parent, lambda: Revolute(checks.as_given(axis), coordinate), options)

    def prismatic(
        self,
        name: str,
        parent: str = "world",
        *,
        axis: ArrayLike,
        coordinate: str = "",
        **options: Unpack[JointOptions],
    ) -> None:
        """Add a slider along `axis`, shape (3,); its coordinate [m] is called like the link unless named."""
        self._add(name, parent, lambda: Prismatic(checks.as_given(axis), coordinate), options)

    def spherical(self, name: str, parent: str = "world", **options: Unpack[JointOptions]) -> None:
        """Add a ball joint; "name.x", "name.y", "name.z" hold a rotation vector for default and rest."""
        self._add(name, parent, Spherical, options)

    def free(self, name: str, parent: str = "world", **options: Unpack[JointOptions]) -> None:
        """Add a floating link with coordinates "name.rx", "name.ry", "name.rz", "name.tx", and so on."""
        self._add(name, parent, Free, options)

    def custom(
        self,
        name: str,
        parent: str = "world",
        *,
        rotations: Axes | None = None,
        translations: Axes | None = None,
        coordinates: tuple[str, ...] = (),
        **options: Unpack[JointOptions],
    ) -> None:
        """Add a function-driven joint (see `Custom`); several such links may use the same coordinates.

        Passive options apply to the joint's coordinates in order. Give them with one link only where links
        share a coordinate, or use `coordinate`.
        """
        axes = {"rotations": rotations, "translations": translations}
        given: dict[str, Any] = {key: value for key, value in axes.items() if value is not None}
        self._add(name, parent, lambda: Custom(**given, coordinates=coordinates), options)

    def rod(self, name: str, parent: str = "world", *, rod: Rod, **options: Unpack[BodyOptions]) -> None:
        """Add a soft link; position and rotation place its base, mass and inertia sit on its tip."""
        if not isinstance(rod, Rod):
            raise ModelError(f"link {name!r}: rod must be a Rod, however it is {rod!r}.")
        self._add(name, parent, lambda: rod, options, BODY)

    def link(self, link: Link) -> None:
        """Add a finished link."""
        if not isinstance(link, Link):
            raise ModelError(f"a link must be a Link, however it is {link!r}.")
        if link.name in self._links:
            raise ModelError(f"link {link.name!r} exists twice: give each link its own name.")
        self._links[link.name] = link

    def coordinate(self, coordinate: Coordinate) -> None:
        """Give the default, range and passive forces of one coordinate, replacing what its link said."""
        if not isinstance(coordinate, Coordinate):
            raise ModelError(f"a coordinate must be a Coordinate, however it is {coordinate!r}.")
        self._overrides[coordinate.name] = coordinate

    def marker(
        self, name: str, link: str, position: ArrayLike = (0.0, 0.0, 0.0), at: float | None = None
    ) -> None:
        """Add a marker at a position [m], shape (3,), in link axes; on a rod in section axes at `at` [m]."""
        with inside(part=_new("marker", name, self._markers)):
            self._markers[name] = Point(link, position, at)

    def frame(
        self,
        name: str,
        link: str,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        at: float | None = None,
    ) -> None:
        """Add a frame at a position [m] and rotation (3, 3) in link axes; on a rod in section axes."""
        turn = np.eye(3) if rotation is None else rotation
        with inside(part=_new("frame", name, self._frames)):
            self._frames[name] = Frame(link, position, turn, at)

    def note(self, text: Said) -> None:
        """Add a note, or a sentence, to the model's notes."""
        self._notes.append(text if isinstance(text, Note) else Note(SAID, checks.text(text, "note")))

    def build(self) -> Model:
        """Return the model: links sorted with parents first, everything checked.

        Raises:
            ModelError: A cycle, an unknown parent or link, a coordinate in two places, `at` off a rod, and
                the like.
        """
        return Model(
            name=self._name,
            links=sort_links(tuple(self._links.values())),
            gravity=self._gravity,
            coordinates=self._coordinates | self._overrides,
            markers=self._markers,
            frames=self._frames,
            notes=tuple(self._notes),
        )

    def _add(
        self,
        name: str,
        parent: str,
        make_joint: Callable[[], Joint],
        options: Mapping[str, Any],
        known: Iterable[str] = JOINT,
    ) -> None:
        """Add one link; everything the kinds of joints have in common is here."""
        unknown = [key for key in options if key not in known]
        if unknown:
            raise TypeError(
                f"link {name!r}: unknown option {unknown[0]!r}; known: {', '.join(sorted(known))}."
            )
        what = _new("link", name, self._links)
        with inside(part=what):
            joint = make_joint()
            placement = checks.transform(
                options.get("position", (0.0, 0.0, 0.0)), options.get("rotation"), "placement"
            )
            inertia = read_inertia(options)
        offset = options.get("offset")
        link = Link(  # says its name itself
            name=name,
            parent=parent,
            joint=joint,
            placement=placement,
            offset=np.eye(4) if offset is None else offset,
            inertia=inertia,
            at=options.get("at"),
        )
        with inside(part=what):
            described = {c.name: c for c in read_coordinates(link.coordinate_names, options)}
            for name_, coordinate in described.items():
                if self._coordinates.get(name_, coordinate) != coordinate:
                    raise ModelError(f"another link describes coordinate {name_!r} differently: do it once.")
            self.link(link)
            self._coordinates |= described


def _new(kind: str, name: object, taken: Container[object]) -> str:
    """Check a new name; return the words that errors about it begin with."""
    what = f"{kind} {checks.text(name, f'name of a {kind}')!r}"
    if name in taken:
        raise ModelError(f"{what} exists twice: give each {kind} its own name.")
    return what
