"""The joints of a document as steps of our joints, with the coordinates that they declare."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from softstride.model.formats.osim.context import Context
from softstride.model.formats.osim.functions import is_function, read_function
from softstride.model.formats.osim.motions import Step, X, Y, Z, ellipsoid, one_axis
from softstride.model.formats.osim.versions import JointData
from softstride.model.functions import Constant, Function, Linear
from softstride.model.joints import Axes, Axis, Custom, Fixed, Prismatic, Revolute, Terms

SIZES = {
    "WeldJoint": 0,
    "PinJoint": 1,
    "SliderJoint": 1,
    "UniversalJoint": 2,
    "PlanarJoint": 3,
    "BallJoint": 3,
    "GimbalJoint": 3,
    "EllipsoidJoint": 3,
    "FreeJoint": 6,
}
"""Number of coordinates of each kind; a CustomJoint has its own."""

ANGULAR = ("BallJoint", "FreeJoint", "EllipsoidJoint")
"""Kinds whose speeds are components of the angular velocity in OpenSim, not rates of their angles."""


def coordinate_names(context: Context, joint: JointData) -> tuple[str, ...]:
    """Return the names of a joint's coordinates in order; those a file leaves out are named as OpenSim 4 does.

    Raises:
        ModelError: A kind of joint that is not understood, or a wrong number of coordinates.
    """
    if joint.kind not in SIZES and joint.kind != "CustomJoint":
        raise context.error(
            joint.element,
            f"is a kind of joint that is not understood; known: CustomJoint, {', '.join(SIZES)}.",
        )
    names = tuple(context.name(element) for element in joint.coordinates)
    if joint.kind == "CustomJoint":
        return names
    size = SIZES[joint.kind]
    if not names:
        return tuple(f"{joint.name}_coord_{i}" for i in range(size))
    if len(names) != size:
        raise context.error(
            joint.element, f"must have {size} coordinate(s), however it has {len(names)}: {names}."
        )
    return names


def read_motion(context: Context, joint: JointData, names: tuple[str, ...], shared: set[str]) -> list[Step]:
    """Return the steps of a joint in the sense of the file, from its parent to its child.

    Args:
        context: The document, its coordinates declared and coupled.
        joint: The joint.
        names: Names of its coordinates.
        shared: Coordinates that drive several joints.

    Raises:
        ModelError: Its transform cannot be read.
    """
    if joint.kind == "CustomJoint":
        return [_custom(context, joint, names)]
    angles = [context.terms(name, Linear(1.0), joint.element) for name in names]
    if joint.kind == "WeldJoint":
        return [Step(Fixed())]
    if joint.kind in ("PinJoint", "SliderJoint"):
        kind, direction = (Revolute, Z) if joint.kind == "PinJoint" else (Prismatic, X)
        return [one_axis(kind, direction, angles[0], bool(shared))]
    if joint.kind == "EllipsoidJoint":
        radii = context.vector(joint.element, "radii_x_y_z", (1.0, 1.0, 1.0))
        if np.any(radii <= 0.0):
            raise context.error(
                joint.element, f"must have radii above zero, however they are {radii.tolist()}."
            )
        return ellipsoid(radii, (angles[0], angles[1], angles[2]))
    return [Step(_by_axes(joint.kind, angles))]


def _by_axes(kind: str, terms: list[Terms]) -> Custom:
    """Return a custom joint whose coordinates follow its axes one by one."""
    driven = {"UniversalJoint": (0, 1), "PlanarJoint": (2, 3, 4), "FreeJoint": range(6)}.get(kind, range(3))
    by_axis = dict(zip(driven, terms, strict=True))
    axes = [Axis((X, Y, Z)[i % 3], by_axis.get(i, ())) for i in range(6)]
    return Custom((axes[0], axes[1], axes[2]), (axes[3], axes[4], axes[5]))


def custom_axes(context: Context, joint: JointData) -> list[tuple[Element, tuple[str, ...], Function]]:
    """Return (element, coordinate names, function) of the six axes of a custom joint.

    Raises:
        ModelError: There are not six of them, one lacks its function, or has several coordinates.
    """
    transform = joint.element.find("SpatialTransform")
    if transform is None:
        raise context.error(joint.element, "has no <SpatialTransform>; add it.")
    elements = transform.findall("TransformAxis")
    if len(elements) != 6:
        raise context.error(joint.element, f"must have six <TransformAxis>, however it has {len(elements)}.")
    order = [f"{kind}{i}" for kind in ("rotation", "translation") for i in (1, 2, 3)]
    by_name = {element.get("name", "").strip(): element for element in elements}
    if set(by_name) == set(order):
        elements = [by_name[name] for name in order]
    return [(element, *_axis_function(context, element)) for element in elements]


def _axis_function(context: Context, element: Element) -> tuple[tuple[str, ...], Function]:
    names = context.names(element, "coordinates")
    if len(names) > 1:
        raise context.error(
            element, f"follows several coordinates {names}; only functions of one are understood."
        )
    holder = element.find("function")
    found = [*(holder if holder is not None else ()), *(child for child in element if is_function(child))]
    if not found:  # OpenSim's default: follow the coordinate, or stay
        return names, Linear(1.0) if names else Constant(0.0)
    function = read_function(found[0], context)
    if isinstance(function, Constant):
        return (), function
    if not names:
        raise context.error(
            element, "has a function but no coordinate to drive it; name one in <coordinates>."
        )
    return names, function


def unused_coordinates(context: Context, joint: JointData, names: tuple[str, ...]) -> list[str]:
    """Return the coordinates of a custom joint that drive none of its axes; of other kinds there are none."""
    if joint.kind != "CustomJoint":
        return []
    used = {name for _, driving, _ in custom_axes(context, joint) for name in driving}
    foreign = sorted(used.difference(names))
    if foreign:
        raise context.error(
            joint.element, f"an axis follows {foreign[0]!r}, which is none of its coordinates {names}."
        )
    return [name for name in names if name not in used]


def _custom(context: Context, joint: JointData, names: tuple[str, ...]) -> Step:
    axes = []
    for i, (element, driving, function) in enumerate(custom_axes(context, joint)):
        direction = context.vector(element, "axis", (X, Y, Z)[i % 3])
        terms: Terms = context.terms(driving[0], function, element) if driving else (("", function),)
        if isinstance(terms[0][1], Constant) and terms[0][1].value == 0.0:
            terms = ()
        axes.append(context.build(element, Axis, direction, terms))
    rotations, translations = (axes[0], axes[1], axes[2]), (axes[3], axes[4], axes[5])
    order = _order(context, names, rotations, translations)
    return Step(Custom(rotations, translations, order))


def _order(context: Context, names: tuple[str, ...], *axes: Axes) -> tuple[str, ...]:
    """Return the coordinates that drive the axes, in the order in which the joint declares them."""
    used = dict.fromkeys(name for three in axes for axis in three for name, _ in axis.terms if name)
    declared = dict.fromkeys(context.dependents.get(name, (name,))[0] for name in names)
    return tuple(name for name in declared if name in used)
