"""Joints of the document: frames, coordinates and spatial transforms; shared coordinates become coupled copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.coordinate import Coordinate
from softstride.model.formats.osim_write.elements import add, add_flag, add_numbers, angles
from softstride.model.formats.osim_write.functions import add_function, add_sum
from softstride.model.formats.osim_write.plan import Plan
from softstride.model.functions import Composed, Constant, Function, Linear, Scaled
from softstride.model.joints import Axis, Custom, Fixed, Free, Joint, Prismatic, Revolute, Spherical
from softstride.model.link import Link
from softstride.spatial import se3, so3

AXES = ("rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3")
INDEPENDENT = 1e-2
"""Least volume that three rotation axes span: OpenSim refuses axes that are parallel."""


class Driven(NamedTuple):
    """A coordinate of a joint of the document: its name there and its properties."""

    name: str
    properties: Coordinate


def add_joint(joints: Element, constraints: Element, link: Link, plan: Plan) -> None:
    """Append the joint of a link, and couplers for coordinates that another link has already."""
    kind, six = _kind(link.joint, link.coordinate_names)
    element = add(joints, kind, name=plan.joint(link.name))
    add(element, "socket_parent_frame", plan.parent_frame(link.name))
    add(element, "socket_child_frame", plan.child_frame(link.name))
    driven = _driven(link, plan)
    copies = {c: d for c, d in driven.items() if d.name != plan.coordinates[c]}
    for coordinate, copy in copies.items():
        six, inner = _without_inner(six, coordinate)
        _add_coupler(constraints, coordinate, copy.name, inner, plan)
        driven[coordinate] = Driven(copy.name, _follower(copy.properties, inner))
    if driven:
        listed = add(element, "coordinates")
        for each in driven.values():
            _add_coordinate(listed, each)
    frames = add(element, "frames")
    _add_frame(frames, plan.parent_frame(link.name), plan.frame(link.parent), link.placement)
    _add_frame(frames, plan.child_frame(link.name), plan.frame(link.name), se3.inverse(link.offset))
    if kind == "CustomJoint":
        _add_transform(element, six, {c: d.name for c, d in driven.items()}, link.name, plan)


def add_offset_frame(parent: Element, name: str, frame: str, T: FloatArray) -> None:
    """Append a frame that stands on another one at a pose (4, 4)."""
    _add_frame(parent, name, frame, T)


def _add_frame(parent: Element, name: str, frame: str, T: FloatArray) -> None:
    element = add(parent, "PhysicalOffsetFrame", name=name)
    add(element, "socket_parent", frame)
    add_numbers(element, "translation", T[:3, 3])
    add_numbers(element, "orientation", angles(T[:3, :3]))


def _kind(joint: Joint, names: tuple[str, ...]) -> tuple[str, list[Axis]]:
    """Return OpenSim's kind of joint and our six axes of it."""
    still = [Axis(row) for row in np.tile(np.eye(3), (2, 1))]
    if isinstance(joint, Fixed):
        return "WeldJoint", still
    if isinstance(joint, Revolute):
        pin = np.array_equal(joint.axis, (0.0, 0.0, 1.0))
        return ("PinJoint" if pin else "CustomJoint"), [Axis.along(joint.axis, names[0]), *still[1:]]
    if isinstance(joint, Prismatic):
        slider = np.array_equal(joint.axis, (1.0, 0.0, 0.0))
        along = Axis.along(joint.axis, names[0])
        return ("SliderJoint" if slider else "CustomJoint"), [*still[:3], along, *still[4:]]
    if isinstance(joint, Custom):
        return ("CustomJoint" if joint.nq else "WeldJoint"), [*joint.rotations, *joint.translations]
    moving = [Axis.along(axis.direction, name) for axis, name in zip(still, names, strict=False)]
    return "CustomJoint", [*moving, *still[len(moving) :]]


def _driven(link: Link, plan: Plan) -> dict[str, Driven]:
    """Return the coordinates of a joint; those that stand with an earlier link get new names."""
    model, result = plan.model, {}
    table = {name: model.coordinates[name] for name in link.coordinate_names}
    if isinstance(link.joint, Spherical | Free):
        table = _as_angles(list(table.values()))
        plan.angles.append(link.name)
    for name, properties in table.items():
        owner = next(other for other in model.links if name in other.coordinate_names)
        own = owner.name == link.name
        result[name] = Driven(
            plan.coordinates[name] if own else plan.coordinate_names.new(f"{name}_{link.name}"), properties
        )
    return result


def _as_angles(own: list[Coordinate]) -> dict[str, Coordinate]:
    """Return the three coordinates of a rotation with angles as defaults, ours being a rotation vector."""
    turn = angles(so3.exp(np.array([c.default for c in own[:3]])))
    first = [
        Coordinate(c.name, float(angle), c.lower, c.upper, locked=c.locked, clamped=c.clamped)
        for c, angle in zip(own, turn, strict=False)
    ]
    return {c.name: c for c in (*first, *own[3:])}


def _follower(source: Coordinate, inner: Function) -> Coordinate:
    return Coordinate(source.name, float(inner(source.default)))


def _add_coordinate(parent: Element, driven: Driven) -> None:
    c = driven.properties
    element = add(parent, "Coordinate", name=driven.name)
    add_numbers(element, "default_value", [c.default])
    add_numbers(element, "range", [c.lower, c.upper])
    add_flag(element, "clamped", c.clamped)
    add_flag(element, "locked", c.locked)


def _without_inner(six: Sequence[Axis], coordinate: str) -> tuple[list[Axis], Function]:
    """Take the function that all terms of a coordinate start with into the coupler; x -> x if there is none."""
    terms = [function for axis in six for name, function in axis.terms if name == coordinate]
    inners = [_split(function)[1] for function in terms]
    first = inners[0] if inners else None
    if first is None or not all(other is not None and _same(first, other) for other in inners):
        return list(six), Linear()
    stripped = [
        Axis(a.direction, tuple((n, _split(f)[0] if n == coordinate else f) for n, f in a.terms)) for a in six
    ]
    return stripped, first


def _split(function: Function) -> tuple[Function, Function | None]:
    """Return (outer, inner) of a composition, or of a multiple of one; (function, None) for others."""
    if isinstance(function, Composed):
        return function.outer, function.inner
    if isinstance(function, Scaled) and isinstance(function.function, Composed):
        return Scaled(function.function.outer, function.factor), function.function.inner
    return function, None


def _same(f: Function, g: Function) -> bool:
    a, b = f.pieces(), g.pieces()
    return all(np.array_equal(getattr(a, x), getattr(b, x)) for x in ("breaks", "origins", "coefficients"))


def _add_coupler(constraints: Element, coordinate: str, copy: str, inner: Function, plan: Plan) -> None:
    element = add(constraints, "CoordinateCouplerConstraint", name=f"{copy}_coupler")
    add_flag(element, "isEnforced", True)
    if add_function(add(element, "coupled_coordinates_function"), inner):
        plan.modern.append(f"coupler of {copy!r}")
    add(element, "independent_coordinate_names", plan.coordinates[coordinate])
    add(element, "dependent_coordinate_name", copy)
    add_numbers(element, "scale_factor", [1.0])
    text = f"coordinate {coordinate!r} drives several links: {copy!r} follows it by a coupler."
    plan.notes.add("osim.coordinate-coupled", text, names=(coordinate, copy))


def _add_transform(parent: Element, six: list[Axis], names: dict[str, str], link: str, plan: Plan) -> None:
    element = add(parent, "SpatialTransform")
    rotations, translations = _independent(six[:3]), _independent(six[3:])
    for label, axis in zip(AXES, (*rotations, *translations), strict=True):
        child = add(element, "TransformAxis", name=label)
        listed = add(child, "coordinates")
        add_numbers(child, "axis", axis.direction)
        terms: Sequence[tuple[str, Function]] = axis.terms
        if label in AXES[:3] and terms and all(isinstance(f, Constant) for _, f in terms):
            # OpenSim's velocities pass over a constant turn that has no coordinate: give it one, with slope zero
            total = sum(float(f(0.0)) for _, f in terms)
            used, modern = tuple(names)[:1], False
            _add_flat(child, total)
        else:
            used, modern = add_sum(child, terms, "function")
        listed.text = " ".join(names[name] for name in used)
        if modern:
            plan.modern.append(f"axis {label} of link {link!r}")


def _add_flat(parent: Element, value: float) -> None:
    add_numbers(add(parent, "LinearFunction", name="function"), "coefficients", [0.0, value])


def _independent(axes: list[Axis]) -> list[Axis]:
    """Return three axes that are not parallel: directions of axes that do not move may be chosen freely."""
    result = list(axes)
    if abs(np.linalg.det([axis.direction for axis in result])) > INDEPENDENT:
        return result
    for i, axis in enumerate(axes):
        if any(not isinstance(f, Constant) or f.value for _, f in axis.terms):
            continue
        others = [other.direction for k, other in enumerate(result) if k != i]
        free = np.cross(others[0], others[1])
        if np.linalg.norm(free) < INDEPENDENT:  # the others are parallel: any direction across them
            free = np.cross(others[0], np.eye(3)[int(np.argmin(np.abs(others[0])))])
        result[i] = Axis(free)
    return result
