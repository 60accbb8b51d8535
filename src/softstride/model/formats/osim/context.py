"""What every part of the OpenSim reader shares: the document, its frames and coordinates, and notes.

`Context` answers which link a frame of the file stands on, which independent coordinate a name stands for, and
reads numbers, flags and texts of elements so that a damaged one is a `ModelError` that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar
from xml.etree.ElementTree import Element

from softstride.errors import ModelError, inside
from softstride.model import checks
from softstride.model.checks import FloatArray
from softstride.model.formats.osim import couplers, values
from softstride.model.formats.osim.frames import FrameTable
from softstride.model.functions import Function
from softstride.model.joints import Terms
from softstride.notes import Note, Notes

T = TypeVar("T")


class Context:
    """One document on its way to a `Model`.

    Attributes:
        path: The file, as the caller named it.
        model: The `<Model>` element.
        version: Number of the format, for example 30000 or 40500.
    """

    def __init__(self, model: Element, version: int, path: str | Path, repairs: Iterable[Note] = ()) -> None:
        self.path, self.model, self.version = str(path), model, version
        self._notes = Notes(repairs)
        self._parents = {child: parent for parent in model.iter() for child in parent}
        self._frames: FrameTable | None = None
        self._coordinates: dict[str, None] = {}
        self._couplers: dict[str, tuple[str, Function]] = {}
        self._unused: set[str] = set()

    # words

    def note(
        self, code: str, text: str, element: Element | None = None, *, names: Iterable[str] = (), **facts: Any
    ) -> None:
        """Keep a remark for `Model.notes`, once; `element`, or what `names` tells, is what it is about."""
        about = names if element is None else (element.get("name", "").strip(), *names)
        self._notes.add(code, text, names=tuple(filter(None, about)), **facts)

    @property
    def notes(self) -> tuple[Note, ...]:
        """The remarks so far, in order."""
        return tuple(self._notes)

    def label(self, element: Element) -> str:
        """Return words that name an element: "PathPoint 'soleus-P1' of Thelen2003Muscle 'soleus'"."""
        own = element.get("name", "").strip()
        words = f"{element.tag} {own!r}" if own else f"<{element.tag}>"
        owner = self._parents.get(element)
        while owner is not None and owner is not self.model:
            name = owner.get("name", "").strip()
            if name and not owner.tag.endswith("Set") and owner.tag != "GeometryPath":
                return f"{words} of {owner.tag} {name!r}"
            owner = self._parents.get(owner)
        return words

    def error(self, element: Element, problem: str) -> ModelError:
        """Return the error that says what is wrong with an element; raise it."""
        return ModelError(problem, file=self.path, part=self.label(element))

    def build(self, element: Element, make: Callable[..., T], *arguments: object, **options: object) -> T:
        """Return make(*arguments, **options); what it refuses becomes an error that names the element."""
        with inside(file=self.path, part=self.label(element)):
            return make(*arguments, **options)

    # elements

    def parent(self, element: Element) -> Element | None:
        """Return the element around this one; None for the model itself."""
        return self._parents.get(element)

    def name(self, element: Element) -> str:
        """Return the name of an element.

        Raises:
            ModelError: It has none.
        """
        name = element.get("name", "").strip()
        if not name:
            raise self.error(element, "has no name; give it one.")
        return name

    def objects(self, set_tag: str, owner: Element | None = None) -> Iterator[Element]:
        """Iterate over the members of a set such as "BodySet" of the model, or of another element."""
        for found in (self.model if owner is None else owner).findall(set_tag):
            for objects in found.findall("objects"):
                yield from objects

    def components(self, ending: str) -> list[Element]:
        """Return what stands among the loose components of the model and whose tag ends so."""
        direct = [child for holder in self.model.findall("components") for child in holder]
        return [child for child in (*direct, *self.objects("ComponentSet")) if child.tag.endswith(ending)]

    # values

    def text(self, element: Element, tag: str, default: str | None = None) -> str:
        """Return the stripped text of a child element; `default` if it is missing or empty."""
        return values.text(self, element, tag, default)

    def number(
        self, element: Element, tag: str, default: float | None = None, *, infinite: bool = False
    ) -> float:
        """Return one number; `default` if the child is missing or empty."""
        return values.number(self, element, tag, default, infinite=infinite)

    def numbers(
        self,
        element: Element,
        tag: str,
        count: int | None = None,
        default: object = None,
        *,
        infinite: bool = False,
    ) -> FloatArray:
        """Return numbers, shape (count,), or as many as there are; `default` if the child is missing or empty."""
        return values.numbers(self, element, tag, count, default, infinite=infinite)

    def vector(self, element: Element, tag: str, default: object = (0.0, 0.0, 0.0)) -> FloatArray:
        """Return three numbers, shape (3,); `default` (None: an error) if the child is missing or empty."""
        return values.numbers(self, element, tag, 3, default)

    def boolean(self, element: Element, tag: str, default: bool | None = None) -> bool:
        """Return a flag; `default` if the child is missing or empty."""
        return values.boolean(self, element, tag, default)

    def names(self, element: Element, tag: str) -> tuple[str, ...]:
        """Return the names that a child lists, separated by blanks; none if it is missing."""
        return tuple(self.text(element, tag, "").split())

    def socket(self, element: Element, name: str) -> str | None:
        """Return what a socket of format 4 points to ("parent_frame", ...); None if there is no such socket."""
        return values.socket(element, name)

    def disabled(self, element: Element) -> bool:
        """Whether a force or constraint is switched off (isDisabled, appliesForce, isEnforced)."""
        off = self.boolean(element, "isDisabled", False)
        return off or not (
            self.boolean(element, "appliesForce", True) and self.boolean(element, "isEnforced", True)
        )

    # frames

    @property
    def frames(self) -> FrameTable:
        """All frames of the document."""
        if self._frames is None:
            self._frames = FrameTable(self)
        return self._frames

    def link_of(self, reference: str, owner: Element) -> tuple[str, FloatArray]:
        """Return the link that a frame stands on, and T_link_frame, shape (4, 4).

        Args:
            reference: Name of a body ("tibia_r", format 3) or path of a frame ("/bodyset/tibia_r", "../tibia_r",
                an offset frame; format 4). The ground is the link "world".
            owner: The element that holds the reference.

        Raises:
            ModelError: No such frame.
        """
        return self.frames.find(reference, owner)

    # coordinates

    def declare(self, coordinates: list[str], unused: list[str]) -> None:
        """Make the coordinates of the joints known, and those that move nothing."""
        self._coordinates, self._unused = dict.fromkeys(coordinates), set(unused)

    def couple(self, table: dict[str, tuple[str, Function]]) -> None:
        """Make known which coordinates follow others: dependent name -> (independent name, function)."""
        self._couplers = table

    @property
    def dependents(self) -> dict[str, tuple[str, Function]]:
        """Coordinates that follow others: dependent name -> (independent name, function)."""
        return dict(self._couplers)

    def coordinate(self, reference: str, owner: Element | None = None) -> tuple[str, Function | None]:
        """Return the independent coordinate that a name stands for.

        Args:
            reference: Name or path ("knee_angle_r", "/jointset/knee_r/knee_angle_r").
            owner: The element that holds the reference, for the message.

        Returns:
            The name of the coordinate in the model, and None; for a coordinate that a coupler ties to another, the
            independent one and the function f of dependent = f(independent).

        Raises:
            ModelError: No such coordinate, or one that moves nothing.
        """
        name = reference.strip().rstrip("/").rsplit("/", 1)[-1]
        if name in self._unused:
            problem = f"coordinate {name!r} drives no axis of its joint; remove the reference."
        elif name not in self._coordinates:
            problem = f"{reference!r} is no coordinate; known: {checks.names_hint(self._coordinates)}."
        else:
            return self._couplers.get(name, (name, None))
        if owner is not None:
            raise self.error(owner, problem)
        raise ModelError(problem, file=self.path)

    def drive(self, reference: str, function: Function, owner: Element) -> tuple[str, Function]:
        """Return (independent coordinate, function of it) for a function of any coordinate, couplers substituted.

        Raises:
            ModelError: No such coordinate, or a curve of a curve that no `Function` expresses.
        """
        name, inner = self.coordinate(reference, owner)
        if inner is None:
            return name, function
        composed = couplers.compose(function, inner)
        if composed is None:
            raise self.error(
                owner,
                f"is a curve of {reference!r}, which itself follows {name!r} along a curve; "
                f"make the function of the coupler a LinearFunction.",
            )
        return name, composed

    def terms(self, reference: str, function: Function, owner: Element) -> Terms:
        """Return the terms of an axis that follows a function of a coordinate, couplers substituted."""
        name, driven = self.drive(reference, function, owner)
        return (("", driven),) if couplers.is_constant(driven) else ((name, driven),)
