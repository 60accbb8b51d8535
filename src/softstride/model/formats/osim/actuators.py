"""Actuators that are no muscles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from softstride.model.actuator import Actuator, CoordinateActuator, PointActuator, TorqueActuator
from softstride.model.formats.osim.defaults import flag, number

if TYPE_CHECKING:
    from softstride.model.formats.osim.context import Context

KINDS = ("CoordinateActuator", "ActivationCoordinateActuator", "PointActuator", "TorqueActuator")


def read_actuator(element: Element, context: Context) -> Actuator | None:
    """Return an actuator of one of `KINDS`; None, with a note, if it drives a coordinate that follows another one.

    OpenSim takes directions and axes without regard to their length.
    """
    common = {
        "name": context.name(element),
        "optimal_force": number(element, "optimal_force", 1.0, context),
        "lower": number(element, "min_control", -math.inf, context, infinite=True),
        "upper": number(element, "max_control", math.inf, context, infinite=True),
        "enabled": not context.disabled(element),
    }
    if element.tag == "PointActuator":
        return _point(element, common, context)
    if element.tag == "TorqueActuator":
        return _torque(element, common, context)
    reference = context.socket(element, "coordinate") or context.text(element, "coordinate")
    coordinate, coupling = context.coordinate(reference, element)
    if coupling is not None:
        context.note(
            "osim.actuator-of-follower",
            f"{context.label(element)} drives {reference!r}, which follows {coordinate!r} by a coupler: left out",
            element,
        )
        return None
    if element.tag == "ActivationCoordinateActuator":
        text = f"{context.label(element)} is read without its activation dynamics"
        context.note("osim.no-activation-dynamics", text, element)
    return context.build(element, CoordinateActuator, coordinate=coordinate, **common)


def _point(element: Element, common: dict[str, object], context: Context) -> PointActuator:
    link, T = context.link_of(context.text(element, "body"), element)
    world_point = flag(element, "point_is_global", False, context)
    world_direction = flag(element, "force_is_global", False, context)
    point, direction = context.vector(element, "point"), context.vector(element, "direction", (1.0, 0.0, 0.0))
    return context.build(
        element,
        PointActuator,
        link=link,
        point=point if world_point else T[:3, :3] @ point + T[:3, 3],
        direction=direction if world_direction else T[:3, :3] @ direction,
        point_in_world=world_point,
        direction_in_world=world_direction,
        **common,
    )


def _torque(element: Element, common: dict[str, object], context: Context) -> TorqueActuator:
    link, T = context.link_of(context.text(element, "bodyA"), element)
    reaction, _ = context.link_of(context.text(element, "bodyB", "ground"), element)
    world = flag(element, "torque_is_global", True, context)
    axis = context.vector(element, "axis", (0.0, 0.0, 1.0))
    return context.build(
        element,
        TorqueActuator,
        link=link,
        reaction=reaction,
        axis=axis if world else T[:3, :3] @ axis,
        axis_in_world=world,
        **common,
    )
