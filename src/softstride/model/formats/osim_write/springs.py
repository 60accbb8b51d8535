"""Passive forces of coordinates and of rods: springs, limits and bushings."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.coordinate import Coordinate
from softstride.model.formats.osim_write.chain import Bushing
from softstride.model.formats.osim_write.elements import Names, add, add_numbers, number
from softstride.model.formats.osim_write.joints import add_offset_frame
from softstride.model.formats.osim_write.plan import Plan
from softstride.model.joints import Custom, Free, Prismatic, Revolute, Spherical
from softstride.model.link import Link
from softstride.spatial import so3

DEFLECTIONS = ("theta_x", "theta_y", "theta_z", "delta_x", "delta_y", "delta_z")
LOADS = ("Mx", "My", "Mz", "Fx", "Fy", "Fz")
ONSET = 0.01
"""Share of the range over which our limits reach their full stiffness."""


def add_springs(forces: Element, plan: Plan, names: Names) -> None:
    """Append springs, dampers and limits of all coordinates, and the bushings of rods."""
    done: set[str] = set()
    for link in plan.model.links:
        own = [plan.model.coordinates[name] for name in link.coordinate_names]
        if isinstance(link.joint, Spherical | Free):
            _add_ball(forces, link, own, plan, names)
            continue
        for coordinate in own:
            if coordinate.name not in done:
                done.add(coordinate.name)
                _add_spring(forces, coordinate, plan, names)
                _add_limit(forces, coordinate, _turns(link, coordinate.name), plan, names)
    for bushing in plan.rigid.bushings:
        _add_bushing(forces, bushing, plan, names)


def _turns(link: Link, coordinate: str) -> bool:
    """Whether OpenSim takes a coordinate for an angle: it drives a rotation axis and no translation alone."""
    if isinstance(link.joint, Custom):
        used = [name for axis in link.joint.rotations for name, _ in axis.terms]
        return coordinate in used
    return isinstance(link.joint, Revolute) or not isinstance(link.joint, Prismatic)


def _add_spring(forces: Element, c: Coordinate, plan: Plan, names: Names) -> None:
    if not (c.stiffness or c.damping):
        return
    element = add(forces, "SpringGeneralizedForce", name=names.new(f"{c.name}_spring"))
    add(element, "coordinate", plan.coordinates[c.name])
    add_numbers(element, "stiffness", [c.stiffness])
    add_numbers(element, "rest_length", [c.rest])
    add_numbers(element, "viscosity", [c.damping])


def _add_limit(forces: Element, c: Coordinate, turns: bool, plan: Plan, names: Names) -> None:
    """Append a CoordinateLimitForce, whose angles are in degrees; its onset has another shape than ours."""
    if not (c.limit_stiffness or c.limit_damping):
        return
    width = c.upper - c.lower
    if not math.isfinite(width):
        plan.notes.add(
            "osim.single-limit-left-out",
            f"coordinate {c.name!r}: the force at its only limit is left out; OpenSim wants two limits.",
            names=(c.name,),
        )
        return
    unit = math.degrees(1.0) if turns else 1.0
    element = add(forces, "CoordinateLimitForce", name=names.new(f"{c.name}_limit"))
    add(element, "coordinate", plan.coordinates[c.name])
    add_numbers(element, "upper_stiffness", [c.limit_stiffness / unit])
    add_numbers(element, "upper_limit", [c.upper * unit])
    add_numbers(element, "lower_stiffness", [c.limit_stiffness / unit])
    add_numbers(element, "lower_limit", [c.lower * unit])
    add_numbers(element, "damping", [c.limit_damping / unit])
    add_numbers(element, "transition", [max(ONSET * width, 1e-4) * unit])
    text = f"coordinate {c.name!r}: the force beyond its limits rises in another way in OpenSim."
    plan.notes.add("osim.limit-rises-otherwise", text, names=(c.name,))


def _add_ball(forces: Element, link: Link, own: list[Coordinate], plan: Plan, names: Names) -> None:
    """Append a bushing for the spring and the dampers of a ball joint or a free one."""
    if not any(c.stiffness or c.damping for c in own):
        return
    element = add(forces, "BushingForce", name=names.new(f"{link.name}_spring"))
    joint = f"/jointset/{plan.joint(link.name)}"
    add(element, "socket_frame1", "rest")
    add(element, "socket_frame2", f"{joint}/{plan.child_frame(link.name)}")
    rest = np.eye(4)
    rest[:3, :3] = so3.exp(np.array([c.rest for c in own[:3]]))
    add_offset_frame(add(element, "frames"), "rest", f"{joint}/{plan.parent_frame(link.name)}", rest)
    stiffness, damping = (np.zeros(6) for _ in range(2))
    stiffness[:3] = own[0].stiffness
    damping[: len(own)] = [c.damping for c in own]
    _add_diagonal(element, stiffness, damping)
    plan.notes.add(
        "osim.spring-as-bushing",
        f"link {link.name!r}: its spring and dampers act on the angles of a bushing, equal to ours for small "
        f"rotations.",
        names=(link.name,),
    )


def _add_bushing(forces: Element, bushing: Bushing, plan: Plan, names: Names) -> None:
    K, D = bushing.stiffness, bushing.damping
    plain = np.array_equal(K, np.diag(np.diag(K)))
    tag = "BushingForce" if plain else "ExpressionBasedBushingForce"
    element = add(forces, tag, name=names.new(f"{bushing.link}_bushing"))
    joint = f"/jointset/{plan.joint(bushing.link)}"
    sides = [f"{joint}/{plan.parent_frame(bushing.link)}", f"{joint}/{plan.child_frame(bushing.link)}"]
    first, second = reversed(sides) if bushing.turned else sides
    add(element, "socket_frame1", first)
    add(element, "socket_frame2", second)
    if plain:
        _add_diagonal(element, np.diag(K), np.diag(D))
    else:
        for load, row in zip(LOADS, K, strict=True):
            terms = [f"({number(k)})*{x}" for k, x in zip(row, DEFLECTIONS, strict=True) if k]
            add(element, f"{load}_expression", "+".join(terms) or "0.0")
        _add_damping(element, np.diag(D))
    if not np.array_equal(D, np.diag(np.diag(D))):
        text = f"bushing of {bushing.link!r}: damping of one strain by the rate of another is left out."
        plan.notes.add("osim.cross-damping-left-out", text, names=(bushing.link,))


def _add_diagonal(element: Element, stiffness: FloatArray, damping: FloatArray) -> None:
    add_numbers(element, "rotational_stiffness", stiffness[:3])
    add_numbers(element, "translational_stiffness", stiffness[3:])
    _add_damping(element, damping)


def _add_damping(element: Element, damping: FloatArray) -> None:
    add_numbers(element, "rotational_damping", damping[:3])
    add_numbers(element, "translational_damping", damping[3:])
