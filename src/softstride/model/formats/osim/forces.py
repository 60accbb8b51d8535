"""Muscles, ligaments, actuators and contact geometry of a document; what else it holds goes into the notes by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from xml.etree.ElementTree import Element

from softstride.model.actuator import Actuator
from softstride.model.contact_shape import ContactShape
from softstride.model.formats.osim import actuators, contacts, muscles
from softstride.model.formats.osim.defaults import number
from softstride.model.formats.osim.wraps import read_wraps
from softstride.model.muscle import Ligament, Muscle
from softstride.model.path import WrapSurface

if TYPE_CHECKING:
    from softstride.model.formats.osim.context import Context

V = TypeVar("V")


class Spring(NamedTuple):
    """A spring and damper on a coordinate: -stiffness (q - rest) - damping v."""

    stiffness: float
    rest: float
    damping: float


@dataclass(frozen=True)
class Forces:
    """What acts on the bodies of a document.

    Attributes:
        muscles: By name.
        wraps: Surfaces by name.
        ligaments: By name.
        actuators: By name.
        contacts: Contact geometry by name.
        springs: Springs of coordinates (SpringGeneralizedForce), summed, by the name of the coordinate.
    """

    muscles: dict[str, Muscle] = field(default_factory=dict)
    wraps: dict[str, WrapSurface] = field(default_factory=dict)
    ligaments: dict[str, Ligament] = field(default_factory=dict)
    actuators: dict[str, Actuator] = field(default_factory=dict)
    contacts: dict[str, ContactShape] = field(default_factory=dict)
    springs: dict[str, Spring] = field(default_factory=dict)


_SKELETON = (
    "Joint",
    "Body",
    "Frame",
    "Marker",
    "Station",
    "Constraint",
    "Ground",
    "Coordinate",
    "Set",
    "Geometry",
)
"""Ends of the names of components that belong to bodies and joints."""

_CONTACT_FORCES = (
    "HuntCrossleyForce",
    "SmoothSphereHalfSpaceForce",
    "ElasticFoundationForce",
    "ExponentialContactForce",
    "MeyerFregly2016Force",
)


def read_forces(model: Element, context: Context) -> Forces:
    """Read everything that acts on the bodies.

    Muscles and the like stand in the ForceSet, or (format 4) among the components of the model. What is not understood
    is noted by its name and left out.

    Args:
        model: The `<Model>` element.
        context: The document; its bodies, frames, coordinates and couplers are known by now.
    """
    surfaces, unknown = read_wraps(context)
    forces = Forces(wraps=surfaces)
    for element in _elements(model, context):
        tag = element.tag
        if tag in muscles.KINDS:
            _keep(forces.muscles, element, muscles.read_muscle(element, surfaces, unknown, context), context)
        elif tag == "Ligament":
            _keep(
                forces.ligaments, element, muscles.read_ligament(element, surfaces, unknown, context), context
            )
        elif tag in actuators.KINDS:
            _keep(forces.actuators, element, actuators.read_actuator(element, context), context)
        elif tag in contacts.KINDS:
            _keep(forces.contacts, element, contacts.read_contact(element, context), context)
        elif tag == "SpringGeneralizedForce":
            _add_spring(forces.springs, element, context)
        elif tag == "CoordinateLimitForce":
            _note_limit(element, context)
        elif tag in _CONTACT_FORCES:
            context.note(
                "osim.contact-law",
                f"{context.label(element)} is a law of contact and was not read; its shapes are in `contacts`",
                element,
            )
        else:
            context.note(
                "osim.not-understood", f"{context.label(element)} is not understood: left out", element
            )
    for element in (*context.objects("ControllerSet"), *context.objects("ProbeSet")):
        context.note("osim.no-place", f"{context.label(element)} has no place in a model: left out", element)
    return forces


def _elements(model: Element, context: Context) -> Iterator[Element]:
    yield from context.objects("ForceSet")
    yield from context.objects("ContactGeometrySet")
    loose = [
        *context.objects("ComponentSet"),
        *(child for part in model.findall("components") for child in part),
    ]
    yield from (element for element in loose if not element.tag.endswith(_SKELETON))


def _keep(table: dict[str, V], element: Element, value: V | None, context: Context) -> None:
    if value is None:
        return
    name = context.name(element)
    if name in table:
        raise context.error(element, "exists twice; give each its own name.")
    table[name] = value


def _add_spring(springs: dict[str, Spring], element: Element, context: Context) -> None:
    """Add a spring on a coordinate; two on one coordinate become one with the same force."""
    reference = context.text(element, "coordinate")
    coordinate, coupling = context.coordinate(reference, element)
    if context.disabled(element) or coupling is not None:
        if coupling is None:
            _note_off(element, context)
            return
        context.note(
            "osim.spring-of-follower",
            f"{context.label(element)} acts on {reference!r}, which follows {coordinate!r}: left out",
            element,
            severity="warning",
        )
        return
    k, rest = number(element, "stiffness", 0.0, context), number(element, "rest_length", 0.0, context)
    d = number(element, "viscosity", 0.0, context)
    if k < 0.0 or d < 0.0:
        text = f"{context.label(element)} has a negative stiffness or viscosity: left out"
        context.note("osim.spring-negative", text, element, severity="warning")
        return
    old = springs.get(coordinate, Spring(0.0, rest, 0.0))
    total = old.stiffness + k
    middle = (old.stiffness * old.rest + k * rest) / total if total > 0.0 else rest
    springs[coordinate] = Spring(total, middle, old.damping + d)


def _note_off(element: Element, context: Context) -> None:
    context.note("osim.switched-off", f"{context.label(element)} is switched off: left out", element)


def _note_limit(element: Element, context: Context) -> None:
    """Say what is missing without a force at the limits of a coordinate.

    OpenSim: two stiffnesses, limits of their own beside the range of the coordinate, each with an onset over
    `transition` beyond the limit along which damping grows too; `Coordinate` has one stiffness at its range, with an
    onset of its own. No choice of its numbers gives the same force, so none is guessed.
    """
    if context.disabled(element):
        _note_off(element, context)
        return
    name = context.text(element, "coordinate", "").rstrip("/").rsplit("/", 1)[-1]
    low, below, high, above = (
        number(element, tag, default, context)
        for tag, default in (
            ("lower_limit", 0.0),
            ("lower_stiffness", 1.0),
            ("upper_limit", 0.0),
            ("upper_stiffness", 1.0),
        )
    )
    context.note(
        "osim.limit-left-out",
        f"{context.label(element)} has a law that a coordinate here cannot hold: left out, so coordinate {name!r} is "
        f"limp at its limits (the file has stiffness {below:g} below {low:g} and {above:g} above {high:g}; N m and "
        f"degrees if it is an angle, else N and m)",
        element,
        names=(name,),
        fix="set its limit_stiffness",
        values={"lower": low, "lower_stiffness": below, "upper": high, "upper_stiffness": above},
    )
